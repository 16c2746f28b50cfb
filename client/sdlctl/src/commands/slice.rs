//! `slice`.

use std::fs;
use std::io::{self, Read};

use serde_json::{Value, json};

use crate::cli::SliceArgs;
use crate::output::{self, Failure, Outcome, style_dim, text_at};
use crate::session::{Session, json_object};

pub(crate) fn run_slice(args: SliceArgs, as_json: bool) -> Result<Outcome, Failure> {
    let trace = args.stack_trace.as_deref().map(read_text).transpose()?;
    let many = |items: &[String]| (!items.is_empty()).then(|| json!(items));
    if args.task.is_none() && args.entry.is_empty() && args.edited.is_empty() && trace.is_none() {
        return Err(Failure::Usage(
            "say what the slice is for: --task, --entry, --edited or --stack-trace".into(),
        ));
    }
    let session = Session::open()?;
    let repo = session.repo(args.repo.repo.as_deref())?;
    let arguments = json_object([
        ("repoId", Some(repo.into())),
        ("taskText", args.task.map(Value::from)),
        ("entrySymbols", many(&args.entry)),
        ("editedFiles", many(&args.edited)),
        ("stackTrace", trace.map(Value::from)),
        ("budget", Some(json!({ "maxCards": args.cards, "maxEstimatedTokens": args.tokens }))),
        ("wireFormat", Some(json!("standard"))),
    ]);
    let answer = session.tool("slice.build", &arguments)?;
    if as_json {
        output::print_json(&answer.structured);
        return Ok(Outcome::Good);
    }
    output::print_block(&answer.text);
    let (handle, version) =
        (text_at(&answer.structured, "/sliceHandle"), text_at(&answer.structured, "/ledgerVersion"));
    output::print_line(&style_dim(&format!(
        "changes from here on: sdlctl refresh {handle} --known {version}"
    )));
    Ok(Outcome::Good)
}

fn read_text(from: &str) -> Result<String, Failure> {
    let mut text = String::new();
    let result = if from == "-" {
        io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        fs::read_to_string(from)
    };
    result.map_err(|error| Failure::io(from, &error))
}
