//! The daemon's and the gate's processes over time.

use std::time::{Duration, Instant};

use crate::process::{memory_use, store_memory, thread_count};
use crate::runs::idle::pass_time;
use crate::upstream::census::{find_descendant, list_descendants, open_files};

/// The share by which memory may differ between the first and the last quarter.
const FLAT: f64 = 0.02;

/// What a process takes.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    resident: u64,
    /// Of that, pages of stores.
    store: u64,
    anonymous: u64,
    files: u64,
    threads: u64,
}

/// The processes at one time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sample {
    daemon: Use,
    gate: Use,
}

fn measure_process(pid: u32) -> Option<Use> {
    let memory = memory_use(pid)?;
    let (store, files, threads) = (store_memory(pid)?, open_files(pid)?, thread_count(pid)?);
    Some(Use { resident: memory.resident, store, anonymous: memory.anonymous, files, threads })
}

/// Looks at the processes for that long, some two hundred times. Samples of the first eighth are only printed, because every
/// part of the programs runs for its first time then.
pub(crate) fn watch_processes(daemon: u32, time: Duration) -> Vec<Sample> {
    let began = Instant::now();
    let pause = (time / 200).max(Duration::from_secs(1));
    let mut samples = Vec::new();
    let mut printed = Duration::ZERO;
    while began.elapsed() < time {
        pass_time(pause);
        let gate = find_descendant(daemon, "sdl-gate").and_then(measure_process);
        let (Some(daemon_use), Some(gate)) = (measure_process(daemon), gate) else { continue };
        if began.elapsed() > time / 8 {
            samples.push(Sample { daemon: daemon_use, gate });
        }
        if began.elapsed() >= printed + time / 20 {
            printed = began.elapsed();
            let below = list_descendants(daemon).len();
            println!(
                "{:>5} s: {below} processes below; {}; {}",
                printed.as_secs(),
                show_use("sdld", daemon_use),
                show_use("gate", gate)
            );
        }
    }
    samples
}

fn show_use(name: &str, used: Use) -> String {
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    format!(
        "{name} {:.1} MB resident, {:.1} private, {} files, {} threads",
        megabytes(used.resident),
        megabytes(used.anonymous),
        used.files,
        used.threads
    )
}

/// One figure of a sample.
type Part = fn(&Sample) -> u64;

/// Prints the quarters, and reports what grew from the first to the last.
pub(crate) fn judge_memory(samples: &[Sample]) -> Vec<String> {
    let quarter = samples.len() / 4;
    let begun = |at: usize| samples.get(at..at + quarter).filter(|some| !some.is_empty());
    let (Some(first), Some(middle), Some(last)) =
        (begun(0), begun(quarter * 3 / 2), begun(samples.len() - quarter))
    else {
        return vec!["too few samples".to_owned()];
    };
    let mut faults = Vec::new();
    let parts: [(&str, Part, bool); 9] = [
        ("sdld resident", |sample| sample.daemon.resident, true),
        ("sdld store pages", |sample| sample.daemon.store, false),
        ("sdld private", |sample| sample.daemon.anonymous, true),
        ("sdld files", |sample| sample.daemon.files, false),
        ("sdld threads", |sample| sample.daemon.threads, false),
        ("gate resident", |sample| sample.gate.resident, true),
        ("gate private", |sample| sample.gate.anonymous, true),
        ("gate files", |sample| sample.gate.files, false),
        ("gate threads", |sample| sample.gate.threads, false),
    ];
    for (name, part, is_judged) in parts {
        let mean = |some: &[Sample]| some.iter().map(part).sum::<u64>() as f64 / some.len().max(1) as f64;
        let (begin, between, end) = (mean(first), mean(middle), mean(last));
        let growth = end / begin.max(1.0) - 1.0;
        println!(
            "{name}: {begin:.0} in the first quarter, {between:.0} in the middle, {end:.0} in the last, {:+.1} %",
            growth * 100.0
        );
        if is_judged && growth > FLAT {
            faults.push(format!("{name} grew by {:.1} %", growth * 100.0));
        }
    }
    faults
}
