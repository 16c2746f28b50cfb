//! Two versions to changed symbols.

mod types;

pub use types::{BlastItem, ChangeType, ChangedSymbol, Delta, FanInTrend, SetDiff, TextDiff, Tiers};
