//! Settings of a store, and the clock and faults that tests inject.

use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::faults::Faults;

/// Tells the time. Only the creation of a ledger looks at it, because its version numbers start there:
/// `v1770600000000`.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970.
    fn unix_ms(&self) -> u64;
}

/// The system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn unix_ms(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
    }
}

/// How much of the past a ledger keeps. Versions that a live lease holds are kept in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// At most this many versions.
    pub versions: u64,
    /// None older than this, in milliseconds.
    pub age_ms: u64,
    /// At most this many bytes of version and history tables.
    pub bytes: u64,
}

impl Default for Retention {
    fn default() -> Self {
        Self { versions: 10_000, age_ms: 30 * 24 * 3_600_000, bytes: 512 << 20 }
    }
}

/// Settings of a store.
#[derive(Clone)]
pub struct Options {
    /// Address space reserved for the map; it doubles when it is full. Generous where that costs nothing; smaller on
    /// Windows, because there the file is as large as the map.
    pub map_size: usize,
    /// Most readers at a time; further ones wait.
    pub max_readers: u32,
    /// Bytes of decoded outlines that [`crate::FactsStore`] keeps.
    pub cache_bytes: usize,
    /// Memory in which a load from scratch gathers rows before it writes them. Little of it makes a large load slower.
    pub gather_bytes: usize,
    /// How much of the past a ledger keeps.
    pub retention: Retention,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes operations fail, for tests.
    pub faults: Option<Arc<dyn Faults>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            map_size: if cfg!(all(unix, target_pointer_width = "64")) { 64 << 30 } else { 64 << 20 },
            max_readers: 256,
            cache_bytes: 4 << 20,
            gather_bytes: 48 << 20,
            retention: Retention::default(),
            clock: Arc::new(SystemClock),
            faults: None,
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("map_size", &self.map_size)
            .field("max_readers", &self.max_readers)
            .field("cache_bytes", &self.cache_bytes)
            .field("gather_bytes", &self.gather_bytes)
            .field("retention", &self.retention)
            .finish_non_exhaustive()
    }
}
