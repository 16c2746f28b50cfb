//! Notices that the process that started this one is gone, also when standard input's end never arrives because
//! some other process still holds the pipe.

/// Waits until the parent is gone. Never returns where there is no parent to speak of, or no way to tell.
pub(crate) async fn parent_gone() {
    #[cfg(unix)]
    if let Some(parent) = rustix::process::getppid()
        // Under process 1 there is nothing to watch: it outlives everybody, or we were orphans from the start.
        && !parent.is_init()
    {
        return watch_parent(parent).await;
    }
    std::future::pending::<()>().await;
}

/// A descriptor of the parent becomes readable when it ends: not a single wake-up until then.
///
/// Not the "parent death signal": that one is sent when the *thread* that started us ends.
#[cfg(target_os = "linux")]
async fn watch_parent(parent: rustix::process::Pid) {
    use rustix::process::{PidfdFlags, getppid, pidfd_open};
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    let Ok(descriptor) = pidfd_open(parent, PidfdFlags::empty()) else { return poll_parent(parent).await };
    if getppid() != Some(parent) {
        return;
    }
    // SAFETY: an `OwnedFd` gives the same descriptor for as long as it lives, and closes it only when it is dropped.
    match unsafe { AsyncFd::register_with_interest(descriptor, Interest::READABLE) } {
        Ok(ended) => {
            if ended.readable().await.is_err() {
                poll_parent(parent).await;
            }
        }
        Err(_) => poll_parent(parent).await,
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
async fn watch_parent(parent: rustix::process::Pid) {
    poll_parent(parent).await;
}

/// An orphan gets another parent. Looking every few seconds is the fallback where the system can't tell by itself.
#[cfg(unix)]
async fn poll_parent(parent: rustix::process::Pid) {
    let mut looks = tokio::time::interval(std::time::Duration::from_secs(5));
    while rustix::process::getppid() == Some(parent) {
        looks.tick().await;
    }
}
