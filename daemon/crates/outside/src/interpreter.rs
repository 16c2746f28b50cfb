//! Python's standard library, where a virtual environment names the interpreter that it was made with.

use std::path::{Path, PathBuf};

use crate::manifests::read_small;
use crate::packages::{ENVIRONMENTS, Package};

/// The standard library of one interpreter.
#[derive(Clone, Debug)]
pub(crate) struct StandardLibrary {
    /// Its folder, as a real path.
    pub(crate) root: PathBuf,
    version: String,
}

impl StandardLibrary {
    /// Those of the environments in a repository, by the `pyvenv.cfg` of each.
    pub(crate) fn of_repo(repo: &Path) -> Vec<Self> {
        let settings = ENVIRONMENTS.iter().map(|name| repo.join(name).join("pyvenv.cfg"));
        settings.filter_map(|path| Self::of_settings(&read_small(&path)?)).collect()
    }

    /// The library beside the folder of programs that `home` names. It must look like one, because the settings are a
    /// file of the repository and must not open any other folder.
    fn of_settings(text: &str) -> Option<Self> {
        let value = |key: &str| {
            let mut pairs = text.lines().filter_map(|line| line.split_once('='));
            pairs.find(|(known, _)| known.trim() == key).map(|(_, value)| value.trim().to_owned())
        };
        let version = value("version").or_else(|| value("version_info"))?;
        let mut parts = version.split('.');
        let minor = format!("{}.{}", parts.next()?, parts.next()?);
        if !minor.chars().all(|c| c.is_ascii_digit() || c == '.') {
            return None;
        }
        let home = PathBuf::from(value("home")?);
        let root = home.parent()?.join("lib").join(format!("python{minor}"));
        let root = std::fs::canonicalize(root).ok()?;
        let is_library = root.ends_with(format!("python{minor}"))
            && ["os.py", "abc.py", "enum.py"].iter().all(|name| root.join(name).is_file());
        is_library.then_some(Self { root, version: minor })
    }

    /// A module of the library.
    pub(crate) fn package(&self, name: &str) -> Option<Package> {
        let is_module = self.root.join(name).join("__init__.py").is_file()
            || self.root.join(format!("{name}.py")).is_file();
        is_module.then(|| Package {
            name: name.to_owned(),
            version: Some(format!("Python {}", self.version)),
            root: self.root.clone(),
            alias: Some(name.to_owned()),
        })
    }
}
