//! C#.

use sdl_model::facts::{DefIx, Import};

use super::namespaces::{self, namespace_rules};
use crate::modules::{self, Place, split_last};
use crate::words::words;
use crate::world::{DefRef, FileIx, Rules, Sym, World};

/// C#.
pub(super) struct CSharp;

impl Rules for CSharp {
    namespace_rules!();

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
