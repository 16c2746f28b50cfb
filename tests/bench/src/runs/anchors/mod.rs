//! Memories and facts linked to symbols of a real repository, through its commits: the states that the daemon shows, and what it says that
//! each commit made stale, against an oracle that knows git and tree-sitter only.

mod asks;
mod definitions;
mod oracle;
mod totals;

use std::collections::HashMap;
use std::time::Instant;

use sdl_tests::TestEnv;
use serde_json::json;

use self::asks::{Rows, Said, ask_fact, ask_memories, ask_staled};
use self::oracle::{NewDefinitions, State, Traced, Tree, step_symbols};
use self::totals::{Commit, Totals};
use super::deltas::git::{git_text, run_git};
use crate::modules::{self, Symbol};
use crate::options::Options;
use crate::random::Random;
use crate::world::{World, text_field, version_number};
use crate::{Outcome, tree};

pub(crate) fn run_anchors(options: &Options) -> Outcome {
    let path = options.path.clone().ok_or("anchors wants a PATH")?;
    let wanted = options.number("commits", 200);
    let env = TestEnv::new();
    modules::turn_on(&env, &["memory", "kg"])?;
    let root = env.repo("tree", "");
    tree::clone_tree(&path, &root)?;
    let log = git_text(&root, &["rev-list", "--first-parent", "-n", &(wanted + 1).to_string(), "HEAD"])?;
    let commits: Vec<&str> = log.lines().rev().collect();
    let (first, rest) = commits.split_first().ok_or("no commits")?;
    run_git(&root, &["checkout", "-q", "--detach", first])?;
    let (mut world, _) = World::indexed(env, &root)?;

    let mut definitions = Tree::of(&root, first)?;
    let wanted = options.number("symbols", 200) as usize;
    let (symbols, mut traced) = pick_symbols(&world, &definitions, options.number("seed", 1), wanted)?;
    println!("{} commits, {} symbols", rest.len(), symbols.len());
    let rows = Rows::store(&mut world, &symbols)?;
    let mut totals = Totals::new(patient_head(&mut world)?);
    let mut before = *first;
    for (number, commit) in rest.iter().enumerate() {
        let brought = step_symbols(&mut definitions, &mut traced, &root, (before, commit, number))?;
        before = commit;
        run_git(&root, &["checkout", "-q", "--detach", commit])?;
        let head = patient_head(&mut world)?;
        let ends = totals.step_to(head);
        if ends.0 == ends.1 && !traced.iter().any(|symbol| symbol.flipped || symbol.moved) {
            continue;
        }
        let began = Instant::now();
        let staled = ask_staled(&mut world, ends)?;
        totals.delta_times.push(began.elapsed());
        let memories = ask_memories(&mut world, false)?;
        let stale = ask_memories(&mut world, true)?;
        take_claims(&brought, &definitions, &mut traced, (&rows, &memories), &mut totals);
        let at = Commit { id: commit, number, all: rest };
        totals.compare_staled(&at, &rows, &traced, &staled);
        totals.compare_listed(&at, &rows, &memories, &stale);
        for (nth, symbol) in symbols.iter().enumerate() {
            let (Some(traced), Some(memory), Some(fact)) =
                (traced.get(nth), rows.memories.get(nth), rows.facts.get(nth))
            else {
                continue;
            };
            totals.compare_state(&at, "memory", (symbol, traced), memories.get(memory));
            let said = ask_fact(&mut world, symbol, fact)?;
            totals.compare_state(&at, "fact", (symbol, traced), said.as_ref());
        }
    }
    totals.print(&traced);
    if totals.is_wrong() { Err("states differ; see above".into()) } else { Ok(()) }
}

/// Follows symbols that were renamed and edited at once. Texts alone have no answer there, so that the daemon's is taken if the new
/// definition is like the old one.
fn take_claims(
    brought: &NewDefinitions,
    definitions: &Tree,
    traced: &mut [Traced],
    (rows, memories): (&Rows, &HashMap<String, Said>),
    totals: &mut Totals,
) {
    for (symbol, id) in
        traced.iter_mut().zip(&rows.memories).filter(|(symbol, _)| symbol.state == State::Gone)
    {
        let Some(said) = memories.get(id) else { continue };
        let name = said.name.rsplit(['.', ':']).next().unwrap_or_default();
        totals.edited += usize::from(brought.follow_claim(definitions, symbol, (&said.file, name)));
    }
}

/// Random symbols whose definitions the oracle knows and sees in the same lines. It knows no titles of tests and no functions without a
/// name, and an overloaded function is several definitions to it.
fn pick_symbols(
    world: &World,
    definitions: &Tree,
    seed: u64,
    wanted: usize,
) -> Outcome<(Vec<Symbol>, Vec<Traced>)> {
    let (mut symbols, mut traced) = (Vec::new(), Vec::new());
    let (mut unknown, mut otherwise) = (0, 0);
    for symbol in modules::random_symbols(world, &mut Random::new(seed), usize::MAX)? {
        match definitions.at_lines(&symbol.file, symbol.name(), symbol.lines) {
            None => unknown += 1,
            Some(definition) if definition.lines != symbol.lines => otherwise += 1,
            Some(definition) => {
                traced.push(Traced::new(definitions, definition));
                symbols.push(symbol);
            }
        }
        if symbols.len() == wanted {
            break;
        }
    }
    println!("passed over: {unknown} that are no definition to the oracle, {otherwise} with other lines");
    Ok((symbols, traced))
}

/// The version with all of the tree as it is. A checkout of many files takes a while.
fn patient_head(world: &mut World) -> Outcome<u64> {
    let status = world.call("repo_status", json!({"sync": "require", "syncTimeoutMs": 60_000}))?;
    version_number(&text_field(&status, "ledgerVersion")?)
}
