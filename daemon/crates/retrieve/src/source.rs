//! One version, as a request sees it: the view, the outlines, and the files that the request has opened.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::rc::Rc;
use std::sync::Arc;

use sdl_ledger::{Brief, Briefs, View};
use sdl_model::facts::{Def, DefFlags, DefIx};
use sdl_model::{FactsKey, FileId, FileRow, Outline, RelPath, SymbolId, SymbolKind};

use crate::Result;
use crate::meaning::Meaning;
use crate::part::PartView;
use crate::past::{FindPast, NoPast, Past};

/// Returns the outline stored under a key. Implemented over the facts store (with a bounded cache) and, in tests, over
/// a map.
pub trait Outlines {
    /// The outline, or none if the store does not have it.
    fn outline(&self, key: FactsKey) -> sdl_ledger::Result<Option<Arc<Outline>>>;

    /// The entries in a list of the definitions. A store may have them without the outline.
    fn briefs(&self, key: FactsKey) -> sdl_ledger::Result<Option<Briefs>> {
        Ok(self.outline(key)?.map(|outline| Briefs::of(&outline)))
    }
}

fn brief_of(outline: &Outline, def: &Def) -> Brief {
    Brief {
        name: outline.str(def.name).to_owned(),
        qualified: outline.str(def.qualified).to_owned(),
        kind: def.kind,
        flags: def.flags,
        line: def.line,
    }
}

impl<S: BuildHasher> Outlines for HashMap<FactsKey, Arc<Outline>, S> {
    fn outline(&self, key: FactsKey) -> sdl_ledger::Result<Option<Arc<Outline>>> {
        Ok(self.get(&key).cloned())
    }
}

/// A symbol's entry in a list, for uses where opening its file would cost too much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    brief: Brief,
    path: RelPath,
}

impl Listed {
    /// As [`Sym::name`].
    pub fn name(&self) -> &str {
        if self.brief.name.is_empty() { self.path.stem() } else { &self.brief.name }
    }

    /// As [`Sym::qualified`].
    pub fn qualified(&self) -> &str {
        if self.brief.qualified.is_empty() { self.name() } else { &self.brief.qualified }
    }

    /// As [`Sym::path`].
    pub fn path(&self) -> &str {
        self.path.as_str()
    }

    /// As [`Sym::kind`].
    pub fn kind(&self) -> SymbolKind {
        self.brief.kind
    }

    /// As [`Sym::exported`].
    pub fn exported(&self) -> bool {
        self.brief.flags.has(DefFlags::EXPORTED)
    }

    /// As [`Sym::is_test`].
    pub fn is_test(&self) -> bool {
        self.brief.flags.has(DefFlags::TEST) || crate::index::is_test_path(self.path())
    }

    /// Whether it is a test that a runner runs, and not only code in a file of tests.
    pub fn is_test_case(&self) -> bool {
        self.kind().is_callable() && self.brief.flags.has(DefFlags::TEST)
    }

    /// As [`Sym::line`].
    pub fn line(&self) -> u32 {
        self.brief.line
    }
}

/// A file that a request has opened.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) id: FileId,
    pub(crate) row: FileRow,
    pub(crate) outline: Arc<Outline>,
}

/// A symbol that a request has opened: its file's outline and its place in it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Sym {
    /// Its id.
    pub id: SymbolId,
    /// Its definition's place.
    pub ix: DefIx,
    pub(crate) open: Rc<OpenFile>,
}

impl Sym {
    /// Another symbol of the same file.
    pub fn beside(&self, ix: DefIx) -> Option<Self> {
        let def = self.outline().def(ix)?;
        Some(Self { id: self.file().symbol(def.key), ix, open: Rc::clone(&self.open) })
    }

    /// The definition.
    pub fn def(&self) -> &Def {
        // `ix` was found in this very outline.
        &self.open.outline.defs[self.ix.0 as usize]
    }

    /// The outline it is in.
    pub fn outline(&self) -> &Outline {
        &self.open.outline
    }

    /// The file that defines it.
    pub fn file(&self) -> FileId {
        self.open.id
    }

    /// The file's row.
    pub fn row(&self) -> &FileRow {
        &self.open.row
    }

    /// The file's path.
    pub fn path(&self) -> &str {
        self.open.row.path.as_str()
    }

