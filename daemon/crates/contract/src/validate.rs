//! Checking a value against a [`Shape`], with aliases and coercion on the way.

use serde_json::{Map, Number, Value};

use crate::nearest::nearest_names;
use crate::shape::{FieldShape, ObjectShape, Rest, Shape};
use crate::{Candidate, Code, Explained, Refusal};

/// Integers above this (2^53) are refused, because JSON readers that use doubles change them.
const EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

impl Shape {
    /// Returns `value` in its canonical form: canonical names, coerced values, no nulls where a field is optional.
    /// `path` names the value in messages; empty at the root.
    pub fn check(&self, value: Value, path: &str) -> Result<Value, Refusal> {
        let value = self.coerce(value, path)?;
        match (self, value) {
            (Self::Object(shape), Value::Object(map)) => shape.check(map, path).map(Value::Object),
            (Self::Array { items, min, max }, Value::Array(all)) => {
                in_size(all.len(), *min, *max, "items", path)?;
                let checked =
                    all.into_iter().enumerate().map(|(i, item)| items.check(item, &format!("{path}[{i}]")));
                checked.collect::<Result<_, _>>().map(Value::Array)
            }
            (Self::String { choices, min, max }, Value::String(text)) => {
                if !choices.is_empty() && !choices.contains(&text) {
                    return Err(no_such_choice(&text, choices, path));
                }
                in_size(text.chars().count(), *min, *max, "characters", path)?;
                Ok(Value::String(text))
            }
            (Self::Integer { min, max }, Value::Number(number)) => {
                let whole = whole_number(&number)
                    .ok_or_else(|| wrong_type(self.name(), &Value::Number(number.clone()), path))?;
                in_range(&number, *min, *max, path)?;
                Ok(Value::Number(whole))
            }
            (Self::Number { min, max }, Value::Number(number)) => {
                in_range(&number, *min, *max, path)?;
                let plain = number.as_f64().and_then(Number::from_f64);
                plain.map(Value::Number).ok_or_else(|| wrong_type(self.name(), &Value::Number(number), path))
            }
            (Self::Boolean, value @ Value::Bool(_)) => Ok(value),
            (_, value) => Err(wrong_type(self.name(), &value, path)),
        }
    }

    /// Reads a string as JSON where the schema wants no string, because some clients write nested arguments as text:
    /// `"budget": "{\"maxCards\": 5}"`. Only once, not text within text.
    fn coerce(&self, value: Value, path: &str) -> Result<Value, Refusal> {
        match (self, value) {
            (Self::String { .. }, value) => Ok(value),
            (_, Value::String(text)) => {
                let wanted = self.name();
                sdl_json::parse(text.as_bytes()).map_err(|bad| {
                    let error = wrong_type(wanted, &Value::String(text), path);
                    Refusal { message: format!("{} (read as JSON: {bad})", error.message), ..error }
                })
            }
            (_, value) => Ok(value),
        }
    }
}

impl Shape {
    /// What a missing value may be, where few words say it: ` (one of a, b)`, ` ({maxTokens})`.
    fn hint(&self) -> String {
        match self {
            Self::String { choices, .. } if !choices.is_empty() => {
                format!(" (one of {})", choices.join(", "))
            }
            Self::Object(object) => {
                let needed = object.fields.iter().filter(|field| field.required);
                let names: Vec<&str> = needed.map(|field| field.name.as_str()).collect();
                if names.is_empty() { String::new() } else { format!(" ({{{}}})", names.join(", ")) }
            }
            _ => String::new(),
        }
    }
}

impl ObjectShape {
    /// Checks an object; see [`Shape::check`].
    pub fn check(&self, given: Map<String, Value>, path: &str) -> Result<Map<String, Value>, Refusal> {
        let mut out = Map::new();
        let mut spelled: Vec<(&str, String)> = Vec::new();
        for (key, value) in given {
            let Some(field) = self.field(&key) else {
                match &self.rest {
                    Rest::Refused => return Err(self.unknown_field(&key, path)),
                    Rest::Any => out.insert(key, value),
                    Rest::Each(shape) => {
                        let checked = shape.check(value, &join_path(path, &key))?;
                        out.insert(key, checked)
                    }
                };
                continue;
            };
            if let Some((_, other)) = spelled.iter().find(|(name, _)| *name == field.name) {
                let message = format!(
                    "{other:?} and {key:?} both mean {:?}; give one of them",
                    join_path(path, &field.name)
                );
                return Err(Refusal::invalid(join_path(path, &field.name), message));
            }
            if let Some(checked) = field.check(value, path)? {
                out.insert(field.name.clone(), checked);
            }
            spelled.push((&field.name, key));
        }
        let missing: Vec<&FieldShape> =
            self.fields.iter().filter(|field| field.required && !out.contains_key(&field.name)).collect();
        let Some(first) = missing.first() else { return Ok(out) };
        let named: Vec<String> = missing
            .iter()
            .map(|field| format!("{}{}", join_path(path, &field.name), field.shape.hint()))
            .collect();
        let message = format!("required and missing: {}", named.join(", "));
        let choices = match &first.shape {
            Shape::String { choices, .. } => choices.as_slice(),
            _ => &[],
        };
        let field = join_path(path, &first.name);
        Err(Refusal::new(Code::MissingField, message)
            .at(&field)
            .or_one_of(choices.iter().map(|choice| Candidate::of(&field, choice.as_str()))))
    }

