//! Compact forms back to slices. Anything of another shape gives none.

use std::collections::HashMap;

use sdl_model::{Resolution, SymbolId, SymbolKind, Version};
use serde_json::{Map, Value};

use super::edges;
use crate::card::{
    Card, CardRef, Dep, Deps, How, MemberRef, Metrics, Param, Range, SideEffect, Signature, TestRef,
};
use crate::numbers::{Milli, Percent};
use crate::slice::{FrontierItem, Link, SliceDoc};

/// The tables of a compact slice.
pub(super) struct Index {
    version: u8,
    ids: Vec<SymbolId>,
    paths: Vec<String>,
    names: HashMap<SymbolId, String>,
}

impl Index {
    pub(super) fn id(&self, value: &Value) -> Option<SymbolId> {
        self.ids.get(decode_uint(value)?).copied()
    }

    fn path(&self, value: &Value) -> Option<String> {
        match value.as_str() {
            Some(path) => Some(path.to_owned()),
            None => self.paths.get(decode_uint(value)?).cloned(),
        }
    }
}

pub(super) fn decode_document(value: &Value) -> Option<SliceDoc> {
    let version =
        u8::try_from(decode_uint(value.get("v")?)?).ok().filter(|version| (1..=3).contains(version))?;
    let ids = decode_array(value.get("symbolIndex")?, |id| id.as_str()?.parse().ok())?;
    let paths = value.get("paths").map_or(Some(Vec::new()), |paths| decode_array(paths, decode_string))?;
    let types: Vec<Link> = value
        .get("types")
        .map_or(Some(Vec::new()), |types| decode_array(types, |kind| Link::from_name(kind.as_str()?)))?;
    let mut index = Index { version, ids, paths, names: HashMap::new() };
    let cards = value.get("cards")?.as_array()?;
    for card in cards {
        let name = card.get("q").or_else(|| card.get("n")).and_then(decode_string)?;
        index.names.insert(index.id(card.get("i")?)?, name);
    }
    Some(SliceDoc {
        cards: decode_array(value.get("cards")?, |one| decode_card(one.as_object()?, &index))?,
        card_refs: value
            .get("cardRefs")
            .map_or(Some(Vec::new()), |refs| decode_array(refs, |held| card_ref(held, &index)))?,
        edges: edges::decode_edges(value.get("edges")?, version, &types, &index)?,
        frontier: decode_array(value.get("frontier")?, |item| decode_frontier(item, &index))?,
        estimated_tokens: u32::try_from(decode_uint(value.get("estimatedTokens")?)?).ok()?,
    })
}

fn decode_frontier(value: &Value, index: &Index) -> Option<FrontierItem> {
    let [id, name, file, score] = value.as_array()?.as_slice() else { return None };
    Some(FrontierItem {
        symbol_id: index.id(id)?,
        name: decode_string(name)?,
        file: index.path(file)?,
        score: Milli::of(score.as_f64()?),
    })
}

fn decode_card(card: &Map<String, Value>, index: &Index) -> Option<Card> {
    let name = decode_string(card.get("n")?)?;
    let strings =
        |key: &str| card.get(key).map_or(Some(Vec::new()), |list| decode_array(list, decode_string));
    let effect = |value: &Value| {
        let [kind, what] = value.as_array()?.as_slice() else { return None };
        Some(SideEffect { kind: decode_string(kind)?, what: decode_string(what)? })
    };
    Some(Card {
        symbol_id: index.id(card.get("i")?)?,
        qualified_name: card.get("q").map_or_else(|| Some(name.clone()), decode_string)?,
        name,
        kind: SymbolKind::from_name(card.get("k")?.as_str()?)?,
        exported: card.contains_key("x"),
        file: index.path(card.get("f")?)?,
        range: decode_range(card.get("r")?)?,
        signature: decode_optional(card.get("s"), decode_signature)?,
        summary: decode_optional(card.get("d"), decode_string)?,
        deps: decode_optional(card.get("c"), |deps| decode_dependencies(deps, index))?,
        members: decode_members(card.get("b"), index)?,
        members_omitted: card.get("h").map_or(Some(0), |count| u32::try_from(decode_uint(count)?).ok())?,
        invariants: strings("v")?,
        side_effects: card.get("e").map_or(Some(Vec::new()), |list| decode_array(list, effect))?,
        metrics: decode_optional(card.get("m"), |metrics| decode_metrics(metrics, index))?,
        cluster: decode_optional(card.get("l"), decode_string)?,
        processes: strings("p")?,
        etag: decode_string(card.get("t")?)?,
        ledger_version: decode_optional(card.get("w"), |version| version.as_u64().map(Version))?,
    })
}

