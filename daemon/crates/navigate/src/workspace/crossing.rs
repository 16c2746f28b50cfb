//! The edges of one file that lead into other repositories.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sdl_graph::{Site, Sites, World, resolve_named, resolve_sites, strategies};
use sdl_ledger::{Result, View};
use sdl_model::facts::imported_modules;
use sdl_model::{Body, Edge, EdgeKind, FileId, FileRow, Outline, RelPath, SymbolId};

use super::Workspace;
use super::declared::{Naming, naming_of};
use super::joint::{Alias, Joint, bytes_of};
use super::memo::{Key, StateOf, Value};
use crate::mentions::{FileMentions, SourceOutlines, mentions_of};
use crate::rename::NameSites;

/// What one file has that leads into other repositories.
#[derive(Debug, Default)]
pub(super) struct Crossed {
    /// The mentions.
    pub(super) sites: Arc<[Site]>,
    /// The edges that they make, by their sources.
    pub(super) edges: BTreeMap<SymbolId, Vec<Edge>>,
}

/// A file that may refer to other repositories, opened.
pub(super) struct OpenFile {
    pub(super) file: FileId,
    pub(super) home: usize,
    pub(super) path: RelPath,
    pub(super) outline: Arc<Outline>,
    pub(super) body: Body,
    /// How its language names packages.
    pub(super) naming: Option<Naming>,
    /// Its imports.
    pub(super) modules: BTreeSet<String>,
}

/// The repositories that a file sees beside its own, by number, with the names that their packages have when installed.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sight {
    pub(super) members: BTreeSet<usize>,
    pub(super) aliases: BTreeSet<Alias>,
}

/// What a file sees, and what a reader must know of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// Its own repository.
    pub(super) home: usize,
    pub(super) sight: Sight,
    notes: Vec<String>,
}

impl Seen {
    /// The bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        let notes: usize = self.notes.iter().map(String::len).sum();
        size_of::<Self>() + 8 * self.sight.members.len() + bytes_of(self.sight.aliases.iter()) + notes
    }
}

impl Crossed {
    /// The edges that mentions make.
    pub(super) fn of(sites: &Arc<[Site]>) -> Self {
        let mut edges: BTreeMap<(SymbolId, SymbolId, EdgeKind), Edge> = BTreeMap::new();
        for site in sites.iter() {
            let edge = edges
                .entry((site.from, site.edge.to, site.edge.kind))
                .or_insert(Edge { sites: 0, ..site.edge });
            edge.sites = edge.sites.saturating_add(1);
            edge.line_offset = edge.line_offset.min(site.edge.line_offset);
            if (site.edge.resolution, site.edge.strategy) < (edge.resolution, edge.strategy) {
                edge.resolution = site.edge.resolution;
                edge.strategy = site.edge.strategy;
            }
            edge.confidence = edge.confidence.max(site.edge.confidence);
        }
        let mut crossed = Self { sites: Arc::clone(sites), edges: BTreeMap::new() };
        for ((from, ..), edge) in edges {
            crossed.edges.entry(from).or_default().push(edge);
        }
        crossed
    }
}

impl NameSites for Workspace<'_> {
    fn sites_of(&self, file: FileId, path: &RelPath, facts: (&Outline, &Body), name: &str) -> Result<Sites> {
        let resolve = |world: &World<'_>| resolve_named(world, file, path, facts, name);
        match self.open_any(file)? {
            Some(open) => self.sites_in(&open, &resolve),
            None => Ok(Sites::default()),
        }
    }
}

impl<'a> Workspace<'a> {
    /// What a file sees beside its own repository; none if its language has no packages, or it has no facts.
    pub(super) fn seen_by(&self, file: FileId) -> Result<Option<Arc<Seen>>> {
        let key = self.memo.as_ref().map(|(_, states)| Key::Seen(file, Arc::clone(states)));
        let seen = match key.as_ref().and_then(|key| self.known(key)) {
            Some(Value::Seen(seen)) => seen,
            _ => {
                let seen = self.find_sight(file)?.map(Arc::new);
                self.keep(key, Value::Seen(seen.clone()));
                seen
            }
        };
        for note in seen.iter().flat_map(|seen| &seen.notes) {
            self.note(note.clone());
        }
        Ok(seen)
    }

    fn known(&self, key: &Key) -> Option<Value> {
        self.memo.as_ref().and_then(|(memo, _)| memo.get(key))
    }

    fn keep(&self, key: Option<Key>, value: Value) {
        if let (Some((memo, _)), Some(key)) = (&self.memo, key) {
            memo.keep(key, value);
        }
    }

    /// The key of the mentions in a file that lead into others.
    fn crossing_key(&self, file: FileId, home: usize, sight: &Sight) -> Option<Key> {
        let (_, states) = self.memo.as_ref()?;
        let seen = [home].into_iter().chain(sight.members.iter().copied());
        let states: Option<Vec<StateOf>> = seen.map(|number| states.get(number).copied()).collect();
        Some(Key::Crossing(file, states?.into(), sight.aliases.iter().cloned().collect()))
    }

