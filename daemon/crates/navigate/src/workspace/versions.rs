//! The versions of packages on both sides of an edge between repositories: the one that the importing repository asks
//! for, and the one that the repository with the package has.
//!
//! Law: a version is named only if a manifest writes it out. That of a package is in the nearest manifest at or above the
//! file that the edge leads to; the one asked for is in the nearest one at or above the importing file that asks for this
//! package. A build of Gradle asks for what its catalog lists under the aliases that it names. If several gemspecs in one
//! folder could be the package's, none is. Only packages that edges of this question lead into are listed.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use sdl_graph::paths::in_dir;
use sdl_ledger::Result;
use sdl_model::facts::ManifestKind;
use sdl_model::{FileId, RelPath};

use super::Workspace;
use super::catalogs::Catalog;
use super::coordinates::{is_around, is_same};
use super::declared::{Naming, naming_of};

/// Most pairs of an importing and an imported file whose versions are looked up for one question.
const MAX_PAIRS: usize = 2_000;

/// A package that another repository imports, with the versions that manifests state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackageVersions {
    /// The repository that imports it.
    pub importer: String,
    /// The package, as manifests name it.
    pub package: String,
    /// The version that the importer asks for, such as `^1.2`.
    pub asked: Option<String>,
    /// The repository that has it.
    pub owner: String,
    /// The version there.
    pub declared: Option<String>,
}

/// The pairs of files that edges of this question led from and to.
#[derive(Default)]
pub(super) struct Met(RefCell<BTreeSet<(FileId, FileId)>>);

impl Met {
    pub(super) fn add(&self, from: FileId, to: FileId) {
        let mut pairs = self.0.borrow_mut();
        if pairs.len() < MAX_PAIRS {
            pairs.insert((from, to));
        }
    }
}

/// One manifest, as far as it tells about versions.
struct Told {
    dir: String,
    kind: ManifestKind,
    name: Option<String>,
    entries: Vec<(String, String)>,
    /// What it lists, if it is a catalog of Gradle.
    catalog: Option<Catalog>,
}

impl Told {
    fn entry(&self, wanted: &str) -> Option<&str> {
        self.entries.iter().find(|(key, _)| key == wanted).map(|(_, value)| value.as_str())
    }

    /// The name of the deepest project of Gradle that it includes around a folder.
    fn included_at(&self, dir: &str) -> Option<&str> {
        let included = self.entries.iter().filter(|(key, _)| key == "include").filter_map(|(_, path)| {
            let folder = in_dir(&self.dir, &path.trim_start_matches(':').replace(':', "/"));
            is_around(&folder, dir).then_some((folder.len(), path.rsplit(':').next()?))
        });
        included.max().map(|(_, name)| name)
    }

    /// The version that it asks for of a package.
    fn asks_for(&self, naming: Naming, package: &str) -> Option<&str> {
        self.entries.iter().find_map(|(key, value)| {
            let key = key.strip_prefix("asks:")?;
            // Cargo may give a dependency another name.
            let name = self.entry(&format!("package:{key}")).unwrap_or(key);
            is_same_package(naming, name, package).then_some(value.as_str())
        })
    }

    /// The version that a catalog lists of a package under an alias that this build names.
    fn asks_by_alias<'c>(&self, catalog: &'c Catalog, package: &str) -> Option<&'c str> {
        let aliases = self.entries.iter().filter(|(key, _)| key == "alias").map(|(_, alias)| alias);
        let libraries = aliases.filter_map(|alias| catalog.libraries_of(alias)).flatten();
        let mut named = libraries.filter(|library| is_same(&library.coordinate, package));
        named.find_map(|library| library.version.as_deref())
    }
}

/// The manifests at and above a folder, the nearest first.
type Levels = Rc<[Told]>;

