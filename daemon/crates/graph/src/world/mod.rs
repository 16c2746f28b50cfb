//! The facts about other files that resolving one file may use.
//!
//! Invariant: no other part of this crate reads a [`View`]. A fact about another file enters through one of the
//! questions of [`LookupKey`], and each one asked is recorded, also when the answer is "no": that is what makes
//! incremental resolution equal to resolution from scratch.

mod closure;
mod cuts;
mod includes;
mod index;
mod kept;
mod kept_closures;
mod kept_outcomes;
mod memo;
mod memos;
mod outlines;
mod questions;
mod stamps;
pub(crate) mod steps;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use sdl_ledger::{Error, LookupKey, NameHit, Named, Result, View};
use sdl_model::facts::{DefFlags, DefIx, Import};
use sdl_model::ids::FileId;
use sdl_model::{FactsKey, Lang, Outline, RelPath};

pub(crate) use closure::{Closure, Kinds};

/// The file that is included; none outside of the repository.
pub(crate) type Inclusion = Option<FileId>;

pub(crate) use index::{FileIndex, last_name};
use kept::KeptIndex;
pub use kept::KeptIndexes;
pub(crate) use kept_outcomes::{Asked, Counted, KeptEdge, KeptFile, KeptOutcome, KeptScope, Seen};
pub use memo::Limits;
pub(crate) use memo::Memo;
pub(crate) use memo::{AskIx, Noted};
use memo::{KeptAnswer, Tracker, Turn};
use memos::Memos;
pub use outlines::{Outlines, SharedOutline};
pub(crate) use questions::Question;

pub(crate) use crate::values::{DefRef, FileIx, Sym};
use crate::values::{ModRef, Place};

use crate::hash::{NumberMap, sort_hashes};

/// About the bytes that a definition takes in an outline and its index, with its texts and the answers about it.
const DEFINITION: usize = 1_000;
/// The same for a file without definitions.
const FILE: usize = 4_000;

/// The definitions of a name, unless there are too many.
type Hits = Option<Rc<[NameHit]>>;
type Answers<T> = RefCell<HashMap<Box<str>, (AskIx, T), foldhash::fast::RandomState>>;

/// Finds a language's rules for modules.
pub(crate) type RulesOf = fn(Lang) -> &'static dyn ModuleRules;

/// How a language finds modules, and which names they export. Each default means that nothing is special.
///
/// Answers that depend on other files ask the world for them, which records the question.
#[allow(unused_variables, reason = "a default ignores its arguments")]
pub(crate) trait ModuleRules: Sync {
    // Modules.

    /// The module that `text` names in `scope` of the file `from`.
    fn module(&self, w: &World<'_>, from: FileIx, scope: DefIx, text: &str) -> Place {
        Place::Missing
    }

    /// The scope that decides the meaning of a module's name in `scope`.
    fn module_scope(&self, scope: DefIx) -> DefIx {
        DefIx::MODULE
    }

    /// The module that an import asks for, where that differs from its text.
    fn module_text(&self, import: &Import, text: &str) -> Option<String> {
        None
    }

    /// The default export of a module.
    fn default_export(&self, w: &World<'_>, at: FileIx) -> Place {
        Place::Missing
    }

    // Imports.

    /// The place that an import of `name` binds.
    fn import_name(&self, w: &World<'_>, from: FileIx, import: &Import, name: &str) -> Option<Place> {
        None
    }

    /// The place that an import of a module binds, such as the package `a` for Python's `import a.b`.
    fn import_module(&self, w: &World<'_>, from: FileIx, import: &Import) -> Option<Place> {
        None
    }

    /// The place that a wildcard import in `from` of the module `target` binds `name` to.
    fn wildcard(&self, w: &World<'_>, from: FileIx, target: ModRef, name: Sym) -> Option<Place> {
        None
    }

    /// Those among several imports of one name that a build takes, for example by `#[cfg(…)]` in Rust.
    fn built_imports(&self, w: &World<'_>, at: FileIx, file: &FileIndex, all: Vec<u32>) -> Vec<u32> {
        all
    }

    /// Wildcard imports in the order in which they are searched.
    fn built_first(&self, w: &World<'_>, at: FileIx, file: &FileIndex, all: Vec<u32>) -> Vec<u32> {
        all
    }

    // The names in a module.

    /// The meaning of `name` in the module that a file is.
    fn file_member(&self, w: &World<'_>, at: FileIx, name: Sym) -> Option<Place> {
        None
    }

