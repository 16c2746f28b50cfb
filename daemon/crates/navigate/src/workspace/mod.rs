//! A workspace: several repositories, read as one graph.
//!
//! Law. The tree of a workspace has a folder for each member: `@` and the repository's id. Its files, symbols, postings
//! and own edges are those of the members' versions, and nothing else. Besides, there is an edge from a symbol of a
//! file F of member M to a symbol S of another member N exactly if
//!
//! * F imports a package that contains the file of S, which M does not declare and N alone among the others does (where
//!   files state their packages, the others are those that M's builds say it depends on, if they say so), and
//! * resolving F in the tree of M and of the members that F imports like that finds the edge, by a rule that uses more
//!   than the name.
//!
//! So an answer over a workspace is a function of the members' versions and the question. Nothing of it is stored: a
//! change of one repository writes nothing for another, and the next question sees it. What questions found is kept in
//! memory, under the versions that it depends on (see [`CrossingMemo`]).

mod catalogs;
mod coordinates;
mod crossing;
mod declared;
mod installed;
mod joint;
mod memo;
mod versions;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use sdl_graph::Site;
use sdl_ledger::{Counters, NameHit, Named, Result, SymbolHome, TermHit, View};
use sdl_model::{Edge, FileId, FileRow, InEdge, RelPath, SymbolId, Version};
use sdl_retrieve::Outlines;

pub use installed::{CalledOutside, Caller, called_outside};
pub use joint::{Member, member_folder, split_place, symbol_in_workspace};
pub use memo::{CrossingMemo, MAX_MEMO_BYTES, MemberState};
pub use versions::PackageVersions;

use crate::mentions::Bodies;
use crossing::{Crossed, Sight};
use declared::{Declared, naming_of};
use joint::Joint;
use memo::StateOf;
use versions::Met;

/// Most files that one question resolves to find edges between repositories.
pub const MAX_RESOLVED: usize = 2_000;

/// The number of a member, and the packages that contain a file of it.
type Packages = Option<Rc<(usize, Vec<String>)>>;

/// What leads into one symbol from other repositories.
#[derive(Default)]
struct Into {
    edges: BTreeSet<InEdge>,
    files: BTreeSet<FileId>,
}

/// Several repositories, read as one graph, for one question.
pub struct Workspace<'a> {
    joint: Joint<'a>,
    outlines: &'a dyn Outlines,
    bodies: &'a dyn Bodies,
    declared: Vec<Declared<'a>>,
    packages: RefCell<HashMap<FileId, Packages>>,
    crossed: RefCell<HashMap<FileId, Rc<Crossed>>>,
    /// The edges found so far, by target.
    into: RefCell<HashMap<SymbolId, Into>>,
    /// The packages whose importers were resolved.
    imported: RefCell<HashSet<(usize, String)>>,
    left: Cell<usize>,
    notes: RefCell<BTreeSet<String>>,
    met: Met,
    /// What earlier questions found, and the states of all members.
    memo: Option<(&'a CrossingMemo, Arc<[StateOf]>)>,
}

impl<'a> Workspace<'a> {
    /// The workspace of `members`, whose ids differ.
    pub fn new(members: Vec<Member<'a>>, outlines: &'a dyn Outlines, bodies: &'a dyn Bodies) -> Self {
        let declared = members.iter().map(|member| Declared::new(member.view, outlines)).collect();
        Self {
            joint: Joint { members, aliases: Vec::new() },
            outlines,
            bodies,
            declared,
            packages: RefCell::default(),
            crossed: RefCell::default(),
            memo: None,
            into: RefCell::default(),
            imported: RefCell::default(),
            left: Cell::new(MAX_RESOLVED),
            notes: RefCell::default(),
            met: Met::default(),
        }
    }

    /// Uses what earlier questions found, and keeps what this one finds, if the states of all members are known.
    #[must_use]
    pub fn with_memo(mut self, memo: &'a CrossingMemo) -> Self {
        let states: Option<Vec<StateOf>> = self.joint.members.iter().map(Member::state_of).collect();
        self.memo = states.map(|states| (memo, states.into()));
        self
    }

