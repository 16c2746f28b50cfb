//! C and C++, which share an extractor: each node that C has means the same in C++.

mod declarators;
mod effects;
mod exprs;
mod flow;
mod functions;
mod imports;
mod invariants;
mod macros;
mod mask;
mod names;
mod params;
mod platform;
mod predefined;
mod refs;
mod state;
mod typedefs;
mod types;
mod vars;

use std::borrow::Cow;

use sdl_model::Lang;
use sdl_model::facts::ExprIx;

use crate::builder::{EffectTable, Half};
use crate::driver::{Cx, Language, Visit};
use crate::flow::Flow;
use crate::kinds;

pub(super) use state::State;

kinds! {
    nodes {
        AbstractArrayDeclarator = "abstract_array_declarator",
        AbstractFunctionDeclarator = "abstract_function_declarator",
        AbstractParenthesizedDeclarator = "abstract_parenthesized_declarator",
        AbstractPointerDeclarator = "abstract_pointer_declarator",
        AbstractReferenceDeclarator = "abstract_reference_declarator",
        AccessSpecifier = "access_specifier",
        AliasDeclaration = "alias_declaration",
        ArgumentList = "argument_list",
        ArrayDeclarator = "array_declarator",
        AssignmentExpression = "assignment_expression",
        AttributeDeclaration = "attribute_declaration",
        AttributeSpecifier = "attribute_specifier",
        AttributedDeclarator = "attributed_declarator",
        Attribute = "attribute",
        Auto = "auto",
        BaseClassClause = "base_class_clause",
        BinaryExpression = "binary_expression",
        CallExpression = "call_expression",
        CastExpression = "cast_expression",
        CatchClause = "catch_clause",
        CharLiteral = "char_literal",
        ClassSpecifier = "class_specifier",
        CommaExpression = "comma_expression",
        Comment = "comment",
        CompoundLiteral = "compound_literal_expression",
        CompoundStatement = "compound_statement",
        ConcatenatedString = "concatenated_string",
        ConceptDefinition = "concept_definition",
        ConditionClause = "condition_clause",
        ConditionalExpression = "conditional_expression",
        CoAwait = "co_await_expression",
        Declaration = "declaration",
        DeclarationList = "declaration_list",
        DefaultMethodClause = "default_method_clause",
        DeleteMethodClause = "delete_method_clause",
        DependentName = "dependent_name",
        DestructorName = "destructor_name",
        ElseClause = "else_clause",
        EnumSpecifier = "enum_specifier",
        Enumerator = "enumerator",
        ExpressionStatement = "expression_statement",
        False = "false",
        FieldDeclaration = "field_declaration",
        FieldDeclarationList = "field_declaration_list",
        FieldDesignator = "field_designator",
        FieldExpression = "field_expression",
        FieldIdentifier = "field_identifier",
        FieldInitializer = "field_initializer",
        FieldInitializerList = "field_initializer_list",
        ForRangeLoop = "for_range_loop",
        ForStatement = "for_statement",
        FriendDeclaration = "friend_declaration",
        FunctionDeclarator = "function_declarator",
        FunctionDefinition = "function_definition",
        Identifier = "identifier",
        IfStatement = "if_statement",
        InitDeclarator = "init_declarator",
        InitializerList = "initializer_list",
        LambdaCaptureInitializer = "lambda_capture_initializer",
        LambdaExpression = "lambda_expression",
        LinkageSpecification = "linkage_specification",
        MacroTypeSpecifier = "macro_type_specifier",
        MsDeclspecModifier = "ms_declspec_modifier",
        NamespaceAliasDefinition = "namespace_alias_definition",
        NamespaceDefinition = "namespace_definition",
        NamespaceIdentifier = "namespace_identifier",
        NestedNamespaceSpecifier = "nested_namespace_specifier",
        NewExpression = "new_expression",
        Null = "null",
        NumberLiteral = "number_literal",
        OffsetofExpression = "offsetof_expression",
        OperatorCast = "operator_cast",
        OperatorName = "operator_name",
        OptionalParameter = "optional_parameter_declaration",
        OptionalTypeParameter = "optional_type_parameter_declaration",
        ParameterDeclaration = "parameter_declaration",
        ParameterList = "parameter_list",
        ParenthesizedDeclarator = "parenthesized_declarator",
        ParenthesizedExpression = "parenthesized_expression",
        PlaceholderType = "placeholder_type_specifier",
        PointerDeclarator = "pointer_declarator",
        PointerExpression = "pointer_expression",
        PointerTypeDeclarator = "pointer_type_declarator",
        PreprocArg = "preproc_arg",
        PreprocCall = "preproc_call",
        PreprocDef = "preproc_def",
        PreprocDefined = "preproc_defined",
        PreprocElif = "preproc_elif",
        PreprocElifdef = "preproc_elifdef",
        PreprocFunctionDef = "preproc_function_def",
        PreprocIf = "preproc_if",
        PreprocIfdef = "preproc_ifdef",
        PreprocInclude = "preproc_include",
        PrimitiveType = "primitive_type",
        QualifiedIdentifier = "qualified_identifier",
        RawStringLiteral = "raw_string_literal",
        ReferenceDeclarator = "reference_declarator",
        ReturnStatement = "return_statement",
        SizedTypeSpecifier = "sized_type_specifier",
        SizeofExpression = "sizeof_expression",
        StaticAssert = "static_assert_declaration",
        StorageClass = "storage_class_specifier",
        StringLiteral = "string_literal",
        StructSpecifier = "struct_specifier",
        StructuredBinding = "structured_binding_declarator",
        SubscriptArguments = "subscript_argument_list",
        SubscriptExpression = "subscript_expression",
        SystemLibString = "system_lib_string",
        TemplateArgumentList = "template_argument_list",
        TemplateDeclaration = "template_declaration",
        TemplateFunction = "template_function",
        TemplateMethod = "template_method",
        TemplateParameterList = "template_parameter_list",
        TemplateTemplateParameter = "template_template_parameter_declaration",
        TemplateType = "template_type",
        This = "this",
        ThrowStatement = "throw_statement",
        TrailingReturnType = "trailing_return_type",
        TranslationUnit = "translation_unit",
        True = "true",
        TypeDefinition = "type_definition",
        TypeDescriptor = "type_descriptor",
        TypeIdentifier = "type_identifier",
        TypeParameter = "type_parameter_declaration",
        TypeQualifier = "type_qualifier",
        UnaryExpression = "unary_expression",
        UnionSpecifier = "union_specifier",
        UpdateExpression = "update_expression",
        UserDefinedLiteral = "user_defined_literal",
        UsingDeclaration = "using_declaration",
        VariadicDeclarator = "variadic_declarator",
        VariadicParameter = "variadic_parameter",
        VariadicParameterDeclaration = "variadic_parameter_declaration",
        VariadicTypeParameter = "variadic_type_parameter_declaration",
        VirtualSpecifier = "virtual_specifier",
    }
    tokens {
        Enum = "enum",
        Inline = "inline",
        NamespaceToken = "namespace",
        Star = "*",
        Virtual = "virtual",
        Ellipsis = "...",
    }
    fields {
        Alternative = "alternative",
        Argument = "argument",
        Arguments = "arguments",
        Body = "body",
        Condition = "condition",
        Consequence = "consequence",
        Declarator = "declarator",
        DefaultType = "default_type",
        DefaultValue = "default_value",
        Designator = "designator",
        Field = "field",
        Function = "function",
        Left = "left",
        Name = "name",
        Operator = "operator",
        Parameters = "parameters",
        Path = "path",
        Right = "right",
        Scope = "scope",
        Size = "size",
        Type = "type",
        Value = "value",
    }
}

