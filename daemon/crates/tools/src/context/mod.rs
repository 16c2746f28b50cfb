//! Answers that are put together for a task: a context within a budget, a briefing, an overview.

pub(crate) mod assembly;
pub(crate) mod briefing;
pub(crate) mod gathering;
pub(crate) mod overview;
