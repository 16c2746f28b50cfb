//! C#.

use sdl_model::facts::{DefIx, Import};

use super::namespaces;
use crate::modules::{self, Place, split_last};
use crate::words::words;
use crate::world::{DefRef, FileIx, Rules, Sym, World};

/// C#.
pub(super) struct CSharp;

impl Rules for CSharp {
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

    fn sees_namespace(&self, w: &World<'_>, from: FileIx, scope: DefIx, class: DefRef) -> bool {
        namespaces::sees_class(w, from, scope, class)
    }

    fn is_builtin_member(&self, name: &str) -> bool {
        BUILTIN.contains(name)
    }
}

words! {
    BUILTIN = "\
        Add AddRange Aggregate All Any Append AppendLine AsReadOnly Clear Clone Close CompareTo Concat \
        Contains ContainsKey ContainsValue CopyTo Count Dispose Distinct EndsWith Equals Except First \
        FirstOrDefault Flush ForEach Format GetEnumerator GetHashCode GetType GetValueOrDefault GroupBy \
        IndexOf Insert Invoke Join Last LastOrDefault Max Min MoveNext OrderBy OrderByDescending Peek Pop \
        Push Read ReadLine Remove RemoveAll RemoveAt Replace Reverse Select SelectMany Single \
        SingleOrDefault Skip Sort Split StartsWith Substring Sum Take ToArray ToDictionary ToList ToLower \
        ToString ToUpper Trim TryGetValue Where Write WriteLine Zip";
}
