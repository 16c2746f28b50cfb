//! `rename`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::cli::RenameArgs;
use crate::output::{self, Failure, Outcome, number_at, style_bold, style_dim, text_at};
use crate::session::{Session, json_object};
use crate::terminal;

/// Lines around a change in a diff.
const CONTEXT: usize = 3;

pub(crate) fn run_rename(args: &RenameArgs, as_json: bool) -> Result<Outcome, Failure> {
    let session = Session::open()?;
    let repo = session.repo(args.repo.repo.as_deref())?;
    let plan = whole_plan(&session, args, &repo)?;
    if as_json {
        output::print_json(&plan);
        return Ok(Outcome::Good);
    }
    let status = session.call("daemon/status", &json!({}))?;
    let mut repos = status["repos"].as_array().into_iter().flatten();
    let known = repos.find(|known| text_at(known, "/repoId") == repo);
    let root = known.map(|known| text_at(known, "/rootPath")).unwrap_or_default();
    let diff = plan_diff(Path::new(root), &plan)?;
    if !diff.is_empty() {
        output::print_block(diff.trim_end_matches('\n'));
    }
    print_rest(&plan);
    Ok(if plan["complete"] == true { Outcome::Good } else { Outcome::Bad })
}

/// The plan with the rows of all pages.
fn whole_plan(session: &Session, args: &RenameArgs, repo: &str) -> Result<Value, Failure> {
    let mut whole: Option<Value> = None;
    let mut cursor: Option<String> = None;
    loop {
        let arguments = json_object([
            ("repoId", Some(repo.into())),
            ("symbol", Some(Value::from(args.symbol.clone()))),
            ("newName", Some(Value::from(args.new_name.clone()))),
            ("limit", Some(1_000.into())),
            ("maxTokens", Some(20_000.into())),
            ("cursor", cursor.clone().map(Value::from)),
        ]);
        let mut page = session.tool("symbol.rename", &arguments)?.structured;
        cursor = page["cursor"].as_str().map(str::to_owned);
        if let Some(whole) = &mut whole {
            for list in ["person", "edits", "words"] {
                let more = page[list].as_array_mut().map(std::mem::take).unwrap_or_default();
                if let Some(rows) = whole[list].as_array_mut() {
                    rows.extend(more);
                }
            }
        } else {
            whole = Some(page);
        }
        if cursor.is_none() {
            let mut whole = whole.unwrap_or(Value::Null);
            if let Some(fields) = whole.as_object_mut() {
                fields.remove("cursor");
            }
            return Ok(whole);
        }
    }
}

/// The edits as a unified diff. Nothing is written.
fn plan_diff(root: &Path, plan: &Value) -> Result<String, Failure> {
    let (old, new) = (text_at(plan, "/oldName"), text_at(plan, "/newName"));
    let mut files: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for edit in plan["edits"].as_array().into_iter().flatten() {
        files.entry(text_at(edit, "/file")).or_default().push(edit);
    }
    let mut diff = String::new();
    for (file, edits) in files {
        let text = std::fs::read(root.join(file)).map_err(|error| Failure::io(file, &error))?;
        let text = String::from_utf8_lossy(&text);
        let before: Vec<&str> = text.split_inclusive('\n').collect();
        let mut after: BTreeMap<usize, String> = BTreeMap::new();
        // From the end of each line, so that the columns before hold.
        for edit in edits.iter().rev() {
            let at = number_at(edit, "/line").saturating_sub(1) as usize;
            let Some(line) = before.get(at) else { continue };
            let line = after.entry(at).or_insert_with(|| (*line).to_owned());
            let start = number_at(edit, "/column").saturating_sub(1) as usize;
            let range = start..start + old.len();
            if line.get(range.clone()) != Some(old) {
                return Err(Failure::Local(format!("{file} has changed meanwhile; ask again")));
            }
            line.replace_range(range, edit["new"].as_str().unwrap_or(new));
        }
        append_file(&mut diff, file, &before, &after);
    }
    Ok(diff)
}

/// Appends the hunks of a file in which lines are replaced one by one.
fn append_file(diff: &mut String, file: &str, before: &[&str], after: &BTreeMap<usize, String>) {
    let file = terminal::escape_line(file);
    let _ = writeln!(diff, "--- a/{file}\n+++ b/{file}");
    let lines: Vec<usize> = after.keys().copied().collect();
    for group in lines.chunk_by(|a, b| b - a <= 2 * CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let start = first.saturating_sub(CONTEXT);
        let end = (last + CONTEXT + 1).min(before.len());
        let _ = writeln!(diff, "@@ -{},{} +{},{} @@", start + 1, end - start, start + 1, end - start);
        for (at, line) in before.iter().enumerate().take(end).skip(start) {
            match after.get(&at) {
                Some(changed) => {
                    append_line(diff, '-', line);
                    append_line(diff, '+', changed);
                }
                None => append_line(diff, ' ', line),
            }
        }
    }
}

fn append_line(diff: &mut String, mark: char, line: &str) {
    let _ = write!(diff, "{mark}{line}");
    if !line.ends_with('\n') {
        diff.push_str("\n\\ No newline at end of file\n");
    }
}

/// What needs a person goes to the other stream, so that the diff can be piped.
fn print_rest(plan: &Value) {
    for (list, says) in [("person", "look at"), ("words", "mentioned in")] {
        for row in plan[list].as_array().into_iter().flatten() {
            let place = format!(
                "{}:{}:{}",
                text_at(row, "/file"),
                number_at(row, "/line"),
                number_at(row, "/column")
            );
            let text = row["text"].as_str().map(|text| format!("  {text}")).unwrap_or_default();
            let why = style_dim(text_at(row, "/why"));
            output::print_note(&format!("{says} {} {why}{text}", style_bold(&place)));
        }
    }
    output::print_note(text_at(plan, "/completeness"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_a_diff_that_can_be_applied() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.py"), "def f():\n    f(f)\n\n\n\n\n\n\n\n\nf()").unwrap();
        let edit = |line: u32, column: u32| json!({"file": "a.py", "line": line, "column": column});
        let mut plan = json!({"oldName": "f", "newName": "go", "edits": [edit(1, 5), edit(2, 5), edit(2, 7), edit(11, 1)]});
        let diff = plan_diff(folder.path(), &plan).unwrap();
        assert_eq!(
            diff,
            "--- a/a.py\n+++ b/a.py\n@@ -1,5 +1,5 @@\n-def f():\n+def go():\n-    f(f)\n+    go(go)\n \n \n \n@@ -8,4 +8,4 @@\n \n \n \n\
             -f()\n\\ No newline at end of file\n+go()\n\\ No newline at end of file\n"
        );
        plan["edits"][0]["column"] = 9.into();
        assert!(plan_diff(folder.path(), &plan).is_err());
    }
}
