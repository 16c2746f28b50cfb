//! Upstreams that are reached over HTTP: rmcp's streamable transport over a client of our own, which passes every message
//! through the books of its connection, as the pipes of a child do.

mod authorized;
mod client;
mod events;
mod headers;
mod refusal;

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransport, StreamableHttpClientTransportConfig, StreamableHttpError,
};
use sdl_proto::code;
use sdl_settings::{Template, Transport as Way};

use crate::entry::Entry;
use crate::flag::Flag;
use crate::http::client::{Remote, RemoteError};
use crate::shared::run_blocking;
use crate::slot::Slot;
use crate::trouble::Trouble;
use crate::wire::link::Link;

/// How long a connection to a server may take.
const CONNECT_TIME: Duration = Duration::from_secs(10);

/// Redirects that are followed, and only to where the request went in the first place.
const MAX_REDIRECTS: usize = 5;

/// The transport of one connection.
pub(crate) struct Web {
    inner: StreamableHttpClientTransport<Remote>,
    link: Arc<Link>,
    hang_up: Flag,
}

/// Prepares a connection. Nothing is sent yet.
pub(crate) async fn open_web(
    slot: &Slot,
    entry: &Entry,
    link: Arc<Link>,
    hang_up: Flag,
) -> Result<Web, Trouble> {
    let Way::Http { url, headers } = &entry.upstream.transport else {
        return Err(Trouble::down("not a URL"));
    };
    let url = resolve_url(slot, url.clone()).await?;
    let client = build_client().map_err(|error| Trouble::down(format!("no HTTP client: {error}")))?;
    let remote = Remote::new(client, slot, headers.clone(), Arc::clone(&link), hang_up.clone());
    let config = StreamableHttpClientTransportConfig::with_uri(url);
    Ok(Web { inner: StreamableHttpClientTransport::with_client(remote, config), link, hang_up })
}

async fn resolve_url(slot: &Slot, url: Template) -> Result<String, Trouble> {
    let credentials = slot.world.credentials();
    let resolved = run_blocking(move || url.resolve(&credentials)).await.map_err(Trouble::down)?;
    let resolved = resolved.map_err(|unset| Trouble::new(code::MISCONFIGURED, unset.to_string()))?;
    slot.world.learn_secrets([&resolved]).await;
    match reqwest::Url::parse(resolved.expose()) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(url.to_string()),
        _ => Err(Trouble::new(code::MISCONFIGURED, format!("{:?} is no URL", resolved.masked()))),
    }
}

/// Chooses who encrypts, because a second provider in the program would make the choice ambiguous.
pub(crate) fn choose_provider() {
    // An error means that it was chosen.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

fn build_client() -> Result<reqwest::Client, reqwest::Error> {
    choose_provider();
    let same_origin = reqwest::redirect::Policy::custom(|attempt| {
        let origin = attempt.previous().first().map(|url| url.origin());
        if origin == Some(attempt.url().origin()) && attempt.previous().len() <= MAX_REDIRECTS {
            attempt.follow()
        } else {
            // The answer is then the redirect itself, which is refused.
            attempt.stop()
        }
    });
    reqwest::Client::builder().redirect(same_origin).connect_timeout(CONNECT_TIME).build()
}

impl Drop for Web {
    fn drop(&mut self) {
        self.link.closed.raise();
        self.hang_up.raise();
    }
}

impl Transport<RoleClient> for Web {
    type Error = StreamableHttpError<RemoteError>;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = tokio::select! {
            message = self.inner.receive() => message,
            () = self.hang_up.raised() => None,
        };
        if message.is_none() {
            self.link.closed.raise();
        }
        message
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.link.closed.raise();
        self.hang_up.raise();
        self.inner.close().await
    }
}
