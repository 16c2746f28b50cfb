//! Messages to frames and back.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::frame::{FrameError, MAX_FRAME, write_frame};
use crate::message::{ClientMessage, ServerMessage};

/// Why a payload is not a message, or a message can't be sent.
#[derive(Debug, Error)]
pub enum CodecError {
    /// Larger than a frame may be.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The payload is no message of this protocol version.
    #[error("the frame does not hold a valid message: {0}")]
    Decode(bincode::error::DecodeError),
    /// The payload goes on after the message.
    #[error("{0} bytes follow the message in its frame")]
    Trailing(usize),
    /// The message can't be coded.
    #[error("the message can't be encoded: {0}")]
    Encode(bincode::error::EncodeError),
}

/// No length inside of a message may claim more than a whole frame.
fn codec_config() -> bincode::config::Configuration<
    bincode::config::LittleEndian,
    bincode::config::Varint,
    bincode::config::Limit<MAX_FRAME>,
> {
    bincode::config::standard().with_limit::<MAX_FRAME>()
}

/// Appends `message` to `out` as one frame of at most `limit` bytes; `out` is unchanged on an error.
pub fn encode_client(message: &ClientMessage, limit: usize, out: &mut Vec<u8>) -> Result<(), CodecError> {
    encode_message(message, limit, out)
}

/// Appends `message` to `out` as one frame of at most `limit` bytes; `out` is unchanged on an error.
pub fn encode_server(message: &ServerMessage, limit: usize, out: &mut Vec<u8>) -> Result<(), CodecError> {
    encode_message(message, limit, out)
}

/// Reads a client's message from a frame's payload.
pub fn decode_client(payload: &[u8]) -> Result<ClientMessage, CodecError> {
    decode_message(payload)
}

/// Reads the daemon's message from a frame's payload.
pub fn decode_server(payload: &[u8]) -> Result<ServerMessage, CodecError> {
    decode_message(payload)
}

pub(crate) fn encode_message<T: Serialize>(
    message: &T,
    limit: usize,
    out: &mut Vec<u8>,
) -> Result<(), CodecError> {
    write_frame(out, limit, |out| {
        bincode::serde::encode_into_std_write(message, out, codec_config()).map_err(CodecError::Encode)?;
        Ok(())
    })
}

pub(crate) fn decode_message<'a, T: Deserialize<'a>>(payload: &'a [u8]) -> Result<T, CodecError> {
    let (message, used) =
        bincode::serde::borrow_decode_from_slice(payload, codec_config()).map_err(CodecError::Decode)?;
    match payload.len() - used {
        0 => Ok(message),
        rest => Err(CodecError::Trailing(rest)),
    }
}
