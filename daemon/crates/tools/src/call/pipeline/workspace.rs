//! Reads over a workspace: the barrier and the snapshot of each of its repositories.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sdl_ledger::View as _;
use sdl_model::Version;
use sdl_navigate::workspace::{Member, Workspace};
use sdl_retrieve::Source;
use sdl_retrieve::layer::{Laid, LaidOutlines, Layer};

use super::fields::{add_notes, stamp_freshness};
use super::first_index;
use super::wait::{READ_LIMIT, SYNC_TIMEOUT, wait_for_tree};
use crate::call::across::{Across, Opened, Whole};
use crate::call::budget;
use crate::call::context::{Call, ReadCx};
use crate::call::freshness::{Freshness, MemberFreshness, Sync};
use crate::call::outlines::{StoredBodies, StoredOutlines};
use crate::call::registry::{Answer, PreparedRead, ReadArgs, ReadRunner};
use crate::call::stamp::Stamp;
use crate::host::Barrier;
use crate::{Candidate, Code, Explained, Repo, ToolError};

/// Names every registered repository, in place of one.
const ALL: &str = "*";
/// Before the name of a workspace, in place of a repository's id.
const PREFIX: &str = "workspace:";
/// Most repositories of a workspace. Each has a read transaction open while it is asked.
const MAX_MEMBERS: usize = 64;
/// Tokens that are kept free for what the workspace itself has to say.
const NOTE_TOKENS: usize = 150;

/// The repositories that a call asks.
pub(super) struct Scope {
    name: String,
    repos: Vec<Arc<dyn Repo>>,
    notes: Vec<String>,
}

/// Whether a text names a workspace in place of a repository.
pub(super) fn is_workspace(given: &str) -> bool {
    given == ALL || given.starts_with(PREFIX)
}

/// The repositories that `given` names, if it names a workspace.
pub(super) fn find_scope(call: &Call<'_>, given: Option<&str>) -> Result<Option<Scope>, ToolError> {
    let Some(given) = given.filter(|given| is_workspace(given)) else { return Ok(None) };
    let mut notes = Vec::new();
    let unserved = call.host.unserved();
    let repos = if given == ALL {
        notes.extend(unserved.iter().map(|out| left_out(&out.status_message())));
        call.host.repos()
    } else {
        let mut repos = Vec::new();
        for id in named_members(call, given)? {
            match (call.host.repo(&id), unserved.iter().find(|out| out.id == id)) {
                (Some(repo), _) => repos.push(repo),
                (None, Some(out)) => notes.push(left_out(&out.status_message())),
                (None, None) => notes.push(left_out(&format!("{id:?} is not registered"))),
            }
        }
        repos
    };
    if repos.is_empty() {
        let why = notes.first().map_or("no repository is registered", String::as_str);
        let message = format!("{given} holds no repository that can be asked: {why}");
        return Err(ToolError::new(Code::UnknownRepo, message).at("repoId"));
    }
    if repos.len() > MAX_MEMBERS {
        let message = format!(
            "{given} holds {} repositories, and at most {MAX_MEMBERS} are asked at once; name fewer in a workspace: \
             sdlctl workspace add NAME REPO…",
            repos.len()
        );
        return Err(ToolError::new(Code::InvalidArgument, message).at("repoId"));
    }
    Ok(Some(Scope { name: given.to_owned(), repos, notes }))
}

fn left_out(why: &str) -> String {
    format!("left out: {why}")
}

fn named_members(call: &Call<'_>, given: &str) -> Result<Vec<String>, ToolError> {
    let name = given.strip_prefix(PREFIX).unwrap_or(given);
    let known = call.host.workspaces();
    if let Some(found) = known.iter().find(|workspace| workspace.name == name) {
        return Ok(found.repos.clone());
    }
    let shown: String = name.chars().take(80).collect();
    let message = format!(
        "no workspace is called {shown:?}; give * for all registered repositories, or define it with: sdlctl workspace \
         add {shown} REPO…"
    );
    let names = known.iter().map(|workspace| Candidate::of("repoId", format!("{PREFIX}{}", workspace.name)));
    Err(ToolError::new(Code::UnknownRepo, message).at("repoId").or_one_of(names.take(20)))
}

