//! The names that a search pattern means.
//!
//! Only names that are whole in the pattern count, and only if nothing else is: `fn parse\(` means `parse`, and so does `\bparse\b`. `parse.*`,
//! `[Pp]arse` and `cannot parse` mean no name that is known.

/// Bytes of a pattern that is looked at.
const MOST_PATTERN: usize = 300;
/// Alternatives of such a pattern.
const MOST_ALTERNATIVES: usize = 3;
/// Letters that a name has at least.
const LEAST_NAME: usize = 3;

/// Words before a definition or a use, in the languages that people search.
const KEYWORDS: &[&str] = &[
    "abstract",
    "async",
    "await",
    "class",
    "const",
    "constexpr",
    "data",
    "def",
    "default",
    "enum",
    "export",
    "extends",
    "extern",
    "final",
    "fn",
    "from",
    "fun",
    "func",
    "function",
    "impl",
    "implements",
    "import",
    "inline",
    "interface",
    "internal",
    "let",
    "module",
    "mut",
    "namespace",
    "new",
    "object",
    "open",
    "override",
    "package",
    "private",
    "protected",
    "protocol",
    "pub",
    "public",
    "readonly",
    "record",
    "return",
    "sealed",
    "self",
    "static",
    "struct",
    "super",
    "this",
    "throw",
    "throws",
    "trait",
    "type",
    "typedef",
    "union",
    "unsafe",
    "use",
    "using",
    "val",
    "var",
    "virtual",
    "void",
    "yield",
];

/// A name that was searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    /// As code writes it: `parse`, `Session.close`, `walk::build`.
    pub(super) name: String,
    /// Whether it is a word as in any text, such as `error`.
    pub(super) is_word: bool,
}

/// The names that a regular expression searches for.
pub(super) fn names_in_pattern(pattern: &str) -> Vec<Wanted> {
    if pattern.len() > MOST_PATTERN {
        return Vec::new();
    }
    let Some(alternatives) = split_alternatives(strip_group(pattern)) else { return Vec::new() };
    let names: Option<Vec<Wanted>> = alternatives.iter().map(|one| name_in(one)).collect();
    let mut names = names.unwrap_or_default();
    names.dedup();
    names
}

/// The names that the names of files have, which a pattern such as `**/UserService.*` searches for.
pub(super) fn names_in_glob(glob: &str) -> Vec<Wanted> {
    let file = glob.rsplit('/').next().unwrap_or(glob);
    let stem = file.split('.').next().unwrap_or(file);
    if glob.len() > MOST_PATTERN || !is_identifier(stem) || stem.len() < LEAST_NAME {
        return Vec::new();
    }
    vec![Wanted { name: stem.to_owned(), is_word: is_plain_word(stem) }]
}

/// The pattern in a group that is all of it, such as `\b(a|b)\b`.
fn strip_group(pattern: &str) -> &str {
    let trimmed = pattern.trim();
    let inner = trimmed.strip_prefix(r"\b").unwrap_or(trimmed);
    let inner = inner.strip_suffix(r"\b").unwrap_or(inner);
    let inside = inner.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let inside = inside.map(|inside| inside.strip_prefix("?:").unwrap_or(inside));
    match inside {
        // The brackets belong together only if there are no others.
        Some(inside) if !inside.contains(['(', ')', '\\', '[']) => inside,
        _ => trimmed,
    }
}

/// The alternatives of a pattern. None if there are too many, or some in a group.
fn split_alternatives(pattern: &str) -> Option<Vec<String>> {
    let mut all = vec![String::new()];
    let (mut depth, mut is_class) = (0_usize, false);
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '|' if !is_class && depth == 0 => {
                all.push(String::new());
                continue;
            }
            '|' if !is_class => return None,
            '[' => is_class = true,
            ']' => is_class = false,
            '(' if !is_class => depth += 1,
            ')' if !is_class => depth = depth.saturating_sub(1),
            _ => {}
        }
        let last = all.last_mut()?;
        last.push(letter);
        if letter == '\\' {
            last.extend(letters.next());
        }
    }
    (all.len() <= MOST_ALTERNATIVES).then_some(all)
}

/// Marks a place in a pattern at which there may be anything.
const ANYTHING: char = '\0';

/// The pattern as the text that it matches. None if letters of it are optional or repeated.
fn literal_text(pattern: &str) -> Option<String> {
    let mut text = String::with_capacity(pattern.len());
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next()? {
                's' => {
                    text.push(' ');
                    letters.next_if(|next| matches!(next, '*' | '+'));
                }
                'w' | 'd' | 'W' | 'D' | 'S' | 'p' | 'x' | 'u' => {
                    text.push(ANYTHING);
                    letters.next_if(|next| matches!(next, '*' | '+'));
                }
                escaped if escaped.is_alphanumeric() => text.push(' '),
                '<' | '>' => text.push(' '),
                escaped => text.push(escaped),
            },
            '^' | '$' => text.push(' '),
            '.' if letters.next_if(|next| matches!(next, '*' | '+')).is_some() => {
                letters.next_if_eq(&'?');
                text.push(ANYTHING);
            }
            // Whoever writes `Session.close` means the dot.
            '.' => text.push('.'),
            '[' => {
                letters.by_ref().find(|letter| *letter == ']')?;
                text.push(ANYTHING);
                letters.next_if(|next| matches!(next, '*' | '+' | '?'));
            }
            '(' if letters.peek() == Some(&'?') => return None,
            // After a blank they repeat the blank.
            '*' | '+' | '?' if text.ends_with(' ') => {}
            '*' | '+' | '?' | '{' if text.ends_with(is_part) => return None,
            other => text.push(other),
        }
    }
    Some(text)
}

