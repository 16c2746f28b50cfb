//! The constructors that are called when a value of a type is constructed.

use sdl_model::SymbolKind;
use sdl_model::facts::{BaseKind, DefFlags, DefIx};
use sdl_model::lang::Constructor;

use super::Infer;
use crate::world::DefRef;

impl Infer<'_, '_> {
    /// The class that `class` extends.
    pub(crate) fn base_class(&self, class: DefRef) -> Option<DefRef> {
        let file = self.file(class.file);
        let base = file.outline.def(class.def)?.bases.iter().find(|base| base.kind == BaseKind::Extends)?;
        let ctx = Self::base_ctx(&file, class, base.kind);
        let found = self.stated(&ctx, base.ty).instance_of()?;
        let kind = self.file(found.file).outline.def(found.def)?.kind;
        (kind == SymbolKind::Class).then_some(found)
    }

    /// The constructor that `class` itself declares, if it does.
    pub(crate) fn constructor(&self, class: DefRef) -> Option<DefRef> {
        let file = self.file(class.file);
        let name = match file.traits().members.constructor {
            Constructor::None => return None,
            Constructor::Named(name) => self.sym(name),
            Constructor::TypeName => file.name(class.def)?,
        };
        let constructors = || file.children(class.def, name).filter(|ix| Self::is_callable(&file, *ix));
        let first = constructors().next()?;
        let lacks = |ix: &DefIx, flag| file.outline.def(*ix).is_some_and(|def| !def.flags.has(flag));
        let best = constructors()
            .filter(|ix| lacks(ix, DefFlags::ABSTRACT))
            .min_by_key(|ix| !lacks(ix, DefFlags::LEFT_OUT));
        // A class declares what may be defined elsewhere.
        if best.is_none() && file.traits().members.out_of_line {
            return self.own_member(class, name, true);
        }
        Some(DefRef { file: class.file, def: best.unwrap_or(first) })
    }
}
