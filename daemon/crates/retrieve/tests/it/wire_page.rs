//! docs/wire.md says how slices are written: its tables name every key there is, and a decoder made from it alone reads
//! every slice.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use sdl_model::{EdgeKind, Resolution, SymbolId, SymbolKind, Version};
use sdl_retrieve::card::{
    Card, CardRef, Dep, Deps, How, MemberRef, Metrics, Param, Range, SideEffect, Signature, TestRef,
};
use sdl_retrieve::diff::{BlastItem, ChangeType, ChangedSymbol, FanInTrend, SetDiff, TextDiff, Tiers};
use sdl_retrieve::numbers::{Milli, Percent};
use sdl_retrieve::slice::{FrontierItem, Link, SliceDoc, SliceEdge, WireFormat};
use sdl_retrieve::wire;
use serde_json::Value;

use crate::wires;

const PAGE: &str = include_str!("../../../../../docs/wire.md");

/// The cells of the table whose first heading is that, without the marks of code.
fn table(heading: &str) -> Vec<Vec<String>> {
    let begins = format!("| {heading} |");
    let mut rows = PAGE.lines().skip_while(|line| !line.replace('`', "").starts_with(&begins));
    assert!(rows.next().is_some(), "the page has no table {heading:?}");
    rows.skip(1)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split(" | ").map(|cell| cell.trim().replace('`', "")).collect())
        .collect()
}

/// The first column of a table: names, and which of them are always there.
fn named(heading: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut all, mut always) = (BTreeSet::new(), BTreeSet::new());
    for row in table(heading) {
        for name in row[0].split(", ") {
            let name = name.trim_end_matches('?').to_owned();
            if !row[0].contains('?') && !row[1].contains('?') {
                always.insert(name.clone());
            }
            all.insert(name);
        }
    }
    (all, always)
}

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect()
}

fn dep(number: u64) -> Dep {
    Dep {
        symbol_id: SymbolId(number),
        name: "other".into(),
        confidence: Percent(60),
        resolution: Resolution::Inferred,
        how: Some(How { strategy: "imports".into(), line: 3, sites: 2 }),
    }
}

/// A card with every field.
fn whole_card() -> Card {
    let deps = |number| vec![dep(number)];
    Card {
        symbol_id: SymbolId(1),
        name: "close".into(),
        qualified_name: "Session.close".into(),
        kind: SymbolKind::Method,
        exported: true,
        file: "src/auth.py".into(),
        range: Range { start_line: 3, start_col: Some(0), end_line: 9, end_col: Some(4) },
        signature: Some(Signature {
            params: vec![Param { name: "all".into(), ty: Some("bool".into()), optional: true }],
            returns: Some("int".into()),
            generics: Some("<T>".into()),
            header: Some("x".into()),
        }),
        summary: Some("Ends it.".into()),
        deps: Some(Deps {
            calls: deps(2),
            imports: deps(3),
            implements: deps(4),
            config: deps(5),
            refs: deps(6),
            omitted: 1,
        }),
        members: vec![MemberRef {
            symbol_id: SymbolId(10),
            name: "inner".into(),
            kind: SymbolKind::Function,
        }],
        members_omitted: 2,
        invariants: vec!["raises Closed".into()],
        side_effects: vec![SideEffect { kind: "io".into(), what: "open".into() }],
        metrics: Some(Metrics {
            fan_in: 1,
            fan_out: 2,
            churn_30d: Some(3),
            test_refs: Some(4),
            canonical_test: Some(TestRef {
                symbol_id: SymbolId(7),
                name: "t".into(),
                file: "src/auth.py".into(),
            }),
        }),
        cluster: Some("auth".into()),
        processes: vec!["main".into()],
        etag: "full-x".into(),
        ledger_version: Some(Version(5)),
    }
}

/// A card with nothing that may be missing.
fn least_card() -> Card {
    Card {
        symbol_id: SymbolId(8),
        name: "open".into(),
        qualified_name: "open".into(),
        kind: SymbolKind::Function,
        exported: false,
        file: "src/auth.py".into(),
        range: Range::default(),
        signature: None,
        summary: None,
        deps: None,
        members: Vec::new(),
        members_omitted: 0,
        invariants: Vec::new(),
        side_effects: Vec::new(),
        metrics: None,
        cluster: None,
        processes: Vec::new(),
        etag: "minimal-x".into(),
        ledger_version: None,
    }
}

