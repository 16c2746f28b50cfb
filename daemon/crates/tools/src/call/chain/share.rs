//! Shares out a chain's budget: a step without a budget of its own may take an even share of the remaining tokens.

use serde_json::{Map, Value, json};

use super::steps::{Done, Step};
use super::transform;
use crate::ToolError;
use crate::call::budget;
use crate::call::registry::Entry;

/// Tokens of the answer around the results, without the part for each step.
const FRAME: usize = 150;
const STEP: usize = 50;

/// A chain's budget.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// Tokens of the whole answer.
    pub(crate) tokens: usize,
    /// Whether the caller named it. If not, it only lowers the usual budgets of the steps.
    pub(crate) given: bool,
}

/// The budget of one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    tokens: usize,
    given: bool,
}

impl Budget {
    /// Returns the share of the first of the steps in `left`, after those that are `done`.
    pub(super) fn share(self, left: &[Step], done: &[Done]) -> Result<Share, ToolError> {
        let mut room = self.tokens.saturating_sub(FRAME + STEP * (left.len() + done.len()));
        for done in done {
            let taken = match &done.outcome {
                Ok(answer) => budget::json_tokens(&answer.structured)?,
                Err(error) => budget::json_tokens(&error.to_value())?,
            };
            // A result that does not fit takes nothing from the others, because it will be left out.
            room = room.checked_sub(taken).unwrap_or(room);
        }
        // Transforms take no share.
        let takers = left.iter().filter(|step| !transform::NAMES.contains(&step.action.as_str())).count();
        Ok(Share { tokens: room / takers.max(1), given: self.given })
    }
}

/// The arguments in which an action takes its budget, by their path from the outermost field.
const PLACES: [&[&str]; 4] =
    [&["budget", "maxEstimatedTokens"], &["budget", "maxTokens"], &["budget"], &["maxTokens"]];

impl Share {
    /// Adds the share to the arguments of an action that takes a budget and was not given one.
    pub(super) fn hand_to(self, entry: &Entry, args: &mut Map<String, Value>) {
        let names = |key: &str| key.replace('_', "").to_lowercase();
        if args.keys().any(|key| ["budget", "maxtokens"].contains(&names(key).as_str())) {
            return;
        }
        let field = |path: &[&str]| {
            let start = Some(&*entry.request);
            let field = path.iter().fold(start, |schema, key| schema?.get("properties")?.get(key));
            field.filter(|schema| schema.get("type") == Some(&json!("integer")))
        };
        let Some((path, schema)) = PLACES.iter().find_map(|path| Some((path, field(path)?))) else { return };
        let bound = |key: &str| schema.get(key).and_then(Value::as_f64).map(|bound| bound as usize);
        let usual = entry.usual_tokens.filter(|_| !self.given).unwrap_or(usize::MAX);
        let most = bound("maximum").unwrap_or(budget::MOST_TOKENS).min(usual);
        let tokens = self.tokens.max(bound("minimum").unwrap_or(0)).min(most);
        // A required budget must be given by the caller, as in a call of its own.
        let required = entry.request.get("required").and_then(Value::as_array);
        if required.is_some_and(|all| all.iter().any(|name| path.first().is_some_and(|outer| name == outer)))
        {
            return;
        }
        let value = path.iter().skip(1).rev().fold(json!(tokens), |value, key| json!({ *key: value }));
        if let Some(outer) = path.first() {
            args.insert((*outer).to_owned(), value);
        }
    }
}
