//! A search for names: where they are defined, and who uses them.

use sdl_model::{SymbolId, SymbolKind};
use sdl_navigate::related::{Relation, related_symbols};
use sdl_navigate::{Filter, Graph};
use sdl_retrieve::Source;
use sdl_retrieve::search::Hit;

use super::asked::Asked;
use super::input::{HookTool, Read};
use super::lines::{Lines, Reminder};
use super::pattern::Wanted;
use crate::ToolError;
use crate::call::context::ReadCx;
use crate::parts::params::SymbolRef;
use crate::parts::symbols;

/// Tokens of this reminder.
const MOST_TOKENS: usize = 150;
/// Definitions that are shown.
const MOST_ROWS: usize = 3;
/// A name with more definitions says nothing about the one that was meant.
const MOST_NAMESAKES: usize = 16;
/// The same for a word as in any text.
const MOST_OF_WORD: usize = 3;
/// A symbol with more uses is too common to have its callers counted.
const MOST_USES: u64 = 200;

pub(super) fn remind_search(cx: &ReadCx<'_>, asked: &Asked<'_>, names: &[Wanted]) -> Read<Reminder> {
    let mut lines = Lines::default();
    let mut found: Vec<(Hit, usize)> = Vec::new();
    for wanted in names {
        let thing = ["name", wanted.name.as_str()];
        if asked.conversation.has(&thing) {
            continue;
        }
        let hits = definitions(cx.source, wanted, asked.input.tool)?;
        if !hits.is_empty() {
            asked.conversation.note(&thing);
        }
        let total = hits.len();
        found.extend(hits.into_iter().take((MOST_ROWS / names.len()).max(1)).map(|hit| (hit, total)));
    }
    let Some((first, _)) = found.first() else { return Ok(None) };
    let call = asked.speller.query_call("symbol.related", &format!("\"symbol\":\"{}\"", first.symbol_id));
    lines.set_head("sdl knows where this is defined:".into());
    for (hit, total) in &found {
        cx.call.check()?;
        let row = definition_row(cx, hit, &mut lines)?;
        lines.add_row(if *total > MOST_ROWS { format!("{row} (one of {total})") } else { row });
    }
    lines.add_tail(format!("Its callers, each with its line: {call}"));
    Ok(lines.fit(MOST_TOKENS))
}

/// The symbols that a name means. None if it has too many, or seems to be a word of a text.
fn definitions(source: &Source<'_>, wanted: &Wanted, tool: Option<HookTool>) -> Result<Vec<Hit>, ToolError> {
    let last = wanted.name.rsplit(['.', ':']).next().unwrap_or(&wanted.name);
    let is_qualified = last.len() < wanted.name.len();
    // Asked first, because it is cheap, and common names have thousands.
    let most = if is_qualified { 20 * MOST_NAMESAKES } else { 4 * MOST_NAMESAKES };
    if !(1..=most).contains(&source.view().named_up_to(last, most + 1)?.len()) {
        return Ok(Vec::new());
    }
    let mut hits = hits_of(source, &wanted.name)?;
    if hits.is_empty() && is_qualified {
        // Each language writes `Walk.build` in its own way.
        let name = &wanted.name;
        let other = if name.contains("::") { name.replace("::", ".") } else { name.replace('.', "::") };
        hits = hits_of(source, &other)?;
    }
    hits.retain(|hit| !matches!(hit.kind, SymbolKind::Module | SymbolKind::Impl));
    let is_solid = |kind: SymbolKind| kind.is_callable() || kind.is_type() || kind == SymbolKind::Constant;
    if wanted.is_word || tool == Some(HookTool::Glob) {
        hits.retain(|hit| is_solid(hit.kind));
    }
    let most = if wanted.is_word { MOST_OF_WORD } else { MOST_NAMESAKES };
    if hits.len() > most {
        hits.clear();
    }
    Ok(hits)
}

fn hits_of(source: &Source<'_>, name: &str) -> Result<Vec<Hit>, ToolError> {
    let wanted = SymbolRef { name: name.to_owned(), file: None, kind: None, exported_only: None };
    symbols::hits_of(source, &wanted)
}

fn definition_row(cx: &ReadCx<'_>, hit: &Hit, lines: &mut Lines) -> Result<String, ToolError> {
    let (name, file) = (lines.foreign(&hit.qualified_name), lines.foreign(&hit.file));
    let used = used_by(cx.source, hit.symbol_id, hit.kind)?;
    Ok(format!("{} {} {name} {file}:{}, {used}", hit.symbol_id, hit.kind.name(), hit.line))
}

/// How much uses a symbol: its callers as `symbol.related` lists them, or its uses if it can't be called.
fn used_by(source: &Source<'_>, symbol: SymbolId, kind: SymbolKind) -> Result<String, ToolError> {
    let uses = source.view().fan_in(symbol)?;
    if uses > MOST_USES || !(kind.is_callable() || kind.is_type()) {
        return Ok(count_of(uses, "use"));
    }
    let Some(sym) = source.symbol(symbol)? else { return Ok(count_of(uses, "use")) };
    let graph = Graph::new(source);
    let tree = related_symbols(&graph, &[sym], Relation::Callers, 1, &Filter::default())?;
    let tests = tree.rows.iter().filter(|row| row.listed.is_test()).count();
    let others = tree.rows.len() - tests;
    if tree.rows.is_empty() && uses > 0 {
        return Ok(count_of(uses, "use"));
    }
    Ok(format!("{}, {}", count_of(others as u64, "caller"), count_of(tests as u64, "test")))
}

fn count_of(count: u64, what: &str) -> String {
    match count {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}
