//! Input that nobody would write: nothing may panic, overflow the stack or take long.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests")]

mod support;

use std::sync::LazyLock;

use proptest::prelude::*;
use sdl_lang::extract;
use sdl_model::Lang;

/// Every language: those without an extractor must stand it too.
fn all(bytes: &[u8]) {
    for lang in Lang::ALL {
        let _ = extract(lang, bytes);
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
        let _ = extract(file.lang, &bytes);
    }
}
