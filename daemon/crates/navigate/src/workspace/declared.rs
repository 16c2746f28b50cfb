//! The packages that a repository declares: their names as imports write them.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use sdl_graph::paths::{in_dir, join_path};
use sdl_ledger::{Result, View};
use sdl_model::facts::ManifestKind;
use sdl_model::lang::Family;
use sdl_model::{FileId, Lang, Outline, RelPath};
use sdl_retrieve::Outlines;

use super::coordinates::{BUILDS, Coordinates};

/// Most manifests of one kind that are read.
const MAX_MANIFESTS: usize = 2_000;

/// How imports of a language name packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Naming {
    Python,
    Node,
    Rust,
    Go,
    Ruby,
    Php,
    /// Files state their packages: Java, Kotlin, C#.
    Stated,
}

/// How imports of `lang` name packages; none for languages whose packages no manifest declares.
pub(super) fn naming_of(lang: Lang) -> Option<Naming> {
    match lang.traits().family {
        Family::Deep("python") => Some(Naming::Python),
        Family::Deep("ecma") => Some(Naming::Node),
        Family::Deep("rust") => Some(Naming::Rust),
        Family::Deep("go") => Some(Naming::Go),
        Family::Deep("ruby") => Some(Naming::Ruby),
        Family::Deep("php") => Some(Naming::Php),
        Family::Deep("jvm" | "dotnet") => Some(Naming::Stated),
        _ => None,
    }
}

impl Naming {
    /// The files that declare packages.
    fn manifests(self) -> &'static [&'static str] {
        match self {
            Self::Python => &["pyproject.toml", "setup.cfg", "setup.py"],
            Self::Node => &["package.json"],
            Self::Rust => &["Cargo.toml"],
            Self::Go => &["go.mod"],
            Self::Php => &["composer.json"],
            Self::Ruby | Self::Stated => &[],
        }
    }

    /// The files that may state versions of packages, seen from a folder.
    pub(super) fn stating_versions(self) -> &'static [&'static str] {
        match self {
            Self::Python => &[
                "pyproject.toml",
                "setup.cfg",
                "setup.py",
                "requirements.txt",
                "requirements-dev.txt",
                "dev-requirements.txt",
                "test-requirements.txt",
            ],
            Self::Ruby => &["Gemfile"],
            Self::Stated => BUILDS,
            _ => self.manifests(),
        }
    }

    /// The extension of other files in a folder that state versions.
    pub(super) fn stating_extension(self) -> Option<&'static str> {
        match self {
            Self::Ruby => Some("gemspec"),
            Self::Stated => Some("csproj"),
            _ => None,
        }
    }

    /// The text between the name of a package and that of a module in it.
    fn separator(self) -> &'static str {
        match self {
            Self::Python | Self::Stated => ".",
            Self::Node | Self::Go | Self::Ruby => "/",
            Self::Rust => "::",
            Self::Php => "\\",
        }
    }

    /// Whether an import of `module` names the package `package` or something in it.
    pub(super) fn is_inside(self, module: &str, package: &str) -> bool {
        module.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with(self.separator()))
    }
}

/// A package with the folder that holds its modules.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Package {
    name: String,
    dir: String,
}

/// What one repository declares. Remembers what it has read.
pub(super) struct Declared<'a> {
    view: &'a dyn View,
    outlines: &'a dyn Outlines,
    packages: RefCell<HashMap<Naming, Rc<[Package]>>>,
    /// The folders of packages of Python, by name, and the packages that files state, by the text of imports.
    folders: RefCell<HashMap<String, Option<String>>>,
    stated: RefCell<HashMap<String, Option<String>>>,
    coordinates: OnceCell<Coordinates>,
}

impl<'a> Declared<'a> {
    pub(super) fn new(view: &'a dyn View, outlines: &'a dyn Outlines) -> Self {
        Self {
            view,
            outlines,
            packages: RefCell::default(),
            folders: RefCell::default(),
            stated: RefCell::default(),
            coordinates: OnceCell::new(),
        }
    }

    /// The package that an import of `module` names, if it is one of this repository.
    pub(super) fn package_of(&self, naming: Naming, module: &str) -> Result<Option<String>> {
        match naming {
            Naming::Python => {
                let first = module.split('.').next().unwrap_or(module);
                Ok(self.python_folder(first)?.map(|_| first.to_owned()))
            }
            Naming::Stated => self.stated_package(module),
            _ => {
                let packages = self.packages(naming)?;
                let fitting = packages.iter().filter(|package| naming.is_inside(module, &package.name));
                Ok(fitting.max_by_key(|package| package.name.len()).map(|package| package.name.clone()))
            }
        }
    }