    fn unknown_field(&self, key: &str, path: &str) -> Refusal {
        let shown: String = key.chars().take(80).collect();
        let spellings = self.fields.iter().flat_map(|f| std::iter::once(&f.name).chain(&f.aliases));
        let mut near: Vec<&str> = nearest_names(key, spellings.map(String::as_str), 3)
            .into_iter()
            .filter_map(|name| self.field(name).map(|field| field.name.as_str()))
            .collect();
        near.dedup();
        let hint = if let Some(first) = near.first() {
            format!("; did you mean {:?}?", join_path(path, first))
        } else {
            let names: Vec<&str> = self.fields.iter().map(|field| field.name.as_str()).collect();
            format!("; known here: {}", names.join(", "))
        };
        Refusal::new(Code::UnknownField, format!("unknown field {:?}{hint}", join_path(path, &shown)))
            .at(join_path(path, &shown))
            .or_one_of(near.into_iter().map(|name| Candidate::of("field", join_path(path, name))))
    }
}

impl FieldShape {
    /// Returns none for a null that means "absent".
    fn check(&self, value: Value, path: &str) -> Result<Option<Value>, Refusal> {
        let path = join_path(path, &self.name);
        let value = self.shape.coerce(value, &path)?;
        match value {
            Value::Null if !self.required => Ok(None),
            Value::Null => {
                Err(Refusal::new(Code::MissingField, format!("{path:?} is required, got null")).at(path))
            }
            // The result of a coercion is not coerced again.
            Value::String(text) if !matches!(self.shape, Shape::String { .. }) => {
                Err(wrong_type(self.shape.name(), &Value::String(text), &path))
            }
            value => self.shape.check(value, &path).map(Some),
        }
    }
}

/// `outer.inner`; the inner alone at the root.
pub fn join_path(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// A value of another type than the schema's.
pub fn wrong_type(expected: &str, got: &Value, path: &str) -> Refusal {
    let got = describe_value(got);
    let name = if path.is_empty() { "the arguments".to_owned() } else { format!("{path:?}") };
    let error = Refusal::new(Code::WrongType, format!("{name} must be of type {expected}, got {got}"))
        .with("expected", expected)
        .with("got", got);
    if path.is_empty() { error } else { error.at(path) }
}

fn describe_value(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(b) => format!("boolean {b}"),
        Value::Number(n) => {
            // In one form, however it was written.
            let shown = n.to_string().replace("e+", "e");
            format!("number {}", shown.chars().take(40).collect::<String>())
        }
        Value::String(text) => {
            let shown: String = text.chars().take(40).collect();
            let more = if shown.len() < text.len() { "…" } else { "" };
            format!("string {shown:?}{more}")
        }
        Value::Array(items) => format!("array of {}", items.len()),
        Value::Object(map) => format!("object with {} keys", map.len()),
    }
}

fn no_such_choice(text: &str, choices: &[String], path: &str) -> Refusal {
    let near = nearest_names(text, choices.iter().map(String::as_str), 1);
    let hint = near.first().map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
    let got = describe_value(&Value::String(text.to_owned()));
    let key = path.rsplit('.').next().unwrap_or(path).split('[').next().unwrap_or_default().to_owned();
    Refusal::invalid(path, format!("{path:?} must be one of {}, got {got}{hint}", choices.join(", ")))
        .or_one_of(choices.iter().map(|choice| Candidate::of(&key, choice.clone())))
}

fn in_size(size: usize, min: usize, max: usize, what: &str, path: &str) -> Result<(), Refusal> {
    if (min..=max).contains(&size) {
        return Ok(());
    }
    let wanted = match (min, max) {
        (min, usize::MAX) => format!("at least {min}"),
        (0, max) => format!("at most {max}"),
        (min, max) => format!("{min} to {max}"),
    };
    Err(Refusal::invalid(path, format!("{path:?} must have {wanted} {what}, got {size}")))
}

