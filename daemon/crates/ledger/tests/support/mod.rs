//! A small world for tests of the ledger: files with synthetic facts, and a resolver whose answers depend on the value
//! of every question that there is.
#![allow(dead_code, unreachable_pub, missing_docs, reason = "each test uses a part of it")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sdl_ledger::{
    Batch, Clock, FilePostings, FileUpdate, Ledger, LookupKey, Named, Options, Posting, ResolutionCounts,
    Resolved, View, name_mark,
};
use sdl_model::facts::{Arena, Def, DefFlags, DefIx, Import, ImportKind, Ref, RefForm, Span, StrIx};
use sdl_model::ids::stable_hash;
use sdl_model::{
    Body, Cause, ContentHash, Edge, EdgeKind, Facts, FactsKey, FileId, FileRow, FileState, Lang, Outline,
    RelPath, Resolution, SkipReason, StatHint, Strategy, SymbolKind, Version,
};

/// A clock that always shows the same time.
pub struct Fixed(pub u64);

impl Clock for Fixed {
    fn unix_ms(&self) -> u64 {
        self.0
    }
}

/// When every ledger of the tests was created.
pub const CREATED: u64 = 1_700_000_000_000;

/// A map so small that it grows.
pub fn small() -> Options {
    Options { map_size: 256 << 10, clock: Arc::new(Fixed(CREATED)), ..Options::default() }
}

/// A folder in memory where there is one: these tests commit durably very often. `SDL_TEST_MEMORY_DIR` names another place.
pub fn folder() -> tempfile::TempDir {
    let memory = std::env::var_os("SDL_TEST_MEMORY_DIR").unwrap_or_else(|| "/dev/shm".into());
    tempfile::tempdir_in(memory).or_else(|_| tempfile::tempdir()).unwrap()
}

pub fn open(dir: &Path, options: &Options) -> Ledger {
    Ledger::open(dir, options).unwrap().ledger
}

pub fn soon() -> Instant {
    Instant::now() + Duration::from_mins(1)
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    pub package: Option<u8>,
    /// Definitions: name, and the names that its body calls.
    pub defs: Vec<(u8, Vec<u8>)>,
    /// Paths that it imports, by number.
    pub imports: Vec<u8>,
    /// Shifts all lines: changes the content, and nothing else.
    pub padding: u8,
}

/// One file of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    Code(Spec),
    Skipped,
    Failed(u8),
}

/// A tree: path number to file.
pub type Tree = BTreeMap<u8, Node>;

/// The path of a file. Questions are stored beside the first half of a file's id, and two paths have the same there.
pub fn path(number: u8) -> RelPath {
    match number {
        2 => return RelPath::new("src/a/n31433.py").unwrap(),
        3 => return RelPath::new("lib/n13305.py").unwrap(),
        _ => {}
    }
    let dirs = ["", "src/", "src/a/", "lib/"];
    let names = ["x.py", "y.py", "z.py"];
    let (dir, name) = (dirs[number as usize % dirs.len()], names[number as usize / dirs.len() % names.len()]);
    let long = if number >= 12 { "d/".repeat(260) } else { String::new() };
    RelPath::new(&format!("{long}{dir}{name}")).unwrap()
}

pub fn name(number: u8) -> String {
    if number == 9 { "n".repeat(600) } else { format!("name{number}") }
}

struct Texts(Arena);

impl Texts {
    fn add(&mut self, text: &str) -> StrIx {
        self.0.strings.push(text)
    }
}

fn def(texts: &mut Texts, text: &str, kind: SymbolKind, ordinal: u64, line: u32) -> Def {
    let name = texts.add(text);
    Def {
        flags: DefFlags::EXPORTED,
        parent: (kind != SymbolKind::Module).then_some(DefIx::MODULE),
        key: stable_hash(&[text.as_bytes(), &[kind as u8], &ordinal.to_le_bytes()]),
        span: Span { start_line: line, end_line: line + 1, ..Span::default() },
        line,
        fingerprint: ordinal,
        ..Def::new(name, kind)
    }
}

