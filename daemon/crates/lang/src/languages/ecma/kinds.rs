//! The nodes, tokens and fields that matter, of three grammars that have most in common.

use sdl_model::SymbolKind;

use crate::driver::Cx;
use crate::kinds;
use crate::syntax::Syntax;
use crate::tokens::Style;

kinds! {
    nodes {
        AbstractClassDeclaration = "abstract_class_declaration",
        AbstractMethodSignature = "abstract_method_signature",
        AccessibilityModifier = "accessibility_modifier",
        AmbientDeclaration = "ambient_declaration",
        Arguments = "arguments",
        Array = "array",
        ArrayPattern = "array_pattern",
        ArrayType = "array_type",
        ArrowFunction = "arrow_function",
        AsExpression = "as_expression",
        AssertsAnnotation = "asserts_annotation",
        AssignmentExpression = "assignment_expression",
        AssignmentPattern = "assignment_pattern",
        AugmentedAssignment = "augmented_assignment_expression",
        AwaitExpression = "await_expression",
        BinaryExpression = "binary_expression",
        CallExpression = "call_expression",
        CatchClause = "catch_clause",
        Class = "class",
        ClassBody = "class_body",
        ClassDeclaration = "class_declaration",
        ClassHeritage = "class_heritage",
        ClassStaticBlock = "class_static_block",
        Comment = "comment",
        ComputedPropertyName = "computed_property_name",
        ConditionalType = "conditional_type",
        Constraint = "constraint",
        Decorator = "decorator",
        ElseClause = "else_clause",
        EnumAssignment = "enum_assignment",
        EnumBody = "enum_body",
        EnumDeclaration = "enum_declaration",
        ExportClause = "export_clause",
        ExportSpecifier = "export_specifier",
        ExportStatement = "export_statement",
        ExpressionStatement = "expression_statement",
        ExtendsClause = "extends_clause",
        ExtendsTypeClause = "extends_type_clause",
        False = "false",
        FieldDefinition = "field_definition",
        FlowMaybeType = "flow_maybe_type",
        ForInStatement = "for_in_statement",
        FormalParameters = "formal_parameters",
        FunctionDeclaration = "function_declaration",
        FunctionExpression = "function_expression",
        FunctionSignature = "function_signature",
        FunctionType = "function_type",
        GeneratorFunction = "generator_function",
        GeneratorFunctionDeclaration = "generator_function_declaration",
        GenericType = "generic_type",
        HashBang = "hash_bang_line",
        HtmlComment = "html_comment",
        Identifier = "identifier",
        IfStatement = "if_statement",
        ImplementsClause = "implements_clause",
        Import = "import",
        ImportAlias = "import_alias",
        ImportClause = "import_clause",
        ImportRequireClause = "import_require_clause",
        ImportSpecifier = "import_specifier",
        ImportStatement = "import_statement",
        IndexSignature = "index_signature",
        IndexTypeQuery = "index_type_query",
        InferType = "infer_type",
        InstantiationExpression = "instantiation_expression",
        InterfaceBody = "interface_body",
        InterfaceDeclaration = "interface_declaration",
        InternalModule = "internal_module",
        IntersectionType = "intersection_type",
        JsxClosingElement = "jsx_closing_element",
        JsxOpeningElement = "jsx_opening_element",
        JsxSelfClosingElement = "jsx_self_closing_element",
        LexicalDeclaration = "lexical_declaration",
        LiteralType = "literal_type",
        LookupType = "lookup_type",
        MappedTypeClause = "mapped_type_clause",
        MemberExpression = "member_expression",
        MethodDefinition = "method_definition",
        MethodSignature = "method_signature",
        Module = "module",
        NamedImports = "named_imports",
        NamespaceExport = "namespace_export",
        NamespaceImport = "namespace_import",
        NestedIdentifier = "nested_identifier",
        NestedTypeIdentifier = "nested_type_identifier",
        BreakStatement = "break_statement",
        ContinueStatement = "continue_statement",
        DoStatement = "do_statement",
        ForStatement = "for_statement",
        SwitchStatement = "switch_statement",
        TryStatement = "try_statement",
        WhileStatement = "while_statement",
        NewExpression = "new_expression",
        NonNullExpression = "non_null_expression",
        Null = "null",
        Number = "number",
        Object = "object",
        ObjectAssignmentPattern = "object_assignment_pattern",
        ObjectPattern = "object_pattern",
        ObjectType = "object_type",
        OptionalParameter = "optional_parameter",
        OptionalType = "optional_type",
        OverrideModifier = "override_modifier",
        Pair = "pair",
        PairPattern = "pair_pattern",
        ParenthesizedExpression = "parenthesized_expression",
        ParenthesizedType = "parenthesized_type",
        PredefinedType = "predefined_type",
        PrivatePropertyIdentifier = "private_property_identifier",
        Program = "program",
        PropertyIdentifier = "property_identifier",
        PropertySignature = "property_signature",
        PublicFieldDefinition = "public_field_definition",
        ReadonlyType = "readonly_type",
        Regex = "regex",
        RequiredParameter = "required_parameter",
        RestPattern = "rest_pattern",
        RestType = "rest_type",
        ReturnStatement = "return_statement",
        SatisfiesExpression = "satisfies_expression",
        SequenceExpression = "sequence_expression",
        ShorthandProperty = "shorthand_property_identifier",
        ShorthandPattern = "shorthand_property_identifier_pattern",
        SpreadElement = "spread_element",
        StatementBlock = "statement_block",
        String = "string",
        SubscriptExpression = "subscript_expression",
        Super = "super",
        SwitchBody = "switch_body",
        TemplateLiteralType = "template_literal_type",
        TemplateString = "template_string",
        TemplateSubstitution = "template_substitution",
        TernaryExpression = "ternary_expression",
        This = "this",
        ThisType = "this_type",
        ThrowStatement = "throw_statement",
        True = "true",
        TupleType = "tuple_type",
        TypeAliasDeclaration = "type_alias_declaration",
        TypeAnnotation = "type_annotation",
        TypeArguments = "type_arguments",
        TypeAssertion = "type_assertion",
        TypeIdentifier = "type_identifier",
        TypeParameter = "type_parameter",
        TypeParameters = "type_parameters",
        TypePredicate = "type_predicate",
        TypePredicateAnnotation = "type_predicate_annotation",
        TypeQuery = "type_query",
        UnaryExpression = "unary_expression",
        Undefined = "undefined",
        UnionType = "union_type",
        UpdateExpression = "update_expression",
        UsingDeclaration = "using_declaration",
        VariableDeclaration = "variable_declaration",
        VariableDeclarator = "variable_declarator",
        YieldExpression = "yield_expression",
    }
    tokens {
        Abstract = "abstract",
        Async = "async",
        Const = "const",
        Declare = "declare",
        Default = "default",
        Get = "get",
        Let = "let",
        Readonly = "readonly",
        Set = "set",
        Star = "*",
        Static = "static",
        StaticGet = "static get",
    }
    fields {
        Alias = "alias",
        Alternative = "alternative",
        Arguments = "arguments",
        Body = "body",
        Condition = "condition",
        Consequence = "consequence",
        Constraints = "constraint",
        Constructor = "constructor",
        Declaration = "declaration",
        DecoratorField = "decorator",
        Function = "function",
        Index = "index",
        Key = "key",
        Kind = "kind",
        Left = "left",
        Member = "member",
        ModuleField = "module",
        Name = "name",
        ObjectField = "object",
        Operator = "operator",
        Parameter = "parameter",
        Parameters = "parameters",
        Pattern = "pattern",
        Property = "property",
        ReturnType = "return_type",
        Right = "right",
        Source = "source",
        TypeArgumentsField = "type_arguments",
        TypeField = "type",
        TypeParametersField = "type_parameters",
        Value = "value",
    }
}

