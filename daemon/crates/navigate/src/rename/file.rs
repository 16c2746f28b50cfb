//! What one file that spells the old name states about it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use sdl_graph::Site;
use sdl_model::facts::{BindingKind, Body, DefIx, Import, Ref};
use sdl_model::{EdgeKind, FileRow, Lang, Outline, SymbolId};
use sdl_retrieve::{Result, Source, Sym};

use super::{NameSites, Place, SpellingFile};
use crate::blocks::open_blocks;
use crate::mentions::Bodies;

/// A file that spells the old name, and the meaning of its mentions as far as resolution knows it.
pub(super) struct FileNames<'f> {
    row: FileRow,
    bytes: &'f [u8],
    /// Where each line starts.
    starts: Vec<u32>,
    pub(super) outline: Arc<Outline>,
    pub(super) body: Body,
    /// Its symbols, the module first.
    pub(super) symbols: Vec<Sym>,
    /// The mentions that lead to definitions, by their place.
    sites: BTreeMap<u32, Vec<Site>>,
    /// Those of which only the line is known: bases, imports, conventions.
    line_sites: Vec<Site>,
    /// The references of the name, by their place, and whether their meaning is known.
    refs: BTreeMap<u32, (Ref, bool)>,
    /// Blocks that let others use their definitions.
    open: Vec<Range<usize>>,
    old: String,
}

impl<'f> FileNames<'f> {
    /// None for a file without facts.
    pub(super) fn read(
        source: &Source<'_>,
        (sites, bodies): (&dyn NameSites, &dyn Bodies),
        one: &'f SpellingFile,
        old: &str,
    ) -> Result<Option<Self>> {
        let Some(row) = source.view().file(one.file)? else { return Ok(None) };
        let Some(key) = row.state.facts() else { return Ok(None) };
        let (Some(outline), Some(body)) = (source.outlines().outline(key)?, bodies.body(key)?) else {
            return Ok(None);
        };
        let found = sites.sites_of(one.file, &row.path, (&outline, &body), old)?;
        let mut sites: BTreeMap<u32, Vec<Site>> = BTreeMap::new();
        let mut line_sites = Vec::new();
        for site in found.found.into_iter().chain(found.within) {
            match site.at {
                Some(at) => sites.entry(at).or_default().push(site),
                None => line_sites.push(site),
            }
        }
        let is_open = |at: u32| found.open.iter().any(|open| open.at == at);
        let named = body.refs.iter().filter(|one| body.arena.str(one.name) == old);
        let refs = named.map(|one| (one.at, (*one, !is_open(one.at)))).collect();
        let breaks = memchr::memchr_iter(b'\n', &one.bytes).map(|at| at as u32 + 1);
        Ok(Some(Self {
            row,
            bytes: &one.bytes,
            starts: std::iter::once(0).chain(breaks).collect(),
            symbols: source.symbols_of(one.file)?,
            open: open_blocks(&outline, &one.bytes),
            outline,
            body,
            sites,
            line_sites,
            refs,
            old: old.to_owned(),
        }))
    }

    pub(super) fn old_name(&self) -> &str {
        &self.old
    }

    pub(super) fn path(&self) -> &str {
        self.row.path.as_str()
    }

    pub(super) fn lang(&self) -> Lang {
        self.outline.lang
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes
    }

    pub(super) fn place(&self, at: u32) -> Place {
        let line = self.line_of(at);
        let start = self.starts.get(line as usize - 1).copied().unwrap_or_default();
        Place { path: self.path().to_owned(), at, line, column: at - start + 1 }
    }

    /// Whether a byte is in a block that lets others use its definitions.
    pub(super) fn is_in_open_block(&self, at: u32) -> bool {
        self.open.iter().any(|block| block.contains(&(at as usize)))
    }

    /// The line of a byte, from 1.
    pub(super) fn line_of(&self, at: u32) -> u32 {
        self.starts.partition_point(|start| *start <= at).max(1) as u32
    }

    /// The edges that the mention at a byte makes.
    pub(super) fn sites_at(&self, at: u32) -> &[Site] {
        self.sites.get(&at).map_or(&[], Vec::as_slice)
    }

    /// The reference at a byte, and whether its meaning is known.
    pub(super) fn reference(&self, at: u32) -> Option<(Ref, bool)> {
        self.refs.get(&at).copied()
    }