    /// Whether files of this repository may import packages of `other`, as far as its builds say what it depends on.
    pub(super) fn may_use(&self, other: &Self) -> Result<bool> {
        Ok(self.coordinates()?.may_use(other.coordinates()?))
    }

    fn coordinates(&self) -> Result<&Coordinates> {
        if let Some(known) = self.coordinates.get() {
            return Ok(known);
        }
        let found = Coordinates::read(self.view, self.outlines)?;
        Ok(self.coordinates.get_or_init(|| found))
    }

    /// The packages that contain the file at `path`, as imports name them.
    pub(super) fn packages_with(&self, naming: Naming, path: &str, outline: &Outline) -> Result<Vec<String>> {
        match naming {
            Naming::Python => {
                let mut names = Vec::new();
                for root in self.packages(naming)?.iter() {
                    let Some(rest) = below(path, &root.dir) else { continue };
                    let first = rest.split('/').next().unwrap_or(rest);
                    let first = first.strip_suffix(".py").unwrap_or(first);
                    let folder = self.python_folder(first)?;
                    if folder.is_some_and(|folder| folder == in_dir(&root.dir, first)) {
                        names.push(first.to_owned());
                    }
                }
                names.sort();
                names.dedup();
                Ok(names)
            }
            Naming::Stated => Ok(stated_by(outline)),
            _ => {
                let packages = self.packages(naming)?;
                let holds = |package: &&Package| below(path, &package.dir).is_some();
                let deepest = packages.iter().filter(holds).map(|package| package.dir.len()).max();
                let mut names: Vec<String> = packages
                    .iter()
                    .filter(holds)
                    .filter(|package| Some(package.dir.len()) == deepest)
                    .map(|package| package.name.clone())
                    .collect();
                names.sort();
                Ok(names)
            }
        }
    }

    /// The path, without an extension, of the package or module of Python that is imported as `name`.
    pub(super) fn python_folder(&self, name: &str) -> Result<Option<String>> {
        remember(&self.folders, name, || self.find_python_folder(name))
    }

    fn find_python_folder(&self, name: &str) -> Result<Option<String>> {
        for root in self.packages(Naming::Python)?.iter() {
            let is_beside_manifest = root.name.is_empty();
            if is_beside_manifest && NOT_INSTALLED.contains(&name) {
                continue;
            }
            let base = in_dir(&root.dir, name);
            for end in ["/__init__.py", "/__init__.pyi"] {
                if self.has_file(&format!("{base}{end}"))? {
                    return Ok(Some(base));
                }
            }
            if !BESIDE_MANIFEST.contains(&name) && self.has_file(&format!("{base}.py"))? {
                return Ok(Some(base));
            }
        }
        Ok(None)
    }

    fn stated_package(&self, module: &str) -> Result<Option<String>> {
        remember(&self.stated, module, || self.find_stated_package(module))
    }

    fn find_stated_package(&self, module: &str) -> Result<Option<String>> {
        let mut package = module;
        // A class, or a member of one, of a package.
        for _ in 0..3 {
            if !self.view.files_of_package(package)?.is_empty() {
                return Ok(Some(package.to_owned()));
            }
            match package.rsplit_once('.') {
                Some((outer, last)) if last.starts_with(char::is_uppercase) => package = outer,
                _ => break,
            }
        }
        Ok(None)
    }

    fn has_file(&self, path: &str) -> Result<bool> {
        let Some(path) = RelPath::new(path) else { return Ok(false) };
        let row = self.view.file(FileId::of(&path))?;
        Ok(row.is_some_and(|row| row.state.facts().is_some()))
    }

    /// The packages that manifests declare; of Python the folders that hold packages, without a name beside a manifest.
    fn packages(&self, naming: Naming) -> Result<Rc<[Package]>> {
        if let Some(known) = self.packages.borrow().get(&naming) {
            return Ok(Rc::clone(known));
        }
        let mut found = Vec::new();
        for manifest in naming.manifests() {
            for file in self.view.files_named(manifest)?.into_iter().take(MAX_MANIFESTS) {
                let Some(row) = self.view.file(file)? else { continue };
                let Some(key) = row.state.facts() else { continue };
                let Some(outline) = self.outlines.outline(key)? else { continue };
                found.extend(manifest_packages(naming, &row.path, &outline));
            }
        }
        if naming == Naming::Ruby {
            found.extend(self.gems()?);
        }
        found.sort_by(|a, b| (&a.name, &a.dir).cmp(&(&b.name, &b.dir)));
        found.dedup();
        let found: Rc<[Package]> = found.into();
        self.packages.borrow_mut().insert(naming, Rc::clone(&found));
        Ok(found)
    }

