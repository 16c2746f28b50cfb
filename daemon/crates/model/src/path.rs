//! Paths inside a repository.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A file's path from its repository's root: UTF-8, `/` between parts, no `.` or `..`, not empty.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RelPath(String);

impl RelPath {
    /// Takes `text` if it is a normal relative path, with `\` read as `/` on Windows only.
    pub fn new(text: &str) -> Option<Self> {
        let text = if cfg!(windows) { text.replace('\\', "/") } else { text.to_owned() };
        let normal = !text.is_empty()
            && !text.contains('\0')
            && text.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
        normal.then_some(Self(text))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last part.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The last part without its last extension: `auth.test` of `src/auth.test.ts`.
    pub fn stem(&self) -> &str {
        let name = self.file_name();
        name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
    }

    /// The last extension, as written.
    pub fn extension(&self) -> Option<&str> {
        self.file_name().rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ext)| ext)
    }

    /// The folder that contains the file, such as `src/api`; empty at the root.
    pub fn dir(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(dir, _)| dir)
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_normal_relative_paths_pass() {
        for good in ["a", "a/b.rs", ".env", "a b/ü"] {
            assert!(RelPath::new(good).is_some(), "{good}");
        }
        for bad in ["", "/a", "a//b", "./a", "a/../b", "a/", "a\0b"] {
            assert!(RelPath::new(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn parts() {
        let path = RelPath::new("src/lib.d.ts").unwrap();
        assert_eq!(
            (path.dir(), path.file_name(), path.stem(), path.extension()),
            ("src", "lib.d.ts", "lib.d", Some("ts"))
        );
        let dot = RelPath::new(".bashrc").unwrap();
        assert_eq!((dot.dir(), dot.stem(), dot.extension()), ("", ".bashrc", None));
    }
}
