//! Handshake and hello: from a fresh connection to a client that we know.

use std::io;

use interprocess::local_socket::tokio::Stream;
use sdl_proto::{
    ClientMessage, CodecError, FrameDecoder, FrameError, Handshake, HandshakeError, Principal, SessionHello,
    WireError, code, decode_client,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// The largest hello. It is small because nothing is known about the client yet.
const MAX_HELLO: usize = 64 << 10;

/// Why a connection never became a session.
#[derive(Debug, thiserror::Error)]
pub(super) enum OpeningError {
    #[error("the client went away before it sent hello")]
    Gone,
    #[error("connection: {0}")]
    Io(#[from] io::Error),
    #[error("handshake: {0}")]
    Handshake(#[from] HandshakeError),
    #[error("{0}")]
    Refused(WireError),
}

/// Exchanges handshakes and reads the hello. Bytes that came after it stay in the returned decoder.
pub(super) async fn open_session(
    stream: &Stream,
    max_frame: usize,
) -> Result<(SessionHello, Option<Principal>, FrameDecoder), OpeningError> {
    let mut io = stream;
    io.write_all(&Handshake::ours().encode()?).await?;

    let mut first = Vec::with_capacity(512);
    let (handshake, used) = loop {
        if let Some(done) = Handshake::decode(&first)? {
            break done;
        }
        if io.read_buf(&mut first).await? == 0 {
            return Err(OpeningError::Gone);
        }
    };
    handshake.agree()?;

    let mut decoder = FrameDecoder::new(max_frame.min(MAX_HELLO));
    decoder.push(first.get(used..).unwrap_or_default());
    drop(first);
    loop {
        if let Some(payload) = decoder.next_frame().map_err(|error| refuse_opening(&error.into()))? {
            let (hello, principal) = match decode_client(payload).map_err(|error| refuse_opening(&error))? {
                ClientMessage::Hello(hello) => (hello, None),
                ClientMessage::HelloAs(hello, principal) => (hello, Some(principal)),
                _ => return Err(OpeningError::Refused(WireError::new(code::PROTOCOL, "send hello first"))),
            };
            decoder.set_limit(max_frame);
            return Ok((hello, principal, decoder));
        }
        if io.read_buf(decoder.space()).await? == 0 {
            return Err(OpeningError::Gone);
        }
    }
}

fn refuse_opening(error: &CodecError) -> OpeningError {
    OpeningError::Refused(protocol_error(error))
}

/// The error for a client whose bytes make no sense.
pub(super) fn protocol_error(error: &CodecError) -> WireError {
    let code = match error {
        CodecError::Frame(FrameError::TooLarge { .. }) => code::TOO_LARGE,
        _ => code::PROTOCOL,
    };
    WireError::new(code, format!("{error}; the connection is closed"))
}