fn in_range(number: &Number, min: Option<f64>, max: Option<f64>, path: &str) -> Result<(), Refusal> {
    let value = number.as_f64().unwrap_or(f64::INFINITY);
    if min.is_none_or(|min| value >= min) && max.is_none_or(|max| value <= max) {
        return Ok(());
    }
    let wanted = match (min, max) {
        (Some(min), Some(max)) => format!("{min} to {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => "finite".to_owned(),
    };
    let got = describe_value(&Value::Number(number.clone()));
    Err(Refusal::invalid(path, format!("{path:?} must be {wanted}, got {got}")))
}

/// The number as an integer, if it is one in value: `3.0` and `3e0` are.
fn whole_number(number: &Number) -> Option<Number> {
    if let Some(n) = number.as_u64() {
        return Some(n.into());
    }
    if let Some(n) = number.as_i64() {
        return Some(n.into());
    }
    let value = number.as_f64()?;
    (value.fract() == 0.0 && value.abs() < EXACT_INTEGER).then(|| Number::from(value as i64))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shape() -> Shape {
        let schema = json!({
            "type": "object",
            "properties": {
                "repoId": {"type": "string"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100},
                "minConfidence": {"type": "number", "minimum": 0, "maximum": 1},
                "exact": {"type": "boolean"},
                "detail": {"type": "string", "enum": ["minimal", "full"]},
                "ids": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
                "budget": {
                    "type": "object",
                    "properties": {"maxCards": {"type": "integer"}},
                    "additionalProperties": false
                },
                "knownEtags": {"type": "object", "additionalProperties": {"type": "string"}}
            },
            "required": ["ids"],
            "additionalProperties": false
        });
        Shape::compile(&schema, &[("repo", "repoId")]).unwrap()
    }

    fn check(value: Value) -> Result<Value, Refusal> {
        shape().check(value, "")
    }

    #[test]
    fn aliases_and_stringified_values_become_canonical() {
        let plain = json!({"repoId": "r", "ids": ["a"], "limit": 5, "exact": true, "budget": {"maxCards": 3},
            "knownEtags": {"x": "{}"}, "minConfidence": 0.5});
        let forgiven = json!({"repo": "r", "ids": "[\"a\"]", "limit": "5", "exact": "true",
            "budget": "{\"max_cards\": \"3\"}", "known_etags": {"x": "{}"}, "min_confidence": "0.50"});
        assert_eq!(check(plain.clone()).unwrap(), plain);
        assert_eq!(check(forgiven).unwrap(), plain);
        assert_eq!(check(json!({"ids": [], "limit": 3.0})).unwrap(), json!({"ids": [], "limit": 3}));
    }

    #[test]
    fn null_for_an_optional_field_is_absence() {
        assert_eq!(check(json!({"ids": [], "limit": null, "budget": "null"})).unwrap(), json!({"ids": []}));
        assert_eq!(check(json!({"ids": null})).unwrap_err().code, Code::MissingField);
    }

    #[test]
    fn refusals_name_the_field_and_what_was_meant() {
        for (value, code, field, says) in [
            (json!({"ids": [], "limt": 3}), Code::UnknownField, Some("limt"), "did you mean \"limit\""),
            (json!({"ids": [], "zzz": 3}), Code::UnknownField, Some("zzz"), "known here: repoId, limit"),
            (
                json!({"ids": [], "budget": {"maxCard": 1}}),
                Code::UnknownField,
                Some("budget.maxCard"),
                "did you mean \"budget.maxCards\"",
            ),
            (json!({}), Code::MissingField, Some("ids"), "missing: ids"),
            (json!({"ids": "a"}), Code::WrongType, Some("ids"), "must be of type array, got string \"a\""),
            (json!({"ids": [1]}), Code::WrongType, Some("ids[0]"), "must be of type string, got number 1"),
            (json!({"ids": [], "limit": 1.5}), Code::WrongType, Some("limit"), "integer"),
            (json!({"ids": [], "limit": 0}), Code::InvalidArgument, Some("limit"), "must be 1 to 100"),
            (json!({"ids": [], "limit": "\"5\""}), Code::WrongType, Some("limit"), "integer"),
            (
                json!({"ids": [], "detail": "ful"}),
                Code::InvalidArgument,
                Some("detail"),
                "did you mean \"full\"",
            ),
            (json!({"ids": ["", "", "", ""]}), Code::InvalidArgument, Some("ids"), "at most 3 items"),
            (
                json!({"ids": [], "repo": "a", "repoId": "b"}),
                Code::InvalidArgument,
                Some("repoId"),
                "both mean",
            ),
            (
                json!({"ids": [], "repo": null, "repoId": "b"}),
                Code::InvalidArgument,
                Some("repoId"),
                "both mean",
            ),
            (json!([]), Code::WrongType, None, "the arguments must be of type object"),
        ] {
            let shown = value.to_string();
            let error = check(value).expect_err(&shown);
            assert_eq!((error.code, error.about.field.as_deref()), (code, field), "{shown}: {error}");
            assert!(error.message.contains(says), "{shown}: {error}");
        }
    }

    #[test]
    fn text_stays_text_where_text_is_wanted() {
        let value = json!({"ids": ["[1]", "5", "null"], "repoId": "{\"a\":1}"});
        assert_eq!(check(value.clone()).unwrap(), value);
    }
}
