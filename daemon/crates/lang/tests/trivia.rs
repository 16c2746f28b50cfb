//! Comments, white space and the choices of formatters leave the fingerprint of tokens as it is; everything else changes it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on fails")]

mod support;

use sdl_lang::{extract_facts, source_structure};
use sdl_model::Lang;
use sdl_model::facts::Outline;

fn outline(lang: Lang, text: &str) -> Outline {
    extract_facts(lang, text.as_bytes()).unwrap().outline
}

fn comments(lang: Lang, text: &str) -> Vec<std::ops::Range<usize>> {
    source_structure(lang, text.as_bytes(), &outline(lang, text)).unwrap().comments
}

/// The fingerprints of all definitions, in order.
fn tokens(lang: Lang, text: &str) -> Vec<u64> {
    outline(lang, text).defs.iter().map(|def| def.tokens).collect()
}

/// For each language: a text, the same text with another formatting and other comments, and a text that does something
/// else. They are in `trivia/`.
fn texts() -> Vec<(Lang, [String; 3])> {
    let read = |(lang, text): (Lang, String)| {
        let parts = support::parts(&text);
        let names: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["text", "formatted", "other"], "{lang:?}");
        (lang, [0, 1, 2].map(|at| format!("{}\n", parts[at].1)))
    };
    support::texts("trivia").into_iter().map(read).collect()
}

#[test]
fn formatters_and_comments_change_no_tokens() {
    for (lang, [before, formatted, other]) in texts() {
        assert_eq!(tokens(lang, &before), tokens(lang, &formatted), "{lang:?}");
        assert_ne!(tokens(lang, &before), tokens(lang, &other), "{lang:?}");
        let text =
            |text: &str| outline(lang, text).defs.iter().map(|def| def.fingerprint).collect::<Vec<_>>();
        assert_ne!(text(&before), text(&formatted), "{lang:?}: the text changed");
    }
}

#[test]
fn every_deep_language_has_a_text() {
    let known: Vec<Lang> = texts().into_iter().map(|(lang, _)| lang).collect();
    for lang in Lang::ALL.into_iter().filter(|lang| lang.has_code() && !lang.is_shallow()) {
        assert!(known.contains(&lang), "{lang:?}");
    }
}

/// The tokens don't depend on the text of a fixture's comments.
#[test]
fn comments_of_the_fixtures_are_no_tokens() {
    for file in support::all() {
        let comments = comments(file.lang, &file.source);
        let mut text = file.source.clone().into_bytes();
        for comment in comments {
            let said = &file.source[comment.clone()];
            // Tools obey these comments, or they hold definitions.
            if ["go:", "+build", "export", "#!", "frozen_string"].iter().any(|mark| said.contains(mark))
                || said.contains("@typedef")
                || said.contains("@callback")
            {
                continue;
            }
            for byte in &mut text[comment] {
                // The ends of comments and the marks of documentation are kept.
                if byte.is_ascii_lowercase() {
                    *byte = b'x';
                }
            }
        }
        let text = String::from_utf8(text).unwrap();
        let (old, new) = (outline(file.lang, &file.source), outline(file.lang, &text));
        let told = |outline: &Outline| {
            let defs = outline.defs.iter().map(|def| (outline.str(def.qualified).to_owned(), def.tokens));
            defs.collect::<Vec<_>>()
        };
        assert_eq!(told(&old), told(&new), "{}", file.path);
    }
}

/// Every letter and digit of a fixture counts, wherever it is: in a literal, in text that a mask hides from the
/// parser, in text that the parser could not read.
#[test]
fn every_edit_outside_of_comments_changes_tokens() {
    let mut edits = 0;
    // Of components, only scripts count.
    let is_whole = |lang: Lang| !matches!(lang, Lang::Manifest | Lang::Svelte | Lang::Vue);
    for file in support::all().into_iter().filter(|file| is_whole(file.lang)) {
        let comments = comments(file.lang, &file.source);
        let before = tokens(file.lang, &file.source);
        for at in (0..file.source.len()).step_by(23) {
            let commented = comments.iter().any(|comment| comment.contains(&at));
            if commented || !file.source.as_bytes()[at].is_ascii_alphanumeric() {
                continue;
            }
            let mut text = file.source.clone().into_bytes();
            text[at] = if text[at] == b'q' { b'z' } else { b'q' };
            let text = String::from_utf8(text).unwrap();
            let docstring = matches!(file.lang, Lang::Python | Lang::Elixir) && {
                let said = |text: &str| {
                    let outline = outline(file.lang, text);
                    let docs = outline.defs.iter().map(|def| def.doc.map(|doc| outline.str(doc).to_owned()));
                    docs.collect::<Vec<_>>()
                };
                said(&text) != said(&file.source)
            };
            if !docstring {
                assert_ne!(before, tokens(file.lang, &text), "{} at {at}", file.path);
                edits += 1;
            }
        }
    }
    assert!(edits > 1_000, "{edits}");
}
