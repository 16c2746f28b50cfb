//! `card`.

use serde_json::{Value, json};

use crate::cli::CardArgs;
use crate::output::{self, Failure, Outcome};
use crate::session::{Session, json_object};

pub(crate) fn run_card(args: CardArgs, as_json: bool) -> Result<Outcome, Failure> {
    let is_id = args.symbol.len() == 15 && args.symbol.starts_with("s_");
    let by_name = || {
        let file = args.file.clone().map(Value::from);
        json_object([("name", Some(json!(args.symbol))), ("file", file)])
    };
    let session = Session::open()?;
    let repo = session.repo(args.repo.given().as_deref())?;
    let arguments = json_object([
        ("repoId", Some(repo.into())),
        ("symbolId", is_id.then(|| json!(args.symbol))),
        ("symbolRef", (!is_id).then(by_name)),
        ("detail", args.detail.map(Value::from)),
    ]);
    let answer = session.tool("symbol.getCard", &arguments)?;
    if as_json {
        output::print_json(&answer.structured)
    } else {
        output::print_block(&answer.text)
    }
    Ok(Outcome::Good)
}
