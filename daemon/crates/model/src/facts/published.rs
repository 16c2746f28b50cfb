//! The names by which others find a file's definitions.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{Def, DefFlags, DefIx, Expr, ExprIx, Outline};
use crate::SymbolKind;

/// The separator between a member's name and its type's where a member is found by both.
const APART: char = '\u{1}';

/// The name by which a member in another file than its type is found, because any number of definitions may have its
/// simple name. Without a name, the name by which an `impl` block of the type is found.
pub fn name_apart(name: &str, owner: &str) -> String {
    format!("{name}{APART}{owner}")
}

/// The names in a text of [`Outline::published`]: the simple one, if it has one, and the one with the type's.
pub fn names_in(published: &str) -> impl Iterator<Item = &str> {
    let simple = published.split(APART).next().unwrap_or("");
    let apart = (simple.len() < published.len()).then_some(published);
    Some(simple).filter(|simple| !simple.is_empty()).into_iter().chain(apart)
}

impl Outline {
    /// The names by which other files find each definition, as one text, see [`names_in`]: its simple name and, for a
    /// member apart from its type, its name with the type's. Nothing for local definitions.
    pub fn published(&self) -> impl Iterator<Item = (DefIx, Cow<'_, str>)> {
        let stands_apart = self.lang.traits().members.name_their_owner;
        let types: HashSet<&str> = if stands_apart && self.defs.iter().any(|def| def.owner.is_some()) {
            let is_own = |def: &&Def| {
                def.kind.is_type() && !def.flags.has(DefFlags::LOCAL) && !self.is_associated(def)
            };
            self.defs.iter().filter(is_own).map(|def| self.str(def.name)).collect()
        } else {
            HashSet::new()
        };
        self.iter().filter_map(move |(ix, def)| {
            if def.kind == SymbolKind::Module || def.flags.has(DefFlags::LOCAL) {
                return None;
            }
            let name = if def.kind == SymbolKind::Impl { "" } else { self.str(def.name) };
            let owner = def.owner.filter(|_| stands_apart).or_else(|| {
                let parent =
                    self.def(def.parent?).filter(|parent| stands_apart && parent.kind == SymbolKind::Impl)?;
                parent.owner
            });
            let owner = owner.and_then(|owner| {
                let name = self.last_name(owner)?;
                // `other.Session` is another type than this file's `Session`, because it is written with its module.
                (self.is_spelled_out(owner) || !types.contains(name)).then_some(name)
            });
            match owner {
                Some(owner) => Some((ix, Cow::Owned(name_apart(name, owner)))),
                None if name.is_empty() => None,
                None => Some((ix, Cow::Borrowed(name))),
            }
        })
    }

    /// The last name of a type's expression: `C` of `a.b.C[T]`.
    pub fn last_name(&self, mut ix: ExprIx) -> Option<&str> {
        for _ in 0..16 {
            match self.arena.expr(ix) {
                Expr::Name(name) | Expr::Attr(_, name) | Expr::Path(_, name) => return Some(self.str(*name)),
                Expr::Generic(base, _) | Expr::Unwrap(base) => ix = *base,
                _ => return None,
            }
        }
        None
    }

    /// Whether a type is an associated type of a trait: `type Item = …`.
    fn is_associated(&self, def: &Def) -> bool {
        let parent = def.parent.and_then(|parent| self.def(parent));
        def.kind == SymbolKind::Type
            && parent.is_some_and(|parent| matches!(parent.kind, SymbolKind::Impl | SymbolKind::Trait))
    }

    fn is_spelled_out(&self, ix: ExprIx) -> bool {
        match self.arena.expr(ix) {
            Expr::Generic(base, _) | Expr::Unwrap(base) => {
                matches!(self.arena.expr(*base), Expr::Attr(..) | Expr::Path(..))
            }
            expr => matches!(expr, Expr::Attr(..) | Expr::Path(..)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_text_holds_one_name_or_two() {
        let names = |text: &str| names_in(text).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(names("clone"), ["clone"]);
        let apart = name_apart("clone", "Expr");
        assert_eq!(names(&apart), ["clone".to_owned(), apart.clone()]);
        let block = name_apart("", "Expr");
        assert_eq!(names(&block).join(""), block);
        assert!(names("").is_empty());
    }
}
