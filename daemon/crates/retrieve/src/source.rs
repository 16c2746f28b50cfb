//! One version, as a request sees it: the view, the outlines, and what the request has already looked at.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::rc::Rc;
use std::sync::Arc;

use sdl_ledger::View;
use sdl_model::facts::{Def, DefFlags, DefIx};
use sdl_model::{FactsKey, FileId, FileRow, Outline, SymbolId, SymbolKind};

use crate::Result;

/// Gives the outline stored under a key. Implemented over the facts store (with a bounded cache) and, in tests, over a map.
pub trait Outlines {
    /// The outline, or none if the store does not have it.
    fn outline(&self, key: FactsKey) -> sdl_ledger::Result<Option<Arc<Outline>>>;
}

impl<S: BuildHasher> Outlines for HashMap<FactsKey, Arc<Outline>, S> {
    fn outline(&self, key: FactsKey) -> sdl_ledger::Result<Option<Arc<Outline>>> {
        Ok(self.get(&key).cloned())
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
    /// The definition.
    pub fn def(&self) -> &Def {
        // `ix` was found in this very outline.
        &self.open.outline.defs[self.ix.0 as usize]
    }

    /// The outline it stands in.
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

    /// Whether it is a test or stands in a test file.
    pub fn is_test(&self) -> bool {
        self.def().flags.has(DefFlags::TEST) || crate::index::is_test_path(self.path())
    }

    /// The line that a person would name: that of its name.
    pub fn line(&self) -> u32 {
        self.def().line
    }
}

/// The symbols of one file's row, wherever that row comes from: also of a version that is past. Empty without facts.
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
    open: RefCell<HashMap<FileId, Option<Rc<OpenFile>>>>,
}

impl<'a> Source<'a> {
    /// Of a view and where its outlines are.
    pub fn new(view: &'a dyn View, outlines: &'a dyn Outlines) -> Self {
        Self { view, outlines, open: RefCell::default() }
    }

    /// The view.
    pub fn view(&self) -> &'a dyn View {
        self.view
    }

    /// Where outlines come from.
    pub fn outlines(&self) -> &'a dyn Outlines {
        self.outlines
    }

    /// Opens a symbol; none if this version does not have it.
    pub fn symbol(&self, id: SymbolId) -> Result<Option<Sym>> {
        let Some(file) = self.view.symbol_file(id)? else { return Ok(None) };
        let Some(open) = self.open(file)? else { return Ok(None) };
        Ok(open.outline.find(file, id).map(|ix| Sym { id, ix, open }))
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
