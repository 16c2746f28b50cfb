//! Lua, 5.1 to 5.5.

mod docs;
mod effects;
mod exprs;
mod flow;
mod functions;
mod imports;
mod invariants;
mod kinds;
mod names;
mod params;
mod refs;
mod returns;
mod scopes;
mod state;
mod survey;
mod tables;
mod vars;

use sdl_model::facts::ExprIx;

use crate::builder::{EffectTable, Half, Shapes};
use crate::driver::{Language, Visit};
use crate::flow::Flow;

pub use kinds::{F, K, Lua};
pub use state::State;

use kinds::{Context, Node};

impl Shapes for Lua {
    fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value_shape(half, node)
    }

    fn ty<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::type_shape(half, node)
    }
}

impl Language for Lua {
    type State = State;

    const FLOW: Flow = flow::FLOW;
    const STANDS_ALONE: bool = true;

    fn effects() -> &'static EffectTable {
        &effects::TABLE
    }

    fn begin(cx: &mut Context<'_>, root: Node<'_>) {
        cx.state.survey = survey::Survey::of(root);
    }

    fn enter<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
        cx.state.leave_functions(node);
        if let Some(range) = cx.state.receiver_hidden {
            scopes::hide_receiver(cx, node.start(), range);
        }
        match node.kind() {
            K::FunctionDeclaration => functions::read_declaration(cx, node),
            K::FunctionDefinition => functions::read_literal(cx, node),
            K::Parameters | K::Attribute | K::Goto | K::Label => return Visit::Skip,
            K::VariableDeclaration => vars::read_declaration(cx, node),
            K::AssignmentStatement => vars::read_assignment(cx, node),
            K::ForNumeric => vars::bind_counter(cx, node),
            K::ForGeneric => vars::bind_loop(cx, node),
            K::Field => tables::read_field(cx, node),
            K::ReturnStatement => returns::read_return(cx, node),
            K::FunctionCall => refs::read_call(cx, node),
            K::DotIndex | K::MethodIndex => return refs::read_member(cx, node),
            K::Identifier => refs::read_identifier(cx, node),
            _ => {}
        }
        Visit::Into
    }
}
