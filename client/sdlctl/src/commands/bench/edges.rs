//! `bench edges`: call edges against compilers' truth.

use std::fs;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::calibration::Calibration;
use super::corpus::{self, Corpus, Meta};
use super::floor::{Names, Symbol};
use super::format_percent;
use super::place::{Candidate, Exported};
use super::private::Private;
use super::score::{Tally, score_edges};
use super::sources;
use crate::cli::BenchEdgesArgs;
use crate::commands::export;
use crate::output::{self, Failure, Outcome, style_bold, style_dim};

/// Precision is shown above each of these.
const LEVELS: [f64; 3] = [0.9, 0.7, 0.5];

/// How one corpus came out.
struct Report {
    meta: Meta,
    all: Tally,
    floor: Tally,
    /// Edges above each level.
    above: Vec<Tally>,
    /// Pairs with an end in a file that is not indexed: generated, minified, too large.
    not_indexed: usize,
}

pub(super) fn run_bench_edges(args: &BenchEdgesArgs, as_json: bool) -> Result<Outcome, Failure> {
    let corpora = find_corpora(&args.truth, &args.corpus)?;
    let daemon = Private::start()?;
    let mut calibration = Calibration::default();
    let mut reports = Vec::new();
    if !as_json {
        print_heading();
    }
    for (folder, meta) in corpora {
        let root = sources::source_root(&meta, &args.sources, args.obtain)?;
        let truth = Corpus::read(&folder)?;
        let repo = daemon.index(&root)?;
        let edges: Vec<Candidate> = export_lines(&daemon, "export/edges", &repo)?
            .into_iter()
            .filter(|edge: &Exported| edge.kind == "call")
            .map(Candidate::from)
            .collect();
        let mut names = Names::default();
        export_lines(&daemon, "export/symbols", &repo)?
            .into_iter()
            .filter(|symbol: &Symbol| truth.files.contains(symbol.file()))
            .for_each(|symbol| names.add(symbol));
        let calls = export_lines(&daemon, "export/calls", &repo)?;
        let linked: Vec<Candidate> = calls.into_iter().filter_map(|call| names.link(call)).collect();
        let above = |level: f64| {
            score_edges(&truth, edges.iter().enumerate().filter(|(_, edge)| edge.confidence >= level))
        };
        let outside = |ix: usize| !names.has_file(&truth.defs[ix].file);
        let report = Report {
            not_indexed: truth.pairs.iter().filter(|pair| outside(pair.0) || outside(pair.1)).count(),
            all: score_edges(&truth, edges.iter().enumerate()),
            floor: score_edges(&truth, linked.iter().enumerate()),
            above: LEVELS.map(above).into(),
            meta,
        };
        calibration.add(&report.meta.lang, &truth, &edges);
        if !as_json {
            print_report(&report);
            show_errors(&report, &truth, &edges, args.show);
        }
        reports.push(report);
    }
    if as_json {
        let rows: Value = reports.iter().map(report_row).collect();
        output::print_json(&json!({ "corpora": rows, "strategies": calibration.json() }));
    } else {
        output::print_line("");
        calibration.show();
    }
    if let Some(path) = &args.table {
        fs::write(path, calibration.table())
            .map_err(|error| Failure::io(&path.display().to_string(), &error))?;
    }
    Ok(Outcome::Good)
}

/// The corpora in a folder: itself, those in it, or those in its `edges`.
fn find_corpora(truths: &[PathBuf], wanted: &[String]) -> Result<Vec<(PathBuf, Meta)>, Failure> {
    let mut found = Vec::new();
    for truth in truths {
        if let Some(meta) = corpus::read_meta(truth)? {
            found.push((truth.clone(), meta));
        }
    }
    for folder in truths.iter().flat_map(|truth| [truth.clone(), truth.join("edges")]) {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            if let Some(meta) = corpus::read_meta(&entry.path())? {
                found.push((entry.path(), meta));
            }
        }
    }
    found.retain(|(_, meta)| {
        wanted.is_empty() || wanted.iter().any(|name| meta.corpus.contains(name.as_str()))
    });
    found.sort_by(|a, b| a.1.corpus.cmp(&b.1.corpus));
    if found.is_empty() {
        let message = format!(
            "{} has no corpus{}: a corpus is a folder with meta.json, defs.jsonl.gz, edges.jsonl.gz, unresolved.jsonl.gz and files.txt",
            truths.iter().map(|truth| truth.display().to_string()).collect::<Vec<_>>().join(", "),
            if wanted.is_empty() { String::new() } else { format!(" of the name {}", wanted.join(" or ")) },
        );
        return Err(Failure::Usage(message));
    }
    Ok(found)
}

