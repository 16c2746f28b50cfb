//! Whether contexts learn: the share of the useful sources that are in 2,000 tokens, before the first judgement and after many rounds of
//! them, for the judged tasks and for the same tasks in other words.

mod sources;

use std::collections::HashSet;

use sdl_tests::TestEnv;
use serde_json::{Value, json};

use self::sources::{Task, count_useful, make_tasks};
use crate::options::Options;
use crate::random::Random;
use crate::texts::{MOST_WORDS, Vocabulary};
use crate::world::World;
use crate::{Outcome, modules, tree};

/// Tokens of a context.
const BUDGET: u64 = 2_000;
/// By how much the share should grow at least.
const FLOOR: f64 = 0.25;
const FILES: usize = 50;

/// Misleading sources of each task.
const MISLEADING: [usize; 3] = [3, 6, 12];

pub(crate) fn run_feedback(options: &Options) -> Outcome {
    println!(
        "| lanes | misleading | tasks | useful | shown first | at the end | change | floor | alone | fell out |"
    );
    println!("|---|---:|---|---:|---:|---:|---:|---|---:|---:|");
    for lanes in [&["code", "memory", "lesson", "kg"][..], &["memory", "lesson", "kg"]] {
        for misleading in MISLEADING {
            run_one(options, lanes, misleading)?;
        }
    }
    Ok(())
}

/// Measures one store of sources.
fn run_one(options: &Options, lanes: &[&str], misleading: usize) -> Outcome {
    let mut world = start_world()?;
    let mut random = Random::new(options.number("seed", 1));
    let count = (options.number("tasks", 40) as usize, options.number("sources", 1_000) as usize, misleading);
    let is_shuffled = options.number("shuffled", 1) > 0;
    let tasks = make_tasks(&mut world, &mut random, &Vocabulary::new(MOST_WORDS), count, is_shuffled)?;
    let first = assemble_both(&mut world, &tasks, (lanes, true))?;
    for round in 1..=options.number("rounds", 20) {
        judge_round(&mut world, &tasks, lanes)?;
        if [1, 2, 3, 5, 10].contains(&round) {
            let [judged, other] = assemble_both(&mut world, &tasks, (lanes, true))?;
            eprintln!(
                "round {round}: {} judged, {} paraphrases",
                judged.useful(&tasks),
                other.useful(&tasks)
            );
        }
    }
    let last = assemble_both(&mut world, &tasks, (lanes, true))?;
    let all = count_useful(&tasks);
    for (what, first, last) in [("judged", &first[0], &last[0]), ("paraphrases", &first[1], &last[1])] {
        let (before, after) = (first.useful(&tasks), last.useful(&tasks));
        let grown = after as f64 / before.max(1) as f64 - 1.0;
        let verdict = if grown >= FLOOR { "met" } else { "missed" };
        let (alone, fell) = first.compare_alone(last, &tasks);
        let share = |count: usize| format!("{:.1} %", count as f64 / all.max(1) as f64 * 100.0);
        println!(
            "| {} | {misleading} | {what} | {all} | {} | {} | {:+.0} % | {verdict} | {alone} | {} |",
            lanes.join(", "),
            share(before),
            share(after),
            grown * 100.0,
            fell.len()
        );
        for task in fell {
            let text = if what == "judged" { &task.text } else { &task.paraphrase };
            explain_fall(&mut world, text, lanes, task.useful.first().map_or("", String::as_str))?;
        }
        let (gone, come) = first.compare_all(last, &tasks);
        eprintln!("{what}: {before} useful ones at first, {gone} of them fell out, {come} came");
    }
    let same = is_as_first(&mut world, &tasks, lanes, &first)?;
    println!("with useFeedback false exactly the first sources are shown: {same}");
    Ok(())
}

/// A daemon with the modules on, and a small tree.
fn start_world() -> Outcome<World> {
    let env = TestEnv::new();
    modules::turn_on(&env, &["memory", "kg"])?;
    let root = env.repo("tree", "");
    tree::make_tree(&root, FILES)?;
    Ok(World::indexed(env, &root)?.0)
}

/// The sources that each task was shown.
struct Shown(Vec<HashSet<String>>);

impl Shown {
    /// How many useful sources were shown.
    fn useful(&self, tasks: &[Task]) -> usize {
        let shown = |(task, shown): (&Task, &HashSet<String>)| {
            task.useful.iter().filter(|id| shown.contains(*id)).count()
        };
        tasks.iter().zip(&self.0).map(shown).sum()
    }

