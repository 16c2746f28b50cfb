//! Source text, and the rungs by which it is shown: a skeleton, a hot path, a window.

pub(crate) mod ladder;
pub(crate) mod nearness;
pub(crate) mod reason;
pub(crate) mod text;
pub(crate) mod words;
