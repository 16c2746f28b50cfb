//! A text with variables: `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `${input:NAME}`. `$${` is a literal `${`.

mod parts;
mod resolve;

use std::fmt;

use parts::{Part, split_parts};

pub use parts::TemplateError;
pub use parts::is_name;
pub use resolve::{Found, Lookup, Origin, Resolved, Unset};

/// A text whose variables are looked up each time that it is needed. Its `Debug` form shows nothing of it, because
/// people write secrets into such texts.
#[derive(Clone, PartialEq, Eq)]
pub struct Template {
    text: String,
    parts: Vec<Part>,
}

impl Template {
    /// Reads a text. An error for `${` that begins no variable.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        Ok(Self { text: text.to_owned(), parts: split_parts(text)? })
    }

    /// The text as it is written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The names of its variables, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Variable { name, .. } => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    /// Whether it has no variables.
    pub fn is_literal(&self) -> bool {
        self.names().next().is_none()
    }

    /// Whether its text begins with a variable.
    pub(crate) fn begins_with_variable(&self) -> bool {
        matches!(self.parts.first(), Some(Part::Variable { .. }))
    }

    /// The value, with all variables looked up. An error names the variable that has none.
    pub fn resolve(&self, lookup: &dyn Lookup) -> Result<Resolved, Unset> {
        resolve::resolve_parts(&self.parts, lookup)
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Template(***)")
    }
}
