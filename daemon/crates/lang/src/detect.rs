//! Which language a path is in.

use sdl_model::{Lang, RelPath};

/// Extensions, lower case.
const EXTENSIONS: &[(&str, Lang)] = &[
    ("bash", Lang::Bash),
    ("bats", Lang::Bash),
    ("c", Lang::C),
    ("cc", Lang::Cpp),
    ("cjs", Lang::JavaScript),
    ("cp", Lang::Cpp),
    ("cpp", Lang::Cpp),
    ("cppm", Lang::Cpp),
    ("cs", Lang::CSharp),
    ("csx", Lang::CSharp),
    ("cts", Lang::TypeScript),
    ("cu", Lang::Cpp),
    ("cuh", Lang::Cpp),
    ("cxx", Lang::Cpp),
    ("gemspec", Lang::Ruby),
    ("go", Lang::Go),
    ("h", Lang::C),
    ("h++", Lang::Cpp),
    ("hh", Lang::Cpp),
    ("hpp", Lang::Cpp),
    ("hxx", Lang::Cpp),
    ("inl", Lang::Cpp),
    ("ipp", Lang::Cpp),
    ("ixx", Lang::Cpp),
    ("java", Lang::Java),
    ("js", Lang::JavaScript),
    ("jsx", Lang::JavaScript),
    ("ksh", Lang::Bash),
    ("kt", Lang::Kotlin),
    ("kts", Lang::Kotlin),
    ("mjs", Lang::JavaScript),
    ("mts", Lang::TypeScript),
    ("php", Lang::Php),
    ("php5", Lang::Php),
    ("phtml", Lang::Php),
    ("py", Lang::Python),
    ("pyi", Lang::Python),
    ("pyw", Lang::Python),
    ("rake", Lang::Ruby),
    ("rb", Lang::Ruby),
    ("rbi", Lang::Ruby),
    ("rs", Lang::Rust),
    ("ru", Lang::Ruby),
    ("sh", Lang::Bash),
    ("tcc", Lang::Cpp),
    ("tpp", Lang::Cpp),
    ("ts", Lang::TypeScript),
    ("tsx", Lang::Tsx),
    ("zsh", Lang::Bash),
];

/// Whole names.
const NAMES: &[(&str, Lang)] = &[
    (".bash_aliases", Lang::Bash),
    (".bash_login", Lang::Bash),
    (".bash_logout", Lang::Bash),
    (".bash_profile", Lang::Bash),
    (".bashrc", Lang::Bash),
    (".profile", Lang::Bash),
    (".zshrc", Lang::Bash),
    ("Brewfile", Lang::Ruby),
    ("Cargo.toml", Lang::Manifest),
    ("Dangerfile", Lang::Ruby),
    ("Fastfile", Lang::Ruby),
    ("Gemfile", Lang::Ruby),
    ("Guardfile", Lang::Ruby),
    ("PKGBUILD", Lang::Bash),
    ("Podfile", Lang::Ruby),
    ("Rakefile", Lang::Ruby),
    ("SConscript", Lang::Python),
    ("SConstruct", Lang::Python),
    ("Vagrantfile", Lang::Ruby),
    ("composer.json", Lang::Manifest),
    ("go.mod", Lang::Manifest),
    ("jsconfig.json", Lang::Manifest),
    ("package.json", Lang::Manifest),
    ("pyproject.toml", Lang::Manifest),
    ("setup.cfg", Lang::Manifest),
    ("tsconfig.json", Lang::Manifest),
    ("wscript", Lang::Python),
];

/// Programs named in a `#!` line.
const INTERPRETERS: &[(&str, Lang)] = &[
    ("bash", Lang::Bash),
    ("bun", Lang::TypeScript),
    ("dash", Lang::Bash),
    ("deno", Lang::TypeScript),
    ("ksh", Lang::Bash),
    ("node", Lang::JavaScript),
    ("nodejs", Lang::JavaScript),
    ("php", Lang::Php),
    ("pypy", Lang::Python),
    ("python", Lang::Python),
    ("ruby", Lang::Ruby),
    ("sh", Lang::Bash),
    ("ts-node", Lang::TypeScript),
    ("tsx", Lang::TypeScript),
    ("zsh", Lang::Bash),
];

