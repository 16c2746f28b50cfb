//! What all connections share.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use sdl_proto::gate::FromGate;
use sdl_settings::{Credentials, Resolved};

use crate::asks::Asks;
use crate::clock::Clock;
use crate::eras::Eras;
use crate::mask::Masks;
use crate::outbox::Outbox;

#[cfg(unix)]
use crate::child::registry::Registry;

/// See the module.
pub(crate) struct Shared {
    pub(crate) outbox: Outbox,
    pub(crate) masks: Masks,
    pub(crate) clock: Clock,
    pub(crate) state_dir: PathBuf,
    pub(crate) eras: Eras,
    pub(crate) asks: Asks,
    #[cfg(feature = "oauth")]
    pub(crate) logins: crate::oauth::Logins,
    /// The command of the newest settings that knows credentials.
    pub(crate) helper: Mutex<Option<Vec<String>>>,
    /// Children that run.
    #[cfg(unix)]
    pub(crate) registry: Registry,
    /// The program that holds children until they are recorded.
    #[cfg(unix)]
    pub(crate) holder: PathBuf,
}

impl Shared {
    /// Where variables are looked up, as of the newest settings.
    pub(crate) fn credentials(&self) -> Credentials {
        let helper = self.helper.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Credentials::new(&self.state_dir, helper)
    }

    /// Masks the credentials in these values from now on, and tells the daemon to.
    pub(crate) async fn learn_secrets(&self, resolved: impl IntoIterator<Item = &Resolved>) {
        let mut values = Vec::new();
        for resolved in resolved {
            values.extend(resolved.secrets().map(|(_, secret)| secret.expose().to_owned()));
        }
        self.learn_values(values).await;
    }

    /// Masks these values from now on, and tells the daemon to.
    pub(crate) async fn learn_values(&self, values: impl IntoIterator<Item = String>) {
        let values = self.masks.add(values);
        if !values.is_empty() {
            self.outbox.send(FromGate::Secrets { values }).await;
        }
    }

    /// The log of an upstream's connections.
    pub(crate) fn log_path(&self, key: &str) -> PathBuf {
        self.state_dir.join("log").join(format!("upstream-{key}.log"))
    }
}

/// Runs what would block, beside the runtime.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    tokio::task::spawn_blocking(work).await.map_err(|error| error.to_string())
}

/// A handle to all of it.
pub(crate) type World = Arc<Shared>;
