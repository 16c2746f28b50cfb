//! Bytes that nobody can guess.

/// The number of bytes of a key.
pub(crate) const KEY_BYTES: usize = 32;

/// Returns a new key, drawn by the system.
#[cfg(unix)]
pub(crate) fn random_key() -> std::io::Result<[u8; KEY_BYTES]> {
    use std::io::Read;
    let mut key = [0; KEY_BYTES];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut key)?;
    Ok(key)
}

/// Returns a new key. The standard library seeds its hashers from the system.
#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "reading the system's device can fail")]
pub(crate) fn random_key() -> std::io::Result<[u8; KEY_BYTES]> {
    use std::hash::{BuildHasher, RandomState};
    let mut key = [0; KEY_BYTES];
    for part in key.chunks_mut(8) {
        part.copy_from_slice(&RandomState::new().hash_one(part.as_ptr() as usize).to_ne_bytes());
    }
    Ok(key)
}
