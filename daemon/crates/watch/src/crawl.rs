//! Lists the contents of a tree.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sdl_model::{RelPath, SkipReason, StatHint};

use crate::clock::{Clock, SystemClock};
use crate::disk::{self, Folder, Identity, Kind, Meta, RootDir};
use crate::error::Problem;
use crate::git::Tracked;
use crate::hub::RootOptions;
use crate::root::CanonicalRoot;
use crate::rules::{self, Levels, Outside, Rules, Scope};
use crate::source::WatchError;

/// One entry that is not ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its path. If the name is not UTF-8, its bad bytes are shown as `\u{fffd}`.
    pub path: RelPath,
    /// Its `stat`.
    pub stat: StatHint,
    /// Why it can't be read as a source file, if that is known without reading it.
    pub skip: Option<SkipReason>,
}

/// The result of a crawl, in order of path.
#[derive(Debug, Default)]
pub struct Listing {
    /// Files, and entries that are skipped although they might be files.
    pub found: Vec<Found>,
    /// Places that could not be looked at.
    pub problems: Vec<Problem>,
    /// The number of folders that were listed.
    pub folders: usize,
    /// The number of entries that the rules excluded; entries below an ignored folder are not counted.
    pub ignored: usize,
    /// The first few rules that excluded an entry, for people, each with one such entry.
    pub ignored_by: Vec<String>,
}

/// Rules that a listing names.
const TOLD_RULES: usize = 3;

/// Why a crawl passes over a folder with a git worktree.
const WORKTREE: &str = "is a git worktree, which is a repository of its own";

/// Lists a whole tree without watching it.
pub struct Crawl {
    root: RootDir,
    rules: Rules,
    problem: Option<Problem>,
}

impl Crawl {
    /// Opens the root and reads the rules that are defined outside of it.
    pub fn new(root: &CanonicalRoot, options: &RootOptions) -> io::Result<Self> {
        let outside = Outside::of(root.path(), options);
        let (tracked, problem) = match outside.tracked() {
            Ok(tracked) => (tracked, None),
            Err(problem) => (Tracked::default(), Some(problem)),
        };
        let rules = Rules::new(&options.ignore, &outside, Arc::new(tracked));
        Ok(Self { root: RootDir::open(root.path())?, rules, problem })
    }

    /// Lists it.
    pub fn run(mut self) -> Listing {
        let levels = self.rules.base();
        let mut crawler = Crawler::new(&self.root, &mut self.rules, &SystemClock, None);
        crawler.crawl(String::new(), levels, Scope::All);
        let mut listing = crawler.finish();
        listing.problems.extend(self.problem);
        listing
    }
}

/// Watches a folder before it is listed.
pub(crate) trait WatchFolder {
    /// See [`crate::table::Table::watch`].
    fn watch(&mut self, path: &Path, identity: Identity) -> Result<bool, WatchError>;
    /// The folder turned out not to belong to the tree.
    fn forget(&mut self, path: &Path);
    /// Events can't be had: no more folders will be watched.
    fn give_up(&mut self, reason: String);
}

/// How often a folder is tried again if another folder is in its place at each look.
const TRIES: u8 = 8;

struct Pending {
    path: String,
    levels: Levels,
    scope: Scope,
    tries: u8,
}

/// The properties that the entries of a folder share.
#[derive(Clone, Copy)]
struct Inside<'f> {
    folder: &'f Folder,
    levels: &'f Levels,
    scope: Scope,
    /// When the folder was read.
    read_ns: i64,
}

/// The names of one folder, in one buffer.
#[derive(Default)]
struct Names {
    bytes: Vec<u8>,
    /// The end of the name in `bytes`, and the kind of entry, if the listing said so.
    ends: Vec<(usize, Option<Kind>)>,
}

pub(crate) struct Crawler<'a> {
    root: &'a RootDir,
    rules: &'a mut Rules,
    clock: &'a dyn Clock,
    watch: Option<&'a mut dyn WatchFolder>,
    listing: Listing,
    pending: Vec<Pending>,
    names: Names,
    buffer: Vec<u8>,
    path: String,
}

impl<'a> Crawler<'a> {
    pub(crate) fn new(
        root: &'a RootDir,
        rules: &'a mut Rules,
        clock: &'a dyn Clock,
        watch: Option<&'a mut dyn WatchFolder>,
    ) -> Self {
        Self {
            root,
            rules,
            clock,
            watch,
            listing: Listing::default(),
            pending: Vec::new(),
            names: Names::default(),
            buffer: Vec::new(),
            path: String::new(),
        }
    }

