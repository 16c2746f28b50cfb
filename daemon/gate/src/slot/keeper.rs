//! The task that keeps one slot: starts its connection, reads its lists again, stops it when it is idle, and ends it.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use sdl_proto::gate::FromGate;
use sdl_proto::{Payload, WireError, code};
use tokio::sync::{mpsc, oneshot};

use crate::lists::{self, Reading};
use crate::slot::live::Live;
use crate::slot::start::start_connection;
use crate::slot::{Phase, Slot, lock};
use crate::trouble::Trouble;

/// How long calls that run may take when their connection is replaced.
const DRAIN_TIME: Duration = Duration::from_secs(30);

/// The least time between two readings of lists that nobody asked for. A burst of changes is one.
const READ_PAUSE: Duration = Duration::from_millis(250);

/// Something to do for the slot.
pub(crate) enum Order {
    /// Start the connection, if there is none.
    Start,
    /// Replace this connection, because it did not declare what a call needs.
    Replace(Arc<Live>),
    /// Read the lists.
    Read { id: u64 },
    /// End the connection, and start it again if there was one.
    Restart { done: Done },
}

/// Hears how an order went.
pub(crate) type Done = oneshot::Sender<Result<(), Trouble>>;

/// What ended a connection's time.
enum Over {
    Closing,
    Died,
    Unfit,
    Idle,
    Replaced { restart: Option<Done> },
}

/// Keeps the slot until it is closed.
pub(crate) async fn keep_slot(slot: Arc<Slot>, mut orders: mpsc::Receiver<Order>) {
    let mut keeper = Keeper { slot, last_lists: None, is_over: false };
    while !keeper.is_over {
        let closing = keeper.slot.closing.clone();
        let phase = keeper.slot.phase.borrow().clone();
        match phase {
            Phase::Ready(live) => keeper.tend(live, &mut orders).await,
            _ => tokio::select! {
                () = closing.raised() => keeper.is_over = true,
                order = orders.recv() => match order {
                    Some(order) => keeper.obey_idle(order).await,
                    None => keeper.is_over = true,
                },
            },
        }
    }
    let slot = keeper.slot;
    slot.enter(Phase::Gone).await;
    orders.close();
    while let Some(order) = orders.recv().await {
        if let Order::Read { id } = order {
            let gone = Trouble::down("the upstream was removed from the settings");
            finish(&slot, id, Err(gone)).await;
        }
    }
    slot.closed.raise();
}

/// Answers a request of the daemon.
async fn finish(slot: &Slot, id: u64, result: Result<(), Trouble>) {
    let result: Result<(), WireError> =
        result.map_err(|trouble| trouble.into_wire(&slot.key, &slot.world.masks));
    slot.world.outbox.send(FromGate::Done { id, result }).await;
}

struct Keeper {
    slot: Arc<Slot>,
    /// The hash of the lists that were sent last.
    last_lists: Option<blake3::Hash>,
    is_over: bool,
}

type ReadingTask = Pin<Box<dyn Future<Output = Result<Reading, Trouble>> + Send>>;

impl Keeper {
    async fn obey_idle(&mut self, order: Order) {
        match order {
            Order::Start => {
                let _ = self.start().await;
            }
            Order::Replace(_) => {}
            Order::Read { id } => {
                let result = match self.failure() {
                    Some(trouble) => Err(trouble),
                    None => self.start().await,
                };
                finish(&self.slot, id, result).await;
            }
            Order::Restart { done } => {
                // A person wants it tried now.
                self.slot.worked();
                let was_tried = matches!(&*self.slot.phase.borrow(), Phase::Failed { .. });
                let _ = done.send(if was_tried { self.start().await } else { Ok(()) });
            }
        }
    }

    /// Why no attempt may be made now.
    fn failure(&self) -> Option<Trouble> {
        let wait = self.slot.next_attempt_ms()?;
        match &*self.slot.phase.borrow() {
            Phase::Failed { trouble, .. } => Some(trouble.clone().with("nextAttemptMs", wait)),
            _ => None,
        }
    }

