//! C and C++: macros replace text, and conditional directives choose the code that is compiled.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefFlags, DefIx, ImportKind};
use sdl_model::lang::Names;

use super::{C, Cpp, includes, platform};
use crate::infer::{Infer, NameRules, Sought, Want};
use crate::modules::Place;
use crate::world::{DefRef, FileIndex, Sym};

/// How many types around a member are looked at.
const OUTER: usize = 4;

impl NameRules for C {
    fn is_wanted(&self, _: &Names, kind: SymbolKind, want: Want) -> bool {
        want != Want::Type || may_name_type(kind)
    }

    fn child(
        &self,
        infer: &Infer<'_, '_>,
        sought: &Sought<'_, '_>,
        at: DefIx,
        into_functions: bool,
    ) -> Option<DefIx> {
        child_in_text(infer, sought, at, into_functions)
    }
}

impl NameRules for Cpp {
    fn is_wanted(&self, _: &Names, kind: SymbolKind, want: Want) -> bool {
        want != Want::Type || may_name_type(kind)
    }

    fn child(
        &self,
        infer: &Infer<'_, '_>,
        sought: &Sought<'_, '_>,
        at: DefIx,
        into_functions: bool,
    ) -> Option<DefIx> {
        child_in_text(infer, sought, at, into_functions)
    }

    /// `namespace short = long::name;`
    fn is_alias(&self, file: &FileIndex, at: DefIx, name: Sym) -> bool {
        let is_module = |ix| file.import(ix).is_some_and(|import| import.kind == ImportKind::Module);
        file.imports(at, name).any(is_module)
    }

    /// A definition outside of its type sees the type's own name and the members of the types around it.
    fn in_outer_types(&self, infer: &Infer<'_, '_>, from: DefRef, name: Sym, want: Want) -> Option<DefRef> {
        let own = infer.file(from.file);
        let is_type = own.outline.def(from.def).is_some_and(|def| def.kind.is_type());
        let mut class = if is_type { from } else { infer.owner_of(&own, from)? };
        for level in 0..OUTER {
            let file = infer.file(class.file);
            if file.name(class.def) == Some(name) {
                return Some(class);
            }
            if level > 0
                && let Some((Place::Def(found), _)) = infer.implicit_member(class, name, want)
            {
                return Some(found);
            }
            let def = file.outline.def(class.def)?;
            class = match def.owner {
                Some(_) => infer.owner_of(&file, class)?,
                None => {
                    let outer = def.parent.filter(|outer| *outer < class.def)?;
                    file.outline.def(outer).filter(|outer| outer.kind.is_type())?;
                    DefRef { def: outer, ..class }
                }
            };
        }
        None
    }
}

/// Whether the name of a definition of this kind may mean a type. A macro may expand to one. A field doesn't hide the type of
/// its name: `struct page *page`.
fn may_name_type(kind: SymbolKind) -> bool {
    use SymbolKind::{EnumMember, Field, Function, Method, Variable};
    !matches!(kind, EnumMember | Field | Function | Method | Variable)
}

/// The definition that a name means in the scope `at`, where macros replace text.
fn child_in_text(
    infer: &Infer<'_, '_>,
    sought: &Sought<'_, '_>,
    at: DefIx,
    into_functions: bool,
) -> Option<DefIx> {
    match sought.want {
        Want::Call => called_by_text(infer, sought, at),
        _ => infer.plain_child(sought, at, into_functions),
    }
}

/// The definition that a call means. The order is: a macro with parameters, which hides a function of its name; a
/// function with a body; a function without one. A macro without parameters, which may rename a function, comes last.
fn called_by_text(infer: &Infer<'_, '_>, sought: &Sought<'_, '_>, at: DefIx) -> Option<DefIx> {
    let Sought { ctx, file, sym, .. } = *sought;
    let rank = |ix: &DefIx| {
        file.outline.def(*ix).map(|def| {
            let rank = match def.kind {
                // A macro that calls the function of its own name is that function and something more.
                SymbolKind::Macro if def.flags.has(DefFlags::ABSTRACT) => 3,
                SymbolKind::Macro => 0,
                SymbolKind::Constant => 3,
                kind if includes::is_tag(kind, file.lang()) => 4,
                _ => 1 + u8::from(def.flags.has(DefFlags::ABSTRACT)),
            };
            (def.flags.has(DefFlags::LEFT_OUT), rank)
        })
    };
    let found = file
        .children(at, sym)
        .filter(|ix| file.outline.def(*ix).is_some_and(|def| def.owner.is_none()))
        .min_by_key(rank)?;
    let def = file.outline.def(found)?;
    // A replacement for a function of the system's library, which only a setting or another system asks for.
    let asked_for = def.flags.has(DefFlags::OPTIONAL) && def.kind != SymbolKind::Function;
    let is_apart = def.flags.has(DefFlags::LEFT_OUT) || asked_for;
    if is_apart && platform::is_of_libc(&infer.w.text(sym)) {
        return None;
    }
    // An included file has the function whatever the settings.
    if is_apart && at == DefIx::MODULE && includes::has_firm_function(infer.w, ctx.file, sym) {
        return None;
    }
    if def.kind == SymbolKind::Function && at == DefIx::MODULE {
        return Some(includes::renaming_macro(infer.w, ctx.file, found, ctx.at).unwrap_or(found));
    }
    Some(found)
}
