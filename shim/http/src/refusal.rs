//! The answers to requests that are not let in.

use hyper::http::HeaderValue;
use hyper::{Response, StatusCode};

use crate::server::{Body, plain_response};

/// Why a request is not let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It shows no token.
    NoToken,
    /// It shows something that is not one bearer token.
    Malformed,
    /// Its token is not good.
    Invalid(&'static str),
    /// Its token lacks a scope.
    Scope,
    /// Nobody can say whether its token is good.
    Unavailable,
}

/// What a refusal tells of where tokens come from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Challenge {
    /// The address of the metadata about this server.
    pub(crate) metadata: Option<String>,
    /// The scopes that every token needs.
    pub(crate) scopes: Vec<String>,
}

impl Refusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::NoToken | Self::Invalid(_) => StatusCode::UNAUTHORIZED,
            Self::Malformed => StatusCode::BAD_REQUEST,
            Self::Scope => StatusCode::FORBIDDEN,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn message(&self) -> &'static str {
        match self {
            Self::NoToken => "show a token: Authorization: Bearer TOKEN",
            Self::Malformed => "the header Authorization has to be one bearer token",
            Self::Invalid(why) => why,
            Self::Scope => "the token lacks a scope that this server asks for",
            Self::Unavailable => "tokens can't be checked now; the server's log says why",
        }
    }

    /// The error's name in RFC 6750. A request that shows nothing gets none.
    fn error(&self) -> Option<&'static str> {
        match self {
            Self::NoToken | Self::Unavailable => None,
            Self::Malformed => Some("invalid_request"),
            Self::Invalid(_) => Some("invalid_token"),
            Self::Scope => Some("insufficient_scope"),
        }
    }

    /// The value of `WWW-Authenticate`.
    fn challenge(&self, challenge: &Challenge) -> String {
        let mut text = "Bearer realm=\"sdl\"".to_owned();
        let mut add = |name: &str, value: &str| {
            text.push_str(&format!(", {name}=\"{}\"", value.replace(['"', '\\'], "")));
        };
        if let Some(error) = self.error() {
            add("error", error);
            add("error_description", self.message());
        }
        if let Some(metadata) = &challenge.metadata {
            add("resource_metadata", metadata);
        }
        if !challenge.scopes.is_empty() {
            add("scope", &challenge.scopes.join(" "));
        }
        text
    }

    /// The answer.
    pub(crate) fn response(&self, challenge: &Challenge) -> Response<Body> {
        let mut response = plain_response(self.status(), self.message());
        let headers = response.headers_mut();
        if *self == Self::Unavailable {
            headers.insert(hyper::header::RETRY_AFTER, HeaderValue::from_static("5"));
        } else if let Ok(value) = HeaderValue::from_str(&self.challenge(challenge)) {
            headers.insert(hyper::header::WWW_AUTHENTICATE, value);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_has_its_status_and_challenge() {
        let challenge = Challenge {
            metadata: Some("https://a.example/.well-known/x".to_owned()),
            scopes: vec!["read".to_owned(), "web".to_owned()],
        };
        for (refusal, status, error) in [
            (Refusal::NoToken, 401, None),
            (Refusal::Malformed, 400, Some("invalid_request")),
            (Refusal::Invalid("the token has expired"), 401, Some("invalid_token")),
            (Refusal::Scope, 403, Some("insufficient_scope")),
        ] {
            let response = refusal.response(&challenge);
            let text = response.headers()["www-authenticate"].to_str().unwrap_or_default();
            assert_eq!(response.status().as_u16(), status, "{refusal:?}");
            assert!(text.starts_with("Bearer realm=\"sdl\""), "{text}");
            assert!(text.contains("resource_metadata=\"https://a.example/.well-known/x\""), "{text}");
            assert!(text.ends_with("scope=\"read web\""), "{text}");
            match error {
                Some(error) => assert!(text.contains(&format!("error=\"{error}\"")), "{text}"),
                None => assert!(!text.contains("error"), "{text}"),
            }
        }
        let bare = Refusal::NoToken.response(&Challenge::default());
        assert_eq!(bare.headers()["www-authenticate"], "Bearer realm=\"sdl\"");
        let down = Refusal::Unavailable.response(&challenge);
        assert_eq!((down.status().as_u16(), down.headers().contains_key("retry-after")), (503, true));
    }
}
