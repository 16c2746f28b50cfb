use serde_json::{Value, json};

use self::world::{AUDIENCE, Signer, World, encoded};
use super::*;

#[path = "../../tests/it/world.rs"]
mod world;

impl World {
    fn provider(&self) -> Provider {
        Provider::new(&self.issuer, AUDIENCE).unwrap()
    }
}

fn refusal(checked: Result<Principal, Refusal>) -> String {
    match checked {
        Ok(principal) => format!("let in as {principal}"),
        Err(Refusal::Invalid(why)) => why.to_owned(),
        Err(other) => format!("{other:?}"),
    }
}

#[tokio::test]
async fn a_good_token_names_its_subject_and_scopes() {
    let (curve, edwards) = (Signer::curve(), Signer::edwards());
    let world = World::new(vec![curve.published("a"), edwards.published("b"), json!({"kty": "new"})]).await;
    let provider = world.provider();
    for token in [
        curve.sign("a", &world.claims()),
        edwards.sign("b", &world.claims()),
        curve.sign_with(&json!({"alg": "ES256"}), &world.claims()),
        curve.sign("a", &world.changed(&json!({"aud": AUDIENCE}))),
    ] {
        let principal = provider.check(&token).await.unwrap_or_else(|refusal| panic!("{refusal:?}: {token}"));
        assert_eq!((principal.kind, principal.name.as_str()), (PrincipalKind::OAuth, "user-1"));
        assert_eq!(principal.scopes, ["read", "web"]);
    }
    assert_eq!(world.asked(), 1, "keys are kept");
}

