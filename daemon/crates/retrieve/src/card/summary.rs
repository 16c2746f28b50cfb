//! One sentence about a symbol: the first of its documentation.

use super::signature::cut_text;
use crate::Sym;

/// Longest summary, in characters.
const LONGEST: usize = 180;

/// One sentence about a symbol. None where its documentation adds nothing to the signature.
pub(super) fn symbol_summary(sym: &Sym) -> Option<String> {
    let def = sym.def();
    first_sentence(def.doc.map_or("", |doc| sym.outline().str(doc))).or_else(|| summarize_bases(sym))
}

/// The bases of a type without documentation, where its header does not state them.
fn summarize_bases(sym: &Sym) -> Option<String> {
    let def = sym.def();
    let header = sym.outline().str(def.signature);
    let bases = def.bases.iter().take(3).filter_map(|base| sym.outline().arena.dotted(base.ty));
    let unsaid: Vec<String> = bases.filter(|base| !header.contains(base.as_str())).collect();
    (!unsaid.is_empty()).then(|| cut_text(&format!("Extends {}", unsaid.join(", ")), LONGEST))
}

/// The first sentence of a text; none if it has no words before its first tag.
fn first_sentence(doc: &str) -> Option<String> {
    let mut text = String::new();
    for line in doc.lines().map(str::trim) {
        let ends = line.is_empty() || is_tag(line);
        if ends && !text.is_empty() {
            break;
        }
        let rule = !line.contains(char::is_alphanumeric);
        if ends || rule {
            continue;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(line);
        if text.len() > 4 * LONGEST {
            break;
        }
    }
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = text.get(..sentence_end(&text)).unwrap_or(&text);
    (!sentence.is_empty()).then(|| cut_text(sentence, LONGEST))
}

/// Whether a line begins a field: `@param x`, `:param x:`. A role of reStructuredText, such as `:meth:` before a quoted
/// name, is part of a sentence.
fn is_tag(line: &str) -> bool {
    let Some(mark) = line.strip_prefix(['@', ':']).filter(|rest| !rest.is_empty()) else { return false };
    if line.starts_with('@') {
        return true;
    }
    !matches!(mark.split_once(":`"), Some((role, _)) if !role.is_empty() && !role.contains(char::is_whitespace))
}

/// Where the first sentence ends: after a full stop before a blank and a capital, but not after `e.g.` and the like.
fn sentence_end(text: &str) -> usize {
    for (at, _) in text.match_indices(". ") {
        let before = text.get(..at).unwrap_or("");
        let word = before.rsplit([' ', '(']).next().unwrap_or("");
        let next = text.get(at + 2..).and_then(|rest| rest.chars().next());
        let abbreviation = word.contains('.')
            || matches!(word, "etc" | "vs" | "cf" | "al" | "approx" | "Dr" | "Mr")
            || word.len() == 1;
        if !abbreviation && next.is_some_and(|c| !c.is_lowercase()) {
            return at + 1;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::first_sentence;

    #[test]
    fn first_sentences() {
        for (doc, sentence) in [
            ("Gets a user. Caches it.", Some("Gets a user.")),
            (
                "Gets a user (e.g. from disk) or\nnone. Never fails",
                Some("Gets a user (e.g. from disk) or none."),
            ),
            ("\n\n@param x the x", None),
            ("Title\n=====\n\nMore.", Some("Title")),
            (
                "Turn the result into\n:class:`Response`, or fail.\n:param value: the value",
                Some("Turn the result into :class:`Response`, or fail."),
            ),
            (":meth:`a` first", Some(":meth:`a` first")),
            (":param x: the `x`", None),
            ("Version 1.2 of it", Some("Version 1.2 of it")),
            ("", None),
        ] {
            assert_eq!(first_sentence(doc).as_deref(), sentence, "{doc:?}");
        }
    }
}