fn card_ref(value: &Value, index: &Index) -> Option<CardRef> {
    let [id, etag, place] = value.as_array()?.as_slice() else { return None };
    Some(CardRef { symbol_id: index.id(id)?, etag: decode_string(etag)?, range: decode_range(place)? })
}

fn decode_range(value: &Value) -> Option<Range> {
    let line = |value: &Value| u32::try_from(decode_uint(value)?).ok();
    let column = |value: &Value| if value.is_null() { Some(None) } else { line(value).map(Some) };
    match value.as_array()?.as_slice() {
        [start, end] => {
            Some(Range { start_line: line(start)?, start_col: None, end_line: line(end)?, end_col: None })
        }
        [start, start_col, end, end_col] => Some(Range {
            start_line: line(start)?,
            start_col: column(start_col)?,
            end_line: line(end)?,
            end_col: column(end_col)?,
        }),
        _ => None,
    }
}

fn decode_signature(value: &Value) -> Option<Signature> {
    let parts = value.as_array()?;
    let text = |at: usize| decode_optional(parts.get(at).filter(|value| !value.is_null()), decode_string);
    Some(Signature {
        params: parts.first().map_or(Some(Vec::new()), |params| decode_array(params, decode_param))?,
        returns: text(1)?,
        generics: text(2)?,
        header: text(3)?,
    })
}

fn decode_param(value: &Value) -> Option<Param> {
    if let Some(name) = value.as_str() {
        return Some(Param { name: name.to_owned(), ty: None, optional: false });
    }
    let (name, rest) = value.as_array()?.split_first()?;
    let ty = decode_optional(rest.first().filter(|ty| !ty.is_null()), decode_string)?;
    Some(Param { name: decode_string(name)?, ty, optional: rest.len() > 1 })
}

fn decode_dependencies(value: &Value, index: &Index) -> Option<Deps> {
    let deps = value.as_object()?;
    let list = |key: &str| {
        let Some(list) = deps.get(key) else { return Some(Vec::new()) };
        let mut found = Vec::new();
        for entry in list.as_array()? {
            let entry = entry.as_array()?;
            if index.version >= 3 {
                read_run(entry, index, &mut found)?;
            } else {
                found.push(read_flat(entry, index)?);
            }
        }
        Some(found)
    };
    Some(Deps {
        calls: list("c")?,
        imports: list("i")?,
        implements: list("m")?,
        config: list("g")?,
        refs: list("u")?,
        omitted: deps.get("o").map_or(Some(0), |count| u32::try_from(decode_uint(count)?).ok())?,
    })
}

/// Runs of members of one kind.
fn decode_members(value: Option<&Value>, index: &Index) -> Option<Vec<MemberRef>> {
    let mut found = Vec::new();
    for run in value.map_or(Some([].as_slice()), |runs| runs.as_array().map(Vec::as_slice))? {
        let (kind, run) = run.as_array()?.split_first()?;
        let kind = SymbolKind::from_name(kind.as_str()?)?;
        for member in run {
            let [id, name] = member.as_array()?.as_slice() else { return None };
            found.push(MemberRef { symbol_id: index.id(id)?, name: decode_string(name)?, kind });
        }
    }
    Some(found)
}

