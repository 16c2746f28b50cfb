//! The file that is being resolved: its body, indexed by name.

use std::cell::{OnceCell, RefCell};

use sdl_model::facts::{BindingKind, Body, DefIx, RECEIVER, StrIx};

use crate::hash::NumberMap;
use crate::world::{FileIx, Sym, World};

/// The file that is being resolved.
pub(crate) struct Own<'a> {
    pub(crate) file: FileIx,
    pub(crate) body: &'a Body,
    syms: RefCell<Vec<Option<Sym>>>,
    /// Parameters and locals by scope and name, in the order of the text.
    locals: NumberMap<u64, Vec<u32>>,
    /// The name of the receivers of anonymous functions, if the file has any.
    receiver: OnceCell<Option<StrIx>>,
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
        Self { file, body, syms, locals, receiver: OnceCell::new() }
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
    pub(crate) fn receivers(&self, scope: DefIx) -> &[u32] {
        let name = self.receiver.get_or_init(|| {
            let names = self.body.bindings.iter().map(|binding| binding.name);
            names.into_iter().find(|name| self.body.arena.str(*name) == RECEIVER)
        });
        name.map_or(&[], |name| self.bindings(scope, name))
    }

    /// The bindings of `name` in `scope`, in the order of the text.
    pub(crate) fn bindings(&self, scope: DefIx, name: StrIx) -> &[u32] {
        self.locals.get(&name_key(scope, name)).map_or(&[], Vec::as_slice)
    }
}
