//! `related`.

use serde_json::{Value, json};

use crate::cli::{FilterArgs, RelatedArgs, Relation};
use crate::output::{self, Failure, Outcome, number_at, style_bold, style_dim, text_at};
use crate::session::{Session, json_object};

pub(crate) fn run_related(args: &RelatedArgs, as_json: bool) -> Result<Outcome, Failure> {
    let session = Session::open()?;
    let repo = session.repo(args.repo.given().as_deref())?;
    let want = match args.want {
        Relation::Callers => "callers",
        Relation::Callees => "callees",
        Relation::References => "references",
        Relation::Implementations => "implementations",
        Relation::Supertypes => "supertypes",
        Relation::Members => "members",
    };
    let arguments = json_object([
        ("repoId", Some(repo.into())),
        ("symbol", Some(Value::from(args.symbol.clone()))),
        ("want", Some(want.into())),
        ("depth", Some(args.depth.into())),
        ("limit", Some(args.limit.into())),
        ("maxTokens", Some(20_000.into())),
        ("includeText", Some((!args.no_text && args.at.is_none()).into())),
        ("atVersion", args.at.clone().map(Value::from)),
    ]);
    let arguments = with_filter(arguments, &args.filter);
    let answer = session.tool("symbol.related", &arguments)?.structured;
    if as_json {
        output::print_json(&answer);
        return Ok(Outcome::Good);
    }
    print_related(&answer, args.limit);
    Ok(Outcome::Good)
}

/// Adds the arguments that leave symbols and edges out.
pub(super) fn with_filter(mut arguments: Value, filter: &FilterArgs) -> Value {
    if let Some(arguments) = arguments.as_object_mut() {
        if filter.no_tests {
            arguments.insert("includeTests".into(), false.into());
        }
        if let Some(least) = filter.min_confidence {
            arguments.insert("minConfidence".into(), least.into());
        }
        if !filter.paths.is_empty() {
            arguments.insert("paths".into(), json!(filter.paths));
        }
    }
    arguments
}

fn print_related(answer: &Value, limit: u32) {
    for of in answer["of"].as_array().into_iter().flatten() {
        let place = format!("{}:{}", text_at(of, "/file"), number_at(of, "/line"));
        output::print_line(&format!("{} {}", style_bold(text_at(of, "/name")), style_dim(&place)));
    }
    let rows: Vec<&Value> = answer["related"].as_array().into_iter().flatten().collect();
    let depths: Vec<u64> = rows.iter().map(|row| number_at(row, "/depth").max(1)).collect();
    for ((row, stem), of_references) in
        rows.iter().zip(tree_stems(&depths)).zip(std::iter::repeat(answer["want"] == "references"))
    {
        let at = row["at"].as_u64().unwrap_or_else(|| number_at(row, "/line"));
        let place = format!("{}:{at}", text_at(row, "/file"));
        let mut line = if of_references {
            format!("{stem}{} {}", style_bold(&place), style_dim(text_at(row, "/name")))
        } else {
            format!("{stem}{} {}", style_bold(text_at(row, "/name")), style_dim(&place))
        };
        if row["resolution"].as_str().is_some_and(|certain| certain != "exact") {
            line.push_str(&style_dim(&format!(" {} {}", text_at(row, "/resolution"), row["confidence"])));
        }
        if let Some(through) = row["through"].as_str() {
            line.push_str(&style_dim(&format!(" through {through}")));
        }
        if let Some(users) = row["users"].as_u64() {
            let seen = if row["exported"] == true { "exported" } else { "private" };
            line.push_str(&style_dim(&format!(" {} {seen}, used by {users} files", text_at(row, "/kind"))));
        }
        if let Some(text) = row["text"].as_str() {
            line.push_str(&format!("  {text}"));
        }
        output::print_line(&line);
    }
    let total = number_at(answer, "/total");
    if answer.get("cursor").is_some() {
        let shown = rows.len();
        let more = if shown as u64 >= u64::from(limit) { "; more with --limit" } else { "" };
        output::print_line(&style_dim(&format!("{shown} of {total}{more}")));
    }
    output::print_line(&style_dim(text_at(answer, "/completeness")));
    for file in answer["unresolvedFiles"].as_array().into_iter().flatten() {
        output::print_line(&style_dim(&format!("  {}", file.as_str().unwrap_or_default())));
    }
    output::print_notes(answer);
}

/// Returns the lines to draw before each row of a tree, such as `│  └─ `. `depths` count from 1, in the order of the rows.
pub(super) fn tree_stems(depths: &[u64]) -> Vec<String> {
    let mut stems = Vec::with_capacity(depths.len());
    for (at, depth) in depths.iter().enumerate() {
        let mut stem = String::new();
        for level in 1..=*depth {
            // Whether a later row continues this level before a shallower one ends it.
            let after = depths.iter().skip(at + 1).find(|other| **other <= level);
            let goes_on = after == Some(&level);
            stem.push_str(match (level == *depth, goes_on) {
                (true, true) => "├─ ",
                (true, false) => "└─ ",
                (false, true) => "│  ",
                (false, false) => "   ",
            });
        }
        stems.push(stem);
    }
    stems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_drawn_from_its_depths() {
        let stems = tree_stems(&[1, 2, 2, 1, 2]);
        assert_eq!(stems, ["├─ ", "│  ├─ ", "│  └─ ", "└─ ", "   └─ "]);
        assert!(tree_stems(&[]).is_empty());
    }
}
