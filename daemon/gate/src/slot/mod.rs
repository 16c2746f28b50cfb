//! One upstream's connection for one owner: its state, its calls, and the task that keeps it.

pub(crate) mod backoff;
pub(crate) mod call;
pub(crate) mod exchange;
pub(crate) mod keeper;
pub(crate) mod listening;
pub(crate) mod live;
pub(crate) mod progress;
pub(crate) mod running;
pub(crate) mod start;
pub(crate) mod turns;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sdl_proto::gate::{FromGate, Owner, UpstreamState};
use sdl_proto::{Payload, code};
use serde_json::{Map, Value};
use tokio::sync::{mpsc, watch};

use crate::clock::unix_ms;
use crate::entry::Entry;
use crate::flag::Flag;
use crate::shared::World;
use crate::slot::backoff::Backoff;
use crate::slot::keeper::Order;
use crate::slot::live::Live;
use crate::slot::turns::{Ticket, Turns};
use crate::trouble::Trouble;

/// Orders that wait for the keeper.
const MAX_ORDERS: usize = 16;

/// The least time between two readings of a group's memory.
const MEMORY_PAUSE: Duration = Duration::from_secs(1);

/// What a connection is doing.
#[derive(Clone)]
pub(crate) enum Phase {
    /// Not started yet, or stopped; by the state that is shown.
    Idle(&'static str),
    /// Being started.
    Starting,
    /// It works.
    Ready(Arc<Live>),
    /// It failed, and may be tried again at a time.
    Failed { state: &'static str, until: Duration, trouble: Trouble },
    /// Closed for good.
    Gone,
}

/// See the module.
pub(crate) struct Slot {
    pub(crate) world: World,
    pub(crate) key: String,
    pub(crate) owner: Owner,
    entry: Mutex<Arc<Entry>>,
    phase: watch::Sender<Phase>,
    orders: mpsc::Sender<Order>,
    turns: Arc<Turns>,
    backoff: Mutex<Backoff>,
    tally: Mutex<Tally>,
    /// What the owner's client can be asked, as the newest call stated it.
    client: Mutex<Option<Payload>>,
    /// Raised to close the connection for good.
    closing: Flag,
    /// Whether calls that run may end before it closes.
    drains: AtomicBool,
    /// Raised when it is closed and its child gone.
    pub(crate) closed: Flag,
    /// Whether another slot of the same key and owner has taken over, so that this one reports no states.
    is_replaced: AtomicBool,
    generation: AtomicU64,
}

/// Numbers about a connection.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) calls: u64,
    pub(crate) failed: u64,
    pub(crate) starts: u32,
    pub(crate) counts: BTreeMap<String, u64>,
    pub(crate) rss_kb: Option<u64>,
    /// What went wrong last, and when, in Unix milliseconds.
    pub(crate) last_error: Option<(String, u64)>,
    memory_read: Option<Duration>,
    is_changed: bool,
}

impl Slot {
    /// A slot, kept by a task of its own from now on.
    pub(crate) fn open(world: World, owner: Owner, entry: Arc<Entry>, generation: u64) -> Arc<Self> {
        let (orders, receiver) = mpsc::channel(MAX_ORDERS);
        let slot = Arc::new(Self {
            world,
            key: entry.upstream.key.clone(),
            owner,
            turns: Turns::new(entry.upstream.own.max_in_flight),
            entry: Mutex::new(entry),
            phase: watch::Sender::new(Phase::Idle("new")),
            orders,
            backoff: Mutex::default(),
            tally: Mutex::default(),
            client: Mutex::default(),
            closing: Flag::default(),
            drains: AtomicBool::new(false),
            closed: Flag::default(),
            is_replaced: AtomicBool::new(false),
            generation: AtomicU64::new(generation),
        });
        tokio::spawn(keeper::keep_slot(Arc::clone(&slot), receiver));
        slot
    }

    pub(crate) fn entry(&self) -> Arc<Entry> {
        Arc::clone(&lock(&self.entry))
    }

    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }

    /// Newer settings, with the same transport.
    pub(crate) fn change_entry(&self, entry: Arc<Entry>, generation: u64) {
        self.turns.set_limit(entry.upstream.own.max_in_flight);
        *lock(&self.entry) = entry;
        self.generation.store(generation, Ordering::SeqCst);
    }