    /// The gems whose specifications are at the root.
    fn gems(&self) -> Result<Vec<Package>> {
        let mut gems = Vec::new();
        for file in self.view.files_in_dir("")? {
            let Some(row) = self.view.file(file)? else { continue };
            if row.path.extension() == Some("gemspec") {
                let stem = row.path.stem();
                gems.push(Package { name: stem.to_owned(), dir: "lib".to_owned() });
                gems.push(Package { name: stem.replace('-', "/"), dir: "lib".to_owned() });
            }
        }
        Ok(gems)
    }
}

/// The answer for a name, found once.
fn remember(
    known: &RefCell<HashMap<String, Option<String>>>,
    name: &str,
    find: impl FnOnce() -> Result<Option<String>>,
) -> Result<Option<String>> {
    if let Some(found) = known.borrow().get(name) {
        return Ok(found.clone());
    }
    let found = find()?;
    known.borrow_mut().insert(name.to_owned(), found.clone());
    Ok(found)
}

/// Folders beside a manifest of Python that are never installed.
const NOT_INSTALLED: [&str; 10] =
    ["tests", "test", "testing", "docs", "doc", "examples", "example", "benchmarks", "scripts", "tools"];
/// Files beside a manifest of Python that are no modules.
const BESIDE_MANIFEST: [&str; 4] = ["setup", "conftest", "noxfile", "tasks"];

/// The packages that one manifest declares.
fn manifest_packages(naming: Naming, path: &RelPath, outline: &Outline) -> Vec<Package> {
    let dir = path.dir();
    let text = |ix| outline.str(ix).to_owned();
    let manifest = outline.manifest.as_ref();
    let name = manifest.and_then(|manifest| manifest.name).map(text);
    let entries: Vec<(String, String)> = manifest
        .map(|manifest| manifest.entries.iter().map(|(key, value)| (text(*key), text(*value))).collect())
        .unwrap_or_default();
    let entry = |wanted: &str| entries.iter().find(|(key, _)| key == wanted).map(|(_, value)| value.clone());
    let here = |name: String| Package { name, dir: dir.to_owned() };
    match naming {
        Naming::Python => {
            let stated = entries.iter().filter(|(key, _)| key == "where" || key == "package-dir:");
            let stated = stated.filter_map(|(_, value)| join_path(dir, value));
            let sources = stated.chain([in_dir(dir, "src")]);
            let sources = sources.map(|dir| Package { name: "src".to_owned(), dir });
            sources.chain([here(String::new())]).collect()
        }
        Naming::Rust => {
            let code_name = entry("lib.name").or(name).map(|name| name.replace('-', "_"));
            code_name.map(here).into_iter().collect()
        }
        Naming::Php => {
            let psr = entries.iter().filter_map(|(key, value)| Some((key.strip_prefix("psr-4:")?, value)));
            psr.filter_map(|(prefix, folder)| {
                Some(Package { name: prefix.trim_matches('\\').to_owned(), dir: join_path(dir, folder)? })
            })
            .filter(|package| !package.name.is_empty())
            .collect()
        }
        Naming::Node | Naming::Go => {
            let kinds = [ManifestKind::PackageJson, ManifestKind::GoMod];
            let is_one = manifest.is_some_and(|manifest| kinds.contains(&manifest.kind));
            name.filter(|_| is_one).map(here).into_iter().collect()
        }
        Naming::Ruby | Naming::Stated => Vec::new(),
    }
}

/// The packages and namespaces that a file states.
fn stated_by(outline: &Outline) -> Vec<String> {
    let package = outline.package.map(|package| outline.str(package).to_owned());
    package.into_iter().filter(|package| !package.is_empty()).collect()
}

/// `path` seen from `dir`, if it is below.
fn below<'p>(path: &'p str, dir: &str) -> Option<&'p str> {
    if dir.is_empty() { Some(path) } else { path.strip_prefix(dir)?.strip_prefix('/') }
}
