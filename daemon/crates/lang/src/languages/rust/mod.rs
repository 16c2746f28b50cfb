//! Rust.

mod arms;
mod attrs;
mod effects;
mod exprs;
mod flow;
mod generics;
mod imports;
mod invariants;
mod items;
mod mask;
mod members;
mod params;
mod patterns;
mod refs;
mod tokens;
mod types;

use std::borrow::Cow;

use sdl_model::Lang;
use sdl_model::facts::ExprIx;

use crate::builder::{EffectTable, Half};
use crate::driver::{Cx, Language, Visit};
use crate::flow::Flow;
use crate::kinds;

kinds! {
    nodes {
        AbstractType = "abstract_type",
        Arguments = "arguments",
        ArrayExpression = "array_expression",
        ArrayType = "array_type",
        AssignmentExpression = "assignment_expression",
        AssociatedType = "associated_type",
        AsyncBlock = "async_block",
        Attribute = "attribute",
        AttributeItem = "attribute_item",
        AwaitExpression = "await_expression",
        BaseFieldInitializer = "base_field_initializer",
        BinaryExpression = "binary_expression",
        Block = "block",
        BlockComment = "block_comment",
        BooleanLiteral = "boolean_literal",
        BoundedType = "bounded_type",
        BracketedType = "bracketed_type",
        CallExpression = "call_expression",
        CapturedPattern = "captured_pattern",
        CharLiteral = "char_literal",
        ClosureExpression = "closure_expression",
        CompoundAssignment = "compound_assignment_expr",
        ConstItem = "const_item",
        Crate = "crate",
        DeclarationList = "declaration_list",
        DynamicType = "dynamic_type",
        EnumItem = "enum_item",
        EnumVariant = "enum_variant",
        ExpressionStatement = "expression_statement",
        ExternCrate = "extern_crate_declaration",
        FieldDeclaration = "field_declaration",
        FieldDeclarationList = "field_declaration_list",
        FieldExpression = "field_expression",
        FieldIdentifier = "field_identifier",
        FieldInitializer = "field_initializer",
        FieldPattern = "field_pattern",
        FloatLiteral = "float_literal",
        ForExpression = "for_expression",
        FunctionItem = "function_item",
        FunctionModifiers = "function_modifiers",
        FunctionSignature = "function_signature_item",
        FunctionType = "function_type",
        GenericFunction = "generic_function",
        GenericPattern = "generic_pattern",
        GenericType = "generic_type",
        GenericTypeTurbofish = "generic_type_with_turbofish",
        HigherRankedBound = "higher_ranked_trait_bound",
        Identifier = "identifier",
        IfExpression = "if_expression",
        ImplItem = "impl_item",
        IndexExpression = "index_expression",
        InnerAttribute = "inner_attribute_item",
        IntegerLiteral = "integer_literal",
        Label = "label",
        LetChain = "let_chain",
        LetCondition = "let_condition",
        LetDeclaration = "let_declaration",
        Lifetime = "lifetime",
        LifetimeParameter = "lifetime_parameter",
        LineComment = "line_comment",
        MacroDefinition = "macro_definition",
        MacroInvocation = "macro_invocation",
        MatchArm = "match_arm",
        MatchExpression = "match_expression",
        MatchPattern = "match_pattern",
        Metavariable = "metavariable",
        ModItem = "mod_item",
        MutPattern = "mut_pattern",
        MutableSpecifier = "mutable_specifier",
        NegativeLiteral = "negative_literal",
        OrPattern = "or_pattern",
        OrderedFields = "ordered_field_declaration_list",
        Parameter = "parameter",
        ParenthesizedExpression = "parenthesized_expression",
        PointerType = "pointer_type",
        PrimitiveType = "primitive_type",
        QualifiedType = "qualified_type",
        RangeExpression = "range_expression",
        RawStringLiteral = "raw_string_literal",
        RefPattern = "ref_pattern",
        ReferenceExpression = "reference_expression",
        ReferencePattern = "reference_pattern",
        ReferenceType = "reference_type",
        RemainingField = "remaining_field_pattern",
        RemovedBound = "removed_trait_bound",
        ReturnExpression = "return_expression",
        ScopedIdentifier = "scoped_identifier",
        ScopedTypeIdentifier = "scoped_type_identifier",
        ScopedUseList = "scoped_use_list",
        SelfName = "self",
        SelfParameter = "self_parameter",
        ShorthandField = "shorthand_field_identifier",
        SlicePattern = "slice_pattern",
        StaticItem = "static_item",
        StringLiteral = "string_literal",
        StructExpression = "struct_expression",
        StructItem = "struct_item",
        StructPattern = "struct_pattern",
        Super = "super",
        TokenTree = "token_tree",
        TokenRepetition = "token_repetition",
        TokenTreePattern = "token_tree_pattern",
        TraitItem = "trait_item",
        TryBlock = "try_block",
        TryExpression = "try_expression",
        TupleExpression = "tuple_expression",
        TuplePattern = "tuple_pattern",
        TupleStructPattern = "tuple_struct_pattern",
        TupleType = "tuple_type",
        TypeArguments = "type_arguments",
        TypeBinding = "type_binding",
        TypeCast = "type_cast_expression",
        TypeIdentifier = "type_identifier",
        TypeItem = "type_item",
        TypeParameter = "type_parameter",
        UnaryExpression = "unary_expression",
        UnionItem = "union_item",
        UnitExpression = "unit_expression",
        UnitType = "unit_type",
        UnsafeBlock = "unsafe_block",
        UseAsClause = "use_as_clause",
        UseDeclaration = "use_declaration",
        UseList = "use_list",
        UseWildcard = "use_wildcard",
        VariadicParameter = "variadic_parameter",
        VisibilityModifier = "visibility_modifier",
        WhereClause = "where_clause",
        WherePredicate = "where_predicate",
        WhileExpression = "while_expression",
    }
    tokens {
        Async = "async",
    }
    fields {
        Alias = "alias",
        Alternative = "alternative",
        ArgumentsField = "arguments",
        Body = "body",
        Bounds = "bounds",
        Condition = "condition",
        Consequence = "consequence",
        Element = "element",
        Field = "field",
        Function = "function",
        Left = "left",
        List = "list",
        MacroName = "macro",
        Name = "name",
        Parameters = "parameters",
        Path = "path",
        Pattern = "pattern",
        ReturnType = "return_type",
        Right = "right",
        Trait = "trait",
        TypeField = "type",
        TypeArgumentsField = "type_arguments",
        TypeParameters = "type_parameters",
        Value = "value",
    }
}

