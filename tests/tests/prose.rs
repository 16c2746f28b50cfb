//! Holds prose to `docs/style.md`: words and forms that need a translator may only become fewer, examples and reasons may
//! only become more.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "the helpers of a test fail it")]

use std::fs;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use sdl_tests::workspace;

/// Forms to avoid, and how many of each comments and pages still have. Lower a number when you removed some; never raise one.
/// Messages may have none: see [`messages_have_no_forms_to_avoid`].
const CEILINGS: &[(&str, usize)] = &[
    ("stand", 0),
    ("stands", 1),
    ("anew", 0),
    ("hardly", 0),
    ("so many", 0),
    ("told", 0),
    ("of what", 2),
    ("what is", 3),
    ("behind", 7),
    ("speaks of", 0),
    ("is left", 7),
    ("by what", 0),
    ("lies", 0),
    ("comes to", 0),
];

/// Words that introduce an example, such as this one.
const EXAMPLES: &[&str] = &["for example", "such as", "for instance", "e.g."];
/// Words that introduce a reason.
const REASONS: &[&str] = &["because"];
/// How many examples and reasons 10,000 words of comments have at least. Raise a number when there are more. In ripgrep, jj and
/// tokio they are about 13 and 14.
const LEAST_EXAMPLES: usize = 16;
const LEAST_REASONS: usize = 26;

/// Pages that explain these forms.
const ABOUT_STYLE: &[&str] = &["docs/style.md"];

/// The comments of Rust code, or a page as it is, in small letters and with single spaces.
fn prose_of(kind: &str, text: &str) -> String {
    let lines: Vec<&str> = if kind == "md" {
        text.lines().collect()
    } else {
        text.lines().filter_map(|line| line.trim_start().strip_prefix("//")).collect()
    };
    let words = lines.iter().flat_map(|line| line.trim_start_matches(['/', '!']).split_whitespace());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// How often `form` is in `prose` as whole words.
fn count_form(prose: &str, form: &str) -> usize {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    prose
        .match_indices(form)
        .filter(|(at, _)| {
            let before = prose[..*at].chars().next_back();
            let after = prose[at + form.len()..].chars().next();
            !is_word(before) && !is_word(after)
        })
        .count()
}

#[test]
fn forms_to_avoid_only_become_fewer() {
    let mut prose = String::new();
    for (path, file) in workspace::workspace_files() {
        let kind = path.rsplit_once('.').map_or("", |(_, kind)| kind);
        let is_prose = kind == "rs" || (kind == "md" && !path.starts_with("docs/actions/"));
        if is_prose && !ABOUT_STYLE.contains(&path.as_str()) {
            prose += &prose_of(kind, &fs::read_to_string(file).unwrap());
            prose.push('\n');
        }
    }
    let mut faults = Vec::new();
    for (form, ceiling) in CEILINGS {
        let found = count_form(&prose, form);
        if found > *ceiling {
            faults.push(format!("\"{form}\": {found}, at most {ceiling} were there"));
        }
        // A ceiling that nothing comes near would let forms come back.
        if found + 20 < *ceiling {
            faults.push(format!("\"{form}\": only {found} are left; lower its ceiling of {ceiling}"));
        }
    }
    assert!(faults.is_empty(), "docs/style.md says what to write instead:\n  {}", faults.join("\n  "));
}

/// The comments of all Rust code.
fn all_comments() -> String {
    let files = workspace::workspace_files();
    let rust = files.iter().filter(|(path, _)| path.rsplit_once('.').is_some_and(|(_, kind)| kind == "rs"));
    rust.map(|(_, file)| prose_of("rs", &fs::read_to_string(file).unwrap()) + "\n").collect()
}

#[test]
fn examples_and_reasons_do_not_become_fewer() {
    let prose = all_comments();
    let words = prose.split_whitespace().count();
    for (what, forms, least) in [("examples", EXAMPLES, LEAST_EXAMPLES), ("reasons", REASONS, LEAST_REASONS)]
    {
        let found: usize = forms.iter().map(|form| count_form(&prose, form)).sum();
        let share = found * 10_000 / words;
        println!("{what}: {found} in {words} words, {share} per 10,000");
        assert!(
            share >= least,
            "{what}: {found} in {words} words of comments are {share} per 10,000, fewer than {least}: name a concrete \
             value, or say why"
        );
    }
}

/// Whether a file has messages and schemas of the product.
fn has_messages(path: &str) -> bool {
    let stem = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
    let is_aside = ["tests", "examples", "testing", "benches", "fuzz", "samples"];
    path.rsplit_once('.').is_some_and(|(_, kind)| kind == "rs")
        && ["client/", "daemon/", "proto/", "shim/"].iter().any(|top| path.starts_with(top))
        && path.contains("src/")
        && !path.split('/').any(|part| is_aside.contains(&part))
        && !is_aside.contains(&stem)
        && !stem.ends_with("_tests")
}

/// Adds the string literals in `tokens` to `found`, but for documentation and `#[cfg(test)]` items.
fn collect_literals(tokens: TokenStream, found: &mut Vec<String>) {
    let mut tokens = tokens.into_iter().peekable();
    let mut is_skipping = false;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                // `#![…]`, as of a file's own documentation.
                if matches!(tokens.peek(), Some(TokenTree::Punct(mark)) if mark.as_char() == '!') {
                    tokens.next();
                }
                let attribute = match tokens.peek() {
                    Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => {
                        group.stream()
                    }
                    _ => continue,
                };
                tokens.next();
                let text = attribute.to_string();
                is_skipping |= text.starts_with("cfg") && text.contains("test");
                if !text.starts_with("doc") {
                    collect_literals(attribute, found);
                }
            }
            // The end of an item that only tests have.
            TokenTree::Group(group) if is_skipping => is_skipping = group.delimiter() != Delimiter::Brace,
            TokenTree::Punct(mark) if is_skipping => is_skipping = mark.as_char() != ';',
            TokenTree::Group(group) => collect_literals(group.stream(), found),
            TokenTree::Literal(literal) => found.extend(text_of_literal(&literal.to_string())),
            _ => {}
        }
    }
}

