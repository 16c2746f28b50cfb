//! The commits before a version, for the lane of history. They are read when something first needs them, in a thread
//! apart from the request, which waits for a moment. Commits that were read are kept, so a new commit costs only its
//! own reading.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sdl_model::{FileId, RelPath};
use sdl_retrieve::past::{NoPast, Past, PastCommit};

use super::commits::{self, Failure};

/// Commits that are looked at, newest first, merges apart.
const COMMITS: usize = 1_000;
/// Maximum number of commits that are passed over, for histories that consist of merges.
const MOST_WALKED: usize = 10 * COMMITS;
/// Commits that touch more files are left out, because they say little about each of them, for example a
/// reformatting.
const MOST_FILES: usize = 60;
/// The time that a request waits. Django's history takes 0.4 s on a slow core, a new commit a few milliseconds.
const PATIENCE: Duration = Duration::from_secs(1);

/// One repository's commits. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Pasts(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// A reading has ended.
    ended: Condvar,
}

#[derive(Default)]
struct State {
    /// The last commit that was asked about, and its history; none if that can't be read.
    kept: Option<(String, Option<Arc<Past>>)>,
    reading: bool,
    /// The data of each commit that was read; none for commits that say nothing.
    known: Known,
}

type Known = HashMap<gix::ObjectId, Option<Arc<PastCommit>>>;

impl Pasts {
    /// The history up to a commit. Waits for it, but not long.
    pub(super) fn at(&self, root: &Path, commit: &str) -> Result<Arc<Past>, NoPast> {
        self.within(PATIENCE, root, commit)
    }

