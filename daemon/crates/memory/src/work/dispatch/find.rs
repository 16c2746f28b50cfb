//! Which dispatches there are, and how well agents did.

use serde::{Deserialize, Serialize};

use super::row::{Dispatch, PREFIX, find_dispatch};
use super::state::{Outcome, State, is_same_author};
use crate::store::{Change, Tables};
use crate::work::keys::{self, Back, By, fold_name, newest_rows};
use crate::{Author, Result};

/// Attempts that are counted back.
const MOST_ATTEMPTS: usize = 50;

/// Which dispatches are listed.
#[derive(Clone, Copy, Debug, Default)]
pub struct DispatchFilter<'a> {
    /// Those in these states. Empty for those that have not ended.
    pub states: &'a [State],
    /// Those for an agent, or claimed by one.
    pub agent: Option<&'a str>,
    /// Those of a plan.
    pub plan: Option<&'a str>,
    /// Those of a domain.
    pub domain: Option<&'a str>,
    /// Those that this author started or holds.
    pub of: Option<&'a Author>,
    /// Those before this one.
    pub before: Option<&'a str>,
    /// Only these, in their order, if any are named.
    pub only: Option<&'a [String]>,
}

/// Returns dispatches, the newest first.
pub fn list_dispatches(
    tables: &impl Tables,
    filter: DispatchFilter<'_>,
    reads: impl Fn(&str) -> bool,
    (now_ms, most): (u64, usize),
) -> Result<Vec<Dispatch>> {
    let agent = filter.agent.map(fold_name);
    let same = |text: &Option<String>, wanted: Option<&str>| {
        wanted.is_none_or(|wanted| text.as_deref().map(fold_name) == Some(fold_name(wanted)))
    };
    let wanted = |row: &Dispatch| {
        let state = row.state(now_ms);
        let holder = row.standing.holder.as_ref();
        let has_state =
            if filter.states.is_empty() { !state.is_ended() } else { filter.states.contains(&state) };
        let is_for = |agent: &String| {
            let for_it = row.to.as_deref().map(fold_name).as_ref() == Some(agent);
            for_it || holder.and_then(|by| by.agent.as_deref()).map(fold_name).as_ref() == Some(agent)
        };
        let is_of = |author: &Author| {
            is_same_author(&row.started_by, author) || holder.is_some_and(|by| is_same_author(by, author))
        };
        has_state
            && reads(&row.scope)
            && agent.as_ref().is_none_or(is_for)
            && same(&row.plan, filter.plan)
            && same(&row.domain, filter.domain)
            && filter.of.is_none_or(is_of)
    };
    if let Some(only) = filter.only {
        return rows_of(tables, only.iter(), wanted, most);
    }
    let by_key = |by, value: &str| keys::ids_by(tables, by, value, usize::MAX);
    let only_live = filter.states.iter().all(|state| !state.is_ended());
    let ids = match (filter.plan, &agent, filter.domain) {
        (Some(plan), ..) => by_key(By::Plan, &fold_name(plan))?,
        (_, Some(agent), _) => by_key(By::Agent, agent)?,
        _ if only_live => by_key(By::Live, "")?,
        (.., Some(domain)) => by_key(By::Domain, &fold_name(domain))?,
        _ => {
            let back = Back { prefix: PREFIX, now_ms, before: filter.before, since_ms: 0, most };
            return newest_rows(tables, back, wanted);
        }
    };
    let before = |id: &&String| filter.before.is_none_or(|before| id.as_str() < before);
    rows_of(tables, ids.iter().rev().filter(before), wanted, most)
}

/// Reads dispatches in the order of their ids as given, until there are enough.
fn rows_of<'i>(
    tables: &impl Tables,
    ids: impl Iterator<Item = &'i String>,
    wanted: impl Fn(&Dispatch) -> bool,
    most: usize,
) -> Result<Vec<Dispatch>> {
    let mut found = Vec::new();
    for id in ids {
        if found.len() == most {
            break;
        }
        found.extend(find_dispatch(tables, id)?.filter(|row| wanted(row)));
    }
    Ok(found)
}

/// Returns the attempts before a dispatch, the first one first.
pub fn find_attempts(tables: &impl Tables, dispatch: &Dispatch) -> Result<Vec<Dispatch>> {
    let mut before = Vec::new();
    let mut next = dispatch.retry_of.clone();
    while let Some(id) = next.take().filter(|_| before.len() < MOST_ATTEMPTS) {
        let Some(row) = find_dispatch(tables, &id)? else { break };
        next.clone_from(&row.retry_of);
        before.push(row);
    }
    before.reverse();
    Ok(before)
}

/// How an agent did with the dispatches of a domain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Affinity {
    /// The agent's name, as it was first counted.
    pub agent: String,
    /// The domain.
    pub domain: String,
    /// Dispatches that it ended.
    pub done: u32,
    /// Those of them that succeeded.
    pub succeeded: u32,
}

impl Affinity {
    /// How likely the next one succeeds, by Laplace's rule of succession: 0 to 1, one half without any.
    pub fn share(&self) -> f64 {
        f64::from(self.succeeded + 1) / f64::from(self.done + 2)
    }
}

/// Counts an outcome for the agent who reached it.
pub(super) fn count_outcome(
    change: &mut Change<'_, '_>,
    dispatch: &Dispatch,
    outcome: Outcome,
) -> Result<()> {
    let agent = dispatch.standing.holder.as_ref().and_then(|by| by.agent.clone());
    let (Some(agent), Some(domain)) = (agent, &dispatch.domain) else { return Ok(()) };
    let place = format!("{}\0{}", fold_name(&agent), fold_name(domain));
    let mut count: Affinity = keys::counted(change.tables(), By::Affinity, &place)?;
    if count.done == 0 {
        count.agent = agent;
        count.domain.clone_from(domain);
    }
    count.done += 1;
    count.succeeded += u32::from(outcome == Outcome::Success);
    keys::set_counted(change, By::Affinity, &place, &count)
}

/// Returns how agents did, by name and domain.
pub fn affinities(tables: &impl Tables) -> Result<Vec<Affinity>> {
    let mut all: Vec<Affinity> = keys::all_counted(tables, By::Affinity)?;
    all.sort_by(|one, other| (&one.agent, &one.domain).cmp(&(&other.agent, &other.domain)));
    Ok(all)
}