/// The error for an action that asks one repository only.
pub(super) fn one_at_a_time(call: &Call<'_>, given: &str) -> ToolError {
    let message = format!(
        "this action asks one repository at a time, and {given} may name several; give one of the candidates as repoId"
    );
    let repos = call.host.repos();
    let candidates = repos.iter().take(20).map(|repo| Candidate::of("repoId", repo.id()));
    ToolError::new(Code::InvalidArgument, message).at("repoId").or_one_of(candidates)
}

/// A repository whose tree was waited for.
struct Waiting {
    repo: Arc<dyn Repo>,
    barrier: Barrier,
}

/// The time that a read of all snapshots may take, and the notes about them.
struct Reading<'c> {
    call: &'c Call<'c>,
    deadline: Instant,
    left_out: RefCell<Vec<String>>,
}

/// Runs a read action over a workspace.
pub(super) fn run_across(
    call: &Call<'_>,
    runner: ReadRunner,
    prepared: &dyn PreparedRead,
    (scope, common): (&Scope, &ReadArgs),
    noted: &str,
) -> Result<Answer, ToolError> {
    if !runner.across || prepared.handle().is_some() {
        return Err(one_at_a_time(call, &scope.name));
    }
    let mut moved = false;
    loop {
        let waiting = wait_for_all(call, runner, scope, common)?;
        let decided = call.decisions.mark();
        match on_snapshots(call, &waiting, scope, |cx| prepared.run(cx), noted) {
            // Once more on newer versions, because a member moved on meanwhile.
            Err(error)
                if error.refusal.code == Code::SourceMoved
                    && call.pins.is_none()
                    && !std::mem::replace(&mut moved, true) =>
            {
                call.decisions.back_to(decided);
            }
            answered => return answered,
        }
    }
}

/// Waits for the trees of all, for the time of one.
fn wait_for_all(
    call: &Call<'_>,
    runner: ReadRunner,
    scope: &Scope,
    common: &ReadArgs,
) -> Result<Vec<Waiting>, ToolError> {
    let sync = common.sync.unwrap_or(runner.sync);
    let timeout = common.sync_timeout_ms.map_or(SYNC_TIMEOUT, Duration::from_millis);
    let deadline = Instant::now() + timeout;
    let mut waiting = Vec::with_capacity(scope.repos.len());
    for repo in &scope.repos {
        let left = deadline.saturating_duration_since(Instant::now());
        let waited = first_index::Waited::from_now(repo.as_ref());
        let wait = || wait_for_tree(call, repo.as_ref(), sync, left, (left, &waited));
        let barrier = match call.pins {
            Some(pins) if sync != Sync::None => pins.barrier(repo.id(), sync, wait)?,
            _ => wait()?,
        };
        waiting.push(Waiting { repo: Arc::clone(repo), barrier });
    }
    Ok(waiting)
}

