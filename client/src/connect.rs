//! From a path to a session.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use interprocess::local_socket::GenericFilePath;
use interprocess::local_socket::tokio::Stream;
use interprocess::local_socket::tokio::prelude::*;
use sdl_proto::{
    ClientMessage, FrameDecoder, Handshake, ServerMessage, Welcome, WireError, capability, code,
    decode_server, encode_client,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::error::ClientError;
use crate::trust;

/// How long a daemon may take to accept a connection and welcome a session. It does both at once when it is healthy.
const OPENING: Duration = Duration::from_secs(5);

/// A connection with an open session.
pub(crate) struct Opened {
    pub(crate) stream: Stream,
    pub(crate) decoder: FrameDecoder,
    pub(crate) handshake: Handshake,
    pub(crate) welcome: Welcome,
}

/// The build of whoever answers on `path` with a handshake of ours, of whatever version. `None` if nobody does.
pub async fn answering_build(path: &Path) -> Option<String> {
    let greeted = tokio::time::timeout(OPENING, exchange_handshakes(path)).await;
    greeted.ok()?.ok().map(|(_, _, handshake)| handshake.build)
}

/// Connects and exchanges handshakes, without judging the daemon's.
pub(crate) async fn exchange_handshakes(
    path: &Path,
) -> Result<(Stream, FrameDecoder, Handshake), ClientError> {
    let failed = |source: io::Error| ClientError::Connect { path: path.to_owned(), source: Arc::new(source) };
    // Checked before a byte is sent, because the hello contains the working directory and the token.
    trust::check_folder(path)?;
    let name = path.to_fs_name::<GenericFilePath>().map_err(failed)?;
    let stream = Stream::connect(name).await.map_err(failed)?;
    trust::check_peer(&stream, path)?;
    let mut io = &stream;
    // A failed write is ignored, because a daemon that refuses the connection may have closed its end already. Its
    // reason can still be read.
    let _ = io.write_all(&Handshake::ours().encode()?).await;
    let mut first = Vec::with_capacity(256);
    let (handshake, used) = loop {
        if let Some(done) = Handshake::decode(&first)? {
            break done;
        }
        if io.read_buf(&mut first).await.map_err(failed)? == 0 {
            return Err(failed(io::ErrorKind::UnexpectedEof.into()));
        }
    };
    let mut decoder = FrameDecoder::new(sdl_proto::MAX_FRAME);
    decoder.push(first.get(used..).unwrap_or_default());
    Ok((stream, decoder, handshake))
}

/// Opens a session.
pub(crate) async fn open_session(path: &Path, hello: ClientMessage) -> Result<Opened, ClientError> {
    tokio::time::timeout(OPENING, open_patiently(path, hello))
        .await
        .unwrap_or_else(|_| Err(ClientError::Silent { path: path.to_owned() }))
}

async fn open_patiently(path: &Path, hello: ClientMessage) -> Result<Opened, ClientError> {
    let (stream, mut decoder, handshake) = exchange_handshakes(path).await?;
    handshake.agree()?;
    if matches!(hello, ClientMessage::HelloAs(..)) && !handshake.has(capability::PRINCIPAL) {
        let text = format!(
            "the daemon (build {}) is older than this program and does not know whose calls are passed on; restart it",
            handshake.build
        );
        return Err(ClientError::Refused(WireError::new(code::PROTOCOL, text)));
    }
    let mut bytes = Vec::new();
    encode_client(&hello, sdl_proto::MAX_FRAME, &mut bytes)
        .map_err(|error| ClientError::Unsendable(error.to_string()))?;
    let mut io = &stream;
    let written = io.write_all(&bytes).await;
    loop {
        match decoder.next_frame().map(|payload| payload.map(decode_server)) {
            Ok(Some(Ok(ServerMessage::Welcome(welcome)))) => {
                return Ok(Opened { stream, decoder, handshake, welcome });
            }
            Ok(Some(Ok(ServerMessage::Closing(reason)))) => return Err(ClientError::Refused(reason)),
            Ok(Some(Ok(_))) => return Err(connection_lost("it did not begin with a welcome")),
            Ok(Some(Err(error))) => return Err(connection_lost(&error.to_string())),
            Err(error) => return Err(connection_lost(&error.to_string())),
            Ok(None) => {}
        }
        match io.read_buf(decoder.space()).await {
            Ok(0) => {
                let cause = written
                    .as_ref()
                    .err()
                    .map_or_else(|| "it closed the connection".into(), ToString::to_string);
                return Err(connection_lost(&cause));
            }
            Ok(_) => {}
            Err(error) => return Err(connection_lost(&error.to_string())),
        }
    }
}

fn connection_lost(reason: &str) -> ClientError {
    ClientError::Closed { reason: Some(reason.to_owned()), sent: false }
}
