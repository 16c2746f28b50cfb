//! The last stop of every answer and every error: whatever a handler put into them, no secret leaves.
//!
//! Each string of the structured form is looked at by itself, as it may be a header, a sentence, a path. The text form is made
//! of the same strings: where one of them was masked it is masked there too, and what is left is looked at line by line, since
//! lines that follow each other have nothing in common. Nearly all answers hold nothing: that is found out in one pass over
//! their bytes, before any policy is read.

use std::borrow::Cow;

use sdl_retrieve::plain;
use serde_json::{Map, Value};

use super::{Level, assigned, find, masked, tokens};
use crate::ToolError;

/// Masks an answer in both its forms. `level` is asked where something was found.
pub(crate) fn answer(structured: &mut Map<String, Value>, text: &mut String, level: impl FnOnce() -> Level) {
    if !structured.iter().any(|(key, value)| suspect(key) || holds(value)) && !lines_hold(text) {
        return;
    }
    let mut pass = Pass { level: level(), changed: Vec::new() };
    // Where the text is the structured form itself, it stays that.
    let json = text.starts_with('{').then(|| Value::Object(structured.clone()).to_string());
    let same = json.as_ref() == Some(&*text);
    pass.map(structured);
    *text = if same { Value::Object(structured.clone()).to_string() } else { pass.text(text) };
}

/// Masks what a caller is told in place of an answer.
pub(crate) fn error(mut error: ToolError, level: impl FnOnce() -> Level) -> ToolError {
    let about = &error.about;
    let next = about.next_best_action.as_ref();
    let clean = !suspect(&error.message)
        && !about.field.as_deref().is_some_and(suspect)
        && !about.candidates.iter().any(|one| one.0.iter().any(|(key, one)| suspect(key) || holds(one)))
        && !about.details.iter().any(|(key, one)| suspect(key) || holds(one))
        && !next.is_some_and(|next| suspect(&next.rationale) || holds(&next.args));
    if clean {
        return error;
    }
    let mut pass = Pass { level: level(), changed: Vec::new() };
    pass.leaf(&mut error.message);
    let about = &mut *error.about;
    about.field.iter_mut().for_each(|field| pass.leaf(field));
    about.candidates.iter_mut().for_each(|one| pass.map(&mut one.0));
    pass.map(&mut about.details);
    if let Some(next) = &mut about.next_best_action {
        pass.leaf(&mut next.rationale);
        pass.value(&mut next.args);
    }
    error
}

/// Masks every string in a value.
pub(crate) fn value(value: &mut Value, level: Level) {
    Pass { level, changed: Vec::new() }.value(value);
}

/// No secret is in fewer bytes: `pwd=`, and the shortest literal in its quotes.
const LEAST: usize = 8;

/// Whether anything in a string may be a secret.
fn suspect(text: &str) -> bool {
    text.len() >= LEAST && !find(text, Level::Likely).is_empty()
}

