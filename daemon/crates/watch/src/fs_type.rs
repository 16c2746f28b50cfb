//! Recognizes unusual file systems: those whose changes the kernel does not see, because another machine (NFS) or a
//! process (FUSE) makes them, and those that contain no files at all, such as `/proc`.

use std::path::Path;

/// Why the folder's file system sends no usable events, if it does not.
#[cfg(target_os = "linux")]
pub(crate) fn without_events(path: &Path) -> Option<String> {
    remote_reason(rustix::fs::statfs(path).ok()?)
}

/// The same for an open folder.
#[cfg(target_os = "linux")]
pub(crate) fn without_events_at(folder: std::os::fd::BorrowedFd<'_>) -> Option<String> {
    remote_reason(rustix::fs::fstatfs(folder).ok()?)
}

#[cfg(target_os = "linux")]
fn remote_reason(stat: rustix::fs::StatFs) -> Option<String> {
    let name = remote_name(u32::try_from(stat.f_type & 0xffff_ffff).ok()?)?;
    Some(format!("{name} file systems report only changes that this machine makes itself"))
}

/// The names of such file systems, by the magic numbers of `statfs`.
#[cfg(target_os = "linux")]
fn remote_name(magic: u32) -> Option<&'static str> {
    Some(match magic {
        0x6969 => "NFS",
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => "SMB",
        0x0102_1997 => "9p",
        0x6573_5546 => "FUSE",
        0x5346_414f | 0x6b41_4653 => "AFS",
        0x7375_7245 => "Coda",
        0x00c3_6400 => "Ceph",
        0x0bd0_0bd0 => "Lustre",
        0x4750_4653 => "GPFS",
        0x0116_1970 => "GFS2",
        0x7461_636f => "OCFS2",
        0x786f_4256 => "VirtualBox shared",
        0xbacb_acbc => "VMware shared",
        0x7c7c_6673 => "Parallels shared",
        _ => return None,
    })
}

/// The contents of the folder, if they are no files but made up by the kernel.
#[cfg(target_os = "linux")]
pub(crate) fn made_up(path: &Path) -> Option<&'static str> {
    // Devices are recognized by their path, because their file system has the same type as that of `/tmp`.
    if path.starts_with("/dev") && !path.starts_with("/dev/shm") {
        return Some("devices");
    }
    kernel_fs_name(u32::try_from(rustix::fs::statfs(path).ok()?.f_type & 0xffff_ffff).ok()?)
}

/// The contents of the kernel's own file systems, by the magic numbers of `statfs`.
#[cfg(target_os = "linux")]
fn kernel_fs_name(magic: u32) -> Option<&'static str> {
    Some(match magic {
        0x9fa0 => "processes",
        0x6265_6572 => "the kernel's devices and drivers",
        0x0027_e0eb | 0x6367_7270 => "control groups",
        0x1cd1 => "terminals",
        0x6462_6720 | 0x7472_6163 => "the kernel's debugging",
        0x7363_6673 | 0xf97c_ff8c | 0x4341_5d53 => "the kernel's security",
        0x6265_6570 => "the kernel's configuration",
        0xcafe_4a11 => "the kernel's programs",
        0x6165_676c => "the kernel's crashes",
        0x4249_4e4d => "binary formats",
        0x1980_0202 => "message queues",
        0x9584_58f6 => "memory pages",
        0x6e73_6673 => "namespaces",
        0xde5e_81e4 => "the firmware's variables",
        0x6573_5543 => "file systems of processes",
        0x6759_6969 => "remote procedure calls",
        _ => return None,
    })
}

/// Other systems have no such file systems where people have their files.
#[cfg(not(target_os = "linux"))]
pub(crate) fn made_up(_path: &Path) -> Option<&'static str> {
    None
}

/// Unknown elsewhere; the watcher is trusted.
#[cfg(not(target_os = "linux"))]
pub(crate) fn without_events(_path: &Path) -> Option<String> {
    None
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_file_systems_are_known() {
        for path in ["/proc", "/proc/self", "/sys", "/dev", "/dev/pts"] {
            if Path::new(path).is_dir() {
                assert!(made_up(Path::new(path)).is_some(), "{path}");
            }
        }
        for path in ["/", "/tmp", "/dev/shm"] {
            assert_eq!(made_up(Path::new(path)), None, "{path}");
        }
    }

    #[test]
    fn local_file_systems_are_trusted() {
        for local in [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x2fc1_2fc1, 0x794c_7630] {
            assert_eq!(remote_name(local), None, "{local:x}");
        }
        assert_eq!(remote_name(0x6573_5546), Some("FUSE"), "virtiofs has FUSE's number");
    }
}
