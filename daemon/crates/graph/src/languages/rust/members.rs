//! Rust: `impl` blocks give types members and traits.

use std::rc::Rc;

use sdl_ledger::NameHit;
use sdl_model::SymbolKind;
use sdl_model::facts::Base;

use super::Rust;
use crate::infer::{Infer, MemberRules};
use crate::world::{DefRef, FileIndex, Sym, last_name};

impl MemberRules for Rust {
    /// The blocks `impl … for` the type.
    fn blocks_elsewhere(
        &self,
        infer: &Infer<'_, '_>,
        file: &FileIndex,
        class: DefRef,
        name: Sym,
    ) -> Vec<DefRef> {
        blocks_in_other_files(infer, file, class, name)
    }

    /// `impl Deref for …`.
    fn added_by_block(&self, infer: &Infer<'_, '_>, file: &FileIndex, at: DefRef) -> Option<DefRef> {
        let is_deref = |base: &Base| last_name(&file.outline, base.ty) == Some("Deref");
        file.outline.def(at.def)?.bases.iter().any(is_deref).then_some(())?;
        let def = file.child(at.def, infer.sym("Target"))?;
        let stated = file.outline.def(def)?.ty?;
        infer.stated(&Infer::outline_ctx(file, DefRef { def, ..at }, None), stated).instance_of()
    }

    fn member_by_alias(
        &self,
        infer: &Infer<'_, '_>,
        file: &FileIndex,
        class: DefRef,
        name: Sym,
    ) -> Option<DefRef> {
        file.owning_aliases().iter().find_map(|alias| {
            let is_it = infer.alias(DefRef { def: *alias, ..class }).instance_of() == Some(class);
            let blocks = file.blocks_of(file.name(*alias).filter(|_| is_it)?);
            let def = blocks.iter().find_map(|block| file.child(*block, name))?;
            Some(DefRef { def, ..class })
        })
    }

    /// A generic type may have blocks under an alias that states its arguments.
    fn member_elsewhere(
        &self,
        infer: &Infer<'_, '_>,
        file: &FileIndex,
        class: DefRef,
        name: Sym,
    ) -> Option<DefRef> {
        let mut hits: Rc<[NameHit]> = infer.hits_elsewhere(file, class, name)?;
        let is_generic = || file.outline.def(class.def).is_some_and(|def| def.generics.is_some());
        if hits.is_empty() && is_generic() {
            hits = infer.w.named(name)?;
        }
        infer.first_elsewhere(file, class, &hits, &SymbolKind::is_callable, &|_| false)
    }

    /// A block may name its type by an alias, as in `impl Show for Names` with `type Names = List<String>`.
    fn extends(&self, infer: &Infer<'_, '_>, index: &FileIndex, member: DefRef, class: DefRef) -> bool {
        Infer::holder_of(index, member).is_some_and(|(at, holder)| {
            holder.owner.is_some()
                && (at == member || !holder.kind.is_type())
                && infer.owner_of(index, at) == Some(class)
        })
    }
}

fn blocks_in_other_files(
    infer: &Infer<'_, '_>,
    file: &FileIndex,
    class: DefRef,
    class_name: Sym,
) -> Vec<DefRef> {
    if infer.is_local(class) {
        return Vec::new();
    }
    let hits = infer.apart(infer.sym(""), class_name);
    let mut found: Vec<(u64, DefRef)> = hits
        .iter()
        .flat_map(|hits| hits.iter())
        .filter(|hit| hit.kind == SymbolKind::Impl && hit.file != file.id)
        .filter_map(|hit| {
            let at = infer.w.open(hit.file)?;
            let index = infer.file(at);
            let block = DefRef { file: at, def: index.find(hit.symbol)? };
            (infer.owner_of(&index, block) == Some(class)).then_some((hit.symbol.0, block))
        })
        .collect();
    found.sort_unstable_by_key(|(id, _)| *id);
    found.into_iter().map(|(_, block)| block).collect()
}

/// The member `name` that a type has by implementing a trait called `of`.
pub(super) fn implemented_member(
    infer: &Infer<'_, '_>,
    class: DefRef,
    of: &str,
    name: Sym,
) -> Option<DefRef> {
    let file = infer.file(class.file);
    let class_name = file.name(class.def)?;
    let own = file.blocks_of(class_name).iter().map(|def| DefRef { file: class.file, def: *def });
    let own = own.filter(|at| infer.owner_of(&file, *at) == Some(class));
    own.chain(blocks_in_other_files(infer, &file, class, class_name)).find_map(|at| {
        let index = infer.file(at.file);
        let block = index.outline.def(at.def).filter(|def| def.kind == SymbolKind::Impl)?;
        let names_it = |base: &Base| last_name(&index.outline, base.ty) == Some(of);
        block.bases.iter().any(names_it).then_some(())?;
        Some(DefRef { def: index.child(at.def, name)?, ..at })
    })
}
