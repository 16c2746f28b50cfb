//! `sdl-bench upstream-tee LOG COMMAND…`: runs a server and notes each line in both directions, so that a run can compare what a
//! client got with what the server wrote.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::Outcome;

type Log = Arc<Mutex<File>>;

/// Runs until the server ends. Lines to it begin with `> ` in the log, lines of it with `< `.
pub(crate) fn run_tee(words: &[String]) -> Outcome {
    let [log, command, args @ ..] = words else { return Err("upstream-tee wants LOG and COMMAND".into()) };
    let log: Log = Arc::new(Mutex::new(File::options().create(true).append(true).open(log)?));
    let mut child = Command::new(command).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let (Some(input), Some(output)) = (input, output) else { return Err("no pipes".into()) };
    let in_log = Arc::clone(&log);
    // Not joined: it ends with this process, or by closing the server's input.
    thread::spawn(move || copy_lines(io::stdin().lock(), input, "> ", &in_log));
    copy_lines(BufReader::new(output), io::stdout().lock(), "< ", &log)?;
    child.wait()?;
    Ok(())
}

fn copy_lines(mut from: impl BufRead, mut to: impl Write, mark: &str, log: &Log) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if from.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            log.write_all(&[mark.as_bytes(), line.as_slice()].concat())?;
        }
        to.write_all(&line)?;
        to.flush()?;
    }
}
