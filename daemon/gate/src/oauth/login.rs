//! A person logs in: `sdl-gate login REQUEST`, which `sdlctl` runs. The request is JSON. It reports to the standard
//! output, one JSON object in each line, because only `sdlctl` speaks to the terminal.

use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::Url;
use rmcp::transport::auth::{AuthorizationManager, OAuthClientConfig};
use sdl_settings::{
    Credentials, Login, Lookup as _, Secret, Settings, Transport, Upstream, hold_login, read_settings,
    resource_of, store_login,
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::oauth::landing::{Arrival, Callback, Landing, Outcome, Visitor, read_callback};
use crate::oauth::metadata::{Published, explain_error, learn_metadata, make_manager};
use crate::oauth::tokens::read_tokens;

/// The name under which servers show this client.
const CLIENT_NAME: &str = "sdl";

/// How long a person may take.
const PERSON_TIME: Duration = Duration::from_secs(600);

/// The longest line that is read.
const MAX_LINE_BYTES: u64 = 64 << 10;

/// The request.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Request {
    state_dir: PathBuf,
    key: String,
    /// Instead of those that the server names.
    #[serde(default)]
    scopes: Vec<String>,
    /// A client that was registered by hand.
    client_id: Option<String>,
    /// The name of the credential with that client's secret.
    client_secret: Option<String>,
    /// The port of the page where the browser arrives; 0 for any.
    #[serde(default)]
    port: u16,
    /// Whether the issuer may have a private address.
    #[serde(default)]
    is_private: bool,
    /// Whether lines of the standard input may be the address at which the browser arrived.
    #[serde(default)]
    reads_input: bool,
}

/// Logs in to an upstream as the request asks for. Returns whether it worked.
pub async fn run_login(request: &str) -> bool {
    let ended = match serde_json::from_str::<Request>(request) {
        Ok(request) => log_in(request).await,
        Err(error) => Err(format!("the request is not understood: {error}")),
    };
    let is_good = ended.is_ok();
    tell(&ended.unwrap_or_else(|message| json!({ "event": "failed", "message": message })));
    is_good
}

/// Writes an event. A reader that is gone hears nothing.
fn tell(event: &Value) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{event}").and_then(|()| out.flush());
}

/// The server to log in to.
struct Server {
    /// Its URL, without query and fragment.
    resource: String,
    credentials: Credentials,
}

fn find_server(state: &Path, key: &str) -> Result<Server, String> {
    let settings = match read_settings(state) {
        Ok(Some(file)) => file.parsed.settings,
        Ok(None) => Settings::default(),
        Err(error) => return Err(error.to_string()),
    };
    let unknown = || format!("no upstream has the key {key:?}; see: sdlctl upstream ls");
    let upstream: &Upstream = settings.upstream(key).ok_or_else(unknown)?;
    let Transport::Http { url, headers } = &upstream.transport else {
        return Err(format!("{key} is started as a command, so there is no server to log in to"));
    };
    if headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization")) {
        return Err(format!(
            "{key} has a header Authorization in mcp.json, which would be sent instead; remove it first"
        ));
    }
    let credentials = Credentials::new(state, settings.credential_helper.clone());
    let resolved = url.resolve(&credentials).map_err(|unset| unset.to_string())?;
    let parsed = Url::parse(resolved.expose()).ok().filter(|url| url.has_host());
    let parsed = parsed.ok_or_else(|| format!("{:?} is no URL", resolved.masked()))?;
    Ok(Server { resource: resource_of(parsed.as_str()).to_owned(), credentials })
}

/// The whole login. Returns the last event.
async fn log_in(request: Request) -> Result<Value, String> {
    let (state, key) = (request.state_dir.clone(), request.key.clone());
    let found = tokio::task::spawn_blocking(move || find_server(&state, &key)).await;
    let server = found.map_err(|error| error.to_string())??;
    let made = make_manager(&server.resource, request.is_private).await;
    let mut manager = made.map_err(|error| explain_error(&error))?;
    let published = learn_metadata(&mut manager, &server.resource).await?;
    let landing = Landing::open(request.port).await;
    let landing = landing.map_err(|error| format!("port {} can't be opened: {error}", request.port))?;
    let scopes = if request.scopes.is_empty() {
        manager.select_initial_scopes(&[]).await
    } else {
        request.scopes.clone()
    };
    let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let client = match &request.client_id {
        Some(id) => {
            let config = known_client(id, &request, &server.credentials, landing.redirect())?;
            manager.configure_client(config.clone()).map_err(|error| explain_error(&error))?;
            config
        }
        None => register_client(&mut manager, &published, landing.redirect(), &scopes).await?,
    };
    let url = manager.get_authorization_url(&scopes).await.map_err(|error| explain_error(&error))?;
    let state = state_of(&url).ok_or("the address of the login has no state")?;
    tell(&json!({ "event": "open", "url": url, "redirect": landing.redirect() }));
    let waiting = wait_for_person(&landing, &state, request.reads_input);
    let too_long = || format!("nobody logged in within {} minutes", PERSON_TIME.as_secs() / 60);
    let (outcome, visitor) = tokio::time::timeout(PERSON_TIME, waiting).await.map_err(|_| too_long())??;
    let resource = server.resource.as_str();
    let begun = Begun { manager: &manager, request: &request, resource, issuer: published.issuer, client };
    let ended = match outcome {
        Ok(callback) => begun.finish(callback).await,
        Err(why) => Err(why),
    };
    if let Some(visitor) = visitor {
        visitor.show_end(ended.is_ok()).await;
    }
    ended
}

