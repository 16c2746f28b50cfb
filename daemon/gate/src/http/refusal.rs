//! What a failed request means for its caller.

use reqwest::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use reqwest::{Response, StatusCode};
use sdl_proto::code;

use crate::trouble::Trouble;

/// The longest time that a server may ask us to wait.
const MAX_RETRY_SECONDS: u64 = 86_400;

/// A connection that failed.
pub(super) fn connection_trouble(error: &reqwest::Error) -> Trouble {
    // Not the error's own text, because that contains the URL.
    if error.is_connect() {
        let why = root_cause(error);
        return Trouble::down(format!("the upstream cannot be reached: {why}"));
    }
    let message = "the connection to the upstream broke; whether the call took effect is unknown, check before you \
                   repeat it";
    Trouble::new(code::OUTCOME_UNKNOWN, message)
}

fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

/// An answer with a status that is no success. `has_header` if the person wrote the header `Authorization`.
pub(super) fn status_trouble(key: &str, has_header: bool, response: &Response) -> Trouble {
    let status = response.status();
    let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
    let trouble = match status {
        StatusCode::UNAUTHORIZED if has_header => {
            let message = format!(
                "the upstream refuses the header Authorization of {key} (HTTP 401): a person has to mend it or its \
                 credential, or remove it and run `sdlctl upstream login {key}`"
            );
            Trouble::new(code::NEEDS_LOGIN, message)
        }
        StatusCode::UNAUTHORIZED => {
            let message =
                format!("the upstream wants a login: a person has to run `sdlctl upstream login {key}`");
            Trouble::new(code::NEEDS_LOGIN, message)
        }
        StatusCode::FORBIDDEN => {
            let message = "the upstream does not permit this (HTTP 403)";
            match header(WWW_AUTHENTICATE).and_then(scope_of) {
                Some(scope) => {
                    let remedy = if has_header {
                        String::new()
                    } else {
                        format!(", for which a person can run `sdlctl upstream login {key} --scope SCOPE`")
                    };
                    let message = format!("{message}; it wants the scope {scope:?}{remedy}");
                    Trouble::new(code::UPSTREAM_DENIED, message).with("scope", scope)
                }
                None => Trouble::new(code::UPSTREAM_DENIED, message),
            }
        }
        StatusCode::TOO_MANY_REQUESTS => {
            Trouble::new(code::BUSY, "the upstream has too many requests (HTTP 429)")
        }
        _ if status.is_server_error() => {
            Trouble::down(format!("the upstream answered with HTTP {}", status.as_u16()))
        }
        _ if status.is_redirection() => {
            Trouble::protocol(format!("the upstream redirects to another origin (HTTP {})", status.as_u16()))
        }
        _ => Trouble::protocol(format!("the upstream answered with HTTP {}", status.as_u16())),
    };
    match header(RETRY_AFTER).and_then(|text| text.trim().parse::<u64>().ok()) {
        Some(seconds) => trouble.with("retryAfterMs", seconds.min(MAX_RETRY_SECONDS) * 1_000),
        None => trouble,
    }
}

/// The scope that a challenge names.
fn scope_of(challenge: &str) -> Option<String> {
    let at = challenge.to_ascii_lowercase().find("scope=")? + "scope=".len();
    let value = challenge.get(at..)?;
    let scope = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => value.split([',', ' ', ';']).next()?,
    };
    (!scope.is_empty()).then(|| scope.chars().take(500).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scope_of_a_challenge_is_found_quoted_or_not() {
        let find = |text| scope_of(text);
        assert_eq!(find(r#"Bearer error="insufficient_scope", scope="a:b c""#).as_deref(), Some("a:b c"));
        assert_eq!(find("Bearer Scope=a:b, x=y").as_deref(), Some("a:b"));
        assert_eq!(find("Bearer realm=\"x\""), None);
    }
}
