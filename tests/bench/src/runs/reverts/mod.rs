//! Whether risk predicts later trouble: the scores of commits that a later commit reverted or blamed for a fault,
//! beside commits of the same repository and about the same size that no later commit blames.

mod sample;

use std::path::Path;

use sdl_tests::TestEnv;
use serde_json::{Value, json};

use self::sample::{Commit, Pair};
use crate::figures::median;
use crate::options::Options;
use crate::world::World;
use crate::{Outcome, tree};

/// How often one analysis is asked for.
const MOST_TRIES: usize = 100;

pub(crate) fn run_reverts(options: &Options) -> Outcome {
    if options.paths.is_empty() {
        return Err("reverts wants a PATH, or several".into());
    }
    let wanted = usize::try_from(options.number("commits", 20))?;
    let mut all: Vec<Scores> = Vec::new();
    for path in &options.paths {
        let scores = of_repository(path, wanted)?;
        println!("{}: {}", path.display(), score_summary(&scores));
        all.extend(scores);
    }
    println!("all: {}", score_summary(&all));
    Ok(())
}

/// The score of a commit that went wrong, and of the one beside it.
struct Scores {
    bad: f64,
    other: f64,
}

fn of_repository(path: &Path, wanted: usize) -> Outcome<Vec<Scores>> {
    let env = TestEnv::new();
    let root = env.repo("tree", "");
    tree::clone_tree(path, &root)?;
    let pairs = sample::sample_pairs(&root, wanted)?;
    let (mut world, time) = World::indexed(env, &root)?;
    println!("{}: indexed in {:.0} s, {} pairs", path.display(), time.as_secs_f64(), pairs.len());
    let mut scores = Vec::with_capacity(pairs.len());
    for Pair { bad, by, other } in &pairs {
        let (bad_risk, other_risk) = (commit_risk(&mut world, bad)?, commit_risk(&mut world, other)?);
        println!(
            "  {} {:>3} {:<8} of {:>4} lines, by {}; beside it {} {:>3} {:<8} of {:>4} lines",
            short_commit(&bad.id),
            bad_risk.0,
            bad_risk.1,
            bad.lines,
            short_commit(by),
            short_commit(&other.id),
            other_risk.0,
            other_risk.1,
            other.lines
        );
        scores.push(Scores { bad: bad_risk.0, other: other_risk.0 });
    }
    Ok(scores)
}

/// A commit's score and level.
fn commit_risk(world: &mut World, commit: &Commit) -> Outcome<(f64, String)> {
    let ends =
        json!({"fromVersion": format!("git:{}", commit.parent), "toVersion": format!("git:{}", commit.id)});
    let answer = ask_patiently(world, &ends)?;
    let analysis = &answer["analysis"];
    let score = analysis["riskScore"].as_f64().ok_or("an analysis without a score")?;
    Ok((score, analysis["riskLevel"].as_str().unwrap_or_default().to_owned()))
}

/// Asks until there is an answer. A request far from the tree runs out of time, and goes on from there when it is sent again.
fn ask_patiently(world: &mut World, ends: &Value) -> Outcome<Value> {
    for _ in 0..MOST_TRIES {
        match world.call("pr_risk_analyze", ends.clone()) {
            Err(error) if error.to_string().contains("deadlineExceeded") => {}
            answer => return answer,
        }
    }
    world.call("pr_risk_analyze", ends.clone())
}

fn short_commit(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

fn score_summary(scores: &[Scores]) -> String {
    let side = |of: fn(&Scores) -> f64| scores.iter().map(of).collect::<Vec<f64>>();
    let (mut bad, mut other) = (side(|one| one.bad), side(|one| one.other));
    let higher = scores.iter().filter(|one| one.bad > one.other).count();
    let lower = scores.iter().filter(|one| one.bad < one.other).count();
    format!(
        "{} pairs; median {:.0} of those reverted or fixed, {:.0} of the others; AUC {:.3}; higher in {higher} pairs, lower in {lower}",
        scores.len(),
        median(&mut bad),
        median(&mut other),
        auc(&bad, &other)
    )
}

/// How often one of `high` is above one of `low`; half for each tie. 0.5 is chance.
fn auc(high: &[f64], low: &[f64]) -> f64 {
    let above: f64 = high
        .iter()
        .flat_map(|one| low.iter().map(move |other| one.total_cmp(other)))
        .map(|order| match order {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        })
        .sum();
    above / (high.len() * low.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::auc;

    #[test]
    fn an_area_of_a_half_is_chance() {
        assert!((auc(&[1.0, 2.0], &[1.0, 2.0]) - 0.5).abs() < 1e-9);
        assert!((auc(&[3.0, 2.0], &[1.0, 1.0]) - 1.0).abs() < 1e-9);
        assert!((auc(&[1.0], &[2.0, 1.0]) - 0.25).abs() < 1e-9);
    }
}
