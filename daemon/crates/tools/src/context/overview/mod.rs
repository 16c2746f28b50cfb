//! Overviews of a repository: a pure function of one version, made in one pass over its files.

mod layers;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;

use sdl_ledger::Briefs;
use sdl_model::facts::{Def, DefFlags};
use sdl_model::{FileId, Incarnation, Lang, Outline, SymbolId, SymbolKind};
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
    let mut pass = Pass { cx, folder_of: &folder_of, overview: Overview::default(), homes: HashMap::new() };
    for (file, path) in files.iter().filter(|(_, path)| scope.holds(path)) {
        cx.call.check()?;
        let Some(key) = cx.source.view().file(*file)?.and_then(|row| row.state.facts()) else { continue };
        if scope.graph {
            let Some(outline) = cx.source.outlines().outline(key)? else { continue };
            pass.file(*file, path, &outline)?;
        } else if let Some(briefs) = cx.source.outlines().briefs(key)? {
            pass.listed(*file, key.lang, &briefs)?;
        }
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
    /// Counts a file by the fields that a list shows, because they are cheaper to read than an outline.
    fn listed(&mut self, file: FileId, lang: Lang, briefs: &Briefs) -> Result<(), ToolError> {
        let name = self.folder_of.get(&file).copied().unwrap_or_default();
        let folder = self.overview.folders.entry(name.to_owned()).or_default();
        folder.count_file(lang);
        for row in briefs.rows()? {
            let row = row?;
            folder.count_symbol(row.kind, row.flags);
        }
        Ok(())
    }

    fn file(&mut self, file: FileId, path: &str, outline: &Outline) -> Result<(), ToolError> {
        let name = self.folder_of.get(&file).copied().unwrap_or_default();
        let mut folder = self.overview.folders.remove(name).unwrap_or_default();
        folder.count_file(outline.lang);
        for def in &outline.defs {
            folder.count_symbol(def.kind, def.flags);
        }
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
        if fan_in > 0 {
            push_bounded(&mut self.overview.hotspots, standout("fanIn"), |symbol| symbol.fan_in);
        }
        let top_level = def.parent.is_none_or(|parent| parent == sdl_model::facts::DefIx::MODULE);
        if def.kind.is_callable() && top_level {
            let why = match place.outline.str(def.name) {
                name if is_main(name) => Some("main"),
                // Nothing in the repository calls it, and it reaches into several files.
                _ if fan_in == 0 && targets.len() >= 3 => Some("uncalled"),
                _ => None,
            };
            if let Some(why) = why {
                push_bounded(&mut self.overview.entry_points, standout(why), |symbol| symbol.fan_out);
            }
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
