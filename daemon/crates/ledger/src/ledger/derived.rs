//! Data derived from the files of a batch: edges, questions, postings. Only differences are written.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::ControlFlow;

use sdl_model::{Edge, FileId, SymbolId};

use super::Batch;
use super::questions::{files_marked, find_dependents, questions_of};
use super::tally::Sign;
use crate::codec::{
    EDGE_LEN, LONG_TEXT, POSTING_ITEM, PackedInEdge, file_mark, id_at, id_key, in_edge_of, pack_edges,
    pack_posting, pack_resolved, question_key, short_item, shorten_edges, text_key, unpack_resolved,
};
use crate::env::Reads;
use crate::{ChangedKeys, Error, FilePostings, Resolved, Result};

/// The form in which the targets of packed edges store them.
pub(super) fn incoming_edges(from: SymbolId, packed: &[u8]) -> BTreeSet<(u64, PackedInEdge)> {
    packed.as_chunks::<EDGE_LEN>().0.iter().map(|edge| in_edge_of(from, edge)).collect()
}

/// A list as the contract of [`Resolved`] wants it: sorted, without doubles.
pub(super) fn in_order<T: Ord + Clone>(list: &[T]) -> Cow<'_, [T]> {
    if list.is_sorted_by(|a, b| a < b) {
        return Cow::Borrowed(list);
    }
    let mut list = list.to_vec();
    list.sort_unstable();
    list.dedup();
    Cow::Owned(list)
}

/// Whether a term can be a key.
pub(super) fn check_term(term: &str) -> Result<()> {
    if term.is_empty() || term.len() > LONG_TEXT {
        return Err(Error::Misuse("a search term must have 1 to 64 bytes"));
    }
    Ok(())
}

/// Changes of the postings of several files. Made together, they write each block of a term once.
#[derive(Default)]
pub struct PostingChanges {
    /// For each term the postings that differ, and whether they are there afterwards. Of several changes of one, the last counts.
    by_term: BTreeMap<Box<str>, Vec<([u8; POSTING_ITEM], bool)>>,
    len: usize,
}

impl PostingChanges {
    /// Notes how a file's postings differ: as for [`Batch::set_postings`].
    pub fn note_file(&mut self, old: &FilePostings, new: &FilePostings) -> Result<()> {
        new.terms.iter().try_for_each(|term| check_term(term))?;
        let (old, new): (BTreeSet<_>, BTreeSet<_>) = (old.iter().collect(), new.iter().collect());
        let gone = old.difference(&new).map(|posting| (*posting, false));
        for ((term, hit), is_kept) in gone.chain(new.difference(&old).map(|posting| (*posting, true))) {
            self.by_term.entry(term.into()).or_default().push((pack_posting(hit), is_kept));
            self.len += 1;
        }
        Ok(())
    }

    /// The number of changes.
    pub fn count(&self) -> usize {
        self.len
    }
}

