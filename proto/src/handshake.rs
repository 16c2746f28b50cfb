//! The first bytes of a connection, in both directions. Their layout never changes.
//!
//! ```text
//! offset  size  content
//!      0     8  magic: 53 44 4C 49 50 43 0D 0A  ("SDLIPC\r\n")
//!      8     2  oldest protocol version spoken, little-endian
//!     10     2  newest protocol version spoken, little-endian
//!     12     2  length of the build string, little-endian, at most 256
//!     14     2  length of the capability list, little-endian, at most 4096
//!     16     …  build string, UTF-8
//!      …     …  capability names, UTF-8, each followed by a line feed
//! ```

use std::cmp::Ordering;

use thiserror::Error;

use crate::{BUILD, CAPABILITIES, PROTOCOL_MAX, PROTOCOL_MIN, compare_builds};

const MAGIC: [u8; 8] = *b"SDLIPC\r\n";
const HEADER: usize = 16;
const MAX_BUILD: usize = 256;
const MAX_CAPABILITIES: usize = 4096;

/// Maximum number of bytes that a handshake can take.
pub const MAX_HANDSHAKE: usize = HEADER + MAX_BUILD + MAX_CAPABILITIES;

/// Which protocol versions one side speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    /// The oldest version.
    pub min: u16,
    /// The newest version.
    pub max: u16,
}

/// The first message of each side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handshake {
    /// Protocol versions.
    pub offer: Offer,
    /// Build string, such as `0.1.0+4f2c91a`.
    pub build: String,
    /// Names of optional features. Unknown ones are ignored.
    pub capabilities: Vec<String>,
}

/// The reasons why two sides can't talk.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HandshakeError {
    /// The other side is some other program.
    #[error("the other side does not speak this protocol (its first bytes are not the expected magic)")]
    NotOurs,
    /// The layout is broken.
    #[error("the other side's handshake is malformed: {0}")]
    Malformed(&'static str),
    /// Our own build string or capability list is too long to be sent.
    #[error("the handshake can't be sent: {0}")]
    Unsendable(&'static str),
    /// The other side is too old for us.
    #[error(
        "the other side (build {build}) speaks at most protocol {}, this build ({}) needs {PROTOCOL_MIN} or newer: \
         update the other side",
        offer.max, BUILD
    )]
    OtherTooOld {
        /// Its build string.
        build: String,
        /// The versions that it speaks.
        offer: Offer,
    },
    /// The other side is too new for us.
    #[error(
        "the other side (build {build}) speaks protocol {} or newer, this build ({}) speaks at most {PROTOCOL_MAX}: \
         update this side",
        offer.min, BUILD
    )]
    OtherTooNew {
        /// Its build string.
        build: String,
        /// The versions that it speaks.
        offer: Offer,
    },
}

