//! Links from what agents keep to the code: made, followed, and compared with the code.
//!
//! The law: the state of an anchor is a function of the anchor and of the version that is answered from. An anchor is the **same** if its
//! symbol has the tokens that it had when the row was written or confirmed, **renamed** if it is the same under another name or in
//! another file, **changed** or **gone** else. Of the code of another repository nothing is known: **unchecked**.

mod codes;
mod follow;
mod link;
mod same;
mod since;
mod state;

pub(crate) use follow::{follow_anchors, lead_anchors};
pub(crate) use link::{confirm_anchors, link_anchors, symbol_anchor};
pub(crate) use same::is_same_code;
pub(crate) use since::{StaleSince, stale_since};
pub(crate) use state::{AnchorState, FileState, States, anchor_states};