    fn within(&self, patience: Duration, root: &Path, commit: &str) -> Result<Arc<Past>, NoPast> {
        let deadline = Instant::now() + patience;
        let mut state = self.0.lock();
        loop {
            if let Some((_, past)) = state.kept.as_ref().filter(|(of, _)| of == commit) {
                return past.clone().ok_or(NoPast::None);
            }
            if !state.reading {
                state.reading = true;
                let known = std::mem::take(&mut state.known);
                // The lock is released first, because a thread that can't be started notes that in the same state at
                // once.
                drop(state);
                self.start(root.to_owned(), commit.to_owned(), known);
                state = self.0.lock();
                continue;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(NoPast::Pending);
            }
            state = self.0.ended.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Reads in a thread of its own. The reading is noted as ended, whatever happens to the thread.
    fn start(&self, root: PathBuf, commit: String, known: Known) {
        let ending = Ending { shared: self.0.clone(), commit, past: None, known };
        let reading = std::thread::Builder::new().name("history".to_owned()).spawn(move || {
            let mut ending = ending;
            match read_history(&root, &ending.commit, &mut ending.known) {
                Ok(commits) => ending.past = Some(Arc::new(Past::of(commits))),
                Err(error) => tracing::debug!(?root, %error, "git's history can't be read"),
            }
        });
        // The guard was dropped with the thread that did not start, so the end is noted in any case.
        if let Err(error) = reading {
            tracing::warn!(%error, "a thread to read git's history can't be started");
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notes the result of a reading when it is dropped.
struct Ending {
    shared: Arc<Shared>,
    commit: String,
    past: Option<Arc<Past>>,
    known: Known,
}

impl Drop for Ending {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.kept = Some((std::mem::take(&mut self.commit), self.past.take()));
        state.known = std::mem::take(&mut self.known);
        state.reading = false;
        drop(state);
        self.shared.ended.notify_all();
    }
}

/// The newest commits up to `tip`, newest first. Afterwards `known` has the commits that it met, and no others.
fn read_history(root: &Path, tip: &str, known: &mut Known) -> Result<Vec<Arc<PastCommit>>, Failure> {
    let history = commits::open_history(root)?;
    let tip: gix::ObjectId = tip.parse()?;
    let order = gix::revision::walk::Sorting::ByCommitTime(
        gix::traverse::commit::simple::CommitTimeOrder::NewestFirst,
    );
    let mut met = Known::new();
    let mut found = Vec::new();
    for info in history.repo.rev_walk([tip]).sorting(order).all()?.take(MOST_WALKED) {
        // The walk ends where a shallow clone ends.
        let Ok(info) = info else { break };
        if commits::is_merge(&info) {
            continue;
        }
        let told = match known.remove(&info.id) {
            Some(told) => told,
            None => describe_commit(&history, &info)?.map(Arc::new),
        };
        met.insert(info.id, told.clone());
        found.extend(told);
        if found.len() >= COMMITS {
            break;
        }
    }
    *known = met;
    Ok(found)
}

/// The data of one commit; none if it touches no file of the tree or too many, or if its files can't be determined.
fn describe_commit(
    history: &commits::History,
    info: &gix::revision::walk::Info<'_>,
) -> Result<Option<PastCommit>, Failure> {
    let Some(paths) = commits::touched_paths(history, info, MOST_FILES)? else { return Ok(None) };
    if paths.is_empty() {
        return Ok(None);
    }
    let commit = info.object()?;
    let files = paths.iter().filter_map(|path| RelPath::new(path)).map(|path| FileId::of(&path));
    let message = String::from_utf8_lossy(commit.message_raw()?).into_owned();
    Ok(Some(PastCommit::new(commit.time()?.seconds, &message, files.collect())))
}

#[cfg(test)]
mod tests {
    use super::super::commits::written::commit;
    use super::*;

    /// Longer than any reading takes.
    const LONG: Duration = Duration::from_secs(600);

    fn often(past: &Past, path: &str) -> u32 {
        past.touched(FileId::of(&RelPath::new(path).unwrap())).often
    }

    #[test]
    fn commits_are_read_with_what_they_touched() {
        let dir = tempfile::tempdir().unwrap();
        let repo = gix::init(dir.path()).unwrap();
        let first = commit(&repo, ("first", "1", &[("b.rs", "1")]), 30, &[]);
        let one = commit(&repo, ("one", "2", &[("b.rs", "1")]), 20, &[first]);
        let side = commit(&repo, ("side", "1", &[("b.rs", "2")]), 10, &[first]);
        let merge = commit(&repo, ("merge", "2", &[("b.rs", "2")]), 5, &[one, side]);
        let pasts = Pasts::default();
        let past = pasts.within(LONG, dir.path(), &merge.to_string()).unwrap();
        assert_eq!((past.len(), often(&past, "a.rs"), often(&past, "src/b.rs")), (3, 2, 2));
        let again = pasts.within(LONG, dir.path(), &merge.to_string()).unwrap();
        assert!(Arc::ptr_eq(&past, &again), "kept");

        let last = commit(&repo, ("last", "3", &[("b.rs", "2")]), 0, &[merge]);
        let past = pasts.within(LONG, dir.path(), &last.to_string()).unwrap();
        assert_eq!((past.len(), often(&past, "a.rs")), (4, 3));
        let back = pasts.within(LONG, dir.path(), &one.to_string()).unwrap();
        assert_eq!((back.len(), often(&back, "src/b.rs")), (2, 1), "nothing of later commits is left");
    }

    #[test]
    fn a_folder_of_a_work_tree_has_the_commits_that_touched_it() {
        let dir = tempfile::tempdir().unwrap();
        let repo = gix::init(dir.path()).unwrap();
        let first = commit(&repo, ("first", "1", &[("b.rs", "1")]), 30, &[]);
        let outside = commit(&repo, ("outside", "2", &[("b.rs", "1")]), 20, &[first]);
        let last = commit(&repo, ("last", "2", &[("b.rs", "2"), ("c.rs", "1")]), 0, &[outside]);
        let src = dir.path().join("src");
        std::fs::create_dir(&src).unwrap();
        let past = Pasts::default().within(LONG, &src, &last.to_string()).unwrap();
        let touched = ["b.rs", "c.rs", "src/b.rs"].map(|path| often(&past, path));
        assert_eq!((past.len(), touched), (2, [2, 1, 0]));
    }

    #[test]
    fn commits_that_touch_too_much_are_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let repo = gix::init(dir.path()).unwrap();
        let names: Vec<String> = (0..=MOST_FILES).map(|number| format!("f{number:03}.rs")).collect();
        let files = |text: &'static str| names.iter().map(|name| (name.as_str(), text)).collect::<Vec<_>>();
        let first = commit(&repo, ("all", "1", &files("1")), 9, &[]);
        let last = commit(&repo, ("one", "2", &files("1")), 0, &[first]);
        let past = Pasts::default().within(LONG, dir.path(), &last.to_string()).unwrap();
        assert_eq!((past.len(), often(&past, "a.rs")), (1, 1));
    }

    #[test]
    fn what_cannot_be_read_is_no_history() {
        let dir = tempfile::tempdir().unwrap();
        let pasts = Pasts::default();
        assert_eq!(pasts.within(LONG, dir.path(), &"1".repeat(40)).unwrap_err(), NoPast::None);
        gix::init(dir.path()).unwrap();
        assert_eq!(pasts.within(LONG, dir.path(), "no commit").unwrap_err(), NoPast::None);
    }

    #[test]
    fn who_cannot_wait_is_told_so_and_reading_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let repo = gix::init(dir.path()).unwrap();
        let tip = commit(&repo, ("first", "1", &[]), 1, &[]).to_string();
        let pasts = Pasts::default();
        // Another reading is under way.
        pasts.0.lock().reading = true;
        assert_eq!(pasts.within(Duration::ZERO, dir.path(), &tip).unwrap_err(), NoPast::Pending);
        pasts.0.lock().reading = false;
        assert_eq!(pasts.within(LONG, dir.path(), &tip).unwrap().len(), 1);
    }
}
