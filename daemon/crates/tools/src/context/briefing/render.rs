//! A briefing as text.

use super::Briefing;
use crate::call::answers::{append_text, begin_line};

/// As markdown; with `plain`, for pasting elsewhere: no ids, which mean nothing there.
pub(crate) fn render_markdown(briefing: &Briefing, query: &str, plain: bool) -> String {
    let title: String = query.chars().take(120).map(|c| if c == '\n' { ' ' } else { c }).collect();
    let mut text = String::new();
    begin_line(&mut text, format_args!("# {title}"));
    if !briefing.key_symbols.is_empty() {
        text.push_str("\n## Key symbols");
    }
    for symbol in &briefing.key_symbols {
        let at = format!("{}:{}-{}", symbol.file, symbol.line, symbol.end_line);
        begin_line(&mut text, format_args!("- `{}` {at}", symbol.signature));
        if !plain {
            append_text(&mut text, format_args!(" {}", symbol.symbol_id));
        }
        if let Some(summary) = &symbol.summary {
            append_text(&mut text, format_args!(": {summary}"));
        }
    }
    let graph = &briefing.dependency_graph;
    if !graph.edges.is_empty() {
        text.push_str("\n## Dependencies");
    }
    // The edges of one symbol and type are on one line.
    let mut last = None;
    for edge in &graph.edges {
        let this = (&edge.from, &edge.kind);
        if last == Some(this) {
            append_text(&mut text, format_args!(", {}", edge.to));
        } else {
            begin_line(&mut text, format_args!("- {} {} {}", edge.from, edge_verb(&edge.kind), edge.to));
        }
        last = Some(this);
    }
    if !graph.clusters.is_empty() {
        begin_line(&mut text, format_args!("Clusters: {}", graph.clusters.join(", ")));
    }
    if !graph.frontier.is_empty() {
        begin_line(&mut text, format_args!("Nearby: {}", graph.frontier.join(", ")));
    }
    if !briefing.risk_areas.is_empty() {
        text.push_str("\n## Risks");
    }
    for risk in &briefing.risk_areas {
        begin_line(&mut text, format_args!("- {} ({}): {}", risk.name, risk.score, risk.reasons.join("; ")));
    }
    if !briefing.files_touched.is_empty() {
        text.push_str("\n## Files");
    }
    for touched in &briefing.files_touched {
        begin_line(&mut text, format_args!("- {} ({})", touched.file, touched.symbols));
    }
    text
}

fn edge_verb(kind: &str) -> &str {
    match kind {
        "call" => "calls",
        "import" => "imports",
        "config" => "is configured by",
        "ref" => "uses",
        other => other,
    }
}
