//! An identity provider on this machine, and its tokens.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;

/// What the tokens are issued for.
pub(crate) const AUDIENCE: &str = "https://sdl.example/mcp";

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// Bytes as tokens and keys have them.
pub(crate) fn encoded(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let mut bits = 0_u32;
        for at in 0..3 {
            bits = bits << 8 | u32::from(*three.get(at).unwrap_or(&0));
        }
        for at in 0..=three.len() {
            text.push(char::from(ALPHABET[(bits >> (18 - 6 * at) & 63) as usize]));
        }
    }
    text
}

/// A key that signs.
pub(crate) enum Signer {
    Curve(EcdsaKeyPair),
    Edwards(Ed25519KeyPair),
}

impl Signer {
    pub(crate) fn curve() -> Self {
        let (kind, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
        let made = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        Self::Curve(EcdsaKeyPair::from_pkcs8(kind, made.as_ref(), &random).unwrap())
    }

    pub(crate) fn edwards() -> Self {
        let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self::Edwards(Ed25519KeyPair::from_pkcs8(made.as_ref()).unwrap())
    }

    pub(crate) fn algorithm(&self) -> &'static str {
        match self {
            Self::Curve(_) => "ES256",
            Self::Edwards(_) => "EdDSA",
        }
    }

    /// The public half, as it is published.
    pub(crate) fn published(&self, name: &str) -> Value {
        match self {
            Self::Curve(key) => {
                let point = key.public_key().as_ref();
                let (x, y) = (encoded(&point[1..33]), encoded(&point[33..]));
                json!({"kty": "EC", "crv": "P-256", "kid": name, "use": "sig", "x": x, "y": y})
            }
            Self::Edwards(key) => {
                let point = encoded(key.public_key().as_ref());
                json!({"kty": "OKP", "crv": "Ed25519", "kid": name, "x": point})
            }
        }
    }

    pub(crate) fn sign_with(&self, header: &Value, claims: &Value) -> String {
        let signed =
            format!("{}.{}", encoded(header.to_string().as_bytes()), encoded(claims.to_string().as_bytes()));
        let signature = match self {
            Self::Curve(key) => key.sign(&SystemRandom::new(), signed.as_bytes()).unwrap().as_ref().to_vec(),
            Self::Edwards(key) => key.sign(signed.as_bytes()).as_ref().to_vec(),
        };
        format!("{signed}.{}", encoded(&signature))
    }

    pub(crate) fn sign(&self, name: &str, claims: &Value) -> String {
        self.sign_with(&json!({"alg": self.algorithm(), "kid": name, "typ": "at+jwt"}), claims)
    }
}

/// An identity provider on this machine.
pub(crate) struct World {
    pub(crate) issuer: String,
    pub(crate) keys: Arc<Mutex<Vec<Value>>>,
    /// How often its keys were asked for.
    asked: Arc<AtomicUsize>,
}

impl World {
    pub(crate) async fn new(keys: Vec<Value>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let issuer = format!("http://{}/realm", listener.local_addr().unwrap());
        let world = Self { issuer, keys: Arc::new(Mutex::new(keys)), asked: Arc::default() };
        let (issuer, keys, asked) = (world.issuer.clone(), Arc::clone(&world.keys), Arc::clone(&world.asked));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let mut stream = BufReader::new(stream);
                let mut line = String::new();
                let mut rest = String::from(" ");
                let _ = stream.read_line(&mut line).await;
                while !rest.trim().is_empty() || rest == " " {
                    rest.clear();
                    let _ = stream.read_line(&mut rest).await;
                }
                let (status, body) = match line.split(' ').nth(1) {
                    Some("/.well-known/oauth-authorization-server/realm") => {
                        ("200 OK", json!({"issuer": issuer, "jwks_uri": format!("{issuer}/keys")}))
                    }
                    Some("/realm/keys") => {
                        asked.fetch_add(1, Ordering::Relaxed);
                        ("200 OK", json!({"keys": *keys.lock().unwrap()}))
                    }
                    _ => ("404 Not Found", json!({})),
                };
                let body = body.to_string();
                let head = format!(
                    "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
            }
        });
        world
    }

    pub(crate) fn claims(&self) -> Value {
        json!({
            "iss": self.issuer, "aud": [AUDIENCE, "other"], "sub": "user-1", "scope": "read web",
            "exp": now() + 600,
        })
    }

    /// The claims with others in place of some. Null takes one out.
    pub(crate) fn changed(&self, changes: &Value) -> Value {
        let mut claims = self.claims();
        for (name, value) in changes.as_object().unwrap() {
            if value.is_null() {
                claims.as_object_mut().unwrap().remove(name);
            } else {
                claims[name] = value.clone();
            }
        }
        claims
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}
