//! The meaning of the captures of a pack's queries, and running them.
//!
//! A match is one statement about one node, the *main* node. Its capture states the node's role:
//!
//! | capture | the node is |
//! |---|---|
//! | `@definition.<kind>` | a definition; `<kind>` is `namespace`, `class`, `struct`, `union`, `interface`, `trait`, `enum`, `enum_member`, `type`, `function`, `method`, `constructor`, `property`, `field`, `constant`, `variable`, `macro`, `impl` |
//! | `@reference.<form>` | a reference; `<form>` is `call`, `method`, `construct`, `type`, `value`, `attr`, `decorator`, `macro` |
//! | `@import` | an import |
//! | `@package` | the name of the package that the file declares |
//! | `@export` | the name of the value that an import of the module gives |
//! | `@local` | a local variable |
//! | `@parameter` | a parameter of the innermost definition around |
//! | `@returns` | the result type of the innermost definition around |
//! | `@type` | the type of the innermost definition around |
//! | `@base`, `@implements` | a type that the innermost definition around derives from |
//! | `@docs` | documentation of the next definition, written as code |
//! | `@skip` | nothing to look at, with all that is in it |
//!
//! Further captures of the match are parts of it: `@name`, `@receiver`, `@arguments`, `@body`, `@owner`, `@of` (a stated
//! type), `@value`, `@default`, `@module`, `@alias`. Names that begin with `_` are for predicates.
//!
//! Properties (`#set!`): `import` is `wildcard`, `module`, `include`, `side_effect` or `last` (the module's last part is
//! the imported name); `reexport`; `visibility` is `private` or `public`; `parameter` is `rest`, `keyword` or `receiver`;
//! `local` is `no` (the definition is none where it is in a function, but a local name); `flag` is `static`, `abstract`,
//! `async`, `test`; `owner` is `parent` (its full name begins with `@owner`);
//! `argument` is `extra` (the call has one argument more than its list); `docs` is `around` (they are of the definition around,
//! not of the next one).
//!
//! `name` is the definition's name and `receiver` is `self` or `base`, where these are keywords and no nodes.
//!
//! Of several matches with one main node, or of several references to one name, the first pattern in the files counts.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::ControlFlow;

use sdl_model::facts::{ParamKind, RefForm};
use sdl_model::{Lang, SymbolKind};
use tree_sitter::{Language as Grammar, Query, QueryCursor, QueryCursorOptions, StreamingIterator, Tree};

use super::Spec;
use crate::ExtractError;

/// Maximum number of matches that may be open at once. A node is compared with all of them, and a chain of calls
/// holds one for each call, so this bounds the time. The outermost of more are lost.
const MAX_OPEN_MATCHES: u32 = 128;
/// Steps (of a hundred operations each) that any file's query gets, and the steps that each byte adds.
const STEPS_BASE: u64 = 20_000;
const STEPS_PER_BYTE: f64 = 0.2;

/// The deepest tree that is queried. A query's cursor takes longer for each node the deeper it is; people nest a few hundred
/// levels at most.
const MAX_TREE_DEPTH: u32 = 10_000;

/// The role of a main node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Definition(SymbolKind),
    Reference(RefForm),
    Import,
    Package,
    Export,
    Local,
    Parameter,
    Returns,
    Type,
    Base,
    Implements,
    Docs,
    Skip,
}

/// The role of a part in its match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Name,
    Receiver,
    Arguments,
    Body,
    Owner,
    Of,
    Value,
    Default,
    Module,
    Alias,
}

/// How many parts there are.
const PARTS: usize = 10;

/// The form of an import, as a pack states it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// An import of a name if there is one, otherwise of the module.
    #[default]
    Plain,
    Wildcard,
    Include,
    SideEffect,
    /// The last part of the module's name is the imported name.
    Last,
}

/// A receiver that is a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Receiver {
    Own,
    Base,
}

/// Properties that a pattern sets for all its matches.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Props {
    pub(super) form: Form,
    pub(super) reexport: bool,
    pub(super) is_public: Option<bool>,
    pub(super) param: ParamKind,
    pub(super) local: bool,
    pub(super) flags: u16,
    pub(super) in_owner: bool,
    /// Documentation is of the definition around, not of the next one.
    pub(super) around: bool,
    /// A call has one argument more than its list.
    pub(super) extra: bool,
    /// The name, where no node has it.
    pub(super) name: Option<&'static str>,
    /// The receiver, where no node is it.
    pub(super) receiver: Option<Receiver>,
}

/// One match, its nodes as places on the tape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) role: Role,
    pub(super) props: Props,
    pattern: u32,
    parts: [u32; PARTS],
    /// The last node captured as the module: its name may consist of several.
    module_end: u32,
}

/// No place on the tape.
const NOWHERE: u32 = u32::MAX;

impl Mark {
    /// The place of a part on the tape.
    pub(super) fn part(&self, part: Part) -> Option<u32> {
        self.parts.get(part as usize).copied().filter(|at| *at != NOWHERE)
    }

    /// The place of the last node of the module's name.
    pub(super) fn module_end(&self) -> Option<u32> {
        Some(self.module_end).filter(|at| *at != NOWHERE)
    }
}

