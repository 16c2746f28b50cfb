//! Handles and the data they hold. A lease keeps the ledger from forgetting the versions that its slice needs. It is
//! renewed in memory with every use. It is written to the ledger when its data changes or half of its written life is
//! over, so that a busy slice costs few writes and a restarted daemon still knows it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dashmap::DashMap;
use sdl_ledger::{Clock, SystemClock};
use sdl_model::ids::stable_hash;
use sdl_model::{Incarnation, Version};

use crate::{Code, Explained, Host, Repo, ToolError};

/// How long a handle lives after its last use.
pub(crate) const LIFE_MS: u64 = 60 * 60 * 1_000;
/// Leases kept in memory; the ledger has them all.
const KEPT: usize = 512;
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Characters of an incarnation (32 bits) and of a handle's own number (40 bits).
const INCARNATION_DIGITS: u32 = 7;
const NUMBER_DIGITS: u32 = 8;

/// The kind of thing a handle names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HandleKind {
    /// `h_…`
    Slice,
    /// `sp_…`
    Spillover,
}

impl HandleKind {
    fn prefix(self) -> &'static str {
        match self {
            Self::Slice => "h_",
            Self::Spillover => "sp_",
        }
    }

    /// Returns a placeholder for a handle while an answer is fitted to its budget. It has a token for each character,
    /// as many as any handle can have. Real handles are drawn again for each call: measured with those, one call would
    /// hold a card that another one doesn't.
    pub(crate) fn measure(self) -> String {
        format!("{}1a2b3c4d5e6f7g8", self.prefix())
    }

    /// Returns the word for a handle's kind in messages.
    fn what(self) -> &'static str {
        match self {
            Self::Slice => "slice",
            Self::Spillover => "spillover",
        }
    }
}

/// A lease as it is now.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    /// When it runs out, in Unix milliseconds.
    pub(crate) expires_ms: u64,
    /// The data it holds; the handle's kind defines the layout.
    pub(crate) data: Arc<[u8]>,
    /// The oldest version that the ledger keeps for it.
    pub(crate) holds_from: Version,
    /// The version up to which `data` is worked out; 0 as read from the ledger.
    known_to: Version,
    stored_expires_ms: u64,
    /// Whether the ledger has `data`. If not, it has the data that the handle held before.
    stored_data: bool,
    repo: String,
    /// Adds to the files that this call serves. A failure to count does not fail the call.
    generation: u64,
}

impl Held {
    /// The same with other data.
    pub(crate) fn with_data(self, data: Arc<[u8]>) -> Self {
        Self { data, ..self }
    }

    /// The lease as it is in the ledger.
    fn stored(lease: sdl_ledger::Lease, repo: &dyn Repo) -> Self {
        Self {
            expires_ms: lease.expires_ms,
            holds_from: lease.holds_from,
            known_to: Version(0),
            stored_expires_ms: lease.expires_ms,
            stored_data: true,
            data: lease.data.into(),
            repo: repo.id().to_owned(),
            generation: 0,
        }
    }
}

/// A slice that somebody holds.
#[derive(Clone, Debug)]
pub(crate) struct HeldSlice {
    /// Its handle.
    pub(crate) handle: String,
    /// When its lease runs out, in Unix milliseconds.
    pub(crate) expires_ms: u64,
    /// The lease, as [`sdl_retrieve::refresh::Lease`] reads it.
    pub(crate) data: Arc<[u8]>,
}

/// A write that waits until the request's snapshot is closed. A store that has to grow waits for its readers first.
#[derive(Debug)]
pub(crate) enum LeaseWrite {
    /// Stores a handle's data. A slice's data at a version depends only on that version and on the version of its
    /// build. Two calls that bring it up to date at the same time therefore agree: the write that knows more wins.
    Put {
        handle: String,
        holds_from: Version,
        /// The version up to which `data` is worked out.
        known_to: Version,
        /// `holds_from` of the lease that this one replaces; none for a new handle.
        replaces: Option<Version>,
        data: Vec<u8>,
        /// Whether the ledger must have it before the answer goes out. If not, it is written with the next renewal:
        /// until then a crash brings back the data that the handle held before.
        at_once: bool,
    },
    /// Puts off its expiry.
    Renew { handle: String },
}

