//! A call that was checked.

use serde_json::{Map, Value};

use crate::call::registry::Entry;

/// A call whose arguments fit the action's schema.
pub(crate) struct Checked<'a> {
    pub(super) entry: &'a Entry,
    pub(crate) args: Map<String, Value>,
    pub(super) notes: Vec<String>,
}
