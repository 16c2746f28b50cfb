//! The kernel's figures about a process. Linux only: elsewhere everything is `None`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The clock ticks of `/proc/<pid>/stat`: always a hundredth of a second where programs see them.
const TICK: f64 = 0.01;

/// CPU seconds that a process has used, its ended threads included.
pub(crate) fn cpu_seconds(pid: u32) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the name in parentheses, which may hold spaces.
    let (_, fields) = stat.rsplit_once(") ")?;
    let ticks = |at: usize| fields.split(' ').nth(at)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) * TICK)
}

/// Memory of a process, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    /// Resident, shared pages and mapped files included.
    pub(crate) resident: u64,
    /// Resident and nobody else's, mapped files left out.
    pub(crate) anonymous: u64,
    /// The highest resident size so far.
    pub(crate) peak: u64,
}

pub(crate) fn memory_use(pid: u32) -> Option<Memory> {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    Some(Memory {
        resident: parse_field(&rollup, "Rss:")? * 1024,
        anonymous: parse_field(&rollup, "Anonymous:")? * 1024,
        peak: parse_field(&status, "VmHWM:")? * 1024,
    })
}

/// Resident bytes that are nobody else's, mapped files left out. Cheaper to ask for than [`memory_use`].
pub(crate) fn anonymous_bytes(pid: u32) -> Option<u64> {
    Some(parse_field(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?, "RssAnon:")? * 1024)
}

/// Resident bytes of the stores that a process maps. They grow with the stores, and the system takes them back when it needs
/// memory.
pub(crate) fn store_memory(pid: u32) -> Option<u64> {
    let maps = fs::read_to_string(format!("/proc/{pid}/smaps")).ok()?;
    let (mut sum, mut is_store) = (0, false);
    for line in maps.lines() {
        match line.split_whitespace().next() {
            Some("Rss:") if is_store => sum += parse_field(line, "Rss:")? * 1024,
            // The first line of a mapping begins with its addresses.
            Some(word) if !word.ends_with(':') => {
                is_store = Path::new(line).extension().is_some_and(|extension| extension == "mdb");
            }
            _ => {}
        }
    }
    Some(sum)
}

/// Bytes that a process has caused to be written to storage.
pub(crate) fn bytes_written(pid: u32) -> Option<u64> {
    parse_field(&fs::read_to_string(format!("/proc/{pid}/io")).ok()?, "write_bytes:")
}

/// How often the threads of a process have gone to sleep and been woken.
pub(crate) fn wakeup_count(pid: u32) -> Option<u64> {
    Some(thread_wakeups(pid)?.values().sum())
}

/// The same for each thread by its number.
pub(crate) fn thread_wakeups(pid: u32) -> Option<BTreeMap<String, u64>> {
    let mut threads = BTreeMap::new();
    for task in fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten() {
        // A thread may end meanwhile.
        let Ok(status) = fs::read_to_string(task.path().join("status")) else { continue };
        let number = task.file_name().to_string_lossy().into_owned();
        threads.insert(number, parse_field(&status, "voluntary_ctxt_switches:")?);
    }
    Some(threads)
}

/// How often the threads that still run were woken since `before`.
pub(crate) fn wakeups_since(pid: u32, before: &BTreeMap<String, u64>) -> Option<u64> {
    let now = thread_wakeups(pid)?;
    Some(now.iter().map(|(thread, count)| count - before.get(thread).unwrap_or(&0).min(count)).sum())
}

/// How many threads a process has.
pub(crate) fn thread_count(pid: u32) -> Option<u64> {
    parse_field(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?, "Threads:")
}

fn parse_field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}
