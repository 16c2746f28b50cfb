//! The compact forms of cards.

use sdl_model::Resolution;
use serde_json::{Map, Value, json};

use super::tables::Tables;
use crate::card::{Card, CardRef, Dep, Deps, MemberRef, Metrics, Param, Range, Signature};

pub(super) fn encode_card(card: &Card, tables: &Tables<'_>) -> Value {
    let mut out = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            out.insert(key.to_owned(), value);
        }
    };
    put("i", Some(tables.id(card.symbol_id)));
    put("n", Some(json!(card.name)));
    put("q", (card.qualified_name != card.name).then(|| json!(card.qualified_name)));
    put("k", Some(json!(card.kind.name())));
    put("x", card.exported.then(|| json!(1)));
    put("f", Some(tables.path(&card.file)));
    put("r", Some(encode_range(card.range)));
    put("s", card.signature.as_ref().map(encode_signature));
    put("d", card.summary.as_ref().map(|text| json!(text)));
    put("c", card.deps.as_ref().map(|deps| encode_dependencies(deps, tables)));
    put("b", (!card.members.is_empty()).then(|| encode_members(&card.members, tables)));
    put("h", (card.members_omitted > 0).then(|| json!(card.members_omitted)));
    put("v", (!card.invariants.is_empty()).then(|| json!(card.invariants)));
    put(
        "e",
        (!card.side_effects.is_empty())
            .then(|| card.side_effects.iter().map(|e| json!([e.kind, e.what])).collect()),
    );
    put("m", card.metrics.as_ref().map(|metrics| encode_metrics(metrics, tables)));
    put("l", card.cluster.as_ref().map(|text| json!(text)));
    put("p", (!card.processes.is_empty()).then(|| json!(card.processes)));
    put("t", Some(json!(card.etag)));
    put("w", card.ledger_version.map(|version| json!(version.0)));
    Value::Object(out)
}

pub(super) fn card_ref(held: &CardRef, tables: &Tables<'_>) -> Value {
    json!([tables.id(held.symbol_id), held.etag, encode_range(held.range)])
}

/// `[first, last]`, with columns `[first, column, last, column]`.
fn encode_range(range: Range) -> Value {
    match (range.start_col, range.end_col) {
        (None, None) => json!([range.start_line, range.end_line]),
        (start, end) => json!([range.start_line, start, range.end_line, end]),
    }
}

/// `[parameters, result, generics, header]`, without missing parts at the end.
fn encode_signature(signature: &Signature) -> Value {
    let params: Value = signature.params.iter().map(encode_param).collect();
    trim_nulls(vec![params, json!(signature.returns), json!(signature.generics), json!(signature.header)])
}

/// `name`, or `[name, type, 1 if optional]`.
fn encode_param(param: &Param) -> Value {
    match (&param.ty, param.optional) {
        (None, false) => json!(param.name),
        (Some(ty), false) => json!([param.name, ty]),
        (ty, true) => json!([param.name, ty, 1]),
    }
}

fn encode_dependencies(deps: &Deps, tables: &Tables<'_>) -> Value {
    let mut out = Map::new();
    for (key, list) in [
        ("c", &deps.calls),
        ("i", &deps.imports),
        ("m", &deps.implements),
        ("g", &deps.config),
        ("u", &deps.refs),
    ] {
        if !list.is_empty() {
            let list = if tables.version >= 3 {
                encode_grouped(list, tables)
            } else {
                list.iter().map(|dep| encode_flat(dep, tables)).collect()
            };
            out.insert(key.to_owned(), list);
        }
    }
    if deps.omitted > 0 {
        out.insert("o".to_owned(), json!(deps.omitted));
    }
    Value::Object(out)
}

/// Runs of members of one kind: `[kind, [id, name]…]`.
fn encode_members(members: &[MemberRef], tables: &Tables<'_>) -> Value {
    let runs = members.chunk_by(|a, b| a.kind == b.kind);
    let run = |run: &[MemberRef]| {
        let kind = run.first().map(|member| json!(member.kind.name()));
        let named = run.iter().map(|member| json!([tables.id(member.symbol_id), member.name]));
        Value::Array(kind.into_iter().chain(named).collect())
    };
    runs.map(run).collect()
}

/// `[id, name unless its card says it, confidence, resolution unless exact, how]`.
fn encode_flat(dep: &Dep, tables: &Tables<'_>) -> Value {
    let mut out = encode_target(dep, tables);
    out.push(json!(dep.confidence.0));
    if dep.resolution != Resolution::Exact {
        out.push(encode_resolution(dep.resolution));
    }
    out.extend(encode_how(dep));
    Value::Array(out)
}

/// Runs of dependencies of equal confidence: `[confidence, resolution unless exact, target…]`. A target is a number if
/// its card states its name, else `[id, name, how]`.
fn encode_grouped(list: &[Dep], tables: &Tables<'_>) -> Value {
    let runs = list.chunk_by(|a, b| (a.confidence, a.resolution) == (b.confidence, b.resolution));
    let run = |run: &[Dep]| {
        let mut out = Vec::with_capacity(run.len() + 2);
        for dep in run {
            if out.is_empty() {
                out.push(json!(dep.confidence.0));
                if dep.resolution != Resolution::Exact {
                    out.push(encode_resolution(dep.resolution));
                }
            }
            let mut parts = encode_target(dep, tables);
            parts.extend(encode_how(dep));
            out.push(if parts.len() == 1 { parts.swap_remove(0) } else { Value::Array(parts) });
        }
        Value::Array(out)
    };
    runs.map(run).collect()
}

fn encode_target(dep: &Dep, tables: &Tables<'_>) -> Vec<Value> {
    let id = tables.id(dep.symbol_id);
    if tables.knows_name(dep.symbol_id, &dep.name) { vec![id] } else { vec![id, json!(dep.name)] }
}

fn encode_how(dep: &Dep) -> Option<Value> {
    dep.how.as_ref().map(|how| json!({"s": how.strategy, "l": how.line, "t": how.sites}))
}

/// `i` or `a`: exact is omitted.
pub(super) fn encode_resolution(resolution: Resolution) -> Value {
    json!(resolution.name().get(..1))
}

/// `[fan-in, fan-out, churn, test references, [id, name, file] of the test]`, without missing parts at the end.
fn encode_metrics(metrics: &Metrics, tables: &Tables<'_>) -> Value {
    let test = metrics
        .canonical_test
        .as_ref()
        .map(|test| json!([tables.id(test.symbol_id), test.name, tables.path(&test.file)]));
    trim_nulls(vec![
        json!(metrics.fan_in),
        json!(metrics.fan_out),
        json!(metrics.churn_30d),
        json!(metrics.test_refs),
        json!(test),
    ])
}

/// An array without the nulls at its end.
fn trim_nulls(mut values: Vec<Value>) -> Value {
    while values.last().is_some_and(Value::is_null) {
        values.pop();
    }
    Value::Array(values)
}
