//! Linkage: a function that one file declares and another defines, such as `int run(void);` in `run.h` and its body
//! in `run.c`.

use super::{Infer, Via};
use crate::modules::Place;
use crate::world::DefRef;

impl Infer<'_, '_> {
    /// `def`, or for a function that its file only declares, the definition that a linker takes from another file.
    pub(super) fn linked(&self, def: DefRef) -> (Place, Via) {
        match self.rules(def.file).definition(self.w, def).filter(|found| found.file != def.file) {
            Some(found) => (Place::Def(found), Via::Include),
            None => (Place::Def(def), Via::Scope),
        }
    }
}
