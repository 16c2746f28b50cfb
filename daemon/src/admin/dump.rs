//! `ledger/dump`: a version's logical content as text, written to a file that the caller names.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use sdl_ledger::DumpOptions;
use sdl_proto::{WireError, code};
use sdl_tools::{Mask, Repo as _};
use serde::Deserialize;
use serde_json::json;

use super::{Admin, ledger_error, wire_error};

#[derive(Deserialize)]
struct Params {
    repo: Option<String>,
    /// Absolute path of a file that does not exist yet.
    to: PathBuf,
    #[serde(default)]
    postings: bool,
}

/// Runs the method.
pub fn run_dump(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let params: Params = crate::router::parse_params(params)?;
    let repo = admin.repo(params.repo.as_deref())?;
    if !params.to.is_absolute() {
        return Err(wire_error(code::INVALID_ARGUMENT, format!("{:?} is not an absolute path", params.to)));
    }
    let failed = |source: std::io::Error| {
        wire_error(code::UNAVAILABLE, format!("can't write {:?}: {source}", params.to))
    };
    let out = BufWriter::new(File::create_new(&params.to).map_err(failed)?);
    let mut out = Masked { mask: Mask::of(admin.engine.as_ref(), repo.id()), line: Vec::new(), out };
    let options = DumpOptions { postings: params.postings, asked: false };
    repo.ledger().dump(&mut out, options).map_err(ledger_error)?;
    out.flush().map_err(failed)?;
    Ok(super::json_bytes(&json!({ "repoId": repo.id(), "to": params.to })))
}

/// Masks text as it is written, line by line.
struct Masked<W> {
    mask: Mask,
    /// The beginning of a line that has not ended.
    line: Vec<u8>,
    out: W,
}

/// A line that is longer is masked in pieces.
const LONGEST: usize = 1 << 20;

impl<W: Write> Masked<W> {
    fn put(&mut self) -> io::Result<()> {
        let line = String::from_utf8_lossy(&self.line);
        match line.strip_prefix("posting ").and_then(|rest| rest.split_once(' ')) {
            Some((term, rest)) if is_mixed(term) => write!(self.out, "posting *** {rest}")?,
            _ => self.out.write_all(self.mask.text(&line).as_bytes())?,
        }
        self.line.clear();
        Ok(())
    }
}

/// Whether a search term mixes letters and digits, such as `x9f3k2`. Such terms are masked, because a term alone has
/// no other mark of a secret.
fn is_mixed(term: &str) -> bool {
    term.len() >= 8
        && term.bytes().any(|byte| byte.is_ascii_digit())
        && term.bytes().any(|byte| byte.is_ascii_alphabetic())
}

impl<W: Write> Write for Masked<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") || self.line.len() > LONGEST {
                self.put()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.put()?;
        self.out.flush()
    }
}
