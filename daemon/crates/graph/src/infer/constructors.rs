//! The constructors that are called when a value of a type is constructed.

use sdl_model::facts::{DefFlags, DefIx};
use sdl_model::lang::Constructor;

use super::Infer;
use crate::world::DefRef;

impl Infer<'_, '_> {
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
        let found = DefRef { file: class.file, def: best.unwrap_or(first) };
        match best {
            Some(_) => Some(found),
            None => self.rules_of(&file).defined_constructor(self, class, name, found),
        }
    }
}
