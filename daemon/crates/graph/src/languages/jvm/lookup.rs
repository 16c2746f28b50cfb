//! Java and Kotlin: packages by declaration, classes by import, package or wildcard.

use sdl_model::facts::{DefFlags, DefIx};
use sdl_model::{FileId, Lang, RelPath};

use crate::modules::{ModRef, Place, find_declared, find_inside, split_last};
use crate::world::{DefRef, FileIndex, FileIx, Sym, World};

/// The package or class that `text` names.
pub(super) fn find_module(w: &World<'_>, text: &str) -> Place {
    if text.is_empty() {
        return Place::Missing;
    }
    if !w.files_of_package(text).is_empty() {
        return Place::Module(ModRef::Package(Lang::Java, w.sym(text)));
    }
    // A class, perhaps inside another. A name in lower case is taken for a package, because that saves questions for
    // names from outside.
    let (outer, name) = split_last(text);
    if outer.is_empty() || !name.starts_with(char::is_uppercase) {
        return Place::External;
    }
    match find_module(w, outer) {
        Place::Missing => Place::External,
        found @ (Place::Module(_) | Place::Def(_)) => find_inside(w, found, name),
        other => other,
    }
}

/// The place that `import module.name` binds.
pub(super) fn import_name(w: &World<'_>, module: Place, text: &str, name: &str) -> Place {
    match module {
        Place::External | Place::Missing => {
            let whole = format!("{text}.{name}");
            if w.files_of_package(&whole).is_empty() {
                Place::External
            } else {
                Place::Module(ModRef::Package(Lang::Java, w.sym(&whole)))
            }
        }
        found => find_inside(w, found, name),
    }
}

/// The meaning of `name` in a package.
pub(super) fn package_member(w: &World<'_>, package: Sym, name: Sym) -> Place {
    let files = w.files_of_package(&w.text(package));
    let text = w.text(name);
    // The file `Cart.java` is tried first for `Cart`, because by convention a public class is in a file of its name.
    let by_stem = |id: &&FileId| w.path_of(**id).is_some_and(|path| path.stem() == &*text);
    let mut candidates: Vec<FileId> = files.iter().filter(by_stem).copied().collect();
    match w.named(name) {
        Some(hits) => candidates.extend(hits.iter().map(|hit| hit.file).filter(|file| files.contains(file))),
        None => candidates.extend(files.iter().copied().take(256)),
    }
    // Of several copies in one tree, the one in the least deep folder that is not hidden.
    candidates.sort_by_cached_key(|id| {
        w.path_of(*id).map(|path| {
            let text = path.as_str();
            (text.starts_with('.') || text.contains("/."), text.matches('/').count(), path.clone())
        })
    });
    candidates
        .into_iter()
        .filter_map(|id| w.open(id))
        // Other languages have packages of the same names.
        .filter(|at| w.file(*at).traits().family == Lang::Java.traits().family)
        .map(|at| find_declared(w, at, name))
        .find(|place| place.is_found())
        .unwrap_or(Place::Missing)
}

/// The meaning of `name` in the file's own package.
pub(super) fn find_implicit(w: &World<'_>, file: &FileIndex, name: Sym) -> Place {
    let found = file
        .outline
        .package
        .map_or(Place::Missing, |package| package_member(w, w.sym(file.outline.str(package)), name));
    if found == Place::Missing && file.outline.package.is_none() && file.lang() == Lang::Java {
        let dir = w.files_in_dir(file.path.dir());
        return dir
            .iter()
            .filter(|id| w.path_of(**id).is_some_and(|path| path.stem() == &*w.text(name)))
            .filter_map(|id| w.open(*id))
            .filter_map(|at| Some((at, w.file(at).child(DefIx::MODULE, name)?)))
            .map(|(file, def)| Place::Def(crate::world::DefRef { file, def }))
            .next()
            .unwrap_or(Place::Missing);
    }
    found
}

/// The first part of a name that is written out with its package.
pub(super) fn find_root_name(w: &World<'_>, name: &str) -> Place {
    if w.files_of_package(name).is_empty() {
        Place::Missing
    } else {
        Place::Module(ModRef::Package(Lang::Java, w.sym(name)))
    }
}

/// The source set of Kotlin that a file belongs to, and whether it holds tests: `jvm` of `src/jvmMain/…`.
fn source_set(path: &RelPath) -> Option<(&str, bool)> {
    let of = |part: &'_ str| -> Option<bool> {
        let tests = part.len() > 4 && part.ends_with("Test");
        (tests || (part.len() > 4 && part.ends_with("Main"))).then_some(tests)
    };
    path.dir().split('/').find_map(|part| Some((part.get(..part.len().checked_sub(4)?)?, of(part)?)))
}

