//! Two versions to changed symbols.

mod blast;
mod compare;
mod left;
mod pair;
pub(crate) mod successors;
mod symbols;
mod types;
mod users;

pub use blast::{BlastQuestion, FanIn, blast_radius, resolution_weight};
pub use left::{Left, left_behind};
pub use symbols::{Change, changed_symbols};
pub(crate) use symbols::{change_between, change_of};
pub use types::{BlastItem, Break, ChangeType, ChangedSymbol, Delta, FanInTrend, SetDiff, TextDiff, Tiers};
pub(crate) use users::users_of;