fn whole_slice() -> SliceDoc {
    let edge = |to| SliceEdge {
        from: SymbolId(1),
        to: SymbolId(to),
        kind: Link::Edge(EdgeKind::Call),
        confidence: Percent(60),
        resolution: Resolution::Ambiguous,
    };
    SliceDoc {
        cards: vec![whole_card(), least_card()],
        card_refs: vec![CardRef { symbol_id: SymbolId(2), etag: "full-y".into(), range: Range::default() }],
        edges: [2, 8].into_iter().cycle().take(20).map(edge).collect(),
        frontier: vec![FrontierItem {
            symbol_id: SymbolId(9),
            name: "f".into(),
            file: "src/auth.py".into(),
            score: Milli(500),
        }],
        estimated_tokens: 300,
    }
}

#[test]
fn the_page_names_every_key_of_a_compact_slice_and_no_other() {
    let doc = whole_slice();
    let standard = wire::encode_slice(&doc, WireFormat::Standard).unwrap();
    for (number, format) in
        [(1, WireFormat::CompactV1), (2, WireFormat::CompactV2), (3, WireFormat::CompactV3)]
    {
        let compact = wire::encode_slice(&doc, format).unwrap();
        let rows = table("key of slice");
        let of_version = |row: &&Vec<String>| row[1].split(' ').any(|one| one == number.to_string());
        let described: BTreeSet<String> = rows.iter().filter(of_version).map(|row| row[0].clone()).collect();
        assert_eq!(keys(&compact), described, "version {number}");
        let cards = table("key");
        let listed = |optional: bool| -> BTreeSet<String> {
            let rows = cards.iter().filter(|row| optional || !row[0].ends_with('?'));
            rows.map(|row| row[0].trim_end_matches('?').to_owned()).collect()
        };
        assert_eq!(keys(&compact["cards"][0]), listed(true), "version {number}");
        assert_eq!(keys(&compact["cards"][1]), listed(false), "version {number}");
        let fields: BTreeSet<String> = cards.iter().map(|row| row[1].clone()).collect();
        assert_eq!(keys(&standard["cards"][0]), fields);
    }
}

#[test]
fn the_page_names_every_key_of_dependencies_and_no_other() {
    let doc = whole_slice();
    let standard = wire::encode_slice(&doc, WireFormat::Standard).unwrap();
    let compact = wire::encode_slice(&doc, WireFormat::CompactV2).unwrap();
    let rows = table("key | field of deps");
    let short: BTreeSet<String> = rows.iter().map(|row| row[0].trim_end_matches('?').to_owned()).collect();
    let long: BTreeSet<String> = rows.iter().map(|row| row[1].clone()).collect();
    assert_eq!(keys(&compact["cards"][0]["c"]), short);
    assert_eq!(keys(&standard["cards"][0]["deps"]), long);
}

/// The objects of `standard`, written on the page as `name {field, field?}`.
#[test]
fn the_page_names_every_field_of_a_standard_slice_and_no_other() {
    let standard = wire::encode_slice(&whole_slice(), WireFormat::Standard).unwrap();
    let card = &standard["cards"][0];
    let dep = &card["deps"]["calls"][0];
    let shapes = [
        ("slice", &standard),
        ("cardRef", &standard["cardRefs"][0]),
        ("edge", &standard["edges"][0]),
        ("item", &standard["frontier"][0]),
        ("range", &card["range"]),
        ("signature", &card["signature"]),
        ("param", &card["signature"]["params"][0]),
        ("deps", &card["deps"]),
        ("dep", dep),
        ("member", &card["members"][0]),
        ("effect", &card["sideEffects"][0]),
        ("metrics", &card["metrics"]),
    ];
    for (name, value) in shapes {
        let line = PAGE.lines().find(|line| line.split_whitespace().next() == Some(name)).unwrap_or_default();
        let (_, inside) = line.split_once('{').unwrap_or_else(|| panic!("the page has no {name}"));
        let mut fields = BTreeSet::new();
        let (mut depth, mut word) = (0, String::new());
        for c in inside.chars() {
            match c {
                '{' | '[' => depth += 1,
                ']' => depth -= 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                c if depth == 0 => word.push(c),
                _ => {}
            }
        }
        for field in word.split(',') {
            let field = field.split([':', '?']).next().unwrap_or_default().trim();
            fields.insert(field.to_owned());
        }
        assert_eq!(keys(value), fields, "{name}: {line}");
    }
}

