//! What the extractor remembers between nodes.

use sdl_model::facts::{DefFlags, DefIx, ExprIx};
use sdl_model::{SymbolKind, Visibility};

use super::{Context, K, Node};

/// What the extractor remembers between nodes.
#[derive(Debug, Default)]
pub struct State {
    /// Bodies of types that the walk may be in, with who may use what comes next.
    access: Vec<(u32, Visibility)>,
    /// Up to here on the tape, definitions are in a namespace without a name.
    unnamed_until: u32,
    /// A type that a reference already speaks of.
    pub(super) constructed: Option<u32>,
    /// An anonymous function that was opened under the name that it is bound to.
    pub(super) lambda: Option<u32>,
}

impl State {
    /// The walk is about to enter the body of a type.
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
            *now = visibility(node.text());
        }
    }

    pub(super) fn take_innermost(&mut self) -> Option<(u32, Visibility)> {
        self.access.pop()
    }

    pub(super) fn put_innermost(&mut self, access: Option<(u32, Visibility)>) {
        self.access.extend(access);
    }

    pub(super) fn enter_unnamed(&mut self, node: Node<'_>) {
        self.unnamed_until = self.unnamed_until.max(node.next_ix());
    }

    fn member_access(&mut self, node: Node<'_>) -> Visibility {
        self.leave_types(node.ix());
        self.access.last().map_or(Visibility::Public, |(_, now)| *now)
    }
}

fn visibility(text: &str) -> Visibility {
    match text.trim_end_matches([':', ' ']) {
        "private" => Visibility::Private,
        "protected" => Visibility::Protected,
        _ => Visibility::Public,
    }
}

/// Says who may use `def`, which `node` defines; `own` is for a name that the file keeps to itself.
pub(super) fn publish(cx: &mut Context<'_>, def: DefIx, node: Node<'_>, own: bool) {
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
pub(super) fn generics<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) -> Node<'a> {
    let mut whole = node;
    while let Some(around) = whole.parent().filter(|around| around.is(K::TemplateDeclaration)) {
        whole = around;
    }
    if whole != node
        && let Some(list) = whole.child_of(K::TemplateParameterList)
    {
        let text = crate::build::text::fold(list.text(), 200);
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
pub(super) fn bounds<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) {
    let whole = with_template(node);
    let Some(list) = whole.child_of(K::TemplateParameterList) else { return };
    for param in list.children().filter(|param| param.is(K::ParameterDeclaration)) {
        // `template <Concept T>` reads as a parameter of type `Concept`; so does `template <int N>`.
        let ty = param.child(super::F::Type).filter(|ty| !ty.is(K::PrimitiveType));
        let name = param.child(super::F::Declarator).filter(|name| name.is(K::Identifier));
        if let (Some(ty), Some(name)) = (ty, name) {
            let bound: ExprIx = cx.b.out.ty(ty);
            let name = cx.b.out.str(name.text());
            cx.b.def_mut(def).bounds.push((name, bound));
        }
    }
}
