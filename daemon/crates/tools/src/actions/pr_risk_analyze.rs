//! `pr.risk.analyze`: how risky the change between two versions is, and why.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use sdl_model::{ContentHash, SymbolId};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::{Truncation, append_text, begin_line};
use crate::call::budget;
use crate::call::context::ReadCx;
use crate::call::leases::HandleKind;
use crate::changes::delta::{self, Compared, End, MOST_SPILLED};
use crate::changes::risk::{self, Evidence, Finding, HIGH, Part, RecommendedTest, Verdict};
use crate::guard::audit;
use crate::slices::spill::Spill;
use crate::{ToolError, slices};

/// See [`ActionDef`].
pub(crate) struct PrRiskAnalyze;

/// Findings that are given as reasons.
const MOST_REASONS: usize = 5;
/// Entries of a list if there is room.
const MOST: usize = 40;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// `v…`, `previous`, `git:main`. The state before: a version, `latest`, `previous`, or `git:` and a git
    /// revision.
    #[schemars(length(min = 1, max = 300))]
    from_version: String,
    /// `v…`, `latest`, `git:HEAD`. The state after, written the same way.
    #[schemars(length(min = 1, max = 300))]
    to_version: String,
    /// Default 0. Only findings with at least this score.
    #[schemars(range(min = 0, max = 100))]
    risk_threshold: Option<u32>,
}

/// A symbol outside the change that it may affect.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Impacted {
    /// The symbol.
    symbol_id: String,
    /// Its qualified name.
    name: String,
    /// Path of its file.
    file: String,
    /// Why it may be affected.
    reason: String,
    /// Edges to the nearest changed symbol.
    distance: u32,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Analysis {
    /// The state before.
    from_version: String,
    /// The state after.
    to_version: String,
    /// From 0 to 100: the points of `parts`, added up, 100 at most.
    risk_score: u32,
    /// `low`, from 26 on `medium`, from 60 on `high`, from 75 on `critical`.
    risk_level: &'static str,
    /// What the score is made of.
    parts: Vec<Part>,
    /// The risks, worst first.
    findings: Vec<Finding>,
    /// Symbols that the change may affect, most important first.
    impacted_symbols: Vec<Impacted>,
    /// Facts that support the findings.
    evidence: Vec<Evidence>,
    /// Tests to run or write.
    recommended_tests: Vec<RecommendedTest>,
    /// All changed symbols, named here or not.
    changed_symbols_count: usize,
    /// All symbols that may be affected, named here or not.
    blast_radius_count: usize,
    /// What did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncation: Option<Truncation>,
    /// Give it to `slice.spillover.get` for the symbols not named here.
    #[serde(skip_serializing_if = "Option::is_none")]
    spillover_handle: Option<String>,
}

/// Tokens by which a row's hash may be larger than the placeholder that is used while the answer is measured.
const HASH_SLACK: usize = 24;

/// What follows from the level.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PolicyDecision {
    /// `approve` for low risk, `review` for medium, `escalate` for high or critical.
    decision: &'static str,
    /// Why, if `escalate`.
    denied_reasons: Vec<String>,
    /// Hash of the decision's row in the audit log.
    audit_hash: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The analysis.
    analysis: Analysis,
    /// Whether somebody who knows the code has to look at it.
    escalation_required: bool,
    /// What to do with the change.
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
            delta::find_ends(cx, PrRiskAnalyze::DEF.name, &request.from_version, &request.to_version)?;
        let compared = delta::compare_ends(cx, &from, &to)?;
        let whole = Response::of(cx, &compared, (&from, &to), request.risk_threshold.unwrap_or(0))?;
        let spillover = slices::new_handle(cx, HandleKind::Spillover);
        let (entries, named) = (whole.entries(), whole.named());
        let cut = |most: usize| {
            let mut response = whole.clone();
            response.keep(most);
            let shown: BTreeSet<String> = response.named().into_iter().collect();
            let spilled: Vec<SymbolId> =
                named.iter().filter(|id| !shown.contains(*id)).filter_map(|id| id.parse().ok()).collect();
            response.say_cut(entries, (!spilled.is_empty()).then_some(&spillover));
            (response, spilled)
        };
        let room = (budget::DEFAULT_TOKENS - HASH_SLACK).saturating_sub(cx.around()?);
        let most = budget::largest_prefix(MOST, room, |most| Ok(cut(most).0))?;
        let (mut response, spilled) = cut(most.unwrap_or(0));
        let symbols = spilled.into_iter().take(MOST_SPILLED).collect();
        Spill { symbols, min_call_confidence: 0, resolution_metadata: false }.keep(cx, &spillover);
        response.policy_decision.audit_hash = cx.call.log(response.row(cx))?;
        Ok(response)
    }
}

