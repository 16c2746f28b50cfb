//! Kotlin: names that a file imports one by one come before those of its package, and functions extend types.

mod calls;
mod extensions;
mod overloads;
mod receivers;

use sdl_model::facts::{DefIx, Expr, ExprIx};
use sdl_model::{Lang, Visibility};

use super::Kotlin;
use crate::infer::{Ctx, Infer, MemberRules, NameRules, Sought, Ty, TypeRules, Via};
use crate::languages::extensions::only_extension;
use crate::modules::Place;
use crate::world::{DefRef, FileIndex, Sym};

impl NameRules for Kotlin {
    /// Names imported one by one take precedence over those of the package, the file's own included.
    fn named_before(
        &self,
        infer: &Infer<'_, '_>,
        sought: &Sought<'_, '_>,
        at: DefIx,
    ) -> Option<(Place, Via)> {
        let Sought { ctx, file, sym, .. } = *sought;
        let is_imported = at == DefIx::MODULE && file.imports(at, sym).next().is_some();
        is_imported.then(|| infer.imported(file, ctx.file, at, sym)).flatten()
    }
}

impl MemberRules for Kotlin {
    /// The `expect` declaration for several platforms is of the same type as the one of any of them.
    fn is_same(&self, infer: &Infer<'_, '_>, a: DefRef, b: DefRef) -> bool {
        if a == b {
            return true;
        }
        let (file_a, file_b) = (infer.file(a.file), infer.file(b.file));
        let qualified = |file: &FileIndex, def: DefIx| {
            file.outline.def(def).map(|def| (def.qualified, file.outline.package)).map(|(name, package)| {
                (file.outline.str(name).to_owned(), package.map(|text| file.outline.str(text).to_owned()))
            })
        };
        file_a.lang() == Lang::Kotlin
            && file_a.name(a.def) == file_b.name(b.def)
            && qualified(&file_a, a.def) == qualified(&file_b, b.def)
    }

    /// A function private to its file extends nothing in other files.
    fn extends(&self, infer: &Infer<'_, '_>, index: &FileIndex, member: DefRef, class: DefRef) -> bool {
        let is_private = index.outline.def(member.def).is_some_and(|found| {
            found.parent == Some(DefIx::MODULE) && found.visibility == Visibility::Private
        });
        !is_private && infer.states_owner(index, member, class)
    }
}

impl TypeRules for Kotlin {
    /// `T.(A) -> R`.
    fn stated_receiver(&self, file: &FileIndex, ty: ExprIx) -> Option<ExprIx> {
        let arena = &file.outline.arena;
        let Expr::Callable(params, _) = arena.expr(ty) else { return None };
        params.first().filter(|first| matches!(arena.expr(**first), Expr::Unwrap(_))).copied()
    }

    fn extension(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, ty: &Ty, name: Sym) -> Option<DefRef> {
        only_extension(&extensions::Receivers, infer, ctx, ty, name)
    }
}
