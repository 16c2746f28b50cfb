//! The paths that git tracks, from its index.
//!
//! Read here and not by a library. Only the paths are needed, and their memory must be bounded before it is
//! allocated, because in version 4, which stores paths as differences, a few megabytes of index can expand to
//! terabytes of paths.

use std::cmp::Ordering;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::check::INDEX;
use crate::plain::{self, Links};

/// Bytes of all paths together. A million files have some 60 MB of them.
const MOST_BYTES: usize = 64 << 20;
/// Bytes of one path; no system takes longer ones.
const LONGEST: u64 = 16 << 10;
/// The checksum at the end of an index.
const CHECKSUM: u64 = 20;
/// An entry's times, mode, hash and flags, before its path.
const FIXED: usize = 62;

/// The files and links that git tracks below a tree's root, in order of path. Submodules are not among them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tracked {
    /// All paths, one after the other.
    text: String,
    /// Where each of them ends.
    ends: Vec<u32>,
}

impl Tracked {
    /// Reads the index at `path`; without one, nothing is tracked. `way` leads from git's top level to the root and ends in
    /// a separator, or is empty.
    pub(crate) fn read(path: &Path, way: &str) -> io::Result<Self> {
        let Some(file) = plain::open_checked(path, INDEX, Links::Refused)? else {
            return Ok(Self::default());
        };
        let length = file.metadata()?.len();
        // Only the length from the start is read, because a file that grows meanwhile is another index.
        parse_index(BufReader::new(file.take(length)), length, way)
    }

    /// Whether git tracks this file, or anything below this folder.
    pub(crate) fn holds(&self, path: &str, is_folder: bool) -> bool {
        let wanted = || path.bytes().chain(is_folder.then_some(b'/'));
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.get(middle).bytes().cmp(wanted()) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return true,
                Ordering::Greater => high = middle,
            }
        }
        let next = self.get(low);
        is_folder && next.len() > path.len() && next.bytes().zip(wanted()).all(|(a, b)| a == b)
    }

    /// The paths that only one of the two has, in order; none if there are more than `most`.
    pub(crate) fn difference<'a>(&'a self, other: &'a Self, most: usize) -> Option<Vec<&'a str>> {
        let (mut ours, mut theirs) = (self.iter().peekable(), other.iter().peekable());
        let mut differ = Vec::new();
        loop {
            let order = match (ours.peek(), theirs.peek()) {
                (None, None) => return Some(differ),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => a.cmp(b),
            };
            let only = match order {
                Ordering::Less => ours.next(),
                Ordering::Greater => theirs.next(),
                Ordering::Equal => {
                    ours.next();
                    theirs.next();
                    continue;
                }
            };
            differ.extend(only);
            if differ.len() > most {
                return None;
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|at| self.get(at))
    }

    /// The path with this number; past the last one, the empty text.
    fn get(&self, at: usize) -> &str {
        let end = |at: usize| self.ends.get(at).map_or(self.text.len(), |end| *end as usize);
        let start = at.checked_sub(1).map_or(0, end);
        self.text.get(start..end(at)).unwrap_or_default()
    }

    fn push(&mut self, path: &str) -> io::Result<()> {
        if self.text.len() + path.len() > MOST_BYTES {
            return Err(bad_index("names more paths than are kept of one"));
        }
        self.text.push_str(path);
        self.ends.push(self.text.len() as u32);
        Ok(())
    }
}

