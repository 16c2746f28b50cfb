//! A connection that works.

#[cfg(unix)]
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::ServerPeerInfo;
use rmcp::service::{Peer, RunningService};
use serde_json::{Map, Value};
use tokio::sync::OnceCell;

use crate::asks::Asker;
use crate::clock::unix_ms;
use crate::flag::Flag;
use crate::shared::World;
use crate::slot::listening::Listening;
use crate::slot::running::Running;
use crate::trouble::Trouble;
use crate::wire::link::Link;

#[cfg(unix)]
use crate::child::{group::Group, held::why_not_started, log::Log};

/// How long the last words of a child are waited for.
const LAST_WORDS_TIME: Duration = Duration::from_millis(500);

/// See the module.
pub(crate) struct Live {
    pub(crate) peer: Peer<RoleClient>,
    pub(crate) info: Arc<ServerPeerInfo>,
    pub(crate) link: Arc<Link>,
    pub(crate) running: Arc<Running>,
    /// What it may ask its client, as it was declared.
    pub(crate) declared: Map<String, Value>,
    /// Names it among all connections, those of other gates too.
    pub(crate) run: String,
    /// Timeouts in a row.
    pub(crate) hangs: AtomicU32,
    /// Raised when it must be replaced.
    pub(crate) unfit: Flag,
    fault: Mutex<Option<Trouble>>,
    /// Whether calls that run may end before it is replaced.
    pub(crate) drains: AtomicBool,
    pub(crate) body: Body,
    /// Raised to close the transport.
    pub(crate) hang_up: Flag,
    end: OnceCell<Trouble>,
    /// Which changes of lists it announces.
    pub(crate) listening: Listening,
    /// Ends rmcp's task when it is dropped.
    _service: RunningService<RoleClient, Asker>,
}

/// The other end.
#[derive(Clone)]
pub(crate) enum Body {
    /// A child.
    #[cfg(unix)]
    Child { group: Arc<Group>, log: Log, program: Arc<Path> },
    /// A server somewhere else.
    #[cfg_attr(unix, allow(dead_code, reason = "made by the HTTP transport alone"))]
    Remote,
}

impl Body {
    pub(crate) fn pid(&self) -> Option<u32> {
        match self {
            #[cfg(unix)]
            Self::Child { group, .. } => Some(group.pid()),
            Self::Remote => None,
        }
    }

    /// Adds how a child ended, and its last words, to an error.
    pub(crate) async fn explain(&self, trouble: Trouble) -> Trouble {
        match self {
            #[cfg(unix)]
            Self::Child { group, log, program } => {
                let words = async {
                    group.ended.raised().await;
                    log.over.raised().await;
                };
                // By the machine's clock, because a child that lingers must not hold up its callers.
                let _ = tokio::time::timeout(LAST_WORDS_TIME, words).await;
                let lines = log.last_lines();
                let exit_code = group.how_ended().and_then(|ended| ended.exit_code);
                if let Some(why) = why_not_started(exit_code, &lines) {
                    return Trouble::not_started(program, why);
                }
                let mut trouble = trouble;
                if let Some(ended) = group.how_ended() {
                    trouble.message += &match (ended.exit_code, ended.signal) {
                        (Some(code), _) => format!("; it ended with exit code {code}"),
                        (None, Some(signal)) => format!("; it was ended by signal {signal}"),
                        (None, None) => String::new(),
                    };
                    if let Some(code) = ended.exit_code {
                        trouble = trouble.with("exitCode", code);
                    }
                    if let Some(signal) = ended.signal {
                        trouble = trouble.with("signal", signal);
                    }
                }
                if lines.is_empty() { trouble } else { trouble.with("stderr", lines) }
            }
            Self::Remote => trouble,
        }
    }

    /// Ends the other end. Returns when it is gone.
    pub(crate) async fn end(&self, world: &World) {
        match self {
            #[cfg(unix)]
            Self::Child { group, .. } => end_child(group, world).await,
            Self::Remote => {
                let _ = world;
            }
        }
    }
}

/// Ends a child and its group, and forgets it once it is gone.
#[cfg(unix)]
pub(crate) async fn end_child(group: &Group, world: &World) {
    group.stop();
    group.gone.raised().await;
    let (pid, world) = (group.pid(), Arc::clone(world));
    let _ = crate::shared::run_blocking(move || world.registry.remove(pid)).await;
}

/// A name that no other connection has or had. By the machine's clock, because gates before and after this one count too.
fn name_run() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = unix_ms();
    format!("{now:x}-{:x}-{:x}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// The parts of a connection that a start makes.
pub(crate) struct Parts {
    pub(crate) service: RunningService<RoleClient, Asker>,
    pub(crate) info: Arc<ServerPeerInfo>,
    pub(crate) link: Arc<Link>,
    pub(crate) running: Arc<Running>,
    pub(crate) declared: Map<String, Value>,
    pub(crate) body: Body,
    pub(crate) hang_up: Flag,
    pub(crate) listening: Listening,
}

impl Live {
    /// The kinds of questions that were declared, in the order of their names.
    pub(crate) fn declared_kinds(&self) -> Vec<String> {
        let mut kinds: Vec<String> = self.declared.keys().cloned().collect();
        kinds.sort_unstable();
        kinds
    }

    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { service, info, link, running, declared, body, hang_up, listening } = parts;
        Self {
            peer: service.peer().clone(),
            info,
            link,
            running,
            declared,
            run: name_run(),
            hangs: AtomicU32::new(0),
            unfit: Flag::default(),
            fault: Mutex::default(),
            drains: AtomicBool::new(false),
            body,
            hang_up,
            end: OnceCell::new(),
            listening,
            _service: service,
        }
    }

    /// Whether the upstream hears with each request what its client can be asked, and not once for the connection.
    pub(crate) fn is_told_each_time(&self) -> bool {
        !self.info.protocol_version.has_initialize()
    }

    /// The revision that is spoken.
    pub(crate) fn era(&self) -> String {
        self.info.protocol_version.to_string()
    }

    /// Says that the connection must be replaced, and why. Calls that run may end first if `drains`.
    pub(crate) fn reject(&self, trouble: Trouble, drains: bool) {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(trouble);
        self.drains.store(drains, Ordering::SeqCst);
        self.unfit.raise();
    }

    /// Why the connection ended, once it has.
    pub(crate) async fn epitaph(&self) -> Trouble {
        let ended = self.end.get_or_init(|| async {
            let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let fault = fault.or_else(|| self.link.fault());
            let is_ours = fault.is_some();
            let trouble = fault.unwrap_or_else(|| Trouble::down("the upstream closed the connection"));
            if is_ours { trouble } else { self.body.explain(trouble).await }
        });
        ended.await.clone()
    }

    /// Closes the connection and ends its other end. Returns when that is gone.
    pub(crate) async fn close(&self, world: &World) {
        self.hang_up.raise();
        self.body.end(world).await;
    }
}
