//! The meaning of a bare name at a place in the code.

use sdl_model::SymbolKind;
use sdl_model::facts::{BindingKind, Def, DefFlags, DefIx, Import, ImportKind, StrIx};

use super::generics::find_generic;
use super::{Ctx, Infer, Meaning, Sought, Via, Want};
use crate::modules::{self, Place};
use crate::world::{DefRef, FileIndex, FileIx, Question, Sym};

/// A scope on the way outwards.
#[derive(Clone, Copy)]
struct Step {
    at: DefIx,
    /// Whether every scope passed so far on the way outwards is an implementation block.
    innermost: bool,
    crossed_module: bool,
}

/// The result of looking for a name in one scope.
enum Look {
    Found(Meaning),
    /// It declares that the name lives at the top of the file.
    Outside,
    Nothing,
}

impl Infer<'_, '_> {
    /// The meaning of `name`, a text of `ctx`'s arena.
    pub(crate) fn meaning(&self, ctx: &Ctx<'_>, name: StrIx, want: Want) -> Meaning {
        let sym = if ctx.body { self.own.sym(self.w, name) } else { self.sym(ctx.arena.str(name)) };
        self.look_up(ctx, Some(name), sym, ctx.arena.str(name), want)
    }

    /// The meaning of `text`, which is not the name of any local.
    pub(crate) fn meaning_of(&self, ctx: &Ctx<'_>, text: &str, want: Want) -> Meaning {
        self.look_up(ctx, None, self.sym(text), text, want)
    }

    fn look_up(&self, ctx: &Ctx<'_>, name: Option<StrIx>, sym: Sym, text: &str, want: Want) -> Meaning {
        let file = self.file(ctx.file);
        // Another file may use the answer, which is then about this file's text.
        if !ctx.body && file.lang().includes_text() {
            self.w.ask_included(sym);
        }
        // Names local to a function are not visible in the outline of another file. A lookup that starts inside a
        // function belongs to this file.
        let inside =
            ctx.body || file.outline.def(ctx.scope).is_some_and(|def| def.flags.has(DefFlags::LOCAL));
        let sought = Sought { ctx, name, sym, text, want, file: &file, inside };
        let rules = self.rules_of(&file);
        let mut next = Some(Step { at: ctx.scope, innermost: true, crossed_module: false });
        while let Some(step) = next {
            let Some(def) = file.outline.def(step.at) else { break };
            let outer = def.parent.filter(|parent| *parent < step.at);
            match self.own_name(&sought, step, def) {
                Look::Found(meaning) => return meaning,
                Look::Outside => {
                    let module = Step { at: DefIx::MODULE, innermost: false, ..step };
                    next = (step.at != DefIx::MODULE).then_some(module);
                    continue;
                }
                Look::Nothing => {}
            }
            if rules.is_object(def.kind) {
                if inside && let Some(found) = rules.local_function(&file, step.at, sym) {
                    return sought.defined(found);
                }
                next = outer.map(|at| Step { at, ..step });
                continue;
            }
            if let Some((place, via)) = self.held_name(&sought, step, def) {
                return Meaning::Place(place, via);
            }
            if let Some((place, via)) = self.imported(&file, ctx.file, step.at, sym) {
                return Meaning::Place(place, via);
            }
            if rules.is_closed(def.kind) {
                break;
            }
            next = outer.map(|at| Step {
                at,
                innermost: step.innermost && def.kind == SymbolKind::Impl,
                crossed_module: step.crossed_module || def.kind == SymbolKind::Namespace,
            });
        }
        let place = self.implicit(&file, ctx, sym, want);
        let via = if file.traits().names.shared_by_include { Via::Include } else { Via::Package };
        Meaning::Place(place, via)
    }

