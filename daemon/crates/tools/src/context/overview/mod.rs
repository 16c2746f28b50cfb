//! Overviews of a repository: a pure function of one version. One pass over the files counts what they define, another looks
//! at edges. In a scope with very many symbols the second pass takes an even share of the files: what most depends on is seen
//! there too, and is then counted exactly.

mod layers;

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;

use sdl_ledger::Briefs;
use sdl_model::facts::{Def, DefFlags};
use sdl_model::{FactsKey, FileId, Incarnation, Lang, Outline, SymbolId, SymbolKind};
use sdl_retrieve::card::is_main;
use sdl_retrieve::index::is_test_path;

use crate::ToolError;
use crate::call::context::ReadCx;
use crate::call::memos::Recent;
use crate::call::stamp::Stamp;

pub(crate) use layers::folder_layers;

/// Maximum number of hotspots and most entry points that are kept.
const TOP: usize = 20;
/// Folder parts that make a folder of the overview: `django/db`, not `django/db/models/fields`.
const DEPTH: usize = 2;
/// Symbols that a share of the files depends on most, whose dependents are counted exactly.
const CANDIDATES: usize = 10 * TOP;

/// The totals of one folder and everything below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Folder {
    pub(crate) files: u64,
    pub(crate) symbols: u64,
    pub(crate) exported: u64,
    pub(crate) languages: BTreeMap<&'static str, u64>,
    /// Edges within the folder.
    pub(crate) inner: u64,
    /// Edges into other folders of the overview.
    pub(crate) out: BTreeMap<String, u64>,
}

/// A symbol that is listed as a hotspot or an entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Standout {
    pub(crate) id: SymbolId,
    pub(crate) name: String,
    pub(crate) kind: SymbolKind,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) fan_in: u64,
    pub(crate) fan_out: u64,
    pub(crate) why: &'static str,
}

/// The result of one pass.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overview {
    pub(crate) folders: BTreeMap<String, Folder>,
    /// Most depended on first.
    pub(crate) hotspots: Vec<Standout>,
    /// The symbols where execution starts.
    pub(crate) entry_points: Vec<Standout>,
    /// How many of how many files were asked for their edges, if not all.
    pub(crate) share: Option<(usize, usize)>,
}

/// The scope of the pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scope {
    /// Only files below one of these; empty means all.
    pub(crate) directories: Vec<String>,
    /// Whether to look at edges too, which costs most of the time.
    pub(crate) graph: bool,
}

impl Scope {
    /// Whether the file at `path` is in scope.
    pub(crate) fn holds(&self, path: &str) -> bool {
        self.directories.is_empty() || self.directories.iter().any(|dir| is_below(path, dir))
    }

    /// Returns the folder of the overview that a file counts for: two parts deep below the requested folder.
    fn folder<'p>(&self, path: &'p str) -> &'p str {
        let asked =
            self.directories.iter().filter(|dir| is_below(path, dir)).map(String::len).max().unwrap_or(0);
        let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
        let below = dir.get(asked..).unwrap_or("");
        let skip = usize::from(below.starts_with('/'));
        let mut ends = below.char_indices().skip(skip).filter(|(_, c)| *c == '/').map(|(at, _)| at);
        let end = ends.nth(DEPTH - 1).unwrap_or(below.len());
        dir.get(..asked + end).unwrap_or(dir)
    }
}

fn is_below(path: &str, dir: &str) -> bool {
    path.strip_prefix(dir).is_some_and(|rest| dir.is_empty() || rest.starts_with('/'))
}

/// Recent overviews, by everything they depend on: the ledger, its version with the overlay, and the scope.
#[derive(Default)]
struct Overviews(Recent<(Incarnation, Stamp, Scope), Arc<Overview>, 8>);

/// Surveys every file in scope.
pub(crate) fn survey_scope(cx: &ReadCx<'_>, scope: &Scope) -> Result<Arc<Overview>, ToolError> {
    if cx.part.is_some() {
        // A part grows, so what was computed from it is not kept.
        return build_overview(cx, scope).map(Arc::new);
    }
    let key = (cx.snapshot.incarnation(), cx.stamp(), scope.clone());
    let overviews = cx.call.memos.shared::<Overviews>();
    if let Some(known) = overviews.0.get(&key) {
        return Ok(known);
    }
    let made = Arc::new(build_overview(cx, scope)?);
    overviews.0.put(key, Arc::clone(&made));
    Ok(made)
}

