//! A corpus of calls that compilers found.
//!
//! A folder holds `defs.jsonl` (definitions), `edges.jsonl` (references that the compiler resolved), `unresolved.jsonl`
//! (calls that it could not), `files.txt` (the files that it covers) and `meta.json`. The first three may be packed,
//! with `.gz` after their names.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::place::simple_name;
use crate::output::Failure;

/// The longest line that is read.
const LONGEST: u64 = 4 << 20;

/// The kinds of definitions that can call.
const CALLERS: &[&str] = &["function", "method", "constructor", "accessor"];
/// The kinds of definitions whose calls are scored.
const CALLED: &[&str] = &["function", "method", "class", "constructor"];

/// A definition.
#[derive(Debug, Deserialize)]
pub(super) struct Def {
    pub(super) file: String,
    pub(super) name: String,
    pub(super) line: u32,
    /// With decorators and documentation.
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) kind: String,
    /// Overloads and conditional duplicates have this in common.
    g: Option<u64>,
}

impl Def {
    /// Whether it can call.
    pub(super) fn calls(&self) -> bool {
        CALLERS.contains(&self.kind.as_str())
    }

    /// Whether it can call or be called.
    pub(super) fn is_core(&self) -> bool {
        self.calls() || CALLED.contains(&self.kind.as_str())
    }
}

#[derive(Deserialize)]
struct Edge {
    kind: String,
    caller_file: String,
    caller_name: Option<String>,
    caller_line: Option<u32>,
    callee_file: String,
    callee_name: String,
    callee_line: u32,
    callee_kind: String,
    #[serde(default)]
    via_macro: bool,
    #[serde(default)]
    alt: Vec<(String, u32, String)>,
    #[serde(default)]
    neutral: Vec<(String, u32, String)>,
}

#[derive(Deserialize)]
struct Unresolved {
    caller_file: String,
    caller_name: Option<String>,
    caller_line: Option<u32>,
    name: String,
}

/// The folder's description of itself.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Meta {
    /// Its name.
    pub(super) corpus: String,
    /// The language.
    pub(super) lang: String,
    /// The command that obtains the sources.
    #[serde(default)]
    pub(super) obtain: String,
    /// The folder that paths start from, and the part of it that is covered.
    #[serde(default)]
    pub(super) root: String,
}

/// A definition's number. If several count as one, for example overloads, the number of the first.
pub(super) type Ix = usize;

/// The truth of one package.
#[derive(Default)]
pub(super) struct Corpus {
    pub(super) defs: Vec<Def>,
    pub(super) by_file: HashMap<String, Vec<Ix>>,
    /// The first of the definitions that count as one, for each definition.
    pub(super) one: Vec<Ix>,
    pub(super) files: HashSet<String>,
    /// The scored pairs of caller and callee.
    pub(super) pairs: Vec<(Ix, Ix)>,
    /// The pairs that an edge from a caller to a callee confirms.
    pub(super) confirms: HashMap<(Ix, Ix), Vec<usize>>,
    /// Pairs that are true and not scored, for example a mention without a call.
    pub(super) neutral: HashSet<(Ix, Ix)>,
    /// Names of calls that the compiler could not resolve, by caller.
    pub(super) unresolved: HashMap<Ix, HashSet<String>>,
}

