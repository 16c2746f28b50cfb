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

use crate::builder::{EffectTable, Half};
use crate::driver::{Cx, Language, Visit};
use crate::flow::Flow;

pub use kinds::{F, K};

/// Java's extractor.
#[derive(Clone, Copy, Debug)]
pub struct Java;

type Node<'a> = crate::tape::Node<'a, Java>;
type Context<'a> = Cx<'a, Java>;

impl Language for Java {
    type K = K;
    type F = F;
    type State = ();

    const FLOW: Flow = flow::FLOW;

    fn is_comment(kind: K) -> bool {
        matches!(kind, K::LineComment | K::BlockComment)
    }

    fn effects() -> &'static EffectTable {
        &effects::TABLE
    }

    fn enter<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
        match node.kind() {
            K::PackageDeclaration | K::ImportDeclaration | K::ModuleDeclaration => {
                return imports::header(cx, node);
            }
            K::ClassDeclaration => classes::declaration(cx, node, SymbolKind::Class),
            K::RecordDeclaration => classes::declaration(cx, node, SymbolKind::Class),
            K::InterfaceDeclaration | K::AnnotationTypeDeclaration => {
                classes::declaration(cx, node, SymbolKind::Interface);
            }
            K::EnumDeclaration => classes::declaration(cx, node, SymbolKind::Enum),
            K::EnumConstant => classes::enum_constant(cx, node),
            K::ClassBody => classes::anonymous(cx, node),
            K::MethodDeclaration => members::method(cx, node),
            K::ConstructorDeclaration | K::CompactConstructor => members::constructor(cx, node),
            K::AnnotationElement => members::method(cx, node),
            K::VariableDeclarator => members::declarator(cx, node),
            K::EnhancedFor => binds::enhanced_for(cx, node),
            K::CatchParameter => binds::catch(cx, node),
            K::Resource => binds::resource(cx, node),
            K::LambdaExpression => binds::lambda(cx, node),
            K::InstanceofExpression => binds::instance_of(cx, node),
            K::TypePattern | K::RecordPatternComponent => binds::pattern(cx, node),
            K::MarkerAnnotation | K::Annotation => refs::annotation(cx, node),
            K::MethodInvocation => refs::call(cx, node),
            K::ObjectCreation => refs::creation(cx, node),
            K::ExplicitConstructor => refs::explicit_constructor(cx, node),
            K::MethodReference => refs::method_reference(cx, node),
            K::FieldAccess => refs::field_access(cx, node),
            K::Identifier => refs::identifier(cx, node),
            K::TypeIdentifier => refs::type_name(cx, node),
            K::ScopedTypeIdentifier => return refs::scoped_type(cx, node),
            K::ScopedIdentifier => return Visit::Skip,
            K::ThrowStatement => invariants::thrown(cx, node),
            K::AssertStatement => invariants::asserted(cx, node),
            K::IfStatement => invariants::guard(cx, node),
            _ => {}
        }
        Visit::Into
    }

    fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value(half, node)
    }

    fn ty<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        types::ty(half, node)
    }
}
