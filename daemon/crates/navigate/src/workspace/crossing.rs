//! The edges of one file that lead into other repositories.

use std::collections::{BTreeMap, BTreeSet};

use sdl_graph::{Site, Sites, World, resolve_named, resolve_sites, strategies};
use sdl_ledger::{Result, View};
use sdl_model::facts::imported_modules;
use sdl_model::{Body, Edge, EdgeKind, FileId, Outline, RelPath, SymbolId};

use super::Workspace;
use super::declared::{Naming, naming_of};
use super::joint::{Alias, Joint};
use crate::mentions::{FileMentions, SourceOutlines, mentions_of};
use crate::rename::NameSites;

/// The edges of one file that lead into other repositories, by their sources.
pub(super) type Crossing = BTreeMap<SymbolId, Vec<Edge>>;

/// A file that may refer to other repositories, opened.
pub(super) struct OpenFile {
    pub(super) file: FileId,
    pub(super) home: usize,
    pub(super) path: RelPath,
    pub(super) outline: std::sync::Arc<Outline>,
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
    /// Opens a file; none if its language has no packages, or it has no facts.
    pub(super) fn open_file(&self, file: FileId) -> Result<Option<OpenFile>> {
        Ok(self.open_any(file)?.filter(|open| open.naming.is_some()))
    }

    fn open_any(&self, file: FileId) -> Result<Option<OpenFile>> {
        let Some((member, row)) = self.joint.member_of(file)? else { return Ok(None) };
        let Some(key) = row.state.facts() else { return Ok(None) };
        let naming = naming_of(key.lang);
        let home = self.joint.members.iter().position(|other| other.repo == member.repo).unwrap_or_default();
        let (Some(outline), Some(body)) = (self.outlines.outline(key)?, self.bodies.body(key)?) else {
            return Ok(None);
        };
        let modules = imported_modules(&outline, &body);
        let Some(path) = RelPath::new(&member.path(row.path.as_str())) else { return Ok(None) };
        Ok(Some(OpenFile { file, home, path, outline, body, naming, modules }))
    }

    /// What a file sees beside its own repository: for each import that its own does not declare, the one other that
    /// does. Nothing of a repository if another fits too.
    pub(super) fn sight_of(&self, open: &OpenFile) -> Result<Sight> {
        let mut sight = Sight::default();
        let Some(naming) = open.naming else { return Ok(sight) };
        let mut ambiguous = BTreeSet::new();
        for module in &open.modules {
            let own = self.declared.get(open.home);
            if own.map_or(Ok(None), |own| own.package_of(naming, module))?.is_some() {
                continue;
            }
            let mut owners = Vec::new();
            for (number, declared) in self.declared.iter().enumerate().filter(|(n, _)| *n != open.home) {
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
                    self.note_ambiguous(several);
                    ambiguous.extend(several.iter().map(|(number, _)| *number));
                }
            }
        }
        sight.members.retain(|number| !ambiguous.contains(number));
        Ok(sight)
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

    fn note_ambiguous(&self, owners: &[(usize, String)]) {
        let repos: Vec<&str> =
            owners.iter().filter_map(|(number, _)| Some(self.joint.members.get(*number)?.repo)).collect();
        let package = owners.first().map_or("", |(_, package)| package.as_str());
        self.note(format!("{package} is declared by {}, so its imports lead nowhere", repos.join(" and ")));
    }

    /// The edges of files that see the same, into other repositories.
    pub(super) fn cross_all(&self, sight: &Sight, files: Vec<OpenFile>) -> Result<Vec<(FileId, Crossing)>> {
        let Some(home) = files.first().map(|open| open.home) else { return Ok(Vec::new()) };
        let joint = self.joint_seen(home, sight);
        let outlines = SourceOutlines::over(self.outlines);
        let world = World::new(&joint, &outlines);
        let mut crossing = Vec::with_capacity(files.len());
        for open in files {
            let sites = resolve_sites(&world, open.file, &open.path, (&open.outline, &open.body))?;
            let edges = self.crossing_edges(&joint, &open, &sites.found)?;
            crossing.push((open.file, edges));
        }
        Ok(crossing)
    }

    /// The mentions of `targets` in a file: those that its own repository has, and those that lead into others.
    pub fn mentions_in(&self, file: FileId, targets: &[SymbolId]) -> Result<FileMentions> {
        let Some(open) = self.open_any(file)? else { return Ok(FileMentions::default()) };
        let resolve = |world: &World<'_>| resolve_sites(world, file, &open.path, (&open.outline, &open.body));
        let found = self.sites_in(&open, &resolve)?.found;
        Ok(FileMentions { found: mentions_of(found, targets), open: Vec::new() })
    }

    /// The sites that `resolve` finds in the file's own repository, and those of all the file sees that lead into other
    /// repositories.
    fn sites_in(&self, open: &OpenFile, resolve: &dyn Fn(&World<'_>) -> Result<Sites>) -> Result<Sites> {
        let outlines = SourceOutlines::over(self.outlines);
        let own = Joint {
            members: self.joint.members.get(open.home).copied().into_iter().collect(),
            aliases: Vec::new(),
        };
        let mut sites = resolve(&World::new(&own, &outlines))?;
        let sight = self.sight_of(open)?;
        if !sight.members.is_empty() {
            let joint = self.joint_seen(open.home, &sight);
            for site in resolve(&World::new(&joint, &outlines))?.found {
                if self.crosses(&joint, open, &site)? {
                    sites.found.push(site);
                }
            }
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

    /// Whether a mention is an edge into another repository.
    fn crosses(&self, joint: &Joint<'a>, open: &OpenFile, site: &Site) -> Result<bool> {
        let rule = strategies::find_rule(site.edge.strategy);
        Ok(rule.is_some_and(|rule| !rule.goes_by_name()) && self.is_imported(joint, open, site.edge.to)?)
    }

    fn crossing_edges(&self, joint: &Joint<'a>, open: &OpenFile, sites: &[Site]) -> Result<Crossing> {
        let mut edges: BTreeMap<(SymbolId, SymbolId, EdgeKind), Edge> = BTreeMap::new();
        for site in sites {
            if !self.crosses(joint, open, site)? {
                continue;
            }
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
        let mut crossing = Crossing::new();
        for ((from, ..), edge) in edges {
            crossing.entry(from).or_default().push(edge);
        }
        Ok(crossing)
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
