//! rmcp's transport over the pipes of a child.

use std::io;
use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::{mpsc, oneshot};

use crate::flag::Flag;
use crate::wire::lines::{Line, Lines};
use crate::wire::link::{Inbound, Link, Outbound};

/// Messages that wait for the child to read them.
const QUEUE: usize = 64;

/// The child's pipes.
pub(crate) struct Pipes {
    lines: Lines<Receiver>,
    link: Arc<Link>,
    queue: mpsc::Sender<Waiting>,
    /// Raised to end the connection.
    hang_up: Flag,
}

/// A message that the child has not read, until this is dropped.
struct Unread(Arc<Link>);

impl Drop for Unread {
    fn drop(&mut self) {
        self.0.was_read();
    }
}

struct Waiting {
    message: Outbound,
    written: oneshot::Sender<()>,
}

impl Pipes {
    /// The transport over `stdin` and `stdout` of a child. `hang_up` closes both ends.
    pub(crate) fn new(stdin: Sender, stdout: Receiver, link: Arc<Link>, hang_up: Flag) -> Self {
        let (queue, waiting) = mpsc::channel(QUEUE);
        tokio::spawn(write_queue(stdin, waiting, hang_up.clone()));
        Self { lines: Lines::new(stdout), link, queue, hang_up }
    }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        self.link.closed.raise();
        self.hang_up.raise();
    }
}

impl Transport<RoleClient> for Pipes {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let message = self.link.outbound(&item);
        let queue = self.queue.clone();
        let unread = Unread(Arc::clone(&self.link));
        async move {
            let _unread = unread;
            let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
            let (written, is_written) = oneshot::channel();
            queue.send(Waiting { message: message?, written }).await.map_err(|_| gone())?;
            is_written.await.map_err(|_| gone())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let line = tokio::select! {
                line = self.lines.next() => line,
                () = self.hang_up.raised() => Ok(Line::Over),
            };
            let inbound = match line {
                Ok(Line::Whole(line)) => self.link.inbound(&line),
                Ok(Line::TooLong(head)) => self.link.too_long(&head),
                Ok(Line::Endless) => self.link.endless(),
                Ok(Line::Over) | Err(_) => Inbound::Broken,
            };
            match inbound {
                Inbound::Message(message) => return Some(*message),
                Inbound::Nothing => {}
                Inbound::Broken => {
                    self.link.closed.raise();
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.link.closed.raise();
        self.hang_up.raise();
        Ok(())
    }
}

/// Writes until nobody can queue any more, the child reads no more, or the connection is ended. Then the pipe is closed.
async fn write_queue(mut stdin: Sender, mut queue: mpsc::Receiver<Waiting>, hang_up: Flag) {
    let write = async {
        while let Some(Waiting { message, written }) = queue.recv().await {
            if message.track.as_ref().is_none_or(|track| track.leave()) {
                let mut line = message.text.into_bytes();
                line.push(b'\n');
                if stdin.write_all(&line).await.is_err() {
                    return;
                }
            }
            let _ = written.send(());
        }
    };
    tokio::select! {
        () = write => {}
        () = hang_up.raised() => {}
    }
}
