//! Paths into values, and references to the results of earlier steps: `$0.results[0].symbolId`, `$found?.cursor`.

use serde_json::Value;

use crate::{Code, Explained, ToolError};

/// Longer paths match nothing, because no answer is that deep.
const MOST_PARTS: usize = 64;

/// One part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    at: At,
    /// Whether it may be missing: `?.`
    optional: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum At {
    Key(String),
    /// Negative numbers count from the end.
    Index(i64),
}

/// The path from a value to one inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path(Vec<Part>);

/// The step whose result a reference means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Head {
    Step(usize),
    Name(String),
}

/// The kinds of text in a step's arguments.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Text<'t> {
    /// Plain text.
    Plain(&'t str),
    /// Text that may contain references.
    Long(&'t str),
    Reference(Head, Path),
}

/// Reads a text. One dollar sign at its start makes it a reference. Two are an escaped dollar sign at the start of
/// plain text. References inside a longer text, in braces, are for [`split_pieces`].
pub(super) fn read_text(text: &str) -> Result<Text<'_>, String> {
    let Some(rest) = text.strip_prefix('$').filter(|rest| !rest.starts_with('{')) else {
        return Ok(Text::Long(text));
    };
    if rest.starts_with('$') {
        return Ok(Text::Plain(rest));
    }
    let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
    let (head, path) = rest.split_at(end);
    let head = if head.starts_with(|c: char| c.is_ascii_digit()) {
        Head::Step(head.parse().map_err(|_| format!("{head:?} is not a step's number"))?)
    } else if head.is_empty() {
        return Err("a step's number or name must follow the dollar sign".to_owned());
    } else {
        Head::Name(head.to_owned())
    };
    Ok(Text::Reference(head, Path::read(path)?))
}

/// One part of a longer text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    Plain(&'t str),
    /// `${0.path}`: the parsed reference, and its original text.
    Reference(Head, Path, &'t str),
    /// `$0.path` without braces: kept as it is.
    Bare(&'t str),
}

/// Splits a text that doesn't begin with a reference. `is_step` decides whether a head names a step: braces around
/// anything else are text.
pub(super) fn split_pieces<'t>(
    text: &'t str,
    is_step: &dyn Fn(&Head) -> bool,
) -> Result<Vec<Piece<'t>>, String> {
    let mut out = Vec::new();
    let (mut plain, mut at) = (0, 0);
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('$')).map(|found| at + found) {
        let rest = text.get(found + 1..).unwrap_or_default();
        at = found + 1;
        if let Some((inside, after)) = rest.strip_prefix('{').and_then(|inside| inside.split_once('}')) {
            let end = inside.find(|c: char| !is_word(c)).unwrap_or(inside.len());
            let (name, path) = inside.split_at(end);
            let Some(head) = head_of(name).filter(is_step) else { continue };
            out.push(Piece::Plain(text.get(plain..found).unwrap_or_default()));
            at = text.len() - after.len();
            plain = at;
            out.push(Piece::Reference(head, Path::read(path)?, text.get(found..at).unwrap_or_default()));
        } else {
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            // An amount of money is not a reference.
            let leads_on = after.strip_prefix(['.', '[', '?']).is_some_and(|next| {
                next.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '.' | '"'))
            });
            if leads_on && head_of(name).is_some_and(|head| is_step(&head)) {
                let length = 1 + end + after.find(char::is_whitespace).unwrap_or(after.len());
                out.push(Piece::Bare(text.get(found..found + length).unwrap_or_default()));
            }
        }
    }
    out.push(Piece::Plain(text.get(plain..).unwrap_or_default()));
    Ok(out)
}

fn head_of(name: &str) -> Option<Head> {
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return name.parse().ok().map(Head::Step);
    }
    (!name.is_empty()).then(|| Head::Name(name.to_owned()))
}

/// Whether a step may have this name.
pub(super) fn is_name(name: &str) -> bool {
    name.is_ascii()
        && name.chars().all(is_word)
        && !name.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && !name.is_empty()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

impl Path {
    /// Reads `.a[0]?.b["c d"]`; the first dot may be left out.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if parts.len() == MOST_PARTS {
                return Err(format!("a path has at most {MOST_PARTS} parts"));
            }
            let first = parts.is_empty();
            let (optional, after) = match rest.strip_prefix("?.") {
                Some(after) => (true, after),
                None => (false, rest),
            };
            let (at, after) = if let Some(inside) = after.strip_prefix('[') {
                read_bracketed(inside)?
            } else {
                let dotted = if optional { Some(after) } else { after.strip_prefix('.') };
                let after = dotted.or(first.then_some(after));
                read_key(after.ok_or_else(|| format!("a dot or bracket must come before {rest:?}"))?)?
            };
            parts.push(Part { at, optional });
            rest = after;
        }
        Ok(Self(parts))
    }

    /// Returns the value that the path leads to; none if an optional part is missing.
    pub(super) fn find<'v>(&self, from: &'v Value) -> Result<Option<&'v Value>, String> {
        let mut value = from;
        let mut so_far = String::new();
        let parts = self.0.iter();
        let next_optional = self.0.iter().skip(1).map(|part| part.optional).chain([false]);
        for (part, next_optional) in parts.zip(next_optional) {
            let inside = match (&part.at, value) {
                (At::Key(key), Value::Object(map)) => map.get(key),
                (At::Index(at), Value::Array(items)) => {
                    let at = if *at < 0 { at + items.len() as i64 } else { *at };
                    usize::try_from(at).ok().and_then(|at| items.get(at))
                }
                _ => None,
            };
            match inside {
                // `a?.b`: either may be missing.
                Some(Value::Null) | None if part.optional || next_optional => return Ok(None),
                Some(inside) => value = inside,
                None => return Err(describe_missing(value, &part.at, &so_far)),
            }
            match &part.at {
                At::Key(key) => so_far.push_str(&format!(".{key}")),
                At::Index(at) => so_far.push_str(&format!("[{at}]")),
            }
        }
        Ok(Some(value))
    }
}

