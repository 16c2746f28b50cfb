//! Which files of a crate use which: read from `use` declarations and paths, with re-exports followed to the file that
//! has the definition.
//!
//! A `mod` declaration is no use, and neither are a re-export (`pub use child::Thing` passes on an item of the child) and
//! a visibility (`pub(in crate::a)`). Calls such as `child::read_item()` in a folder's own file are. Code under
//! `#[cfg(test)]` does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use syn::visit::Visit;
use syn::{Attribute, Item, UseTree, Visibility};

use crate::workspace;

/// How many re-exports in a row are followed.
const MAX_HOPS: usize = 8;

/// A module's path in its crate, such as `["infer", "names"]`.
type ModulePath = Vec<String>;

/// The files of one crate, and the arrows between them.
pub struct ModuleGraph {
    arrows: BTreeMap<ModulePath, BTreeSet<ModulePath>>,
}

impl ModuleGraph {
    /// Reads the crate whose sources are in `folder`, a path from the workspace's root.
    ///
    /// # Panics
    /// If a file is not UTF-8 or no Rust.
    pub fn of_crate(folder: &str) -> Self {
        let mut files: BTreeMap<ModulePath, Uses> = BTreeMap::new();
        for (path, file) in workspace::workspace_files() {
            let Some(inner) = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')) else {
                continue;
            };
            let Some(stem) = inner.strip_suffix(".rs") else { continue };
            let mut module: ModulePath = stem.split('/').map(str::to_owned).collect();
            if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
                module.pop();
            }
            let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{path}: {error}"));
            let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
            let mut uses = Uses::default();
            uses.visit_file(&parsed);
            files.insert(module, uses);
        }
        let mut arrows = BTreeMap::new();
        for (module, uses) in &files {
            let targets = uses.paths.iter().filter_map(|path| resolve_path(&files, module, path, MAX_HOPS));
            arrows.insert(module.clone(), targets.filter(|target| target != module).collect());
        }
        Self { arrows }
    }

    /// The same with modules identified by the first `depth` parts of their paths alone. Arrows between a folder's own
    /// module and the modules in the folder don't count.
    pub fn grouped(&self, depth: usize) -> Self {
        let group = |module: &ModulePath| module.iter().take(depth).cloned().collect::<ModulePath>();
        let mut arrows: BTreeMap<ModulePath, BTreeSet<ModulePath>> = BTreeMap::new();
        for (from, all) in &self.arrows {
            let from = group(from);
            let apart = |to: &ModulePath| !to.starts_with(&from) && !from.starts_with(to);
            let to: BTreeSet<ModulePath> = all.iter().map(group).filter(apart).collect();
            arrows.entry(from).or_default().extend(to);
        }
        Self { arrows }
    }

    /// Each arrow as two modules, such as `infer/names` and `world`. The crate's root is `lib`.
    pub fn arrows(&self) -> impl Iterator<Item = (String, String)> {
        self.arrows
            .iter()
            .flat_map(|(from, all)| all.iter().map(move |to| (module_name(from), module_name(to))))
    }

    /// Groups of modules that depend on each other, by Tarjan's algorithm; each in order of name.
    pub fn cycles(&self) -> Vec<Vec<String>> {
        let mut search = Search {
            arrows: &self.arrows,
            indices: BTreeMap::new(),
            lowest: BTreeMap::new(),
            stack: Vec::new(),
            found: Vec::new(),
        };
        for module in self.arrows.keys() {
            if !search.indices.contains_key(module) {
                search.visit(module);
            }
        }
        search.found
    }
}

fn module_name(module: &ModulePath) -> String {
    if module.is_empty() { "lib".to_owned() } else { module.join("/") }
}

/// The file that a path leads to from a module.
fn resolve_path(
    files: &BTreeMap<ModulePath, Uses>,
    from: &ModulePath,
    path: &[String],
    hops: usize,
) -> Option<ModulePath> {
    let mut rest = path;
    let mut at = match path.first()?.as_str() {
        "crate" => {
            rest = &path[1..];
            Vec::new()
        }
        "self" => {
            rest = &path[1..];
            from.clone()
        }
        "super" => {
            let mut at = from.clone();
            while rest.first().is_some_and(|part| part == "super") {
                at.pop();
                rest = &rest[1..];
            }
            at
        }
        child if files.contains_key(&join_module(from, child)) => from.clone(),
        _ => return None,
    };
    while let Some(part) = rest.first() {
        let child = join_module(&at, part);
        if files.contains_key(&child) {
            at = child;
            rest = &rest[1..];
            continue;
        }
        let exported = files.get(&at).and_then(|uses| uses.exports.get(part)).filter(|_| hops > 0);
        if let Some(exported) = exported {
            let further: Vec<String> = exported.iter().chain(&rest[1..]).cloned().collect();
            if let Some(found) = resolve_path(files, &at, &further, hops - 1) {
                return Some(found);
            }
        }
        break;
    }
    files.contains_key(&at).then_some(at)
}

fn join_module(module: &ModulePath, part: &str) -> ModulePath {
    module.iter().cloned().chain([part.to_owned()]).collect()
}

/// The paths that one file names.
#[derive(Default)]
struct Uses {
    paths: Vec<Vec<String>>,
    /// The items that it re-exports, by name.
    exports: BTreeMap<String, Vec<String>>,
}

