//! How each language finds modules, and what a module shows: a file per family.

mod c;
mod composer;
mod conditions;
mod cpp;
mod crates;
mod dotnet;
mod ecma;
mod ecma_packages;
mod go;
mod jvm;
mod paths;
mod platform;
mod python;
mod python_projects;
mod requires;
mod rust;

use sdl_model::Lang;
use sdl_model::facts::{DefFlags, DefIx, Import, ImportKind};

use crate::world::{DefRef, FileIndex, FileIx, Question, Sym, World};

pub(crate) use c::{definition, has_firm_function, includes, is_elsewhere, is_tag, renamed};
pub(crate) use conditions::{imports as built_imports, leaves_out, leaves_out_import};
pub(crate) use go::siblings;
pub(crate) use platform::is_of_libc;

pub(crate) use crate::values::{ModRef, Place};

/// The module that an import's text names, seen from `scope` of `from`.
pub(crate) fn module(w: &World<'_>, from: FileIx, scope: DefIx, text: &str) -> Place {
    let file = w.file(from);
    // Folder and text decide in most languages; asking per file keeps the question simple.
    let scope = if file.lang() == Lang::Rust { scope } else { DefIx::MODULE };
    let q = Question::Module(DefRef { file: from, def: scope }, w.sym(text));
    w.derive(&w.memos.places, q, Place::Missing, || match file.lang() {
        Lang::Python => python::module(w, &file, text),
        Lang::JavaScript | Lang::TypeScript | Lang::Tsx => ecma::module(w, &file, text),
        Lang::Rust => rust::module(w, from, scope, text),
        Lang::Go => go::module(w, text),
        Lang::Java | Lang::Kotlin => jvm::module(w, text),
        Lang::CSharp | Lang::Php => dotnet::module(w, &file, text),
        Lang::C | Lang::Cpp => c::include(w, &file, text),
        Lang::Ruby | Lang::Bash => requires::module(w, &file, text),
        Lang::Manifest => Place::Missing,
    })
}

/// The module that an import names.
pub(crate) fn imported_module(w: &World<'_>, from: FileIx, import: &Import) -> Place {
    let file = w.file(from);
    let text = file.outline.str(import.module);
    match c::wanted(import, text) {
        Some(wanted) => module(w, from, import.scope, &wanted),
        None => module(w, from, import.scope, text),
    }
}

/// What the import numbered `ix` of `from` binds.
pub(crate) fn import(w: &World<'_>, from: FileIx, ix: u32) -> Place {
    let q = Question::Import(from, ix);
    w.derive(&w.memos.places, q, Place::Missing, || {
        let file = w.file(from);
        let Some(import) = file.import(ix) else { return Place::Missing };
        let text = file.outline.str(import.module);
        let module = || imported_module(w, from, import);
        match import.kind {
            ImportKind::Named => {
                let Some(name) = import.name else { return Place::Missing };
                let name = file.outline.str(name);
                match file.lang() {
                    Lang::Python => python::import_name(w, from, module(), name),
                    Lang::Java | Lang::Kotlin => {
                        jvm::in_source_set(w, from, jvm::import_name(w, module(), text, name))
                    }
                    Lang::CSharp | Lang::Php => dotnet::import_name(w, &file, text, name),
                    Lang::Cpp => cpp::import_name(w, from, text, name),
                    Lang::JavaScript | Lang::TypeScript | Lang::Tsx if name == "default" => {
                        default_place(w, module())
                    }
                    _ => inside(w, module(), name),
                }
            }
            ImportKind::Default => default_place(w, module()),
            ImportKind::Module => {
                let local = import.local.map(|local| file.outline.str(local));
                match (file.lang(), local) {
                    (Lang::Cpp, Some(_)) => cpp::namespace(w, from, text),
                    (Lang::Python, Some(local)) => python::import_module(w, from, text, local),
                    (Lang::Java | Lang::Kotlin | Lang::CSharp | Lang::Php, _) => {
                        let (package, name) = split_last(text);
                        module().or_else(|| match file.lang() {
                            Lang::Java | Lang::Kotlin => {
                                let found = jvm::import_name(w, jvm::module(w, package), package, name);
                                jvm::in_source_set(w, from, found)
                            }
                            _ => dotnet::import_name(w, &file, package, name),
                        })
                    }
                    _ => module(),
                }
            }
            _ => module(),
        }
    })
}

fn split_last(text: &str) -> (&str, &str) {
    text.rsplit_once(['.', '\\']).unwrap_or(("", text))
}

fn default_place(w: &World<'_>, module: Place) -> Place {
    match module {
        Place::Module(module) => default_of(w, module),
        other => other,
    }
}

/// What `name` is directly inside a module or a definition.
pub(crate) fn inside(w: &World<'_>, place: Place, name: &str) -> Place {
    match place {
        Place::Module(module) => member(w, module, w.sym(name)),
        Place::Def(def) => {
            let file = w.file(def.file);
            file.child(def.def, w.sym(name)).map_or(Place::Missing, |child| as_place(&file, def, child))
        }
        other => other,
    }
}

/// What the default export of a module is; the module itself where there is none.
pub(crate) fn default_of(w: &World<'_>, module: ModRef) -> Place {
    match module {
        ModRef::File(file) => ecma::default_of(w, file).or_else(|| Place::Module(module)),
        _ => Place::Module(module),
    }
}

