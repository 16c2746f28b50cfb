//! `export`: edges, symbols or calls as JSON lines, from one version.

use serde_json::{Value, json};

use crate::cli::{ExportArgs, Exported, Format};
use crate::output::{self, Failure, Outcome, text_at};
use crate::session::Session;

pub(crate) fn run_export(args: &ExportArgs, _as_json: bool) -> Result<Outcome, Failure> {
    let method = match args.what {
        Exported::Edges => "export/edges",
        Exported::Symbols => "export/symbols",
        Exported::Calls => "export/calls",
    };
    let Format::Jsonl = args.format;
    let session = Session::open()?;
    let repo = session.repo(args.repo.repo.as_deref())?;
    each_page(&session, method, &repo, output::json_lines)?;
    Ok(Outcome::Good)
}

/// Passes each page of an export to `each` until it returns false.
pub(super) fn each_page(
    session: &Session,
    method: &str,
    repo: &str,
    mut each: impl FnMut(&str) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let (mut after, mut version) = (Value::Null, Value::Null);
    loop {
        let page = session.call(method, &json!({ "repo": repo, "after": after, "version": version }))?;
        let more = each(text_at(&page, "/lines"))?;
        version = page["version"].clone();
        after = page["next"].clone();
        if !more || after.is_null() {
            return Ok(());
        }
    }
}
