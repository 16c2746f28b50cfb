//! `delta.get` over a repository's own commits, given as git revisions: against an oracle that knows no compiler, against
//! the callers that the ledger has when a commit is checked out, and against the same delta between versions.

mod callers;
pub(in crate::runs) mod git;
pub(in crate::runs) mod oracle;

use std::collections::BTreeSet;
use std::path::Path;

use sdl_tests::TestEnv;
use serde_json::{Value, json};

use self::callers::{Callers, Place};
use self::oracle::Changed;
use crate::figures::Times;
use crate::options::Options;
use crate::world::World;
use crate::{Outcome, tree};

/// Commits that are looked at to find enough that change code.
const LOOKED_AT: usize = 20;
/// As large as an answer can be.
const MOST_TOKENS: u64 = 20_000;

pub(crate) fn run_deltas(options: &Options) -> Outcome {
    let path = options.path.clone().ok_or("deltas wants a PATH")?;
    let wanted = usize::try_from(options.number("commits", 50))?;
    let env = TestEnv::new();
    let root = env.repo("tree", "");
    tree::clone_tree(&path, &root)?;
    let mut commits = Vec::new();
    for (commit, parent) in git::newest_commits(&root, wanted.saturating_mul(LOOKED_AT))? {
        let changed = oracle::changed_functions(&root, &parent, &commit)?;
        if changed.files > 0 {
            commits.push(Commit { id: commit, parent, changed });
        }
        if commits.len() == wanted {
            break;
        }
    }
    let (mut world, time) = World::indexed(env, &root)?;
    println!("indexed in {:.2} s; {} commits that change code", time.as_secs_f64(), commits.len());
    let mut totals = Totals::default();
    let mut deltas = Vec::new();
    for (i, commit) in commits.iter().enumerate() {
        let mut time = Times::default();
        let delta = time.measure(|| call_delta(&mut world, &commit.ends()))?;
        print!("{} ", commit.id.get(..10).unwrap_or_default());
        totals.compare(&commit.changed, &delta);
        println!("  {:.0} ms", time.total().as_secs_f64() * 1e3);
        if i == 0 {
            println!("  (the first request about a revision)");
        }
        totals.times.append(time);
        deltas.push(delta);
    }
    if options.number("checkouts", 1) > 0 {
        check_out(&mut world, &root, &commits, &deltas, &mut totals)?;
    }
    totals.print();
    if totals.missing + totals.extra + totals.other + totals.callers_missing > 0 {
        return Err("deltas are wrong; see above".into());
    }
    Ok(())
}

struct Commit {
    id: String,
    parent: String,
    changed: Changed,
}

impl Commit {
    fn ends(&self) -> (String, String) {
        (format!("git:{}", self.parent), format!("git:{}", self.id))
    }
}

fn call_delta(world: &mut World, (from, to): &(String, String)) -> Outcome<Value> {
    let budget = json!({"maxCards": 1_000, "maxEstimatedTokens": MOST_TOKENS});
    world.call("delta_get", json!({"fromVersion": from, "toVersion": to, "budget": budget}))
}

/// Checks each commit out, oldest first: the same delta between the versions, and every caller in its blast radius.
fn check_out(
    world: &mut World,
    root: &Path,
    commits: &[Commit],
    deltas: &[Value],
    totals: &mut Totals,
) -> Outcome {
    let mut known: Option<(String, Callers)> = None;
    for (commit, by_git) in commits.iter().zip(deltas).rev() {
        let before = match known.take() {
            Some((callers_at, callers)) if callers_at == commit.parent => callers,
            _ => callers_at(world, root, &commit.parent)?,
        };
        let after = callers_at(world, root, &commit.id)?;
        let by_version = call_delta(world, &(before.version.clone(), after.version.clone()))?;
        let short = commit.id.get(..10).unwrap_or_default();
        if strip_ends(by_git) != strip_ends(&by_version) {
            totals.other += 1;
            println!(
                "{short} OTHER between versions: {} against {}",
                delta_summary(by_git),
                delta_summary(&by_version)
            );
        }
        totals.callers(short, by_git, &before, &after);
        known = Some((commit.id.clone(), after));
    }
    Ok(())
}