impl Handshake {
    /// The handshake of this build.
    pub fn ours() -> Self {
        Self {
            offer: Offer { min: PROTOCOL_MIN, max: PROTOCOL_MAX },
            build: BUILD.to_owned(),
            capabilities: CAPABILITIES.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    /// The bytes to send.
    pub fn encode(&self) -> Result<Vec<u8>, HandshakeError> {
        let mut names = String::new();
        for name in &self.capabilities {
            if name.is_empty() || name.contains('\n') {
                return Err(HandshakeError::Unsendable("a capability name is empty or holds a line feed"));
            }
            names.push_str(name);
            names.push('\n');
        }
        if self.build.len() > MAX_BUILD {
            return Err(HandshakeError::Unsendable("the build string is too long"));
        }
        if names.len() > MAX_CAPABILITIES {
            return Err(HandshakeError::Unsendable("the capability list is too long"));
        }
        let mut out = Vec::with_capacity(HEADER + self.build.len() + names.len());
        out.extend_from_slice(&MAGIC);
        for number in [self.offer.min, self.offer.max, self.build.len() as u16, names.len() as u16] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(self.build.as_bytes());
        out.extend_from_slice(names.as_bytes());
        Ok(out)
    }

    /// Reads a handshake from the front of `bytes`: the value and how many bytes it took, or `None` while some are
    /// still missing. A wrong magic is reported from the first wrong byte on.
    pub fn decode(bytes: &[u8]) -> Result<Option<(Self, usize)>, HandshakeError> {
        if bytes.iter().zip(&MAGIC).any(|(is, should)| is != should) {
            return Err(HandshakeError::NotOurs);
        }
        let Some(header) = bytes.get(..HEADER) else { return Ok(None) };
        let number = |at: usize| match header.get(at..at + 2) {
            Some(&[low, high]) => u16::from_le_bytes([low, high]),
            _ => 0,
        };
        let offer = Offer { min: number(8), max: number(10) };
        let (build_length, names_length) = (number(12) as usize, number(14) as usize);
        if build_length > MAX_BUILD || names_length > MAX_CAPABILITIES {
            return Err(HandshakeError::Malformed("a length is beyond its limit"));
        }
        if offer.min > offer.max {
            return Err(HandshakeError::Malformed("its oldest protocol version is above its newest"));
        }
        let total = HEADER + build_length + names_length;
        let Some(body) = bytes.get(HEADER..total) else { return Ok(None) };
        let (build, names) = body.split_at(build_length);
        let text = |bytes: &[u8]| {
            String::from_utf8(bytes.to_vec()).map_err(|_| HandshakeError::Malformed("a text is not UTF-8"))
        };
        let capabilities = text(names)?.lines().map(str::to_owned).collect();
        Ok(Some((Self { offer, build: text(build)?, capabilities }, total)))
    }

    /// The protocol version that both this build and the sender of `self` speak.
    pub fn agree(&self) -> Result<u16, HandshakeError> {
        if self.offer.max < PROTOCOL_MIN {
            return Err(HandshakeError::OtherTooOld { build: self.build.clone(), offer: self.offer });
        }
        if self.offer.min > PROTOCOL_MAX {
            return Err(HandshakeError::OtherTooNew { build: self.build.clone(), offer: self.offer });
        }
        Ok(self.offer.max.min(PROTOCOL_MAX))
    }

    /// Whether the sender named this capability.
    pub fn has(&self, capability: &str) -> bool {
        self.capabilities.iter().any(|name| name == capability)
    }

    /// Compares the sender's build with ours: `Less` means that it is older.
    pub fn age(&self) -> Ordering {
        compare_builds(&self.build, BUILD)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn some(min: u16, max: u16) -> Handshake {
        Handshake { offer: Offer { min, max }, build: "9.9.9+x".into(), capabilities: vec![] }
    }

    #[test]
    fn too_old_too_new_and_right_are_told_apart() {
        assert_eq!(Handshake::ours().agree(), Ok(PROTOCOL_MAX));
        assert_eq!(some(1, 60_000).agree(), Ok(PROTOCOL_MAX));
        assert!(matches!(some(0, 0).agree(), Err(HandshakeError::OtherTooOld { .. })));
        let error = some(PROTOCOL_MAX + 1, PROTOCOL_MAX + 5).agree().unwrap_err();
        assert!(matches!(error, HandshakeError::OtherTooNew { .. }));
        assert!(error.to_string().contains("9.9.9+x"), "{error}");
        assert!(error.to_string().contains("update this side"), "{error}");
    }

    #[test]
    fn another_program_is_recognized_from_its_first_byte() {
        assert_eq!(Handshake::decode(b"H"), Err(HandshakeError::NotOurs));
        assert_eq!(Handshake::decode(b"SDLIPC\r\n"), Ok(None));
        assert_eq!(Handshake::decode(b""), Ok(None));
    }

    #[test]
    fn lengths_beyond_the_limit_are_refused_at_once() {
        let mut bytes = some(1, 1).encode().unwrap();
        bytes[14] = 0xff;
        bytes[15] = 0xff;
        assert!(matches!(Handshake::decode(&bytes[..HEADER]), Err(HandshakeError::Malformed(_))));
        let long = Handshake { build: "x".repeat(257), ..some(1, 1) };
        assert!(matches!(long.encode(), Err(HandshakeError::Unsendable(_))));
    }

    proptest! {
        #[test]
        fn round_trip(
            min in 0_u16..5, more in 0_u16..5, build in "\\PC{0,60}",
            capabilities in prop::collection::vec("[a-z.-]{1,20}", 0..10), tail in prop::collection::vec(any::<u8>(), 0..9),
        ) {
            let sent = Handshake { offer: Offer { min, max: min + more }, build, capabilities };
            let mut bytes = sent.encode().unwrap();
            let length = bytes.len();
            for end in 0..length {
                prop_assert_eq!(Handshake::decode(&bytes[..end]), Ok(None));
            }
            bytes.extend(tail);
            prop_assert_eq!(Handshake::decode(&bytes), Ok(Some((sent, length))));
        }

        #[test]
        fn random_bytes_never_panic(with_magic: bool, noise in prop::collection::vec(any::<u8>(), 0..5000)) {
            let mut bytes = if with_magic { MAGIC.to_vec() } else { vec![] };
            bytes.extend(noise);
            let _ = Handshake::decode(&bytes);
        }
    }
}
