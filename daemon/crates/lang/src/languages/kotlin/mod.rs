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
mod types;

use std::borrow::Cow;

use sdl_model::facts::{DefIx, ExprIx};
use sdl_model::{Lang, SymbolKind};

use crate::builder::{EffectTable, Half};
use crate::driver::{Cx, Language, Visit};
use crate::flow::Flow;

pub use kinds::{F, K};

/// Kotlin's extractor.
#[derive(Clone, Copy, Debug)]
pub struct Kotlin;

type Node<'a> = crate::tape::Node<'a, Kotlin>;
type Context<'a> = Cx<'a, Kotlin>;

/// What must be remembered between nodes.
#[derive(Debug, Default)]
pub struct State {
    /// The functions around: one past their last place on the tape, and their definition. A lambda is none: `return`
    /// in it leaves the function around it.
    functions: Vec<(u32, Option<DefIx>)>,
}

impl State {
    /// The definition of the innermost function around `node`; none in an anonymous one.
    fn function(&mut self, node: Node<'_>) -> Option<DefIx> {
        while self.functions.last().is_some_and(|(end, _)| *end <= node.ix()) {
            self.functions.pop();
        }
        self.functions.last().and_then(|(_, def)| *def)
    }

    fn enter_function(&mut self, node: Node<'_>, def: Option<DefIx>) {
        let _ = self.function(node);
        self.functions.push((node.next_ix(), def));
    }
}

impl Language for Kotlin {
    type K = K;
    type F = F;
    type State = State;

    const FLOW: Flow = flow::FLOW;

    fn is_comment(kind: K) -> bool {
        matches!(kind, K::LineComment | K::BlockComment)
    }

    fn effects() -> &'static EffectTable {
        &effects::TABLE
    }

    fn reopens(kind: SymbolKind) -> bool {
        kind == SymbolKind::Namespace
    }

    fn prepare(_lang: Lang, bytes: &[u8]) -> Cow<'_, [u8]> {
        mask::mask(bytes)
    }

    fn enter<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
        match node.kind() {
            K::PackageHeader => return imports::package(cx, node),
            K::Import => return imports::import(cx, node),
            K::ThisExpression | K::Label | K::UseSiteTarget => return Visit::Skip,
            K::ClassDeclaration | K::ObjectDeclaration => classes::class(cx, node),
            K::CompanionObject => classes::companion(cx, node),
            K::ObjectLiteral => classes::literal(cx, node),
            K::EnumEntry => classes::entry(cx, node),
            K::ClassParameter => classes::parameter(cx, node),
            K::TypeAlias => classes::alias(cx, node),
            K::FunctionDeclaration => functions::declaration(cx, node),
            K::SecondaryConstructor => functions::constructor(cx, node),
            K::AnonymousFunction => functions::anonymous(cx, node),
            K::LambdaLiteral => functions::lambda(cx, node),
            K::PropertyDeclaration => properties::property(cx, node),
            K::Setter => properties::setter(cx, node),
            K::FunctionBody => functions::body(cx, node),
            K::ReturnExpression => functions::returns(cx, node),
            K::ForStatement => binds::for_loop(cx, node),
            K::CatchBlock => binds::catch(cx, node),
            K::WhenSubject => binds::when_subject(cx, node),
            K::WhenEntry => binds::when_entry(cx, node),
            K::IfExpression => {
                binds::narrowed(cx, node);
                invariants::guard(cx, node);
            }
            K::BinaryExpression => binds::both(cx, node),
            K::AsExpression => binds::cast(cx, node),
            K::ThrowExpression => invariants::throw(cx, node),
            K::DelegationSpecifier => classes::base(cx, node),
            K::ConstructorDelegationCall => refs::delegation_call(cx, node),
            K::ConstructorInvocation => refs::constructor_invocation(cx, node),
            K::Annotation => refs::annotation(cx, node),
            K::CallExpression => refs::call(cx, node),
            K::NavigationExpression => refs::navigation(cx, node),
            K::InfixExpression => refs::infix(cx, node),
            K::CallableReference => refs::callable_reference(cx, node),
            K::UserType => refs::user_type(cx, node),
            K::Identifier => refs::identifier(cx, node),
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
