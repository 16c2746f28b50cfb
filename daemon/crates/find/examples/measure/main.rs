//! Measures how well tools are found: over a folder of tools and queries, or how fast over generated ones.
//!
//! `cargo run --release -p sdl-find --example measure -- DIR [--split FILE] [--results FILE]` reads `tools.jsonl`, `servers.json` and
//! `dev.jsonl` of DIR and prints a table, beside plain keyword overlap and plain BM25F. `--queries FILE` takes other queries.
//! With `--split`, queries whose first needed tool is of a server in FILE, one a line, are a table of their own.
//! `-- --generated 10000` prints how long the index of that many generated tools takes, and a query.

mod plain;
mod score;
mod set;
mod speed;

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use sdl_find::Finder;
use serde_json::json;

use plain::Plain;
use set::{Query, Set};

/// How deep the lists are that are printed and scored.
const DEPTH: usize = 50;

#[derive(Default)]
struct Options {
    dir: PathBuf,
    queries: Option<PathBuf>,
    split: Option<PathBuf>,
    results: Option<PathBuf>,
    generated: Option<usize>,
}

fn main() -> ExitCode {
    match read_options().and_then(|options| run_all(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("measure: {error}");
            ExitCode::FAILURE
        }
    }
}

fn read_options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options::default();
    let mut words = env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
        match word.as_str() {
            "--queries" => options.queries = Some(value()?.into()),
            "--split" => options.split = Some(value()?.into()),
            "--results" => options.results = Some(value()?.into()),
            "--generated" => options.generated = Some(value()?.parse()?),
            _ => options.dir = word.into(),
        }
    }
    Ok(options)
}

fn run_all(options: &Options) -> Result<(), Box<dyn Error>> {
    if let Some(count) = options.generated {
        speed::measure_speed(count);
        return Ok(());
    }
    let queries = options.queries.clone().unwrap_or_else(|| options.dir.join("dev.jsonl"));
    let set = Set::read(&options.dir, &queries)?;
    let finder = Finder::new(&set.docs);
    let plain = Plain::new(&set.docs);
    let found: Vec<Vec<usize>> = set
        .queries
        .iter()
        .map(|query| finder.search(&query.text, DEPTH).hits.into_iter().map(|(at, _)| at).collect())
        .collect();
    if let Some(path) = &options.results {
        write_results(path, &set, &found)?;
    }
    let overlap: Vec<Vec<usize>> = set.queries.iter().map(|query| plain.by_overlap(&query.text)).collect();
    let bm25f: Vec<Vec<usize>> = set.queries.iter().map(|query| plain.by_bm25f(&query.text)).collect();
    let first = options.split.as_ref().map(fs::read_to_string).transpose()?;
    let is_first =
        |query: &Query| first.as_ref().is_some_and(|names| names.lines().any(|name| name == query.server));
    println!("{} tools, {} queries; recall in per cent at 1, 3, 5, 10", set.docs.len(), set.queries.len());
    for (name, lists) in [("overlap", &overlap), ("bm25f", &bm25f), ("sdl-find", &found)] {
        score::print_table(name, &set, lists, &|_| true);
        if first.is_some() {
            score::print_table(&format!("{name}, first half"), &set, lists, &is_first);
            score::print_table(&format!("{name}, second half"), &set, lists, &|query| !is_first(query));
        }
    }
    Ok(())
}

fn write_results(path: &Path, set: &Set, found: &[Vec<usize>]) -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    for (query, found) in set.queries.iter().zip(found) {
        let ranked: Vec<&String> = found.iter().filter_map(|at| set.ids.get(*at)).collect();
        text += &json!({"id": query.id, "ranked": ranked}).to_string();
        text.push('\n');
    }
    fs::write(path, text)?;
    Ok(())
}