    pub(crate) fn client(&self) -> Option<Payload> {
        lock(&self.client).clone()
    }

    /// Notes what the owner's client can be asked.
    pub(crate) fn remember_client(&self, client: Option<Payload>) {
        if client.is_some() && self.owner != Owner::Shared {
            *lock(&self.client) = client;
        }
    }

    /// A place in line for a call, or why there is none.
    pub(crate) fn admit(&self) -> Result<Ticket, Trouble> {
        let own = &self.entry().upstream.own;
        let ticket = self.turns.admit().ok_or_else(|| {
            Trouble::new(code::BUSY, format!("{} calls run and 64 more wait", own.max_in_flight))
        })?;
        if let Some(most) = own.max_per_minute
            && let Err(wait) = self.turns.take_of_minute(self.world.clock.now(), most)
        {
            let message = format!("{most} calls in a minute are allowed");
            return Err(Trouble::new(code::BUSY, message).with("retryAfterMs", wait.as_millis() as u64));
        }
        Ok(ticket)
    }

    /// Gives the keeper an order. An error if too many wait.
    pub(crate) fn order(&self, order: Order) -> Result<(), Order> {
        self.orders.try_send(order).map_err(|error| match error {
            mpsc::error::TrySendError::Full(order) | mpsc::error::TrySendError::Closed(order) => order,
        })
    }

    /// Closes the connection for good. Calls that run may end first if `drains`.
    pub(crate) fn close(&self, drains: bool, is_replaced: bool) {
        self.drains.store(drains, Ordering::SeqCst);
        self.is_replaced.fetch_or(is_replaced, Ordering::SeqCst);
        self.closing.raise();
    }

    /// The connection, started if need be. `wanted` is what the upstream must be able to ask.
    pub(crate) async fn ready(&self, wanted: &Map<String, Value>) -> Result<Arc<Live>, Trouble> {
        let mut phase = self.phase.subscribe();
        let mut has_asked = false;
        loop {
            let now = phase.borrow_and_update().clone();
            let order = match now {
                Phase::Ready(live)
                    if live.is_told_each_time()
                        || wanted.keys().all(|kind| live.declared.contains_key(kind)) =>
                {
                    return Ok(live);
                }
                Phase::Ready(live) => Some(Order::Replace(live)),
                Phase::Gone => return Err(Trouble::down("the upstream was removed from the settings")),
                Phase::Failed { trouble, until, .. } if has_asked || self.world.clock.now() < until => {
                    return Err(match self.next_attempt_ms() {
                        Some(wait) => trouble.with("nextAttemptMs", wait),
                        None => trouble,
                    });
                }
                Phase::Starting => None,
                Phase::Idle(_) | Phase::Failed { .. } => Some(Order::Start),
            };
            if let Some(order) = order {
                has_asked = true;
                // If too many orders wait, one of them starts it.
                let _ = self.order(order);
            }
            if phase.changed().await.is_err() {
                return Err(Trouble::down("the upstream's connection is closed"));
            }
        }
    }

    /// Whether a call whose connection `dead` ended should wait for another. Waits until it may be tried.
    async fn can_retry(&self, most: Duration, dead: &Arc<Live>) -> bool {
        let mut phase = self.phase.subscribe();
        let is_over = |phase: &Phase| !matches!(phase, Phase::Ready(live) if Arc::ptr_eq(live, dead));
        let now = match phase.wait_for(is_over).await {
            Ok(now) => now.clone(),
            Err(_) => return false,
        };
        match now {
            Phase::Failed { until, .. } => {
                let wait = until.saturating_sub(self.world.clock.now());
                if wait <= most {
                    self.world.clock.until(Some(until)).await;
                }
                wait <= most
            }
            Phase::Gone => false,
            _ => true,
        }
    }

    /// In how many milliseconds the next attempt may be made, if it has to wait.
    pub(crate) fn next_attempt_ms(&self) -> Option<u64> {
        let Phase::Failed { until, .. } = &*self.phase.borrow() else { return None };
        let wait = until.saturating_sub(self.world.clock.now());
        (!wait.is_zero()).then_some(wait.as_millis() as u64)
    }

