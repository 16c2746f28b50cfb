//! What a token states.

use serde::Deserialize;
use serde_json::Number;

use crate::args::checked_scope;
use crate::refusal::Refusal;

/// How far clocks may differ, in seconds.
const LEEWAY: f64 = 30.0;

/// The claims that matter here. Issuer and audience are checked by the library.
#[derive(Deserialize)]
pub(super) struct Claims {
    pub(super) sub: String,
    exp: Number,
    nbf: Option<Number>,
    scope: Option<Words>,
    /// The same at some providers.
    scp: Option<Words>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Words {
    Text(String),
    List(Vec<String>),
}

impl Claims {
    /// Whether the token holds at a time, in seconds since 1970.
    pub(super) fn check_times(&self, now: u64) -> Result<(), Refusal> {
        let now = now as f64;
        let at = |number: &Number| number.as_f64().filter(|at| at.is_finite());
        match at(&self.exp) {
            Some(end) if now < end + LEEWAY => {}
            _ => return Err(Refusal::Invalid("the token has expired")),
        }
        match &self.nbf {
            Some(begin) if at(begin).is_none_or(|begin| now < begin - LEEWAY) => {
                Err(Refusal::Invalid("the token does not hold yet"))
            }
            _ => Ok(()),
        }
    }

    /// The scopes, sorted, each once. Words that can't be scopes are dropped.
    pub(super) fn scopes(&self) -> Vec<String> {
        let mut all = Vec::new();
        for words in [&self.scope, &self.scp].into_iter().flatten() {
            match words {
                Words::Text(text) => all.extend(text.split(' ').map(str::to_owned)),
                Words::List(list) => all.extend(list.iter().cloned()),
            }
        }
        let mut all: Vec<String> = all.into_iter().filter_map(|scope| checked_scope(scope).ok()).collect();
        all.sort();
        all.dedup();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(json: &str) -> Claims {
        serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"))
    }

    #[test]
    fn a_token_holds_between_its_times() {
        let holds = |json: &str| claims(json).check_times(1_000).is_ok();
        assert!(holds(r#"{"sub":"u","exp":1001}"#) && holds(r#"{"sub":"u","exp":1000.5,"nbf":1000}"#));
        assert!(holds(r#"{"sub":"u","exp":971}"#), "clocks may differ a little");
        assert!(!holds(r#"{"sub":"u","exp":970}"#) && !holds(r#"{"sub":"u","exp":-5}"#));
        assert!(!holds(r#"{"sub":"u","exp":1e400}"#), "no number that there is");
        assert!(
            holds(r#"{"sub":"u","exp":2000,"nbf":1030}"#) && !holds(r#"{"sub":"u","exp":2000,"nbf":1031}"#)
        );
        assert!(serde_json::from_str::<Claims>(r#"{"sub":"u"}"#).is_err(), "it has to end");
        assert!(serde_json::from_str::<Claims>(r#"{"sub":"u","exp":"1001"}"#).is_err());
    }

    #[test]
    fn scopes_are_read_in_each_form() {
        let scopes = |json: &str| claims(json).scopes().join("|");
        assert_eq!(scopes(r#"{"sub":"u","exp":1,"scope":"web  read web"}"#), "read|web");
        assert_eq!(scopes(r#"{"sub":"u","exp":1,"scp":["b","a b","a"],"scope":"c"}"#), "a|b|c");
        assert_eq!(scopes(r#"{"sub":"u","exp":1}"#), "");
    }
}
