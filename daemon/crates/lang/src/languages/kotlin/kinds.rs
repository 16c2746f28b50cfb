//! The nodes, tokens and fields that matter.

use sdl_model::SymbolKind;

use crate::driver::Cx;
use crate::kinds;
use crate::syntax::Syntax;

kinds! {
    nodes {
        AnnotatedLambda = "annotated_lambda",
        Annotation = "annotation",
        AnnotatedExpression = "annotated_expression",
        AnonymousFunction = "anonymous_function",
        AnonymousInitializer = "anonymous_initializer",
        AsExpression = "as_expression",
        Assignment = "assignment",
        BinaryExpression = "binary_expression",
        Block = "block",
        BlockComment = "block_comment",
        CallExpression = "call_expression",
        CallableReference = "callable_reference",
        CatchBlock = "catch_block",
        CharacterLiteral = "character_literal",
        ClassBody = "class_body",
        ClassDeclaration = "class_declaration",
        ClassParameter = "class_parameter",
        ClassParameters = "class_parameters",
        CollectionLiteral = "collection_literal",
        CompanionObject = "companion_object",
        ConstructorDelegationCall = "constructor_delegation_call",
        ConstructorInvocation = "constructor_invocation",
        DelegationSpecifier = "delegation_specifier",
        DelegationSpecifiers = "delegation_specifiers",
        EnumClassBody = "enum_class_body",
        EnumEntry = "enum_entry",
        ExplicitDelegation = "explicit_delegation",
        FileAnnotation = "file_annotation",
        FloatLiteral = "float_literal",
        ForStatement = "for_statement",
        FunctionBody = "function_body",
        FunctionDeclaration = "function_declaration",
        FunctionType = "function_type",
        FunctionTypeParameters = "function_type_parameters",
        FunctionValueParameters = "function_value_parameters",
        Getter = "getter",
        Identifier = "identifier",
        IfExpression = "if_expression",
        Import = "import",
        InExpression = "in_expression",
        IndexExpression = "index_expression",
        InfixExpression = "infix_expression",
        Interpolation = "interpolation",
        IsExpression = "is_expression",
        Label = "label",
        LabeledExpression = "labeled_expression",
        LambdaLiteral = "lambda_literal",
        LambdaParameters = "lambda_parameters",
        LineComment = "line_comment",
        Modifiers = "modifiers",
        MultiVariableDeclaration = "multi_variable_declaration",
        MultilineStringLiteral = "multiline_string_literal",
        NavigationExpression = "navigation_expression",
        NonNullableType = "non_nullable_type",
        NullableType = "nullable_type",
        NumberLiteral = "number_literal",
        ObjectDeclaration = "object_declaration",
        ObjectLiteral = "object_literal",
        PackageHeader = "package_header",
        Parameter = "parameter",
        ParameterModifiers = "parameter_modifiers",
        ParenthesizedExpression = "parenthesized_expression",
        ParenthesizedType = "parenthesized_type",
        PrimaryConstructor = "primary_constructor",
        PropertyDeclaration = "property_declaration",
        PropertyDelegate = "property_delegate",
        QualifiedIdentifier = "qualified_identifier",
        RangeExpression = "range_expression",
        RangeTest = "range_test",
        ReturnExpression = "return_expression",
        SecondaryConstructor = "secondary_constructor",
        Setter = "setter",
        SpreadExpression = "spread_expression",
        StringLiteral = "string_literal",
        SuperExpression = "super_expression",
        ThisExpression = "this_expression",
        ThrowExpression = "throw_expression",
        TryExpression = "try_expression",
        TypeAlias = "type_alias",
        TypeArguments = "type_arguments",
        TypeConstraint = "type_constraint",
        TypeConstraints = "type_constraints",
        TypeModifiers = "type_modifiers",
        TypeParameter = "type_parameter",
        TypeParameters = "type_parameters",
        TypeProjection = "type_projection",
        TypeTest = "type_test",
        UnaryExpression = "unary_expression",
        UseSiteTarget = "use_site_target",
        UserType = "user_type",
        ValueArgument = "value_argument",
        ValueArguments = "value_arguments",
        VariableDeclaration = "variable_declaration",
        WhenEntry = "when_entry",
        WhenExpression = "when_expression",
        WhenSubject = "when_subject",
    }
    tokens {
        And = "&&",
        Class = "class",
        ConstructorToken = "constructor",
        Elvis = "?:",
        Equal = "==",
        EqualSign = "=",
        Greater = ">",
        GreaterEqual = ">=",
        Identical = "===",
        InterfaceToken = "interface",
        Less = "<",
        LessEqual = "<=",
        Not = "!",
        NotEqual = "!=",
        NotIdentical = "!==",
        NotIs = "!is",
        Or = "||",
        Val = "val",
        Var = "var",
    }
    fields {
        Argument = "argument",
        Condition = "condition",
        LabelField = "label",
        Left = "left",
        Name = "name",
        Operator = "operator",
        Right = "right",
        TypeField = "type",
    }
}

impl K {
    /// Whether nodes of this kind state a type.
    pub(super) fn is_type(self) -> bool {
        matches!(
            self,
            Self::UserType
                | Self::NullableType
                | Self::FunctionType
                | Self::NonNullableType
                | Self::ParenthesizedType
        )
    }
}

/// Kotlin's extractor.
#[derive(Clone, Copy, Debug)]
pub struct Kotlin;

pub(super) type Node<'a> = crate::tape::Node<'a, Kotlin>;
pub(super) type Context<'a> = Cx<'a, Kotlin>;

impl Syntax for Kotlin {
    type K = K;
    type F = F;

    fn is_comment(kind: K) -> bool {
        matches!(kind, K::LineComment | K::BlockComment)
    }

    fn reopens(kind: SymbolKind) -> bool {
        kind == SymbolKind::Namespace
    }
}
