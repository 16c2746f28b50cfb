//! Length-prefixed frames: a little-endian `u32`, then that many bytes.

use thiserror::Error;

/// The largest payload of a frame, unless a side asks for less.
pub const MAX_FRAME: usize = 32 << 20;

/// Bytes of the length prefix.
pub const PREFIX: usize = 4;

/// The number of bytes that a reader asks for first. Most messages are smaller than this.
const FIRST_RESERVE: usize = 4 << 10;

/// A buffer that has grown beyond this is given back once it is empty.
const KEEP_CAPACITY: usize = 64 << 10;

/// Why a byte stream is not a sequence of frames, or a payload can't be one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FrameError {
    /// The length is beyond the agreed limit. Nothing was allocated for it.
    #[error("a frame of {length} bytes is beyond the limit of {limit} bytes")]
    TooLarge {
        /// The length that the prefix claims.
        length: u64,
        /// The limit of this connection.
        limit: usize,
    },
    /// A frame without a payload has no meaning.
    #[error("an empty frame has no meaning")]
    Empty,
    /// The stream ended inside of a frame.
    #[error("the stream ended inside a frame: {missing} bytes or more are missing")]
    Truncated {
        /// How many bytes were still due, as far as is known.
        missing: usize,
    },
}

/// Splits a byte stream into frames.
///
/// The owner appends the bytes that it reads to [`FrameDecoder::space`] and takes frames with
/// [`FrameDecoder::next_frame`] until there are no more. Memory grows with the bytes that really arrived, never with a
/// prefix's claim.
#[derive(Debug)]
pub struct FrameDecoder {
    buffer: Vec<u8>,
    /// The offset of the first byte that was not handed out yet.
    start: usize,
    limit: usize,
}

impl FrameDecoder {
    /// A decoder that refuses payloads above `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { buffer: Vec::new(), start: 0, limit: limit.min(MAX_FRAME) }
    }

    /// Changes the limit for the frames to come.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit.min(MAX_FRAME);
    }

    /// The buffer to append newly read bytes to; it has some spare capacity.
    pub fn space(&mut self) -> &mut Vec<u8> {
        self.compact();
        let held = self.buffer.len();
        let wanted = match self.claimed() {
            // Room for the rest of this frame, but at most as much again as has arrived.
            Some(length) if length <= self.limit => {
                (PREFIX + length).saturating_sub(held).clamp(FIRST_RESERVE, held.max(FIRST_RESERVE))
            }
            _ => FIRST_RESERVE,
        };
        if self.buffer.capacity() - held < wanted {
            self.buffer.reserve(wanted);
        }
        &mut self.buffer
    }

    /// Appends `bytes`, for owners that already have them.
    pub fn push(&mut self, bytes: &[u8]) {
        self.compact();
        self.buffer.extend_from_slice(bytes);
    }

    /// The payload of the next whole frame, if one has arrived.
    ///
    /// After an error the stream has no meaning any more: close it.
    pub fn next_frame(&mut self) -> Result<Option<&[u8]>, FrameError> {
        let Some(length) = self.claimed() else { return Ok(None) };
        if length > self.limit {
            return Err(FrameError::TooLarge { length: length as u64, limit: self.limit });
        }
        if length == 0 {
            return Err(FrameError::Empty);
        }
        let from = self.start + PREFIX;
        let Some(payload) = self.buffer.get(from..from + length) else { return Ok(None) };
        self.start = from + length;
        Ok(Some(payload))
    }

    /// To be called when the stream has ended: an error unless it ended between two frames.
    pub fn finish(&self) -> Result<(), FrameError> {
        let held = self.buffer.len() - self.start;
        if held == 0 {
            return Ok(());
        }
        let due = self.claimed().map_or(PREFIX, |length| PREFIX + length);
        Err(FrameError::Truncated { missing: due.saturating_sub(held) })
    }

    /// Bytes that were allocated, for tests and status.
    pub fn capacity(&self) -> usize {
        self.buffer.capacity()
    }

    /// The length that the prefix at the front claims, once all of the prefix is there.
    fn claimed(&self) -> Option<usize> {
        let prefix = self.buffer.get(self.start..self.start + PREFIX)?;
        let prefix: [u8; PREFIX] = prefix.try_into().ok()?;
        Some(u32::from_le_bytes(prefix) as usize)
    }

    /// Drops the bytes that were handed out, and a buffer that one large frame has enlarged.
    fn compact(&mut self) {
        if self.start == 0 {
            return;
        }
        if self.start == self.buffer.len() {
            self.buffer.clear();
            if self.buffer.capacity() > KEEP_CAPACITY {
                self.buffer = Vec::new();
            }
        } else {
            self.buffer.drain(..self.start);
        }
        self.start = 0;
    }
}

