//! From the bytes of a call's arguments to values that an action's type accepts: read strictly, forgive in exactly
//! three ways (aliases, stringified JSON, a repository that can be inferred), refuse the rest with reasons.

pub(crate) mod json;
pub(crate) mod nearest;
pub(crate) mod shape;
pub(crate) mod validate;

pub(crate) use shape::Shape;
