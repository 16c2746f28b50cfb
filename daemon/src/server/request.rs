//! Running one request to its one answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sdl_contract::Cancel;
use sdl_proto::{Request, WireError, code};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::catch::catch_panic;
use super::outbox::Outbox;
use super::places::Running;
use super::{Call, Options, Peer, ProgressFrames, Service};

/// Parameters are accounted for in units of this many bytes.
const UNIT: usize = 1024;

/// The requests of one connection that have no answer yet.
pub(super) struct Requests {
    open: Arc<Mutex<HashMap<u64, Cancel>>>,
    /// Bounds the number of requests that are held.
    pending: Arc<Semaphore>,
    /// Bounds the bytes that they hold.
    bytes: Arc<Semaphore>,
    /// Bounds the number that run.
    running: Arc<Semaphore>,
    limits: Limits,
}

#[derive(Clone, Copy)]
struct Limits {
    pending: u32,
    units: u32,
}

/// A right to be held, taken before the request's handling starts and given back with its answer.
pub(super) struct Admission {
    _pending: OwnedSemaphorePermit,
    _bytes: OwnedSemaphorePermit,
}

impl Requests {
    pub(super) fn new(options: &Options) -> Self {
        let limits = Limits {
            pending: options.max_pending.clamp(1, 1 << 20) as u32,
            units: (options.max_pending_bytes / UNIT).clamp(1, 1 << 28) as u32,
        };
        Self {
            open: Arc::default(),
            pending: Arc::new(Semaphore::new(limits.pending as usize)),
            bytes: Arc::new(Semaphore::new(limits.units as usize)),
            running: Arc::new(Semaphore::new(options.max_running.max(1))),
            limits,
        }
    }

    /// Waits until there is room for the request. While it waits, the daemon does not read from that client.
    pub(super) async fn admit(&self, request: &Request) -> Option<Admission> {
        let size = request.params.len() + request.method.len();
        // A request that is larger than the whole limit takes the whole limit, because it would otherwise wait for
        // ever.
        let units = (size.div_ceil(UNIT).max(1) as u32).min(self.limits.units);
        let pending = Arc::clone(&self.pending).acquire_owned().await.ok()?;
        let bytes = Arc::clone(&self.bytes).acquire_many_owned(units).await.ok()?;
        Some(Admission { _pending: pending, _bytes: bytes })
    }

    /// Starts an admitted request. `Err` if its id is taken by one that has no answer yet.
    pub(super) fn start<S: Service>(
        &self,
        service: &Arc<S>,
        session: &Arc<Peer>,
        outbox: &Outbox,
        request: Request,
        held: (Admission, Running),
    ) -> Result<(), WireError> {
        let received = Instant::now();
        let deadline = request
            .deadline_ms
            .and_then(|milliseconds| received.checked_add(Duration::from_millis(milliseconds)));
        let cancel = deadline.map_or_else(Cancel::new, |deadline| Cancel::new().with_deadline(deadline));
        {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            if open.contains_key(&request.id) {
                let text = format!("request id {} is taken by a request that has no answer yet", request.id);
                return Err(WireError::new(code::PROTOCOL, text));
            }
            open.insert(request.id, cancel.clone());
        }
        session.count_request();
        let id = request.id;
        let progress = ProgressFrames::new(id, request.want_progress.then(|| outbox.clone()));
        let call =
            Call { id, method: request.method, params: request.params, cancel: cancel.clone(), received };
        let (service, session, outbox) = (Arc::clone(service), Arc::clone(session), outbox.clone());
        let (open, running) = (Arc::clone(&self.open), Arc::clone(&self.running));
        tokio::spawn(async move {
            let mut right_to_run = None;
            let work = async {
                right_to_run = running.acquire_owned().await.ok();
                catch_panic(async { service.call(session, call, progress).await }).await.unwrap_or_else(
                    |panic| {
                        tracing::error!(panic, "a handler panicked");
                        let text =
                            format!("the daemon failed during this request ({panic}); it keeps running");
                        Err(WireError::new(code::INTERNAL, text))
                    },
                )
            };
            let result = tokio::select! {
                biased;
                () = cancel.cancelled() => Err(WireError::new(code::CANCELLED, "the request was cancelled")),
                result = work => result,
                () = async { wait_until(deadline).await; cancel.cancel() } => Err(WireError::new(
                    code::DEADLINE,
                    "the deadline passed before the request was finished; it was stopped",
                )),
            };
            cancel.cancel();
            open.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
            outbox.answer(id, result, right_to_run).await;
            drop(held);
        });
        Ok(())
    }

    /// Cancels one request, if it is still open.
    pub(super) fn cancel(&self, id: u64) {
        if let Some(cancel) = self.open.lock().unwrap_or_else(PoisonError::into_inner).get(&id) {
            cancel.cancel();
        }
    }

    /// Cancels all of them.
    pub(super) fn cancel_all(&self) {
        for cancel in self.open.lock().unwrap_or_else(PoisonError::into_inner).values() {
            cancel.cancel();
        }
    }

    /// Waits until every request that was started has handed over its answer.
    pub(super) async fn finished(&self) {
        let _ = self.pending.acquire_many(self.limits.pending).await;
    }
}

/// Waits until `deadline`; for ever without one.
async fn wait_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => std::future::pending().await,
    }
}
