//! Which tables travel: the content of a version, without its history, leases and hints. Totals don't, because they are counted
//! from the rows that arrive.

use sdl_model::{FileId, FileRow};

use super::rows::Row;
use crate::Result;
use crate::codec::{self, Public, id_at};
use crate::codec::{
    expand_edges, question_of_key, short_at, unpack_edges, unpack_in_edge, unpack_inclusions,
    unpack_item_hit, unpack_path_value, unpack_resolved,
};
use crate::env::Table;
use crate::ledger::{Sign, Tally};
use crate::tables::LedgerTables;

/// A table that travels. Its number is its place in [`TABLES`].
pub(crate) struct Travelling {
    name: &'static str,
    /// Finds the table.
    pub(crate) pick: fn(&LedgerTables) -> Table,
    /// Decodes a row and adds it to the totals. In a table of several, the value is one item.
    check: fn(&[u8], &[u8], &mut Tally) -> Result<()>,
}

macro_rules! travelling {
    ($($table:ident: $check:expr,)*) => {
        &[$(Travelling { name: stringify!($table), pick: |tables| tables.$table, check: $check },)*]
    };
}

/// In the order in which they travel. A new table goes to the end, because numbers are in the rows.
pub(crate) const TABLES: &[Travelling] = travelling! {
    files: check_file,
    paths: |key, value, _| unpack_path_value(key, value).map(drop),
    publics: |key, value, tally| {
        id_at("publics", key)?;
        tally.public(&codec::unpack_record::<Public>("publics", value)?, Sign::Plus);
        Ok(())
    },
    inclusions: |key, value, _| {
        check_id("inclusions", key)?;
        unpack_inclusions(value).map(drop)
    },
    file_names: |_, item, _| check_id("file_names", item),
    dirs: |_, item, _| check_id("dirs", item),
    packages: |_, item, _| check_id("packages", item),
    imports: |_, item, _| check_id("imports", item),
    names: |_, item, _| unpack_item_hit("names", item).map(drop),
    symbols: |_, item, _| unpack_item_hit("symbols", item).map(drop),
    out_edges: |key, value, tally| {
        check_id("out_edges", key)?;
        let packed = expand_edges("out_edges", value)?;
        tally.edges(unpack_edges("out_edges", &packed)?.len(), Sign::Plus);
        Ok(())
    },
    in_edges: |key, item, _| {
        check_id("in_edges", key)?;
        whole("in_edges", item).and_then(unpack_in_edge).map(drop)
    },
    resolved: |key, value, tally| {
        check_id("resolved", key)?;
        tally.resolved(unpack_resolved(value)?.counts, Sign::Plus);
        Ok(())
    },
    asked: |key, item, _| {
        question_of_key("asked", key)?;
        short_at("asked", item).map(drop)
    },
    postings: |_, item, _| whole::<{ codec::POSTING_ITEM }>("postings", item).map(drop),
    questions: |key, item, _| {
        check_id("questions", key)?;
        short_at("questions", item).map(drop)
    },
};

/// The table of a row.
pub(crate) fn table_of(row: &Row<'_>) -> Result<&'static Travelling> {
    let known = TABLES.get(usize::from(row.table));
    known.ok_or_else(|| codec::corrupt_record("chunk", format!("a row of table {}", row.table)))
}

impl Travelling {
    /// Decodes a row that came from elsewhere, all of it, and counts it.
    pub(crate) fn check_row(&self, table: Table, row: &Row<'_>, tally: &mut Tally) -> Result<()> {
        let odd = |why: &str| Err(codec::corrupt_record(self.name, why));
        if row.key.is_empty() || row.key.len() > crate::env::MAX_KEY {
            return odd("a key of odd size");
        }
        let size = table.spec.item;
        if size == 0 {
            return (self.check)(row.key, row.value, tally);
        }
        if row.value.is_empty() || !row.value.len().is_multiple_of(size) {
            return odd("items of odd size");
        }
        if !row.value.chunks(size).is_sorted_by(|one, next| one < next) {
            return odd("items that are not in order");
        }
        row.value.chunks(size).try_for_each(|item| (self.check)(row.key, item, tally))
    }
}

fn whole<'b, const N: usize>(table: &'static str, bytes: &'b [u8]) -> Result<&'b [u8; N]> {
    bytes.try_into().map_err(|_| codec::corrupt_record(table, "an item of odd size"))
}

fn check_id(table: &'static str, bytes: &[u8]) -> Result<()> {
    whole::<8>(table, bytes).map(drop)
}

fn check_file(key: &[u8], value: &[u8], tally: &mut Tally) -> Result<()> {
    let row: FileRow = codec::decode_record("files", value)?;
    if FileId::of(&row.path) != FileId(id_at("files", key)?) {
        return Err(codec::corrupt_record("files", "an id that is not that of its path"));
    }
    tally.row(&row, Sign::Plus);
    Ok(())
}
