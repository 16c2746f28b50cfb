//! Where outlines come from.

use std::ops::Deref;
use std::sync::Arc;

use sdl_ledger::Result;
use sdl_model::{Facts, FactsKey, Outline};

/// An outline that someone shares: alone, or as half of a file's facts.
#[derive(Clone, Debug)]
pub enum SharedOutline {
    /// Alone.
    Outline(Arc<Outline>),
    /// As half of facts, so that a first index need not copy it out.
    Facts(Arc<Facts>),
}

impl Deref for SharedOutline {
    type Target = Outline;

    fn deref(&self) -> &Outline {
        match self {
            Self::Outline(outline) => outline,
            Self::Facts(facts) => &facts.outline,
        }
    }
}

/// Gives outlines by the key of their facts: the facts store, or a map in memory.
pub trait Outlines {
    /// The outline under `key`; none if nothing is stored there, which the resolver takes as a file that says nothing.
    fn outline(&self, key: &FactsKey) -> Result<Option<SharedOutline>>;
}

impl<F> Outlines for F
where
    F: Fn(&FactsKey) -> Result<Option<SharedOutline>>,
{
    fn outline(&self, key: &FactsKey) -> Result<Option<SharedOutline>> {
        self(key)
    }
}
