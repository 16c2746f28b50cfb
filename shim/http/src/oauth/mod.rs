//! Tokens of an identity provider: who issued one, for whom, and what it may be used for. There is no login here, and nobody is
//! registered: the provider does both.

mod claims;
mod keys;
mod verify;

use jsonwebtoken::{Algorithm, Header, Validation, decode, decode_header, errors::ErrorKind};
use reqwest::Url;
use sdl_proto::{Principal, PrincipalKind};
use serde_json::json;

use crate::refusal::Refusal;
use claims::Claims;
use keys::{KeySource, Lookup};

/// Where the metadata about this server is (RFC 9728).
const METADATA: &str = "/.well-known/oauth-protected-resource";

/// The algorithms that are taken. Each checks with a key that can't sign.
const ALGORITHMS: [Algorithm; 3] = [Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA];

/// The longest subject.
const MAX_SUBJECT: usize = 256;

/// The identity provider, and what its tokens have to say.
pub(crate) struct Provider {
    issuer: String,
    audience: String,
    keys: KeySource,
}

impl Provider {
    /// The provider at a URL. Nothing is asked of it yet.
    pub(crate) fn new(issuer: &str, audience: &str) -> Result<Self, String> {
        verify::install();
        let url = keys::safe_url(issuer)
            .ok_or_else(|| format!("--issuer {issuer} is no https:// URL (http:// only for this machine)"))?;
        Ok(Self {
            issuer: issuer.to_owned(),
            audience: audience.to_owned(),
            keys: KeySource::new(issuer, url)?,
        })
    }

    /// The principal of a token.
    pub(crate) async fn check(&self, token: &str) -> Result<Principal, Refusal> {
        let header = decode_header(token)
            .map_err(|_| Refusal::Invalid("the token is none of this server's, and no signed JWT"))?;
        check_header(&header)?;
        let key = match self.keys.find(header.kid.as_deref(), header.alg).await {
            Ok(Lookup::Found(key)) => key,
            Ok(Lookup::Unknown) => return Err(Refusal::Invalid("the token is signed with an unknown key")),
            Err(error) => {
                tracing::error!(%error, "the keys of the identity provider can't be had");
                return Err(Refusal::Unavailable);
            }
        };
        let decoded = decode::<Claims>(token, &key, &self.validation(header.alg)).map_err(|error| {
            Refusal::Invalid(match error.kind() {
                ErrorKind::InvalidIssuer => "the token is of another issuer",
                ErrorKind::InvalidAudience => "the token is for another audience",
                ErrorKind::InvalidSignature => "the token's signature is wrong",
                _ => "the token lacks a claim, or has one of the wrong kind",
            })
        })?;
        let claims = decoded.claims;
        claims.check_times(jsonwebtoken::get_current_timestamp())?;
        let subject = &claims.sub;
        if subject.is_empty() || subject.len() > MAX_SUBJECT || subject.contains(char::is_control) {
            return Err(Refusal::Invalid("the token's subject can't be used as a name"));
        }
        Ok(Principal { kind: PrincipalKind::OAuth, scopes: claims.scopes(), name: claims.sub })
    }

    /// What the claims have to be. Times are checked by [`Claims`], because the library does not read them as numbers where
    /// `serde_json` keeps numbers as they are written.
    fn validation(&self, algorithm: Algorithm) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[&self.audience]);
        validation.set_required_spec_claims(&["iss", "aud", "sub"]);
        validation.validate_exp = false;
        validation.validate_nbf = false;
        validation
    }

    /// This server's own URL: the audience if it is one, else what the request names.
    fn resource(&self, host: &str) -> (String, Option<Url>) {
        match Url::parse(&self.audience) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
                (self.audience.clone(), Some(url))
            }
            _ => {
                let text = format!("http://{host}/mcp");
                let url = Url::parse(&text).ok();
                (text, url)
            }
        }
    }

    /// The address of the metadata, for a client that was refused.
    pub(crate) fn metadata_url(&self, host: &str) -> String {
        match self.resource(host) {
            (_, Some(url)) => {
                format!("{}{METADATA}{}", url.origin().ascii_serialization(), path_of(&url))
            }
            (_, None) => format!("http://{host}{METADATA}"),
        }
    }

    /// The metadata, if a path is one of those where it is looked for.
    pub(crate) fn metadata(&self, path: &str, host: &str, scopes: &[String]) -> Option<String> {
        let (resource, url) = self.resource(host);
        let behind = path.strip_prefix(METADATA)?;
        if !behind.is_empty() && url.is_none_or(|url| behind != path_of(&url)) {
            return None;
        }
        let mut metadata = json!({
            "resource": resource,
            "authorization_servers": [self.issuer],
            "bearer_methods_supported": ["header"],
            "resource_name": "sdl",
        });
        if !scopes.is_empty() {
            metadata["scopes_supported"] = json!(scopes);
        }
        Some(metadata.to_string())
    }
}

/// The part of a URL that follows a well-known path, for example `/mcp`.
fn path_of(url: &Url) -> &str {
    url.path().trim_end_matches('/')
}

fn check_header(header: &Header) -> Result<(), Refusal> {
    if !ALGORITHMS.contains(&header.alg) {
        return Err(Refusal::Invalid("the token's algorithm is not taken: RS256, ES256 and EdDSA are"));
    }
    if header.crit.is_some() {
        return Err(Refusal::Invalid("the token asks for an extension that is not known here"));
    }
    let kind = header.typ.as_deref().unwrap_or("JWT").to_ascii_lowercase();
    if !matches!(kind.as_str(), "jwt" | "at+jwt" | "application/at+jwt") {
        return Err(Refusal::Invalid("the token is no access token"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
