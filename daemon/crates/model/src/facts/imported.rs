//! The modules outside of its own file that a file's text names.

use std::collections::BTreeSet;

use super::{Body, Expr, ExprIx, ImportKind, Outline, RefForm};
use crate::Lang;

/// Longest name that is kept. Longer ones name no module.
const LONGEST: usize = 400;
/// Most parts of a path that is followed to its first.
const LONGEST_PATH: usize = 64;

/// The modules and packages that the file's imports name, as written: `requests.sessions`, `@shop/cart`,
/// `example.com/shop/cart`, `com.shop.cart`. Of Rust the names of crates, also those that paths begin with. Without
/// relative imports and included files.
pub fn imported_modules(outline: &Outline, body: &Body) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for import in &outline.imports {
        if matches!(import.kind, ImportKind::Include | ImportKind::SystemInclude) {
            continue;
        }
        let module = outline.str(import.module).trim();
        let named = match (module.is_empty(), import.name) {
            (true, Some(name)) => outline.str(name),
            _ => module,
        };
        found.extend(module_key(outline.lang, named));
    }
    if outline.lang == Lang::Rust {
        for arena in [&outline.arena, &body.arena] {
            for expr in &arena.exprs {
                let Expr::Path(base, _) = expr else { continue };
                let first = first_name(arena, *base).map(|name| arena.str(name));
                found.extend(first.and_then(|name| module_key(Lang::Rust, name)));
            }
        }
        // The first name of `shop::price(…)` is no path by itself.
        let qualified =
            body.refs.iter().filter(|one| !matches!(one.form, RefForm::MethodCall | RefForm::Attr));
        for first in qualified.filter_map(|one| first_name(&body.arena, one.recv?)) {
            found.extend(module_key(Lang::Rust, body.arena.str(first)));
        }
    }
    found
}

/// The name that a path begins with.
fn first_name(arena: &super::Arena, mut at: ExprIx) -> Option<super::StrIx> {
    for _ in 0..LONGEST_PATH {
        match arena.expr(at) {
            Expr::Name(name) => return Some(*name),
            Expr::Path(base, _) => at = *base,
            _ => return None,
        }
    }
    None
}

/// The part of an import's text that names a module outside of the file's own package; none for relative imports.
fn module_key(lang: Lang, text: &str) -> Option<String> {
    let text = text.strip_prefix("::").unwrap_or(text);
    let key = match lang {
        Lang::Rust => text.split("::").next().unwrap_or(text).trim(),
        _ => text.trim_start_matches('\\'),
    };
    let is_crate = |key: &str| {
        key.starts_with(|first: char| first.is_ascii_lowercase() || first == '_')
            && !matches!(key, "crate" | "self" | "super" | "std" | "core" | "alloc")
    };
    let is_outside = match lang {
        Lang::Rust => is_crate(key),
        _ => !key.starts_with(['.', '/', '#']),
    };
    (is_outside && !key.is_empty() && key.len() <= LONGEST).then(|| key.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_imports_name_no_package() {
        assert_eq!(module_key(Lang::Python, ".sessions"), None);
        assert_eq!(module_key(Lang::Python, "requests.sessions").as_deref(), Some("requests.sessions"));
        assert_eq!(module_key(Lang::TypeScript, "./cart"), None);
        assert_eq!(module_key(Lang::TypeScript, "@shop/cart/api").as_deref(), Some("@shop/cart/api"));
        assert_eq!(module_key(Lang::Rust, "::serde::de").as_deref(), Some("serde"));
        assert_eq!(module_key(Lang::Rust, "crate::shapes"), None);
        assert_eq!(module_key(Lang::Rust, "Shape::Circle"), None);
        assert_eq!(module_key(Lang::Php, "\\App\\Util").as_deref(), Some("App\\Util"));
    }
}