    /// The meaning of `name` in a module inside a file.
    fn nested_member(&self, w: &World<'_>, module: DefRef, name: Sym) -> Option<Place> {
        None
    }

    /// The meaning of `name` in the module that a folder is, such as a Go package.
    fn folder_member(&self, w: &World<'_>, dir: &str, name: Sym) -> Place {
        Place::Missing
    }

    /// The meaning of `name` in the files of `lang` that declare a package, for example in Java.
    fn package_member(&self, w: &World<'_>, lang: Lang, package: Sym, name: Sym) -> Place {
        Place::Missing
    }

    // The names that a file sees.

    /// The definition of `name` that the language makes visible in `scope` of a file without an import.
    fn implicit(&self, w: &World<'_>, from: FileIx, scope: DefIx, name: Sym) -> Place {
        Place::Missing
    }

    /// The type `name` that a file sees, where a type and something else may share a name.
    fn tagged(&self, w: &World<'_>, from: FileIx, name: Sym) -> Place {
        Place::Missing
    }

    /// The meaning of `name` in the namespace that `dotted` spells out, seen from `scope` of a file.
    fn spelled(&self, w: &World<'_>, from: FileIx, scope: DefIx, dotted: &str, name: &str) -> Place {
        Place::Missing
    }

    /// The file that an import includes as text, where that can be found out without opening it.
    fn inclusion(&self, w: &World<'_>, from: FileIx, import: &Import) -> Option<Inclusion> {
        None
    }

    /// The meaning of the first part of a qualified name that nothing in the file has.
    fn root(&self, w: &World<'_>, from: FileIx, name: &str) -> Place {
        Place::Missing
    }

    // Declarations and builds.

    /// The definition that a linker takes for a function that is only declared.
    fn definition(&self, w: &World<'_>, declared: DefRef) -> Option<DefRef> {
        None
    }

    /// Whether a definition is for another system than the one of a default build.
    fn is_elsewhere(&self, w: &World<'_>, def: DefRef) -> bool {
        w.file(def.file).outline.def(def.def).is_some_and(|def| def.flags.has(DefFlags::LEFT_OUT))
    }
}

/// Lists of asks that answers share, by number: the parts of the file itself in it, and the hashes of the others.
pub(crate) type NamedLists = NumberMap<usize, (Vec<u64>, Arc<[u32]>)>;

/// The view of the repository's files that one batch shares. Use one per thread, and keep it for all files of the
/// batch.
pub struct World<'a> {
    view: &'a dyn View,
    outlines: &'a dyn Outlines,
    failure: RefCell<Option<Error>>,
    tracker: Tracker,
    ask_hashes: RefCell<Vec<u32>>,
    /// The asks about the file that is being resolved, with the parts that they are about.
    own_asks: RefCell<NumberMap<AskIx, u64>>,
    kept: RefCell<KeptIndexes>,
    files: RefCell<Vec<Rc<FileIndex>>>,
    /// For each of the files what it was made from and its weight; no facts if they are not stored.
    made_from: RefCell<Vec<(Option<FactsKey>, usize)>>,
    opened: RefCell<NumberMap<u64, (AskIx, Option<FileIx>)>>,
    indexed: RefCell<NumberMap<u64, Option<FileIx>>>,
    included: closure::Known,
    paths: Answers<Option<FileId>>,
    file_names: Answers<Rc<[FileId]>>,
    dirs: Answers<Rc<[FileId]>>,
    packages: Answers<Rc<[FileId]>>,
    names: RefCell<NumberMap<Sym, (AskIx, Hits)>>,
    /// The bytes that the opened files take, about.
    weight: Cell<usize>,
    rules: RulesOf,
    pub(crate) memos: Memos,
}

impl<'a> World<'a> {
    /// A world over `view` in which each language follows its rules.
    pub(crate) fn with_rules(
        view: &'a dyn View,
        outlines: &'a dyn Outlines,
        limits: Limits,
        rules: RulesOf,
    ) -> Self {
        Self {
            view,
            outlines,
            failure: RefCell::default(),
            tracker: Tracker::new(limits),
            ask_hashes: RefCell::default(),
            own_asks: RefCell::default(),
            kept: RefCell::default(),
            files: RefCell::default(),
            made_from: RefCell::default(),
            opened: RefCell::default(),
            indexed: RefCell::default(),
            included: closure::Known::default(),
            paths: RefCell::default(),
            file_names: RefCell::default(),
            dirs: RefCell::default(),
            packages: RefCell::default(),
            names: RefCell::default(),
            weight: Cell::new(0),
            rules,
            memos: Memos::default(),
        }
    }