    /// Lists a folder that is known not to be ignored, and everything below it that belongs to the tree. `levels` are
    /// those of its parent.
    pub(crate) fn crawl(&mut self, path: String, levels: Levels, scope: Scope) {
        self.rules.forget_below(&path);
        self.pending.push(Pending { path, levels, scope, tries: 0 });
        // A list of pending folders instead of recursion, because the tree's nesting must not decide the depth of our
        // stack.
        while let Some(next) = self.pending.pop() {
            self.enter(next);
        }
    }

    pub(crate) fn finish(mut self) -> Listing {
        self.listing.found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        // Two bad names can look the same when shown; a real name is preferred to a shown one.
        self.listing.found.dedup_by(|later, earlier| {
            let same = later.path == earlier.path;
            if same && earlier.skip == Some(SkipReason::NonUtf8Name) {
                std::mem::swap(later, earlier);
            }
            same
        });
        self.listing
    }

    fn enter(&mut self, mut at: Pending) {
        let folder = match self.root.folder(Path::new(&at.path)) {
            Ok(folder) => folder,
            Err(error) => return self.failed(&at.path, error),
        };
        match self.watch_folder(&folder, &at.path) {
            Ok(true) => {}
            Ok(false) if at.tries < TRIES => {
                at.tries += 1;
                return self.pending.push(at);
            }
            Ok(false) => {
                return self.listing.problems.push(Problem {
                    path: at.path,
                    error: io::Error::other("the folder is being replaced again and again"),
                    passing: true,
                });
            }
            Err(error) => return self.failed(&at.path, error),
        }
        // The folder is watched before it is listed, because only then no change of its entries goes unseen.
        let read_ns = self.clock.wall_ns();
        let mut names = std::mem::take(&mut self.names);
        let listed = names.fill(&folder, &mut self.buffer);
        match listed {
            Ok(()) => self.visit(&at, &folder, &names, read_ns),
            Err(error) => self.failed(&at.path, error),
        }
        self.names = names;
    }

    /// Watches the folder. `Ok(false)`: it was swapped for another meanwhile.
    fn watch_folder(&mut self, folder: &Folder, path: &str) -> io::Result<bool> {
        let Some(watch) = self.watch.as_deref_mut() else { return Ok(true) };
        let identity = folder.identity()?;
        let reason = if identity.device == self.root.identity().device { None } else { folder_fs(folder) };
        let error = match reason {
            Some(reason) => format!("{path}: {reason}"),
            None => match watch.watch(Path::new(path), identity) {
                Ok(same) => return Ok(same),
                Err(WatchError::Gone) => return Err(io::ErrorKind::NotFound.into()),
                Err(error) => error.to_string(),
            },
        };
        watch.give_up(error);
        self.watch = None;
        Ok(true)
    }

    fn failed(&mut self, path: &str, error: io::Error) {
        if disk::is_gone(&error) {
            // Passed over, because its own event reports it, or has done so.
            return;
        }
        let passing = disk::is_passing(&error);
        // An entry that is too deep to be named can't even be looked at. It exists all the same, and is reported as
        // skipped.
        let meta = self.root.meta(Path::new(path)).ok();
        if !passing
            && let Some(rel) = RelPath::new(path)
            && (meta.is_some() || disk::is_too_long(&error))
        {
            let now = self.clock.wall_ns();
            let unknown = StatHint { size: 0, mtime_ns: 0, ctime_ns: 0, inode: 0, read_ns: now };
            let stat = meta.map_or(unknown, |meta| stat_hint(&meta, now));
            self.listing.found.push(Found { path: rel, stat, skip: Some(SkipReason::Unreadable) });
        }
        self.listing.problems.push(Problem { path: path.to_owned(), error, passing });
    }