fn bad_index(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// Reads an index of `length` bytes.
fn parse_index(mut from: impl BufRead, length: u64, way: &str) -> io::Result<Tracked> {
    let mut magic = [0; 4];
    fill_buffer(&mut from, &mut magic)?;
    let (version, count) = (read_u32(&mut from)?, read_u32(&mut from)?);
    if magic != *b"DIRC" || !(2..=4).contains(&version) {
        return Err(bad_index("is in a format that is not supported"));
    }
    let mut tracked = Tracked::default();
    let mut entries = Entries { from, version, path: Vec::new(), left: length.saturating_sub(12) };
    let mut last = Vec::new();
    for at in 0..count {
        let is_content = entries.next()?;
        if at > 0 && last > entries.path {
            return Err(bad_index("is not in order"));
        }
        // Duplicates are skipped, because a file in conflict has up to three entries.
        let again = at > 0 && last == entries.path;
        last.clone_from(&entries.path);
        let path = std::str::from_utf8(&entries.path).ok().and_then(|path| path.strip_prefix(way));
        if let Some(path) = path
            && is_content
            && !again
            && is_normal(path)
        {
            tracked.push(path)?;
        }
    }
    entries.check_extensions()?;
    tracked.text.shrink_to_fit();
    tracked.ends.shrink_to_fit();
    Ok(tracked)
}

fn is_normal(path: &str) -> bool {
    path.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
}

/// An index's entries, one at a time.
struct Entries<R> {
    from: R,
    version: u32,
    /// The path of the entry that was read last.
    path: Vec<u8>,
    /// Bytes of the file that have not been read.
    left: u64,
}

impl<R: BufRead> Entries<R> {
    /// Reads an entry; returns whether it is a file or a link, which have content, and not a submodule or a folder.
    fn next(&mut self) -> io::Result<bool> {
        let mut fixed = [0; FIXED];
        self.take(&mut fixed)?;
        let [.., high, low] = fixed;
        let flags = u16::from_be_bytes([high, low]);
        let mut before_path = FIXED;
        // More flags follow.
        if self.version >= 3 && flags & 0x4000 != 0 {
            self.take(&mut [0; 2])?;
            before_path += 2;
        }
        if self.version == 4 {
            let kept = self.path.len().checked_sub(self.varint()?).ok_or_else(|| bad_index("is damaged"))?;
            self.path.truncate(kept);
        } else {
            self.path.clear();
        }
        let read = (&mut self.from).take(LONGEST).read_until(0, &mut self.path)?;
        self.left = self.left.saturating_sub(read as u64);
        if self.path.pop() != Some(0) || self.path.len() as u64 > LONGEST {
            return Err(bad_index("is damaged"));
        }
        // The flags hold the length, if it fits.
        if usize::from(flags & 0xfff) != self.path.len().min(0xfff) {
            return Err(bad_index("is damaged, or of a repository with another kind of hash"));
        }
        if self.version < 4 {
            // Entries are filled up to a multiple of eight bytes.
            let size = before_path + self.path.len() + 1;
            let mut padding = [0; 8];
            let padding = padding.get_mut(..size.next_multiple_of(8) - size).unwrap_or_default();
            self.take(padding)?;
        }
        let kind = fixed.get(26).map_or(0, |mode| mode >> 4);
        Ok(matches!(kind, 0b1000 | 0b1010))
    }

    /// How much of the path before is not part of this one.
    fn varint(&mut self) -> io::Result<usize> {
        let mut byte = [0];
        self.take(&mut byte)?;
        let mut value = usize::from(byte[0] & 0x7f);
        while byte[0] & 0x80 != 0 {
            self.take(&mut byte)?;
            if value > LONGEST as usize {
                return Err(bad_index("is damaged"));
            }
            value = (value + 1) << 7 | usize::from(byte[0] & 0x7f);
        }
        Ok(value)
    }

    /// Makes sure that all entries are in this file.
    fn check_extensions(&mut self) -> io::Result<()> {
        while self.left >= CHECKSUM + 8 {
            let mut name = [0; 4];
            self.take(&mut name)?;
            let mut size = [0; 4];
            self.take(&mut size)?;
            let size = u64::from(u32::from_be_bytes(size));
            if name == *b"link" {
                return Err(bad_index(
                    "is split in two; `git update-index --no-split-index` makes one of them",
                ));
            }
            // An extension with a name in lower case, such as `link` (a split index), changes the meaning of the
            // entries. Of those only `sdir` is harmless: it puts folders in place of their files, none of which is
            // checked out.
            if name != *b"sdir" && !name.first().is_some_and(u8::is_ascii_uppercase) {
                return Err(bad_index("has a part that is not known here"));
            }
            let passed = io::copy(&mut (&mut self.from).take(size), &mut io::sink())?;
            if passed != size {
                return Err(bad_index("is cut off"));
            }
            self.left = self.left.saturating_sub(passed);
        }
        Ok(())
    }

    fn take(&mut self, into: &mut [u8]) -> io::Result<()> {
        fill_buffer(&mut self.from, into)?;
        self.left = self.left.saturating_sub(into.len() as u64);
        Ok(())
    }
}

/// A number of four bytes.
fn read_u32(from: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    fill_buffer(from, &mut bytes)?;
    Ok(u32::from_be_bytes(bytes))
}

fn fill_buffer(from: &mut impl Read, into: &mut [u8]) -> io::Result<()> {
    from.read_exact(into).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => bad_index("is cut off"),
        _ => error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entry of version 2, or of version 4 with a path that shares nothing with the one before.
    fn entry(version: u32, mode: u16, path: &[u8], strip: u8) -> Vec<u8> {
        let mut entry = vec![0; FIXED];
        entry[26..28].copy_from_slice(&mode.to_be_bytes());
        entry[60..].copy_from_slice(&(path.len().min(0xfff) as u16).to_be_bytes());
        if version == 4 {
            entry.push(strip);
        }
        entry.extend_from_slice(path);
        entry.push(0);
        while version < 4 && !entry.len().is_multiple_of(8) {
            entry.push(0);
        }
        entry
    }

    fn index(version: u32, count: u32, parts: &[Vec<u8>]) -> Vec<u8> {
        let header = [*b"DIRC", version.to_be_bytes(), count.to_be_bytes()].concat();
        [header, parts.concat(), vec![0; 20]].concat()
    }

    fn read(bytes: &[u8], way: &str) -> io::Result<Vec<String>> {
        parse_index(bytes, bytes.len() as u64, way).map(|tracked| tracked.iter().map(str::to_owned).collect())
    }

    const FILE: u16 = 0o100_644;

    #[test]
    fn files_and_links_count_and_doubles_do_not() {
        let parts = [
            entry(2, FILE, b"a", 0),
            entry(2, 0o120_000, b"a.link", 0),
            entry(2, FILE, b"a/b", 0),
            entry(2, FILE, b"a/b", 0),
            entry(2, 0o160_000, b"module", 0),
            entry(2, FILE, b"x\xff", 0),
        ];
        assert_eq!(read(&index(2, 6, &parts), "").unwrap(), ["a", "a.link", "a/b"]);
        assert_eq!(read(&index(2, 6, &parts), "a/").unwrap(), ["b"]);
        assert!(read(&index(2, 0, &[]), "").unwrap().is_empty());
    }

    #[test]
    fn an_index_that_git_would_not_write_is_refused() {
        let file = |path: &[u8]| entry(2, FILE, path, 0);
        let refused = |bytes: &[u8]| read(bytes, "").unwrap_err().to_string();
        let good = index(2, 2, &[file(b"a"), file(b"b")]);
        assert!(read(&good, "").is_ok());
        for end in 0..good.len() - 20 {
            assert!(read(&good[..end], "").is_err(), "{end}");
        }
        assert!(refused(&index(2, u32::MAX, &[file(b"a")])).contains("cut off"));
        assert!(refused(&index(2, 2, &[file(b"b"), file(b"a")])).contains("not in order"));
        assert!(refused(&index(9, 0, &[])).contains("not supported"));
        assert!(refused(&index(2, 1, &[file(&vec![b'x'; 20_000])])).contains("damaged"));
        let mut wrong = file(b"abc");
        wrong[61] = 9;
        assert!(refused(&index(2, 1, &[wrong])).contains("damaged"));
        let extension = |name: &[u8]| [name, &4_u32.to_be_bytes(), b"1234"].concat();
        assert!(read(&index(2, 1, &[file(b"a"), extension(b"TREE")]), "").is_ok());
        assert!(refused(&index(2, 1, &[file(b"a"), extension(b"link")])).contains("--no-split-index"));
        assert!(refused(&index(2, 1, &[file(b"a"), extension(b"what")])).contains("not known"));
        assert!(
            refused(&index(4, 1, &[entry(4, FILE, b"a", 5)])).contains("damaged"),
            "more is cut than there is"
        );
    }

    #[test]
    fn a_small_index_that_expands_to_endless_paths_is_refused() {
        // Each path is the one before and a byte more, as far as paths go; then one that shares all but the last byte.
        let mut parts = Vec::new();
        let mut path = vec![b'a'; 10_000];
        parts.push(entry(4, FILE, &path, 0));
        for number in 0..9_000_u32 {
            path.truncate(10_000);
            let tail = number.to_be_bytes().map(|byte| [b'b' + (byte >> 4), b'b' + (byte & 15)]).concat();
            let mut next = entry(4, FILE, &tail, if number == 0 { 0 } else { 8 });
            next[60..62].copy_from_slice(&0xfff_u16.to_be_bytes());
            parts.push(next);
        }
        let bytes = index(4, 9_001, &parts);
        assert!(bytes.len() < 1 << 20);
        let error = read(&bytes, "").unwrap_err();
        assert!(error.to_string().contains("more paths"), "{error}");
    }

    #[test]
    fn folders_and_differences() {
        let tracked = |paths: &[&str]| {
            let mut tracked = Tracked::default();
            paths.iter().for_each(|path| tracked.push(path).unwrap());
            tracked
        };
        let one = tracked(&["a-b", "a/b/c", "a0", "d"]);
        for (path, is_folder, holds) in [
            ("a", true, true),
            ("a/b", true, true),
            ("a/b/c", false, true),
            ("d", false, true),
            ("a", false, false),
            ("a/b", false, false),
            ("a/b/c", true, false),
            ("a-", true, false),
            ("d", true, false),
            ("e", true, false),
            ("", false, false),
        ] {
            assert_eq!(one.holds(path, is_folder), holds, "{path} {is_folder}");
        }
        let two = tracked(&["a-b", "a/b/d", "d", "e"]);
        assert_eq!(one.difference(&two, 4).unwrap(), ["a/b/c", "a/b/d", "a0", "e"]);
        assert_eq!(two.difference(&one, 3), None);
        assert!(one.difference(&one, 0).unwrap().is_empty());
    }
}