pub fn facts(spec: &Spec) -> Facts {
    let mut texts = Texts(Arena::default());
    let mut body_texts = Texts(Arena::default());
    let mut defs = vec![def(&mut texts, "module", SymbolKind::Module, 0, 1)];
    let mut refs = Vec::new();
    let mut seen: BTreeMap<u8, u64> = BTreeMap::new();
    for (number, calls) in &spec.defs {
        let ordinal = seen.entry(*number).or_default();
        let line = u32::from(spec.padding) + 2 * defs.len() as u32;
        defs.push(def(&mut texts, &name(*number), SymbolKind::Function, *ordinal, line));
        *ordinal += 1;
        for call in calls {
            refs.push(Ref {
                scope: DefIx(defs.len() as u32 - 1),
                form: RefForm::Call,
                name: body_texts.add(&name(*call)),
                recv: None,
                args: 0,
                given: None,
                line,
                at: 0,
            });
        }
    }
    let imports = spec
        .imports
        .iter()
        .map(|number| Import {
            scope: DefIx::MODULE,
            kind: ImportKind::Module,
            module: texts.add(path(*number).as_str()),
            name: None,
            local: None,
            reexport: false,
            condition: None,
            line: 1,
        })
        .collect();
    let package = spec.package.map(|number| texts.add(&format!("package{number}")));
    let mut public: Vec<u8> = spec.defs.iter().map(|(number, _)| *number).collect();
    public.push(spec.package.unwrap_or(255));
    Facts {
        outline: Outline {
            lang: if spec.imports.len() > 1 { Lang::Go } else { Lang::Python },
            arena: texts.0,
            defs,
            imports,
            exports: Vec::new(),
            package,
            manifest: None,
            lines: 10,
            errors: 0,
            interface: stable_hash(&[&public]),
        },
        body: Body { arena: body_texts.0, refs, bindings: Vec::new(), prose: Vec::new() },
    }
}

pub fn facts_key(spec: &Spec) -> FactsKey {
    FactsKey { lang: Lang::Python, content: ContentHash::of(format!("{spec:?}").as_bytes()) }
}

pub fn row(number: u8, node: &Node) -> FileRow {
    let state = match node {
        Node::Code(spec) => FileState::Indexed(facts_key(spec)),
        Node::Skipped => FileState::Skipped(SkipReason::Binary),
        Node::Failed(content) => {
            FileState::Failed(FactsKey { lang: Lang::Rust, content: ContentHash::of(&[*content]) })
        }
    };
    FileRow { path: path(number), state, size: 10 }
}

pub fn update(number: u8, node: Option<&Node>) -> FileUpdate {
    FileUpdate {
        path: path(number),
        row: node.map(|node| row(number, node)),
        stat: node.map(|_| StatHint { size: 10, mtime_ns: 1, ctime_ns: 2, inode: 3, read_ns: 4 }),
        facts: match node {
            Some(Node::Code(spec)) => Some(Arc::new(facts(spec))),
            _ => None,
        },
    }
}

pub fn postings(number: u8, spec: &Spec) -> Vec<Posting> {
    let facts = facts(spec);
    let file = FileId::of(&path(number));
    let mut out = BTreeSet::new();
    for (at, def) in facts.outline.iter() {
        let flags = def.kind as u16;
        let mut add = |term: &str, impact: u8| {
            let term = term.chars().take(40).collect::<String>().into_boxed_str();
            out.insert(Posting { term, symbol: file.symbol(def.key), impact, flags });
        };
        add(facts.outline.str(def.name), 100);
        add("every", 7);
        for called in facts.body.refs.iter().filter(|called| called.scope == at) {
            add(&format!("calls {}", facts.body.arena.str(called.name)), 3);
        }
    }
    out.into_iter().collect()
}

