//! Turns the references of one file into edges.

mod arguments;
mod calls;
mod edges;
mod fallback;
mod header;
mod held;
mod hooks;
mod keeping;
mod overloads;
mod passed;
mod rules;
mod values;

use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use sdl_ledger::{Resolved, Result, name_mark};
use sdl_model::facts::{CALLED, DefIx, Ref, RefForm};
use sdl_model::lang::Guesses;
use sdl_model::{Body, EdgeKind, FileId, Lang, Outline, RelPath, SymbolId, SymbolKind};

use crate::infer::{self, Ctx, Infer};
use crate::own::Own;
use crate::strategies::{
    ALTERNATIVES, HELD_FUNCTION, NEAR_METHOD, PASSED_FUNCTION, Rule, SAME_NAME, UNIQUE_METHOD, WRAPPER,
};
use crate::world::{DefRef, World};

pub(crate) use calls::{rule_of, rule_of_receiver};
pub use edges::Site;
use edges::{Edges, Mention};
use keeping::{Keeping, counted_as};
pub(crate) use overloads::MAX_OVERLOADS;
pub(crate) use rules::{CallRules, Implied, Outcome, Overloaded, Resolver, RulesOf};

/// Finds the rules of languages.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    /// For names, members and types.
    pub(crate) types: infer::RulesOf,
    /// For calls.
    pub(crate) calls: RulesOf,
}

/// Most targets of one ambiguous reference; with more it is unresolved.
pub(crate) const CANDIDATES: usize = 5;
/// The same where only the name matches.
const CANDIDATES_BY_NAME: usize = 2;

/// Finds the outgoing edges of a file's symbols by the rules of its language.
pub(crate) fn resolve_file(
    world: &World<'_>,
    rules: Rules,
    file: FileId,
    path: &RelPath,
    outline: &Outline,
    body: &Body,
) -> Result<Resolved> {
    let at = world.begin(file, path, outline);
    let own = Own::new(at, body);
    let resolver = Resolver::new(world, rules, &own, outline.lang);
    let mut edges = Edges::new(world.file(at), outline.lang);
    let mut keeping = Keeping::begin(world, file, outline, body);
    let open = resolver.resolve_all(&mut edges, None, keeping.as_mut());
    let unresolved = resolver.defined_marks(&open);
    let (edges, counts) = edges.finish();
    let mut asked = world.finish()?;
    if let Some(keeping) = keeping {
        keeping.finish(world, &mut asked);
    }
    Ok(Resolved { file: Some(file), edges, asked, unresolved, counts })
}

/// Finds each place where a file mentions a definition, by the rules of its language. With a name, only its references.
pub(crate) fn resolve_sites(
    world: &World<'_>,
    rules: Rules,
    file: FileId,
    path: &RelPath,
    (outline, body): (&Outline, &Body),
    name: Option<&str>,
) -> Result<Sites> {
    let at = world.begin(file, path, outline);
    let own = Own::new(at, body);
    let resolver = Resolver::new(world, rules, &own, outline.lang);
    let index = world.file(at);
    let mut edges = Edges::new(Rc::clone(&index), outline.lang).with_sites();
    let open = resolver.resolve_all(&mut edges, name, None);
    let open = open.into_iter().filter_map(|one| {
        let around = index.enclosing(one.scope, |kind| kind != SymbolKind::Impl)?;
        let from = index.symbol(around)?;
        Some(OpenSite { line: one.line, at: one.at, from, name: body.arena.str(one.name).into() })
    });
    let (found, within) = (edges.take_sites(), edges.take_within());
    let sites = Sites { open: open.collect(), found, within };
    world.finish()?;
    Ok(sites)
}

impl<'r, 'w> Resolver<'r, 'w> {
    fn new(world: &'r World<'w>, rules: Rules, own: &'r Own<'r>, lang: Lang) -> Self {
        Self {
            infer: Infer::new(world, own, rules.types),
            lang,
            traits: lang.traits(),
            rules: (rules.calls)(lang),
            passed: OnceCell::new(),
            kept: OnceCell::new(),
            gathers: Cell::new(false),
            in_sight: OnceCell::new(),
        }
    }

