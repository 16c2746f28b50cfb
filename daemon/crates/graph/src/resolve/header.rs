//! Edges that a file's outline states: what it inherits and what it imports.

use sdl_model::facts::{DefIx, Expr, ImportKind};
use sdl_model::{EdgeKind, SymbolKind};

use super::Resolver;
use super::calls::rule_of;
use super::edges::{Edges, Mention};
use crate::infer::{Meaning, Want};
use crate::modules::{self, ModRef, Place};
use crate::strategies::{IMPORT, SCOPE};
use crate::world::DefRef;

impl Resolver<'_, '_> {
    /// `implements` edges.
    pub(super) fn bases(&self, edges: &mut Edges) {
        let infer = &self.infer;
        let at = infer.own.file;
        let file = infer.file(at);
        for (ix, def) in file.outline.iter().filter(|(_, def)| !def.bases.is_empty()) {
            infer.w.begin_reference();
            let here = DefRef { file: at, def: ix };
            // An impl block speaks for its type, if that is of this file.
            let source = match def.kind {
                SymbolKind::Impl => infer
                    .owner_of(&file, here)
                    .filter(|owner| owner.file == at)
                    .map_or(DefIx::MODULE, |owner| owner.def),
                _ => ix,
            };
            for base in &def.bases {
                let ctx = infer.base_ctx(&file, here, base.kind);
                let found_by = match ctx.arena.expr(base.ty) {
                    Expr::Name(name) => match infer.meaning(&ctx, *name, Want::Type) {
                        Meaning::Place(_, via) => rule_of(via),
                        _ => &IMPORT,
                    },
                    _ => &IMPORT,
                };
                for ty in infer.stated(&ctx, base.ty).each() {
                    if let Some(target) = ty.instance_of()
                        && !infer.w.is_spent()
                        && let Some(symbol) = infer.file(target.file).symbol(target.def)
                    {
                        let rule = if target.file == at { &SCOPE } else { found_by };
                        edges.add(source, symbol, EdgeKind::Implements, rule, Mention::of_line(base.line));
                    }
                }
            }
        }
    }

    /// `ref` edges to what definitions use by a convention.
    pub(super) fn conventions(&self, edges: &mut Edges) {
        self.infer.w.begin_reference();
        for one in self.rules.implied(self) {
            if let Some(symbol) = self.infer.file(one.target.file).symbol(one.target.def) {
                edges.add(one.user, symbol, EdgeKind::Ref, one.rule, Mention::of_line(one.line));
            }
        }
    }

    /// `import` edges.
    pub(super) fn imports(&self, edges: &mut Edges) {
        let infer = &self.infer;
        let at = infer.own.file;
        let file = infer.file(at);
        for (ix, one) in file.outline.imports.iter().enumerate() {
            infer.w.begin_reference();
            if let Some(included) = infer.w.rules(file.lang()).inclusion(infer.w, at, one) {
                // The modules of all files have the same key.
                let symbol =
                    included.zip(file.outline.def(DefIx::MODULE)).map(|(id, own)| id.symbol(own.key));
                if let Some(symbol) = symbol.filter(|_| !infer.w.is_spent()) {
                    edges.add(DefIx::MODULE, symbol, EdgeKind::Import, &IMPORT, Mention::of_line(one.line));
                }
                continue;
            }
            let place = match one.kind {
                ImportKind::Wildcard
                | ImportKind::SideEffect
                | ImportKind::Include
                | ImportKind::SystemInclude => modules::imported_module(infer.w, at, one),
                _ => modules::resolve_import(infer.w, at, ix as u32),
            };
            if infer.w.is_spent() {
                continue;
            }
            let target = match place {
                Place::Def(def) | Place::Module(ModRef::Inline(def)) => Some(def),
                Place::Module(ModRef::File(file)) => Some(DefRef { file, def: DefIx::MODULE }),
                // A folder or a package is no symbol.
                Place::Module(_) | Place::External | Place::Missing => None,
            };
            if let Some(target) = target
                && let Some(symbol) = infer.file(target.file).symbol(target.def)
            {
                edges.add(DefIx::MODULE, symbol, EdgeKind::Import, &IMPORT, Mention::of_line(one.line));
            }
        }
    }
}
