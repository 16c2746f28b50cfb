//! Several repositories, read as one tree: each is a folder of it, `@` and its id.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use sdl_ledger::{Counters, NAME_LIMIT, NameHit, Named, Result, SymbolHome, TermHit, View};
use sdl_model::ids::stable_hash;
use sdl_model::{Edge, FileId, FileRow, InEdge, RelPath, SymbolId, Version};

use super::memo::{MemberState, StateOf};

/// What the folder of a repository begins with. No package of any language has such a name.
const MARK: char = '@';

/// The folder of a repository in the tree of a workspace.
pub fn member_folder(repo: &str) -> String {
    format!("{MARK}{repo}")
}

/// The repository and the path in it that a path of a workspace names.
pub fn split_place(path: &str) -> Option<(&str, &str)> {
    let (folder, rest) = path.split_once('/').unwrap_or((path, ""));
    Some((folder.strip_prefix(MARK)?, rest))
}

/// What tells the files of a repository from those of others at the same paths.
fn member_salt(repo: &str) -> u64 {
    stable_hash(&[b"member", repo.as_bytes()])
}

/// The id in workspaces of a symbol of a repository, and back.
pub fn symbol_in_workspace(repo: &str, symbol: SymbolId) -> SymbolId {
    symbol.moved(member_salt(repo))
}

/// One repository of a workspace, at one version.
#[derive(Clone, Copy)]
pub struct Member<'a> {
    /// Its id.
    pub repo: &'a str,
    /// The version.
    pub view: &'a dyn View,
    /// What tells this state of the repository from all others. Without it nothing is kept for later questions.
    pub state: Option<MemberState>,
}

impl Member<'_> {
    /// Its state, as entries of a memo name it.
    pub(super) fn state_of(&self) -> Option<StateOf> {
        Some((self.salt(), self.state?))
    }

    fn salt(&self) -> u64 {
        member_salt(self.repo)
    }

    /// The file of the joint tree that a file of this repository is, and back.
    pub(super) fn file(&self, file: FileId) -> FileId {
        FileId(file.0 ^ self.salt())
    }

    /// The symbol of the joint tree that a symbol of this repository is, and back.
    pub(super) fn symbol(&self, symbol: SymbolId) -> SymbolId {
        symbol.moved(self.salt())
    }

    /// Whether a symbol of the joint tree is one of this repository.
    pub(super) fn has_symbol(&self, symbol: SymbolId) -> Result<bool> {
        Ok(self.view.symbol_home(self.symbol(symbol))?.is_some())
    }

    /// The path in the joint tree.
    pub(super) fn path(&self, path: &str) -> String {
        format!("{MARK}{}/{path}", self.repo)
    }

    fn files(&self, files: Vec<FileId>) -> impl Iterator<Item = FileId> {
        files.into_iter().map(|file| self.file(file))
    }

    fn hit(&self, hit: NameHit) -> NameHit {
        NameHit { symbol: self.symbol(hit.symbol), file: self.file(hit.file), ..hit }
    }

    fn row(&self, row: FileRow) -> FileRow {
        match RelPath::new(&self.path(row.path.as_str())) {
            Some(path) => FileRow { path, ..row },
            None => row,
        }
    }
}

/// A second name of a file or folder, as an installed package has one: `requests` for `@lib/src/requests`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Alias {
    pub(super) name: String,
    pub(super) target: String,
}

/// The bytes that aliases take.
pub(super) fn bytes_of<'a>(aliases: impl Iterator<Item = &'a Alias>) -> usize {
    aliases.map(|alias| size_of::<Alias>() + alias.name.len() + alias.target.len()).sum()
}

/// Several repositories, read as one tree. Its edges are those of the repositories alone.
pub(super) struct Joint<'a> {
    pub(super) members: Vec<Member<'a>>,
    pub(super) aliases: Vec<Alias>,
}

