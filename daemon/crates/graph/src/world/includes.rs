//! Files that include each other as text, without opening them: hundreds of them see a name, and few define it.

use std::collections::BTreeMap;
use std::rc::Rc;

use sdl_ledger::LookupKey;
use sdl_model::facts::{DefIx, Inclusion};
use sdl_model::{FileId, Outline, RelPath, SymbolKind};

use super::closure::{Closure, Definers, Includer, Kinds, Paths};
use super::{FileIndex, FileIx, Sym, World};

/// If more definitions than this have a name, the files in question are looked at instead. For example, thousands of files
/// define `probe`.
const LOOK: usize = 1_024;

impl World<'_> {
    /// The files that a file includes, as written. None for one that is not of C or C++.
    pub(crate) fn includer(&self, id: FileId) -> Option<Rc<Includer>> {
        if let Some((ask, answer)) = self.included.files.borrow().get(&id.0) {
            self.tracker.ask(*ask);
            return answer.clone();
        }
        let ask = self.new_ask(LookupKey::Inclusions(id));
        self.tracker.ask(ask);
        let answer = self.read_includer(id).map(Rc::new);
        self.included.files.borrow_mut().insert(id.0, (ask, answer.clone()));
        answer
    }

    fn read_includer(&self, id: FileId) -> Option<Includer> {
        let path = self.path_of(id)?;
        let (lang, inclusions) = match self.or_note(self.view.inclusions(id), None) {
            Some(recorded) => recorded,
            None => {
                let index = self.file(self.index_quietly(id)?);
                (index.lang(), index.outline.inclusions())
            }
        };
        lang.includes_text().then(|| self.make_includer(path, &inclusions))
    }

    /// The texts get their numbers once here, because each is looked up in hundreds of closures.
    fn make_includer(&self, path: RelPath, inclusions: &[Inclusion]) -> Includer {
        let inclusions = inclusions.iter().map(|one| (self.sym(&one.text), one.taken)).collect();
        Includer { path, inclusions }
    }

    /// The indexed files with this last part, with their paths.
    pub(crate) fn paths_named(&self, name: &str) -> Paths {
        let files = self.files_named(name);
        if let Some(known) = self.included.paths.borrow().get(name) {
            return Rc::clone(known);
        }
        let paths: Paths = files.iter().filter_map(|id| Some((self.path_of(*id)?, *id))).collect();
        self.included.paths.borrow_mut().insert(name.into(), Rc::clone(&paths));
        paths
    }

    /// The included files that define `name` in no scope as one of these kinds, with their places, in order.
    pub(crate) fn included_at_top(&self, closure: &Closure, name: Sym, kinds: Kinds) -> Vec<(usize, FileIx)> {
        self.included_with(closure, name, kinds, |file| file.publishes_at_top(name, kinds))
    }

    /// The included files that define `name` in some scope, but not as a field alone, with their places, in order.
    pub(crate) fn included_anywhere(&self, closure: &Closure, name: Sym) -> Vec<(usize, FileIx)> {
        self.included_with(closure, name, Kinds::of(SymbolKind::is_free), |file| file.publishes(name))
    }

    /// Those of the included files in which `defines` finds the name as one of `kinds`, none of them a field. It may look only at
    /// whether, where and as what the file defines the name.
    fn included_with(
        &self,
        closure: &Closure,
        name: Sym,
        kinds: Kinds,
        defines: impl Fn(&FileIndex) -> bool,
    ) -> Vec<(usize, FileIx)> {
        self.ask_included(name);
        let mut found: Vec<(usize, FileId)> = match self.definers(name) {
            Some(files) => {
                let files = files.iter().filter(|(_, of_file)| of_file.meets(kinds));
                files.filter_map(|(file, _)| Some((closure.place(*file)?, *file))).collect()
            }
            None => closure.files().iter().copied().enumerate().collect(),
        };
        found.sort_unstable();
        let fits = |(place, file): (usize, FileId)| {
            let quiet = self.index_quietly(file)?;
            if !defines(&self.file(quiet)) {
                return None;
            }
            Some((place, self.open(file)?))
        };
        found.into_iter().filter_map(fits).collect()
    }

    /// Takes the inclusions of a file that the view does not contain from its outline.
    pub(super) fn begin_includer(&self, id: FileId, path: &RelPath, outline: &Outline) {
        let is_one = outline.lang.includes_text();
        let includer = is_one.then(|| Rc::new(self.make_includer(path.clone(), &outline.inclusions())));
        let ask = self.new_ask(LookupKey::Inclusions(id));
        self.included.files.borrow_mut().insert(id.0, (ask, includer));
    }

    /// Records that `name` is looked for in the text of other files: if one of them was opened, its answer changes with the
    /// definitions of this name.
    pub(crate) fn ask_included(&self, name: Sym) {
        self.ask_once((None, name), |_, name| LookupKey::Included(name));
    }

    /// Records that a member `name` of the type `of` in `file` is looked for. No need where a change of the file's types concerns
    /// all that opened it.
    pub(crate) fn ask_member(&self, file: &FileIndex, of: DefIx, name: Sym) {
        if file.outline.finds_members_by_name() {
            self.ask_once((file.name(of), name), |of, name| LookupKey::Member { of, name });
        }
    }

    /// Records a question after a name, perhaps in a type of a name.
    fn ask_once(&self, of: (Option<Sym>, Sym), question: impl for<'t> Fn(&'t str, &'t str) -> LookupKey<'t>) {
        let known = self.included.asks.borrow().get(&of).copied();
        let ask = known.unwrap_or_else(|| {
            let of_type = of.0.map(|of| self.text(of));
            let ask = self.new_ask(question(of_type.as_deref().unwrap_or_default(), &self.text(of.1)));
            self.included.asks.borrow_mut().insert(of, ask);
            ask
        });
        self.tracker.ask(ask);
    }

    /// The files that define a name in some place. Records no question.
    fn definers(&self, name: Sym) -> Definers {
        if let Some(known) = self.included.definers.borrow().get(&name) {
            return known.clone();
        }
        let hits = self.or_note(self.view.named_up_to(&self.text(name), LOOK + 1), Vec::new());
        let answer = (hits.len() <= LOOK).then(|| {
            let mut files: BTreeMap<FileId, Kinds> = BTreeMap::new();
            for hit in &hits {
                let kinds = files.entry(hit.file).or_default();
                *kinds = kinds.with(hit.kind);
            }
            files.into_iter().collect()
        });
        self.included.definers.borrow_mut().insert(name, answer.clone());
        answer
    }
}
