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
    /// The session of the group. It tells the group, once its leader has ended, from one of somebody else.
    #[serde(default)]
    session: u32,
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

    /// Adds the group of a child that was just started. A child that can't be recorded must not run.
    pub(crate) fn add(&self, key: &str, pid: u32) -> io::Result<()> {
        let recorded = Recorded::of(key, pid);
        let written = self.change(|children| children.push(recorded));
        if written.is_err() {
            self.remove(pid);
        }
        written
    }

    /// Removes a group that is gone.
    pub(crate) fn remove(&self, pid: u32) {
        if let Err(error) = self.change(|children| children.retain(|child| child.pid != pid)) {
            tracing::warn!("{error}");
        }
    }

    /// Waits until no child runs.
    pub(crate) async fn none_left(&self) {
        let _ = self.count.subscribe().wait_for(|count| *count == 0).await;
    }

    fn change(&self, change: impl FnOnce(&mut Vec<Recorded>)) -> io::Result<()> {
        let mut children = self.children.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut children);
        let written =
            if children.is_empty() { remove_file(&self.path) } else { write_whole(&self.path, &*children) };
        // Last, because the gate ends with its last child.
        self.count.send_replace(children.len());
        written.map_err(|error| {
            io::Error::new(error.kind(), format!("{} cannot be written: {error}", self.path.display()))
        })
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

impl Recorded {
    fn of(key: &str, pid: u32) -> Self {
        #[cfg(target_os = "linux")]
        let (started, session) =
            super::group::read_process(pid).map_or((0, 0), |process| (process.started, process.session));
        #[cfg(not(target_os = "linux"))]
        let (started, session) = (0, 0);
        Self { key: key.to_owned(), pid, started, session }
    }

    /// Whether there still is the group that was recorded.
    #[cfg(target_os = "linux")]
    fn is_there(&self) -> bool {
        use super::group::{group_processes, read_process};
        if self.started == 0 {
            return false;
        }
        match read_process(self.pid) {
            Some(leader) => leader.started == self.started,
            // The leader has ended, and others of its group may not have. While one of them runs, the system gives the number to
            // nobody else; afterwards another session may have a group of that number.
            None => group_processes(self.pid)
                .iter()
                .any(|member| member.session == self.session && member.started >= self.started),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn is_there(&self) -> bool {
        false
    }

    /// Kills the group, if it is the one that was recorded.
    fn end(&self) {
        let is_same = self.is_there();
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
    use std::process::{Child, Command, Stdio};

    use super::*;

    fn start_sleeper() -> Child {
        Command::new("sleep").arg("3600").process_group(0).spawn().unwrap()
    }

    #[test]
    fn a_gate_that_still_ends_its_children_leaves_the_records_of_its_successor() {
        let folder = tempfile::tempdir().unwrap();
        let (mut first, mut second) = (start_sleeper(), start_sleeper());
        let old = Registry::take_over_as(folder.path(), 1).unwrap();
        old.add("a", first.id()).unwrap();
        let new = Registry::take_over_as(folder.path(), 2).unwrap();
        assert_eq!(first.wait().unwrap().signal(), Some(9));
        new.add("a", second.id()).unwrap();
        old.remove(first.id());
        Registry::take_over_as(folder.path(), 3).unwrap();
        assert_eq!(second.wait().unwrap().signal(), Some(9));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_a_leader_left_in_its_group_is_ended_too() {
        use std::io::{BufRead as _, BufReader, Read as _};
        let folder = tempfile::tempdir().unwrap();
        let mut leader = Command::new("sh")
            .args(["-c", "sleep 3600 & echo; read line"])
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(leader.stdout.take().unwrap());
        output.read_line(&mut String::new()).unwrap();
        let old = Registry::take_over_as(folder.path(), 1).unwrap();
        old.add("a", leader.id()).unwrap();
        drop(leader.stdin.take());
        leader.wait().unwrap();
        Registry::take_over_as(folder.path(), 2).unwrap();
        // The end comes when nobody has the output open any more.
        output.read_to_end(&mut Vec::new()).unwrap();
    }

    #[test]
    fn a_group_of_another_session_is_left_alone() {
        let mut sleeper = start_sleeper();
        let mut recorded = Recorded::of("a", sleeper.id());
        assert!(recorded.is_there());
        recorded.started += 1;
        assert!(!recorded.is_there(), "another process has the number");
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
        recorded.started -= 1;
        assert!(!recorded.is_there(), "nobody is left");
    }

    #[test]
    fn a_child_that_cannot_be_recorded_is_not_counted() {
        let folder = tempfile::tempdir().unwrap();
        let registry = Registry::take_over_as(&folder.path().join("run"), 1).unwrap();
        std::fs::remove_dir(folder.path().join("run")).unwrap();
        let error = registry.add("a", std::process::id()).unwrap_err();
        assert!(error.to_string().contains("children-1.json"), "{error}");
        assert_eq!(*registry.count.borrow(), 0);
    }
}
