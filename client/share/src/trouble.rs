//! Why there is no result. The exit codes are those of `sdlctl`.

/// Why there is no result. Each message says what to do.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// Wrong arguments or settings. Exit code 2.
    #[error("{0}")]
    Usage(String),
    /// No daemon answers. Exit code 3.
    #[error("{0}")]
    NoDaemon(String),
    /// The daemon refused. Exit code 4.
    #[error("{0}")]
    Refused(String),
    /// The store, or a file on this machine. Exit code 1.
    #[error("{0}")]
    Local(String),
    /// An object of the store is not as it has to be, or is gone. Exit code 1.
    #[error("{0}")]
    Unsound(String),
}

impl Trouble {
    /// The exit code.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::NoDaemon(_) => 3,
            Self::Refused(_) => 4,
            Self::Local(_) | Self::Unsound(_) => 1,
        }
    }
}
