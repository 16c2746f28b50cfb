//! The outer parts of a text, found without making values of their contents.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::reader::{BadJson, Build, Fault, Place, read};

/// Deeper nesting than this is refused: as deep as `serde_json` reads.
const MAX_DEPTH: usize = 127;

/// Objects with more keys than this use a hash set to find duplicate keys.
const FEW_KEYS: usize = 16;

/// A member of an object: its key, and its value as it is written.
pub type Member<'t> = (Cow<'t, str>, &'t str);

/// An object's members, and those of the object in one of them.
#[derive(Debug, Default)]
pub struct Outline<'t> {
    /// The members of the outermost object. Empty if the text is another value.
    pub members: Vec<Member<'t>>,
    /// The members of the object that one of them holds.
    pub inner: Vec<Member<'t>>,
    /// The first thing anywhere in the text that two readers could read differently, for a person.
    pub ambiguous: Option<String>,
    /// Whether that is a key of the outermost object or of the inner one.
    pub is_outside: bool,
}

/// Reads `text` once. `inside` is the key of the member whose own members are wanted too. An error means that the text is not
/// JSON, or nested too deep.
pub fn outline<'t>(text: &'t str, inside: &str) -> Result<Outline<'t>, BadJson> {
    let mut spans = Spans { text, inside, is_inside: false, depth: 0, found: Outline::default() };
    read(text, &mut spans, MAX_DEPTH)?;
    Ok(spans.found)
}

struct Spans<'t, 'k> {
    text: &'t str,
    inside: &'k str,
    /// Whether the reader is in the value of the member that is wanted.
    is_inside: bool,
    /// How deep the key is that was read last.
    depth: usize,
    found: Outline<'t>,
}

impl<'t> Build<'t> for Spans<'t, '_> {
    type Value = ();
    type Members = Seen<'t>;
    type Items = ();
    const KEEPS_TEXT: bool = false;

    fn word(&mut self, _: Option<bool>) {}

    fn number(&mut self, _: &'t str) -> Result<(), String> {
        Ok(())
    }

