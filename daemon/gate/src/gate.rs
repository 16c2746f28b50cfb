//! What the daemon asks for, and who does it.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sdl_proto::gate::{FromGate, Owner, ToGate, UpstreamCall};
use sdl_proto::{WireError, code};
use sdl_settings::{ChangeKind, Settings, changed, fold_key};
use tokio::sync::oneshot;

use crate::asks::Asks;
use crate::clock::Clock;
use crate::entry::Entry;
use crate::eras::Eras;
use crate::flag::Flag;
use crate::mask::Masks;
use crate::outbox::Outbox;
use crate::shared::{Shared, World, run_blocking};
use crate::slot::Slot;
use crate::slot::call::answer_call;
use crate::slot::keeper::Order;
use crate::trouble::Trouble;

/// How long children may take to end when the gate does: a little more than two seconds and three.
const END_TIME: Duration = Duration::from_secs(8);

/// Calls that the daemon may have begun. It allows fewer itself.
const MAX_CALLS: usize = 4_096;

/// Where a gate works.
pub(crate) struct Places {
    pub(crate) state_dir: PathBuf,
    pub(crate) runtime_dir: PathBuf,
    /// The program that holds children until they are recorded.
    pub(crate) holder: PathBuf,
}

type Cancels = Arc<Mutex<HashMap<u64, Flag>>>;

/// See the module.
pub(crate) struct Gate {
    world: World,
    settings: Settings,
    generation: u64,
    entries: HashMap<String, Arc<Entry>>,
    slots: HashMap<(String, Owner), Arc<Slot>>,
    /// Slots that get no more calls and are not closed yet.
    leaving: Vec<Arc<Slot>>,
    /// Calls that run, by the daemon's number.
    cancels: Cancels,
}

impl Gate {
    /// Prepares the folders, and ends what an earlier gate left.
    pub(crate) async fn open(outbox: Outbox, clock: Clock, places: Places) -> io::Result<Self> {
        let opened = run_blocking(move || {
            let Places { state_dir, runtime_dir, holder } = places;
            std::fs::create_dir_all(&state_dir)?;
            #[cfg(unix)]
            let registry = crate::child::registry::Registry::take_over(&runtime_dir)?;
            #[cfg(not(unix))]
            let _ = (runtime_dir, holder);
            io::Result::Ok(Shared {
                outbox,
                masks: Masks::default(),
                clock,
                eras: Eras::load(state_dir.join("upstreams.eras")),
                state_dir,
                asks: Asks::default(),
                #[cfg(feature = "oauth")]
                logins: crate::oauth::Logins::default(),
                helper: Mutex::default(),
                #[cfg(unix)]
                registry,
                #[cfg(unix)]
                holder,
            })
        });
        Ok(Self {
            world: Arc::new(opened.await.map_err(io::Error::other)??),
            settings: Settings::default(),
            generation: 0,
            entries: HashMap::new(),
            slots: HashMap::new(),
            leaving: Vec::new(),
            cancels: Cancels::default(),
        })
    }

    /// Does what the daemon asks for. False if it asks for the end.
    pub(crate) async fn obey(&mut self, message: ToGate) -> bool {
        match message {
            // The first one was taken before; another one means nothing.
            ToGate::Hello { .. } => {}
            ToGate::Configure { generation, text } => self.configure(generation, &text),
            ToGate::Call(call) => self.begin_call(call).await,
            ToGate::Cancel { id } => {
                if let Some(flag) = self.cancels.lock().unwrap_or_else(PoisonError::into_inner).get(&id) {
                    flag.raise();
                }
            }
            ToGate::Answer { ask, result } => self.world.asks.answer(ask, result),
            ToGate::Read { id, key, owner, client } => self.read_lists(id, &key, (owner, client)).await,
            ToGate::Restart { id, key } => self.restart(id, &key),
            ToGate::OwnerGone { owner } => self.close_slots(|_, of| *of == owner, false, false),
            ToGate::Ping { nonce } => self.world.outbox.send(FromGate::Pong { nonce }).await,
            ToGate::Stop => return false,
        }
        true
    }

