//! The grammar's names.

use crate::driver::Cx;
use crate::kinds;
use crate::syntax::Syntax;
use crate::tokens::Style;

kinds! {
    nodes {
        Arguments = "arguments",
        AssignmentStatement = "assignment_statement",
        Attribute = "attribute",
        BinaryExpression = "binary_expression",
        Block = "block",
        BracketIndex = "bracket_index_expression",
        Chunk = "chunk",
        Comment = "comment",
        DotIndex = "dot_index_expression",
        ElseStatement = "else_statement",
        ElseifStatement = "elseif_statement",
        ExpressionList = "expression_list",
        False = "false",
        Field = "field",
        ForGeneric = "for_generic_clause",
        ForNumeric = "for_numeric_clause",
        ForStatement = "for_statement",
        FunctionCall = "function_call",
        FunctionDeclaration = "function_declaration",
        FunctionDefinition = "function_definition",
        Goto = "goto_statement",
        Identifier = "identifier",
        If = "if_statement",
        Label = "label_statement",
        MethodIndex = "method_index_expression",
        Nil = "nil",
        Number = "number",
        Parameters = "parameters",
        Parenthesized = "parenthesized_expression",
        ReturnStatement = "return_statement",
        String = "string",
        StringContent = "string_content",
        TableConstructor = "table_constructor",
        True = "true",
        UnaryExpression = "unary_expression",
        Vararg = "vararg_expression",
        VariableDeclaration = "variable_declaration",
        VariableList = "variable_list",
    }
    tokens {
        And = "and",
        Concat = "..",
        Hash = "#",
        Local = "local",
        Not = "not",
        Or = "or",
        Equal = "==",
        Greater = ">",
        GreaterEqual = ">=",
        Less = "<",
        LessEqual = "<=",
        Unequal = "~=",
    }
    fields {
        ArgumentsField = "arguments",
        Body = "body",
        Condition = "condition",
        Content = "content",
        FieldField = "field",
        Left = "left",
        Method = "method",
        Name = "name",
        Operand = "operand",
        Operator = "operator",
        ParametersField = "parameters",
        Right = "right",
        Table = "table",
        Value = "value",
    }
}

/// Lua's extractor.
#[derive(Clone, Copy, Debug)]
pub struct Lua;

pub(super) type Node<'a> = crate::tape::Node<'a, Lua>;
pub(super) type Context<'a> = Cx<'a, Lua>;

impl Syntax for Lua {
    type K = K;
    type F = F;

    const STYLE: Style = Style { optional_semicolons: false, either_quote: true };

    fn is_comment(kind: K) -> bool {
        kind == K::Comment
    }
}
