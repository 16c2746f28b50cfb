//! Figures of real trees:
//! `SDL_TREE=/path/to/tree cargo test --release -p sdl-retrieve -- --ignored --nocapture measure`.

use std::path::Path;
use std::time::{Duration, Instant};

use sdl_model::{FileId, RelPath};
use sdl_retrieve::card::{self, CardOptions, Detail, Plain};
use sdl_retrieve::search::{SearchRequest, search_symbols};
use sdl_retrieve::slice::{self, Budget, SliceRequest, WireFormat};
use sdl_retrieve::wire;

use crate::ledger::MemoryLedger;

/// The files of a folder with their contents, hidden folders left out.
pub(crate) fn tree(root: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![Path::new(root).to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
                || path.is_symlink()
            {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(bytes) = std::fs::read(&path)
                && bytes.len() < 2 << 20
            {
                files.push((path.strip_prefix(root).unwrap().to_str().unwrap().to_owned(), bytes));
            }
        }
    }
    files.sort();
    files
}

fn percentile(times: &mut [Duration], share: f64) -> Duration {
    times.sort();
    times[((times.len() - 1) as f64 * share) as usize]
}

fn median(mut values: Vec<usize>) -> usize {
    values.sort_unstable();
    values[values.len() / 2]
}

#[test]
#[ignore = "measures a real tree; see the head of the file"]
fn measure() {
    let files = tree(&std::env::var("SDL_TREE").unwrap());
    measure_postings(&files);
    let files: Vec<_> = files.iter().map(|(path, bytes)| (path.as_str(), Some(bytes.as_slice()))).collect();
    let mut ledger = MemoryLedger::new("");
    ledger.write(&files);
    measure_search(&ledger);
    measure_cards(&ledger);
    measure_slices(&ledger);
}

fn measure_postings(files: &[(String, Vec<u8>)]) {
    let facts: Vec<_> = files
        .iter()
        .filter_map(|(path, bytes)| {
            let path = RelPath::new(path)?;
            let facts = sdl_lang::extract_facts(sdl_lang::detect_lang(&path, bytes)?, bytes).ok()?;
            Some((path, facts))
        })
        .collect();
    let symbols: usize = facts.iter().map(|(_, facts)| facts.outline.defs.len()).sum();
    let start = Instant::now();
    let mut postings = 0;
    for (path, facts) in &facts {
        postings += sdl_retrieve::index::file_postings(path, FileId::of(path), &facts.outline, &facts.body)
            .hits
            .len();
    }
    println!("{} files, {symbols} symbols, {postings} postings in {:?}", facts.len(), start.elapsed());
}

const QUERIES: [&str; 12] = [
    "get_queryset",
    "QuerySet.filter",
    "parse http header",
    "how are migrations applied",
    "Form",
    "template render context",
    "validate email address",
    "save",
    "cache key prefix",
    "database connection close",
    "admin site register",
    "as_",
];

fn measure_search(ledger: &MemoryLedger) {
    let head = ledger.head();
    let mut times = Vec::new();
    for round in 0..20 {
        for query in QUERIES {
            let source = head.source();
            let start = Instant::now();
            let found = search_symbols(&source, &SearchRequest::new(query)).unwrap();
            times.push(start.elapsed());
            if round == 0 {
                let names: Vec<_> =
                    found.results.iter().take(4).map(|hit| hit.qualified_name.as_str()).collect();
                println!("search {query:?}: {} in all, {names:?}", found.total);
            }
        }
    }
    println!("search p50 {:?}, p95 {:?}", percentile(&mut times, 0.5), percentile(&mut times, 0.95));
    let request = SearchRequest { regex: true, ..SearchRequest::new("^get_.*set$") };
    let start = Instant::now();
    let total = search_symbols(&head.source(), &request).unwrap().total;
    println!("regex: {total} in {:?}", start.elapsed());
    let start = Instant::now();
    let near = search_symbols(&head.source(), &SearchRequest::new("QeurySett")).unwrap().near_misses;
    println!(
        "near misses: {:?} in {:?}",
        near.iter().map(|hit| &hit.name).collect::<Vec<_>>(),
        start.elapsed()
    );
}

fn measure_cards(ledger: &MemoryLedger) {
    let head = ledger.head();
    let source = head.source();
    let found = search_symbols(
        &source,
        &SearchRequest {
            regex: true,
            kinds: vec![sdl_model::SymbolKind::Function, sdl_model::SymbolKind::Method],
            limit: 1_000,
            ..SearchRequest::new(".*")
        },
    )
    .unwrap();
    for detail in Detail::ALL {
        let (mut json, mut text) = (Vec::new(), Vec::new());
        let start = Instant::now();
        for hit in &found.results {
            let options = CardOptions { detail, ..CardOptions::default() };
            let card = card::build_card(&source, hit.symbol_id, options, &Plain).unwrap().unwrap();
            json.push(sdl_tokens::count_tokens(&serde_json::to_string(&card).unwrap()));
            text.push(sdl_tokens::count_tokens(&card::card_text(&card)));
        }
        let each = start.elapsed() / found.results.len().max(1) as u32;
        println!(
            "{} cards: median JSON {} tokens, median text {}, {each:?} each",
            detail.name(),
            median(json),
            median(text)
        );
    }
}

fn measure_slices(ledger: &MemoryLedger) {
    let head = ledger.head();
    let mut times = Vec::new();
    for text in QUERIES {
        let request = SliceRequest {
            task_text: Some(text.into()),
            budget: Budget { max_cards: 30, max_estimated_tokens: 4_000 },
            ..SliceRequest::default()
        };
        let source = head.source();
        let start = Instant::now();
        let Ok(slice) = slice::build_slice(&source, &request, &Plain) else { continue };
        times.push(start.elapsed());
        let count =
            |json: &serde_json::Value| sdl_tokens::count_tokens(&serde_json::to_string(json).unwrap());
        let sizes: Vec<usize> = WireFormat::ALL
            .iter()
            .map(|format| count(&wire::encode_slice(&slice.doc, *format).unwrap()))
            .collect();
        let text_size = sdl_tokens::count_tokens(&wire::slice_text(&slice.doc));
        println!(
            "slice {text:?}: {} cards, {} edges, {} spilled; standard, v1, v2, v3 {sizes:?}, text {text_size}",
            slice.doc.cards.len(),
            slice.doc.edges.len(),
            slice.spilled.len()
        );
    }
    println!("slice p50 {:?}, p95 {:?}", percentile(&mut times, 0.5), percentile(&mut times, 0.95));
}
