//! Arguments of calls that may be functions, for the functions of the file that call their parameters.

use std::collections::{HashMap, HashSet};

use sdl_model::SymbolKind;
use sdl_model::facts::{BindingKind, DefIx, Expr, ExprIx, RefForm, StrIx, parameter_place};

use super::Builder;
use super::pending::Passing;

/// How many functions an argument is followed through from one to the next.
const MAX_ROUNDS: usize = 3;
/// How deep people nest functions.
const MAX_NESTING: usize = 32;
/// How many parts of a callee lead to the name that it begins with.
const MAX_PARTS: usize = 8;

impl<'a> Builder<'a> {
    /// Notes the arguments of the call whose reference is at byte `at`. They are kept if a function of the file called
    /// `callee` calls a parameter, or hands it on to one that does.
    pub fn pass_arguments(&mut self, at: u32, callee: &str, args: Vec<(Option<&'a str>, ExprIx)>) {
        let callee = self.body.str(callee);
        let args =
            args.into_iter().map(|(name, value)| (name.map(|name| self.body.str(name)), value)).collect();
        self.passings.push(Passing { at, scope: self.scope(), callee, args });
    }

    /// Adds the arguments that count to their references.
    pub(super) fn settle_arguments(&mut self) {
        if self.passings.is_empty() {
            return;
        }
        let takers = self.functions_that_call_parameters();
        let passings = std::mem::take(&mut self.passings);
        let mut given: HashMap<u32, ExprIx> = HashMap::new();
        for one in passings {
            if !takers.contains(self.body.text(one.callee)) {
                continue;
            }
            let (named, placed): (Vec<_>, Vec<_>) =
                one.args.into_iter().partition(|(name, _)| name.is_some());
            let mut values: Vec<ExprIx> = placed.into_iter().map(|(_, value)| value).collect();
            let named: Vec<_> = named.into_iter().filter_map(|(name, value)| Some((name?, value))).collect();
            if !named.is_empty() {
                let named = self.body.add(Expr::Record(named));
                values.push(self.body.add(Expr::Unwrap(named)));
            }
            given.insert(one.at, self.body.add(Expr::Tuple(values)));
        }
        let is_call = |form: RefForm| {
            matches!(form, RefForm::Call | RefForm::MethodCall | RefForm::Construct | RefForm::Held)
        };
        for one in self.refs.iter_mut().filter(|one| is_call(one.form) && one.given.is_none()) {
            one.given = given.get(&one.at).copied();
        }
    }

    /// The names of the functions that call a parameter of theirs, or hand it on to one that does. A constructor has the
    /// name of its class.
    fn functions_that_call_parameters(&self) -> HashSet<String> {
        let mut names = HashSet::new();
        for one in &self.refs {
            let name = match (one.form, one.recv) {
                (RefForm::Call | RefForm::Construct, None) => Some(one.name),
                (RefForm::Held | RefForm::Iterate | RefForm::MethodCall, Some(value)) => {
                    self.first_name(value)
                }
                _ => None,
            };
            names.extend(name.and_then(|name| self.taker_of(one.scope, name)));
        }
        // A parameter that is kept in a field which is called.
        let called: HashSet<StrIx> =
            self.refs.iter().filter(|one| one.form == RefForm::MethodCall).map(|one| one.name).collect();
        let fields = self.bindings.iter().filter(|one| one.kind == BindingKind::Field);
        for field in fields.filter(|one| called.contains(&one.name)) {
            let name = field.value.and_then(|value| self.first_name(value));
            names.extend(name.and_then(|name| self.taker_of(field.scope, name)));
        }
        for _ in 0..MAX_ROUNDS {
            let handed = self.passings.iter().filter(|one| names.contains(self.body.text(one.callee)));
            let more: Vec<String> = handed
                .flat_map(|one| one.args.iter().map(|(_, value)| (one.scope, *value)))
                .filter_map(|(scope, value)| self.taker_of(scope, self.first_name(value)?))
                .collect();
            let before = names.len();
            names.extend(more);
            if names.len() == before {
                break;
            }
        }
        names
    }

    /// The name that a value begins with: `table` of `table["run"]`.
    fn first_name(&self, mut value: ExprIx) -> Option<StrIx> {
        for _ in 0..MAX_PARTS {
            match self.body.expr(value) {
                Expr::Name(name) => return Some(*name),
                Expr::Attr(inner, _) | Expr::Key(inner, _) | Expr::Index(inner) | Expr::Iter(inner) => {
                    value = *inner;
                }
                Expr::Either(list) => value = *list.first()?,
                _ => return None,
            }
        }
        None
    }

    /// Whether `name` is a part of a parameter of `scope`, as in `({ name }) => …`.
    fn is_taken_apart(&self, scope: DefIx, name: StrIx) -> bool {
        let binding =
            self.binding_before(scope, name, usize::MAX).filter(|one| one.kind == BindingKind::Param);
        let root = binding.and_then(|one| self.first_name(one.value?));
        root.is_some_and(|root| parameter_place(self.body.text(root)).is_some())
    }

    /// The name of the function around `scope` that has a parameter called `name`.
    fn taker_of(&self, scope: DefIx, called: StrIx) -> Option<String> {
        let name = self.out.lookup(self.body.text(called))?;
        let mut at = Some(scope);
        for _ in 0..MAX_NESTING {
            let def = self.def(at?);
            if def.params.iter().any(|param| param.name == name) || self.is_taken_apart(at?, called) {
                let named = match def.parent {
                    Some(class) if def.kind == SymbolKind::Constructor => self.def(class).name,
                    _ => def.name,
                };
                return Some(self.out.text(named).to_owned());
            }
            at = def.parent;
        }
        None
    }
}
