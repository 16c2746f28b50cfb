//! Checks a data file before LMDB maps it. It exists because LMDB trusts its pages: a page beyond the end of the file
//! is a SIGBUS, a page of garbage an abort. This walk trusts nothing, reads with plain reads, and reports the fault.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

const HEADER: usize = 16;
const META_LEN: usize = 8 + 8 + 8 + 48 * 2 + 8 + 8;
const DB_LEN: usize = 48;
const MAGIC: u32 = 0xBEEF_C0DE;
const NO_PAGE: u64 = u64::MAX;
const MAX_DEPTH: usize = 32;

const BRANCH: u16 = 0x01;
const LEAF: u16 = 0x02;
const OVERFLOW: u16 = 0x04;
const META: u16 = 0x08;
const LEAF2: u16 = 0x20;

const SUB_PAGE: u16 = 0x40;

const BIG_DATA: u16 = 0x01;
const SUB_DATA: u16 = 0x02;
const DUP_DATA: u16 = 0x04;

/// The fault, in words; or nothing.
type Sound = Result<(), String>;

/// The largest file that is walked at each start. A larger file is not walked after an orderly end, because that
/// would take seconds. Only its header is checked; checksums and bounds still guard every read.
const ALWAYS_WALKED: u64 = 64 << 20;

/// Checks `data.mdb` in `dir`: always its header and length, and every page in use if `deep`, if the file is small, or
/// if it is shorter than its header says. A sound file can be shorter, because unused pages at the end need not exist;
/// it is lengthened, so that everything that LMDB maps exists.
pub(super) fn probe_data_file(dir: &Path, deep: bool) -> Sound {
    if !cfg!(target_pointer_width = "64") {
        return Ok(());
    }
    let path = dir.join("data.mdb");
    let Ok(file) = File::options().read(true).write(true).open(&path) else { return Ok(()) };
    let len = file.metadata().map_err(|e| format!("its length can't be read: {e}"))?.len();
    if len == 0 {
        return Ok(());
    }
    let mut walk = Walk { file, len, page_size: 4096, seen: Vec::new() };
    let meta = walk.newest_meta()?;
    let needed = meta.last_page.checked_add(1).and_then(|n| n.checked_mul(walk.page_size as u64));
    let needed =
        needed.filter(|n| *n / 2 < len + (1 << 30)).ok_or("its header names a page far beyond its end")?;
    let [free, main] = meta.dbs;
    if main.flags != 0 {
        return Err("its table of tables has flags that no such table has".to_owned());
    }
    if deep || needed > len || len <= ALWAYS_WALKED {
        walk.seen = vec![0; (meta.last_page / 64 + 1) as usize];
        walk.tree(Db { lists_free_pages: true, ..free }, meta.last_page, 0)?;
        walk.tree(main, meta.last_page, 0)?;
    }
    if needed > len {
        walk.file.set_len(needed).map_err(|e| format!("it can't be lengthened: {e}"))?;
    }
    Ok(())
}

struct Meta {
    dbs: [Db; 2],
    last_page: u64,
    txn: u64,
}

#[derive(Clone, Copy)]
struct Db {
    item: u32,
    flags: u16,
    depth: u16,
    entries: u64,
    root: u64,
    /// Whether its values are lists of pages that are free.
    lists_free_pages: bool,
}

/// The keys that may be below a record of a branch.
#[derive(Clone, Copy, Default)]
struct Bounds<'k> {
    /// The least.
    from: Option<&'k [u8]>,
    /// The first beyond.
    to: Option<&'k [u8]>,
}

impl Bounds<'_> {
    fn hold(self, key: Option<&[u8]>) -> bool {
        key.is_some_and(|key| self.from.is_none_or(|from| from <= key) && self.to.is_none_or(|to| key < to))
    }
}

/// The key of a record of a page; none after the last.
fn key_of(page: &[u8], record: usize, records: usize) -> Result<Option<&[u8]>, String> {
    if record >= records {
        return Ok(None);
    }
    let at = usize::from(u16_at(page, HEADER + 2 * record)?);
    let key = usize::from(u16_at(page, at + 6)?);
    page.get(at + 8..at + 8 + key).map(Some).ok_or_else(overrun_message)
}

