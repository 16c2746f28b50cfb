//! Reads over a workspace: the barrier and the snapshot of each of its repositories.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sdl_ledger::View as _;
use sdl_model::Version;
use sdl_navigate::workspace::{CrossingMemo, MemberState, PackageVersions, Workspace};
use sdl_retrieve::Source;
use sdl_retrieve::layer::{Laid, LaidOutlines, Layer};
use serde_json::json;

use super::fields::{add_notes, stamp_freshness, unstored_note};
use super::first_index::{self, Patience};
use super::scope::{Scope, held_by, holder_of, left_out, one_at_a_time};
use super::wait::{READ_LIMIT, SYNC_TIMEOUT, wait_for_tree};
use crate::call::across::{Across, Opened, Whole};
use crate::call::budget;
use crate::call::context::{Call, ReadCx};
use crate::call::freshness::{Freshness, MemberFreshness, Sync};
use crate::call::leases::{Held, LeaseWrite, Unwritten};
use crate::call::met::Watched;
use crate::call::outlines::{StoredBodies, StoredOutlines};
use crate::call::registry::{Answer, PreparedRead, ReadArgs, ReadRunner};
use crate::call::scoped::scope_write;
use crate::call::stamp::Stamp;
use crate::error::Damage;
use crate::host::Barrier;
use crate::{Code, Explained, Repo, ToolError};

/// Tokens that are kept free for what the workspace itself has to say.
const NOTE_TOKENS: usize = 250;

/// Most packages whose versions an answer names.
const MOST_VERSIONS: usize = 6;
/// Longest version that is shown, in characters.
const LONGEST_VERSION: usize = 60;

/// How often a call is answered again because another call wrote its handle meanwhile.
const ATTEMPTS: usize = 5;

/// A repository whose tree was waited for.
struct Waiting {
    repo: Arc<dyn Repo>,
    barrier: Barrier,
    /// Damage that was met in its ledger.
    met: RefCell<Option<Damage>>,
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
    if !runner.across {
        return Err(one_at_a_time(call, &scope.name));
    }
    let mut moved = false;
    for _ in 0..ATTEMPTS {
        let waiting = wait_for_all(call, runner, scope, common)?;
        let decided = call.decisions.mark();
        let held = prepared.handle().map(|(kind, handle)| held_by(call, kind, handle));
        let (mut answer, writes) =
            match on_snapshots(call, &waiting, (scope, held), |cx| prepared.run(cx), noted) {
                // Once more on newer versions, because a member moved on meanwhile.
                Err(error)
                    if error.refusal.code == Code::SourceMoved
                        && call.pins.is_none()
                        && !std::mem::replace(&mut moved, true) =>
                {
                    call.decisions.back_to(decided);
                    continue;
                }
                answered => answered.map_err(|error| report_damage(&waiting, error))?,
            };
        match perform_writes(call, scope, writes) {
            Ok(()) => return Ok(answer),
            Err(Unwritten::Overtaken) => call.decisions.back_to(decided),
            Err(Unwritten::Store(error)) => {
                add_notes(&mut answer, &[unstored_note(&error)])?;
                return Ok(answer);
            }
        }
    }
    Err(Unwritten::overtaken_again())
}

/// Writes what an answer left: each handle in the ledger that its name says.
fn perform_writes(call: &Call<'_>, scope: &Scope, writes: Vec<LeaseWrite>) -> Result<(), Unwritten> {
    let mut outcome = Ok(());
    for write in writes {
        let holder = holder_of(&call.host.repos(), write.handle());
        let Some(holder) = holder else { continue };
        let written = call.leases.write(holder.as_ref(), scope_write(&scope.name, write));
        outcome = outcome.and(written);
    }
    outcome
}

/// Reports damage to the repositories that it was met in, and to no other: a ledger that is reported is set aside.
fn report_damage(waiting: &[Waiting], error: ToolError) -> ToolError {
    let Some(damage) = error.damage.clone() else { return error };
    let mut ill: Vec<&str> = Vec::new();
    for member in waiting {
        if let Some(met) = member.met.take() {
            member.repo.damaged(&met);
            ill.push(member.repo.id());
        }
    }
    // Facts are shared, so all that may need them look after their own.
    if ill.is_empty() && damage.is_of_facts() {
        for member in waiting {
            member.repo.damaged(&damage);
            ill.push(member.repo.id());
        }
    }
    let Some(first) = ill.first() else { return error };
    error.next(Call::tool("repo.status"), json!({ "repoId": first }), "says when it answers again")
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
        let patience = Patience { most: left, from_part: false, waited: &waited };
        let wait = || wait_for_tree(call, repo.as_ref(), sync, left, &patience);
        let barrier = match call.pins {
            Some(pins) if sync != Sync::None => pins.barrier(repo.id(), sync, wait)?,
            _ => wait()?,
        };
        waiting.push(Waiting { repo: Arc::clone(repo), barrier, met: RefCell::default() });
    }
    Ok(waiting)
}

