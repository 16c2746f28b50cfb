//! One repository's tree, as its worker sees it: takes a batch of hints, looks at the tree, and reports how it differs
//! from the known state.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sdl_model::{RelPath, SkipReason};

use crate::crawl::{Crawler, Found, Listing, WatchFolder, absolute_path, skip_of, stat_hint};
use crate::disk::{self, Identity, Kind, RootDir};
use crate::error::Problem;
use crate::git::{self, Tracked};
use crate::handle::TreeHandle;
use crate::hub::RootOptions;
use crate::inbox::{Batch, Inbox, Rescan};
use crate::read::Reader;
use crate::reconcile::{Known, Merge, needs_read};
use crate::router::lock_mutex;
use crate::rules::{self, Outside, Rules, Scope};
use crate::source::WatchError;

/// Maximum number of paths that git may begin or cease to track at once. If there are more, the whole tree is
/// compared instead of single places.
const MOST_TRACKED_CHANGES: usize = 10_000;

/// The result of a batch.
#[derive(Debug, Default)]
pub struct Changes {
    /// To be read and hashed, in order of path; see [`crate::Difference::candidates`].
    pub candidates: Vec<Found>,
    /// Known, and gone or ignored now. In order of path.
    pub removed: Vec<RelPath>,
    /// Git's HEAD is to be read again.
    pub head_changed: bool,
    /// The reason why the whole tree was compared, if it was.
    pub rescan: Option<Rescan>,
    /// Places that could not be looked at. Where the [`Problem::passing`] flag is set, the known state was kept.
    pub problems: Vec<Problem>,
    /// The root is not there. Everything else is empty; no known file is reported as removed, because a disk may just
    /// not be mounted.
    pub root_gone: bool,
    /// The root can't be opened, for a reason that does not show whether it exists, for example too many open files.
    /// Everything else is empty.
    pub root_error: Option<io::Error>,
    /// The number of folders that were listed.
    pub folders: usize,
    /// See [`Listing::ignored_by`]; for the whole tree, if all of it was compared.
    pub ignored_by: Vec<String>,
}

impl Changes {
    /// Whether it answers for the whole batch, so that its barriers may be released.
    pub fn is_complete(&self) -> bool {
        !self.root_gone && self.root_error.is_none() && !self.problems.iter().any(|problem| problem.passing)
    }
}

/// A repository's tree. Owned by the repository's one worker:
///
/// ```no_run
/// # use sdl_watch::{Tree, NothingKnown};
/// # fn work(tree: &mut Tree) -> Result<(), std::convert::Infallible> {
/// while let Some(batch) = tree.inbox().next() {
///     let changes = tree.changes(&batch, &NothingKnown)?;
///     // Read the candidates with `tree.reader()`, resolve, commit, publish. Only then:
///     tree.finish(&batch, &changes);
/// }
/// # Ok(())
/// # }
/// ```
pub struct Tree {
    handle: TreeHandle,
    options: RootOptions,
    rules: Rules,
    outside: Outside,
    tracked: Arc<Tracked>,
    /// The reason why git's index is not read.
    index_problem: Option<String>,
    dir: Option<Arc<RootDir>>,
    /// Counts the calls that crawled. A watch that no crawl renewed is dropped.
    round: u32,
    /// Batches in a row that could not be completed.
    failures: u32,
    /// The root is scanned, and the current batch tries to watch it again.
    trying: bool,
}

impl Tree {
    pub(crate) fn new(handle: TreeHandle, options: RootOptions) -> Self {
        let outside = Outside::default();
        let rules = Rules::new(&options.ignore, &outside, Arc::default());
        Self {
            handle,
            options,
            rules,
            outside,
            tracked: Arc::default(),
            index_problem: None,
            dir: None,
            round: 0,
            failures: 0,
            trying: false,
        }
    }

    /// The handle through which others ask for barriers and status.
    pub fn handle(&self) -> &TreeHandle {
        &self.handle
    }

    /// The pending changes.
    pub fn inbox(&self) -> Arc<Inbox> {
        self.handle.inbox().clone()
    }

    /// The reason why git's index could not be read at the last look, for people. Without the index, files that git
    /// tracks although its patterns ignore them are excluded.
    pub fn index_problem(&self) -> Option<&str> {
        self.index_problem.as_deref()
    }

    /// Reads files of the tree, from any thread. Call it again after each [`Self::changes`].
    pub fn reader(&self) -> Reader {
        Reader::new(self.dir.clone(), self.handle.hub.0.config.clock.clone())
    }

    /// Replaces the repository's extra patterns. Takes effect with the rescan that this call requests.
    pub fn set_ignore(&mut self, patterns: Vec<String>) {
        self.options.ignore = patterns;
        self.inbox().ask_rescan(Rescan::Rules);
    }