    /// How often a source was shown first that is the only one which helps, and the tasks for which it was no more then.
    fn compare_alone<'t>(&self, later: &Self, tasks: &'t [Task]) -> (usize, Vec<&'t Task>) {
        let (mut alone, mut fell) = (0, Vec::new());
        for (task, (first, last)) in tasks.iter().zip(self.0.iter().zip(&later.0)) {
            if let [only] = task.useful.as_slice()
                && first.contains(only)
            {
                alone += 1;
                fell.extend((!last.contains(only)).then_some(task));
            }
        }
        (alone, fell)
    }

    /// How many useful sources are no longer shown, and how many are newly shown.
    fn compare_all(&self, later: &Self, tasks: &[Task]) -> (usize, usize) {
        let (mut gone, mut come) = (0, 0);
        for (task, (first, last)) in tasks.iter().zip(self.0.iter().zip(&later.0)) {
            gone += task.useful.iter().filter(|id| first.contains(*id) && !last.contains(*id)).count();
            come += task.useful.iter().filter(|id| !first.contains(*id) && last.contains(*id)).count();
        }
        (gone, come)
    }
}

/// The lanes of a context, and whether feedback counts in it.
type Ask<'a> = (&'a [&'a str], bool);

fn assemble_one(world: &mut World, text: &str, (lanes, use_feedback): Ask<'_>) -> Outcome<Value> {
    let budget = json!({"maxTokens": BUDGET});
    let request = json!({"taskText": text, "budget": budget, "lanes": lanes, "useFeedback": use_feedback});
    world.call("context_assemble", request)
}

fn source_ids(context: &Value) -> impl Iterator<Item = &str> {
    context["sourceIds"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn assemble_all(
    world: &mut World,
    tasks: &[Task],
    ask: Ask<'_>,
    text: impl Fn(&Task) -> &String,
) -> Outcome<Shown> {
    let mut shown = Vec::new();
    for task in tasks {
        let context = assemble_one(world, text(task), ask)?;
        shown.push(source_ids(&context).map(str::to_owned).collect());
    }
    Ok(Shown(shown))
}

/// The sources of the judged tasks, and those of their paraphrases.
fn assemble_both(world: &mut World, tasks: &[Task], ask: Ask<'_>) -> Outcome<[Shown; 2]> {
    Ok([
        assemble_all(world, tasks, ask, |task| &task.text)?,
        assemble_all(world, tasks, ask, |task| &task.paraphrase)?,
    ])
}

/// A context for each task, and after each one a judgement. It names the shown sources that help, and the function that the task names.
fn judge_round(world: &mut World, tasks: &[Task], lanes: &[&str]) -> Outcome {
    for task in tasks {
        let context = assemble_one(world, &task.text, (lanes, true))?;
        let helps = |id: &&str| *id == task.function || task.useful.iter().any(|useful| useful == id);
        let used: Vec<&str> = source_ids(&context).filter(helps).collect();
        let judgement = json!({"assemblyId": context["assemblyId"], "usedSourceIds": used});
        world.call("context_feedback", judgement)?;
    }
    Ok(())
}

/// Says where a source is that fell out: its place in its lane, and what feedback did to it.
fn explain_fall(world: &mut World, text: &str, lanes: &[&str], id: &str) -> Outcome {
    let request = json!({"taskText": text, "budget": {"maxTokens": 20_000}, "lanes": lanes});
    let context = world.call("context_assemble", request)?;
    for section in context["sections"].as_array().into_iter().flatten() {
        let items = section["items"].as_array().map(Vec::as_slice).unwrap_or_default();
        if let Some(place) = items.iter().position(|item| item["sourceId"] == id) {
            let item = &items[place];
            eprintln!(
                "fell out: {id}, place {place} of {} in {}, score {}, {}; shares {}",
                items.len(),
                section["lane"],
                item["score"],
                item["why"],
                context["shares"]
            );
        }
    }
    Ok(())
}

/// Whether the first sources are shown again when feedback is turned off.
fn is_as_first(world: &mut World, tasks: &[Task], lanes: &[&str], first: &[Shown; 2]) -> Outcome<bool> {
    let shown = assemble_both(world, tasks, (lanes, false))?;
    Ok(shown.iter().zip(first).all(|(now, first)| now.0 == first.0))
}
