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
        self.ids.get(uint(value)?).copied()
    }

    fn path(&self, value: &Value) -> Option<String> {
        match value.as_str() {
            Some(path) => Some(path.to_owned()),
            None => self.paths.get(uint(value)?).cloned(),
        }
    }
}

pub(super) fn decode(value: &Value) -> Option<SliceDoc> {
    let version = u8::try_from(uint(value.get("v")?)?).ok().filter(|version| (1..=3).contains(version))?;
    let ids = array(value.get("symbolIndex")?, |id| id.as_str()?.parse().ok())?;
    let paths = value.get("paths").map_or(Some(Vec::new()), |paths| array(paths, string))?;
    let types: Vec<Link> = value
        .get("types")
        .map_or(Some(Vec::new()), |types| array(types, |kind| Link::from_name(kind.as_str()?)))?;
    let mut index = Index { version, ids, paths, names: HashMap::new() };
    let cards = value.get("cards")?.as_array()?;
    for card in cards {
        let name = card.get("q").or_else(|| card.get("n")).and_then(string)?;
        index.names.insert(index.id(card.get("i")?)?, name);
    }
    Some(SliceDoc {
        cards: array(value.get("cards")?, |one| card(one.as_object()?, &index))?,
        card_refs: value
            .get("cardRefs")
            .map_or(Some(Vec::new()), |refs| array(refs, |held| card_ref(held, &index)))?,
        edges: edges::read(value.get("edges")?, version, &types, &index)?,
        frontier: array(value.get("frontier")?, |item| frontier(item, &index))?,
        estimated_tokens: u32::try_from(uint(value.get("estimatedTokens")?)?).ok()?,
    })
}

fn frontier(value: &Value, index: &Index) -> Option<FrontierItem> {
    let [id, name, file, score] = value.as_array()?.as_slice() else { return None };
    Some(FrontierItem {
        symbol_id: index.id(id)?,
        name: string(name)?,
        file: index.path(file)?,
        score: Milli::of(score.as_f64()?),
    })
}

fn card(card: &Map<String, Value>, index: &Index) -> Option<Card> {
    let name = string(card.get("n")?)?;
    let strings = |key: &str| card.get(key).map_or(Some(Vec::new()), |list| array(list, string));
    let effect = |value: &Value| {
        let [kind, what] = value.as_array()?.as_slice() else { return None };
        Some(SideEffect { kind: string(kind)?, what: string(what)? })
    };
    Some(Card {
        symbol_id: index.id(card.get("i")?)?,
        qualified_name: card.get("q").map_or_else(|| Some(name.clone()), string)?,
        name,
        kind: SymbolKind::from_name(card.get("k")?.as_str()?)?,
        exported: card.contains_key("x"),
        file: index.path(card.get("f")?)?,
        range: range(card.get("r")?)?,
        signature: optional(card.get("s"), signature)?,
        summary: optional(card.get("d"), string)?,
        deps: optional(card.get("c"), |deps| dependencies(deps, index))?,
        members: members(card.get("b"), index)?,
        members_omitted: card.get("h").map_or(Some(0), |count| u32::try_from(uint(count)?).ok())?,
        invariants: strings("v")?,
        side_effects: card.get("e").map_or(Some(Vec::new()), |list| array(list, effect))?,
        metrics: optional(card.get("m"), |metrics| numbers(metrics, index))?,
        cluster: optional(card.get("l"), string)?,
        processes: strings("p")?,
        etag: string(card.get("t")?)?,
        ledger_version: optional(card.get("w"), |version| version.as_u64().map(Version))?,
    })
}

fn card_ref(value: &Value, index: &Index) -> Option<CardRef> {
    let [id, etag, place] = value.as_array()?.as_slice() else { return None };
    Some(CardRef { symbol_id: index.id(id)?, etag: string(etag)?, range: range(place)? })
}

fn range(value: &Value) -> Option<Range> {
    let line = |value: &Value| u32::try_from(uint(value)?).ok();
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

fn signature(value: &Value) -> Option<Signature> {
    let parts = value.as_array()?;
    let text = |at: usize| optional(parts.get(at).filter(|value| !value.is_null()), string);
    Some(Signature {
        params: parts.first().map_or(Some(Vec::new()), |params| array(params, param))?,
        returns: text(1)?,
        generics: text(2)?,
        header: text(3)?,
    })
}

fn param(value: &Value) -> Option<Param> {
    if let Some(name) = value.as_str() {
        return Some(Param { name: name.to_owned(), ty: None, optional: false });
    }
    let (name, rest) = value.as_array()?.split_first()?;
    let ty = optional(rest.first().filter(|ty| !ty.is_null()), string)?;
    Some(Param { name: string(name)?, ty, optional: rest.len() > 1 })
}

fn dependencies(value: &Value, index: &Index) -> Option<Deps> {
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
        omitted: deps.get("o").map_or(Some(0), |count| u32::try_from(uint(count)?).ok())?,
    })
}