    /// Looks up a name among those that a scope keeps for itself: locals, parameters, generic parameters.
    fn own_name(&self, sought: &Sought<'_, '_>, step: Step, def: &Def) -> Look {
        let Sought { ctx, file, want, .. } = *sought;
        let (at, rules) = (step.at, self.rules_of(file));
        if let Some(name) = sought.name.filter(|_| ctx.body) {
            if want == Want::Call
                && let Some(found) = rules.called_inside(file, at, def, sought.sym)
            {
                return Look::Found(sought.defined(found));
            }
            match self.local(ctx, file, at, name, want) {
                Some(Meaning::Place(Place::Missing, _)) => return Look::Outside,
                Some(meaning) => return Look::Found(meaning),
                None => {}
            }
        } else if !ctx.members
            && let Some(meaning) = self.param(file, at, sought.text, want)
        {
            return Look::Found(meaning);
        }
        if let Some(env) = ctx.env
            && env.of == at
            && let Some(at) = env.names.iter().position(|name| **name == *sought.text)
        {
            return Look::Found(Meaning::Given(at));
        }
        let may_be_it = rules.may_be_parameter(want);
        match find_generic(file, at, sought.text, step.crossed_module).filter(|_| may_be_it) {
            Some(meaning) => Look::Found(meaning),
            None => Look::Nothing,
        }
    }

    /// Looks up a name among the definitions in a scope and the members of the type that the scope is or belongs to.
    fn held_name(&self, sought: &Sought<'_, '_>, step: Step, def: &Def) -> Option<(Place, Via)> {
        let Sought { ctx, file, want, sym, .. } = *sought;
        let (at, rules) = (step.at, self.rules_of(file));
        let here = DefRef { file: ctx.file, def: at };
        if let Some(found) = rules.named_before(self, sought, at) {
            return Some(found);
        }
        // An alias is an import, which is looked at later.
        if !rules.is_alias(file, at, sym)
            && let Some((place, via)) = self.defined_in(sought, step, def)
        {
            let built = match place {
                Place::Def(found) => rules.built_instead(self, sought, here, found.def),
                _ => None,
            };
            return Some(built.unwrap_or((place, via)));
        }
        def.owner.filter(|_| !(ctx.owner && ctx.scope == at))?;
        // A member defined outside of its type sees the type's members.
        if def.kind.is_callable()
            && file.traits().names.implicit_receiver
            && let Some(found) = self.implicit_member(here, sym, want)
        {
            return Some(found);
        }
        let found = rules.in_outer_types(self, here, sym, want)?;
        Some((Place::Def(found), Via::Member))
    }

    /// Looks up a definition in a scope that is not an object. The body of a type may not be a scope of its own.
    fn defined_in(&self, sought: &Sought<'_, '_>, step: Step, def: &Def) -> Option<(Place, Via)> {
        let Sought { ctx, file, want, sym, inside, .. } = *sought;
        let (at, names) = (step.at, &file.traits().names);
        let is_type = def.kind.is_type() || def.kind == SymbolKind::Impl;
        if is_type && !step.innermost && !ctx.members && !names.implicit_receiver {
            return None;
        }
        let here = DefRef { file: ctx.file, def: at };
        if is_type && names.implicit_receiver {
            let found = self.implicit_member(here, sym, want)?;
            return self.rules_of(file).on_side(self, ctx, here, sym, found);
        }
        if is_type && !names.types_are_scopes {
            return None;
        }
        // A namespace sees the definitions in the other declarations merged with it.
        let merged = file.merged(at).filter(|_| def.kind == SymbolKind::Namespace);
        let into_functions = inside || !def.kind.is_callable();
        let found = std::iter::once(at)
            .chain(merged)
            .find_map(|at| self.rules_of(file).child(self, sought, at, into_functions))?;
        Some(self.linked(DefRef { file: ctx.file, def: found }))
    }