    /// Looks at the paths of the batch, and compares them with the known state. Folders are watched before they are
    /// listed.
    pub fn changes<K: Known>(&mut self, batch: &Batch, known: &K) -> Result<Changes, K::Error> {
        self.round += 1;
        let mut work = Work { changes: Changes::default(), found: BTreeMap::new(), removed: BTreeSet::new() };
        work.changes.head_changed = batch.head_changed;
        let git_touched = batch.dirty.iter().any(|path| path == Path::new(".git"));
        let mut rescan = batch.rescan;
        if rescan.is_some() || self.dir.is_none() {
            match self.open_root() {
                Ok(()) => {}
                Err(error) if disk::is_gone(&error) => work.changes.root_gone = true,
                Err(error) => work.changes.root_error = Some(error),
            }
        }
        if self.dir.is_none() {
            return Ok(work.finish());
        }
        let hub = self.handle.hub.clone();
        self.trying = rescan.is_some() && hub.0.begins_again(&self.handle.route);
        let git_changed = batch.head_changed || git_touched || rescan.is_some();
        if git_changed {
            work.changes.head_changed = true;
            self.watch_git();
            // The files from which the rules are read are watched from here on.
            let outside = Outside::of(self.handle.root(), &self.options);
            if outside != self.outside {
                self.outside = outside;
                rescan = rescan.or(Some(Rescan::Rules));
            }
        }
        let Some(dir) = self.dir.clone() else { return Ok(work.finish()) };
        let mut dirty = batch.dirty.clone();
        if git_changed || batch.index_changed {
            let before = self.read_index(&mut work);
            match before.difference(&self.tracked, MOST_TRACKED_CHANGES) {
                Some(paths) => {
                    dirty.extend(self.rules.left_out_at(&dir, &paths).into_iter().map(PathBuf::from))
                }
                None => rescan = rescan.or(Some(Rescan::Rules)),
            }
        }
        if let Some(reason) = rescan {
            work.changes.rescan = Some(reason);
            self.rules = Rules::new(&self.options.ignore, &self.outside, self.tracked.clone());
            let levels = self.rules.base();
            self.crawl(&dir, "", (levels, Scope::All), known, &mut work)?;
            if std::mem::take(&mut self.trying) {
                self.handle.route.watched_again();
            }
        } else {
            self.look(&dir, &dirty, known, &mut work)?;
        }
        Ok(work.finish())
    }

    /// Call when the batch is committed. Releases its barriers if the changes were complete; otherwise looks at the
    /// batch again after a while.
    pub fn finish(&mut self, batch: &Batch, changes: &Changes) {
        if changes.is_complete() {
            self.failures = 0;
            self.inbox().release(batch.serial);
        } else {
            self.failed();
        }
    }

    /// Call when the batch could not be committed. Compares the tree again after a while that grows with each failure.
    pub fn failed(&mut self) {
        let after = Duration::from_secs(1 << self.failures.min(8));
        self.failures += 1;
        self.inbox().fail(after);
    }

    fn open_root(&mut self) -> io::Result<()> {
        self.dir = None;
        let opened = RootDir::open(self.handle.root());
        // A folder that is missing now is not the same as the folder that may come back.
        let identity = opened.as_ref().map_or(Identity { device: 0, inode: 0 }, RootDir::identity);
        *lock_mutex(&self.handle.route.identity) = Some(identity);
        self.dir = Some(Arc::new(opened?));
        Ok(())
    }

    /// Whether watches must be kept. This includes the time while they are tried, because their events count from then
    /// on.
    fn is_watched(&self) -> bool {
        self.trying || !self.handle.route.is_scanning()
    }

    /// The root can't be watched.
    fn degrade(&mut self, reason: String) {
        self.trying = false;
        self.handle.hub.0.degrade(&self.handle.route, &reason, true);
    }

    /// Watches the files that show that HEAD moved. HEAD may be read after this, not before.
    fn watch_git(&mut self) {
        if !self.is_watched() {
            return;
        }
        let git = git::discover_git(self.handle.root(), self.options.home.as_deref());
        let folders = git.as_ref().map(|git| git.folders(self.handle.root())).unwrap_or_default();
        self.handle.inbox().set_git_lock(git.map(|git| git.index_lock()));
        if let Err(error) = self.handle.hub.0.watch_git(&self.handle.route, &folders) {
            self.degrade(format!("git's data can't be watched: {error}"));
        }
    }

