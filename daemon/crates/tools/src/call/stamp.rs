//! The state that an answer is based on: `v5`, or `v5+3` with the unsaved buffers number 3 over it.

use std::fmt;
use std::str::FromStr;

use sdl_model::Version;

/// A version and its overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) version: Version,
    /// The number of the unsaved buffers.
    pub(crate) overlay: Option<u64>,
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.overlay {
            None => write!(f, "{}", self.version),
            Some(seq) => write!(f, "{}+{seq}", self.version),
        }
    }
}

impl FromStr for Stamp {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (version, overlay) = match text.split_once('+') {
            None => (text, None),
            Some((version, seq)) => {
                let digits = !seq.is_empty() && seq.bytes().all(|byte| byte.is_ascii_digit());
                let seq = seq.parse().ok().filter(|_| digits);
                (version, Some(seq.ok_or_else(|| format!("{text:?} has no number after the +"))?))
            }
        };
        let version = version.parse::<Version>().map_err(|error| error.to_string())?;
        Ok(Self { version, overlay })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_read_back() {
        for text in ["v5", "v5+3", "v1770600000000+1770600000001"] {
            assert_eq!(text.parse::<Stamp>().unwrap().to_string(), text);
        }
        for text in ["", "5", "v5+", "v5++3", "v5+-1", "v5+ 3", "+3", "v5+99999999999999999999"] {
            assert!(text.parse::<Stamp>().is_err(), "{text}");
        }
    }
}