fn build_overview(cx: &ReadCx<'_>, scope: &Scope) -> Result<Overview, ToolError> {
    let mut files: Vec<(FileId, String)> = Vec::new();
    cx.source.view().files_under("", &mut |file, path| {
        files.push((file, path.to_owned()));
        ControlFlow::Continue(())
    })?;
    let folder_of: HashMap<FileId, &str> = files
        .iter()
        .filter(|(_, path)| scope.holds(path))
        .map(|(file, path)| (*file, scope.folder(path)))
        .collect();
    let mut pass = Pass {
        cx,
        folder_of: &folder_of,
        overview: Overview::default(),
        homes: HashMap::new(),
        depended: None,
    };
    let mut parsed: Vec<(FileId, &str, FactsKey)> = Vec::new();
    for (file, path) in files.iter().filter(|(_, path)| scope.holds(path)) {
        cx.call.check()?;
        let Some(key) = cx.source.view().file(*file)?.and_then(|row| row.state.facts()) else { continue };
        if let Some(briefs) = cx.source.outlines().briefs(key)? {
            pass.count_symbols(*file, key.lang, &briefs)?;
        }
        parsed.push((*file, path, key));
    }
    if scope.graph {
        pass.look_at_edges(&parsed)?;
    }
    let mut overview = pass.overview;
    keep_top(&mut overview.hotspots, |symbol| symbol.fan_in);
    keep_top(&mut overview.entry_points, |symbol| symbol.fan_out);
    Ok(overview)
}

fn keep_top(symbols: &mut Vec<Standout>, by: impl Fn(&Standout) -> u64) {
    symbols.sort_by(|a, b| by(b).cmp(&by(a)).then_with(|| (&a.file, a.line).cmp(&(&b.file, b.line))));
    symbols.truncate(TOP);
}

struct Pass<'a> {
    cx: &'a ReadCx<'a>,
    folder_of: &'a HashMap<FileId, &'a str>,
    overview: Overview,
    /// The files of symbols that edges lead to, cached because few symbols have most of the edges.
    homes: HashMap<SymbolId, Option<FileId>>,
    /// The edges that lead to each symbol, where only a share of the files is asked.
    depended: Option<HashMap<SymbolId, u64>>,
}

impl Folder {
    fn count_file(&mut self, lang: Lang) {
        self.files += 1;
        *self.languages.entry(lang.name()).or_default() += 1;
    }

    fn count_symbol(&mut self, kind: SymbolKind, flags: DefFlags) {
        if !matches!(kind, SymbolKind::Impl | SymbolKind::Module) {
            self.symbols += 1;
            self.exported += u64::from(flags.has(DefFlags::EXPORTED));
        }
    }
}