    /// The mentions in a file that lead into others, if an earlier question found them.
    pub(super) fn known_crossing(&self, file: FileId, seen: &Seen) -> Option<Arc<[Site]>> {
        match self.known(&self.crossing_key(file, seen.home, &seen.sight)?)? {
            Value::Sites(sites) => Some(sites),
            Value::Imports(_) | Value::Seen(_) => None,
        }
    }

    fn open_any(&self, file: FileId) -> Result<Option<OpenFile>> {
        let Some((home, row)) = self.joint.place_of(file)? else { return Ok(None) };
        let Some(member) = self.joint.members.get(home) else { return Ok(None) };
        let Some(key) = row.state.facts() else { return Ok(None) };
        let naming = naming_of(key.lang);
        let (Some(outline), Some(body)) = (self.outlines.outline(key)?, self.bodies.body(key)?) else {
            return Ok(None);
        };
        let modules = imported_modules(&outline, &body);
        let Some(path) = RelPath::new(&member.path(row.path.as_str())) else { return Ok(None) };
        Ok(Some(OpenFile { file, home, path, outline, body, naming, modules }))
    }

    /// What a file sees beside its own repository: for each import that its own does not declare, the one other that
    /// does. Nothing of a repository if another fits too.
    fn find_sight(&self, file: FileId) -> Result<Option<Seen>> {
        let Some((home, row)) = self.joint.place_of(file)? else { return Ok(None) };
        let naming = row.state.facts().and_then(|key| naming_of(key.lang));
        let (Some(naming), Some(modules)) = (naming, self.imports_of(&row)?) else { return Ok(None) };
        let mut seen = Seen { home, ..Seen::default() };
        let sight = &mut seen.sight;
        let mut ambiguous = BTreeSet::new();
        for module in modules.iter() {
            let own = self.declared.get(home);
            if own.map_or(Ok(None), |own| own.package_of(naming, module))?.is_some() {
                continue;
            }
            let mut owners = Vec::new();
            for (number, declared) in self.declared.iter().enumerate().filter(|(n, _)| *n != home) {
                let Some(package) = declared.package_of(naming, module)? else { continue };
                let may_use =
                    naming != Naming::Stated || own.map_or(Ok(true), |own| own.may_use(declared))?;
                if may_use {
                    owners.push((number, package));
                }
            }
            match owners.as_slice() {
                [] => {}
                [(number, package)] => {
                    sight.members.insert(*number);
                    sight.aliases.extend(self.alias_of(*number, naming, package)?);
                }
                several => {
                    seen.notes.push(self.ambiguous_note(several));
                    ambiguous.extend(several.iter().map(|(number, _)| *number));
                }
            }
        }
        sight.members.retain(|number| !ambiguous.contains(number));
        Ok(Some(seen))
    }

    /// The imports of a file; none if the store does not have its facts.
    fn imports_of(&self, row: &FileRow) -> Result<Option<Arc<BTreeSet<String>>>> {
        let Some(facts) = row.state.facts() else { return Ok(None) };
        let key = self.memo.as_ref().map(|_| Key::Imports(facts));
        if let Some(Value::Imports(modules)) = key.as_ref().and_then(|key| self.known(key)) {
            return Ok(Some(modules));
        }
        let (Some(outline), Some(body)) = (self.outlines.outline(facts)?, self.bodies.body(facts)?) else {
            return Ok(None);
        };
        let modules = Arc::new(imported_modules(&outline, &body));
        self.keep(key, Value::Imports(Arc::clone(&modules)));
        Ok(Some(modules))
    }

    fn alias_of(&self, number: usize, naming: Naming, package: &str) -> Result<Option<Alias>> {
        let (Naming::Python, Some(declared), Some(member)) =
            (naming, self.declared.get(number), self.joint.members.get(number))
        else {
            return Ok(None);
        };
        let folder = declared.python_folder(package)?;
        Ok(folder.map(|folder| Alias { name: package.to_owned(), target: member.path(&folder) }))
    }

    fn ambiguous_note(&self, owners: &[(usize, String)]) -> String {
        let repos: Vec<&str> =
            owners.iter().filter_map(|(number, _)| Some(self.joint.members.get(*number)?.repo)).collect();
        let package = owners.first().map_or("", |(_, package)| package.as_str());
        format!("{package} is declared by {}, so its imports lead nowhere", repos.join(" and "))
    }

    /// The mentions of files that see the same, into other repositories.
    pub(super) fn cross_all(
        &self,
        home: usize,
        sight: &Sight,
        files: Vec<FileId>,
    ) -> Result<Vec<(FileId, Arc<[Site]>)>> {
        let joint = self.joint_seen(home, sight);
        let outlines = SourceOutlines::over(self.outlines);
        let world = World::new(&joint, &outlines);
        let mut crossing = Vec::with_capacity(files.len());
        for file in files {
            let Some(open) = self.open_any(file)? else { continue };
            let mut sites = resolve_sites(&world, file, &open.path, (&open.outline, &open.body))?.found;
            self.retain_crossing(&joint, &open, &mut sites)?;
            let sites: Arc<[Site]> = sites.into();
            self.keep(self.crossing_key(file, home, sight), Value::Sites(Arc::clone(&sites)));
            crossing.push((file, sites));
        }
        Ok(crossing)
    }

