//! Rust: the module tree, `use` paths, crates of the repository.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefFlags, DefIx, ImportKind};

use super::conditions;
use super::crates::{self, crate_named};
use crate::modules::paths::{folder_ancestors, in_dir, parent_dir as dir_of, push_part};
use crate::modules::{self, ModRef, Place, find_inside, find_module as module_at, resolve_import};
use crate::world::{DefRef, FileIx, Question, Sym, World};

/// The module that the path `text` names in `scope` of a file.
pub(super) fn find_module(w: &World<'_>, from: FileIx, scope: DefIx, text: &str) -> Place {
    let mut parts = text.split("::").map(str::trim);
    let Some(first) = parts.next() else { return Place::Missing };
    let here = enclosing_module(w, from, scope);
    let mut place = match first {
        "crate" | "$crate" => {
            crate_root(w, from).map_or(Place::Missing, |at| Place::Module(ModRef::File(at)))
        }
        "self" => module_place(here),
        "super" => parent_module(w, here),
        "" => match parts.next() {
            Some(name) => crate_named(w, from, name),
            None => module_place(here),
        },
        name => find_holder(w, here, w.sym(name)).or_else(|| crate_named(w, from, name)),
    };
    for part in parts {
        place = match (part, place) {
            ("self", place) => place,
            ("super", Place::Module(ModRef::File(file))) => {
                parent_module(w, DefRef { file, def: DefIx::MODULE })
            }
            ("super", Place::Module(ModRef::Inline(def))) => parent_module(w, def),
            (name, Place::Module(ModRef::File(file))) => {
                find_holder(w, DefRef { file, def: DefIx::MODULE }, w.sym(name))
            }
            (name, Place::Module(ModRef::Inline(def))) => find_holder(w, def, w.sym(name)),
            (name, place) => find_inside(w, place, name),
        };
    }
    place
}

/// The meaning of `name` in a module where more of a path follows. A function does not hide a module or a type of its
/// name.
pub(super) fn find_holder(w: &World<'_>, at: DefRef, name: Sym) -> Place {
    let file = w.file(at.file);
    let inline = file.children(at.def, name).find_map(|def| {
        let found = file.outline.def(def).filter(|found| !found.flags.has(DefFlags::LOCAL))?;
        let place = DefRef { def, ..at };
        found.kind.is_type().then_some(Place::Def(place))
    });
    inline
        .or_else(|| child_file(w, at, &w.text(name)).map(|file| Place::Module(ModRef::File(file))))
        .unwrap_or_else(|| {
            let first = modules::find_member(w, module_ref(at), name);
            let callable =
                |def: DefRef| w.file(def.file).outline.def(def.def).is_some_and(|def| def.kind.is_callable());
            match first {
                Place::Def(def) if callable(def) => {
                    let inline = file.children(at.def, name).find(|def| {
                        file.outline.def(*def).is_some_and(|def| def.kind == SymbolKind::Namespace)
                    });
                    let imports = || file.imports(at.def, name).map(|ix| resolve_import(w, at.file, ix));
                    let holds = |place: &Place| match place {
                        Place::Def(def) => !callable(*def),
                        Place::Module(_) => true,
                        _ => false,
                    };
                    inline
                        .map(|def| Place::Module(ModRef::Inline(DefRef { def, ..at })))
                        .or_else(|| imports().find(holds))
                        .or_else(|| behind_imports(w, at, name))
                        .unwrap_or(first)
                }
                found => found,
            }
        })
}

/// The module or type that an import binds to `name` beside a function, where more of a path follows.
fn behind_imports(w: &World<'_>, at: DefRef, name: Sym) -> Option<Place> {
    let q = Question::Behind(at, name);
    let found = w.derive(&w.memos.places, q, Place::Missing, || {
        let file = w.file(at.file);
        let mut all = file.imports(at.def, name).filter_map(|ix| file.import(ix));
        let behind = all.find_map(|import| {
            let of = match modules::find_module(w, at.file, import.scope, file.outline.str(import.module)) {
                Place::Module(ModRef::File(file)) => DefRef { file, def: DefIx::MODULE },
                Place::Module(ModRef::Inline(def)) => def,
                _ => return None,
            };
            match find_holder(w, of, w.sym(file.outline.str(import.name?))) {
                Place::Def(def)
                    if w.file(def.file).outline.def(def.def).is_some_and(|def| def.kind.is_callable()) =>
                {
                    None
                }
                found => found.is_found().then_some(found),
            }
        });
        behind.unwrap_or(Place::Missing)
    });
    found.is_found().then_some(found)
}