    /// Adds the edges of everything that the file mentions, or of the references of one name. Returns those whose meaning
    /// is not known. What `keeping` knows is not resolved again.
    fn resolve_all(
        &self,
        edges: &mut Edges,
        name: Option<&str>,
        mut keeping: Option<&mut Keeping>,
    ) -> Vec<&'r Ref> {
        let world = self.infer.w;
        self.bases(edges);
        self.imports(edges);
        self.conventions(edges);
        let mut open = Vec::new();
        let arena = self.infer.own.arena();
        let is_asked = |one: &&Ref| name.is_none_or(|name| arena.str(one.name) == name);
        if keeping.is_some() {
            // What was asked before belongs to no reference.
            world.take_noted();
            edges.log_added();
        }
        for one in self.infer.own.refs().iter().filter(is_asked) {
            if let Some(is_open) = keeping.as_mut().and_then(|keeping| keeping.repeat_outcome(edges, one)) {
                open.extend(is_open.then_some(one));
                continue;
            }
            world.begin_reference();
            let (outcome, kind) = self.reference(one);
            let outcome = if world.is_spent() { Outcome::Unresolved } else { outcome };
            let is_open = outcome == Outcome::Unresolved;
            open.extend(is_open.then_some(one));
            let counted = counted_as(&outcome);
            self.record(edges, one, outcome, kind);
            if let Some(keeping) = &mut keeping {
                keeping.note_outcome(world, one, is_open, (edges.take_added(), counted));
            }
        }
        open
    }

    /// The marks of the names among `open` that some definition has, sorted. Asks for each of the names, so that a file
    /// which defines one of them later has this file resolved again.
    fn defined_marks(&self, open: &[&Ref]) -> Vec<u32> {
        let world = self.infer.w;
        let names: BTreeSet<_> = open.iter().map(|one| one.name).collect();
        let syms = names.into_iter().map(|name| self.infer.own.sym(world, name));
        let defined = syms.filter(|sym| world.named(*sym).is_none_or(|hits| !hits.is_empty()));
        let marks: BTreeSet<u32> = defined.map(|sym| name_mark(&world.text(sym))).collect();
        marks.into_iter().collect()
    }
}

/// A mention of a name whose meaning is not known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpenSite {
    /// The line of the mention, from 1.
    pub line: u32,
    /// The byte offset of the name.
    pub at: u32,
    /// The symbol around it.
    pub from: SymbolId,
    /// The name, such as `save` of `thing.save()`.
    pub name: Box<str>,
}

/// All mentions in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sites {
    /// Those that lead to a definition of the repository.
    pub found: Vec<Site>,
    /// Those of a symbol inside itself, such as the name of a type in its own fields. They are no edges.
    pub within: Vec<Site>,
    /// Those whose meaning is not known.
    pub open: Vec<OpenSite>,
}

impl Resolver<'_, '_> {
    /// Whether built-in types of the file's language have a member called `name`.
    pub(crate) fn is_builtin_member(&self, name: &str) -> bool {
        self.rules.is_builtin_member(self.lang, name)
    }

