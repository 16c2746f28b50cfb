//! Counts against the reference implementation.

use proptest::prelude::*;
use sdl_tokens::{count_at_most, count_tokens, prefix_within};

fn reference(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

/// Characters of every class that the pattern knows, so that random texts reach its corners.
fn tricky() -> impl Strategy<Value = String> {
    let pool: Vec<char> =
        " \u{a0}\u{3000}\t\r\n/'.-_{}\"0٣Ⅷ½aZßſKéÅǅʰªñ日本語한ن\u{301}\u{200d}\u{fe0f}😀'sTrevLldm"
            .chars()
            .collect();
    prop::collection::vec(prop::sample::select(pool), 0..60).prop_map(|chars| chars.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tricky_texts(text in tricky()) {
        prop_assert_eq!(count_tokens(&text), reference(&text));
    }

    #[test]
    fn any_text(text in "\\PC{0,80}") {
        prop_assert_eq!(count_tokens(&text), reference(&text));
    }

    #[test]
    fn any_characters(text in prop::collection::vec(any::<char>(), 0..80)) {
        let text: String = text.into_iter().collect();
        prop_assert_eq!(count_tokens(&text), reference(&text));
    }

    #[test]
    fn long_words(text in "[a-zA-Z]{40,400}") {
        prop_assert_eq!(count_tokens(&text), reference(&text));
    }

    #[test]
    fn limits_are_kept(text in "\\PC{0,80}", limit in 0_usize..60) {
        let all = count_tokens(&text);
        prop_assert_eq!(count_at_most(&text, limit), Some(all).filter(|all| *all <= limit));
        let (prefix, tokens) = prefix_within(&text, limit);
        prop_assert!(tokens <= limit && text.starts_with(prefix));
        prop_assert_eq!(count_tokens(prefix), tokens);
    }
}

#[test]
fn source_files() {
    for text in [
        include_str!("exact.rs"),
        include_str!("../build.rs"),
        include_str!("../src/pieces.rs"),
        include_str!("../Cargo.toml"),
    ] {
        assert_eq!(count_tokens(text), reference(text));
    }
}

#[test]
fn json() {
    let text = r#"{"symbolId":"s_0g5k2m9x4q7tz","confidence":0.95,"range":{"startLine":1,"endLine":204},"file":"django/db/models/query.py","a":[null,true,-1.5e-9],"ü":"\u00fc\n"}"#;
    assert_eq!(count_tokens(text), reference(text));
}

#[test]
fn special_tokens_are_plain_text() {
    assert_eq!(count_tokens("<|endoftext|>"), reference("<|endoftext|>"));
}

/// The reference takes minutes for these; what counts here is that ours does not.
#[test]
fn hostile_texts_take_linear_time() {
    for unit in ["a", " ", "\n", "\n ", "A", "日", "'s", "\u{301}", "0", "=", "ab"] {
        let text = unit.repeat(300_000 / unit.len());
        let tokens = count_tokens(&text);
        assert!(tokens > 0 && tokens <= text.len());
    }
    assert_eq!(count_at_most(&"a".repeat(1_000_000), 100), None);
}

#[test]
fn long_runs_are_exact() {
    for unit in ["a", " ", "A", "=", "ab", "é"] {
        let text = unit.repeat(3_000);
        assert_eq!(count_tokens(&text), reference(&text), "{unit:?}");
    }
}

/// Run with `cargo test --release -p sdl-tokens -- --ignored --nocapture speed`.
#[test]
#[ignore = "measures; run it in release mode"]
fn speed() {
    let text = include_str!("../src/pieces.rs").repeat(400);
    let start = std::time::Instant::now();
    let tokens = count_tokens(&text);
    let seconds = start.elapsed().as_secs_f64();
    println!("{tokens} tokens, {:.0} MB/s", text.len() as f64 / 1e6 / seconds);
    for unit in ["a", " ", "ab", "="] {
        let text = unit.repeat(1_000_000 / unit.len());
        let start = std::time::Instant::now();
        let tokens = count_tokens(&text);
        println!("1 MB of {unit:?}: {tokens} tokens in {:?}", start.elapsed());
    }
}