    /// Reads the paths that git tracks, and returns those of the previous reading.
    fn read_index(&mut self, work: &mut Work) -> Arc<Tracked> {
        let read = self.outside.tracked();
        self.index_problem = read.as_ref().err().map(|problem| problem.error.to_string());
        let now = match read {
            Ok(now) => now,
            Err(problem) => {
                let passing = problem.passing;
                work.changes.problems.push(problem);
                if passing {
                    return self.tracked.clone();
                }
                Tracked::default()
            }
        };
        if now == *self.tracked {
            return self.tracked.clone();
        }
        let now = Arc::new(now);
        self.rules.set_tracked(now.clone());
        std::mem::replace(&mut self.tracked, now)
    }

    /// Crawls a folder and compares all below it.
    fn crawl<K: Known>(
        &mut self,
        dir: &RootDir,
        folder: &str,
        (levels, scope): (rules::Levels, Scope),
        known: &K,
        work: &mut Work,
    ) -> Result<(), K::Error> {
        let watched = self.is_watched();
        let mut watch = WatchTree { handle: &self.handle, round: self.round, given_up: None };
        let clock = self.handle.hub.0.config.clock.clone();
        let watcher = if watched { Some(&mut watch as &mut dyn WatchFolder) } else { None };
        let mut crawler = Crawler::new(dir, &mut self.rules, &*clock, watcher);
        crawler.crawl(folder.to_owned(), levels, scope);
        let listing = crawler.finish();
        match watch.given_up {
            Some(reason) => self.degrade(reason),
            None if watched => {
                let top = absolute_path(self.handle.root(), Path::new(folder));
                self.handle.hub.0.forget_stale(&self.handle.route, &top, self.round);
            }
            None => {}
        }
        work.compare(folder, listing, known)
    }

    /// Looks at single paths.
    fn look<K: Known>(
        &mut self,
        dir: &RootDir,
        dirty: &[PathBuf],
        known: &K,
        work: &mut Work,
    ) -> Result<(), K::Error> {
        let dirty = self.widen(dirty);
        // A folder that has been crawled covers everything below it, and comes before it in order.
        let mut crawled: Option<PathBuf> = None;
        let mut scopes = Scopes::default();
        for path in dirty {
            if crawled.as_ref().is_some_and(|top| path.starts_with(top)) {
                continue;
            }
            if self.look_at(dir, &path, known, &mut scopes, work)? {
                crawled = Some(path);
            }
        }
        Ok(())
    }

    /// Adds the paths that a change of an ignore file or of a marker affects.
    fn widen(&mut self, dirty: &[PathBuf]) -> BTreeSet<PathBuf> {
        let mut wide: BTreeSet<PathBuf> = dirty.iter().cloned().collect();
        for path in dirty {
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            let Some(folder) = path.parent() else { continue };
            if rules::is_rules_file(name) {
                // Read again when the folder is crawled.
                if let Some(folder) = folder.to_str() {
                    self.rules.forget_below(folder);
                }
                wide.insert(folder.to_owned());
            }
            if let Some(other) = rules::judged_by(name)
                && path != Path::new(".git")
            {
                wide.insert(folder.join(other).components().collect());
            }
        }
        wide
    }

    /// Looks at one path. Returns whether it was a folder, in which case everything below it has been looked at as
    /// well.
    fn look_at<K: Known>(
        &mut self,
        dir: &RootDir,
        path: &Path,
        known: &K,
        scopes: &mut Scopes,
        work: &mut Work,
    ) -> Result<bool, K::Error> {
        let shown = listed_path(path);
        let Some(parent) = path.parent().map_or(Some(""), Path::to_str) else {
            // Nothing to do, because the folder above has a bad name and is listed as skipped as a whole.
            return Ok(false);
        };
        if shown.is_empty() {
            let levels = self.rules.base();
            self.crawl(dir, "", (levels, Scope::All), known, work)?;
            return Ok(true);
        }
        let meta = match dir.meta(path) {
            Ok(meta) => meta,
            Err(error) if disk::is_gone(&error) => {
                self.gone(path, &shown);
                return work.gone(&shown, known).map(|()| false);
            }
            Err(error) => {
                let passing = disk::is_passing(&error);
                if !passing {
                    work.gone(&shown, known)?;
                }
                work.changes.problems.push(Problem { path: shown, error, passing });
                return Ok(false);
            }
        };
        let levels = self.rules.levels(dir, parent);
        let exists = |at: &str| dir.meta(&Path::new(parent).join(at)).is_ok();
        let is_folder = meta.kind == Kind::Folder;
        let scope = scopes
            .of(&mut self.rules, dir, parent)
            .and_then(|scope| self.rules.admit(scope, &levels, &shown, is_folder, exists));
        let Some(scope) = scope else {
            self.gone(path, &shown);
            return work.gone(&shown, known).map(|()| false);
        };
        let valid = path.to_str().is_some();
        if is_folder && valid {
            if known.file(&shown)?.is_some() {
                work.removed.extend(RelPath::new(&shown));
            }
            self.crawl(dir, &shown, (levels, scope), known, work)?;
            return Ok(true);
        }
        // It may have been a folder.
        self.gone(path, &shown);
        work.gone_below(&shown, known)?;
        let skip = if valid { skip_of(meta.kind) } else { Some(SkipReason::NonUtf8Name) };
        let now = self.handle.hub.0.config.clock.wall_ns();
        if let Some(rel) = RelPath::new(&shown) {
            let found = Found { path: rel, stat: stat_hint(&meta, now), skip };
            if needs_read(known.file(&shown)?, &found) {
                work.found.insert(found.path.clone(), found);
            }
        }
        Ok(false)
    }