fn export_lines<T: DeserializeOwned>(daemon: &Private, method: &str, repo: &str) -> Result<Vec<T>, Failure> {
    let mut found = Vec::new();
    export::each_page(daemon.session(), method, repo, |page| {
        for line in page.lines() {
            found.push(serde_json::from_str(line).map_err(|error| {
                Failure::Local(format!("{method} wrote output that can't be read: {error}"))
            })?);
        }
        Ok(true)
    })?;
    Ok(found)
}

fn print_heading() {
    output::print_line(&style_bold(&format!(
        "{:<22} {:<17} {:<17} {:<17} {:<13} {:<13} {:<13} {:>5} {:>6}",
        "corpus", "P    R    F1", "strict", "by name alone", ">= 0.9", ">= 0.7", ">= 0.5", "wrong", "missed"
    )));
}

fn print_report(report: &Report) {
    let rates = |tally: &Tally, strict: bool| {
        let (precision, recall) = tally.rates(strict);
        format!("{:<17}", format!("{precision:.3} {recall:.3} {:.3}", tally.f1(strict)))
    };
    let above: Vec<String> = report
        .above
        .iter()
        .map(|tally| {
            let share = format_percent(tally.judged(), report.all.judged());
            format!("{:<13}", format!("{:.3} ({share})", tally.rates(false).0))
        })
        .collect();
    output::print_line(&format!(
        "{:<22} {} {} {} {} {:>5} {:>6}",
        report.meta.corpus,
        rates(&report.all, false),
        rates(&report.all, true),
        rates(&report.floor, false),
        above.join(" "),
        report.all.wrong,
        report.all.pairs - report.all.matched.len(),
    ));
    if report.not_indexed > 0 {
        output::print_line(&style_dim(&format!(
            "  {} of the missed have an end in a file that is not indexed (generated, minified, too large)",
            report.not_indexed
        )));
    }
}

/// Prints the first `most` wrong edges and missing pairs.
fn show_errors(report: &Report, truth: &Corpus, edges: &[Candidate], most: usize) {
    for edge in report.all.errors.iter().take(most).filter_map(|number| edges.get(*number)) {
        let name = |name: &Option<String>| name.clone().unwrap_or_default();
        output::print_line(&style_dim(&format!(
            "  wrong   {}:{} {} -> {}:{} {} ({}, {})",
            edge.caller.file,
            edge.caller.line.unwrap_or(0),
            name(&edge.caller.name),
            edge.callee.file,
            edge.callee.line.unwrap_or(0),
            name(&edge.callee.name),
            edge.strategy,
            edge.confidence,
        )));
    }
    let missed = (0..truth.pairs.len()).filter(|number| !report.all.matched.contains(number));
    for (caller, callee) in missed.take(most).map(|number| truth.pairs[number]) {
        let at =
            |ix: usize| format!("{}:{} {}", truth.defs[ix].file, truth.defs[ix].line, truth.defs[ix].name);
        output::print_line(&style_dim(&format!("  missed  {} -> {}", at(caller), at(callee))));
    }
}

fn report_row(report: &Report) -> Value {
    let rates = |tally: &Tally, strict: bool| {
        let (precision, recall) = tally.rates(strict);
        json!({ "precision": precision, "recall": recall, "f1": tally.f1(strict) })
    };
    let above: Value = LEVELS
        .iter()
        .zip(&report.above)
        .map(|(level, tally)| {
            json!({
                "confidence": level,
                "precision": tally.rates(false).0,
                "share": tally.judged() as f64 / report.all.judged().max(1) as f64,
            })
        })
        .collect();
    json!({
        "corpus": report.meta.corpus,
        "scored": rates(&report.all, false),
        "strict": rates(&report.all, true),
        "byNameAlone": rates(&report.floor, false),
        "above": above,
        "right": report.all.right,
        "wrong": report.all.wrong,
        "neutral": report.all.neutral,
        "open": report.all.unknown,
        "pairs": report.all.pairs,
        "matched": report.all.matched.len(),
        "notIndexed": report.not_indexed,
    })
}