fn holds(value: &Value) -> bool {
    match value {
        Value::String(text) => suspect(text),
        Value::Array(items) => items.iter().any(holds),
        Value::Object(map) => map.iter().any(|(key, value)| suspect(key) || holds(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn lines_hold(text: &str) -> bool {
    let mut found = Vec::new();
    tokens::find(text, Level::Likely, &mut found);
    !found.is_empty()
        || text.lines().filter(|line| line.len() >= LEAST).any(|line| {
            assigned::find(line, &mut found);
            !found.is_empty()
        })
}

/// One pass over one answer.
struct Pass {
    level: Level,
    /// The strings that were masked, as they were and as they are.
    changed: Vec<(String, String)>,
}

impl Pass {
    fn leaf(&mut self, text: &mut String) {
        if text.len() >= LEAST
            && let Some(shown) = super::text(text, self.level)
        {
            // JSON within a string stays JSON.
            let inner = text.starts_with(['{', '[']).then(|| serde_json::from_str::<Value>(text).ok());
            let shown = match inner.flatten() {
                Some(mut inner) => {
                    self.value(&mut inner);
                    inner.to_string()
                }
                None => shown,
            };
            let was = std::mem::replace(text, shown);
            self.changed.push((was, text.clone()));
        }
    }

    fn value(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => self.leaf(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(map) => self.map(map),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn map(&mut self, map: &mut Map<String, Value>) {
        if map.keys().any(|key| suspect(key)) {
            let shown = |key: String| super::text(&key, self.level).unwrap_or(key);
            *map = std::mem::take(map).into_iter().map(|(key, value)| (shown(key), value)).collect();
        }
        map.values_mut().for_each(|value| self.value(value));
    }

    /// The text form, with what was masked in the structured one and what it says by itself.
    fn text(&mut self, text: &str) -> String {
        let mut out = text.to_owned();
        // Longer ones first: one may be a part of another.
        self.changed.sort_by_key(|(was, _)| std::cmp::Reverse(was.len()));
        self.changed.dedup();
        for (was, is) in &self.changed {
            // As it is, or as lines of text show it.
            let forms: [fn(&str) -> Cow<'_, str>; 3] =
                [|it| Cow::Borrowed(it), plain::inline, |it| Cow::Owned(plain::quoted(it))];
            for form in forms {
                let was = form(was);
                if out.contains(&*was) {
                    out = out.replace(&*was, &form(is));
                }
            }
        }
        // A key has many lines.
        if let Some(shown) = super::text(&out, Level::Known) {
            out = shown;
        }
        if self.level == Level::Likely {
            let mut lines = String::with_capacity(out.len());
            for line in out.split_inclusive('\n') {
                lines.push_str(&masked(line, &find(line, Level::Likely), 0..line.len()));
            }
            out = lines;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Code;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn both_forms_are_masked_wherever_a_string_stands() {
        let key = format!("AKIA{}", "IOSFODNN7EXAMPLE");
        let mut structured = object(json!({
            "card": {"header": "PASSWORD = \"correct horse\"", "summary": format!("Uses {key}."), "name": "PASSWORD"},
            "list": [[format!("src/{key}.py")]],
            "counts": {key.clone(): 1},
            "evidence": [{"content": "token = 'abcdefgh ijkl mn0p'"}],
        }));
        let mut text =
            format!("PASSWORD: \"correct horse\" Uses {key}.\nsrc/{key}.py\ntoken = 'abcdefgh ijkl mn0p'");
        answer(&mut structured, &mut text, || Level::Likely);
        let all = format!("{} {text}", Value::Object(structured.clone()));
        assert!(!all.contains("horse") && !all.contains(&key) && !all.contains("ijkl"), "{all}");
        assert_eq!(structured["card"]["name"], "PASSWORD");
        assert_eq!(text, "PASSWORD: \"***\" Uses ***\nsrc/***\ntoken = '***'");
    }

    #[test]
    fn the_policy_decides_and_is_asked_only_where_something_was_found() {
        let plain = json!({"header": "def token(self) -> str", "id": "s_0123456789abc"});
        let mut structured = object(plain.clone());
        let mut text = "token? 0.7\ns_0123456789abc".to_owned();
        answer(&mut structured, &mut text, || unreachable!());
        assert_eq!((Value::Object(structured), text.as_str()), (plain, "token? 0.7\ns_0123456789abc"));
        let likely = json!({"header": "PASSWORD = \"correct horse\""});
        let mut structured = object(likely.clone());
        let mut text = likely.to_string();
        answer(&mut structured, &mut text, || Level::Known);
        assert_eq!((Value::Object(structured.clone()), text.clone()), (likely.clone(), likely.to_string()));
        answer(&mut structured, &mut text, || Level::Likely);
        assert_eq!(text, Value::Object(structured).to_string(), "a text that is the JSON stays that");
    }

    #[test]
    fn json_within_a_string_stays_json() {
        let inner = json!({"header": "PASSWORD = \"correct horse\"", "next": "'x'"});
        let mut structured = object(json!({ "content": inner.to_string() }));
        answer(&mut structured, &mut String::new(), || Level::Likely);
        let shown: Value = serde_json::from_str(structured["content"].as_str().unwrap()).unwrap();
        assert_eq!(shown, json!({"header": "PASSWORD = \"***\"", "next": "'x'"}));
    }

    #[test]
    fn errors_are_masked_in_every_part() {
        let key = format!("AKIA{}", "IOSFODNN7EXAMPLE");
        let told = ToolError::new(Code::UnknownPath, format!("no file {key}"))
            .at(format!("paths.{key}"))
            .or_one_of([crate::Candidate::of("file", format!("a/{key}"))])
            .with("got", key.clone())
            .next("sdl_x", json!({ "file": key }), format!("shows {key}"));
        let told = error(told, || Level::Known);
        assert!(!told.to_value().to_string().contains(&key), "{told:?}");
        assert_eq!(told.message, "no file ***");
    }

    /// Run it with `--ignored --nocapture` in an optimized build.
    #[test]
    #[ignore = "measures"]
    fn what_it_costs_where_nothing_is_found() {
        let lines = include_str!("../guard/policy/decide.rs").lines().map(str::trim);
        let lines: Vec<&str> = lines.filter(|line| line.len() > 3 && !suspect(line)).collect();
        for (what, bytes) in [("card", 1_500), ("slice", 30_000)] {
            let mut size = 0;
            let within = |line: &&&str| {
                size += line.len();
                size < bytes
            };
            let some: Vec<&str> = lines.iter().cycle().take_while(within).copied().collect();
            let mut text = some.join("\n");
            let cards: Vec<Value> =
                some.iter().map(|line| json!({"header": line, "symbolId": "s_0123456789abc"})).collect();
            let mut structured = object(json!({ "cards": cards }));
            let rounds = 1_000;
            let started = std::time::Instant::now();
            for _ in 0..rounds {
                answer(&mut structured, &mut text, || unreachable!());
            }
            println!("{what} of {} bytes twice: {:?}", text.len(), started.elapsed() / rounds);
        }
    }
}
