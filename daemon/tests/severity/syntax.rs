//! The project's text in a language.

use std::fmt::Write as _;

use crate::project::{Function, Project};

/// The path of a file's header, from the file's stem, and its declaration of a function.
pub(crate) type Header = (fn(&str) -> String, fn(&Function) -> String);

/// How a language spells the project.
pub(crate) struct Syntax {
    pub(crate) name: &'static str,
    /// The path of a file.
    pub(crate) path: fn(&str) -> String,
    /// Files that nobody edits.
    pub(crate) fixed: &'static [(&'static str, &'static str)],
    /// Before the functions: of which file, and which functions of which other files it calls.
    pub(crate) before: fn(&str, &[(&str, &str)]) -> String,
    pub(crate) after: &'static str,
    /// The nesting depth of functions.
    pub(crate) depth: usize,
    /// A function's first line.
    pub(crate) head: fn(&Function) -> String,
    pub(crate) open: &'static str,
    pub(crate) close: &'static str,
    /// Documentation; none where it is in the body.
    pub(crate) doc: fn(&str) -> String,
    /// Whether documentation is the first statement.
    pub(crate) docstring: bool,
    pub(crate) comment: &'static str,
    pub(crate) guard: &'static str,
    pub(crate) effect: &'static str,
    /// The result's first value, from the number that is added.
    pub(crate) start: fn(u32) -> String,
    /// Adds a call's result.
    pub(crate) add: fn(&str) -> String,
    /// A call: the file that it expects the function in, the name, the arguments.
    pub(crate) call: fn(&str, &str, &[&str]) -> String,
    pub(crate) result: &'static str,
    /// The declarations of functions for other files, as in C's headers: of one function and of all together.
    pub(crate) header: Option<Header>,
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
pub(crate) fn params(function: &Function, one: impl Fn(&str, bool) -> String) -> String {
    function.params.iter().map(|param| one(param.name, param.optional)).collect::<Vec<_>>().join(", ")
}

pub(crate) fn title(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The files that something is taken from.
pub(crate) fn from<'a>(calls: &[(&'a str, &str)]) -> Vec<&'a str> {
    let mut files: Vec<&str> = calls.iter().map(|call| call.0).collect();
    files.dedup();
    files
}

pub(crate) fn plain_call(_: &str, name: &str, args: &[&str]) -> String {
    format!("{name}({})", args.join(", "))
}

pub(crate) fn class_call(file: &str, name: &str, args: &[&str]) -> String {
    format!("{}.{name}({})", title(file), args.join(", "))
}

pub(crate) fn slashes(doc: &str) -> String {
    format!("/// {doc}")
}

pub(crate) fn stars(doc: &str) -> String {
    format!("/** {doc} */")
}

pub(crate) fn c_head(function: &Function) -> String {
    let hidden = if function.visible { "" } else { "static " };
    let result = if function.returns_text { "long" } else { "int" };
    format!("{hidden}{result} {}({})", function.name, params(function, |name, _| format!("int {name}")))
}

pub(crate) const NO_TYPES: (&str, &str) = ("result", "results are not stated");
pub(crate) const NO_DEFAULTS: (&str, &str) = ("optional parameter", "parameters can't be left out");

pub(crate) const BRACES: Syntax = Syntax {
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

pub(crate) const CLASS: Syntax =
    Syntax { after: "}\n", depth: 1, call: class_call, any_path: true, names_file: true, ..BRACES };
