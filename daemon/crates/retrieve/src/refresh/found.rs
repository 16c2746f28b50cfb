//! What a refresh found, before anyone knows how much of it fits.

use sdl_model::Version;

use super::delta::FoundDelta;
use super::{Lease, Outcome, Refreshed};
use crate::slice::{self, Neighbourhood};
use crate::{History, Result, Source};

/// A refresh, worked out once. [`Found::cut`] brings it to any size: it works nothing out again but which cards fit, so whoever
/// looks for the size that an answer has room for may ask for several.
pub struct Found<'a> {
    /// The version that was compared with.
    pub(super) current: Version,
    /// The lease, brought up to `current`.
    pub(super) lease: Lease,
    pub(super) parts: Parts<'a>,
}

pub(super) enum Parts<'a> {
    NotModified,
    Delta(Box<FoundDelta>),
    /// Exactly these symbols.
    Members(Neighbourhood<'a>),
    /// A slice that is built again: which symbols it serves, and so its lease, depends on its size.
    Rebuilt {
        found: Neighbourhood<'a>,
        source: &'a Source<'a>,
        history: &'a dyn History,
    },
}

impl Found<'_> {
    /// Whether the client holds anything that changed.
    pub fn is_modified(&self) -> bool {
        !matches!(self.parts, Parts::NotModified)
    }

    /// As much as `max_tokens` hold. What changed is told in full even where that is more.
    pub fn cut(&self, max_tokens: u32) -> Result<Refreshed> {
        let of = |outcome| Refreshed { current: self.current, outcome, lease: self.lease.clone() };
        Ok(match &self.parts {
            Parts::NotModified => of(Outcome::NotModified),
            Parts::Delta(found) => of(Outcome::Delta(Box::new(found.cut(max_tokens as usize)?))),
            Parts::Members(found) => of(Outcome::Fresh(Box::new(slice::whole(found, max_tokens)?))),
            Parts::Rebuilt { found, source, history } => {
                let built = found.slice(max_tokens)?;
                let request = self.lease.request.clone();
                let lease = Lease::begin(source.view(), history.incarnation(), &built, request)?;
                Refreshed { current: built.version, outcome: Outcome::Fresh(Box::new(built)), lease }
            }
        })
    }
}

/// Cuts what was found to the budget that the slice was built with.
pub(super) fn to_budget(found: &Found<'_>) -> Result<Refreshed> {
    found.cut(found.lease.request.budget.max_estimated_tokens)
}
