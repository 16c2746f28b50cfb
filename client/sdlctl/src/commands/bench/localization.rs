//! `bench localization`: compares slices from commit messages with the changes of the commits.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::corpus::each_line;
use super::private::Private;
use super::tasks::{Found, Scores, Task, score_ranking};
use crate::cli::BenchLocalizationArgs;
use crate::output::{self, Failure, Outcome, number_at, style_bold, style_dim, text_at};
use crate::session::json_object;

/// How one task came out.
struct Answer {
    task: Task,
    ranked: Vec<Found>,
    scores: Scores,
    tokens: u64,
    /// Recall of the whole list at each budget.
    within: Vec<f64>,
}

pub(super) fn run_bench_localization(
    args: &BenchLocalizationArgs,
    as_json: bool,
) -> Result<Outcome, Failure> {
    let mut by_repo: BTreeMap<String, Vec<Task>> = BTreeMap::new();
    each_line(&args.tasks, |task: Task| {
        if args.repo.is_empty() || args.repo.contains(&task.repo_key) {
            by_repo.entry(task.repo_key.clone()).or_default().push(task);
        }
    })?;
    if by_repo.is_empty() {
        return Err(Failure::Usage(format!("{} has no such tasks", args.tasks.display())));
    }
    for key in by_repo.keys() {
        let tree = args.sources.join(key);
        if !tree.is_dir() {
            let message = format!(
                "no tree at {}: check each repository's snapshot out there first, which is what the tasks' \
                 scripts/prepare.py does; or say where the trees are with --sources",
                tree.display()
            );
            return Err(Failure::Usage(message));
        }
    }
    let daemon = Private::start()?;
    let mut answers = Vec::new();
    for (key, tasks) in by_repo {
        let repo = daemon.index(&args.sources.join(&key))?;
        for task in tasks {
            answers.push(answer_task(&daemon, &repo, task, args)?);
        }
    }
    if let Some(path) = &args.results {
        write_answers(path, &answers).map_err(|error| Failure::io(&path.display().to_string(), &error))?;
    }
    if as_json {
        let rows: Vec<Value> = answer_groups(&answers)
            .iter()
            .map(|(name, group)| group_row(name, group, &args.tokens))
            .collect();
        output::print_json(&json!({ "groups": rows }));
    } else {
        print_groups(&answers, args);
    }
    Ok(Outcome::Good)
}

fn answer_task(
    daemon: &Private,
    repo: &str,
    task: Task,
    args: &BenchLocalizationArgs,
) -> Result<Answer, Failure> {
    let mut within = Vec::new();
    let mut first: Option<(Vec<Found>, u64)> = None;
    for tokens in &args.tokens {
        let budget = json_object([
            ("maxEstimatedTokens", Some(json!(tokens))),
            ("maxCards", args.cards.map(Value::from)),
        ]);
        let request = json!({ "repoId": repo, "taskText": task.query, "budget": budget });
        let (ranked, used) = match daemon.session().tool("slice.build", &request) {
            Ok(answer) => (
                slice_cards(&answer.structured["slice"]),
                number_at(&answer.structured, "/slice/estimatedTokens"),
            ),
            // A message such as "wip" contains no word of the repository. It counts as a task for which nothing was
            // found.
            Err(Failure::Refused { .. }) => (Vec::new(), 0),
            Err(other) => return Err(other),
        };
        within.push(score_ranking(&task, &ranked).all);
        first.get_or_insert((ranked, used));
    }
    let (ranked, tokens) = first.unwrap_or_default();
    Ok(Answer { scores: score_ranking(&task, &ranked), task, ranked, tokens, within })
}

/// The cards of a slice in their order, from its usual compact form.
fn slice_cards(slice: &Value) -> Vec<Found> {
    let path = |card: &Value| match &card["f"] {
        Value::Number(at) => {
            let at = at.as_u64().and_then(|at| usize::try_from(at).ok());
            at.map_or("-", |at| text_at(&slice["paths"][at], "")).to_owned()
        }
        other => text_at(other, "").to_owned(),
    };
    let found = |card: &Value| Found {
        path: path(card),
        name: card["q"].as_str().unwrap_or_else(|| text_at(card, "/n")).to_owned(),
        start_line: u32::try_from(number_at(card, "/r/0")).unwrap_or(0),
    };
    slice["cards"].as_array().into_iter().flatten().map(found).collect()
}

