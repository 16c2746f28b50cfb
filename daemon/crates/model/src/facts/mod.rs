//! Facts: what one blob says, as a pure function of its bytes, its language and the extractor's version.
//!
//! Two halves, stored apart: the [`Outline`] is what the rest of the world sees of a file (definitions, imports,
//! exports), the [`Body`] what only its own resolution needs (references, local bindings).

mod arena;
mod body;
mod def;
mod outline;
mod published;

pub use arena::{
    Arena, Expr, ExprIx, LONGEST_DOTTED, Lit, PASSED_RECEIVER, PREDICATE, RECEIVER, StrIx, Strings,
};
pub use body::{Binding, BindingKind, Body, Prose, Ref, RefForm};
pub use def::{Base, BaseKind, Def, DefFlags, DefIx, Effect, EffectKind, Param, ParamKind, Span};
pub use outline::{Export, Import, ImportKind, Manifest, ManifestKind, Outline};

pub use published::{name_apart, names_in};

use serde::{Deserialize, Serialize};

/// All that one blob says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// What the world sees.
    pub outline: Outline,
    /// What resolving this file needs.
    pub body: Body,
}
