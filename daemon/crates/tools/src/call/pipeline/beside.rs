//! Messages beside the answers of our own actions, for sessions that have turned `work` on.
//!
//! Before an action runs, the messages that wait are counted into its budget. After it has run, those that fit are delivered in
//! one transaction and put beside the answer, so that none is shown twice.

use sdl_memory::store::{Asked, change_store};
use sdl_memory::work::inbox::{Listener, Via, WaitingAt, deliver_messages, waiting_for};
use sdl_memory::work::message::find_message;
use sdl_memory::work::session::{Seen, find_session, is_news, note_session};
use sdl_memory::{Author, Trouble};
use sdl_redact::Level;
use sdl_settings::Effect;
use serde_json::{Map, Value};

use crate::ToolError;
use crate::call::answers::begin_line;
use crate::call::budget;
use crate::call::context::Call;
use crate::call::modules::Module;
use crate::call::registry::Answer;
use crate::call::upstream::{Rules, Target, Who};
use crate::call::work::{InboxOut, MessageOut, message_line, session_key};
use crate::guard::leaving;

/// Tokens that messages beside an answer may take.
const MOST_TOKENS: usize = 400;
/// Messages that are looked at for one answer.
const MOST_MESSAGES: usize = 20;
/// Characters of a message that is too long for an answer.
const BEGINNING: usize = 160;
/// The action that shows messages itself.
const INBOX: &str = "session.inbox";

/// What may go beside an answer.
#[derive(Default)]
pub(super) struct Beside {
    /// The caller's session; none if it hears nothing.
    hears: Option<String>,
    /// As much text as the messages take, for the budget.
    pub(super) room: String,
    tokens: usize,
}

/// A session with the messages that wait for it, and their texts.
struct Heard {
    waiting: Vec<WaitingAt>,
    shown: Vec<MessageOut>,
}

/// Looks for messages, before the action runs.
pub(super) fn reserve_room(call: &Call<'_>, args: &Value) -> Beside {
    let Some(session) = session_key(call.session) else { return Beside::default() };
    let catalog = call.upstream.gateway.catalog();
    let rules = Rules::new(&catalog.settings, Who::of(call.session));
    if !rules.modules().has(Module::Work) {
        return Beside::default();
    }
    call.work.present.note_call(&session, call.session.id, call.leases.now());
    let verdict = rules.decide(Target::action(INBOX, true), &Map::new());
    if verdict.effect != Effect::Allow {
        return Beside::default();
    }
    // An answer that is asked to be small stays small.
    let tokens = MOST_TOKENS.min(asked_tokens(args).map_or(usize::MAX, |asked| asked / 4));
    let heard = hear(call, &session).ok();
    let out = heard.filter(|heard| !heard.waiting.is_empty()).map(|heard| choose(heard, tokens, |_| false).1);
    let room = out.and_then(|out| serde_json::to_string(&out).ok()).unwrap_or_default();
    Beside { hears: Some(session), room, tokens }
}

/// The tokens that a call asks for, by whichever name.
fn asked_tokens(args: &Value) -> Option<usize> {
    const NAMES: [&str; 4] = ["maxTokens", "max_tokens", "maxEstimatedTokens", "max_estimated_tokens"];
    let inner =
        ["args", "budget", "params"].iter().filter_map(|name| args.get(name)).filter_map(asked_tokens);
    let own =
        NAMES.iter().filter_map(|name| args.get(name)?.as_u64()).filter_map(|n| usize::try_from(n).ok());
    own.chain(inner).min()
}

fn hear(call: &Call<'_>, session: &str) -> Result<Heard, ToolError> {
    let now_ms = call.leases.now();
    let read = |tables: &sdl_ledger::AgentReader<'_>| -> Result<Heard, Trouble> {
        let addresses = find_session(tables, session)?.map(|row| row.addresses());
        let addresses = addresses.unwrap_or_else(|| vec![session.to_owned()]);
        let waiting = waiting_for(tables, Listener { session, addresses: &addresses }, now_ms)?;
        let mut shown = Vec::new();
        for one in waiting.iter().take(MOST_MESSAGES) {
            shown.extend(find_message(tables, &one.message)?.map(|message| MessageOut::of(&message, None)));
        }
        Ok(Heard { waiting, shown })
    };
    call.host.agent().read(|reader| Ok(read(reader)))?.map_err(ToolError::from)
}

