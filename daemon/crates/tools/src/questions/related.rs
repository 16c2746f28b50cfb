//! The rows of `symbol.related`.

use schemars::JsonSchema;
use sdl_model::SymbolId;
use sdl_navigate::outline::Part;
use sdl_navigate::related::Related;
use sdl_retrieve::{Source, Sym};
use serde::Serialize;

use super::rows::{LinkOut, SymbolOut, first_site};
use crate::ToolError;
use crate::call::answers::{append_text, begin_line};
use crate::questions::lines::LineTexts;

/// A symbol related to the one asked about, or a mention of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RelatedOut {
    /// The symbol: `symbolId`, `name`, `kind`, `file`, `line`. Of a mention, the symbol around it.
    #[serde(flatten)]
    pub(crate) symbol: SymbolOut,
    /// Steps from the asked symbol.
    pub(crate) depth: u32,
    /// Name of the symbol that it is related to, if that is not the asked one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) of: Option<String>,
    /// Line of the first such mention: in `file`, for callees in the file of the calling symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<u32>,
    /// Mentions, if several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sites: Option<u16>,
    /// Text of the line `at`, with secrets masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    /// Whether it is in a test.
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) test: bool,
    /// Of a member: whether other files can see it.
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) exported: bool,
    /// Of a member: other files that use it; of a folder's, files outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) users: Option<usize>,
    /// How they are linked; missing for an override, which no edge states.
    #[serde(flatten)]
    pub(crate) link: Option<LinkOut>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands fields over by reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

/// Which end of a link a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It makes the link, as a caller does.
    Source,
    /// The link leads to it, as a call does to a callee.
    Target,
}

/// Shows a row of a tree. `targets` are the asked symbols.
pub(crate) fn show_related(
    source: &Source<'_>,
    row: &Related,
    (end, targets): (End, &[Sym]),
    texts: Option<&mut LineTexts<'_, '_>>,
) -> Result<RelatedOut, ToolError> {
    let named =
        |id: SymbolId| source.listed(id).map(|found| found.map(|listed| listed.qualified().to_owned()));
    let of = if targets.iter().any(|target| target.id == row.of) { None } else { named(row.of)? };
    let mut out = RelatedOut {
        symbol: SymbolOut::of_listed(row.symbol, &row.listed),
        depth: row.depth,
        of,
        at: None,
        sites: None,
        text: None,
        test: row.listed.is_test(),
        exported: false,
        users: None,
        link: row.link.as_ref().map(|link| LinkOut::of(source, link)).transpose()?,
    };
    let Some(link) = row.link else { return Ok(out) };
    // The symbol that the code names is at the other end of the stored edge.
    let (from, to) = match end {
        End::Source => (row.symbol, link.through.unwrap_or(row.of)),
        End::Target => (row.of, link.through.unwrap_or(row.symbol)),
    };
    if let Some(from) = source.symbol(from)?
        && let Some((line, sites)) = first_site(source, &from, to, link.kind)?
    {
        out.at = Some(line);
        out.sites = (sites > 1).then_some(sites);
        out.text = texts.map(|texts| texts.text(&from, line)).transpose()?.flatten();
    }
    Ok(out)
}

/// Shows a part of an outline.
pub(crate) fn show_part(part: &Part) -> RelatedOut {
    RelatedOut {
        symbol: SymbolOut::of(&part.sym),
        depth: part.depth,
        of: None,
        at: None,
        sites: None,
        text: None,
        test: part.sym.is_test(),
        exported: part.sym.exported(),
        users: Some(part.users),
        link: None,
    }
}

/// Appends a row to the text of an answer, as a line of a tree.
pub(crate) fn related_line(text: &mut String, row: &RelatedOut) {
    let indent = "  ".repeat(row.depth.saturating_sub(1) as usize);
    let SymbolOut { name, file, line, symbol_id, .. } = &row.symbol;
    begin_line(text, format_args!("{indent}{name} {file}:{}", row.at.unwrap_or(*line)));
    if let Some(link) = &row.link {
        append_text(text, format_args!(" {} {}", link.edge, f64::from(link.confidence.0) / 100.0));
        if let Some(through) = &link.through {
            append_text(text, format_args!(" through {through}"));
        }
    }
    if let Some(users) = row.users {
        let seen = if row.exported { "exported" } else { "private" };
        append_text(text, format_args!(" {} {seen}, used by {users} files", row.symbol.kind));
    }
    append_text(text, format_args!(" {symbol_id}"));
    if let Some(line) = &row.text {
        append_text(text, format_args!(" | {line}"));
    }
}