/// The extractor of C and C++.
#[derive(Clone, Copy, Debug)]
pub struct CFamily;

type Node<'a> = crate::tape::Node<'a, CFamily>;
type Context<'a> = Cx<'a, CFamily>;

impl Language for CFamily {
    type K = K;
    type F = F;
    type State = State;

    const FLOW: Flow = flow::FLOW;

    const DECLARATIONS: bool = true;

    fn is_comment(kind: K) -> bool {
        kind == K::Comment
    }

    fn effects() -> &'static EffectTable {
        &effects::TABLE
    }

    fn prepare(lang: Lang, bytes: &[u8]) -> Cow<'_, [u8]> {
        mask::mask_source(bytes, lang)
    }

    fn enter<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
        match node.kind() {
            K::FunctionDefinition => return functions::read_function(cx, node),
            K::Declaration => return vars::read_declaration(cx, node),
            K::FieldDeclaration => return vars::read_field(cx, node),
            K::TypeDefinition => typedefs::read_typedef(cx, node),
            K::AliasDeclaration => return typedefs::read_type_alias(cx, node),
            K::ConceptDefinition => return typedefs::read_concept(cx, node),
            K::StructSpecifier | K::UnionSpecifier | K::ClassSpecifier | K::EnumSpecifier => {
                types::read_type_specifier(cx, node);
            }
            K::Enumerator => types::read_enum_member(cx, node),
            K::AccessSpecifier => cx.state.access_specifier(node),
            K::BaseClassClause => return types::bases_left_out(cx, node),
            K::NamespaceDefinition => types::read_namespace(cx, node),
            K::NamespaceAliasDefinition => return imports::namespace_alias(cx, node),
            K::UsingDeclaration => return imports::read_using(cx, node),
            K::PreprocInclude => return imports::read_include(cx, node),
            K::PreprocIf | K::PreprocElif | K::PreprocIfdef | K::PreprocElifdef => {
                state::read_condition(cx, node);
            }
            K::PreprocFunctionDef => return macros::function_like(cx, node),
            K::PreprocDef => return macros::object_like(cx, node),
            K::PreprocCall => {
                state::undefine_macro(cx, node);
                return Visit::Skip;
            }
            K::PreprocDefined => return Visit::Skip,
            K::FriendDeclaration => return functions::read_friend(cx, node),
            K::ForRangeLoop => vars::for_range(cx, node),
            K::CatchClause => params::bind_catch(cx, node),
            K::LambdaExpression => params::bind_lambda_params(cx, node),
            K::LambdaCaptureInitializer => vars::bind_capture(cx, node),
            K::ReturnStatement => invariants::read_return(cx, node),
            K::ThrowStatement => invariants::read_throw(cx, node),
            K::IfStatement => invariants::read_guard(cx, node),
            K::StaticAssert => invariants::static_assert(cx, node),
            K::CallExpression => refs::read_call(cx, node),
            K::NewExpression => refs::read_creation(cx, node),
            K::CompoundLiteral => refs::read_compound_literal(cx, node),
            K::FieldInitializer => refs::field_initializer(cx, node),
            K::FieldExpression => return refs::read_member(cx, node),
            K::QualifiedIdentifier => return refs::read_qualified_name(cx, node),
            K::Identifier => refs::read_identifier(cx, node),
            K::TypeIdentifier => refs::type_identifier(cx, node),
            K::AttributeSpecifier
            | K::AttributeDeclaration
            | K::MsDeclspecModifier
            | K::OffsetofExpression
            | K::FieldDesignator
            | K::NamespaceIdentifier
            | K::StringLiteral => return Visit::Skip,
            _ => {}
        }
        Visit::Into
    }

    fn finish(cx: &mut Context<'_>) {
        state::mark_other_systems(cx);
    }

    fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value_shape(half, node)
    }

    fn ty<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        names::type_shape(half, node)
    }
}
