//! `children.json`: the groups that run, so that a later gate can end what an earlier one left.

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
    /// Ends the groups that the file names, and begins with an empty one. Reads and writes files, so it must not run on the
    /// runtime.
    pub(crate) fn take_over(folder: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let registry = Self {
            path: folder.join("children.json"),
            children: Mutex::default(),
            count: watch::Sender::new(0),
        };
        match std::fs::read(&registry.path) {
            Ok(bytes) => {
                for left in serde_json::from_slice::<Vec<Recorded>>(&bytes).unwrap_or_default() {
                    left.end();
                }
                std::fs::remove_file(&registry.path)?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        Ok(registry)
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
        self.count.send_replace(children.len());
        if let Err(error) = write_whole(&self.path, &*children) {
            tracing::warn!("{} cannot be written: {error}", self.path.display());
        }
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
