//! Python.

mod binds;
mod conditions;
mod defs;
mod effects;
mod exprs;
mod flow;
mod imports;
mod invariants;
mod joins;
mod narrow;
mod params;
mod refs;
mod types;

use sdl_model::facts::ExprIx;

use crate::builder::{EffectTable, Half};
use crate::driver::{Cx, Language, Visit};
use crate::flow::Flow;
use crate::kinds;
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
        KeywordArgument = "keyword_argument",
        KeywordPattern = "keyword_pattern",
        KeywordSeparator = "keyword_separator",
        Lambda = "lambda",
        LambdaParameters = "lambda_parameters",
        List = "list",
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

type Node<'a> = crate::tape::Node<'a, Python>;
type Context<'a> = Cx<'a, Python>;

/// State between nodes.
#[derive(Debug, Default)]
pub struct State {
    /// Up to here on the tape, names are types.
    type_until: u32,
    /// Whether the file states its exports (`__all__`).
    has_all: bool,
    /// For each open statement with branches, the index of its first binding.
    branching: Vec<usize>,
    /// The ranges of branches that no program takes here.
    left_out: Vec<(u32, u32)>,
}

impl Language for Python {
    type K = K;
    type F = F;
    type State = State;

    const FLOW: Flow = flow::FLOW;

    const FUNCTION_SCOPED: bool = true;
    const STYLE: Style = Style { optional_semicolons: false, either_quote: true };

    fn is_comment(kind: K) -> bool {
        kind == K::Comment
    }

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
            K::ForStatement => binds::for_statement(cx, node),
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

    fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value_shape(half, node)
    }

    fn ty<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        types::type_shape(half, node)
    }
}
