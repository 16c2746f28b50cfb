//! `risk`: for people, and for a pipeline that stops a risky change.

mod markdown;
mod sarif;

use serde_json::{Value, json};

use crate::cli::{RiskArgs, RiskFormat};
use crate::output::{self, Failure, Outcome, number_at};
use crate::session::Session;

pub(crate) fn run_risk(args: &RiskArgs, as_json: bool) -> Result<Outcome, Failure> {
    let session = Session::open()?;
    let repo = session.repo(args.repo.repo.as_deref())?;
    let arguments =
        json!({ "repoId": repo, "fromVersion": args.from, "toVersion": args.to, "sync": "require" });
    let answer = session.tool("pr.risk.analyze", &arguments)?;
    let format = if as_json { RiskFormat::Json } else { args.format };
    match format {
        RiskFormat::Text => output::print_block(&answer.text),
        RiskFormat::Json => output::print_json(&answer.structured),
        RiskFormat::Markdown => output::print_block(markdown::markdown_report(&answer.structured).trim_end()),
        RiskFormat::Sarif => output::print_json(&sarif::sarif_report(&answer.structured)),
    }
    Ok(risk_outcome(&answer.structured, args.threshold))
}

/// Bad from the threshold on.
fn risk_outcome(answer: &Value, threshold: Option<u8>) -> Outcome {
    let score = number_at(answer, "/analysis/riskScore");
    match threshold {
        Some(threshold) if score >= u64::from(threshold) => Outcome::Bad,
        _ => Outcome::Good,
    }
}

/// An answer as the daemon gives it.
#[cfg(test)]
fn sample_answer() -> Value {
    json!({
        "analysis": {
            "fromVersion": "git:aaaa", "toVersion": "v7", "riskScore": 41, "riskLevel": "medium",
            "parts": [{"name": "interface", "weight": 25, "value": 0.4, "points": 10.0, "why": "1 interfaces changed or gone"}],
            "findings": [
                {"type": "signatureChange", "severity": "medium", "score": 46, "message": "what `a|b` shows changed",
                 "affectedSymbols": [{"symbolId": "s_1", "name": "a", "file": "src/a b.rs", "line": 3}]},
                {"type": "wideBlastRadius", "severity": "critical", "score": 80, "message": "500 symbols", "affectedSymbols": []}
            ],
            "impactedSymbols": [{"symbolId": "s_2", "name": "caller", "file": "src/c.rs", "reason": "calls a", "distance": 1}],
            "evidence": [],
            "recommendedTests": [{"type": "run", "priority": "high", "description": "tests/a.rs: test_a", "targetSymbols": []}],
            "changedSymbolsCount": 1, "blastRadiusCount": 1
        },
        "escalationRequired": false,
        "policyDecision": {"decision": "review", "deniedReasons": [], "auditHash": "00"}
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_decides_how_it_ends() {
        for (threshold, ends) in [
            (None, Outcome::Good),
            (Some(42), Outcome::Good),
            (Some(41), Outcome::Bad),
            (Some(0), Outcome::Bad),
        ] {
            assert_eq!(risk_outcome(&sample_answer(), threshold), ends, "{threshold:?}");
        }
    }
}