impl Uses {
    fn add_tree(&mut self, tree: &UseTree, before: &[String], is_export: bool) {
        let mut path = before.to_vec();
        match tree {
            UseTree::Path(part) => {
                path.push(part.ident.to_string());
                self.add_tree(&part.tree, &path, is_export);
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.add_tree(tree, before, is_export))
            }
            UseTree::Name(name) => {
                path.push(name.ident.to_string());
                self.add_path(name.ident.to_string(), path, is_export);
            }
            UseTree::Rename(name) => {
                path.push(name.ident.to_string());
                self.add_path(name.rename.to_string(), path, is_export);
            }
            UseTree::Glob(_) => self.add_path(String::new(), path, is_export),
        }
    }

    fn add_path(&mut self, name: String, path: Vec<String>, is_export: bool) {
        if is_export {
            self.exports.insert(name, path);
        } else {
            self.paths.push(path);
        }
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

impl<'ast> Visit<'ast> for Uses {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Mod(module) if is_for_tests(&module.attrs) => {}
            Item::Use(used) if is_for_tests(&used.attrs) => {}
            Item::Use(used) => {
                let is_export = !matches!(used.vis, Visibility::Inherited);
                self.add_tree(&used.tree, &[], is_export);
            }
            other => syn::visit::visit_item(self, other),
        }
    }

    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        // A name alone is defined or imported here. Others may begin with a child of this module.
        if parts.len() > 1 {
            self.paths.push(parts);
        }
        syn::visit::visit_path(self, path);
    }
}

/// Tarjan's search for strongly connected components (Tarjan 1972, "Depth-First Search and Linear Graph Algorithms").
struct Search<'g> {
    arrows: &'g BTreeMap<ModulePath, BTreeSet<ModulePath>>,
    indices: BTreeMap<&'g ModulePath, usize>,
    lowest: BTreeMap<&'g ModulePath, usize>,
    stack: Vec<&'g ModulePath>,
    found: Vec<Vec<String>>,
}

impl<'g> Search<'g> {
    fn visit(&mut self, module: &'g ModulePath) {
        let index = self.indices.len();
        self.indices.insert(module, index);
        self.lowest.insert(module, index);
        self.stack.push(module);
        for next in self.arrows.get(module).into_iter().flatten() {
            let reached = if !self.indices.contains_key(next) {
                self.visit(next);
                self.lowest.get(next).copied()
            } else if self.stack.contains(&next) {
                self.indices.get(next).copied()
            } else {
                None
            };
            if let (Some(reached), Some(low)) = (reached, self.lowest.get_mut(module)) {
                *low = reached.min(*low);
            }
        }
        if self.lowest.get(module) == Some(&index) {
            let at = self.stack.iter().position(|one| *one == module).unwrap_or(0);
            let mut group: Vec<String> = self.stack.split_off(at).into_iter().map(module_name).collect();
            if group.len() > 1 {
                group.sort();
                self.found.push(group);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(text: &str) -> Uses {
        let mut uses = Uses::default();
        uses.visit_file(&syn::parse_file(text).unwrap());
        uses
    }

    fn graph(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        graph_of(files).cycles()
    }

    fn graph_of(files: &[(&str, &str)]) -> ModuleGraph {
        let module =
            |name: &str| name.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let files: BTreeMap<ModulePath, Uses> =
            files.iter().map(|(name, text)| (module(name), uses(text))).collect();
        let arrows = files.iter().map(|(from, uses)| {
            let to = uses.paths.iter().filter_map(|path| resolve_path(&files, from, path, MAX_HOPS));
            (from.clone(), to.filter(|to| to != from).collect())
        });
        ModuleGraph { arrows: arrows.collect() }
    }

    #[test]
    fn a_cycle_is_found_through_re_exports_and_paths() {
        let cycles = graph(&[
            ("", "mod a; mod b;"),
            ("a", "pub(crate) use inner::Thing; mod inner;"),
            ("a/inner", "pub struct Thing; fn f() { crate::b::g(); }"),
            ("b", "use crate::a::Thing; pub fn g() {}"),
        ]);
        assert_eq!(cycles, [["a/inner", "b"]]);
    }

    #[test]
    fn folders_use_each_other_where_no_two_files_do() {
        let graph = graph_of(&[
            ("", "mod a; mod b;"),
            ("a", "mod one; mod two; use crate::a::one::f;"),
            ("a/one", "pub fn f() { crate::b::f() }"),
            ("a/two", "pub fn f() { super::one::f() }"),
            ("b", "mod deep; pub fn f() {}"),
            ("b/deep", "fn g() { crate::a::two::f() }"),
        ]);
        assert!(graph.cycles().is_empty());
        assert_eq!(graph.grouped(1).cycles(), [["a", "b"]]);
        assert!(graph.grouped(2).cycles().is_empty(), "b and b/deep are not one module");
    }

    #[test]
    fn a_folder_uses_the_children_that_it_calls() {
        let cycles = graph(&[
            ("", "mod a;"),
            ("a", "mod inner; pub struct Shared; fn f() { inner::g() }"),
            ("a/inner", "use super::Shared; pub(in crate::a) fn g() {}"),
        ]);
        assert_eq!(cycles, [["a", "a/inner"]]);
    }

    #[test]
    fn declarations_re_exports_and_tests_make_no_cycle() {
        let cycles = graph(&[
            ("", "mod a; pub use a::Thing;"),
            ("a", "use super::helper; pub struct Thing; #[cfg(test)] mod tests { use crate::b; }"),
            ("b", "use crate::Thing;"),
        ]);
        assert!(cycles.is_empty(), "{cycles:?}");
    }
}
