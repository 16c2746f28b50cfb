//! The rows of the table, a file for each family.

pub(super) mod c;
pub(super) mod dotnet;
pub(super) mod ecma;
pub(super) mod go;
pub(super) mod jvm;
pub(super) mod php;
pub(super) mod python;
pub(super) mod ruby;
pub(super) mod rust;
pub(super) mod scripts;
