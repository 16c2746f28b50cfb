//! Edits in a held slice, each followed at once by `slice.refresh`: every answer has to hold the edit, and nothing else.

use std::collections::BTreeMap;

use sdl_tests::TestEnv;
use serde_json::{Value, json};

use crate::Outcome;
use crate::figures::Times;
use crate::options::Options;
use crate::tree::{self, FUNCTIONS, Module};
use crate::world::{World, check_synced, symbol_id, text_field, version_number};

/// The files whose functions are held.
const HELD: usize = 8;

/// How an edit is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Edit {
    /// A number in a body, written in place.
    Literal,
    /// A number in a body, written beside and moved over.
    LiteralByRename,
    /// The name of a function.
    Name,
}

pub(crate) fn run_freshness(options: &Options) -> Outcome {
    let env = TestEnv::new();
    let root = env.repo("tree", "");
    let files = options.number("files", 300).max(2 * HELD as u64) as usize;
    let mut modules = tree::make_tree(&root, files)?;
    let (mut world, time) = World::indexed(env, &root)?;
    println!("{files} made files, indexed in {:.2} s", time.as_secs_f64());

    let mut entries = Vec::new();
    for module in modules.iter().take(HELD) {
        for at in 0..FUNCTIONS {
            entries.push(symbol_id(&mut world, &module.function(at))?);
        }
    }
    let slice = world.call(
        "slice_build",
        json!({"entrySymbols": entries, "budget": {"maxCards": 60, "maxEstimatedTokens": 18_000}, "sync": "require"}),
    )?;
    let mut held =
        Held { handle: text_field(&slice, "sliceHandle")?, known: text_field(&slice, "ledgerVersion")? };

    let mut times: BTreeMap<Edit, Times> = BTreeMap::new();
    let mut faults = Vec::new();
    let edits = options.number("edits", 1000) as usize;
    for round in 0..edits {
        let edit = [Edit::Literal, Edit::LiteralByRename, Edit::Name][round % 3];
        // A rename changes the caller too: the last function of a file is called from the next file alone, and that one's
        // import keeps the old name, so only functions in the middle are renamed.
        let at = if edit == Edit::Name { 1 + round % (FUNCTIONS - 2) } else { round % FUNCTIONS };
        let Some(module) = modules.get_mut(round / 3 % HELD) else { continue };
        let expected = make_edit(edit, module, at, &world.root)?;
        let answer = times.entry(edit).or_default().measure(|| held.refresh(&mut world))?;
        if let Err(fault) = check_answer(&answer, &expected) {
            faults.push(format!("edit {round} ({edit:?} of {expected}): {fault}"));
        }
    }
    for (edit, times) in &mut times {
        println!("refresh after {:<16} {}", format!("{edit:?}"), times.summary());
    }

    let outside = options.number("outside", 100) as usize;
    let mut times = Times::default();
    for round in 0..outside {
        let far = files / 2 + round % (files / 2 - HELD).max(1);
        let Some(module) = modules.get_mut(far) else { continue };
        let before = version_number(&held.known)?;
        make_edit(Edit::Literal, module, round % FUNCTIONS, &world.root)?;
        let answer = times.measure(|| held.refresh(&mut world))?;
        if answer["notModified"] != true {
            faults.push(format!("outside {round}: not `notModified`: {}", answer["delta"]));
        } else if version_number(&held.known)? <= before {
            faults.push(format!("outside {round}: the version stayed at {}", held.known));
        }
    }
    println!("refresh after {:<16} {}", "edits outside", times.summary());

    for fault in faults.iter().take(10) {
        println!("WRONG: {fault}");
    }
    println!("{} wrong answers of {}", faults.len(), edits + outside);
    if faults.is_empty() { Ok(()) } else { Err("answers were wrong".into()) }
}

/// A slice as a client holds it.
struct Held {
    handle: String,
    known: String,
}

impl Held {
    fn refresh(&mut self, world: &mut World) -> Outcome<Value> {
        let answer =
            world.call("slice_refresh", json!({"sliceHandle": self.handle, "knownVersion": self.known}))?;
        check_synced(&answer)?;
        self.known = text_field(&answer, "currentVersion")?;
        Ok(answer)
    }
}

/// Makes an edit and gives the name of the function that it changes.
fn make_edit(edit: Edit, module: &mut Module, at: usize, root: &std::path::Path) -> Outcome<String> {
    if edit == Edit::Name {
        if let Some(renames) = module.renames.get_mut(at) {
            *renames += 1;
        }
    } else if let Some(literal) = module.literals.get_mut(at) {
        *literal += 1;
    }
    match edit {
        Edit::LiteralByRename => module.write_by_rename(root)?,
        Edit::Literal | Edit::Name => module.write(root)?,
    }
    Ok(module.function(at))
}

/// The answer holds the change of `expected`, and of nothing but it and its callers.
fn check_answer(answer: &Value, expected: &str) -> Outcome {
    if answer["notModified"] == true {
        return Err("stale: `notModified`".into());
    }
    let changed =
        answer["delta"]["changedSymbols"].as_array().ok_or_else(|| format!("no delta: {answer}"))?;
    let found = changed.iter().any(|change| {
        let name = change["name"].as_str().or_else(|| change["card"]["name"].as_str());
        name == Some(expected) || change.to_string().contains(&format!("\"{expected}\""))
    });
    if !found {
        return Err(format!("the change is missing: {}", answer["delta"]).into());
    }
    if changed.len() > 3 {
        return Err(format!("{} symbols changed: {}", changed.len(), answer["delta"]).into());
    }
    Ok(())
}