impl Response {
    fn of(
        cx: &ReadCx<'_>,
        compared: &Compared,
        (from, to): (&End, &End),
        threshold: u32,
    ) -> Result<Self, ToolError> {
        let (mut findings, evidence) = risk::find_risks(compared);
        let score = risk::change_score(compared, &findings);
        let verdict = Verdict::of(score.total);
        let mut denied_reasons = Vec::new();
        if verdict.escalate {
            let left = findings.iter().filter(|finding| finding.score >= HIGH);
            denied_reasons.extend(left.take(MOST_REASONS).map(|finding| finding.message.clone()));
            if denied_reasons.is_empty() {
                denied_reasons.push(format!("the risk score is {} of 100, {HIGH} or more", score.total));
            }
        }
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
                risk_level: verdict.level,
                parts: score.parts,
                findings,
                impacted_symbols: impacted.collect(),
                evidence,
                recommended_tests: risk::recommend_tests(compared),
                changed_symbols_count: compared.changed.len(),
                blast_radius_count: compared.blast.len(),
                truncation: None,
                spillover_handle: None,
            },
            escalation_required: verdict.escalate,
            policy_decision: PolicyDecision {
                decision: verdict.decision,
                denied_reasons,
                audit_hash: ContentHash::of(decided.to_string().as_bytes()).to_string(),
            },
        })
    }

    /// Returns the decision as a row for the log.
    fn row(&self, cx: &ReadCx<'_>) -> audit::Row {
        let (all, made) = (&self.analysis, &self.policy_decision);
        audit::Row {
            repo_id: cx.repo.id().to_owned(),
            action: PrRiskAnalyze::DEF.name.to_owned(),
            decision: made.decision.to_owned(),
            version: cx.version.to_string(),
            why: made.denied_reasons.clone(),
            details: json!({
                "fromVersion": all.from_version,
                "toVersion": all.to_version,
                "riskScore": all.risk_score,
                "parts": all.parts,
                "decided": made.audit_hash,
            }),
            ..audit::Row::default()
        }
    }

    fn entries(&self) -> usize {
        let all = &self.analysis;
        all.findings.len() + all.impacted_symbols.len() + all.evidence.len() + all.recommended_tests.len()
    }

    /// Returns the symbols that the analysis names, those of the worst findings first.
    fn named(&self) -> Vec<String> {
        let all = &self.analysis;
        let affected = all.findings.iter().flat_map(|finding| &finding.affected_symbols);
        let tested = all.recommended_tests.iter().flat_map(|test| &test.target_symbols);
        let mut ids: Vec<String> = affected.chain(tested).map(|named| named.symbol_id.clone()).collect();
        ids.extend(all.evidence.iter().map(|evidence| evidence.symbol_id.clone()));
        ids.extend(all.impacted_symbols.iter().map(|impacted| impacted.symbol_id.clone()));
        let mut seen = BTreeSet::new();
        ids.retain(|id| seen.insert(id.clone()));
        ids
    }

    /// Records how many of `whole` entries were left out, and where their symbols are.
    fn say_cut(&mut self, whole: usize, spillover: Option<&String>) {
        let dropped = whole - self.entries();
        let cut = dropped > 0 || spillover.is_some();
        self.analysis.spillover_handle = spillover.cloned();
        self.analysis.truncation = cut.then(|| Truncation {
            truncated: true,
            dropped_cards: dropped as u64,
            dropped_edges: 0,
            spillover_handle: spillover.cloned(),
            how_to_resume: match spillover {
                Some(_) => {
                    "slice.spillover.get with spilloverHandle; delta.get lists every change".to_owned()
                }
                None => "delta.get lists every change".to_owned(),
            },
        });
    }

    /// Keeps at most `most` entries of each list.
    fn keep(&mut self, most: usize) {
        let all = &mut self.analysis;
        risk::keep_worst(&mut all.findings, most);
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
        begin_line(&mut text, format_args!("parts: {}", parts.join(", ")));
        begin_line(
            &mut text,
            format_args!("{} changed, {} affected", all.changed_symbols_count, all.blast_radius_count),
        );
        for finding in &all.findings {
            begin_line(&mut text, format_args!("{} {}: {}", finding.severity, finding.kind, finding.message));
        }
        for test in &all.recommended_tests {
            begin_line(&mut text, format_args!("{} ({}): {}", test.kind, test.priority, test.description));
        }
        if let Some(truncation) = &all.truncation {
            text.push_str(&truncation.line());
            append_text(&mut text, format_args!(" {}", all.spillover_handle.as_deref().unwrap_or_default()));
        }
        text
    }
}
