//! What messages about changes have in common: it says nothing about where a change belongs.

/// Stems, sorted, of what is said of any change.
const COMMON: [&str; 47] = [
    "add",
    "adjust",
    "allow",
    "avoid",
    "bug",
    "bugfix",
    "chang",
    "chor",
    "clean",
    "cleanup",
    "commit",
    "correct",
    "ensur",
    "feat",
    "featur",
    "fix",
    "handl",
    "implement",
    "improv",
    "incorrect",
    "introduc",
    "issu",
    "mak",
    "merg",
    "miss",
    "mor",
    "mov",
    "need",
    "new",
    "pr",
    "prevent",
    "problem",
    "proper",
    "properli",
    "pull",
    "refactor",
    "remov",
    "renam",
    "replac",
    "request",
    "simplifi",
    "support",
    "tweak",
    "updat",
    "us",
    "work",
    "wrong",
];

/// Whether a term could be said of any change.
pub(super) fn is_said_of_any(term: &str) -> bool {
    COMMON.binary_search(&term).is_ok()
}

/// Whether a term names what products are not made of.
pub(super) fn is_aside(term: &str) -> bool {
    matches!(
        term,
        "exampl"
            | "sampl"
            | "demo"
            | "doc"
            | "document"
            | "benchmark"
            | "bench"
            | "fuzz"
            | "vendor"
            | "script"
    )
}

/// Whether a line is about the message, not the code: `Signed-off-by: …`, `Closes: #12`.
pub(super) fn is_trailer(line: &str) -> bool {
    let Some((key, value)) = line.split_once(':') else { return false };
    let key = key.trim();
    if key.is_empty() || key.len() > 40 || key.contains(char::is_whitespace) {
        return false;
    }
    let key = key.to_ascii_lowercase();
    let short = value.split_whitespace().count() <= 2;
    let about = ["change-id", "cc", "link", "closes", "fixes", "refs", "see", "bug", "issue", "pr"];
    (key.contains('-') && key.ends_with("-by")) || short && about.contains(&key.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(COMMON.is_sorted());
        assert!(is_said_of_any("fix") && !is_said_of_any("cursor"));
    }

    #[test]
    fn trailers() {
        for line in
            ["Signed-off-by: A B <a@b.c>", "Co-authored-by: C <c@d.e>", "Fixes: #12", "Change-Id: I0f"]
        {
            assert!(is_trailer(line), "{line}");
        }
        for line in
            ["fix: close the file", "fix(core): x", "Fixes: the cursor that is stale", "a b-by: c", ""]
        {
            assert!(!is_trailer(line), "{line}");
        }
    }
}
