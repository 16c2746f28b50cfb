//! The meaning of a bare name at a place in the code.

use sdl_model::SymbolKind;
use sdl_model::facts::{BindingKind, Def, DefFlags, DefIx, Import, ImportKind, StrIx};
use sdl_model::lang::Names;

use super::generics::find_generic;
use super::{Ctx, Infer, Meaning, Via, Want};
use crate::modules::{self, Place};
use crate::world::{DefRef, FileIndex, FileIx, Question, Sym};

/// Whether a definition of this kind is always a member, so that no bare name leads to it. Methods may be in anonymous
/// objects, which functions build and modules export.
fn is_only_member(kind: SymbolKind, names: &Names) -> bool {
    names.anonymous_objects && matches!(kind, SymbolKind::Method | SymbolKind::Property | SymbolKind::Field)
}

/// Whether a definition of this kind fits `want`, in a language that may keep names apart.
fn is_wanted(kind: SymbolKind, want: Want, names: &Names) -> bool {
    match want {
        Want::Any => !names.kept_apart || !kind.is_callable(),
        Want::Call => !names.kept_apart || kind.is_callable() || kind.is_type(),
        // A constructor has its type's name.
        Want::Type if names.kept_apart => kind.is_type(),
        Want::Type => !kind.is_callable() || names.functions_name_types,
    }
}

/// A name that is looked up.
#[derive(Clone, Copy)]
struct Sought<'s, 'e> {
    ctx: &'s Ctx<'e>,
    /// Its index among the texts of the body, if it can be the name of a local.
    name: Option<StrIx>,
    sym: Sym,
    text: &'s str,
    want: Want,
    file: &'s FileIndex,
    /// Whether names local to functions are visible.
    inside: bool,
}

impl Sought<'_, '_> {
    /// Returns the definition `def` of the file as the meaning of the name.
    fn defined(&self, def: DefIx) -> Meaning {
        Meaning::Place(Place::Def(DefRef { file: self.ctx.file, def }), Via::Scope)
    }