    pub(crate) fn ctx(&self, one: &Ref) -> Ctx<'_> {
        Ctx {
            file: self.infer.own.file,
            scope: one.scope,
            at: one.at,
            arena: self.infer.own.arena(),
            body: true,
            members: one.form == RefForm::Type,
            owner: false,
            subject: None,
            env: None,
            given: None,
        }
    }

    fn reference(&self, one: &Ref) -> (Outcome, EdgeKind) {
        if let Some(found) = self.rules.reference(self, one) {
            return found;
        }
        match one.form {
            // A literal of a type runs no code.
            RefForm::Construct if !self.traits.calls.types_run => (self.construct(one), EdgeKind::Ref),
            RefForm::Construct => (self.construct(one), EdgeKind::Call),
            RefForm::Decorator if self.infer.own.arena().str(one.name) == CALLED => {
                (self.held_call(one), EdgeKind::Call)
            }
            RefForm::Held => (self.held_call(one), EdgeKind::Call),
            RefForm::Call | RefForm::MethodCall | RefForm::PathCall | RefForm::Decorator => {
                (self.call(one), EdgeKind::Call)
            }
            RefForm::Iterate => (self.iteration(one), EdgeKind::Call),
            RefForm::Handed => (self.handed_call(one), EdgeKind::Call),
            RefForm::Prefix => (self.made_up_members(one), EdgeKind::Ref),
            RefForm::Macro => (self.macro_call(one), EdgeKind::Call),
            RefForm::Value | RefForm::Attr | RefForm::Type => self.value(one),
            RefForm::Label => self.label(one),
            RefForm::Config => (self.setting(one), EdgeKind::Config),
        }
    }

    fn record(&self, edges: &mut Edges, one: &Ref, outcome: Outcome, kind: EdgeKind) {
        if let Some(counted) = counted_as(&outcome) {
            edges.count(counted);
        }
        let Outcome::Found(targets, rule) = outcome else { return };
        let mention = Mention { line: one.line, at: Some(one.at) };
        if let Some((holder, rule)) = self.named_holder(one, rule, &targets)
            && let Some(symbol) = self.infer.file(holder.file).symbol(holder.def)
        {
            edges.add(one.scope, symbol, EdgeKind::Ref, rule, mention);
        }
        let scope = if kind == EdgeKind::Call { self.caller(one) } else { one.scope };
        for target in targets {
            let constructor = self.constructor_called(one, target, kind);
            let to = constructor.unwrap_or(target);
            let Some(symbol) = self.infer.file(to.file).symbol(to.def) else { continue };
            edges.add(scope, symbol, self.edge_kind(to, kind, rule), rule, mention);
            // A function that is passed, also to a decorator, is the one without a wrapper.
            if kind == EdgeKind::Call
                && rule.number != PASSED_FUNCTION.number
                && let Some(wrapper) = self.infer.wrapper_of(to)
                && let Some(symbol) = self.infer.file(wrapper.file).symbol(wrapper.def)
            {
                edges.add(scope, symbol, EdgeKind::Call, &WRAPPER, mention);
            }
            if constructor.is_some()
                && let Some(class) = self.infer.file(target.file).symbol(target.def)
            {
                edges.add(scope, class, EdgeKind::Ref, rule, mention);
            }
            // The decorated definition depends on its decorator, but the code that defines it makes the call.
            if scope != one.scope {
                edges.add(one.scope, symbol, EdgeKind::Ref, rule, mention);
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
            let Some(def) = file.outline.def(to.def) else { return true };
            let calls = &self.traits.calls;
            match def.kind {
                SymbolKind::Field => false,
                kind if calls.inert.contains(&kind) => false,
                SymbolKind::Macro => rule.number != ALTERNATIVES.number,
                kind if kind.is_type() && kind != SymbolKind::EnumMember => calls.types_run,
                _ => !self.rules.holds_result(&file, def),
            }
        };
        // One of several definitions of the name, chosen by the name alone. In languages with written types, a receiver
        // of unknown type is more often of a library's type, even if a type here has a method of the name.
        let may_be = match rule.number {
            number if number == SAME_NAME.number => self.traits.calls.guesses != Guesses::All,
            number if [UNIQUE_METHOD.number, NEAR_METHOD.number].contains(&number) => {
                self.traits.calls.guesses == Guesses::None
            }
            _ => false,
        };
        if kind == EdgeKind::Call && (rule.number == HELD_FUNCTION.number || may_be || !is_code()) {
            EdgeKind::Ref
        } else {
            kind
        }
    }

    /// Calling a type calls its constructor, if it declares one.
    fn constructor_called(&self, one: &Ref, target: DefRef, kind: EdgeKind) -> Option<DefRef> {
        let file = self.infer.file(target.file);
        let def = file.outline.def(target.def)?;
        let constructor = (kind == EdgeKind::Call && def.kind.is_type())
            .then(|| self.infer.constructor(target))
            .flatten()?;
        self.rules.runs_constructor(self, one, def, constructor).then_some(constructor)
    }
}
