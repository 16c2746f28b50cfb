//! One sentence about a symbol: its documentation's first, else one made of its signature.

use sdl_model::SymbolKind;

use super::signature::cut;
use super::types::Signature;
use crate::Sym;

/// Longest summary, in characters.
const LONGEST: usize = 180;

/// One sentence about a symbol.
pub(super) fn of(sym: &Sym, signature: Option<&Signature>) -> Option<String> {
    let doc = sym.def().doc.map_or("", |doc| sym.outline().str(doc));
    first_sentence(doc).or_else(|| composed(sym, signature))
}

/// The first sentence of a text; none if it has no words before its first tag.
fn first_sentence(doc: &str) -> Option<String> {
    let mut text = String::new();
    for line in doc.lines().map(str::trim) {
        let ends = line.is_empty() || line.starts_with(['@', ':']) && line.len() > 1;
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
    (!sentence.is_empty()).then(|| cut(sentence, LONGEST))
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

/// A sentence made of what the signature says.
fn composed(sym: &Sym, signature: Option<&Signature>) -> Option<String> {
    let def = sym.def();
    let owner = sym
        .qualified()
        .strip_suffix(sym.name())
        .map_or("", |before| before.trim_end_matches(['.', ':', '#', '\\']));
    let mut text = match def.kind {
        SymbolKind::Module => return None,
        kind if owner.is_empty() => capital(kind.name()),
        kind => format!("{} of {owner}", capital(kind.name())),
    };
    let signature = signature?;
    if !signature.params.is_empty() {
        let names: Vec<&str> = signature.params.iter().take(4).map(|param| param.name.as_str()).collect();
        text.push_str(" taking ");
        text.push_str(&names.join(", "));
        if signature.params.len() > names.len() {
            text.push_str(", …");
        }
    }
    if let Some(returns) = &signature.returns {
        text.push_str(if def.kind.is_callable() { ", returns " } else { " of type " });
        text.push_str(returns);
    }
    let bases: Vec<String> =
        def.bases.iter().take(3).filter_map(|base| sym.outline().arena.dotted(base.ty)).collect();
    if !bases.is_empty() {
        text.push_str(", extends ");
        text.push_str(&bases.join(", "));
    }
    Some(cut(&text, LONGEST))
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect()
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
            ("Version 1.2 of it", Some("Version 1.2 of it")),
            ("", None),
        ] {
            assert_eq!(first_sentence(doc).as_deref(), sentence, "{doc:?}");
        }
    }
}
