//! Holds prose to `docs/style.md`: words and forms that need a translator may only become fewer.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "the helpers of a test fail it")]

use std::fs;

use sdl_tests::workspace;

/// Forms to avoid, and how many of each comments and pages still have. Lower a number when you removed some; never raise one.
const CEILINGS: &[(&str, usize)] = &[
    ("stand", 2),
    ("stands", 9),
    ("anew", 0),
    ("hardly", 0),
    ("so many", 5),
    ("told", 4),
    ("of what", 7),
    ("what is", 18),
    ("behind", 12),
    ("speaks of", 3),
    ("is left", 19),
    ("by what", 4),
    ("lies", 2),
    ("comes to", 2),
];

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

#[test]
fn forms_are_whole_words() {
    let prose = prose_of("rs", "//! It stands\n//  anew, understands.\nlet anew = 1;\n/// Anew");
    assert_eq!(prose, "it stands anew, understands. anew");
    assert_eq!(count_form(&prose, "stands"), 1);
    assert_eq!(count_form(&prose, "anew"), 2);
}