fn callers_at(world: &mut World, root: &Path, commit: &str) -> Outcome<Callers> {
    git::run_git(root, &["checkout", "-q", "--detach", commit])?;
    Callers::now(world)
}

/// A delta without the names of its versions and of its spillover.
fn strip_ends(answer: &Value) -> Value {
    let mut delta = answer["delta"].clone();
    if let Some(fields) = delta.as_object_mut() {
        for name in ["fromVersion", "toVersion", "spilloverHandle", "truncation"] {
            fields.remove(name);
        }
    }
    // The versions' names differ in length, which decides where an answer is cut.
    let cut = answer["delta"]["truncation"]["truncated"] == true;
    if cut { Value::Null } else { json!([delta, answer["amplifiers"]]) }
}

fn delta_summary(answer: &Value) -> String {
    let ids = |list: &str| {
        let ids = delta_items(answer, list).map(|item| format!("{} {}", item["symbolId"], item["name"]));
        ids.collect::<Vec<_>>().join(", ")
    };
    format!("changed [{}], affected [{}]", ids("changedSymbols"), ids("blastRadius"))
}

fn delta_items<'a>(answer: &'a Value, list: &str) -> impl Iterator<Item = &'a Value> {
    answer["delta"][list].as_array().into_iter().flatten()
}

#[derive(Default)]
struct Totals {
    functions: usize,
    found: usize,
    missing: usize,
    extra: usize,
    /// Functions under another id, as their owner is; unedited.
    carried: usize,
    cut: usize,
    other: usize,
    callers: usize,
    callers_missing: usize,
    times: Times,
}

impl Totals {
    /// Compares a delta with the oracle.
    fn compare(&mut self, oracle: &Changed, answer: &Value) {
        let dropped = answer["delta"]["truncation"]["droppedCards"].as_u64().unwrap_or(0);
        let found: Vec<Item<'_>> = delta_items(answer, "changedSymbols").filter_map(Item::of).collect();
        let told = found.iter().filter(|item| item.is_function()).count();
        let mut missing = Vec::new();
        for (file, functions) in &oracle.new {
            for function in functions.iter().filter(|function| !function.trivial) {
                if !found.iter().any(|item| item.is(file, function)) {
                    missing.push(format!("{file}:{} {}", function.start, function.chain.join(".")));
                }
            }
        }
        for (file, functions) in &oracle.old {
            let now = oracle.new.get(file).map_or(&[][..], Vec::as_slice);
            let went =
                |old: &&oracle::Function| !old.trivial && !now.iter().any(|new| new.chain == old.chain);
            for function in functions.iter().filter(went) {
                if !found.iter().any(|item| item.was(file, function)) {
                    missing.push(format!("{file} {} (went)", function.chain.join(".")));
                }
            }
        }
        let mut extra = Vec::new();
        for item in found.iter().filter(|item| item.is_function()) {
            let any =
                |side: &std::collections::BTreeMap<String, Vec<oracle::Function>>, file: &str, now: bool| {
                    let test = |function: &oracle::Function| {
                        if now { item.is(file, function) } else { item.was(file, function) }
                    };
                    side.get(file).is_some_and(|functions| functions.iter().any(test))
                };
            if any(&oracle.new, item.file, true) || any(&oracle.old, item.old_file, false) {
                continue;
            }
            if item.carried {
                self.carried += 1;
            } else {
                extra.push(format!(
                    "{}:{} {} {} {}",
                    item.file, item.lines.0, item.kind, item.change, item.name
                ));
            }
        }
        let count = oracle.count();
        print!("{count:>4} functions, {:>3} found, {} missing, {} extra", told, missing.len(), extra.len());
        if dropped > 0 {
            // Missing entries can't be counted in a delta that was cut.
            print!(", {dropped} entries cut");
            self.cut += 1;
            missing.clear();
        }
        for line in missing
            .iter()
            .map(|line| format!("missing {line}"))
            .chain(extra.iter().map(|line| format!("extra {line}")))
        {
            print!("\n    {line}");
        }
        self.functions += count;
        self.found += told;
        self.missing += missing.len();
        self.extra += extra.len();
    }

