//! Which paths belong to a repository.
//!
//! In order of precedence: the repository's extra patterns, `.sdlignore` files, `.gitignore` files (of each kind the
//! deepest first, within a file the last matching line), `.git/info/exclude`, the user's global excludes. Paths that
//! match none of them are kept, except for those on the built-in list of names that are never source; only extra
//! patterns and `.sdlignore` can bring those back. As in git, nothing can bring back entries below an ignored folder.
//!
//! Also as in git, its patterns (`.gitignore` and both kinds of excludes) don't hold for files that it tracks. A folder
//! that they exclude is entered only if it holds such a file, and only for such files. Extra patterns, `.sdlignore` and
//! the built-in list hold for tracked files too.

mod builtin;
mod file;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

pub(crate) use builtin::judged_by;
pub(crate) use file::{GITIGNORE, SDLIGNORE, is_rules_file};

use crate::disk::{self, RootDir};
use crate::error::Problem;
use crate::git::{self, Tracked};
use crate::hub::RootOptions;
use crate::plain::Links;

/// Compiled ignore files that are cached for the next change; others are read again when they are needed.
const KEPT_LEVELS: usize = 48;
/// Patterns that the cached files may hold together.
const KEPT_PATTERNS: usize = 40_000;
/// Patterns that may hold for one entry, from all folders above it.
const MOST_PATTERNS: usize = 20_000;

/// The ignore files of one folder.
#[derive(Debug)]
pub(crate) struct Level {
    /// Length of the folder's relative path with its separator: the prefix to cut off a path below it.
    cut: usize,
    /// For folders above the root: the way from there to the root, with a separator at the end.
    prefix: String,
    sdl: Gitignore,
    git: Gitignore,
    /// The folder, for people.
    shown: String,
}

/// The ignore files that apply to a folder's entries, the deepest last.
pub(crate) type Levels = Arc<[Arc<Level>]>;

/// The part of a folder that belongs to the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Everything that is not ignored.
    All,
    /// Git's patterns exclude the folder: only the files that git tracks anyway.
    Tracked,
}

/// The rules of one repository.
#[derive(Debug)]
pub(crate) struct Rules {
    /// The paths that git tracks.
    tracked: Arc<Tracked>,
    extra: Gitignore,
    /// Of folders above the root, up to git's top level.
    above: Vec<Arc<Level>>,
    exclude: Gitignore,
    exclude_prefix: String,
    global: Gitignore,
    /// Where the global excludes and `info/exclude` come from, for people.
    outside: [String; 2],
    /// The folders that hold ignore files, as far as they have been crawled; the root is the empty text.
    folders: BTreeSet<String>,
    /// Some of their levels.
    cache: HashMap<String, Arc<Level>>,
}

/// Where rules outside of the tree come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outside {
    /// Git's top level and the way from there to the root, if the root is not the top level itself.
    pub(crate) top: Option<(PathBuf, String)>,
    /// `info/exclude` of the git folder.
    pub(crate) exclude: Option<PathBuf>,
    /// The user's global excludes.
    pub(crate) global: Option<PathBuf>,
    /// The index of git.
    index: Option<PathBuf>,
    /// The time and size of all these files by `stat`, so that a change is noticed.
    stamps: Vec<Option<(SystemTime, u64)>>,
}

impl Outside {
    /// Where the rules for the tree at `root` come from.
    pub(crate) fn of(root: &Path, options: &RootOptions) -> Self {
        let git = git::discover_git(root, options.home.as_deref());
        let top = git.as_ref().filter(|git| git.top != root).and_then(|git| {
            let way = root.strip_prefix(&git.top).ok()?.to_str()?;
            Some((git.top.clone(), format!("{}/", way.replace(std::path::MAIN_SEPARATOR, "/"))))
        });
        let exclude = git.as_ref().map(git::GitData::exclude);
        let index = git.as_ref().map(git::GitData::index);
        let global = options.global_excludes.clone();
        let above =
            git.iter().flat_map(|git| root.ancestors().skip(1).take_while(|at| at.starts_with(&git.top)));
        let stamps = above
            .flat_map(|at| [at.join(GITIGNORE), at.join(SDLIGNORE)])
            .chain(exclude.clone())
            .chain(global.clone())
            .map(|path| path.metadata().and_then(|meta| Ok((meta.modified()?, meta.len()))).ok())
            .collect();
        Self { top, exclude, global, index, stamps }
    }

