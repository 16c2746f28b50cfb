//! Compressed records: columns (see [`super::columns`]) in a zstd frame.

use std::cell::RefCell;

use serde::Serialize;
use serde::de::DeserializeOwned;
use zstd::bulk::{Compressor, Decompressor};

use super::columns::{from_columns, to_columns};
use super::corrupt_record;
use crate::{Error, Result};

/// Higher levels take two times as long for two hundredths less.
const LEVEL: i32 = 3;
/// No record is larger when it is unpacked, because a length in a damaged record must not ask for all memory.
const LIMIT: usize = 256 << 20;

thread_local! {
    // Kept, because a context has tables that are costly to make.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Stores a record of plain shape: the length of its columns (u32), and these, compressed.
pub(crate) fn pack_record<T: Serialize>(table: &'static str, value: &T) -> Result<Vec<u8>> {
    compress(table, &columns_of(table, value)?, &[])
}

/// Reads a record of plain shape, all of it.
pub(crate) fn unpack_record<T: DeserializeOwned>(table: &'static str, bytes: &[u8]) -> Result<T> {
    read_columns(table, &decompress(table, bytes, &[])?)
}

/// The columns of a record of plain shape.
pub(crate) fn columns_of<T: Serialize>(table: &'static str, value: &T) -> Result<Vec<u8>> {
    to_columns(value).map_err(|fault| {
        tracing::error!(table, %fault, "a record can't be encoded");
        Error::Misuse("a record can't be encoded")
    })
}

/// Reads the record that has these columns.
pub(crate) fn read_columns<T: DeserializeOwned>(table: &'static str, columns: &[u8]) -> Result<T> {
    from_columns(columns).map_err(|fault| corrupt_record(table, fault.to_string()))
}

/// The number of bytes that columns take when they are unpacked.
pub(crate) fn unpacked_len(bytes: &[u8]) -> usize {
    bytes.first_chunk::<4>().map_or(0, |len| u32::from_le_bytes(*len) as usize)
}

/// Compresses columns. Text that `before` has too, for example a name, is stored as a reference to it.
pub(crate) fn compress(table: &'static str, columns: &[u8], before: &[u8]) -> Result<Vec<u8>> {
    let frame = COMPRESSOR.with_borrow_mut(|kept| {
        let compressor = match kept {
            Some(compressor) => compressor,
            none => {
                let mut compressor = Compressor::new(LEVEL)?;
                compressor.include_checksum(false)?;
                compressor.include_contentsize(false)?;
                compressor.include_dictid(false)?;
                none.insert(compressor)
            }
        };
        compressor.set_dictionary(LEVEL, before)?;
        compressor.compress(columns)
    });
    let len = u32::try_from(columns.len()).map_err(std::io::Error::other);
    match frame.and_then(|frame| Ok((len?, frame))) {
        Ok((len, frame)) => Ok([&len.to_le_bytes(), &frame[..]].concat()),
        Err(error) => {
            tracing::error!(table, %error, "a record can't be compressed");
            Err(Error::Misuse("a record can't be compressed"))
        }
    }
}

/// Undoes [`compress`], with the same `before`.
pub(crate) fn decompress(table: &'static str, bytes: &[u8], before: &[u8]) -> Result<Vec<u8>> {
    let len = unpacked_len(bytes);
    let frame = bytes.get(4..).filter(|_| len <= LIMIT);
    let frame = frame.ok_or_else(|| corrupt_record(table, "a record of odd size"))?;
    let columns = DECOMPRESSOR.with_borrow_mut(|kept| {
        let decompressor = match kept {
            Some(decompressor) => decompressor,
            none => none.insert(Decompressor::new()?),
        };
        decompressor.set_dictionary(before)?;
        decompressor.decompress(frame, len)
    });
    match columns {
        Ok(columns) if columns.len() == len => Ok(columns),
        Ok(_) => Err(corrupt_record(table, "a record of another size than its own")),
        Err(error) => Err(corrupt_record(table, error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_survive_and_damaged_ones_are_refused() {
        let rows: Vec<(u64, u32)> = (0..1_000).map(|n| (n * 3, 7)).collect();
        let packed = pack_record("t", &rows).unwrap();
        assert!(packed.len() < 500, "{}", packed.len());
        assert_eq!(unpack_record::<Vec<(u64, u32)>>("t", &packed).unwrap(), rows);
        assert_eq!(pack_record("t", &rows).unwrap(), packed, "the same bytes each time");
        for end in 0..packed.len() {
            assert!(unpack_record::<Vec<(u64, u32)>>("t", &packed[..end]).is_err(), "{end} bytes");
        }
        let hashes: Vec<u64> = (1..500_u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let columns = columns_of("t", &hashes).unwrap();
        let after = compress("t", &columns, &columns).unwrap();
        assert!(after.len() * 20 < columns.len(), "a reference takes little room");
        assert_eq!(decompress("t", &after, &columns).unwrap(), columns);
        assert!(!decompress("t", &after, &[1; 4_000]).is_ok_and(|other| other == columns));
        let mut long = packed;
        long[..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(unpack_record::<Vec<(u64, u32)>>("t", &long).is_err());
    }
}