    /// There is no folder (any more) at this path.
    fn gone(&mut self, path: &Path, shown: &str) {
        self.rules.forget_below(shown);
        if self.is_watched() {
            let path = absolute_path(self.handle.root(), path);
            self.handle.hub.0.forget_below(&self.handle.route, &path);
        }
    }
}

/// The findings of a batch so far.
struct Work {
    changes: Changes,
    found: BTreeMap<RelPath, Found>,
    removed: BTreeSet<RelPath>,
}

impl Work {
    /// Compares a crawl of `folder` with the known state below it.
    fn compare<K: Known>(&mut self, folder: &str, listing: Listing, known: &K) -> Result<(), K::Error> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let passing: Vec<String> =
            listing.problems.iter().filter(|p| p.passing).map(|p| format!("{}/", p.path)).collect();
        let mut merge = Merge::new(&listing.found);
        known.under(&prefix, &mut |path, file| {
            let unsure = passing
                .iter()
                .any(|at| at == "/" || path.starts_with(at.as_str()) || at.strip_suffix('/') == Some(path));
            if !unsure {
                merge.known(path, file);
            }
        })?;
        let difference = merge.finish();
        self.removed.extend(difference.removed);
        self.found.extend(difference.candidates.into_iter().map(|found| (found.path.clone(), found)));
        self.changes.folders += listing.folders;
        if folder.is_empty() {
            self.changes.ignored_by = listing.ignored_by;
        }
        self.changes.problems.extend(listing.problems);
        Ok(())
    }

    /// There is nothing at this path.
    fn gone<K: Known>(&mut self, path: &str, known: &K) -> Result<(), K::Error> {
        if known.file(path)?.is_some() {
            self.removed.extend(RelPath::new(path));
        }
        self.gone_below(path, known)
    }

    fn gone_below<K: Known>(&mut self, path: &str, known: &K) -> Result<(), K::Error> {
        known.under(&format!("{path}/"), &mut |path, _| self.removed.extend(RelPath::new(path)))
    }

    fn finish(self) -> Changes {
        let Self { mut changes, found, mut removed } = self;
        removed.retain(|path| !found.contains_key(path));
        changes.candidates = found.into_values().collect();
        changes.removed = removed.into_iter().collect();
        changes
    }
}

/// Remembers, within a batch, which part of each folder belongs to the tree, because many paths share their folders.
#[derive(Default)]
struct Scopes(BTreeMap<String, Option<Scope>>);

impl Scopes {
    /// The part of this folder that belongs to the tree. None: it or a folder above it is ignored.
    fn of(&mut self, rules: &mut Rules, dir: &RootDir, folder: &str) -> Option<Scope> {
        if folder.is_empty() {
            return Some(Scope::All);
        }
        if let Some(scope) = self.0.get(folder) {
            return *scope;
        }
        let parent = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
        let scope = self.of(rules, dir, parent).and_then(|scope| {
            let levels = rules.levels(dir, parent);
            let exists = |at: &str| dir.meta(&Path::new(parent).join(at)).is_ok();
            rules.admit(scope, &levels, folder, true, exists).filter(|_| !rules::is_worktree(dir, folder))
        });
        self.0.insert(folder.to_owned(), scope);
        scope
    }
}

struct WatchTree<'a> {
    handle: &'a TreeHandle,
    round: u32,
    given_up: Option<String>,
}

impl WatchFolder for WatchTree<'_> {
    fn watch(&mut self, path: &Path, identity: Identity) -> Result<bool, WatchError> {
        let path = absolute_path(self.handle.root(), path);
        self.handle.hub.0.watch(&self.handle.route, &path, identity, self.round)
    }

    fn forget(&mut self, path: &Path) {
        self.handle.hub.0.forget_below(&self.handle.route, &absolute_path(self.handle.root(), path));
    }

    fn give_up(&mut self, reason: String) {
        self.given_up = Some(reason);
    }
}

/// A path as it is listed: bad bytes replaced by `\u{fffd}`, `/` between parts.
fn listed_path(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}
