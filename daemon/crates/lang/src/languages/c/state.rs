//! The extractor's state between nodes.

use std::collections::HashMap;

use sdl_model::facts::{Def, DefFlags, DefIx, Expr, ExprIx, StrIx};
use sdl_model::{SymbolKind, Visibility};

use super::kinds::{Context, F, K, Node};
use super::platform;
use super::platform::Taken;

/// How many definitions of one name, and how many names, are looked at for branches: bounds the work.
const MOST_TWINS: usize = 8;
const MOST_MIXED: usize = 64;
/// Maximum number of macros of a file that are recorded for conditions.
const MOST_DEFINED: usize = 1 << 16;

/// The extractor's state between nodes.
#[derive(Debug, Default)]
pub struct State {
    /// Bodies of types that the walk may be in, with the visibility of the members that follow.
    access: Vec<(u32, Visibility)>,
    /// Up to here on the tape, definitions are in a namespace without a name.
    unnamed_until: u32,
    /// A type that a reference already covers.
    pub(super) constructed: Option<u32>,
    /// An anonymous function that was opened under the name it is bound to.
    pub(super) lambda: Option<u32>,
    /// Stretches that conditions exclude from a build for Linux, in bytes.
    left_out: Vec<(u32, u32)>,
    /// Branches that settings choose between.
    branches: Vec<Branches>,
    /// Stretches that depend on settings, in bytes.
    optional: Vec<(u32, u32)>,
    /// Macros that the file has defined so far, whatever the settings.
    defined: platform::Defined,
    /// The includes: the index of the import, and its position.
    includes: Vec<(usize, u32)>,
    /// Lists of initial values that the walk may be in.
    pub(super) lists: Vec<InitList>,
    /// Macros that open namespaces, and where their bodies are, in bytes.
    pub(super) opening_macros: HashMap<String, (u32, u32)>,
}

/// A list of initial values.
#[derive(Clone, Copy, Debug)]
pub(super) struct InitList {
    /// Where it ends on the tape.
    pub(super) end: u32,
    /// The value that it initializes, if that is known.
    pub(super) value: Option<ExprIx>,
    /// How many dimensions the value has as an array.
    pub(super) dimensions: u8,
}

/// Pieces of a file, in order and apart from each other.
struct Ranges(Vec<(u32, u32)>);

impl Ranges {
    fn of(mut all: Vec<(u32, u32)>) -> Self {
        all.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(all.len());
        for (from, to) in all {
            match merged.last_mut() {
                Some(last) if from < last.1 => last.1 = last.1.max(to),
                _ => merged.push((from, to)),
            }
        }
        Self(merged)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn hold(&self, at: u32) -> bool {
        let behind = self.0.partition_point(|(from, _)| *from <= at);
        behind.checked_sub(1).and_then(|last| self.0.get(last)).is_some_and(|(_, to)| at < *to)
    }
}

/// A branch that a setting chooses, and its alternative, in bytes.
#[derive(Debug)]
struct Branches {
    first: (u32, u32),
    rest: (u32, u32),
    /// Whether the choice depends on what the system provides.
    found: bool,
    /// Whether it is taken if a setting is missing.
    lacks: bool,
}

impl State {
    /// Called when the walk is about to enter the body of a type.
    pub(super) fn enter_type(&mut self, node: Node<'_>) {
        self.leave_types(node.ix());
        let first = if node.is(K::ClassSpecifier) { Visibility::Private } else { Visibility::Public };
        self.access.push((node.next_ix(), first));
    }

    fn leave_types(&mut self, ix: u32) {
        while self.access.last().is_some_and(|(end, _)| *end <= ix) {
            self.access.pop();
        }
    }

    /// `public:` and the like.
    pub(super) fn access_specifier(&mut self, node: Node<'_>) {
        self.leave_types(node.ix());
        if let Some((_, now)) = self.access.last_mut() {
            *now = parse_visibility(node.text());
        }
    }

    pub(super) fn take_innermost(&mut self) -> Option<(u32, Visibility)> {
        self.access.pop()
    }

    pub(super) fn put_innermost(&mut self, access: Option<(u32, Visibility)>) {
        self.access.extend(access);
    }

    /// Records an include, import number `ix`, at byte `at`.
    pub(super) fn included(&mut self, ix: usize, at: u32) {
        self.includes.push((ix, at));
    }

    pub(super) fn enter_unnamed(&mut self, node: Node<'_>) {
        self.unnamed_until = self.unnamed_until.max(node.next_ix());
    }

