//! `ledger/dump`: a version's logical content as text, written to a file that the caller names.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use sdl_ledger::DumpOptions;
use sdl_proto::WireError;
use sdl_tools::Repo as _;
use serde::Deserialize;
use serde_json::json;

use super::{Admin, error, ledger_error};

#[derive(Deserialize)]
struct Params {
    repo: Option<String>,
    /// Absolute path of a file that does not exist yet.
    to: PathBuf,
    #[serde(default)]
    postings: bool,
}

/// Runs the method.
pub fn run(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let params: Params = crate::router::parse(params)?;
    let repo = admin.repo(params.repo.as_deref())?;
    if !params.to.is_absolute() {
        return Err(error("invalidArgument", format!("{:?} is not an absolute path", params.to)));
    }
    let failed =
        |source: std::io::Error| error("unavailable", format!("can't write {:?}: {source}", params.to));
    let mut out = BufWriter::new(File::create_new(&params.to).map_err(failed)?);
    let options = DumpOptions { postings: params.postings, asked: false };
    repo.ledger().dump(&mut out, options).map_err(ledger_error)?;
    out.flush().map_err(failed)?;
    Ok(super::json(&json!({ "repoId": repo.id(), "to": params.to })))
}
