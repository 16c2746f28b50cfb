//! Makes the registry of language packs from the folders in `packs/`.

#![allow(
    clippy::panic,
    reason = "a mistake in a pack must end the build, with the file and line that it is in"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The keys of a pack's `pack.toml`, each with whether it is a list.
const KEYS: &[(&str, bool)] = &[
    ("lang", false),
    ("grammar", false),
    ("comments", true),
    ("self", true),
    ("super", true),
    ("self_types", true),
    ("public_words", true),
    ("private_words", true),
    ("private_prefix", false),
    ("flow.control", true),
    ("flow.not_control", true),
    ("flow.lists", true),
    ("flow.members", true),
    ("flow.closures", true),
    ("flow.arguments", true),
    ("flow.always", true),
];

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let folder = root.join("packs");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut code = String::new();
    let (mut entries, mut mistakes) = (String::new(), String::new());
    for pack in sorted(&folder).into_iter().filter(|path| path.is_dir()) {
        let name = file_name(&pack);
        let config = Config::read(&pack.join("pack.toml"));
        let _ = writeln!(code, "{}", module(&pack, &name, &config));
        let _ = write!(
            mistakes,
            "{name}::Pack::query(&Grammar::new({})).mistakes.clone(), ",
            config.text("grammar")
        );
        let _ = writeln!(
            entries,
            "    entry!({}, crate::packs::Shallow<crate::packs::{name}::Pack>, {}),",
            config.text("lang"),
            config.text("grammar")
        );
    }
    let _ = write!(code, "#[cfg(test)]\nfn mistakes() -> Vec<String> {{\n    [{mistakes}].concat()\n}}\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    write(&out.join("packs.rs"), &code);
    write(&out.join("registry.rs"), &format!("&[\n{entries}]\n"));
}

/// The module of one pack.
fn module(pack: &Path, name: &str, config: &Config) -> String {
    let mut queries = String::new();
    for path in sorted(pack).iter().filter(|path| path.extension().is_some_and(|ext| ext == "scm")) {
        println!("cargo::rerun-if-changed={}", path.display());
        let _ = write!(queries, "include_str!({:?}), \"\\n\", ", path.display().to_string());
    }
    println!("cargo::rerun-if-changed={}", pack.join("pack.toml").display());
    let comments = config.list("comments");
    let nodes: String = comments.iter().enumerate().map(|(ix, kind)| format!("C{ix} = {kind:?}, ")).collect();
    let pairs = |key: &str| -> String {
        config.list(key).iter().map(|entry| format!("({}), ", body(entry))).collect()
    };
    let reasons: String = config
        .list("flow.not_control")
        .iter()
        .map(|entry| {
            let Some((kind, why)) = entry.split_once(": ") else {
                panic!("{name}/pack.toml: {entry:?} in not_control needs a reason: \"kind: why\"")
            };
            format!("({kind:?}, {why:?}), ")
        })
        .collect();
    let list = |key: &str| format!("&{:?}", config.list(key));
    format!(
        r#"/// The pack `{name}`.
#[allow(missing_docs, unreachable_pub, reason = "generated")]
pub mod {name} {{
    crate::kinds! {{ nodes {{ {nodes} }} tokens {{}} fields {{}} }}

    #[derive(Clone, Copy, Debug)]
    pub struct Pack;

    impl crate::packs::Pack for Pack {{
        type K = K;
        type F = F;
        const SPEC: &'static crate::packs::Spec = &crate::packs::Spec {{
            name: {name:?},
            queries: concat!({queries}),
            own: {own},
            base: {base},
            own_types: {own_types},
            public_words: {public},
            private_words: {private},
            private_prefix: {prefix:?},
        }};
        const FLOW: crate::flow::Flow = crate::flow::Flow {{
            control: &[{control}],
            not_control: &[{reasons}],
            lists: {lists},
            members: {members},
            closures: &[{closures}],
            arguments: {arguments},
            always: {always},
            unpaired: &[],
        }};
        fn query(grammar: &tree_sitter::Language) -> &'static crate::packs::PackQuery {{
            static QUERY: std::sync::OnceLock<crate::packs::PackQuery> = std::sync::OnceLock::new();
            QUERY.get_or_init(|| crate::packs::PackQuery::new(grammar, Self::SPEC))
        }}
    }}
}}
"#,
        own = list("self"),
        base = list("super"),
        own_types = list("self_types"),
        public = list("public_words"),
        private = list("private_words"),
        prefix = config.text("private_prefix"),
        control = pairs("flow.control"),
        closures = pairs("flow.closures"),
        lists = list("flow.lists"),
        members = list("flow.members"),
        arguments = list("flow.arguments"),
        always = list("flow.always"),
    )
}

/// `kind` has its bodies in lists of statements, `kind=a,b` in the fields `a` and `b`.
fn body(entry: &str) -> String {
    match entry.split_once('=') {
        None => format!("{entry:?}, crate::flow::Body::Lists"),
        Some((kind, fields)) => {
            let fields: Vec<&str> = fields.split(',').collect();
            format!("{kind:?}, crate::flow::Body::Fields(&{fields:?})")
        }
    }
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { panic!("no folder {}", folder.display()) };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

fn file_name(path: &Path) -> String {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned()
}

fn write(path: &Path, text: &str) {
    if let Err(error) = fs::write(path, text) {
        panic!("cannot write {}: {error}", path.display());
    }
}

/// A `pack.toml`: text and lists of text, under the name of their table.
struct Config(BTreeMap<String, Vec<String>>);

impl Config {
    fn read(path: &Path) -> Self {
        let Ok(text) = fs::read_to_string(path) else { panic!("no file {}", path.display()) };
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut table = String::new();
        let mut lines = text.lines().enumerate();
        while let Some((at, line)) = lines.next() {
            let bad = || -> ! { panic!("{}:{}: cannot read {line:?}", path.display(), at + 1) };
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                table = format!("{name}.");
                continue;
            }
            let Some((key, value)) = line.split_once('=') else { bad() };
            let key = format!("{table}{}", key.trim());
            let Some((_, is_list)) = KEYS.iter().find(|(known, _)| *known == key) else { bad() };
            let mut value = value.trim().to_owned();
            while *is_list && !value.ends_with(']') {
                let Some((_, more)) = lines.next() else { bad() };
                value.push_str(more.trim());
            }
            let Some(texts) = texts(&value, *is_list) else { bad() };
            values.insert(key, texts);
        }
        Self(values)
    }

    fn text(&self, key: &str) -> &str {
        self.0.get(key).and_then(|values| values.first()).map_or("", String::as_str)
    }

    fn list(&self, key: &str) -> &[String] {
        self.0.get(key).map_or(&[], Vec::as_slice)
    }
}

/// The quoted texts of a value; none of them may hold a quote.
fn texts(value: &str, is_list: bool) -> Option<Vec<String>> {
    let inner = if is_list { value.strip_prefix('[')?.strip_suffix(']')? } else { value };
    let parts: Vec<&str> = inner.split('"').collect();
    let between = parts.iter().step_by(2).all(|part| matches!(part.trim(), "" | ","));
    let texts: Vec<String> = parts.iter().skip(1).step_by(2).map(|text| (*text).to_owned()).collect();
    (parts.len() % 2 == 1 && between && (is_list || texts.len() == 1)).then_some(texts)
}
