//! The project's text in each language.

use std::fmt::Write as _;

use crate::project::{Function, Project};

/// The path of a file's header, from the file's stem, and its declaration of a function.
pub(crate) type Header = (fn(&str) -> String, fn(&Function) -> String);

/// How a language spells the project.
pub(crate) struct Syntax {
    pub(crate) name: &'static str,
    /// The path of a file.
    path: fn(&str) -> String,
    /// Files that nobody edits.
    fixed: &'static [(&'static str, &'static str)],
    /// Before the functions: of which file, and which functions of which other files it calls.
    before: fn(&str, &[(&str, &str)]) -> String,
    after: &'static str,
    /// The nesting depth of functions.
    depth: usize,
    /// A function's first line.
    head: fn(&Function) -> String,
    open: &'static str,
    close: &'static str,
    /// Documentation; none where it is in the body.
    doc: fn(&str) -> String,
    /// Whether documentation is the first statement.
    docstring: bool,
    comment: &'static str,
    guard: &'static str,
    effect: &'static str,
    /// The result's first value, from the number that is added.
    start: fn(u32) -> String,
    /// Adds a call's result.
    add: fn(&str) -> String,
    /// A call: the file that it expects the function in, the name, the arguments.
    call: fn(&str, &str, &[&str]) -> String,
    result: &'static str,
    /// The declarations of functions for other files, as in C's headers: of one function and of all together.
    header: Option<Header>,
    /// Rows that are omitted, each with its reason.
    pub(crate) without: &'static [(&'static str, &'static str)],
    /// Whether a function can go to another file of the project and its users still find it: files share one space of
    /// names, or the link between them (a linker, a script that sources both) is not in the text.
    pub(crate) one_space: bool,
    /// Whether users find a file's functions wherever the file is: by package, class or linker, not by path.
    pub(crate) any_path: bool,
    /// Whether the text has the file's name, in its class or in who declares its module.
    pub(crate) names_file: bool,
}

impl Syntax {
    /// The project's files.
    pub(crate) fn files(&self, project: &Project) -> Vec<(String, String)> {
        let (old, new) = project.moved.unwrap_or_default();
        let place = |path: String| format!("{}{path}", project.folder);
        let own = |(path, text): &(&str, &str)| {
            let text = if old.is_empty() { (*text).to_owned() } else { text.replace(old, new) };
            (place((*path).to_owned()), text)
        };
        let mut files: Vec<(String, String)> = self.fixed.iter().map(own).collect();
        for (stem, functions) in &project.files {
            let file = if *stem == old { new } else { stem };
            if project.emptied == Some(stem) {
                files.push((place((self.path)(file)), String::new()));
                files.extend(self.header.map(|(path, _)| (place(path(stem)), String::new())));
                continue;
            }
            let mut calls: Vec<(&str, &str)> =
                functions.iter().flat_map(|one| &one.calls).map(|call| (call.0, call.1)).collect();
            calls.sort_unstable();
            calls.dedup();
            let mut text = (self.before)(stem, &calls);
            for function in functions {
                text.push_str(&self.function(function, project));
                text.push('\n');
            }
            text.push_str(self.after);
            files.push((place((self.path)(file)), text));
            if let Some((path, declare)) = self.header {
                let seen = functions.iter().filter(|function| function.visible);
                files.push((place(path(stem)), seen.map(declare).collect()));
            }
        }
        files
    }

    fn function(&self, function: &Function, project: &Project) -> String {
        let outer = " ".repeat(project.indent * self.depth);
        let inner = " ".repeat(project.indent * (self.depth + 1));
        let mut text = String::new();
        if let Some(doc) = function.doc.filter(|_| !self.docstring) {
            let _ = writeln!(text, "{outer}{}", (self.doc)(doc));
        }
        let _ = write!(text, "{outer}{}{}", (self.head)(function), self.open);
        let mut lines: Vec<String> = Vec::new();
        lines.extend(function.doc.filter(|_| self.docstring).map(|doc| (self.doc)(doc)));
        lines.extend(function.comment.map(|comment| format!("{}{comment}", self.comment)));
        lines.extend(function.guard.then(|| self.guard.to_owned()));
        lines.extend(function.effect.then(|| self.effect.to_owned()));
        lines.push((self.start)(function.adds));
        for (file, name, count) in &function.calls {
            let args = &["1", "2", "3"][..*count];
            lines.push((self.add)(&(self.call)(file, name, args)));
        }
        lines.push(self.result.to_owned());
        for line in lines {
            let _ = writeln!(text, "{inner}{line}");
            if project.airy {
                text.push('\n');
            }
        }
        if !self.close.is_empty() {
            let _ = writeln!(text, "{outer}{}", self.close);
        }
        text
    }
}