fn on_snapshots(
    call: &Call<'_>,
    waiting: &[Waiting],
    scope: &Scope,
    run: impl FnOnce(&ReadCx<'_>) -> Result<Answer, ToolError>,
    noted: &str,
) -> Result<Answer, ToolError> {
    let deadline = Instant::now() + call.at_most(READ_LIMIT);
    let reading = Reading { call, deadline, left_out: RefCell::new(scope.notes.clone()) };
    let mut run = Some(run);
    let mut answer_all = |opened: &[Opened<'_>], layers: &[&Layer], fresh: Vec<MemberFreshness>| {
        let run =
            run.take().ok_or_else(|| ToolError::internal("asking a workspace", "it was asked twice"))?;
        answer_from(&reading, (scope, noted), (opened, layers), fresh, run)
    };
    open_members(&reading, waiting, (Vec::new(), Vec::new(), Vec::new()), &mut answer_all)
}

/// What has been opened so far: repositories, unsaved buffers, and how fresh each is.
type OpenedSoFar<'a> = (Vec<Opened<'a>>, Vec<&'a Layer>, Vec<MemberFreshness>);
type AnswerAll<'f> =
    dyn FnMut(&[Opened<'_>], &[&Layer], Vec<MemberFreshness>) -> Result<Answer, ToolError> + 'f;

/// Opens a snapshot of each repository, one inside the other, and answers from all.
fn open_members(
    reading: &Reading<'_>,
    waiting: &[Waiting],
    (opened, layers, fresh): OpenedSoFar<'_>,
    answer: &mut AnswerAll<'_>,
) -> Result<Answer, ToolError> {
    let Some((first, rest)) = waiting.split_first() else { return answer(&opened, &layers, fresh) };
    let (call, repo) = (reading.call, first.repo.as_ref());
    call.check()?;
    repo.ledger().read_with(reading.deadline, |snapshot| {
        let (mut opened, mut layers, mut fresh) = (opened, layers, fresh);
        if snapshot.head().is_none() && !first.barrier.synced {
            let why = first.barrier.reason.as_deref().unwrap_or("it has no index yet");
            reading.left_out.borrow_mut().push(left_out(&format!("repository {:?}: {why}", repo.id())));
            return open_members(reading, rest, (opened, layers, fresh), answer);
        }
        let version = snapshot.head().unwrap_or(Version(0));
        let overlay = call.buffers.over(repo, call.cancel, snapshot)?;
        let overlay = overlay.as_deref();
        let stamp = Stamp { version, overlay: overlay.map(|overlay| overlay.seq) };
        if call.pins.is_some_and(|pins| !pins.holds(repo.id(), stamp)) {
            let message = format!("repository {} moved on to {stamp} between two steps", repo.id());
            return Err(ToolError::new(Code::Conflict, message));
        }
        fresh.push(MemberFreshness {
            repo_id: repo.id().to_owned(),
            version: stamp.to_string(),
            synced: first.barrier.synced,
            lag_ms: first.barrier.lag_ms,
            reason: first.barrier.reason.clone(),
        });
        let laid = overlay.map(|overlay| Laid::new(snapshot, &overlay.layer).with_search(&overlay.search));
        let view: &dyn sdl_ledger::View = match &laid {
            Some(laid) => laid,
            None => snapshot,
        };
        layers.extend(overlay.map(|overlay| &*overlay.layer));
        opened.push(Opened { repo, view, overlay });
        open_members(reading, rest, (opened, layers, fresh), answer)
    })?
}

fn answer_from(
    reading: &Reading<'_>,
    (scope, noted): (&Scope, &str),
    (opened, layers): (&[Opened<'_>], &[&Layer]),
    fresh: Vec<MemberFreshness>,
    run: impl FnOnce(&ReadCx<'_>) -> Result<Answer, ToolError>,
) -> Result<Answer, ToolError> {
    let call = reading.call;
    let left_out = reading.left_out.borrow().clone();
    let first = scope.repos.iter().find(|repo| opened.first().is_some_and(|one| one.repo.id() == repo.id()));
    let Some(first) = first else {
        let message = format!("{} can't be asked yet: {}", scope.name, left_out.join("; "));
        return Err(ToolError::new(Code::Indexing, message));
    };
    let stored = StoredOutlines(first.facts());
    let bodies = StoredBodies(first.facts());
    let outlines = LaidOutlines::new(layers.iter().copied(), &stored);
    let members = opened.iter().map(|one| Member { repo: one.repo.id(), view: one.view }).collect();
    let workspace = Workspace::new(members, &outlines, &bodies);
    let source = Source::new(&workspace, &outlines).with_meaning(call.host.meaning());
    let unsaved = opened.iter().filter_map(|one| one.overlay).map(|overlay| overlay.seq);
    let source = match unsaved.reduce(u64::wrapping_add) {
        Some(seq) => source.with_overlay(seq),
        None => source,
    };
    let across = Across { workspace: &workspace, members: opened };
    let whole = Whole { name: scope.name.clone(), first: Arc::clone(first) };
    let freshness = Freshness::of_members(workspace.version(), fresh);
    let writes = RefCell::default();
    let notes = RefCell::new(left_out);
    let mut answer = first.ledger().read_with(reading.deadline, |snapshot| {
        let cx = ReadCx {
            call,
            repo: &whole,
            source: &source,
            snapshot,
            version: workspace.version(),
            overlay: None,
            across: Some(&across),
            reserved: budget::reserved_tokens(&freshness, noted)? + NOTE_TOKENS,
            held: None,
            writes: &writes,
            notes: &notes,
        };
        run(&cx)
    })??;
    stamp_freshness(&mut answer, &freshness)?;
    let mut notes = notes.into_inner();
    notes.extend(workspace.notes());
    add_notes(&mut answer, &notes)?;
    if let Some(pins) = call.pins {
        pins.set_freshness(&scope.name, &freshness);
    }
    Ok(answer)
}
