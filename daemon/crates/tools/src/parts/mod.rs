//! Arguments that several actions take, and the symbols that they name.

pub(crate) mod all_tools;
pub(crate) mod outside;
pub(crate) mod params;
pub(crate) mod symbols;
pub(crate) mod times;
pub(crate) mod unread;
