//! The errors between a client and the daemon.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use sdl_proto::{HandshakeError, WireError, code};

use crate::paths::PathsError;
use crate::spawn::SpawnError;

/// The reasons why a call has no result. Cheap to clone, because many calls can fail for one reason.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ClientError {
    /// The folders can't be used.
    #[error(transparent)]
    Paths(#[from] Arc<PathsError>),
    /// Nobody listens, or the socket can't be used.
    #[error("no daemon answers on {path}: {source}", path = .path.display())]
    Connect {
        /// The socket.
        path: PathBuf,
        /// The system's error.
        source: Arc<io::Error>,
    },
    /// Somebody listens, but is silent.
    #[error("the program that listens on {path} did not answer in time", path = .path.display())]
    Silent {
        /// The socket.
        path: PathBuf,
    },
    /// A daemon holds the state folder and does not answer, so that no other can be started.
    #[error("the daemon{} does not answer; end it with: sdlctl stop", .pid.map_or_else(String::new, |pid| format!(" (process {pid})")))]
    Stuck {
        /// Its process, as far as known.
        pid: Option<u32>,
    },
    /// The listener is not this user's daemon. Nothing was sent to it.
    #[error("the program that listens on {path} is not trusted: {reason}", path = .path.display())]
    Untrusted {
        /// The socket.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The two builds can't talk to each other.
    #[error("the daemon and this program are incompatible: {0}")]
    Handshake(#[from] HandshakeError),
    /// The daemon does not want this session.
    #[error("the daemon refused the session: {0}")]
    Refused(WireError),
    /// The daemon could not be started.
    #[error(transparent)]
    Spawn(#[from] Arc<SpawnError>),
    /// The connection is gone.
    #[error("the connection to the daemon broke{}{}", if *.sent { "" } else { " before the request was begun" }, .reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}")))]
    Closed {
        /// Why, as far as the daemon said or the system knows.
        reason: Option<String>,
        /// Whether the daemon may have begun the request.
        sent: bool,
    },
    /// The daemon gave no sign of life while the request waited for its answer.
    #[error("the daemon (process {pid}) does not answer; end it with: sdlctl stop")]
    Unanswered {
        /// The daemon's process.
        pid: u32,
    },
    /// The connection broke after a request was sent that may not be repeated.
    #[error(
        "the connection to the daemon broke after `{method}` was sent, so whether it took effect is unknown ({cause}). \
         It was not repeated: look at the current state first, then decide"
    )]
    OutcomeUnknown {
        /// The method.
        method: String,
        /// The failure.
        cause: String,
    },
    /// No answer came in time; the request was cancelled.
    #[error("no answer in time; the request was cancelled")]
    Timeout,
    /// The request can't be sent.
    #[error("the request can't be sent: {0}")]
    Unsendable(String),
    /// The daemon's answer is an error.
    #[error("{0}")]
    Answer(WireError),
}

impl ClientError {
    /// The same as an error of the wire, for programs that pass errors on.
    pub fn into_wire(self) -> WireError {
        let code = match &self {
            Self::Answer(error) | Self::Refused(error) => return error.clone(),
            Self::OutcomeUnknown { .. } => code::OUTCOME_UNKNOWN,
            Self::Timeout => code::DEADLINE,
            Self::Unsendable(_) => code::TOO_LARGE,
            Self::Closed { sent: true, .. } | Self::Unanswered { .. } => code::OUTCOME_UNKNOWN,
            _ => code::UNREACHABLE,
        };
        WireError::new(code, self.to_string())
    }

    /// Whether it is certain that the daemon has not begun the request, so that asking again repeats nothing.
    pub fn is_untouched(&self) -> bool {
        match self {
            Self::Closed { sent, .. } => !sent,
            Self::Answer(error) => error.code == code::STOPPING,
            Self::Refused(error) => error.code == code::STOPPING || error.code == code::BUSY,
            Self::Connect { .. } | Self::Silent { .. } => true,
            _ => false,
        }
    }

    /// Whether the connection broke under the request, or the daemon cut it short in order to stop.
    pub(crate) fn is_broken_off(&self) -> bool {
        match self {
            Self::Closed { .. } | Self::Unanswered { .. } => true,
            Self::Answer(error) => error.code == code::STOPPING || error.code == code::CANCELLED,
            _ => false,
        }
    }
}