#[tokio::test]
async fn each_bad_token_is_refused_for_its_reason() {
    let (key, other) = (Signer::curve(), Signer::curve());
    let world = World::new(vec![key.published("a")]).await;
    let provider = world.provider();
    let now = jsonwebtoken::get_current_timestamp();
    let signed = |changes: &Value| key.sign("a", &world.changed(changes));
    let good = signed(&json!({}));
    let unsigned = good.rsplit_once('.').unwrap().0;
    let none = encoded(br#"{"alg":"none"}"#);
    let body = good.split('.').nth(1).unwrap();
    let headed = |header: Value| key.sign_with(&header, &world.claims());
    let table = [
        (signed(&json!({"iss": "https://evil.example"})), "another issuer"),
        (signed(&json!({"iss": null})), "lacks a claim"),
        (signed(&json!({"aud": "https://other.example"})), "another audience"),
        (signed(&json!({"aud": []})), "another audience"),
        (signed(&json!({"aud": null})), "lacks a claim"),
        (signed(&json!({"exp": now - 60})), "expired"),
        (signed(&json!({"exp": null})), "lacks a claim"),
        (signed(&json!({"exp": "9999999999"})), "lacks a claim"),
        (signed(&json!({"nbf": now + 600})), "not hold yet"),
        (signed(&json!({"nbf": "0"})), "lacks a claim"),
        (signed(&json!({"sub": null})), "lacks a claim"),
        (signed(&json!({"sub": ""})), "subject"),
        (signed(&json!({"sub": "a\nb"})), "subject"),
        (other.sign("a", &world.claims()), "signature is wrong"),
        (other.sign("z", &world.claims()), "unknown key"),
        (format!("{none}.{body}."), "no signed JWT"),
        (format!("{unsigned}."), "signature is wrong"),
        (unsigned.to_owned(), "no signed JWT"),
        (headed(json!({"alg": "HS256", "kid": "a"})), "algorithm"),
        (headed(json!({"alg": "ES384", "kid": "a"})), "algorithm"),
        (headed(json!({"alg": "EdDSA", "kid": "a"})), "unknown key"),
        (headed(json!({"alg": "RS256", "kid": "a"})), "unknown key"),
        (headed(json!({"alg": "ES256", "kid": "a", "crit": ["b64"]})), "extension"),
        (headed(json!({"alg": "ES256", "kid": "a", "typ": "dpop+jwt"})), "access token"),
        ("opaque".to_owned(), "no signed JWT"),
    ];
    for (token, why) in table {
        let said = refusal(provider.check(&token).await);
        assert!(said.contains(why), "{why}: {said}: {token}");
    }
    assert_eq!(refusal(provider.check(&good).await), "let in as oauth:user-1");
}

#[tokio::test]
async fn a_key_that_is_new_is_asked_for_once() {
    let (old, new, never) = (Signer::curve(), Signer::edwards(), Signer::curve());
    let world = World::new(vec![old.published("a")]).await;
    let provider = world.provider();
    assert!(provider.check(&old.sign("a", &world.claims())).await.is_ok());
    *world.keys.lock().unwrap() = vec![new.published("b")];
    assert!(provider.check(&new.sign("b", &world.claims())).await.is_ok(), "the key has changed");
    assert_eq!(world.asked(), 2);
    assert_eq!(
        refusal(provider.check(&old.sign("a", &world.claims())).await),
        "the token is signed with an unknown key"
    );
    assert_eq!(world.asked(), 3);
    for _ in 0..5 {
        assert!(provider.check(&never.sign("c", &world.claims())).await.is_err());
    }
    assert_eq!(world.asked(), 3, "strangers can't have it ask all the time");
    assert!(provider.check(&new.sign("b", &world.claims())).await.is_ok());
}

#[tokio::test]
async fn without_its_provider_nobody_is_called_a_liar() {
    let key = Signer::curve();
    let world = World::new(Vec::new()).await;
    let gone = Provider::new("http://127.0.0.1:1/realm", AUDIENCE).unwrap();
    assert_eq!(gone.check(&key.sign("a", &world.claims())).await, Err(Refusal::Unavailable));
    let other = Provider::new(&world.issuer.replace("/realm", ""), AUDIENCE).unwrap();
    assert_eq!(other.check(&key.sign("a", &world.claims())).await, Err(Refusal::Unavailable));
}

#[test]
fn a_signature_of_rsa_is_checked() {
    // A key that was made for this test; nobody has its other half.
    const MODULUS: &str = "xPFTwxxhXdc0FiPzgByTjsd18yBcs4AfFpHT5Cn_78EqvUTGPYACrdQGAVjEMBQGdprDGlmCz-t68vHPuDlhuJyLyHY5x0XHAfvtbjF_-cA7RWx8z2e6uULwulPrvGiBAujpYjuEU3qHmM62upRwjhx7FdbLkD9tt02pus1E_zBVpqAJ2aJia-tegvAUSgNgiSyh6hnAhpTeBKlh6EP2TGB_cxPRZW-ipssILAuAWdvhmqcoNHQkflRGABFbws6KhkNNL0H60_jUu-4ip8IZxpGACv0tRuD8TD940Rp4m-rffTvfzgvhOh0T3MNALCHQpeuJ4toYu1-VXKi_bfvD0Q";
    const TOKEN: &str = "eyJhbGciOiJSUzI1NiIsImtpZCI6InJzYSIsInR5cCI6ImF0K2p3dCJ9.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJodHRwczovL3NkbC5leGFtcGxlL21jcCIsInN1YiI6InVzZXItMSIsImV4cCI6NDEwMjQ0NDgwMCwic2NvcGUiOiJyZWFkIn0.mpvfK37P7eC-3gSH0DMSEa3sJL9ltWMiwggnX8Hxl3KDs35aAvOlpBIQ78j27HuEXmP27OhkpqI9xWSp29MhR2DOi1F-35CeUY1ubIyZG_TFCvvds31h4MlhIRk3pEJ8Dr3e8pJfpyeAxJdmfiDvHY3dBGd4CvWNrMq2X4N8QZVUQT04IFl5gGWuOkgbGqswDr1agTC7DVwAcuh3GSPgF304_BOl_6RstdaKb5rRSzHj61kLDWwy3tP9Td3oDsq6ITaEzbh2xQ7lPmPutS4muKR9LTnG-bhsx2Rf5SrH2jMzJsrZ2PrbmDLjTtx7hnhViimHuXCMWnQM67qhXsS8Hg";
    verify::install();
    let key = jsonwebtoken::DecodingKey::from_rsa_components(MODULUS, "AQAB").unwrap();
    let mut validation = Validation::new(Algorithm::RS256);
    validation.set_issuer(&["https://id.example"]);
    validation.set_audience(&[AUDIENCE]);
    validation.validate_exp = false;
    validation.set_required_spec_claims(&["iss", "aud", "sub"]);
    let claims = decode::<Claims>(TOKEN, &key, &validation).unwrap().claims;
    assert_eq!((claims.sub.as_str(), claims.scopes()), ("user-1", vec!["read".to_owned()]));
    let (signed, signature) = TOKEN.rsplit_once('.').unwrap();
    let forged = format!("{signed}.{}{}", &signature[1..2], &signature[1..]);
    assert!(decode::<Claims>(forged, &key, &validation).is_err());
}

#[test]
fn metadata_names_this_server_as_its_clients_do() {
    let provider = Provider::new("https://id.example", "https://sdl.example/code/mcp").unwrap();
    let at = "https://sdl.example/.well-known/oauth-protected-resource/code/mcp";
    assert_eq!(provider.metadata_url("localhost:7331"), at);
    let scopes = ["read".to_owned()];
    let path = "/.well-known/oauth-protected-resource/code/mcp";
    let told: Value = serde_json::from_str(&provider.metadata(path, "localhost", &scopes).unwrap()).unwrap();
    assert_eq!(told["resource"], "https://sdl.example/code/mcp");
    assert_eq!(told["authorization_servers"], json!(["https://id.example"]));
    assert_eq!(told["scopes_supported"], json!(["read"]));
    assert!(provider.metadata("/.well-known/oauth-protected-resource", "localhost", &[]).is_some());
    assert!(provider.metadata("/.well-known/oauth-protected-resource/mcp", "localhost", &[]).is_none());
    assert!(provider.metadata("/other", "localhost", &[]).is_none());
    let named = Provider::new("https://id.example", "sdl").unwrap();
    let at = "http://localhost:7331/.well-known/oauth-protected-resource/mcp";
    assert_eq!(named.metadata_url("localhost:7331"), at);
    assert!(Provider::new("http://id.example", "sdl").is_err());
}
