//! Sessions: runs of clients.
//!
//! The law: a session is a run of a client, so that it outlives its connections and daemons. It has ended once its client closed the
//! connection, until the client comes back; and once nothing was heard of it for [`LONGEST_SILENCE_MS`]. Both are computed
//! when it is asked. It answers to its id, its agent's name, and the channels and plans that it joined.

use serde::{Deserialize, Serialize};

use super::address::Address;
use super::keys::{self, By};
use super::sweep;
use crate::store::{Change, Head, Row, Tables};
use crate::words::{Lane, Texts};
use crate::{Result, limits, tables};

/// The prefix of ids.
pub const PREFIX: &str = "ses_";
/// After this time without a call a session counts as ended.
pub const LONGEST_SILENCE_MS: u64 = limits::DAY_MS;
/// A call writes the time of the last call if the stored one is older than this.
const SEEN_STEP_MS: u64 = 600_000;
/// Channels and plans that one session may join.
pub const MOST_CHANNELS: usize = 32;
/// Repositories that are noted of one session.
const MOST_REPOS: usize = 16;

/// A session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionRow {
    /// `ses_…`.
    pub id: String,
    /// The agent's name, as it said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The client's name.
    pub client: String,
    /// Whose calls it makes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// The repositories that it worked on, the latest first.
    #[serde(default)]
    pub repos: Vec<String>,
    /// What it works on, as it said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The channels and plans that it joined, as addresses are stored.
    #[serde(default)]
    pub channels: Vec<String>,
    /// Its first call, in Unix milliseconds.
    pub since_ms: u64,
    /// A late call, in Unix milliseconds; later ones within ten minutes are not stored.
    pub seen_ms: u64,
    /// When its client closed the connection, in Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_ms: Option<u64>,
    /// When it was written, and by whom.
    pub head: Head,
}

impl SessionRow {
    /// Whether it has ended.
    pub fn has_ended(&self, now_ms: u64) -> bool {
        self.ended_ms.is_some() || now_ms.saturating_sub(self.seen_ms) > LONGEST_SILENCE_MS
    }

    /// The addresses under which messages are kept for it, as they are stored.
    pub fn addresses(&self) -> Vec<String> {
        let agent = self.agent.iter().map(|name| Address::Agent(name.clone()).key());
        [self.id.clone()].into_iter().chain(agent).chain(self.channels.iter().cloned()).collect()
    }

    /// Whether a message to this address is for it.
    pub fn answers_to(&self, address: &Address) -> bool {
        match address {
            Address::All => true,
            Address::Repo(id) => self.repos.iter().any(|repo| repo == id),
            Address::Session(id) => self.id == *id,
            Address::Agent(_) | Address::Plan(_) | Address::Channel(_) => {
                let key = address.key();
                self.addresses().contains(&key)
            }
        }
    }
}

impl Row for SessionRow {
    const TABLE: &'static str = tables::SESSIONS;
    const LANE: Option<Lane> = Some(Lane::Session);
    const REVISED: bool = false;

    fn key(&self) -> Vec<u8> {
        self.id.as_bytes().to_vec()
    }

    fn id(&self) -> &str {
        &self.id
    }

    fn scope(&self) -> &str {
        self.repos.last().map_or("", String::as_str)
    }

    crate::store::own_head!();

    fn texts(&self) -> Texts {
        Texts {
            title: self.task.clone().unwrap_or_default(),
            body: String::new(),
            tags: self.channels.clone(),
            names: self.agent.iter().chain([&self.client]).cloned().collect(),
            at_ms: i64::try_from(self.since_ms).unwrap_or(i64::MAX),
            session: Some(self.id.clone()),
        }
    }
}

/// A call of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// `ses_…`.
    pub id: String,
    /// The client's name.
    pub client: String,
    /// Whose calls it makes.
    pub principal: Option<String>,
    /// The repository of the call.
    pub repo: Option<String>,
}

/// Returns a session.
pub fn find_session(tables: &impl Tables, id: &str) -> Result<Option<SessionRow>> {
    if !id.starts_with(PREFIX) || id.len() > 64 {
        return Ok(None);
    }
    Ok(tables.row(id.as_bytes())?)
}

/// Whether [`note_session`] would write anything.
pub fn is_news(known: Option<&SessionRow>, seen: &Seen, now_ms: u64) -> bool {
    let Some(row) = known else { return true };
    row.ended_ms.is_some()
        || now_ms.saturating_sub(row.seen_ms) > SEEN_STEP_MS
        || seen.repo.as_ref().is_some_and(|repo| !row.repos.contains(repo))
}