impl LeaseWrite {
    /// Its handle.
    pub(crate) fn handle(&self) -> &str {
        match self {
            Self::Put { handle, .. } | Self::Renew { handle } => handle,
        }
    }
}

/// Why a write was not performed.
#[derive(Debug)]
pub(crate) enum Unwritten {
    /// Another call restarted the slice meanwhile. Answer again, from its new data.
    Overtaken,
    /// The store refused. The lease holds in memory.
    Store(ToolError),
}

impl Unwritten {
    /// The error after too many attempts.
    pub(crate) fn overtaken_again() -> ToolError {
        let message =
            "this slice keeps being started again by other calls; build one of your own with slice.build";
        ToolError::new(Code::Conflict, message)
    }
}

impl From<sdl_ledger::Error> for Unwritten {
    fn from(error: sdl_ledger::Error) -> Self {
        Self::Store(error.into())
    }
}

/// Every lease in use.
pub(crate) struct Leases {
    /// By handle. Code that holds a reference into this map must not use the map otherwise meanwhile.
    held: DashMap<String, Held>,
    /// Locks that keep the writes of one handle in order. Several handles share a lock.
    turns: [Mutex<()>; 16],
    counter: AtomicU64,
    clock: Arc<dyn Clock>,
}

impl Default for Leases {
    fn default() -> Self {
        Self::new(Arc::new(SystemClock))
    }
}

