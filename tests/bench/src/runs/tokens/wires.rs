//! The same slices in every wire format: each has to be the same slice, and smaller than the last. A slice with barely an
//! edge has nothing that tables and groups could save: there the formats may be equal within a few tokens.

use serde_json::{Value, json};

use super::sample::Sample;
use super::value_tokens;
use crate::Outcome;
use crate::world::World;

/// Larger than any slice with this many cards: nothing is cut, in any format.
const BUDGET: u64 = 20_000;
const CARDS: u64 = 20;
/// A slice with fewer edges is a small one.
const FEW: usize = 4;

pub(super) fn compare_formats(world: &mut World, sample: &Sample) -> Outcome {
    let formats = [("standard", None), ("compact", Some(1)), ("compact", Some(2)), ("compact", Some(3))];
    let mut sizes: [Vec<usize>; 4] = Default::default();
    let mut small = 0;
    for function in &sample.functions {
        let mut first = None;
        let mut last = usize::MAX;
        for ((format, version), sizes) in formats.iter().zip(&mut sizes) {
            let mut request = json!({
                "entrySymbols": [function.id], "wireFormat": format,
                "budget": {"maxCards": CARDS, "maxEstimatedTokens": BUDGET},
            });
            if let Some(version) = version {
                request["wireFormatVersion"] = json!(version);
            }
            let answer = world.call("slice_build", request)?;
            let slice = &answer["slice"];
            let doc = sdl_retrieve::wire::decode_slice(slice)?;
            let few = doc.edges.len() < FEW;
            let mut doc: Value = serde_json::to_value(&doc)?;
            let shown = format!("{} as {format} {version:?}", function.name);
            if format == &"standard" && doc != *slice {
                return Err(format!("{shown} does not read back as it was").into());
            }
            // Each says how large it is itself.
            doc["estimatedTokens"] = Value::Null;
            if *first.get_or_insert_with(|| doc.clone()) != doc {
                return Err(format!("{shown} is not what it is in standard").into());
            }
            let size = value_tokens(slice);
            small += usize::from(size >= last && few);
            if size >= last && !few {
                return Err(format!("{shown} takes {size} tokens, not less than {last}").into());
            }
            last = size;
            sizes.push(size);
        }
    }
    println!("\n| wire format | slices | median | all | of standard |\n|---|---:|---:|---:|---:|");
    let standard: usize = sizes.first().map_or(0, |sizes| sizes.iter().sum());
    for (name, mut sizes) in ["`standard`", "`compact` 1", "`compact` 2", "`compact` 3"].iter().zip(sizes) {
        sizes.sort_unstable();
        let all: usize = sizes.iter().sum();
        let median = sizes.get(sizes.len() / 2).copied().unwrap_or_default();
        let share = 100.0 * all as f64 / standard.max(1) as f64;
        println!("| {name} | {} | {median} | {all} | {share:.0} % |", sizes.len());
    }
    println!(
        "\nEach decodes to the same slice. {small} times a slice with fewer than {FEW} edges was not smaller than before."
    );
    Ok(())
}
