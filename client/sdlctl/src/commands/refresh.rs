//! `refresh`: what changed in a slice since a version.

use serde_json::json;

use crate::cli::RefreshArgs;
use crate::output::{self, Failure, Outcome};
use crate::session::Session;

pub(crate) fn run_refresh(args: &RefreshArgs, as_json: bool) -> Result<Outcome, Failure> {
    let arguments = json!({ "sliceHandle": args.handle, "knownVersion": args.known });
    let answer = Session::open()?.tool("slice.refresh", &arguments)?;
    if as_json {
        output::print_json(&answer.structured)
    } else {
        output::print_block(&answer.text)
    }
    Ok(Outcome::Good)
}