impl Leases {
    /// Creates an empty set of leases that uses `clock`.
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { held: DashMap::new(), turns: Default::default(), counter: AtomicU64::new(0), clock }
    }

    /// Returns the time in Unix milliseconds, for everything that tools date.
    pub(crate) fn now(&self) -> u64 {
        self.clock.unix_ms()
    }

    /// Returns when a lease that is used now expires.
    pub(crate) fn expiry(&self) -> u64 {
        self.clock.unix_ms() + LIFE_MS
    }

    /// Returns a new, unused handle.
    pub(crate) fn new_handle(&self, kind: HandleKind, incarnation: Incarnation, seed: &[u8]) -> String {
        let number = self.counter.fetch_add(1, Ordering::Relaxed);
        let started = std::process::id();
        let now = self.clock.unix_ms();
        let own = stable_hash(&[&number.to_le_bytes(), &started.to_le_bytes(), &now.to_le_bytes(), seed]);
        let mut handle = kind.prefix().to_owned();
        push_digits(&mut handle, u64::from(incarnation.0), INCARNATION_DIGITS);
        push_digits(&mut handle, own, NUMBER_DIGITS);
        handle
    }

    /// Returns a handle's lease; if there is none any more, an error that says what to do.
    pub(crate) fn get(&self, repo: &dyn Repo, kind: HandleKind, handle: &str) -> Result<Held, ToolError> {
        let what = kind.what();
        let field = format!("{what}Handle");
        if !handle.starts_with(kind.prefix()) || incarnation_of(handle).is_none() {
            let shown: String = handle.chars().take(40).collect();
            let (prefix, digits) = (kind.prefix(), INCARNATION_DIGITS + NUMBER_DIGITS);
            let message =
                format!("{shown:?} is not a {what} handle: those are {prefix} and {digits} characters");
            return Err(ToolError::new(Code::UnknownHandle, message).at(field));
        }
        let known = self.held.get(handle).filter(|held| held.repo == repo.id()).map(|held| held.clone());
        let held = match known {
            Some(held) => Some(held),
            None => repo.ledger().lease(handle)?.map(|lease| Held::stored(lease, repo)),
        };
        let held = held.ok_or_else(|| {
            let message = format!(
                "{handle} is not known: its lease ran out, or its ledger was rebuilt; build the slice again with \
                 slice.build"
            );
            ToolError::new(Code::UnknownHandle, message).at(field.clone())
        })?;
        if held.expires_ms <= self.clock.unix_ms() {
            let message = format!(
                "the lease of {handle} ran out {} s ago; build the slice again with slice.build",
                (self.clock.unix_ms() - held.expires_ms) / 1_000
            );
            return Err(ToolError::new(Code::HandleExpired, message).at(field));
        }
        Ok(held)
    }

    /// Returns a repository's current slices, those used or built lately, in no order.
    pub(crate) fn slices(&self, repo: &dyn Repo) -> Result<Vec<HeldSlice>, ToolError> {
        let now = self.clock.unix_ms();
        let is_slice = |handle: &str| handle.starts_with(HandleKind::Slice.prefix());
        let mut all: HashMap<String, HeldSlice> = HashMap::new();
        let mut add = |handle: &str, expires_ms: u64, data: Arc<[u8]>| {
            if is_slice(handle) && expires_ms > now {
                let handle = handle.to_owned();
                all.insert(handle.clone(), HeldSlice { handle, expires_ms, data });
            }
        };
        repo.ledger().each_lease(&mut |lease| {
            add(&lease.handle, lease.expires_ms, lease.data.into());
        })?;
        for held in self.held.iter().filter(|held| held.repo == repo.id()) {
            add(held.key(), held.expires_ms, Arc::clone(&held.data));
        }
        Ok(all.into_values().collect())
    }

    /// Returns the data of a handle as long as it is still known, even if it expired: enough to say how to get it again.
    pub(crate) fn data_of(&self, repo: &dyn Repo, handle: &str) -> Option<Arc<[u8]>> {
        let known = self.held.get(handle).map(|held| Arc::clone(&held.data));
        known.or_else(|| repo.ledger().lease(handle).ok().flatten().map(|lease| lease.data.into()))
    }

    /// Returns the repository of a handle that is in memory: its ledger may have been rebuilt since.
    pub(crate) fn repo_of(&self, handle: &str) -> Option<String> {
        self.held.get(handle).map(|held| held.repo.clone())
    }

    /// Performs a write that a request left. A write that can't be stored holds in memory: the answer is right all the
    /// same, but its handle won't survive a restart.
    pub(crate) fn write(&self, repo: &dyn Repo, write: LeaseWrite) -> Result<(), Unwritten> {
        let expires_ms = self.expiry();
        match write {
            LeaseWrite::Put { handle, holds_from, known_to, replaces, data, at_once } => {
                let turn = self.turn(&handle);
                let before = self.held.get(&handle).map(|held| held.clone());
                if let Some(before) = &before {
                    if replaces != Some(before.holds_from) {
                        return Err(Unwritten::Overtaken);
                    }
                    if (before.holds_from, before.known_to) >= (holds_from, known_to) {
                        drop(turn);
                        return self.renew(repo, &handle, expires_ms);
                    }
                }
                let held = Held {
                    expires_ms,
                    holds_from,
                    known_to,
                    stored_expires_ms: before.as_ref().map_or(0, |before| before.stored_expires_ms),
                    stored_data: false,
                    data: data.into(),
                    repo: repo.id().to_owned(),
                    generation: before.map_or(0, |before| before.generation) + 1,
                };
                self.keep(handle.clone(), held.clone());
                if at_once || self.is_worn(held.stored_expires_ms) {
                    self.store(repo, &handle, &held)?;
                }
                Ok(())
            }
            LeaseWrite::Renew { handle } => self.renew(repo, &handle, expires_ms),
        }
    }

    fn renew(&self, repo: &dyn Repo, handle: &str, expires_ms: u64) -> Result<(), Unwritten> {
        let _turn = self.turn(handle);
        let known = self.held.get_mut(handle).map(|mut held| {
            held.expires_ms = expires_ms;
            held.clone()
        });
        let held = match known {
            Some(held) => held,
            None => {
                let Some(lease) = repo.ledger().lease(handle)? else { return Ok(()) };
                let held = Held { expires_ms, ..Held::stored(lease, repo) };
                self.keep(handle.to_owned(), held.clone());
                held
            }
        };
        if self.is_worn(held.stored_expires_ms) {
            self.store(repo, handle, &held)?;
        }
        Ok(())
    }

    /// Whether half of the written life is over.
    fn is_worn(&self, stored_expires_ms: u64) -> bool {
        stored_expires_ms < self.clock.unix_ms() + LIFE_MS / 2
    }

    /// Brings the ledger up to date with the lease in memory.
    fn store(&self, repo: &dyn Repo, handle: &str, held: &Held) -> sdl_ledger::Result<()> {
        let &Held { expires_ms, holds_from, stored_data, .. } = held;
        if stored_data {
            if !repo.ledger().renew_lease(handle, expires_ms)? {
                return Ok(());
            }
        } else {
            let (handle, data) = (handle.to_owned(), held.data.to_vec());
            repo.ledger().put_lease(&sdl_ledger::Lease { handle, holds_from, expires_ms, data })?;
        }
        if let Some(mut now) = self.held.get_mut(handle) {
            now.stored_expires_ms = expires_ms;
            now.stored_data |= now.generation == held.generation;
        }
        Ok(())
    }

    fn turn(&self, handle: &str) -> Option<MutexGuard<'_, ()>> {
        let at = stable_hash(&[handle.as_bytes()]) as usize % self.turns.len();
        self.turns.get(at).map(|turn| turn.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn keep(&self, handle: String, held: Held) {
        let now = self.clock.unix_ms();
        self.held.insert(handle, held);
        if self.held.len() > KEPT {
            self.held.retain(|_, held| held.expires_ms > now);
        }
        // A lease that leaves memory continues as the ledger has it: it loses at most half of its life, and its client
        // may get the same changes again.
        if self.held.len() > KEPT {
            let oldest = self.held.iter().map(|held| (held.expires_ms, held.key().clone())).min();
            if let Some((_, oldest)) = oldest {
                self.held.remove(&oldest);
            }
        }
    }

    /// Writes everything that is only in memory.
    pub(crate) fn flush(&self, host: &dyn Host) {
        let behind: Vec<(String, Held)> = self
            .held
            .iter()
            .filter(|held| held.expires_ms > held.stored_expires_ms || !held.stored_data)
            .map(|held| (held.key().clone(), held.value().clone()))
            .collect();
        for (handle, held) in behind {
            let Some(repo) = host.repo(&held.repo) else { continue };
            let _turn = self.turn(&handle);
            // A lease that can't be written keeps its last stored form.
            let _ = self.store(repo.as_ref(), &handle, &held);
        }
    }
}

