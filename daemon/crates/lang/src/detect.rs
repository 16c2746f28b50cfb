//! Which language a path is in.

use sdl_model::{Lang, RelPath};

/// The language of the file at `path`, whose first bytes (a few KiB are plenty) are `head`: by its whole name, by its
/// extension, else by its `#!` line. None for files that facts are not taken from.
pub fn detect_lang(path: &RelPath, head: &[u8]) -> Option<Lang> {
    let name = path.file_name();
    if let Some(lang) = Lang::from_file_name(name) {
        return Some(lang);
    }
    let is_tsconfig = name.starts_with("tsconfig.") && has_extension(name, "json");
    if is_tsconfig || has_extension(name, "csproj") {
        return Some(Lang::Manifest);
    }
    let Some(extension) = path.extension() else { return by_interpreter(head) };
    match Lang::from_extension(&extension.to_ascii_lowercase())? {
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
    Lang::from_interpreter(program)
}

/// Whether a header has something at the start of a line that only C++ has, such as `class` or `namespace`.
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
        detect_lang(&RelPath::new(path).unwrap(), head.as_bytes())
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
}
