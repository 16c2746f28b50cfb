//! Ruby: mixins, and types that any file may open again.

use sdl_model::SymbolKind;
use sdl_model::facts::BaseKind;

use super::Ruby;
use crate::infer::{Bases, Infer, MemberRules};
use crate::world::{DefRef, FileIndex, Sym, last_name};

/// The module inside a mixin whose members become members of the including type itself.
const CLASS_METHODS: &str = "ClassMethods";

impl MemberRules for Ruby {
    /// Mixins are included by code inside the type.
    fn sees_members(&self, kind: BaseKind) -> bool {
        kind == BaseKind::Mixin
    }

    fn add_bases(&self, infer: &Infer<'_, '_>, _: &FileIndex, class: DefRef, bases: &mut Bases) {
        let name = infer.sym(CLASS_METHODS);
        let held =
            |base: &DefRef| Some(DefRef { def: infer.file(base.file).child(base.def, name)?, ..*base });
        let of_mixins: Vec<DefRef> = bases.types.iter().filter_map(held).collect();
        bases.types.extend(of_mixins.into_iter().filter(|base| *base != class));
    }

    /// A reopened type may contain types and constants, too.
    fn member_elsewhere(
        &self,
        infer: &Infer<'_, '_>,
        file: &FileIndex,
        class: DefRef,
        name: Sym,
    ) -> Option<DefRef> {
        let may_be_it =
            |kind: SymbolKind| kind.is_callable() || kind.is_type() || kind == SymbolKind::Constant;
        let hits = infer.hits_elsewhere(file, class, name)?;
        infer.first_elsewhere(file, class, &hits, &may_be_it, &|_| false)
    }

    /// Parts of a reopened type are in several files. None takes precedence.
    fn extends(&self, infer: &Infer<'_, '_>, index: &FileIndex, member: DefRef, class: DefRef) -> bool {
        let Some((at, holder)) = Infer::holder_of(index, member) else { return false };
        match holder.owner {
            Some(_) if at != member && holder.kind.is_type() => false,
            Some(owner) => last_name(&index.outline, owner).is_some_and(|last| infer.is_named(class, last)),
            None => infer.is_in_part(index, member, class),
        }
    }
}