    /// The edges of a kind that a line makes as a whole.
    pub(super) fn edges_of_line(&self, line: u32, kind: EdgeKind) -> impl Iterator<Item = SymbolId> + '_ {
        let of_line = move |site: &&Site| site.line == line && site.edge.kind == kind;
        self.line_sites.iter().filter(of_line).map(|site| site.edge.to)
    }

    /// Whether conventions link something in a line to `symbol`.
    pub(super) fn is_implied(&self, line: u32, is: impl Fn(SymbolId) -> bool) -> bool {
        self.edges_of_line(line, EdgeKind::Ref).any(is)
    }

    /// The innermost definition around a byte that `wanted` accepts.
    pub(super) fn around(&self, at: u32, wanted: impl Fn(&Sym) -> bool) -> Option<&Sym> {
        let inside = self.symbols.iter().filter(|sym| {
            let span = sym.def().span;
            sym.ix == DefIx::MODULE || (span.start <= at && at < span.end)
        });
        inside.filter(|sym| wanted(sym)).min_by_key(|sym| {
            let span = sym.def().span;
            (sym.ix == DefIx::MODULE, span.end - span.start, std::cmp::Reverse(sym.ix))
        })
    }

    /// Whether the old name is a local or a parameter at a byte.
    pub(super) fn is_local(&self, at: u32) -> bool {
        self.is_local_name(&self.old, at)
    }

    /// Whether `name` is a local or a parameter at a byte.
    pub(super) fn is_local_name(&self, name: &str, at: u32) -> bool {
        self.is_bound(name, at, |kind| {
            matches!(kind, BindingKind::Param | BindingKind::Local | BindingKind::Narrowed)
        })
    }

    /// Whether a byte is in the header of a function that has a parameter of the old name: `func run(job job)`.
    pub(super) fn is_parameter_in_header(&self, at: u32) -> bool {
        self.outline.defs.iter().any(|def| {
            let in_header = def.span.start <= at && def.body_start.is_some_and(|body| at < body);
            in_header && def.params.iter().any(|param| self.outline.str(param.name) == self.old)
        })
    }

    /// Whether a scope around a byte says that the old name is one of outside.
    pub(super) fn is_from_outer(&self, at: u32) -> bool {
        self.is_bound(&self.old, at, |kind| kind == BindingKind::Outer)
    }

    /// Whether a scope around a byte, other than the file, binds `name` so.
    fn is_bound(&self, name: &str, at: u32, wanted: impl Fn(BindingKind) -> bool) -> bool {
        self.body.bindings.iter().any(|binding| {
            let span = || self.outline.def(binding.scope).map(|def| def.span);
            wanted(binding.kind)
                && self.body.arena.str(binding.name) == name
                && binding.scope != DefIx::MODULE
                && ((binding.from <= at && at < binding.to)
                    || span().is_some_and(|span| span.start <= at && at < span.end))
        })
    }

    /// Whether the statements of the file itself bind the old name.
    pub(super) fn is_bound_by_file(&self) -> bool {
        self.body.bindings.iter().any(|binding| {
            binding.scope == DefIx::MODULE && self.body.arena.str(binding.name) == self.old.as_str()
        })
    }

    /// The imports that take the old name from a module or bind it.
    pub(super) fn imports(&self) -> impl Iterator<Item = &Import> {
        self.outline.imports.iter().filter(|import| {
            let is_old = |name: Option<_>| name.is_some_and(|name| self.outline.str(name) == self.old);
            is_old(import.name) || is_old(import.local)
        })
    }

    /// Whether an import binds the old name.
    pub(super) fn binds_old(&self, import: &Import) -> bool {
        let local = import.local.or(import.name);
        local.is_some_and(|name| self.outline.str(name) == self.old)
    }

    /// Whether an import or a definition of the file's scope has this name.
    pub(super) fn is_known_to_file(&self, name: &str) -> bool {
        let imported =
            self.outline.imports.iter().any(|import| {
                import.local.or(import.name).is_some_and(|local| self.outline.str(local) == name)
            });
        imported || self.defined_by_file(name)
    }

    /// Whether the file's scope defines a name.
    pub(super) fn defined_by_file(&self, name: &str) -> bool {
        self.outline
            .iter()
            .any(|(_, def)| def.parent == Some(DefIx::MODULE) && self.outline.str(def.name) == name)
    }

    /// The line at which `new` has a meaning already that one of `edits` would meet or take over.
    pub(super) fn taken_at(&self, new: &str, edits: &[u32]) -> Option<u32> {
        if self.defined_by_file(new) {
            let def = self.outline.iter().find(|(_, def)| self.outline.str(def.name) == new);
            return def.map(|(_, def)| def.line);
        }
        let import =
            self.outline.imports.iter().find(|import| {
                import.local.or(import.name).is_some_and(|local| self.outline.str(local) == new)
            });
        if let Some(import) = import {
            return Some(import.line);
        }
        let mut bare = self.body.refs.iter().filter(|one| {
            one.recv.is_none()
                && self.body.arena.str(one.name) == new
                && !self.is_bound(new, one.at, |_| true)
        });
        if let Some(bare) = bare.next() {
            return Some(bare.line);
        }
        edits.iter().find(|at| self.is_bound(new, **at, |_| true)).map(|at| self.line_of(*at))
    }
}
