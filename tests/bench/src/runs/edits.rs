//! Edits of real functions in a copy of a real tree, for example of Python or C, each followed at once by `slice.refresh`; then the same
//! edits in a tree of fifty of its files, to see the effect of a tree's size.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use sdl_tests::TestEnv;
use serde_json::{Value, json};

use super::idle::pass_time;
use crate::figures::Times;
use crate::functions::{Function, find_functions};
use crate::options::Options;
use crate::random::Random;
use crate::world::{World, check_synced, text_field, version_number};
use crate::{Outcome, process, tree};

/// Functions that are held, unless the caller says how many.
const HELD: u64 = 40;
/// Candidates for each function that is edited, because some are too short.
const MOST_TRIES: u64 = 10;
/// Files of the small tree.
const SMALL: usize = 50;
/// What an edit's statement sets.
const MARK: &str = "edit_of_the_bench = ";

/// How a language writes the statement of an edit.
struct Statement {
    /// The ending of its files' names.
    ending: &'static str,
    before: &'static str,
    after: &'static str,
    /// Whether a body is in braces: the statement follows the first line that ends with one. Otherwise it is the last.
    braces: bool,
}

const fn in_braces(ending: &'static str, before: &'static str, after: &'static str) -> Statement {
    Statement { ending, before, after, braces: true }
}

const STATEMENTS: &[Statement] = &[
    Statement { ending: "py", before: "", after: "", braces: false },
    in_braces("c", "int ", ";"),
    in_braces("cpp", "int ", ";"),
    in_braces("cc", "int ", ";"),
    in_braces("java", "int ", ";"),
    in_braces("rs", "let ", ";"),
    in_braces("ts", "const ", ";"),
    in_braces("js", "const ", ";"),
    in_braces("go", "const ", ""),
];

pub(crate) fn run_edits(options: &Options) -> Outcome {
    let path = options.path.clone().ok_or("edits wants a PATH")?;
    let held = usize::try_from(options.number("held", HELD))?.max(1);
    let plan = Plan {
        edits: options.number("edits", 1000),
        outside: options.number("outside", 100),
        pause: Duration::from_secs(options.number("pause", 0)),
    };

    let env = TestEnv::new();
    let root = env.repo("large", "");
    println!("large tree: {} files", tree::copy_tree(&path, &root)?);
    let (mut world, _) = World::indexed(env, &root)?;
    let functions = find_functions(&mut world)?;
    let step = (functions.len() / held).max(1);
    let held: Vec<Function> = functions.iter().step_by(step).take(held).cloned().collect();
    let held_files: BTreeSet<String> = held.iter().map(|function| function.file.clone()).collect();
    let others: Vec<Function> =
        functions.iter().filter(|function| !held_files.contains(&function.file)).cloned().collect();
    let large = measure_edits(&mut world, &held, &others, plan)?;
    drop(world);

    let env = TestEnv::new();
    let root = env.repo("small", "");
    let more = others.iter().map(|function| function.file.clone());
    let files: BTreeSet<String> =
        held_files.iter().cloned().chain(more).take(SMALL).chain(held_files.clone()).collect();
    for file in &files {
        let to = root.join(file);
        fs::create_dir_all(to.parent().unwrap_or(&root))?;
        fs::copy(path.join(file), to)?;
    }
    println!("small tree: {} files", files.len());
    let (mut world, _) = World::indexed(env, &root)?;
    let small = measure_edits(&mut world, &held, &[], Plan { outside: 0, ..plan })?;
    println!(
        "CPU of an edit and its refresh: {large:.2} ms against {small:.2} ms, ratio {:.2}",
        large / small
    );
    Ok(())
}

#[derive(Clone, Copy)]
struct Plan {
    /// Edits of held functions.
    edits: u64,
    /// Edits of others.
    outside: u64,
    /// The pause before each edit of a held function. An agent thinks for a while.
    pause: Duration,
}