    /// The rules of a language for modules.
    pub(crate) fn rules(&self, lang: Lang) -> &'static dyn ModuleRules {
        (self.rules)(lang)
    }

    /// How many bytes the opened files take, about.
    pub(crate) fn weight(&self) -> usize {
        self.weight.get()
    }

    /// Interns `text`.
    pub(crate) fn sym(&self, text: &str) -> Sym {
        self.kept.borrow_mut().texts.intern(text)
    }

    /// The text of `sym`.
    pub(crate) fn text(&self, sym: Sym) -> Arc<str> {
        self.kept.borrow().texts.text(sym)
    }

    /// Looks at these indexes before it makes new ones. For a world that has opened nothing.
    pub(crate) fn with_kept(mut self, kept: KeptIndexes) -> Self {
        if kept.outcomes.is_wanted() {
            self.tracker = self.tracker.with_notes();
        }
        self.kept = RefCell::new(kept);
        self
    }

    /// The indexes for the next world.
    pub(crate) fn into_kept(self) -> KeptIndexes {
        let Self { kept, files, made_from, memos, ask_hashes, .. } = self;
        let mut kept = kept.into_inner();
        kept.closures.put_back(memos.closures.into_inner(), &ask_hashes.into_inner());
        let used = files.into_inner().into_iter().zip(made_from.into_inner());
        kept.put_back(
            used.filter_map(|(index, (key, weight))| Some((Rc::try_unwrap(index).ok()?, key?, weight))),
        );
        kept
    }

    /// An opened file.
    pub(crate) fn file(&self, ix: FileIx) -> Rc<FileIndex> {
        steps::count_step();
        // Only `open` returns these numbers, and no file is ever removed.
        self.files.borrow()[ix.0 as usize].clone()
    }

    fn new_ask(&self, key: LookupKey<'_>) -> AskIx {
        self.new_ask_of(key.hash())
    }

    fn new_ask_of(&self, hash: u32) -> AskIx {
        let mut hashes = self.ask_hashes.borrow_mut();
        hashes.push(hash);
        hashes.len() as AskIx - 1
    }

    /// Whether it records what each scope of a file was resolved from.
    pub(crate) fn records_scopes(&self) -> bool {
        self.tracker.takes_notes()
    }

    /// The number of a question about a part of the file that is being resolved. No other file asks it, so it is not among
    /// those that [`Self::finish`] returns.
    pub(crate) fn new_own_ask(&self, part: u64) -> AskIx {
        let ask = self.new_ask_of(0);
        self.own_asks.borrow_mut().insert(ask, part);
        ask
    }

    /// Records a question about a part of the file that is being resolved.
    pub(crate) fn ask_own(&self, ask: AskIx) {
        self.tracker.ask(ask);
    }

    /// Takes the questions that were asked since the last time.
    pub(crate) fn take_noted(&self) -> Noted {
        self.tracker.take_noted()
    }

    /// The parts of the file itself and the hashes of the other questions among those noted. `lists` has the shared lists that were
    /// named before.
    pub(crate) fn name_asked(&self, noted: Noted, lists: &mut NamedLists) -> (Vec<u64>, Asked) {
        let (hashes, own) = (self.ask_hashes.borrow(), self.own_asks.borrow());
        let name = |asks: &[AskIx]| {
            let parts: Vec<u64> = asks.iter().filter_map(|ask| own.get(ask).copied()).collect();
            let others = asks.iter().filter(|ask| !own.contains_key(*ask));
            (parts, sort_hashes(others.filter_map(|ask| hashes.get(*ask as usize).copied()).collect()))
        };
        let (asks, groups) = noted.into_lists();
        let (mut parts, single) = name(&asks);
        let mut shared = Vec::with_capacity(groups.len());
        for (number, asks) in groups {
            let (more, list) = lists.entry(number).or_insert_with(|| {
                let (parts, hashes) = name(&asks);
                (parts, hashes.into())
            });
            parts.extend_from_slice(more);
            shared.push(Arc::clone(list));
        }
        (sort_hashes(parts), Asked { single: single.into(), shared: shared.into() })
    }

    /// Takes the outcomes of the file's last resolution, if they were kept.
    pub(crate) fn take_outcomes(&self, file: FileId) -> Option<KeptFile> {
        self.kept.borrow_mut().outcomes.take(file)
    }

    /// Keeps what a file's resolution came to.
    pub(crate) fn keep_outcomes(&self, file: FileId, kept: KeptFile) {
        self.kept.borrow_mut().outcomes.put(file, kept);
    }

    /// Takes the answer of `question` about included files over from the world before, if it was kept.
    pub(crate) fn recall_closure(&self, question: Question) {
        let Some((value, effort, asked)) = self.kept.borrow_mut().closures.take(&question) else { return };
        let asks = asked.iter().map(|hash| self.new_ask_of(*hash)).collect();
        let answer = KeptAnswer::of_parts(value, effort, asks);
        self.memos.closures.borrow_mut().entry(question).or_insert(answer);
    }

    fn or_note<T>(&self, result: Result<T>, otherwise: T) -> T {
        result.unwrap_or_else(|error| {
            self.failure.borrow_mut().get_or_insert(error);
            otherwise
        })
    }

    /// The indexed file at `path`, if there is one.
    pub(crate) fn path(&self, path: &str) -> Option<FileId> {
        if let Some((ask, answer)) = self.paths.borrow().get(path) {
            self.tracker.ask(*ask);
            return *answer;
        }
        let ask = self.new_ask(LookupKey::Path(path));
        self.tracker.ask(ask);
        let answer = RelPath::new(path).and_then(|rel| {
            let id = self.view.file_id(&rel);
            let row = self.or_note(self.view.file(id), None)?;
            row.state.facts().map(|_| id)
        });
        self.paths.borrow_mut().insert(path.into(), (ask, answer));
        answer
    }

    /// The path of a file that another answer named. An id is its path's hash, so this needs no question of its own.
    pub(crate) fn path_of(&self, id: FileId) -> Option<RelPath> {
        self.or_note(self.view.file(id), None).map(|row| row.path)
    }

    /// Opens the indexed file at `path`, if there is one.
    pub(crate) fn open_path(&self, path: &str) -> Option<FileIx> {
        self.open(self.path(path)?)
    }

    fn list(
        &self,
        answers: &Answers<Rc<[FileId]>>,
        key: LookupKey<'_>,
        text: &str,
        read: impl FnOnce() -> Result<Vec<FileId>>,
    ) -> Rc<[FileId]> {
        if let Some((ask, answer)) = answers.borrow().get(text) {
            self.tracker.ask(*ask);
            return answer.clone();
        }
        let ask = self.new_ask(key);
        self.tracker.ask(ask);
        let answer: Rc<[FileId]> = self.or_note(read(), Vec::new()).into();
        answers.borrow_mut().insert(text.into(), (ask, answer.clone()));
        answer
    }

    /// The indexed files with this last part.
    pub(crate) fn files_named(&self, name: &str) -> Rc<[FileId]> {
        self.list(&self.file_names, LookupKey::FileName(name), name, || self.view.files_named(name))
    }

    /// The indexed files directly in this folder.
    pub(crate) fn files_in_dir(&self, dir: &str) -> Rc<[FileId]> {
        self.list(&self.dirs, LookupKey::Dir(dir), dir, || self.view.files_in_dir(dir))
    }

    /// The files that declare this package.
    pub(crate) fn files_of_package(&self, package: &str) -> Rc<[FileId]> {
        self.list(&self.packages, LookupKey::Package(package), package, || {
            self.view.files_of_package(package)
        })
    }

    /// The definitions of a simple name. None if there are too many.
    pub(crate) fn named(&self, name: Sym) -> Hits {
        if let Some((ask, answer)) = self.names.borrow().get(&name) {
            self.tracker.ask(*ask);
            return answer.clone();
        }
        let text = self.text(name);
        let ask = self.new_ask(LookupKey::Name(&text));
        self.tracker.ask(ask);
        let answer = match self.or_note(self.view.named(&text), Named::TooMany) {
            Named::All(hits) => Some(hits.into()),
            Named::TooMany => None,
        };
        self.names.borrow_mut().insert(name, (ask, answer.clone()));
        answer
    }

    /// Opens a file's outline.
    pub(crate) fn open(&self, id: FileId) -> Option<FileIx> {
        if let Some((ask, answer)) = self.opened.borrow().get(&id.0) {
            self.tracker.ask(*ask);
            return *answer;
        }
        let answer = self.index_quietly(id);
        let ask = self.new_ask(LookupKey::Interface(id));
        self.tracker.ask(ask);
        self.opened.borrow_mut().insert(id.0, (ask, answer));
        answer
    }

    /// Opens a file's outline and records no question. For a caller that records which part of it matters.
    fn index_quietly(&self, id: FileId) -> Option<FileIx> {
        if let Some(known) = self.indexed.borrow().get(&id.0) {
            return *known;
        }
        let row = self.or_note(self.view.file(id), None);
        let answer = row.and_then(|row| {
            let key = row.state.facts()?;
            let kept = self.kept.borrow_mut().take(id, &key);
            if let Some(KeptIndex { weight, index, .. }) = kept {
                return Some(self.add_index(index, Some(key), weight));
            }
            let known = self.kept.borrow_mut().take_outline(id, &key);
            let outline = known.or_else(|| self.or_note(self.outlines.outline(&key), None))?;
            Some(self.add_file(id, row.path, outline, Some(key)))
        });
        self.indexed.borrow_mut().insert(id.0, answer);
        answer
    }

    fn add_file(&self, id: FileId, path: RelPath, outline: SharedOutline, key: Option<FactsKey>) -> FileIx {
        let weight = DEFINITION * outline.defs.len() + FILE;
        let index = FileIndex::build(id, path, outline, |text| self.sym(text));
        self.add_index(index, key, weight)
    }

    fn add_index(&self, index: FileIndex, key: Option<FactsKey>, weight: usize) -> FileIx {
        self.weight.set(self.weight.get() + weight);
        self.made_from.borrow_mut().push((key, weight));
        let mut files = self.files.borrow_mut();
        files.push(Rc::new(index));
        FileIx(files.len() as u32 - 1)
    }

    /// Starts the resolution of a file: forgets the questions recorded so far and makes sure that the file is open.
    pub(crate) fn begin(&self, id: FileId, path: &RelPath, outline: &Outline) -> FileIx {
        self.tracker.begin_file();
        if let Some(ix) = self.open(id) {
            return ix;
        }
        // The view does not contain the file: the facts that are resolved are not stored.
        self.begin_includer(id, path, outline);
        let ask = self.new_ask(LookupKey::Interface(id));
        let ix = self.add_file(id, path.clone(), SharedOutline::Outline(Arc::new(outline.clone())), None);
        self.opened.borrow_mut().insert(id.0, (ask, Some(ix)));
        self.indexed.borrow_mut().insert(id.0, Some(ix));
        ix
    }

    /// Starts a reference: its work is limited from here.
    pub(crate) fn begin_reference(&self) {
        self.tracker.begin_reference();
    }

    /// Whether the reference took too much work. Its result must then be discarded.
    pub(crate) fn is_spent(&self) -> bool {
        self.tracker.is_spent()
    }

    /// Counts one step of work.
    pub(crate) fn step(&self) -> bool {
        self.tracker.spend(1)
    }

    /// Ends a file. Returns the sorted hashes of all questions asked, or the error that occurred.
    pub(crate) fn finish(&self) -> Result<Vec<u32>> {
        if let Some(error) = self.failure.borrow_mut().take() {
            return Err(error);
        }
        let (hashes, own) = (self.ask_hashes.borrow(), self.own_asks.borrow());
        let others = self.tracker.take_record().into_iter().filter(|ask| !own.contains_key(ask));
        Ok(sort_hashes(others.filter_map(|ask| hashes.get(ask as usize).copied()).collect()))
    }

    /// Answers a derived question, from memory where possible. `none` is the answer where a cycle or a limit cuts it
    /// off.
    pub(crate) fn derive<T: Clone>(
        &self,
        memo: &Memo<T>,
        question: Question,
        none: T,
        compute: impl FnOnce() -> T,
    ) -> T {
        let turn = {
            let memo = memo.borrow();
            self.tracker.enter(question, memo.get(&question).map(|kept| &kept.0), none)
        };
        match turn {
            Turn::Known(value) => value,
            Turn::Compute => {
                let value = crate::stack::with_room(compute);
                if let Some(kept) = self.tracker.leave(&value) {
                    memo.borrow_mut().insert(question, KeptAnswer(kept));
                }
                value
            }
        }
    }
}
