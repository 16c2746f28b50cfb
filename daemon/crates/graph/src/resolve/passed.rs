//! The functions that the calls of one file pass for the parameters of its functions.
//!
//! Calls in other files are not looked at. They may pass further functions, but no others for these calls.

use std::collections::HashMap;

use sdl_model::SymbolKind;
use sdl_model::facts::{
    BindingKind, CALLED, DefIx, Expr, ExprIx, Param, ParamKind, Ref, RefForm, StrIx, parameter_place,
};

use super::arguments::{Argument, Arguments};
use super::{CANDIDATES, Outcome, Resolver};
use crate::infer::{Ctx, Meaning, Ty, Typed, Want};
use crate::strategies::PASSED_FUNCTION;
use crate::world::{DefRef, Sym};

/// How many functions an argument is followed through from one to the next.
const STEPS: u8 = 4;
/// Most places that set one field which are looked at.
const MAX_KEPT: usize = 16;
/// Most calls of one function whose arguments are looked at.
const MAX_CALLS: usize = 64;

impl<'r> Resolver<'r, '_> {
    /// A call of the local with this number, a parameter: the functions that the file's calls pass for it.
    pub(crate) fn passed_call(&self, local: u32) -> Option<Outcome> {
        let targets = functions_among(&self.passed_values(local, STEPS));
        (1..=CANDIDATES).contains(&targets.len()).then_some(Outcome::Found(targets, &PASSED_FUNCTION))
    }

    /// A call of the member `name` of `recv`: the functions that the objects have under it which the file's calls pass for
    /// the parameter `recv`.
    pub(crate) fn passed_member(&self, ctx: &Ctx<'_>, recv: ExprIx, name: Sym) -> Option<Outcome> {
        if !self.rules.follows_values() {
            return None;
        }
        let text = self.infer.w.text(name);
        let objects = self.values_by_arguments(ctx, recv).into_iter();
        let objects = objects.filter(|value| matches!(value.ty, Ty::Object(_)));
        let values: Vec<Typed> = objects.map(|value| self.infer.attribute(&value, &text, true)).collect();
        let targets = functions_among(&values);
        (1..=CANDIDATES).contains(&targets.len()).then_some(Outcome::Found(targets, &PASSED_FUNCTION))
    }

    /// A call of the field `def`: the functions that its class's methods keep in it, and that the file's calls pass for the
    /// parameters which they keep in it.
    pub(crate) fn passed_field(&self, def: DefRef) -> Option<Outcome> {
        let file = self.infer.file(def.file);
        let field = file.outline.def(def.def)?;
        if !self.rules.follows_values()
            || def.file != self.infer.own.file
            || field.kind != SymbolKind::Field
            || field.ty.is_some()
        {
            return None;
        }
        let bindings = self.infer.own.all_bindings(self.infer.w);
        let name = file.outline.str(field.name);
        let arena = self.infer.own.arena();
        let kept = self.kept.get_or_init(|| {
            let mut kept: HashMap<&str, Vec<u32>> = HashMap::new();
            for (ix, one) in bindings.iter().enumerate().filter(|(_, one)| one.kind == BindingKind::Field) {
                kept.entry(arena.str(one.name)).or_default().push(ix as u32);
            }
            kept
        });
        let mut values = Vec::new();
        for ix in kept.get(name)?.iter().take(MAX_KEPT) {
            let Some(one) = bindings.get(*ix as usize) else { continue };
            let (Some(value), None) = (one.value, one.ty) else { return None };
            if file.outline.def(one.scope).and_then(|method| method.parent) == field.parent {
                let ctx = Ctx { at: one.from.saturating_sub(1), scope: one.scope, ..self.module_ctx() };
                values.extend(self.argument_values(&ctx, value, STEPS));
            }
        }
        let targets = functions_among(&values);
        (1..=CANDIDATES).contains(&targets.len()).then_some(Outcome::Found(targets, &PASSED_FUNCTION))
    }

    /// Whether the text before hands the module's variable `object` to other code, which may set its fields. Mentions of
    /// locals are no references, so nothing is known of these.
    pub(crate) fn is_handed_out(&self, one: &Ref, object: ExprIx) -> bool {
        let Expr::Name(name) = self.infer.own.arena().expr(object) else { return false };
        let arena = self.infer.own.arena();
        let (mut named, mut asked) = (0, 0);
        for other in self.infer.own.all_refs(self.infer.w).iter().filter(|other| other.at <= one.at) {
            let is_receiver =
                other.recv.is_some_and(|recv| matches!(arena.expr(recv), Expr::Name(of) if of == name));
            match other.form {
                RefForm::Value if other.name == *name => named += 1,
                RefForm::MethodCall | RefForm::Attr if is_receiver => asked += 1,
                _ => {}
            }
        }
        // Each mention before a member is a mention of the variable, too.
        named > asked
    }

    /// The value of `callee`, for each value that the file's calls pass for the parameter that it begins with.
    pub(crate) fn values_by_arguments(&self, ctx: &Ctx<'_>, callee: ExprIx) -> Vec<Typed> {
        self.values_within(ctx, callee, STEPS)
    }

    fn values_within(&self, ctx: &Ctx<'_>, callee: ExprIx, steps: u8) -> Vec<Typed> {
        let Some(name) = first_name(ctx, callee) else { return Vec::new() };
        let Meaning::Local(local) = self.infer.meaning(ctx, name, Want::Any) else { return Vec::new() };
        let passed = self.passed_values(local, steps);
        passed.into_iter().map(|value| self.infer.eval_given(ctx, (name, value), callee)).collect()
    }

    /// The values that the file's calls pass for the parameter that the local with this number is.
    fn passed_values(&self, local: u32, steps: u8) -> Vec<Typed> {
        let (Some(steps), Some(binding)) =
            (steps.checked_sub(1), self.infer.own.binding(self.infer.w, local))
        else {
            return Vec::new();
        };
        let file = self.infer.file(self.infer.own.file);
        let name = self.infer.own.arena().str(binding.name);
        let place = file
            .outline
            .def(binding.scope)
            .and_then(|def| def.params.iter().position(|param| file.outline.str(param.name) == name))
            .or_else(|| parameter_place(name));
        if let (None, BindingKind::Param, Some(value)) = (place, binding.kind, binding.value) {
            let ctx = Ctx { at: binding.from, scope: binding.scope, ..self.module_ctx() };
            // The value may begin with the same name: `for one in one: …`.
            return self.values_within(&ctx, value, steps);
        }
        let Some(place) = place.filter(|_| binding.kind == BindingKind::Param && binding.ty.is_none()) else {
            return Vec::new();
        };
        let Some(arguments) = self.arguments() else { return Vec::new() };
        let key = (binding.scope, place);
        let mut values: Vec<Typed> = Vec::new();
        let mut add = |value: Typed| {
            if value.ty != Ty::Unknown && values.len() <= CANDIDATES && !values.contains(&value) {
                values.push(value);
            }
        };
        for argument in arguments.by_param.get(&key).into_iter().flatten() {
            match *argument {
                Argument::Decorated(def) => {
                    add(self.infer.def_type(DefRef { file: self.infer.own.file, def }));
                }
                Argument::Value(one, value) => {
                    self.argument_values(&self.ctx(one), value, steps).into_iter().for_each(&mut add);
                }
            }
        }
        // The default counts where a call leaves the argument out.
        if let Some(default) = binding.value.filter(|_| arguments.left_out.contains_key(&key)) {
            let ctx = Ctx { at: binding.from.saturating_sub(1), scope: binding.scope, ..self.module_ctx() };
            add(self.infer.eval(&ctx, default));
        }
        values
    }

    /// The values of an argument: those of the parameter that it hands on, if it is one.
    fn argument_values(&self, ctx: &Ctx<'_>, value: ExprIx, steps: u8) -> Vec<Typed> {
        if let Expr::Name(name) = ctx.arena.expr(value)
            && let Meaning::Local(local) = self.infer.meaning(ctx, *name, Want::Any)
            && let Some(binding) = self.infer.own.binding(self.infer.w, local)
            && binding.kind == BindingKind::Param
            && binding.ty.is_none()
        {
            return self.passed_values(local, steps);
        }
        vec![self.infer.eval(ctx, value)]
    }

    fn module_ctx(&self) -> Ctx<'_> {
        Ctx {
            file: self.infer.own.file,
            scope: DefIx::MODULE,
            at: 0,
            arena: self.infer.own.arena(),
            body: true,
            members: false,
            owner: false,
            subject: None,
            env: None,
            given: None,
        }
    }

    /// The arguments of all calls of the file's own functions. None while they are being gathered, because that asks
    /// where calls lead.
    fn arguments(&self) -> Option<&Arguments<'r>> {
        // Each caller asks for the whole file, also those that find the answer known.
        self.infer.own.all_refs(self.infer.w);
        if self.gathers.replace(true) {
            return None;
        }
        let found = self.passed.get_or_init(|| self.gather_arguments());
        self.gathers.set(false);
        Some(found)
    }

    fn gather_arguments(&self) -> Arguments<'r> {
        let mut found = Arguments::default();
        let mut calls: HashMap<DefIx, usize> = HashMap::new();
        let own = self.infer.own.file;
        for one in self.infer.own.all_refs(self.infer.w) {
            let is_applied = one.form == RefForm::Decorator && self.is_applied_decorator(one);
            let is_call = matches!(one.form, RefForm::Call | RefForm::MethodCall | RefForm::Construct);
            if !is_applied && !is_call {
                continue;
            }
            let Outcome::Found(targets, _) = self.call_for_arguments(one) else { continue };
            let [target] = targets.as_slice() else { continue };
            let Some(function) = self.function_called(*target).filter(|def| def.file == own) else {
                continue;
            };
            let count = calls.entry(function.def).or_default();
            *count += 1;
            if *count <= MAX_CALLS {
                self.add_arguments(&mut found, function.def, one, is_applied);
            }
        }
        found
    }

    /// Whether a decorator is applied to the definition as it is written: `@f`, and the result of `@f(1)`.
    fn is_applied_decorator(&self, one: &Ref) -> bool {
        one.args == 0 || self.infer.own.arena().str(one.name) == CALLED
    }

    fn call_for_arguments(&self, one: &Ref) -> Outcome {
        match one.form {
            RefForm::Construct => self.construct(one),
            RefForm::Decorator if self.infer.own.arena().str(one.name) == CALLED => self.held_call(one),
            _ => self.call(one),
        }
    }

    /// The function that a call of `target` runs: for a class, its constructor.
    fn function_called(&self, target: DefRef) -> Option<DefRef> {
        let file = self.infer.file(target.file);
        let kind = file.outline.def(target.def)?.kind;
        if kind.is_type() { self.infer.constructor(target) } else { Some(target) }
    }

    /// Adds the arguments of the call `one` of `function`.
    fn add_arguments(&self, found: &mut Arguments<'r>, function: DefIx, one: &'r Ref, is_applied: bool) {
        let file = self.infer.file(self.infer.own.file);
        let Some(def) = file.outline.def(function) else { return };
        let first = usize::from(def.params.first().is_some_and(|param| param.kind == ParamKind::Receiver));
        if is_applied {
            found.by_param.entry((function, first)).or_default().push(Argument::Decorated(one.scope));
            return;
        }
        let arena = self.infer.own.arena();
        let given = one.given.map_or(&[][..], |given| match arena.expr(given) {
            Expr::Tuple(values) => values,
            _ => &[],
        });
        let mut passed = vec![false; def.params.len()];
        let mut add = |place: usize, value: ExprIx| {
            found.by_param.entry((function, place)).or_default().push(Argument::Value(one, value));
            if let Some(one) = passed.get_mut(place) {
                *one = true;
            }
        };
        for (at, value) in given.iter().enumerate() {
            let named = match arena.expr(*value) {
                Expr::Unwrap(named) => match arena.expr(*named) {
                    Expr::Record(named) => Some(named),
                    _ => None,
                },
                _ => None,
            };
            let Some(named) = named else {
                add(first + at, *value);
                continue;
            };
            for (name, value) in named {
                let is_it = |param: &Param| file.outline.str(param.name) == arena.str(*name);
                if let Some(place) = def.params.iter().position(is_it) {
                    add(place, *value);
                }
            }
        }
        let count = usize::from(one.args);
        for (place, param) in def.params.iter().enumerate().skip(first) {
            let by_place = place - first < count && given.is_empty();
            if param.optional && passed.get(place) == Some(&false) && !by_place {
                *found.left_out.entry((function, place)).or_default() += 1;
            }
        }
    }
}

/// The name that a value begins with.
fn first_name(ctx: &Ctx<'_>, mut ix: ExprIx) -> Option<StrIx> {
    for _ in 0..STEPS {
        match ctx.arena.expr(ix) {
            Expr::Name(name) => return Some(*name),
            Expr::Attr(inner, _) | Expr::Key(inner, _) | Expr::Index(inner) | Expr::Iter(inner) => {
                ix = *inner
            }
            Expr::Either(list) => ix = *list.first()?,
            _ => return None,
        }
    }
    None
}

/// The functions and classes among values.
pub(super) fn functions_among(values: &[Typed]) -> Vec<DefRef> {
    let each = values.iter().flat_map(|value| value.ty.each());
    let mut found: Vec<DefRef> = each
        .filter_map(|ty| match ty {
            Ty::Func(def, _) | Ty::Class(def) => Some(*def),
            _ => None,
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}