impl Pass<'_> {
    /// Counts a file and its symbols by the fields that a list shows, because they are cheaper to read than an outline.
    fn count_symbols(&mut self, file: FileId, lang: Lang, briefs: &Briefs) -> Result<(), ToolError> {
        let name = self.folder_of.get(&file).copied().unwrap_or_default();
        let folder = self.overview.folders.entry(name.to_owned()).or_default();
        folder.count_file(lang);
        for row in briefs.rows()? {
            let row = row?;
            folder.count_symbol(row.kind, row.flags);
        }
        Ok(())
    }

    /// Looks at the edges of these files, or of an even share of them if they define too many symbols.
    fn look_at_edges(&mut self, files: &[(FileId, &str, FactsKey)]) -> Result<(), ToolError> {
        let symbols: u64 = self.overview.folders.values().map(|folder| folder.symbols).sum();
        let step = symbols.div_ceil(self.cx.repo.survey_limit().max(1)).max(1) as usize;
        if step > 1 {
            self.depended = Some(HashMap::new());
            self.overview.share = Some((files.len().div_ceil(step), files.len()));
        }
        for (file, path, key) in files.iter().step_by(step) {
            self.cx.call.check()?;
            let Some(outline) = self.cx.source.outlines().outline(*key)? else { continue };
            self.file(*file, path, &outline)?;
        }
        self.depended.take().map_or(Ok(()), |depended| self.count_dependents(depended))
    }

    /// Counts all edges that lead to the symbols which a share of the files depends on most.
    fn count_dependents(&mut self, depended: HashMap<SymbolId, u64>) -> Result<(), ToolError> {
        let mut depended: Vec<(SymbolId, u64)> = depended.into_iter().collect();
        depended.sort_unstable_by_key(|(id, edges)| (Reverse(*edges), *id));
        for (id, _) in depended.into_iter().take(CANDIDATES) {
            self.cx.call.check()?;
            let Some(symbol) = self.cx.source.symbol(id)? else { continue };
            let counts = !symbol.is_test()
                && !is_test_path(symbol.path())
                && !matches!(symbol.kind(), SymbolKind::Impl | SymbolKind::Module)
                && self.folder_of.contains_key(&symbol.file());
            if counts {
                let view = self.cx.source.view();
                self.overview.hotspots.push(Standout {
                    id,
                    name: symbol.qualified().to_owned(),
                    kind: symbol.kind(),
                    file: symbol.path().to_owned(),
                    line: symbol.line(),
                    fan_in: view.fan_in(id)?,
                    fan_out: view.out_edges(id)?.len() as u64,
                    why: "fanIn",
                });
            }
        }
        Ok(())
    }

    fn file(&mut self, file: FileId, path: &str, outline: &Outline) -> Result<(), ToolError> {
        let name = self.folder_of.get(&file).copied().unwrap_or_default();
        let mut folder = self.overview.folders.remove(name).unwrap_or_default();
        let test = is_test_path(path);
        for def in outline.defs.iter().filter(|def| def.kind != SymbolKind::Impl) {
            self.symbol(&mut folder, Place { file, path, folder: name, outline, test }, def)?;
        }
        self.overview.folders.insert(name.to_owned(), folder);
        Ok(())
    }

    fn symbol(&mut self, folder: &mut Folder, place: Place<'_>, def: &Def) -> Result<(), ToolError> {
        let id = place.file.symbol(def.key);
        let out = self.cx.source.view().out_edges(id)?;
        let mut targets: BTreeSet<FileId> = BTreeSet::new();
        for edge in &out {
            if let Some(depended) = &mut self.depended {
                *depended.entry(edge.to).or_default() += 1;
            }
            let home = match self.homes.entry(edge.to) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => *new.insert(self.cx.source.view().symbol_file(edge.to)?),
            };
            let Some(target) = home else { continue };
            targets.insert(target);
            match self.folder_of.get(&target) {
                Some(other) if *other == place.folder => folder.inner += 1,
                Some(other) => *folder.out.entry((*other).to_owned()).or_default() += 1,
                None => {}
            }
        }
        if def.kind == SymbolKind::Module || place.test || def.flags.has(DefFlags::TEST) {
            return Ok(());
        }
        let top_level = def.parent.is_none_or(|parent| parent == sdl_model::facts::DefIx::MODULE);
        let callable = def.kind.is_callable() && top_level;
        let main = callable && is_main(place.outline.str(def.name));
        let far = callable && targets.len() >= 3;
        if self.depended.is_some() && !main && !far {
            return Ok(());
        }
        let fan_in = self.cx.source.view().fan_in(id)?;
        let standout = |why| Standout {
            id,
            name: place.outline.str(def.qualified).to_owned(),
            kind: def.kind,
            file: place.path.to_owned(),
            line: def.line,
            fan_in,
            fan_out: out.len() as u64,
            why,
        };
        if fan_in > 0 && self.depended.is_none() {
            push_bounded(&mut self.overview.hotspots, standout("fanIn"), |symbol| symbol.fan_in);
        }
        // Nothing in the repository calls the second kind, and it reaches into several files.
        let why = if main { Some("main") } else { (far && fan_in == 0).then_some("uncalled") };
        if let Some(why) = why {
            push_bounded(&mut self.overview.entry_points, standout(why), |symbol| symbol.fan_out);
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct Place<'a> {
    file: FileId,
    path: &'a str,
    folder: &'a str,
    outline: &'a Outline,
    test: bool,
}

/// Keeps a list from growing with the repository: sorts it and cuts it when it is twice as long as needed.
fn push_bounded(list: &mut Vec<Standout>, symbol: Standout, by: impl Fn(&Standout) -> u64) {
    list.push(symbol);
    if list.len() >= 2 * TOP {
        keep_top(list, by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_count_for_folders_two_parts_deep() {
        let all = Scope::default();
        assert_eq!(all.folder("setup.py"), "");
        assert_eq!(all.folder("django/apps.py"), "django");
        assert_eq!(all.folder("django/db/models/fields/a.py"), "django/db");
        let some = Scope { directories: vec!["django/db".into()], graph: false };
        assert_eq!(some.folder("django/db/models/fields/x/a.py"), "django/db/models/fields");
        assert_eq!(some.folder("django/db/a.py"), "django/db");
        assert!(some.holds("django/db/a.py") && !some.holds("django/dbx/a.py"));
    }
}