    /// The paths of the tree that git tracks. Empty without git.
    pub(crate) fn tracked(&self) -> Result<Tracked, Problem> {
        let Some(index) = &self.index else { return Ok(Tracked::default()) };
        let way = self.top.as_ref().map_or("", |(_, way)| way);
        Tracked::read(index, way).map_err(|error| {
            let passing = disk::is_passing(&error);
            let left_out = "files that git tracks although a pattern ignores them are left out";
            let why = format!("git's index is not read: {} {error}; {left_out}", index.display());
            tracing::warn!("{why}");
            let error = std::io::Error::new(error.kind(), why);
            Problem { path: ".git/index".to_owned(), error, passing }
        })
    }
}

impl Rules {
    /// Reads the rules that are defined outside of the tree.
    pub(crate) fn new(extra: &[String], outside: &Outside, tracked: Arc<Tracked>) -> Self {
        let above = outside.top.as_ref().map(|(top, way)| file::levels_above(top, way)).unwrap_or_default();
        let read = |path: &Option<PathBuf>, links| {
            path.as_deref().map_or_else(Gitignore::empty, |path| file::outside_rules(path, links))
        };
        Self {
            tracked,
            extra: compile_patterns(extra),
            above,
            exclude: read(&outside.exclude, Links::Refused),
            exclude_prefix: outside.top.as_ref().map(|(_, way)| way.clone()).unwrap_or_default(),
            // Links are followed, because people keep this file with their dotfiles and link to it.
            global: read(&outside.global, Links::Followed),
            outside: [&outside.exclude, &outside.global]
                .map(|path| path.as_ref().map_or_else(String::new, |path| path.display().to_string())),
            folders: BTreeSet::new(),
            cache: HashMap::new(),
        }
    }

    /// Forgets the ignore files of `folder` (empty: the root) and of everything below it.
    pub(crate) fn forget_below(&mut self, folder: &str) {
        if folder.is_empty() {
            self.folders.clear();
            self.cache.clear();
            return;
        }
        let below = format!("{folder}/");
        self.folders.retain(|at| at != folder && !at.starts_with(&below));
        self.cache.retain(|at, _| at != folder && !at.starts_with(&below));
    }

    /// The levels above the root.
    pub(crate) fn base(&self) -> Levels {
        self.above.clone().into()
    }

    /// Reads `folder`'s ignore files (it is known to have some) and puts them on top of its parent's levels.
    pub(crate) fn enter(&mut self, root: &RootDir, folder: &str, parents: &Levels) -> Levels {
        self.folders.insert(folder.to_owned());
        let level = self.load(root, folder, parents);
        parents.iter().cloned().chain([level]).collect()
    }

    /// Reads a folder's ignore files. How many of their patterns are kept depends only on the files above, because
    /// the result must be the same whenever they are read.
    fn load(&mut self, root: &RootDir, folder: &str, parents: &[Arc<Level>]) -> Arc<Level> {
        let above: usize = parents.iter().map(|level| level.patterns()).sum();
        let room = MOST_PATTERNS.saturating_sub(above).min(file::MOST_PATTERNS);
        let level = Arc::new(file::folder_level(root, folder, room));
        self.cache.remove(folder);
        let mut kept: usize = self.cache.values().map(|level| level.patterns()).sum();
        while self.cache.len() >= KEPT_LEVELS || kept + level.patterns() > KEPT_PATTERNS {
            // Any file but the root's is dropped, because every path needs the root's.
            let Some(victim) = self.cache.keys().find(|at| !at.is_empty()).cloned() else { break };
            kept -= self.cache.remove(&victim).map_or(0, |level| level.patterns());
        }
        self.cache.insert(folder.to_owned(), level.clone());
        level
    }

