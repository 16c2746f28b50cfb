//! JavaScript, TypeScript and TSX.

mod classes;
mod commonjs;
mod effects;
mod exprs;
mod flow;
mod functions;
mod imports;
mod invariants;
mod jsdoc;
mod jsdoc_types;
mod kinds;
mod mask;
mod names;
mod narrow;
mod objects;
mod params;
mod patterns;
mod refs;
mod state;
mod types;
mod vars;

use std::borrow::Cow;

use sdl_model::facts::ExprIx;
use sdl_model::{Lang, SymbolKind};

use crate::builder::{EffectTable, Half};
use crate::driver::{Cx, Language, Visit};
use crate::flow::Flow;
use crate::tokens::Style;

pub use kinds::{F, K};
pub use state::State;

type Node<'a> = crate::tape::Node<'a, Ecma>;
type Context<'a> = Cx<'a, Ecma>;

/// JavaScript, TypeScript and TSX.
#[derive(Clone, Copy, Debug)]
pub struct Ecma;

impl Language for Ecma {
    type K = K;
    type F = F;
    type State = State;

    const FLOW: Flow = flow::FLOW;

    // A function may use a variable that is declared behind it.
    const FUNCTION_SCOPED: bool = true;
    const DETACHED_DOCS: bool = true;
    const STYLE: Style = Style { optional_semicolons: true, either_quote: true };

    fn is_comment(kind: K) -> bool {
        matches!(kind, K::Comment | K::HtmlComment | K::HashBang)
    }

    fn effects() -> &'static EffectTable {
        &effects::TABLE
    }

    /// Interfaces and namespaces may be written in several pieces.
    fn reopens(kind: SymbolKind) -> bool {
        matches!(kind, SymbolKind::Namespace | SymbolKind::Interface)
    }

    fn prepare(lang: Lang, bytes: &[u8]) -> Cow<'_, [u8]> {
        if lang == Lang::JavaScript { mask::clauses(bytes) } else { mask::mask(bytes) }
    }

    fn begin(cx: &mut Context<'_>, root: Node<'_>) {
        names::module_doc(cx, root);
        jsdoc::module(cx, root);
    }

    fn enter<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
        match node.kind() {
            K::Identifier => refs::identifier(cx, node),
            K::MemberExpression => return refs::member(cx, node),
            K::SubscriptExpression => refs::subscript(cx, node),
            K::CallExpression => refs::call(cx, node),
            K::NewExpression => refs::construct(cx, node),
            K::TypeIdentifier => refs::type_name(cx, node),
            K::NestedTypeIdentifier => return refs::qualified_type(cx, node),
            K::VariableDeclarator => vars::declarator(cx, node),
            K::AssignmentExpression => commonjs::assignment(cx, node),
            K::ArrowFunction | K::FunctionExpression | K::GeneratorFunction => {
                return functions::expression(cx, node);
            }
            K::FunctionDeclaration | K::GeneratorFunctionDeclaration | K::FunctionSignature => {
                return functions::declaration(cx, node);
            }
            K::MethodDefinition | K::MethodSignature | K::AbstractMethodSignature => {
                return functions::method(cx, node);
            }
            K::Object | K::ObjectType => cx.state.enter_object(node),
            K::Pair => objects::pair(cx, node),
            K::ShorthandProperty => {
                objects::shorthand(cx, node);
                refs::identifier(cx, node);
            }
            K::SpreadElement => objects::spread(cx, node),
            K::ReturnStatement => functions::returned(cx, node),
            K::YieldExpression => functions::yielded(cx, node),
            K::ThrowStatement => invariants::thrown(cx, node),
            K::IfStatement => {
                invariants::guard(cx, node);
                narrow::branch(cx, node);
            }
            K::BinaryExpression => narrow::both(cx, node),
            K::TernaryExpression => narrow::choice(cx, node),
            K::ForInStatement => vars::for_in(cx, node),
            K::CatchClause => vars::caught(cx, node),
            K::ClassDeclaration | K::AbstractClassDeclaration | K::Class => return classes::class(cx, node),
            K::ClassStaticBlock => return classes::static_block(cx, node),
            K::FieldDefinition | K::PublicFieldDefinition => classes::field(cx, node),
            K::Decorator => return classes::decorator(cx, node),
            K::InterfaceDeclaration => classes::interface(cx, node),
            K::PropertySignature => classes::property(cx, node),
            K::TypeAliasDeclaration => classes::alias(cx, node),
            K::EnumDeclaration => classes::enumeration(cx, node),
            K::EnumAssignment | K::PropertyIdentifier | K::String | K::Number => {
                classes::enum_member(cx, node)
            }
            K::InternalModule | K::Module => classes::namespace(cx, node),
            K::ImportStatement => return imports::import(cx, node),
            K::ImportAlias => return classes::import_alias(cx, node),
            K::ExportStatement => return imports::export(cx, node),
            _ => {}
        }
        Visit::Into
    }

    fn comment<'a>(cx: &mut Context<'a>, node: Node<'a>) {
        if cx.lang == Lang::JavaScript {
            jsdoc_types::comment(cx, node);
        }
    }

    fn leave<'a>(cx: &mut Context<'a>, node: Node<'a>) {
        state::leave(cx, node);
    }

    fn finish(cx: &mut Context<'_>) {
        state::settle_locals(cx);
        names::finish(cx);
    }

    fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value(half, node)
    }

    fn ty<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        types::ty(half, node)
    }
}
