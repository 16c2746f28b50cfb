//! The files of a batch: rows, paths, symbols, names.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sdl_model::{FactsKey, FileId, FileRow, FileState, Outline, RelPath, SymbolId};

use super::Batch;
use super::tally::Sign;
use crate::codec::{
    self, NAME_ITEM, Public, id_key, pack_home, path_value, symbol_key, text_key, unpack_resolved,
};
use crate::env::Reads;
use crate::{ChangedKeys, Error, FileUpdate, Invalidation, Result, SymbolHome};

/// One file, before and after.
struct Step<'u> {
    file: FileId,
    update: &'u FileUpdate,
    old: Option<FileRow>,
    was: Option<Public>,
    /// Its published part from now on.
    is: Option<Public>,
}

impl Step<'_> {
    /// The file's outlines before and after, if both are known.
    fn outlines(
        &self,
        outline_of: &dyn Fn(&FactsKey) -> Result<Option<Arc<Outline>>>,
    ) -> Result<Option<[Arc<Outline>; 2]>> {
        let Some(was) = self.old.as_ref().and_then(|old| old.state.facts()) else { return Ok(None) };
        let Some(is) = &self.update.facts else { return Ok(None) };
        Ok(outline_of(&was)?.map(|was| [was, Arc::new(is.outline.clone())]))
    }
}

type Listed<'s> = BTreeSet<(&'s str, [u8; NAME_ITEM])>;

fn listed_names(file: FileId, public: Option<&Public>) -> Listed<'_> {
    public.into_iter().flat_map(|public| public.listed(file)).collect()
}

