//! Turns the references of one file into edges.

mod calls;
mod edges;
mod extensions;
mod fallback;
mod header;
mod held;
mod overloads;
mod receivers;
mod traits;
mod values;

use std::cell::OnceCell;

use sdl_ledger::{Resolved, Result};
use sdl_model::facts::{DefFlags, DefIx, Ref, RefForm};
use sdl_model::lang::Traits;
use sdl_model::{Body, EdgeKind, FileId, Lang, Outline, RelPath, Resolution, SymbolKind};

use crate::infer::{Ctx, Infer};
use crate::own::Own;
use crate::strategies::{ALTERNATIVES, HELD_FUNCTION, NEAR_METHOD, Rule, SAME_NAME, UNIQUE_METHOD};
use crate::world::{DefRef, Rules, World};

use edges::Edges;

/// Most targets of one ambiguous reference; with more it is unresolved.
const CANDIDATES: usize = 5;
/// The same where only the name matches.
const CANDIDATES_BY_NAME: usize = 2;

/// How one reference came out.
#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    /// These are the targets, by this rule.
    Found(Vec<DefRef>, &'static Rule),
    /// The target is outside the repository.
    External,
    /// The target is not known.
    Unresolved,
    /// Not a reference to a definition: a local, a keyword.
    Nothing,
}

impl Outcome {
    fn one(target: DefRef, rule: &'static Rule) -> Self {
        Self::Found(vec![target], rule)
    }
}

/// Finds the outgoing edges of a file's symbols. Pure: the same facts and the same answers of `world` give the same
/// result, in whatever order files are resolved. Fails only if the store does.
pub fn resolve_file(
    world: &World<'_>,
    file: FileId,
    path: &RelPath,
    outline: &Outline,
    body: &Body,
) -> Result<Resolved> {
    let at = world.begin(file, path, outline);
    let own = Own::new(at, body);
    let resolver = Resolver {
        infer: Infer::new(world, &own),
        lang: outline.lang,
        traits: outline.lang.traits(),
        traits_in_sight: OnceCell::new(),
    };
    let mut edges = Edges::new(world.file(at), outline.lang);
    resolver.bases(&mut edges);
    resolver.imports(&mut edges);
    for one in &body.refs {
        world.begin_reference();
        let (outcome, kind) = resolver.reference(one);
        let outcome = if world.is_spent() { Outcome::Unresolved } else { outcome };
        resolver.record(&mut edges, one, outcome, kind);
    }
    let (edges, counts) = edges.finish();
    Ok(Resolved { file: Some(file), edges, asked: world.finish()?, counts })
}

struct Resolver<'r, 'w> {
    infer: Infer<'r, 'w>,
    lang: Lang,
    traits: &'static Traits,
    /// The visible traits, each with the definition in whose body it is visible.
    traits_in_sight: OnceCell<Vec<(DefIx, DefRef)>>,
}

