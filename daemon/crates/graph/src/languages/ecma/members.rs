//! JavaScript: functions that construct objects.

use sdl_model::SymbolKind;
use sdl_model::facts::DefIx;

use super::Ecma;
use crate::infer::MemberRules;
use crate::world::FileIndex;

impl MemberRules for Ecma {
    /// A constructor function sets the fields of its objects through `this`: `function Cart() { this.items = [] }`.
    fn is_constructor_function(&self, file: &FileIndex, at: DefIx) -> bool {
        let mut defs = file.outline.defs.iter();
        !self.is_typed && defs.any(|def| def.parent == Some(at) && def.kind == SymbolKind::Field)
    }
}
