//! Rust.

mod arms;
mod attrs;
mod blocks;
mod docs;
mod effects;
mod elements;
mod exprs;
mod flow;
mod generics;
mod headers;
mod imports;
mod invariants;
mod items;
mod kinds;
mod mask;
mod members;
mod names;
mod params;
mod patterns;
mod refs;
mod state;
mod tokens;
mod tuples;
mod types;

use std::borrow::Cow;

use sdl_model::Lang;
use sdl_model::facts::ExprIx;

use crate::builder::{EffectTable, Half, Shapes};
use crate::driver::{Language, Visit};
use crate::flow::Flow;

pub use kinds::{F, K, Rust};
pub use state::State;

use kinds::{Context, Node};

impl Shapes for Rust {
    fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value_shape(half, node)
    }

    fn ty<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        types::type_shape(half, node)
    }
}

impl Language for Rust {
    type State = State;

    const FLOW: Flow = flow::FLOW;
    const STANDS_ALONE: bool = true;

    fn effects() -> &'static EffectTable {
        &effects::TABLE
    }

    fn prepare(_lang: Lang, bytes: &[u8]) -> Cow<'_, [u8]> {
        mask::mask_source(bytes)
    }

    fn begin(cx: &mut Context<'_>, root: Node<'_>) {
        if let Some(doc) = docs::inner_doc(root) {
            cx.b.doc(sdl_model::facts::DefIx::MODULE, &doc);
        }
    }

    fn enter<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
        if blocks::is_item(node.kind()) {
            if node.is(K::ModItem) && imports::module_file(cx, node) == Visit::Skip {
                return Visit::Skip;
            }
            if node.ix() >= cx.state.attributes_until {
                items::read_item(cx, node, node);
            }
            return Visit::Into;
        }
        match node.kind() {
            K::AttributeItem => return attrs::read_attribute(cx, node),
            K::InnerAttribute | K::VisibilityModifier | K::Label | K::Lifetime | K::LifetimeParameter => {
                return Visit::Skip;
            }
            K::TokenTreePattern | K::SelfParameter => return Visit::Skip,
            K::UseDeclaration => return imports::read_use(cx, node),
            K::ExternCrate => return imports::extern_crate(cx, node),
            K::Parameter => params::pattern_range(cx, node),
            K::ClosureExpression => params::bind_closure_params(cx, node),
            K::LetDeclaration => patterns::let_declaration(cx, node),
            K::LetCondition => patterns::let_condition(cx, node),
            K::MatchArm => patterns::match_arm(cx, node),
            K::ForExpression => patterns::for_expression(cx, node),
            K::ReturnExpression => invariants::read_return(cx, node),
            K::IfExpression => invariants::read_guard(cx, node),
            K::CallExpression => refs::read_call(cx, node),
            K::MacroInvocation => refs::macro_call(cx, node),
            K::AssignmentExpression | K::CompoundAssignment => refs::note_static_write(cx, node),
            K::TokenTree | K::TokenRepetition => return tokens::read_token_tree(cx, node),
            K::FieldExpression => refs::read_member(cx, node),
            K::FieldInitializer | K::FieldPattern => refs::read_field_name(cx, node),
            K::ScopedIdentifier | K::ScopedTypeIdentifier => refs::read_path(cx, node),
            K::Identifier => refs::read_identifier(cx, node),
            K::TypeIdentifier => refs::type_name(cx, node),
            _ => {}
        }
        Visit::Into
    }

    fn finish(cx: &mut Context<'_>) {
        items::mark_exports(cx);
    }
}
