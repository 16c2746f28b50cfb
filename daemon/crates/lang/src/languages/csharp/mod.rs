//! C#.

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
mod mask;
mod members;
mod modifiers;
mod params;
mod refs;
mod scopes;
mod state;
mod types;

use std::borrow::Cow;

use sdl_model::Lang;
use sdl_model::facts::ExprIx;

use crate::builder::{EffectTable, Half, Shapes};
use crate::driver::{Language, Visit};
use crate::flow::Flow;

pub use kinds::{CSharp, F, K};
pub use state::State;

use kinds::{Context, Node};

impl Shapes for CSharp {
    fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value_shape(half, node)
    }

    fn ty<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        types::type_shape(half, node)
    }
}

impl Language for CSharp {
    type State = State;

    const FLOW: Flow = flow::FLOW;

    fn prepare(_lang: Lang, bytes: &[u8]) -> Cow<'_, [u8]> {
        mask::mask_source(bytes)
    }

    fn effects() -> &'static EffectTable {
        &effects::TABLE
    }

    fn begin(cx: &mut Context<'_>, root: Node<'_>) {
        imports::sole_namespace(cx, root);
    }

    fn enter<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
        match node.kind() {
            K::UsingDirective => return imports::read_using(cx, node),
            K::FileScopedNamespace => return imports::file_scoped(cx, node),
            K::NamespaceDeclaration => imports::read_namespace(cx, node),
            K::ExternAlias | K::Modifier | K::ExplicitInterface => return Visit::Skip,
            K::ClassDeclaration | K::StructDeclaration | K::RecordDeclaration | K::InterfaceDeclaration => {
                classes::read_class(cx, node);
            }
            K::EnumDeclaration => classes::read_enum(cx, node),
            K::EnumMember => classes::enum_member(cx, node),
            K::DelegateDeclaration => classes::read_delegate(cx, node),
            K::MethodDeclaration
            | K::ConstructorDeclaration
            | K::DestructorDeclaration
            | K::OperatorDeclaration
            | K::ConversionOperator => functions::read_method(cx, node),
            K::LocalFunction => functions::read_local_function(cx, node),
            K::Lambda | K::AnonymousMethod => functions::read_lambda(cx, node),
            K::PropertyDeclaration | K::IndexerDeclaration | K::EventDeclaration => {
                members::read_property(cx, node);
            }
            K::AccessorDeclaration => members::read_accessor(cx, node),
            K::VariableDeclarator => members::read_declarator(cx, node),
            K::Foreach => binds::bind_foreach(cx, node),
            K::CatchDeclaration | K::DeclarationExpression | K::DeclarationPattern | K::RecursivePattern => {
                binds::bind_typed_pattern(cx, node);
            }
            K::VarPattern => binds::var_pattern(cx, node),
            K::FromClause => binds::from_clause(cx, node),
            K::LetClause => binds::let_clause(cx, node),
            K::JoinClause => binds::join_clause(cx, node),
            K::TuplePattern => binds::bind_tuple_pattern(cx, node),
            K::Assignment => binds::read_assignment(cx, node),
            K::If => invariants::read_guard(cx, node),
            K::Throw | K::ThrowExpression => invariants::read_throw(cx, node),
            K::Return | K::Yield | K::ArrowClause => functions::read_return(cx, node),
            K::Attribute => refs::read_attribute(cx, node),
            K::ConstructorInitializer => refs::constructor_initializer(cx, node),
            K::PrimaryBase => refs::primary_base(cx, node),
            K::BaseList => classes::base_arguments(cx, node),
            K::Invocation => return refs::read_call(cx, node),
            K::ObjectCreation => refs::read_creation(cx, node),
            K::ImplicitObjectCreation => refs::implicit_creation(cx, node),
            K::ElementAccess => refs::element_access(cx, node),
            K::MemberAccess => refs::member_access(cx, node),
            K::MemberBinding => refs::member_binding(cx, node),
            K::QualifiedName | K::AliasQualifiedName => refs::read_qualified_name(cx, node),
            K::GenericName => refs::generic_name(cx, node),
            K::Identifier => refs::read_identifier(cx, node),
            // A condition of the preprocessor names no symbol of the program.
            _ if node.field() == F::Condition
                && matches!(node.parent_kind(), Some(K::PreprocIf | K::PreprocElif)) =>
            {
                return Visit::Skip;
            }
            _ => {}
        }
        Visit::Into
    }
}