    /// The mentions of `targets` in a file: those that its own repository has, and those that lead into others.
    pub fn mentions_in(&self, file: FileId, targets: &[SymbolId]) -> Result<FileMentions> {
        let Some((home, _)) = self.joint.place_of(file)? else { return Ok(FileMentions::default()) };
        let (mut is_within, mut is_across) = (false, false);
        for target in targets {
            let at_home =
                self.joint.members.get(home).map(|member| member.has_symbol(*target)).transpose()?;
            *(if at_home == Some(true) { &mut is_within } else { &mut is_across }) = true;
        }
        let mut found = Vec::new();
        let mut add =
            |sites: &[Site]| found.extend(sites.iter().filter(|site| targets.contains(&site.edge.to)));
        if is_within {
            add(&self.own_sites(file, home)?);
        }
        if is_across {
            add(&self.crossing_of(file)?.sites);
        }
        Ok(FileMentions { found: mentions_of(found, targets), open: Vec::new() })
    }

    /// The mentions of a file that its own repository has.
    fn own_sites(&self, file: FileId, home: usize) -> Result<Arc<[Site]>> {
        let state = self.memo.as_ref().and_then(|(_, states)| states.get(home).copied());
        let key = state.map(|state| Key::Own(file, state));
        if let Some(Value::Sites(sites)) = key.as_ref().and_then(|key| self.known(key)) {
            return Ok(sites);
        }
        let Some(open) = self.open_any(file)? else { return Ok(Arc::default()) };
        let resolve = |world: &World<'_>| resolve_sites(world, file, &open.path, (&open.outline, &open.body));
        let sites: Arc<[Site]> = self.sites_at_home(&open, &resolve)?.found.into();
        self.keep(key, Value::Sites(Arc::clone(&sites)));
        Ok(sites)
    }

    /// The sites that `resolve` finds in the file's own repository.
    fn sites_at_home(&self, open: &OpenFile, resolve: &dyn Fn(&World<'_>) -> Result<Sites>) -> Result<Sites> {
        let own = Joint {
            members: self.joint.members.get(open.home).copied().into_iter().collect(),
            aliases: Vec::new(),
        };
        resolve(&World::new(&own, &SourceOutlines::over(self.outlines)))
    }

    /// The sites that `resolve` finds in the file's own repository, and those of all the file sees that lead into other
    /// repositories.
    fn sites_in(&self, open: &OpenFile, resolve: &dyn Fn(&World<'_>) -> Result<Sites>) -> Result<Sites> {
        let mut sites = self.sites_at_home(open, resolve)?;
        let Some(seen) = self.seen_by(open.file)? else { return Ok(sites) };
        if !seen.sight.members.is_empty() {
            let joint = self.joint_seen(open.home, &seen.sight);
            let mut found = resolve(&World::new(&joint, &SourceOutlines::over(self.outlines)))?.found;
            self.retain_crossing(&joint, open, &mut found)?;
            sites.found.extend(found);
        }
        Ok(sites)
    }

    fn joint_seen(&self, home: usize, sight: &Sight) -> Joint<'a> {
        let seen = [home].into_iter().chain(sight.members.iter().copied());
        Joint {
            members: seen.filter_map(|number| self.joint.members.get(number).copied()).collect(),
            aliases: sight.aliases.iter().cloned().collect(),
        }
    }

    /// Leaves the mentions that are edges into another repository.
    fn retain_crossing(&self, joint: &Joint<'a>, open: &OpenFile, sites: &mut Vec<Site>) -> Result<()> {
        let mut crossing = Vec::new();
        for site in sites.iter() {
            let rule = strategies::find_rule(site.edge.strategy);
            if rule.is_some_and(|rule| !rule.goes_by_name()) && self.is_imported(joint, open, site.edge.to)? {
                crossing.push(*site);
            }
        }
        *sites = crossing;
        Ok(())
    }

    /// Whether a symbol is of another repository, in a package that the file imports.
    fn is_imported(&self, joint: &Joint<'a>, open: &OpenFile, symbol: SymbolId) -> Result<bool> {
        let Some(home) = joint.symbol_home(symbol)? else { return Ok(false) };
        let packages = self.packages_with(home.file)?;
        let Some((number, packages)) = packages.as_deref() else { return Ok(false) };
        let Some(naming) = open.naming else { return Ok(false) };
        let is_imported =
            |package: &String| open.modules.iter().any(|module| naming.is_inside(module, package));
        Ok(*number != open.home && packages.iter().any(is_imported))
    }
}
