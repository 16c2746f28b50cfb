//! One call, from its arrival to its answer.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use sdl_proto::gate::{FromGate, Owner, UpstreamCall};
use sdl_proto::{Payload, code};

use crate::asks::declared_capabilities;
use crate::flag::Flag;
use crate::slot::Slot;
use crate::slot::exchange::{End, Wish, exchange};
use crate::slot::live::Live;
use crate::slot::progress::Progress;
use crate::slot::turns::Ticket;
use crate::trouble::Trouble;
use crate::wire::track::Outcome;

/// Timeouts in a row on one connection after which it is replaced.
const MAX_HANGS: u32 = 3;

/// A repeatable call waits this long for a new connection after its own ended. Longer waits are the caller's business.
const REPEAT_WAIT: Duration = Duration::from_secs(2);

/// Answers the call. `ticket` is its place in line, or why it has none.
pub(crate) async fn answer_call(
    slot: Arc<Slot>,
    call: UpstreamCall,
    cancel: Flag,
    ticket: Result<Ticket, Trouble>,
) {
    let id = call.id;
    let outcome = match ticket {
        Ok(ticket) => run_call(&slot, call, &cancel, &ticket).await,
        Err(trouble) => Err(trouble),
    };
    slot.tally(|tally| {
        tally.calls += 1;
        tally.failed += u64::from(outcome.is_err());
    });
    let world = &slot.world;
    let result = match outcome {
        Ok(text) => Ok(Payload(world.masks.mask_owned(text).into_bytes())),
        Err(trouble) => Err(trouble.into_wire(&slot.key, &world.masks)),
    };
    // Before the answer, so that who has the answer knows what was odd about it.
    slot.report_counts().await;
    world.outbox.send(FromGate::Answer { id, result }).await;
}

async fn run_call(slot: &Slot, call: UpstreamCall, cancel: &Flag, ticket: &Ticket) -> Outcome {
    let params: Arc<str> = match String::from_utf8(call.params.0) {
        Ok(params) if params.trim_start().starts_with('{') => Arc::from(params),
        _ => return Err(Trouble::new(code::INVALID_PARAMS, "the parameters are not a JSON object")),
    };
    let allowed = slot.entry().upstream.own.ask;
    // A connection of many has nobody to ask.
    let stated = call.client.as_ref().filter(|_| slot.owner != Owner::Shared);
    let stated = declared_capabilities(allowed, stated);
    slot.remember_client(call.client);
    let wanted = declared_capabilities(allowed, slot.client().as_ref());
    let mut is_second = false;
    loop {
        let ready = async {
            let turn = ticket.turn().await;
            slot.ready(&wanted).await.map(|live| (turn, live))
        };
        let (_turn, live) = tokio::select! {
            biased;
            () = cancel.raised() => return Err(Trouble::cancelled()),
            ready = ready => ready?,
        };
        let own = &slot.entry().upstream.own;
        let wish = Wish {
            method: call.method.clone(),
            params: Arc::clone(&params),
            client: live.is_told_each_time().then(|| stated.clone()),
            timeout: Duration::from_millis(own.timeout_ms),
            max_total: Duration::from_millis(own.max_total_ms),
        };
        let run = live.running.begin(call.id);
        let mut progress = Progress::new(slot, call.id, call.want_progress);
        let end = exchange(&live, &slot.world.clock, wish, cancel, Some(&mut progress)).await;
        let outcome = match end {
            End::Answered(outcome) => {
                live.hangs.store(0, Ordering::SeqCst);
                if outcome.is_ok() {
                    slot.worked();
                }
                outcome
            }
            End::Cancelled => Err(Trouble::cancelled()),
            End::TimedOut(after) => Err(hang(&live, &call.method, after)),
            End::Refused(trouble) => Err(trouble),
            End::Died { has_left } => {
                drop(run);
                let trouble = dead(slot, &live, has_left).await;
                if !is_second && (!has_left || call.is_repeatable) && slot.can_retry(REPEAT_WAIT, &live).await
                {
                    is_second = true;
                    continue;
                }
                return Err(trouble);
            }
        };
        drop(run);
        slot.check_memory(&live).await;
        return outcome;
    }
}

/// The upstream did not answer in time.
fn hang(live: &Live, method: &str, after: Duration) -> Trouble {
    if live.hangs.fetch_add(1, Ordering::SeqCst) + 1 >= MAX_HANGS {
        let fault = Trouble::down(format!("the upstream hung in {MAX_HANGS} calls in a row and was ended"));
        live.reject(fault, false);
    }
    let message = format!("the upstream did not answer {method} within {} ms", after.as_millis());
    Trouble::new(code::UPSTREAM_TIMEOUT, message)
}

/// The connection ended during the call.
async fn dead(slot: &Slot, live: &Live, has_left: bool) -> Trouble {
    let mut trouble = live.epitaph().await;
    if has_left && trouble.code == code::UPSTREAM_DOWN {
        trouble.code = code::OUTCOME_UNKNOWN;
        trouble.message += "; whether the call took effect is unknown, check before you repeat it";
    }
    match slot.next_attempt_ms() {
        Some(wait) => trouble.with("nextAttemptMs", wait),
        None => trouble,
    }
}