    /// What a reader of the answers so far must know: packages that several repositories declare, limits reached.
    pub fn notes(&self) -> Vec<String> {
        self.notes.borrow().iter().cloned().collect()
    }

    /// The symbols that the id of a symbol of a single repository may mean.
    pub fn of_members(&self, symbol: SymbolId) -> Result<Vec<SymbolId>> {
        let mut found = Vec::new();
        for member in &self.joint.members {
            if member.view.symbol_home(symbol)?.is_some() {
                found.push(member.symbol(symbol));
            }
        }
        Ok(found)
    }

    fn note(&self, note: String) {
        self.notes.borrow_mut().insert(note);
    }

    /// The packages that contain a file, as imports name them.
    fn packages_with(&self, file: FileId) -> Result<Packages> {
        if let Some(known) = self.packages.borrow().get(&file) {
            return Ok(known.clone());
        }
        let found = self.find_packages(file)?.map(Rc::new);
        self.packages.borrow_mut().insert(file, found.clone());
        Ok(found)
    }

    fn find_packages(&self, file: FileId) -> Result<Option<(usize, Vec<String>)>> {
        let Some((number, row)) = self.joint.place_of(file)? else { return Ok(None) };
        let Some(key) = row.state.facts() else { return Ok(None) };
        let Some(naming) = naming_of(key.lang) else { return Ok(None) };
        let (Some(outline), Some(declared)) = (self.outlines.outline(key)?, self.declared.get(number)) else {
            return Ok(None);
        };
        Ok(Some((number, declared.packages_with(naming, row.path.as_str(), &outline)?)))
    }

    /// The edges of a file into other repositories.
    fn crossing_of(&self, file: FileId) -> Result<Rc<Crossed>> {
        self.cross_files(&[file])?;
        Ok(self.crossed.borrow().get(&file).cloned().unwrap_or_default())
    }

    /// Finds the edges of files into other repositories, those that see the same together.
    fn cross_files(&self, files: &[FileId]) -> Result<()> {
        let mut groups: BTreeMap<(usize, Sight), Vec<FileId>> = BTreeMap::new();
        for file in files {
            if self.crossed.borrow().contains_key(file) {
                continue;
            }
            let Some(seen) = self.seen_by(*file)?.filter(|seen| !seen.sight.members.is_empty()) else {
                self.crossed.borrow_mut().insert(*file, Rc::default());
                continue;
            };
            // Files that are known count too, because an answer must not depend on the questions before it.
            let Some(left) = self.left.get().checked_sub(1) else {
                self.note_cut();
                return Ok(());
            };
            self.left.set(left);
            match self.known_crossing(*file, &seen) {
                Some(sites) => self.remember(*file, &sites),
                None => groups.entry((seen.home, seen.sight.clone())).or_default().push(*file),
            }
        }
        for ((home, sight), files) in groups {
            for (file, sites) in self.cross_all(home, &sight, files)? {
                self.remember(file, &sites);
            }
        }
        Ok(())
    }

    fn note_cut(&self) {
        self.note(format!(
            "links between repositories were looked for in {MAX_RESOLVED} files; there are more that import them"
        ));
    }

    fn remember(&self, file: FileId, sites: &Arc<[Site]>) {
        let crossed = Crossed::of(sites);
        let mut into = self.into.borrow_mut();
        for (from, edges) in &crossed.edges {
            for edge in edges {
                let Edge { to, kind, resolution, strategy, confidence, .. } = *edge;
                let incoming = InEdge { from: *from, kind, resolution, strategy, confidence };
                let into = into.entry(to).or_default();
                into.edges.insert(incoming);
                into.files.insert(file);
            }
        }
        self.crossed.borrow_mut().insert(file, Rc::new(crossed));
    }

