//! Which other repositories a repository depends on, by the coordinates of its build: Maven, Gradle, .NET.
//!
//! Files of these languages state their packages themselves, so several repositories may state the same one. Where the
//! importing repository says what it depends on, only those are looked into.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use sdl_ledger::{Result, View};
use sdl_model::facts::ManifestKind;
use sdl_model::{FileId, FileRow, Outline};
use sdl_retrieve::Outlines;

use super::catalogs::{CATALOG, Catalog};

/// Most manifests that are read.
const MAX_MANIFESTS: usize = 2_000;
/// The builds of Maven and Gradle, seen from a folder.
pub(super) const BUILDS: &[&str] =
    &["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", CATALOG];
/// A part of a coordinate that a manifest does not write out.
const UNKNOWN: &str = "?";

/// What the builds of one repository state.
#[derive(Debug, Default)]
pub(super) struct Coordinates {
    /// `group:artifact`, or the name of a package of .NET.
    artifacts: BTreeSet<String>,
    /// The same of its dependencies.
    dependencies: BTreeSet<String>,
    /// Whether it depends on more that no manifest writes out.
    is_open: bool,
}

/// One manifest.
struct Stated {
    kind: ManifestKind,
    dir: String,
    stem: String,
    name: Option<String>,
    entries: Vec<(String, String)>,
}

impl Coordinates {
    pub(super) fn read(view: &dyn View, outlines: &dyn Outlines) -> Result<Self> {
        let mut manifests = Vec::new();
        let mut files = Vec::new();
        for name in BUILDS {
            files.extend(view.files_named(name.rsplit('/').next().unwrap_or(name))?);
        }
        files.extend(projects_of_dotnet(view)?);
        for file in files.into_iter().take(MAX_MANIFESTS) {
            let Some(row) = view.file(file)? else { continue };
            let Some(key) = row.state.facts() else { continue };
            let Some(outline) = outlines.outline(key)? else { continue };
            manifests.extend(read_manifest(&row, &outline));
        }
        Ok(Self::of(&manifests))
    }

    fn of(manifests: &[Stated]) -> Self {
        let mut found = Self::default();
        let catalogs = catalogs_in(manifests);
        let mut looked_up = BTreeSet::new();
        for one in manifests {
            let around = catalogs.iter().filter(|(build, _)| is_around(build, &one.dir));
            let catalog = around.max_by_key(|(build, _)| build.len());
            found.artifacts.extend(artifacts_of(one, manifests));
            for (key, value) in &one.entries {
                match key.as_str() {
                    "dependency" => drop(found.dependencies.insert(value.clone())),
                    "alias" if looked_up.insert((catalog.map(|(build, _)| *build), value)) => {
                        match catalog.and_then(|(_, catalog)| catalog.libraries_of(value)) {
                            Some(named) => {
                                found.dependencies.extend(named.iter().map(|one| one.coordinate.clone()));
                            }
                            None => found.is_open = true,
                        }
                    }
                    "open" => found.is_open = true,
                    _ => {}
                }
            }
        }
        found
    }

    /// Whether a repository with these manifests may depend on `other`. Only a manifest can rule it out.
    pub(super) fn may_use(&self, other: &Self) -> bool {
        let says_nothing = self.dependencies.is_empty() || self.is_open || other.artifacts.is_empty();
        says_nothing
            || self.dependencies.iter().any(|wanted| other.artifacts.iter().any(|one| is_same(wanted, one)))
    }
}

/// Whether a dependency names an artifact; a part that is not written out may be any.
pub(super) fn is_same(wanted: &str, artifact: &str) -> bool {
    let alike = |a: &str, b: &str| a == UNKNOWN || b == UNKNOWN || a.eq_ignore_ascii_case(b);
    match (wanted.split_once(':'), artifact.split_once(':')) {
        (Some((group, name)), Some((other_group, other_name))) => {
            alike(group, other_group) && alike(name, other_name)
        }
        (None, None) => wanted.eq_ignore_ascii_case(artifact),
        _ => false,
    }
}

fn read_manifest(row: &FileRow, outline: &Outline) -> Option<Stated> {
    let manifest = outline.manifest.as_ref()?;
    let text = |ix| outline.str(ix).to_owned();
    Some(Stated {
        kind: manifest.kind,
        dir: row.path.dir().to_owned(),
        stem: row.path.stem().to_owned(),
        name: manifest.name.map(text),
        entries: manifest.entries.iter().map(|(key, value)| (text(*key), text(*value))).collect(),
    })
}

/// The artifacts that a manifest makes.
fn artifacts_of(one: &Stated, all: &[Stated]) -> Vec<String> {
    match one.kind {
        ManifestKind::Maven => {
            let name = one.name.as_deref().unwrap_or(UNKNOWN);
            vec![format!("{}:{name}", group_of(one, all).unwrap_or(UNKNOWN))]
        }
        ManifestKind::Gradle => {
            let group = group_of(one, all).unwrap_or(UNKNOWN);
            let included = values(one, "include").filter_map(|path| path.rsplit(':').next());
            let names = one.name.as_deref().into_iter().chain(included);
            names.map(|name| format!("{group}:{name}")).collect()
        }
        ManifestKind::MsBuild => vec![one.name.clone().unwrap_or_else(|| one.stem.clone())],
        _ => Vec::new(),
    }
}

fn values<'s>(one: &'s Stated, key: &'s str) -> impl Iterator<Item = &'s str> {
    one.entries.iter().filter(move |(known, _)| known == key).map(|(_, value)| value.as_str())
}

/// The catalogs of a repository, each with the folder of its build.
fn catalogs_in(all: &[Stated]) -> Vec<(&str, Catalog)> {
    let catalogs = all.iter().filter(|one| one.kind == ManifestKind::GradleCatalog);
    let of_builds = catalogs.filter_map(|one| {
        let build = if one.dir == "gradle" { Some("") } else { one.dir.strip_suffix("/gradle") };
        Some((build?, Catalog::of(&one.entries)))
    });
    of_builds.collect()
}

/// The group of a manifest: its own, else that of a build in its folder or around it, else the only one that the builds
/// below it state.
fn group_of<'s>(one: &'s Stated, all: &'s [Stated]) -> Option<&'s str> {
    if let Some(own) = values(one, "group").next() {
        return Some(own);
    }
    let around = all.iter().filter(|other| other.kind == one.kind && is_around(&other.dir, &one.dir));
    let nearest = around.filter(|other| values(other, "group").next().is_some());
    if let Some(nearest) = nearest.max_by_key(|other| other.dir.len()) {
        return values(nearest, "group").next();
    }
    let below = all.iter().filter(|other| other.kind == one.kind && is_around(&one.dir, &other.dir));
    let groups: BTreeSet<&str> = below.flat_map(|other| values(other, "group")).collect();
    groups.first().copied().filter(|_| groups.len() == 1)
}

/// Whether `inner` is the folder `outer` or below it.
pub(super) fn is_around(outer: &str, inner: &str) -> bool {
    outer.is_empty() || inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The project files of .NET. Their names are those of the projects, so all paths are looked at.
fn projects_of_dotnet(view: &dyn View) -> Result<Vec<FileId>> {
    let mut found = Vec::new();
    view.files_under("", &mut |file, path| {
        if path.ends_with(".csproj") {
            found.push(file);
        }
        if found.len() < MAX_MANIFESTS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(found)
}
