//! Cards as text: what a model reads first.

use std::fmt::Write as _;

use sdl_model::Resolution;

use super::signature;
use super::types::{Card, Dep};
use crate::plain::{self, Line};

/// A card as text: 50 to 150 tokens for a typical function, never more than its JSON.
pub fn card_text(card: &Card) -> String {
    let mut out = format!("{} {}", card_head(card), card.etag);
    if let Some(summary) = &card.summary {
        write_quote(&mut out, summary);
    }
    if let Some(deps) = &card.deps {
        write_deps(&mut out, "calls", &deps.calls);
        write_deps(&mut out, "imports", &deps.imports);
        write_deps(&mut out, "implements", &deps.implements);
        write_deps(&mut out, "config", &deps.config);
        write_deps(&mut out, "uses", &deps.refs);
        if deps.omitted > 0 {
            let _ = write!(out, "\n+{} more dependencies", deps.omitted);
        }
    }
    write_members(&mut out, card);
    if !card.invariants.is_empty() {
        begin_line(&mut out, &format!("invariants: {}", card.invariants.join("; ")));
    }
    if !card.side_effects.is_empty() {
        let effects: Vec<String> =
            card.side_effects.iter().map(|e| format!("{} {}", e.kind, e.what)).collect();
        begin_line(&mut out, &format!("effects: {}", effects.join(", ")));
    }
    if let Some(metrics) = &card.metrics {
        begin_line(&mut out, &format!("fan-in {}, fan-out {}", metrics.fan_in, metrics.fan_out));
        if let Some(tests) = metrics.test_refs.filter(|tests| *tests > 0) {
            let _ = write!(out, ", {tests} tests");
        }
        if let Some(churn) = metrics.churn_30d {
            let _ = write!(out, ", churn {churn}");
        }
        if let Some(test) = &metrics.canonical_test {
            begin_line(&mut out, &format!("test: {} {}", test.name, test.file));
        }
    }
    if let Some(cluster) = &card.cluster {
        begin_line(&mut out, &format!("cluster: {cluster}"));
    }
    if !card.processes.is_empty() {
        begin_line(&mut out, &format!("processes: {}", card.processes.join(", ")));
    }
    out
}

/// The first line: kind, signature, place, id. Its lines are those of the file now.
fn card_head(card: &Card) -> String {
    let private = if card.exported { "" } else { "private " };
    let (kind, line) = (card.kind.name(), signature::signature_line(card));
    // The kind is left out if the header begins with it, as in `class Cart(Base)`.
    let kind = if line.starts_with(kind) { String::new() } else { format!("{kind} ") };
    let (first, last) = (card.range.start_line, card.range.end_line);
    plain::inline_text(&format!("{private}{kind}{line} @{}:{first}-{last} {}", card.file, card.symbol_id))
        .into_owned()
}

/// `members: a, b, +3 more`
fn write_members(out: &mut String, card: &Card) {
    if card.members.is_empty() {
        return;
    }
    let names: Vec<&str> = card.members.iter().map(|member| member.name.as_str()).collect();
    begin_line(out, &format!("members: {}", names.join(", ")));
    if card.members_omitted > 0 {
        let _ = write!(out, ", +{} more", card.members_omitted);
    }
}

/// A card in a slice's text: the first line, the summary, a type's members, and its exceptions and side effects. Its
/// dependencies are among the slice's edges.
pub(crate) fn brief_text(card: &Card) -> String {
    let mut out = card_head(card);
    if let Some(summary) = &card.summary {
        write_quote(&mut out, summary);
    }
    write_members(&mut out, card);
    if !card.invariants.is_empty() {
        begin_line(&mut out, &format!("invariants: {}", card.invariants.join("; ")));
    }
    if !card.side_effects.is_empty() {
        begin_line(&mut out, &effects_line(card));
    }
    out
}

fn effects_line(card: &Card) -> String {
    let effects: Vec<String> = card.side_effects.iter().map(|e| format!("{} {}", e.kind, e.what)).collect();
    format!("effects: {}", effects.join(", "))
}

/// Begins a line. All text by other people gets into a card's text through this or [`write_quote`].
fn begin_line(out: &mut String, text: &str) {
    out.push('\n');
    out.push_str(&plain::inline_text(text));
}

/// Documentation, set apart from statements about it.
fn write_quote(out: &mut String, text: &str) {
    out.push('\n');
    out.push_str(&plain::quote_lines(text));
}

/// `calls: a, b? 0.7`: certain ones by name alone.
fn write_deps(out: &mut String, what: &str, deps: &[Dep]) {
    if !deps.is_empty() {
        out.push('\n');
    }
    let mut out = Line(out);
    for (i, dep) in deps.iter().enumerate() {
        let _ = if i == 0 { write!(out, "{what}: {}", dep.name) } else { write!(out, ", {}", dep.name) };
        if dep.resolution != Resolution::Exact {
            let _ = write!(out, "? {}", f64::from(dep.confidence.0) / 100.0);
        }
        if let Some(how) = &dep.how {
            let _ = write!(out, " ({} :{})", how.strategy, how.line);
        }
    }
}
