//! Fallbacks for names and receivers of unknown type: ranked guesses by name, never exact.

use sdl_model::facts::{DefFlags, Ref, RefForm};
use sdl_model::lang::is_test_path;
use sdl_model::{SymbolKind, Visibility};

use super::{CANDIDATES_BY_NAME, Outcome, Resolver};
use crate::infer::{Meaning, Want, accepts_args};
use crate::modules::Place;
use crate::strategies::{NEAR_METHOD, SAME_NAME, TRAIT_IN_SCOPE, UNIQUE_FUNCTION, UNIQUE_METHOD};
use crate::world::{DefRef, FileIndex, FileIx, Sym};

/// Whether a file holds tests, by its path.
fn is_test(file: &FileIndex) -> bool {
    is_test_path(file.path.as_str())
}

/// Whether `name` is usual for a function that constructs a value of a type, whatever traits the type has.
fn is_constructor_name(name: &str) -> bool {
    matches!(
        name,
        "new"
            | "from"
            | "from_iter"
            | "from_str"
            | "with_capacity"
            | "builder"
            | "open"
            | "create"
            | "now"
            | "zero"
            | "one"
            | "null"
            | "null_mut"
            | "from_utf8"
            | "channel"
    )
}

impl Resolver<'_, '_> {
    fn hits(&self, name: Sym, wanted: impl Fn(SymbolKind) -> bool) -> Option<Vec<DefRef>> {
        let hits = self.infer.w.named(name)?;
        let own = self.infer.file(self.infer.own.file);
        let from_test = is_test(&own);
        Some(
            hits.iter()
                .filter(|hit| wanted(hit.kind))
                .filter_map(|hit| {
                    let file = self.infer.w.open(hit.file)?;
                    let index = self.infer.file(file);
                    (index.traits().family == self.traits.family).then_some(())?;
                    // Tests call the code they test, not the other way round.
                    (from_test || !is_test(&index)).then_some(())?;
                    let def = index.find(hit.symbol)?;
                    // A definition that a query marked as private is visible only in its file.
                    let is_hidden = self.lang.is_shallow()
                        && file != self.infer.own.file
                        && index.outline.def(def)?.visibility == Visibility::Private;
                    (!is_hidden).then_some(DefRef { file, def })
                })
                .collect(),
        )
    }

    /// A bare call of a name that is not defined in sight.
    pub(super) fn unknown_function(&self, one: &Ref) -> Outcome {
        if self.traits.names.is_closed || self.may_inherit_from_outside(one) {
            return Outcome::External;
        }
        let name = self.infer.own.sym(self.infer.w, one.name);
        let wanted = |kind: SymbolKind| match one.form {
            RefForm::Construct => kind.is_type(),
            _ => kind == SymbolKind::Function || kind == SymbolKind::Macro || kind.is_type(),
        };
        if self.traits.names.preprocessor
            && one.form == RefForm::Call
            && self.rules().is_of_platform(&self.infer.w.text(name))
        {
            return Outcome::External;
        }
        let found = self.unique(name, wanted);
        // In a mixin, a name without a receiver may be a member of the including type.
        let is_method = self.traits.members.mixins
            && one.form == RefForm::Call
            && matches!(found, Outcome::Unresolved | Outcome::External);
        if is_method && self.infer.self_class(&self.ctx(one)).is_some() {
            return self.unknown_receiver(one, name, true);
        }
        found
    }

    /// Whether a bare name may be a member that the enclosing type inherits from outside.
    fn may_inherit_from_outside(&self, one: &Ref) -> bool {
        self.traits.names.implicit_receiver
            && one.form == RefForm::Call
            && self.infer.self_class(&self.ctx(one)).is_some_and(|class| self.infer.line(class).outside)
    }

    /// A type that is not defined in sight.
    pub(super) fn unknown_type(&self, one: &Ref) -> Outcome {
        if self.traits.names.is_closed {
            return Outcome::External;
        }
        self.unique(self.infer.own.sym(self.infer.w, one.name), SymbolKind::is_type)
    }