    fn member_access(&mut self, node: Node<'_>) -> Visibility {
        self.leave_types(node.ix());
        self.access.last().map_or(Visibility::Public, |(_, now)| *now)
    }
}

/// Reads a condition of the preprocessor, and notes the excluded branch.
pub(super) fn read_condition(cx: &mut Context<'_>, node: Node<'_>) {
    // An include guard may have any name: the first reader of the header takes it.
    if is_once(node) {
        return;
    }
    let own = Some(&cx.state.defined);
    let taken = Taken::of(|settings| {
        let known = platform::Known { lang: cx.lang, own, settings };
        match node.kind() {
            K::PreprocIf | K::PreprocElif => {
                node.child(F::Condition).and_then(|text| platform::condition_holds(text.text(), known))
            }
            _ => platform::is_taken(node.text(), known),
        }
    });
    let other = node.child(F::Alternative);
    let left_out = match taken {
        Taken::Surely(false) | Taken::Likely(false) => {
            Some((node.start(), other.map_or(node.end(), Node::start)))
        }
        Taken::Surely(true) | Taken::Likely(true) => other.map(|other| (other.start(), other.end())),
        Taken::Unknown => None,
    };
    cx.state.left_out.extend(left_out);
    if !matches!(taken, Taken::Surely(_)) {
        cx.state.optional.push((node.start(), node.end()));
    }
    if let (Taken::Unknown, Some(other)) = (taken, other) {
        let condition = node.child(F::Condition).or_else(|| node.child(F::Name)).map_or("", Node::text);
        let not = condition.contains('!') || node.text().trim_start_matches(['#', ' ']).starts_with("ifn");
        let found = !not && condition.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "HAVE");
        let (first, rest) = ((node.start(), other.start()), (other.start(), other.end()));
        cx.state.branches.push(Branches { first, rest, found, lacks: not });
    }
}

/// Whether `node`, a condition, is an include guard.
fn is_once(node: Node<'_>) -> bool {
    let first = node.children().find(|child| child.is(K::PreprocDef));
    node.is(K::PreprocIfdef)
        && first.is_some_and(|def| {
            let names = (def.child(F::Name).map(Node::text), node.child(F::Name).map(Node::text));
            names.0 == names.1 && def.child(F::Value).is_none_or(|value| value.text().trim() == "1")
        })
}

/// `#define name value`: known from here on, unless it depends on settings.
pub(super) fn define_macro(cx: &mut Context<'_>, node: Node<'_>, name: &str, value: Option<&str>) {
    let decides = |around: Node<'_>| match around.kind() {
        // The macro gets this value if it has no other.
        K::PreprocIfdef => {
            let same = around.child(F::Name).is_some_and(|guard| guard.text() == name);
            !same && !is_once(around)
        }
        K::PreprocIf | K::PreprocElif | K::PreprocElifdef => true,
        _ => false,
    };
    if cx.state.defined.len() < MOST_DEFINED && !node.ancestors().any(decides) {
        cx.state.defined.insert(platform::name_key(name), value.and_then(platform::parse_number));
    }
}

/// `#undef name`.
pub(super) fn undefine_macro(cx: &mut Context<'_>, node: Node<'_>) {
    let text = node.text().trim_start_matches(['#', ' ', '\t']);
    if let Some(name) = text.strip_prefix("undef") {
        cx.state.defined.remove(&platform::name_key(name.trim()));
    }
}

/// If one branch has a macro and another has a function of the same name, the macro represents both. If the condition
/// depends on what the system provides, the function does, because systems mostly provide it.
fn mark_other_branches(cx: &mut Context<'_>) {
    let branches = std::mem::take(&mut cx.state.branches);
    if branches.is_empty() {
        return;
    }
    // A macro without parameters whose value is another name.
    let renames = |cx: &Context<'_>, def: &Def| {
        let value = def.value.filter(|_| def.kind == SymbolKind::Constant);
        value.is_some_and(|value| matches!(cx.b.out.expr(value), Expr::Name(_)))
    };
    let is_macro = |kind| matches!(kind, SymbolKind::Macro | SymbolKind::Constant);
    let mut by_name: HashMap<StrIx, (Vec<DefIx>, bool, bool)> = HashMap::new();
    for (ix, def) in cx.b.defs().iter().enumerate() {
        if matches!(def.kind, SymbolKind::Macro | SymbolKind::Function) || renames(cx, def) {
            let (all, macros, functions) = by_name.entry(def.name).or_default();
            all.push(DefIx(ix as u32));
            *macros |= is_macro(def.kind);
            *functions |= !is_macro(def.kind);
        }
    }
    let mut mixed: Vec<Vec<DefIx>> = by_name
        .into_values()
        .filter(|(all, macros, functions)| *macros && *functions && all.len() <= MOST_TWINS)
        .map(|(all, ..)| all)
        .collect();
    mixed.sort_unstable();
    mixed.truncate(MOST_MIXED);
    let holds = |range: (u32, u32), def: &Def| range.0 <= def.span.start && def.span.start < range.1;
    for all in mixed {
        for later in &all {
            let def = cx.b.def(*later);
            let of_other_kind = |one: &&Def| is_macro(one.kind) != is_macro(def.kind);
            let before = all.iter().map(|ix| cx.b.def(*ix)).filter(of_other_kind);
            let replaced = before.into_iter().any(|one| {
                let renames = [def.kind, one.kind].contains(&SymbolKind::Constant);
                let replaces = |of: &Branches| {
                    // A function that a setting asks for, and the name that replaces it otherwise.
                    let first_counts = of.found || if renames { of.lacks } else { is_macro(one.kind) };
                    (first_counts && holds(of.first, one) && holds(of.rest, def))
                        || (renames && !first_counts && holds(of.first, def) && holds(of.rest, one))
                };
                branches.iter().any(replaces)
            });
            if replaced {
                cx.b.flag(*later, DefFlags::LEFT_OUT);
            }
        }
    }
}

