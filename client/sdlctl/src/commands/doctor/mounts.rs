//! The mounted file systems, from `/proc/self/mountinfo`, and which of them are trouble.

use std::path::{Path, PathBuf};

/// Types of file systems that report only changes which this machine makes itself. Those of FUSE are recognized by their
/// prefix, and `fuseblk` is a local disk.
const REMOTE: [&str; 17] = [
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "drvfs", "vboxsf", "vmhgfs", "prl_fs", "virtiofs", "afs",
    "ceph", "lustre", "gpfs", "gfs2", "ocfs2",
];

/// Types with which containers show folders of their host.
const SHARED: [&str; 3] = ["fakeowner", "grpcfuse", "osxfs"];

/// A mounted file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mount {
    pub(super) point: PathBuf,
    /// Its type, such as `ext4`.
    pub(super) kind: String,
}

impl Mount {
    /// Whether changes that others make are not reported, because another machine or a process holds the files.
    pub(super) fn is_remote(&self) -> bool {
        REMOTE.contains(&self.kind.as_str()) || self.kind == "fuse" || self.kind.starts_with("fuse.")
    }

    /// Whether it shows a folder of a container's host.
    pub(super) fn is_shared(&self) -> bool {
        SHARED.contains(&self.kind.as_str()) || self.kind.starts_with("fuse.grpcfuse")
    }
}

/// All mounted file systems.
#[derive(Debug, Default)]
pub(super) struct Mounts(Vec<Mount>);

impl Mounts {
    /// Reads the kernel's list. Lines that can't be read are left out.
    pub(super) fn parse(text: &str) -> Self {
        Self(text.lines().filter_map(parse_line).collect())
    }

    /// The file system that holds a path.
    pub(super) fn holder_of(&self, path: &Path) -> Option<&Mount> {
        // Of two at one point the later one is seen.
        self.0
            .iter()
            .filter(|mount| path.starts_with(&mount.point))
            .max_by_key(|mount| mount.point.as_os_str().len())
    }

    /// File systems that are mounted below a folder.
    pub(super) fn below<'a>(&'a self, folder: &'a Path) -> impl Iterator<Item = &'a Mount> {
        self.0.iter().filter(move |mount| mount.point != folder && mount.point.starts_with(folder))
    }
}

fn parse_line(line: &str) -> Option<Mount> {
    let (fields, rest) = line.split_once(" - ")?;
    let point = fields.split(' ').nth(4)?;
    let kind = rest.split(' ').next()?;
    Some(Mount { point: unescape_point(point).into(), kind: kind.to_owned() })
}

/// The kernel writes spaces, tabs, line ends and backslashes as `\040` and the like.
fn unescape_point(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let letter = after.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match letter.filter(u8::is_ascii) {
            Some(letter) => {
                out.push(char::from(letter));
                rest = after.get(3..).unwrap_or_default();
            }
            None => {
                out.push('\\');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_mount_holds_a_path() {
        let mounts = Mounts::parse(
            "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n\
             no mount at all\n\
             40 22 0:50 / /mnt/my\\040disk rw - nfs4 server:/x rw\n\
             41 22 0:51 / /srv rw - ext4 /dev/sdb1 rw\n\
             42 22 0:52 / /srv rw - fuse.sshfs me@host: rw\n\
             43 22 0:53 / /media/usb rw - fuseblk /dev/sdc1 rw\n",
        );
        let kind = |path: &str| mounts.holder_of(Path::new(path)).unwrap().kind.clone();
        assert_eq!(kind("/mnt/my disk/tree"), "nfs4");
        assert_eq!(kind("/mnt/my"), "ext4");
        assert_eq!(kind("/srv/app"), "fuse.sshfs");
        let is_remote = |path: &str| mounts.holder_of(Path::new(path)).unwrap().is_remote();
        assert!(
            is_remote("/mnt/my disk")
                && is_remote("/srv")
                && !is_remote("/home")
                && !is_remote("/media/usb/x")
        );
        let below: Vec<&str> = mounts.below(Path::new("/mnt")).map(|mount| mount.kind.as_str()).collect();
        assert_eq!(below, ["nfs4"]);
        assert_eq!(unescape_point("a\\134b\\0"), "a\\b\\0");
    }
}