/// The parameters, each as `one` spells it: name and whether it may be left out.
fn params(function: &Function, one: impl Fn(&str, bool) -> String) -> String {
    function.params.iter().map(|param| one(param.name, param.optional)).collect::<Vec<_>>().join(", ")
}

fn title(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The files that something is taken from.
fn from<'a>(calls: &[(&'a str, &str)]) -> Vec<&'a str> {
    let mut files: Vec<&str> = calls.iter().map(|call| call.0).collect();
    files.dedup();
    files
}

fn plain_call(_: &str, name: &str, args: &[&str]) -> String {
    format!("{name}({})", args.join(", "))
}

fn class_call(file: &str, name: &str, args: &[&str]) -> String {
    format!("{}.{name}({})", title(file), args.join(", "))
}

fn slashes(doc: &str) -> String {
    format!("/// {doc}")
}

fn stars(doc: &str) -> String {
    format!("/** {doc} */")
}

fn c_head(function: &Function) -> String {
    let hidden = if function.visible { "" } else { "static " };
    let result = if function.returns_text { "long" } else { "int" };
    format!("{hidden}{result} {}({})", function.name, params(function, |name, _| format!("int {name}")))
}

const NO_TYPES: (&str, &str) = ("result", "results are not stated");
const NO_DEFAULTS: (&str, &str) = ("optional parameter", "parameters can't be left out");

const BRACES: Syntax = Syntax {
    name: "",
    path: |stem| stem.to_owned(),
    fixed: &[],
    before: |_, _| String::new(),
    after: "",
    depth: 0,
    head: c_head,
    open: " {\n",
    close: "}",
    doc: stars,
    docstring: false,
    comment: "// ",
    guard: "",
    effect: "",
    start: |adds| format!("int result = first * {adds};"),
    add: |call| format!("result += {call};"),
    call: plain_call,
    result: "return result;",
    header: None,
    without: &[],
    one_space: false,
    any_path: false,
    names_file: false,
};

const CLASS: Syntax =
    Syntax { after: "}\n", depth: 1, call: class_call, any_path: true, names_file: true, ..BRACES };

pub(crate) const BASH: Syntax = Syntax {
    name: "bash",
    path: |stem| format!("{stem}.sh"),
    before: |_, calls| from(calls).iter().map(|file| format!("source ./{file}.sh\n")).collect(),
    head: |function| format!("{}()", function.name),
    doc: |doc| format!("# {doc}"),
    comment: "# ",
    guard: "if [ \"$1\" -lt 0 ]; then exit 1; fi",
    effect: "curl -s https://example.com/",
    start: |adds| format!("local result=$(( $1 * {adds} ))"),
    add: str::to_owned,
    call: |_, name, args| format!("{name} {}", args.join(" ")),
    result: "echo \"$result\"",
    one_space: true,
    without: &[
        NO_TYPES,
        NO_DEFAULTS,
        ("hidden", "every function is seen"),
        ("hidden function gone", "every function is seen"),
        ("parameter", "parameters are not stated"),
        ("parameter gone", "parameters are not stated"),
        ("parameter and callers", "parameters are not stated"),
    ],
    ..BRACES
};

pub(crate) const C: Syntax = Syntax {
    name: "c",
    path: |stem| format!("{stem}.c"),
    before: |stem, calls| {
        let others: String = from(calls).iter().map(|file| format!("#include \"{file}.h\"\n")).collect();
        format!("#include <stdio.h>\n#include \"{stem}.h\"\n{others}")
    },
    guard: "if (first < 0) { return -1; }",
    effect: "printf(\"%d\", first);",
    header: Some((|stem| format!("{stem}.h"), |function| format!("{};\n", c_head(function)))),
    one_space: true,
    any_path: true,
    without: &[NO_DEFAULTS],
    ..BRACES
};

pub(crate) const CPP: Syntax = Syntax {
    name: "cpp",
    path: |stem| format!("{stem}.cpp"),
    before: |stem, calls| {
        let others: String = from(calls).iter().map(|file| format!("#include \"{file}.hpp\"\n")).collect();
        format!("#include <cstdio>\n#include \"{stem}.hpp\"\n{others}")
    },
    guard: "if (first < 0) { throw std::invalid_argument(\"negative\"); }",
    effect: "printf(\"%d\", first);",
    header: Some((|stem| format!("{stem}.hpp"), |function| format!("{};\n", c_head(function)))),
    one_space: true,
    any_path: true,
    without: &[("optional parameter", "the default stands in the declaration alone")],
    ..BRACES
};

