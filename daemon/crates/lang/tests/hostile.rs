//! Input that nobody would write: nothing may panic, overflow the stack or take long.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests")]

mod support;

use std::sync::LazyLock;

use proptest::prelude::*;
use sdl_lang::extract_facts;
use sdl_model::Lang;

/// Every language: those without an extractor must survive it too.
fn all(bytes: &[u8]) {
    for lang in Lang::ALL {
        let _ = extract_facts(lang, bytes);
    }
}

#[test]
fn deep_nesting() {
    // Fifteen languages take each of these, unoptimized; the end-to-end tests have a file five times as deep.
    const DEPTH: usize = 20_000;
    for (open, close) in
        [("(", ")"), ("[", "]"), ("{", "}"), ("f(", ")"), ("a.", ""), ("-", ""), ("x = ", ""), ("not ", "")]
    {
        all(format!("{}1{}", open.repeat(DEPTH), close.repeat(DEPTH)).as_bytes());
        all(open.repeat(DEPTH).as_bytes());
        all(format!("x = {}1{}", open.repeat(DEPTH), close.repeat(DEPTH)).as_bytes());
    }
    all("class A:\n".repeat(DEPTH).as_bytes());
    all("lambda: ".repeat(DEPTH).as_bytes());
    all("if a:\n".repeat(DEPTH).as_bytes());
}

#[test]
fn wide_input() {
    const WIDTH: usize = 20_000;
    all(format!("x = [{}]", "f(a.b), ".repeat(WIDTH)).as_bytes());
    all("a = 1\n".repeat(WIDTH).as_bytes());
    all("def f(): pass\n".repeat(WIDTH / 5).as_bytes());
    let fields: String = (0..WIDTH / 5)
        .flat_map(|n| ["        self.a".to_owned(), n.to_string(), " = x\n".to_owned()])
        .collect();
    all(format!("class A:\n    def __init__(self, x):\n{fields}").as_bytes());
}

#[test]
fn odd_bytes() {
    for bytes in [
        &b""[..],
        b"\n",
        b"\r\n\r\n",
        b"\xef\xbb\xbfx = 1\n",
        b"x = '\xff\xfe'\ndef f\xe9(): pass\n",
        b"\0",
        b"\xff",
    ] {
        all(bytes);
    }
}

static FILES: LazyLock<Vec<support::File>> = LazyLock::new(support::all);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn arbitrary_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        all(&bytes);
    }

    #[test]
    fn mutilated_source(
        which in any::<prop::sample::Index>(),
        cuts in proptest::collection::vec((any::<prop::sample::Index>(), 0_usize..40, any::<Option<u8>>()), 0..12),
    ) {
        let file = which.get(&FILES);
        let mut bytes = file.source.clone().into_bytes();
        for (at, len, put) in cuts {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            let end = (at + len).min(bytes.len());
            bytes.splice(at..end, put);
        }
        let _ = extract_facts(file.lang, &bytes);
    }
}

/// A scanner that looks up characters in a table of 256 reads beyond it for these.
#[test]
fn characters_far_beyond_a_table() {
    for far in ['\u{4e00}', '\u{1f600}', '\u{e0100}', '\u{10ffff}'] {
        all(format!("echo {{{far}..1}} {{1{far}}} {{1..{far}}}\n").as_bytes());
    }
}

/// Nests so deeply that a scanner saves its state with a byte more than there is room for.
#[test]
fn scanners_that_save_too_much() {
    for parity in 0..2 {
        // Python: an indent is two bytes, an open string is one.
        let mut nested: String = (0..600).map(|n| format!("{}if a:\n", " ".repeat(n))).collect();
        nested.push_str(&format!(
            "{}x = {}a{}\n",
            " ".repeat(600),
            "f'{".repeat(parity),
            "}'".repeat(parity)
        ));
        let _ = extract_facts(Lang::Python, nested.as_bytes());
    }
    // Ruby: a heredoc is four bytes and its name; all lengths meet the end of the room in every way.
    for name in 1..24 {
        let open = format!("<<{}, ", "A".repeat(name)).repeat(2_000 / (name + 4));
        let _ = extract_facts(Lang::Ruby, format!("f({open}1)\n").as_bytes());
    }
    let long = "A".repeat(300);
    let text = format!("class B\n  def f\n    x = <<{long}\ntext\n{long}\n  end\nend\n");
    let facts = extract_facts(Lang::Ruby, text.as_bytes()).unwrap();
    assert!(facts.outline.iter().any(|(_, def)| facts.outline.str(def.qualified) == "B"));
}
