//! PHP.

mod binds;
mod classes;
mod docs;
mod effects;
mod exprs;
mod flow;
mod functions;
mod imports;
mod invariants;
mod kinds;
mod narrow;
mod refs;
mod types;

use sdl_model::SymbolKind;
use sdl_model::facts::ExprIx;

use crate::builder::{EffectTable, Half};
use crate::driver::{Cx, Language, Visit};
use crate::flow::Flow;

pub use kinds::{F, K};

/// PHP's extractor.
#[derive(Clone, Copy, Debug)]
pub struct Php;

type Node<'a> = crate::tape::Node<'a, Php>;
type Context<'a> = Cx<'a, Php>;

impl Language for Php {
    type K = K;
    type F = F;
    type State = imports::State;

    const FLOW: Flow = flow::FLOW;

    const FUNCTION_SCOPED: bool = true;

    fn is_comment(kind: K) -> bool {
        kind == K::Comment
    }

    fn effects() -> &'static EffectTable {
        &effects::TABLE
    }

    fn begin(cx: &mut Context<'_>, root: Node<'_>) {
        imports::count_namespaces(cx, root);
    }

    fn enter<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
        match node.kind() {
            K::NamespaceDefinition => imports::namespace(cx, node),
            K::UseStatement => return imports::uses(cx, node),
            K::Require | K::RequireOnce | K::Include | K::IncludeOnce => imports::include(cx, node),
            K::ClassDeclaration => classes::declaration(cx, node, SymbolKind::Class),
            K::InterfaceDeclaration => classes::declaration(cx, node, SymbolKind::Interface),
            K::TraitDeclaration => classes::declaration(cx, node, SymbolKind::Trait),
            K::EnumDeclaration => classes::declaration(cx, node, SymbolKind::Enum),
            K::AnonymousClass => classes::anonymous(cx, node),
            K::EnumCase => classes::case(cx, node),
            K::ConstElement => classes::constant(cx, node),
            K::PropertyElement => classes::property(cx, node),
            K::UseDeclaration => return classes::mixins(cx, node),
            K::BaseClause | K::ClassInterfaceClause | K::NamespaceName => return Visit::Skip,
            K::FunctionDefinition => functions::function(cx, node),
            K::MethodDeclaration => functions::method(cx, node),
            K::AnonymousFunction | K::ArrowFunction => functions::closure(cx, node),
            K::Assignment => binds::assignment(cx, node),
            K::Foreach => binds::foreach(cx, node),
            K::CatchClause => binds::catch(cx, node),
            K::GlobalDeclaration => binds::global(cx, node),
            K::StaticVariable => binds::static_variable(cx, node),
            K::FunctionCall => refs::call(cx, node),
            K::MemberCall | K::NullsafeMemberCall => refs::member_call(cx, node),
            K::ScopedCall => refs::scoped_call(cx, node),
            K::ObjectCreation => refs::creation(cx, node),
            K::MemberAccess | K::NullsafeMemberAccess => refs::member(cx, node),
            K::ScopedPropertyAccess | K::ClassConstantAccess => refs::scoped(cx, node),
            K::Attribute => refs::attribute(cx, node),
            K::Subscript => refs::subscript(cx, node),
            K::Name | K::QualifiedName | K::RelativeName => return refs::name(cx, node),
            K::VariableName | K::RelativeScope | K::Goto => return Visit::Skip,
            K::Return | K::Yield => functions::gives(cx, node),
            K::If => narrow::condition(cx, node),
            K::Conditional => narrow::choice(cx, node),
            K::Binary => narrow::both(cx, node),
            K::Throw => invariants::thrown(cx, node),
            _ => {}
        }
        Visit::Into
    }

    fn comment<'a>(cx: &mut Context<'a>, node: Node<'a>) {
        docs::comment(cx, node);
    }

    fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value(half, node)
    }

    fn ty<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        types::ty(half, node)
    }
}
