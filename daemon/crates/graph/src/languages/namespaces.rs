//! C# and PHP, and the rules for namespaces that C++ and Ruby share with them: a type is found by name among the
//! namespaces that the file can see.

use std::rc::Rc;

use sdl_model::facts::{DefIx, ImportKind};
use sdl_model::{Lang, SymbolKind};

use super::php::composer;
use crate::modules::{Place, as_place, split_last};
use crate::world::{DefRef, FileIndex, FileIx, Question, Sym, World};

/// Most files of one name that are looked into.
const FILES: usize = 16;

/// The rules of a language whose files declare namespaces, and whose imports name types in them.
macro_rules! namespace_rules {
    () => {
        fn module(&self, w: &World<'_>, from: FileIx, _: DefIx, text: &str) -> Place {
            namespaces::find_module(w, &w.file(from), text)
        }

        fn import_name(&self, w: &World<'_>, from: FileIx, import: &Import, name: &str) -> Option<Place> {
            let file = w.file(from);
            Some(namespaces::import_name(w, &file, file.outline.str(import.module), name))
        }

        fn import_module(&self, w: &World<'_>, from: FileIx, import: &Import) -> Option<Place> {
            let file = w.file(from);
            let (namespace, name) = split_last(file.outline.str(import.module));
            let module = modules::imported_module(w, from, import);
            Some(module.or_else(|| namespaces::import_name(w, &file, namespace, name)))
        }

        fn nested_member(&self, w: &World<'_>, module: DefRef, name: Sym) -> Option<Place> {
            Some(namespaces::namespace_member(w, module, name))
        }

        fn implicit(&self, w: &World<'_>, from: FileIx, scope: DefIx, name: Sym) -> Place {
            namespaces::find_implicit(w, from, scope, name)
        }

        fn spelled(&self, w: &World<'_>, from: FileIx, scope: DefIx, dotted: &str, name: &str) -> Place {
            namespaces::find_qualified(w, from, scope, dotted, name)
        }
    };
}
pub(super) use namespace_rules;

/// The type that an import names in full. Namespaces bring in types, which are found one by one.
pub(super) fn find_module(w: &World<'_>, file: &FileIndex, text: &str) -> Place {
    let (namespace, name) = split_last(text.trim_start_matches('\\'));
    import_name(w, file, namespace, name)
}

/// The place that `use namespace\name` and similar imports bind.
pub(super) fn import_name(w: &World<'_>, file: &FileIndex, namespace: &str, name: &str) -> Place {
    let name = w.sym(name);
    let found = by_namespace(w, name, |found| same_namespace(found, namespace));
    found
        .or_else(|| by_path(w, file.lang(), namespace, name))
        .or_else(|| by_file(w, file.lang(), name, |found| same_namespace(found, namespace)))
        .or_else(|| Place::External)
}

/// Of a name that very many definitions have, the one in the file that the namespace leads to.
fn by_path(w: &World<'_>, lang: Lang, namespace: &str, name: Sym) -> Place {
    let is_common = lang == Lang::Php && w.named(name).is_none();
    if is_common { composer::find_class(w, namespace, name) } else { Place::Missing }
}

/// The same in C#, where a type is mostly in a file of its name; `wanted` accepts its namespace. A type written in very
/// many parts has one in such a file.
fn by_file(w: &World<'_>, lang: Lang, name: Sym, wanted: impl Fn(&str) -> bool) -> Place {
    if lang != Lang::CSharp || w.named(name).is_some() {
        return Place::Missing;
    }
    let files = w.files_named(&format!("{}.cs", w.text(name)));
    let mut found: Vec<(u64, DefRef)> = Vec::new();
    for at in files.iter().take(FILES).filter_map(|id| w.open(*id)) {
        let file = w.file(at);
        let types =
            file.outline.iter().filter(|(ix, def)| def.kind.is_type() && file.name(*ix) == Some(name));
        for (def, _) in types {
            if namespace_of(w, &file, def).is_some_and(|found| wanted(&found))
                && let Some(symbol) = file.symbol(def)
            {
                found.push((symbol.0, DefRef { file: at, def }));
            }
        }
    }
    found.sort_unstable_by_key(|(id, _)| *id);
    found.first().map_or(Place::Missing, |(_, def)| Place::Def(*def))
}

fn same_namespace(found: &str, wanted: &str) -> bool {
    fn parts(text: &str) -> impl Iterator<Item = &str> {
        text.split(['.', '\\', ':']).filter(|part| !part.is_empty())
    }
    parts(found).eq(parts(wanted))
}

