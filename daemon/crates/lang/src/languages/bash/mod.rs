//! Bash and other shells of its family.

mod effects;
mod exprs;
mod facts;
mod flow;

use std::borrow::Cow;

use sdl_model::Lang;
use sdl_model::facts::ExprIx;

use crate::builder::{EffectTable, Half};
use crate::driver::{Cx, Language, Visit};
use crate::flow::Flow;
use crate::kinds;

/// The shell's extractor.
#[derive(Clone, Copy, Debug)]
pub struct Bash;

type Node<'a> = crate::tape::Node<'a, Bash>;
type Context<'a> = Cx<'a, Bash>;

kinds! {
    nodes {
        Array = "array",
        Command = "command",
        CommandName = "command_name",
        Comment = "comment",
        Concatenation = "concatenation",
        DeclarationCommand = "declaration_command",
        Expansion = "expansion",
        ForStatement = "for_statement",
        FunctionDefinition = "function_definition",
        Number = "number",
        RawString = "raw_string",
        SimpleExpansion = "simple_expansion",
        StringNode = "string",
        Subscript = "subscript",
        VariableAssignment = "variable_assignment",
        VariableName = "variable_name",
        Word = "word",
    }
    tokens {
        Declare = "declare",
        Export = "export",
        Local = "local",
        Readonly = "readonly",
        Typeset = "typeset",
    }
    fields {
        Argument = "argument",
        Body = "body",
        NameField = "name",
        Value = "value",
        Variable = "variable",
    }
}

impl Language for Bash {
    type K = K;
    type F = F;
    type State = ();

    const FLOW: Flow = flow::FLOW;

    const FUNCTION_SCOPED: bool = true;

    /// The grammar's scanner looks characters up in a table of the C library that holds 256 of them, and reads beyond
    /// it for others. To the shell all of those are alike, parts of words.
    fn prepare(_lang: Lang, bytes: &[u8]) -> Cow<'_, [u8]> {
        if bytes.is_ascii() {
            return Cow::Borrowed(bytes);
        }
        Cow::Owned(bytes.iter().map(|byte| if byte.is_ascii() { *byte } else { b'_' }).collect())
    }

    fn is_comment(kind: K) -> bool {
        kind == K::Comment
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

    fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value_shape(half, node)
    }

    fn ty<'a>(half: &mut Half<'a>, _node: Node<'a>) -> ExprIx {
        half.unknown()
    }
}