impl Batch<'_> {
    /// Updates files, symbols and names, and tells which answers that changed. Files that are gone or no longer
    /// indexed lose their edges and questions here, and symbols that are gone their edges; every other file with new
    /// facts is to be resolved and handed to [`Self::set_resolved`], and so are the [`Self::dependents`].
    /// Of several updates of one path the last one counts.
    pub fn apply_files(&mut self, updates: &[FileUpdate]) -> Result<ChangedKeys> {
        self.apply_files_with(updates, &|_| Ok(None))
    }

    /// The same, where `outline_of` may give the outlines of files as they were, by the key of their facts. With these, fewer
    /// answers count as changed.
    pub fn apply_files_with(
        &mut self,
        updates: &[FileUpdate],
        outline_of: &dyn Fn(&FactsKey) -> Result<Option<Arc<Outline>>>,
    ) -> Result<ChangedKeys> {
        let steps = self.find_steps(updates)?;
        let mut changes = Invalidation::default();
        for step in &steps {
            changes.note_file(&step.update.path, [step.was.as_ref(), step.is.as_ref()], || {
                step.outlines(outline_of)
            })?;
        }
        let before = changes.name_answers(|name| self.rows().named(name))?;
        for step in &steps {
            self.take(step)?;
        }
        let after = changes.name_answers(|name| self.rows().named(name))?;
        Ok(changes.changed_keys(&before, &after))
    }

    /// Updates files, symbols and names as [`Self::apply_files`] does, for a caller who knows already which answers that changes.
    pub fn put_files(&mut self, updates: &[FileUpdate]) -> Result<()> {
        self.find_steps(updates)?.iter().try_for_each(|step| self.take(step))
    }

    /// The changes that updates make, by file.
    fn find_steps<'u>(&mut self, updates: &'u [FileUpdate]) -> Result<Vec<Step<'u>>> {
        let by_file: BTreeMap<FileId, &FileUpdate> =
            updates.iter().map(|update| (FileId::of(&update.path), update)).collect();
        let mut steps = Vec::with_capacity(by_file.len());
        for (file, update) in by_file {
            if let Some(step) = self.step(file, update)? {
                steps.push(step);
            }
        }
        Ok(steps)
    }

    /// The change that an update makes; none if it changes nothing.
    fn step<'u>(&mut self, file: FileId, update: &'u FileUpdate) -> Result<Option<Step<'u>>> {
        match (&update.row, &update.stat) {
            (Some(row), _) if row.path != update.path => {
                return Err(Error::Misuse("an update's row has another path than the update"));
            }
            (Some(_), Some(stat)) => self.set_stat_only(&update.path, stat)?,
            (Some(_), None) => {}
            (None, _) => {
                self.hints |= self.txn.delete(self.tables.stats, &id_key(file.0))?;
            }
        }
        let rows = self.rows();
        let (old, was) = (rows.file(file)?, rows.public(file)?);
        let is = match (update.row.as_ref().map(|row| &row.state), &update.facts) {
            (Some(FileState::Indexed(_)), Some(facts)) => Some(Public::of_facts(file, facts)),
            (Some(FileState::Indexed(key)), None) => {
                let same = old.as_ref().and_then(|old| old.state.facts()) == Some(*key);
                if !same || was.is_none() {
                    return Err(Error::Misuse("an indexed file came without its facts"));
                }
                was.clone()
            }
            _ => None,
        };
        let nothing = old == update.row && was == is;
        Ok((!nothing).then_some(Step { file, update, old, was, is }))
    }

    fn take(&mut self, step: &Step<'_>) -> Result<()> {
        let Step { file, update, old, was, is } = step;
        self.take_row(*file, old.as_ref(), update.row.as_ref(), &update.path)?;
        if was == is {
            return Ok(());
        }
        self.derived = true;
        self.take_groups(*file, &update.path, was.as_ref(), is.as_ref())?;
        self.take_symbols(*file, was.as_ref(), is.as_ref())?;
        if is.is_none() {
            self.forget_resolution(*file)?;
        }
        Ok(())
    }

    fn take_row(
        &mut self,
        file: FileId,
        old: Option<&FileRow>,
        new: Option<&FileRow>,
        path: &RelPath,
    ) -> Result<()> {
        if old == new {
            return Ok(());
        }
        let tables = self.tables;
        self.files.entry(file).or_insert_with(|| old.cloned());
        if let Some(old) = old {
            self.tally.row(old, Sign::Minus);
        }
        if let Some(new) = new {
            self.tally.row(new, Sign::Plus);
            self.txn.put(tables.files, &id_key(file.0), &codec::encode_record("files", new)?)?;
            if old.is_none() {
                self.txn.put(tables.paths, &text_key(path.as_str()), &path_value(file.0, path.as_str()))?;
            }
        } else {
            self.txn.delete(tables.files, &id_key(file.0))?;
            self.txn.delete(tables.paths, &text_key(path.as_str()))?;
        }
        Ok(())
    }

    /// The file's place among those of its name, its folder, its package and its imports.
    fn take_groups(
        &mut self,
        file: FileId,
        path: &RelPath,
        was: Option<&Public>,
        is: Option<&Public>,
    ) -> Result<()> {
        let tables = self.tables;
        let item = id_key(file.0);
        if was.is_some() != is.is_some() {
            for (table, text) in [(tables.file_names, path.file_name()), (tables.dirs, path.dir())] {
                if is.is_some() {
                    self.txn.put(table, &text_key(text), &item)?;
                } else {
                    self.txn.delete_item(table, &text_key(text), &item)?;
                }
            }
        }
        let package = |public: Option<&Public>| public.and_then(|public| public.package.clone());
        let (old, new) = (package(was), package(is));
        if old != new {
            if let Some(old) = old {
                self.txn.delete_item(tables.packages, &text_key(&old), &item)?;
            }
            if let Some(new) = new {
                self.txn.put(tables.packages, &text_key(&new), &item)?;
            }
        }
        let imports = |public: Option<&Public>| -> BTreeSet<String> {
            public.into_iter().flat_map(|public| public.imports.iter().cloned()).collect()
        };
        let (old, new) = (imports(was), imports(is));
        for gone in old.difference(&new) {
            self.txn.delete_item(tables.imports, &text_key(gone), &item)?;
        }
        for module in new.difference(&old) {
            self.txn.put(tables.imports, &text_key(module), &item)?;
        }
        Ok(())
    }

    fn take_symbols(&mut self, file: FileId, was: Option<&Public>, is: Option<&Public>) -> Result<()> {
        let tables = self.tables;
        let kinds = |public: Option<&Public>| -> BTreeMap<_, _> {
            public.into_iter().flat_map(|public| &public.defs).map(|def| (def.symbol, def.kind)).collect()
        };
        let (old, new) = (kinds(was), kinds(is));
        for symbol in old.keys().filter(|symbol| !new.contains_key(symbol)) {
            self.place_symbol(*symbol, None)?;
            self.replace_edges(*symbol, &[])?;
        }
        for (symbol, kind) in new {
            if old.get(&symbol) != Some(&kind) {
                self.place_symbol(symbol, Some(SymbolHome { file, kind }))?;
            }
        }
        let (old, new) = (listed_names(file, was), listed_names(file, is));
        for (name, hit) in old.difference(&new) {
            self.txn.delete_item(tables.names, &text_key(name), hit)?;
        }
        for (name, hit) in new.difference(&old) {
            self.txn.put(tables.names, &text_key(name), hit)?;
        }
        if let Some(was) = was {
            self.tally.public(was, Sign::Minus);
        }
        if let Some(is) = is {
            self.tally.public(is, Sign::Plus);
            self.txn.put(tables.publics, &id_key(file.0), &codec::pack_record("publics", is)?)?;
        } else {
            self.txn.delete(tables.publics, &id_key(file.0))?;
        }
        match is.map(codec::pack_inclusions).transpose()?.flatten() {
            Some(inclusions) => self.txn.put(tables.inclusions, &id_key(file.0), &inclusions)?,
            None => drop(self.txn.delete(tables.inclusions, &id_key(file.0))?),
        }
        Ok(())
    }

    /// Replaces where a symbol is defined.
    fn place_symbol(&mut self, symbol: SymbolId, home: Option<SymbolHome>) -> Result<()> {
        let (table, key) = (self.tables.symbols, symbol_key(symbol.0));
        let item = |SymbolHome { file, kind }| pack_home(symbol, file, kind);
        if let Some(old) = self.rows().symbol_home(symbol)? {
            self.txn.delete_item(table, &key, &item(old))?;
        }
        home.map_or(Ok(()), |home| self.txn.put(table, &key, &item(home)))
    }

    /// Removes what resolving the file left; its symbols, and with them their edges, are gone already.
    fn forget_resolution(&mut self, file: FileId) -> Result<()> {
        let tables = self.tables;
        let Some(row) = self.txn.get(tables.resolved, &id_key(file.0))? else { return Ok(()) };
        self.tally.resolved(unpack_resolved(row)?.counts, Sign::Minus);
        self.replace_questions(file, &[])?;
        self.txn.delete(tables.resolved, &id_key(file.0))?;
        Ok(())
    }
}
