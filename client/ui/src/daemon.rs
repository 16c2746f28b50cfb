//! The connection to the daemon: a person's, which is no session of an agent. Another one after a restart.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sdl_client::{CallOptions, Client, ClientError};
use sdl_proto::{ClientKind, SessionHello};
use tokio::sync::Mutex;

/// How long a request may take.
const PATIENCE: Duration = Duration::from_mins(2);

/// The daemon, whichever runs. Starts none.
pub(crate) struct Daemon {
    socket: PathBuf,
    client: Mutex<Option<Client>>,
}

impl Daemon {
    pub(crate) fn new(socket: PathBuf) -> Self {
        Self { socket, client: Mutex::default() }
    }

    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }

    /// Calls a method. A call that never reached the daemon is made once more.
    pub(crate) async fn call(&self, method: &str, params: &str) -> Result<Vec<u8>, ClientError> {
        let attempt = async || {
            let options = CallOptions::read().deadline(PATIENCE);
            self.connected().await?.call(method, params, options).await
        };
        match attempt().await {
            Err(error) if error.is_untouched() => attempt().await,
            answered => answered,
        }
    }

    async fn connected(&self) -> Result<Client, ClientError> {
        let mut current = self.client.lock().await;
        if let Some(client) = current.as_ref().filter(|client| client.is_open()) {
            return Ok(client.clone());
        }
        let client = Client::connect(&self.socket, own_hello()).await?;
        *current = Some(client.clone());
        Ok(client)
    }
}

/// How this program introduces itself.
pub(crate) fn own_hello() -> SessionHello {
    SessionHello::of_this(ClientKind::Ctl, format!("sdl-ui {}", sdl_proto::BUILD))
}