/// The text of a string literal as it is written, in small letters and with single spaces; none for other literals.
fn text_of_literal(literal: &str) -> Option<String> {
    let (first, last) = (literal.find('"')?, literal.rfind('"')?);
    let text = literal.get(first + 1..last)?.replace("\\\n", " ").replace("\\n", " ");
    Some(text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" "))
}

#[test]
fn messages_have_no_forms_to_avoid() {
    let mut faults = Vec::new();
    let mut count = 0;
    for (path, file) in workspace::workspace_files().into_iter().filter(|(path, _)| has_messages(path)) {
        let tokens: TokenStream = fs::read_to_string(file).unwrap().parse().expect(&path);
        let mut literals = Vec::new();
        collect_literals(tokens, &mut literals);
        // A single word is a name, such as one in a list of keywords.
        for literal in literals.iter().filter(|literal| literal.contains(' ')) {
            count += 1;
            let forms = CEILINGS.iter().filter(|(form, _)| count_form(literal, form) > 0);
            faults.extend(forms.map(|(form, _)| format!("{path}: \"{form}\" in {literal:?}")));
        }
    }
    assert!(count > 1_000, "only {count} messages were found");
    assert!(faults.is_empty(), "docs/style.md says what to write instead:\n  {}", faults.join("\n  "));
}

#[test]
fn literals_are_those_of_the_product() {
    let code = "//! \"Of the file\"\n/// \"A doc\"\n#[error(\"an error\")] fn f() { format!(\"a {}\", b\"bytes\") }\n#[cfg(test)] mod t { \"not this\" }\nconst A: &str = r#\"raw\"#;";
    let mut found = Vec::new();
    collect_literals(code.parse().unwrap(), &mut found);
    assert_eq!(found, ["an error", "a {}", "bytes", "raw"]);
}

#[test]
fn forms_are_whole_words() {
    let prose = prose_of("rs", "//! It stands\n//  anew, understands.\nlet anew = 1;\n/// Anew");
    assert_eq!(prose, "it stands anew, understands. anew");
    assert_eq!(count_form(&prose, "stands"), 1);
    assert_eq!(count_form(&prose, "anew"), 2);
}
