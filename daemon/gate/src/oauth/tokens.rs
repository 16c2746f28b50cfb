//! The tokens of stored logins, for requests, and their renewal.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use rmcp::transport::auth::{
    AuthError, CredentialStore as _, InMemoryCredentialStore, OAuthClientConfig, OAuthTokenResponse,
    StoredCredentials,
};
use sdl_proto::code;
use sdl_settings::{Login, Secret, find_login, hold_login, resource_of, store_login};
use serde_json::{Value, json};
use zeroize::Zeroizing;

use crate::oauth::metadata::{explain_error, learn_metadata, make_manager};
use crate::shared::{World, run_blocking};
use crate::trouble::Trouble;

/// A token that ends within this time is renewed before it is used, because a request takes time too.
const MARGIN_SECONDS: u64 = 30;

/// A token for requests to one server.
#[derive(Clone)]
pub(crate) struct Token(Secret);

impl Token {
    /// The value of the header `Authorization`.
    pub(crate) fn header(&self) -> Zeroizing<String> {
        Zeroizing::new(format!("Bearer {}", self.0.expose()))
    }
}

/// The logins in use, beside their files.
#[derive(Clone, Default)]
pub(crate) struct Logins(Arc<Mutex<HashMap<String, Arc<Renewals>>>>);

/// Renewals of one login, one at a time.
#[derive(Default)]
struct Renewals {
    turn: tokio::sync::Mutex<()>,
    /// The hash of a token that the server refuses and that can't be renewed. A person has to log in again.
    dead: Mutex<Option<blake3::Hash>>,
}

impl Renewals {
    fn is_dead(&self, access: &Secret) -> bool {
        *self.dead.lock().unwrap_or_else(PoisonError::into_inner) == Some(hash_of(access))
    }

    fn bury(&self, access: &Secret) {
        *self.dead.lock().unwrap_or_else(PoisonError::into_inner) = Some(hash_of(access));
    }
}

fn hash_of(secret: &Secret) -> blake3::Hash {
    blake3::hash(secret.expose().as_bytes())
}

/// The login of an upstream, in the surroundings that it needs.
#[derive(Clone)]
struct Place {
    world: World,
    renewals: Arc<Renewals>,
    key: String,
    resource: String,
}

impl Logins {
    fn place(&self, world: &World, key: &str, url: &str) -> Place {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let renewals = Arc::clone(all.entry(key.to_owned()).or_default());
        Place {
            world: Arc::clone(world),
            renewals,
            key: key.to_owned(),
            resource: resource_of(url).to_owned(),
        }
    }

    /// The token for the server at `url`, renewed if it is about to end. None if nobody has logged in to that server.
    pub(crate) async fn token(&self, world: &World, key: &str, url: &str) -> Result<Option<Token>, Trouble> {
        let place = self.place(world, key, url);
        let Some(login) = place.load().await? else { return Ok(None) };
        let left = login.expires_at.map(|end| end.saturating_sub(now_seconds()));
        if left.is_none_or(|left| left > MARGIN_SECONDS) {
            return Ok(Some(Token(login.access)));
        }
        match renew_apart(place, login.access.clone()).await {
            // It lasts a little, so this call need not fail.
            Err(_) if left != Some(0) => Ok(Some(Token(login.access))),
            other => other.map(Some),
        }
    }

    /// Another token in place of one that the server has refused.
    pub(crate) async fn renewed(
        &self,
        world: &World,
        key: &str,
        url: &str,
        refused: &Token,
    ) -> Result<Token, Trouble> {
        renew_apart(self.place(world, key, url), refused.0.clone()).await
    }

    /// Notes that the server has refused a token that was just renewed, so that it isn't renewed again and again.
    pub(crate) fn refuse(&self, world: &World, key: &str, url: &str, token: &Token) {
        self.place(world, key, url).renewals.bury(&token.0);
    }
}

/// Renews in a task of its own: when a caller goes away meanwhile, the new tokens must not be lost, because the old ones may
/// not count any more.
async fn renew_apart(place: Place, old: Secret) -> Result<Token, Trouble> {
    let done = tokio::spawn(async move { place.renew(&old).await }).await;
    done.unwrap_or_else(|error| Err(Trouble::down(format!("the login was not renewed: {error}"))))
}

