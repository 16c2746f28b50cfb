//! Why a record in columns could not be made or read.

use std::fmt;

/// Why a record could not be made or read.
#[derive(Debug)]
pub(in crate::codec) struct Fault(String);

impl Fault {
    pub(super) fn new(why: &str) -> Self {
        Self(why.to_owned())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Fault {}

impl serde::ser::Error for Fault {
    fn custom<T: fmt::Display>(why: T) -> Self {
        Self(why.to_string())
    }
}

impl serde::de::Error for Fault {
    fn custom<T: fmt::Display>(why: T) -> Self {
        Self(why.to_string())
    }
}
