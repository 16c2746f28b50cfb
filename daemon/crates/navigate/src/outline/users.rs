//! Which files use a definition.

use std::collections::{BTreeMap, HashMap, HashSet};

use sdl_model::lang::is_test_path;
use sdl_model::{FileId, SymbolId};
use sdl_retrieve::members::own_members;
use sdl_retrieve::{Result, Source, Sym};

use crate::Filter;

/// Most incoming edges of a symbol that are looked at to count the files that use it.
const MAX_USES: usize = 5_000;
/// Most files that an outline names as its users.
pub const MAX_USERS: usize = 10;

/// A file that uses what an outline shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Its path.
    pub path: String,
    /// The number of top parts of the outline that it uses.
    pub parts: usize,
}

/// Tells whether the file at a path belongs to the outlined folder or file. Such a file is no user.
type IsInside = Box<dyn Fn(&str) -> bool>;

/// Counts the files that use definitions.
pub(super) struct UserFiles<'s, 'a> {
    source: &'s Source<'a>,
    filter: &'s Filter,
    is_inside: IsInside,
    /// The paths of files that count as users; none for the others.
    paths: HashMap<FileId, Option<String>>,
    /// The number of parts that each file uses.
    parts: BTreeMap<FileId, usize>,
}

impl<'s, 'a> UserFiles<'s, 'a> {
    /// Counts the users for which `is_inside` is false. Without tests if `filter` leaves them out.
    pub(super) fn new(source: &'s Source<'a>, filter: &'s Filter, is_inside: IsInside) -> Self {
        Self { source, filter, is_inside, paths: HashMap::new(), parts: BTreeMap::new() }
    }

    pub(super) fn source(&self) -> &'s Source<'a> {
        self.source
    }

    /// Whether a definition is to be shown.
    pub(super) fn shows(&self, sym: &Sym) -> bool {
        self.filter.include_tests || !sym.is_test()
    }

    /// The number of other files that use `sym` or a member that its own file states. `is_top` says whether it counts as a
    /// part for [`Self::most_using`].
    pub(super) fn count(&mut self, sym: &Sym, is_top: bool) -> Result<usize> {
        let mut files = HashSet::from([sym.file()]);
        self.add_files(sym.id, &mut files)?;
        for member in own_members(sym).into_iter().filter_map(|ix| sym.beside(ix)) {
            self.add_files(member.id, &mut files)?;
        }
        files.remove(&sym.file());
        if is_top {
            for file in &files {
                *self.parts.entry(*file).or_default() += 1;
            }
        }
        Ok(files.len())
    }

    fn add_files(&mut self, symbol: SymbolId, files: &mut HashSet<FileId>) -> Result<()> {
        for edge in self.source.view().in_edges(symbol, MAX_USES)? {
            if let Some(file) = self.source.view().symbol_file(edge.from)?
                && !files.contains(&file)
                && self.is_user(file)?
            {
                files.insert(file);
            }
        }
        Ok(())
    }

    fn is_user(&mut self, file: FileId) -> Result<bool> {
        if let Some(known) = self.paths.get(&file) {
            return Ok(known.is_some());
        }
        let path = self.source.view().file(file)?.map(|row| row.path.as_str().to_owned());
        let counts =
            |path: &String| !(self.is_inside)(path) && (self.filter.include_tests || !is_test_path(path));
        let path = path.filter(counts);
        let is_user = path.is_some();
        self.paths.insert(file, path);
        Ok(is_user)
    }

    /// The files that use most parts; of as many, in the order of their paths.
    pub(super) fn most_using(self) -> Vec<User> {
        let Self { paths, parts, .. } = self;
        let named = parts.into_iter().filter_map(|(file, parts)| {
            let path = paths.get(&file)?.clone()?;
            Some(User { path, parts })
        });
        let mut users: Vec<User> = named.collect();
        users.sort_by(|a, b| b.parts.cmp(&a.parts).then_with(|| a.path.cmp(&b.path)));
        users.truncate(MAX_USERS);
        users
    }
}
