//! The lane of the code: the evidence of `agent.orchestrate`.

use sdl_model::SymbolId;
use sdl_retrieve::card::Enrichment;

use super::{Item, shown_score};
use crate::ToolError;
use crate::call::context::ReadCx;
use crate::context::assembly::{Gathered, Ground, Start};

/// The code that a task is about.
pub(crate) struct CodeLane<'a> {
    ground: Ground<'a>,
}

impl<'a> CodeLane<'a> {
    /// Finds it.
    pub(crate) fn of(
        cx: &'a ReadCx<'a>,
        start: &'a Start,
        enrichment: &'a dyn Enrichment,
    ) -> Result<Self, ToolError> {
        Ok(Self { ground: Ground::of(cx, start, enrichment)? })
    }

    /// Returns the symbols that the other lanes may be about, the best first: those that `room` tokens would show, about. Their text is not needed for
    /// that, and it takes most of the time.
    pub(crate) fn nearest(&self, room: usize) -> Vec<SymbolId> {
        self.ground.best_symbols(room)
    }

    /// Returns the best evidence that `room` tokens hold, in its own order. Feedback does not change it, because slices are the same for
    /// everyone. And how many symbols were left out.
    pub(crate) fn items(&mut self, room: usize) -> Result<(Vec<Item>, Gathered), ToolError> {
        let gathered = self.ground.gather(room)?;
        let count = gathered.evidence.len();
        let items = gathered.evidence.iter().enumerate().map(|(place, piece)| Item {
            source_id: piece.symbol_id.clone(),
            content: piece.content.clone(),
            tokens: usize::try_from(piece.tokens).unwrap_or(usize::MAX),
            score: shown_score((count - place) as f64 / count as f64),
            why: vec![piece.kind.clone()],
            state: None,
            stale_since: None,
            size: None,
        });
        Ok((items.collect(), gathered))
    }
}