    /// A macro that is not defined in sight: macros are visible by the order of the text.
    pub(super) fn unknown_macro(&self, one: &Ref) -> Outcome {
        let name = self.infer.own.sym(self.infer.w, one.name);
        match self.unique(name, |kind| kind == SymbolKind::Macro) {
            Outcome::Unresolved => Outcome::External,
            found => found,
        }
    }

    fn unique(&self, name: Sym, wanted: impl Fn(SymbolKind) -> bool) -> Outcome {
        let Some(mut found) = self.hits(name, wanted) else { return Outcome::Unresolved };
        // A declaration and its definition count once.
        if found.len() > 1 && found.iter().any(|def| !self.is_declaration(*def)) {
            found.retain(|def| !self.is_declaration(*def));
        }
        // A definition private to a file can be meant only from that file, or from one that becomes part of it.
        found.retain(|def| !self.is_private_to_other(*def) || self.is_part_of(def.file));
        if found.len() > 1 && !self.is_elsewhere(&found) {
            found.retain(|def| !self.is_elsewhere(&[*def]));
        }
        match found.as_slice() {
            [only] => Outcome::one(*only, &UNIQUE_FUNCTION),
            [] => Outcome::External,
            _ => Outcome::Unresolved,
        }
    }

    /// Whether a function, or one of its name, has a body somewhere. With very many of the name, some surely has.
    pub(super) fn has_body(&self, def: DefRef, one: &Ref) -> bool {
        let name = self.infer.own.sym(self.infer.w, one.name);
        !self.is_declaration(def)
            || self
                .hits(name, |kind| kind == SymbolKind::Function)
                .is_none_or(|all| all.iter().any(|def| !self.is_declaration(*def)))
    }

    fn is_declaration(&self, def: DefRef) -> bool {
        self.infer.file(def.file).outline.def(def.def).is_some_and(|d| d.flags.has(DefFlags::ABSTRACT))
    }

    fn is_private_to_other(&self, def: DefRef) -> bool {
        let file = self.infer.file(def.file);
        def.file != self.infer.own.file
            && self.traits.names.preprocessor
            && file.outline.def(def.def).is_some_and(|found| match found.kind {
                SymbolKind::Function => found.flags.has(DefFlags::STATIC),
                // Only headers are included.
                SymbolKind::Macro => matches!(file.path.extension(), Some("c" | "cc" | "cpp" | "cxx")),
                _ => false,
            })
    }

    /// Whether the text of this file becomes part of `file`, by an include.
    fn is_part_of(&self, file: FileIx) -> bool {
        self.traits.names.preprocessor && self.rules().includes(self.infer.w, file, self.infer.own.file)
    }

    /// A member of a receiver whose type is from outside: a method of a trait that is in scope.
    ///
    /// With `any_name`, the receiver has no members of its own that could be meant. For example, a function has none.
    pub(super) fn by_trait(&self, one: &Ref, name: Sym, call: bool, any_name: bool) -> Option<Outcome> {
        let def = self.of_trait_in_scope(one, name, any_name).filter(|_| call)?;
        Some(Outcome::one(def, &TRAIT_IN_SCOPE))
    }