/// Makes the edits; gives the daemon's CPU of one inside the slice, in milliseconds.
fn measure_edits(world: &mut World, held: &[Function], others: &[Function], plan: Plan) -> Outcome<f64> {
    let Plan { edits, outside, pause } = plan;
    let entries: Vec<&str> = held.iter().map(|function| function.id.as_str()).collect();
    let budget = json!({"maxCards": held.len(), "maxEstimatedTokens": 18_000});
    let slice = world
        .call("slice_build", json!({"entrySymbols": entries, "budget": budget, "wireFormat": "standard"}))?;
    let cards: BTreeSet<&str> = slice["slice"]["cards"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|card| card["symbolId"].as_str())
        .collect();
    let held: Vec<&Function> = held.iter().filter(|function| cards.contains(function.id.as_str())).collect();
    let handle = text_field(&slice, "sliceHandle")?;
    let mut known = text_field(&slice, "ledgerVersion")?;

    let mut random = Random::new(1);
    let (mut times, mut faults) = (Times::default(), Vec::new());
    let pid = world.daemon.pid();
    let before = process::cpu_seconds(pid).unwrap_or(f64::NAN);
    let mut made = 0_u32;
    let mut has_paused = false;
    for round in 0..MOST_TRIES * edits {
        if u64::from(made) == edits {
            break;
        }
        let Some(function) = held.get(random.below(held.len() as u64) as usize) else { break };
        if !has_paused {
            pass_time(pause);
        }
        has_paused = !edit_function(world, function, round)?;
        if has_paused {
            continue;
        }
        made += 1;
        let answer = times.measure(|| refresh_slice(world, &handle, &mut known))?;
        let changed = answer["delta"]["changedSymbols"].as_array().map(Vec::as_slice).unwrap_or_default();
        if changed.len() != 1 || changed.iter().any(|symbol| symbol["symbolId"] != function.id.as_str()) {
            faults.push(format!("edit {round} of {}: {}", function.id, answer["delta"]));
        }
    }
    let cpu = process::cpu_seconds(pid).unwrap_or(f64::NAN) - before;
    println!("{} functions held, refresh after an edit     {}", held.len(), times.summary());

    let mut times = Times::default();
    for round in 0..MOST_TRIES * outside {
        if times.len() as u64 == outside {
            break;
        }
        let Some(function) = others.get(random.below(others.len() as u64) as usize) else { break };
        let before = version_number(&known)?;
        if !edit_function(world, function, round)? {
            continue;
        }
        let answer = times.measure(|| refresh_slice(world, &handle, &mut known))?;
        // A member's card tells whom it calls and how sure that is: an edit elsewhere can't change either.
        if answer["notModified"] != true || version_number(&known)? <= before {
            faults.push(format!("outside {round} in {}: {answer}", function.file));
        }
    }
    if times.len() > 0 {
        println!("refresh after an edit elsewhere              {}", times.summary());
    }
    faults.iter().take(5).for_each(|fault| println!("WRONG: {fault}"));
    println!("{} wrong answers of {}", faults.len(), made as usize + times.len());
    if faults.is_empty() { Ok(cpu * 1e3 / f64::from(made.max(1))) } else { Err("answers were wrong".into()) }
}

fn refresh_slice(world: &mut World, handle: &str, known: &mut String) -> Outcome<Value> {
    let answer = world.call("slice_refresh", json!({"sliceHandle": handle, "knownVersion": &*known}))?;
    check_synced(&answer)?;
    *known = text_field(&answer, "currentVersion")?;
    Ok(answer)
}

/// Gives a function a statement of its own, or another number in it; false if the function is too short to be sure where
/// its body is.
fn edit_function(world: &mut World, function: &Function, number: u64) -> Outcome<bool> {
    let card = world.call("symbol_getCard", json!({"symbolId": function.id, "detail": "minimal"}))?;
    let line = |field: &str| card["card"]["range"][field].as_u64().map(|line| line as usize);
    let (Some(first), Some(last)) = (line("startLine"), line("endLine")) else {
        return Err(format!("a card without a range: {card}").into());
    };
    if last < first + 2 {
        return Ok(false);
    }
    let path = world.root.join(&function.file);
    // Not every file of C is UTF-8.
    let Ok(source) = fs::read_to_string(&path) else { return Ok(false) };
    let ending = path.extension().and_then(|ending| ending.to_str());
    let Some(statement) = STATEMENTS.iter().find(|one| Some(one.ending) == ending) else { return Ok(false) };
    let mut lines: Vec<String> = source.lines().map(str::to_owned).collect();
    let Some(at) = statement.place(&lines, first, last) else { return Ok(false) };
    let head = lines.get(first - 1).map_or("", String::as_str);
    let indent = " ".repeat(head.len() - head.trim_start().len() + 4);
    let line = format!("{indent}{}{MARK}{number}{}", statement.before, statement.after);
    let known = if statement.braces { at } else { at - 1 };
    match lines.get_mut(known) {
        Some(old) if old.contains(MARK) => *old = line,
        _ => lines.insert(at, line),
    }
    save_file(&path, &(lines.join("\n") + "\n"), number.is_multiple_of(2))?;
    Ok(true)
}

impl Statement {
    /// Before which line, counted from 0, the statement goes in a function from line `first` to line `last`, counted from 1.
    fn place(&self, lines: &[String], first: usize, last: usize) -> Option<usize> {
        if self.braces {
            let body = lines.get(first - 1..last - 1)?;
            // Not a list of parameters that begins with a pattern, and not an example in a comment.
            let opens = |line: &String| {
                let line = line.trim();
                line.ends_with('{') && !line.ends_with("({") && !line.starts_with(['/', '*'])
            };
            return Some(first + body.iter().position(opens)?);
        }
        // A signature alone, such as an overload's, has its body on its last line: nothing can follow it.
        let is_overload = lines.get(last - 1).is_none_or(|line| line.trim_end().ends_with("..."));
        (!is_overload).then_some(last)
    }
}

/// In place, or beside and moved over.
fn save_file(path: &Path, text: &str, in_place: bool) -> Outcome {
    if in_place {
        fs::write(path, text)?;
    } else {
        let next = path.with_extension("new~");
        fs::write(&next, text)?;
        fs::rename(next, path)?;
    }
    Ok(())
}