/// Rust's extractor.
#[derive(Clone, Copy, Debug)]
pub struct Rust;

type Node<'a> = crate::tape::Node<'a, Rust>;
type Context<'a> = Cx<'a, Rust>;

/// State between nodes.
#[derive(Debug, Default)]
pub struct State {
    /// Up to here on the tape, attributes and the items after them have been read.
    attributes_until: u32,
    /// Up to here on the tape, names in lower case are bound.
    pattern_until: u32,
    /// From here to there on the tape, names of macro calls are in a pattern.
    token_pattern: (u32, u32),
    /// A `use` or `mod x;` on the tape, and the condition that is before it.
    condition: Option<(u32, String)>,
    /// Whether `Command` is that of `std::process` here.
    runs_processes: bool,
}

impl Language for Rust {
    type K = K;
    type F = F;
    type State = State;

    const FLOW: Flow = flow::FLOW;

    fn is_comment(kind: K) -> bool {
        matches!(kind, K::LineComment | K::BlockComment)
    }

    fn effects() -> &'static EffectTable {
        &effects::TABLE
    }

    fn prepare(_lang: Lang, bytes: &[u8]) -> Cow<'_, [u8]> {
        mask::mask_source(bytes)
    }

    fn begin(cx: &mut Context<'_>, root: Node<'_>) {
        if let Some(doc) = attrs::inner_doc(root) {
            cx.b.doc(sdl_model::facts::DefIx::MODULE, &doc);
        }
    }

    fn enter<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
        if items::is_item(node.kind()) {
            if node.is(K::ModItem) && imports::module_file(cx, node) == Visit::Skip {
                return Visit::Skip;
            }
            if node.ix() >= cx.state.attributes_until {
                items::read_item(cx, node, node);
            }
            return Visit::Into;
        }
        match node.kind() {
            K::AttributeItem => return attrs::read_attribute(cx, node),
            K::InnerAttribute | K::VisibilityModifier | K::Label | K::Lifetime | K::LifetimeParameter => {
                return Visit::Skip;
            }
            K::TokenTreePattern | K::SelfParameter => return Visit::Skip,
            K::UseDeclaration => return imports::read_use(cx, node),
            K::ExternCrate => return imports::extern_crate(cx, node),
            K::Parameter => params::pattern_range(cx, node),
            K::ClosureExpression => params::bind_closure_params(cx, node),
            K::LetDeclaration => patterns::let_declaration(cx, node),
            K::LetCondition => patterns::let_condition(cx, node),
            K::MatchArm => patterns::match_arm(cx, node),
            K::ForExpression => patterns::for_expression(cx, node),
            K::ReturnExpression => invariants::read_return(cx, node),
            K::IfExpression => invariants::read_guard(cx, node),
            K::CallExpression => refs::read_call(cx, node),
            K::MacroInvocation => refs::macro_call(cx, node),
            K::AssignmentExpression | K::CompoundAssignment => refs::note_static_write(cx, node),
            K::TokenTree | K::TokenRepetition => return tokens::read_token_tree(cx, node),
            K::FieldExpression => refs::read_member(cx, node),
            K::ScopedIdentifier | K::ScopedTypeIdentifier => refs::read_path(cx, node),
            K::Identifier => refs::read_identifier(cx, node),
            K::TypeIdentifier => refs::type_name(cx, node),
            _ => {}
        }
        Visit::Into
    }

    fn finish(cx: &mut Context<'_>) {
        items::mark_exports(cx);
    }

    fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value_shape(half, node)
    }

    fn ty<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        types::type_shape(half, node)
    }
}
