//! What the machine has left: room on the disk, memory of the control group, and whether its clock is right.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::daemon::Daemon;
use super::finding::{DISK_SPACE, FUTURE_TIMES, Finding, MEMORY_LIMIT};
use super::machine::Machine;
use crate::output::{number_at, quote_word};

/// Below this nothing can be indexed.
const LEAST_BYTES: u64 = 200 << 20;
/// Below this a large tree can't be indexed.
const LOW_BYTES: u64 = 2 << 30;
/// Files of the state folder that are counted.
const MAX_COUNTED: usize = 100_000;
/// Folders are not nested deeper in the state folder.
const MAX_DEPTH: usize = 8;
/// Entries of each tree's root whose times are looked at.
const MAX_LOOKED_AT: usize = 200;
/// Clocks of two machines may differ by this much.
const TOLERANCE: Duration = Duration::from_mins(2);

pub(super) fn check_resources(machine: &Machine, daemon: &Daemon) -> Vec<Finding> {
    let found = [check_disk(machine), check_memory(machine, daemon), check_times(machine, daemon)];
    found.into_iter().flatten().collect()
}

fn mebibytes(bytes: u64) -> String {
    match bytes {
        0..0x10_0000 => format!("{} KiB", bytes >> 10),
        0x10_0000..0x2_8000_0000 => format!("{} MiB", bytes >> 20),
        _ => format!("{} GiB", bytes >> 30),
    }
}

/// The room where the state folder is. A ledger that is built again needs as much as it has.
fn check_disk(machine: &Machine) -> Option<Finding> {
    let state = machine.paths.as_ref().ok()?.state();
    let there = state.ancestors().find(|folder| machine.has(folder))?;
    let room = (machine.room)(&machine.place(there))?;
    let size = folder_bytes(machine, state);
    let note =
        format!("{} free for {}, which has {}", mebibytes(room.free_bytes), state.display(), mebibytes(size));
    let fix = "free some, or delete ledgers that you don't need with: sdlctl repo rm ID";
    Some(if room.free_files == Some(0) {
        Finding::bad(DISK_SPACE, format!("{note}; the file system can't hold another file"), fix)
    } else if room.free_bytes < LEAST_BYTES {
        Finding::bad(DISK_SPACE, note, fix)
    } else if room.free_bytes < LOW_BYTES.max(size) {
        Finding::warn(DISK_SPACE, note, fix)
    } else {
        Finding::ok(DISK_SPACE, note)
    })
}

/// The bytes of all files in a folder.
fn folder_bytes(machine: &Machine, folder: &Path) -> u64 {
    let mut waiting = vec![(folder.to_owned(), 0)];
    let (mut bytes, mut counted) = (0, 0);
    while let Some((folder, depth)) = waiting.pop() {
        for name in machine.names_in(&folder) {
            let path = folder.join(name);
            let Some(about) = machine.about(&path).filter(|_| counted < MAX_COUNTED) else { continue };
            counted += 1;
            if about.is_folder && depth < MAX_DEPTH {
                waiting.push((path, depth + 1));
            } else if !about.is_folder {
                bytes += about.bytes;
            }
        }
    }
    bytes
}

/// A control group, as far as its memory is concerned.
struct Group {
    limit: u64,
    kills: u64,
}

/// The limit of the daemon's control group. The kernel ends processes of the group when it is reached.
fn check_memory(machine: &Machine, daemon: &Daemon) -> Option<Finding> {
    let status = daemon.status.as_ref()?;
    let groups = machine.read(format!("/proc/{}/cgroup", daemon.pid?))?;
    let used = number_at(status, "/memory/resident");
    let Some(group) = memory_group(machine, &groups) else {
        return Some(Finding::ok(
            MEMORY_LIMIT,
            format!("the daemon uses {}, without a limit", mebibytes(used)),
        ));
    };
    let note =
        format!("the daemon uses {} of the {} of its control group", mebibytes(used), mebibytes(group.limit));
    let fix = "raise the limit of the container, or of the service with: systemctl --user set-property sdld.service \
               MemoryMax=infinity";
    Some(if used.saturating_mul(10) >= group.limit.saturating_mul(9) {
        Finding::bad(MEMORY_LIMIT, note, fix)
    } else if group.kills > 0 {
        let times = crate::output::format_count(group.kills, "process");
        Finding::warn(
            MEMORY_LIMIT,
            format!("{note}; the kernel ended {times} of the group for want of memory"),
            fix,
        )
    } else if used.saturating_mul(10) >= group.limit.saturating_mul(7) {
        Finding::warn(MEMORY_LIMIT, note, fix)
    } else {
        Finding::ok(MEMORY_LIMIT, note)
    })
}

