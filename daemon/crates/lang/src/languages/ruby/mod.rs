//! Ruby.

mod binds;
mod defs;
mod effects;
mod exprs;
mod flow;
mod kinds;
mod refs;

use std::collections::{HashMap, HashSet};

use sdl_model::Visibility;
use sdl_model::facts::{DefIx, ExprIx, StrIx};

use crate::builder::{EffectTable, Half};
use crate::driver::{Cx, Language, Visit};
use crate::flow::Flow;

pub use kinds::{F, K};

/// Ruby's extractor.
#[derive(Clone, Copy, Debug)]
pub struct Ruby;

/// The facts known about the text so far.
#[derive(Debug, Default)]
pub struct State {
    /// The visibility that a bare `private` or the like sets for the methods that follow in a class.
    visibility: HashMap<DefIx, Visibility>,
    /// The locals so far; any other bare name is a call.
    locals: HashSet<(DefIx, StrIx)>,
}

type Node<'a> = crate::tape::Node<'a, Ruby>;
type Context<'a> = Cx<'a, Ruby>;

impl Language for Ruby {
    type K = K;
    type F = F;
    type State = State;

    const FLOW: Flow = flow::FLOW;

    const FUNCTION_SCOPED: bool = true;

    fn is_comment(kind: K) -> bool {
        kind == K::Comment
    }

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

    fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value_shape(half, node)
    }

    fn ty<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value_shape(half, node)
    }
}