    /// The definition in the scope `at` that may be meant by the name.
    pub(crate) fn plain_child(
        &self,
        sought: &Sought<'_, '_>,
        at: DefIx,
        into_functions: bool,
    ) -> Option<DefIx> {
        let Sought { file, sym, want, .. } = *sought;
        let (names, rules) = (&file.traits().names, self.rules_of(file));
        let child = file.child(at, sym)?;
        let fits = |ix: DefIx| {
            file.outline.def(ix).is_some_and(|def| {
                (into_functions || !def.flags.has(DefFlags::LOCAL))
                    // A method at top level, such as Go's `func (c *Cart) Total()`, is skipped, because only its
                    // receiver leads to it.
                    && def.owner.is_none()
                    && !rules.is_only_member(def.kind)
                    && rules.is_wanted(names, def.kind, want)
            })
        };
        if fits(child) { Some(child) } else { file.children(at, sym).find(|ix| fits(*ix)) }
    }

    /// The latest value that the text sets the module's variable `name` to before `ctx`, where `ctx` is at the top of the
    /// module as well and the variable is set several times.
    pub(crate) fn latest_value(&self, ctx: &Ctx<'_>, name: StrIx) -> Option<u32> {
        if !ctx.body || ctx.file != self.own.file {
            return None;
        }
        let all = self.own.bindings(self.w, DefIx::MODULE, name);
        if all.is_empty() || !self.is_at_top(ctx) {
            return None;
        }
        let is_latest = |ix: &&u32| {
            self.own.binding(self.w, **ix).is_some_and(|binding| {
                let is_set = binding.kind == BindingKind::Local && binding.value.is_some();
                is_set && binding.from <= ctx.at && ctx.at < binding.to
            })
        };
        let latest = all.iter().rev().find(is_latest).copied()?;
        let file = self.file(ctx.file);
        file.child(DefIx::MODULE, self.own.sym(self.w, name)).is_some().then_some(latest)
    }

    /// Whether `ctx` is at the top of the module, or in the value of a variable there.
    fn is_at_top(&self, ctx: &Ctx<'_>) -> bool {
        let file = self.file(ctx.file);
        let is_value = || {
            let def = file.outline.def(ctx.scope)?;
            let is_variable = matches!(def.kind, SymbolKind::Variable | SymbolKind::Constant);
            Some(is_variable && def.parent == Some(DefIx::MODULE))
        };
        ctx.scope == DefIx::MODULE || is_value() == Some(true)
    }

    /// A local of `scope`, or [`Place::Missing`] if `scope` says that the name lives outside.
    fn local(
        &self,
        ctx: &Ctx<'_>,
        file: &FileIndex,
        scope: DefIx,
        name: StrIx,
        want: Want,
    ) -> Option<Meaning> {
        if !self.rules_of(file).may_be_local(want) {
            return None;
        }
        // A module's variables are definitions.
        if scope == DefIx::MODULE && file.child(scope, self.own.sym(self.w, name)).is_some() {
            return None;
        }
        let mut seen = None;
        let mut first = None;
        for &ix in self.own.bindings(self.w, scope, name) {
            let binding = self.own.binding(self.w, ix)?;
            if binding.kind == BindingKind::Outer {
                return Some(Meaning::Place(Place::Missing, Via::Scope));
            }
            if binding.from <= ctx.at && ctx.at < binding.to {
                seen = Some(ix);
            }
            if binding.kind != BindingKind::Narrowed {
                first = first.or(Some(ix));
            }
        }
        // A name that is local to all of a function hides outer ones before its assignment, too.
        let whole = if file.traits().names.hoists && scope != DefIx::MODULE {
            first.filter(|ix| {
                let to = self.own.binding(self.w, *ix).map_or(0, |binding| binding.to);
                file.outline.def(scope).is_some_and(|def| def.span.end <= to)
            })
        } else {
            None
        };
        seen.or(whole).map(Meaning::Local)
    }

    fn param(&self, file: &FileIndex, at: DefIx, text: &str, want: Want) -> Option<Meaning> {
        if !self.rules_of(file).may_be_local(want) {
            return None;
        }
        let def = file.outline.def(at)?;
        let ix = def.params.iter().position(|param| file.outline.str(param.name) == text)?;
        Some(Meaning::Param(at, ix))
    }