/// Marks definitions in branches that a build for Linux skips.
pub(super) fn mark_other_systems(cx: &mut Context<'_>) {
    mark_other_branches(cx);
    let optional = Ranges::of(std::mem::take(&mut cx.state.optional));
    let left_out = Ranges::of(std::mem::take(&mut cx.state.left_out));
    if left_out.is_empty() && optional.is_empty() {
        return;
    }
    for ix in 1..cx.b.defs().len() as u32 {
        let at = cx.b.def(DefIx(ix)).span.start;
        if left_out.hold(at) {
            cx.b.flag(DefIx(ix), DefFlags::LEFT_OUT);
        }
        if optional.hold(at) {
            cx.b.flag(DefIx(ix), DefFlags::OPTIONAL);
        }
    }
    for (ix, at) in std::mem::take(&mut cx.state.includes) {
        if left_out.hold(at)
            && let Some(include) = cx.b.imports_mut().get_mut(ix)
        {
            // A file that includes this one does not see it.
            include.reexport = false;
        }
    }
}

fn parse_visibility(text: &str) -> Visibility {
    match text.trim_end_matches([':', ' ']) {
        "private" => Visibility::Private,
        "protected" => Visibility::Protected,
        _ => Visibility::Public,
    }
}

/// Sets the visibility of `def`, which `node` defines; `own` is for a name that the file keeps to itself.
pub(super) fn set_visibility(cx: &mut Context<'_>, def: DefIx, node: Node<'_>, own: bool) {
    let parent = cx.b.def(def).parent.unwrap_or(DefIx::MODULE);
    let outer = cx.b.def(parent);
    let member = outer.kind.is_type();
    let reachable = matches!(outer.kind, SymbolKind::Module | SymbolKind::Namespace)
        || outer.flags.has(DefFlags::EXPORTED);
    let hidden = own || node.ix() < cx.state.unnamed_until;
    let visibility = if member && outer.kind != SymbolKind::Enum {
        cx.state.member_access(node)
    } else if hidden && !member {
        Visibility::Private
    } else {
        Visibility::Public
    };
    cx.b.def_mut(def).visibility = visibility;
    let local = cx.b.def(def).flags.has(DefFlags::LOCAL);
    if visibility == Visibility::Public && !hidden && !local && reachable {
        cx.b.flag(def, DefFlags::EXPORTED);
    }
}

/// Adds the bounds and the text of the template parameters around `node` to `def`.
pub(super) fn read_generics<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) -> Node<'a> {
    let mut whole = node;
    while let Some(around) = whole.parent().filter(|around| around.is(K::TemplateDeclaration)) {
        whole = around;
    }
    if whole != node
        && let Some(list) = whole.child_of(K::TemplateParameterList)
    {
        let text = crate::builder::text::fold_line(list.text(), 200);
        cx.b.def_mut(def).generics = Some(cx.b.out.str(&text));
    }
    whole
}

/// The template declarations around `node`, or `node`.
pub(super) fn with_template(node: Node<'_>) -> Node<'_> {
    let mut whole = node;
    while let Some(around) = whole.parent().filter(|around| around.is(K::TemplateDeclaration)) {
        whole = around;
    }
    whole
}

/// Bounds of template parameters, as in `template <Shape T>`: name and concept.
pub(super) fn read_bounds<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) {
    let whole = with_template(node);
    let Some(list) = whole.child_of(K::TemplateParameterList) else { return };
    for param in list.children().filter(|param| param.is(K::ParameterDeclaration)) {
        // `template <Concept T>` reads as a parameter of type `Concept`; so does `template <int N>`.
        let ty = param.child(F::Type).filter(|ty| !ty.is(K::PrimitiveType));
        let name = param.child(F::Declarator).filter(|name| name.is(K::Identifier));
        if let (Some(ty), Some(name)) = (ty, name) {
            let bound: ExprIx = cx.b.out.ty(ty);
            let name = cx.b.out.str(name.text());
            cx.b.def_mut(def).bounds.push((name, bound));
        }
    }
}