    /// Its simple name; a module goes by its file's stem.
    pub fn name(&self) -> &str {
        let def = self.def();
        let name = self.outline().str(def.name);
        if name.is_empty() { self.open.row.path.stem() } else { name }
    }

    /// Its name with its owners' inside the file.
    pub fn qualified(&self) -> &str {
        let qualified = self.outline().str(self.def().qualified);
        if qualified.is_empty() { self.name() } else { qualified }
    }

    /// Its kind.
    pub fn kind(&self) -> SymbolKind {
        self.def().kind
    }

    /// Whether other files can see it.
    pub fn exported(&self) -> bool {
        self.def().flags.has(DefFlags::EXPORTED)
    }

    /// Whether it is a test or is in a test file.
    pub fn is_test(&self) -> bool {
        self.def().flags.has(DefFlags::TEST) || crate::index::is_test_path(self.path())
    }

    /// The line under which a person would look for it: that of its name.
    pub fn line(&self) -> u32 {
        self.def().line
    }
}

/// The symbols of one file's row, from any version, also a past one. Empty without facts.
pub(crate) fn symbols_in_row(outlines: &dyn Outlines, file: FileId, row: &FileRow) -> Result<Vec<Sym>> {
    let Some(key) = row.state.facts() else { return Ok(Vec::new()) };
    let Some(outline) = outlines.outline(key)? else { return Ok(Vec::new()) };
    Ok(symbols_in(&Rc::new(OpenFile { id: file, row: row.clone(), outline })))
}

fn symbols_in(open: &Rc<OpenFile>) -> Vec<Sym> {
    let symbol = |(ix, def): (DefIx, &Def)| Sym { id: open.id.symbol(def.key), ix, open: Rc::clone(open) };
    open.outline.iter().map(symbol).collect()
}

/// One version, as a request sees it. Holds every file that the request has opened until the request ends.
pub struct Source<'a> {
    view: &'a dyn View,
    outlines: &'a dyn Outlines,
    overlay: Option<u64>,
    meaning: Option<&'a Meaning>,
    past: Option<&'a FindPast<'a>>,
    part: Option<&'a PartView<'a>>,
    open: RefCell<HashMap<FileId, Option<Rc<OpenFile>>>>,
    listing: RefCell<Listing>,
}

/// The files whose symbols a request has listed without opening them, because many of a list are in one file.
#[derive(Default)]
struct Listing {
    files: HashMap<FileId, Option<Rc<ListedFile>>>,
    bytes: usize,
}

/// One of them.
struct ListedFile {
    path: RelPath,
    briefs: Briefs,
}

/// Most bytes of files that are kept for lists. When they are reached, all are forgotten.
const MOST_LISTED: usize = 16 << 20;

impl<'a> Source<'a> {
    /// A source of `view`, with `outlines` from the given store.
    pub fn new(view: &'a dyn View, outlines: &'a dyn Outlines) -> Self {
        Self {
            view,
            outlines,
            overlay: None,
            meaning: None,
            past: None,
            part: None,
            open: RefCell::default(),
            listing: RefCell::default(),
        }
    }

    /// A source of the files that a first index has read so far. Searches read names alone, because there are no postings.
    pub fn of_part(view: &'a PartView<'a>, outlines: &'a dyn Outlines) -> Self {
        Self { part: Some(view), ..Self::new(view, outlines) }
    }

    pub(crate) fn part(&self) -> Option<&'a PartView<'a>> {
        self.part
    }

    /// The same with a model for search by meaning.
    #[must_use]
    pub fn with_meaning(self, meaning: Option<&'a Meaning>) -> Self {
        Self { meaning, ..self }
    }

    /// The same with the commits before the version.
    #[must_use]
    pub fn with_past(self, past: &'a FindPast<'a>) -> Self {
        Self { past: Some(past), ..self }
    }

    pub(crate) fn past(&self) -> std::result::Result<Arc<Past>, NoPast> {
        self.past.map_or(Err(NoPast::None), |find| find())
    }