    /// The member of the type around `ty` that a bare name means.
    pub(crate) fn implicit_member(&self, ty: DefRef, sym: Sym, want: Want) -> Option<(Place, Via)> {
        let owner = self.owner_type(ty)?;
        let call = want == Want::Call;
        let member = self
            .member(owner, sym, call)
            .or_else(|| self.rules(owner.file).member_of_user(self, owner, sym, call))?;
        let file = self.file(member.def.file);
        file.outline.def(member.def.def).filter(|def| {
            // Where the name may mean anything, a type's own name means the type, not its constructor.
            self.rules_of(&file).is_wanted(&file.traits().names, def.kind, want)
                && (want != Want::Any || def.kind != SymbolKind::Constructor)
        })?;
        let via = if member.inherited { Via::Inherited } else { Via::Member };
        Some((Place::Def(member.def), via))
    }

    /// The place that the imports in `scope` bind `name` to.
    pub(crate) fn imported(
        &self,
        file: &FileIndex,
        ix: FileIx,
        scope: DefIx,
        name: Sym,
    ) -> Option<(Place, Via)> {
        let mut outside = None;
        for import in modules::built_imports(self.w, ix, file, file.imports(scope, name)) {
            match modules::resolve_import(self.w, ix, import) {
                found @ (Place::Def(_) | Place::Module(_)) => return Some((found, Via::Import)),
                Place::External => outside = Some(Place::External),
                Place::Missing => outside = outside.or(Some(Place::Missing)),
            }
        }
        if let Some(place) = outside {
            // A missing target counts as external, because a name bound by an import means the imported thing,
            // whether it is found or not.
            let place = if place == Place::Missing { Place::External } else { place };
            return Some((place, Via::Import));
        }
        let of_scope = |at: &u32| {
            file.import(*at)
                .is_some_and(|import| import.scope == scope && import.kind == ImportKind::Wildcard)
        };
        let all = file.wildcards.iter().copied().filter(of_scope).collect();
        let mut all = self.rules_of(file).built_first(self.w, ix, file, all).into_iter();
        all.find_map(|at| self.by_wildcard(file, ix, file.import(at)?, name))
    }

    fn by_wildcard(&self, file: &FileIndex, ix: FileIx, import: &Import, name: Sym) -> Option<(Place, Via)> {
        match modules::find_wildcard(self.w, ix, file, import, name) {
            // A member of a type with the type's own name constructs a value of it, so it is not meant.
            Place::Def(def) if self.is_constructor(def) => None,
            found @ (Place::Def(_) | Place::Module(_)) => Some((found, Via::Wildcard)),
            _ => None,
        }
    }

    fn is_constructor(&self, def: DefRef) -> bool {
        let file = self.file(def.file);
        file.outline.def(def.def).is_some_and(|def| def.kind == SymbolKind::Constructor)
    }

    /// The definition that the language makes visible without an import, for example from the same package or included
    /// files.
    fn implicit(&self, file: &FileIndex, ctx: &Ctx<'_>, name: Sym, want: Want) -> Place {
        let at = DefRef { file: ctx.file, def: DefIx::MODULE };
        let rules = self.rules_of(file);
        if want == Want::Type {
            let found = rules.tagged(self.w, ctx.file, name);
            if found.is_found() {
                return found;
            }
        }
        // Where namespaces are declared inside files, the one around matters. Other languages need only one answer per file.
        let around = file.traits().names.namespaces_in_files.then(|| file.namespace_around(ctx.scope));
        let scope = around.unwrap_or(DefIx::MODULE);
        let q = Question::Implicit(DefRef { def: scope, ..at }, name);
        self.w
            .derive(&self.w.memos.places, q, Place::Missing, || rules.implicit(self.w, ctx.file, scope, name))
    }
}