/// Resolves a file of `tree`: a pure function of its facts and of the answers to the questions that it records.
pub fn resolve(view: &dyn View, tree: &Tree, number: u8) -> Resolved {
    let Some(Node::Code(spec)) = tree.get(&number) else { panic!("{number} has no facts") };
    let (path, facts) = (path(number), facts(spec));
    let file = FileId::of(&path);
    let mut asked = BTreeSet::new();
    let mut ask = |key: LookupKey<'_>| asked.insert(key.hash());
    let mut counts = ResolutionCounts::default();
    let mut edges: BTreeMap<_, BTreeSet<Edge>> = BTreeMap::new();
    let mut unresolved = BTreeSet::new();
    ask(LookupKey::Dir(path.dir()));
    let line_offset = view.files_in_dir(path.dir()).unwrap().len() as u32;
    ask(LookupKey::FileName(path.file_name()));
    let confidence = view.files_named(path.file_name()).unwrap().len() as u8;
    let mut sites = 0;
    if let Some(package) = facts.outline.package {
        let package = facts.outline.str(package);
        ask(LookupKey::Package(package));
        sites = view.files_of_package(package).unwrap().len() as u16;
    }
    let edge = |to, kind, resolution, strategy| Edge {
        to,
        kind,
        resolution,
        strategy: Strategy(strategy),
        confidence,
        line_offset,
        sites,
    };
    for called in &facts.body.refs {
        let name = facts.body.arena.str(called.name);
        ask(LookupKey::Name(name));
        let from = file.symbol(facts.outline.def(called.scope).unwrap().key);
        match view.named(name).unwrap() {
            Named::TooMany => {
                counts.unresolved += 1;
                unresolved.insert(name_mark(name));
            }
            Named::All(hits) if hits.is_empty() => counts.external += 1,
            Named::All(hits) => {
                let resolution = if hits.len() == 1 { Resolution::Exact } else { Resolution::Ambiguous };
                counts.ambiguous += 1;
                for hit in hits {
                    edges.entry(from).or_default().insert(edge(hit.symbol, EdgeKind::Call, resolution, 1));
                }
            }
        }
    }
    for import in &facts.outline.imports {
        let target = facts.outline.str(import.module);
        ask(LookupKey::Path(target));
        let target = FileId::of(&RelPath::new(target).unwrap());
        let Some(FileState::Indexed(_)) = view.file(target).unwrap().map(|row| row.state) else { continue };
        ask(LookupKey::Interface(target));
        let found = tree.iter().find(|(number, _)| FileId::of(&self::path(**number)) == target);
        let Some((_, Node::Code(spec))) = found else { panic!("the view has a file that the tree lacks") };
        let outline = self::facts(spec).outline;
        let to = target.symbol(outline.defs[0].key);
        let from = file.symbol(facts.outline.defs[0].key);
        let seen = edge(to, EdgeKind::Import, Resolution::Inferred, outline.interface as u8);
        edges.entry(from).or_default().insert(seen);
        counts.exact += 1;
    }
    Resolved {
        file: Some(file),
        edges: edges.into_iter().map(|(symbol, edges)| (symbol, edges.into_iter().collect())).collect(),
        asked: asked.into_iter().collect(),
        unresolved: unresolved.into_iter().collect(),
        counts,
    }
}

/// Makes `tree` what `after` is, as a daemon would.
pub fn fill(batch: &mut Batch<'_>, before: &Tree, after: &Tree) -> sdl_ledger::Result<()> {
    let numbers: BTreeSet<u8> = before.keys().chain(after.keys()).copied().collect();
    let changed: Vec<u8> = numbers.into_iter().filter(|n| before.get(n) != after.get(n)).collect();
    let updates: Vec<_> = changed.iter().map(|n| update(*n, after.get(n))).collect();
    let answers = batch.apply_files(&updates)?;
    let mut dirty: BTreeSet<u8> =
        changed.iter().filter(|n| matches!(after.get(n), Some(Node::Code(_)))).copied().collect();
    for file in batch.dependents(&answers)? {
        let number = after.keys().find(|n| FileId::of(&path(**n)) == file).copied();
        dirty.extend(number);
    }
    for number in dirty {
        let resolved = resolve(batch, after, number);
        batch.set_resolved(&resolved)?;
    }
    for number in changed {
        let of = |tree: &Tree| match tree.get(&number) {
            Some(Node::Code(spec)) => postings(number, spec).into_iter().collect(),
            _ => FilePostings::default(),
        };
        batch.set_postings(&of(before), &of(after))?;
    }
    Ok(())
}