    fn string(&mut self, _: Cow<'t, str>) {}

    fn key(&mut self, seen: &mut Seen<'t>, key: &Cow<'t, str>, depth: usize) -> bool {
        self.depth = depth;
        if depth == 0 {
            self.is_inside = key == self.inside;
        }
        seen.has(key)
    }

    fn member(&mut self, _: &mut Seen<'t>, key: Cow<'t, str>, (): (), Place { span, depth }: Place) {
        let value = self.text.get(span).unwrap_or_default();
        match depth {
            0 => self.found.members.push((key, value)),
            1 if self.is_inside => self.found.inner.push((key, value)),
            _ => {}
        }
    }

    fn item(&mut self, (): &mut (), (): ()) {}

    fn object(&mut self, _: Seen<'t>) {}

    fn array(&mut self, (): ()) {}

    fn ambiguous(&mut self, bad: BadJson) -> Result<(), BadJson> {
        if self.found.ambiguous.is_none() {
            let what = match bad.fault {
                Fault::Twice => {
                    // The key as text, without its quotes and escapes, is what `what` shows of it.
                    let key = self.text.get(bad.at..bad.end).unwrap_or_default();
                    let key = crate::parse(key.as_bytes()).unwrap_or_default();
                    format!("the key `{}` occurs twice in one object", key.as_str().unwrap_or_default())
                }
                Fault::Lone => "half of a surrogate pair".to_owned(),
                Fault::Broken => bad.what,
            };
            let before = self.text.get(..bad.end).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
            self.found.ambiguous = Some(format!("{what} at line {line} column {column}"));
        }
        self.found.is_outside |=
            bad.fault == Fault::Twice && (self.depth == 0 || self.depth == 1 && self.is_inside);
        Ok(())
    }
}

/// The keys that an object has.
pub(crate) enum Seen<'t> {
    Few(Vec<Cow<'t, str>>),
    Many(HashSet<Cow<'t, str>>),
}

impl Default for Seen<'_> {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl<'t> Seen<'t> {
    /// Whether the key was there already.
    #[allow(clippy::ptr_arg, reason = "a borrowed key is kept without copying it")]
    fn has(&mut self, key: &Cow<'t, str>) -> bool {
        match self {
            Self::Few(keys) if keys.contains(key) => true,
            Self::Few(keys) if keys.len() < FEW_KEYS => {
                keys.push(key.clone());
                false
            }
            Self::Few(keys) => {
                let mut set: HashSet<_> = keys.drain(..).collect();
                set.insert(key.clone());
                *self = Self::Many(set);
                false
            }
            Self::Many(set) => !set.insert(key.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn many() -> String {
        (0..40).flat_map(|number| ["\"k".to_owned(), number.to_string(), "\":0,".to_owned()]).collect()
    }

    fn ambiguity(json: &str) -> Option<String> {
        outline(json, "params").unwrap().ambiguous
    }

    #[test]
    fn outer_parts_are_given_as_they_are_written() {
        let text = r#" {"id": 1.50, "p\u0061rams" : {"name":"x\"", "_meta":{"name":2}, "args":[{"name":3}]} , "last":"\n"} "#;
        let found = outline(text, "params").unwrap();
        let shown = |members: &[Member<'_>]| {
            members.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>()
        };
        assert_eq!(shown(&found.members)[0], "id=1.50");
        assert_eq!(shown(&found.members)[2], r#"last="\n""#);
        assert_eq!(shown(&found.inner), [r#"name="x\"""#, r#"_meta={"name":2}"#, r#"args=[{"name":3}]"#]);
        assert_eq!((found.ambiguous, found.is_outside), (None, false));
    }

    #[test]
    fn good_json_passes() {
        for json in [
            "{}",
            r#"{"a":1,"b":[{"a":1},{"a":2}],"c":{"a":null}}"#,
            r#"{"n":123456789012345678901234567890.5e400,"s":"\ud83d\ude00","t":true}"#,
            &format!("{{{}\"end\":0}}", many()),
        ] {
            assert_eq!(ambiguity(json), None, "{json}");
        }
    }

    #[test]
    fn ambiguous_json_is_reported_with_its_place_and_read_to_its_end() {
        for (json, expected) in [
            (r#"{"a":1,"a":1}"#.to_owned(), "the key `a` occurs twice in one object at line 1 column 10"),
            (r#"{"x":[{"b":{"key":1,"\u006bey":2}}]}"#.to_owned(), "`key` occurs twice"),
            (format!("{{{}\"k3\":0}}", many()), "`k3` occurs twice"),
            ("{\n \"a\":\"\\ud800\"}".to_owned(), "half of a surrogate pair at line 2 column"),
            (r#"{"\udc00":1}"#.to_owned(), "surrogate"),
            (r#"{"a":"\ud800\u0041"}"#.to_owned(), "surrogate"),
            (r#"{"a":"\ud800\ud800\udc00"}"#.to_owned(), "surrogate"),
        ] {
            let found = outline(&json, "params").unwrap();
            let said = found.ambiguous.unwrap();
            assert!(said.contains(expected), "{json}: {said}");
            assert!(!found.members.is_empty(), "{json}");
        }
        for (json, is_outside) in [
            (r#"{"id":1,"id":2}"#, true),
            (r#"{"params":{"name":1,"name":2}}"#, true),
            (r#"{"other":{"name":1,"name":2}}"#, false),
            (r#"{"params":{"args":{"a":1,"a":2}}}"#, false),
        ] {
            assert_eq!(outline(json, "params").unwrap().is_outside, is_outside, "{json}");
        }
    }

    #[test]
    fn deep_nesting_is_an_error_and_not_a_crash() {
        assert!(outline(&"[".repeat(100_000), "params").unwrap_err().what.contains("nesting"));
    }

    proptest! {
        #[test]
        fn any_text_is_judged_without_a_panic(text in "\\PC{0,200}") {
            let _ = outline(&text, "params");
        }

        #[test]
        fn what_is_outlined_is_json(text in r#"[\[\]{}",:\\0-9a-fnrtul.eE+ -]{0,40}"#) {
            if let Ok(found) = outline(&text, "params") && found.ambiguous.is_none() {
                let read = serde_json::from_str::<serde_json::Value>(&text);
                prop_assert!(read.is_ok(), "{text}");
            }
        }
    }
}