/// Returns the incarnation of the ledger that gave a handle; none if the text is not a handle.
pub(crate) fn incarnation_of(handle: &str) -> Option<Incarnation> {
    let digits = handle.strip_prefix("h_").or_else(|| handle.strip_prefix("sp_"))?;
    if digits.len() != (INCARNATION_DIGITS + NUMBER_DIGITS) as usize {
        return None;
    }
    let values: Option<Vec<u64>> =
        digits.bytes().map(|b| ALPHABET.iter().position(|a| *a == b).map(|at| at as u64)).collect();
    let value = values?.iter().take(INCARNATION_DIGITS as usize).fold(0, |value, digit| (value << 5) | digit);
    u32::try_from(value).ok().map(Incarnation)
}

fn push_digits(to: &mut String, value: u64, digits: u32) {
    for shift in (0..digits).rev() {
        let digit = (value >> (shift * 5)) & 31;
        to.push(ALPHABET.get(digit as usize).copied().map_or('0', char::from));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_handle_has_more_tokens_than_the_measure() {
        let leases = Leases::default();
        for kind in [HandleKind::Slice, HandleKind::Spillover] {
            let most = sdl_tokens::count_tokens(&format!("\"{}\"", kind.measure()));
            for number in 0..500_u32 {
                let handle = leases.new_handle(kind, Incarnation(number.wrapping_mul(0x9e37_79b9)), b"");
                assert_eq!(handle.len(), kind.measure().len());
                assert!(sdl_tokens::count_tokens(&format!("\"{handle}\"")) <= most, "{handle}");
            }
        }
    }

    #[test]
    fn handles_carry_their_incarnation() {
        let leases = Leases::default();
        for incarnation in [0, 1, 0xdead_beef, u32::MAX] {
            for kind in [HandleKind::Slice, HandleKind::Spillover] {
                let handle = leases.new_handle(kind, Incarnation(incarnation), b"");
                assert_eq!(incarnation_of(&handle), Some(Incarnation(incarnation)), "{handle}");
                assert_ne!(handle, leases.new_handle(kind, Incarnation(incarnation), b""));
            }
        }
        for bad in ["", "h_", "h_123", "s_0123456789abcde", "h_0123456789abcdu", "h_zzzzzzz00000000"] {
            assert_eq!(incarnation_of(bad), None, "{bad}");
        }
    }
}
