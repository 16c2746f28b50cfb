//! One request, and the actions that it calls.

use serde_json::{Map, Value};

use crate::call::origin::Origin;
use crate::call::pipeline::{self, Answered, Caller};
use crate::call::services::Services;
use crate::{Cancel, NoProgress, Session, ToolError};

/// One request.
pub(super) struct Request<'a> {
    pub(super) services: &'a Services,
    pub(super) session: &'a Session,
    pub(super) cancel: &'a Cancel,
}

impl Request<'_> {
    /// Returns the structured answer of an action.
    pub(super) fn call(&self, action: &str, args: &Value) -> Result<Map<String, Value>, ToolError> {
        let bytes = args.to_string().into_bytes();
        let served = std::cell::RefCell::default();
        let origin = Origin::default();
        let caller = Caller { session: self.session, progress: &NoProgress, cancel: self.cancel, origin };
        match pipeline::answer_call(self.services, caller, action, &bytes, &served)? {
            Answered::Own(answer) => Ok(answer.structured),
            Answered::Forwarded(result) => Ok(result.object),
        }
    }
}
