//! The nodes, tokens and fields that matter.

use crate::driver::Cx;
use crate::kinds;
use crate::syntax::Syntax;
use crate::tokens::Style;

kinds! {
    nodes {
        ArgumentList = "argument_list",
        AsPattern = "as_pattern",
        AsPatternTarget = "as_pattern_target",
        AssertStatement = "assert_statement",
        BreakStatement = "break_statement",
        ContinueStatement = "continue_statement",
        ElifClause = "elif_clause",
        ElseClause = "else_clause",
        IfClause = "if_clause",
        Assignment = "assignment",
        Attribute = "attribute",
        AugmentedAssignment = "augmented_assignment",
        Await = "await",
        BinaryOperator = "binary_operator",
        Block = "block",
        BooleanOperator = "boolean_operator",
        Call = "call",
        CaseClause = "case_clause",
        CasePattern = "case_pattern",
        ClassDefinition = "class_definition",
        ClassPattern = "class_pattern",
        Comment = "comment",
        ComparisonOperator = "comparison_operator",
        ConcatenatedString = "concatenated_string",
        ConditionalExpression = "conditional_expression",
        ConstrainedType = "constrained_type",
        DecoratedDefinition = "decorated_definition",
        Decorator = "decorator",
        DefaultParameter = "default_parameter",
        Dictionary = "dictionary",
        DictionaryComprehension = "dictionary_comprehension",
        DictionarySplat = "dictionary_splat",
        DictionarySplatPattern = "dictionary_splat_pattern",
        DottedName = "dotted_name",
        AliasedImport = "aliased_import",
        Ellipsis = "ellipsis",
        ExceptClause = "except_clause",
        ExpressionStatement = "expression_statement",
        False = "false",
        Float = "float",
        ForInClause = "for_in_clause",
        ForStatement = "for_statement",
        FunctionDefinition = "function_definition",
        FutureImport = "future_import_statement",
        GeneratorExpression = "generator_expression",
        GenericType = "generic_type",
        GlobalStatement = "global_statement",
        Identifier = "identifier",
        IfStatement = "if_statement",
        ImportFrom = "import_from_statement",
        ImportStatement = "import_statement",
        Integer = "integer",
        Interpolation = "interpolation",
        KeywordArgument = "keyword_argument",
        KeywordPattern = "keyword_pattern",
        KeywordSeparator = "keyword_separator",
        Lambda = "lambda",
        LambdaParameters = "lambda_parameters",
        List = "list",
        ListSplat = "list_splat",
        ListComprehension = "list_comprehension",
        ListPattern = "list_pattern",
        ListSplatPattern = "list_splat_pattern",
        MatchStatement = "match_statement",
        MemberType = "member_type",
        Module = "module",
        NamedExpression = "named_expression",
        NoneLiteral = "none",
        NonlocalStatement = "nonlocal_statement",
        NotOperator = "not_operator",
        Pair = "pair",
        Parameters = "parameters",
        ParenthesizedExpression = "parenthesized_expression",
        PatternList = "pattern_list",
        ExpressionList = "expression_list",
        PositionalSeparator = "positional_separator",
        RaiseStatement = "raise_statement",
        ReturnStatement = "return_statement",
        Set = "set",
        SetComprehension = "set_comprehension",
        SplatPattern = "splat_pattern",
        String = "string",
        StringStart = "string_start",
        StringEnd = "string_end",
        Subscript = "subscript",
        True = "true",
        Tuple = "tuple",
        TryStatement = "try_statement",
        TuplePattern = "tuple_pattern",
        Type = "type",
        TypeAlias = "type_alias_statement",
        TypeParameter = "type_parameter",
        TypedDefaultParameter = "typed_default_parameter",
        TypedParameter = "typed_parameter",
        UnaryOperator = "unary_operator",
        UnionType = "union_type",
        WhileStatement = "while_statement",
        Wildcard = "wildcard_import",
        WithItem = "with_item",
        WithStatement = "with_statement",
        Yield = "yield",
    }
    tokens {
        Async = "async",
        Bar = "|",
        From = "from",
    }
    fields {
        Alias = "alias",
        Alternative = "alternative",
        Arguments = "arguments",
        AttributeName = "attribute",
        Body = "body",
        Condition = "condition",
        Consequence = "consequence",
        Definition = "definition",
        Function = "function",
        Key = "key",
        Left = "left",
        ModuleName = "module_name",
        Name = "name",
        Object = "object",
        Parameters = "parameters",
        ReturnType = "return_type",
        Right = "right",
        Subject = "subject",
        SubscriptIndex = "subscript",
        Superclasses = "superclasses",
        TypeField = "type",
        TypeParameters = "type_parameters",
        Value = "value",
    }
}

/// Python's extractor.
#[derive(Clone, Copy, Debug)]
pub struct Python;

pub(super) type Node<'a> = crate::tape::Node<'a, Python>;
pub(super) type Context<'a> = Cx<'a, Python>;

impl Syntax for Python {
    type K = K;
    type F = F;

    const FUNCTION_SCOPED: bool = true;
    const STYLE: Style = Style { optional_semicolons: false, either_quote: true };

    fn is_comment(kind: K) -> bool {
        kind == K::Comment
    }
}