    /// Whether the code inside a definition does not see its members as bare names, as in an object literal. Code in a
    /// constant's own class body does see them.
    fn is_object(&self, kind: SymbolKind) -> bool {
        match kind {
            SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field => true,
            SymbolKind::EnumMember => !self.file.traits().types.enum_bodies,
            _ => false,
        }
    }
}

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
        // Names local to a function are its own: the outline of another file must not lead into it. A lookup that
        // starts inside a function belongs to this file.
        let inside =
            ctx.body || file.outline.def(ctx.scope).is_some_and(|def| def.flags.has(DefFlags::LOCAL));
        let sought = Sought { ctx, name, sym, text, want, file: &file, inside };
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
            if sought.is_object(def.kind) {
                if inside && let Some(found) = local_function(&file, step.at, sym) {
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
            let is_module = def.kind == SymbolKind::Namespace;
            if file.traits().names.closed_modules && is_module {
                break;
            }
            next = outer.map(|at| Step {
                at,
                innermost: step.innermost && def.kind == SymbolKind::Impl,
                crossed_module: step.crossed_module || is_module,
            });
        }
        let place = self.implicit(&file, ctx, sym, want);
        let via = if file.traits().names.shared_by_include { Via::Include } else { Via::Package };
        Meaning::Place(place, via)
    }

    /// Looks up a name among those that a scope keeps for itself: locals, parameters, generic parameters.
    fn own_name(&self, sought: &Sought<'_, '_>, step: Step, def: &Def) -> Look {
        let Sought { ctx, file, want, .. } = *sought;
        let (at, names) = (step.at, &file.traits().names);
        if let Some(name) = sought.name.filter(|_| ctx.body) {
            // Where a function is defined under a name that is also assigned, a call means the function.
            let defined = want == Want::Call && names.rebindable && def.kind.is_callable();
            if defined && let Some(found) = Self::inner_function(file, at, sought.sym) {
                return Look::Found(sought.defined(found));
            }
            match self.local(ctx, file, at, name, want) {
                Some(Meaning::Place(Place::Missing, _)) => return Look::Outside,
                Some(meaning) => return Look::Found(meaning),
                None => {}
            }
        } else if !ctx.members
            && let Some(meaning) = Self::param(file, at, sought.text, want)
        {
            return Look::Found(meaning);
        }
        if let Some(env) = ctx.env
            && env.of == at
            && let Some(at) = env.names.iter().position(|name| **name == *sought.text)
        {
            return Look::Found(Meaning::Given(at));
        }
        // A type parameter does not hide a value of its name.
        let names_types = want == Want::Type || !names.types_beside_values;
        match find_generic(file, at, sought.text, step.crossed_module).filter(|_| names_types) {
            Some(meaning) => Look::Found(meaning),
            None => Look::Nothing,
        }
    }

    /// Looks up a name among the definitions in a scope and the members of the type that the scope is or belongs to.
    fn held_name(&self, sought: &Sought<'_, '_>, step: Step, def: &Def) -> Option<(Place, Via)> {
        let Sought { ctx, file, want, sym, .. } = *sought;
        let (at, names) = (step.at, &file.traits().names);
        let here = DefRef { file: ctx.file, def: at };
        // Names imported one by one take precedence over those of the package, the file's own included.
        if names.imports_first
            && at == DefIx::MODULE
            && file.imports(at, sym).next().is_some()
            && let Some(found) = self.imported(file, ctx.file, at, sym)
        {
            return Some(found);
        }
        // An alias of a namespace is an import, which is looked at later.
        let is_module = |ix| file.import(ix).is_some_and(|import| import.kind == ImportKind::Module);
        let is_alias = names.namespace_aliases && file.imports(at, sym).any(is_module);
        if !is_alias && let Some((place, via)) = self.defined_in(sought, step, def) {
            let built = match place {
                Place::Def(found) => self.built_instead(file, here, found.def, sym, want),
                _ => None,
            };
            return Some(built.unwrap_or((place, via)));
        }
        def.owner?;
        // A member defined outside of its type sees the type's members.
        if def.kind.is_callable()
            && names.implicit_receiver
            && let Some(found) = self.implicit_member(here, sym, want)
        {
            return Some(found);
        }
        let is_apart = file.traits().members.out_of_line;
        let found = is_apart.then(|| self.in_outer_types(here, sym, want)).flatten()?;
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
            return self.on_side(ctx, here, sym, found);
        }
        if is_type && !names.types_are_scopes {
            return None;
        }
        // A namespace sees the definitions in the other declarations merged with it.
        let merged = file.merged(at).filter(|_| def.kind == SymbolKind::Namespace);
        let into_functions = inside || !def.kind.is_callable();
        let found =
            std::iter::once(at).chain(merged).find_map(|at| self.child_of(sought, at, into_functions))?;
        Some(self.linked(DefRef { file: ctx.file, def: found }))
    }

    fn inner_function(file: &FileIndex, at: DefIx, sym: Sym) -> Option<DefIx> {
        file.children(at, sym).find(|ix| file.outline.def(*ix).is_some_and(|def| def.kind.is_callable()))
    }

    fn child_of(&self, sought: &Sought<'_, '_>, at: DefIx, into_functions: bool) -> Option<DefIx> {
        let Sought { ctx, file, want, sym, .. } = *sought;
        if want == Want::Call && file.traits().names.preprocessor {
            return self.called_by_text(ctx, file, at, sym);
        }
        let child = file.child(at, sym)?;
        // An import replaces a definition that every supported version of the language excludes.
        if file.traits().names.import_replaces_left_out
            && file.outline.def(child).is_some_and(|def| def.flags.has(DefFlags::LEFT_OUT))
            && file.imports(at, sym).next().is_some()
        {
            return None;
        }
        let fits = |ix: DefIx| {
            file.outline.def(ix).is_some_and(|def| {
                (into_functions || !def.flags.has(DefFlags::LOCAL))
                    // A method may be at top level; only its receiver leads to it.
                    && def.owner.is_none()
                    && !is_only_member(def.kind, &file.traits().names)
                    && is_wanted(def.kind, want, &file.traits().names)
            })
        };
        if fits(child) { Some(child) } else { file.children(at, sym).find(|ix| fits(*ix)) }
    }

    /// The definition that a call of `sym` means where macros replace text. The order is: a macro with parameters,
    /// which hides a function of its name; a function with a body; a function without one. A macro without parameters,
    /// which may rename a function, comes last.
    fn called_by_text(&self, ctx: &Ctx<'_>, file: &FileIndex, at: DefIx, sym: Sym) -> Option<DefIx> {
        let (names, rules) = (&file.traits().names, self.w.rules(file.lang()));
        let rank = |ix: &DefIx| {
            file.outline.def(*ix).map(|def| {
                let rank = match def.kind {
                    // A macro that calls the function of its own name is that function and something more.
                    SymbolKind::Macro if def.flags.has(DefFlags::ABSTRACT) => 3,
                    SymbolKind::Macro => 0,
                    SymbolKind::Constant => 3,
                    kind if names.struct_tags && kind.is_type() && kind != SymbolKind::Type => 4,
                    _ => 1 + u8::from(def.flags.has(DefFlags::ABSTRACT)),
                };
                (def.flags.has(DefFlags::LEFT_OUT), rank)
            })
        };
        let found = file
            .children(at, sym)
            .filter(|ix| file.outline.def(*ix).is_some_and(|def| def.owner.is_none()))
            .min_by_key(rank)?;
        let def = file.outline.def(found)?;
        // A replacement for a function of the system's library, which only a setting or another system asks for.
        let asked_for = def.flags.has(DefFlags::OPTIONAL) && def.kind != SymbolKind::Function;
        let is_apart = def.flags.has(DefFlags::LEFT_OUT) || asked_for;
        if is_apart && rules.is_of_platform(&self.w.text(sym)) {
            return None;
        }
        // An included file has the function whatever the settings.
        if is_apart && at == DefIx::MODULE && rules.has_firm_function(self.w, ctx.file, sym) {
            return None;
        }
        if def.kind == SymbolKind::Function && at == DefIx::MODULE {
            return Some(rules.renamed(self.w, ctx.file, found, ctx.at).unwrap_or(found));
        }
        Some(found)
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
        let names = &file.traits().names;
        if want != Want::Any && names.kept_apart || want == Want::Type && names.type_namespace {
            return None;
        }
        // A module's variables are definitions.
        if scope == DefIx::MODULE && file.child(scope, self.own.sym(self.w, name)).is_some() {
            return None;
        }
        let mut seen = None;
        let mut first = None;
        for &ix in self.own.bindings(scope, name) {
            let binding = self.own.body.bindings.get(ix as usize)?;
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
        let whole = if names.hoists && scope != DefIx::MODULE {
            first.filter(|ix| {
                let to = self.own.body.bindings.get(*ix as usize).map_or(0, |binding| binding.to);
                file.outline.def(scope).is_some_and(|def| def.span.end <= to)
            })
        } else {
            None
        };
        seen.or(whole).map(Meaning::Local)
    }

    fn param(file: &FileIndex, at: DefIx, text: &str, want: Want) -> Option<Meaning> {
        let names = &file.traits().names;
        if want != Want::Any && names.kept_apart || want == Want::Type && names.type_namespace {
            return None;
        }
        let def = file.outline.def(at)?;
        let ix = def.params.iter().position(|param| file.outline.str(param.name) == text)?;
        Some(Meaning::Param(at, ix))
    }

    /// Looks up a name for a definition outside of its type. It sees the type's own name and the members of the types
    /// around it.
    fn in_outer_types(&self, from: DefRef, sym: Sym, want: Want) -> Option<DefRef> {
        let own = self.file(from.file);
        let is_type = own.outline.def(from.def).is_some_and(|def| def.kind.is_type());
        let mut class = if is_type { from } else { self.owner_of(&own, from)? };
        for level in 0..4 {
            let file = self.file(class.file);
            if file.name(class.def) == Some(sym) {
                return Some(class);
            }
            if level > 0
                && let Some((Place::Def(found), _)) = self.implicit_member(class, sym, want)
            {
                return Some(found);
            }
            let def = file.outline.def(class.def)?;
            class = match def.owner {
                Some(_) => self.owner_of(&file, class)?,
                None => {
                    let outer = def.parent.filter(|outer| *outer < class.def)?;
                    file.outline.def(outer).filter(|outer| outer.kind.is_type())?;
                    DefRef { def: outer, ..class }
                }
            };
        }
        None
    }

    fn implicit_member(&self, ty: DefRef, sym: Sym, want: Want) -> Option<(Place, Via)> {
        let owner = self.owner_type(ty)?;
        let member = self.member(owner, sym, want == Want::Call).or_else(|| {
            // A mixin defined inside a type that includes it. It also sees the type's other members.
            let file = self.file(owner.file);
            let outer = file.outline.def(owner.def).filter(|_| file.traits().members.mixins)?.parent?;
            let user = DefRef { def: outer, ..owner };
            file.outline.def(outer).filter(|def| def.kind.is_type())?;
            let found =
                self.line(user).types.contains(&owner).then(|| self.member(user, sym, want == Want::Call));
            found.flatten().map(|found| super::Member { inherited: true, ..found })
        })?;
        let file = self.file(member.def.file);
        file.outline.def(member.def.def).filter(|def| {
            // Where the name may mean anything, a type's own name means the type, not its constructor.
            is_wanted(def.kind, want, &file.traits().names)
                && (want != Want::Any || def.kind != SymbolKind::Constructor)
        })?;
        let via = if member.inherited { Via::Inherited } else { Via::Member };
        Some((Place::Def(member.def), via))
    }

    /// Chooses the side of a member where bare names have sides: in a static method a bare name means a static member,
    /// in an instance method an instance member. Both may exist under one name.
    fn on_side(&self, ctx: &Ctx<'_>, ty: DefRef, sym: Sym, found: (Place, Via)) -> Option<(Place, Via)> {
        let file = self.file(ctx.file);
        let Place::Def(def) = found.0 else { return Some(found) };
        let is_static = |file: &FileIndex, ix: DefIx| {
            let def =
                file.outline.def(ix).filter(|def| def.kind.is_callable() && def.kind != SymbolKind::Property);
            def.map(|def| def.flags.has(DefFlags::STATIC))
        };
        let has_sides = file.traits().members.bare_names_have_sides;
        let around = file.enclosing(ctx.scope, SymbolKind::is_callable).filter(|_| has_sides);
        let Some(wanted) = around.and_then(|around| is_static(&file, around)) else { return Some(found) };
        let target = self.file(def.file);
        let Some(has) = is_static(&target, def.def).filter(|has| *has != wanted) else { return Some(found) };
        let line = self.line(self.owner_type(ty)?);
        let other = line.types.iter().find_map(|ty| {
            let file = self.file(ty.file);
            let def = file.children(ty.def, sym).find(|ix| is_static(&file, *ix) == Some(wanted))?;
            Some(DefRef { def, ..*ty })
        });
        match other {
            Some(other) => Some((Place::Def(other), found.1)),
            None if has => None,
            // The members of a module may belong to any type that it extends.
            None => {
                let holder = target.outline.def(def.def).and_then(|def| target.outline.def(def.parent?));
                holder.is_none_or(|holder| holder.kind != SymbolKind::Class).then_some(found)
            }
        }
    }

    /// The definition or import in `scope` that a default build uses instead of `found`, if it excludes `found`.
    fn built_instead(
        &self,
        file: &FileIndex,
        scope: DefRef,
        found: DefIx,
        name: Sym,
        want: Want,
    ) -> Option<(Place, Via)> {
        let names = &file.traits().names;
        let rules = self.w.rules(file.lang());
        if !names.conditional_items || !rules.leaves_out(self.w, scope.file, file, found) {
            return None;
        }
        let fits = |ix: &DefIx| {
            *ix != found
                && file.outline.def(*ix).is_some_and(|def| {
                    def.owner.is_none() && !def.flags.has(DefFlags::LOCAL) && is_wanted(def.kind, want, names)
                })
                && !rules.leaves_out(self.w, scope.file, file, *ix)
        };
        if let Some(def) = file.children(scope.def, name).find(fits) {
            return Some((Place::Def(DefRef { def, ..scope }), Via::Scope));
        }
        let import = file
            .imports(scope.def, name)
            .find(|ix| !rules.leaves_out_import(self.w, scope.file, file, *ix))?;
        match modules::resolve_import(self.w, scope.file, import) {
            Place::Missing => Some((Place::External, Via::Import)),
            place => Some((place, Via::Import)),
        }
    }

    /// The place that the imports in `scope` bind `name` to.
    fn imported(&self, file: &FileIndex, ix: FileIx, scope: DefIx, name: Sym) -> Option<(Place, Via)> {
        let mut outside = None;
        for import in modules::built_imports(self.w, ix, file, file.imports(scope, name)) {
            match modules::resolve_import(self.w, ix, import) {
                found @ (Place::Def(_) | Place::Module(_)) => return Some((found, Via::Import)),
                Place::External => outside = Some(Place::External),
                Place::Missing => outside = outside.or(Some(Place::Missing)),
            }
        }
        if let Some(place) = outside {
            // A name bound by an import means the imported thing, whether it is found or not.
            let place = if place == Place::Missing { Place::External } else { place };
            return Some((place, Via::Import));
        }
        let of_scope = |at: &u32| {
            file.import(*at)
                .is_some_and(|import| import.scope == scope && import.kind == ImportKind::Wildcard)
        };
        let all = || file.wildcards.iter().copied().filter(of_scope);
        let rules = self.w.rules(file.lang());
        let left_out = |at: &u32| rules.leaves_out_import(self.w, ix, file, *at);
        let found = |at: u32| self.by_wildcard(file, ix, file.import(at)?, name);
        // Imports that a default build excludes come last.
        all().filter(|at| !left_out(at)).find_map(found).or_else(|| all().filter(left_out).find_map(found))
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
        let (names, rules) = (&file.traits().names, self.w.rules(file.lang()));
        if names.struct_tags && want == Want::Type {
            let q = Question::Tagged(ctx.file, name);
            let found = self
                .w
                .derive(&self.w.memos.places, q, Place::Missing, || rules.tagged(self.w, ctx.file, name));
            if found.is_found() {
                return found;
            }
        }
        // Where namespaces are declared inside files, the scope matters. Other languages need only one answer per file.
        let scope = if names.namespaces_in_files { ctx.scope } else { DefIx::MODULE };
        let q = Question::Implicit(DefRef { def: scope, ..at }, name);
        self.w
            .derive(&self.w.memos.places, q, Place::Missing, || rules.implicit(self.w, ctx.file, scope, name))
    }
}

/// A function declared inside the anonymous function that makes the value of the variable `at`.
fn local_function(file: &FileIndex, at: DefIx, name: Sym) -> Option<DefIx> {
    let is_anonymous = file.traits().names.anonymous_objects;
    file.children(at, name).filter(|_| is_anonymous).find(|ix| {
        file.outline.def(*ix).is_some_and(|def| {
            def.kind == SymbolKind::Function && def.flags.has(DefFlags::LOCAL) && def.owner.is_none()
        })
    })
}
