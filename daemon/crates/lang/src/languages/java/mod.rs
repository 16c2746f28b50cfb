//! Java.

mod binds;
mod classes;
mod effects;
mod exprs;
mod flow;
mod imports;
mod invariants;
mod kinds;
mod members;
mod modifiers;
mod params;
mod refs;
mod types;

use sdl_model::SymbolKind;
use sdl_model::facts::ExprIx;

use crate::builder::{EffectTable, Half, Shapes};
use crate::driver::{Language, Visit};
use crate::flow::Flow;

pub use kinds::{F, Java, K};

use kinds::{Context, Node};

impl Shapes for Java {
    fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value_shape(half, node)
    }

    fn ty<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        types::type_shape(half, node)
    }
}

impl Language for Java {
    type State = ();

    const FLOW: Flow = flow::FLOW;
    const STANDS_ALONE: bool = true;

    fn effects() -> &'static EffectTable {
        &effects::TABLE
    }

    fn enter<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
        match node.kind() {
            K::PackageDeclaration | K::ImportDeclaration | K::ModuleDeclaration => {
                return imports::read_header(cx, node);
            }
            K::ClassDeclaration => classes::read_class(cx, node, SymbolKind::Class),
            K::RecordDeclaration => classes::read_class(cx, node, SymbolKind::Class),
            K::InterfaceDeclaration | K::AnnotationTypeDeclaration => {
                classes::read_class(cx, node, SymbolKind::Interface);
            }
            K::EnumDeclaration => classes::read_class(cx, node, SymbolKind::Enum),
            K::EnumConstant => classes::enum_constant(cx, node),
            K::ClassBody => classes::read_anonymous_class(cx, node),
            K::MethodDeclaration => members::read_method(cx, node),
            K::ConstructorDeclaration | K::CompactConstructor => members::read_constructor(cx, node),
            K::AnnotationElement => members::read_method(cx, node),
            K::VariableDeclarator => members::read_declarator(cx, node),
            K::EnhancedFor => binds::enhanced_for(cx, node),
            K::CatchParameter => binds::bind_catch(cx, node),
            K::Resource => binds::bind_resource(cx, node),
            K::LambdaExpression => binds::bind_lambda_params(cx, node),
            K::InstanceofExpression => binds::instance_of(cx, node),
            K::TypePattern | K::RecordPatternComponent => binds::bind_pattern(cx, node),
            K::MarkerAnnotation | K::Annotation => refs::read_annotation(cx, node),
            K::MethodInvocation => refs::read_call(cx, node),
            K::ObjectCreation => refs::read_creation(cx, node),
            K::ExplicitConstructor => refs::explicit_constructor(cx, node),
            K::MethodReference => refs::method_reference(cx, node),
            K::FieldAccess => refs::field_access(cx, node),
            K::Identifier => refs::read_identifier(cx, node),
            K::TypeIdentifier => refs::type_name(cx, node),
            K::ScopedTypeIdentifier => return refs::scoped_type(cx, node),
            K::ScopedIdentifier => return Visit::Skip,
            K::ThrowStatement => invariants::read_throw(cx, node),
            K::AssertStatement => invariants::read_assert(cx, node),
            K::IfStatement => invariants::read_guard(cx, node),
            _ => {}
        }
        Visit::Into
    }
}
