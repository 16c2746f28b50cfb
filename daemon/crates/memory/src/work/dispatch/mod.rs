//! Dispatches: pieces of work that are handed over, claimed, reported on and ended.
//!
//! [`state`] has the law of their states. Each step is one transaction: it reads the dispatch, makes the step or is refused, and writes the
//! dispatch with the event. So of two who claim one, one wins, and the other hears who did. A dispatch that is tried again has the next
//! number of attempt, and the summaries of those before it.

mod find;
mod row;
pub mod state;

use sdl_contract::{Code, Explained as _, Refusal, nearest_names};

use super::keys::{self, By, fold_name};
use super::{session, sweep};
use crate::store::{Change, Tables};
use crate::times::write_time;
use crate::{Anchors, Author, Result, limits, tables};
use state::{Event, Outcome, Step, Unfit, is_same_author};

pub use find::{Affinity, DispatchFilter, affinities, find_attempts, list_dispatches};
pub use row::{Brief, Dispatch, PREFIX, events_of, find_brief, find_dispatch};

/// A dispatch to be started.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "see `Dispatch`")]
pub struct NewDispatch {
    pub scope: String,
    pub title: String,
    pub brief: String,
    pub to: Option<String>,
    pub plan: Option<String>,
    pub domain: Option<String>,
    pub milestones: Vec<String>,
    pub retry_of: Option<String>,
    pub parent: Option<String>,
    pub priority: i32,
    pub assembly: Option<String>,
    pub due_ms: Option<u64>,
    pub anchors: Anchors,
}

/// Starts a dispatch.
pub fn start_dispatch(change: &mut Change<'_, '_>, new: NewDispatch) -> Result<Dispatch> {
    make_room(change, sweep::PER_WRITE)?;
    if change.tables().count_rows(tables::DISPATCHES)? >= limits::DISPATCHES as u64 {
        let message = format!(
            "there are {} dispatches, as many as are kept; end some of the open ones by dispatch.complete, or wait: ended \
             ones are removed after a year",
            limits::DISPATCHES
        );
        return Change::refuse(Refusal::new(Code::Conflict, message));
    }
    let attempt = match &new.retry_of {
        Some(id) => need_dispatch(change.tables(), id, "retryOf")?.attempt + 1,
        None => 1,
    };
    if let Some(parent) = &new.parent {
        need_dispatch(change.tables(), parent, "parentId")?;
    }
    let id = change.new_id(PREFIX);
    let names = new.anchors.symbols.iter().map(|symbol| symbol.name.clone());
    let names = names.chain(new.anchors.files.iter().map(|file| file.path.clone())).collect();
    let tags = [&new.to, &new.plan, &new.domain].into_iter().flatten().cloned().collect();
    let mut brief = Brief {
        id: id.clone(),
        scope: new.scope.clone(),
        title: new.title.clone(),
        brief: new.brief,
        summary: String::new(),
        tags,
        names,
        head: crate::store::Head::default(),
    };
    let mut dispatch = Dispatch {
        id,
        scope: new.scope,
        title: new.title,
        to: new.to,
        plan: new.plan,
        domain: new.domain,
        milestones: new.milestones,
        retry_of: new.retry_of,
        attempt,
        parent: new.parent,
        priority: new.priority,
        assembly: new.assembly,
        due_ms: new.due_ms,
        anchors: new.anchors,
        started_by: change.by().clone(),
        ..Dispatch::default()
    };
    change.put(&mut brief)?;
    change.put(&mut dispatch)?;
    keys::add_key(change, By::Live, "", &dispatch.id)?;
    for (by, value) in keys_of(&dispatch) {
        keys::add_key(change, by, &value, &dispatch.id)?;
    }
    Ok(dispatch)
}

/// The keys of a dispatch that stay.
fn keys_of(dispatch: &Dispatch) -> Vec<(By, String)> {
    let all = [(By::Agent, &dispatch.to), (By::Plan, &dispatch.plan), (By::Domain, &dispatch.domain)];
    all.into_iter().filter_map(|(by, value)| Some((by, fold_name(value.as_deref()?)))).collect()
}

/// Returns all keys that follow from a dispatch and its events.
pub(super) fn keys_of_dispatch(tables: &impl Tables, dispatch: &Dispatch) -> Result<Vec<Vec<u8>>> {
    let id = &dispatch.id;
    let mut keys: Vec<Vec<u8>> =
        keys_of(dispatch).into_iter().map(|(by, value)| keys::index_key(by, &value, id)).collect();
    let agents = events_of(tables, id)?.into_iter().filter_map(|event| event.by.agent);
    keys.extend(agents.map(|agent| keys::index_key(By::Agent, &fold_name(&agent), id)));
    keys.push(match dispatch.standing.ended_ms {
        Some(_) => keys::index_key(By::Ended, "", &ended_id(dispatch)),
        None => keys::index_key(By::Live, "", id),
    });
    Ok(keys)
}

