//! One request, and the actions that it calls.

use std::cell::RefCell;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::errors::{ProtocolError, forwarded_error, refused_error};
use super::params::read_params;
use crate::call::context::Call;
use crate::call::origin::{Origin, passes_to_upstream};
use crate::call::pipeline::{self, Answered, Asked, Caller};
use crate::call::services::Services;
use crate::call::upstream::{OfferKind, Offers};
use crate::{NoProgress, Repo, Session, ToolError};

/// One request.
pub(super) struct Request<'a> {
    pub(super) services: &'a Services,
    pub(super) session: &'a Session,
    pub(super) caller: Caller<'a>,
}

impl Request<'_> {
    /// The caller of an action within this request. Its answer is none that could ask, and has no progress of its own.
    fn step_caller(&self) -> Caller<'_> {
        let origin = Origin { shown: self.caller.origin.shown, ..Origin::default() };
        Caller { progress: &NoProgress, origin, ..self.caller }
    }

    /// Returns the structured answer of an action.
    pub(super) fn call(&self, action: &str, args: &Value) -> Result<Map<String, Value>, ToolError> {
        let bytes = args.to_string().into_bytes();
        let served = RefCell::default();
        match pipeline::answer_call(self.services, self.step_caller(), action, &bytes, &served)? {
            Answered::Own(answer) => Ok(answer.structured),
            Answered::Forwarded(result) => Ok(result.object),
        }
    }

    /// Returns the repositories that the caller sees.
    pub(super) fn repos(&self) -> Vec<Arc<dyn Repo>> {
        self.services.repos_of(self.session)
    }

    /// Returns what upstreams offer to the caller.
    pub(super) fn offers(&self) -> Arc<Offers> {
        self.services.upstream.offers(self.session)
    }

    /// The same, with lists that are not out of date, where that takes little time.
    pub(super) fn fresh_offers(&self, kind: OfferKind) -> Arc<Offers> {
        if self.offers().is_empty() {
            return self.offers();
        }
        // A list that could not be read again is answered as it was.
        let _ = self.run("a list", |call| {
            pipeline::refresh_offers(call, kind);
            Ok(())
        });
        self.offers()
    }

    /// Has an upstream read again; returns whether that was done.
    pub(super) fn read_again(&self, key: &str) -> bool {
        self.run("a list", |call| Ok(pipeline::read_unknown(call, key))).unwrap_or(false)
    }

    /// Returns the result of an upstream, as it wrote it.
    pub(super) fn forward(&self, offers: &Offers, asked: &Asked<'_>) -> Result<Vec<u8>, ProtocolError> {
        let sent = self.run(asked.method, |call| pipeline::forward_request(call, offers, asked));
        sent.map(|result| result.text.into_bytes()).map_err(|error| forwarded_error(&error))
    }

    fn run<T>(
        &self,
        name: &str,
        work: impl FnOnce(&Call<'_>) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        pipeline::run_call(self.services, self.caller, name, &RefCell::default(), work)
    }
}

/// Returns the parameters that are sent on: these members, and `_meta` but for the protocol's own keys.
pub(super) fn outgoing_params(params: &[u8], members: &[&str]) -> Result<Map<String, Value>, ProtocolError> {
    let Value::Object(mut all) = read_params(params)? else {
        return Err(refused_error("the parameters must be an object".to_owned()));
    };
    all.retain(|name, _| members.contains(&name.as_str()) || name == "_meta");
    if let Some(Value::Object(meta)) = all.get_mut("_meta") {
        meta.retain(|name, _| passes_to_upstream(name));
    }
    if all.get("_meta").is_some_and(|meta| meta.as_object().is_none_or(Map::is_empty)) {
        all.shift_remove("_meta");
    }
    Ok(all)
}
