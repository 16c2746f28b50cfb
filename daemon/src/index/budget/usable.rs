//! The memory that this process may use.

use std::fs;
use std::path::{Path, PathBuf};

/// The memory that this process may use, in bytes: that of the machine, or the least limit of the cgroups that it is in.
/// None where the system does not say, for example on macOS.
pub fn usable_memory() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total_memory(&text));
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    [machine, least_limit(&groups, Path::new("/sys/fs/cgroup"))].into_iter().flatten().min()
}

/// `MemTotal` of `/proc/meminfo`, in bytes.
fn total_memory(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The least memory limit of the groups that `/proc/self/cgroup` names and those around them.
fn least_limit(groups: &str, mount: &Path) -> Option<u64> {
    groups.lines().filter_map(|line| limits_of(line, mount)).min()
}

/// A line is `0::/user.slice/app.service` in the second version of cgroups, `4:memory:/docker/1f` in the first.
fn limits_of(line: &str, mount: &Path) -> Option<u64> {
    let mut parts = line.splitn(3, ':');
    let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
    let (root, files): (PathBuf, &[&str]) = if controllers.is_empty() {
        (mount.to_owned(), &["memory.max", "memory.high"])
    } else if controllers.split(',').any(|name| name == "memory") {
        (mount.join("memory"), &["memory.limit_in_bytes"])
    } else {
        return None;
    };
    // A container may see its own group as the root, and a path that does not exist there.
    let group = root.join(path.trim_start_matches('/'));
    let around = group.ancestors().take_while(|dir| dir.starts_with(&root));
    around.flat_map(|dir| files.iter().filter_map(move |file| read_limit(&dir.join(file)))).min()
}

/// The number in the file; none if it is `max`, or not there.
fn read_limit(file: &Path) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn write(root: &Path, file: &str, text: &str) {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn the_machine_has_what_it_says() {
        assert_eq!(total_memory("MemTotal:       24607496 kB\nMemFree: 1 kB\n"), Some(24_607_496 * 1024));
        assert_eq!(total_memory("MemFree: 1 kB\n"), None);
    }

    #[test]
    fn the_least_limit_around_the_process_counts() {
        let mount = tempfile::tempdir().unwrap();
        let root = mount.path();
        let line = "0::/user.slice/app.service\n";
        assert_eq!(least_limit(line, root), None);
        write(root, "user.slice/app.service/memory.max", "max\n");
        assert_eq!(least_limit(line, root), None);
        write(root, "user.slice/memory.max", "4000\n");
        write(root, "user.slice/app.service/memory.high", "3000\n");
        assert_eq!(least_limit(line, root), Some(3000));
        write(root, "memory.max", "2000\n");
        assert_eq!(least_limit("0::/gone\n", root), Some(2000));
    }

    #[test]
    fn limits_of_the_first_version_count() {
        let mount = tempfile::tempdir().unwrap();
        write(mount.path(), "memory/docker/1f/memory.limit_in_bytes", "5000\n");
        write(mount.path(), "cpu/docker/1f/memory.limit_in_bytes", "1\n");
        assert_eq!(least_limit("3:cpu,cpuacct:/docker/1f\n4:memory:/docker/1f\n", mount.path()), Some(5000));
    }
}
