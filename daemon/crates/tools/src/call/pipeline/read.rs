//! Read actions: the barrier, the snapshot, and the freshness that every answer carries.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use sdl_ledger::Snapshot;
use sdl_model::Version;
use sdl_retrieve::Source;
use sdl_retrieve::layer::{Laid, LaidOutlines};
use sdl_retrieve::part::{Part, PartView};
use serde_json::json;

use super::fields::{add_notes, stamp_freshness, unstored_note};
use super::first_index::{self, Lack, Patience, Stage, too_early};
use super::ignored::{explain, ignored_note};
use super::wait::{READ_LIMIT, SYNC_TIMEOUT, wait_for_tree};
use super::{repo, scope, workspace};
use crate::call::budget;
use crate::call::buffers::Overlay;
use crate::call::context::{Call, ReadCx};
use crate::call::freshness::Sync;
use crate::call::freshness::{Freshness, OverlayOut};
use crate::call::leases::{HandleKind, Held, LeaseWrite, Unwritten};
use crate::call::outlines::{PartOutlines, StoredOutlines};
use crate::call::registry::{Answer, Args, ReadArgs, ReadRunner, take_fields};
use crate::call::stamp::Stamp;
use crate::host::Barrier;
use crate::{Code, Explained, Repo, ToolError};

/// How often a call is answered again because another call restarted its slice meanwhile.
const ATTEMPTS: usize = 5;
/// How long the facts of a part are read for one answer. Those of 50,000 files take about a second.
const PART_LIMIT: Duration = Duration::from_secs(5);

/// Runs a read action on a snapshot taken after the barrier. `noted` is a note that may be added to its answer.
pub(super) fn run_read(
    call: &Call<'_>,
    runner: ReadRunner,
    mut args: Args,
    noted: &str,
) -> Result<Answer, ToolError> {
    let common: ReadArgs = take_fields(&mut args, &["repoId", "sync", "syncTimeoutMs"])?;
    let prepared = (runner.prepare)(args);
    let handle = prepared.as_ref().ok().and_then(|prepared| prepared.handle());
    if let Some(scope) = scope::find_scope(call, common.repo_id.as_deref(), handle.map(|(_, handle)| handle))?
    {
        let prepared = prepared?;
        return workspace::run_across(call, runner, prepared.as_ref(), (&scope, &common), noted);
    }
    let repo = repo::find_repo(call, common.repo_id.as_deref(), handle.map(|(_, handle)| handle))?;
    let asked = AskedRead {
        sync: common.sync.unwrap_or(runner.sync),
        timeout: common.sync_timeout_ms.map_or(SYNC_TIMEOUT, Duration::from_millis),
        early: runner.early,
        from_part: runner.from_part,
        handle,
    };
    read_repo(call, repo.as_ref(), &asked, noted, &|cx| {
        prepared.as_ref().map_err(Clone::clone).and_then(|prepared| prepared.run(cx))
    })
}

/// How a repository is read by code that is no action.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeWait {
    pub(crate) sync: Sync,
    /// How long to wait for the tree.
    pub(crate) timeout: Duration,
    /// Whether to read before there is a first version.
    pub(crate) early: bool,
}

