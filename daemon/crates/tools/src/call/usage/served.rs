//! The files that one call serves.

use serde_json::{Map, Value};

/// The files that one call serves: filled in while it is answered.
#[derive(Debug, Default)]
pub(crate) struct Served {
    /// The action that was called; for a chain, the chain counts and not its steps.
    pub(crate) action: Option<&'static str>,
    /// The repository of the call.
    pub(crate) repo: Option<String>,
    /// Paths of the files whose cards or source it served. Files that are only named don't count, because nobody would
    /// have read all of them.
    pub(crate) files: Vec<String>,
    /// Symbols whose cards it served, by their ids, and files that it pushed: for who works on what.
    pub(crate) touched: Vec<String>,
    /// The upstream whose tool was called, and the tokens of its result that were kept back.
    pub(crate) upstream: Option<(String, usize)>,
    /// Tokens of the definitions of upstreams' tools that a search found.
    pub(crate) found_tokens: Option<usize>,
}

impl Served {
    /// Adds the files of an answer.
    pub(crate) fn add(&mut self, answer: &Map<String, Value>) {
        if let Some(file) = answer.get("file") {
            self.file(file, None);
        }
        if let Some(card) = answer.get("card") {
            self.card(card, None);
        }
        self.cards(answer.get("cards"), None);
        if let Some(slice) = answer.get("slice") {
            self.cards(slice.get("cards"), slice.get("paths"));
        }
    }

    fn cards(&mut self, cards: Option<&Value>, paths: Option<&Value>) {
        for card in cards.and_then(Value::as_array).into_iter().flatten() {
            self.card(card, paths);
        }
    }

    fn card(&mut self, card: &Value, paths: Option<&Value>) {
        // Compact cards have `f`; a path that occurs more than once is replaced by its number in the table.
        if let Some(id) = card.get("symbolId").or_else(|| card.get("i")).and_then(Value::as_str) {
            self.touched.push(id.to_owned());
        }
        if let Some(file) = card.get("file").or_else(|| card.get("f")) {
            self.file(file, paths);
        }
    }

    fn file(&mut self, file: &Value, paths: Option<&Value>) {
        let listed = || paths?.get(usize::try_from(file.as_u64()?).ok()?)?.as_str();
        if let Some(path) = file.as_str().or_else(listed)
            && !self.files.iter().any(|known| known == path)
        {
            self.files.push(path.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cards_and_source_count_and_mere_names_do_not() {
        let answer = json!({
            "file": "a", "card": {"file": "b"}, "cards": [{"file": "c"}, {"file": "a"}],
            "slice": {"paths": ["d"], "cards": [{"f": 0}, {"f": "e"}, {"f": 7}], "frontier": [{"file": "no"}]},
            "results": [{"file": "no"}]
        });
        let mut served = Served::default();
        served.add(answer.as_object().unwrap());
        assert_eq!(served.files, ["a", "b", "c", "d", "e"]);
    }
}