impl Workspace<'_> {
    /// The packages that edges of this question lead into from other repositories, as far as manifests state versions.
    pub fn package_versions(&self) -> Result<Vec<PackageVersions>> {
        let pairs = self.met.0.borrow();
        let (mut known, mut done, mut found) = (HashMap::new(), BTreeSet::new(), BTreeSet::new());
        for (from, to) in pairs.iter() {
            let (Some((importer, from)), Some((owner, to))) =
                (self.joint.place_of(*from)?, self.joint.place_of(*to)?)
            else {
                continue;
            };
            let Some(naming) = to.state.facts().and_then(|key| naming_of(key.lang)) else { continue };
            let (from, to) = (from.path.dir().to_owned(), to.path.dir().to_owned());
            if importer == owner || !done.insert((importer, from.clone(), owner, to.clone())) {
                continue;
            }
            let there = self.levels(&mut known, (owner, naming), &to)?;
            let Some((package, declared)) = declared_at(naming, &there, &to) else { continue };
            let here = self.levels(&mut known, (importer, naming), &from)?;
            let asked = asked_at(naming, &here, &package);
            if asked.is_none() && declared.is_none() {
                continue;
            }
            let repo = |number: usize| self.joint.members.get(number).map(|member| member.repo.to_owned());
            found.insert(PackageVersions {
                importer: repo(importer).unwrap_or_default(),
                asked: asked.map(str::to_owned),
                owner: repo(owner).unwrap_or_default(),
                package,
                declared,
            });
        }
        Ok(found.into_iter().collect())
    }

    /// The manifests at and above a folder of a member.
    fn levels(
        &self,
        known: &mut HashMap<(usize, Naming, String), Levels>,
        (number, naming): (usize, Naming),
        dir: &str,
    ) -> Result<Levels> {
        let key = (number, naming, dir.to_owned());
        if let Some(levels) = known.get(&key) {
            return Ok(Rc::clone(levels));
        }
        let (mut levels, mut at) = (Vec::new(), Some(dir));
        while let Some(dir) = at {
            levels.extend(self.manifests_in(number, naming, dir)?);
            at = (!dir.is_empty()).then(|| dir.rsplit_once('/').map_or("", |(outer, _)| outer));
        }
        let levels: Levels = levels.into();
        known.insert(key, Rc::clone(&levels));
        Ok(levels)
    }

    fn manifests_in(&self, number: usize, naming: Naming, dir: &str) -> Result<Vec<Told>> {
        let Some(member) = self.joint.members.get(number) else { return Ok(Vec::new()) };
        let named = naming.stating_versions().iter().filter_map(|name| RelPath::new(&in_dir(dir, name)));
        let mut files: Vec<FileId> = named.map(|path| FileId::of(&path)).collect();
        if let Some(extension) = naming.stating_extension() {
            for file in member.view.files_in_dir(dir)? {
                let row = member.view.file(file)?;
                files.extend(row.filter(|row| row.path.extension() == Some(extension)).map(|_| file));
            }
        }
        let mut told = Vec::new();
        for file in files {
            let Some(row) = member.view.file(file)? else { continue };
            let Some(key) = row.state.facts() else { continue };
            let Some(outline) = self.outlines.outline(key)? else { continue };
            let Some(manifest) = &outline.manifest else { continue };
            let text = |ix| outline.str(ix).to_owned();
            let goes_by_file = matches!(manifest.kind, ManifestKind::MsBuild | ManifestKind::GemSpec);
            let name = manifest.name.map(text).or_else(|| goes_by_file.then(|| row.path.stem().to_owned()));
            let entries: Vec<(String, String)> =
                manifest.entries.iter().map(|(key, value)| (text(*key), text(*value))).collect();
            let is_catalog = manifest.kind == ManifestKind::GradleCatalog;
            let catalog = is_catalog.then(|| Catalog::of(&entries));
            told.push(Told { dir: dir.to_owned(), kind: manifest.kind, name, entries, catalog });
        }
        Ok(told)
    }
}

/// The version that the nearest manifest asks for that asks for this package.
fn asked_at<'l>(naming: Naming, levels: &'l [Told], package: &str) -> Option<&'l str> {
    levels.iter().enumerate().find_map(|(at, told)| {
        told.asks_for(naming, package).or_else(|| {
            // A catalog comes after the builds of its folder.
            let catalog = levels.iter().skip(at).find_map(|other| other.catalog.as_ref())?;
            told.asks_by_alias(catalog, package)
        })
    })
}

/// The package that contains the folder `dir`, and its version, by the manifests at and above it.
fn declared_at(naming: Naming, levels: &[Told], dir: &str) -> Option<(String, Option<String>)> {
    let nearest = |wanted: &str| levels.iter().find_map(|told| told.entry(wanted)).map(str::to_owned);
    match naming {
        Naming::Stated => {
            let told = levels.iter().find(|told| told.name.is_some())?;
            let name = told.included_at(dir).or(told.name.as_deref())?.to_owned();
            let group = nearest("group").filter(|_| told.kind != ManifestKind::MsBuild);
            Some((group.map_or(name.clone(), |group| format!("{group}:{name}")), nearest("version")))
        }
        Naming::Rust => {
            let told = levels.iter().find(|told| told.name.is_some())?;
            let version = told.entry("version").map(str::to_owned).or_else(|| nearest("workspace.version"));
            Some((told.name.clone()?, version))
        }
        _ => {
            let told = levels.iter().find(|told| told.name.is_some())?;
            let mut beside = levels.iter().filter(|other| other.dir == told.dir);
            let gems = beside.clone().filter(|other| other.kind == ManifestKind::GemSpec);
            if gems.count() > 1 {
                return None;
            }
            // The other manifest in this folder may have it, such as `setup.cfg`.
            let version = beside.find_map(|other| other.entry("version"));
            Some((told.name.clone()?, version.map(str::to_owned)))
        }
    }
}

fn is_same_package(naming: Naming, wanted: &str, package: &str) -> bool {
    match naming {
        Naming::Python | Naming::Rust => {
            let normal = |name: &str| name.to_lowercase().replace(['_', '.'], "-");
            normal(wanted) == normal(package)
        }
        Naming::Stated => is_same(wanted, package),
        Naming::Php => wanted.eq_ignore_ascii_case(package),
        Naming::Node | Naming::Go | Naming::Ruby => wanted == package,
    }
}
