//! Work of agents as a person sees it, and as hooks of a client show it: for the command line.

use std::time::{Duration, Instant};

use sdl_ledger::AgentReader;
use sdl_memory::store::{Asked, change_store};
use sdl_memory::work::activity::{ActivityFilter, recent_activity};
use sdl_memory::work::address::Address;
use sdl_memory::work::dispatch::{events_of, find_attempts, find_brief, need_dispatch};
use sdl_memory::work::inbox::{Listener, Via, deliver_messages, note_reminder, unacked_by, waiting_for};
use sdl_memory::work::message::{Message, MessageKind, find_message};
use sdl_memory::work::session::find_session;
use sdl_memory::{Author, Trouble};
use sdl_redact::{Level, mask_text};
use sdl_retrieve::refresh::Lease;
use sdl_settings::Effect;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::call::modules::{Module, module_off};
use crate::call::services::Services;
use crate::call::upstream::{Rules, Target, Who};
use crate::call::work::{MessageOut, message_line, sender_name, session_key};
use crate::kept::work::DispatchOut;
use crate::{Cancel, Code, Explained as _, Session, ToolError};

/// Characters of the messages that a hook shows at once; more wait for the next.
const MOST_HOOKED: usize = 6_000;

/// What a person asks about work.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", tag = "about")]
pub enum WorkQuestion {
    /// The newest entries of the log.
    #[serde(rename_all = "camelCase")]
    Activity {
        /// Of one agent.
        agent: Option<String>,
        /// Of one session.
        session_id: Option<String>,
        /// During one dispatch.
        dispatch_id: Option<String>,
        /// Maximum number of entries, as text.
        limit: Option<String>,
    },
    /// A dispatch with its events.
    #[serde(rename_all = "camelCase")]
    Dispatch {
        /// Its id.
        dispatch_id: String,
    },
    /// The messages that wait at an address. They stay where they are.
    #[serde(rename_all = "camelCase")]
    Inbox {
        /// The address.
        of: String,
    },
}

/// An event of a client whose hook shows messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HookEvent {
    /// Something after which the model reads on.
    Reads,
    /// The model is about to stop.
    Stops,
}