/// A capture by number.
#[derive(Clone, Copy, Debug)]
enum Capture {
    Main(Role),
    Part(Part),
    Unused,
}

/// A pack's queries for its grammar.
#[derive(Debug)]
pub struct PackQuery {
    query: Option<Query>,
    captures: Vec<Capture>,
    props: Vec<Props>,
    /// The pack's mistakes; a test requires that there are none.
    #[cfg_attr(not(test), allow(dead_code, reason = "read by a test"))]
    pub(crate) mistakes: Vec<String>,
}

impl PackQuery {
    pub(crate) fn new(grammar: &Grammar, spec: &Spec) -> Self {
        let mut mistakes = Vec::new();
        let query = match Query::new(grammar, spec.queries) {
            Ok(query) => query,
            Err(error) => {
                let mistakes = vec![format!("{}: {error}", spec.name)];
                return Self { query: None, captures: Vec::new(), props: Vec::new(), mistakes };
            }
        };
        let captures = query.capture_names().iter().map(|name| {
            parse_capture(name).unwrap_or_else(|| {
                mistakes.push(format!("{}: no capture is called @{name}", spec.name));
                Capture::Unused
            })
        });
        let captures: Vec<Capture> = captures.collect();
        let props = (0..query.pattern_count()).map(|pattern| {
            let mut props = Props::default();
            for property in query.property_settings(pattern) {
                let value = property.value.as_deref().unwrap_or("");
                if !set_property(&mut props, &property.key, value) {
                    mistakes.push(format!("{}: no property is {} {value}", spec.name, property.key));
                }
            }
            props
        });
        let props = props.collect();
        Self { query: Some(query), captures, props, mistakes }
    }

    /// The queries' results for `tree`, by the main node's place on the tape.
    pub(super) fn marks(
        &self,
        lang: Lang,
        tree: &Tree,
        src: &[u8],
    ) -> Result<HashMap<u32, Vec<Mark>>, ExtractError> {
        let Some(query) = &self.query else { return Err(ExtractError::Grammar(lang)) };
        if depth_of(tree) > MAX_TREE_DEPTH {
            return Ok(HashMap::new());
        }
        let limit = STEPS_BASE + (src.len() as f64 * STEPS_PER_BYTE) as u64;
        let steps = Cell::new(0_u64);
        let mut progress = |_: &tree_sitter::QueryCursorState| {
            steps.set(steps.get() + 1);
            if steps.get() > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut cursor = QueryCursor::new();
        cursor.set_match_limit(MAX_OPEN_MATCHES);
        let options = QueryCursorOptions::new().progress_callback(&mut progress);
        let mut matches = cursor.matches_with_options(query, tree.root_node(), src, options);
        // The nodes of each match by id, and the match's data.
        let mut found: Vec<(usize, [usize; PARTS], usize, u32, Role)> = Vec::new();
        let mut places: HashMap<usize, u32> = HashMap::new();
        while let Some(one) = matches.next() {
            let (mut main, mut parts, mut module_end) = (None, [0; PARTS], 0);
            for capture in one.captures() {
                let id = capture.node.id();
                match self.captures.get(capture.index as usize) {
                    Some(Capture::Main(role)) => main = main.or(Some((id, *role))),
                    Some(Capture::Part(part)) => {
                        if *part == Part::Module {
                            module_end = id;
                        }
                        if let Some(slot) = parts.get_mut(*part as usize).filter(|slot| **slot == 0) {
                            *slot = id;
                        }
                    }
                    _ => continue,
                }
                places.insert(id, NOWHERE);
            }
            if let Some((id, role)) = main {
                found.push((id, parts, module_end, one.pattern_index as u32, role));
            }
        }
        if steps.get() > limit {
            return Err(ExtractError::ParseBudget { lang, steps: limit });
        }
        assign_places(tree, &mut places);
        let at = |id: usize| places.get(&id).copied().unwrap_or(NOWHERE);
        let mut marks: HashMap<u32, Vec<Mark>> = HashMap::with_capacity(found.len());
        for (id, parts, module_end, pattern, role) in found {
            let main = at(id);
            if main != NOWHERE {
                let props = self.props.get(pattern as usize).copied().unwrap_or_default();
                let parts = parts.map(|id| if id == 0 { NOWHERE } else { at(id) });
                marks.entry(main).or_default().push(Mark {
                    role,
                    props,
                    pattern,
                    parts,
                    module_end: at(module_end),
                });
            }
        }
        for all in marks.values_mut() {
            all.sort_by_key(|mark| mark.pattern);
            all.dedup_by(|next, mark| {
                next.role == Role::Import && next.role == mark.role && next.parts == mark.parts
            });
        }
        Ok(marks)
    }
}

/// The depth of the deepest node.
fn depth_of(tree: &Tree) -> u32 {
    let mut cursor = tree.walk();
    let (mut depth, mut most) = (0, 0);
    loop {
        if cursor.goto_first_child() {
            depth += 1;
            most = most.max(depth);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return most;
            }
            depth -= 1;
        }
    }
}

