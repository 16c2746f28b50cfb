//! Control flow of each language as templates, to make sources from: a line of `@` is replaced by statements.
//!
//! The templates are in `shapes/`, a file for each language.

use std::sync::LazyLock;

use sdl_model::Lang;

use crate::support;

/// The templates for sources of a language.
pub(crate) struct Shapes {
    pub(crate) lang: Lang,
    /// The text around the statements of a function.
    file: String,
    /// A statement that a skeleton leaves out.
    pub(crate) statement: String,
    pub(crate) control: Vec<String>,
}

/// Every language that has skeletons.
pub(crate) static ALL: LazyLock<Vec<Shapes>> = LazyLock::new(|| {
    let texts = support::texts("shapes");
    texts.iter().map(|(lang, text)| Shapes::read(*lang, text, &texts)).collect()
});

impl Shapes {
    /// Reads the templates in `text`; `all` are those of all languages.
    fn read(lang: Lang, text: &str, all: &[(Lang, String)]) -> Self {
        let mut shapes = Self { lang, file: String::new(), statement: String::new(), control: Vec::new() };
        for (name, part) in support::parts(text) {
            match name.split_once(" of ").map_or((name, None), |(name, other)| (name, Some(other))) {
                ("file", None) => shapes.file = format!("{part}\n"),
                ("statement", None) => part.clone_into(&mut shapes.statement),
                ("control", None) => shapes.control.push(part.to_owned()),
                ("control", Some(other)) => {
                    let (lang, text) = all.iter().find(|(lang, _)| lang.name() == other).unwrap();
                    shapes.control.extend(Self::read(*lang, text, all).control);
                }
                _ => panic!("{lang:?} has a part called {name}"),
            }
        }
        shapes
    }

    /// A source. `choices` decides its structure, and it ends where they end.
    pub(crate) fn source(&self, choices: &[u8]) -> String {
        let mut choices = choices.iter().copied();
        let body = self.statements(&mut choices, 0);
        expanded(&self.file, &mut |indent| indented(&body, indent))
    }

    fn statements(&self, choices: &mut impl Iterator<Item = u8>, depth: usize) -> String {
        let count = usize::from(choices.next().unwrap_or(0) % 3) + 1;
        let mut out = Vec::new();
        for _ in 0..count {
            let choice = usize::from(choices.next().unwrap_or(0));
            // A statement on both sides keeps control flow from being first or last, where some kinds are not allowed.
            out.push(self.statement.clone());
            if choice % 4 != 0
                && depth < 4
                && let Some(control) = self.control.get(choice / 4 % self.control.len())
            {
                out.push(expanded(control, &mut |indent| {
                    indented(&self.statements(choices, depth + 1), indent)
                }));
            }
        }
        out.join("\n")
    }
}

/// `template` with the result of `fill` in place of each line of `@`. `fill` gets the line's indentation.
fn expanded(template: &str, fill: &mut impl FnMut(&str) -> String) -> String {
    let lines = template.split('\n').map(|line| match line.strip_suffix('@') {
        Some(indent) if indent.trim().is_empty() => fill(indent),
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn indented(text: &str, indent: &str) -> String {
    text.split('\n').map(|line| format!("{indent}{line}")).collect::<Vec<_>>().join("\n")
}
