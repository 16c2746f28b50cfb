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
/// else.
const TEXTS: &[(Lang, &str, &str, &str)] = &[
    (
        Lang::Bash,
        "f() {\n  local a=\"x y\"\n  if [ -n \"$a\" ]; then\n    echo \"$a\"\n  fi\n}\n",
        "# Says it.\nf() {\n\tlocal a=\"x y\"   # the text\n\tif [ -n \"$a\" ]; then\n\t\techo   \"$a\"\n\tfi\n}\n",
        "f() {\n  local a=\"x  y\"\n  if [ -n \"$a\" ]; then\n    echo \"$a\"\n  fi\n}\n",
    ),
    (
        Lang::C,
        "#define TWICE(x) ((x) * 2)\nint f(int a, int b) {\n  char c = ' ';\n  return TWICE(a) + b + c;\n}\n",
        "#define TWICE(x) ((x) * 2)\n/* Adds. */\nint f(int a,\n      int b)\n{\n    // blank\n    char c = ' ';\n    return TWICE(a) + b\n           + c;\n}\n",
        "#define TWICE(x) ((x) * 2)\nint f(int a, int b) {\n  char c = '\t';\n  return TWICE(a) + b + c;\n}\n",
    ),
    (
        Lang::Cpp,
        "class API A {\n public:\n  int f(int a) const { return std::vector<int>{a, 1}.size(); }\n};\n",
        "/// A.\nclass API A\n{\npublic:\n    int f(int a) const\n    {\n        return std::vector<int>{\n            a,\n            1, // one\n        }.size();\n    }\n};\n",
        "class API A {\n public:\n  int f(int a) { return std::vector<int>{a, 1}.size(); }\n};\n",
    ),
    (
        Lang::CSharp,
        "class A { public int F(int a) { return G($\"a {a}\", new[] { 1, 2 }); } }\n",
        "/// <summary>A.</summary>\nclass A\n{\n    public int F(int a)\n    {\n        return G($\"a {a}\", new[] { 1, 2, }); // two\n    }\n}\n",
        "class A { public int F(int a) { return G($\"a {a + 1}\", new[] { 1, 2 }); } }\n",
    ),
    (
        Lang::Go,
        "package a\n\nfunc F(a int) []string {\n\tif a > 0 { return []string{\"a b\"} }\n\treturn nil\n}\n",
        "package a\n\n// F is one.\nfunc F(a int) []string {\n    if a > 0 {\n        // more\n        return []string{\n            \"a b\",\n        }\n    }\n\n    return nil\n}\n",
        "package a\n\nfunc F(a int) []string {\n\tif a > 0 { return []string{\"a  b\"} }\n\treturn nil\n}\n",
    ),
    (
        Lang::Java,
        "class A { int f(int a) { char c = ' '; return g(a, c); } }\n",
        "/** A. */\nclass A {\n\n    int f(int a) {\n        char c = ' '; // blank\n        return g(\n            a,\n            c);\n    }\n}\n",
        "class A { int f(int a) { char c = 'x'; return g(a, c); } }\n",
    ),
    (
        Lang::JavaScript,
        "export function f(a) {\n  const b = [a, 'x']\n  return () => { g(b, `a ${a}`) }\n}\n",
        "/** F. */\nexport function f(a) {\n    const b = [\n        a,\n        \"x\",\n    ];\n    // later\n    return () => {\n        g(b, `a ${a}`);\n    };\n}\n",
        "export function f(a) {\n  const b = [a, 'x']\n  return () => { g(b, `a  ${a}`) }\n}\n",
    ),
    (
        Lang::Kotlin,
        "fun f(a: Int): List<String> { return listOf(\"a $a\", \"b\") }\n",
        "/** F. */\nfun f(\n    a: Int,\n): List<String> {\n    // two\n    return listOf(\n        \"a $a\",\n        \"b\",\n    )\n}\n",
        "fun f(a: Int): List<String> { return listOf(\"a $a \", \"b\") }\n",
    ),
    (
        Lang::Php,
        "<?php\nfunction f(int $a): array { return ['a' => $a, 'b' => \"x $a\"]; }\n",
        "<?php\n/** F. */\nfunction f(int $a): array\n{\n    # two\n    return [\n        'a' => $a,\n        'b' => \"x $a\",\n    ];\n}\n",
        "<?php\nfunction f(int $a): array { return ['a' => $a, 'b' => 'x $a']; }\n",
    ),
    (
        Lang::Python,
        "def f(a, b=1):\n    if a:\n        g(a)\n        g('x')\n    return [a, b]\n",
        "def f(\n  a,\n  b=1,\n):\n  \"\"\"F.\"\"\"\n  if a:  # sure\n    g(a)\n\n    g(\"x\")\n  # done\n  return [\n    a,\n    b,\n  ]\n",
        "def f(a, b=1):\n    if a:\n        g(a)\n    g('x')\n    return [a, b]\n",
    ),
    (
        Lang::Ruby,
        "class A\n  def f(a)\n    return 1 if a\n    g(\"x #{a}\", [a, 1])\n  end\nend\n",
        "# A.\nclass A\n    def f(a)\n        return 1 if a # early\n\n        g(\n            \"x #{a}\",\n            [a, 1]\n        )\n    end\nend\n",
        "class A\n  def f(a)\n    return 1 if a\n    g('x #{a}', [a, 1])\n  end\nend\n",
    ),
    (
        Lang::Rust,
        "pub fn f(a: u8) -> Vec<u8> { let b = g(a, 1); vec![b, ' ' as u8] }\n",
        "/// F.\npub fn f(\n    a: u8,\n) -> Vec<u8> {\n    let b = g(\n        a,\n        1, // one\n    );\n    vec![b, ' ' as u8]\n}\n",
        "pub fn f(a: u8) -> Vec<u8> { let b = g(a, 1); vec![b, ' ' as u8]; }\n",
    ),
    (
        Lang::Tsx,
        "export function F(a: Props) { return <b x={a.x} y='1'>{g(a)}</b> }\n",
        "/** F. */\nexport function F(a: Props) {\n    // bold\n    return <b x={a.x} y=\"1\">{g(a)}</b>;\n}\n",
        "export function F(a: Props) { return <b x={a.x} y='2'>{g(a)}</b> }\n",
    ),
    (
        Lang::TypeScript,
        "export class A { private b: string = 'x'; f(a?: number): void { for (;;) { g(a) } } }\n",
        "/** A. */\nexport class A {\n    private b: string = \"x\"\n\n    f(a?: number): void {\n        for (;;) {\n            g(a); // on\n        }\n    }\n}\n",
        "export class A { private b: string = 'x'; f(a?: number): void { for (;b;) { g(a) } } }\n",
    ),
    (
        Lang::Svelte,
        "<script lang=\"ts\">\nexport function f(a: A) { return g(a, 'x y') }\n</script>\n",
        "<script lang=\"ts\">\n// F.\nexport function f(\n  a: A,\n) {\n  return g(a, \"x y\");\n}\n</script>\n",
        "<script lang=\"ts\">\nexport function f(a: A) { return g(a, 'x  y') }\n</script>\n",
    ),
    (
        Lang::Vue,
        "<script lang=\"ts\">\nexport function f(a: A) { return g(a, 'x y') }\n</script>\n",
        "<script lang=\"ts\">\n// F.\nexport function f(\n  a: A,\n) {\n  return g(a, \"x y\");\n}\n</script>\n",
        "<script lang=\"ts\">\nexport function f(a: A) { return g(a, 'x  y') }\n</script>\n",
    ),
];

#[test]
fn formatters_and_comments_change_no_tokens() {
    for (lang, before, formatted, other) in TEXTS {
        assert_eq!(tokens(*lang, before), tokens(*lang, formatted), "{lang:?}");
        assert_ne!(tokens(*lang, before), tokens(*lang, other), "{lang:?}");
        let text = |text| outline(*lang, text).defs.iter().map(|def| def.fingerprint).collect::<Vec<_>>();
        assert_ne!(text(before), text(formatted), "{lang:?}: the text changed");
    }
}

#[test]
fn every_deep_language_has_a_text() {
    for file in support::all() {
        let is_exempt = file.lang == Lang::Manifest || file.lang.is_shallow();
        let known = is_exempt || TEXTS.iter().any(|(lang, ..)| *lang == file.lang);
        assert!(known, "{:?}", file.lang);
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