struct Walk {
    file: File,
    len: u64,
    page_size: usize,
    seen: Vec<u64>,
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16, String> {
    bytes.get(at..at + 2).and_then(|b| b.try_into().ok()).map(u16::from_ne_bytes).ok_or_else(overrun_message)
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32, String> {
    bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_ne_bytes).ok_or_else(overrun_message)
}

fn u64_at(bytes: &[u8], at: usize) -> Result<u64, String> {
    bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map(u64::from_ne_bytes).ok_or_else(overrun_message)
}

fn overrun_message() -> String {
    "a record reaches beyond its page".to_owned()
}

fn db_at(bytes: &[u8], at: usize) -> Result<Db, String> {
    Ok(Db {
        item: u32_at(bytes, at)?,
        flags: u16_at(bytes, at + 4)?,
        depth: u16_at(bytes, at + 6)?,
        entries: u64_at(bytes, at + 32)?,
        root: u64_at(bytes, at + 40)?,
        lists_free_pages: false,
    })
}

/// The number of values in a list of a key's values that is inside a page; none if it is not sound.
fn sub_page(page: &[u8]) -> Result<Option<u64>, String> {
    let (item, flags) = (usize::from(u16_at(page, 8)?), u16_at(page, 10)?);
    let (lower, upper) = (usize::from(u16_at(page, 12)?), usize::from(u16_at(page, 14)?));
    if flags & (SUB_PAGE | LEAF) != SUB_PAGE | LEAF || lower < HEADER || lower > page.len() {
        return Ok(None);
    }
    let keys = (lower - HEADER) / 2;
    if flags & LEAF2 != 0 {
        let fits = item > 2 && HEADER + keys * item <= page.len() && upper + keys * (item - 2) == page.len();
        return Ok(fits.then_some(keys as u64));
    }
    for i in 0..keys {
        let at = usize::from(u16_at(page, HEADER + 2 * i)?);
        if at < upper || at + 8 + usize::from(u16_at(page, at + 6)?) > page.len() {
            return Ok(None);
        }
    }
    Ok(Some(keys as u64))
}

impl Walk {
    fn read(&mut self, at: u64, buffer: &mut [u8]) -> Sound {
        if at.checked_add(buffer.len() as u64).is_none_or(|end| end > self.len) {
            return Err(format!("it ends at byte {}, before a page that is in use", self.len));
        }
        self.file
            .seek(SeekFrom::Start(at))
            .and_then(|_| self.file.read_exact(buffer))
            .map_err(|e| format!("byte {at} can't be read: {e}"))
    }

    fn meta(&mut self, at: u64) -> Result<(Meta, u32), String> {
        let mut bytes = [0; HEADER + META_LEN];
        self.read(at, &mut bytes)?;
        let bytes = &bytes[..];
        if u16_at(bytes, 10)? & META == 0 || u32_at(bytes, HEADER)? != MAGIC {
            return Err("it does not begin as an LMDB file does".to_owned());
        }
        let dbs = HEADER + 24;
        let meta = Meta {
            dbs: [db_at(bytes, dbs)?, db_at(bytes, dbs + DB_LEN)?],
            last_page: u64_at(bytes, dbs + 2 * DB_LEN)?,
            txn: u64_at(bytes, dbs + 2 * DB_LEN + 8)?,
        };
        let page_size = u32_at(bytes, dbs)?;
        Ok((meta, page_size))
    }

    fn newest_meta(&mut self) -> Result<Meta, String> {
        let (first, page_size) = self.meta(0)?;
        if !page_size.is_power_of_two() || !(512..=65536).contains(&page_size) {
            return Err(format!("its page size is {page_size}"));
        }
        self.page_size = page_size as usize;
        let (second, _) = self.meta(u64::from(page_size))?;
        Ok(if second.txn > first.txn { second } else { first })
    }

    /// Notes that `pages` pages from `page` on are used; each may be once.
    fn claim(&mut self, page: u64, pages: u64, last: u64) -> Sound {
        if page < 2 || pages == 0 || page.checked_add(pages - 1).is_none_or(|end| end > last) {
            return Err(format!("page {page} is outside it"));
        }
        for page in page..page + pages {
            let (word, bit) = ((page / 64) as usize, 1_u64 << (page % 64));
            match self.seen.get_mut(word) {
                Some(word) if *word & bit == 0 => *word |= bit,
                _ => return Err(format!("page {page} is used twice")),
            }
        }
        Ok(())
    }

    fn tree(&mut self, db: Db, last: u64, nesting: usize) -> Sound {
        let entries = self.entries(db, last, nesting)?;
        if entries == db.entries { Ok(()) } else { Err("a tree has not as many rows as it says".to_owned()) }
    }

    /// How many rows a tree has.
    fn entries(&mut self, db: Db, last: u64, nesting: usize) -> Result<u64, String> {
        if db.root == NO_PAGE {
            return Ok(0);
        }
        if usize::from(db.depth) > MAX_DEPTH || nesting > 2 {
            return Err("a tree is deeper than any can be".to_owned());
        }
        self.page(db, (db.root, usize::from(db.depth)), last, nesting, Bounds::default())
    }

