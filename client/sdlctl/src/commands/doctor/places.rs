//! Where trees are: on a network, on a drive of Windows, or on a folder that a container's host shares.

use std::path::Path;

use super::daemon::Daemon;
use super::finding::{CONTAINER_TREE, Finding, NETWORK_TREE, WSL_TREE};
use super::machine::Machine;
use super::mounts::Mount;
use crate::output::quote_word;

pub(super) fn check_places(machine: &Machine, daemon: &Daemon) -> Vec<Finding> {
    let mounts = machine.mounts();
    let (is_wsl, is_container) = (machine.is_wsl(), machine.is_container());
    let mut found = Vec::new();
    for (id, root) in daemon.roots() {
        let Some(mount) = mounts.holder_of(root) else { continue };
        if is_wsl && is_windows_drive(root, mount) {
            found.push(windows_drive(id, root, mount));
        } else if is_container && (mount.is_shared() || mount.is_remote()) {
            found.push(shared_folder(id, mount));
        } else if mount.is_remote() || mount.is_shared() {
            found.push(Finding::warn(
                NETWORK_TREE,
                format!(
                    "the tree {id} is on {} ({}), which reports no changes of others",
                    mount.kind,
                    mount.point.display()
                ),
                format!(
                    "keep a clone on a local disk: git clone {} ~/CLONE && sdlctl index ~/CLONE",
                    quote_word(root.display())
                ),
            ));
        }
        let below = mounts.below(root).find(|mount| mount.is_remote() || mount.is_shared());
        found.extend(below.map(|mount| mount_below(id, mount)));
    }
    if found.is_empty() && daemon.roots().next().is_some() {
        found.push(Finding::ok(NETWORK_TREE, "all trees are on local file systems"));
    }
    found
}

/// Whether a tree is on a drive of Windows, which WSL shows below `/mnt`.
fn is_windows_drive(root: &Path, mount: &Mount) -> bool {
    let is_below_mnt =
        root.strip_prefix("/mnt").ok().and_then(|rest| rest.components().next()).is_some_and(|drive| {
            let drive = drive.as_os_str().as_encoded_bytes();
            drive.len() == 1 && drive.iter().all(u8::is_ascii_alphabetic)
        });
    mount.kind == "drvfs" || (mount.kind == "9p" && is_below_mnt)
}

fn windows_drive(id: &str, root: &Path, mount: &Mount) -> Finding {
    Finding::warn(
        WSL_TREE,
        format!(
            "the tree {id} is on a drive of Windows ({}), from which no events arrive",
            mount.point.display()
        ),
        format!("keep it in Linux: git clone {} ~/CLONE && sdlctl index ~/CLONE", quote_word(root.display())),
    )
}

fn shared_folder(id: &str, mount: &Mount) -> Finding {
    Finding::warn(
        CONTAINER_TREE,
        format!(
            "the tree {id} is on {} ({}), through which this container sees its host",
            mount.kind,
            mount.point.display()
        ),
        format!(
            "keep the tree in a volume of the container, then run: sdlctl repo rm {} && sdlctl index NEW_PLACE",
            quote_word(id)
        ),
    )
}

fn mount_below(id: &str, mount: &Mount) -> Finding {
    let place = mount.point.display();
    Finding::warn(
        NETWORK_TREE,
        format!("{place} in the tree {id} is on {}, which reports no changes of others", mount.kind),
        format!(
            "if its files are not needed, unmount it or leave it out: sdlctl repo add ROOT --ignore {}",
            quote_word(place)
        ),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::finding::Severity;
    use super::*;

    fn check_at(machine: &Machine, root: &str, mounts: &str) -> Vec<(&'static str, Severity)> {
        machine.write("/proc/self/mountinfo", &format!("22 1 8:1 / / rw - ext4 /dev/sda1 rw\n{mounts}"));
        let status = json!({ "repos": [{ "repoId": "app", "rootPath": root }] });
        let found = check_places(machine, &Daemon { status: Some(status), ..Daemon::default() });
        found.into_iter().map(|one| (one.check.id, one.severity)).collect()
    }

    #[test]
    fn each_place_has_its_finding() {
        let root = tempfile::tempdir().unwrap();
        let machine = Machine::fixture(root.path());
        let warn = |id| vec![(id, Severity::Warn)];
        assert_eq!(check_at(&machine, "/home/me/app", ""), [("network-tree", Severity::Ok)]);
        for kind in ["nfs", "cifs", "fuse.sshfs", "vboxsf", "virtiofs"] {
            let mount = format!("40 22 0:50 / /home/me/app rw - {kind} x rw\n");
            assert_eq!(check_at(&machine, "/home/me/app", &mount), warn("network-tree"), "{kind}");
            let mount = format!("40 22 0:50 / /home/me/app/data rw - {kind} x rw\n");
            assert_eq!(check_at(&machine, "/home/me/app", &mount), warn("network-tree"), "{kind} below");
        }
        let drive = "40 22 0:50 / /mnt/c rw - 9p drvfs rw\n";
        machine.write("/proc/version", "Linux version 5.15.90.1-microsoft-standard-WSL2");
        assert_eq!(check_at(&machine, "/mnt/c/app", drive), warn("wsl-tree"));
        assert_eq!(check_at(&machine, "/home/me/app", drive), [("network-tree", Severity::Ok)]);
        machine.write("/proc/version", "Linux version 6.1");
        machine.write("/.dockerenv", "");
        let shared = "40 22 0:50 / /workspace rw - fakeowner /run/host rw\n";
        assert_eq!(check_at(&machine, "/workspace/app", shared), warn("container-tree"));
        let layers = "40 22 0:50 / /workspace rw - overlay overlay rw\n";
        assert_eq!(check_at(&machine, "/workspace/app", layers), [("network-tree", Severity::Ok)]);
    }
}