    /// Finds the edges of all files in other repositories that import a package of a file.
    fn cross_importers(&self, file: FileId) -> Result<()> {
        let packages = self.packages_with(file)?;
        let Some((owner, packages)) = packages.as_deref() else { return Ok(()) };
        for package in packages {
            if !self.imported.borrow_mut().insert((*owner, package.clone())) {
                continue;
            }
            for (number, member) in self.joint.members.iter().enumerate() {
                if number == *owner {
                    continue;
                }
                let Some(files) = member.view.files_importing(package)? else {
                    self.note(format!("which files of {} import {package} is not known", member.repo));
                    continue;
                };
                let files: Vec<FileId> = files.into_iter().map(|file| member.file(file)).collect();
                self.cross_files(&files)?;
            }
        }
        Ok(())
    }
}

impl View for Workspace<'_> {
    fn version(&self) -> Version {
        self.joint.version()
    }
    fn file(&self, file: FileId) -> Result<Option<FileRow>> {
        self.joint.file(file)
    }
    fn file_id(&self, path: &RelPath) -> FileId {
        self.joint.file_id(path)
    }
    fn files_under(&self, prefix: &str, each: &mut dyn FnMut(FileId, &str) -> ControlFlow<()>) -> Result<()> {
        self.joint.files_under(prefix, each)
    }
    fn files_named(&self, file_name: &str) -> Result<Vec<FileId>> {
        self.joint.files_named(file_name)
    }
    fn files_in_dir(&self, dir: &str) -> Result<Vec<FileId>> {
        self.joint.files_in_dir(dir)
    }
    fn files_of_package(&self, package: &str) -> Result<Vec<FileId>> {
        self.joint.files_of_package(package)
    }
    fn symbol_home(&self, symbol: SymbolId) -> Result<Option<SymbolHome>> {
        self.joint.symbol_home(symbol)
    }
    fn named(&self, name: &str) -> Result<Named> {
        self.joint.named(name)
    }
    fn named_up_to(&self, name: &str, limit: usize) -> Result<Vec<NameHit>> {
        self.joint.named_up_to(name, limit)
    }

    fn out_edges(&self, symbol: SymbolId) -> Result<Vec<Edge>> {
        let mut edges = self.joint.out_edges(symbol)?;
        if let Some(file) = self.joint.symbol_file(symbol)? {
            let crossed = self.crossing_of(file)?;
            for edge in crossed.edges.get(&symbol).into_iter().flatten() {
                if let Some(target) = self.joint.symbol_file(edge.to)? {
                    self.met.add(file, target);
                }
                edges.push(*edge);
            }
            edges.sort_unstable();
        }
        Ok(edges)
    }

    fn in_edges(&self, symbol: SymbolId, limit: usize) -> Result<Vec<InEdge>> {
        let mut edges = self.joint.in_edges(symbol, limit)?;
        if let Some(file) = self.joint.symbol_file(symbol)? {
            self.cross_importers(file)?;
            if let Some(into) = self.into.borrow().get(&symbol) {
                into.files.iter().for_each(|importer| self.met.add(*importer, file));
                edges.extend(&into.edges);
            }
            edges.sort_unstable();
            edges.truncate(limit);
        }
        Ok(edges)
    }

    /// Of the members' own edges, because a rank must not cost a resolution.
    fn fan_in(&self, symbol: SymbolId) -> Result<u64> {
        self.joint.fan_in(symbol)
    }
    fn unresolved_files(&self, name: &str) -> Result<Option<Vec<FileId>>> {
        self.joint.unresolved_files(name)
    }
    fn term_count(&self, term: &str) -> Result<u64> {
        self.joint.term_count(term)
    }
    fn postings(&self, term: &str, each: &mut dyn FnMut(&[TermHit]) -> ControlFlow<()>) -> Result<()> {
        self.joint.postings(term, each)
    }
    fn postings_among(&self, term: &str, symbols: &[SymbolId], each: &mut dyn FnMut(TermHit)) -> Result<()> {
        self.joint.postings_among(term, symbols, each)
    }
    fn terms(&self, prefix: &str, each: &mut dyn FnMut(&str) -> ControlFlow<()>) -> Result<()> {
        self.joint.terms(prefix, each)
    }
    fn term_from(&self, from: &str) -> Result<Option<String>> {
        self.joint.term_from(from)
    }
    fn counters(&self) -> Result<Counters> {
        self.joint.counters()
    }
}