/// Notes a call of a session. Returns the session as it is now.
pub fn note_session(change: &mut Change<'_, '_>, seen: &Seen) -> Result<SessionRow> {
    let now_ms = change.now_ms();
    let known = find_session(change.tables(), &seen.id)?;
    if let Some(row) = known.as_ref().filter(|row| !is_news(Some(row), seen, now_ms)) {
        return Ok(row.clone());
    }
    if known.is_none() {
        make_room(change, sweep::PER_WRITE)?;
    }
    let mut row = known.unwrap_or_else(|| SessionRow {
        id: seen.id.clone(),
        client: seen.client.clone(),
        principal: seen.principal.clone(),
        since_ms: now_ms,
        ..SessionRow::default()
    });
    row.seen_ms = now_ms;
    row.ended_ms = None;
    if let Some(repo) = seen.repo.as_ref().filter(|repo| !row.repos.contains(repo)) {
        // The first repository stays the last in the list, because rows don't change their scope.
        row.repos.insert(0, repo.clone());
        if row.repos.len() > MOST_REPOS {
            row.repos.remove(MOST_REPOS - 1);
        }
    }
    store_session(change, &mut row)?;
    Ok(row)
}

/// What a session says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Joined {
    /// The agent's name.
    pub agent: String,
    /// What it works on; none leaves it as it is.
    pub task: Option<String>,
    /// The channels and plans that it joins, beside those that it has joined already.
    pub channels: Vec<Address>,
}

/// Gives a session a name, a task, and channels.
pub fn join_session(change: &mut Change<'_, '_>, seen: &Seen, joined: &Joined) -> Result<SessionRow> {
    let mut row = note_session(change, seen)?;
    row.agent = Some(joined.agent.trim().to_owned());
    if let Some(task) = &joined.task {
        row.task = Some(task.clone()).filter(|task| !task.trim().is_empty());
    }
    join_channels(&mut row, &joined.channels);
    store_session(change, &mut row)?;
    Ok(row)
}

/// Has a session answer to a plan, because it works on a dispatch of it.
pub fn join_plan(change: &mut Change<'_, '_>, session: &str, plan: &str) -> Result<()> {
    let Some(mut row) = find_session(change.tables(), session)? else { return Ok(()) };
    if join_channels(&mut row, &[Address::Plan(plan.to_owned())]) {
        store_session(change, &mut row)?;
    }
    Ok(())
}

/// Adds channels; above the limit the oldest goes. Whether any is new.
fn join_channels(row: &mut SessionRow, channels: &[Address]) -> bool {
    let before = row.channels.len();
    for key in channels.iter().map(Address::key) {
        if !row.channels.contains(&key) {
            row.channels.push(key);
        }
    }
    let is_new = row.channels.len() > before;
    row.channels.drain(..row.channels.len().saturating_sub(MOST_CHANNELS));
    is_new
}

/// Notes that the client of a session has closed its connection.
pub fn end_session(change: &mut Change<'_, '_>, id: &str) -> Result<()> {
    let Some(mut row) = find_session(change.tables(), id)? else { return Ok(()) };
    row.ended_ms = Some(change.now_ms());
    store_session(change, &mut row)
}

fn store_session(change: &mut Change<'_, '_>, row: &mut SessionRow) -> Result<()> {
    change.put(row)?;
    if row.ended_ms.is_some() {
        keys::drop_key(change, By::Open, "", &row.id)
    } else {
        keys::add_key(change, By::Open, "", &row.id)
    }
}

/// Returns the sessions that have not ended, in no order that means anything.
pub fn open_sessions(tables: &impl Tables, now_ms: u64) -> Result<Vec<SessionRow>> {
    let mut open = Vec::new();
    for id in keys::ids_by(tables, By::Open, "", usize::MAX)? {
        open.extend(find_session(tables, &id)?.filter(|row| !row.has_ended(now_ms)));
    }
    Ok(open)
}

/// Returns every session that is kept.
pub fn all_sessions(tables: &impl Tables) -> Result<Vec<SessionRow>> {
    let mut all = Vec::new();
    tables.scan_rows::<SessionRow>(PREFIX.as_bytes(), &mut |row| {
        all.push(row);
        std::ops::ControlFlow::Continue(())
    })?;
    Ok(all)
}

/// Removes ended sessions that are too old, `most` of them at most. Returns how many.
pub fn make_room(change: &mut Change<'_, '_>, most: usize) -> Result<usize> {
    let now_ms = change.now_ms();
    let is_old = |row: &SessionRow| now_ms.saturating_sub(row.seen_ms) > limits::ACTIVITY_MS;
    let old: Vec<SessionRow> = all_sessions(change.tables())?.into_iter().filter(is_old).take(most).collect();
    for row in &old {
        change.remove::<SessionRow>(&row.key())?;
        keys::drop_key(change, By::Open, "", &row.id)?;
    }
    Ok(old.len())
}