/// What `name` means inside a module, seen from outside.
pub(crate) fn member(w: &World<'_>, module: ModRef, name: Sym) -> Place {
    let q = Question::ModuleMember(module, name);
    w.derive(&w.memos.places, q, Place::Missing, || match module {
        ModRef::File(at) => {
            let file = w.file(at);
            match file.lang() {
                Lang::Python => python::member(w, at, &file, name),
                Lang::JavaScript | Lang::TypeScript | Lang::Tsx => ecma::member(w, at, &file, name),
                Lang::Rust => rust::member(w, DefRef { file: at, def: DefIx::MODULE }, name),
                _ => declared(w, at, name),
            }
        }
        ModRef::Inline(def) => {
            let file = w.file(def.file);
            match file.lang() {
                Lang::Rust => rust::member(w, def, name),
                Lang::Cpp => cpp::namespace_member(w, def, name),
                Lang::CSharp | Lang::Php | Lang::Ruby => dotnet::namespace_member(w, def, name),
                _ => std::iter::once(def.def)
                    .chain(file.merged(def.def))
                    .find_map(|holder| file.child(holder, name))
                    .map_or(Place::Missing, |child| as_place(&file, def, child)),
            }
        }
        ModRef::Dir(dir) => {
            let dir = w.text(dir);
            python::dir_member(w, &dir, name).or_else(|| go::dir_member(w, &dir, name))
        }
        ModRef::Package(package) => jvm::package_member(w, package, name),
    })
}

/// What `name` means inside a module of Rust where more of a path follows.
pub(crate) fn holder(w: &World<'_>, module: ModRef, name: Sym) -> Place {
    match module {
        ModRef::File(file) => rust::holder(w, DefRef { file, def: DefIx::MODULE }, name),
        ModRef::Inline(def) => rust::holder(w, def, name),
        _ => Place::Missing,
    }
}

/// The same of the first part of a path.
pub(crate) fn first_holder(w: &World<'_>, from: FileIx, scope: DefIx, name: Sym) -> Place {
    rust::first_holder(w, from, scope, name)
}

/// What a file's top level defines under `name`, but for what is local to it.
pub(crate) fn declared(w: &World<'_>, at: FileIx, name: Sym) -> Place {
    let file = w.file(at);
    let module = DefRef { file: at, def: DefIx::MODULE };
    match file.child(DefIx::MODULE, name) {
        Some(def) => as_place(&file, module, def),
        None => Place::Missing,
    }
}

/// A definition as a place: a namespace is a module, and what is local to a function is out of reach.
fn as_place(file: &FileIndex, parent: DefRef, def: DefIx) -> Place {
    match file.outline.def(def) {
        Some(found) if found.flags.has(DefFlags::LOCAL) => Place::Missing,
        Some(found) if found.kind == sdl_model::SymbolKind::Namespace => {
            Place::Module(ModRef::Inline(DefRef { def, ..parent }))
        }
        Some(_) => Place::Def(DefRef { def, ..parent }),
        None => Place::Missing,
    }
}

/// What the wildcard import `import` of `from` brings in under `name`.
pub(crate) fn wildcard(w: &World<'_>, from: FileIx, file: &FileIndex, import: &Import, name: Sym) -> Place {
    let text = file.outline.str(import.module);
    match module(w, from, import.scope, text) {
        Place::Module(ModRef::File(target)) if target == from && import.scope == DefIx::MODULE => {
            Place::Missing
        }
        Place::Module(target) => match file.lang() {
            Lang::Python => python::public_member(w, target, name),
            Lang::Kotlin => jvm::in_source_set(w, from, member(w, target, name)),
            _ => member(w, target, name),
        },
        Place::Def(def) => inside(w, Place::Def(def), &w.text(name)),
        other => other,
    }
}

/// What the language makes visible in `scope` of a file without an import.
pub(crate) fn implicit(w: &World<'_>, from: FileIx, scope: DefIx, name: Sym) -> Place {
    let file = w.file(from);
    match file.lang() {
        Lang::Go => go::implicit(w, &file, name),
        Lang::Java | Lang::Kotlin => jvm::in_source_set(w, from, jvm::implicit(w, &file, name)),
        Lang::CSharp | Lang::Php => dotnet::implicit(w, from, scope, name),
        Lang::C => c::implicit(w, from, name),
        Lang::Cpp => cpp::implicit(w, from, scope, name),
        Lang::Ruby | Lang::Bash => requires::implicit(w, from, name),
        Lang::Rust => rust::implicit(w, from, name),
        _ => Place::Missing,
    }
}

/// The struct, union or enumeration of C that `name` is among what a file includes.
pub(crate) fn tagged(w: &World<'_>, from: FileIx, name: Sym) -> Place {
    c::tagged(w, from, name)
}

/// What `name` is in the namespace that `dotted` spells out, seen from `scope` of a file.
pub(crate) fn spelled(w: &World<'_>, from: FileIx, scope: DefIx, dotted: &str, name: &str) -> Place {
    match w.file(from).lang() {
        Lang::Java | Lang::Kotlin => match module(w, from, DefIx::MODULE, dotted) {
            found @ (Place::Module(_) | Place::Def(_)) => inside(w, found, name),
            _ => Place::Missing,
        },
        Lang::CSharp | Lang::Php => dotnet::spelled(w, from, scope, dotted, name),
        Lang::Cpp => cpp::spelled(w, from, scope, dotted, name),
        _ => Place::Missing,
    }
}

/// Whether `scope` of a file of C# sees the namespace of `class`.
pub(crate) fn sees_namespace(w: &World<'_>, from: FileIx, scope: DefIx, class: DefRef) -> bool {
    dotnet::sees(w, from, scope, class)
}

/// What the first part of a qualified name is where nothing in the file has that name.
pub(crate) fn root(w: &World<'_>, from: FileIx, name: &str) -> Place {
    let file = w.file(from);
    match file.lang() {
        Lang::Rust => rust::root(w, from, name),
        Lang::Java | Lang::Kotlin => jvm::root(w, name),
        Lang::Ruby => requires::root(w, name),
        _ => Place::Missing,
    }
}
