//! The range in which LMDB's pointers may be. LMDB takes lengths from the pages themselves, so a damaged page gives
//! slices that reach beyond the map; those are refused here, before they are read.

use lmdb_sys as ffi;

use super::{MAX_KEY, TableSpec};
use crate::Result;
use crate::codec::corrupt_record;

/// The header of a page.
const HEADER: usize = 16;

/// The map, as one transaction may see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Where the map begins.
    pub(super) start: usize,
    /// Where the last page of the transaction's version ends; for a writer, where the map ends.
    pub(super) end: usize,
    /// The size of a page.
    pub(super) page: usize,
    /// Whether this is a writer. Its changed pages are on the heap until it commits.
    pub(super) writes: bool,
}

impl Bounds {
    /// While nothing is known: when an environment is being opened.
    pub(super) const UNKNOWN: Self = Self { start: 0, end: usize::MAX, page: 1 << 16, writes: false };

    /// A key and its value.
    ///
    /// # Safety
    /// Both must have been filled by a successful call, and `'a` must not outlast the transaction or its next write.
    pub(super) unsafe fn row<'a>(
        &self,
        spec: TableSpec,
        key: &ffi::MDB_val,
        value: &ffi::MDB_val,
    ) -> Result<(&'a [u8], &'a [u8])> {
        if key.mv_size > MAX_KEY || !self.holds(key.mv_data as usize, key.mv_size) {
            return Err(out_of_bounds(spec));
        }
        // SAFETY: by the contract above, and inside the map or a page of the writer's.
        unsafe { Ok((value_bytes(key), self.value(spec, key, value)?)) }
    }

    /// A value of this key.
    ///
    /// # Safety
    /// As for [`Self::row`].
    unsafe fn value<'a>(
        &self,
        spec: TableSpec,
        key: &ffi::MDB_val,
        value: &ffi::MDB_val,
    ) -> Result<&'a [u8]> {
        let at = value.mv_data as usize;
        let fits = if self.is_mapped(at) {
            self.holds(at, value.mv_size)
        } else {
            // A short value follows its key. Other values have pages of their own.
            let in_page = key.mv_data as usize + key.mv_size == at;
            self.writes && (!in_page || value.mv_size <= self.page)
        };
        if value.mv_size > 0 && !fits {
            return Err(out_of_bounds(spec));
        }
        // SAFETY: by the contract above. On the heap the end is unknown, so the value must fit in a page.
        unsafe { Ok(value_bytes(value)) }
    }

    fn is_mapped(&self, at: usize) -> bool {
        (self.start..self.end).contains(&at)
    }

    fn holds(&self, at: usize, len: usize) -> bool {
        len == 0
            || self.is_mapped(at) && at.checked_add(len).is_some_and(|end| end <= self.end)
            || self.writes && !self.is_mapped(at)
    }
}

/// The start of the map, computed from a key in it: each page contains its number.
///
/// # Safety
/// `key` must have been filled by a successful call of a read transaction that is still open.
pub(super) unsafe fn map_start(key: &ffi::MDB_val, page: usize, last_page: usize) -> Option<usize> {
    let first = key.mv_data as usize;
    let at = first & !(page - 1);
    if key.mv_data.is_null() || first - at < HEADER {
        return None;
    }
    // SAFETY: LMDB pointed into this page, whose first word is its number.
    let number = unsafe { (at as *const usize).read() };
    if number > last_page { None } else { at.checked_sub(number * page) }
}

fn out_of_bounds(spec: TableSpec) -> crate::Error {
    corrupt_record(spec.name, "it reaches beyond the end of the file")
}

/// The bytes that LMDB pointed `val` to.
///
/// # Safety
/// As for [`Bounds::row`], and they must be there.
unsafe fn value_bytes<'a>(val: &ffi::MDB_val) -> &'a [u8] {
    if val.mv_data.is_null() || val.mv_size == 0 {
        return &[];
    }
    // SAFETY: by the contract above.
    unsafe { std::slice::from_raw_parts(val.mv_data.cast::<u8>(), val.mv_size) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: TableSpec = TableSpec { name: "t", generation: 0, item: 0, sealed: true };

    fn val(at: usize, len: usize) -> ffi::MDB_val {
        ffi::MDB_val { mv_size: len, mv_data: at as *mut _ }
    }

    #[test]
    fn what_reaches_beyond_the_map_is_damage() {
        let map = vec![7_u8; 8192];
        let start = map.as_ptr() as usize;
        let bounds = Bounds { start, end: start + 8192, page: 4096, writes: false };
        // SAFETY: a row that passes the check is inside `map`.
        let row = |key: ffi::MDB_val, value: ffi::MDB_val| unsafe { bounds.row(SPEC, &key, &value) };
        assert_eq!(row(val(start, 8), val(start + 8, 16)).unwrap().1, [7; 16]);
        assert_eq!(row(val(start, 8), val(start + 8192 - 9, 9)).unwrap().1, [7; 9]);
        for (key, value) in [
            (val(start, 8), val(start + 8192 - 9, 10)),
            (val(start, 8), val(start + 8, usize::MAX)),
            (val(start, 8), val(start + 8192, 1)),
            (val(start, 8), val(start - 1, 1)),
            (val(start, 512), val(start + 8, 1)),
            (val(start + 8190, 4), val(start, 1)),
        ] {
            assert!(row(key, value).is_err_and(|error| error.is_damage()));
        }
        let writes = Bounds { start: 1, end: 2, writes: true, ..bounds };
        let behind = val(start + 8, 4097);
        // SAFETY: as above.
        assert!(unsafe { writes.row(SPEC, &val(start, 8), &behind) }.is_err(), "longer than its page");
    }

    #[test]
    fn a_page_tells_where_the_map_begins() {
        let mut pages = vec![0_usize; 3 * 512 + 512];
        let first = (pages.as_ptr() as usize).next_multiple_of(4096);
        let third = (first - pages.as_ptr() as usize) / 8 + 1024;
        pages[third] = 2;
        let key = val(first + 2 * 4096 + 40, 8);
        // SAFETY: it points into `pages`.
        unsafe {
            assert_eq!(map_start(&key, 4096, 2), Some(first));
            assert_eq!(map_start(&key, 4096, 1), None, "no such page");
        }
    }
}
