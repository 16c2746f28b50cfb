//! Work of agents side by side, as actions show it.

mod code;
mod dispatches;
mod overlaps;
mod times;

pub(crate) use code::{CodeOut, show_code};
pub(crate) use dispatches::{DispatchOut, MilestoneOut, StateIn, dispatch_line};
pub(crate) use overlaps::{Overlap, find_overlaps, overlap_lines};
pub(crate) use times::read_ms;
