//! Lua: members are reached only through their table.

use sdl_model::SymbolKind;

use super::Lua;
use crate::infer::NameRules;

impl NameRules for Lua {
    fn is_only_member(&self, kind: SymbolKind) -> bool {
        matches!(kind, SymbolKind::Method | SymbolKind::Field)
    }
}
