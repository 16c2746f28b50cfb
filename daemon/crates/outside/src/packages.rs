//! The packages on the disk that the imports of a file name.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sdl_model::lang::Family;
use sdl_model::{Lang, RelPath};

use crate::interpreter::StandardLibrary;
use crate::manifests::{cargo_lock, cargo_renames, go_folder, go_requirements, read_small};
use crate::settings::Outside;

/// Most packages that one file's imports are looked up in.
const MAX_PACKAGES: usize = 40;
/// Most entries of a folder that are looked at.
const MAX_ENTRIES: usize = 5_000;
/// The folders of a project's own environment of Python.
pub(crate) const ENVIRONMENTS: [&str; 3] = [".venv", "venv", "env"];

/// A package on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version, if that is known.
    pub version: Option<String>,
    /// The folder that its modules are looked for in.
    pub root: PathBuf,
    /// The name under which its modules are found at the root of a tree, where no manifest says it.
    pub alias: Option<String>,
}

/// How a language's packages come to the disk.
enum Manager {
    Python,
    Node,
    Cargo,
    Go,
}

impl Manager {
    fn of(lang: Lang) -> Option<Self> {
        match lang.traits().family {
            Family::Deep("python") => Some(Self::Python),
            Family::Deep("ecma") => Some(Self::Node),
            Family::Deep("rust") => Some(Self::Cargo),
            Family::Deep("go") => Some(Self::Go),
            _ => None,
        }
    }
}

/// Whether [`Outside::packages_of`] finds any for a language. For example, C has no packages.
pub fn has_packages(lang: Lang) -> bool {
    Manager::of(lang).is_some()
}

impl Outside {
    /// The packages that imports of `modules` in the file `path` of the repository at `repo` name.
    pub fn packages_of(
        &self,
        repo: &Path,
        path: &RelPath,
        lang: Lang,
        modules: &BTreeSet<String>,
    ) -> Vec<Package> {
        let mut found = match Manager::of(lang) {
            Some(Manager::Python) => self.python_packages(repo, modules),
            Some(Manager::Node) => node_packages(repo, path, modules),
            Some(Manager::Cargo) => self.crates(repo, path, modules),
            Some(Manager::Go) => self.go_modules(repo, path, modules),
            None => Vec::new(),
        };
        found.truncate(MAX_PACKAGES);
        found
    }

    fn python_packages(&self, repo: &Path, modules: &BTreeSet<String>) -> Vec<Package> {
        let mut folders: Vec<PathBuf> =
            ENVIRONMENTS.iter().flat_map(|name| site_packages(&repo.join(name))).collect();
        folders.extend(self.places.python.iter().cloned());
        let standard = StandardLibrary::of_repo(repo);
        let first_names: BTreeSet<&str> =
            modules.iter().filter_map(|module| module.split('.').next()).collect();
        let mut found = Vec::new();
        for name in first_names.into_iter().filter(|name| is_plain(name)) {
            let folder = folders.iter().find(|folder| {
                folder.join(name).join("__init__.py").is_file() || folder.join(format!("{name}.py")).is_file()
            });
            found.extend(folder.map(|folder| Package {
                name: name.to_owned(),
                version: installed_version(folder, name),
                root: folder.clone(),
                alias: Some(name.to_owned()),
            }));
            if folder.is_none() {
                found.extend(standard.iter().find_map(|library| library.package(name)));
            }
        }
        found
    }

    fn crates(&self, repo: &Path, path: &RelPath, modules: &BTreeSet<String>) -> Vec<Package> {
        let Some(lock) = nearest_file(repo, path, "Cargo.lock") else { return Vec::new() };
        let mut locked = cargo_lock(&lock);
        // Of several versions of a crate, the last is the newest.
        locked.reverse();
        let renames = nearest_file(repo, path, "Cargo.toml").map(|text| cargo_renames(&text));
        let renames = renames.unwrap_or_default();
        let sources: Vec<PathBuf> = self.places.cargo.iter().flat_map(|place| folders_in(place)).collect();
        let mut found = Vec::new();
        for module in modules {
            let real = renames.iter().find(|(code, _)| code.replace('-', "_") == *module);
            let wanted = real.map_or_else(|| module.clone(), |(_, real)| real.replace('-', "_"));
            let named = locked.iter().find(|(name, _)| name.replace('-', "_") == wanted);
            let Some((name, version)) = named.filter(|(name, version)| is_plain(name) && is_plain(version))
            else {
                continue;
            };
            let folder = format!("{name}-{version}");
            let root = sources.iter().map(|source| source.join(&folder)).find(|root| root.is_dir());
            found.extend(root.map(|root| Package {
                name: name.clone(),
                version: Some(version.clone()),
                root,
                alias: None,
            }));
        }
        found
    }