impl Resolver<'_, '_> {
    /// The rules of the file's language.
    fn rules(&self) -> &'static dyn Rules {
        self.infer.w.rules(self.lang)
    }

    fn ctx(&self, one: &Ref) -> Ctx<'_> {
        Ctx {
            file: self.infer.own.file,
            scope: one.scope,
            at: one.at,
            arena: &self.infer.own.body.arena,
            body: true,
            members: one.form == RefForm::Type,
            subject: None,
            env: None,
            given: None,
        }
    }

    fn reference(&self, one: &Ref) -> (Outcome, EdgeKind) {
        match one.form {
            // An annotation runs no code.
            RefForm::Decorator if !self.traits.calls.decorators_run => (self.call(one), EdgeKind::Ref),
            RefForm::PathCall if self.traits.calls.subscripts_instantiate => self.instantiated(one),
            RefForm::Call | RefForm::MethodCall | RefForm::PathCall | RefForm::Decorator => {
                (self.call(one), EdgeKind::Call)
            }
            // A literal of a type runs no code.
            RefForm::Construct if !self.traits.calls.types_run => (self.construct(one), EdgeKind::Ref),
            RefForm::Construct => (self.construct(one), EdgeKind::Call),
            RefForm::Macro if self.traits.names.preprocessor => self.handed_to_macro(one),
            RefForm::Macro => (self.macro_call(one), EdgeKind::Call),
            RefForm::Value | RefForm::Attr | RefForm::Type => self.value(one),
            RefForm::Config => (self.setting(one), EdgeKind::Config),
        }
    }

    fn record(&self, edges: &mut Edges, one: &Ref, outcome: Outcome, kind: EdgeKind) {
        let counts = &mut edges.counts;
        let (targets, rule) = match outcome {
            Outcome::Found(targets, rule) => (targets, rule),
            Outcome::External => {
                counts.external += 1;
                return;
            }
            Outcome::Unresolved => {
                counts.unresolved += 1;
                return;
            }
            Outcome::Nothing => return,
        };
        match rule.resolution {
            Resolution::Exact => counts.exact += 1,
            Resolution::Inferred => counts.inferred += 1,
            Resolution::Ambiguous => counts.ambiguous += 1,
        }
        let scope = if kind == EdgeKind::Call { self.caller(one) } else { one.scope };
        for target in targets {
            // A class used as a decorator is only named. The decorated definition's name denotes the value constructed
            // from it.
            let is_named = self.traits.calls.decorating_class_is_named;
            let decorates = is_named && one.form == RefForm::Decorator && one.args == 0;
            let constructor = if decorates { None } else { self.constructor_called(one, target, kind) };
            let to = constructor.unwrap_or(target);
            let Some(symbol) = self.infer.file(to.file).symbol(to.def) else { continue };
            edges.add(scope, symbol, self.edge_kind(to, kind, rule), rule, one.line);
            if constructor.is_some()
                && let Some(class) = self.infer.file(target.file).symbol(target.def)
            {
                edges.add(scope, class, EdgeKind::Ref, rule, one.line);
            }
            // The decorated definition depends on its decorator, but the code that defines it makes the call.
            if scope != one.scope {
                edges.add(one.scope, symbol, EdgeKind::Ref, rule, one.line);
            }
        }
    }

    /// The definition that makes a call: the one around it. For a decorator, the one around the decorated definition.
    fn caller(&self, one: &Ref) -> DefIx {
        let file = self.infer.file(self.infer.own.file);
        let outer = file.outline.def(one.scope).and_then(|def| {
            let in_header = def.body_start.is_none_or(|body| one.at < body);
            let before = one.line < def.line || (one.form == RefForm::Decorator && in_header);
            (before && def.kind != SymbolKind::Module).then_some(def.parent).flatten()
        });
        outer.unwrap_or(one.scope)
    }

    /// The kind of an edge to `to`. A call leads to code. Calling a field or a local runs the value it holds, which
    /// other code may set: that is a reference. So is a call of a macro with several definitions of which a build takes
    /// one, and a conversion, in languages that write conversions like calls.
    fn edge_kind(&self, to: DefRef, kind: EdgeKind, rule: &Rule) -> EdgeKind {
        let is_code = || {
            let file = self.infer.file(to.file);
            let calls = &self.traits.calls;
            let kind = file.outline.def(to.def).map(|def| def.kind);
            match kind {
                Some(SymbolKind::Field) => false,
                Some(kind) if calls.inert.contains(&kind) => false,
                Some(SymbolKind::Macro) => rule.number != ALTERNATIVES.number,
                // A default export without a name holds the result of the code that made it.
                Some(SymbolKind::Constant)
                    if file.outline.def(to.def).is_some_and(|def| {
                        def.flags.has(DefFlags::DEFAULT_EXPORT) && file.outline.str(def.name) == "default"
                    }) =>
                {
                    false
                }
                Some(kind) if kind.is_type() && kind != SymbolKind::EnumMember => calls.types_run,
                _ => true,
            }
        };
        // One of several definitions of the name, chosen by the name alone. In languages with written types, a receiver
        // of unknown type is more often of a library's type, even if a type here has a method of the name.
        let may_be = match rule.number {
            number if number == SAME_NAME.number => !self.traits.calls.same_name_is_call,
            number if [UNIQUE_METHOD.number, NEAR_METHOD.number].contains(&number) => {
                !self.traits.calls.only_name_is_call
            }
            _ => false,
        };
        if kind == EdgeKind::Call && (rule.number == HELD_FUNCTION.number || may_be || !is_code()) {
            EdgeKind::Ref
        } else {
            kind
        }
    }

    /// Calling a type calls its constructor, if it declares one. A struct of C# has one without parameters, whatever
    /// others it declares.
    fn constructor_called(&self, one: &Ref, target: DefRef, kind: EdgeKind) -> Option<DefRef> {
        let file = self.infer.file(target.file);
        let def = file.outline.def(target.def)?;
        let constructor = (kind == EdgeKind::Call && def.kind.is_type())
            .then(|| self.infer.constructor(target))
            .flatten()?;
        let is_default = self.traits.members.default_constructors
            && def.kind == SymbolKind::Struct
            && one.form == RefForm::Construct
            && one.args == 0
            && !overloads::accepts_args(&self.infer.file(constructor.file), constructor.def, 0);
        (!is_default).then_some(constructor)
    }
}