fn on_snapshots(
    call: &Call<'_>,
    waiting: &[Waiting],
    (scope, held): (&Scope, Option<Result<Held, ToolError>>),
    run: impl FnOnce(&ReadCx<'_>) -> Result<Answer, ToolError>,
    noted: &str,
) -> Result<Answered, ToolError> {
    let deadline = Instant::now() + call.at_most(READ_LIMIT);
    let reading = Reading { call, deadline, left_out: RefCell::new(scope.notes.clone()) };
    let mut run = Some(run);
    let mut answer_all = |opened: &[Opened<'_>], layers: &[&Layer], fresh: Vec<MemberFreshness>| {
        let run =
            run.take().ok_or_else(|| ToolError::internal("asking a workspace", "it was asked twice"))?;
        answer_from(&reading, (scope, noted), (opened, layers), (fresh, held.clone()), run)
    };
    open_members(&reading, waiting, (Vec::new(), Vec::new(), Vec::new()), &mut answer_all)
}

/// What has been opened so far: repositories, unsaved buffers, and how fresh each is.
type OpenedSoFar<'a> = (Vec<Opened<'a>>, Vec<&'a Layer>, Vec<MemberFreshness>);
/// An answer, and the writes that it leaves.
type Answered = (Answer, Vec<LeaseWrite>);
type AnswerAll<'f> =
    dyn FnMut(&[Opened<'_>], &[&Layer], Vec<MemberFreshness>) -> Result<Answered, ToolError> + 'f;

/// Opens a snapshot of each repository, one inside the other, and answers from all.
fn open_members(
    reading: &Reading<'_>,
    waiting: &[Waiting],
    (opened, layers, fresh): OpenedSoFar<'_>,
    answer: &mut AnswerAll<'_>,
) -> Result<Answered, ToolError> {
    let Some((first, rest)) = waiting.split_first() else { return answer(&opened, &layers, fresh) };
    let (call, repo) = (reading.call, first.repo.as_ref());
    call.check()?;
    let read = repo.ledger().read_with(reading.deadline, |snapshot| {
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
        let view = Watched::new(view, &first.met);
        let state = MemberState { incarnation: snapshot.incarnation(), version, overlay: stamp.overlay };
        opened.push(Opened { repo, view: &view, overlay, state });
        open_members(reading, rest, (opened, layers, fresh), answer)
    });
    read.map_err(|error| {
        if let Some(damage) = Damage::of(&error) {
            first.met.borrow_mut().get_or_insert(damage);
        }
        ToolError::from(error)
    })?
}

fn answer_from(
    reading: &Reading<'_>,
    (scope, noted): (&Scope, &str),
    (opened, layers): (&[Opened<'_>], &[&Layer]),
    (fresh, held): (Vec<MemberFreshness>, Option<Result<Held, ToolError>>),
    run: impl FnOnce(&ReadCx<'_>) -> Result<Answer, ToolError>,
) -> Result<Answered, ToolError> {
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
    let memo = call.memos.shared::<CrossingMemo>();
    let members = opened.iter().map(Opened::as_member).collect();
    let workspace = Workspace::new(members, &outlines, &bodies).with_memo(&memo);
    let source = Source::new(&workspace, &outlines).with_meaning(call.host.meaning());
    let unsaved = opened.iter().filter_map(|one| one.overlay).map(|overlay| overlay.seq);
    let source = match unsaved.reduce(u64::wrapping_add) {
        Some(seq) => source.with_overlay(seq),
        None => source,
    };
    let across = Across { workspace: &workspace, members: opened, left_out: &left_out };
    let whole = Whole { name: scope.name.clone(), first: Arc::clone(first) };
    let freshness = Freshness::of_members(workspace.version(), fresh);
    let writes = RefCell::new(Vec::new());
    let notes = RefCell::new(left_out.clone());
    let mut answer = first.ledger().read_with(reading.deadline, |snapshot| {
        let cx = ReadCx {
            call,
            repo: &whole,
            source: &source,
            snapshot,
            version: workspace.version(),
            overlay: None,
            part: None,
            across: Some(&across),
            reserved: budget::reserved_tokens(&freshness, noted)? + NOTE_TOKENS,
            held,
            writes: &writes,
            notes: &notes,
        };
        run(&cx)
    })??;
    stamp_freshness(&mut answer, &freshness)?;
    let mut notes = notes.into_inner();
    notes.extend(workspace.notes());
    notes.extend(version_notes(&workspace.package_versions()?));
    add_notes(&mut answer, &notes)?;
    if let Some(pins) = call.pins {
        pins.set_freshness(&scope.name, &freshness);
    }
    Ok((answer, writes.into_inner()))
}

/// The versions of packages that edges between repositories lead into: the one asked for and the one there.
fn version_notes(packages: &[PackageVersions]) -> Vec<String> {
    let cut = |version: &str| version.chars().take(LONGEST_VERSION).collect::<String>();
    let shown = packages.iter().take(MOST_VERSIONS).map(|one| {
        let PackageVersions { importer, package, asked, owner, declared } = one;
        match (asked, declared) {
            (Some(asked), Some(there)) => {
                format!("{importer} asks for {package} {}; {owner} has version {}", cut(asked), cut(there))
            }
            (Some(asked), None) => {
                format!("{importer} asks for {package} {}, which is read in {owner}", cut(asked))
            }
            (None, Some(there)) => {
                format!("{importer} uses {package}, of which {owner} has version {}", cut(there))
            }
            (None, None) => format!("{importer} uses {package} of {owner}"),
        }
    });
    let more = packages.len().saturating_sub(MOST_VERSIONS);
    let more = (more > 0).then(|| format!("{more} more packages are imported between these repositories"));
    shown.chain(more).collect()
}
