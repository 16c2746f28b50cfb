//! The keys that an identity provider signs with. They are asked for when they are first needed, kept for ten minutes, and asked
//! for once more when a token names one that is not among them, because keys change.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use reqwest::{Client, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::sync::Mutex;

/// How long keys are believed.
const FRESH: Duration = Duration::from_secs(10 * 60);

/// How long no keys are asked for after a token has named one that the provider does not have. Otherwise everybody could have
/// this server ask all the time.
const PAUSE: Duration = Duration::from_secs(30);

/// How long the provider may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

const MAX_ANSWER: usize = 256 << 10;
const MAX_KEYS: usize = 100;

/// The provider's keys.
pub(super) struct KeySource {
    issuer: String,
    /// The same, parsed.
    url: Url,
    client: Client,
    known: RwLock<Option<Arc<KeySet>>>,
    /// When a key was last asked for in vain. Whoever asks holds it, so that two never ask at once.
    missed: Mutex<Option<Instant>>,
}

/// A key, or that there is none of that name.
pub(super) enum Lookup {
    Found(DecodingKey),
    Unknown,
}

struct KeySet {
    at: Instant,
    keys: Vec<Key>,
}

struct Key {
    name: Option<String>,
    algorithm: Algorithm,
    decoding: DecodingKey,
}

#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    jwks_uri: String,
}

#[derive(Deserialize)]
struct Published {
    keys: Vec<Box<RawValue>>,
}

impl KeySource {
    pub(super) fn new(issuer: &str, url: Url) -> Result<Self, String> {
        // Chosen here, because a second provider in the program would make the choice ambiguous. An error means that it was.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(PATIENCE)
            .build()
            .map_err(|error| format!("no client for the identity provider: {error}"))?;
        Ok(Self {
            issuer: issuer.to_owned(),
            url,
            client,
            known: RwLock::default(),
            missed: Mutex::default(),
        })
    }

    /// Finds the key of a token. The error says why no keys could be had.
    pub(super) async fn find(&self, name: Option<&str>, algorithm: Algorithm) -> Result<Lookup, String> {
        let before = self.fresh_keys();
        if let Some(key) = before.as_ref().and_then(|known| known.find(name, algorithm)) {
            return Ok(Lookup::Found(key));
        }
        let mut missed = self.missed.lock().await;
        let known = match self.fresh_keys() {
            // Somebody else has asked in between.
            Some(known) if before.as_ref().is_none_or(|before| before.at != known.at) => known,
            Some(_) if missed.is_some_and(|at| at.elapsed() < PAUSE) => return Ok(Lookup::Unknown),
            _ => self.fetch_keys().await?,
        };
        if let Some(key) = known.find(name, algorithm) {
            return Ok(Lookup::Found(key));
        }
        *missed = Some(Instant::now());
        Ok(Lookup::Unknown)
    }

    fn fresh_keys(&self) -> Option<Arc<KeySet>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner).clone()?;
        known.is_fresh(Instant::now()).then_some(known)
    }

    async fn fetch_keys(&self) -> Result<Arc<KeySet>, String> {
        let metadata = self.fetch_metadata().await?;
        let url = safe_url(&metadata.jwks_uri)
            .ok_or_else(|| format!("{}: its keys are at no https:// URL", self.issuer))?;
        let published: Published = self.fetch(url).await?;
        let keys = published.keys.iter().take(MAX_KEYS).filter_map(|json| Key::read(json.get())).collect();
        let known = Arc::new(KeySet { at: Instant::now(), keys });
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&known));
        Ok(known)
    }

    /// The provider's description of itself, where OpenID Connect has it or where RFC 8414 has it.
    async fn fetch_metadata(&self) -> Result<Metadata, String> {
        let path = self.url.path().trim_end_matches('/').to_owned();
        let mut faults = Vec::new();
        for well_known in [
            format!("{path}/.well-known/openid-configuration"),
            format!("/.well-known/oauth-authorization-server{path}"),
        ] {
            let mut url = self.url.clone();
            url.set_path(&well_known);
            match self.fetch::<Metadata>(url).await {
                Ok(metadata) if metadata.issuer == self.issuer => return Ok(metadata),
                Ok(metadata) => {
                    faults.push(format!("{well_known} is about another issuer, {:?}", metadata.issuer));
                }
                Err(fault) => faults.push(fault),
            }
        }
        Err(faults.join("; "))
    }

    async fn fetch<T: DeserializeOwned>(&self, url: Url) -> Result<T, String> {
        let fault = |error: reqwest::Error| format!("{url}: {}", error.without_url());
        let sent = self.client.get(url.clone()).header("accept", "application/json").send().await;
        let mut answer = sent.and_then(reqwest::Response::error_for_status).map_err(fault)?;
        if !answer.status().is_success() {
            return Err(format!("{url}: it answered {}", answer.status()));
        }
        let mut body = Vec::new();
        while let Some(piece) = answer.chunk().await.map_err(fault)? {
            body.extend_from_slice(&piece);
            if body.len() > MAX_ANSWER {
                return Err(format!("{url}: the answer is longer than {MAX_ANSWER} bytes"));
            }
        }
        serde_json::from_slice(&body).map_err(|error| format!("{url}: {error}"))
    }
}

