//! Indexes a folder in memory and prints its call edges as JSON lines, for scoring against ground truth:
//!
//! ```text
//! cargo run --release -p sdl-graph --example truth -- FOLDER > candidates.jsonl
//! ```
//!
//! `--time` prints what each phase cost instead, `--counts` how references came out. `--modules` adds the calls at the top
//! of files, `--flows` those of code that runs without a call of it in the text.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sdl_graph::{strategies, testing::Repo};
use sdl_model::{ContentHash, EdgeKind, FactsKey, RelPath, SymbolId};

fn walk(root: &Path, dir: &Path, out: &mut Vec<(RelPath, PathBuf)>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let name = entry.file_name();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && !matches!(name.to_str(), Some("node_modules" | ".git" | ".pc" | "target")) {
            walk(root, &path, out);
        } else if kind.is_file()
            && let Some(rel) = path.strip_prefix(root).ok().and_then(Path::to_str).and_then(RelPath::new)
        {
            out.push((rel, path));
        }
    }
}

/// The CPU time of this thread so far (Linux), whatever else the machine does.
fn cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|ns| ns.parse().ok()).unwrap_or(0))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| args.iter().any(|arg| arg == name);
    let root =
        args.iter().find(|arg| !arg.starts_with("--")).ok_or("usage: truth FOLDER [--time] [--counts]")?;
    let root = Path::new(root);
    let mut files = Vec::new();
    walk(root, root, &mut files);
    let started = cpu();
    let mut repo = Repo::default();
    let mut bytes_read = 0;
    for (rel, path) in files {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        if bytes.len() > 2 << 20 {
            continue;
        }
        // A header may be of C or of C++: its text tells.
        let Some(lang) = sdl_lang::detect_lang(&rel, &bytes) else { continue };
        bytes_read += bytes.len();
        let Ok(facts) = sdl_lang::extract_facts(lang, &bytes) else { continue };
        let key = FactsKey { lang, content: ContentHash::of(&bytes) };
        repo.insert(rel, key, Arc::new(facts));
    }
    let extracted = cpu().saturating_sub(started);
    let started = cpu();
    let resolved = repo.resolve(|_| true)?;
    let resolution = cpu().saturating_sub(started);
    let mut out = BufWriter::new(std::io::stdout().lock());
    if flag("--time") || flag("--counts") {
        let refs: usize = repo.files().map(|(_, facts)| facts.body.refs.len()).sum();
        let asked: usize = resolved.values().map(|one| one.asked.len()).sum();
        let edges: usize = resolved.values().flat_map(|one| &one.edges).map(|(_, edges)| edges.len()).sum();
        let mut counts = [0u64; 5];
        for one in resolved.values() {
            let c = one.counts;
            for (sum, n) in
                counts.iter_mut().zip([c.exact, c.inferred, c.ambiguous, c.external, c.unresolved])
            {
                *sum += u64::from(n);
            }
        }
        writeln!(
            out,
            "files {} bytes {bytes_read} refs {refs} edges {edges} asked {asked} extract {extracted:?} resolve {resolution:?}\n\
             exact {} inferred {} ambiguous {} external {} unresolved {}",
            resolved.len(),
            counts[0],
            counts[1],
            counts[2],
            counts[3],
            counts[4],
        )?;
        return Ok(());
    }
    // Calls of a variable's initial value are the module's, for the compilers that made the truth.
    let mut callers: BTreeMap<SymbolId, Option<SymbolId>> = BTreeMap::new();
    let mut lines: BTreeMap<SymbolId, (String, u32, String)> = BTreeMap::new();
    for (path, facts) in repo.files() {
        let file = sdl_model::FileId::of(path);
        for (_, def) in facts.outline.iter() {
            let name = facts.outline.str(def.qualified).to_owned();
            let mut caller = Some(def);
            while let Some(at) = caller.filter(|at| !at.kind.is_callable()) {
                match at.parent.and_then(|parent| facts.outline.def(parent)) {
                    None if flag("--modules") => break,
                    parent => caller = parent,
                }
            }
            callers.insert(file.symbol(def.key), caller.map(|caller| file.symbol(caller.key)));
            lines.insert(file.symbol(def.key), (path.to_string(), def.line, name));
        }
    }
    for one in resolved.values() {
        for (source, edges) in &one.edges {
            let Some(Some(source)) = callers.get(source) else { continue };
            let Some((caller_file, caller_line, caller_name)) = lines.get(source) else { continue };
            for edge in edges.iter().filter(|edge| edge.kind == EdgeKind::Call) {
                let kind = strategies::kind_name(edge.kind, edge.strategy);
                if kind == strategies::FLOW && !flag("--flows") {
                    continue;
                }
                let Some((callee_file, callee_line, callee_name)) = lines.get(&edge.to) else { continue };
                let line = serde_json::json!({
                    "caller_file": caller_file, "caller_line": caller_line, "caller_name": caller_name,
                    "callee_file": callee_file, "callee_line": callee_line, "callee_name": callee_name,
                    "kind": kind, "resolution": edge.resolution.name(),
                    "strategy": strategies::rule_name(edge.strategy),
                    "confidence": f64::from(edge.confidence) / 100.0,
                });
                writeln!(out, "{line}")?;
            }
        }
    }
    Ok(())
}
