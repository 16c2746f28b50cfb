//! A page is a part of the whole ranking, however few postings its search read.

use proptest::prelude::*;
use sdl_model::SymbolKind;
use sdl_retrieve::search::{Hit, SearchRequest, SearchResponse, search_symbols};

use crate::ledger::MemoryLedger;

/// More symbols than any ledger here has, so every posting is read.
const ALL: usize = 1_000;
/// From the most common to the rarest in these ledgers.
const WORDS: [&str; 6] = ["apple", "zebra", "quagga", "lemur", "otter", "ibis"];

fn find(ledger: &MemoryLedger, request: &SearchRequest) -> SearchResponse {
    search_symbols(&ledger.head().source(), request).unwrap()
}

fn ledger_of(files: &[(&str, &str)]) -> MemoryLedger {
    let mut ledger = MemoryLedger::new("");
    let files: Vec<_> = files.iter().map(|(path, text)| (*path, Some(text.as_bytes()))).collect();
    ledger.write(&files);
    ledger
}

/// Constants with this word, for example `zebra_1`.
fn constants(word: &str, count: usize) -> String {
    (0..count).map(|n| format!("{word}_{n} = {n}\n")).collect()
}

/// One to three words, mostly common ones, for example `apple_lemur`.
fn name() -> impl Strategy<Value = String> {
    let word = (0..36_usize).prop_map(|n| WORDS[5 - (n as f64).sqrt() as usize % 6]);
    proptest::collection::vec(word, 1..4).prop_map(|words| words.join("_"))
}

/// A constant, or a function whose body uses another name.
fn definition() -> impl Strategy<Value = (String, Option<String>)> {
    (name(), proptest::option::of(name()))
}

fn text_of(definitions: &[(String, Option<String>)]) -> String {
    let lines = definitions.iter().enumerate().map(|(n, (name, used))| match used {
        None => format!("{name}_{n} = {n}\n"),
        Some(used) => format!("def {name}_{n}():\n    return {used}({n})\n"),
    });
    lines.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_page_is_a_part_of_the_whole_ranking(
        definitions in proptest::collection::vec(definition(), 200..500),
        query in name(),
        limit in 1..5_usize,
        only_functions in any::<bool>(),
    ) {
        let ledger = ledger_of(&[("a/b.py", &text_of(&definitions))]);
        let kinds = if only_functions { vec![SymbolKind::Function] } else { Vec::new() };
        let request = |limit| SearchRequest { limit, kinds: kinds.clone(), ..SearchRequest::new(&query) };
        let all = find(&ledger, &request(ALL));
        prop_assert!(!all.total_at_least && all.total == all.results.len() as u64);
        let mut page = request(limit);
        for wanted in all.results.chunks(limit).take(3) {
            let found = find(&ledger, &page);
            prop_assert_eq!(&found.results, wanted);
            prop_assert!(found.total <= all.total);
            prop_assert_eq!(found.cursor.is_some() || found.total == all.total, true);
            page.cursor = found.cursor;
        }
    }
}

#[test]
fn a_common_word_is_read_only_where_it_may_matter() {
    let (zebras, apples) = (constants("zebra", 3_000), constants("apple", 3_500));
    let ledger =
        ledger_of(&[("a/zebras.py", &zebras), ("b/apples.py", &apples), ("c/both.py", "zebra_apple = 1\n")]);

    let first = find(&ledger, &SearchRequest { limit: 1, ..SearchRequest::new("zebra_apple") });
    assert_eq!(first.results[0].name, "zebra_apple");
    // With the module `zebras`.
    assert_eq!((first.total, first.total_at_least), (3_002, true));
    assert!(first.cursor.is_some());

    // A page of this size takes more look-ups than there are postings.
    let whole = find(&ledger, &SearchRequest { limit: ALL, ..SearchRequest::new("zebra apple") });
    assert_eq!((whole.total, whole.total_at_least), (6_503, false));

    // The files of a filter may have no rarer word.
    let below =
        SearchRequest { limit: 1, path_glob: Some("b/**".to_owned()), ..SearchRequest::new("zebra_apple") };
    let below = find(&ledger, &below);
    assert_eq!((below.results[0].file.as_str(), below.total), ("b/apples.py", 3_501));
}

#[test]
fn common_words_find_no_others_where_rarer_ones_find_many() {
    let (zebras, apples) = (constants("zebra", 10_000), constants("apple", 10_500));
    let ledger = ledger_of(&[
        ("a/zebras.py", &zebras),
        ("b/apples.py", &apples),
        ("c/both.py", "zebra_apple = 1\n"),
        ("c/quagga.py", "quagga = 1\n"),
    ]);
    let has = |hit: &Hit, word: &str| hit.name.contains(word);

    let many = find(&ledger, &SearchRequest { limit: ALL, ..SearchRequest::new("zebra apple") });
    assert_eq!(many.results[0].name, "zebra_apple");
    assert!((10_001..10_100).contains(&many.total) && !many.total_at_least, "{}", many.total);
    assert!(many.results.iter().all(|hit| has(hit, "zebra")));

    let few = find(&ledger, &SearchRequest { limit: ALL, ..SearchRequest::new("quagga apple") });
    assert!(few.total > 10_500 && few.results.iter().any(|hit| has(hit, "apple_1")));
}
