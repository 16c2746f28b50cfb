//! Which symbols a request wants to see at all.

use std::collections::HashSet;
use std::ops::ControlFlow;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use sdl_ledger::{SymbolHome, View};
use sdl_model::{FileId, SymbolId, SymbolKind};

use crate::index::Flags;
use crate::{Result, UserError};

/// Bytes of a path pattern.
const LONGEST: usize = 500;
/// Files of one folder that are looked at.
const MOST_BELOW: usize = 20_000;

/// Which symbols a request wants to see at all.
#[derive(Default)]
pub(crate) struct Filter {
    /// A bit for each kind; 0 means all.
    kinds: u32,
    exported_only: bool,
    files: Option<HashSet<FileId>>,
}

impl Filter {
    pub(crate) fn new(
        view: &dyn View,
        kinds: &[SymbolKind],
        exported_only: bool,
        path_glob: Option<&str>,
    ) -> Result<Self> {
        let kinds = kinds.iter().fold(0, |bits, kind| bits | kind_bit(*kind));
        let files = path_glob.map(|glob| files_matching(view, glob)).transpose()?;
        Ok(Self { kinds, exported_only, files })
    }

    /// Symbols of files below a folder.
    pub(crate) fn below(view: &dyn View, folder: &str) -> Result<Self> {
        let mut files = HashSet::new();
        view.files_under(folder, &mut |file, _| {
            files.insert(file);
            if files.len() < MOST_BELOW { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(Self { files: Some(files), ..Self::default() })
    }

    /// Whether every symbol passes.
    pub(super) fn keeps_all(&self) -> bool {
        self.kinds == 0 && !self.exported_only && self.files.is_none()
    }

    /// Whether the flags of a symbol suffice to decide.
    pub(super) fn is_by_flags(&self) -> bool {
        self.files.is_none()
    }

    /// The files that it is limited to, sorted.
    pub(crate) fn files(&self) -> Vec<FileId> {
        let mut files: Vec<FileId> = self.files.iter().flatten().copied().collect();
        files.sort_unstable();
        files
    }

    /// Whether a symbol passes of which no more is known than where it is.
    pub(crate) fn keeps_home(&self, home: SymbolHome) -> bool {
        let kind = self.kinds == 0 || self.kinds & kind_bit(home.kind) != 0;
        let file = self.files.as_ref().is_none_or(|files| files.contains(&home.file));
        kind && file && !self.exported_only
    }

    /// Whether a definition of a file passes, by the fields that a list shows.
    pub(super) fn keeps_brief(&self, file: FileId, flags: Flags) -> bool {
        let kind = self.kinds == 0 || self.kinds & kind_bit(flags.kind()) != 0;
        let shown = !self.exported_only || flags.exported();
        kind && shown && self.files.as_ref().is_none_or(|files| files.contains(&file))
    }

    /// Whether a symbol passes.
    pub(crate) fn keeps(&self, view: &dyn View, symbol: SymbolId, flags: Flags) -> Result<bool> {
        if self.kinds != 0 && self.kinds & kind_bit(flags.kind()) == 0
            || self.exported_only && !flags.exported()
        {
            return Ok(false);
        }
        let Some(files) = &self.files else { return Ok(true) };
        Ok(view.symbol_file(symbol)?.is_some_and(|file| files.contains(&file)))
    }
}

fn kind_bit(kind: SymbolKind) -> u32 {
    SymbolKind::ALL.iter().position(|known| *known == kind).map_or(0, |at| 1 << at)
}

/// Patterns of paths, such as `src/**` or `*.py`. One that begins with `!` leaves paths out.
#[derive(Debug, Default)]
pub struct PathPatterns {
    wanted: Vec<GlobSet>,
    unwanted: Vec<GlobSet>,
}

impl PathPatterns {
    /// Reads the patterns.
    ///
    /// # Errors
    /// [`UserError::BadGlob`] for one that is no pattern.
    pub fn new<'t>(patterns: impl IntoIterator<Item = &'t str>) -> Result<Self> {
        let mut all = Self::default();
        for pattern in patterns {
            match pattern.strip_prefix('!') {
                Some(unwanted) => all.unwanted.push(glob_set(unwanted)?),
                None => all.wanted.push(glob_set(pattern)?),
            }
        }
        Ok(all)
    }

    /// Whether there is no pattern, so that every path matches.
    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty() && self.unwanted.is_empty()
    }

    /// Whether a path matches a wanted pattern, if there is any, and no unwanted one.
    pub fn keeps(&self, path: &str) -> bool {
        let is_in = |sets: &[GlobSet]| sets.iter().any(|set| set.is_match(path));
        (self.wanted.is_empty() || is_in(&self.wanted)) && !is_in(&self.unwanted)
    }
}

/// A pattern without a slash, such as `*.ts`, matches at any depth. One that names a folder, such as `src/api`,
/// matches everything below it.
fn glob_set(pattern: &str) -> Result<GlobSet> {
    let bad = |err: globset::Error| UserError::BadGlob(err.to_string());
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern).trim_end_matches('/');
    if pattern.is_empty() || pattern.len() > LONGEST {
        return Err(UserError::BadGlob(format!("it must have 1 to {LONGEST} bytes")).into());
    }
    let anywhere = if pattern.contains('/') { pattern.to_owned() } else { format!("**/{pattern}") };
    let mut set = GlobSetBuilder::new();
    for text in [format!("{anywhere}/**"), anywhere] {
        set.add(GlobBuilder::new(&text).literal_separator(true).build().map_err(bad)?);
    }
    Ok(set.build().map_err(bad)?)
}

fn files_matching(view: &dyn View, pattern: &str) -> Result<HashSet<FileId>> {
    let set = glob_set(pattern)?;
    // Only files below the folders that the pattern spells out are looked at: for `src/api/**/*.ts`, those below
    // `src/api/`.
    let spelled = if pattern.contains('/') {
        pattern.split(['*', '?', '[', '{', '\\']).next().unwrap_or("")
    } else {
        ""
    };
    let prefix = spelled.strip_prefix("./").unwrap_or(spelled).trim_end_matches('/');
    let mut files = HashSet::new();
    view.files_under(prefix, &mut |file, path| {
        if set.is_match(path) {
            files.insert(file);
        }
        ControlFlow::Continue(())
    })?;
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        for (pattern, path, matches) in [
            ("*.py", "a/b.py", true),
            ("src/*.py", "src/a.py", true),
            ("src/*.py", "src/b/a.py", false),
            ("src/**", "src/b/a.py", true),
            ("src/b/", "src/b/a.py", true),
            ("auth", "src/auth/a.py", true),
            ("src/**/test_*.py", "src/test_a.py", true),
            ("./src/{a,b}.ts", "src/b.ts", true),
        ] {
            assert_eq!(glob_set(pattern).unwrap().is_match(path), matches, "{pattern} {path}");
        }
        assert!(glob_set("a[").is_err());
        let patterns = PathPatterns::new(["src/**", "!*_gen.py"]).unwrap();
        assert!(patterns.keeps("src/a.py") && !patterns.keeps("src/a_gen.py") && !patterns.keeps("b.py"));
        assert!(PathPatterns::default().keeps("anything"));
        assert!(glob_set("").is_err());
    }
}
