//! C and C++, which share an extractor: each node that C has means the same in C++.

mod declarators;
mod designators;
mod effects;
mod exprs;
mod flow;
mod functions;
mod imports;
mod invariants;
mod kinds;
mod macros;
mod mask;
mod names;
mod params;
mod platform;
mod predefined;
mod refs;
mod state;
mod typedefs;
mod types;
mod vars;

use std::borrow::Cow;

use sdl_model::Lang;
use sdl_model::facts::ExprIx;

use crate::builder::{EffectTable, Half, Shapes};
use crate::driver::{Language, Visit};
use crate::flow::Flow;

pub use kinds::{CFamily, F, K};
pub use state::State;

use kinds::{Context, Node};

impl Shapes for CFamily {
    fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value_shape(half, node)
    }

    fn ty<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        names::type_shape(half, node)
    }
}

impl Language for CFamily {
    type State = State;

    const FLOW: Flow = flow::FLOW;

    fn effects() -> &'static EffectTable {
        &effects::TABLE
    }

    fn prepare(lang: Lang, bytes: &[u8]) -> Cow<'_, [u8]> {
        mask::mask_source(bytes, lang)
    }

    fn enter<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
        match node.kind() {
            K::FunctionDefinition => return functions::read_function(cx, node),
            K::Declaration => return vars::read_declaration(cx, node),
            K::FieldDeclaration => return vars::read_field(cx, node),
            K::TypeDefinition => typedefs::read_typedef(cx, node),
            K::AliasDeclaration => return typedefs::read_type_alias(cx, node),
            K::ConceptDefinition => return typedefs::read_concept(cx, node),
            K::StructSpecifier | K::UnionSpecifier | K::ClassSpecifier | K::EnumSpecifier => {
                types::read_type_specifier(cx, node);
            }
            K::Enumerator => types::read_enum_member(cx, node),
            K::AccessSpecifier => cx.state.access_specifier(node),
            K::BaseClassClause => return types::bases_left_out(cx, node),
            K::NamespaceDefinition => types::read_namespace(cx, node),
            K::NamespaceAliasDefinition => return imports::namespace_alias(cx, node),
            K::UsingDeclaration => return imports::read_using(cx, node),
            K::PreprocInclude => return imports::read_include(cx, node),
            K::PreprocIf | K::PreprocElif | K::PreprocIfdef | K::PreprocElifdef => {
                state::read_condition(cx, node);
            }
            K::PreprocFunctionDef => return macros::function_like(cx, node),
            K::PreprocDef => return macros::object_like(cx, node),
            K::PreprocCall => {
                state::undefine_macro(cx, node);
                return Visit::Skip;
            }
            K::PreprocDefined => return Visit::Skip,
            K::FriendDeclaration => return functions::read_friend(cx, node),
            K::ForRangeLoop => vars::for_range(cx, node),
            K::CatchClause => params::bind_catch(cx, node),
            K::LambdaExpression => params::bind_lambda_params(cx, node),
            K::LambdaCaptureInitializer => vars::bind_capture(cx, node),
            K::ReturnStatement => invariants::read_return(cx, node),
            K::ThrowStatement => invariants::read_throw(cx, node),
            K::IfStatement => invariants::read_guard(cx, node),
            K::StaticAssert => invariants::static_assert(cx, node),
            K::CallExpression => refs::read_call(cx, node),
            K::NewExpression => refs::read_creation(cx, node),
            K::CompoundLiteral => refs::read_compound_literal(cx, node),
            K::FieldInitializer => refs::field_initializer(cx, node),
            K::FieldExpression => return refs::read_member(cx, node),
            K::QualifiedIdentifier => return refs::read_qualified_name(cx, node),
            K::Identifier => refs::read_identifier(cx, node),
            K::TypeIdentifier => refs::type_identifier(cx, node),
            K::InitializerList => designators::read_list(cx, node),
            K::FieldDesignator => {
                designators::read_designator(cx, node);
                return Visit::Skip;
            }
            K::AttributeSpecifier
            | K::AttributeDeclaration
            | K::MsDeclspecModifier
            | K::OffsetofExpression
            | K::NamespaceIdentifier
            | K::StringLiteral => return Visit::Skip,
            _ => {}
        }
        Visit::Into
    }

    fn finish(cx: &mut Context<'_>) {
        state::mark_other_systems(cx);
    }
}