/// Runs `work` on a snapshot taken after the barrier, as the handler of an action runs.
pub(crate) fn read_tree(
    call: &Call<'_>,
    repo: &dyn Repo,
    wait: TreeWait,
    work: &dyn Fn(&ReadCx<'_>) -> Result<Answer, ToolError>,
) -> Result<Answer, ToolError> {
    let TreeWait { sync, timeout, early } = wait;
    read_repo(call, repo, &AskedRead { sync, timeout, early, from_part: false, handle: None }, "", work)
}

/// How a repository is read.
pub(super) struct AskedRead<'a> {
    pub(super) sync: Sync,
    /// How long to wait for the tree.
    pub(super) timeout: Duration,
    /// See [`ReadRunner::early`].
    pub(super) early: bool,
    /// See [`ReadRunner::from_part`].
    pub(super) from_part: bool,
    /// The handle in the arguments.
    pub(super) handle: Option<(HandleKind, &'a str)>,
}

/// Runs `work` on a snapshot taken after the barrier, and performs the writes that it leaves.
pub(super) fn read_repo(
    call: &Call<'_>,
    repo: &dyn Repo,
    asked: &AskedRead<'_>,
    noted: &str,
    work: &dyn Fn(&ReadCx<'_>) -> Result<Answer, ToolError>,
) -> Result<Answer, ToolError> {
    let AskedRead { sync, timeout, early, from_part, handle } = *asked;
    let waited = first_index::Waited::from_now(repo);
    // An action that reports how far the index is doesn't wait for its end.
    let most = if early && sync != Sync::Require { Duration::ZERO } else { timeout };
    let patience = Patience { most, from_part, waited: &waited };
    let wait = || wait_for_tree(call, repo, sync, timeout, &patience);
    let mut barrier = match call.pins {
        Some(pins) => pins.barrier(repo.id(), sync, wait)?,
        None => wait()?,
    };
    let mut moved = false;
    for _ in 0..ATTEMPTS {
        call.check()?;
        let decided = call.decisions.mark();
        let held = handle.map(|(kind, handle)| call.leases.get(repo, kind, handle));
        let wish = Wish { barrier: &barrier, noted, early, from_part };
        let answered = on_snapshot(call, repo, &wish, held, |cx| {
            let unread = cx.snapshot.head().is_none() && !barrier.synced;
            if unread && !early && cx.part.is_none() {
                return Err(too_early(repo, &waited, Lack::Whole));
            }
            match work(cx) {
                // The error is "still indexing", because the named symbol or file may well exist once the tree is
                // read.
                Err(error) if unread && names_nothing(error.refusal.code) => {
                    let lack = if cx.part.is_some() { Lack::InRest } else { Lack::Whole };
                    Err(too_early(repo, &waited, lack))
                }
                // A file changed since it was read, which the index will notice.
                Err(error) if cx.part.is_some() && error.refusal.code == Code::SourceMoved => {
                    Err(too_early(repo, &waited, Lack::InRest))
                }
                answered => answered,
            }
        });
        let (mut answer, writes) = match answered {
            // A file changed between the version and the reading of its text: try once more, after another barrier. A
            // chain stays on its version.
            Err(error)
                if error.refusal.code == Code::SourceMoved
                    && call.pins.is_none()
                    && !std::mem::replace(&mut moved, true) =>
            {
                barrier = repo.barrier(call.at_most(timeout), call.cancel);
                call.decisions.back_to(decided);
                continue;
            }
            answered => answered.map_err(|error| report_damage(repo, error))?,
        };
        match perform_writes(call, repo, writes) {
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

/// Whether an error means that something is not in the tree.
fn names_nothing(code: Code) -> bool {
    matches!(code, Code::UnknownSymbol | Code::UnknownPath)
}

/// Reports damage to the repository.
fn report_damage(repo: &dyn Repo, error: ToolError) -> ToolError {
    let Some(damage) = &error.damage else { return error };
    repo.damaged(damage);
    error.next(Call::tool("repo.status"), json!({ "repoId": repo.id() }), "says when it answers again")
}

/// What an answer is wanted from.
struct Wish<'w> {
    /// The result of waiting for the tree.
    barrier: &'w Barrier,
    /// A note that may be added to the answer.
    noted: &'w str,
    /// See [`ReadRunner::early`].
    early: bool,
    /// See [`ReadRunner::from_part`].
    from_part: bool,
}

/// Returns one answer from one snapshot, and the writes that it leaves. Before the first index is done, from what it has
/// read so far, if the action can do that.
fn on_snapshot(
    call: &Call<'_>,
    repo: &dyn Repo,
    wish: &Wish<'_>,
    held: Option<Result<Held, ToolError>>,
    run: impl FnOnce(&ReadCx<'_>) -> Result<Answer, ToolError>,
) -> Result<(Answer, Vec<LeaseWrite>), ToolError> {
    let barrier = wish.barrier;
    let deadline = Instant::now() + call.at_most(READ_LIMIT);
    let reading = Reading { call, repo, noted: wish.noted, held, writes: RefCell::default(), run };
    repo.ledger().read_with(deadline, |snapshot| {
        let version = snapshot.head().unwrap_or(Version(0));
        let unread = snapshot.head().is_none() && !barrier.synced;
        let stage = if unread { Stage::of(repo) } else { None };
        let read = if unread && wish.from_part { repo.part() } else { None };
        if let (Some(stage), Some(part)) = (stage, read.filter(|part| part.files() > 0)) {
            return reading.answer_from_part(snapshot, barrier, (stage.after(part.files()), &part));
        }
        let overlay = call.buffers.over(repo, call.cancel, snapshot)?;
        let overlay = overlay.as_deref();
        // What agents own is not of the tree.
        let partial = stage.filter(|_| wish.from_part).map(Stage::mark);
        let freshness = Freshness { partial, ..answer_freshness(barrier, version, overlay) };
        let outlines = StoredOutlines(repo.facts());
        let laid = overlay.map(|overlay| {
            let layer = &*overlay.layer;
            let laid = Laid::new(snapshot, layer).with_search(&overlay.search);
            (overlay.seq, laid, LaidOutlines::new([layer], &outlines))
        });
        let source = match &laid {
            None => Source::new(snapshot, &outlines),
            Some((seq, laid, outlines)) => Source::new(laid, outlines).with_overlay(*seq),
        };
        let past = || repo.past(snapshot);
        let source = source.with_meaning(call.host.meaning()).with_past(&past);
        // An action that answers early reports the rules itself.
        let note = if wish.early { None } else { ignored_note(repo, snapshot)? };
        let ground = Ground { source: &source, overlay, part: None, freshness, note };
        reading.answer(snapshot, ground)
    })?
}

/// One reading of a repository.
struct Reading<'c, F> {
    call: &'c Call<'c>,
    repo: &'c dyn Repo,
    noted: &'c str,
    held: Option<Result<Held, ToolError>>,
    writes: RefCell<Vec<LeaseWrite>>,
    run: F,
}

/// What it answers from, beside the snapshot.
struct Ground<'g> {
    source: &'g Source<'g>,
    overlay: Option<&'g Overlay>,
    part: Option<&'g PartView<'g>>,
    freshness: Freshness,
    /// A remark for every answer and every error.
    note: Option<String>,
}

impl<F: FnOnce(&ReadCx<'_>) -> Result<Answer, ToolError>> Reading<'_, F> {
    /// Answers from the files that a first index has read so far. Unsaved buffers are not among them.
    fn answer_from_part(
        self,
        snapshot: &Snapshot<'_>,
        barrier: &Barrier,
        (stage, part): (Stage, &Part),
    ) -> Result<(Answer, Vec<LeaseWrite>), ToolError> {
        let outlines = PartOutlines(self.repo.facts());
        let until = Instant::now() + self.call.at_most(PART_LIMIT);
        let cancel = self.call.cancel;
        let stop = || cancel.is_cancelled() || Instant::now() >= until;
        let view = PartView::new(part, &outlines, &stop);
        let reason = format!("{}; a symbol that is missing here may be in the rest", stage.text());
        let freshness = Freshness {
            partial: Some(stage.mark()),
            reason: Some(reason),
            ..answer_freshness(barrier, Version(0), None)
        };
        let source = Source::of_part(&view, &outlines);
        let ground = Ground { source: &source, overlay: None, part: Some(&view), freshness, note: None };
        self.answer(snapshot, ground)
    }

    fn answer(
        self,
        snapshot: &Snapshot<'_>,
        ground: Ground<'_>,
    ) -> Result<(Answer, Vec<LeaseWrite>), ToolError> {
        let Self { call, repo, noted, held, writes, run } = self;
        let Ground { source, overlay, part, freshness, note } = ground;
        let version = snapshot.head().unwrap_or(Version(0));
        let stamp = Stamp { version, overlay: overlay.map(|overlay| overlay.seq) };
        if call.pins.is_some_and(|pins| !pins.holds(repo.id(), stamp)) {
            return Err(ToolError::new(
                Code::Conflict,
                format!("the repository moved on to {stamp} between two steps"),
            ));
        }
        let notes = RefCell::new(note.iter().cloned().collect());
        let reserved = budget::reserved_tokens(&freshness, noted)?;
        let cx = ReadCx {
            call,
            repo,
            source,
            snapshot,
            version,
            overlay,
            part,
            across: None,
            reserved,
            held,
            writes: &writes,
            notes: &notes,
        };
        let mut answer = run(&cx).map_err(|error| match (&freshness.partial, error.refusal.code) {
            // The rest may have more of that name.
            (Some(partial), Code::AmbiguousSymbol) => error.with("partial", json!(partial)),
            _ => explain(error, note.as_ref()),
        })?;
        if let Some(read) = part.and_then(PartView::stopped_after) {
            cx.note(format!(
                "time was up after {read} of the files read so far; the others were not searched"
            ));
        }
        stamp_freshness(&mut answer, &freshness)?;
        add_notes(&mut answer, &notes.borrow())?;
        if let Some(pins) = call.pins {
            pins.set_freshness(repo.id(), &freshness);
        }
        Ok((answer, writes.take()))
    }
}

/// Performs the writes that an answer left. The first failure is returned; the others are tried all the same.
fn perform_writes(call: &Call<'_>, repo: &dyn Repo, writes: Vec<LeaseWrite>) -> Result<(), Unwritten> {
    let mut outcome = Ok(());
    for write in writes {
        let written = call.leases.write(repo, write);
        if outcome.is_ok() {
            outcome = written;
        }
    }
    outcome
}

fn answer_freshness(barrier: &Barrier, version: Version, overlay: Option<&Overlay>) -> Freshness {
    Freshness {
        version: version.to_string(),
        synced: Some(barrier.synced),
        lag_ms: barrier.lag_ms,
        overlay: overlay.map(|overlay| OverlayOut { seq: overlay.seq, files: overlay.files as u64 }),
        reason: barrier.reason.clone(),
        partial: None,
        repositories: Vec::new(),
    }
}
