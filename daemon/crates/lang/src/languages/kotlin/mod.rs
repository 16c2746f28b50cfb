//! Kotlin.

mod binds;
mod classes;
mod effects;
mod exprs;
mod flow;
mod functions;
mod imports;
mod invariants;
mod kinds;
mod mask;
mod modifiers;
mod params;
mod properties;
mod refs;
mod state;
mod types;

use std::borrow::Cow;

use sdl_model::Lang;
use sdl_model::facts::ExprIx;

use crate::builder::{EffectTable, Half, Shapes};
use crate::driver::{Language, Visit};
use crate::flow::Flow;

pub use kinds::{F, K, Kotlin};
pub use state::State;

use kinds::{Context, Node};

impl Shapes for Kotlin {
    fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value_shape(half, node)
    }

    fn ty<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        types::type_shape(half, node)
    }
}

impl Language for Kotlin {
    type State = State;

    const FLOW: Flow = flow::FLOW;

    fn effects() -> &'static EffectTable {
        &effects::TABLE
    }

    fn prepare(_lang: Lang, bytes: &[u8]) -> Cow<'_, [u8]> {
        mask::mask_source(bytes)
    }

    fn enter<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
        match node.kind() {
            K::PackageHeader => return imports::read_package(cx, node),
            K::Import => return imports::read_import(cx, node),
            K::ThisExpression | K::Label | K::UseSiteTarget => return Visit::Skip,
            K::ClassDeclaration | K::ObjectDeclaration => classes::read_class(cx, node),
            K::CompanionObject => classes::read_companion(cx, node),
            K::ObjectLiteral => classes::read_object_literal(cx, node),
            K::EnumEntry => classes::read_enum_member(cx, node),
            K::ClassParameter => classes::read_param_property(cx, node),
            K::TypeAlias => classes::read_type_alias(cx, node),
            K::FunctionDeclaration => functions::read_function(cx, node),
            K::SecondaryConstructor => functions::read_constructor(cx, node),
            K::AnonymousFunction => functions::read_anonymous_function(cx, node),
            K::LambdaLiteral => functions::read_lambda(cx, node),
            K::PropertyDeclaration => properties::read_property(cx, node),
            K::Setter => properties::read_setter(cx, node),
            K::FunctionBody => functions::read_expression_body(cx, node),
            K::ReturnExpression => functions::read_return(cx, node),
            K::ForStatement => binds::for_loop(cx, node),
            K::CatchBlock => binds::bind_catch(cx, node),
            K::WhenSubject => binds::when_subject(cx, node),
            K::WhenEntry => binds::when_entry(cx, node),
            K::IfExpression => {
                binds::narrow_if(cx, node);
                invariants::read_guard(cx, node);
            }
            K::BinaryExpression => binds::narrow_logical(cx, node),
            K::AsExpression => binds::narrow_cast(cx, node),
            K::ThrowExpression => invariants::read_throw(cx, node),
            K::DelegationSpecifier => classes::read_base(cx, node),
            K::ConstructorDelegationCall => refs::delegation_call(cx, node),
            K::ConstructorInvocation => refs::constructor_invocation(cx, node),
            K::Annotation => refs::read_annotation(cx, node),
            K::CallExpression => refs::read_call(cx, node),
            K::NavigationExpression => refs::read_member(cx, node),
            K::InfixExpression => refs::read_infix_call(cx, node),
            K::CallableReference => refs::callable_reference(cx, node),
            K::UserType => refs::user_type(cx, node),
            K::Identifier => refs::read_identifier(cx, node),
            _ => {}
        }
        Visit::Into
    }
}
