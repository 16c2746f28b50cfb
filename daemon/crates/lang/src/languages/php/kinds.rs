//! The grammar's names.

use crate::driver::Cx;
use crate::kinds;
use crate::syntax::Syntax;

kinds! {
    nodes {
        AbstractModifier = "abstract_modifier",
        AnonymousClass = "anonymous_class",
        AnonymousFunction = "anonymous_function",
        Arguments = "arguments",
        ArrayCreation = "array_creation_expression",
        ArrayElement = "array_element_initializer",
        ArrowFunction = "arrow_function",
        Assignment = "assignment_expression",
        Attribute = "attribute",
        BaseClause = "base_clause",
        Binary = "binary_expression",
        Boolean = "boolean",
        CastExpression = "cast_expression",
        CatchClause = "catch_clause",
        ClassConstantAccess = "class_constant_access_expression",
        ClassDeclaration = "class_declaration",
        ClassInterfaceClause = "class_interface_clause",
        Clone = "clone_expression",
        Comment = "comment",
        Compound = "compound_statement",
        Conditional = "conditional_expression",
        ConstDeclaration = "const_declaration",
        ConstElement = "const_element",
        Encapsed = "encapsed_string",
        EnumCase = "enum_case",
        EnumDeclaration = "enum_declaration",
        ExpressionStatement = "expression_statement",
        FinalModifier = "final_modifier",
        Float = "float",
        Foreach = "foreach_statement",
        FunctionCall = "function_call_expression",
        FunctionDefinition = "function_definition",
        GlobalDeclaration = "global_declaration",
        Goto = "goto_statement",
        Heredoc = "heredoc",
        If = "if_statement",
        Include = "include_expression",
        IncludeOnce = "include_once_expression",
        Integer = "integer",
        InterfaceDeclaration = "interface_declaration",
        IntersectionType = "intersection_type",
        Label = "named_label_statement",
        Match = "match_expression",
        MatchBlock = "match_block",
        MemberAccess = "member_access_expression",
        MemberCall = "member_call_expression",
        MethodDeclaration = "method_declaration",
        Name = "name",
        NamedType = "named_type",
        NamespaceDefinition = "namespace_definition",
        NamespaceName = "namespace_name",
        Null = "null",
        NullsafeMemberAccess = "nullsafe_member_access_expression",
        NullsafeMemberCall = "nullsafe_member_call_expression",
        ObjectCreation = "object_creation_expression",
        OptionalType = "optional_type",
        Pair = "pair",
        Parenthesized = "parenthesized_expression",
        PrimitiveType = "primitive_type",
        PropertyDeclaration = "property_declaration",
        PropertyElement = "property_element",
        PropertyHook = "property_hook",
        PropertyPromotion = "property_promotion_parameter",
        QualifiedName = "qualified_name",
        RelativeName = "relative_name",
        RelativeScope = "relative_scope",
        Require = "require_expression",
        RequireOnce = "require_once_expression",
        Return = "return_statement",
        ScopedCall = "scoped_call_expression",
        ScopedPropertyAccess = "scoped_property_access_expression",
        SimpleParameter = "simple_parameter",
        StaticModifier = "static_modifier",
        StaticVariable = "static_variable_declaration",
        StringLiteral = "string",
        Subscript = "subscript_expression",
        Throw = "throw_expression",
        TraitDeclaration = "trait_declaration",
        TypeList = "type_list",
        UnionType = "union_type",
        UnaryOp = "unary_op_expression",
        UseClause = "namespace_use_clause",
        UseDeclaration = "use_declaration",
        UseGroup = "namespace_use_group",
        UseStatement = "namespace_use_declaration",
        VariableName = "variable_name",
        VariadicParameter = "variadic_parameter",
        VisibilityModifier = "visibility_modifier",
        Yield = "yield_expression",
    }
    tokens {
        Arrow = "=>",
        Coalesce = "??",
        Concat = ".",
        Instanceof = "instanceof",
    }
    fields {
        Alias = "alias",
        Alternative = "alternative",
        ArgumentsField = "arguments",
        Attributes = "attributes",
        Body = "body",
        Condition = "condition",
        DefaultValue = "default_value",
        Function = "function",
        Left = "left",
        NameField = "name",
        Object = "object",
        Operator = "operator",
        Parameters = "parameters",
        Prefix = "prefix",
        ReturnExpression = "return_expression",
        ReturnType = "return_type",
        Right = "right",
        Scope = "scope",
        TypeField = "type",
        Value = "value",
        Visibility = "visibility",
    }
}

/// PHP's extractor.
#[derive(Clone, Copy, Debug)]
pub struct Php;

pub(super) type Node<'a> = crate::tape::Node<'a, Php>;
pub(super) type Context<'a> = Cx<'a, Php>;

impl Syntax for Php {
    type K = K;
    type F = F;

    const FUNCTION_SCOPED: bool = true;

    fn is_comment(kind: K) -> bool {
        kind == K::Comment
    }
}
