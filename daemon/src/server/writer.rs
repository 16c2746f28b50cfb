//! Writing to one client.

use std::io;

use sdl_proto::{ServerMessage, WireError, code, encode_server};
use tokio::io::{AsyncWrite, AsyncWriteExt};

use super::Options;
use super::outbox::{Outgoing, Outlet};

/// Answers that are ready together are written together, up to about this many bytes.
const BATCH: usize = 64 << 10;

/// Takes messages from an [`Outlet`] to the socket.
///
/// A message that is half written when a future is dropped stays here and is finished first by the next one, so that
/// the client never sees a truncated frame.
pub(super) struct Writer<'a, W> {
    io: W,
    options: &'a Options,
    outlet: Outlet,
    /// Frames on their way.
    bytes: Vec<u8>,
    /// How many of `bytes` are written.
    written: usize,
    /// The messages that `bytes` consists of, and with them their requests' right to run.
    held: Vec<Outgoing>,
}

impl<'a, W: AsyncWrite + Unpin> Writer<'a, W> {
    pub(super) fn new(io: W, options: &'a Options, outlet: Outlet) -> Self {
        Self { io, options, outlet, bytes: Vec::new(), written: 0, held: Vec::new() }
    }

    /// Writes queued messages for as long as the client reads.
    pub(super) async fn run(&mut self) -> io::Error {
        loop {
            if let Err(error) = self.write_out().await {
                return error;
            }
            let Some(first) = self.outlet.next().await else { return io::ErrorKind::BrokenPipe.into() };
            if let Err(error) = self.take(first) {
                return error;
            }
        }
    }

    /// Writes the messages that are queued now, and no more.
    pub(super) async fn flush(&mut self) -> io::Result<()> {
        loop {
            self.write_out().await?;
            let Some(first) = self.outlet.try_next() else { return Ok(()) };
            self.take(first)?;
        }
    }

    /// Finishes a half-written message, then tells the client why the connection ends.
    pub(super) async fn say_farewell(&mut self, reason: WireError) -> io::Result<()> {
        self.write_out().await?;
        self.encode(&ServerMessage::Closing(reason))?;
        self.write_out().await
    }

    /// Makes one batch of `first` and the other messages that are ready.
    fn take(&mut self, first: Outgoing) -> io::Result<()> {
        let mut next = Some(first);
        while let Some(outgoing) = next {
            self.encode(&outgoing.message)?;
            self.held.push(outgoing);
            next = if self.bytes.len() < BATCH { self.outlet.try_next() } else { None };
        }
        Ok(())
    }

    /// Gives up only when not a byte moves for a while, because a slow client is not a dead one.
    async fn write_out(&mut self) -> io::Result<()> {
        while let Some(rest) = self.bytes.get(self.written..).filter(|rest| !rest.is_empty()) {
            let written = tokio::time::timeout(self.options.write_stall, self.io.write(rest))
                .await
                .map_err(|_| io::Error::new(io::ErrorKind::TimedOut, "the client does not read"))??;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.written += written;
        }
        self.written = 0;
        self.held.clear();
        if self.bytes.capacity() > BATCH {
            self.bytes = Vec::new();
        }
        self.bytes.clear();
        Ok(())
    }

    /// Appends the message; an answer that is too large to be sent becomes an error.
    fn encode(&mut self, message: &ServerMessage) -> io::Result<()> {
        let limit = self.options.max_frame;
        let Err(error) = encode_server(message, limit, &mut self.bytes) else { return Ok(()) };
        let ServerMessage::Response { id, .. } = message else {
            tracing::warn!(%error, "a message could not be sent");
            return Ok(());
        };
        let text = format!("the answer can't be sent: {error}; ask for less");
        let reply = ServerMessage::Response { id: *id, result: Err(WireError::new(code::TOO_LARGE, text)) };
        encode_server(&reply, limit, &mut self.bytes).map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use sdl_proto::{FrameDecoder, MAX_FRAME, Payload, decode_server};
    use tokio::io::{AsyncReadExt, DuplexStream, duplex};
    use tokio::time::{Instant, advance};

    use super::super::outbox::outbox_channel;
    use super::*;

    const STALL: Duration = Duration::from_millis(500);
    /// The capacity of the pipe to the client.
    const PIECE: usize = 4 << 10;
    const PIECES: usize = 40;

    /// Writes one answer of many pieces, while `reading` reads from the other end.
    async fn written<T>(reading: impl AsyncFnOnce(DuplexStream) -> T) -> (io::Result<()>, T) {
        let (near, far) = duplex(PIECE);
        let options = Options { write_stall: STALL, ..Options::default() };
        let (outbox, outlet) = outbox_channel();
        outbox.answer(1, Ok(vec![b'x'; PIECES * PIECE]), None).await;
        // Gone once it is done or has given up, and its end of the pipe with it.
        let writing = async { Writer::new(near, &options, outlet).flush().await };
        tokio::join!(writing, reading(far))
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_is_not_a_dead_one() {
        let begun = Instant::now();
        let (written, got) = written(async |mut far| {
            let mut decoder = FrameDecoder::new(MAX_FRAME);
            loop {
                if let Some(frame) = decoder.next_frame().unwrap() {
                    return decode_server(frame).unwrap();
                }
                advance(STALL * 9 / 10).await;
                assert_ne!(far.read_buf(decoder.space()).await.unwrap(), 0, "given up");
            }
        })
        .await;
        written.unwrap();
        let answer = Ok(Payload(vec![b'x'; PIECES * PIECE]));
        assert_eq!(got, ServerMessage::Response { id: 1, result: answer });
        assert!(begun.elapsed() > STALL * 10, "much longer than a stall, only never at once");
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_stops_is_given_up() {
        let (written, stalled) = written(async |mut far| {
            far.read_exact(&mut [0; 2 * PIECE]).await.unwrap();
            let stopped = Instant::now();
            (far, stopped)
        })
        .await;
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(stalled.1.elapsed() >= STALL, "{:?}", stalled.1.elapsed());
    }
}
