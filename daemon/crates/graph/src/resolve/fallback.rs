//! Fallbacks for names and receivers of unknown type: ranked guesses by name, never exact.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefFlags, Ref, RefForm};
use sdl_model::lang::is_test_path;

use super::{CANDIDATES_BY_NAME, Outcome, Resolver};
use crate::infer::accepts_args;
use crate::strategies::{NEAR_METHOD, SAME_NAME, UNIQUE_FUNCTION, UNIQUE_METHOD};
use crate::world::{DefRef, FileIndex, Sym};

/// Whether a file holds tests, by its path.
fn is_test(file: &FileIndex) -> bool {
    is_test_path(file.path.as_str())
}

impl Resolver<'_, '_> {
    /// The definitions of that name and a wanted kind that the file may mean, unless there are too many.
    pub(crate) fn hits(&self, name: Sym, wanted: impl Fn(SymbolKind) -> bool) -> Option<Vec<DefRef>> {
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
                    let is_hidden = file != self.infer.own.file && self.rules.is_hidden(&index, def);
                    (!is_hidden).then_some(DefRef { file, def })
                })
                .collect(),
        )
    }

    /// A bare call of a name that is not defined in sight.
    pub(crate) fn unknown_function(&self, one: &Ref) -> Outcome {
        if self.traits.names.is_closed || self.may_inherit_from_outside(one) {
            return Outcome::External;
        }
        self.rules.unknown_function(self, one, self.infer.own.sym(self.infer.w, one.name))
    }

    /// The only function or type of the repository called `name`.
    pub(crate) fn only_function(&self, one: &Ref, name: Sym) -> Outcome {
        self.unique(name, |kind: SymbolKind| match one.form {
            RefForm::Construct => kind.is_type(),
            _ => kind == SymbolKind::Function || kind == SymbolKind::Macro || kind.is_type(),
        })
    }

    /// Whether a bare name may be a member that the enclosing type inherits from outside.
    fn may_inherit_from_outside(&self, one: &Ref) -> bool {
        self.traits.names.implicit_receiver
            && one.form == RefForm::Call
            && self.infer.self_class(&self.ctx(one)).is_some_and(|class| self.infer.line(class).outside)
    }

    /// A type that is not defined in sight.
    pub(crate) fn unknown_type(&self, one: &Ref) -> Outcome {
        if self.traits.names.is_closed {
            return Outcome::External;
        }
        self.unique(self.infer.own.sym(self.infer.w, one.name), SymbolKind::is_type)
    }

    /// A macro that is not defined in sight: macros are visible by the order of the text.
    pub(crate) fn unknown_macro(&self, one: &Ref) -> Outcome {
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
        found.retain(|def| !self.rules.is_out_of_sight(self, self.infer.own.file, *def));
        if found.len() > 1 && !self.is_elsewhere(&found) {
            found.retain(|def| !self.is_elsewhere(&[*def]));
        }
        match found.as_slice() {
            [only] => Outcome::one(*only, &UNIQUE_FUNCTION),
            [] => Outcome::External,
            _ => Outcome::Unresolved,
        }
    }

    pub(crate) fn is_declaration(&self, def: DefRef) -> bool {
        self.infer.file(def.file).outline.def(def.def).is_some_and(|d| d.flags.has(DefFlags::ABSTRACT))
    }

    /// A member of a receiver of unknown type.
    pub(crate) fn unknown_receiver(&self, one: &Ref, name: Sym, call: bool) -> Outcome {
        // Skipped without a call, because a field and a dictionary's key then look the same.
        if !call || !matches!(one.form, RefForm::MethodCall | RefForm::Call) {
            return Outcome::Unresolved;
        }
        let text = self.infer.w.text(name);
        if self.is_builtin_member(&text) {
            return Outcome::Unresolved;
        }
        let wanted = |kind| matches!(kind, SymbolKind::Method | SymbolKind::Property);
        let Some(mut found) = self.hits(name, wanted) else { return Outcome::Unresolved };
        if let Some(outcome) = self.rules.guessed_by_trait(self, one, name, &found) {
            return outcome;
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
        self.rules.narrow_guess(self, one, &mut found);
        let near: Vec<DefRef> = found.iter().copied().filter(|def| def.file == self.infer.own.file).collect();
        match (found.as_slice(), near.as_slice()) {
            ([], _) => Outcome::Unresolved,
            ([only], _) => Outcome::one(*only, &UNIQUE_METHOD),
            (_, [only]) => Outcome::one(*only, &NEAR_METHOD),
            (several, _) if several.len() <= CANDIDATES_BY_NAME => Outcome::Found(found, &SAME_NAME),
            _ => Outcome::Unresolved,
        }
    }

    /// Drops those of `found` that do not accept the call's arguments.
    pub(crate) fn drop_unfitting(&self, one: &Ref, found: &mut Vec<DefRef>) {
        found.retain(|def| accepts_args(&self.infer.file(def.file), def.def, usize::from(one.args)));
    }
}
