//! The nodes, tokens and fields that matter.

use crate::driver::Cx;
use crate::kinds;
use crate::syntax::Syntax;

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

/// The shell's extractor.
#[derive(Clone, Copy, Debug)]
pub struct Bash;

pub(super) type Node<'a> = crate::tape::Node<'a, Bash>;
pub(super) type Context<'a> = Cx<'a, Bash>;

impl Syntax for Bash {
    type K = K;
    type F = F;

    const FUNCTION_SCOPED: bool = true;

    fn is_comment(kind: K) -> bool {
        kind == K::Comment
    }
}
