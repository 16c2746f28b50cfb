//! Standard input and output, without a thread where that is possible.
//!
//! MCP clients connect pipes or socket pairs; both can be waited for by the runtime itself. Only files and terminals
//! need the runtime's blocking threads.

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

/// Where messages come from.
pub(crate) type Input = Box<dyn AsyncRead + Send + Unpin>;

/// Where messages go.
pub(crate) type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Opens both.
pub(crate) fn open_stdio() -> io::Result<(Input, Output)> {
    #[cfg(unix)]
    {
        let input = unix::input(std::io::stdin())?;
        let output = unix::output(std::io::stdout())?;
        Ok((input, output))
    }
    #[cfg(not(unix))]
    Ok((Box::new(tokio::io::stdin()), Box::new(tokio::io::stdout())))
}

#[cfg(unix)]
mod unix {
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
    use std::os::unix::fs::OpenOptionsExt;
    use std::os::unix::net::UnixStream as StdStream;

    use rustix::fs::{FileType, OFlags, fstat};
    use tokio::net::UnixStream;
    use tokio::net::unix::pipe;

    use super::{Input, Output};

    pub(super) fn input(stdin: impl AsFd) -> io::Result<Input> {
        let stdin = stdin.as_fd();
        match kind(stdin)? {
            FileType::Socket => Ok(Box::new(socket(stdin)?)),
            FileType::Fifo => {
                match reopen(stdin, OpenOptions::new().read(true)).and_then(pipe::Receiver::from_file) {
                    Ok(pipe) => Ok(Box::new(pipe)),
                    Err(_) => Ok(Box::new(tokio::io::stdin())),
                }
            }
            _ => Ok(Box::new(tokio::io::stdin())),
        }
    }

    pub(super) fn output(stdout: impl AsFd) -> io::Result<Output> {
        let stdout = stdout.as_fd();
        match kind(stdout)? {
            FileType::Socket => Ok(Box::new(socket(stdout)?)),
            FileType::Fifo => {
                match reopen(stdout, OpenOptions::new().write(true)).and_then(pipe::Sender::from_file) {
                    Ok(pipe) => Ok(Box::new(pipe)),
                    Err(_) => Ok(Box::new(tokio::io::stdout())),
                }
            }
            _ => Ok(Box::new(tokio::io::stdout())),
        }
    }

    fn kind(descriptor: BorrowedFd<'_>) -> io::Result<FileType> {
        Ok(FileType::from_raw_mode(fstat(descriptor)?.st_mode))
    }

    /// Our end of a socket pair is ours alone, so its mode may be changed.
    fn socket(descriptor: BorrowedFd<'_>) -> io::Result<UnixStream> {
        let stream = StdStream::from(descriptor.try_clone_to_owned()?);
        stream.set_nonblocking(true)?;
        UnixStream::from_std(stream)
    }

    /// A pipe's end may be shared with other processes, which must not find it non-blocking. Opened again it has a
    /// mode of its own. Works on Linux; elsewhere it fails and the caller makes do with threads.
    fn reopen(descriptor: BorrowedFd<'_>, options: &mut OpenOptions) -> io::Result<File> {
        let path = format!("/proc/self/fd/{}", descriptor.as_raw_fd());
        options.custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)
    }
}
