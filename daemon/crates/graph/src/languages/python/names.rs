//! Python: functions and classes are variables, which any statement may set again.

use sdl_model::SymbolKind;
use sdl_model::facts::{Def, DefFlags, DefIx};

use super::Python;
use crate::infer::{Infer, MemberRules, NameRules, Sought};
use crate::world::{FileIndex, Sym};

impl NameRules for Python {
    /// Where a function is defined under a name that is also assigned, a call means the function.
    fn called_inside(&self, file: &FileIndex, at: DefIx, def: &Def, name: Sym) -> Option<DefIx> {
        let is_callable = |ix: &DefIx| file.outline.def(*ix).is_some_and(|def| def.kind.is_callable());
        if def.kind.is_callable() { file.children(at, name).find(is_callable) } else { None }
    }

    /// An import replaces a definition that every supported version of the language excludes, such as one under `if
    /// sys.version_info < (3,)`.
    fn child(
        &self,
        infer: &Infer<'_, '_>,
        sought: &Sought<'_, '_>,
        at: DefIx,
        into_functions: bool,
    ) -> Option<DefIx> {
        let Sought { file, sym, .. } = *sought;
        let child = file.outline.def(file.child(at, sym)?);
        let is_left_out = child.is_some_and(|def| def.flags.has(DefFlags::LEFT_OUT));
        let is_replaced = is_left_out && file.imports(at, sym).next().is_some();
        if is_replaced { None } else { infer.plain_child(sought, at, into_functions) }
    }
}

impl MemberRules for Python {}

/// The function `name` inside the function `def`, if there is one only.
pub(super) fn only_inner(file: &FileIndex, def: DefIx, name: Sym) -> Option<DefIx> {
    let is_function =
        |ix: &DefIx| file.outline.def(*ix).is_some_and(|found| found.kind == SymbolKind::Function);
    let mut inner = file.children(def, name).filter(is_function);
    inner.next().filter(|_| inner.next().is_none())
}
