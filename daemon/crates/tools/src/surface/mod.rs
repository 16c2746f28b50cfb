//! Everything that clients see beside the answers of actions: the list of tools, the manual, resources and prompts, the
//! form of a result.

pub(crate) mod envelope;
mod hints;
mod list;
pub(crate) mod manual;
pub(crate) mod protocol;

pub(crate) use list::{Listing, response_outline};
