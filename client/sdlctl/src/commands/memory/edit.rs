//! Changes a memory, and undoes changes.

use std::io::Write as _;
use std::process::Command;

use serde_json::Value;

use super::list::{find_one, store_revision};
use super::one_of;
use crate::cli::{MemoryOneArgs, MemoryUndoArgs};
use crate::output::{self, Failure, number_at, style_bold, text_at};
use crate::session::Session;

/// Opens the title and the content in the person's editor, and stores the result. Fails if the memory changed meanwhile, because one of the two texts would be lost.
pub(super) fn edit_memory(session: &Session, args: &MemoryOneArgs, as_json: bool) -> Result<(), Failure> {
    let memory = find_one(session, args, None)?;
    let (title, content) = (text_at(&memory, "/title"), text_at(&memory, "/content"));
    let before = format!("{title}\n\n{content}\n");
    let after = edit_text(&before)?;
    if after.trim_end() == before.trim_end() {
        output::print_line("nothing changed");
        return Ok(());
    }
    let (title, content) = after.split_once('\n').unwrap_or((&after, ""));
    let mut asked = one_of(session, args)?;
    asked["title"] = title.trim().into();
    asked["content"] = content.trim().into();
    // Somebody else may have changed it while it was open here.
    asked["ifRevision"] = memory["revision"].clone();
    print_changed(&session.tool("memory.update", &asked)?.structured, as_json);
    Ok(())
}

fn edit_text(text: &str) -> Result<String, Failure> {
    let failed = |error: &std::io::Error| Failure::io("can't open the text in an editor", error);
    let mut file =
        tempfile::Builder::new().prefix("memory-").suffix(".md").tempfile().map_err(|e| failed(&e))?;
    file.write_all(text.as_bytes()).map_err(|e| failed(&e))?;
    let editor = ["VISUAL", "EDITOR"].into_iter().find_map(|name| std::env::var(name).ok());
    let editor = editor.unwrap_or_else(|| "vi".to_owned());
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let status = Command::new(program).args(words).arg(file.path()).status().map_err(|e| failed(&e))?;
    if !status.success() {
        return Err(Failure::Local(format!("{program} ended with {status}; nothing was changed")));
    }
    std::fs::read_to_string(file.path()).map_err(|e| failed(&e))
}

/// Brings a memory back to a former state.
pub(super) fn undo_change(session: &Session, args: &MemoryUndoArgs, as_json: bool) -> Result<(), Failure> {
    let mut asked = one_of(session, &args.one)?;
    asked["restoreRevision"] = match args.to {
        Some(revision) => revision.into(),
        None => last_revision(session, &args.one)?,
    };
    print_changed(&session.tool("memory.update", &asked)?.structured, as_json);
    Ok(())
}

/// The revision of the state before the last change of a memory, or before the last change of all if it was removed by that.
fn last_revision(session: &Session, args: &MemoryOneArgs) -> Result<Value, Failure> {
    let before = match find_one(session, args, None) {
        Ok(memory) => number_at(&memory, "/revision"),
        Err(_) => store_revision(session, args)?,
    };
    let former = find_one(session, args, Some(before.saturating_sub(1)));
    let former = former.map_err(|_| {
        let message = format!("no earlier state of {} is known; give the revision with --to", args.id);
        Failure::Local(message)
    })?;
    Ok(former["revision"].clone())
}

fn print_changed(answer: &Value, as_json: bool) {
    if as_json {
        output::print_json(answer);
        return;
    }
    let changed: Vec<&str> =
        answer["changed"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let changed = if changed.is_empty() { "as it was".to_owned() } else { changed.join(", ") };
    output::print_line(&format!("{} {changed}", style_bold(text_at(answer, "/memoryId"))));
}
