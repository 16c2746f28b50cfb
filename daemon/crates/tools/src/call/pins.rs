//! The versions that the steps of a chain answer from: one for each repository, until a step changes something.

use std::cell::RefCell;
use std::collections::BTreeMap;

use sdl_model::Version;

use crate::ToolError;
use crate::call::freshness::Freshness;
use crate::call::freshness::Sync;
use crate::call::stamp::Stamp;
use crate::host::Barrier;

/// The state that the steps of a chain share since the last change.
#[derive(Default)]
pub(crate) struct Pins(RefCell<State>);

#[derive(Default)]
struct State {
    held: BTreeMap<String, Pin>,
    moved: bool,
    stood: Option<Stood>,
    /// The index of the step that is being run.
    step: usize,
}

/// The freshness of one step's answer.
#[derive(Clone, Debug)]
pub(crate) struct Stood {
    pub(crate) repo: String,
    pub(crate) freshness: Freshness,
}

#[derive(Default)]
struct Pin {
    barrier: Option<Barrier>,
    stamp: Option<Stamp>,
    /// The first step that answered from it.
    from: usize,
}

impl Pins {
    /// Sets the step that runs next.
    pub(crate) fn at_step(&self, step: usize) {
        self.0.borrow_mut().step = step;
    }

    /// Returns the barrier of the steps before if it is strong enough; otherwise the result of `wait`, which is kept.
    pub(crate) fn barrier(
        &self,
        repo: &str,
        sync: Sync,
        wait: impl FnOnce() -> Result<Barrier, ToolError>,
    ) -> Result<Barrier, ToolError> {
        if sync == Sync::None {
            return wait();
        }
        let known = self.0.borrow().held.get(repo).and_then(|pin| pin.barrier.clone());
        if let Some(known) = known.filter(|known| known.synced || sync == Sync::Prefer) {
            return Ok(known);
        }
        let barrier = wait()?;
        self.0.borrow_mut().held.entry(repo.to_owned()).or_default().barrier = Some(barrier.clone());
        Ok(barrier)
    }

    /// Whether `stamp` is the state that the steps before answered from. The first caller decides.
    pub(crate) fn holds(&self, repo: &str, stamp: Stamp) -> bool {
        let mut state = self.0.borrow_mut();
        let step = state.step;
        let pin = state.held.entry(repo.to_owned()).or_default();
        if pin.stamp.is_none() {
            pin.from = step;
        }
        let pinned = *pin.stamp.get_or_insert(stamp);
        state.moved |= pinned != stamp;
        pinned == stamp
    }

    /// Records the freshness of a step's answer.
    pub(crate) fn set_freshness(&self, repo: &str, freshness: &Freshness) {
        let stood = Stood { repo: repo.to_owned(), freshness: freshness.clone() };
        self.0.borrow_mut().stood = Some(stood);
    }

    /// Returns the freshness of the latest step's answer; none if the answer doesn't depend on a tree.
    pub(crate) fn latest_freshness(&self) -> Option<Stood> {
        self.0.borrow_mut().stood.take()
    }

    /// Whether a step found another version. If so, forgets the versions: the steps have to be run again.
    pub(crate) fn start_again(&self) -> bool {
        let mut state = self.0.borrow_mut();
        if state.moved {
            state.held.values_mut().for_each(|pin| pin.stamp = None);
        }
        std::mem::take(&mut state.moved)
    }

    /// Forgets everything. Returns the pinned versions, each with the first step that answered from it.
    pub(crate) fn release(&self) -> Vec<(String, Version, usize)> {
        let held = std::mem::take(&mut self.0.borrow_mut().held);
        held.into_iter().filter_map(|(repo, pin)| Some((repo, pin.stamp?.version, pin.from))).collect()
    }
}