/// Chooses the messages that fit, the oldest first. Of the first that does not, `hint` decides whether its beginning is shown. Returns
/// how many are shown whole.
fn choose(heard: Heard, tokens: usize, hint: impl Fn(&str) -> bool) -> (usize, InboxOut) {
    let Heard { waiting, shown } = heard;
    let mut out = InboxOut { waiting: waiting.len(), messages: Vec::new() };
    let fits = |out: &InboxOut| budget::json_tokens(out).is_ok_and(|all| all <= tokens);
    let mut whole = 0;
    for mut message in shown {
        out.messages.push(message.clone());
        if fits(&out) {
            whole += 1;
            continue;
        }
        out.messages.pop();
        // Not if another one is shown whole, because then this one is the first in the next answer.
        if whole == 0 && hint(&message.id) {
            message.body = message.body.chars().take(BEGINNING).collect();
            message.truncated = true;
            out.messages.push(message);
            if !fits(&out) {
                out.messages.pop();
            }
        }
        break;
    }
    out.waiting -= whole;
    (whole, out)
}

/// Puts messages beside an answer: those that fit into the room that was reserved, or, for an answer without a budget, into the most that
/// they may take. Also notes that the session was heard of.
pub(super) fn attach_messages(call: &Call<'_>, beside: &Beside, answer: &mut Answer) {
    let Some(session) = &beside.hears else { return };
    let (mut repo, mut files, mut action) = (None, Vec::new(), None);
    call.serves(|served| {
        repo.clone_from(&served.repo);
        files.clone_from(&served.files);
        files.extend(served.touched.iter().cloned());
        action = served.action;
    });
    if let Some(repo) = &repo {
        call.work.present.touch(session, repo, files, call.leases.now());
    }
    // A failure is passed over, because the answer matters more than a message.
    if action == Some(INBOX) {
        let _ = note_and_deliver(call, session, repo, &[]);
        return;
    }
    let (heard, tokens) = (hear(call, session), beside.tokens);
    let (wanted, mut out) = match heard {
        Ok(heard) if !heard.waiting.is_empty() => {
            let waiting = heard.waiting.clone();
            let (whole, out) = choose(heard, tokens, |id| call.work.present.hint(session, id));
            (waiting.into_iter().take(whole).collect(), out)
        }
        _ => (Vec::new(), InboxOut { waiting: 0, messages: Vec::new() }),
    };
    let Ok(delivered) = note_and_deliver(call, session, repo, &wanted) else { return };
    // Another call of the session may have shown some meanwhile.
    out.messages.retain(|one| one.truncated || delivered.iter().any(|known| known.message == one.id));
    if out.waiting == 0 && out.messages.is_empty() {
        return;
    }
    add_inbox(answer, &out);
}

/// Notes a call of the session, if that is news, and delivers messages.
fn note_and_deliver(
    call: &Call<'_>,
    session: &str,
    repo: Option<String>,
    wanted: &[WaitingAt],
) -> Result<Vec<WaitingAt>, ToolError> {
    let now_ms = call.leases.now();
    let short = |text: &str| text.chars().take(200).collect::<String>();
    let seen = Seen {
        id: session.to_owned(),
        client: short(&call.session.client),
        principal: call.session.principal.as_ref().map(|known| short(&known.to_string())),
        repo,
    };
    let known =
        call.host.agent().read(|reader| Ok(find_session(reader, session)))?.map_err(ToolError::from)?;
    if wanted.is_empty() && !is_news(known.as_ref(), &seen, now_ms) {
        return Ok(Vec::new());
    }
    let by = Author {
        session: Some(session.to_owned()),
        agent: known.and_then(|row| row.agent),
        client: seen.client.clone(),
        principal: seen.principal.clone(),
    };
    let changed = change_store(call.host.agent(), &Asked { by: &by, now_ms, once: None }, |change| {
        note_session(change, &seen)?;
        let delivered = deliver_messages(change, session, wanted, Via::Answer)?;
        Ok(delivered.into_iter().map(|one| (one.message, one.address)).collect::<Vec<_>>())
    })?;
    Ok(changed.value.into_iter().map(|(message, address)| WaitingAt { message, address }).collect())
}

fn add_inbox(answer: &mut Answer, out: &InboxOut) {
    let mut fields = Map::new();
    let mut text = String::new();
    if let Ok(value) = serde_json::to_value(out) {
        fields.insert("inbox".to_owned(), value);
    }
    for message in &out.messages {
        begin_line(&mut text, format_args!("message "));
        message_line(&mut text, message);
    }
    if out.waiting > 0 {
        begin_line(&mut text, format_args!("{} more messages wait: call session.inbox", out.waiting));
    }
    leaving::answer(&mut fields, &mut text, || Level::Likely);
    answer.structured.extend(fields);
    if !answer.text.is_empty() {
        answer.text.push('\n');
    }
    answer.text.push_str(&text);
}