impl Place {
    fn state_dir(&self) -> PathBuf {
        self.world.state_dir.clone()
    }

    /// The stored login, if it is for this server. Its secrets are masked from now on.
    async fn load(&self) -> Result<Option<Login>, Trouble> {
        let (state, key) = (self.state_dir(), self.key.clone());
        let found = run_blocking(move || find_login(&state, &key)).await.map_err(Trouble::down)?;
        let found = found.map_err(|why| Trouble::new(code::MISCONFIGURED, why))?;
        let login = found.filter(|login| login.resource == self.resource);
        if let Some(login) = &login {
            self.world.learn_values(login.secrets().map(|secret| secret.expose().to_owned())).await;
        }
        Ok(login)
    }

    fn needs_login(&self, why: &str) -> Trouble {
        let key = &self.key;
        let message = format!("{why}: a person has to run `sdlctl upstream login {key}`");
        Trouble::new(code::NEEDS_LOGIN, message)
    }

    async fn renew(&self, old: &Secret) -> Result<Token, Trouble> {
        let _turn = self.renewals.turn.lock().await;
        let (state, key) = (self.state_dir(), self.key.clone());
        let held = run_blocking(move || hold_login(&state, &key)).await.map_err(Trouble::down)?;
        let _held = held.map_err(|error| Trouble::down(format!("the login can't be renewed: {error}")))?;
        let gone = || self.needs_login("the login is not there any more");
        let login = self.load().await?.ok_or_else(gone)?;
        if login.access.expose() != old.expose() {
            // Somebody else has renewed it, or a person has logged in.
            return Ok(Token(login.access));
        }
        if self.renewals.is_dead(old) || login.refresh.is_none() {
            return Err(self.needs_login("the server does not take the login any more"));
        }
        let login = match ask_for_tokens(&login).await {
            Ok(login) => login,
            Err(Refused::ForGood) => {
                self.renewals.bury(old);
                return Err(self.needs_login("the login has ended"));
            }
            Err(Refused::Now(why)) => {
                return Err(Trouble::down(format!("the login could not be renewed: {why}")));
            }
        };
        self.world.learn_values(login.secrets().map(|secret| secret.expose().to_owned())).await;
        let (state, key, stored) = (self.state_dir(), self.key.clone(), login.clone());
        let stored = run_blocking(move || store_login(&state, &key, &stored)).await.map_err(Trouble::down)?;
        if let Err(error) = stored {
            // This request can still be made; later ones find the old tokens, which may not count any more.
            tracing::error!("{}: the renewed login can't be stored: {error}", self.key);
        }
        tracing::info!("{}: the login was renewed", self.key);
        Ok(Token(login.access))
    }
}

/// Why there are no new tokens.
enum Refused {
    /// The server takes the login no more.
    ForGood,
    /// It did not work this time.
    Now(String),
}

/// Asks the issuer for new tokens.
async fn ask_for_tokens(login: &Login) -> Result<Login, Refused> {
    let failed = |error: &AuthError| Refused::Now(explain_error(error));
    let mut manager =
        make_manager(&login.resource, login.is_private).await.map_err(|error| failed(&error))?;
    learn_metadata(&mut manager, &login.resource).await.map_err(Refused::Now)?;
    let store = InMemoryCredentialStore::new();
    store.save(stored_form(login)).await.map_err(|error| failed(&error))?;
    manager.set_credential_store(store);
    // False if the server has another issuer now. The old one's tokens are not sent to it.
    if !manager.initialize_from_store().await.map_err(|error| failed(&error))? {
        return Err(Refused::ForGood);
    }
    if let Some(secret) = &login.client_secret {
        let config = OAuthClientConfig::new(&login.client_id, &login.resource);
        manager
            .configure_client(config.with_client_secret(secret.expose()))
            .map_err(|error| failed(&error))?;
    }
    match manager.refresh_token().await {
        Ok(response) => {
            let scopes = manager.get_current_scopes().await;
            read_tokens(&response, Login { scopes, ..login.clone() })
                .ok_or_else(|| Refused::Now("the answer of the issuer has no token".to_owned()))
        }
        Err(AuthError::TokenRefreshRejected(_) | AuthError::AuthorizationRequired) => Err(Refused::ForGood),
        Err(error) => Err(failed(&error)),
    }
}