fn module_ref(at: DefRef) -> ModRef {
    if at.def == DefIx::MODULE { ModRef::File(at.file) } else { ModRef::Inline(at) }
}

fn module_place(at: DefRef) -> Place {
    Place::Module(module_ref(at))
}

/// The inline module around `scope`, or the file.
fn enclosing_module(w: &World<'_>, file: FileIx, scope: DefIx) -> DefRef {
    DefRef { file, def: w.file(file).namespace_around(scope) }
}

/// Whether a file is the root of a crate of its own.
fn is_root(w: &World<'_>, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let dir = dir_of(path);
    let folder = dir.rsplit('/').next().unwrap_or(dir);
    matches!(name, "lib.rs" | "main.rs" | "build.rs")
        || (matches!(folder, "tests" | "examples" | "benches" | "bin") && name != "mod.rs")
        || crates::stated_roots(w, dir).iter().any(|root| root == path)
}

/// The folder of a file's submodules.
fn submodule_dir(w: &World<'_>, path: &str) -> String {
    let dir = dir_of(path);
    if path.ends_with("/mod.rs") || path == "mod.rs" || is_root(w, path) {
        return dir.to_owned();
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    in_dir(dir, name.strip_suffix(".rs").unwrap_or(name))
}

/// The file of the submodule `name` of a module.
fn child_file(w: &World<'_>, at: DefRef, name: &str) -> Option<FileIx> {
    let file = w.file(at.file);
    let mut path = submodule_dir(w, file.path.as_str());
    let mut inline = Vec::new();
    let mut def = at.def;
    while def != DefIx::MODULE {
        inline.extend(file.name(def));
        def = file.outline.def(def)?.parent.filter(|parent| *parent < def)?;
    }
    for part in inline.iter().rev() {
        push_part(&mut path, &w.text(*part));
    }
    push_part(&mut path, name);
    let base = path.len();
    path.push_str(".rs");
    if let Some(found) = w.open_path(&path) {
        return Some(found);
    }
    path.truncate(base);
    path.push_str("/mod.rs");
    w.open_path(&path)
}

/// The module around a module.
fn parent_module(w: &World<'_>, at: DefRef) -> Place {
    let file = w.file(at.file);
    if at.def != DefIx::MODULE {
        let outer = file.outline.def(at.def).and_then(|def| def.parent).unwrap_or(DefIx::MODULE);
        return module_place(enclosing_module(w, at.file, outer));
    }
    let path = file.path.as_str();
    if is_root(w, path) {
        return Place::Missing;
    }
    let dir = dir_of(path);
    let dir = if file.path.file_name() == "mod.rs" { dir_of(dir) } else { dir };
    let candidates =
        [in_dir(dir, "mod.rs"), format!("{dir}.rs"), in_dir(dir, "lib.rs"), in_dir(dir, "main.rs")];
    let stated = crates::stated_roots(w, dir).into_iter().filter(|root| dir_of(root) == dir);
    candidates
        .into_iter()
        .chain(stated)
        .filter(|candidate| candidate.as_str() != path)
        .find_map(|candidate| w.open_path(&candidate))
        .map_or(Place::Missing, |at| Place::Module(ModRef::File(at)))
}

/// The root file of the crate that a file belongs to.
fn crate_root(w: &World<'_>, from: FileIx) -> Option<FileIx> {
    let file = w.file(from);
    if is_root(w, file.path.as_str()) {
        return Some(from);
    }
    let stated = crates::stated_roots(w, file.path.dir());
    folder_ancestors(file.path.dir()).find_map(|dir| {
        let stated = stated.iter().filter(|root| dir_of(root) == dir).find_map(|root| w.open_path(root));
        stated
            .or_else(|| w.open_path(&in_dir(dir, "lib.rs")))
            .or_else(|| w.open_path(&in_dir(dir, "main.rs")))
    })
}

/// The meaning of `name` in a module, whether it is visible to others or not.
pub(super) fn find_member(w: &World<'_>, at: DefRef, name: Sym) -> Place {
    let file = w.file(at.file);
    let mut module = None;
    let mut left_out = None;
    for def in file.children(at.def, name) {
        let Some(found) = file.outline.def(def) else { continue };
        if found.flags.has(DefFlags::LOCAL) {
            continue;
        }
        let is_module = found.kind == SymbolKind::Namespace;
        let place = if is_module {
            Place::Module(ModRef::Inline(DefRef { def, ..at }))
        } else {
            Place::Def(DefRef { def, ..at })
        };
        if conditions::leaves_out(w, at.file, &file, def) {
            left_out = left_out.or(Some(place));
        } else if is_module {
            module = module.or(Some(place));
        } else {
            return place;
        }
    }
    let imports = modules::built_imports(w, at.file, &file, file.imports(at.def, name));
    // An excluded definition yields to an import that is included, wherever the import leads.
    if let (Some(found), None) = (left_out, module)
        && imports.iter().all(|ix| conditions::leaves_out_import(w, at.file, &file, *ix))
    {
        return found;
    }
    let is_alternative = left_out.is_some() && !imports.is_empty();
    let mut outside = false;
    for ix in imports {
        // `use a::{self}` and `use self::name::…` lead back to a child of the same name.
        let found = resolve_import(w, at.file, ix);
        if found.is_found() || (is_alternative && found == Place::External) {
            return found;
        }
        outside |= found == Place::External;
    }
    let text = w.text(name);
    if let Some(child) = child_file(w, at, &text) {
        return Place::Module(ModRef::File(child));
    }
    if let Some(module) = module {
        return module;
    }
    // A name imported explicitly hides one that a wildcard brings in.
    if outside {
        return Place::External;
    }
    let mut by_wildcard = |ix: u32| {
        let import = file.import(ix)?;
        if import.kind != ImportKind::Wildcard || import.scope != at.def {
            return None;
        }
        let target = module_at(w, at.file, import.scope, file.outline.str(import.module));
        let found = if target == module_place(at) { Place::Missing } else { find_inside(w, target, &text) };
        found.is_found().then_some(found)
    };
    let leaves_out = |ix: &u32| conditions::leaves_out_import(w, at.file, &file, *ix);
    let built = file.wildcards.iter().copied().filter(|ix| !leaves_out(ix)).find_map(&mut by_wildcard);
    if let Some(found) =
        built.or_else(|| file.wildcards.iter().copied().filter(leaves_out).find_map(by_wildcard))
    {
        return found;
    }
    left_out.unwrap_or(Place::Missing)
}

/// The meaning of the first part of a path that nothing in the file has.
pub(super) fn find_root_name(w: &World<'_>, from: FileIx, name: &str) -> Place {
    match name {
        "crate" | "self" | "super" => find_module(w, from, DefIx::MODULE, name),
        _ => {
            let here = DefRef { file: from, def: DefIx::MODULE };
            find_member(w, here, w.sym(name)).or_else(|| crate_named(w, from, name))
        }
    }
}

/// [`find_holder`] of the first part of a path.
pub(super) fn first_holder(w: &World<'_>, from: FileIx, scope: DefIx, name: Sym) -> Place {
    find_holder(w, enclosing_module(w, from, scope), name)
}

/// Macros are visible by the order of the text, through `#[macro_use]` and at the crate's root; that is, nearly
/// everywhere.
pub(super) fn find_implicit(w: &World<'_>, from: FileIx, name: Sym) -> Place {
    let Some(root) = crate_root(w, from) else { return Place::Missing };
    let file = w.file(root);
    let found = file
        .children(DefIx::MODULE, name)
        .find(|ix| file.outline.def(*ix).is_some_and(|def| def.kind == SymbolKind::Macro));
    found.map_or(Place::Missing, |def| Place::Def(DefRef { file: root, def }))
}
