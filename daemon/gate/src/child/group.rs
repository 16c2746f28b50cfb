//! A process group: who is in it, how much memory it takes, and its end.

use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::clock::Clock;
use crate::flag::Flag;

/// How long a child may take to end by itself once its input is closed.
const UNTIL_TERM: Duration = Duration::from_secs(2);
/// How long it may take after SIGTERM.
const UNTIL_KILL: Duration = Duration::from_secs(3);

/// How the leader ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) exit_code: Option<i32>,
    pub(crate) signal: Option<i32>,
}

/// The group of one child. Its leader is reaped only after the group was killed, because until then no other process can get
/// its number.
pub(crate) struct Group {
    leader: Pid,
    /// Raised when the leader has ended; it is not reaped yet.
    pub(crate) ended: Flag,
    /// Raised when the group is gone and the leader reaped.
    pub(crate) gone: Flag,
    /// Raised to end the group.
    stop: Flag,
    how: Arc<std::sync::OnceLock<Ended>>,
}

impl Group {
    /// Watches over the group that `child` leads.
    pub(crate) fn watch(mut child: std::process::Child, clock: Clock) -> std::io::Result<Arc<Self>> {
        let leader = Pid::from_child(&child);
        let group = Arc::new(Self {
            leader,
            ended: Flag::default(),
            gone: Flag::default(),
            stop: Flag::default(),
            how: Arc::default(),
        });
        let (ended, how) = (group.ended.clone(), Arc::clone(&group.how));
        // A thread, because nothing else can wait for a process on every platform without reaping it.
        let watcher = move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            let status = loop {
                match waitid(WaitId::Pid(leader), options) {
                    Err(rustix::io::Errno::INTR) => {}
                    other => break other.ok().flatten(),
                }
            };
            let code = |status: &rustix::process::WaitIdStatus| Ended {
                exit_code: status.exit_status(),
                signal: status.terminating_signal(),
            };
            let _ = how.set(status.as_ref().map(code).unwrap_or_default());
            ended.raise();
        };
        let thread = std::thread::Builder::new().name("sdl-upstream".to_owned()).stack_size(128 << 10);
        if let Err(error) = thread.spawn(watcher) {
            let _ = kill_process_group(leader, Signal::KILL);
            let _ = child.wait();
            return Err(error);
        }
        tokio::spawn(end_group(Arc::clone(&group), child, clock));
        Ok(group)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.leader.as_raw_nonzero().get() as u32
    }

    /// How the leader ended, once it has.
    pub(crate) fn how_ended(&self) -> Option<Ended> {
        self.how.get().copied()
    }

    /// Ends the group; [`Group::gone`] tells when that is done. Its input must be closed.
    pub(crate) fn stop(&self) {
        self.stop.raise();
    }
}

async fn end_group(group: Arc<Group>, mut child: std::process::Child, clock: Clock) {
    tokio::select! {
        () = group.ended.raised() => {}
        () = group.stop.raised() => {
            let ended_within = async |time: Duration| {
                tokio::select! {
                    () = group.ended.raised() => true,
                    () = clock.sleep(time) => false,
                }
            };
            if !ended_within(UNTIL_TERM).await {
                // An error means that the group is empty.
                let _ = kill_process_group(group.leader, Signal::TERM);
                ended_within(UNTIL_KILL).await;
            }
        }
    }
    let _ = kill_process_group(group.leader, Signal::KILL);
    group.ended.raised().await;
    // It has ended, so this does not wait.
    let _ = child.try_wait();
    group.gone.raise();
}

/// One process, as `/proc` shows it.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) group: u32,
    pub(crate) session: u32,
    /// When it started, in ticks since the machine did.
    pub(crate) started: u64,
    /// Resident pages.
    pub(crate) pages: u64,
    pub(crate) is_zombie: bool,
}

/// Reads `/proc/<pid>/stat`.
#[cfg(target_os = "linux")]
pub(crate) fn read_process(pid: u32) -> Option<Process> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may contain anything, spaces and parentheses too; numbers follow the last one.
    let (_, rest) = text.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok());
    Some(Process {
        pid,
        group: number(2)? as u32,
        session: number(3)? as u32,
        started: number(19)?,
        pages: number(21).unwrap_or_default(),
        is_zombie: fields.first() == Some(&"Z"),
    })
}

/// All processes of a group.
#[cfg(target_os = "linux")]
pub(crate) fn group_processes(group: u32) -> Vec<Process> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(read_process).filter(|process| process.group == group).collect()
}

/// Resident memory of a group, in KiB. Reads files, so it must not run on the runtime.
pub(crate) fn group_memory_kb(group: u32) -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let page_kb = rustix::param::page_size() as u64 / 1_024;
        let all = group_processes(group);
        (!all.is_empty()).then(|| all.iter().map(|process| process.pages * page_kb).sum())
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = group;
        None
    }
}
