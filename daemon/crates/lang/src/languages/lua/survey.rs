//! What a look at the whole file shows before the walk: which tables have members, and what the file returns.

use std::collections::{HashMap, HashSet};

use super::kinds::{F, K, Node};
use super::names::{self, MAX_FIELDS, MAX_TARGETS};

/// Places on the tape by name.
type Places = HashMap<String, Vec<u32>>;

/// What a look at the whole file shows.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Tables that get functions or are metatables, by their dotted names.
    tables: Places,
    /// Tables with members that are set to a name, which may be a function's.
    named: Places,
    /// The functions in tables: a table's dotted name and the function's.
    methods: HashSet<(String, String)>,
    /// The names of local functions.
    local_functions: HashSet<String>,
    /// Names that are set to functions, other than by `local`.
    functions: Places,
    /// Names that are set to other values, other than by `local`.
    values: Places,
    /// The name that the file returns.
    pub(super) returned: Option<String>,
    /// The names that other files get through what it returns.
    exported: HashSet<String>,
}

impl Survey {
    pub(super) fn of(root: Node<'_>) -> Self {
        let mut survey = Self::default();
        for node in root.descendants() {
            match node.kind() {
                K::FunctionDeclaration => survey.note_declaration(node),
                K::FunctionDefinition => survey.note_literal(node),
                K::FunctionCall if names::calls(node, "setmetatable") => survey.note_metatable(node),
                K::DotIndex if node.is_in(K::VariableList, F::Name) => survey.note_index(node),
                K::AssignmentStatement if node.parent_kind() != Some(K::VariableDeclaration) => {
                    survey.note_values(node);
                }
                _ => {}
            }
        }
        if let Some(value) = returned_value(root) {
            survey.note_returned(value);
        }
        survey
    }

    fn note(places: &mut Places, name: Option<&str>, node: Node<'_>) {
        if let Some(name) = name {
            places.entry(name.to_owned()).or_default().push(node.ix());
        }
    }

    fn note_declaration(&mut self, node: Node<'_>) {
        let Some(name) = node.child(F::Name) else { return };
        match names::member_parts(name) {
            Some((table, name)) => self.note_member(table, name, node),
            None if node.child_of(K::Local).is_none() => {
                Self::note(&mut self.functions, Some(name.text()), node);
            }
            None => {
                self.local_functions.insert(name.text().to_owned());
            }
        }
    }

    fn note_member(&mut self, table: Node<'_>, name: Node<'_>, node: Node<'_>) {
        let Some(table) = names::dotted(table) else { return };
        Self::note(&mut self.tables, Some(table), node);
        self.methods.insert((table.to_owned(), names::name_text(name).to_owned()));
    }

    fn note_literal(&mut self, node: Node<'_>) {
        let Some(target) = assigned_to(node) else { return };
        match names::member_parts(target) {
            Some((table, name)) => self.note_member(table, name, node),
            None if target.is(K::Identifier) && !is_declared(target) => {
                Self::note(&mut self.functions, Some(target.text()), node);
            }
            None => {}
        }
    }

    /// `setmetatable(t, M)`; at the top of the file, `setmetatable(M, { __call = … })` too.
    fn note_metatable(&mut self, call: Node<'_>) {
        let mut arguments = names::arguments(call);
        let (Some(table), Some(metatable)) = (arguments.next(), arguments.next()) else { return };
        Self::note(&mut self.tables, names::dotted(metatable), call);
        if call.parent_kind() == Some(K::Chunk) && names::holds_functions(metatable) {
            Self::note(&mut self.tables, names::dotted(table), call);
        }
    }

    /// `M.__index = …`.
    fn note_index(&mut self, target: Node<'_>) {
        if let Some((table, name)) = names::member_parts(target)
            && name.text() == "__index"
        {
            Self::note(&mut self.tables, names::dotted(table), target);
        }
    }

    fn note_values(&mut self, assignment: Node<'_>) {
        let (targets, values) = names::targets(assignment);
        let mut values = values.take(MAX_TARGETS);
        for target in targets.take(MAX_TARGETS) {
            let value = values.next();
            let is = |kind: K| value.is_some_and(|value| value.is(kind));
            if target.is(K::Identifier) && !is(K::FunctionDefinition) {
                Self::note(&mut self.values, Some(target.text()), assignment);
            }
            if is(K::Identifier)
                && let Some((table, _)) = names::member_parts(target)
            {
                Self::note(&mut self.named, names::dotted(table), assignment);
            }
        }
    }

    fn note_returned(&mut self, value: Node<'_>) {
        let value = match names::arguments(value).next() {
            Some(table) if names::calls(value, "setmetatable") => table,
            _ => value,
        };
        if value.is(K::Identifier) {
            self.exported.insert(value.text().to_owned());
            self.returned = Some(value.text().to_owned());
        }
        if value.is(K::TableConstructor) {
            let values = value.children().take(MAX_FIELDS).filter_map(|field| field.child(F::Value));
            let names = values.filter(|value| value.is(K::Identifier));
            self.exported.extend(names.map(|name| name.text().to_owned()));
        }
    }

    /// Whether the table `name` gets functions, or is a metatable, between the two places of the tape.
    pub(super) fn has_members(&self, name: &str, within: (u32, u32)) -> bool {
        Self::holds(&self.tables, name, within)
    }

    /// Whether the table `dotted` of the file's top level gets members that may be functions.
    pub(super) fn has_functions(&self, dotted: &str) -> bool {
        let all = (0, u32::MAX);
        Self::holds(&self.tables, dotted, all) || Self::holds(&self.named, dotted, all)
    }

    /// Whether `name` is set to a function between the two places of the tape, other than by `local`, and to nothing
    /// else.
    pub(super) fn is_function(&self, name: &str, within: (u32, u32)) -> bool {
        Self::holds(&self.functions, name, within) && !Self::holds(&self.values, name, within)
    }

    /// Whether `local function` declares `name`.
    pub(super) fn is_local_function(&self, name: &str) -> bool {
        self.local_functions.contains(name)
    }

    /// Whether the table `dotted` gets a function called `name`.
    pub(super) fn has_method(&self, dotted: &str, name: &str) -> bool {
        self.methods.contains(&(dotted.to_owned(), name.to_owned()))
    }

    fn holds(places: &Places, name: &str, (from, to): (u32, u32)) -> bool {
        let Some(places) = places.get(name) else { return false };
        let at = places.partition_point(|place| *place < from);
        places.get(at).is_some_and(|place| *place < to)
    }

    /// Whether other files get the top-level name `name` through what the file returns.
    pub(super) fn is_exported(&self, name: &str) -> bool {
        self.exported.contains(name)
    }
}

/// The value that the file returns at its end.
pub(super) fn returned_value(root: Node<'_>) -> Option<Node<'_>> {
    let last = root.children().last().filter(|last| last.is(K::ReturnStatement))?;
    Some(names::unwrapped(last.child_of(K::ExpressionList)?.first()?))
}

/// The target that the value `node` is assigned to.
pub(super) fn assigned_to(node: Node<'_>) -> Option<Node<'_>> {
    let list = node.parent().filter(|list| list.is(K::ExpressionList))?;
    let statement = list.parent().filter(|statement| statement.is(K::AssignmentStatement))?;
    let at = list.children().take(MAX_TARGETS).position(|value| value == node)?;
    statement.child_of(K::VariableList)?.children_in(F::Name).nth(at)
}

/// Whether a `local` statement, or one like it, declares the target of an assignment.
pub(super) fn is_declared(target: Node<'_>) -> bool {
    target.ancestors().nth(2).is_some_and(|around| around.is(K::VariableDeclaration))
}