/// Sets the tape place of each node whose id is requested. The tape holds every named node, in order.
fn assign_places(tree: &Tree, places: &mut HashMap<usize, u32>) {
    let grammar = tree.language();
    let kinds = grammar.node_kind_count();
    let mut cursor = tree.walk();
    let mut next = 0;
    loop {
        let node = cursor.node();
        let kind = node.kind_id();
        if usize::from(kind) >= kinds || grammar.node_kind_is_named(kind) {
            if let Some(place) = places.get_mut(&node.id()) {
                *place = next;
            }
            next += 1;
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

fn parse_capture(name: &str) -> Option<Capture> {
    if name.starts_with('_') {
        return Some(Capture::Unused);
    }
    if let Some(kind) = name.strip_prefix("definition.") {
        let kind = kind_named(kind)?;
        return Some(Capture::Main(Role::Definition(kind)));
    }
    if let Some(form) = name.strip_prefix("reference.") {
        let form = match form {
            "call" => RefForm::Call,
            "method" => RefForm::MethodCall,
            "construct" => RefForm::Construct,
            "type" => RefForm::Type,
            "value" => RefForm::Value,
            "attr" => RefForm::Attr,
            "decorator" => RefForm::Decorator,
            "macro" => RefForm::Macro,
            _ => return None,
        };
        return Some(Capture::Main(Role::Reference(form)));
    }
    Some(match name {
        "import" => Capture::Main(Role::Import),
        "package" => Capture::Main(Role::Package),
        "export" => Capture::Main(Role::Export),
        "local" => Capture::Main(Role::Local),
        "parameter" => Capture::Main(Role::Parameter),
        "returns" => Capture::Main(Role::Returns),
        "type" => Capture::Main(Role::Type),
        "base" => Capture::Main(Role::Base),
        "implements" => Capture::Main(Role::Implements),
        "docs" => Capture::Main(Role::Docs),
        "skip" => Capture::Main(Role::Skip),
        "name" => Capture::Part(Part::Name),
        "receiver" => Capture::Part(Part::Receiver),
        "arguments" => Capture::Part(Part::Arguments),
        "body" => Capture::Part(Part::Body),
        "owner" => Capture::Part(Part::Owner),
        "of" => Capture::Part(Part::Of),
        "value" => Capture::Part(Part::Value),
        "default" => Capture::Part(Part::Default),
        "module" => Capture::Part(Part::Module),
        "alias" => Capture::Part(Part::Alias),
        _ => return None,
    })
}

fn kind_named(name: &str) -> Option<SymbolKind> {
    Some(match name {
        "namespace" => SymbolKind::Namespace,
        "class" => SymbolKind::Class,
        "struct" => SymbolKind::Struct,
        "union" => SymbolKind::Union,
        "interface" => SymbolKind::Interface,
        "trait" => SymbolKind::Trait,
        "enum" => SymbolKind::Enum,
        "enum_member" => SymbolKind::EnumMember,
        "type" => SymbolKind::Type,
        "function" => SymbolKind::Function,
        "method" => SymbolKind::Method,
        "constructor" => SymbolKind::Constructor,
        "property" => SymbolKind::Property,
        "field" => SymbolKind::Field,
        "constant" => SymbolKind::Constant,
        "variable" => SymbolKind::Variable,
        "macro" => SymbolKind::Macro,
        "impl" => SymbolKind::Impl,
        _ => return None,
    })
}

/// Sets the property of `(#set! key value)`; false if key or value is unknown.
fn set_property(props: &mut Props, key: &str, value: &str) -> bool {
    use sdl_model::facts::DefFlags;
    match (key, value) {
        ("import", "wildcard") => props.form = Form::Wildcard,
        ("import", "module") => props.form = Form::Plain,
        ("import", "include") => props.form = Form::Include,
        ("import", "side_effect") => props.form = Form::SideEffect,
        ("import", "last") => props.form = Form::Last,
        ("reexport", _) => props.reexport = true,
        ("visibility", "private") => props.is_public = Some(false),
        ("visibility", "public") => props.is_public = Some(true),
        ("parameter", "rest") => props.param = ParamKind::Rest,
        ("parameter", "keyword") => props.param = ParamKind::Keyword,
        ("parameter", "receiver") => props.param = ParamKind::Receiver,
        ("local", "no") => props.local = true,
        ("flag", "static") => props.flags |= DefFlags::STATIC.0,
        ("flag", "abstract") => props.flags |= DefFlags::ABSTRACT.0,
        ("flag", "async") => props.flags |= DefFlags::ASYNC.0,
        ("flag", "test") => props.flags |= DefFlags::TEST.0,
        ("owner", "parent") => props.in_owner = true,
        ("docs", "around") => props.around = true,
        ("argument", "extra") => props.extra = true,
        ("name", "init") => props.name = Some("init"),
        ("name", "deinit") => props.name = Some("deinit"),
        ("name", "subscript") => props.name = Some("subscript"),
        ("receiver", "self") => props.receiver = Some(Receiver::Own),
        ("receiver", "base") => props.receiver = Some(Receiver::Base),
        _ => return false,
    }
    true
}