/// Whether a source set is for one platform, rather than for several.
fn is_platform(set: &str) -> bool {
    let starts = |names: &[&str]| names.iter().any(|name| set.starts_with(name));
    starts(&["jvm", "android", "js", "wasm", "native", "apple", "ios", "macos", "tvos", "watchos", "linux"])
        || starts(&["mingw", "windows", "unix", "darwin"])
}

/// How far a definition in source set `other` is from code in `own`. None where it is out of sight. A declaration in
/// common code is defined for each platform, by default the JVM.
fn source_set_distance(own: (&str, bool), other: (&str, bool), is_declaration: bool) -> Option<u8> {
    if other.1 && !own.1 {
        return None;
    }
    match (own.0, other.0) {
        (own, other) if own == other && !is_declaration => Some(0),
        ("common", "jvm") => Some(1),
        // Common code sees only the declaration.
        ("common", "common") => Some(2),
        (_, "common") => Some(if is_declaration { 4 } else { 1 }),
        (own, other) if own == other => Some(3),
        (own, other) if is_platform(other) && (own == "common" || is_platform(own)) => None,
        (own, "jvm") if own != "common" => Some(2),
        _ => Some(3),
    }
}

/// Of the definitions with the name of `found` in several source sets of one package, the one that a build of `from`
/// takes.
pub(super) fn in_source_set(w: &World<'_>, from: FileIx, found: Place) -> Place {
    let Place::Def(def) = found else { return found };
    let (own, file) = (w.file(from), w.file(def.file));
    if file.lang() != Lang::Kotlin || def.file == from {
        return found;
    }
    let (Some(own_set), Some(set)) = (source_set(&own.path), source_set(&file.path)) else { return found };
    let is_declaration = |file: &FileIndex, def: DefIx| {
        file.outline.def(def).is_some_and(|def| def.flags.has(DefFlags::ABSTRACT))
    };
    let is_type = |file: &FileIndex, def: DefIx| {
        file.outline.def(def).is_some_and(|def| def.parent == Some(DefIx::MODULE) && !def.kind.is_callable())
    };
    if source_set_distance(own_set, set, is_declaration(&file, def.def)) == Some(0) {
        return found;
    }
    let package = |file: &FileIndex| file.outline.package.map(|text| w.sym(file.outline.str(text)));
    let Some(name) = file.name(def.def) else { return found };
    let mut others: Vec<DefRef> = Vec::new();
    match w.named(name) {
        Some(hits) => others.extend(hits.iter().filter_map(|hit| {
            let at = w.open(hit.file)?;
            Some(DefRef { file: at, def: w.file(at).find(hit.symbol)? })
        })),
        // Very many definitions have the name: look only in files of that name.
        None => {
            let text = w.text(name);
            let package = file.outline.package.map_or("", |package| file.outline.str(package));
            let files = w.files_of_package(package);
            let named = files.iter().filter(|id| w.path_of(**id).is_some_and(|path| path.stem() == &*text));
            for at in named.take(64).filter_map(|id| w.open(*id)) {
                others.extend(w.file(at).children(DefIx::MODULE, name).map(|def| DefRef { file: at, def }));
            }
        }
    }
    let best = others
        .into_iter()
        .filter_map(|other| {
            let index = w.file(other.file);
            let (one, it) = (index.outline.def(other.def)?, file.outline.def(def.def)?);
            let is_one = index.lang() == Lang::Kotlin
                && package(&index) == package(&file)
                && one.parent == it.parent
                && one.owner.is_some() == it.owner.is_some()
                && is_type(&index, other.def) == is_type(&file, def.def);
            let set = source_set(&index.path).filter(|_| is_one)?;
            let far = source_set_distance(own_set, set, is_declaration(&index, other.def))?;
            Some((far, index.path.clone(), one.key, other))
        })
        .min_by(|a, b| (a.0, &a.1, a.2).cmp(&(b.0, &b.1, b.2)));
    best.map_or(found, |(.., def)| Place::Def(def))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_sets() {
        let set = |path: &str| {
            let path = RelPath::new(path);
            path.as_ref().and_then(source_set).map(|(set, tests)| (set.to_owned(), tests))
        };
        assert_eq!(set("a/src/jvmMain/kotlin/B.kt"), Some(("jvm".to_owned(), false)));
        assert_eq!(set("core/commonTest/src/B.kt"), Some(("common".to_owned(), true)));
        assert_eq!(set("src/main/kotlin/Main/B.kt"), None);
        assert_eq!(source_set_distance(("common", false), ("jvm", false), false), Some(1));
        assert_eq!(source_set_distance(("js", false), ("jvm", false), false), None);
        assert_eq!(source_set_distance(("jvm", false), ("common", true), false), None);
        assert!(
            source_set_distance(("js", false), ("common", false), true)
                > source_set_distance(("js", false), ("js", false), false)
        );
    }
}
