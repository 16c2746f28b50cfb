//! Go: calls of generic functions with their type arguments.

use sdl_model::facts::{Ref, RefForm};
use sdl_model::{EdgeKind, Lang};

use super::Go;
use crate::resolve::{CallRules, Outcome, Resolver};
use crate::words::words;

impl CallRules for Go {
    fn reference(&self, resolver: &Resolver<'_, '_>, one: &Ref) -> Option<(Outcome, EdgeKind)> {
        (one.form == RefForm::PathCall).then(|| instantiated_call(resolver, one))
    }

    fn is_builtin_member(&self, _: Lang, name: &str) -> bool {
        BUILTIN.contains(name)
    }
}

/// `f[x](…)` is a call if `f` is a function and `x` a type, as in `Map[int](list)`. Otherwise it is a subscript.
fn instantiated_call(resolver: &Resolver<'_, '_>, one: &Ref) -> (Outcome, EdgeKind) {
    let form = if one.recv.is_some() { RefForm::Attr } else { RefForm::Value };
    let (outcome, kind) = resolver.value(&Ref { form, ..*one });
    let is_call = match &outcome {
        Outcome::Found(targets, _) => targets.iter().all(|target| resolver.is_function(*target)),
        _ => false,
    };
    (outcome, if is_call { EdgeKind::Call } else { kind })
}

words! {
    BUILTIN = "\
        Add Bytes Close Done Err Error Errorf Fatal Fatalf Flush Len Load Lock Name Print Printf Println \
        RLock RUnlock Read ReadAll Reset Seek Size Store String Swap Sync Unlock Wait Write WriteByte \
        WriteString";
}
