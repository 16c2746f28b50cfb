//! Holds a child back until it is on record.
//!
//! The gate starts its own program with the word `child`. That process only reads one message from its input, which names
//! the program to become, and the gate sends it once the process is in the registry. If the gate ends before, the input
//! ends too, and so does the process. A child that its gate did not record has therefore never run. The number stays the
//! same, and with it the record.
//!
//! A signal at the parent's death (`PR_SET_PDEATHSIG`) would not do: it comes when the thread ends that started the child, and
//! threads for work that blocks end when they are idle.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::child::spawn::Program;

/// The first word of the held process.
const WORD: &str = "child";

/// With this code a held process ends that could not become its program, as shells do. Its last words begin with [`WHY`].
const NOT_STARTED: i32 = 127;
const WHY: &str = "sdl-gate: cannot be started: ";

/// The program that can hold a child: this one.
pub(crate) fn own_program() -> io::Result<PathBuf> {
    // Stays right when the file is replaced while it runs.
    let own = Path::new("/proc/self/exe");
    if cfg!(target_os = "linux") && own.exists() { Ok(own.to_owned()) } else { std::env::current_exe() }
}

/// The command that starts a held process.
pub(crate) fn held_command(holder: &Path) -> Command {
    let mut command = Command::new(holder);
    // Variables of the entry are for its program alone: one for the linker could keep the held process from starting.
    command.arg0("sdl-gate").arg(WORD).env_clear();
    command
}

/// The message that lets a held process become a program: a length, and texts that each end in a NUL: the program, the number
/// of its arguments, the arguments, and its variables.
pub(crate) fn write_program(program: &Program) -> io::Result<Vec<u8>> {
    let count = program.args.len().to_string();
    let mut texts = vec![program.path.as_os_str().as_bytes(), count.as_bytes()];
    texts.extend(program.args.iter().map(|arg| arg.as_bytes()));
    for (name, value) in &program.environment {
        texts.extend([name.as_bytes(), value.as_bytes()]);
    }
    if texts.iter().any(|text| text.contains(&0)) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "its command or environment contains a NUL"));
    }
    let mut message = vec![0; 4];
    for text in texts {
        message.extend_from_slice(text);
        message.push(0);
    }
    let length = u32::try_from(message.len() - 4).map_err(io::Error::other)?;
    message[..4].copy_from_slice(&length.to_le_bytes());
    Ok(message)
}

/// A program as it came.
#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    path: OsString,
    args: Vec<OsString>,
    environment: BTreeMap<OsString, OsString>,
}

/// Reads a message to its end and no further: the rest of the input is for the program. None without a whole message.
fn read_program(input: &mut impl Read) -> Option<Wanted> {
    let mut length = [0; 4];
    input.read_exact(&mut length).ok()?;
    let mut body = Vec::new();
    let length = u64::from(u32::from_le_bytes(length));
    if input.take(length).read_to_end(&mut body).ok()? as u64 != length {
        return None;
    }
    let mut texts =
        body.strip_suffix(&[0])?.split(|byte| *byte == 0).map(OsStr::from_bytes).map(OsStr::to_owned);
    let path = texts.next()?;
    let count: usize = texts.next()?.to_str()?.parse().ok()?;
    let args: Vec<OsString> = texts.by_ref().take(count).collect();
    let mut environment = BTreeMap::new();
    while let Some(name) = texts.next() {
        environment.insert(name, texts.next()?);
    }
    (args.len() == count).then_some(Wanted { path, args, environment })
}

/// Waits for the message and becomes its program. Returns where that is not possible: the gate has ended, or there is no such
/// program.
pub(crate) fn become_program() -> ExitCode {
    // Not the standard library's input, which reads ahead.
    let input = io::stdin().as_fd().try_clone_to_owned().map(File::from);
    let Some(wanted) = input.ok().and_then(|mut input| read_program(&mut input)) else {
        return ExitCode::FAILURE;
    };
    let error = Command::new(wanted.path).args(wanted.args).env_clear().envs(wanted.environment).exec();
    let _ = writeln!(io::stderr(), "{WHY}{error}");
    ExitCode::from(NOT_STARTED as u8)
}

/// Why a child with this exit code and these last words did not become its program, if it did not.
pub(crate) fn why_not_started(exit_code: Option<i32>, last_words: &[String]) -> Option<&str> {
    let last = last_words.last().filter(|_| exit_code == Some(NOT_STARTED))?;
    last.strip_prefix(WHY)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    fn program() -> Program {
        let odd = OsStr::from_bytes(b"\xff=\n").to_owned();
        Program {
            path: "/bin/a b".into(),
            args: vec![String::new(), "--x=1".to_owned(), "\n".to_owned()],
            folder: "/".into(),
            environment: [(OsString::from("EMPTY"), OsString::new()), ("ODD".into(), odd)].into(),
        }
    }

    #[test]
    fn a_program_arrives_as_it_was_sent_and_the_rest_of_the_input_is_left() {
        let sent = program();
        let mut bytes = write_program(&sent).unwrap();
        bytes.extend(b"{}\n");
        let mut input = io::Cursor::new(bytes);
        let came = read_program(&mut input).unwrap();
        assert_eq!(came.path, sent.path.as_os_str());
        assert_eq!(came.args, sent.args.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(came.environment, sent.environment);
        let mut rest = String::new();
        input.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "{}\n");
    }

    #[test]
    fn no_part_of_a_message_is_a_program() {
        let bytes = write_program(&program()).unwrap();
        for end in 0..bytes.len() {
            assert_eq!(read_program(&mut &bytes[..end]), None, "{end} bytes");
        }
    }

    #[test]
    fn a_nul_is_refused_because_no_program_can_get_it() {
        let mut bad = program();
        bad.args.push("a\0b".to_owned());
        assert_eq!(write_program(&bad).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}
