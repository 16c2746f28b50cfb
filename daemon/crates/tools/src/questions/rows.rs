//! Symbols and edges, as the answers to questions show them.

use schemars::JsonSchema;
use sdl_model::{EdgeKind, SymbolId};
use sdl_navigate::Link;
use sdl_retrieve::numbers::Percent;
use sdl_retrieve::{Listed, Source, Sym};
use serde::Serialize;

use crate::ToolError;

/// A symbol that an answer is about.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SymbolOut {
    /// The symbol.
    pub(crate) symbol_id: String,
    /// Its qualified name.
    pub(crate) name: String,
    /// Its kind.
    pub(crate) kind: &'static str,
    /// Path of its file.
    pub(crate) file: String,
    /// Line of its name.
    pub(crate) line: u32,
}

impl SymbolOut {
    /// Shows an opened symbol.
    pub(crate) fn of(sym: &Sym) -> Self {
        Self {
            symbol_id: sym.id.to_string(),
            name: sym.qualified().to_owned(),
            kind: sym.kind().name(),
            file: sym.path().to_owned(),
            line: sym.line(),
        }
    }

    /// Shows a symbol from a list.
    pub(crate) fn of_listed(symbol: SymbolId, listed: &Listed) -> Self {
        Self {
            symbol_id: symbol.to_string(),
            name: listed.qualified().to_owned(),
            kind: listed.kind().name(),
            file: listed.path().to_owned(),
            line: listed.line(),
        }
    }
}

/// How two symbols are linked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LinkOut {
    /// `call`, `implements`, `config`, `import` or `ref`.
    pub(crate) edge: &'static str,
    /// `exact`, `inferred` or `ambiguous`.
    pub(crate) resolution: &'static str,
    /// Rule that found it.
    pub(crate) strategy: &'static str,
    /// How often that rule is right, from 0 to 1.
    #[schemars(with = "f64")]
    pub(crate) confidence: Percent,
    /// Name in the code, if another member may run in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) through: Option<String>,
}

impl LinkOut {
    /// Shows a link.
    pub(crate) fn of(source: &Source<'_>, link: &Link) -> Result<Self, ToolError> {
        let through = match link.through {
            Some(through) => source.listed(through)?.map(|listed| listed.qualified().to_owned()),
            None => None,
        };
        Ok(Self {
            edge: link.kind.name(),
            resolution: link.resolution.name(),
            strategy: link.rule_name(),
            confidence: Percent(link.confidence),
            through,
        })
    }
}

/// Where an edge from one symbol to another is made for the first time, and how often.
pub(crate) fn first_site(
    source: &Source<'_>,
    from: &Sym,
    to: SymbolId,
    kind: EdgeKind,
) -> Result<Option<(u32, u16)>, ToolError> {
    let edges = source.view().out_edges(from.id)?;
    let found = edges.iter().find(|edge| edge.to == to && edge.kind == kind);
    Ok(found.map(|edge| (from.def().span.start_line + edge.line_offset, edge.sites)))
}
