//! Go.

mod binds;
mod constraints;
mod defs;
mod effects;
mod exprs;
mod flow;
mod functions;
mod imports;
mod invariants;
mod kinds;
mod params;
mod refs;
mod state;
mod structs;
mod types;
mod written_params;

use sdl_model::facts::ExprIx;

use crate::builder::{EffectTable, Half, Shapes};
use crate::driver::{Language, Visit};
use crate::flow::Flow;

pub use kinds::{F, Go, K};
pub use state::State;

use kinds::{Context, Node};

impl Shapes for Go {
    fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value_shape(half, node)
    }

    fn ty<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        types::type_shape(half, node)
    }
}

impl Language for Go {
    type State = State;

    const FLOW: Flow = flow::FLOW;
    const STANDS_ALONE: bool = true;

    fn effects() -> &'static EffectTable {
        &effects::TABLE
    }

    fn enter<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
        if let Some(range) = cx.state.receiver_hidden {
            binds::hide_receiver(cx, node.start(), range);
        }
        match node.kind() {
            K::PackageClause => return imports::read_package(cx, node),
            K::ImportSpec => return imports::read_import(cx, node),
            K::FunctionDeclaration | K::MethodDeclaration => functions::read_function(cx, node),
            K::FuncLiteral => functions::read_function_literal(cx, node),
            K::MethodElem => functions::method_spec(cx, node),
            // The receiver is stated as the owner.
            K::ParameterList if node.field() == F::Receiver => return Visit::Skip,
            K::TypeSpec | K::TypeAlias => structs::type_spec(cx, node),
            K::FieldDeclaration => structs::read_field(cx, node),
            K::TypeElem => structs::read_embedded_interface(cx, node),
            K::ConstDeclaration => cx.state.const_type = None,
            K::ConstSpec | K::VarSpec => defs::read_spec(cx, node),
            K::ShortVarDeclaration | K::ReceiveStatement => binds::bind_short_declaration(cx, node),
            K::RangeClause => binds::bind_range(cx, node),
            K::TypeSwitch => binds::type_switch(cx, node),
            K::AssignmentStatement => invariants::note_global_write(cx, node),
            K::IfStatement => invariants::read_guard(cx, node),
            K::CallExpression => refs::read_call(cx, node),
            K::CompositeLiteral => refs::read_composite_literal(cx, node),
            K::SelectorExpression => refs::read_member(cx, node),
            K::Identifier => refs::read_identifier(cx, node),
            K::QualifiedType => return refs::qualified_type(cx, node),
            K::TypeIdentifier => refs::type_name(cx, node),
            _ => {}
        }
        Visit::Into
    }

    fn finish(cx: &mut Context<'_>) {
        structs::add_asserted_bases(cx);
    }
}