fn state_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    url.query_pairs().find(|(name, _)| name == "state").map(|(_, value)| value.into_owned())
}

/// The client that the person names.
fn known_client(
    id: &str,
    request: &Request,
    credentials: &Credentials,
    redirect: &str,
) -> Result<OAuthClientConfig, String> {
    let config = OAuthClientConfig::new(id, redirect);
    let Some(name) = &request.client_secret else { return Ok(config) };
    let found = credentials.find_value(name).map_err(|why| format!("{name} {why}"))?;
    let unset = || format!("{name} is not set; store it with: sdlctl cred set {name}");
    Ok(config.with_client_secret(found.ok_or_else(unset)?.value.expose()))
}

/// A client that is registered for this login.
async fn register_client(
    manager: &mut AuthorizationManager,
    published: &Published,
    redirect: &str,
    scopes: &[&str],
) -> Result<OAuthClientConfig, String> {
    if !published.registers {
        return Err(
            "the server registers no clients by itself. Register one there, with the redirect address \
             http://127.0.0.1:PORT/callback for a port of your choice, and log in with --client-id ID --port PORT"
                .to_owned(),
        );
    }
    manager.register_client(CLIENT_NAME, redirect, scopes).await.map_err(|error| {
        let why = explain_error(&error);
        if published.is_discovered {
            return why;
        }
        format!("the server publishes nothing about logins, and the paths of older servers don't work: {why}")
    })
}

/// Waits for the browser, or for the address at which it arrived, where a person types it.
async fn wait_for_person(
    landing: &Landing,
    state: &str,
    reads_input: bool,
) -> Result<(Outcome, Option<Visitor>), String> {
    let mut lines = reads_input.then(read_lines);
    let arrives = landing.wait(state);
    tokio::pin!(arrives);
    loop {
        tokio::select! {
            arrival = &mut arrives => {
                let Arrival { outcome, visitor } = arrival.map_err(|error| error.to_string())?;
                return Ok((outcome, Some(visitor)));
            }
            line = next_line(&mut lines) => match line {
                None => lines = None,
                Some(line) if line.trim().is_empty() => {}
                Some(line) => {
                    let url = Url::parse(line.trim()).ok();
                    if let Some(outcome) = url.and_then(|url| read_callback(&url, state)) {
                        return Ok((outcome, None));
                    }
                    let message = "that is not the address at which the browser arrived";
                    tell(&json!({ "event": "note", "message": message }));
                }
            },
        }
    }
}

/// The lines of the standard input. Read by a thread that nobody waits for, because nothing interrupts such a reading.
fn read_lines() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        loop {
            let mut line = String::new();
            let read = std::io::Read::take(&mut input, MAX_LINE_BYTES).read_line(&mut line);
            if !matches!(read, Ok(1..)) || sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

async fn next_line(lines: &mut Option<mpsc::Receiver<String>>) -> Option<String> {
    match lines {
        Some(lines) => lines.recv().await,
        None => std::future::pending().await,
    }
}

/// A login whose code is still to be exchanged.
struct Begun<'a> {
    manager: &'a AuthorizationManager,
    request: &'a Request,
    resource: &'a str,
    issuer: Option<String>,
    client: OAuthClientConfig,
}

impl Begun<'_> {
    /// Exchanges the code for tokens, and stores them.
    async fn finish(self, callback: Callback) -> Result<Value, String> {
        let Callback { code, state, issuer } = callback;
        let exchanged =
            self.manager.exchange_code_for_token_with_issuer(&code, &state, issuer.as_deref()).await;
        let response = exchanged.map_err(|error| explain_error(&error))?;
        let login = Login {
            resource: self.resource.to_owned(),
            issuer: self.issuer,
            client_id: self.client.client_id,
            client_secret: self.client.client_secret.map(Secret::new),
            access: Secret::new(String::new()),
            refresh: None,
            expires_at: None,
            scopes: self.manager.get_current_scopes().await,
            is_private: self.request.is_private,
        };
        let login = read_tokens(&response, login).ok_or("the server gave no token that can be used")?;
        let done = json!({
            "event": "done",
            "scopes": login.scopes,
            "expiresAt": login.expires_at,
            "isRenewable": login.refresh.is_some(),
        });
        let (folder, key) = (self.request.state_dir.clone(), self.request.key.clone());
        let stored = tokio::task::spawn_blocking(move || {
            let _held = hold_login(&folder, &key)?;
            store_login(&folder, &key, &login)
        });
        let stored = stored.await.map_err(|error| error.to_string())?;
        stored.map_err(|error| format!("the login can't be stored: {error}"))?;
        Ok(done)
    }
}
