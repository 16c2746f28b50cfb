//! Requests that carry the login of a person.

use reqwest::{RequestBuilder, Response};

use crate::http::client::Remote;
use crate::http::refusal::connection_trouble;
use crate::trouble::Trouble;

#[cfg(feature = "oauth")]
use crate::oauth::Token;

/// Without logins there are no tokens.
#[cfg(not(feature = "oauth"))]
pub(super) enum Token {}

impl Remote {
    /// Whether the person wrote the header for logins by hand. It is then sent as it is.
    pub(super) fn has_own_login(&self) -> bool {
        self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"))
    }

    /// The token for the next request, if somebody has logged in.
    #[cfg(feature = "oauth")]
    pub(super) async fn token(&self, uri: &str) -> Result<Option<Token>, Trouble> {
        if self.has_own_login() {
            return Ok(None);
        }
        self.world.logins.token(&self.world, &self.key, uri).await
    }

    #[cfg(not(feature = "oauth"))]
    #[allow(clippy::unused_async, clippy::unused_self, reason = "the other one waits for the login")]
    pub(super) async fn token(&self, _: &str) -> Result<Option<Token>, Trouble> {
        Ok(None)
    }

    /// Sends a request with the token. If the server refuses it, the token is renewed, once: what was refused had no effect.
    #[cfg(feature = "oauth")]
    pub(super) async fn send(
        &self,
        uri: &str,
        request: RequestBuilder,
        token: Option<Token>,
    ) -> Result<Response, Trouble> {
        let failed = |error: reqwest::Error| connection_trouble(&error);
        let Some(token) = token else { return request.send().await.map_err(failed) };
        let again = request.try_clone();
        let response = authorize(request, &token)?.send().await.map_err(failed)?;
        let Some(again) = again.filter(|_| response.status() == reqwest::StatusCode::UNAUTHORIZED) else {
            return Ok(response);
        };
        drop(response);
        let renewed = self.world.logins.renewed(&self.world, &self.key, uri, &token).await?;
        let response = authorize(again, &renewed)?.send().await.map_err(failed)?;
        if response.status() == reqwest::StatusCode::UNAUTHORIZED {
            self.world.logins.refuse(&self.world, &self.key, uri, &renewed);
        }
        Ok(response)
    }

    #[cfg(not(feature = "oauth"))]
    #[allow(clippy::unused_self, reason = "the other one renews the login")]
    pub(super) async fn send(
        &self,
        _: &str,
        request: RequestBuilder,
        _: Option<Token>,
    ) -> Result<Response, Trouble> {
        request.send().await.map_err(|error| connection_trouble(&error))
    }
}

#[cfg(feature = "oauth")]
fn authorize(request: RequestBuilder, token: &Token) -> Result<RequestBuilder, Trouble> {
    let value = reqwest::header::HeaderValue::from_str(&token.header());
    let mut value = value.map_err(|_| Trouble::down("the token of the login can't be sent in a header"))?;
    value.set_sensitive(true);
    Ok(request.header(reqwest::header::AUTHORIZATION, value))
}