impl<'a> Joint<'a> {
    /// The place of a path in the joint tree, aliases followed.
    fn place<'p>(&'p self, path: &'p str) -> Option<(&'p Member<'a>, String)> {
        if let Some((repo, rest)) = split_place(path) {
            let member = self.members.iter().find(|member| member.repo == repo)?;
            return Some((member, rest.to_owned()));
        }
        self.aliases.iter().find_map(|alias| {
            let rest = path.strip_prefix(alias.name.as_str())?;
            if !rest.is_empty() && !rest.starts_with(['/', '.']) {
                return None;
            }
            let target = format!("{}{rest}", alias.target);
            let (repo, rest) = split_place(&target)?;
            let member = self.members.iter().find(|member| member.repo == repo)?;
            Some((member, rest.to_owned()))
        })
    }

    /// The number of the member with a file, and its row there.
    pub(super) fn place_of(&self, file: FileId) -> Result<Option<(usize, FileRow)>> {
        for (number, member) in self.members.iter().enumerate() {
            if let Some(row) = member.view.file(member.file(file))? {
                return Ok(Some((number, row)));
            }
        }
        Ok(None)
    }

    /// The member with a file.
    pub(super) fn member_of(&self, file: FileId) -> Result<Option<(&Member<'a>, FileRow)>> {
        let place = self.place_of(file)?;
        Ok(place.and_then(|(number, row)| Some((self.members.get(number)?, row))))
    }

    /// The member with a symbol.
    pub(super) fn member_with(&self, symbol: SymbolId) -> Result<Option<&Member<'a>>> {
        for member in &self.members {
            if member.has_symbol(symbol)? {
                return Ok(Some(member));
            }
        }
        Ok(None)
    }

    fn all_files(&self, of: impl Fn(&Member<'a>) -> Result<Vec<FileId>>) -> Result<Vec<FileId>> {
        let mut files = Vec::new();
        for member in &self.members {
            files.extend(member.files(of(member)?));
        }
        files.sort_unstable();
        Ok(files)
    }
}