    async fn start(&mut self) -> Result<(), Trouble> {
        let slot = Arc::clone(&self.slot);
        let waited_for_person = matches!(
            &*slot.phase.borrow(),
            Phase::Failed { trouble, .. } if matches!(trouble.code, code::NEEDS_LOGIN | code::MISCONFIGURED)
        );
        slot.tally(|tally| tally.starts += 1);
        slot.enter(Phase::Starting).await;
        match start_connection(&slot).await {
            Ok((live, reading)) => {
                if waited_for_person {
                    // It has been dealt with.
                    slot.tally(|tally| tally.last_error = None);
                }
                slot.take_counts(&live);
                self.send_lists(reading, true).await;
                slot.enter(Phase::Ready(Arc::new(live))).await;
                Ok(())
            }
            Err(trouble) => {
                self.fail(trouble.clone(), false).await;
                Err(trouble)
            }
        }
    }

    /// Notes a failure. The next attempt may be made later.
    async fn fail(&self, trouble: Trouble, is_death: bool) {
        let slot = &self.slot;
        let now = slot.world.clock.now();
        let (until, state) = match trouble.code {
            // A person has to do something, which may have happened by the next call.
            code::MISCONFIGURED => (now, "misconfigured"),
            code::NEEDS_LOGIN => (now, "needsLogin"),
            _ if is_death => match lock(&slot.backoff).die(now) {
                (until, true) => (until, "failing"),
                (until, false) => (until, "stopped"),
            },
            _ => {
                let until = lock(&slot.backoff).fail(now);
                (until.max(now + trouble.asked_wait().unwrap_or_default()), "failing")
            }
        };
        // The code is for the call that it happened to. For later ones the upstream is not there.
        let trouble = if trouble.code == code::RESULT_TOO_LARGE { trouble.into_down() } else { trouble };
        tracing::info!("{}: {state}: {}", slot.key, slot.world.masks.mask(&trouble.message));
        slot.note_error(&trouble);
        slot.enter(Phase::Failed { state, until, trouble }).await;
    }

    /// Tells the daemon the lists, unless it knows them already.
    async fn send_lists(&mut self, reading: Reading, always: bool) {
        let slot = &self.slot;
        let text = slot.world.masks.mask_owned(reading.text);
        let hash = blake3::hash(text.as_bytes());
        if !always && self.last_lists == Some(hash) {
            return;
        }
        self.last_lists = Some(hash);
        let (key, owner, generation) = (slot.key.clone(), slot.owner.clone(), slot.generation());
        let lists = Payload(text.into_bytes());
        slot.world.outbox.send(FromGate::Lists { key, owner, generation, lists }).await;
    }

    /// Keeps a connection that works, until its time is over.
    async fn tend(&mut self, live: Arc<Live>, orders: &mut mpsc::Receiver<Order>) {
        let over = self.watch(&live, orders).await;
        let slot = Arc::clone(&self.slot);
        slot.take_counts(&live);
        match over {
            Over::Closing => {
                let drains = slot.drains.load(Ordering::SeqCst);
                retire(&slot, live, drains).await;
                self.is_over = true;
            }
            Over::Died => {
                let trouble = live.epitaph().await;
                self.fail(trouble, true).await;
                // Its group may still run.
                tokio::spawn(retire_owned(slot, live, false));
            }
            Over::Unfit => {
                let drains = live.drains.load(Ordering::SeqCst);
                let trouble = live.epitaph().await;
                slot.note_error(&trouble);
                slot.count("restarted");
                slot.enter(Phase::Idle("stopped")).await;
                tokio::spawn(retire_owned(slot, live, drains));
            }
            Over::Idle => {
                slot.enter(Phase::Idle("stopped")).await;
                tokio::spawn(retire_owned(slot, live, false));
            }
            Over::Replaced { restart } => {
                slot.enter(Phase::Idle("stopped")).await;
                tokio::spawn(retire_owned(Arc::clone(&slot), live, restart.is_none()));
                let result = self.start().await;
                if let Some(done) = restart {
                    let _ = done.send(result);
                }
            }
        }
    }

