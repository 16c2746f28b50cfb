//! Go: a package is a folder, import paths start with a module's name from `go.mod`.

use std::rc::Rc;

use sdl_model::Lang;
use sdl_model::facts::{DefFlags, DefIx, ManifestKind};

use crate::modules::paths::{in_dir, join_path, parent_dir as dir_of};
use crate::modules::{ModRef, Place};
use crate::world::{FileIndex, FileIx, Question, Sym, World};

/// The package that an import path names.
pub(super) fn find_module(w: &World<'_>, text: &str) -> Place {
    let mut best: Option<(usize, String)> = None;
    let mut offer = |prefix: &str, base: Option<String>| {
        let Some(rest) = text.strip_prefix(prefix) else { return };
        let fits = rest.is_empty() || rest.starts_with('/');
        if !fits || prefix.is_empty() || best.as_ref().is_some_and(|(len, _)| *len >= prefix.len()) {
            return;
        }
        let Some(base) = base else { return };
        let dir = in_dir(&base, rest.trim_start_matches('/'));
        best = Some((prefix.len(), dir.trim_end_matches('/').to_owned()));
    };
    let mut replaced = Vec::new();
    for id in w.files_named("go.mod").iter() {
        let Some(at) = w.open(*id) else { continue };
        let manifest = w.file(at);
        let Some(found) = manifest.outline.manifest.as_ref().filter(|m| m.kind == ManifestKind::GoMod) else {
            continue;
        };
        let dir = manifest.path.dir();
        if let Some(name) = found.name {
            offer(manifest.outline.str(name), Some(dir.to_owned()));
        }
        for (key, value) in &found.entries {
            let value = manifest.outline.str(*value);
            if let Some(old) = manifest.outline.str(*key).strip_prefix("replace:")
                && value.starts_with('.')
            {
                replaced.push((old.to_owned(), join_path(dir, value)));
            }
        }
    }
    // A module of the repository takes precedence over a `replace` in another.
    for (old, dir) in replaced {
        offer(&old, dir);
    }
    if let Some((_, dir)) = best {
        return package_place(w, &dir);
    }
    // Without a module file: a path that ends in a folder of the repository, or whose last name is the package at the
    // root, unless it is a path of the standard library.
    if !text.split('/').next().is_some_and(|host| host.contains('.')) {
        return Place::External;
    }
    let mut rest = text;
    while let Some((_, tail)) = rest.split_once('/') {
        rest = tail;
        let found = package_place(w, rest);
        if found.is_found() {
            return found;
        }
    }
    let mut names = text.rsplit('/').skip_while(|part| is_version(part));
    if names.next().is_some_and(|name| has_root_package(w, name)) {
        return package_place(w, "");
    }
    Place::External
}

/// Whether a part of an import path is a major version: `v2`.
fn is_version(part: &str) -> bool {
    part.strip_prefix('v')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether the folder at the root holds the package `name`.
fn has_root_package(w: &World<'_>, name: &str) -> bool {
    package_files(w, "", false).first().is_some_and(|at| {
        let file = w.file(*at);
        file.outline.package.is_some_and(|package| file.outline.str(package) == name)
    })
}

fn package_place(w: &World<'_>, dir: &str) -> Place {
    let holds = w
        .files_in_dir(dir)
        .iter()
        .any(|id| w.path_of(*id).is_some_and(|path| path.extension() == Some("go")));
    if holds { Place::Module(ModRef::Dir(Lang::Go, w.sym(dir))) } else { Place::External }
}

/// The package's files. Files for the systems that most servers run, such as `_linux.go`, come first, because files
/// for several systems may define the same name and the first one is used.
fn package_files(w: &World<'_>, dir: &str, tests: bool) -> Rc<[FileIx]> {
    let q = Question::PackageFiles { dir: w.sym(dir), with_tests: tests };
    w.derive(&w.memos.files, q, Rc::default(), || {
        let mut found: Vec<_> = w
            .files_in_dir(dir)
            .iter()
            .filter_map(|id| Some((w.path_of(*id)?, *id)))
            .filter(|(path, _)| {
                path.extension() == Some("go") && (tests || !path.file_name().ends_with("_test.go"))
            })
            .collect();
        found.sort_by_cached_key(|(path, _)| (system_rank(path.stem()), path.clone()));
        let opened = found.into_iter().filter_map(|(_, id)| w.open(id));
        // Files that a build constraint excludes come last.
        let (left_out, built): (Vec<_>, Vec<_>) = opened.partition(|at| {
            w.file(*at).outline.def(DefIx::MODULE).is_some_and(|file| file.flags.has(DefFlags::LEFT_OUT))
        });
        built.into_iter().chain(left_out).collect()
    })
}

fn system_rank(stem: &str) -> u8 {
    let stem = stem.strip_suffix("_test").unwrap_or(stem);
    let stem = match stem.rsplit_once('_') {
        Some((rest, "amd64")) => rest,
        Some((
            _,
            "386" | "arm" | "arm64" | "loong64" | "mips" | "mips64" | "mips64le" | "mipsle" | "ppc64"
            | "ppc64le" | "riscv64" | "s390x" | "sparc64" | "wasm",
        )) => return 2,
        _ => stem,
    };
    match stem.rsplit('_').next() {
        Some(
            "aix" | "android" | "darwin" | "dragonfly" | "freebsd" | "illumos" | "ios" | "js" | "netbsd"
            | "openbsd" | "plan9" | "solaris" | "wasip1" | "windows" | "zos",
        ) => 2,
        Some("linux" | "unix") => 1,
        _ => 0,
    }
}

/// The meaning of `name` in the package in folder `dir`.
pub(super) fn dir_member(w: &World<'_>, dir: &str, name: Sym) -> Place {
    find_declared(w, &package_files(w, dir, false), name)
}

fn find_declared(w: &World<'_>, files: &[FileIx], name: Sym) -> Place {
    files
        .iter()
        .filter(|at| w.file(**at).lang() == Lang::Go)
        .map(|at| declared_plain(w, *at, name))
        .find(|place| place.is_found())
        .unwrap_or(Place::Missing)
}

/// A definition in the package's own scope: not a method, although methods are at top level too.
fn declared_plain(w: &World<'_>, at: FileIx, name: Sym) -> Place {
    let file = w.file(at);
    let plain = file
        .children(DefIx::MODULE, name)
        .find(|ix| file.outline.def(*ix).is_some_and(|def| def.owner.is_none()));
    match plain {
        Some(def) => Place::Def(crate::world::DefRef { file: at, def }),
        None => Place::Missing,
    }
}

/// The meaning of `name` in the other files of the same package.
pub(super) fn find_implicit(w: &World<'_>, file: &FileIndex, name: Sym) -> Place {
    let path = file.path.as_str();
    find_declared(w, &package_files(w, dir_of(path), path.ends_with("_test.go")), name)
}

/// The other files of a file's package.
pub(super) fn sibling_files(w: &World<'_>, at: FileIx) -> Vec<FileIx> {
    let file = w.file(at);
    let path = file.path.as_str();
    package_files(w, dir_of(path), path.ends_with("_test.go"))
        .iter()
        .copied()
        .filter(|other| *other != at)
        .collect()
}
