//! Ruby.

mod binds;
mod defs;
mod effects;
mod exprs;
mod flow;
mod gems;
mod kinds;
mod refs;
mod state;

use sdl_model::facts::ExprIx;

use crate::builder::{EffectTable, Half, Shapes};
use crate::driver::{Language, Visit};
use crate::flow::Flow;

pub use kinds::{F, K, Ruby};
pub use state::State;

use kinds::{Context, Node};

impl Shapes for Ruby {
    fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value_shape(half, node)
    }

    fn ty<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value_shape(half, node)
    }
}

impl Language for Ruby {
    type State = State;

    const FLOW: Flow = flow::FLOW;
    const STANDS_ALONE: bool = true;

    fn effects() -> &'static EffectTable {
        &effects::TABLE
    }

    fn enter<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
        match node.kind() {
            K::Class | K::Module => defs::read_class(cx, node),
            K::Method | K::SingletonMethod => defs::read_method(cx, node),
            K::Superclass | K::Alias | K::Undef => return Visit::Skip,
            K::Assignment | K::OperatorAssignment => binds::read_assignment(cx, node),
            K::BlockParameters => binds::bind_block_params(cx, node),
            K::Rescue => binds::bind_rescue(cx, node),
            K::Call => return refs::read_call(cx, node),
            K::ElementReference => refs::read_subscript(cx, node),
            K::Identifier => refs::read_identifier(cx, node),
            K::Constant => refs::read_constant(cx, node),
            K::ScopeResolution => refs::read_scoped_constant(cx, node),
            K::InstanceVariable => refs::instance_variable(cx, node),
            K::Super => refs::bare_super(cx, node),
            K::Return => defs::read_return(cx, node),
            _ => {}
        }
        Visit::Into
    }

    fn finish(cx: &mut Context<'_>) {
        gems::keep_bundle(cx);
    }
}
