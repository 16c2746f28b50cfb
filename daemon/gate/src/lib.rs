//! `sdl-gate`: holds all connections to upstream MCP servers, on behalf of the daemon.
//!
//! The daemon starts it and talks to it in [frames](sdl_proto::gate). It knows transports, children and the protocol's
//! lifecycles; it does not know which session may call what, nor what a tool is for. Results pass as the text that they were.
//!
//! * [`serve`] reads the daemon's messages until there are no more.
//! * Each upstream has a slot for each owner, kept by a task of its own, so that none can hold up another.
//! * A login is made by a process of its own, which a person starts.
//! * A slot's connection is an rmcp client over our own transport, which keeps books of every message.

#![forbid(unsafe_code)]

mod asks;
#[cfg(unix)]
mod child;
mod clock;
mod entry;
mod eras;
mod flag;
mod gate;
#[cfg(feature = "http")]
mod http;
mod lists;
mod mask;
#[cfg(feature = "oauth")]
mod oauth;
mod outbox;
mod shared;
mod slot;
mod trouble;
mod wire;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use sdl_proto::gate::{FromGate, ToGate, decode_to_gate};
use sdl_proto::{BUILD, FrameDecoder, MAX_FRAME};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};

pub use clock::{Clock, Hands};
#[cfg(feature = "oauth")]
pub use oauth::run_login;

use crate::gate::{Gate, Places};
use crate::outbox::{Outbox, write_outgoing};

/// Serves the daemon at the other end of `input` and `output`, until it asks for the end or is gone. Then every child is ended.
///
/// `holder` is this program, as [`own_program`] finds it; see [`become_child`].
pub async fn serve<R, W>(input: R, output: W, clock: Clock, holder: PathBuf) -> io::Result<()>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (outbox, outgoing) = Outbox::new();
    let writer = tokio::spawn(write_outgoing(output, outgoing));
    outbox.send(FromGate::Hello { build: BUILD.to_owned(), pid: std::process::id() }).await;
    let mut frames = Frames { input, decoder: FrameDecoder::new(MAX_FRAME) };
    let first = frames.next().await?;
    let Some(ToGate::Hello { build, state_dir, runtime_dir }) = first else {
        return Err(invalid("the first message is not a hello"));
    };
    if build != BUILD {
        return Err(invalid(&format!("the daemon is of build {build}, the gate of build {BUILD}")));
    }
    let places = Places { state_dir: state_dir.into(), runtime_dir: runtime_dir.into(), holder };
    let mut gate = Gate::open(outbox, clock, places).await?;
    let result = loop {
        match frames.next().await {
            Ok(Some(message)) => {
                if !gate.obey(message).await {
                    break Ok(());
                }
            }
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    gate.close().await;
    writer.abort();
    result
}

/// Forbids what children must not inherit. To be called once, before anything is started.
pub fn prepare_process() {
    #[cfg(unix)]
    child::spawn::forbid_core_files();
}

/// The program that runs, for [`serve`].
pub fn own_program() -> io::Result<PathBuf> {
    #[cfg(unix)]
    return child::held::own_program();
    #[cfg(not(unix))]
    std::env::current_exe()
}

/// Waits until the gate that started this process has recorded it, and becomes the child that it wants. To be called first, if
/// the only argument is `child`.
pub fn become_child() -> ExitCode {
    #[cfg(unix)]
    return child::held::become_program();
    #[cfg(not(unix))]
    ExitCode::FAILURE
}

fn invalid(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// The daemon's messages.
struct Frames<R> {
    input: R,
    decoder: FrameDecoder,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    /// The next message. None at the end.
    async fn next(&mut self) -> io::Result<Option<ToGate>> {
        loop {
            let frame = self.decoder.next_frame().map_err(|error| invalid(&error.to_string()))?;
            if let Some(frame) = frame {
                return decode_to_gate(frame).map(Some).map_err(|error| invalid(&error.to_string()));
            }
            if self.input.read_buf(self.decoder.space()).await? == 0 {
                // A daemon that was killed may leave half a frame; nobody waits for its answer.
                return Ok(None);
            }
        }
    }
}