    fn go_modules(&self, repo: &Path, path: &RelPath, modules: &BTreeSet<String>) -> Vec<Package> {
        let Some(manifest) = nearest_file(repo, path, "go.mod") else { return Vec::new() };
        let required = go_requirements(&manifest);
        let mut found: Vec<Package> = Vec::new();
        for module in modules {
            let inside = |name: &str| {
                module.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            let best = required.iter().filter(|(name, _)| inside(name)).max_by_key(|(name, _)| name.len());
            let Some((name, version)) = best.filter(|(name, version)| is_plain(name) && is_plain(version))
            else {
                continue;
            };
            let folder = go_folder(name, version);
            let root = self.places.go.iter().map(|place| place.join(&folder)).find(|root| root.is_dir());
            if let Some(root) = root.filter(|root| found.iter().all(|known| known.root != *root)) {
                found.push(Package { name: name.clone(), version: Some(version.clone()), root, alias: None });
            }
        }
        found
    }
}

/// Whether a name from a manifest names nothing above its folder.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('/')
        && !name.contains('\0')
        && !name.split(['/', '\\']).any(|part| part == "..")
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flat_map(|entries| entries.take(MAX_ENTRIES))
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    found
}

/// The folders with the packages of an environment of Python.
fn site_packages(environment: &Path) -> Vec<PathBuf> {
    let versions = folders_in(&environment.join("lib")).into_iter();
    let of_version = versions.map(|version| version.join("site-packages"));
    let all = of_version.chain([environment.join("Lib").join("site-packages")]);
    all.filter(|folder| folder.is_dir()).collect()
}

/// The version of an installed package, by the name of its record: `requests-2.32.0.dist-info`.
fn installed_version(folder: &Path, name: &str) -> Option<String> {
    let plain = |name: &str| name.to_lowercase().replace(['-', '.'], "_");
    folders_in(folder).iter().find_map(|path| {
        let record = path.file_name()?.to_str()?.strip_suffix(".dist-info")?;
        let (package, version) = record.rsplit_once('-')?;
        (plain(package) == plain(name)).then(|| version.to_owned())
    })
}

/// The packages of the nearest `node_modules` that have them.
fn node_packages(repo: &Path, path: &RelPath, modules: &BTreeSet<String>) -> Vec<Package> {
    let mut found: Vec<Package> = Vec::new();
    for module in modules {
        let parts = if module.starts_with('@') { 2 } else { 1 };
        let name = module.split('/').take(parts).collect::<Vec<_>>().join("/");
        if !is_plain(&name) || found.iter().any(|known| known.name == name) {
            continue;
        }
        let own = node_package(repo, path, &name);
        let is_typed = own.as_ref().is_some_and(|(package, manifest)| {
            ["types", "typings", "exports"].iter().any(|key| manifest.get(key).is_some())
                || package.root.join("index.d.ts").is_file()
        });
        // Types that others wrote say more than code without any.
        let typings = format!("@types/{}", name.trim_start_matches('@').replace('/', "__"));
        let typings = if is_typed { None } else { node_package(repo, path, &typings) };
        found.extend(typings.or(own).map(|(package, _)| package));
    }
    found
}

/// A package in the nearest `node_modules` that has it, and its manifest.
fn node_package(repo: &Path, path: &RelPath, name: &str) -> Option<(Package, serde_json::Value)> {
    let mut roots = folders_around(repo, path).map(|folder| folder.join("node_modules").join(name));
    let root = roots.find(|root| root.join("package.json").is_file())?;
    let manifest = read_small(&root.join("package.json"));
    let manifest: serde_json::Value =
        manifest.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let version = manifest.get("version").and_then(serde_json::Value::as_str).map(str::to_owned);
    Some((Package { name: name.to_owned(), version, root, alias: None }, manifest))
}

/// The folder of a file and those around it, up to the repository's root.
fn folders_around<'a>(repo: &'a Path, path: &'a RelPath) -> impl Iterator<Item = PathBuf> + 'a {
    let dir = repo.join(path.dir());
    let all: Vec<PathBuf> =
        dir.ancestors().take_while(|folder| folder.starts_with(repo)).map(Path::to_owned).collect();
    all.into_iter()
}

fn nearest_file(repo: &Path, path: &RelPath, name: &str) -> Option<String> {
    folders_around(repo, path).find_map(|folder| read_small(&folder.join(name)))
}