/// Runs of members of one kind.
fn members(value: Option<&Value>, index: &Index) -> Option<Vec<MemberRef>> {
    let mut found = Vec::new();
    for run in value.map_or(Some([].as_slice()), |runs| runs.as_array().map(Vec::as_slice))? {
        let (kind, run) = run.as_array()?.split_first()?;
        let kind = SymbolKind::from_name(kind.as_str()?)?;
        for member in run {
            let [id, name] = member.as_array()?.as_slice() else { return None };
            found.push(MemberRef { symbol_id: index.id(id)?, name: string(name)?, kind });
        }
    }
    Some(found)
}

fn read_flat(entry: &[Value], index: &Index) -> Option<Dep> {
    let (id, rest) = entry.split_first()?;
    let symbol_id = index.id(id)?;
    let (name, rest) = name(symbol_id, rest, index)?;
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
        confidence: confidence(sure)?,
        resolution: code.map_or(Some(Resolution::Exact), resolution_of)?,
        how: optional(how, read_how)?,
    })
}

fn read_run(entry: &[Value], index: &Index, found: &mut Vec<Dep>) -> Option<()> {
    let (sure, rest) = entry.split_first()?;
    let confidence = confidence(sure)?;
    let (resolution, targets) = match rest.split_first() {
        Some((code, targets)) if code.is_string() => (resolution_of(code)?, targets),
        _ => (Resolution::Exact, rest),
    };
    for target in targets {
        let parts = target.as_array().map_or(std::slice::from_ref(target), Vec::as_slice);
        let (id, rest) = parts.split_first()?;
        let symbol_id = index.id(id)?;
        let (name, rest) = name(symbol_id, rest, index)?;
        found.push(Dep { symbol_id, name, confidence, resolution, how: optional(rest.first(), read_how)? });
    }
    Some(())
}

/// A target's name: said here, or by its card.
fn name<'v>(id: SymbolId, rest: &'v [Value], index: &Index) -> Option<(String, &'v [Value])> {
    match rest.split_first() {
        Some((Value::String(name), rest)) => Some((name.clone(), rest)),
        _ => Some((index.names.get(&id)?.clone(), rest)),
    }
}

fn read_how(value: &Value) -> Option<How> {
    Some(How {
        strategy: string(value.get("s")?)?,
        line: u32::try_from(uint(value.get("l")?)?).ok()?,
        sites: u16::try_from(uint(value.get("t")?)?).ok()?,
    })
}

fn numbers(value: &Value, index: &Index) -> Option<Metrics> {
    let parts = value.as_array()?;
    let number = |at: usize| {
        optional(parts.get(at).filter(|value| !value.is_null()), |n| u32::try_from(uint(n)?).ok())
    };
    let test = |value: &Value| {
        let [id, name, file] = value.as_array()?.as_slice() else { return None };
        Some(TestRef { symbol_id: index.id(id)?, name: string(name)?, file: index.path(file)? })
    };
    Some(Metrics {
        fan_in: parts.first()?.as_u64()?,
        fan_out: parts.get(1)?.as_u64()?,
        churn_30d: number(2)?,
        test_refs: number(3)?,
        canonical_test: optional(parts.get(4), test)?,
    })
}

/// Some(None) for what is not there, none for what is there in another shape.
#[allow(
    clippy::option_option,
    reason = "absent and misshapen are two things, and `?` takes care of the second"
)]
fn optional<T>(value: Option<&Value>, read: impl FnOnce(&Value) -> Option<T>) -> Option<Option<T>> {
    value.map_or(Some(None), |value| read(value).map(Some))
}

fn array<T>(value: &Value, read: impl FnMut(&Value) -> Option<T>) -> Option<Vec<T>> {
    value.as_array()?.iter().map(read).collect()
}

fn string(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

pub(super) fn uint(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

pub(super) fn confidence(value: &Value) -> Option<Percent> {
    Some(Percent(u8::try_from(uint(value)?).ok()?))
}

pub(super) fn resolution_of(value: &Value) -> Option<Resolution> {
    match value.as_str()? {
        "e" => Some(Resolution::Exact),
        "i" => Some(Resolution::Inferred),
        "a" => Some(Resolution::Ambiguous),
        _ => None,
    }
}
