//! `PATH`, or several, and `--name number`: all that the runs take.

use std::path::PathBuf;

use crate::Outcome;

/// The arguments after the name of a run.
pub(crate) struct Options {
    /// The tree to measure on: the last path given.
    pub(crate) path: Option<PathBuf>,
    /// All paths given.
    pub(crate) paths: Vec<PathBuf>,
    numbers: Vec<(String, u64)>,
}

impl Options {
    pub(crate) fn parse(words: &[String]) -> Outcome<Self> {
        let mut options = Self { path: None, paths: Vec::new(), numbers: Vec::new() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if let Some(name) = word.strip_prefix("--") {
                let value = words.next().ok_or_else(|| format!("--{name} wants a number"))?;
                let value = value.parse().map_err(|_| format!("--{name} wants a number, not {value:?}"))?;
                options.numbers.push((name.to_owned(), value));
            } else {
                options.path = Some(word.into());
                options.paths.push(word.into());
            }
        }
        Ok(options)
    }

    /// The option of that name, or `default` if it was left out.
    pub(crate) fn number(&self, name: &str, default: u64) -> u64 {
        self.numbers.iter().rev().find(|(given, _)| given == name).map_or(default, |(_, value)| *value)
    }
}
