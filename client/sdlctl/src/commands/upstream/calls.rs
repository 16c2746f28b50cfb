//! `upstream call` and `upstream log`.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::listing::error_age;
use super::show;
use crate::output::{self, Failure, Outcome, style_dim, text_at};
use crate::session::{Session, daemon_paths};

/// More of a log is not read. The gate keeps it shorter.
const MAX_LOG_BYTES: u64 = 16 << 20;

/// Calls a tool as an agent does: through the rules and the log of calls.
pub(super) fn call_tool(key: &str, tool: &str, args: &str, as_json: bool) -> Result<Outcome, Failure> {
    let text = match args.strip_prefix('@') {
        Some(file) => fs::read_to_string(file).map_err(|error| Failure::io(file, &error))?,
        None => args.to_owned(),
    };
    let arguments: &RawValue = serde_json::from_str(&text)
        .map_err(|error| Failure::Usage(format!("the arguments are not JSON: {error}")))?;
    let session = Session::open()?;
    let result = session.tool_result(&format!("{key}/{tool}"), arguments.get(), |_| {})?;
    let is_error = result["isError"] == true;
    // What the daemon refuses has a code; what the tool says is the tool's.
    if let Some(refused) =
        result.get("structuredContent").filter(|answer| is_error && answer["code"].is_string())
    {
        return Err(explain_refusal(&session, key, tool, refused));
    }
    show(as_json, &result, || print_result(&result));
    Ok(if is_error { Outcome::Bad } else { Outcome::Good })
}

/// A person who names an upstream wants to hear about that one.
fn explain_refusal(session: &Session, key: &str, tool: &str, refused: &Value) -> Failure {
    let (message, detail) = (text_at(refused, "/message").to_owned(), refused.clone());
    if refused["code"] != "unknownTool" {
        return Failure::Refused { message, detail };
    }
    // An error says that no enabled upstream has the key.
    let one = match session.call("upstream/show", &json!({ "key": key })) {
        Ok(answer) => answer["upstream"].clone(),
        Err(error) => return error,
    };
    let why = match (one["lastError"].as_str(), text_at(&one, "/state")) {
        (_, "ready") | (None, _) => format!("see: sdlctl upstream tools {key}"),
        (Some(error), _) => format!("{error}{}", error_age(&one)),
    };
    let message = format!("no tool {tool:?} of {key} is known; {why}");
    let detail = json!({ "code": "unknownTool", "message": message });
    Failure::Refused { message, detail }
}

fn print_result(result: &Value) {
    let blocks: Vec<&Value> = result["content"].as_array().into_iter().flatten().collect();
    for block in &blocks {
        match (block["type"].as_str(), block["text"].as_str()) {
            (Some("text"), Some(text)) => output::print_block(text),
            _ => output::print_line(&style_dim(&describe_block(block))),
        }
    }
    if let Some(structured) = result.get("structuredContent").filter(|_| blocks.is_empty()) {
        output::print_json(structured);
    }
}

/// A block that a terminal can't show.
fn describe_block(block: &Value) -> String {
    let kind = text_at(block, "/type");
    let place = ["/uri", "/resource/uri", "/mimeType", "/resource/mimeType"];
    let about = place.iter().find_map(|at| block.pointer(at)?.as_str());
    let data = ["/data", "/resource/blob"].iter().find_map(|at| block.pointer(at)?.as_str());
    let size = data.map(|data| format!(", {} KiB", (data.len() / 4 * 3).div_ceil(1_024)));
    format!("[{kind} {}{}; --json shows it]", about.unwrap_or_default(), size.unwrap_or_default())
}

/// Shows the end of an upstream's log. Needs no daemon. Credentials were masked when it was written.
pub(super) fn show_log(key: &str, most: usize, as_json: bool) -> Result<Outcome, Failure> {
    if let Some(why) = sdl_settings::refuse_key(key) {
        return Err(Failure::Usage(why));
    }
    let folder = daemon_paths()?.state().join("log");
    let folded = sdl_settings::fold_key(key);
    let entries = fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut keys =
        names.filter_map(|name| name.strip_prefix("upstream-")?.strip_suffix(".log").map(str::to_owned));
    let Some(found) = keys.find(|found| sdl_settings::fold_key(found) == folded) else {
        let message = format!(
            "no log of {key:?} in {}: it was never started, or has written nothing",
            folder.display()
        );
        return Err(Failure::Local(message));
    };
    let path = folder.join(format!("upstream-{found}.log"));
    // The older half, while the newer one is short.
    let text = read_log(&path.with_extension("log.1")).unwrap_or_default() + &read_log(&path)?;
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.get(lines.len().saturating_sub(most)..).unwrap_or_default();
    show(as_json, &json!({ "file": path, "lines": last }), || {
        last.iter().for_each(|line| output::print_line(line));
    });
    Ok(Outcome::Good)
}

fn read_log(path: &Path) -> Result<String, Failure> {
    let failed = |error: io::Error| Failure::io(&format!("can't read {}", path.display()), &error);
    let mut bytes = Vec::new();
    fs::File::open(path).map_err(failed)?.take(MAX_LOG_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