/// Describes the value that is there instead.
fn describe_missing(value: &Value, at: &At, so_far: &str) -> String {
    let place = if so_far.is_empty() { "it".to_owned() } else { so_far.to_owned() };
    let wanted = match at {
        At::Key(key) => format!("no field {key:?}"),
        At::Index(at) => format!("no item [{at}]"),
    };
    match value {
        Value::Object(map) => {
            let known: Vec<&str> = map.keys().take(20).map(String::as_str).collect();
            format!("{place} has {wanted}; its fields are {}", known.join(", "))
        }
        Value::Array(items) => format!("{place} has {wanted}; it is a list of {}", items.len()),
        _ => format!("{place} has {wanted}; it is neither an object nor a list"),
    }
}

fn read_key(text: &str) -> Result<(At, &str), String> {
    let end = text.find(|c: char| !is_word(c) && c != '$').unwrap_or(text.len());
    let (key, after) = text.split_at(end);
    if key.is_empty() {
        return Err(format!("a field's name is missing before {text:?}"));
    }
    Ok((At::Key(key.to_owned()), after))
}

/// Reads the text between brackets: a number, or a key in quotes.
fn read_bracketed(inside: &str) -> Result<(At, &str), String> {
    if inside.starts_with('"') {
        let mut keys = serde_json::Deserializer::from_str(inside).into_iter::<String>();
        let key = keys.next().and_then(Result::ok).ok_or("a key in brackets is not closed")?;
        let after = inside.get(keys.byte_offset()..).and_then(|after| after.strip_prefix(']'));
        return Ok((At::Key(key), after.ok_or("a bracket is not closed")?));
    }
    let (number, after) = inside.split_once(']').ok_or("a bracket is not closed")?;
    let at = number.parse().map_err(|_| format!("[{number}] is not a number; a key needs quotes"))?;
    Ok((At::Index(at), after))
}

/// The error about a reference that has no value.
pub(super) fn unknown_reference(text: &str, place: &str, why: &str) -> ToolError {
    let shown: String = text.chars().take(120).collect();
    let place: String = place.chars().take(200).collect();
    ToolError::new(Code::UnknownReference, format!("{shown:?} in {place} leads nowhere: {why}")).at(place)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_lead_into_results() {
        let value =
            json!({"results": [{"symbolId": "s_1"}, {"symbolId": "s_2"}], "a b": {"c": null}, "d": 0});
        for (text, found) in [
            ("$0.results[0].symbolId", Some(json!("s_1"))),
            ("$0.results[-1].symbolId", Some(json!("s_2"))),
            ("$0[\"a b\"].c", Some(json!(null))),
            ("$0?.cursor", None),
            ("$0.cursor", None),
            ("$0.results?.[5]?.symbolId", None),
            ("$0.nothing?.here", None),
            ("$0.results[7]?.symbolId", None),
            ("$0.d", Some(json!(0))),
            ("$0", Some(value.clone())),
        ] {
            let Ok(Text::Reference(Head::Step(0), path)) = read_text(text) else { panic!("{text}") };
            match path.find(&value) {
                Ok(got) => assert_eq!(got.cloned(), found, "{text}"),
                Err(error) => {
                    assert_eq!(text, "$0.cursor");
                    assert_eq!(error, "it has no field \"cursor\"; its fields are results, a b, d");
                }
            }
        }
    }

    #[test]
    fn texts_stay_what_they_are() {
        assert_eq!(read_text("plain $x"), Ok(Text::Long("plain $x")));
        assert_eq!(read_text("$$HOME"), Ok(Text::Plain("$HOME")));
        assert_eq!(read_text("$name"), Ok(Text::Reference(Head::Name("name".into()), Path(Vec::new()))));
        for bad in
            ["$", "$.a", "$0..a", "$0.", "$0[", "$0[x]", "$0[\"x]", "$99999999999999999999.a", "$0 a", "$0?"]
        {
            assert!(read_text(bad).is_err(), "{bad}: {:?}", read_text(bad));
        }
    }

    #[test]
    fn longer_texts_hold_references_in_braces() {
        let steps = |head: &Head| matches!(head, Head::Step(0)) || *head == Head::Name("found".into());
        let told = |text: &str| -> Vec<String> {
            split_pieces(text, &steps)
                .unwrap()
                .iter()
                .map(|piece| match piece {
                    Piece::Plain(text) => (*text).to_owned(),
                    Piece::Reference(_, _, text) => format!("<{text}>"),
                    Piece::Bare(text) => format!("!{text}"),
                })
                .collect()
        };
        assert_eq!(told("no reference"), ["no reference"]);
        assert_eq!(
            told("explain ${0.a[1]} and ${found.b}."),
            ["explain ", "<${0.a[1]}>", " and ", "<${found.b}>", "."]
        );
        assert_eq!(told("${0.a}${0.b}"), ["", "<${0.a}>", "", "<${0.b}>", ""]);
        assert_eq!(told("explain $0.x please"), ["!$0.x", "explain $0.x please"]);
        for text in ["${HOME}/bin", "costs $0.50", "$5.a", "open ${0.a", "${}", "a $"] {
            assert_eq!(told(text), [text], "{text}");
        }
        assert!(split_pieces("${0..a}", &steps).is_err());
    }

    #[test]
    fn names_are_words() {
        for (name, good) in [("found", true), ("_a1", true), ("", false), ("1a", false), ("a b", false)] {
            assert_eq!(is_name(name), good, "{name}");
        }
    }
}