impl K {
    /// Whether it is a function with a body, however written.
    pub(super) fn is_function(self) -> bool {
        matches!(
            self,
            Self::ArrowFunction
                | Self::FunctionExpression
                | Self::GeneratorFunction
                | Self::FunctionDeclaration
                | Self::GeneratorFunctionDeclaration
                | Self::MethodDefinition
        )
    }

    /// Whether it is a function in the place of a value.
    pub(super) fn is_function_value(self) -> bool {
        matches!(self, Self::ArrowFunction | Self::FunctionExpression | Self::GeneratorFunction)
    }
}

/// JavaScript, TypeScript and TSX.
#[derive(Clone, Copy, Debug)]
pub struct Ecma;

pub(super) type Node<'a> = crate::tape::Node<'a, Ecma>;
pub(super) type Context<'a> = Cx<'a, Ecma>;

impl Syntax for Ecma {
    type K = K;
    type F = F;

    // A function may use a variable that is declared after it.
    const FUNCTION_SCOPED: bool = true;
    const DETACHED_DOCS: bool = true;
    const STYLE: Style = Style { optional_semicolons: true, either_quote: true };

    fn is_comment(kind: K) -> bool {
        matches!(kind, K::Comment | K::HtmlComment | K::HashBang)
    }

    /// Interfaces and namespaces may be written in several pieces.
    fn reopens(kind: SymbolKind) -> bool {
        matches!(kind, SymbolKind::Namespace | SymbolKind::Interface)
    }
}
