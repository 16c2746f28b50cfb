//! Credentials that were resolved, and their masking in all that leaves the gate.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

use memchr::memmem;

/// The text in place of a credential.
const MASK: &str = "***";

/// Shorter values are no credentials: masking them would hide too much.
pub(crate) const MIN_SECRET_BYTES: usize = 6;

/// Values that are remembered. Rotated ones stay masked, the oldest are forgotten.
const MAX_SECRETS: usize = 1_000;

/// All credentials that were resolved since the gate started.
#[derive(Clone, Default)]
pub(crate) struct Masks(Arc<RwLock<Vec<Secret>>>);

struct Secret {
    value: String,
    /// As it is written inside of a JSON string, if that differs.
    escaped: Option<String>,
}

impl Masks {
    /// Adds values. Returns those that are new.
    pub(crate) fn add(&self, values: impl IntoIterator<Item = String>) -> Vec<String> {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut new = Vec::new();
        for value in values {
            if value.len() < MIN_SECRET_BYTES || all.iter().any(|known| known.value == value) {
                continue;
            }
            let quoted = serde_json::to_string(&value).unwrap_or_default();
            let inner = quoted.trim_start_matches('"').strip_suffix('"').unwrap_or_default();
            let escaped = (!inner.is_empty() && inner != value).then(|| inner.to_owned());
            new.push(value.clone());
            if all.len() == MAX_SECRETS {
                all.remove(0);
            }
            all.push(Secret { value, escaped });
        }
        new
    }

    /// The text with each credential masked.
    pub(crate) fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut text = Cow::Borrowed(text);
        // Longer ones first, because one may contain another.
        let mut needles: Vec<&str> = all
            .iter()
            .flat_map(|secret| [Some(secret.value.as_str()), secret.escaped.as_deref()])
            .flatten()
            .filter(|needle| memmem::find(text.as_bytes(), needle.as_bytes()).is_some())
            .collect();
        needles.sort_by_key(|needle| std::cmp::Reverse(needle.len()));
        for needle in needles {
            text = Cow::Owned(text.replace(needle, MASK));
        }
        text
    }

    /// The text with each credential masked, without a copy where there is none.
    pub(crate) fn mask_owned(&self, text: String) -> String {
        match self.mask(&text) {
            Cow::Owned(masked) => masked,
            Cow::Borrowed(_) => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_masked_in_plain_text_and_inside_of_json() {
        let masks = Masks::default();
        assert_eq!(masks.add(["tok-123456".to_owned(), "a\"b\nc-long".to_owned()]).len(), 2);
        assert_eq!(masks.mask("Bearer tok-123456!"), "Bearer ***!");
        assert_eq!(masks.mask(r#"{"t":"a\"b\nc-long"}"#), r#"{"t":"***"}"#);
        assert_eq!(masks.mask("nothing"), "nothing");
    }

    #[test]
    fn a_credential_inside_of_another_leaves_no_rest_of_the_longer_one() {
        let masks = Masks::default();
        masks.add(["secret".to_owned(), "secret-and-more".to_owned()]);
        assert_eq!(masks.mask("x secret-and-more y secret z"), "x *** y *** z");
    }

    #[test]
    fn short_values_and_known_ones_are_not_added() {
        let masks = Masks::default();
        assert!(masks.add(["abc".to_owned()]).is_empty());
        assert_eq!(masks.add(["long-enough".to_owned()]), ["long-enough"]);
        assert!(masks.add(["long-enough".to_owned()]).is_empty());
        assert_eq!(masks.mask("abc"), "abc");
    }
}