impl View for Joint<'_> {
    /// A number that another version of any member changes.
    fn version(&self) -> Version {
        let mut parts: Vec<Vec<u8>> = Vec::new();
        for member in &self.members {
            parts.extend([member.repo.as_bytes().to_vec(), member.view.version().0.to_be_bytes().to_vec()]);
        }
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        // As many digits as a time in milliseconds has, like the versions of repositories.
        Version(stable_hash(&parts) >> 24)
    }

    fn file(&self, file: FileId) -> Result<Option<FileRow>> {
        Ok(self.member_of(file)?.map(|(member, row)| member.row(row)))
    }

    fn file_id(&self, path: &RelPath) -> FileId {
        let place = self.place(path.as_str());
        let own =
            place.and_then(|(member, rest)| Some(member.file(member.view.file_id(&RelPath::new(&rest)?))));
        own.unwrap_or_else(|| FileId::of(path))
    }

    fn files_under(&self, prefix: &str, each: &mut dyn FnMut(FileId, &str) -> ControlFlow<()>) -> Result<()> {
        let mut flow = ControlFlow::Continue(());
        for member in &self.members {
            let root = member.path("");
            let rest = match prefix.strip_prefix(root.as_str()) {
                Some(rest) => rest,
                None if root.starts_with(prefix) => "",
                None => continue,
            };
            member.view.files_under(rest, &mut |file, path| {
                flow = each(member.file(file), &member.path(path));
                flow
            })?;
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn files_named(&self, file_name: &str) -> Result<Vec<FileId>> {
        self.all_files(|member| member.view.files_named(file_name))
    }

    fn files_in_dir(&self, dir: &str) -> Result<Vec<FileId>> {
        match self.place(dir) {
            Some((member, rest)) => Ok(member.files(member.view.files_in_dir(&rest)?).collect()),
            None => Ok(Vec::new()),
        }
    }

    fn files_of_package(&self, package: &str) -> Result<Vec<FileId>> {
        self.all_files(|member| member.view.files_of_package(package))
    }

    fn symbol_home(&self, symbol: SymbolId) -> Result<Option<SymbolHome>> {
        for member in &self.members {
            if let Some(home) = member.view.symbol_home(member.symbol(symbol))? {
                return Ok(Some(SymbolHome { file: member.file(home.file), ..home }));
            }
        }
        Ok(None)
    }

    fn named(&self, name: &str) -> Result<Named> {
        let hits = self.named_up_to(name, NAME_LIMIT + 1)?;
        Ok(if hits.len() > NAME_LIMIT { Named::TooMany } else { Named::All(hits) })
    }

    fn named_up_to(&self, name: &str, limit: usize) -> Result<Vec<NameHit>> {
        let mut hits = Vec::new();
        for member in &self.members {
            let own = member.view.named_up_to(name, limit)?;
            hits.extend(own.into_iter().map(|hit| member.hit(hit)));
        }
        hits.sort_unstable();
        hits.truncate(limit);
        Ok(hits)
    }

    fn out_edges(&self, symbol: SymbolId) -> Result<Vec<Edge>> {
        let Some(member) = self.member_with(symbol)? else { return Ok(Vec::new()) };
        let own = member.view.out_edges(member.symbol(symbol))?;
        let mut edges: Vec<Edge> =
            own.into_iter().map(|edge| Edge { to: member.symbol(edge.to), ..edge }).collect();
        edges.sort_unstable();
        Ok(edges)
    }

    fn in_edges(&self, symbol: SymbolId, limit: usize) -> Result<Vec<InEdge>> {
        let Some(member) = self.member_with(symbol)? else { return Ok(Vec::new()) };
        let own = member.view.in_edges(member.symbol(symbol), limit)?;
        let mut edges: Vec<InEdge> =
            own.into_iter().map(|edge| InEdge { from: member.symbol(edge.from), ..edge }).collect();
        edges.sort_unstable();
        Ok(edges)
    }

    fn fan_in(&self, symbol: SymbolId) -> Result<u64> {
        let member = self.member_with(symbol)?;
        member.map_or(Ok(0), |member| member.view.fan_in(member.symbol(symbol)))
    }

    fn unresolved_files(&self, name: &str) -> Result<Option<Vec<FileId>>> {
        let mut files = Vec::new();
        for member in &self.members {
            let Some(own) = member.view.unresolved_files(name)? else { return Ok(None) };
            files.extend(member.files(own));
        }
        files.sort_unstable();
        Ok(Some(files))
    }

    fn term_count(&self, term: &str) -> Result<u64> {
        self.members.iter().map(|member| member.view.term_count(term)).sum()
    }

    fn postings(&self, term: &str, each: &mut dyn FnMut(&[TermHit]) -> ControlFlow<()>) -> Result<()> {
        let mut hits = Vec::new();
        for member in &self.members {
            member.view.postings(term, &mut |some| {
                hits.extend(some.iter().map(|hit| TermHit { symbol: member.symbol(hit.symbol), ..*hit }));
                ControlFlow::Continue(())
            })?;
        }
        hits.sort_unstable_by_key(|hit| hit.symbol);
        let _ = each(&hits);
        Ok(())
    }

    fn postings_among(&self, term: &str, symbols: &[SymbolId], each: &mut dyn FnMut(TermHit)) -> Result<()> {
        for member in &self.members {
            let mut own: Vec<SymbolId> = symbols.iter().map(|symbol| member.symbol(*symbol)).collect();
            own.sort_unstable();
            member.view.postings_among(term, &own, &mut |hit| {
                each(TermHit { symbol: member.symbol(hit.symbol), ..hit });
            })?;
        }
        Ok(())
    }

    fn terms(&self, prefix: &str, each: &mut dyn FnMut(&str) -> ControlFlow<()>) -> Result<()> {
        let mut terms = BTreeSet::new();
        for member in &self.members {
            member.view.terms(prefix, &mut |term| {
                terms.insert(term.to_owned());
                ControlFlow::Continue(())
            })?;
        }
        let _ = terms.iter().try_for_each(|term| each(term));
        Ok(())
    }

    fn term_from(&self, from: &str) -> Result<Option<String>> {
        let mut first: Option<String> = None;
        for member in &self.members {
            let term = member.view.term_from(from)?;
            first = first.into_iter().chain(term).min();
        }
        Ok(first)
    }

    fn counters(&self) -> Result<Counters> {
        let mut total = Counters::default();
        for member in &self.members {
            add_counters(&mut total, member.view.counters()?);
        }
        Ok(total)
    }
}

fn add_counters(total: &mut Counters, more: Counters) {
    total.files += more.files;
    total.symbols += more.symbols;
    total.edges += more.edges;
    total.failed += more.failed;
    total.generated += more.generated;
    add_counts(&mut total.skipped, more.skipped);
    add_counts(&mut total.languages, more.languages);
    let (sum, own) = (&mut total.resolution, more.resolution);
    sum.exact = sum.exact.saturating_add(own.exact);
    sum.inferred = sum.inferred.saturating_add(own.inferred);
    sum.ambiguous = sum.ambiguous.saturating_add(own.ambiguous);
    sum.external = sum.external.saturating_add(own.external);
    sum.unresolved = sum.unresolved.saturating_add(own.unresolved);
}

fn add_counts(total: &mut Vec<(String, u64)>, more: Vec<(String, u64)>) {
    for (name, count) in more {
        match total.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += count,
            None => total.push((name, count)),
        }
    }
    total.sort();
}
