//! Is there a daemon, and does it fit?

use std::cmp::Ordering;
use std::path::Path;
use std::time::Duration;

use sdl_proto::HandshakeError;

use crate::connect::exchange_handshakes;
use crate::error::ClientError;

/// The result of a first look at the socket.
#[derive(Debug)]
pub enum Probe {
    /// A daemon answers that this build can work with.
    Ready {
        /// Its build.
        build: String,
    },
    /// An older daemon answers: a newer client may replace it.
    NeedsRestart {
        /// Its build.
        build: String,
        /// Whether it understands us well enough to be asked to stop.
        speaks: bool,
    },
    /// A newer daemon answers that no longer speaks this build's protocol. It stays: this program must be updated.
    TooNew(HandshakeError),
    /// Nobody answers, or not sensibly.
    Unreachable(ClientError),
}

/// Looks whether a daemon answers on `socket`, for at most `patience`.
pub async fn probe_daemon(socket: &Path, patience: Duration) -> Probe {
    let handshake = match tokio::time::timeout(patience, exchange_handshakes(socket)).await {
        Ok(Ok((_, _, handshake))) => handshake,
        Ok(Err(error)) => return Probe::Unreachable(error),
        Err(_) => return Probe::Unreachable(ClientError::Silent { path: socket.to_owned() }),
    };
    match (handshake.agree(), handshake.age()) {
        (Ok(_), Ordering::Less) => Probe::NeedsRestart { build: handshake.build, speaks: true },
        (Ok(_), _) => Probe::Ready { build: handshake.build },
        (Err(HandshakeError::OtherTooOld { .. }), _) => {
            Probe::NeedsRestart { build: handshake.build, speaks: false }
        }
        (Err(error), _) => Probe::TooNew(error),
    }
}