/// A login in rmcp's form.
fn stored_form(login: &Login) -> StoredCredentials {
    let mut token = json!({
        "access_token": login.access.expose(),
        "token_type": "bearer",
    });
    if let Some(refresh) = &login.refresh {
        token["refresh_token"] = refresh.expose().into();
    }
    let token = serde_json::from_value::<OAuthTokenResponse>(token).ok();
    StoredCredentials::new(login.client_id.clone(), token, login.scopes.clone(), None)
        .with_issuer(login.issuer.clone())
}

/// The login with the tokens of an answer of its issuer. None if there is no token in it.
pub(super) fn read_tokens(response: &OAuthTokenResponse, login: Login) -> Option<Login> {
    let answer = serde_json::to_value(response).ok()?;
    let secret = |name: &str| answer[name].as_str().map(|text| Secret::new(text.to_owned()));
    let lasts = answer["expires_in"].as_u64().or_else(|| answer["expires_in"].as_f64().map(|n| n as u64));
    let kind = answer["token_type"].as_str().unwrap_or("bearer");
    let access = secret("access_token").filter(|_| kind.eq_ignore_ascii_case("bearer"))?;
    let is_header = |secret: &Secret| secret.expose().bytes().all(|byte| (0x21..=0x7e).contains(&byte));
    Some(Login {
        access: Some(access).filter(is_header)?,
        refresh: secret("refresh_token").or(login.refresh),
        expires_at: lasts.map(|lasts| now_seconds().saturating_add(lasts)),
        scopes: match &answer["scope"] {
            Value::String(scope) => scope.split_whitespace().map(str::to_owned).collect(),
            _ => login.scopes,
        },
        ..login
    })
}

fn now_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn login() -> Login {
        Login {
            resource: "https://a.example/mcp".to_owned(),
            issuer: Some("https://id.example".to_owned()),
            client_id: "client".to_owned(),
            client_secret: None,
            access: Secret::new("old-access".to_owned()),
            refresh: Some(Secret::new("old-refresh".to_owned())),
            expires_at: None,
            scopes: vec!["a".to_owned()],
            is_private: false,
        }
    }

    fn answer(value: Value) -> Option<Login> {
        read_tokens(&serde_json::from_value(value).unwrap(), login())
    }

    #[test]
    fn an_answer_replaces_what_it_names() {
        let plain = answer(json!({ "access_token": "new-access", "token_type": "Bearer" })).unwrap();
        assert_eq!(plain.access.expose(), "new-access");
        assert_eq!(plain.refresh.unwrap().expose(), "old-refresh");
        assert_eq!((plain.expires_at, plain.scopes), (None, vec!["a".to_owned()]));
        let full = json!({
            "access_token": "new-access", "token_type": "bearer", "refresh_token": "new-refresh", "expires_in": 60,
            "scope": "b c",
        });
        let full = answer(full).unwrap();
        assert_eq!(full.refresh.unwrap().expose(), "new-refresh");
        assert!(full.expires_at.unwrap() >= now_seconds() + 30);
        assert_eq!(full.scopes, ["b", "c"]);
    }

    #[test]
    fn a_token_of_another_kind_or_with_line_breaks_is_none() {
        assert!(answer(json!({ "access_token": "new-access", "token_type": "mac" })).is_none());
        assert!(answer(json!({ "access_token": "new\r\naccess", "token_type": "bearer" })).is_none());
    }

    #[test]
    fn rmcp_gets_the_login_with_its_issuer() {
        let form = serde_json::to_value(stored_form(&login())).unwrap();
        assert_eq!(form["issuer"], "https://id.example");
        assert_eq!(form["token_response"]["refresh_token"], "old-refresh");
        assert_eq!(form["granted_scopes"], json!(["a"]));
    }
}
