//! What literals in a query imply: whoever writes a path means a file.

use crate::words;

/// Ends of names that are domains rather than files.
const DOMAINS: [&str; 6] = ["com", "edu", "gov", "io", "net", "org"];
/// Longer ends of a name, such as that of `e.g.something`, are no file type.
const LONGEST_TYPE: usize = 5;

/// Returns the terms that the literals of a query imply, without those of other kinds of text.
pub(crate) fn hints_of(text: &str) -> Vec<String> {
    let mut hints: Vec<String> = Vec::new();
    let pieces: Vec<&str> = text.split_whitespace().collect();
    for (at, piece) in pieces.iter().enumerate() {
        let after = pieces.get(at + 1).copied().unwrap_or_default();
        for term in words::terms_of(implied_by(piece, after)) {
            if !hints.contains(&term) {
                hints.push(term);
            }
        }
    }
    hints
}

fn implied_by(piece: &str, after: &str) -> &'static str {
    let bare =
        piece.trim_matches(|c: char| matches!(c, ',' | ';' | '!' | '?' | '(' | ')' | '"' | '\'' | '`' | ':'));
    let bare = bare.strip_suffix('.').unwrap_or(bare);
    if ["http://", "https://", "www."].iter().any(|start| starts_with(bare, start)) {
        "url web page"
    } else if bare.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.')) {
        "email"
    } else if is_time(bare, after) {
        "time"
    } else if is_date(bare) {
        "date"
    } else if is_price(bare) {
        "price"
    } else if is_domain(bare) {
        "domain web site"
    } else if is_path(bare) {
        "file path"
    } else {
        ""
    }
}

fn starts_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start))
}

/// `3pm`, `12:30`, or `3` before `pm`.
fn is_time(text: &str, after: &str) -> bool {
    let is_half = |text: &str| text.eq_ignore_ascii_case("am") || text.eq_ignore_ascii_case("pm");
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let rest = text.get(digits..).unwrap_or_default();
    let minutes = rest.strip_prefix(':').unwrap_or_default();
    let has_minutes = minutes.len() == 2 && minutes.bytes().all(|byte| byte.is_ascii_digit());
    matches!(digits, 1 | 2)
        && (is_half(rest) || has_minutes || (rest.is_empty() && is_half(after.trim_matches(','))))
}

/// `2024-05-17` or `2024/5/17`.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split(['-', '/']).collect();
    let is_number = |part: &&str, most: usize| {
        !part.is_empty() && part.len() <= most && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    matches!(parts.as_slice(), [year, month, day] if year.len() == 4 && is_number(year, 4) && is_number(month, 2) && is_number(day, 2))
}

fn is_price(text: &str) -> bool {
    let is_sign = |c: char| matches!(c, '$' | '€' | '£' | '¥');
    text.contains(is_sign) && text.trim_matches(is_sign).starts_with(|c: char| c.is_ascii_digit())
}

fn is_domain(text: &str) -> bool {
    let Some((name, end)) = text.rsplit_once('.') else { return false };
    !name.is_empty()
        && !text.contains('/')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-'))
        && DOMAINS.iter().any(|domain| end.eq_ignore_ascii_case(domain))
}

/// Something that begins as a path does, or whose last part has the end of a file.
fn is_path(text: &str) -> bool {
    let begins =
        ["/", "~/", "./", "../"].iter().any(|start| text.len() > start.len() && text.starts_with(start));
    let last = text.rsplit(['/', '\\']).next().unwrap_or_default();
    let has_type = last.rsplit_once('.').is_some_and(|(name, end)| {
        name.chars().filter(|c| c.is_alphanumeric()).count() > 1
            && end.len() <= LONGEST_TYPE
            && end.starts_with(|c: char| c.is_ascii_alphabetic())
            && end.chars().all(|c| c.is_ascii_alphanumeric())
    });
    begins || has_type
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_imply_their_kind() {
        for (text, implied) in [
            ("read /tmp/notes", "file path"),
            ("open report.xlsx, please", "file path"),
            ("see https://example.org/a.html", "url web page"),
            ("who owns example.org?", "domain web site"),
            ("write to ann@example.org.", "email"),
            ("from 2024-05-17", "date"),
            ("at 3 pm", "time"),
            ("at 12:30", "time"),
            ("under $50", "price"),
        ] {
            assert_eq!(hints_of(text), words::terms_of(implied), "{text}");
        }
    }

    #[test]
    fn words_and_numbers_are_no_literals() {
        for text in [
            "and/or",
            "e.g. this",
            "version 1.5",
            "read and write. Then stop.",
            "50 items",
            "a:b",
            "",
            "/",
            ".",
        ] {
            assert_eq!(hints_of(text), Vec::<String>::new(), "{text}");
        }
    }
}
