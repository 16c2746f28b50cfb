//! A briefing as text.

use super::Briefing;
use crate::call::answers::{add, line};

/// As markdown; with `plain`, for pasting elsewhere: no ids, which mean nothing there.
pub(crate) fn markdown(briefing: &Briefing, query: &str, plain: bool) -> String {
    let title: String = query.chars().take(120).map(|c| if c == '\n' { ' ' } else { c }).collect();
    let mut text = String::new();
    line(&mut text, format_args!("# {title}"));
    if !briefing.key_symbols.is_empty() {
        text.push_str("\n## Key symbols");
    }
    for symbol in &briefing.key_symbols {
        let at = format!("{}:{}", symbol.file, symbol.line);
        line(&mut text, format_args!("- `{}` {at}", symbol.signature));
        if !plain {
            add(&mut text, format_args!(" {}", symbol.symbol_id));
        }
        if let Some(summary) = &symbol.summary {
            add(&mut text, format_args!(": {summary}"));
        }
    }
    let graph = &briefing.dependency_graph;
    if !graph.edges.is_empty() {
        text.push_str("\n## Dependencies");
    }
    // The edges of one symbol and type stand together.
    let mut last = None;
    for edge in &graph.edges {
        let this = (&edge.from, &edge.kind);
        if last == Some(this) {
            add(&mut text, format_args!(", {}", edge.to));
        } else {
            line(&mut text, format_args!("- {} {} {}", edge.from, verb(&edge.kind), edge.to));
        }
        last = Some(this);
    }
    if !graph.clusters.is_empty() {
        line(&mut text, format_args!("Clusters: {}", graph.clusters.join(", ")));
    }
    if !graph.frontier.is_empty() {
        line(&mut text, format_args!("Nearby: {}", graph.frontier.join(", ")));
    }
    if !briefing.risk_areas.is_empty() {
        text.push_str("\n## Risks");
    }
    for risk in &briefing.risk_areas {
        line(&mut text, format_args!("- {} ({}): {}", risk.name, risk.score, risk.reasons.join("; ")));
    }
    if !briefing.files_touched.is_empty() {
        text.push_str("\n## Files");
    }
    for touched in &briefing.files_touched {
        line(&mut text, format_args!("- {} ({})", touched.file, touched.symbols));
    }
    text
}

fn verb(kind: &str) -> &str {
    match kind {
        "call" => "calls",
        "import" => "imports",
        "config" => "is configured by",
        "ref" => "uses",
        other => other,
    }
}