/// Returns a dispatch. A refusal that names the field if there is none.
pub fn need_dispatch(tables: &impl Tables, id: &str, field: &str) -> Result<Dispatch> {
    if let Some(found) = find_dispatch(tables, id)? {
        return Ok(found);
    }
    let live = keys::ids_by(tables, By::Live, "", limits::DISPATCHES)?;
    let near = nearest_names(id, live.iter().map(String::as_str), 3);
    let shown: String = id.chars().take(80).collect();
    let message = format!("no dispatch {shown:?} is known; dispatch.list shows those that are");
    let near = near.into_iter().map(|id| sdl_contract::Candidate::of(field, id));
    Change::refuse(Refusal::new(Code::UnknownDispatch, message).at(field).or_one_of(near))
}

/// Claims a dispatch for a time, or renews the claim.
pub fn claim_dispatch(change: &mut Change<'_, '_>, id: &str, by: &Author, lease_ms: u64) -> Result<Dispatch> {
    let dispatch = make_step(change, id, by, Step::Claimed { lease_ms })?;
    if let (Some(session), Some(plan)) = (&by.session, &dispatch.plan) {
        session::join_plan(change, session, plan)?;
    }
    Ok(dispatch)
}

/// A report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What was done.
    pub note: String,
    /// How much of it is done.
    pub percent: Option<u8>,
    /// Milestones that are done now, by their text or their number from 1 on.
    pub milestones: Vec<String>,
    /// Whether it waits for something else.
    pub blocked: bool,
    /// What it waits for.
    pub blocked_by: Option<String>,
}

/// Reports on a dispatch, and renews the lease.
pub fn report_progress(change: &mut Change<'_, '_>, id: &str, report: Report) -> Result<Dispatch> {
    let known = need_dispatch(change.tables(), id, "dispatchId")?;
    let mut milestones = Vec::new();
    for (nth, named) in report.milestones.iter().enumerate() {
        milestones.push(find_milestone(&known.milestones, named, nth)?);
    }
    let Report { note, percent, blocked, blocked_by, .. } = report;
    let by = change.by().clone();
    make_step(change, id, &by, Step::Progressed { note, percent, milestones, blocked, blocked_by })
}

/// The place of a milestone that is named by its text or its number.
fn find_milestone(known: &[String], named: &str, nth: usize) -> Result<usize> {
    let folded = fold_name(named);
    let by_text = known.iter().position(|milestone| fold_name(milestone) == folded);
    let by_number = || folded.parse::<usize>().ok()?.checked_sub(1).filter(|place| *place < known.len());
    if let Some(place) = by_text.or_else(by_number) {
        return Ok(place);
    }
    let shown: String = named.chars().take(80).collect();
    let message = if known.is_empty() {
        format!("{shown:?} is no milestone: this dispatch has none; say it in note")
    } else {
        format!("{shown:?} is no milestone; give a text or a number from 1 to {}", known.len())
    };
    let near = nearest_names(named, known.iter().map(String::as_str), 3);
    let field = format!("milestonesDone[{nth}]");
    let near = near.into_iter().map(|text| sdl_contract::Candidate::of("milestonesDone", text));
    Change::refuse(Refusal::new(Code::InvalidArgument, message).at(field).or_one_of(near))
}

/// The end of a dispatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// How it ended.
    pub outcome: Outcome,
    /// What came of it.
    pub summary: String,
    /// What was made.
    pub artifacts: Vec<String>,
    /// Whether it counts for how good the agent is at such work.
    pub counts: bool,
    /// Whether a person ends it, who may end what others hold.
    pub by_person: bool,
}

/// Ends a dispatch.
pub fn complete_dispatch(change: &mut Change<'_, '_>, id: &str, ending: Ending) -> Result<Dispatch> {
    let Ending { outcome, summary, artifacts, counts, by_person } = ending;
    let known = need_dispatch(change.tables(), id, "dispatchId")?;
    let mut by = change.by().clone();
    if by_person && outcome == Outcome::Cancelled {
        by.clone_from(&known.started_by);
    }
    let step = Step::Completed { outcome, summary: summary.clone(), artifacts };
    let dispatch = make_step(change, id, &by, step)?;
    keys::drop_key(change, By::Live, "", id)?;
    keys::add_key(change, By::Ended, "", &ended_id(&dispatch))?;
    if let Some(mut brief) = find_brief(change.tables(), id)? {
        brief.summary = summary;
        change.put(&mut brief)?;
    }
    if counts && outcome != Outcome::Cancelled {
        find::count_outcome(change, &dispatch, outcome)?;
    }
    Ok(dispatch)
}