/// Writes one frame into `out`, whose payload `write` appends.
///
/// On an error `out` is left as it was.
pub(crate) fn write_frame<E>(
    out: &mut Vec<u8>,
    limit: usize,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E>
where
    E: From<FrameError>,
{
    let at = out.len();
    out.extend_from_slice(&[0; PREFIX]);
    let result = write(out).and_then(|()| {
        let length = out.len() - at - PREFIX;
        if length > limit.min(MAX_FRAME) {
            return Err(FrameError::TooLarge { length: length as u64, limit }.into());
        }
        if let Some(prefix) = out.get_mut(at..at + PREFIX) {
            prefix.copy_from_slice(&(length as u32).to_le_bytes());
        }
        Ok(())
    });
    if result.is_err() {
        out.truncate(at);
    }
    result
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn framed(payload: &[u8]) -> Vec<u8> {
        let mut out = (payload.len() as u32).to_le_bytes().to_vec();
        out.extend_from_slice(payload);
        out
    }

    #[test]
    fn a_huge_claim_is_refused_before_anything_is_allocated() {
        let mut decoder = FrameDecoder::new(MAX_FRAME);
        decoder.push(&u32::MAX.to_le_bytes());
        assert_eq!(
            decoder.next_frame(),
            Err(FrameError::TooLarge { length: u64::from(u32::MAX), limit: MAX_FRAME })
        );
        assert!(decoder.capacity() < FIRST_RESERVE);
    }

    #[test]
    fn an_allowed_claim_allocates_only_as_bytes_arrive() {
        let mut decoder = FrameDecoder::new(MAX_FRAME);
        decoder.push(&(MAX_FRAME as u32).to_le_bytes());
        assert_eq!(decoder.next_frame(), Ok(None));
        decoder.space();
        assert!(decoder.capacity() <= 2 * FIRST_RESERVE, "{}", decoder.capacity());
    }

    #[test]
    fn a_blown_up_buffer_is_given_back() {
        let mut decoder = FrameDecoder::new(MAX_FRAME);
        decoder.push(&framed(&vec![7; 1 << 20]));
        assert_eq!(decoder.next_frame().unwrap().unwrap().len(), 1 << 20);
        decoder.space();
        assert!(decoder.capacity() <= KEEP_CAPACITY);
    }

    #[test]
    fn an_end_inside_of_a_frame_is_told_from_an_end_between_frames() {
        let mut decoder = FrameDecoder::new(100);
        assert_eq!(decoder.finish(), Ok(()));
        decoder.push(&framed(b"abc")[..5]);
        assert_eq!(decoder.next_frame(), Ok(None));
        assert_eq!(decoder.finish(), Err(FrameError::Truncated { missing: 2 }));
        decoder.push(b"bc");
        assert_eq!(decoder.next_frame(), Ok(Some(&b"abc"[..])));
        assert_eq!(decoder.finish(), Ok(()));
    }

    #[test]
    fn an_empty_frame_is_refused() {
        let mut decoder = FrameDecoder::new(100);
        decoder.push(&framed(b""));
        assert_eq!(decoder.next_frame(), Err(FrameError::Empty));
    }

    proptest! {
        #[test]
        fn frames_come_out_whole_however_the_stream_is_cut(
            payloads in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..300), 0..8),
            cuts in prop::collection::vec(1_usize..50, 1..40),
        ) {
            let stream: Vec<u8> = payloads.iter().flat_map(|payload| framed(payload)).collect();
            let mut decoder = FrameDecoder::new(300);
            let mut seen = Vec::new();
            let mut rest = &stream[..];
            for cut in cuts.iter().cycle() {
                if rest.is_empty() { break; }
                let (now, later) = rest.split_at((*cut).min(rest.len()));
                decoder.space().extend_from_slice(now);
                rest = later;
                while let Some(frame) = decoder.next_frame().unwrap() {
                    seen.push(frame.to_vec());
                }
            }
            prop_assert_eq!(seen, payloads);
            prop_assert_eq!(decoder.finish(), Ok(()));
        }

        #[test]
        fn random_bytes_never_panic_and_never_allocate_beyond_what_arrived(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 0..20),
            limit in 1_usize..4096,
        ) {
            let mut decoder = FrameDecoder::new(limit);
            let mut arrived = 0;
            'stream: for chunk in &chunks {
                decoder.space().extend_from_slice(chunk);
                arrived += chunk.len();
                loop {
                    match decoder.next_frame() {
                        Ok(Some(frame)) => prop_assert!(frame.len() <= limit),
                        Ok(None) => break,
                        Err(_) => break 'stream,
                    }
                }
                prop_assert!(decoder.capacity() <= 2 * (arrived + 2 * FIRST_RESERVE));
            }
            let _ = decoder.finish();
        }
    }
}
