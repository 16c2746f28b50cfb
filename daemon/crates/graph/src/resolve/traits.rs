//! The traits that a file sees.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefIx, ImportKind};

use super::Resolver;
use crate::modules::{self, ModRef, Place};
use crate::world::{DefRef, Sym};

/// Most imports that are looked at.
const IMPORTS: usize = 256;
/// Most traits that are kept.
const TRAITS: usize = 128;

impl Resolver<'_, '_> {
    /// The definitions of `name` in the traits that `scope` sees: those of the file, those that it imports, and those
    /// of the modules that it imports as a whole.
    pub(super) fn of_traits_seen(&self, scope: DefIx, name: Sym) -> Vec<DefRef> {
        let seen = self.traits_in_sight.get_or_init(|| self.traits_seen());
        let mut found: Vec<DefRef> = seen
            .iter()
            .filter(|(at, _)| self.stands_around(*at, scope))
            .filter_map(|(_, of)| {
                let file = self.infer.file(of.file);
                let def = file
                    .children(of.def, name)
                    .find(|def| file.outline.def(*def).is_some_and(|def| def.kind.is_callable()))?;
                Some(DefRef { def, ..*of })
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether `outer` is `scope` or around it.
    fn stands_around(&self, outer: DefIx, scope: DefIx) -> bool {
        let own = self.infer.file(self.infer.own.file);
        let mut at = Some(scope);
        while let Some(ix) = at {
            if ix == outer {
                return true;
            }
            at = own.outline.def(ix).and_then(|def| def.parent).filter(|parent| *parent < ix);
        }
        false
    }

    fn traits_seen(&self) -> Vec<(DefIx, DefRef)> {
        let at = self.infer.own.file;
        let own = self.infer.file(at);
        let mut all = Vec::new();
        for (ix, def) in own.outline.iter().filter(|(_, def)| def.kind == SymbolKind::Trait).take(TRAITS) {
            all.push((def.parent.unwrap_or(DefIx::MODULE), DefRef { file: at, def: ix }));
        }
        for (ix, import) in own.outline.imports.iter().enumerate().take(IMPORTS) {
            if all.len() >= TRAITS {
                break;
            }
            let local = import.local.map_or("", |local| own.outline.str(local));
            let target = match import.kind {
                ImportKind::Wildcard => {
                    modules::find_module(self.infer.w, at, import.scope, own.outline.str(import.module))
                }
                // `use Trait as _` binds no name.
                _ if local.starts_with(char::is_uppercase) || import.local.is_none() => {
                    modules::resolve_import(self.infer.w, at, ix as u32)
                }
                _ => continue,
            };
            match target {
                Place::Def(def) if self.is_trait(def) => all.push((import.scope, def)),
                Place::Module(module) if import.kind == ImportKind::Wildcard => {
                    let (file, of) = match module {
                        ModRef::File(file) => (file, DefIx::MODULE),
                        ModRef::Inline(def) => (def.file, def.def),
                        _ => continue,
                    };
                    let index = self.infer.file(file);
                    let of_module = index
                        .outline
                        .iter()
                        .filter(|(_, def)| def.kind == SymbolKind::Trait && def.parent == Some(of));
                    all.extend(of_module.take(TRAITS).map(|(def, _)| (import.scope, DefRef { file, def })));
                }
                _ => {}
            }
        }
        all
    }

    fn is_trait(&self, def: DefRef) -> bool {
        let file = self.infer.file(def.file);
        file.outline.def(def.def).is_some_and(|def| def.kind == SymbolKind::Trait)
    }
}
