//! The two ways to ask a client: beside a call, by a request of its own, and within it, by an answer that it sends back with
//! answers of its own.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use crate::call::context::Call;
use crate::call::upstream::{CallMark, Forwarded, Parked};

/// How long the person may take with a question that we wait for.
const ANSWER_TIME: Duration = Duration::from_secs(300);

/// Asks the client beside the call, and waits for the answer.
pub(super) fn ask_beside(call: &Call<'_>, method: &str, params: Vec<u8>) -> Result<Vec<u8>, String> {
    call.cancel.give_turn_back();
    let (sender, receiver) = channel();
    let cancelled = sender.clone();
    let _guard = call.cancel.on_cancel(move || {
        let _ = cancelled.send(Err("the call was cancelled".to_owned()));
    });
    let reply = Box::new(move |answer| {
        // Whoever has given up hears nothing any more.
        let _ = sender.send(answer);
    });
    let _open = call.origin.client.ask(method, params, reply);
    let until = Instant::now() + call.cancel.at_most(ANSWER_TIME);
    match receiver.recv_timeout(until.saturating_duration_since(Instant::now())) {
        Ok(answer) => answer,
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            Err("the client did not answer in time".to_owned())
        }
    }
}

/// Keeps a call, and returns the answer that asks its client.
pub(super) fn input_required(
    call: &Call<'_>,
    mark: CallMark,
    requests: Map<String, Value>,
    parked: Parked,
) -> Option<Forwarded> {
    let state = call.upstream.parked.park(mark, parked, call.leases.now())?;
    let object = json!({"resultType": "input_required", "inputRequests": requests, "requestState": state});
    Forwarded::read(object.to_string().into_bytes()).ok()
}

/// The answers that the client has sent, by the names of the requests.
pub(super) fn read_responses(call: &Call<'_>) -> Option<Map<String, Value>> {
    serde_json::from_str(call.origin.input_responses?).ok()
}
