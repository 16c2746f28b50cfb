//! The services that every call of a process uses: the host, the registry, and the state that outlives a call.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use sdl_ledger::Clock;
use sdl_memory::Author;
use sdl_memory::store::{Asked, change_store};
use sdl_memory::sweep_store;
use sdl_memory::work::session::end_session;

use crate::call::buffers::Buffers;
use crate::call::leases::Leases;
use crate::call::memos::Memos;
use crate::call::origin::Shown;
use crate::call::registry::{Registries, Registry};
use crate::call::upstream::{Rules, UpstreamTools, Who};
use crate::call::usage::Usage;
use crate::call::work::Work;
use crate::host::LimitedHost;
use crate::{Host, Repo, Session};

/// One for each process.
pub(crate) struct Services {
    pub(crate) host: Arc<dyn Host>,
    pub(crate) registries: Registries,
    pub(crate) leases: Leases,
    pub(crate) usage: Arc<Usage>,
    pub(crate) memos: Memos,
    pub(crate) buffers: Buffers,
    pub(crate) upstream: UpstreamTools,
    pub(crate) work: Work,
}

impl Services {
    /// Those of a process that has just started.
    pub(crate) fn new(host: Arc<dyn Host>, registries: Registries) -> Self {
        Self {
            host,
            registries,
            leases: Leases::default(),
            usage: Arc::default(),
            memos: Memos::default(),
            buffers: Buffers::default(),
            upstream: UpstreamTools::default(),
            work: Work::default(),
        }
    }

    /// The host as a session sees it that a person has limited to some repositories.
    pub(crate) fn limited_host(&self, session: &Session) -> Option<LimitedHost<'_>> {
        let catalog = self.upstream.gateway.catalog();
        let patterns = Rules::new(&catalog.settings, Who::of(session)).repos()?;
        Some(LimitedHost::new(self.host.as_ref(), patterns))
    }

    /// The actions that exist for a session.
    pub(crate) fn registry_of(&self, session: &Session) -> &Arc<Registry> {
        let catalog = self.upstream.gateway.catalog();
        self.registries.of(Rules::new(&catalog.settings, Who::of(session)).modules())
    }

    /// The repositories that a session sees.
    pub(crate) fn repos_of(&self, session: &Session) -> Vec<Arc<dyn Repo>> {
        self.limited_host(session).map_or_else(|| self.host.repos(), |limited| limited.repos())
    }

    /// The same as what a client asked to be listed, on the surface that a person has set for it.
    pub(crate) fn shown_to(&self, session: &Session, shown: Shown) -> Shown {
        let catalog = self.upstream.gateway.catalog();
        let surface = Rules::new(&catalog.settings, Who::of(session)).surface();
        Shown { surface: surface.unwrap_or(shown.surface), ..shown }
    }

    /// Removes rows of work that are too old. What stays is removed by later writes.
    pub(crate) fn sweep_work(&self) {
        let by = Author::default();
        loop {
            let asked = Asked { by: &by, now_ms: self.leases.now(), once: None };
            match change_store(self.host.agent(), &asked, sweep_store) {
                Ok(swept) if swept.value > 0 => {}
                _ => return,
            }
        }
    }

    /// Notes that the client of a connection is gone. Where it can't be noted, the session ends when nothing is heard of it.
    pub(crate) fn end_work(&self, connection: u64) {
        let Some(id) = self.work.present.connection_ended(connection) else { return };
        if self.work.stops.load(Ordering::Relaxed) {
            return;
        }
        let by = Author { session: Some(id.clone()), ..Author::default() };
        let asked = Asked { by: &by, now_ms: self.leases.now(), once: None };
        let _ = change_store(self.host.agent(), &asked, |change| end_session(change, &id));
    }

    /// The same, with leases and buffers that tell the time by `clock`.
    pub(crate) fn with_clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { leases: Leases::new(Arc::clone(&clock)), buffers: Buffers::new(clock), ..self }
    }
}