impl KeySet {
    fn is_fresh(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.at) < FRESH
    }

    /// The key of that name. A token without a name means the only key of its algorithm.
    fn find(&self, name: Option<&str>, algorithm: Algorithm) -> Option<DecodingKey> {
        let mut fitting = self.keys.iter().filter(|key| {
            key.algorithm == algorithm && name.is_none_or(|name| key.name.as_deref() == Some(name))
        });
        let first = fitting.next()?;
        (name.is_some() || fitting.next().is_none()).then(|| first.decoding.clone())
    }
}

impl Key {
    /// Reads a published key. `None` if it is not for signatures that are taken here.
    fn read(json: &str) -> Option<Self> {
        let jwk: Jwk = serde_json::from_str(json).ok()?;
        let (algorithm, named) = match &jwk.algorithm {
            AlgorithmParameters::RSA(_) => (Algorithm::RS256, KeyAlgorithm::RS256),
            AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P256 => {
                (Algorithm::ES256, KeyAlgorithm::ES256)
            }
            AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => {
                (Algorithm::EdDSA, KeyAlgorithm::EdDSA)
            }
            _ => return None,
        };
        let common = &jwk.common;
        let is_meant = common.key_algorithm.is_none_or(|given| given == named)
            && common.public_key_use.as_ref().is_none_or(|given| *given == PublicKeyUse::Signature);
        let decoding = DecodingKey::from_jwk(&jwk).ok()?;
        is_meant.then(|| Self { name: common.key_id.clone(), algorithm, decoding })
    }
}

/// A URL that nobody on the way can answer in another's place.
pub(super) fn safe_url(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok().filter(|url| url.fragment().is_none() && url.query().is_none())?;
    let host = url.host_str()?;
    let is_here = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
    (url.scheme() == "https" || (url.scheme() == "http" && is_here)).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_believed_for_ten_minutes() {
        let at = Instant::now();
        let known = KeySet { at, keys: Vec::new() };
        assert!(known.is_fresh(at) && known.is_fresh(at + Duration::from_secs(599)));
        assert!(!known.is_fresh(at + Duration::from_secs(600)));
    }

    #[test]
    fn only_keys_for_signatures_are_read() {
        let read = |json: &str| Key::read(json).map(|key| key.algorithm);
        let point = r#""x":"AA","y":"AA""#;
        let curve = |name: &str, more: &str| format!(r#"{{"kty":"EC","crv":"{name}",{point}{more}}}"#);
        assert_eq!(read(&curve("P-256", "")), Some(Algorithm::ES256));
        assert_eq!(read(&curve("P-256", r#","use":"sig","alg":"ES256""#)), Some(Algorithm::ES256));
        assert_eq!(read(&curve("P-256", r#","use":"enc""#)), None);
        assert_eq!(read(&curve("P-256", r#","alg":"ES384""#)), None);
        assert_eq!(read(&curve("P-384", "")), None);
        assert_eq!(read(r#"{"kty":"RSA","n":"AA","e":"AQAB"}"#), Some(Algorithm::RS256));
        assert_eq!(read(r#"{"kty":"RSA","n":"AA","e":"AQAB","alg":"PS256"}"#), None);
        assert_eq!(read(r#"{"kty":"OKP","crv":"Ed25519","x":"AA"}"#), Some(Algorithm::EdDSA));
        assert_eq!(read(r#"{"kty":"oct","k":"AA"}"#), None, "whoever checks with it can sign with it");
        assert_eq!(read(r#"{"kty":"new"}"#), None);
    }

    #[test]
    fn keys_come_over_a_safe_way() {
        for (text, is_safe) in [
            ("https://id.example/realm", true),
            ("http://127.0.0.1:9/", true),
            ("http://localhost:9", true),
            ("http://id.example", false),
            ("http://localhost.evil.example", false),
            ("ftp://id.example", false),
            ("https://id.example/?x=1", false),
            ("id.example", false),
        ] {
            assert_eq!(safe_url(text).is_some(), is_safe, "{text}");
        }
    }
}
