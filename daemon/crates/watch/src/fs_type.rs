//! File systems whose changes the kernel does not see, because another machine or a process makes them.

use std::path::Path;

/// Why the folder's file system sends no usable events, if it does not.
#[cfg(target_os = "linux")]
pub(crate) fn without_events(path: &Path) -> Option<String> {
    reason(rustix::fs::statfs(path).ok()?)
}

/// The same for an open folder.
#[cfg(target_os = "linux")]
pub(crate) fn without_events_at(folder: std::os::fd::BorrowedFd<'_>) -> Option<String> {
    reason(rustix::fs::fstatfs(folder).ok()?)
}

#[cfg(target_os = "linux")]
fn reason(stat: rustix::fs::StatFs) -> Option<String> {
    let name = remote(u32::try_from(stat.f_type & 0xffff_ffff).ok()?)?;
    Some(format!("{name} file systems report only changes that this machine makes itself"))
}

/// The names of such file systems, by the magic numbers of `statfs`.
#[cfg(target_os = "linux")]
fn remote(magic: u32) -> Option<&'static str> {
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
    fn local_file_systems_are_trusted() {
        for local in [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x2fc1_2fc1, 0x794c_7630] {
            assert_eq!(remote(local), None, "{local:x}");
        }
        assert_eq!(remote(0x6573_5546), Some("FUSE"), "virtiofs has FUSE's number");
    }
}
