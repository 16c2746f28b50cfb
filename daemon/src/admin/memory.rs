//! `memory/export`, `memory/import` and `memory/verify`: all that agents keep, as lines; and whether its indexes are right.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use sdl_memory::store::{Asked, change_store, store_revision};
use sdl_memory::transfer::{self, Imported, OnConflict};
use sdl_memory::{Author, Trouble};
use sdl_proto::{WireError, code};
use serde::Deserialize;
use serde_json::{Value, json};

use sdl_contract::{Explained as _, Refusal};
use sdl_tools::Host as _;

use super::{Admin, json_bytes, ledger_error, wire_error};

fn trouble_error(trouble: Trouble) -> WireError {
    match trouble {
        Trouble::Refused(refusal) => wire_error(code::CONFLICT, refusal.message),
        other => wire_error(code::INTERNAL, other.to_string()),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Export {
    after: Option<String>,
    store_revision: Option<u64>,
}

/// Runs `memory/export`: a page. All pages of one export are of one revision; a page that finds another one says so.
pub fn export_memory(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let asked: Export = crate::router::parse_params(params)?;
    let page = admin.engine.agent().read(|reader| {
        let revision = store_revision(reader)?;
        let counts = if asked.after.is_none() { Some(transfer::count_lines(reader)) } else { None };
        Ok((revision, counts, transfer::export_page(reader, asked.after.as_deref())))
    });
    let (revision, counts, page) = page.map_err(ledger_error)?;
    if asked.store_revision.is_some_and(|known| known != revision) {
        return Err(wire_error(code::CONFLICT, "an agent changed something during the export; start again"));
    }
    let page = page.map_err(trouble_error)?;
    let mut lines = String::new();
    if let Some(counts) = counts {
        let counts: serde_json::Map<String, Value> = counts
            .map_err(trouble_error)?
            .into_iter()
            .map(|(table, count)| (table.to_owned(), count.into()))
            .collect();
        let header =
            json!({ "format": transfer::FORMAT, "storeRevision": revision, "counts": counts }).to_string();
        lines.push_str(&header);
        lines.push('\n');
    }
    lines.push_str(&page.lines);
    Ok(json_bytes(&json!({ "lines": lines, "next": page.next, "storeRevision": revision })))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Import {
    path: PathBuf,
    #[serde(default)]
    on_conflict: OnConflict,
    #[serde(default)]
    dry_run: bool,
}

/// Runs `memory/import`: the whole file in one transaction, once its hash was checked.
pub fn import_memory(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let asked: Import = crate::router::parse_params(params)?;
    let bad = |message: String| wire_error(code::INVALID_PARAMS, message);
    let shown = asked.path.display();
    let unreadable = |error: std::io::Error| bad(format!("{shown} can't be read: {error}"));
    let open = || File::open(&asked.path).map(BufReader::new).map_err(unreadable);
    let header = transfer::check_lines(&mut open()?).map_err(|fault| bad(format!("{shown} {fault}")))?;
    let by = Author { client: admin.client.to_owned(), ..Author::default() };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let change = Asked { by: &by, now_ms: u64::try_from(now.as_millis()).unwrap_or(u64::MAX), once: None };
    let mut rows = Imported::default();
    let outcome = change_store(admin.engine.agent(), &change, |change| {
        let mut done = Imported::default();
        let file = File::open(&asked.path).map(BufReader::new).map_err(|error| {
            let message = format!("{shown} can't be read any more: {error}");
            Refusal::invalid("path", message)
        })?;
        for line in file.lines().skip(1) {
            let line = line.map_err(|error| Refusal::invalid("path", format!("{shown}: {error}")))?;
            if !transfer::is_last(&line) {
                transfer::import_line(change, &line, asked.on_conflict, &mut done)?;
            }
        }
        rows = done;
        if asked.dry_run {
            // An error ends the transaction without its writes.
            return Err(Refusal::invalid("dryRun", "nothing is written").into());
        }
        transfer::finish_import(change, header)?;
        Ok(done)
    });
    match outcome {
        Ok(_) => {}
        Err(Trouble::Refused(refusal))
            if asked.dry_run && refusal.about.field.as_deref() == Some("dryRun") => {}
        Err(trouble) => return Err(trouble_error(trouble)),
    }
    serde_json::to_vec(&rows).map_err(|error| wire_error(code::INTERNAL, error.to_string()))
}

/// Runs `memory/verify`: compares the words and the indexes with the rows.
pub fn verify_memory(admin: &Admin<'_>, _params: &[u8]) -> Result<Vec<u8>, WireError> {
    let verdict = admin.engine.agent().read(|reader| Ok(sdl_memory::verify_store(reader)));
    let verdict = verdict.map_err(ledger_error)?.map_err(trouble_error)?;
    Ok(json_bytes(&json!({ "rows": verdict.rows, "terms": verdict.terms, "faults": verdict.faults })))
}
