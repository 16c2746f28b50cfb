//! Writes all that agents keep to a file, and reads such a file.

use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

use crate::cli::MemoryImportArgs;
use crate::output::{self, Failure, number_at, style_dim, text_at};
use crate::session::Session;
use crate::terminal::escape_json;

/// Writes the header, every row, and the hash of all before it.
pub(super) fn export_all(session: &Session, file: Option<&Path>) -> Result<(), Failure> {
    let failed = |error: &std::io::Error| Failure::io("can't write the export", error);
    let Some(path) = file else {
        return write_all(session, &mut output::json_lines);
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Whole or not at all. Only its owner can read the file, because it holds all that agents wrote down.
    let mut whole = tempfile::NamedTempFile::new_in(folder).map_err(|e| failed(&e))?;
    write_all(session, &mut |lines| {
        whole.write_all(lines.as_bytes()).map_err(|e| failed(&e))?;
        Ok(true)
    })?;
    whole.as_file().sync_all().map_err(|e| failed(&e))?;
    whole.persist(path).map_err(|e| failed(&e.error))?;
    output::print_note(&format!("written to {}", path.display()));
    Ok(())
}

/// Passes the lines to `write` until it returns false. They are escaped for a terminal wherever they go, because the hash is of the bytes
/// that are written.
fn write_all(session: &Session, write: &mut dyn FnMut(&str) -> Result<bool, Failure>) -> Result<(), Failure> {
    let (mut after, mut revision) = (Value::Null, Value::Null);
    let mut hash = blake3::Hasher::new();
    loop {
        let page = session.call("memory/export", &json!({ "after": after, "storeRevision": revision }))?;
        let lines = escape_json(text_at(&page, "/lines"));
        hash.update(lines.as_bytes());
        if !write(&lines)? {
            return Ok(());
        }
        revision = page["storeRevision"].clone();
        after = page["next"].clone();
        if after.is_null() {
            let last = json!({ "blake3": hash.finalize().to_hex().as_str() });
            return write(&format!("{last}\n")).map(drop);
        }
    }
}

/// Lets the daemon read a file: all of it, or nothing.
pub(super) fn import_file(session: &Session, args: &MemoryImportArgs, as_json: bool) -> Result<(), Failure> {
    let path = std::path::absolute(&args.file).map_err(|e| Failure::io("can't find the import", &e))?;
    let asked = json!({
        "path": path.display().to_string(),
        "onConflict": args.on_conflict.name(),
        "dryRun": args.dry_run,
    });
    let answer = session.call("memory/import", &asked)?;
    if as_json {
        output::print_json(&answer);
        return Ok(());
    }
    let count = |name: &str| number_at(&answer, name);
    output::print_line(&format!(
        "{} new, {} replaced, {} the same, {} left as they were",
        count("/added"),
        count("/replaced"),
        count("/same"),
        count("/skipped")
    ));
    if args.dry_run {
        output::print_line(&style_dim("nothing was changed (--dry-run)"));
    }
    Ok(())
}
