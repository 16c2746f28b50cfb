//! C++: members that their type only declares and that are defined anywhere.

use sdl_model::SymbolKind;
use sdl_model::facts::{Def, DefFlags, DefIx};

use super::{C, Cpp, includes};
use crate::infer::{Infer, MemberRules};
use crate::world::{DefRef, FileIndex, Sym};

impl MemberRules for C {}

impl MemberRules for Cpp {
    /// A function only sees its owner's members and is not a member itself, as a test of a fixture.
    fn is_member(&self, def: &Def) -> bool {
        def.kind != SymbolKind::Function
    }

    fn defined_apart(&self, infer: &Infer<'_, '_>, file: &FileIndex, class: DefRef, found: DefRef) -> DefRef {
        let declared = file
            .outline
            .def(found.def)
            .is_some_and(|def| def.kind.is_callable() && def.flags.has(DefFlags::ABSTRACT));
        let defined = || {
            let (class_name, name) = (file.name(class.def)?, file.name(found.def)?);
            let is_it = |def: &DefIx| file.outline.def(*def).is_some_and(|def| self.is_member(def));
            let own = file.owned_by(class_name, name).find(is_it);
            own.map(|def| DefRef { file: class.file, def })
                .or_else(|| infer.member_elsewhere(file, class, name))
        };
        if declared { defined().unwrap_or(found) } else { found }
    }

    fn defined_constructor(
        &self,
        infer: &Infer<'_, '_>,
        class: DefRef,
        name: Sym,
        _: DefRef,
    ) -> Option<DefRef> {
        infer.own_member(class, name, true)
    }

    /// Types may be defined outside of the type around them, too. Definitions for another system come last.
    fn member_elsewhere(
        &self,
        infer: &Infer<'_, '_>,
        file: &FileIndex,
        class: DefRef,
        name: Sym,
    ) -> Option<DefRef> {
        let may_be_it = |kind: SymbolKind| kind.is_callable() || kind.is_type();
        let hits = infer.hits_elsewhere(file, class, name)?;
        let is_elsewhere = |found| includes::is_elsewhere(infer.w, found);
        infer.first_elsewhere(file, class, &hits, &may_be_it, &is_elsewhere)
    }

    fn extends(&self, infer: &Infer<'_, '_>, index: &FileIndex, member: DefRef, class: DefRef) -> bool {
        index.outline.def(member.def).is_some_and(|def| self.is_member(def))
            && infer.states_owner(index, member, class)
    }

    /// The owner decides, whatever name it is given.
    fn stated_owner<'f>(&self, _: &'f FileIndex, _: DefIx) -> Option<&'f str> {
        None
    }
}