#[test]
fn the_page_names_every_field_of_a_delta_and_no_other() {
    let whole = ChangedSymbol {
        symbol_id: SymbolId(1),
        change_type: ChangeType::Renamed,
        name: "a".into(),
        kind: SymbolKind::Function,
        file: "a.py".into(),
        range: Some(Range::default()),
        renamed_from: Some(SymbolId(2)),
        previous_name: Some("b".into()),
        previous_file: Some("b.py".into()),
        signature_diff: Some(TextDiff { before: "a".into(), after: "b".into() }),
        invariant_diff: Some(SetDiff::default()),
        side_effect_diff: Some(SetDiff::default()),
        body_changed: true,
        doc_changed: true,
        tiers: Tiers::STABLE,
        card: Some(least_card()),
        etag: Some("x".into()),
    };
    let least = ChangedSymbol {
        range: None,
        renamed_from: None,
        previous_name: None,
        previous_file: None,
        signature_diff: None,
        invariant_diff: None,
        side_effect_diff: None,
        doc_changed: false,
        card: None,
        etag: None,
        ..whole.clone()
    };
    let affected = BlastItem {
        symbol_id: SymbolId(1),
        name: "a".into(),
        file: "a.py".into(),
        reason: "calls b".into(),
        distance: 1,
        rank: Milli(1),
        fan_in_trend: Some(FanInTrend { previous: 1, current: 2 }),
        test_proximity: Some(Milli(1)),
        processes: vec!["main".into()],
        origin: SymbolId(2),
        is_callable: true,
    };
    let json = |value: &dyn Fn() -> serde_json::Result<Value>| value().unwrap();
    let (all, always) = named("field of a changed symbol");
    assert_eq!(keys(&json(&|| serde_json::to_value(&whole))), all);
    assert_eq!(keys(&json(&|| serde_json::to_value(&least))), always);
    assert_eq!(keys(&json(&|| serde_json::to_value(&affected))), named("field of delta.blastRadius[]").0);
}

#[test]
fn the_page_names_every_type_of_edge_and_resolution() {
    for name in EdgeKind::ALL.map(EdgeKind::name).into_iter().chain(["exact", "inferred", "ambiguous"]) {
        assert!(PAGE.contains(&format!("`{name}`")), "{name}");
    }
}

/// The decoder of tests/wire, which was written from the page.
fn decoder() -> Option<Command> {
    let python = std::env::var_os("SDL_TEST_PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    let runs = Command::new(&python).arg("--version").output().is_ok_and(|done| done.status.success());
    if !runs {
        eprintln!("SKIPPED: no Python ({} does not run)", python.display());
        return None;
    }
    let mut command = Command::new(python);
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/wire/decode_wire.py"));
    Some(command)
}

/// Slices of any content, as many as `SDL_TEST_WIRE_SLICES` says.
#[test]
fn a_decoder_made_from_the_page_reads_every_slice() {
    let Some(mut decoder) = decoder() else { return };
    let count = std::env::var("SDL_TEST_WIRE_SLICES").ok().and_then(|text| text.parse().ok()).unwrap_or(150);
    let mut runner = TestRunner::deterministic();
    let mut docs: Vec<SliceDoc> =
        (0..count).map(|_| wires::doc().new_tree(&mut runner).unwrap().current()).collect();
    docs.push(whole_slice());
    let mut text = String::new();
    for doc in &docs {
        for format in WireFormat::ALL {
            text.push_str(&wire::encode_slice(doc, format).unwrap().to_string());
            text.push('\n');
        }
    }
    let mut child = decoder.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "the decoder failed");
    writer.join().unwrap().unwrap();
    let decoded = String::from_utf8(output.stdout).unwrap();
    let mut lines = decoded.lines();
    for doc in &docs {
        let standard = wire::encode_slice(doc, WireFormat::Standard).unwrap();
        for format in WireFormat::ALL {
            let read: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
            assert_eq!(read, standard, "{format:?}: {}", wire::encode_slice(doc, format).unwrap());
        }
    }
    assert_eq!(lines.next(), None);
}