    /// A call was answered, so the next failure is the first again.
    fn worked(&self) {
        lock(&self.backoff).reset();
    }

    pub(crate) fn tally(&self, change: impl FnOnce(&mut Tally)) {
        change(&mut lock(&self.tally));
    }

    /// Notes what went wrong just now.
    pub(crate) fn note_error(&self, trouble: &Trouble) {
        let error = (trouble.message.clone(), unix_ms());
        self.tally(|tally| tally.last_error = Some(error));
    }

    /// Counts something odd.
    pub(crate) fn count(&self, what: &str) {
        self.tally(|tally| {
            *tally.counts.entry(what.to_owned()).or_default() += 1;
            tally.is_changed = true;
        });
    }

    /// Adds what a connection counted.
    fn take_counts(&self, live: &Live) {
        let counts = live.link.take_counts();
        self.tally(|tally| {
            tally.is_changed |= !counts.is_empty();
            for (what, count) in counts {
                *tally.counts.entry(what.to_owned()).or_default() += count;
            }
        });
    }

    /// Reads the memory of the child, and rejects the connection if it is too much.
    async fn check_memory(&self, live: &Live) {
        let now = self.world.clock.now();
        let is_early = {
            let mut tally = lock(&self.tally);
            let is_early = tally.memory_read.is_some_and(|read| now < read + MEMORY_PAUSE);
            if !is_early {
                tally.memory_read = Some(now);
            }
            is_early
        };
        let Some(pid) = live.body.pid().filter(|_| !is_early) else { return };
        #[cfg(unix)]
        {
            let read = crate::shared::run_blocking(move || crate::child::group::group_memory_kb(pid)).await;
            let Ok(Some(kb)) = read else { return };
            self.tally(|tally| tally.rss_kb = Some(kb));
            let most = self.entry().upstream.own.memory_mb;
            if kb / 1_024 > most {
                self.count("tooMuchMemory");
                let message =
                    format!("the upstream took {} MiB, more than the {most} of memoryMb", kb / 1_024);
                live.reject(Trouble::down(message), true);
            }
        }
        #[cfg(not(unix))]
        let _ = pid;
    }

    /// Moves on to another phase, and tells the daemon.
    async fn enter(&self, phase: Phase) {
        self.phase.send_replace(phase);
        self.report().await;
    }

    /// Tells the daemon what was counted, if anything was since the last time.
    pub(crate) async fn report_counts(&self) {
        if let Phase::Ready(live) = &*self.phase.borrow() {
            self.take_counts(live);
        }
        if lock(&self.tally).is_changed {
            self.report().await;
        }
    }

    async fn report(&self) {
        let state = self.state();
        if !self.is_replaced.load(Ordering::SeqCst) {
            self.world.outbox.send(FromGate::State(state)).await;
        }
    }

    fn state(&self) -> UpstreamState {
        let phase = self.phase.borrow().clone();
        let next_attempt_ms = self.next_attempt_ms();
        let (in_flight, waiting) = self.turns.counts();
        let mut tally = lock(&self.tally);
        tally.is_changed = false;
        let live = match &phase {
            Phase::Ready(live) => Some(live),
            _ => None,
        };
        let state = match &phase {
            Phase::Idle(state) | Phase::Failed { state, .. } => *state,
            Phase::Starting => "starting",
            Phase::Ready(_) => "ready",
            Phase::Gone => "off",
        };
        let masked = tally.last_error.as_ref().map(|(error, _)| self.world.masks.mask(error).into_owned());
        UpstreamState {
            key: self.key.clone(),
            owner: self.owner.clone(),
            state: state.to_owned(),
            pid: live.and_then(|live| live.body.pid()),
            rss_kb: live.and(tally.rss_kb),
            era: live.map(|live| live.era()),
            restarts: tally.starts.saturating_sub(1),
            calls: tally.calls,
            failed: tally.failed,
            in_flight,
            waiting,
            last_error: masked,
            last_error_at_ms: tally.last_error.as_ref().map(|(_, at)| *at),
            next_attempt_ms,
            counts: tally.counts.clone(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