/// The definition called `name` that is directly in a namespace that `wanted` accepts.
fn by_namespace(w: &World<'_>, name: Sym, wanted: impl Fn(&str) -> bool) -> Place {
    let Some(hits) = w.named(name) else { return Place::Missing };
    let mut found: Vec<(u64, DefRef)> = hits
        .iter()
        .filter(|hit| hit.kind.is_type() || matches!(hit.kind, SymbolKind::Function | SymbolKind::Constant))
        .filter_map(|hit| {
            let at = w.open(hit.file)?;
            let file = w.file(at);
            let def = file.find(hit.symbol)?;
            wanted(&namespace_of(w, &file, def)?).then_some((hit.symbol.0, DefRef { file: at, def }))
        })
        .collect();
    found.sort_unstable_by_key(|(id, _)| *id);
    found.first().map_or(Place::Missing, |(_, def)| Place::Def(*def))
}

/// The namespace directly around a definition. None if something else is directly around it.
fn namespace_of(w: &World<'_>, file: &FileIndex, def: DefIx) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut at = file.outline.def(def)?.parent?;
    while at != DefIx::MODULE {
        let outer = file.outline.def(at)?;
        (outer.kind == SymbolKind::Namespace).then_some(())?;
        parts.push(w.text(file.name(at)?).to_string());
        at = outer.parent.filter(|parent| *parent < at)?;
    }
    if let Some(package) = file.outline.package {
        let package = file.outline.str(package);
        // A namespace that is also a definition is not counted twice.
        if parts.last().is_none_or(|last| last != package) {
            parts.push(package.to_owned());
        }
    }
    parts.reverse();
    Some(parts.join("."))
}

/// The namespaces that `scope` of a file sees: its own, those around them, and those that it uses.
fn seen_namespaces(w: &World<'_>, file: &FileIndex, scope: DefIx) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    let own = own_namespace(w, file, scope);
    let mut around = own.as_str();
    loop {
        seen.push(around.to_owned());
        if around.is_empty() || file.lang() == Lang::Php {
            break;
        }
        around = around.rsplit_once(['.', '\\']).map_or("", |(outer, _)| outer);
    }
    for import in &file.outline.imports {
        if matches!(import.kind, ImportKind::Wildcard | ImportKind::Module) && import.local.is_none() {
            let module = file.outline.str(import.module);
            seen.push(module.to_owned());
            // `using Inner;` may mean a namespace inside one of those around.
            let mut around = own.as_str();
            while file.lang() == Lang::CSharp && !around.is_empty() {
                seen.push(format!("{around}.{module}"));
                around = around.rsplit_once('.').map_or("", |(outer, _)| outer);
            }
        }
    }
    seen
}

/// The same namespaces in a form that can be compared, cached for each namespace of a file.
fn seen_from(w: &World<'_>, from: FileIx, scope: DefIx) -> Rc<[Sym]> {
    let file = w.file(from);
    let scope = file.namespace_around(scope);
    let q = Question::NamespacesSeen(DefRef { file: from, def: scope });
    w.derive(&w.memos.names, q, Rc::default(), || {
        seen_namespaces(w, &file, scope).iter().map(|text| plain_namespace(w, text)).collect()
    })
}

/// A namespace in a form that can be compared, whatever the separator of its parts.
fn plain_namespace(w: &World<'_>, text: &str) -> Sym {
    let is_plain = !text.contains(['\\', ':']) && !text.starts_with('.') && !text.ends_with('.');
    if is_plain && !text.contains("..") {
        return w.sym(text);
    }
    let parts: Vec<&str> = text.split(['.', '\\', ':']).filter(|part| !part.is_empty()).collect();
    w.sym(&parts.join("."))
}

/// Whether `scope` of a file sees the namespace that the type `class` is in.
pub(super) fn sees_class(w: &World<'_>, from: FileIx, scope: DefIx, class: DefRef) -> bool {
    let around =
        w.file(class.file).outline.def(class.def).and_then(|def| def.parent).unwrap_or(DefIx::MODULE);
    let q = Question::NamespaceOf(DefRef { def: around, ..class });
    let of = w.derive(&w.memos.names, q, Rc::default(), || {
        namespace_of(w, &w.file(class.file), class.def).iter().map(|text| plain_namespace(w, text)).collect()
    });
    of.first().is_some_and(|namespace| seen_from(w, from, scope).contains(namespace))
}