/// The lowest limit of the groups that a process is in, of either version of control groups.
fn memory_group(machine: &Machine, groups: &str) -> Option<Group> {
    let place = |line: &str| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?.trim_start_matches('/'));
        let (top, limit) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            list if list.split(',').any(|one| one == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => return None,
        };
        Some((Path::new(top).to_owned(), Path::new(top).join(path), limit))
    };
    let limit_of = |(top, folder, name): (PathBuf, PathBuf, &str)| {
        let groups = folder.ancestors().take_while(|folder| folder.starts_with(&top)).map(Path::to_owned);
        // Version 1 writes a number near the largest where there is no limit.
        let limits = groups.filter_map(|group| Some((machine.read_number(group.join(name))?, group)));
        limits.filter(|(limit, _)| *limit < 1 << 60).min_by_key(|(limit, _)| *limit)
    };
    let (limit, group) =
        groups.lines().filter_map(place).filter_map(limit_of).min_by_key(|(limit, _)| *limit)?;
    let events = machine.read(group.join("memory.events")).unwrap_or_default();
    let kills =
        events.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok()).unwrap_or(0);
    Some(Group { limit, kills })
}

/// Times of files after now: the clock was set back, or the files come from a machine whose clock is wrong. Tools that compare
/// times, such as make, then do too much or too little.
fn check_times(machine: &Machine, daemon: &Daemon) -> Option<Finding> {
    let latest = machine.now + TOLERANCE;
    let is_later = |path: &PathBuf| {
        machine.about(path).and_then(|about| about.modified).is_some_and(|time| time > latest)
    };
    let mut roots = daemon.roots().peekable();
    roots.peek()?;
    let found = roots.find_map(|(_, root)| {
        let paths = machine.names_in(root).into_iter().take(MAX_LOOKED_AT).map(|name| root.join(name));
        paths.into_iter().find(is_later).map(|path| (root, path))
    });
    Some(match found {
        Some((root, path)) => Finding::warn(
            FUTURE_TIMES,
            format!("{} was changed later than now", path.display()),
            format!(
                "set the clock, then give such files a time that has passed: find {} -newermt now -exec touch {{}} +",
                quote_word(root.display())
            ),
        ),
        None => Finding::ok(FUTURE_TIMES, "no file at a tree's root is from the future"),
    })
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use serde_json::json;

    use super::super::finding::Severity;
    use super::super::machine::Room;
    use super::*;

    #[test]
    fn room_is_compared_with_the_size_of_the_state() {
        let root = tempfile::tempdir().unwrap();
        let mut machine = Machine::fixture(root.path());
        machine.write("/home/me/.local/state/sdl/repos/a/data.mdb", &"x".repeat(3 << 20));
        let found = check_disk(&machine).unwrap();
        assert!(found.severity == Severity::Ok && found.note.ends_with("which has 3 MiB"), "{found:?}");
        for (room, severity) in [
            (Room { free_bytes: 1 << 30, free_files: None }, Severity::Warn),
            (Room { free_bytes: 100 << 20, free_files: None }, Severity::Bad),
            (Room { free_bytes: 100 << 30, free_files: Some(0) }, Severity::Bad),
        ] {
            machine.room = match severity {
                Severity::Warn => |_| Some(Room { free_bytes: 1 << 30, free_files: None }),
                _ if room.free_files.is_none() => |_| Some(Room { free_bytes: 100 << 20, free_files: None }),
                _ => |_| Some(Room { free_bytes: 100 << 30, free_files: Some(0) }),
            };
            assert_eq!(check_disk(&machine).unwrap().severity, severity, "{room:?}");
        }
    }

    #[test]
    fn the_lowest_limit_of_memory_counts() {
        let root = tempfile::tempdir().unwrap();
        let machine = Machine::fixture(root.path());
        let uses = |mib: u64| Daemon {
            status: Some(json!({ "memory": { "resident": mib << 20 } })),
            pid: Some(7),
            ..Daemon::default()
        };
        machine.write("/proc/7/cgroup", "0::/user.slice/sdld.service\n");
        machine.write("/sys/fs/cgroup/user.slice/sdld.service/memory.max", "max\n");
        assert!(check_memory(&machine, &uses(100)).unwrap().note.contains("without a limit"));
        machine.write("/sys/fs/cgroup/user.slice/memory.max", "1073741824\n");
        let of = |mib| check_memory(&machine, &uses(mib)).unwrap().severity;
        assert_eq!((of(100), of(800), of(1000)), (Severity::Ok, Severity::Warn, Severity::Bad));
        machine.write("/sys/fs/cgroup/user.slice/memory.events", "low 0\noom_kill 2\n");
        assert_eq!(of(100), Severity::Warn);
        machine.write("/proc/7/cgroup", "4:cpu:/x\n3:memory:/box\n");
        machine.write("/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "9223372036854771712\n");
        assert_eq!(of(100), Severity::Ok);
        machine.write("/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "104857600\n");
        assert_eq!(of(100), Severity::Bad);
    }

    #[test]
    fn files_from_the_future_are_noticed() {
        let root = tempfile::tempdir().unwrap();
        let mut machine = Machine::fixture(root.path());
        let repos = json!({ "repos": [{ "repoId": "app", "rootPath": "/home/me/app" }] });
        let daemon = Daemon { status: Some(repos), ..Daemon::default() };
        machine.write("/home/me/app/main.rs", "");
        assert_eq!(check_times(&machine, &daemon).unwrap().severity, Severity::Ok);
        machine.now -= Duration::from_hours(1);
        assert_eq!(check_times(&machine, &daemon).unwrap().severity, Severity::Warn);
        assert_eq!(check_times(&machine, &Daemon::default()), None, "no trees");
    }
}
