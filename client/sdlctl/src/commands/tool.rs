//! `tool`: any action, with its arguments as JSON.

use std::fs;

use serde_json::value::RawValue;

use crate::cli::ToolArgs;
use crate::output::{self, Failure, Outcome};
use crate::session::Session;

pub(crate) fn run_tool(args: &ToolArgs, as_json: bool) -> Result<Outcome, Failure> {
    let text = match args.args.strip_prefix('@') {
        Some(file) => fs::read_to_string(file).map_err(|error| Failure::io(file, &error))?,
        None => args.args.clone(),
    };
    let arguments: &RawValue = serde_json::from_str(&text)
        .map_err(|error| Failure::Usage(format!("--args is not JSON: {error}")))?;
    let answer = Session::open()?.tool_as_written(&args.action, arguments.get(), |_| {})?;
    if as_json {
        output::print_json(&answer.structured)
    } else {
        output::print_block(&answer.text)
    }
    Ok(Outcome::Good)
}