    fn configure(&mut self, generation: u64, text: &str) {
        let new = match Settings::parse(text) {
            Ok(parsed) => parsed.settings,
            Err(error) => {
                // The daemon has read the same text before.
                tracing::error!("the settings are refused, the former ones stay in force: {error}");
                return;
            }
        };
        self.generation = generation;
        self.world.helper.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&new.credential_helper);
        let enabled = new.upstreams.iter().filter(|upstream| upstream.enabled);
        self.entries =
            enabled.map(|entry| (entry.key.clone(), Arc::new(Entry::new(entry.clone())))).collect();
        for change in changed(&self.settings, &new) {
            match change.kind {
                ChangeKind::Added | ChangeKind::Own => {}
                ChangeKind::Removed => self.close_slots(|key, _| *key == change.key, true, false),
                ChangeKind::Transport => self.close_slots(|key, _| *key == change.key, true, true),
            }
        }
        for ((key, _), slot) in &self.slots {
            if let Some(entry) = self.entries.get(key) {
                slot.change_entry(Arc::clone(entry), generation);
            }
        }
        self.settings = new;
    }

    /// Closes the slots that fit. Calls that run may end first if `drains`; `is_replaced` if others take their place.
    fn close_slots(&mut self, fits: impl Fn(&String, &Owner) -> bool, drains: bool, is_replaced: bool) {
        self.leaving.retain(|slot| !slot.closed.is_raised());
        let gone: Vec<_> = self.slots.keys().filter(|(key, owner)| fits(key, owner)).cloned().collect();
        for place in gone {
            if let Some(slot) = self.slots.remove(&place) {
                slot.close(drains, is_replaced);
                self.leaving.push(slot);
            }
        }
    }

    /// The slot of a connection, made if need be.
    fn slot(&mut self, key: &str, owner: Owner) -> Result<Arc<Slot>, Trouble> {
        let folded = fold_key(key);
        let entry = self
            .entries
            .get(key)
            .or_else(|| self.entries.values().find(|e| fold_key(&e.upstream.key) == folded));
        let Some(entry) = entry else {
            let message = format!("no upstream {key:?} is enabled in the settings");
            return Err(Trouble::new(code::MISCONFIGURED, message));
        };
        let place = (entry.upstream.key.clone(), owner.clone());
        let slot = self.slots.entry(place).or_insert_with(|| {
            Slot::open(Arc::clone(&self.world), owner, Arc::clone(entry), self.generation)
        });
        Ok(Arc::clone(slot))
    }

    async fn begin_call(&mut self, call: UpstreamCall) {
        let (id, key) = (call.id, call.key.clone());
        let too_many = self.cancels.lock().unwrap_or_else(PoisonError::into_inner).len() >= MAX_CALLS;
        let slot = match self.slot(&key, call.owner.clone()) {
            Ok(_) if too_many => Err(Trouble::new(code::BUSY, format!("{MAX_CALLS} calls run"))),
            other => other,
        };
        let slot = match slot {
            Ok(slot) => slot,
            Err(trouble) => {
                let error = trouble.into_wire(&key, &self.world.masks);
                return self.world.outbox.send(FromGate::Answer { id, result: Err(error) }).await;
            }
        };
        let cancel = Flag::default();
        self.cancels.lock().unwrap_or_else(PoisonError::into_inner).insert(id, cancel.clone());
        // Here rather than in the task, so that calls wait in the order of their arrival.
        let ticket = slot.admit();
        let cancels = Arc::clone(&self.cancels);
        tokio::spawn(async move {
            answer_call(slot, call, cancel, ticket).await;
            cancels.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        });
    }

    async fn read_lists(&mut self, id: u64, key: &str, (owner, client): (Owner, Option<sdl_proto::Payload>)) {
        let refused = match self.slot(key, owner) {
            Ok(slot) => {
                slot.remember_client(client);
                if slot.order(Order::Read { id }).is_ok() {
                    return;
                }
                Trouble::new(code::BUSY, "too many requests for this upstream wait")
            }
            Err(trouble) => trouble,
        };
        self.done(id, key, Err(refused)).await;
    }

    async fn done(&self, id: u64, key: &str, result: Result<(), Trouble>) {
        let result = result.map_err(|trouble| trouble.into_wire(key, &self.world.masks));
        self.world.outbox.send(FromGate::Done { id, result }).await;
    }

    fn restart(&mut self, id: u64, key: &str) {
        let slots = self.slots.iter().filter(|((of, _), _)| of == key).map(|(_, slot)| Arc::clone(slot));
        let mut waiting = Vec::new();
        for slot in slots {
            let (done, is_done) = oneshot::channel();
            if slot.order(Order::Restart { done }).is_ok() {
                waiting.push(is_done);
            }
        }
        let (world, key) = (Arc::clone(&self.world), key.to_owned());
        tokio::spawn(async move {
            let mut result: Result<(), WireError> = Ok(());
            for is_done in waiting {
                if let Ok(Err(trouble)) = is_done.await {
                    result = result.and(Err(trouble.into_wire(&key, &world.masks)));
                }
            }
            world.outbox.send(FromGate::Done { id, result }).await;
        });
    }

    /// Ends every connection. Returns when all children are gone.
    pub(crate) async fn close(mut self) {
        self.close_slots(|_, _| true, false, true);
        let all = async {
            for slot in &self.leaving {
                slot.closed.raised().await;
            }
            #[cfg(unix)]
            self.world.registry.none_left().await;
        };
        if tokio::time::timeout(END_TIME, all).await.is_err() {
            tracing::warn!("children are left; the next gate ends them");
        }
    }
}
