//! The services that every call of a process uses: the host, the registry, and the state that outlives a call.

use std::sync::Arc;

use sdl_ledger::Clock;

use crate::Host;
use crate::call::buffers::Buffers;
use crate::call::leases::Leases;
use crate::call::memos::Memos;
use crate::call::registry::Registry;
use crate::call::upstream::UpstreamTools;
use crate::call::usage::Usage;

/// One for each process.
pub(crate) struct Services {
    pub(crate) host: Arc<dyn Host>,
    pub(crate) registry: Registry,
    pub(crate) leases: Leases,
    pub(crate) usage: Arc<Usage>,
    pub(crate) memos: Memos,
    pub(crate) buffers: Buffers,
    pub(crate) upstream: UpstreamTools,
}

impl Services {
    /// Those of a process that has just started.
    pub(crate) fn new(host: Arc<dyn Host>, registry: Registry) -> Self {
        Self {
            host,
            registry,
            leases: Leases::default(),
            usage: Arc::default(),
            memos: Memos::default(),
            buffers: Buffers::default(),
            upstream: UpstreamTools::default(),
        }
    }

    /// The same, with leases and buffers that tell the time by `clock`.
    pub(crate) fn with_clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { leases: Leases::new(Arc::clone(&clock)), buffers: Buffers::new(clock), ..self }
    }
}