/// The key of an ended dispatch, in the order of ends.
fn ended_id(dispatch: &Dispatch) -> String {
    let ended_ms = dispatch.standing.ended_ms.unwrap_or_default();
    format!("{}{}", crate::encode_number(ended_ms), dispatch.id)
}

/// Makes a step, and writes it with the state that it leads to.
fn make_step(change: &mut Change<'_, '_>, id: &str, by: &Author, step: Step) -> Result<Dispatch> {
    let mut dispatch = need_dispatch(change.tables(), id, "dispatchId")?;
    let event = Event { at_ms: change.now_ms(), by: by.clone(), step };
    let starter = dispatch.started_by.clone();
    let cancels = matches!(event.step, Step::Completed { outcome: Outcome::Cancelled, .. });
    if !cancels {
        check_namesake(change, &dispatch, by)?;
    }
    if let Err(unfit) = dispatch.standing.apply(&event, &starter) {
        return Change::refuse(explain(id, &unfit));
    }
    row::add_event(change, id, dispatch.events, &event)?;
    dispatch.events += 1;
    change.put(&mut dispatch)?;
    if let Some(agent) = &by.agent {
        keys::add_key(change, By::Agent, &fold_name(agent), id)?;
    }
    Ok(dispatch)
}

/// Refuses an agent whose name the holder has too, as long as the holder's session has not ended: two clients may have joined under one name, and
/// only one of them holds the dispatch.
fn check_namesake(change: &Change<'_, '_>, dispatch: &Dispatch, by: &Author) -> Result<()> {
    let now_ms = change.now_ms();
    let Some(holder) = dispatch.standing.holder_at(now_ms) else { return Ok(()) };
    if !is_same_author(holder, by) {
        return Ok(());
    }
    let (Some(held), Some(own)) = (&holder.session, &by.session) else { return Ok(()) };
    let is_open = held != own
        && session::find_session(change.tables(), held)?.is_some_and(|row| !row.has_ended(now_ms));
    if !is_open {
        return Ok(());
    }
    let unfit = Unfit::Held(Box::new(holder.clone()), dispatch.standing.lease_until_ms);
    Change::refuse(explain(&dispatch.id, &unfit))
}

fn explain(id: &str, unfit: &Unfit) -> Refusal {
    match unfit {
        Unfit::Ended(state) => {
            let message = format!("{id} is {}; start another with retryOf to try it again", state.name());
            Refusal::new(Code::Conflict, message).at("dispatchId").with("state", state.name())
        }
        Unfit::Held(holder, until_ms) => {
            let name = holder.agent.as_deref().or(holder.session.as_deref()).unwrap_or(&holder.client);
            let shown: String = name.chars().take(80).collect();
            let message = format!(
                "{id} is claimed by {shown:?} until {}; wait until then, or ask the holder by session.send",
                write_time(i64::try_from(*until_ms).unwrap_or(i64::MAX))
            );
            let holder = serde_json::to_value(holder).unwrap_or_default();
            Refusal::new(Code::NotClaimed, message)
                .at("dispatchId")
                .with("heldBy", holder)
                .with("leaseUntil", *until_ms)
        }
    }
}

/// Removes ended dispatches that are too old, `most` of them at most. Returns how many.
pub fn make_room(change: &mut Change<'_, '_>, most: usize) -> Result<usize> {
    let now_ms = change.now_ms();
    let mut gone = 0;
    for ended in keys::ids_by(change.tables(), By::Ended, "", most)? {
        let Some(id) = ended.get(13..) else { continue };
        let found = find_dispatch(change.tables(), id)?;
        let age = |dispatch: &Dispatch| now_ms.saturating_sub(dispatch.standing.ended_ms.unwrap_or(now_ms));
        if found.as_ref().is_some_and(|dispatch| age(dispatch) <= limits::DISPATCH_MS) {
            break;
        }
        keys::drop_key(change, By::Ended, "", &ended)?;
        let Some(dispatch) = found else { continue };
        for (by, value) in keys_of(&dispatch) {
            keys::drop_key(change, by, &value, id)?;
        }
        let agents: Vec<String> =
            events_of(change.tables(), id)?.into_iter().filter_map(|event| event.by.agent).collect();
        for agent in agents {
            keys::drop_key(change, By::Agent, &fold_name(&agent), id)?;
        }
        row::forget_dispatch(change, &dispatch)?;
        gone += 1;
    }
    Ok(gone)
}
