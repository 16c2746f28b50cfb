//! Members whose names the code makes up from a prefix: `getattr(self, "visit_" + kind)`.
//!
//! The members are those of the object's type, of its bases, and of the types of the same file that derive from it. Types
//! in other files that derive from it are not looked at, because no file is asked what derives from its types.
//!
//! Of too many members the nearest are taken: those of the type, then of its bases, then of the types that derive from it.

use std::collections::HashSet;

use sdl_model::facts::{DefIx, Ref};

use super::{Outcome, Resolver};
use crate::infer::Ty;
use crate::strategies::CONVENTION;
use crate::world::DefRef;

/// Most members that one place leads to.
const MAX_HOOKS: usize = 64;
/// Most types of the file that are asked whether they derive from the object's.
const MAX_TYPES: usize = 64;

impl Resolver<'_, '_> {
    /// The methods whose names begin with the name of `one`.
    pub(crate) fn made_up_members(&self, one: &Ref) -> Outcome {
        let Some(object) = one.recv else { return Outcome::Nothing };
        let ctx = self.ctx(one);
        let prefix = ctx.arena.str(one.name);
        let value = self.infer.eval(&ctx, object);
        let mut found: Vec<DefRef> = Vec::new();
        for ty in value.ty.each() {
            let class = match ty {
                Ty::Class(class) => Some(*class),
                other => other.instance_of(),
            };
            let Some(class) = class else { continue };
            for ty in &self.infer.line(class).types {
                self.add_hooks(&mut found, *ty, prefix);
            }
            for ty in self.deriving_here(class) {
                self.add_hooks(&mut found, ty, prefix);
            }
        }
        // Not in order of their numbers: these depend on which file was opened first.
        let mut seen = HashSet::new();
        found.retain(|member| seen.insert(*member));
        found.truncate(MAX_HOOKS);
        if found.is_empty() { Outcome::Nothing } else { Outcome::Found(found, &CONVENTION) }
    }

    /// Adds the methods of `ty` whose names begin with `prefix`.
    fn add_hooks(&self, found: &mut Vec<DefRef>, ty: DefRef, prefix: &str) {
        let file = self.infer.file(ty.file);
        let inside =
            file.outline.iter().filter(|(_, def)| def.parent == Some(ty.def) && def.kind.is_callable());
        let named = inside.filter(|(_, def)| {
            let name = file.outline.str(def.name);
            name.len() > prefix.len() && name.starts_with(prefix)
        });
        found.extend(named.take(MAX_HOOKS).map(|(def, _)| DefRef { def, ..ty }));
    }

    /// The types of this file that derive from `class`.
    fn deriving_here(&self, class: DefRef) -> Vec<DefRef> {
        let own = self.infer.own.file;
        let file = self.infer.file(own);
        let types: Vec<DefIx> = file
            .outline
            .iter()
            .filter(|(_, def)| def.kind.is_type() && !def.bases.is_empty())
            .map(|(def, _)| def)
            .take(MAX_TYPES)
            .collect();
        let types = types.into_iter().map(|def| DefRef { file: own, def });
        types.filter(|ty| *ty != class && self.infer.line(*ty).types.contains(&class)).collect()
    }
}