    /// The number of rows in a page and below it, whose keys are within `bounds`.
    fn page(
        &mut self,
        db: Db,
        (number, depth): (u64, usize),
        last: u64,
        nesting: usize,
        bounds: Bounds<'_>,
    ) -> Result<u64, String> {
        self.claim(number, 1, last)?;
        let mut page = vec![0; self.page_size];
        self.read(number * self.page_size as u64, &mut page)?;
        let bad = |what: &str| Err(format!("page {number} {what}"));
        if u64_at(&page, 0)? != number {
            return bad("has another number");
        }
        let flags = u16_at(&page, 10)?;
        let lower = usize::from(u16_at(&page, 12)?);
        let upper = usize::from(u16_at(&page, 14)?);
        if lower < HEADER || lower > self.page_size || depth == 0 {
            return bad("has impossible bounds");
        }
        let keys = (lower - HEADER) / 2;
        if flags & LEAF2 != 0 {
            let item = db.item as usize;
            let fits = item > 2
                && HEADER + keys * item <= self.page_size
                && upper + keys * (item - 2) == self.page_size;
            let is_leaf = flags & LEAF != 0 && depth == 1 && fits;
            let ends = is_leaf && keys > 0;
            let item_at = |i: usize| page.get(HEADER + i * item..HEADER + (i + 1) * item);
            if ends && !(bounds.hold(item_at(0)) && bounds.hold(item_at(keys - 1))) {
                return bad("has items that belong in another");
            }
            return if is_leaf { Ok(keys as u64) } else { bad("is no leaf of items") };
        }
        let branch = match flags & (BRANCH | LEAF | OVERFLOW | META) {
            BRANCH if depth > 1 => true,
            LEAF if depth == 1 => false,
            _ => return bad("is not of the kind that belongs there"),
        };
        if upper < lower || upper > self.page_size {
            return bad("has impossible bounds");
        }
        let (mut rows, mut room) = (0, upper);
        let mut before: Option<&[u8]> = None;
        for i in 0..keys {
            let at = usize::from(u16_at(&page, HEADER + 2 * i)?);
            if at < upper {
                return bad("has a record in its free space");
            }
            let low = u32::from(u16_at(&page, at)?) | u32::from(u16_at(&page, at + 2)?) << 16;
            let (flags, key) = (u16_at(&page, at + 4)?, usize::from(u16_at(&page, at + 6)?));
            let data = at + 8 + key;
            if data > self.page_size {
                return bad("has a key beyond its end");
            }
            let len = match (branch, flags & BIG_DATA != 0) {
                (true, _) => 0,
                (false, true) => 8,
                (false, false) => low as usize,
            };
            room += (8 + key + len).next_multiple_of(2);
            rows += u64::from(!branch);
            // A search finds nothing where the key of a branch was flipped. Numbers of free pages have an order of their own.
            let own = page.get(at + 8..data);
            if !db.lists_free_pages && (!branch || i > 0) {
                if !bounds.hold(own) {
                    return bad("has a key that belongs in another");
                }
                if before.is_some() && before >= own {
                    return bad("has keys that are not in order");
                }
                before = own;
            }
            if branch {
                let child = u64::from(low) | u64::from(flags) << 32;
                let from = if i == 0 { bounds.from } else { own };
                let bounds = Bounds { from, to: key_of(&page, i + 1, keys)?.or(bounds.to) };
                rows += self.page(db, (child, depth - 1), last, nesting, bounds)?;
            } else if flags & BIG_DATA != 0 {
                self.overflow(db, u64_at(&page, data)?, low as usize, last)?;
            } else if data + low as usize > self.page_size {
                return bad("has a value beyond its end");
            } else if flags & SUB_DATA != 0 {
                let inner = db_at(&page, data)?;
                self.tree(inner, last, nesting + 1)?;
                if flags & DUP_DATA != 0 {
                    rows += inner.entries.saturating_sub(1);
                }
            } else if flags & DUP_DATA != 0 {
                match sub_page(&page[data..data + low as usize])? {
                    Some(values) if values > 0 => rows += values - 1,
                    _ => return bad("has a broken list of values"),
                }
            } else if db.lists_free_pages {
                self.free_pages(&page[data..data + low as usize], last)?;
            }
        }
        // Records fill their part of a page without gaps. If fewer records were found than written, there would be a
        // gap.
        if room != self.page_size {
            return bad("lacks a record, or has one too many");
        }
        Ok(rows)
    }

    fn overflow(&mut self, db: Db, number: u64, len: usize, last: u64) -> Sound {
        let mut header = [0; HEADER];
        if number > last {
            return Err(format!("page {number} is outside it"));
        }
        self.read(number * self.page_size as u64, &mut header)?;
        let pages = u64::from(u32_at(&header, 12)?);
        if u64_at(&header, 0)? != number || u16_at(&header, 10)? & OVERFLOW == 0 {
            return Err(format!("page {number} is not the long value that belongs there"));
        }
        if pages * (self.page_size as u64) < (len + HEADER) as u64 {
            return Err(format!("the long value at page {number} is cut off"));
        }
        self.claim(number, pages, last)?;
        let at = number * self.page_size as u64;
        if at + pages * self.page_size as u64 > self.len {
            return Err(format!("it ends at byte {}, inside a long value", self.len));
        }
        if db.lists_free_pages {
            let mut list = vec![0; len];
            self.read(at + HEADER as u64, &mut list)?;
            self.free_pages(&list, last)?;
        }
        Ok(())
    }

    /// A list of free pages: their number, then they themselves. None of them may be used as well.
    fn free_pages(&mut self, list: &[u8], last: u64) -> Sound {
        let count = u64_at(list, 0)?;
        if count.checked_add(1).and_then(|n| n.checked_mul(8)).is_none_or(|len| len > list.len() as u64) {
            return Err(overrun_message());
        }
        for n in 1..=count as usize {
            self.claim(u64_at(list, 8 * n)?, 1, last)?;
        }
        Ok(())
    }
}
