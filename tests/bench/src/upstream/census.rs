//! Which processes there are (Linux).

use std::collections::BTreeMap;
use std::fs;

/// A process. Its start tells it from a later one with the same number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    /// When it was started, in ticks since the machine was.
    started: u64,
    pub(crate) name: String,
}

impl Process {
    /// Whether it still runs. One that only waits to be reaped does not.
    pub(crate) fn is_alive(&self) -> bool {
        read_stat(self.pid).is_some_and(|stat| stat.process == *self && stat.state != "Z")
    }
}

struct Stat {
    process: Process,
    parent: u32,
    state: String,
}

fn read_stat(pid: u32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (head, fields) = text.rsplit_once(") ")?;
    let name = head.split_once('(')?.1.to_owned();
    let field = |at: usize| fields.split(' ').nth(at);
    let process = Process { pid, started: field(19)?.parse().ok()?, name };
    Some(Stat { process, parent: field(1)?.parse().ok()?, state: field(0)?.to_owned() })
}

/// The process of that number.
pub(crate) fn describe_process(pid: u32) -> Option<Process> {
    read_stat(pid).map(|stat| stat.process)
}

/// All processes that descend from `root`, without it.
pub(crate) fn list_descendants(root: u32) -> Vec<Process> {
    let mut children: BTreeMap<u32, Vec<Process>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
        if let Some(stat) = pid.and_then(read_stat) {
            children.entry(stat.parent).or_default().push(stat.process);
        }
    }
    let (mut found, mut open) = (Vec::new(), vec![root]);
    while let Some(pid) = open.pop() {
        for child in children.remove(&pid).unwrap_or_default() {
            open.push(child.pid);
            found.push(child);
        }
    }
    found
}

/// The process of that name below `root`.
pub(crate) fn find_descendant(root: u32, name: &str) -> Option<u32> {
    list_descendants(root).into_iter().find(|process| process.name == name).map(|process| process.pid)
}

/// All processes, but `root` and those below it, whose command line `fits`.
pub(crate) fn list_outside(root: u32, fits: impl Fn(&[&str]) -> bool) -> Vec<Process> {
    let inside = list_descendants(root);
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let outside = pids.filter(|pid| *pid != root && inside.iter().all(|process| process.pid != *pid));
    let fitting = outside.filter(|pid| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        fits(&line.split('\0').collect::<Vec<_>>())
    });
    fitting.filter_map(describe_process).collect()
}

/// How many files a process has open.
pub(crate) fn open_files(pid: u32) -> Option<u64> {
    Some(fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count() as u64)
}

/// Resident memory of some processes, in bytes: as it is, and with shared pages divided among those that share them.
pub(crate) fn memory_sums(pids: &[u32]) -> (u64, u64) {
    let field = |pid: u32, name: &str| {
        let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix(name).map(str::to_owned));
        line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
    };
    pids.iter().fold((0, 0), |(rss, pss), &pid| (rss + field(pid, "Rss:"), pss + field(pid, "Pss:")))
}
