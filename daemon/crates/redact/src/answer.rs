//! The last step of every answer and every error: no secret leaves, whatever a handler put into them.
//!
//! Each string of the structured form is searched by itself, because it may be a header, a sentence or a path. The text
//! form is made of the same strings. A string that was masked in one form is masked in the other too. The rest of the
//! text is searched line by line, because successive lines have nothing in common. Nearly all answers contain no
//! secret: one pass over their bytes finds that out, before any policy is read.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::{Level, assigned, find_secrets, mask_part, tokens};

/// How a string of the structured form is shown in the text form.
pub type Form = fn(&str) -> Cow<'_, str>;

/// Masks an answer in both its forms. `forms` are the ways in which its strings may be in the text, and `level` is
/// called only if something was found.
pub fn mask_answer(
    structured: &mut Map<String, Value>,
    text: &mut String,
    forms: &[Form],
    level: impl FnOnce() -> Level,
) {
    if !structured.iter().any(|(key, value)| is_suspect(key) || holds_secret(value)) && !lines_hold(text) {
        return;
    }
    let mut pass = Pass::new(level());
    // Where the text is the structured form itself, it stays that.
    let json = text.starts_with('{').then(|| Value::Object(structured.clone()).to_string());
    let same = json.as_ref() == Some(&*text);
    pass.map(structured);
    *text = if same { Value::Object(structured.clone()).to_string() } else { pass.text(text, forms) };
}

/// Masks every string in a value.
pub fn mask_value(value: &mut Value, level: Level) {
    Pass::new(level).value(value);
}

/// No secret is in fewer bytes: `pwd=`, and the shortest literal in its quotes.
const LEAST: usize = 8;

/// Whether anything in a string may be a secret.
pub fn is_suspect(text: &str) -> bool {
    text.len() >= LEAST && !find_secrets(text, Level::Likely).is_empty()
}

/// Whether any string in a value may hold one.
pub fn holds_secret(value: &Value) -> bool {
    match value {
        Value::String(text) => is_suspect(text),
        Value::Array(items) => items.iter().any(holds_secret),
        Value::Object(map) => map.iter().any(|(key, value)| is_suspect(key) || holds_secret(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn lines_hold(text: &str) -> bool {
    let mut found = Vec::new();
    tokens::find_tokens(text, Level::Likely, &mut found);
    !found.is_empty()
        || text.lines().filter(|line| line.len() >= LEAST).any(|line| {
            assigned::find_assigned(line, &mut found);
            !found.is_empty()
        })
}

/// One pass over one answer, or over the parts of an error.
#[derive(Debug)]
pub struct Pass {
    level: Level,
    /// The strings that were masked, as they were and as they are.
    changed: Vec<(String, String)>,
}

impl Pass {
    /// A pass that has masked nothing yet.
    pub fn new(level: Level) -> Self {
        Self { level, changed: Vec::new() }
    }

    /// Masks a string.
    pub fn leaf(&mut self, text: &mut String) {
        if text.len() >= LEAST
            && let Some(shown) = crate::mask_text(text, self.level)
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

    /// Masks every string in a value.
    pub fn value(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => self.leaf(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(map) => self.map(map),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Masks every key and every string in an object.
    pub fn map(&mut self, map: &mut Map<String, Value>) {
        if map.keys().any(|key| is_suspect(key)) {
            let shown = |key: String| crate::mask_text(&key, self.level).unwrap_or(key);
            *map = std::mem::take(map).into_iter().map(|(key, value)| (shown(key), value)).collect();
        }
        map.values_mut().for_each(|value| self.value(value));
    }

    /// Returns the text form, with the strings masked that were masked in the structured one, and its own secrets
    /// masked too.
    fn text(&mut self, text: &str, forms: &[Form]) -> String {
        let mut out = text.to_owned();
        // Longer ones first, because one may be a part of another: `hunter2` of `hunter2!`.
        self.changed.sort_by_key(|(was, _)| std::cmp::Reverse(was.len()));
        self.changed.dedup();
        for (was, is) in &self.changed {
            for form in forms {
                let was = form(was);
                if out.contains(&*was) {
                    out = out.replace(&*was, &form(is));
                }
            }
        }
        // A key has many lines.
        if let Some(shown) = crate::mask_text(&out, Level::Known) {
            out = shown;
        }
        if self.level == Level::Likely {
            let mut lines = String::with_capacity(out.len());
            for line in out.split_inclusive('\n') {
                lines.push_str(&mask_part(line, &find_secrets(line, Level::Likely), 0..line.len()));
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

    const FORMS: [Form; 1] = [|text| Cow::Borrowed(text)];

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
        mask_answer(&mut structured, &mut text, &FORMS, || Level::Likely);
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
        mask_answer(&mut structured, &mut text, &FORMS, || unreachable!());
        assert_eq!((Value::Object(structured), text.as_str()), (plain, "token? 0.7\ns_0123456789abc"));
        let likely = json!({"header": "PASSWORD = \"correct horse\""});
        let mut structured = object(likely.clone());
        let mut text = likely.to_string();
        mask_answer(&mut structured, &mut text, &FORMS, || Level::Known);
        assert_eq!((Value::Object(structured.clone()), text.clone()), (likely.clone(), likely.to_string()));
        mask_answer(&mut structured, &mut text, &FORMS, || Level::Likely);
        assert_eq!(text, Value::Object(structured).to_string(), "a text that is the JSON stays that");
    }

    #[test]
    fn json_within_a_string_stays_json() {
        let inner = json!({"header": "PASSWORD = \"correct horse\"", "next": "'x'"});
        let mut structured = object(json!({ "content": inner.to_string() }));
        mask_answer(&mut structured, &mut String::new(), &FORMS, || Level::Likely);
        let shown: Value = serde_json::from_str(structured["content"].as_str().unwrap()).unwrap();
        assert_eq!(shown, json!({"header": "PASSWORD = \"***\"", "next": "'x'"}));
    }

    /// Run it with `--ignored --nocapture` in an optimized build.
    #[test]
    #[ignore = "measures"]
    fn what_it_costs_where_nothing_is_found() {
        let lines = include_str!("assigned.rs").lines().map(str::trim);
        let lines: Vec<&str> = lines.filter(|line| line.len() > 3 && !is_suspect(line)).collect();
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
                mask_answer(&mut structured, &mut text, &FORMS, || unreachable!());
            }
            println!("{what} of {} bytes twice: {:?}", text.len(), started.elapsed() / rounds);
        }
    }
}
