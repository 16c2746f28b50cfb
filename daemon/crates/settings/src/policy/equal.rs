//! Equality of JSON values by their meaning: `1`, `1.0` and `1e0` are the same number.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// Whether two values mean the same.
pub(super) fn means_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => compare_numbers(one, other) == Some(Ordering::Equal),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| means_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, one)| other.get(key).is_some_and(|other| means_same(one, other)))
        }
        _ => one == other,
    }
}

/// Compares two numbers: exactly if both are whole numbers of at most 128 bits, else as floating-point numbers.
pub(super) fn compare_numbers(one: &Number, other: &Number) -> Option<Ordering> {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => as_float(one)?.partial_cmp(&as_float(other)?),
    }
}

/// The number as a floating-point number. `1e999` is infinite, not nothing: it is above every limit.
fn as_float(number: &Number) -> Option<f64> {
    number.to_string().parse().ok()
}

/// The number that a value is, or that its text is written as.
pub(super) fn number_of(value: &Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(number.clone()),
        Value::String(text) => serde_json::from_str(text.trim()).ok(),
        _ => None,
    }
}