    /// Waits for what ends the connection's time, and meanwhile reads its lists again when they change or are asked for.
    async fn watch(&mut self, live: &Arc<Live>, orders: &mut mpsc::Receiver<Order>) -> Over {
        let slot = Arc::clone(&self.slot);
        let clock = &slot.world.clock;
        let mut changed = live.link.watch_changed();
        let mut running = live.running.watch_count();
        let (mut used, mut read) = (clock.now(), clock.now());
        let mut reading: Option<ReadingTask> = None;
        let (mut askers, mut next_askers) = (Vec::new(), Vec::new());
        loop {
            let is_idle = *running.borrow_and_update() == 0 && reading.is_none();
            let idle_stop = slot.entry().upstream.own.idle_stop_seconds;
            let stop_at = (is_idle && idle_stop > 0).then(|| used + Duration::from_secs(idle_stop));
            let is_changed = changed.borrow_and_update().any();
            if reading.is_none() && (!next_askers.is_empty() || is_changed && clock.now() >= read) {
                live.link.take_changed();
                askers = std::mem::take(&mut next_askers);
                reading = Some(Box::pin(lists::read_lists(Arc::clone(&slot), Arc::clone(live))));
            }
            let read_at = (is_changed && reading.is_none()).then_some(read);
            tokio::select! {
                () = slot.closing.raised() => return Over::Closing,
                () = live.link.closed.raised() => return self.end_reading(askers, next_askers, Over::Died).await,
                () = live.unfit.raised() => return self.end_reading(askers, next_askers, Over::Unfit).await,
                order = orders.recv() => match order {
                    Some(Order::Read { id }) => next_askers.push(id),
                    Some(Order::Restart { done }) => {
                        let over = Over::Replaced { restart: Some(done) };
                        return self.end_reading(askers, next_askers, over).await;
                    }
                    Some(Order::Replace(poor)) if Arc::ptr_eq(&poor, live) => {
                        let over = Over::Replaced { restart: None };
                        return self.end_reading(askers, next_askers, over).await;
                    }
                    Some(Order::Start | Order::Replace(_)) => {}
                    None => return Over::Closing,
                },
                _ = changed.changed() => {}
                _ = running.changed() => used = clock.now(),
                () = clock.until(read_at) => {}
                () = clock.until(stop_at) => return Over::Idle,
                done = finished(&mut reading) => {
                    reading = None;
                    read = clock.now() + READ_PAUSE;
                    used = clock.now();
                    self.end_one_reading(live, done, std::mem::take(&mut askers)).await;
                }
            }
        }
    }

    async fn end_one_reading(&mut self, live: &Live, done: Result<Reading, Trouble>, askers: Vec<u64>) {
        let result = match done {
            Ok(reading) => {
                self.slot.take_counts(live);
                self.send_lists(reading, !askers.is_empty()).await;
                Ok(())
            }
            Err(trouble) => {
                self.slot.note_error(&trouble);
                self.slot.count("listsFailed");
                Err(trouble)
            }
        };
        for id in askers {
            finish(&self.slot, id, result.clone()).await;
        }
        self.slot.report_counts().await;
    }

    /// Answers those who wait for lists that will not be read.
    async fn end_reading(&self, askers: Vec<u64>, next: Vec<u64>, over: Over) -> Over {
        for id in askers.into_iter().chain(next) {
            let trouble = Trouble::down("the upstream ended before its lists were read");
            finish(&self.slot, id, Err(trouble)).await;
        }
        over
    }
}

async fn finished(reading: &mut Option<ReadingTask>) -> Result<Reading, Trouble> {
    match reading {
        Some(reading) => reading.await,
        None => std::future::pending().await,
    }
}

async fn retire_owned(slot: Arc<Slot>, live: Arc<Live>, drains: bool) {
    retire(&slot, live, drains).await;
}

/// Closes a connection that gets no more calls.
async fn retire(slot: &Slot, live: Arc<Live>, drains: bool) {
    if drains {
        tokio::select! {
            () = live.running.none_left() => {}
            () = live.link.closed.raised() => {}
            () = slot.world.clock.sleep(DRAIN_TIME) => {}
        }
    }
    live.close(&slot.world).await;
    slot.take_counts(&live);
}
