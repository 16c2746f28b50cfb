//! Notifies a service manager. Does nothing without one.

use std::time::Duration;

/// The daemon serves.
#[cfg(target_os = "linux")]
pub(super) fn notify_ready() {
    let _ = sd_notify::notify(&[sd_notify::NotifyState::Ready]);
}

/// The daemon ends by itself.
#[cfg(target_os = "linux")]
pub(super) fn notify_stopping() {
    let _ = sd_notify::notify(&[sd_notify::NotifyState::Stopping]);
}

/// Shows signs of life as often as the watchdog wants them; never returns. Without a watchdog it never wakes.
#[cfg(target_os = "linux")]
pub(super) async fn feed_watchdog() {
    let Some(limit) = sd_notify::watchdog_enabled() else { return std::future::pending().await };
    let mut ticks = tokio::time::interval((limit / 2).max(Duration::from_millis(100)));
    loop {
        ticks.tick().await;
        let _ = sd_notify::notify(&[sd_notify::NotifyState::Watchdog]);
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn notify_ready() {}

#[cfg(not(target_os = "linux"))]
pub(super) fn notify_stopping() {}

#[cfg(not(target_os = "linux"))]
pub(super) async fn feed_watchdog() {
    let _ = Duration::ZERO;
    std::future::pending().await
}
