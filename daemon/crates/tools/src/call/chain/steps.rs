//! The steps of a chain, before and after they are run.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::ToolError;
use crate::call::pins::Stood;
use crate::call::registry::Answer;

/// One step to run.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) action: String,
    pub(crate) args: Map<String, Value>,
    pub(crate) name: Option<String>,
}

/// One step that was run.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) outcome: Result<Arc<Answer>, ToolError>,
    pub(super) stood: Option<Stood>,
}
