//! Python.

mod binds;
mod conditions;
mod defs;
mod effects;
mod exprs;
mod flow;
mod held;
mod hooks;
mod imports;
mod invariants;
mod joins;
mod kinds;
mod narrow;
mod params;
mod refs;
mod setup;
mod state;
mod tables;
mod types;

use sdl_model::facts::ExprIx;

use crate::builder::{EffectTable, Half, Shapes};
use crate::driver::{Language, Visit};
use crate::flow::Flow;

pub use kinds::{F, K, Python};
pub use state::State;

use kinds::{Context, Node};

impl Shapes for Python {
    fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value_shape(half, node)
    }

    fn ty<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        types::type_shape(half, node)
    }
}

impl Language for Python {
    type State = State;

    const FLOW: Flow = flow::FLOW;
    const STANDS_ALONE: bool = true;

    fn effects() -> &'static EffectTable {
        &effects::TABLE
    }

    fn begin(cx: &mut Context<'_>, root: Node<'_>) {
        defs::module_doc(cx, root);
    }

    fn enter<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
        match node.kind() {
            K::DecoratedDefinition => defs::read_decorated(cx, node),
            // A definition inside a decorated definition is open already.
            K::FunctionDefinition | K::ClassDefinition
                if node.parent_kind() != Some(K::DecoratedDefinition) =>
            {
                defs::read_definition(cx, node, node);
            }
            K::Lambda => params::bind_lambda_params(cx, node),
            K::Assignment => defs::read_assignment(cx, node),
            K::AugmentedAssignment => defs::read_augmented_assignment(cx, node),
            K::TypeAlias => return defs::type_alias(cx, node),
            K::ImportStatement | K::ImportFrom | K::FutureImport => return imports::read_import(cx, node),
            K::Type if node.is_in(K::TypeAlias, F::Left) => return Visit::Skip,
            K::Type => cx.state.type_until = cx.state.type_until.max(node.next_ix()),
            K::ForStatement => {
                binds::for_statement(cx, node);
                joins::enter_branches(cx);
                return Visit::IntoThenLeave;
            }
            K::WhileStatement => {
                joins::enter_branches(cx);
                return Visit::IntoThenLeave;
            }
            K::ForInClause => binds::for_in_clause(cx, node),
            K::NamedExpression => binds::bind_walrus(cx, node),
            K::AsPattern => binds::as_pattern(cx, node),
            K::ExceptClause => binds::except_clause(cx, node),
            K::GlobalStatement | K::NonlocalStatement => return binds::read_outer_names(cx, node),
            K::DottedName | K::SplatPattern => return binds::case_name(cx, node),
            K::ReturnStatement => invariants::read_return(cx, node),
            K::Yield => invariants::read_yield(cx, node),
            K::RaiseStatement => invariants::read_raise(cx, node),
            K::AssertStatement => {
                invariants::read_assert(cx, node);
                narrow::narrow_assert(cx, node);
            }
            K::IfStatement => {
                invariants::read_guard(cx, node);
                conditions::note_dead_branches(cx, node);
                narrow::narrow_if(cx, node);
                joins::enter_branches(cx);
                return Visit::IntoThenLeave;
            }
            K::TryStatement => {
                joins::enter_branches(cx);
                return Visit::IntoThenLeave;
            }
            K::ElifClause => narrow::narrow_if(cx, node),
            K::IfClause => narrow::narrow_comprehension(cx, node),
            K::BooleanOperator => narrow::narrow_logical(cx, node),
            K::ConditionalExpression => narrow::narrow_ternary(cx, node),
            K::Call => refs::read_call(cx, node),
            K::Attribute => return refs::read_member(cx, node),
            K::Subscript => refs::read_subscript(cx, node),
            K::Identifier => refs::read_identifier(cx, node),
            K::String => return types::read_string_type(cx, node),
            _ => {}
        }
        Visit::Into
    }

    fn leave<'a>(cx: &mut Context<'a>, node: Node<'a>) {
        joins::join_branches(cx, node);
    }

    fn finish(cx: &mut Context<'_>) {
        defs::mark_exports(cx);
    }
}
