//! `outline`.

use serde_json::{Value, json};

use super::related::tree_stems;
use crate::cli::OutlineArgs;
use crate::output::{self, Failure, Outcome, number_at, style_bold, style_dim, text_at};
use crate::session::{Session, json_object};

pub(crate) fn run_outline(args: &OutlineArgs, as_json: bool) -> Result<Outcome, Failure> {
    let session = Session::open()?;
    let repo = session.repo(args.repo.given().as_deref())?;
    let mut arguments = json_object([
        ("repoId", Some(repo.into())),
        ("symbol", Some(Value::from(args.path.clone()))),
        ("want", Some("members".into())),
        ("depth", Some(args.depth.into())),
        ("limit", Some(args.limit.into())),
        ("maxTokens", Some(20_000.into())),
        ("includeTests", args.no_tests.then(|| false.into())),
        ("atVersion", args.at.clone().map(Value::from)),
    ]);
    if !args.paths.is_empty() {
        arguments["paths"] = json!(args.paths);
    }
    let answer = session.tool("symbol.related", &arguments)?.structured;
    if as_json {
        output::print_json(&answer);
        return Ok(Outcome::Good);
    }
    print_outline(&answer);
    Ok(Outcome::Good)
}

/// One line of the tree: how deep it is, and its text.
type Line = (u64, String);

fn print_outline(answer: &Value) {
    let rows: Vec<&Value> = answer["related"].as_array().into_iter().flatten().collect();
    let (title, lines) = match answer["folder"].as_str() {
        Some(folder) => (if folder.is_empty() { "." } else { folder }, folder_lines(folder, &rows)),
        None => {
            let lines = rows.iter().map(|row| (number_at(row, "/depth").max(1), part_line(row))).collect();
            (text_at(answer, "/of/0/file"), lines)
        }
    };
    output::print_line(&style_bold(title));
    let depths: Vec<u64> = lines.iter().map(|(depth, _)| *depth).collect();
    for ((_, text), stem) in lines.iter().zip(tree_stems(&depths)) {
        output::print_line(&format!("{stem}{text}"));
    }
    let users = answer["usedBy"].as_array().into_iter().flatten();
    let users: Vec<String> =
        users.map(|user| format!("{} ({})", text_at(user, "/file"), number_at(user, "/uses"))).collect();
    if !users.is_empty() {
        output::print_line(&format!("most used by {}", users.join(", ")));
    }
    if answer.get("cursor").is_some() {
        let total = number_at(answer, "/total");
        output::print_line(&style_dim(&format!("{} of {total}; more with --limit", rows.len())));
    }
    output::print_line(&style_dim(text_at(answer, "/completeness")));
    output::print_notes(answer);
}

/// The definitions of a folder below their files. The file of the most used one comes first.
fn folder_lines(folder: &str, rows: &[&Value]) -> Vec<Line> {
    let mut files: Vec<&str> = Vec::new();
    for file in rows.iter().map(|row| text_at(row, "/file")) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    let mut lines = Vec::new();
    for file in files {
        let below = file.strip_prefix(folder).unwrap_or(file).trim_start_matches('/');
        lines.push((1, style_bold(below)));
        for row in rows.iter().filter(|row| text_at(row, "/file") == file) {
            lines.push((number_at(row, "/depth").max(1) + 1, part_line(row)));
        }
    }
    lines
}

fn part_line(row: &Value) -> String {
    let seen = if row["exported"] == true { "" } else { "private " };
    let users = match number_at(row, "/users") {
        0 => "unused elsewhere".to_owned(),
        1 => "used by 1 file".to_owned(),
        users => format!("used by {users} files"),
    };
    let about = format!("{seen}{} :{} {users}", text_at(row, "/kind"), number_at(row, "/line"));
    format!("{} {}", text_at(row, "/name"), style_dim(&about))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_stand_below_their_file() {
        let row = |name: &str, file: &str, users: u64| json!({"name": name, "file": file, "users": users, "kind": "function", "line": 3, "exported": true, "depth": 1});
        let rows = [row("b", "src/two.py", 4), row("a", "src/one.py", 2), row("c", "src/two.py", 0)];
        let rows: Vec<&Value> = rows.iter().collect();
        let lines = folder_lines("src", &rows);
        let depths: Vec<u64> = lines.iter().map(|(depth, _)| *depth).collect();
        assert_eq!(depths, [1, 2, 2, 1, 2]);
        assert!(lines[0].1.contains("two.py") && lines[2].1.starts_with("c "), "{lines:?}");
    }
}