fn read<T>(
    services: &Services,
    work: impl FnOnce(&AgentReader<'_>) -> Result<T, Trouble>,
) -> Result<T, ToolError> {
    services.host.agent().read(|reader| Ok(work(reader)))?.map_err(ToolError::from)
}

/// Answers a question of a person.
pub(crate) fn answer_person(services: &Services, question: &WorkQuestion) -> Result<Value, ToolError> {
    let now_ms = services.leases.now();
    match question {
        WorkQuestion::Activity { agent, session_id, dispatch_id, limit } => {
            let most = limit.as_deref().and_then(|limit| limit.parse().ok()).unwrap_or(50_usize).min(1_000);
            let filter = ActivityFilter {
                agent: agent.as_deref(),
                session: session_id.as_deref(),
                dispatch: dispatch_id.as_deref(),
                ..ActivityFilter::default()
            };
            let rows = read(services, |tables| recent_activity(tables, filter, |_| true, (now_ms, most)))?;
            Ok(json!({ "activity": rows }))
        }
        WorkQuestion::Dispatch { dispatch_id } => read(services, |tables| {
            let row = need_dispatch(tables, dispatch_id, "dispatchId")?;
            let brief = find_brief(tables, &row.id)?.map(|text| text.brief);
            let attempts: Vec<DispatchOut> =
                find_attempts(tables, &row)?.iter().map(|row| DispatchOut::of(row, now_ms)).collect();
            let events: Vec<Value> = events_of(tables, &row.id)?
                .iter()
                .map(|event| json!({"at": event.at_ms, "by": sender_name(&event.by), "step": event.step}))
                .collect();
            let dispatch = DispatchOut::of(&row, now_ms);
            Ok(json!({"dispatch": dispatch, "brief": brief, "attempts": attempts, "events": events}))
        }),
        WorkQuestion::Inbox { of } => read(services, |tables| {
            let address = Address::parse(of, "of")?;
            let addresses = match &address {
                Address::Session(id) => match find_session(tables, id)? {
                    Some(row) => row.addresses(),
                    None => vec![id.clone()],
                },
                _ => vec![address.key()],
            };
            let waiting = waiting_for(tables, Listener { session: "", addresses: &addresses }, now_ms)?;
            let mut messages = Vec::new();
            for one in waiting {
                messages.extend(
                    find_message(tables, &one.message)?.map(|message| MessageOut::of(&message, None)),
                );
            }
            Ok(json!({ "messages": messages }))
        }),
    }
}

/// Returns the slices that agents hold, the one that was used last first.
pub(crate) fn held_slices(services: &Services) -> Result<Value, ToolError> {
    let mut held = Vec::new();
    for repo in services.host.repos() {
        for slice in services.leases.slices(repo.as_ref())? {
            // One of another build says nothing that this one can read.
            let Some(lease) = Lease::from_bytes(&slice.data) else { continue };
            let row = json!({
                "sliceHandle": slice.handle,
                "repoId": repo.id(),
                "cards": lease.following.symbols().len(),
                "version": lease.current.to_string(),
                "expiresAt": slice.expires_ms,
            });
            held.push((slice.expires_ms, slice.handle, row));
        }
    }
    held.sort_by(|one, other| (other.0, &one.1).cmp(&(one.0, &other.1)));
    let rows: Vec<Value> = held.into_iter().map(|(_, _, row)| row).collect();
    Ok(json!({ "slices": rows }))
}

/// Answers a hook of the client of a session: the text that its model is to read, or, if it is about to stop, why it should not. None if
/// there is nothing to say.
pub(crate) fn answer_hook(
    services: &Services,
    session: &Session,
    event: HookEvent,
) -> Result<Option<String>, ToolError> {
    let Some(id) = hearing_session(services, session) else { return Ok(None) };
    let messages = match event {
        HookEvent::Reads => take_waiting(services, session, (&id, Via::Hook), |_| true)?,
        HookEvent::Stops => {
            let mut all = remind_unacked(services, &id)?;
            let directive = |message: &Message| message.kind == MessageKind::Directive;
            all.extend(take_waiting(services, session, (&id, Via::Hook), directive)?);
            all
        }
    };
    if messages.is_empty() {
        return Ok(None);
    }
    let mut text = match event {
        HookEvent::Reads => "Messages from other agents (sdl), not from the user:".to_owned(),
        HookEvent::Stops => {
            "Before you stop: another agent asks something of you (sdl). Do it, or say by sdl_session_inbox with ack \
             why not:"
                .to_owned()
        }
    };
    for message in &messages {
        text.push('\n');
        message_line(&mut text, &MessageOut::of(message, None));
    }
    Ok(Some(mask_text(&text, Level::Likely).unwrap_or(text)))
}

/// The id of a session that hears messages.
fn hearing_session(services: &Services, session: &Session) -> Option<String> {
    let catalog = services.upstream.gateway.catalog();
    let rules = Rules::new(&catalog.settings, Who::of(session));
    let verdict = rules.decide(Target::action("session.inbox", true), &Map::new());
    let hears = rules.modules().has(Module::Work) && verdict.effect == Effect::Allow;
    session_key(session).filter(|_| hears)
}

/// Waits until there are messages for a session, and delivers them to a channel of its client.
pub(crate) fn wait_for_messages(
    services: &Services,
    session: &Session,
    wait: Duration,
    cancel: &Cancel,
) -> Result<Vec<Value>, ToolError> {
    let until = Instant::now() + cancel.at_most(wait);
    let Some(id) = hearing_session(services, session) else {
        return Err(module_off("a channel for messages", Module::Work));
    };
    loop {
        let mark = services.work.news.mark();
        let messages = take_waiting(services, session, (&id, Via::Channel), |_| true)?;
        if !messages.is_empty() || Instant::now() >= until {
            return Ok(messages.iter().map(channel_params).collect());
        }
        // Others may use the worker while this call waits.
        cancel.give_turn_back();
        services.work.news.wait(mark, until, cancel);
        cancel.check()?;
    }
}

/// The parameters of the notification of a message.
fn channel_params(message: &Message) -> Value {
    let out = MessageOut::of(message, None);
    let body = mask_text(&out.body, Level::Likely).unwrap_or_else(|| out.body.clone());
    let mut meta = json!({"message_id": out.id, "kind": out.kind, "from": out.from});
    if let Some(session) = &out.from_session {
        meta["from_session"] = session.as_str().into();
    }
    if out.requires_ack {
        meta["requires_ack"] = "true".into();
    }
    json!({ "content": body, "meta": meta })
}

/// Delivers messages that wait for a session.
fn take_waiting(
    services: &Services,
    session: &Session,
    (id, via): (&str, Via),
    wanted: impl Fn(&Message) -> bool,
) -> Result<Vec<Message>, ToolError> {
    let now_ms = services.leases.now();
    let (row, all) = read(services, |tables| {
        let row = find_session(tables, id)?;
        let addresses = row.as_ref().map_or_else(|| vec![id.to_owned()], |row| row.addresses());
        let mut all = Vec::new();
        let mut length = 0;
        for one in waiting_for(tables, Listener { session: id, addresses: &addresses }, now_ms)? {
            let Some(message) = find_message(tables, &one.message)?.filter(&wanted) else { continue };
            length += message.body.len();
            if length > MOST_HOOKED && !all.is_empty() {
                break;
            }
            all.push((one, message));
        }
        Ok((row, all))
    })?;
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let by = Author {
        session: Some(id.to_owned()),
        agent: row.and_then(|row| row.agent),
        client: session.client.chars().take(200).collect(),
        principal: None,
    };
    let places: Vec<_> = all.iter().map(|(place, _)| place.clone()).collect();
    let asked = Asked { by: &by, now_ms, once: None };
    let delivered = change_store(services.host.agent(), &asked, |change| {
        let delivered = deliver_messages(change, id, &places, via)?;
        Ok(delivered.into_iter().map(|one| one.message).collect::<Vec<_>>())
    })?;
    let was = |message: &Message| delivered.value.contains(&message.id);
    Ok(all.into_iter().map(|(_, message)| message).filter(was).collect())
}

/// The directives that a session was shown and has not acknowledged, each only the first time.
fn remind_unacked(services: &Services, id: &str) -> Result<Vec<Message>, ToolError> {
    let now_ms = services.leases.now();
    let ids = read(services, |tables| unacked_by(tables, id))?;
    let mut all = Vec::new();
    for message in read(services, |tables| {
        let mut found = Vec::new();
        for id in &ids {
            found.extend(find_message(tables, id)?.filter(|message| message.kind == MessageKind::Directive));
        }
        Ok(found)
    })? {
        let by = Author { session: Some(id.to_owned()), ..Author::default() };
        let asked = Asked { by: &by, now_ms, once: None };
        let first =
            change_store(services.host.agent(), &asked, |change| note_reminder(change, id, &message.id))?;
        if first.value {
            all.push(message);
        }
    }
    Ok(all)
}

/// Reads a question of a person.
pub(crate) fn read_question(params: &[u8]) -> Result<WorkQuestion, ToolError> {
    serde_json::from_slice(params)
        .map_err(|error| ToolError::new(Code::InvalidArgument, format!("bad parameters: {error}")))
}