    pub(crate) fn meaning(&self) -> Option<&'a Meaning> {
        self.meaning
    }

    /// The outline under a key, without caching it.
    pub(crate) fn outline(&self, key: FactsKey) -> Result<Option<Arc<Outline>>> {
        Ok(self.outlines.outline(key)?)
    }

    /// The same with unsaved buffers laid over the version. The number distinguishes them from other buffers over it.
    #[must_use]
    pub fn with_overlay(self, seq: u64) -> Self {
        Self { overlay: Some(seq), ..self }
    }

    /// The number of the unsaved buffers laid over the version.
    pub fn overlay(&self) -> Option<u64> {
        self.overlay
    }

    /// The view.
    pub fn view(&self) -> &'a dyn View {
        self.view
    }

    /// The source of the outlines.
    pub fn outlines(&self) -> &'a dyn Outlines {
        self.outlines
    }

    /// Opens a symbol; none if this version does not have it.
    pub fn symbol(&self, id: SymbolId) -> Result<Option<Sym>> {
        let Some(file) = self.view.symbol_file(id)? else { return Ok(None) };
        let Some(open) = self.open(file)? else { return Ok(None) };
        Ok(open.outline.find(file, id).map(|ix| Sym { id, ix, open }))
    }

    /// A symbol's entry in a list. None if this version does not have it.
    pub fn listed(&self, id: SymbolId) -> Result<Option<Listed>> {
        let Some(file) = self.view.symbol_file(id)? else { return Ok(None) };
        if let Some(Some(open)) = self.open.borrow().get(&file) {
            let def = open.outline.find(file, id).and_then(|ix| open.outline.defs.get(ix.0 as usize));
            let listed = |def| Listed { brief: brief_of(&open.outline, def), path: open.row.path.clone() };
            return Ok(def.map(listed));
        }
        let Some(listed) = self.listed_file(file)? else { return Ok(None) };
        let brief = listed.briefs.find(|key| file.symbol(key) == id)?;
        Ok(brief.map(|brief| Listed { brief, path: listed.path.clone() }))
    }

    fn listed_file(&self, file: FileId) -> Result<Option<Rc<ListedFile>>> {
        if let Some(known) = self.listing.borrow().files.get(&file) {
            return Ok(known.clone());
        }
        let mut found = None;
        if let Some(row) = self.view.file(file)?
            && let Some(key) = row.state.facts()
            && let Some(briefs) = self.outlines.briefs(key)?
        {
            found = Some(Rc::new(ListedFile { path: row.path, briefs }));
        }
        let mut listing = self.listing.borrow_mut();
        if listing.bytes > MOST_LISTED {
            *listing = Listing::default();
        }
        listing.bytes +=
            found.as_ref().map_or(0, |listed| listed.briefs.bytes() + listed.path.as_str().len());
        listing.files.insert(file, found.clone());
        Ok(found)
    }

    /// The symbols that a file defines, in order of the text; the first is the module. Empty for a file without facts.
    pub fn symbols_of(&self, file: FileId) -> Result<Vec<Sym>> {
        Ok(self.open(file)?.map(|open| symbols_in(&open)).unwrap_or_default())
    }

    /// The innermost symbol of a file at a line.
    pub fn symbol_at(&self, file: FileId, line: u32) -> Result<Option<Sym>> {
        let Some(open) = self.open(file)? else { return Ok(None) };
        let found = open
            .outline
            .iter()
            .filter(|(_, def)| def.kind != SymbolKind::Impl)
            .filter(|(ix, def)| {
                *ix == DefIx::MODULE || (def.span.start_line..=def.span.end_line).contains(&line)
            })
            .min_by_key(|(ix, def)| {
                let module = *ix == DefIx::MODULE;
                (module, def.span.end_line.saturating_sub(def.span.start_line), std::cmp::Reverse(*ix))
            })
            .map(|(ix, def)| (ix, file.symbol(def.key)));
        Ok(found.map(|(ix, id)| Sym { id, ix, open }))
    }

    pub(crate) fn open(&self, file: FileId) -> Result<Option<Rc<OpenFile>>> {
        if let Some(known) = self.open.borrow().get(&file) {
            return Ok(known.clone());
        }
        let mut opened = None;
        if let Some(row) = self.view.file(file)?
            && let Some(key) = row.state.facts()
            && let Some(outline) = self.outlines.outline(key)?
        {
            opened = Some(Rc::new(OpenFile { id: file, row, outline }));
        }
        self.open.borrow_mut().insert(file, opened.clone());
        Ok(opened)
    }
}
