//! A small project that every language can spell: its functions, their calls, and the effects of changes.

use std::collections::BTreeMap;

/// A parameter: its name, and whether it may be left out.
#[derive(Clone)]
pub(crate) struct Param {
    pub(crate) name: &'static str,
    pub(crate) optional: bool,
}

/// A function on numbers.
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) params: Vec<Param>,
    /// Whether it states that it returns a text.
    pub(crate) returns_text: bool,
    /// Whether other files see it.
    pub(crate) visible: bool,
    pub(crate) doc: Option<&'static str>,
    pub(crate) comment: Option<&'static str>,
    /// Whether it refuses negative numbers.
    pub(crate) guard: bool,
    /// Whether it writes somewhere.
    pub(crate) effect: bool,
    /// A number that it adds.
    pub(crate) adds: u32,
    /// Its calls: the file that it expects the function in, the name, the number of arguments.
    pub(crate) calls: Vec<(&'static str, &'static str, usize)>,
}

/// The functions of each file, and how they are laid out.
#[derive(Clone)]
pub(crate) struct Project {
    pub(crate) files: BTreeMap<&'static str, Vec<Function>>,
    /// Blanks that a level is indented by, and whether statements are set apart.
    pub(crate) indent: usize,
    pub(crate) airy: bool,
    /// The stem of a file whose path has another one, and that one. Its text stays, and so does its header.
    pub(crate) moved: Option<(&'static str, &'static str)>,
    /// Where all files are, from the root.
    pub(crate) folder: &'static str,
    /// The stem of a file that has no text.
    pub(crate) emptied: Option<&'static str>,
}

pub(crate) fn function(name: &'static str, params: &[&'static str], adds: u32) -> Function {
    Function {
        name,
        params: params.iter().map(|name| Param { name, optional: false }).collect(),
        returns_text: false,
        visible: true,
        doc: None,
        comment: None,
        guard: false,
        effect: false,
        adds,
        calls: Vec::new(),
    }
}

impl Project {
    /// `area` is used by three functions and a test, `scale` by one, `spare` and the hidden `idle` by nobody.
    pub(crate) fn new() -> Self {
        let mut area = function("area", &["first", "second"], 11);
        area.doc = Some("Multiplies two lengths.");
        let mut scale = function("scale", &["first"], 12);
        scale.guard = true;
        let spare = function("spare", &["first", "second"], 13);
        let mut idle = function("idle", &["first"], 14);
        idle.visible = false;
        let user = |name, adds, called, count| {
            let mut user = function(name, &["first"], adds);
            user.calls.push(("shapes", called, count));
            user
        };
        let users = vec![
            user("report", 21, "area", 2),
            user("summary", 22, "area", 2),
            user("total", 23, "area", 2),
            user("resize", 24, "scale", 1),
        ];
        let files = [
            ("shapes", vec![area, scale, spare, idle]),
            ("users", users),
            ("extra", vec![function("other", &["first"], 31)]),
            ("test", vec![user("test_area", 41, "area", 2)]),
        ];
        Self {
            files: files.into_iter().collect(),
            indent: 4,
            airy: false,
            moved: None,
            folder: "",
            emptied: None,
        }
    }

    pub(crate) fn edit(&mut self, name: &str, change: impl Fn(&mut Function)) {
        for function in self.files.values_mut().flatten().filter(|function| function.name == name) {
            change(function);
        }
    }

    /// Takes a function out of its file.
    pub(crate) fn take(&mut self, name: &str) -> Option<Function> {
        self.files.values_mut().find_map(|functions| {
            let at = functions.iter().position(|function| function.name == name)?;
            Some(functions.remove(at))
        })
    }

    pub(crate) fn add(&mut self, file: &'static str, function: Option<Function>) {
        self.files.entry(file).or_default().extend(function);
    }

    /// Has every caller of `name` call it otherwise.
    pub(crate) fn callers(&mut self, name: &str, change: impl Fn(&mut (&'static str, &'static str, usize))) {
        let calls = self.files.values_mut().flatten().flat_map(|function| &mut function.calls);
        calls.filter(|(_, called, _)| *called == name).for_each(change);
    }
}
