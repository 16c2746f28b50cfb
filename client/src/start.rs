//! Making sure that a daemon runs: one, and not an old one.

use std::sync::Arc;
use std::time::Duration;

use sdl_proto::{ClientKind, SessionHello};

use crate::call::CallOptions;
use crate::client::Client;
use crate::error::ClientError;
use crate::holder::Holder;
use crate::paths::Paths;
use crate::probe::{Probe, probe_daemon};
use crate::spawn::{Launch, SpawnError, spawn_daemon, start_lock};

/// How long a running daemon may take to answer the first look.
const LOOK: Duration = Duration::from_secs(5);

/// How long a daemon that holds the state folder may take to listen, or to end. A new build may have to bring a large ledger up
/// to date first.
const SETTLING: Duration = Duration::from_secs(30);

/// How long to wait before it is looked at again.
const GLANCE: Duration = Duration::from_millis(50);

/// How long an old daemon may take to end after it was asked to.
const FAREWELL: Duration = Duration::from_secs(20);

/// Starts a daemon unless one runs that fits. An older one is asked to stop and replaced; a newer one never is.
pub async fn ensure_daemon(paths: &Paths, launch: &Launch) -> Result<(), ClientError> {
    paths.create().map_err(Arc::new)?;
    // The common case costs one connection and no lock.
    match probe_daemon(paths.socket(), LOOK).await {
        Probe::Ready { .. } => return Ok(()),
        Probe::TooNew(error) => return Err(error.into()),
        Probe::Unreachable(error) => unless_stuck(paths, error)?,
        Probe::NeedsRestart { .. } => {}
    }
    let lock = start_lock(paths).await.map_err(Arc::new)?;
    // Whoever held the lock before us may have done the work.
    match probe_settled(paths).await? {
        Some(Probe::Ready { .. }) => return Ok(()),
        Some(Probe::TooNew(error)) => return Err(error.into()),
        Some(Probe::NeedsRestart { build, speaks: true }) => {
            tracing::info!(build, "replacing an older daemon");
            stop_old(paths).await?;
        }
        Some(Probe::NeedsRestart { build, speaks: false }) => {
            return Err(Arc::new(SpawnError::Stubborn { build }).into());
        }
        Some(Probe::Unreachable(_)) | None => {}
    }
    let result = spawn_daemon(paths, launch).await.map_err(|error| ClientError::from(Arc::new(error)));
    drop(lock);
    result
}

/// The answer of the daemon; none if none runs. One that holds the state folder without listening is starting, for example
/// because a service manager runs it, or ending. It is waited for, because another one would be refused.
async fn probe_settled(paths: &Paths) -> Result<Option<Probe>, ClientError> {
    let settle = async {
        loop {
            match probe_daemon(paths.socket(), LOOK).await {
                Probe::Unreachable(error) => unless_stuck(paths, error)?,
                answered => return Ok(Some(answered)),
            }
            match Holder::of(paths) {
                Ok(Some(_)) => tokio::time::sleep(GLANCE).await,
                Ok(None) | Err(_) => return Ok(None),
            }
        }
    };
    tokio::time::timeout(SETTLING, settle).await.unwrap_or_else(|_| {
        let pid = Holder::of(paths).ok().flatten().and_then(|holder| holder.pid());
        Err(Arc::new(SpawnError::Unheard { pid, socket: paths.socket().to_owned() }).into())
    })
}

/// Whether a daemon may be started although this one could not be asked. A silent daemon that still runs holds the
/// state folder, so another one would wait for it in vain.
fn unless_stuck(paths: &Paths, error: ClientError) -> Result<(), ClientError> {
    match error {
        ClientError::Silent { .. } => match Holder::of(paths) {
            Ok(Some(holder)) => Err(ClientError::Stuck { pid: holder.pid() }),
            Ok(None) | Err(_) => Ok(()),
        },
        ClientError::Paths(_) | ClientError::Untrusted { .. } => Err(error),
        _ => Ok(()),
    }
}

/// Asks the daemon to stop and waits until it has closed the connection.
async fn stop_old(paths: &Paths) -> Result<(), ClientError> {
    let hello = SessionHello::of_this(ClientKind::Other, "upgrade");
    let client = match Client::connect(paths.socket(), hello).await {
        Ok(client) => client,
        // It has gone meanwhile.
        Err(error) if error.is_untouched() => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut events = client.events();
    let stopping = client.call("daemon/stop", Vec::new(), CallOptions::mutation().deadline(FAREWELL)).await;
    match stopping {
        Ok(_) => {}
        Err(error) if error.is_broken_off() => return Ok(()),
        Err(error) => return Err(error),
    }
    let gone = async {
        while client.is_open() {
            if events.recv().await.is_err() {
                break;
            }
        }
    };
    // Should it take longer: the next daemon waits for its predecessor's lock by itself.
    let _ = tokio::time::timeout(FAREWELL, gone).await;
    Ok(())
}
