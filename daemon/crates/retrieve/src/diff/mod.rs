//! Two versions to changed symbols.

mod blast;
mod compare;
mod pair;
mod symbols;
mod types;

pub use blast::{FanIn, blast_radius};
pub use symbols::{Change, changed_symbols};
pub use types::{BlastItem, ChangeType, ChangedSymbol, Delta, FanInTrend, SetDiff, TextDiff, Tiers};