    /// The method of that name of the only trait of the repository that is in scope and has one.
    fn of_trait_in_scope(&self, one: &Ref, name: Sym, any_name: bool) -> Option<DefRef> {
        if !self.traits.calls.traits_in_scope
            || !(one.form == RefForm::MethodCall
                || one.form == RefForm::PathCall && !is_constructor_name(&self.infer.w.text(name)))
            || (!any_name && self.rules().is_builtin_member(&self.infer.w.text(name)))
        {
            return None;
        }
        let ctx = self.ctx(one);
        let in_scope = |def: &DefRef| {
            let file = self.infer.file(def.file);
            let parent = file.outline.def(def.def).and_then(|def| def.parent)?;
            file.outline.def(parent).filter(|parent| parent.kind == SymbolKind::Trait)?;
            let text = self.infer.w.text(file.name(parent)?);
            let meant = self.infer.meaning_of(&ctx, &text, Want::Type);
            let it = Place::Def(DefRef { file: def.file, def: parent });
            matches!(meant, Meaning::Place(place, _) if place == it).then_some(())
        };
        let mut found = match self.hits(name, SymbolKind::is_callable) {
            Some(mut found) => {
                found.retain(|def| in_scope(def).is_some());
                found
            }
            // A name that many types have through a trait.
            None => self.of_traits_seen(one.scope, name),
        };
        if one.form == RefForm::PathCall {
            return match found.as_slice() {
                [only] => Some(*only),
                _ => None,
            };
        }
        found.retain(|def| accepts_args(&self.infer.file(def.file), def.def, usize::from(one.args)));
        match found.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Whether a method is in an impl block without a trait.
    fn is_inherent(&self, def: DefRef) -> bool {
        let file = self.infer.file(def.file);
        let parent = file.outline.def(def.def).and_then(|def| def.parent);
        parent
            .and_then(|parent| file.outline.def(parent))
            .is_some_and(|parent| parent.kind == SymbolKind::Impl && parent.bases.is_empty())
    }

    /// Whether a reference is in an instance method.
    fn is_of_instance(&self, one: &Ref) -> bool {
        let file = self.infer.file(self.infer.own.file);
        let around = file.enclosing(one.scope, SymbolKind::is_callable);
        let def = around.and_then(|around| file.outline.def(around));
        def.is_some_and(|def| def.kind != SymbolKind::Function && !def.flags.has(DefFlags::STATIC))
    }

    /// A member of a receiver of unknown type.
    pub(super) fn unknown_receiver(&self, one: &Ref, name: Sym, call: bool) -> Outcome {
        // Without a call, a field can't be told from a dictionary's key.
        if !call || !matches!(one.form, RefForm::MethodCall | RefForm::Call) {
            return Outcome::Unresolved;
        }
        let text = self.infer.w.text(name);
        if self.rules().is_builtin_member(&text) {
            return Outcome::Unresolved;
        }
        let wanted = |kind| matches!(kind, SymbolKind::Method | SymbolKind::Property);
        let Some(mut found) = self.hits(name, wanted) else { return Outcome::Unresolved };
        if let Some(def) = self.of_trait_in_scope(one, name, false)
            && !found.iter().any(|def| self.is_inherent(*def))
        {
            return Outcome::one(def, &TRAIT_IN_SCOPE);
        }
        // A method that delegates a call under its own name does not call itself.
        let around = self.infer.file(self.infer.own.file).enclosing(one.scope, SymbolKind::is_callable);
        found.retain(|def| def.file != self.infer.own.file || Some(def.def) != around);
        // A method without a body runs nothing. It is an interface's member, or declares a function defined elsewhere.
        if found.iter().any(|def| !self.is_declaration(*def)) {
            found.retain(|def| !self.is_declaration(*def));
        }
        // Only types have these, not values. Extensions were searched before.
        if self.traits.members.static_needs_type {
            found.retain(|def| {
                let file = self.infer.file(def.file);
                file.outline
                    .def(def.def)
                    .is_some_and(|found| !found.flags.has(DefFlags::STATIC) && found.owner.is_none())
            });
        }
        // An instance does not have static members.
        if self.traits.members.bare_names_have_sides && one.recv.is_none() && self.is_of_instance(one) {
            found.retain(|def| {
                let file = self.infer.file(def.file);
                file.outline.def(def.def).is_some_and(|found| !found.flags.has(DefFlags::STATIC))
            });
        }
        if self.traits.calls.checks_arity {
            found.retain(|def| accepts_args(&self.infer.file(def.file), def.def, usize::from(one.args)));
        }
        let near: Vec<DefRef> = found.iter().copied().filter(|def| def.file == self.infer.own.file).collect();
        match (found.as_slice(), near.as_slice()) {
            ([], _) => Outcome::Unresolved,
            ([only], _) => Outcome::one(*only, &UNIQUE_METHOD),
            // Where most return types of a library are known, a remaining receiver is more often from outside than of
            // one of several types here.
            _ if !self.traits.calls.guesses_near => Outcome::Unresolved,
            (_, [only]) => Outcome::one(*only, &NEAR_METHOD),
            (several, _) if several.len() <= CANDIDATES_BY_NAME => Outcome::Found(found, &SAME_NAME),
            _ => Outcome::Unresolved,
        }
    }
}
