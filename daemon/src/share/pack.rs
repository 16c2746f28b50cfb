//! A chunk of rows as a file: compressed, and named by the hash of its bytes.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use super::ShareError;
use super::manifest::Pack;

/// The level of zstd. Higher ones take much longer for a few percent.
const LEVEL: i32 = 3;

/// The name of bytes: their BLAKE3 hash in hexadecimal digits.
pub fn hash_name(bytes: &[u8]) -> String {
    sdl_model::ContentHash::of(bytes).to_string()
}

/// Writes packs into a folder, and lists them.
pub struct Packer<'f> {
    folder: &'f Path,
    /// The packs so far, in order.
    pub packs: Vec<Pack>,
}

impl<'f> Packer<'f> {
    /// Writes into `folder`.
    pub fn new(folder: &'f Path) -> Self {
        Self { folder, packs: Vec::new() }
    }

    /// Compresses and writes a chunk of rows.
    ///
    /// # Errors
    /// If the file can't be written.
    pub fn add_chunk(&mut self, rows: &[u8]) -> sdl_ledger::Result<()> {
        let failed = |source| sdl_ledger::Error::Io { what: "write", path: self.folder.to_owned(), source };
        let bytes = zstd::bulk::compress(rows, LEVEL).map_err(failed)?;
        let name = hash_name(&bytes);
        fs::write(self.folder.join(&name), &bytes).map_err(failed)?;
        self.packs.push(Pack { name, bytes: bytes.len() as u64, raw: rows.len() as u64 });
        Ok(())
    }
}

/// Reads the rows of a pack in a folder. The hash is checked before anything is decompressed, and no more than the manifest
/// announces is.
///
/// # Errors
/// If the file is missing, or is not what the manifest says.
pub fn read_pack(folder: &Path, pack: &Pack) -> Result<Vec<u8>, ShareError> {
    let path = folder.join(&pack.name);
    let unsound = |why: String| ShareError::Unsound(format!("the pack {:.12}… {why}", pack.name));
    let bytes = read_limited(&path, pack.bytes)?
        .ok_or_else(|| unsound("is missing: it may have been removed from the store; push again".into()))?;
    if bytes.len() as u64 != pack.bytes || hash_name(&bytes) != pack.name {
        return Err(unsound("is not what its name says: its hash differs".into()));
    }
    let rows = zstd::bulk::decompress(&bytes, pack.raw as usize)
        .map_err(|error| unsound(format!("does not decompress: {error}")))?;
    if rows.len() as u64 != pack.raw {
        return Err(unsound(format!("has {} bytes of rows, not {}", rows.len(), pack.raw)));
    }
    Ok(rows)
}

/// A file's bytes, at most one more than `most`; none if it is not there.
pub(super) fn read_limited(path: &Path, most: u64) -> Result<Option<Vec<u8>>, ShareError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(ShareError::io("open", path, error)),
    };
    let mut bytes = Vec::new();
    let read = file.take(most.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| ShareError::io("read", path, error))?;
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs_are_read_if_they_are_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut packer = Packer::new(folder.path());
        let rows = b"some rows ".repeat(1_000);
        packer.add_chunk(&rows).unwrap();
        let pack = packer.packs[0].clone();
        assert!(pack.bytes < pack.raw / 4);
        assert_eq!(read_pack(folder.path(), &pack).unwrap(), rows);
        let read = |pack: &Pack| read_pack(folder.path(), pack).unwrap_err().to_string();
        for raw in [pack.raw - 1, pack.raw + 1, 0] {
            let why = read(&Pack { raw, ..pack.clone() });
            assert!(why.contains("decompress") || why.contains("bytes of rows"), "{why}");
        }
        let path = folder.path().join(&pack.name);
        let mut bytes = fs::read(&path).unwrap();
        for change in [|bytes: &mut Vec<u8>| bytes[20] ^= 1, |bytes: &mut Vec<u8>| bytes.truncate(30)] {
            change(&mut bytes);
            fs::write(&path, &bytes).unwrap();
            assert!(read(&pack).contains("its hash differs"));
        }
        fs::remove_file(&path).unwrap();
        assert!(read(&pack).contains("is missing"));
    }
}
