//! JavaScript, TypeScript and TSX.

mod calls;
mod classes;
mod commonjs;
mod doc_tags;
mod effects;
mod exports;
mod exprs;
mod flow;
mod functions;
mod headers;
mod held;
mod hooks;
mod imports;
mod invariants;
mod joins;
mod jsdoc;
mod jsdoc_types;
mod keys;
mod kinds;
mod mask;
mod methods;
mod names;
mod narrow;
mod objects;
mod params;
mod patterns;
mod refs;
mod state;
mod tables;
mod typedefs;
mod types;
mod vars;
mod written_params;

use std::borrow::Cow;

use sdl_model::Lang;
use sdl_model::facts::ExprIx;

use crate::builder::{EffectTable, Half, Shapes};
use crate::driver::{Language, Visit};
use crate::flow::Flow;

pub use kinds::{Ecma, F, K};
pub use state::State;

use kinds::{Context, Node};

impl Shapes for Ecma {
    fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value_shape(half, node)
    }

    fn ty<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        types::type_shape(half, node)
    }
}

impl Language for Ecma {
    type State = State;

    const FLOW: Flow = flow::FLOW;

    fn effects() -> &'static EffectTable {
        &effects::TABLE
    }

    fn prepare(lang: Lang, bytes: &[u8]) -> Cow<'_, [u8]> {
        if lang == Lang::JavaScript { mask::mask_clauses(bytes) } else { mask::mask_source(bytes) }
    }

    fn begin(cx: &mut Context<'_>, root: Node<'_>) {
        names::module_doc(cx, root);
        jsdoc::read_type_imports(cx, root);
    }

    fn enter<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
        match node.kind() {
            K::Identifier => refs::read_identifier(cx, node),
            K::MemberExpression => return refs::read_member(cx, node),
            K::SubscriptExpression => refs::read_subscript(cx, node),
            K::CallExpression => refs::read_call(cx, node),
            K::NewExpression => refs::read_creation(cx, node),
            K::TypeIdentifier => refs::type_name(cx, node),
            K::NestedTypeIdentifier => return refs::qualified_type(cx, node),
            K::VariableDeclarator => vars::read_declarator(cx, node),
            K::AssignmentExpression => commonjs::read_assignment(cx, node),
            K::ArrowFunction | K::FunctionExpression | K::GeneratorFunction => {
                return functions::read_function_expression(cx, node);
            }
            K::FunctionDeclaration | K::GeneratorFunctionDeclaration | K::FunctionSignature => {
                return functions::read_function(cx, node);
            }
            K::MethodDefinition | K::MethodSignature | K::AbstractMethodSignature => {
                return methods::read_method(cx, node);
            }
            K::Object | K::ObjectType => cx.state.enter_object(node),
            K::Pair => objects::read_pair(cx, node),
            K::ShorthandProperty => {
                objects::read_shorthand(cx, node);
                refs::read_identifier(cx, node);
            }
            K::SpreadElement => {
                objects::read_spread(cx, node);
                if let Some(whole) = node.first().filter(|_| node.parent_kind() != Some(K::Object)) {
                    held::iterate_over(cx, whole);
                }
            }
            K::ReturnStatement => functions::read_return(cx, node),
            K::YieldExpression => functions::read_yield(cx, node),
            K::ThrowStatement => invariants::read_throw(cx, node),
            K::IfStatement => {
                invariants::read_guard(cx, node);
                narrow::narrow_if(cx, node);
            }
            K::BinaryExpression => narrow::narrow_logical(cx, node),
            K::TernaryExpression => narrow::narrow_ternary(cx, node),
            K::ForInStatement => vars::for_in(cx, node),
            K::CatchClause => vars::bind_catch(cx, node),
            K::ClassDeclaration | K::AbstractClassDeclaration | K::Class => {
                return classes::read_class(cx, node);
            }
            K::ClassStaticBlock => return classes::static_block(cx, node),
            K::FieldDefinition | K::PublicFieldDefinition => classes::read_field(cx, node),
            K::Decorator => return classes::read_decorator(cx, node),
            K::InterfaceDeclaration => classes::read_interface(cx, node),
            K::PropertySignature => classes::read_property(cx, node),
            K::TypeAliasDeclaration => classes::read_type_alias(cx, node),
            K::EnumDeclaration => classes::read_enum(cx, node),
            K::EnumAssignment | K::PropertyIdentifier | K::String | K::Number => {
                classes::enum_member(cx, node)
            }
            K::InternalModule | K::Module => classes::read_namespace(cx, node),
            K::ImportStatement => return imports::read_import(cx, node),
            K::ImportAlias => return classes::import_alias(cx, node),
            K::ExportStatement => return imports::read_export(cx, node),
            _ => {}
        }
        if joins::has_branches(node) {
            joins::enter_branches(cx);
            return Visit::IntoThenLeave;
        }
        Visit::Into
    }

    fn comment<'a>(cx: &mut Context<'a>, node: Node<'a>) {
        if cx.lang == Lang::JavaScript {
            typedefs::read_typedefs(cx, node);
        }
    }

    fn leave<'a>(cx: &mut Context<'a>, node: Node<'a>) {
        if joins::has_branches(node) {
            joins::join_branches(cx, node);
        } else {
            state::leave_body(cx, node);
        }
    }

    fn finish(cx: &mut Context<'_>) {
        state::settle_locals(cx);
        names::mark_exports(cx);
    }
}