/// The language of the file at `path`, whose first bytes (a few KiB are plenty) are `head`: by its whole name, by its
/// extension, else by its `#!` line. None for files that facts are not taken from.
pub fn detect(path: &RelPath, head: &[u8]) -> Option<Lang> {
    let name = path.file_name();
    let find =
        |table: &[(&str, Lang)], key: &str| table.iter().find(|(k, _)| *k == key).map(|(_, lang)| *lang);
    if let Some(lang) = find(NAMES, name) {
        return Some(lang);
    }
    if name.starts_with("tsconfig.") && has_extension(name, "json") {
        return Some(Lang::Manifest);
    }
    let Some(extension) = path.extension() else { return by_interpreter(head) };
    match find(EXTENSIONS, &extension.to_ascii_lowercase())? {
        // `.C` and `.H` are C++ by tradition.
        Lang::C if extension.starts_with(|c: char| c.is_ascii_uppercase()) => Some(Lang::Cpp),
        Lang::C if extension == "h" && looks_like_cpp(head) => Some(Lang::Cpp),
        lang => Some(lang),
    }
}

fn has_extension(name: &str, extension: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ext)| ext == extension)
}

fn by_interpreter(head: &[u8]) -> Option<Lang> {
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line.get(..200).unwrap_or(line)).ok()?;
    // `/usr/bin/env -S FOO=1 python3 -u`: the first word that is neither env, nor an option, nor an assignment.
    let program = line
        .split_whitespace()
        .map(|word| word.rsplit('/').next().unwrap_or(word))
        .find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.iter().find(|(name, _)| *name == program).map(|(_, lang)| *lang)
}

/// Whether a header has something at the start of a line that only C++ has.
fn looks_like_cpp(head: &[u8]) -> bool {
    const STARTS: &[&[u8]] = &[
        b"class ",
        b"namespace ",
        b"namespace{",
        b"template<",
        b"template <",
        b"using ",
        b"public:",
        b"private:",
        b"protected:",
        b"constexpr ",
        b"virtual ",
        b"enum class ",
        b"inline namespace ",
    ];
    // Headers without `.h` are the C++ library's.
    const INCLUDES: &[&[u8]] = &[
        b"<string>",
        b"<vector>",
        b"<memory>",
        b"<map>",
        b"<iostream>",
        b"<functional>",
        b"<algorithm>",
        b"<utility>",
        b"<cstdint>",
        b"<cstddef>",
        b"<cstring>",
        b"<type_traits>",
        b"<array>",
        b"<set>",
        b"<optional>",
    ];
    head.split(|byte| *byte == b'\n').any(|line| {
        let line = line.trim_ascii();
        STARTS.iter().any(|start| line.starts_with(start))
            || (line.starts_with(b"#include")
                && INCLUDES.iter().any(|name| line.windows(name.len()).any(|part| part == *name)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lang(path: &str, head: &str) -> Option<Lang> {
        detect(&RelPath::new(path).unwrap(), head.as_bytes())
    }

    #[test]
    fn by_name_and_extension() {
        assert_eq!(lang("a/b.py", ""), Some(Lang::Python));
        assert_eq!(lang("a/B.TSX", ""), Some(Lang::Tsx));
        assert_eq!(lang("x.d.ts", ""), Some(Lang::TypeScript));
        assert_eq!(lang("Gemfile", ""), Some(Lang::Ruby));
        assert_eq!(lang("tsconfig.base.json", ""), Some(Lang::Manifest));
        assert_eq!(lang("data.json", ""), None);
        assert_eq!(lang("README.md", "#!/bin/sh"), None);
    }

    #[test]
    fn headers() {
        assert_eq!(lang("a.h", "int f(void);\n"), Some(Lang::C));
        assert_eq!(lang("a.h", "#pragma once\n#include <vector>\n"), Some(Lang::Cpp));
        assert_eq!(lang("a.h", "  class A {\n public:\n"), Some(Lang::Cpp));
        assert_eq!(lang("a.C", ""), Some(Lang::Cpp));
    }

    #[test]
    fn interpreters() {
        assert_eq!(lang("bin/run", "#!/usr/bin/env -S FOO=1 python3.12 -u\n"), Some(Lang::Python));
        assert_eq!(lang("bin/run", "#!/bin/sh\n"), Some(Lang::Bash));
        assert_eq!(lang("bin/run", "text"), None);
        assert_eq!(lang("bin/run", "#!"), None);
    }

    #[test]
    fn tables_have_no_doubles() {
        for table in [EXTENSIONS, NAMES, INTERPRETERS] {
            let mut names: Vec<_> = table.iter().map(|(name, _)| name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), table.len());
        }
    }
}
