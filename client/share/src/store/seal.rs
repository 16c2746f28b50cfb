//! How an object is stored: a head that says whether it is encrypted, then the content.
//!
//! ```text
//! "SDLS" | version 1 | 0 | content
//! "SDLS" | version 1 | 1 | nonce (24 bytes) | content, by XChaCha20-Poly1305
//! ```
//!
//! The object's path is authenticated with it, so nobody without the key can put one object in the place of another. With a team
//! key, names are keyed hashes, because a plain hash would show who can list the store which content is in it.

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

use crate::trouble::Trouble;

const MAGIC: &[u8; 5] = b"SDLS\x01";
const PLAIN: u8 = 0;
const ENCRYPTED: u8 = 1;
const NONCE_BYTES: usize = 24;
/// The most bytes that sealing adds.
pub(crate) const OVERHEAD_BYTES: u64 = MAGIC.len() as u64 + 1 + NONCE_BYTES as u64 + 16;

/// A team's key. Overwritten in memory when it is dropped.
pub(crate) struct TeamKey {
    content: Zeroizing<[u8; 32]>,
    names: Zeroizing<[u8; 32]>,
}

impl TeamKey {
    /// Reads 64 hexadecimal digits; spaces around them don't matter.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let digits = text.trim_ascii();
        let mut key = Zeroizing::new([0; 32]);
        let (pairs, rest) = digits.as_chunks::<2>();
        if pairs.len() != key.len() || !rest.is_empty() {
            return None;
        }
        for (byte, pair) in key.iter_mut().zip(pairs) {
            let [high, low] = pair.map(|digit| char::from(digit).to_digit(16));
            *byte = (high? * 16 + low?) as u8;
        }
        // Each use has a key of its own, because one key must not serve two algorithms.
        let derived = |what: &str| Zeroizing::new(blake3::derive_key(what, &key[..]));
        Some(Self { content: derived("sdl share v1 content"), names: derived("sdl share v1 names") })
    }

    /// The name under which the object with this hash is stored.
    pub(crate) fn name_of(&self, hash: &str) -> String {
        blake3::keyed_hash(&self.names, hash.as_bytes()).to_hex().to_string()
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new((&*self.content).into())
    }
}

/// An object as it is stored at `path`.
pub(crate) fn seal_object(key: Option<&TeamKey>, path: &str, content: &[u8]) -> Result<Vec<u8>, Trouble> {
    let mut object = Vec::with_capacity(content.len() + OVERHEAD_BYTES as usize);
    object.extend_from_slice(MAGIC);
    let Some(key) = key else {
        object.push(PLAIN);
        object.extend_from_slice(content);
        return Ok(object);
    };
    object.push(ENCRYPTED);
    let failed = |what: &str| Trouble::Local(format!("can't encrypt: {what}"));
    let mut nonce = [0; NONCE_BYTES];
    getrandom::fill(&mut nonce).map_err(|error| failed(&error.to_string()))?;
    object.extend_from_slice(&nonce);
    let payload = Payload { msg: content, aad: path.as_bytes() };
    let sealed = key.cipher().encrypt(&XNonce::from(nonce), payload);
    object.extend_from_slice(&sealed.map_err(|error| failed(&error.to_string()))?);
    Ok(object)
}

/// The content of the object that is stored at `path`.
pub(crate) fn open_object(key: Option<&TeamKey>, path: &str, object: &[u8]) -> Result<Vec<u8>, Trouble> {
    let unsound = |why: &str| Trouble::Unsound(format!("the object {path} of the store {why}"));
    let head = object.split_at_checked(MAGIC.len()).filter(|(magic, _)| *magic == MAGIC);
    let (mode, rest) = head
        .and_then(|(_, rest)| rest.split_first())
        .ok_or_else(|| unsound("is damaged, or was written by another program or release; push again"))?;
    match (*mode, key) {
        (PLAIN, None) => Ok(rest.to_vec()),
        (PLAIN, Some(_)) => Err(unsound(
            "is not encrypted, and a team key is set: anybody who can write to the store may have made it; push with the key \
             into a prefix of its own, or take keyFile out of share.json",
        )),
        (ENCRYPTED, None) => {
            Err(unsound("is encrypted: set keyFile in share.json to the file with the team's key"))
        }
        (ENCRYPTED, Some(key)) => {
            let wrong =
                || unsound("can't be decrypted: the team key is another one, or the object was changed");
            let (nonce, sealed) = rest.split_first_chunk::<NONCE_BYTES>().ok_or_else(wrong)?;
            let payload = Payload { msg: sealed, aad: path.as_bytes() };
            key.cipher().decrypt(&XNonce::from(*nonce), payload).map_err(|_| wrong())
        }
        (other, _) => Err(unsound(&format!("has the unknown form {other}: update this program"))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(digit: u8) -> TeamKey {
        TeamKey::parse(&[digit; 64]).unwrap()
    }

    #[test]
    fn keys_are_64_digits() {
        assert!(TeamKey::parse(&[b'0'; 63]).is_none() && TeamKey::parse(&[b'x'; 64]).is_none());
        let spaced = [&[b'7'; 64][..], b"\n"].concat();
        assert_eq!(TeamKey::parse(&spaced).unwrap().name_of("x"), key(b'7').name_of("x"));
        assert_ne!(key(b'1').name_of("x"), key(b'2').name_of("x"));
    }

    #[test]
    fn each_mistake_has_its_message() {
        let open = |key: Option<&TeamKey>, path: &str, object: &[u8]| {
            open_object(key, path, object).unwrap_err().to_string()
        };
        let (ours, theirs) = (key(b'1'), key(b'2'));
        let plain = seal_object(None, "packs/a", b"text").unwrap();
        let sealed = seal_object(Some(&ours), "packs/a", b"text").unwrap();
        assert!(!sealed.windows(4).any(|part| part == b"text"));
        assert_ne!(sealed, seal_object(Some(&ours), "packs/a", b"text").unwrap(), "a nonce of its own");
        assert!(open(Some(&ours), "packs/a", &plain).contains("is not encrypted"));
        assert!(open(None, "packs/a", &sealed).contains("set keyFile"));
        assert!(open(Some(&theirs), "packs/a", &sealed).contains("the team key is another one"));
        assert!(
            open(Some(&ours), "packs/b", &sealed).contains("can't be decrypted"),
            "moved to another place"
        );
        assert!(open(None, "packs/a", b"SDLS\x02").contains("another program or release"));
        assert!(open(None, "packs/a", b"SDLS\x01\x09").contains("unknown form 9"));
    }

    proptest! {
        #[test]
        fn objects_survive_and_changed_ones_are_refused(
            content in proptest::collection::vec(any::<u8>(), 0..200), at in any::<prop::sample::Index>(), bit in 0_u32..8,
        ) {
            let key = key(b'5');
            let mut object = seal_object(Some(&key), "p", &content).unwrap();
            prop_assert_eq!(open_object(Some(&key), "p", &object).unwrap(), content.clone());
            let at = at.index(object.len());
            object[at] ^= 1_u8 << bit;
            prop_assert!(open_object(Some(&key), "p", &object).is_err());
            object[at] ^= 1_u8 << bit;
            object.truncate(at);
            prop_assert!(open_object(Some(&key), "p", &object).is_err());
        }

        #[test]
        fn any_bytes_are_opened_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = open_object(None, "p", &bytes);
            let _ = open_object(Some(&key(b'5')), "p", &bytes);
        }
    }
}
