//! `logs`: the end of the newest log file. Needs no daemon.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::cli::LogsArgs;
use crate::output::{self, Failure, Outcome};
use crate::session;

pub(crate) fn run_logs(args: &LogsArgs, as_json: bool) -> Result<Outcome, Failure> {
    let folder = session::daemon_paths()?.logs();
    let entries = fs::read_dir(&folder)
        .map_err(|error| Failure::io(&format!("no logs in {}", folder.display()), &error))?;
    let newest = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("sdld."))
        })
        .max();
    let Some(path) = newest else {
        return Err(Failure::Local(format!(
            "no log in {}; under systemd it is in the journal: journalctl --user -u sdld",
            folder.display()
        )));
    };
    let text = fs::read_to_string(&path)
        .map_err(|error| Failure::io(&format!("can't read {}", path.display()), &error))?;
    let lines: Vec<&str> = text.lines().collect();
    let last = &lines[lines.len().saturating_sub(args.lines)..];
    if as_json {
        output::print_json(&json!({ "file": path, "lines": last }));
    } else {
        last.iter().for_each(|line| output::print_line(line));
    }
    Ok(Outcome::Good)
}
