//! Identifies the present boot of the machine.

use std::sync::OnceLock;

/// Names the time since the machine was started, during which data written by a process outlives the process. `None`
/// where the system does not report it.
pub(crate) fn current_boot_id() -> Option<&'static str> {
    static ID: OnceLock<Option<String>> = OnceLock::new();
    ID.get_or_init(read_boot_id).as_deref()
}

#[cfg(target_os = "linux")]
fn read_boot_id() -> Option<String> {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let id = id.trim();
    (!id.is_empty()).then(|| id.to_owned())
}

#[cfg(not(target_os = "linux"))]
fn read_boot_id() -> Option<String> {
    None
}
