//! The environment of children, and where their programs are.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Variables that every child gets, beside `LC_*` and `XDG_*`. Nothing else of the gate's environment reaches it.
const PASSED: [&str; 9] = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TMPDIR", "TZ"];

/// The whole environment of a child: passed variables, and the entry's own.
pub(crate) fn child_environment(
    ours: impl Iterator<Item = (OsString, OsString)>,
    own: impl Iterator<Item = (String, String)>,
) -> BTreeMap<OsString, OsString> {
    let mut all: BTreeMap<_, _> = ours.filter(|(name, _)| is_passed(name)).collect();
    all.extend(own.map(|(name, value)| (name.into(), value.into())));
    all
}

fn is_passed(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    PASSED.iter().any(|passed| passed.as_bytes() == name)
        || name.starts_with(b"LC_")
        || name.starts_with(b"XDG_")
}

/// The program that `command` names. A bare name is looked for in `path`, as a shell does.
pub(crate) fn find_program(command: &str, path: Option<&OsStr>) -> Result<PathBuf, String> {
    if command.contains('/') {
        let program = PathBuf::from(command);
        if !program.is_absolute() {
            return Err(format!("{command:?} is a relative path; write an absolute one, or a bare name"));
        }
        return if is_program(&program) { Ok(program) } else { Err(format!("{command:?} is no program")) };
    }
    let folders = path.map(std::env::split_paths).into_iter().flatten().filter(|folder| folder.is_absolute());
    folders
        .map(|folder| folder.join(command))
        .find(|program| is_program(program))
        .ok_or_else(|| format!("no program {command:?} in the PATH of the daemon"))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    #[test]
    fn a_child_gets_what_programs_need_and_what_its_entry_states() {
        let ours = [
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("XDG_DATA_HOME", "/d"),
            ("GITHUB_TOKEN", "t"),
            ("HOME", "/h"),
        ]
        .map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let own = [("KEY".to_owned(), "v".to_owned()), ("HOME".to_owned(), "/other".to_owned())];
        let all = child_environment(ours.into_iter(), own.into_iter());
        let all: Vec<_> =
            all.iter().map(|(name, value)| (name.to_str().unwrap(), value.to_str().unwrap())).collect();
        let expected =
            [("HOME", "/other"), ("KEY", "v"), ("LC_ALL", "C"), ("PATH", "/bin"), ("XDG_DATA_HOME", "/d")];
        assert_eq!(all, expected);
    }

    #[test]
    fn a_bare_name_is_looked_for_in_the_path_and_a_relative_one_is_refused() {
        let path = OsStr::new("relative:/nowhere:/bin:/usr/bin");
        assert!(find_program("sh", Some(path)).unwrap().ends_with("sh"));
        assert!(find_program("/bin/sh", None).is_ok());
        assert!(find_program("sh", None).unwrap_err().contains("PATH"));
        assert!(find_program("./sh", Some(path)).unwrap_err().contains("relative"));
        assert!(find_program("/etc", Some(path)).unwrap_err().contains("no program"));
    }
}