/// The meaning of `name` in `scope` of a file: in its own namespaces, those around them, and those that it uses.
pub(super) fn find_implicit(w: &World<'_>, from: FileIx, scope: DefIx, name: Sym) -> Place {
    let file = w.file(from);
    let sees = seen_from(w, from, scope);
    let found = by_namespace(w, name, |found| sees.contains(&plain_namespace(w, found)));
    found
        .or_else(|| by_file(w, file.lang(), name, |found| sees.contains(&plain_namespace(w, found))))
        .or_else(|| {
            if file.lang() != Lang::Php {
                return Place::Missing;
            }
            let all = seen_namespaces(w, &file, scope);
            let mut seen = all.iter();
            seen.find_map(|namespace| {
                Some(by_path(w, file.lang(), namespace, name)).filter(|at| at.is_found())
            })
            .unwrap_or(Place::Missing)
        })
        .or_else(|| global_function(w, file.lang(), name))
}

/// In PHP, a function or constant that the namespace does not have is the global one.
fn global_function(w: &World<'_>, lang: Lang, name: Sym) -> Place {
    if lang != Lang::Php {
        return Place::Missing;
    }
    match by_namespace(w, name, str::is_empty) {
        Place::Def(def) => {
            let kind = w.file(def.file).outline.def(def.def).map(|def| def.kind);
            let is_one = matches!(kind, Some(SymbolKind::Function | SymbolKind::Constant));
            if is_one { Place::Def(def) } else { Place::Missing }
        }
        _ => Place::Missing,
    }
}

/// The meaning of `name` in the namespace that `dotted` spells out: in full, relative to the namespaces around, or with
/// an alias for its first part.
pub(super) fn find_qualified(w: &World<'_>, from: FileIx, scope: DefIx, dotted: &str, name: &str) -> Place {
    let file = w.file(from);
    let is_php = file.lang() == Lang::Php;
    let parts: Vec<&str> = dotted.split(['.', ':', '\\']).filter(|part| !part.is_empty()).collect();
    let is_whole = dotted.is_empty() || dotted.starts_with(':');
    let own = own_namespace(w, &file, scope);
    let mut tried: Vec<String> = Vec::new();
    match parts.split_first() {
        Some((&"namespace", rest)) if is_php => tried.push(join_namespace(&own, rest)),
        Some((first, rest)) if !is_whole => {
            let alias = file.imports(DefIx::MODULE, w.sym(first)).next().and_then(|ix| file.import(ix));
            if let Some(alias) = alias {
                let whole = alias.name.map_or_else(String::new, |name| file.outline.str(name).to_owned());
                tried.push(join_namespace(
                    file.outline.str(alias.module),
                    &[&[whole.as_str()], rest].concat(),
                ));
            } else {
                tried.push(join_namespace(&own, &parts));
                let mut around = own.as_str();
                while !is_php && !around.is_empty() {
                    around = around.rsplit_once('.').map_or("", |(outer, _)| outer);
                    tried.push(join_namespace(around, &parts));
                }
            }
        }
        _ => tried.push(parts.join(".")),
    }
    let name = w.sym(name);
    let found = tried.iter().map(|namespace| {
        by_namespace(w, name, |found| same_namespace(found, namespace))
            .or_else(|| by_path(w, file.lang(), namespace, name))
            .or_else(|| by_file(w, file.lang(), name, |found| same_namespace(found, namespace)))
    });
    let mut found = found.filter(|place| place.is_found());
    found.next().unwrap_or(Place::Missing)
}

fn join_namespace(namespace: &str, parts: &[&str]) -> String {
    let all = std::iter::once(namespace).chain(parts.iter().copied());
    all.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".")
}

/// The namespace around `scope` of a file.
fn own_namespace(w: &World<'_>, file: &FileIndex, scope: DefIx) -> String {
    let around = file.namespace_around(scope);
    if around == DefIx::MODULE {
        return file.outline.package.map(|package| file.outline.str(package).to_owned()).unwrap_or_default();
    }
    whole_name(w, file, around)
}

/// The name of the namespace `at` of a file, with those of the namespaces around it.
fn whole_name(w: &World<'_>, file: &FileIndex, at: DefIx) -> String {
    let outer = namespace_of(w, file, at).unwrap_or_default();
    let name = file.name(at).map(|name| w.text(name).to_string()).unwrap_or_default();
    if outer.is_empty() { name } else { format!("{outer}.{name}") }
}

/// The meaning of `name` in a namespace whose parts may be in several files.
pub(super) fn namespace_member(w: &World<'_>, namespace: DefRef, name: Sym) -> Place {
    let file = w.file(namespace.file);
    if let Some(def) = file.child(namespace.def, name) {
        return as_place(&file, namespace, def);
    }
    let whole = whole_name(w, &file, namespace.def);
    by_namespace(w, name, |found| same_namespace(found, &whole))
}
