//! Facts: the content of one blob, as a pure function of its bytes, its language and the extractor's version.
//!
//! They have two halves, stored apart. The [`Outline`] is visible to other files (definitions, imports, exports). The
//! [`Body`] is needed only for the file's own resolution (references, local bindings).

mod arena;
mod body;
mod contents;
mod def;
mod imported;
mod inclusion;
mod interface;
mod outline;
mod published;
mod shape;

pub use arena::{
    Arena, Expr, ExprIx, LONGEST_DOTTED, Lit, PASSED_RECEIVER, PREDICATE, RECEIVER, StrIx, Strings,
};
pub use body::{
    Binding, BindingKind, Body, CALLED, HANDED, ITERATED, Prose, Ref, RefForm, parameter_at, parameter_place,
};
pub use contents::ScopeContents;
pub use def::{Base, BaseKind, Def, DefFlags, DefIx, Effect, EffectKind, Param, ParamKind, Span};
pub use imported::imported_modules;
pub use inclusion::Inclusion;
pub use interface::Differing;
pub use outline::{Export, Import, ImportKind, Manifest, ManifestKind, Outline};

pub use published::{name_apart, names_in};
pub use shape::write_shape;

use serde::{Deserialize, Serialize};

/// All facts of one blob.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The half that other files can see.
    pub outline: Outline,
    /// The half that resolving this file needs.
    pub body: Body,
}
