//! The cost of answers in tokens (o200k_base): the lists of tools, each action beside the files that its answer
//! replaces, and slices in each wire format. Prints Markdown.

mod sample;
mod wires;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use sdl_tests::TestEnv;
use serde_json::{Value, json};

use self::sample::Sample;
use crate::options::Options;
use crate::world::World;
use crate::{Outcome, tree};

pub(crate) fn run_tokens(options: &Options) -> Outcome {
    let path = options.path.clone().ok_or("tokens wants a PATH")?;
    let calls = usize::try_from(options.number("calls", 20))?;
    let env = TestEnv::new();
    let root = env.repo("tree", "");
    tree::clone_tree(&path, &root)?;
    print_lists(&env, &root)?;
    let (mut world, _) = World::indexed(env, &root)?;
    let status = world.call("repo_status", json!({}))?;
    println!("\n{} files, {} symbols, {} edges\n", status["files"], status["symbols"], status["edges"]);
    let sample = Sample::take(&mut world, calls)?;
    measure_actions(&mut world, &sample)?;
    wires::compare_formats(&mut world, &sample)
}

/// The list of tools as each surface gives it.
fn print_lists(env: &TestEnv, root: &Path) -> Outcome {
    let _daemon = env.daemon();
    println!("| surface | tools | tokens of the list |\n|---|---:|---:|");
    for surface in ["search", "gateway", "flat"] {
        let tools = env.mcp(root, &["--surface", surface]).list_tools()?;
        println!("| `{surface}` | {} | {} |", tools.len(), value_tokens(&Value::Array(tools.clone())));
    }
    Ok(())
}

/// Tokens of a value as it goes over the wire.
pub(crate) fn value_tokens(value: &Value) -> usize {
    sdl_tokens::count_tokens(&value.to_string())
}

/// Calls every action that reads on the sample, and prints the tokens of the answers beside those of the files.
fn measure_actions(world: &mut World, sample: &Sample) -> Outcome {
    let mut files = Files { root: world.root.clone(), known: BTreeMap::new() };
    println!("| action | calls | median answer | median files | all answers | all files | files : answers |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for (action, requests) in sample.requests() {
        let (mut answers, mut read) = (Vec::new(), Vec::new());
        for request in requests {
            let answer = world.call(action.call, request)?;
            answers.push(value_tokens(&answer));
            let stands_for = sample::files_read(world, action.call, &answer)?;
            read.push(files.tokens(&stands_for));
        }
        print_row(action.shown, &mut answers, &mut read);
    }
    Ok(())
}

fn print_row(shown: &str, answers: &mut [usize], read: &mut [usize]) {
    let sum = |numbers: &[usize]| numbers.iter().sum::<usize>();
    let median = |numbers: &mut [usize]| {
        numbers.sort_unstable();
        numbers.get(numbers.len() / 2).copied().unwrap_or_default()
    };
    let (all, all_read) = (sum(answers), sum(read));
    let ratio =
        if all_read == 0 { "–".to_owned() } else { format!("{:.1}", all_read as f64 / all.max(1) as f64) };
    println!(
        "| {shown} | {} | {} | {} | {all} | {all_read} | {ratio} |",
        answers.len(),
        median(answers),
        median(read)
    );
}

/// Tokens of the tree's files, counted once each.
struct Files {
    root: PathBuf,
    known: BTreeMap<String, usize>,
}

impl Files {
    fn tokens(&mut self, paths: &BTreeSet<String>) -> usize {
        let mut sum = 0;
        for path in paths {
            let root = &self.root;
            sum += *self.known.entry(path.clone()).or_insert_with(|| {
                let bytes = fs::read(root.join(path)).unwrap_or_default();
                sdl_tokens::count_tokens(&String::from_utf8_lossy(&bytes))
            });
        }
        sum
    }
}