/// Commits the step from `before` to `after`.
pub fn step(ledger: &Ledger, before: &Tree, after: &Tree) -> sdl_ledger::Result<Option<Version>> {
    ledger.write(Cause::Watch, None, 5, |batch| fill(batch, before, after))
}

/// Loads `tree` from scratch.
pub fn load(ledger: &Ledger, tree: &Tree) -> sdl_ledger::Result<Version> {
    let mut bulk = ledger.bulk()?;
    for (number, node) in tree {
        bulk.add_file(&update(*number, Some(node)))?;
    }
    bulk.files_done()?;
    for (number, node) in tree {
        if let Node::Code(spec) = node {
            let resolved = bulk.view(|view| resolve(view, tree, *number))?;
            bulk.add_resolved(&resolved)?;
            bulk.add_postings(&postings(*number, spec).into_iter().collect())?;
        }
    }
    bulk.finish(Cause::FirstIndex, None, 5)
}

/// Loads the step from `before` to `after` as a whole beside the newest version; `None` gives up before the end.
pub fn leap(
    ledger: &Ledger,
    before: &Tree,
    after: &Tree,
    finish: bool,
) -> sdl_ledger::Result<Option<Version>> {
    let numbers: BTreeSet<u8> = before.keys().chain(after.keys()).copied().collect();
    let (changed, kept): (Vec<u8>, Vec<u8>) =
        numbers.into_iter().partition(|n| before.get(n) != after.get(n));
    let id = |number: u8| FileId::of(&path(number));
    let paths: Vec<RelPath> = changed.iter().map(|n| path(*n)).collect();
    let gone: Vec<FileId> = paths.iter().map(FileId::of).collect();
    let mut bulk = ledger.bulk_next()?;
    ledger.read(soon(), |newest| {
        kept.iter().try_for_each(|n| bulk.keep_file(newest, id(*n), None))?;
        bulk.keep_postings(newest, &gone)
    })?;
    for (number, node) in changed.iter().filter_map(|n| Some((*n, after.get(n)?))) {
        bulk.add_file(&update(number, Some(node)))?;
        if let Node::Code(spec) = node {
            bulk.add_postings(&postings(number, spec).into_iter().collect())?;
        }
    }
    bulk.files_done()?;
    let mut dirty: BTreeSet<u8> = changed.into_iter().collect();
    ledger.read(soon(), |newest| {
        let keys = bulk.changed_keys(newest, &paths.iter().collect::<Vec<_>>(), &|_| Ok(None))?;
        let asking = newest.dependents(&keys)?;
        dirty.extend(kept.iter().filter(|n| asking.contains(&id(**n))));
        let clean = kept.iter().filter(|n| !dirty.contains(n));
        clean.into_iter().try_for_each(|n| bulk.keep_resolved(newest, id(*n)))
    })?;
    for number in dirty {
        if let Some(Node::Code(_)) = after.get(&number) {
            bulk.add_resolved(&bulk.view(|view| resolve(view, after, number))?)?;
        }
    }
    if finish { bulk.finish_next(Cause::Reconcile, None, 5).map(Some) } else { Ok(None) }
}

pub fn dump(ledger: &Ledger) -> String {
    let mut out = Vec::new();
    ledger.dump(&mut out, sdl_ledger::DumpOptions::ALL).unwrap();
    String::from_utf8(out).unwrap()
}

pub fn no_findings(ledger: &Ledger) {
    let findings: Vec<_> = ledger.check().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(findings, [""; 0]);
}

/// A tree of `files` files that refer to one another.
pub fn sample(files: u8) -> Tree {
    (0..files)
        .map(|n| {
            let spec = Spec {
                package: Some(n % 2),
                defs: vec![(n, vec![(n + 1) % files, 1]), (n + 1, vec![0])],
                imports: vec![(n + 1) % files],
                padding: 0,
            };
            (n, Node::Code(spec))
        })
        .collect()
}
