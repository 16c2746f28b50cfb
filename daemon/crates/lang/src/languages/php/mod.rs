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
mod state;
mod types;

use sdl_model::SymbolKind;
use sdl_model::facts::ExprIx;

use crate::builder::{EffectTable, Half, Shapes};
use crate::driver::{Language, Visit};
use crate::flow::Flow;

pub use kinds::{F, K, Php};
pub use state::State;

use kinds::{Context, Node};

impl Shapes for Php {
    fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value_shape(half, node)
    }

    fn ty<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        types::type_shape(half, node)
    }
}

impl Language for Php {
    type State = State;

    const FLOW: Flow = flow::FLOW;

    fn effects() -> &'static EffectTable {
        &effects::TABLE
    }

    fn begin(cx: &mut Context<'_>, root: Node<'_>) {
        imports::count_namespaces(cx, root);
    }

    fn enter<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
        match node.kind() {
            K::NamespaceDefinition => imports::read_namespace(cx, node),
            K::UseStatement => return imports::read_use(cx, node),
            K::Require | K::RequireOnce | K::Include | K::IncludeOnce => imports::read_include(cx, node),
            K::ClassDeclaration => classes::read_class(cx, node, SymbolKind::Class),
            K::InterfaceDeclaration => classes::read_class(cx, node, SymbolKind::Interface),
            K::TraitDeclaration => classes::read_class(cx, node, SymbolKind::Trait),
            K::EnumDeclaration => classes::read_class(cx, node, SymbolKind::Enum),
            K::AnonymousClass => classes::read_anonymous_class(cx, node),
            K::EnumCase => classes::read_enum_member(cx, node),
            K::ConstElement => classes::read_constant(cx, node),
            K::PropertyElement => classes::read_property(cx, node),
            K::UseDeclaration => return classes::read_trait_use(cx, node),
            K::BaseClause | K::ClassInterfaceClause | K::NamespaceName => return Visit::Skip,
            K::FunctionDefinition => functions::read_function(cx, node),
            K::MethodDeclaration => functions::read_method(cx, node),
            K::AnonymousFunction | K::ArrowFunction => functions::read_closure(cx, node),
            K::Assignment => binds::read_assignment(cx, node),
            K::Foreach => binds::bind_foreach(cx, node),
            K::CatchClause => binds::bind_catch(cx, node),
            K::GlobalDeclaration => binds::bind_global(cx, node),
            K::StaticVariable => binds::static_variable(cx, node),
            K::FunctionCall => refs::read_call(cx, node),
            K::MemberCall | K::NullsafeMemberCall => refs::member_call(cx, node),
            K::ScopedCall => refs::scoped_call(cx, node),
            K::ObjectCreation => refs::read_creation(cx, node),
            K::MemberAccess | K::NullsafeMemberAccess => refs::read_member(cx, node),
            K::ScopedPropertyAccess | K::ClassConstantAccess => refs::read_scoped_member(cx, node),
            K::Attribute => refs::read_attribute(cx, node),
            K::Subscript => refs::read_subscript(cx, node),
            K::Name | K::QualifiedName | K::RelativeName => return refs::read_name(cx, node),
            K::VariableName | K::RelativeScope | K::Goto => return Visit::Skip,
            K::Return | K::Yield => functions::read_return(cx, node),
            K::If => narrow::narrow_if(cx, node),
            K::Conditional => narrow::narrow_ternary(cx, node),
            K::Binary => narrow::narrow_logical(cx, node),
            K::Throw => invariants::read_throw(cx, node),
            _ => {}
        }
        Visit::Into
    }

    fn comment<'a>(cx: &mut Context<'a>, node: Node<'a>) {
        docs::read_var_comment(cx, node);
    }
}