    /// The levels that hold for the entries of `folder`, which has been crawled before.
    pub(crate) fn levels(&mut self, root: &RootDir, folder: &str) -> Levels {
        let mut levels = self.above.clone();
        let ends = folder.match_indices('/').map(|(at, _)| at).chain([folder.len()]);
        let ancestors = [""].into_iter().chain(ends.map(|end| &folder[..end]).filter(|at| !at.is_empty()));
        for at in ancestors {
            if self.folders.contains(at) {
                let level = match self.cache.get(at) {
                    Some(level) => level.clone(),
                    None => self.load(root, at, &levels),
                };
                levels.push(level);
            }
        }
        levels.into()
    }

    /// Whether the entry at `path` belongs to the tree and, for a folder, which part of it. `levels` were made for the
    /// folder that holds it, and `scope` is that folder's. None: it is ignored. `exists` as in [`builtin::is_waste`].
    pub(crate) fn admit(
        &self,
        scope: Scope,
        levels: &Levels,
        path: &str,
        is_folder: bool,
        exists: impl Fn(&str) -> bool,
    ) -> Option<Scope> {
        let name = path.rsplit('/').next().unwrap_or(path);
        if builtin::is_metadata(name, is_folder) {
            return None;
        }
        let ours = self.ours(levels, path, is_folder);
        if ours == Some(true) {
            return None;
        }
        let scope = match scope {
            Scope::All if ours.is_none() && self.gits(levels, path, is_folder) => Scope::Tracked,
            scope => scope,
        };
        if scope == Scope::Tracked && !self.tracked.holds(path, is_folder) {
            return None;
        }
        (ours.is_some() || !builtin::is_waste(name, is_folder, exists)).then_some(scope)
    }

    /// Replaces the set of paths that git tracks.
    pub(crate) fn set_tracked(&mut self, tracked: Arc<Tracked>) {
        self.tracked = tracked;
    }

    /// For each path, the topmost path among it and the folders above it that git's patterns exclude, if any. When git
    /// begins or ceases to track the path, everything that changes is there or below.
    pub(crate) fn left_out_at<'p>(&mut self, root: &RootDir, paths: &[&'p str]) -> BTreeSet<&'p str> {
        let mut folders: HashMap<&str, bool> = HashMap::new();
        let mut left_out = BTreeSet::new();
        for path in paths {
            let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
            let top = ends.filter_map(|end| path.get(..end)).find(|at| {
                if let Some(known) = folders.get(at) {
                    return *known;
                }
                let is_folder = at.len() < path.len();
                let levels = self.levels(root, at.rsplit_once('/').map_or("", |(parent, _)| parent));
                let out = self.ours(&levels, at, is_folder).is_none() && self.gits(&levels, at, is_folder);
                if is_folder {
                    folders.insert(at, out);
                }
                out
            });
            left_out.extend(top);
        }
        left_out
    }

    /// The rule that ignores an ignored entry, for people: the pattern and where it is written. None for entries that
    /// are never anybody's source, such as git's own data.
    pub(crate) fn reason(&self, levels: &Levels, path: &str, is_folder: bool) -> Option<String> {
        let name = path.rsplit('/').next().unwrap_or(path);
        if builtin::is_metadata(name, is_folder) {
            return None;
        }
        let deepest = || levels.iter().rev();
        let of_level = |level: &Level, rules: &Gitignore, file: &str| {
            let below = path.get(level.cut..).unwrap_or(path);
            Some((
                ignoring_pattern(rules, &level.prefix, below, is_folder)?,
                file::join_path(&level.shown, file),
            ))
        };
        let found = ignoring_pattern(&self.extra, "", path, is_folder)
            .map(|pattern| (pattern, "the patterns it was registered with".to_owned()))
            .or_else(|| deepest().find_map(|level| of_level(level, &level.sdl, SDLIGNORE)))
            .or_else(|| deepest().find_map(|level| of_level(level, &level.git, GITIGNORE)))
            .or_else(|| {
                let [exclude, _] = &self.outside;
                Some((
                    ignoring_pattern(&self.exclude, &self.exclude_prefix, path, is_folder)?,
                    exclude.clone(),
                ))
            })
            .or_else(|| {
                let [_, global] = &self.outside;
                Some((ignoring_pattern(&self.global, "", path, is_folder)?, global.clone()))
            });
        Some(match found {
            Some((pattern, file)) => format!("{path}: pattern {pattern:?} of {file}"),
            None => format!("{path}: never source, by its name"),
        })
    }

    /// The verdict of the extra patterns and `.sdlignore`, if they have one.
    fn ours(&self, levels: &Levels, path: &str, is_folder: bool) -> Option<bool> {
        ignore_verdict(&self.extra, path, is_folder)
            .or_else(|| levels.iter().rev().find_map(|level| level.ask(&level.sdl, path, is_folder)))
    }

    /// Whether git would ignore the path.
    fn gits(&self, levels: &Levels, path: &str, is_folder: bool) -> bool {
        levels
            .iter()
            .rev()
            .find_map(|level| level.ask(&level.git, path, is_folder))
            .or_else(|| ask_rules(&self.exclude, &self.exclude_prefix, path, is_folder))
            .or_else(|| ignore_verdict(&self.global, path, is_folder))
            .unwrap_or(false)
    }
}

