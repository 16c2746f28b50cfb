//! Reminders for hooks of clients: what the ledger knows about what the model just did, in a few lines.
//!
//! A reminder has no promise to keep. Whatever goes wrong, there is none; and nothing is said twice in one conversation.

mod asked;
mod edited;
mod input;
mod lines;
mod opened;
mod pattern;
mod said;
mod searched;
mod spelled;
mod started;

use std::cell::RefCell;
use std::time::{Duration, Instant};

use sdl_redact::Level;
use sdl_settings::Effect;
use serde_json::Map;

pub use input::{HookInput, HookKind, HookTool};
pub(crate) use said::Said;

use crate::call::freshness::Sync;
use crate::call::origin::{Origin, Shown};
use crate::call::pipeline::{self, Caller, TreeWait};
use crate::call::registry::Answer;
use crate::call::services::Services;
use crate::call::upstream::{Rules, Target, Who};
use crate::guard::leaving;
use crate::host::policies;
use crate::people;
use crate::{Cancel, NoProgress, Session, ToolError};
use asked::Asked;
use input::{Moment, Place};
use lines::Reminder;
use spelled::Speller;

/// How long a reminder about a search or a file waits for the tree.
const READ_WAIT: Duration = Duration::from_millis(60);
/// How long one about an edit does, which is of no use without the edit.
const EDIT_WAIT: Duration = Duration::from_millis(1_000);

/// For whom a hook is answered.
#[derive(Clone, Copy)]
pub struct HookCaller<'a> {
    /// The session of the client whose hook it is; that of the hook itself if the client has none.
    pub session: &'a Session,
    /// Whether it is the client's, which then gets the messages for its agent too.
    pub is_client: bool,
    /// The tools that the client is listed.
    pub shown: Shown,
}

/// Answers a hook: the text that the model is to read. None if there is nothing to say. Blocks no longer than the deadline of `cancel`
/// allows.
pub(crate) fn answer_hook(
    services: &Services,
    said: &Said,
    caller: HookCaller<'_>,
    input: &HookInput,
    cancel: &Cancel,
) -> Result<Option<String>, ToolError> {
    // A reminder that fails is none, and messages are delivered all the same.
    let reminder = make_reminder(services, said, caller, input, cancel).unwrap_or_default();
    let messages = match input.messages() {
        // Delivered only if the client still listens, because a message is shown once.
        Some(event) if caller.is_client && has_time(cancel) => {
            people::answer_hook(services, caller.session, event)?
        }
        _ => None,
    };
    let texts: Vec<String> = reminder.into_iter().chain(messages).collect();
    Ok((!texts.is_empty()).then(|| texts.join("\n\n")))
}

/// Whether there is time for another step before the client gives up.
fn has_time(cancel: &Cancel) -> bool {
    let least = Duration::from_millis(20);
    !cancel.is_cancelled() && cancel.deadline().is_none_or(|deadline| Instant::now() + least < deadline)
}

fn make_reminder(
    services: &Services,
    said: &Said,
    caller: HookCaller<'_>,
    input: &HookInput,
    cancel: &Cancel,
) -> Result<Option<String>, ToolError> {
    let Some(moment) = Moment::of(input) else { return Ok(None) };
    let session = Session { cwd: Some(input.cwd.clone()), ..caller.session.clone() };
    if !may_ask(services, &session, moment.action()) {
        return Ok(None);
    }
    let conversation = said.conversation(&input.conversation());
    if matches!(moment, Moment::Started) {
        // What was said before is no longer in the model's context.
        conversation.forget();
    }
    let shown = services.shown_to(&session, caller.shown);
    let asked = Asked { input, conversation: &conversation, speller: Speller::new(shown) };
    let served = RefCell::default();
    let origin = Origin { shown, ..Origin::default() };
    let caller = Caller { session: &session, progress: &NoProgress, cancel, origin };
    pipeline::run_call(services, caller, "a hook", &served, |call| {
        let Some(place) = Place::find(call, &moment, &input.cwd) else { return Ok(None) };
        let wait = match moment {
            Moment::Started => TreeWait { sync: Sync::None, timeout: READ_WAIT, early: true },
            Moment::Searched(_) | Moment::Opened(_) => {
                TreeWait { sync: Sync::Prefer, timeout: READ_WAIT, early: false }
            }
            Moment::Edited(_) => TreeWait { sync: Sync::Prefer, timeout: EDIT_WAIT, early: false },
        };
        let reminder = RefCell::new(None);
        pipeline::read_tree(call, place.repo.as_ref(), wait, &|cx| {
            *reminder.borrow_mut() = match &moment {
                Moment::Started => started::remind_start(cx, &asked)?,
                Moment::Searched(names) => searched::remind_search(cx, &asked, names)?,
                Moment::Opened(_) => opened::remind_file(cx, &asked, &place.files)?,
                Moment::Edited(_) => edited::remind_edit(cx, &asked, &place.files)?,
            };
            Ok(Answer { structured: Map::new(), text: String::new() })
        })?;
        let Some(Reminder { mut structured, mut text }) = reminder.into_inner() else { return Ok(None) };
        let level =
            || policies::of_id(call.host, place.repo.id()).map_or(Level::Likely, |policy| policy.level());
        // The same mask that every answer of a tool passes.
        leaving::answer(&mut structured, &mut text, level);
        Ok(Some(text))
    })
}

/// Whether a session may call an action that says the same.
fn may_ask(services: &Services, session: &Session, action: &str) -> bool {
    let catalog = services.upstream.gateway.catalog();
    let rules = Rules::new(&catalog.settings, Who::of(session));
    rules.decide(Target::action(action, false), &Map::new()).effect == Effect::Allow
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_gives_up_soon_gets_no_messages() {
        assert!(has_time(&Cancel::new()));
        assert!(has_time(&Cancel::new().with_deadline(Instant::now() + Duration::from_hours(1))));
        assert!(!has_time(&Cancel::new().with_deadline(Instant::now())));
        let given_up = Cancel::new();
        given_up.cancel();
        assert!(!has_time(&given_up));
    }
}
