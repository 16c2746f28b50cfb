//! `children-PID.json`: the groups that a gate runs, so that a later gate can end what it left. Each gate has a file of its own,
//! because one whose daemon was killed may still be ending its children while its successor starts others.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use tokio::sync::watch;

/// The file and its content.
pub(crate) struct Registry {
    path: PathBuf,
    children: Mutex<Vec<Recorded>>,
    count: watch::Sender<usize>,
}

/// One group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Recorded {
    key: String,
    /// The leader, whose number is that of the group.
    pid: u32,
    /// When the leader started, in ticks since the machine did. It tells the leader from a later process with its number.
    started: u64,
}

impl Registry {
    /// Ends the groups that earlier gates recorded, and begins with none. Reads and writes files, so it must not run on the
    /// runtime.
    pub(crate) fn take_over(folder: &Path) -> io::Result<Self> {
        Self::take_over_as(folder, std::process::id())
    }

    fn take_over_as(folder: &Path, own_pid: u32) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with("children") && name.ends_with(".json") {
                end_recorded(&entry.path())?;
            }
        }
        let path = folder.join(format!("children-{own_pid}.json"));
        Ok(Self { path, children: Mutex::default(), count: watch::Sender::new(0) })
    }

    /// Adds the group of a child that was just started.
    pub(crate) fn add(&self, key: &str, pid: u32) {
        let recorded = Recorded { key: key.to_owned(), pid, started: start_of(pid) };
        self.change(|children| children.push(recorded));
    }

    /// Removes a group that is gone.
    pub(crate) fn remove(&self, pid: u32) {
        self.change(|children| children.retain(|child| child.pid != pid));
    }

    /// Waits until no child runs.
    pub(crate) async fn none_left(&self) {
        let _ = self.count.subscribe().wait_for(|count| *count == 0).await;
    }

    fn change(&self, change: impl FnOnce(&mut Vec<Recorded>)) {
        let mut children = self.children.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut children);
        let written =
            if children.is_empty() { remove_file(&self.path) } else { write_whole(&self.path, &*children) };
        if let Err(error) = written {
            tracing::warn!("{} cannot be written: {error}", self.path.display());
        }
        // Last, because the gate ends with its last child.
        self.count.send_replace(children.len());
    }
}

/// Ends the groups that a file names, and removes it.
fn end_recorded(path: &Path) -> io::Result<()> {
    match std::fs::read(path) {
        Ok(bytes) => {
            for left in serde_json::from_slice::<Vec<Recorded>>(&bytes).unwrap_or_default() {
                left.end();
            }
            remove_file(path)
        }
        // Its gate was done with its children a moment ago.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Removes a file that may be gone already.
fn remove_file(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Replaces the file at once, because a half one would leave children.
fn write_whole(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let new = path.with_extension("new");
    std::fs::write(&new, serde_json::to_vec(value)?)?;
    std::fs::rename(&new, path)
}

fn start_of(pid: u32) -> u64 {
    #[cfg(target_os = "linux")]
    return super::group::read_process(pid).map_or(0, |process| process.started);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = pid;
        0
    }
}

impl Recorded {
    /// Kills the group, if the leader is the process that was recorded.
    fn end(&self) {
        let is_same = self.started != 0 && start_of(self.pid) == self.started;
        let leader = i32::try_from(self.pid).ok().and_then(rustix::process::Pid::from_raw);
        if let (true, Some(leader)) = (is_same, leader) {
            tracing::info!("ending the child of {} that an earlier gate left ({})", self.key, self.pid);
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
    use std::process::{Child, Command};

    use super::*;

    fn start_sleeper() -> Child {
        Command::new("sleep").arg("3600").process_group(0).spawn().unwrap()
    }

    #[test]
    fn a_gate_that_still_ends_its_children_leaves_the_records_of_its_successor() {
        let folder = tempfile::tempdir().unwrap();
        let (mut first, mut second) = (start_sleeper(), start_sleeper());
        let old = Registry::take_over_as(folder.path(), 1).unwrap();
        old.add("a", first.id());
        let new = Registry::take_over_as(folder.path(), 2).unwrap();
        assert_eq!(first.wait().unwrap().signal(), Some(9));
        new.add("a", second.id());
        old.remove(first.id());
        Registry::take_over_as(folder.path(), 3).unwrap();
        assert_eq!(second.wait().unwrap().signal(), Some(9));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
