//! C#: a type may be written in several places, each marked as a part.

use sdl_model::SymbolKind;
use sdl_model::facts::DefFlags;

use super::CSharp;
use crate::infer::{Bases, Infer, MemberRules};
use crate::world::{DefRef, FileIndex, Sym};

impl MemberRules for CSharp {
    /// All parts are searched, because any of them may state the bases of the type.
    fn add_bases(&self, infer: &Infer<'_, '_>, file: &FileIndex, class: DefRef, bases: &mut Bases) {
        for part in other_parts(infer, file, class) {
            infer.add_stated_bases(&infer.file(part.file), part, class, bases);
        }
    }

    fn member_elsewhere(
        &self,
        infer: &Infer<'_, '_>,
        file: &FileIndex,
        class: DefRef,
        name: Sym,
    ) -> Option<DefRef> {
        let is_partial = file.outline.def(class.def).is_some_and(|def| def.flags.has(DefFlags::PARTIAL));
        let may_be_it = |kind: SymbolKind| kind.is_callable() || is_partial;
        match infer.hits_elsewhere(file, class, name) {
            Some(hits) => infer.first_elsewhere(file, class, &hits, &may_be_it, &|_| false),
            // Very many definitions have the name: look only in the other parts of the type.
            None => other_parts(infer, file, class).into_iter().find_map(|part| {
                let index = infer.file(part.file);
                let is_own = |def: &sdl_model::facts::Def| !def.flags.has(DefFlags::NAMELESS);
                let mut named = index.children(part.def, name);
                let def = named.find(|ix| index.outline.def(*ix).is_some_and(is_own))?;
                Some(DefRef { def, ..part })
            }),
        }
    }

    fn extends(&self, infer: &Infer<'_, '_>, index: &FileIndex, member: DefRef, class: DefRef) -> bool {
        infer.states_owner(index, member, class) || infer.is_in_part(index, member, class)
    }
}

/// The other parts of a type that is written in several.
fn other_parts(infer: &Infer<'_, '_>, file: &FileIndex, class: DefRef) -> Vec<DefRef> {
    let found = file.outline.def(class.def).filter(|def| def.flags.has(DefFlags::PARTIAL));
    let Some(found) = found else { return Vec::new() };
    let hits = file.name(class.def).and_then(|name| infer.w.named(name));
    let mut parts: Vec<(u64, DefRef)> = hits
        .iter()
        .flat_map(|hits| hits.iter())
        .filter(|hit| hit.kind == found.kind && hit.file != file.id)
        .filter_map(|hit| {
            let at = infer.w.open(hit.file)?;
            let index = infer.file(at);
            let def = index.find(hit.symbol)?;
            let other = index.outline.def(def)?;
            let same = other.flags.has(DefFlags::PARTIAL)
                && index.outline.str(other.qualified) == file.outline.str(found.qualified)
                && index.outline.package.map(|text| index.outline.str(text))
                    == file.outline.package.map(|text| file.outline.str(text));
            same.then_some((hit.symbol.0, DefRef { file: at, def }))
        })
        .collect();
    parts.sort_unstable_by_key(|(id, _)| *id);
    parts.into_iter().map(|(_, part)| part).collect()
}
