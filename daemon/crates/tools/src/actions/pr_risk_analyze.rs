//! `pr.risk.analyze`: how risky the change between two versions is, and why.

use schemars::JsonSchema;
use sdl_model::ContentHash;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::action::{Action, ActionDef, Namespace, ReadAction, ReadCx, Render};
use crate::answers::line;
use crate::delta::{self, Compared, End};
use crate::risk::{self, ESCALATE, Evidence, Finding, Part, RecommendedTest};
use crate::{ToolError, budget};

/// See [`ActionDef`].
pub(crate) struct PrRiskAnalyze;

/// Entries of a list, where there is room.
const MOST: usize = 40;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// The state before: `v…`, `latest`, `previous`, or `git:` and a revision.
    #[schemars(length(min = 1, max = 300))]
    from_version: String,
    /// The state after.
    #[schemars(length(min = 1, max = 300))]
    to_version: String,
    /// Only findings with at least this score. 0 by default.
    #[schemars(range(min = 0, max = 100))]
    risk_threshold: Option<u32>,
}

/// A symbol outside the change that it may affect.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Impacted {
    symbol_id: String,
    name: String,
    file: String,
    /// Why.
    reason: String,
    /// How many edges away.
    distance: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Analysis {
    from_version: String,
    to_version: String,
    /// From 0 to 100: the sum of the parts' points.
    risk_score: u32,
    /// `low`, `medium`, `high` or `critical`.
    risk_level: &'static str,
    /// What the score is made of.
    parts: Vec<Part>,
    /// What is risky, the worst first.
    findings: Vec<Finding>,
    /// Whom the change may affect, most important first.
    impacted_symbols: Vec<Impacted>,
    /// How the findings are known.
    evidence: Vec<Evidence>,
    /// Tests to run or to write.
    recommended_tests: Vec<RecommendedTest>,
    /// All of them.
    changed_symbols_count: usize,
    /// All of them.
    blast_radius_count: usize,
}

/// What follows from the score.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PolicyDecision {
    /// `approve`, `review` or `escalate`.
    decision: &'static str,
    /// With `escalate`: why.
    denied_reasons: Vec<String>,
    /// A hash of all that was decided on: the same for the same change.
    audit_hash: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// What was found.
    analysis: Analysis,
    /// Whether somebody who knows the code has to look at it.
    escalation_required: bool,
    /// What follows.
    policy_decision: PolicyDecision,
}

impl Action for PrRiskAnalyze {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "pr.risk.analyze",
        namespace: Namespace::Query,
        mutating: false,
        description: "Call this when you review a change: a risk score with its parts, findings, and tests to run",
        needs: "fromVersion,toVersion",
        examples: &[
            r#"{"repoId":"my-repo","fromVersion":"v1","toVersion":"v2","riskThreshold":70}"#,
            r#"{"repoId":"my-repo","fromVersion":"git:main","toVersion":"git:HEAD"}"#,
        ],
        aliases: &[],
    };
}

impl ReadAction for PrRiskAnalyze {
    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        let (from, to) =
            delta::ends(cx, PrRiskAnalyze::DEF.name, &request.from_version, &request.to_version)?;
        let compared = delta::compare(cx, &from, &to)?;
        let mut response = Response::of(cx, &compared, (&from, &to), request.risk_threshold.unwrap_or(0))?;
        let whole = response.entries();
        let mut most = MOST;
        response.keep(most);
        loop {
            let cut = response.entries() < whole || compared.blast.len() > most;
            let note = cut.then_some("the lists are cut to what matters most; delta.get lists every symbol");
            let noted = note.map_or(0, |note| budget::count(note) + 12);
            if cx.around()? + budget::of(&response)? + noted <= budget::DEFAULT_TOKENS || most == 0 {
                if let Some(note) = note {
                    cx.note(note);
                }
                return Ok(response);
            }
            most = most * 3 / 4;
            response.keep(most);
        }
    }
}

impl Response {
    fn of(
        cx: &ReadCx<'_>,
        compared: &Compared,
        (from, to): (&End, &End),
        threshold: u32,
    ) -> Result<Self, ToolError> {
        let score = risk::score(compared);
        let (mut findings, evidence) = risk::findings(compared);
        let worst = findings.first().filter(|finding| finding.severity == "critical").cloned();
        let escalate = score.total >= ESCALATE || worst.is_some();
        let mut denied_reasons = Vec::new();
        if score.total >= ESCALATE {
            denied_reasons.push(format!("the risk score is {} of 100, {ESCALATE} or more", score.total));
        }
        denied_reasons.extend(worst.map(|finding| finding.message));
        let decided = json!([cx.repo.id(), from.name, to.name, score.total, score.parts, findings]);
        findings.retain(|finding| finding.score >= threshold);
        let impacted = compared.blast.iter().map(|item| Impacted {
            symbol_id: item.symbol_id.to_string(),
            name: item.name.clone(),
            file: item.file.clone(),
            reason: item.reason.clone(),
            distance: item.distance,
        });
        Ok(Self {
            analysis: Analysis {
                from_version: from.name.clone(),
                to_version: to.name.clone(),
                risk_score: score.total,
                risk_level: risk::level(score.total),
                parts: score.parts,
                findings,
                impacted_symbols: impacted.collect(),
                evidence,
                recommended_tests: risk::recommended(compared),
                changed_symbols_count: compared.changed.len(),
                blast_radius_count: compared.blast.len(),
            },
            escalation_required: escalate,
            policy_decision: PolicyDecision {
                decision: risk::decision(score.total, escalate),
                denied_reasons,
                audit_hash: ContentHash::of(decided.to_string().as_bytes()).to_string(),
            },
        })
    }

    fn entries(&self) -> usize {
        let all = &self.analysis;
        all.findings.len() + all.impacted_symbols.len() + all.evidence.len() + all.recommended_tests.len()
    }

    /// Keeps so many entries of each list.
    fn keep(&mut self, most: usize) {
        let all = &mut self.analysis;
        all.findings.truncate(most);
        all.impacted_symbols.truncate(most);
        all.evidence.truncate(most);
        all.recommended_tests.truncate(most);
        for finding in &mut all.findings {
            finding.affected_symbols.truncate(most);
        }
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let all = &self.analysis;
        let mut text = format!(
            "{} -> {}: risk {} of 100 ({}), {}",
            all.from_version, all.to_version, all.risk_score, all.risk_level, self.policy_decision.decision
        );
        let parts: Vec<String> =
            all.parts.iter().map(|part| format!("{} {}/{}", part.name, part.points, part.weight)).collect();
        line(&mut text, format_args!("parts: {}", parts.join(", ")));
        line(
            &mut text,
            format_args!("{} changed, {} affected", all.changed_symbols_count, all.blast_radius_count),
        );
        for finding in &all.findings {
            line(&mut text, format_args!("{} {}: {}", finding.severity, finding.kind, finding.message));
        }
        for test in &all.recommended_tests {
            line(&mut text, format_args!("{} ({}): {}", test.kind, test.priority, test.description));
        }
        text
    }
}