impl Level {
    fn patterns(&self) -> usize {
        file::pattern_count(&self.sdl) + file::pattern_count(&self.git)
    }

    fn ask(&self, rules: &Gitignore, path: &str, is_folder: bool) -> Option<bool> {
        ask_rules(rules, &self.prefix, path.get(self.cut..).unwrap_or(path), is_folder)
    }
}

fn ask_rules(rules: &Gitignore, prefix: &str, path: &str, is_folder: bool) -> Option<bool> {
    if rules.is_empty() {
        None
    } else if prefix.is_empty() {
        ignore_verdict(rules, path, is_folder)
    } else {
        ignore_verdict(rules, &format!("{prefix}{path}"), is_folder)
    }
}

/// The pattern that ignores a path.
fn ignoring_pattern(rules: &Gitignore, prefix: &str, path: &str, is_folder: bool) -> Option<String> {
    match rules.matched(Path::new(&format!("{prefix}{path}")), is_folder) {
        Match::Ignore(glob) => Some(glob.original().to_owned()),
        Match::None | Match::Whitelist(_) => None,
    }
}

fn ignore_verdict(rules: &Gitignore, path: &str, is_folder: bool) -> Option<bool> {
    match rules.matched(Path::new(path), is_folder) {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

/// Compiles a repository's extra patterns, in the syntax of ignore files. A bad pattern is skipped and logged.
fn compile_patterns(lines: &[String]) -> Gitignore {
    let mut builder = GitignoreBuilder::new("");
    for line in lines {
        if let Err(error) = builder.add_line(None, line) {
            tracing::warn!(pattern = line, %error, "an ignore pattern of the repository is not valid and is skipped");
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Does the folder hold a git worktree of its own, which is a repository of its own to us? (A submodule is part of
/// the tree that holds it.)
pub(crate) fn is_worktree(root: &RootDir, folder: &str) -> bool {
    file::read_rules(root, &file::join_path(folder, ".git")).is_some_and(|text| {
        text.strip_prefix("gitdir:").is_some_and(|target| {
            Path::new(target.trim())
                .parent()
                .and_then(Path::file_name)
                .is_some_and(|name| name == "worktrees")
        })
    })
}

#[cfg(test)]
mod tests;