    fn visit(&mut self, at: &Pending, folder: &Folder, names: &Names, read_ns: i64) {
        let mut has_rules = false;
        let mut has_git_file = false;
        for (name, kind) in names.iter() {
            let name = name.as_encoded_bytes();
            has_rules |= (name == rules::GITIGNORE.as_bytes() || name == rules::SDLIGNORE.as_bytes())
                && kind != Some(Kind::Folder);
            has_git_file |= name == b".git" && kind != Some(Kind::Folder);
        }
        if has_git_file && !at.path.is_empty() && rules::is_worktree(self.root, &at.path) {
            self.listing.ignored += 1;
            self.note_reason(format!("{}: {WORKTREE}", at.path));
            if let Some(watch) = self.watch.as_deref_mut() {
                watch.forget(Path::new(&at.path));
            }
            return;
        }
        self.listing.folders += 1;
        let levels =
            if has_rules { self.rules.enter(self.root, &at.path, &at.levels) } else { at.levels.clone() };
        let inside = Inside { folder, levels: &levels, scope: at.scope, read_ns };
        let mut path = std::mem::take(&mut self.path);
        for (name, kind) in names.iter() {
            path.clear();
            if !at.path.is_empty() {
                path.push_str(&at.path);
                path.push('/');
            }
            match name.to_str() {
                Some(name) => path.push_str(name),
                None => path.push_str(&name.to_string_lossy()),
            }
            self.entry(&path, name, kind, &inside);
        }
        self.path = path;
    }

    fn entry(&mut self, path: &str, name: &OsStr, hint: Option<Kind>, inside: &Inside<'_>) {
        let Inside { folder, levels, scope, read_ns } = *inside;
        let (kind, meta) = match hint {
            Some(Kind::Folder) => (Kind::Folder, None),
            Some(kind) => (kind, None),
            None => match folder.meta(name) {
                Ok(meta) => (meta.kind, Some(meta)),
                Err(error) => return self.failed(path, error),
            },
        };
        let admitted = self.rules.admit(scope, levels, path, kind == Kind::Folder, |path| folder.has(path));
        // Nothing new needs to be reported about entries below a folder that git's patterns exclude.
        if scope == Scope::All && admitted != Some(Scope::All) && self.listing.ignored_by.len() < TOLD_RULES {
            self.note_rule(levels, path, kind == Kind::Folder);
        }
        let Some(scope) = admitted else {
            self.listing.ignored += 1;
            return;
        };
        let valid = name.to_str().is_some();
        if kind == Kind::Folder && valid {
            return self.pending.push(Pending {
                path: path.to_owned(),
                levels: levels.clone(),
                scope,
                tries: 0,
            });
        }
        let meta = match meta.map_or_else(|| folder.meta(name), Ok) {
            Ok(meta) => meta,
            Err(error) => return self.failed(path, error),
        };
        if meta.kind == Kind::Folder && valid {
            // It had another kind a moment ago, and its event is on the way.
            return self.pending.push(Pending {
                path: path.to_owned(),
                levels: levels.clone(),
                scope,
                tries: 0,
            });
        }
        let skip = if valid { skip_of(meta.kind) } else { Some(SkipReason::NonUtf8Name) };
        if let Some(path) = RelPath::new(path) {
            self.listing.found.push(Found { path, stat: stat_hint(&meta, read_ns), skip });
        }
    }
}

impl Crawler<'_> {
    /// Notes the rule that excludes an entry, once for each rule.
    fn note_rule(&mut self, levels: &Levels, path: &str, is_folder: bool) {
        let Some(reason) = self.rules.reason(levels, path, is_folder) else { return };
        self.note_reason(reason);
    }

    /// The same for a reason of the form `place: rule`.
    fn note_reason(&mut self, reason: String) {
        let rule = |reason: &str| reason.rsplit_once(": ").map(|(_, rule)| rule.to_owned());
        let known = self.listing.ignored_by.iter().any(|known| rule(known) == rule(&reason));
        if !known && self.listing.ignored_by.len() < TOLD_RULES {
            self.listing.ignored_by.push(shorten_middle(&reason));
        }
    }
}

impl Names {
    fn fill(&mut self, folder: &Folder, buffer: &mut Vec<u8>) -> io::Result<()> {
        self.bytes.clear();
        self.ends.clear();
        folder.list(buffer, |name, kind| {
            self.bytes.extend_from_slice(name.as_encoded_bytes());
            self.ends.push((self.bytes.len(), kind));
        })
    }

    fn iter(&self) -> impl Iterator<Item = (&OsStr, Option<Kind>)> {
        let mut start = 0;
        self.ends.iter().map(move |(end, kind)| {
            let name = self.bytes.get(start..*end).unwrap_or_default();
            start = *end;
            (disk::name_of(name), *kind)
        })
    }
}

#[cfg(target_os = "linux")]
fn folder_fs(folder: &Folder) -> Option<String> {
    crate::fs_type::without_events_at(std::os::fd::AsFd::as_fd(folder))
}

#[cfg(not(target_os = "linux"))]
fn folder_fs(_folder: &Folder) -> Option<String> {
    None
}

