//! The processes that a process descends from: the daemon finds the client of a hook by them.

use std::collections::HashSet;

/// Ancestors that are looked at.
const MOST_ANCESTORS: usize = 32;

/// The processes that a process descends from.
pub(super) fn ancestors_of(pid: u32) -> HashSet<u32> {
    let parent_of = parents();
    let mut found = HashSet::new();
    let mut next = parent_of(pid);
    while let Some(pid) = next.filter(|pid| *pid > 1 && found.len() < MOST_ANCESTORS) {
        found.insert(pid);
        next = parent_of(pid);
    }
    found
}

/// Finds the parent of a process.
#[cfg(target_os = "linux")]
fn parents() -> impl Fn(u32) -> Option<u32> {
    |pid| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The second field is a name in brackets that may have any character, so that the last bracket ends it.
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    }
}

/// Finds the parent of a process. All are listed at once, because each run of `ps` takes milliseconds.
#[cfg(not(target_os = "linux"))]
fn parents() -> impl Fn(u32) -> Option<u32> {
    let output = std::process::Command::new("ps").args(["-axo", "pid=,ppid="]).output();
    let listed =
        output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let mut known = std::collections::HashMap::new();
    for line in listed.lines() {
        let mut numbers = line.split_whitespace().filter_map(|number| number.parse::<u32>().ok());
        if let (Some(pid), Some(parent)) = (numbers.next(), numbers.next()) {
            known.insert(pid, parent);
        }
    }
    move |pid| known.get(&pid).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_knows_its_ancestors() {
        let own = std::process::id();
        let parent = parents()(own).unwrap();
        assert!(ancestors_of(own).contains(&parent) || parent == 1);
        assert_eq!(parents()(u32::MAX), None);
    }
}
