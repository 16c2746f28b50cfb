//! Kotlin: functions that state their receiver's type, visible in their package and where they are imported.

use sdl_model::Visibility;
use sdl_model::facts::{DefIx, ImportKind};

use crate::infer::{Ctx, Infer};
use crate::languages::extensions::{Form, Takes, is_extension, types_around};
use crate::resolve::Resolver;
use crate::strategies::{EXTENSION_OF, Rule};
use crate::world::{DefRef, FileIndex, Sym};

/// Most files that are searched for a name with very many definitions.
const FILES: usize = 64;
/// The object whose members are those of the type around it.
const COMPANION: &str = "Companion";

/// Functions with receivers.
pub(super) struct Receivers;

impl Form for Receivers {
    /// Those that the file's package and imports lead to.
    fn crowded(&self, infer: &Infer<'_, '_>, own: &FileIndex, name: Sym) -> Vec<DefRef> {
        let text = infer.w.text(name);
        let named = own.outline.imports.iter().filter(|import| {
            import.kind == ImportKind::Wildcard
                || import.name.is_some_and(|name| own.outline.str(name) == &*text)
        });
        let packages = own.outline.package.into_iter().chain(named.map(|one| one.module));
        let packages: Vec<&str> = packages.map(|at| own.outline.str(at)).collect();
        let files = packages.iter().flat_map(|package| infer.w.files_of_package(package).to_vec());
        let mut found = Vec::new();
        for id in files.take(FILES) {
            let Some(file) = infer.w.open(id) else { continue };
            found.extend(infer.file(file).children(DefIx::MODULE, name).map(|def| DefRef { file, def }));
        }
        found
    }

    /// A name imported explicitly takes precedence over one of the package.
    fn drop_hidden(&self, infer: &Infer<'_, '_>, own: &FileIndex, name: Sym, found: &mut Vec<DefRef>) {
        let imports = own.imports(DefIx::MODULE, name).filter_map(|ix| own.import(ix));
        let imported: Vec<&str> = imports.map(|import| own.outline.str(import.module)).collect();
        if imported.is_empty() {
            return;
        }
        found.retain(|def| {
            let index = infer.file(def.file);
            let in_type = index.lang() != own.lang() || !is_extension(&index, def.def);
            in_type || imported.contains(&index.outline.package.map_or("", |text| index.outline.str(text)))
        });
    }

    fn sees(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, index: &FileIndex, def: DefRef) -> bool {
        let Some(found) = index.outline.def(def.def) else { return false };
        let Some(parent) = found.parent else { return false };
        let own = infer.file(ctx.file);
        if index.outline.def(parent).is_some_and(|parent| parent.kind.is_type()) {
            // A member of a type that extends another: seen from inside.
            let holder = DefRef { def: parent, ..def };
            let around = types_around(self, infer, ctx);
            return around.iter().any(|class| infer.line(*class).types.contains(&holder));
        }
        if def.file == ctx.file {
            return true;
        }
        if found.visibility == Visibility::Private {
            return false;
        }
        let package = index.outline.package.map_or("", |package| index.outline.str(package));
        own.outline.package.map_or("", |package| own.outline.str(package)) == package
            || own.outline.imports.iter().any(|import| {
                own.outline.str(import.module) == package
                    && (import.kind == ImportKind::Wildcard
                        || import.name.map(|name| own.outline.str(name))
                            == Some(index.outline.str(found.name)))
            })
    }

    /// By the companion of the class, or the class itself.
    fn takes_class(
        &self,
        infer: &Infer<'_, '_>,
        class: DefRef,
        owner: Option<DefRef>,
        stated: &str,
    ) -> Option<Takes> {
        let file = infer.file(class.file);
        let companion = file.child(class.def, infer.sym(COMPANION)).map(|def| DefRef { def, ..class });
        let has = owner.is_some() && (owner == companion || owner == Some(class));
        let is_value = has || (owner.is_none() && stated == COMPANION);
        is_value.then_some(if has { Takes::Type(0) } else { Takes::Perhaps })
    }

    fn add_beside(&self, infer: &Infer<'_, '_>, file: &FileIndex, class: DefRef, types: &mut Vec<DefRef>) {
        let companion = file.child(class.def, infer.sym(COMPANION));
        types.extend(companion.map(|def| DefRef { def, ..class }));
    }

    fn rule_by_name(&self, _: &Resolver<'_, '_>, _: Sym) -> Option<&'static Rule> {
        Some(&EXTENSION_OF)
    }
}
