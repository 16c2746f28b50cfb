//! Rust: types and modules have a namespace of their own, and attributes choose the code that is compiled.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefFlags, DefIx};

use super::{Rust, conditions};
use crate::infer::{Infer, NameRules, Sought, Via, Want};
use crate::modules::{self, Place};
use crate::world::DefRef;

impl NameRules for Rust {
    /// No local variable hides a type or a module, because Rust has separate namespaces for values and types.
    fn may_be_local(&self, want: Want) -> bool {
        want != Want::Type
    }

    /// A variable does not hide a module or type that a path goes through.
    fn path_start(&self) -> Want {
        Want::Type
    }

    /// Code in a nested module does not see the names of the modules around it. For example, `mod tests` needs `use
    /// super::*`.
    fn is_closed(&self, kind: SymbolKind) -> bool {
        kind == SymbolKind::Namespace
    }

    fn built_instead(
        &self,
        infer: &Infer<'_, '_>,
        sought: &Sought<'_, '_>,
        scope: DefRef,
        found: DefIx,
    ) -> Option<(Place, Via)> {
        let Sought { file, sym, want, .. } = *sought;
        let names = &file.traits().names;
        let leaves_out = |ix: DefIx| conditions::leaves_out(infer.w, scope.file, file, ix);
        if !leaves_out(found) {
            return None;
        }
        let fits = |ix: &DefIx| {
            *ix != found
                && file.outline.def(*ix).is_some_and(|def| {
                    let is_wanted = self.is_wanted(names, def.kind, want);
                    def.owner.is_none() && !def.flags.has(DefFlags::LOCAL) && is_wanted
                })
                && !leaves_out(*ix)
        };
        if let Some(def) = file.children(scope.def, sym).find(fits) {
            return Some((Place::Def(DefRef { def, ..scope }), Via::Scope));
        }
        let import = file
            .imports(scope.def, sym)
            .find(|ix| !conditions::leaves_out_import(infer.w, scope.file, file, *ix))?;
        match modules::resolve_import(infer.w, scope.file, import) {
            Place::Missing => Some((Place::External, Via::Import)),
            place => Some((place, Via::Import)),
        }
    }
}
