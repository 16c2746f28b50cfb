//! The grammar's names.

use crate::driver::Cx;
use crate::kinds;
use crate::syntax::Syntax;

kinds! {
    nodes {
        Alias = "alias",
        ArgumentList = "argument_list",
        Array = "array",
        Assignment = "assignment",
        Begin = "begin",
        Block = "block",
        BlockParameter = "block_parameter",
        BlockParameters = "block_parameters",
        BodyStatement = "body_statement",
        Call = "call",
        Class = "class",
        Comment = "comment",
        Conditional = "conditional",
        Constant = "constant",
        DoBlock = "do_block",
        ElementReference = "element_reference",
        ExceptionVariable = "exception_variable",
        False = "false",
        Float = "float",
        Hash = "hash",
        HashSplatParameter = "hash_splat_parameter",
        Identifier = "identifier",
        IfModifier = "if_modifier",
        InstanceVariable = "instance_variable",
        Integer = "integer",
        KeywordParameter = "keyword_parameter",
        Lambda = "lambda",
        LeftAssignmentList = "left_assignment_list",
        Method = "method",
        MethodParameters = "method_parameters",
        Module = "module",
        Nil = "nil",
        OperatorAssignment = "operator_assignment",
        OptionalParameter = "optional_parameter",
        Pair = "pair",
        Parenthesized = "parenthesized_statements",
        Regex = "regex",
        Rescue = "rescue",
        Return = "return",
        ScopeResolution = "scope_resolution",
        SelfNode = "self",
        SingletonClass = "singleton_class",
        SingletonMethod = "singleton_method",
        SplatParameter = "splat_parameter",
        StringNode = "string",
        Super = "super",
        Superclass = "superclass",
        Symbol = "simple_symbol",
        True = "true",
        Undef = "undef",
        UnlessModifier = "unless_modifier",
    }
    tokens {
    }
    fields {
        Alternative = "alternative",
        Arguments = "arguments",
        Body = "body",
        Condition = "condition",
        Consequence = "consequence",
        Left = "left",
        MethodField = "method",
        NameField = "name",
        ObjectField = "object",
        Parameters = "parameters",
        Receiver = "receiver",
        Right = "right",
        Scope = "scope",
        SuperclassField = "superclass",
        Value = "value",
        Variable = "variable",
    }
}

/// Ruby's extractor.
#[derive(Clone, Copy, Debug)]
pub struct Ruby;

pub(super) type Node<'a> = crate::tape::Node<'a, Ruby>;
pub(super) type Context<'a> = Cx<'a, Ruby>;

impl Syntax for Ruby {
    type K = K;
    type F = F;

    const FUNCTION_SCOPED: bool = true;

    fn is_comment(kind: K) -> bool {
        kind == K::Comment
    }
}
