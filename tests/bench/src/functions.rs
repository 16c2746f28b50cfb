//! The functions of a tree.

use std::collections::BTreeMap;

use serde_json::json;

use crate::Outcome;
use crate::world::{World, text_field};

/// Files whose functions are collected, at most.
const MOST_FILES: usize = 600;
/// The endings of the files that are looked at.
const ENDINGS: [&str; 9] = ["py", "c", "cpp", "cc", "java", "rs", "ts", "js", "go"];

#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) file: String,
}

/// The functions and methods in a sample of the files of the language that has most files, in order of path. Each
/// function of the language is as likely to be in the sample as any other.
pub(crate) fn find_functions(world: &mut World) -> Outcome<Vec<Function>> {
    let mut by_ending: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for entry in ignore::WalkBuilder::new(&world.root).build().flatten() {
        let path = entry.path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        let known = ENDINGS.into_iter().find(|one| Some(*one) == ending);
        if let (Some(ending), Ok(file)) = (known, path.strip_prefix(&world.root)) {
            by_ending.entry(ending).or_default().push(file.display().to_string());
        }
    }
    let Some((ending, mut files)) = by_ending.into_iter().max_by_key(|(_, files)| files.len()) else {
        return Err(format!("no file here ends with one of {}", ENDINGS.join(", ")).into());
    };
    files.sort();
    let step = files.len().div_ceil(MOST_FILES).max(1);
    let mut functions = Vec::new();
    for file in files.iter().step_by(step) {
        functions.extend(functions_in(world, file)?);
    }
    println!("{} functions in one of {step} files *.{ending}", functions.len());
    functions.sort_by(|a, b| (&a.file, &a.id).cmp(&(&b.file, &b.id)));
    Ok(functions)
}

fn functions_in(world: &mut World, file: &str) -> Outcome<Vec<Function>> {
    let mut found = Vec::new();
    let mut query = json!({"symbol": file, "want": "members", "depth": 2, "limit": 200});
    loop {
        let page = match world.call("symbol_related", query.clone()) {
            // Too large to be read, for example.
            Err(error) if error.to_string().contains("listed but not read") => return Ok(found),
            page => page?,
        };
        for row in page["related"].as_array().into_iter().flatten() {
            if matches!(row["kind"].as_str(), Some("function" | "method")) {
                let [id, name, file] = ["symbolId", "name", "file"].map(|field| text_field(row, field));
                found.push(Function { id: id?, name: name?, file: file? });
            }
        }
        if page["cursor"].is_null() {
            return Ok(found);
        }
        query["cursor"] = page["cursor"].clone();
    }
}
