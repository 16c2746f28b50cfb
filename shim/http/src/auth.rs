//! Who a request is from.

use hyper::header::{AUTHORIZATION, HeaderMap};
use sdl_proto::Principal;

use crate::args::Args;
#[cfg(feature = "oauth")]
use crate::oauth::Provider;
use crate::refusal::{Challenge, Refusal};
use crate::tokens::{TokenFile, Tokens};

/// The longest token that is looked at.
const MAX_TOKEN: usize = 16 << 10;

/// Decides who is let in.
pub(crate) struct Auth {
    file: Option<TokenFile>,
    scopes: Vec<String>,
    #[cfg(feature = "oauth")]
    provider: Option<Provider>,
}

impl Auth {
    /// The rules that the options state. An error if they would let nobody in.
    pub(crate) fn new(args: &Args) -> Result<Self, String> {
        let file = TokenFile::from_env();
        let tokens = match &file {
            Some(file) => file.read()?,
            None => Tokens::none(),
        };
        if tokens.is_empty() && args.issuer.is_none() {
            return Err(match file {
                Some(_) => "the file of tokens has none; write lines NAME:TOKEN into it".to_owned(),
                None => "no tokens: set SDL_HTTP_TOKENS to the path of a file with lines NAME:TOKEN, or start it as a \
                         service with the credential sdl-http-tokens; see --help"
                    .to_owned(),
            });
        }
        #[cfg(feature = "oauth")]
        let provider = match (&args.issuer, &args.audience) {
            (Some(issuer), Some(audience)) => Some(Provider::new(issuer, audience)?),
            _ => None,
        };
        Ok(Self {
            file,
            scopes: args.scopes.clone(),
            #[cfg(feature = "oauth")]
            provider,
        })
    }

    /// The principal of a request.
    pub(crate) async fn admit(&self, headers: &HeaderMap) -> Result<Principal, Refusal> {
        let token = bearer_token(headers)?;
        let principal = match self.find_own(token)? {
            Some(principal) => principal,
            None => self.ask_provider(token).await?,
        };
        if self.scopes.iter().all(|wanted| principal.scopes.contains(wanted)) {
            Ok(principal)
        } else {
            Err(Refusal::Scope)
        }
    }

    /// The principal of one of the user's own tokens.
    fn find_own(&self, token: &str) -> Result<Option<Principal>, Refusal> {
        let Some(file) = &self.file else { return Ok(None) };
        // A few lines of a local file: quicker read than handed to another thread.
        match tokio::task::block_in_place(|| file.read()) {
            Ok(tokens) => Ok(tokens.find(token).cloned()),
            Err(error) => {
                tracing::error!(%error, "tokens can't be read");
                Err(Refusal::Unavailable)
            }
        }
    }

    #[cfg(feature = "oauth")]
    async fn ask_provider(&self, token: &str) -> Result<Principal, Refusal> {
        match &self.provider {
            Some(provider) => provider.check(token).await,
            None => Err(Refusal::Invalid("the token is not known")),
        }
    }

    #[cfg(not(feature = "oauth"))]
    #[allow(clippy::unused_async, reason = "it asks with the feature")]
    async fn ask_provider(&self, _: &str) -> Result<Principal, Refusal> {
        Err(Refusal::Invalid("the token is not known"))
    }

    /// What an answer to a refused request for `host` says about tokens.
    pub(crate) fn challenge(&self, host: &str) -> Challenge {
        Challenge { metadata: self.metadata_url(host), scopes: self.scopes.clone() }
    }

    #[cfg(feature = "oauth")]
    fn metadata_url(&self, host: &str) -> Option<String> {
        self.provider.as_ref().map(|provider| provider.metadata_url(host))
    }

    #[cfg(not(feature = "oauth"))]
    #[allow(clippy::unused_self, reason = "it is used with the feature")]
    fn metadata_url(&self, _: &str) -> Option<String> {
        None
    }

    /// What a path says about this server, as JSON.
    #[cfg(feature = "oauth")]
    pub(crate) fn metadata(&self, path: &str, host: &str) -> Option<String> {
        self.provider.as_ref()?.metadata(path, host, &self.scopes)
    }

    /// What a path says about this server, as JSON.
    #[cfg(not(feature = "oauth"))]
    #[allow(clippy::unused_self, reason = "it is used with the feature")]
    pub(crate) fn metadata(&self, _: &str, _: &str) -> Option<String> {
        None
    }
}

/// The one bearer token of a request.
fn bearer_token(headers: &HeaderMap) -> Result<&str, Refusal> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = given.next() else { return Err(Refusal::NoToken) };
    if given.next().is_some() {
        return Err(Refusal::Malformed);
    }
    let text = value.to_str().map_err(|_| Refusal::Malformed)?;
    let (scheme, token) = text.split_once(' ').unwrap_or((text, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(Refusal::NoToken);
    }
    let token = token.trim();
    if token.is_empty() || token.len() > MAX_TOKEN || token.contains(char::is_whitespace) {
        return Err(Refusal::Malformed);
    }
    Ok(token)
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn one_bearer_token_is_taken() {
        let read = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(
                    AUTHORIZATION,
                    HeaderValue::from_str(value).unwrap_or_else(|error| panic!("{error}")),
                );
            }
            bearer_token(&headers).map(str::to_owned)
        };
        assert_eq!(read(&["Bearer abc"]), Ok("abc".to_owned()));
        assert_eq!(read(&["bearer  abc"]), Ok("abc".to_owned()));
        assert_eq!(read(&[]), Err(Refusal::NoToken));
        assert_eq!(read(&["Basic abc"]), Err(Refusal::NoToken));
        let long = format!("Bearer {}", "x".repeat(MAX_TOKEN + 1));
        for wrong in [&["Bearer"][..], &["Bearer "], &["Bearer a b"], &["Bearer a", "Bearer b"], &[&long]] {
            assert_eq!(read(wrong), Err(Refusal::Malformed), "{wrong:?}");
        }
    }
}