fn write_answers(path: &Path, answers: &[Answer]) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    for answer in answers {
        let line = json!({ "id": answer.task.id, "ranked": answer.ranked, "tokens": answer.tokens });
        writeln!(out, "{line}")?;
    }
    out.flush()
}

type Group<'a> = (String, Vec<&'a Answer>);

/// All, those whose message names a target and those whose does not, and each repository.
fn answer_groups(answers: &[Answer]) -> Vec<Group<'_>> {
    let pick = |name: &str, keep: &dyn Fn(&Answer) -> bool| {
        (name.to_owned(), answers.iter().filter(|answer| keep(answer)).collect::<Vec<_>>())
    };
    let mut found = vec![
        pick("all", &|_| true),
        pick("non-leaky", &|answer| !answer.task.leaky),
        pick("leaky", &|answer| answer.task.leaky),
    ];
    let mut keys: Vec<&str> = answers.iter().map(|answer| answer.task.repo_key.as_str()).collect();
    keys.dedup();
    found.extend(keys.into_iter().map(|key| pick(key, &|answer| answer.task.repo_key == key)));
    found.retain(|(_, group)| !group.is_empty());
    found
}

fn group_mean(group: &[&Answer], of: impl Fn(&Answer) -> f64) -> f64 {
    group.iter().map(|answer| of(answer)).sum::<f64>() / group.len().max(1) as f64
}

/// The figures that are shown of a group, with their names.
fn group_figures(group: &[&Answer], budgets: &[u32]) -> Vec<(String, f64)> {
    let mut figures: Vec<(String, f64)> = vec![
        ("recall@5".into(), group_mean(group, |a| a.scores.at_5)),
        ("recall@10".into(), group_mean(group, |a| a.scores.at_10)),
        ("recall@20".into(), group_mean(group, |a| a.scores.at_20)),
        ("MRR".into(), group_mean(group, |a| a.scores.reciprocal_rank)),
        ("hit@10".into(), group_mean(group, |a| a.scores.hit_at_10)),
        ("files@5".into(), group_mean(group, |a| a.scores.files_at_5)),
    ];
    let mut by_budget: Vec<(u32, f64)> = budgets
        .iter()
        .enumerate()
        .map(|(at, budget)| (*budget, group_mean(group, |a| a.within.get(at).copied().unwrap_or(0.0))))
        .collect();
    by_budget.sort_by_key(|(budget, _)| *budget);
    figures.extend(by_budget.into_iter().map(|(budget, recall)| (format!("<={budget}"), recall)));
    figures
}

fn group_row(name: &str, group: &[&Answer], budgets: &[u32]) -> Value {
    let figures: serde_json::Map<String, Value> =
        group_figures(group, budgets).into_iter().map(|(name, value)| (name, json!(value))).collect();
    json!({
        "group": name,
        "tasks": group.len(),
        "figures": figures,
        "tokens": group_mean(group, |answer| answer.tokens as f64),
        "cards": group_mean(group, |answer| answer.ranked.len() as f64),
    })
}

fn print_groups(answers: &[Answer], args: &BenchLocalizationArgs) {
    let groups = answer_groups(answers);
    for (at, (name, group)) in groups.iter().enumerate() {
        let figures = group_figures(group, &args.tokens);
        if at == 0 {
            let names: Vec<String> = figures.iter().map(|(name, _)| format!("{name:>9}")).collect();
            output::print_line(&style_bold(&format!(
                "{:<14}{:>5} {} {:>7} {:>6}",
                "",
                "tasks",
                names.join(" "),
                "tokens",
                "cards"
            )));
        }
        let values: Vec<String> =
            figures.iter().map(|(_, value)| format!("{:>9.1}", 100.0 * value)).collect();
        output::print_line(&format!(
            "{name:<14}{:>5} {} {:>7.0} {:>6.1}",
            group.len(),
            values.join(" "),
            group_mean(group, |answer| answer.tokens as f64),
            group_mean(group, |answer| answer.ranked.len() as f64),
        ));
    }
    for answer in answers.iter().filter(|answer| answer.scores.at_10 < 1.0).take(args.misses) {
        let first = answer.task.query.lines().next().unwrap_or_default();
        let wanted: Vec<String> =
            answer.task.targets.iter().map(|target| format!("{}:{}", target.path, target.name)).collect();
        output::print_line(&style_dim(&format!("  {} {first:?} -> {}", answer.task.id, wanted.join(", "))));
    }
}