pub(crate) const CSHARP: Syntax = Syntax {
    name: "csharp",
    path: |stem| format!("{}.cs", title(stem)),
    before: |stem, _| format!("namespace Shop;\n\npublic static class {} {{\n", title(stem)),
    head: |function| {
        let seen = if function.visible { "public" } else { "private" };
        let result = if function.returns_text { "string" } else { "int" };
        let params =
            params(function, |name, optional| format!("int {name}{}", if optional { " = 1" } else { "" }));
        format!("{seen} static {result} {}({params})", function.name)
    },
    doc: slashes,
    guard: "if (first < 0) { throw new ArgumentException(\"negative\"); }",
    effect: "Console.WriteLine(first);",
    ..CLASS
};

pub(crate) const GO: Syntax = Syntax {
    name: "go",
    path: |stem| if stem == "test" { "shapes_test.go".to_owned() } else { format!("{stem}.go") },
    fixed: &[("go.mod", "module example.com/shop\n\ngo 1.22\n")],
    before: |_, _| "package shop\n\n".to_owned(),
    head: |function| {
        let name = if function.visible { title(function.name) } else { function.name.to_owned() };
        let result = if function.returns_text { "string" } else { "int" };
        format!("func {name}({}) {result}", params(function, |name, _| format!("{name} int")))
    },
    doc: |doc| format!("// {doc}"),
    guard: "if first < 0 { panic(\"negative\") }",
    effect: "fmt.Println(first)",
    start: |adds| format!("result := first * {adds}"),
    add: |call| format!("result += {call}"),
    call: |_, name, args| format!("{}({})", title(name), args.join(", ")),
    result: "return result",
    without: &[NO_DEFAULTS, ("hidden", "who sees a function is in its name: this is a rename")],
    one_space: true,
    any_path: true,
    ..BRACES
};

pub(crate) const JAVA: Syntax = Syntax {
    name: "java",
    path: |stem| format!("shop/{}.java", title(stem)),
    before: |stem, _| format!("package shop;\n\npublic class {} {{\n", title(stem)),
    head: |function| {
        let seen = if function.visible { "public" } else { "private" };
        let result = if function.returns_text { "String" } else { "int" };
        format!(
            "{seen} static {result} {}({})",
            function.name,
            params(function, |name, _| format!("int {name}"))
        )
    },
    guard: "if (first < 0) { throw new IllegalArgumentException(\"negative\"); }",
    effect: "System.out.println(first);",
    without: &[NO_DEFAULTS],
    ..CLASS
};

fn script_import(stem: &str, calls: &[(&str, &str)]) -> String {
    let _ = stem;
    let names = |file: &str| {
        let names: Vec<&str> = calls.iter().filter(|call| call.0 == file).map(|call| call.1).collect();
        format!("import {{ {} }} from './{file}.js';\n", names.join(", "))
    };
    from(calls).into_iter().map(names).collect()
}

pub(crate) const JAVASCRIPT: Syntax = Syntax {
    name: "javascript",
    path: |stem| if stem == "test" { "shapes.test.js".to_owned() } else { format!("{stem}.js") },
    before: script_import,
    head: |function| {
        let seen = if function.visible { "export " } else { "" };
        let params =
            params(function, |name, optional| format!("{name}{}", if optional { " = 1" } else { "" }));
        format!("{seen}function {}({params})", function.name)
    },
    guard: "if (first < 0) { throw new Error('negative'); }",
    effect: "console.log(first);",
    start: |adds| format!("let result = first * {adds};"),
    without: &[NO_TYPES],
    ..BRACES
};

pub(crate) const KOTLIN: Syntax = Syntax {
    name: "kotlin",
    path: |stem| format!("shop/{}.kt", title(stem)),
    before: |_, _| "package shop\n\n".to_owned(),
    head: |function| {
        let seen = if function.visible { "" } else { "private " };
        let result = if function.returns_text { "String" } else { "Int" };
        let params =
            params(function, |name, optional| format!("{name}: Int{}", if optional { " = 1" } else { "" }));
        format!("{seen}fun {}({params}): {result}", function.name)
    },
    guard: "require(first >= 0) { \"negative\" }",
    effect: "println(first)",
    start: |adds| format!("var result = first * {adds}"),
    add: |call| format!("result += {call}"),
    result: "return result",
    one_space: true,
    any_path: true,
    ..BRACES
};