/// The only name in a pattern without alternatives.
fn name_in(pattern: &str) -> Option<Wanted> {
    let text = literal_text(pattern)?;
    let is_call = text.contains('(');
    let mut found: Option<&str> = None;
    let mut is_defined = false;
    // Brackets and operators end names; what may be anything does not.
    let is_between = |letter: char| letter.is_whitespace() || "(){}<>[]=,;&*!\"'`@+/%|~^?".contains(letter);
    for word in text.split(is_between) {
        let word = word.trim_end_matches([':', '.', '-']).trim_start_matches(['.', ':', '#', '-', '$']);
        if word.is_empty() || word == ANYTHING.to_string() {
            continue;
        }
        if KEYWORDS.contains(&word) {
            is_defined = true;
        } else if !is_path(word) || found.replace(word).is_some() {
            return None;
        }
    }
    let name = found?.replace("->", ".").replace('#', ".");
    let name = ["self.", "this.", "cls."].iter().find_map(|own| name.strip_prefix(own)).unwrap_or(&name);
    let last = name.rsplit(['.', ':']).next().unwrap_or(name);
    let is_word = !is_call && !is_defined && is_plain_word(name);
    (last.len() >= LEAST_NAME).then(|| Wanted { name: name.to_owned(), is_word })
}

/// Whether it is names with separators between them.
fn is_path(word: &str) -> bool {
    let separated = word.replace("::", ".").replace("->", ".").replace('#', ".");
    separated.split('.').all(is_identifier)
}

fn is_identifier(word: &str) -> bool {
    !word.is_empty() && !word.starts_with(|first: char| first.is_ascii_digit()) && word.chars().all(is_part)
}

/// Whether a character may be in a name.
fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn is_plain_word(word: &str) -> bool {
    let rest = word.strip_prefix(|first: char| first.is_ascii_alphabetic()).unwrap_or(word);
    rest.chars().all(|letter| letter.is_ascii_lowercase())
        || word.chars().all(|letter| letter.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str) -> Vec<String> {
        names_in_pattern(pattern).into_iter().map(|wanted| wanted.name).collect()
    }

    #[test]
    fn whole_names_are_found() {
        for (pattern, names) in [
            ("validate_token", &["validate_token"][..]),
            (r"\bvalidateToken\b", &["validateToken"]),
            (r"def\s+validate_token\(", &["validate_token"]),
            (r"^\s*pub(crate) fn find_repo", &[]),
            (r"fn find_repo\(.*\)", &["find_repo"]),
            (r"\.close\(\)", &["close"]),
            ("Session.close", &["Session.close"]),
            (r"Session\.close", &["Session.close"]),
            ("walk::build", &["walk::build"]),
            ("self.store", &["store"]),
            ("class Cart:", &["Cart"]),
            (r"import .*Cart", &[]),
            ("Cart|Session", &["Cart", "Session"]),
            (r"\b(Cart|Session)\b", &["Cart", "Session"]),
            (r"new Cart\(", &["Cart"]),
            ("checkout(", &["checkout"]),
            ("Größe_der_Welt", &["Größe_der_Welt"]),
        ] {
            assert_eq!(found(pattern), names, "{pattern}");
        }
    }

    #[test]
    fn parts_of_names_and_texts_are_not() {
        for pattern in [
            "",
            "a",
            "id",
            "validate.*",
            ".*Token",
            "[Vv]alidate",
            r"valid\w+",
            "validates?",
            "cannot open file",
            "TODO: fix",
            "a|b|c|dee|eff",
            "(get|set)_user",
            "(?i)token",
            "404",
            r"\d+",
            "user-agent",
            "https://example.com/x",
            "\\",
            "[",
            "\u{1b}]52;c;x",
        ] {
            assert_eq!(found(pattern), <[String; 0]>::default(), "{pattern}");
        }
    }

    #[test]
    fn words_of_any_text_are_marked() {
        for (pattern, is_word) in [
            ("error", true),
            ("Error", true),
            ("TODO", true),
            ("error(", false),
            ("class Error", false),
            ("parseAll", false),
        ] {
            assert_eq!(names_in_pattern(pattern)[0].is_word, is_word, "{pattern}");
        }
    }

    #[test]
    fn files_are_named_like_what_they_define() {
        let found =
            |glob: &str| names_in_glob(glob).into_iter().map(|wanted| wanted.name).collect::<Vec<_>>();
        assert_eq!(found("**/UserService.java"), ["UserService"]);
        assert_eq!(found("src/user_service.*"), ["user_service"]);
        for glob in ["**/*.rs", "src/**", "**/*Service*", "a.py", ""] {
            assert_eq!(found(glob), <[String; 0]>::default(), "{glob}");
        }
    }
}
