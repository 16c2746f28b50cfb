//! The daemon's activity when there is nothing to do.

use std::fmt;
use std::sync::mpsc::channel;
use std::time::Duration;

use sdl_tests::TestEnv;

use crate::figures::format_megabytes;
use crate::options::Options;
use crate::process::Memory;
use crate::world::World;
use crate::{Outcome, process, tree};

pub(crate) fn run_idle(options: &Options) -> Outcome {
    let env = TestEnv::new();
    let root = env.repo("tree", "");
    match &options.path {
        Some(path) => println!("{} files of {}", tree::copy_tree(path, &root)?, path.display()),
        None => println!("{} made files", tree::make_tree(&root, 300)?.len()),
    }
    let (world, _) = World::indexed(env, &root)?;
    let pid = world.daemon.pid();
    let seconds = options.number("seconds", 60);
    let rest = Rest::measure(pid, Duration::from_secs(seconds));
    println!(
        "idle for {seconds} s, one shim connected, {} threads:",
        number_text(process::thread_count(pid))
    );
    if let Some(cpu) = rest.cpu {
        println!("  CPU            {cpu:.2} s");
    }
    println!("  wake-ups       {}", number_text(rest.wakeups));
    println!("  bytes written  {}", number_text(rest.written));
    if let Some(memory) = rest.memory {
        println!(
            "  memory         {} resident, {} of it private, peak {}",
            format_megabytes(memory.resident),
            format_megabytes(memory.anonymous),
            format_megabytes(memory.peak)
        );
    }
    Ok(())
}

/// What a daemon with nothing to do needs.
pub(crate) struct Rest {
    /// Seconds.
    cpu: Option<f64>,
    wakeups: Option<u64>,
    /// Bytes.
    written: Option<u64>,
    memory: Option<Memory>,
}

impl Rest {
    /// Watches a process for some time, once what was postponed is done.
    pub(crate) fn measure(pid: u32, time: Duration) -> Self {
        pass_time(Duration::from_secs(3));
        let before = (process::cpu_seconds(pid), process::wakeup_count(pid), process::bytes_written(pid));
        pass_time(time);
        let since = |now: Option<u64>, before: Option<u64>| Some(now?.saturating_sub(before?));
        Self {
            cpu: process::cpu_seconds(pid).zip(before.0).map(|(after, before)| after - before),
            wakeups: since(process::wakeup_count(pid), before.1),
            written: since(process::bytes_written(pid), before.2),
            memory: process::memory_use(pid),
        }
    }
}

impl fmt::Display for Rest {
    /// The cells of a row in Markdown: private and resident memory, CPU, wake-ups, bytes written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = |bytes: fn(&Memory) -> u64| {
            self.memory.as_ref().map_or_else(|| "?".to_owned(), |memory| format_megabytes(bytes(memory)))
        };
        let cpu = self.cpu.map_or_else(|| "?".to_owned(), |cpu| format!("{:.0} ms", cpu * 1e3));
        let (wakeups, written) = (number_text(self.wakeups), number_text(self.written));
        let (private, resident) = (size(|memory| memory.anonymous), size(|memory| memory.resident));
        write!(f, "{private} | {resident} | {cpu} | {wakeups} | {written} B")
    }
}

/// Lets time pass. The channel never gets anything.
pub(crate) fn pass_time(time: Duration) {
    let (_sender, receiver) = channel::<()>();
    let _ = receiver.recv_timeout(time);
}

fn number_text(number: Option<u64>) -> String {
    number.map_or_else(|| "?".to_owned(), |number| number.to_string())
}
