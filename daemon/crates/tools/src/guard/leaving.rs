//! The last step of every answer and every error: no secret leaves, whatever a handler put into them.

use std::borrow::Cow;

use sdl_redact::{Form, Level, Pass, holds_secret, is_suspect};
use sdl_retrieve::plain;
use serde_json::{Map, Value};

use crate::ToolError;

/// A string as it is, or as lines of text show it.
const FORMS: [Form; 3] =
    [|text| Cow::Borrowed(text), plain::inline_text, |text| Cow::Owned(plain::quote_lines(text))];

/// Masks an answer in both its forms. `level` is called only if something was found.
pub(crate) fn answer(structured: &mut Map<String, Value>, text: &mut String, level: impl FnOnce() -> Level) {
    sdl_redact::mask_answer(structured, text, &FORMS, level);
}

/// Masks the error that a caller gets in place of an answer.
pub(crate) fn error(mut error: ToolError, level: impl FnOnce() -> Level) -> ToolError {
    let about = &error.refusal.about;
    let next = error.next_best_action.as_ref();
    let clean = !is_suspect(&error.refusal.message)
        && !about.field.as_deref().is_some_and(is_suspect)
        && !about
            .candidates
            .iter()
            .any(|one| one.0.iter().any(|(key, one)| is_suspect(key) || holds_secret(one)))
        && !about.details.iter().any(|(key, one)| is_suspect(key) || holds_secret(one))
        && !next.is_some_and(|next| is_suspect(&next.rationale) || holds_secret(&next.args));
    if clean {
        return error;
    }
    let mut pass = Pass::new(level());
    pass.leaf(&mut error.refusal.message);
    let about = &mut *error.refusal.about;
    about.field.iter_mut().for_each(|field| pass.leaf(field));
    about.candidates.iter_mut().for_each(|one| pass.map(&mut one.0));
    pass.map(&mut about.details);
    if let Some(next) = &mut error.next_best_action {
        pass.leaf(&mut next.rationale);
        pass.value(&mut next.args);
    }
    error
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Candidate, Code, Explained};

    #[test]
    fn errors_are_masked_in_every_part() {
        let key = format!("AKIA{}", "IOSFODNN7EXAMPLE");
        let told = ToolError::new(Code::UnknownPath, format!("no file {key}"))
            .at(format!("paths.{key}"))
            .or_one_of([Candidate::of("file", format!("a/{key}"))])
            .with("got", key.clone())
            .next("sdl_x", json!({ "file": key }), format!("shows {key}"));
        let told = error(told, || Level::Known);
        assert!(!told.to_value().to_string().contains(&key), "{told:?}");
        assert_eq!(told.refusal.message, "no file ***");
    }
}