    /// Every direct caller of a changed symbol, in either state, is changed itself or affected.
    fn callers(&mut self, short: &str, answer: &Value, before: &Callers, after: &Callers) {
        if answer["delta"]["truncation"]["truncated"] == true {
            return;
        }
        let place = |item: &Value, file: &str, name: &str| -> Place {
            let file = item[file].as_str().or(item["file"].as_str()).unwrap_or_default().to_owned();
            let name = item[name].as_str().or(item["name"].as_str()).unwrap_or_default().to_owned();
            (file, name)
        };
        let told: BTreeSet<Place> = delta_items(answer, "changedSymbols")
            .chain(delta_items(answer, "blastRadius"))
            .map(|item| place(item, "file", "name"))
            .collect();
        let told_files: BTreeSet<&str> = told.iter().map(|(file, _)| file.as_str()).collect();
        for item in delta_items(answer, "changedSymbols") {
            let range = &item["range"];
            let lines = range["startLine"].as_u64().zip(range["endLine"].as_u64());
            let now = after.of(&place(item, "file", "name"), lines);
            let then_place = place(item, "previousFile", "previousName");
            let gone = matches!(item["changeType"].as_str(), Some("removed" | "renamed" | "moved"));
            let then = before.of(&then_place, None).filter(|caller| gone && after.knows(caller));
            for caller in now.chain(then) {
                self.callers += 1;
                // A file's own code goes by its file.
                let there = if caller.1.is_empty() {
                    told_files.contains(caller.0.as_str())
                } else {
                    told.contains(caller)
                };
                if !there {
                    self.callers_missing += 1;
                    println!("{short} caller of {} not affected: {} {}", item["name"], caller.0, caller.1);
                }
            }
        }
    }

    fn print(&mut self) {
        println!(
            "{} functions by the oracle; {} told; missing {}, extra {}; {} unedited, under another id as their owner; {} answers cut",
            self.functions, self.found, self.missing, self.extra, self.carried, self.cut
        );
        println!(
            "{} direct callers, {} not in the blast radius; {} deltas other between versions",
            self.callers, self.callers_missing, self.other
        );
        println!("delta.get {}", self.times.summary());
    }
}

/// A changed symbol of a delta.
struct Item<'a> {
    name: &'a str,
    old_name: &'a str,
    file: &'a str,
    old_file: &'a str,
    kind: &'a str,
    change: &'a str,
    lines: (u32, u32),
    /// Unedited, under another id.
    carried: bool,
}

impl<'a> Item<'a> {
    fn of(item: &'a Value) -> Option<Self> {
        let text = |name: &str| item[name].as_str();
        let (name, file, kind) = (text("name")?, text("file")?, text("kind")?);
        let line =
            |end: &str| item["range"][end].as_u64().and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
        Some(Self {
            name,
            old_name: text("previousName").unwrap_or(name),
            file,
            old_file: text("previousFile").unwrap_or(file),
            kind,
            change: text("changeType")?,
            lines: (line("startLine"), line("endLine")),
            carried: text("renamedFrom").is_some()
                && item["bodyChanged"] == false
                && item["signatureDiff"].is_null(),
        })
    }

    fn is_function(&self) -> bool {
        matches!(self.kind, "function" | "method" | "constructor" | "property")
    }

    /// Whether it is that function of the newer state.
    fn is(&self, file: &str, function: &oracle::Function) -> bool {
        self.file == file
            && last_part(self.name) == bare_name(function.name())
            && self.lines.0 <= function.end
            && function.start <= self.lines.1
    }

    /// Whether it was that function of the older state.
    fn was(&self, file: &str, function: &oracle::Function) -> bool {
        self.old_file == file && last_part(self.old_name) == bare_name(function.name())
    }
}

fn last_part(name: &str) -> &str {
    bare_name(name.rsplit(['.', ':']).next().unwrap_or(name))
}

/// A name without the marks that some languages write around it.
fn bare_name(name: &str) -> &str {
    name.trim_start_matches("r#").trim_matches(['"', '\'', '#', '[', ']'])
}
