//! C#: attributes, constructors of structs, and calls of extension methods.

use sdl_model::facts::{Def, Ref, RefForm};
use sdl_model::{Lang, SymbolKind};

use super::CSharp;
use super::extensions::StaticMethods;
use crate::infer::{Ty, accepts_args};
use crate::languages::extensions::calls;
use crate::resolve::{CallRules, Outcome, Overloaded, Resolver};
use crate::words::words;
use crate::world::{DefRef, Sym};

impl CallRules for CSharp {
    fn is_builtin_member(&self, _: Lang, name: &str) -> bool {
        BUILTIN.contains(name)
    }

    /// A struct has a constructor without parameters, whatever others it declares: `new Point()`.
    fn runs_constructor(
        &self,
        resolver: &Resolver<'_, '_>,
        one: &Ref,
        def: &Def,
        constructor: DefRef,
    ) -> bool {
        let is_default = def.kind == SymbolKind::Struct
            && one.form == RefForm::Construct
            && one.args == 0
            && !accepts_args(&resolver.infer.file(constructor.file), constructor.def, 0);
        !is_default
    }

    /// `[Test]` may mean `TestAttribute`.
    fn whole_decorator(&self, name: &str) -> Option<String> {
        Some(format!("{name}Attribute"))
    }

    fn extended(&self, resolver: &Resolver<'_, '_>, one: &Ref, receiver: &Ty, name: Sym) -> Option<Outcome> {
        calls::extended_call(&StaticMethods, resolver, one, receiver, name)
    }

    fn extension_around(&self, resolver: &Resolver<'_, '_>, one: &Ref, found: DefRef) -> Option<Outcome> {
        calls::call_around(&StaticMethods, resolver, one, found)
    }

    /// Every value has some methods.
    fn overload_around(
        &self,
        resolver: &Resolver<'_, '_>,
        _: &Ref,
        name: Sym,
        outside: bool,
    ) -> Option<Outcome> {
        let is_universal = UNIVERSAL.contains(&*resolver.infer.w.text(name));
        (outside || is_universal).then_some(Outcome::External)
    }

    fn other_overload(&self, resolver: &Resolver<'_, '_>, call: &Overloaded<'_>) -> Option<Outcome> {
        calls::call_of_other_types(&StaticMethods, resolver, call)
    }
}

words! {
    UNIVERSAL = "Equals GetHashCode GetType MemberwiseClone ReferenceEquals ToString";
    BUILTIN = "\
        Add AddRange Aggregate All Any Append AppendLine AsReadOnly Clear Clone Close CompareTo Concat \
        Contains ContainsKey ContainsValue CopyTo Count Dispose Distinct EndsWith Equals Except First \
        FirstOrDefault Flush ForEach Format GetEnumerator GetHashCode GetType GetValueOrDefault GroupBy \
        IndexOf Insert Invoke Join Last LastOrDefault Max Min MoveNext OrderBy OrderByDescending Peek Pop \
        Push Read ReadLine Remove RemoveAll RemoveAt Replace Reverse Select SelectMany Single \
        SingleOrDefault Skip Sort Split StartsWith Substring Sum Take ToArray ToDictionary ToList ToLower \
        ToString ToUpper Trim TryGetValue Where Write WriteLine Zip";
}