impl Batch<'_> {
    /// The files that asked one of `keys`, sorted.
    pub fn dependents(&self, keys: &ChangedKeys) -> Result<Vec<FileId>> {
        find_dependents(&self.txn, self.tables, keys)
    }

    /// Replaces a file's edges, questions and counts. Edges of symbols that `resolved` does not name go. A file that
    /// is not indexed has none of these and is passed over.
    pub fn set_resolved(&mut self, resolved: &Resolved) -> Result<()> {
        let Some(file) = resolved.file else {
            return Err(Error::Misuse("a resolution came without its file"));
        };
        let (tables, key) = (self.tables, id_key(file.0));
        if self.txn.get(tables.publics, &key)?.is_none() {
            return Ok(());
        }
        let mut edges: Vec<(SymbolId, Cow<'_, [Edge]>)> = resolved
            .edges
            .iter()
            .filter(|(_, edges)| !edges.is_empty())
            .map(|(symbol, edges)| (*symbol, in_order(edges)))
            .collect();
        edges.sort_unstable_by_key(|(symbol, _)| *symbol);
        let (asked, unresolved) = (in_order(&resolved.asked), in_order(&resolved.unresolved));
        let sources = edges.iter().map(|(symbol, _)| symbol.0);
        let row = pack_resolved(resolved.counts, sources, &unresolved);

        let old_row = self.txn.get(tables.resolved, &key)?.map(<[u8]>::to_vec);
        let old = old_row.as_deref().map(unpack_resolved).transpose()?;
        for source in old.iter().flat_map(|old| old.sources()) {
            if edges.binary_search_by_key(&source, |(symbol, _)| symbol.0).is_err() {
                self.replace_edges(SymbolId(source), &[])?;
            }
        }
        let mut packed = Vec::new();
        for (symbol, edges) in &edges {
            packed.clear();
            pack_edges(edges, &mut packed);
            self.replace_edges(*symbol, &packed)?;
        }
        self.derived |= self.replace_questions(file, &asked)?;
        if old_row.as_ref() == Some(&row) {
            return Ok(());
        }
        self.derived = true;
        if let Some(old) = old {
            self.tally.resolved(old.counts, Sign::Minus);
        }
        self.tally.resolved(resolved.counts, Sign::Plus);
        self.txn.put(tables.resolved, &key, &row)
    }

    /// Replaces the questions that a resolved file asked; `asked` is sorted. Returns whether that changed them.
    pub(super) fn replace_questions(&mut self, file: FileId, asked: &[u32]) -> Result<bool> {
        let tables = self.tables;
        let before = questions_of(&self.txn, tables, file)?;
        let gone: Vec<u32> =
            before.iter().copied().filter(|hash| asked.binary_search(hash).is_err()).collect();
        let new: Vec<u32> =
            asked.iter().copied().filter(|hash| before.binary_search(hash).is_err()).collect();
        if gone.is_empty() && new.is_empty() {
            return Ok(false);
        }
        let mut changes: Vec<_> = gone
            .iter()
            .map(|hash| (short_item(*hash), false))
            .chain(new.iter().map(|hash| (short_item(*hash), true)))
            .collect();
        changes.sort_unstable();
        let changes: Vec<_> = changes.iter().map(|(item, is_kept)| (&item[..], *is_kept)).collect();
        self.txn.change_items(tables.questions, &id_key(file.0), &changes)?;
        let mark = short_item(file_mark(file));
        let kept = if gone.is_empty() { HashSet::new() } else { self.asked_under_mark(file)? };
        for hash in gone.iter().filter(|hash| !kept.contains(hash)) {
            self.txn.delete_item(tables.asked, &question_key(*hash), &mark)?;
        }
        for hash in new {
            self.txn.put(tables.asked, &question_key(hash), &mark)?;
        }
        Ok(true)
    }

    /// The questions that other files with the same mark asked.
    fn asked_under_mark(&self, file: FileId) -> Result<HashSet<u32>> {
        let mut asked = HashSet::new();
        for other in files_marked(&self.txn, self.tables, file_mark(file))? {
            if other != file {
                asked.extend(questions_of(&self.txn, self.tables, other)?);
            }
        }
        Ok(asked)
    }

    /// Replaces a symbol's outgoing edges by `new`, packed.
    pub(super) fn replace_edges(&mut self, symbol: SymbolId, new: &[u8]) -> Result<()> {
        let (tables, key) = (self.tables, id_key(symbol.0));
        let old = self.rows().packed_edges(symbol)?;
        if old == new {
            return Ok(());
        }
        let (was, is) = (incoming_edges(symbol, &old), incoming_edges(symbol, new));
        for (target, item) in was.difference(&is) {
            self.txn.delete_item(tables.in_edges, &id_key(*target), item)?;
        }
        for (target, item) in is.difference(&was) {
            self.txn.put(tables.in_edges, &id_key(*target), item)?;
        }
        if new.is_empty() {
            self.txn.delete(tables.out_edges, &key)?;
        } else {
            self.txn.put(tables.out_edges, &key, &shorten_edges(new))?;
        }
        self.tally.edges(old.len() / EDGE_LEN, Sign::Minus);
        self.tally.edges(new.len() / EDGE_LEN, Sign::Plus);
        self.edges.entry(symbol).or_insert(old);
        Ok(())
    }

    /// Replaces a file's postings. `old` are those that were stored for it before (a posting is a pure function of the
    /// file's facts and path), `new` are those it has now. Those that both would contain may be left out of both. Only differences
    /// are written.
    pub fn set_postings(&mut self, old: &FilePostings, new: &FilePostings) -> Result<()> {
        let mut changes = PostingChanges::default();
        changes.note_file(old, new)?;
        self.change_postings(changes)
    }

    /// Makes the changes that files noted.
    pub fn change_postings(&mut self, changes: PostingChanges) -> Result<()> {
        let table = self.tables.postings;
        for (term, mut items) in changes.by_term {
            items.sort_by_key(|(item, _)| *item);
            items.dedup_by(|later, kept| {
                let is_same = later.0 == kept.0;
                kept.1 = if is_same { later.1 } else { kept.1 };
                is_same
            });
            let items: Vec<_> = items.iter().map(|(item, is_kept)| (&item[..], *is_kept)).collect();
            self.derived |= self.txn.change_items(table, &text_key(&term), &items)?;
        }
        Ok(())
    }

    /// Removes all postings of symbols that nobody owns. For use when the facts are lost from which the stored postings
    /// could be computed. Looks at every posting.
    pub fn drop_orphan_postings(&mut self) -> Result<u64> {
        let tables = self.tables;
        let mut orphans = Vec::new();
        self.txn.scan(tables.postings, &[], &mut |term, item| {
            if self.rows().symbol_home(SymbolId(id_at("postings", item)?))?.is_none() {
                orphans.push((term.to_vec(), item.to_vec()));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        for (term, item) in &orphans {
            self.derived |= self.txn.delete_item(tables.postings, term, item)?;
        }
        Ok(orphans.len() as u64)
    }
}