impl Corpus {
    /// Reads a folder.
    pub(super) fn read(folder: &Path) -> Result<Self, Failure> {
        let mut corpus = Self::default();
        let mut first: HashMap<u64, Ix> = HashMap::new();
        each_line(&part_path(folder, "defs"), |def: Def| {
            let ix = corpus.defs.len();
            corpus.one.push(def.g.map_or(ix, |group| *first.entry(group).or_insert(ix)));
            corpus.by_file.entry(def.file.clone()).or_default().push(ix);
            corpus.defs.push(def);
        })?;
        let mut files = String::new();
        open_reader(&folder.join("files.txt"))?
            .take(LONGEST)
            .read_to_string(&mut files)
            .map_err(|error| Failure::io("files.txt", &error))?;
        corpus.files = files.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
        let at: HashMap<(&str, u32, &str), Ix> = (corpus.defs.iter().enumerate())
            .map(|(ix, def)| ((def.file.as_str(), def.line, def.name.as_str()), corpus.one[ix]))
            .collect();
        let find = |file: &str, line: Option<u32>, name: Option<&str>| at.get(&(file, line?, name?)).copied();
        let mut accepted: HashMap<(Ix, Ix), HashSet<Ix>> = HashMap::new();
        let mut order = Vec::new();
        each_line(&part_path(folder, "edges"), |edge: Edge| {
            let Some(callee) = find(&edge.callee_file, Some(edge.callee_line), Some(&edge.callee_name))
            else {
                return;
            };
            let Some(caller) = find(&edge.caller_file, edge.caller_line, edge.caller_name.as_deref()) else {
                return;
            };
            let others = |list: &[(String, u32, String)]| -> Vec<Ix> {
                list.iter().filter_map(|(file, line, name)| find(file, Some(*line), Some(name))).collect()
            };
            let right = others(&edge.alt).into_iter().chain([callee]);
            let scored =
                edge.kind == "call" && CALLED.contains(&edge.callee_kind.as_str()) && !edge.via_macro;
            if scored {
                let pair = (caller, callee);
                let known = accepted.entry(pair).or_insert_with(|| {
                    order.push(pair);
                    HashSet::new()
                });
                known.extend(right);
            } else {
                corpus.neutral.extend(right.map(|one| (caller, one)));
            }
            if edge.kind == "call" {
                corpus.neutral.extend(others(&edge.neutral).into_iter().map(|one| (caller, one)));
            }
        })?;
        for (number, pair) in order.iter().enumerate() {
            for callee in accepted.remove(pair).into_iter().flatten() {
                corpus.confirms.entry((pair.0, callee)).or_default().push(number);
            }
        }
        corpus.pairs = order;
        each_line(&part_path(folder, "unresolved"), |call: Unresolved| {
            if let Some(caller) = find(&call.caller_file, call.caller_line, call.caller_name.as_deref()) {
                corpus.unresolved.entry(caller).or_default().insert(simple_name(&call.name).to_owned());
            }
        })?;
        Ok(corpus)
    }
}

/// A folder's description of itself; none if it is no corpus.
pub(super) fn read_meta(folder: &Path) -> Result<Option<Meta>, Failure> {
    if !part_path(folder, "edges").is_file() {
        return Ok(None);
    }
    let path = folder.join("meta.json");
    let text =
        std::fs::read_to_string(&path).map_err(|error| Failure::io(&path.display().to_string(), &error))?;
    let meta = serde_json::from_str(&text)
        .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
    Ok(Some(meta))
}

fn part_path(folder: &Path, name: &str) -> PathBuf {
    let plain = folder.join(format!("{name}.jsonl"));
    if plain.is_file() { plain } else { folder.join(format!("{name}.jsonl.gz")) }
}

fn open_reader(path: &Path) -> Result<Box<dyn Read>, Failure> {
    let file = File::open(path).map_err(|error| Failure::io(&path.display().to_string(), &error))?;
    let packed = path.extension().is_some_and(|extension| extension == "gz");
    Ok(if packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) })
}

/// Reads a file of JSON lines, packed (`edges.jsonl.gz`) or not.
pub(super) fn each_line<T: DeserializeOwned>(path: &Path, mut each: impl FnMut(T)) -> Result<(), Failure> {
    let mut lines = BufReader::new(open_reader(path)?);
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        let read = (&mut lines).take(LONGEST).read_until(b'\n', &mut line);
        match read.map_err(|error| Failure::io(&path.display().to_string(), &error))? {
            0 => break,
            _ if line.iter().all(u8::is_ascii_whitespace) => {}
            _ => each(
                serde_json::from_slice(&line)
                    .map_err(|error| Failure::Usage(format!("{}, line {number}: {error}", path.display())))?,
            ),
        }
    }
    Ok(())
}
