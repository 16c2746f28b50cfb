//! Workspaces of each language: the paths of their files, and the pieces of text that files are made of.
//!
//! In a piece `$T` is one of a few type names, `$f` a function's, `$m` a method's, `$p` a package's, `$n` a module's;
//! `$P` and `$N` are the package and the module that the piece is in. Each occurrence is drawn again, so files import,
//! re-export, inherit from and shadow each other in every way, cycles included.
//!
//! Each language is a text beside this file, in parts that each begin with a line `//- name`.

use sdl_graph::testing::edits::Random;

use crate::support;

const TYPES: [&str; 6] = ["Base", "Node", "Item", "Part", "Tool", "View"];
const FUNCTIONS: [&str; 5] = ["build", "check", "load", "merge", "pack"];
const METHODS: [&str; 4] = ["run", "size", "next", "close"];
const PACKAGES: [&str; 3] = ["alpha", "beta", "gamma"];
const MODULES: [&str; 3] = ["one", "two", "three"];

/// The form of a language's workspaces.
#[derive(Default)]
pub(crate) struct Dialect {
    pub(crate) name: String,
    /// Paths of a package's files.
    paths: Vec<String>,
    /// Files that are the same in every workspace, once for each package if their path names one.
    fixed: Vec<(String, String)>,
    /// The beginning of each file.
    head: String,
    imports: Vec<String>,
    parts: Vec<String>,
}

/// `piece` with names drawn for its placeholders.
fn filled(piece: &str, package: &str, module: &str, random: &mut Random) -> String {
    let mut out = String::new();
    let mut parts = piece.split('$');
    out.push_str(parts.next().unwrap_or(""));
    for part in parts {
        let mut pick = |names: &[&'static str]| random.one_of(names).copied().unwrap_or("");
        out.push_str(match part.chars().next() {
            Some('T') => pick(&TYPES),
            Some('f') => pick(&FUNCTIONS),
            Some('m') => pick(&METHODS),
            Some('p') => pick(&PACKAGES),
            Some('n') => pick(&MODULES),
            Some('P') => package,
            Some('N') => module,
            _ => "$",
        });
        // A word that is not a placeholder keeps its first letter.
        out.push_str(match part.chars().next() {
            Some('T' | 'f' | 'm' | 'p' | 'n' | 'P' | 'N') => &part[1..],
            _ => part,
        });
    }
    out
}

impl Dialect {
    /// Reads the form of the language `name`.
    pub(crate) fn read(name: &str, text: &str) -> Self {
        let mut dialect = Self { name: name.to_owned(), ..Self::default() };
        for (name, part) in support::parts(text) {
            let part = part.to_owned();
            match name {
                "paths" => dialect.paths = part.lines().map(str::to_owned).collect(),
                "head" => dialect.head = part + "\n",
                "import" => dialect.imports.push(part),
                "part" => dialect.parts.push(part),
                _ => match name.strip_prefix("fixed ") {
                    Some(path) => dialect.fixed.push((path.to_owned(), part + "\n")),
                    None => panic!("{}: a part called {name}", dialect.name),
                },
            }
        }
        assert!(!dialect.paths.is_empty() && !dialect.parts.is_empty(), "{}", dialect.name);
        dialect
    }

    /// The text of one file.
    pub(crate) fn file(&self, path: &str, random: &mut Random) -> String {
        let package = PACKAGES.iter().find(|package| path.contains(**package)).copied().unwrap_or("alpha");
        let module = MODULES.iter().find(|module| path.contains(**module)).copied().unwrap_or("one");
        let mut text = filled(&self.head, package, module, random);
        for _ in 0..random.below(5) {
            text += &filled(random.one_of(&self.imports).map_or("", String::as_str), package, module, random);
            text.push('\n');
        }
        for _ in 0..=random.below(4) {
            text.push('\n');
            text += &filled(random.one_of(&self.parts).map_or("", String::as_str), package, module, random);
            text.push('\n');
        }
        text
    }

    /// The paths that files are written to.
    pub(crate) fn paths(&self) -> Vec<String> {
        let mut all = Vec::new();
        for path in &self.paths {
            for package in PACKAGES {
                for module in MODULES {
                    let path = path.replace("$p", package).replace("$n", module);
                    if !all.contains(&path) {
                        all.push(path);
                    }
                }
            }
        }
        all
    }

    /// The manifests.
    pub(crate) fn manifests(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        for (path, text) in &self.fixed {
            for package in PACKAGES {
                let other = if package == "alpha" { "beta" } else { "alpha" };
                let fill = |text: &str| text.replace("$p", package).replace("$q", other);
                if all.iter().all(|(known, _)| *known != fill(path)) {
                    all.push((fill(path), fill(text)));
                }
            }
        }
        all
    }
}
