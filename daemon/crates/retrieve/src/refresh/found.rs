//! The findings of a refresh, before their size is limited.

use sdl_model::Version;

use super::delta::FoundDelta;
use super::{Lease, Outcome, Refreshed};
use crate::slice::{self, Neighbourhood};
use crate::{History, Result, Source};

/// A refresh, worked out once. [`Found::cut`] brings it to any size. It only chooses the cards that fit, so a caller
/// that searches for the right size may try several.
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
    /// A slice that is built again. Its size decides which symbols it serves, and so its lease.
    Rebuilt {
        found: Neighbourhood<'a>,
        source: &'a Source<'a>,
        history: &'a dyn History,
    },
}

impl Found<'_> {
    /// Whether anything in the client's slice changed.
    pub fn is_modified(&self) -> bool {
        !matches!(self.parts, Parts::NotModified)
    }

    /// The part that fits `max_tokens`. Changes are always reported in full, even if that is more.
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

/// Cuts the findings to the budget that the slice was built with.
pub(super) fn to_budget(found: &Found<'_>) -> Result<Refreshed> {
    found.cut(found.lease.request.budget.max_estimated_tokens)
}