fn read_flat(entry: &[Value], index: &Index) -> Option<Dep> {
    let (id, rest) = entry.split_first()?;
    let symbol_id = index.id(id)?;
    let (name, rest) = target_name(symbol_id, rest, index)?;
    let (sure, rest) = rest.split_first()?;
    let (code, how) = match rest {
        [] => (None, None),
        [code] if code.is_string() => (Some(code), None),
        [how] => (None, Some(how)),
        [code, how, ..] => (Some(code), Some(how)),
    };
    Some(Dep {
        symbol_id,
        name,
        confidence: decode_confidence(sure)?,
        resolution: code.map_or(Some(Resolution::Exact), resolution_of)?,
        how: decode_optional(how, read_how)?,
    })
}

fn read_run(entry: &[Value], index: &Index, found: &mut Vec<Dep>) -> Option<()> {
    let (sure, rest) = entry.split_first()?;
    let confidence = decode_confidence(sure)?;
    let (resolution, targets) = match rest.split_first() {
        Some((code, targets)) if code.is_string() => (resolution_of(code)?, targets),
        _ => (Resolution::Exact, rest),
    };
    for target in targets {
        let parts = target.as_array().map_or(std::slice::from_ref(target), Vec::as_slice);
        let (id, rest) = parts.split_first()?;
        let symbol_id = index.id(id)?;
        let (name, rest) = target_name(symbol_id, rest, index)?;
        found.push(Dep {
            symbol_id,
            name,
            confidence,
            resolution,
            how: decode_optional(rest.first(), read_how)?,
        });
    }
    Some(())
}

/// A target's name: said here, or by its card.
fn target_name<'v>(id: SymbolId, rest: &'v [Value], index: &Index) -> Option<(String, &'v [Value])> {
    match rest.split_first() {
        Some((Value::String(name), rest)) => Some((name.clone(), rest)),
        _ => Some((index.names.get(&id)?.clone(), rest)),
    }
}

fn read_how(value: &Value) -> Option<How> {
    Some(How {
        strategy: decode_string(value.get("s")?)?,
        line: u32::try_from(decode_uint(value.get("l")?)?).ok()?,
        sites: u16::try_from(decode_uint(value.get("t")?)?).ok()?,
    })
}

fn decode_metrics(value: &Value, index: &Index) -> Option<Metrics> {
    let parts = value.as_array()?;
    let number = |at: usize| {
        decode_optional(parts.get(at).filter(|value| !value.is_null()), |n| {
            u32::try_from(decode_uint(n)?).ok()
        })
    };
    let test = |value: &Value| {
        let [id, name, file] = value.as_array()?.as_slice() else { return None };
        Some(TestRef { symbol_id: index.id(id)?, name: decode_string(name)?, file: index.path(file)? })
    };
    Some(Metrics {
        fan_in: parts.first()?.as_u64()?,
        fan_out: parts.get(1)?.as_u64()?,
        churn_30d: number(2)?,
        test_refs: number(3)?,
        canonical_test: decode_optional(parts.get(4), test)?,
    })
}

/// Some(None) for a missing value, none for a value of another shape.
#[allow(
    clippy::option_option,
    reason = "absent and misshapen are two things, and `?` takes care of the second"
)]
fn decode_optional<T>(value: Option<&Value>, read: impl FnOnce(&Value) -> Option<T>) -> Option<Option<T>> {
    value.map_or(Some(None), |value| read(value).map(Some))
}

fn decode_array<T>(value: &Value, read: impl FnMut(&Value) -> Option<T>) -> Option<Vec<T>> {
    value.as_array()?.iter().map(read).collect()
}

fn decode_string(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

pub(super) fn decode_uint(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

pub(super) fn decode_confidence(value: &Value) -> Option<Percent> {
    Some(Percent(u8::try_from(decode_uint(value)?).ok()?))
}

pub(super) fn resolution_of(value: &Value) -> Option<Resolution> {
    match value.as_str()? {
        "e" => Some(Resolution::Exact),
        "i" => Some(Resolution::Inferred),
        "a" => Some(Resolution::Ambiguous),
        _ => None,
    }
}