/// The reason why an entry of this kind has no facts.
pub(crate) fn skip_of(kind: Kind) -> Option<SkipReason> {
    match kind {
        Kind::File => None,
        Kind::Symlink => Some(SkipReason::Symlink),
        Kind::Special => Some(SkipReason::Special),
        Kind::Folder => Some(SkipReason::Unreadable),
    }
}

/// Converts a `stat` that was taken at `read_ns`, or a little later, to the form in which it is kept.
pub(crate) fn stat_hint(meta: &Meta, read_ns: i64) -> StatHint {
    StatHint {
        size: meta.size,
        mtime_ns: meta.mtime_ns,
        ctime_ns: meta.ctime_ns,
        inode: meta.identity.inode,
        read_ns,
    }
}

/// A text for people, without its middle if it is long: `/home/me/…/src`. Paths in it may be long.
pub fn shorten_middle(text: &str) -> String {
    const HEAD: usize = 120;
    const TAIL: usize = 60;
    let length = text.chars().count();
    if length <= HEAD + TAIL {
        return text.to_owned();
    }
    let head: String = text.chars().take(HEAD).collect();
    let tail: String = text.chars().skip(length - TAIL).collect();
    format!("{head}…{tail}")
}

/// The absolute path of a relative one.
pub(crate) fn absolute_path(root: &Path, path: &Path) -> PathBuf {
    if path.as_os_str().is_empty() { root.to_owned() } else { root.join(path) }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::fs;
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;
    use crate::root::{RootContext, check_root};

    fn crawl(root: &Path) -> Listing {
        let root = check_root(root, &[], &RootContext::default()).unwrap();
        Crawl::new(&root, &RootOptions::default()).unwrap().run()
    }

    #[test]
    fn order_is_that_of_whole_paths() {
        let temp = tempfile::tempdir().unwrap();
        for path in ["a/z", "a-b", "a.txt", "a/b/c", "a0", "B"] {
            let path = temp.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let found = crawl(temp.path()).found;
        let paths: Vec<_> = found.iter().map(|found| found.path.as_str()).collect();
        assert_eq!(paths, ["B", "a-b", "a.txt", "a/b/c", "a/z", "a0"]);
        assert!(found.iter().all(|found| found.stat.size == 1 && found.stat.inode != 0));
    }

    #[test]
    fn a_path_too_long_for_the_system_is_a_problem_and_no_more() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("a.rs"), "").unwrap();
        let name = "d".repeat(200);
        let mut at = rustix::fs::open(
            temp.path(),
            rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY,
            rustix::fs::Mode::empty(),
        )
        .unwrap();
        for _ in 0..30 {
            rustix::fs::mkdirat(&at, &name, rustix::fs::Mode::RWXU).unwrap();
            let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY;
            at = rustix::fs::openat(&at, &name, flags, rustix::fs::Mode::empty()).unwrap();
        }
        let listing = crawl(temp.path());
        assert_eq!(listing.found.len(), 2);
        let deep = &listing.found[1];
        assert!(
            deep.path.as_str().len() > 4_000 && deep.skip == Some(SkipReason::Unreadable),
            "it is reported"
        );
        assert_eq!(listing.problems.len(), 1);
        assert!(!listing.problems[0].passing);
    }

    #[test]
    fn long_texts_lose_their_middle() {
        assert_eq!(shorten_middle("a/b: no"), "a/b: no");
        let long = shorten_middle(&format!("{}: File name too long", "é/".repeat(5_000)));
        assert!(
            long.chars().count() == 181 && long.starts_with("é/") && long.ends_with("too long"),
            "{long}"
        );
    }

    #[test]
    fn a_real_name_wins_over_one_that_is_only_shown_so() {
        let temp = tempfile::tempdir().unwrap();
        for name in [b"a\xff".as_slice(), b"a\xfe", "a\u{fffd}".as_bytes()] {
            fs::write(temp.path().join(OsStr::from_bytes(name)), "").unwrap();
        }
        let found = crawl(temp.path()).found;
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].path.as_str(), found[0].skip), ("a\u{fffd}", None));
    }

    #[test]
    fn a_pipe_does_not_hang_anybody() {
        let temp = tempfile::tempdir().unwrap();
        for name in ["pipe", ".gitignore"] {
            let at = rustix::fs::CWD;
            let path = temp.path().join(name);
            rustix::fs::mknodat(at, path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
        }
        let found = crawl(temp.path()).found;
        assert!(found.iter().all(|found| found.skip == Some(SkipReason::Special)) && found.len() == 2);
    }
}