pub(crate) const PHP: Syntax = Syntax {
    name: "php",
    path: |stem| format!("{}.php", title(stem)),
    before: |stem, calls| {
        let others: String = from(calls)
            .iter()
            .map(|file| format!("require_once __DIR__ . '/{}.php';\n", title(file)))
            .collect();
        format!("<?php\n\nnamespace Shop;\n\n{others}class {} {{\n", title(stem))
    },
    head: |function| {
        let seen = if function.visible { "public" } else { "private" };
        let result = if function.returns_text { "string" } else { "int" };
        let params =
            params(function, |name, optional| format!("int ${name}{}", if optional { " = 1" } else { "" }));
        format!("{seen} static function {}({params}): {result}", function.name)
    },
    guard: "if ($first < 0) { throw new \\InvalidArgumentException('negative'); }",
    effect: "error_log($first);",
    start: |adds| format!("$result = $first * {adds};"),
    add: |call| format!("$result += {call};"),
    call: |file, name, args| format!("{}::{name}({})", title(file), args.join(", ")),
    result: "return $result;",
    ..CLASS
};

pub(crate) const PYTHON: Syntax = Syntax {
    name: "python",
    path: |stem| if stem == "test" { "tests/test_shapes.py".to_owned() } else { format!("shop/{stem}.py") },
    fixed: &[("shop/__init__.py", ""), ("tests/__init__.py", "")],
    before: |_, calls| {
        calls.iter().map(|(file, name)| format!("from shop.{file} import {name}\n")).collect::<String>()
            + "\n\n"
    },
    head: |function| {
        let result = if function.returns_text { "str" } else { "int" };
        let params =
            params(function, |name, optional| format!("{name}: int{}", if optional { " = 1" } else { "" }));
        format!("def {}({params}) -> {result}", function.name)
    },
    open: ":\n",
    close: "",
    doc: |doc| format!("\"\"\"{doc}\"\"\""),
    docstring: true,
    comment: "# ",
    guard: "if first < 0: raise ValueError(\"negative\")",
    effect: "print(first)",
    start: |adds| format!("result = first * {adds}"),
    add: |call| format!("result += {call}"),
    result: "return result",
    without: &[
        ("hidden", "who sees a function is in its name: this is a rename"),
        ("hidden function gone", "a leading underscore asks not to be used; it hides nothing"),
    ],
    ..BRACES
};

pub(crate) const RUBY: Syntax = Syntax {
    name: "ruby",
    path: |stem| if stem == "test" { "test/test_shapes.rb".to_owned() } else { format!("lib/{stem}.rb") },
    before: |stem, calls| {
        let others: String =
            from(calls).iter().map(|file| format!("require_relative '../lib/{file}'\n")).collect();
        format!("{others}module {}\n", title(stem))
    },
    after: "end\n",
    depth: 1,
    head: |function| {
        let params =
            params(function, |name, optional| format!("{name}{}", if optional { " = 1" } else { "" }));
        format!("def self.{}({params})", function.name)
    },
    open: "\n",
    close: "end",
    doc: |doc| format!("# {doc}"),
    comment: "# ",
    guard: "raise ArgumentError, 'negative' if first < 0",
    effect: "puts first",
    start: |adds| format!("result = first * {adds}"),
    add: |call| format!("result += {call}"),
    call: class_call,
    result: "result",
    without: &[
        NO_TYPES,
        ("hidden", "hiding a module's own function takes a call in another place"),
        ("hidden function gone", "hiding a module's own function takes a call in another place"),
    ],
    names_file: true,
    ..BRACES
};

pub(crate) const RUST: Syntax = Syntax {
    name: "rust",
    path: |stem| format!("src/{stem}.rs"),
    fixed: &[
        ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
        ("src/lib.rs", "pub mod extra;\npub mod shapes;\npub mod test;\npub mod users;\n"),
    ],
    before: |_, calls| {
        calls.iter().map(|(file, name)| format!("use crate::{file}::{name};\n")).collect::<String>() + "\n"
    },
    head: |function| {
        let seen = if function.visible { "pub " } else { "" };
        let result = if function.returns_text { "String" } else { "u32" };
        format!(
            "{seen}fn {}({}) -> {result}",
            function.name,
            params(function, |name, _| format!("{name}: u32"))
        )
    },
    doc: slashes,
    guard: "assert!(first > 0, \"negative\");",
    effect: "println!(\"{first}\");",
    start: |adds| format!("let mut result = first * {adds};"),
    result: "result",
    without: &[NO_DEFAULTS],
    names_file: true,
    ..BRACES
};

pub(crate) const TYPESCRIPT: Syntax = Syntax {
    name: "typescript",
    path: |stem| if stem == "test" { "shapes.test.ts".to_owned() } else { format!("{stem}.ts") },
    head: |function| {
        let seen = if function.visible { "export " } else { "" };
        let result = if function.returns_text { "string" } else { "number" };
        let params =
            params(function, |name, optional| format!("{name}{}: number", if optional { "?" } else { "" }));
        format!("{seen}function {}({params}): {result}", function.name)
    },
    without: &[],
    ..JAVASCRIPT
};
