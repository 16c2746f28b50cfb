//! `export`: edges or symbols as JSON lines, from one version.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::cli::{ExportArgs, Exported, Format};
use crate::output::{Failure, Outcome, text};
use crate::session::Session;

pub(crate) fn run(args: &ExportArgs, _as_json: bool) -> Result<Outcome, Failure> {
    let method = match args.what {
        Exported::Edges => "export/edges",
        Exported::Symbols => "export/symbols",
    };
    let Format::Jsonl = args.format;
    let session = Session::open()?;
    let repo = session.repo(args.repo.repo.as_deref())?;
    let (mut after, mut version) = (Value::Null, Value::Null);
    loop {
        let page = session.call(method, &json!({ "repo": repo, "after": after, "version": version }))?;
        let written = io::stdout().lock().write_all(text(&page, "/lines").as_bytes());
        match written {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Outcome::Good),
            Err(error) => return Err(Failure::io("can't write", &error)),
        }
        version = page["version"].clone();
        after = page["next"].clone();
        if after.is_null() {
            return Ok(Outcome::Good);
        }
    }
}
