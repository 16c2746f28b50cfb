//! The package clause and imports.

use sdl_model::facts::{DefFlags, DefIx, ImportKind};

use super::kinds::{Context, F, K, Node};
use super::{constraints, exprs};
use crate::builder::text::clean_comment;
use crate::driver::Visit;

pub(super) fn read_package<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    if let Some(name) = node.child_of(K::PackageIdentifier) {
        cx.b.package(name.text());
    }
    // The comment right above it is the package's documentation.
    let before = cx.b.slice(0, node.start());
    if constraints::leave_out(before) {
        cx.b.flag(DefIx::MODULE, DefFlags::LEFT_OUT);
    }
    let lines: Vec<&str> = before.lines().collect();
    let comment = lines.iter().rposition(|line| line.trim().is_empty()).map_or(0, |at| at + 1);
    if before.ends_with('\n')
        && let Some(text) = lines.get(comment..)
        && text.len() <= 400
        && let Some(doc) = clean_comment(&text.join("\n"))
    {
        cx.b.doc(DefIx::MODULE, &doc);
    }
    Visit::Skip
}

pub(super) fn read_import<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let Some(path) = node.child(F::Path) else { return Visit::Skip };
    let module = exprs::string_content(path);
    let (kind, local) = match node.child(F::Name) {
        Some(name) if name.is(K::Dot) => (ImportKind::Wildcard, None),
        Some(name) if name.is(K::BlankIdentifier) || name.text() == "_" => (ImportKind::SideEffect, None),
        Some(name) => (ImportKind::Module, Some(name.text())),
        None => (ImportKind::Module, Some(package_name(module))),
    };
    cx.state.packages.extend(local.map(str::to_owned));
    cx.b.import(kind, module, None, local, node.start());
    Visit::Skip
}

/// The most likely name of the package at `path`: the last part that is not a version, such as `chi` of
/// `github.com/go-chi/chi/v5`.
fn package_name(path: &str) -> &str {
    let is_version = |part: &str| {
        part.strip_prefix('v').is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut parts = path.rsplit('/');
    let mut last = parts.next().unwrap_or(path);
    if is_version(last) {
        last = parts.next().unwrap_or(last);
    }
    match last.rsplit_once('.') {
        Some((name, version)) if is_version(version) => name,
        _ => last.strip_prefix("go-").unwrap_or(last),
    }
}
