//! The file that is being resolved: its body, indexed by name.
//!
//! A world may record what each scope of the file was resolved from. Then every look into the body is recorded with the scope
//! that it looks into, so that a scope whose own contents and all of those are as before need not be resolved again.

use std::cell::{OnceCell, RefCell};

use sdl_model::facts::{Arena, Binding, BindingKind, Body, DefIx, RECEIVER, Ref, StrIx};

use crate::hash::NumberMap;
use crate::world::{AskIx, FileIx, Sym, World};

/// The file that is being resolved.
pub(crate) struct Own<'a> {
    pub(crate) file: FileIx,
    body: &'a Body,
    syms: RefCell<Vec<Option<Sym>>>,
    /// Parameters and locals by scope and name, in the order of the text.
    locals: NumberMap<u64, Vec<u32>>,
    /// The name of the receivers of anonymous functions, if the file has any.
    receiver: OnceCell<Option<StrIx>>,
    /// The number of the question for each part that was looked into.
    asked: RefCell<NumberMap<u64, AskIx>>,
}

/// What was looked at of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OwnPart {
    /// The references and bindings of one scope.
    Scope(DefIx),
    /// Those of all scopes.
    Whole,
}

impl OwnPart {
    /// As a number, for the world's record.
    fn number(self) -> u64 {
        match self {
            Self::Scope(scope) => u64::from(scope.0),
            Self::Whole => u64::MAX,
        }
    }

    /// The part with this number.
    pub(crate) fn of_number(number: u64) -> Self {
        u32::try_from(number).map_or(Self::Whole, |scope| Self::Scope(DefIx(scope)))
    }
}

fn name_key(scope: DefIx, name: StrIx) -> u64 {
    u64::from(scope.0) << 32 | u64::from(name.0)
}

impl<'a> Own<'a> {
    pub(crate) fn new(file: FileIx, body: &'a Body) -> Self {
        let mut locals: NumberMap<u64, Vec<u32>> = NumberMap::default();
        for (ix, binding) in body.bindings.iter().enumerate() {
            if binding.kind != BindingKind::Field {
                locals.entry(name_key(binding.scope, binding.name)).or_default().push(ix as u32);
            }
        }
        let syms = RefCell::new(vec![None; body.arena.strings.len()]);
        Self { file, body, syms, locals, receiver: OnceCell::new(), asked: RefCell::default() }
    }

    /// The texts and expressions that references and bindings consist of.
    pub(crate) fn arena(&self) -> &'a Arena {
        &self.body.arena
    }

    /// The references, to resolve one after the other. Records nothing.
    pub(crate) fn refs(&self) -> &'a [Ref] {
        &self.body.refs
    }

    /// All references, to look at beside the one that is being resolved.
    pub(crate) fn all_refs(&self, w: &World<'_>) -> &'a [Ref] {
        self.ask(w, OwnPart::Whole);
        &self.body.refs
    }

    /// All bindings.
    pub(crate) fn all_bindings(&self, w: &World<'_>) -> &'a [Binding] {
        self.ask(w, OwnPart::Whole);
        &self.body.bindings
    }

    /// The binding with this number.
    pub(crate) fn binding(&self, w: &World<'_>, ix: u32) -> Option<&'a Binding> {
        let binding = self.body.bindings.get(ix as usize)?;
        self.ask(w, OwnPart::Scope(binding.scope));
        Some(binding)
    }

    /// The interned text at `ix` of the body.
    pub(crate) fn sym(&self, w: &World<'_>, ix: StrIx) -> Sym {
        let mut syms = self.syms.borrow_mut();
        match syms.get_mut(ix.0 as usize) {
            Some(Some(sym)) => *sym,
            Some(slot) => *slot.insert(w.sym(self.body.arena.str(ix))),
            None => w.sym(""),
        }
    }

    /// The bindings in `scope` of the receivers that anonymous functions are run on.
    pub(crate) fn receivers(&self, w: &World<'_>, scope: DefIx) -> &[u32] {
        let name = self.receiver.get_or_init(|| {
            let names = self.body.bindings.iter().map(|binding| binding.name);
            names.into_iter().find(|name| self.body.arena.str(*name) == RECEIVER)
        });
        self.ask(w, OwnPart::Scope(scope));
        name.map_or(&[], |name| self.bindings(w, scope, name))
    }

    /// The bindings of `name` in `scope`, in the order of the text.
    pub(crate) fn bindings(&self, w: &World<'_>, scope: DefIx, name: StrIx) -> &[u32] {
        self.ask(w, OwnPart::Scope(scope));
        self.locals.get(&name_key(scope, name)).map_or(&[], Vec::as_slice)
    }

    /// Records a look into a part.
    fn ask(&self, w: &World<'_>, part: OwnPart) {
        if !w.records_scopes() {
            return;
        }
        let ask =
            *self.asked.borrow_mut().entry(part.number()).or_insert_with(|| w.new_own_ask(part.number()));
        w.ask_own(ask);
    }
}
