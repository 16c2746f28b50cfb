//! `card`.

use serde_json::{Value, json};

use crate::cli::CardArgs;
use crate::output::{self, Failure, Outcome};
use crate::session::{Session, object};

pub(crate) fn run(args: CardArgs, as_json: bool) -> Result<Outcome, Failure> {
    let is_id = args.symbol.len() == 15 && args.symbol.starts_with("s_");
    let by_name = || {
        let file = args.file.clone().map(Value::from);
        object([("name", Some(json!(args.symbol))), ("file", file)])
    };
    let session = Session::open()?;
    let repo = session.repo(args.repo.repo.as_deref())?;
    let arguments = object([
        ("repoId", Some(repo.into())),
        ("symbolId", is_id.then(|| json!(args.symbol))),
        ("symbolRef", (!is_id).then(by_name)),
        ("detail", args.detail.map(Value::from)),
    ]);
    let answer = session.tool("symbol.getCard", &arguments)?;
    if as_json {
        output::json(&answer.structured)
    } else {
        output::block(&answer.text)
    }
    Ok(Outcome::Good)
}
