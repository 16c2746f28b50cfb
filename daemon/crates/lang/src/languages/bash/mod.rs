//! Bash and other shells of its family.

mod effects;
mod exprs;
mod facts;
mod flow;
mod kinds;

use std::borrow::Cow;

use sdl_model::Lang;
use sdl_model::facts::ExprIx;

use crate::builder::{EffectTable, Half, Shapes};
use crate::driver::{Language, Visit};
use crate::flow::Flow;

pub use kinds::{Bash, F, K};

use kinds::{Context, Node};

impl Shapes for Bash {
    fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value_shape(half, node)
    }

    fn ty<'a>(half: &mut Half<'a>, _node: Node<'a>) -> ExprIx {
        half.unknown()
    }
}

impl Language for Bash {
    type State = ();

    const FLOW: Flow = flow::FLOW;
    const STANDS_ALONE: bool = true;

    /// Replaces characters above 255, because the grammar's scanner looks characters up in a C table of 256 entries
    /// and reads beyond its end. To the shell all of them are parts of words.
    fn prepare(_lang: Lang, bytes: &[u8]) -> Cow<'_, [u8]> {
        if bytes.is_ascii() {
            return Cow::Borrowed(bytes);
        }
        Cow::Owned(bytes.iter().map(|byte| if byte.is_ascii() { *byte } else { b'_' }).collect())
    }

    fn effects() -> &'static EffectTable {
        &effects::TABLE
    }

    fn enter<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
        match node.kind() {
            K::FunctionDefinition => facts::read_function(cx, node),
            K::Command => facts::read_command(cx, node),
            K::DeclarationCommand => facts::read_declaration(cx, node),
            K::VariableAssignment => facts::read_assignment(cx, node),
            K::ForStatement => facts::for_loop(cx, node),
            K::SimpleExpansion | K::Expansion => facts::read_expansion(cx, node),
            _ => {}
        }
        Visit::Into
    }
}
