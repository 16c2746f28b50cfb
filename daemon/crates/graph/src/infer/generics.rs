//! The generic parameters of a definition.

use sdl_model::facts::DefIx;
use sdl_model::lang::{ParameterNames, Types};

use super::Meaning;
use crate::world::FileIndex;

/// Whether `name` is a generic parameter of `at`, with its bound.
pub(super) fn find_generic(file: &FileIndex, at: DefIx, name: &str, crossed_module: bool) -> Option<Meaning> {
    let def = file.outline.def(at)?;
    if crossed_module {
        return None;
    }
    let bound = def.bounds.iter().find(|(bound, _)| file.outline.str(*bound) == name).map(|(_, ty)| *ty);
    if bound.is_some() {
        return Some(Meaning::Generic(bound));
    }
    let generics = file.outline.str(def.generics?);
    is_parameter(generics, name, &file.traits().types).then_some(Meaning::Generic(None))
}

/// Whether `name` is one of the parameters of `generics`.
fn is_parameter(generics: &str, name: &str, types: &Types) -> bool {
    parameter_names(generics, types).any(|one| one == name)
}

/// The names of the parameters of `generics`, a list as written with its brackets; lifetimes left out.
pub(crate) fn parameter_names<'g>(
    generics: &'g str,
    types: &Types,
) -> impl Iterator<Item = &'g str> + use<'g> {
    let names = types.parameter_names;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut depth = 0_usize;
    let parts = generics.split(move |c: char| {
        match c {
            '<' | '[' | '(' | '{' => depth += 1,
            '>' | ']' | ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 1 && matches!(c, ',' | '<' | '[')
    });
    parts.filter_map(move |part| {
        let stated = part.split([':', '=', '<', '>', ']', '&', '|']).next().unwrap_or(part);
        let stated = stated.split(" extends ").next().unwrap_or(stated);
        if stated.trim_start().starts_with('\'') {
            return None;
        }
        let mut words = stated.split(move |c| !is_word(c)).filter(|word| !word.is_empty());
        // `const N`, `typename T`, `out T` end with the name; in `[K comparable]` its bound follows it.
        match names {
            ParameterNames::First => words.next(),
            ParameterNames::Last => words.next_back(),
        }
    })
}

#[cfg(test)]
mod tests {
    use sdl_model::Lang;

    use super::*;

    #[test]
    fn parameters_of_generics() {
        for (generics, name, lang) in [
            ("<T>", "T", Lang::Rust),
            ("<'a, P: 'a + AsRef<Path> + ?Sized, const N: usize>", "P", Lang::Rust),
            ("<'a, P: 'a + AsRef<Path> + ?Sized, const N: usize>", "N", Lang::Rust),
            ("<K extends Comparable<? super K>, V>", "K", Lang::Java),
            ("<K extends Comparable<? super K>, V>", "V", Lang::Java),
            ("<T = string, U extends keyof T = keyof T>", "U", Lang::TypeScript),
            ("<typename T, class U>", "U", Lang::Cpp),
            ("[K comparable, V any]", "K", Lang::Go),
            ("[T: Base]", "T", Lang::Python),
        ] {
            assert!(is_parameter(generics, name, &lang.traits().types), "{name} in {generics}");
        }
        for (generics, name, lang) in [
            ("<'a, P: 'a + AsRef<Path> + ?Sized>", "Path", Lang::Rust),
            ("<K extends Comparable<? super K>, V>", "Comparable", Lang::Java),
            ("<T = string>", "string", Lang::TypeScript),
            ("[K comparable, V any]", "comparable", Lang::Go),
        ] {
            assert!(!is_parameter(generics, name, &lang.traits().types), "{name} in {generics}");
        }
    }
}
