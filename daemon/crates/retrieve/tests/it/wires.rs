use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use sdl_model::{Resolution, SymbolId, SymbolKind, Version};
use sdl_retrieve::card::{
    Card, CardRef, Dep, Deps, How, MemberRef, Metrics, Param, Plain, Range, SideEffect, Signature, TestRef,
};
use sdl_retrieve::numbers::{Milli, Percent};
use sdl_retrieve::slice::{self, Budget, FrontierItem, Link, SliceDoc, SliceEdge, SliceRequest, WireFormat};
use sdl_retrieve::wire;
use serde_json::{Value, json};

use crate::shop::shop;

fn id() -> impl Strategy<Value = SymbolId> {
    // Few, so that they meet.
    (0_u64..12).prop_map(|n| SymbolId(n.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[a-z]{1,6}(\\.[a-z]{1,4})?", "\\PC{0,8}"]
}

fn resolution() -> impl Strategy<Value = Resolution> {
    prop::sample::select(vec![Resolution::Exact, Resolution::Inferred, Resolution::Ambiguous])
}

fn percent() -> impl Strategy<Value = Percent> {
    (0_u8..=100).prop_map(Percent)
}

fn range() -> impl Strategy<Value = Range> {
    (0_u32..2_000, of(0_u32..80), 0_u32..2_000, of(0_u32..80)).prop_map(
        |(start_line, start_col, end_line, end_col)| Range { start_line, start_col, end_line, end_col },
    )
}

fn signature() -> impl Strategy<Value = Signature> {
    let param =
        (name(), of(name()), any::<bool>()).prop_map(|(name, ty, optional)| Param { name, ty, optional });
    (vec(param, 0..4), of(name()), of(name()), of(name()))
        .prop_map(|(params, returns, generics, header)| Signature { params, returns, generics, header })
}

fn dep() -> impl Strategy<Value = Dep> {
    let how = (name(), any::<u32>(), any::<u16>()).prop_map(|(strategy, line, sites)| How {
        strategy,
        line,
        sites,
    });
    (id(), name(), percent(), resolution(), of(how)).prop_map(
        |(symbol_id, name, confidence, resolution, how)| Dep { symbol_id, name, confidence, resolution, how },
    )
}

fn deps() -> impl Strategy<Value = Deps> {
    (vec(dep(), 0..4), vec(dep(), 0..3), vec(dep(), 0..2), vec(dep(), 0..2), vec(dep(), 0..2), 0_u32..3)
        .prop_map(|(calls, imports, implements, config, refs, omitted)| Deps {
            calls,
            imports,
            implements,
            config,
            refs,
            omitted,
        })
}

fn metrics() -> impl Strategy<Value = Metrics> {
    let test = (id(), name(), name()).prop_map(|(symbol_id, name, file)| TestRef { symbol_id, name, file });
    (any::<u64>(), any::<u64>(), of(any::<u32>()), of(any::<u32>()), of(test)).prop_map(
        |(fan_in, fan_out, churn_30d, test_refs, canonical_test)| Metrics {
            fan_in,
            fan_out,
            churn_30d,
            test_refs,
            canonical_test,
        },
    )
}

fn card() -> impl Strategy<Value = Card> {
    let effect = (name(), name()).prop_map(|(kind, what)| SideEffect { kind, what });
    let identity = (
        id(),
        name(),
        name(),
        prop::sample::select(SymbolKind::ALL.to_vec()),
        any::<bool>(),
        name(),
        range(),
    );
    let kind = || prop::sample::select(SymbolKind::ALL.to_vec());
    let member =
        (id(), name(), kind()).prop_map(|(symbol_id, name, kind)| MemberRef { symbol_id, name, kind });
    let members = (vec(member, 0..5), 0_u32..3);
    let told = (of(signature()), of(name()), of(deps()), members, vec(name(), 0..3), vec(effect, 0..3));
    let numbers = (of(metrics()), of(name()), vec(name(), 0..2), name(), of(any::<u64>()));
    (identity, told, numbers).prop_map(|(identity, told, numbers)| Card {
        symbol_id: identity.0,
        name: identity.1,
        qualified_name: identity.2,
        kind: identity.3,
        exported: identity.4,
        file: identity.5,
        range: identity.6,
        signature: told.0,
        summary: told.1,
        deps: told.2,
        members: told.3.0,
        members_omitted: told.3.1,
        invariants: told.4,
        side_effects: told.5,
        metrics: numbers.0,
        cluster: numbers.1,
        processes: numbers.2,
        etag: numbers.3,
        ledger_version: numbers.4.map(Version),
    })
}

/// A slice of any content.
pub(crate) fn doc() -> impl Strategy<Value = SliceDoc> {
    let held =
        (id(), name(), range()).prop_map(|(symbol_id, etag, range)| CardRef { symbol_id, etag, range });
    let edge = (id(), id(), prop::sample::select(Link::all().collect::<Vec<_>>()), percent(), resolution())
        .prop_map(|(from, to, kind, confidence, resolution)| SliceEdge {
            from,
            to,
            kind,
            confidence,
            resolution,
        });
    let item = (id(), name(), name(), 0_u32..5_000).prop_map(|(symbol_id, name, file, score)| FrontierItem {
        symbol_id,
        name,
        file,
        score: Milli(score),
    });
    (vec(card(), 0..5), vec(held, 0..3), vec(edge, 0..12), vec(item, 0..4), any::<u32>()).prop_map(
        |(cards, card_refs, edges, frontier, estimated_tokens)| {
            let mut doc = SliceDoc { cards, card_refs, edges, frontier, estimated_tokens };
            doc.sort_edges();
            doc
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_format_decodes_to_the_same_slice(doc in doc()) {
        for format in WireFormat::ALL {
            let json = wire::encode_slice(&doc, format).unwrap();
            let text = serde_json::to_string(&json).unwrap();
            let read: Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(&wire::decode_slice(&read).unwrap(), &doc, "{:?}: {}", format, text);
        }
    }

    /// Whatever is put in the place of any part, decoding ends with a slice or an error.
    #[test]
    fn damaged_slices_are_refused(doc in doc(), at in any::<prop::sample::Index>(), format in 1_usize..4) {
        let json = wire::encode_slice(&doc, WireFormat::ALL[format]).unwrap();
        let text = serde_json::to_string(&json).unwrap();
        let at = at.index(text.len());
        for damage in ["null", "[]", "-1", "\"\"", "99999999999"] {
            let Some((before, after)) = text.split_at_checked(at) else { continue };
            let after = after.split_once([',', ']', '}']).map_or("", |(_, after)| after);
            if let Ok(value) = serde_json::from_str::<Value>(&format!("{before}{damage},{after}")) {
                let _ = wire::decode_slice(&value);
            }
        }
    }
}

#[test]
fn each_format_is_smaller_than_the_last() {
    let ledger = shop();
    let head = ledger.head();
    for text in
        ["cart checkout price discount", "warehouse stock reserve", "test checkout of carts and prices"]
    {
        let mut sizes = Vec::new();
        let request = SliceRequest {
            task_text: Some(text.into()),
            budget: Budget { max_cards: 20, max_estimated_tokens: 100_000 },
            ..SliceRequest::default()
        };
        let slice = slice::build_slice(&head.source(), &request, &Plain).unwrap();
        for format in WireFormat::ALL {
            let json = wire::encode_slice(&slice.doc, format).unwrap();
            sizes.push(sdl_tokens::count_tokens(&serde_json::to_string(&json).unwrap()));
        }
        assert!(sizes.windows(2).all(|pair| pair[0] > pair[1]), "{text}: {sizes:?}");
        let text = sdl_tokens::count_tokens(&wire::slice_text(&slice.doc));
        assert!(text < sizes[3], "text {text}, {sizes:?}");
    }
}

#[test]
fn the_formats_of_one_slice() {
    let ledger = shop();
    let head = ledger.head();
    let request = SliceRequest {
        entry_symbols: vec![head.id("shop/pricing.py", "total_price")],
        budget: Budget { max_cards: 3, max_estimated_tokens: 4_000 },
        ..SliceRequest::default()
    };
    let slice = slice::build_slice(&head.source(), &request, &Plain).unwrap();
    let mut shown = wire::slice_text(&slice.doc);
    for format in WireFormat::ALL {
        let json = wire::encode_slice(&slice.doc, format).unwrap();
        shown = format!("{shown}\n{format:?}\n{}\n", serde_json::to_string(&json).unwrap());
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn other_values_are_refused() {
    for value in [json!(null), json!({}), json!({"v": 2}), json!({"v": 9}), json!([1])] {
        assert!(wire::decode_slice(&value).is_err(), "{value}");
    }
}
