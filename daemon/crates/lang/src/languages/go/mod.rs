//! Go.

mod binds;
mod constraints;
mod defs;
mod effects;
mod exprs;
mod flow;
mod functions;
mod imports;
mod invariants;
mod params;
mod refs;
mod structs;
mod types;

use std::collections::HashSet;

use sdl_model::facts::{DefIx, ExprIx};

use crate::builder::{EffectTable, Half};
use crate::driver::{Cx, Language, Visit};
use crate::flow::Flow;
use crate::kinds;

kinds! {
    nodes {
        ArgumentList = "argument_list",
        ArrayType = "array_type",
        AssignmentStatement = "assignment_statement",
        BinaryExpression = "binary_expression",
        BlankIdentifier = "blank_identifier",
        Block = "block",
        CallExpression = "call_expression",
        ChannelType = "channel_type",
        Comment = "comment",
        CommunicationCase = "communication_case",
        CompositeLiteral = "composite_literal",
        ConstDeclaration = "const_declaration",
        ConstSpec = "const_spec",
        DefaultCase = "default_case",
        Dot = "dot",
        ExpressionCase = "expression_case",
        ExpressionList = "expression_list",
        ExpressionStatement = "expression_statement",
        ExpressionSwitch = "expression_switch_statement",
        False = "false",
        FieldDeclaration = "field_declaration",
        FieldDeclarationList = "field_declaration_list",
        FieldIdentifier = "field_identifier",
        FloatLiteral = "float_literal",
        ForStatement = "for_statement",
        FuncLiteral = "func_literal",
        FunctionDeclaration = "function_declaration",
        FunctionType = "function_type",
        GenericType = "generic_type",
        Identifier = "identifier",
        IfStatement = "if_statement",
        ImaginaryLiteral = "imaginary_literal",
        ImplicitLengthArrayType = "implicit_length_array_type",
        ImportDeclaration = "import_declaration",
        ImportSpec = "import_spec",
        IndexExpression = "index_expression",
        IntLiteral = "int_literal",
        InterfaceType = "interface_type",
        InterpretedString = "interpreted_string_literal",
        Iota = "iota",
        KeyedElement = "keyed_element",
        LiteralElement = "literal_element",
        LiteralValue = "literal_value",
        MapType = "map_type",
        MethodDeclaration = "method_declaration",
        MethodElem = "method_elem",
        NegatedType = "negated_type",
        Nil = "nil",
        PackageClause = "package_clause",
        PackageIdentifier = "package_identifier",
        ParameterDeclaration = "parameter_declaration",
        ParameterList = "parameter_list",
        ParenthesizedExpression = "parenthesized_expression",
        ParenthesizedType = "parenthesized_type",
        PointerType = "pointer_type",
        QualifiedType = "qualified_type",
        RangeClause = "range_clause",
        RawString = "raw_string_literal",
        ReceiveStatement = "receive_statement",
        ReturnStatement = "return_statement",
        RuneLiteral = "rune_literal",
        SelectorExpression = "selector_expression",
        ShortVarDeclaration = "short_var_declaration",
        SliceExpression = "slice_expression",
        SliceType = "slice_type",
        SourceFile = "source_file",
        StatementList = "statement_list",
        StructType = "struct_type",
        True = "true",
        TypeAlias = "type_alias",
        TypeArguments = "type_arguments",
        TypeAssertion = "type_assertion_expression",
        TypeCase = "type_case",
        TypeConstraint = "type_constraint",
        TypeConversion = "type_conversion_expression",
        TypeDeclaration = "type_declaration",
        TypeElem = "type_elem",
        TypeIdentifier = "type_identifier",
        TypeInstantiation = "type_instantiation_expression",
        TypeParameterDeclaration = "type_parameter_declaration",
        TypeParameterList = "type_parameter_list",
        TypeSpec = "type_spec",
        TypeSwitch = "type_switch_statement",
        UnaryExpression = "unary_expression",
        VarDeclaration = "var_declaration",
        VarSpec = "var_spec",
        VarSpecList = "var_spec_list",
        VariadicArgument = "variadic_argument",
        VariadicParameter = "variadic_parameter_declaration",
    }
    tokens {
        Arrow = "<-",
        Bang = "!",
        Define = ":=",
        Less = "<",
        LessEqual = "<=",
        Greater = ">",
        GreaterEqual = ">=",
        Equal = "==",
        NotEqual = "!=",
        And = "&&",
        Or = "||",
    }
    fields {
        Alias = "alias",
        Alternative = "alternative",
        Arguments = "arguments",
        Body = "body",
        Condition = "condition",
        Consequence = "consequence",
        Element = "element",
        Field = "field",
        Function = "function",
        Initializer = "initializer",
        Key = "key",
        Left = "left",
        Name = "name",
        Operand = "operand",
        Operator = "operator",
        Package = "package",
        Parameters = "parameters",
        Path = "path",
        Receiver = "receiver",
        Result = "result",
        Right = "right",
        TypeField = "type",
        TypeArgumentsField = "type_arguments",
        TypeParameters = "type_parameters",
        Value = "value",
    }
}

/// Go's extractor.
#[derive(Clone, Copy, Debug)]
pub struct Go;

type Node<'a> = crate::tape::Node<'a, Go>;
type Context<'a> = Cx<'a, Go>;

/// State between nodes.
#[derive(Debug, Default)]
pub struct State {
    /// The type that the constants of a group without one have (in both halves), and the group's end on the tape.
    const_type: Option<(ExprIx, u32)>,
    /// `var _ I = T{}`: the name of T, the shape of I, where.
    assertions: Vec<(String, ExprIx, u32)>,
    /// The names of the imports.
    packages: HashSet<String>,
    /// The functions around, anonymous ones too: one past their last place on the tape, and their definition.
    functions: Vec<(u32, Option<DefIx>)>,
    /// The range, in bytes, in which a local has the name of the method's receiver.
    receiver_hidden: Option<(u32, u32)>,
}

impl State {
    /// The definition of the innermost function around `node`; none in an anonymous one.
    fn function(&mut self, node: Node<'_>) -> Option<DefIx> {
        while self.functions.last().is_some_and(|(end, _)| *end <= node.ix()) {
            self.functions.pop();
        }
        self.functions.last().and_then(|(_, def)| *def)
    }
}

impl Language for Go {
    type K = K;
    type F = F;
    type State = State;

    const FLOW: Flow = flow::FLOW;

    fn is_comment(kind: K) -> bool {
        kind == K::Comment
    }

    fn effects() -> &'static EffectTable {
        &effects::TABLE
    }

    fn enter<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
        if let Some(range) = cx.state.receiver_hidden {
            binds::hide_receiver(cx, node.start(), range);
        }
        match node.kind() {
            K::PackageClause => return imports::read_package(cx, node),
            K::ImportSpec => return imports::read_import(cx, node),
            K::FunctionDeclaration | K::MethodDeclaration => functions::read_function(cx, node),
            K::FuncLiteral => functions::read_function_literal(cx, node),
            K::MethodElem => functions::method_spec(cx, node),
            // The receiver is stated as the owner.
            K::ParameterList if node.field() == F::Receiver => return Visit::Skip,
            K::TypeSpec | K::TypeAlias => structs::type_spec(cx, node),
            K::FieldDeclaration => structs::read_field(cx, node),
            K::TypeElem => structs::read_embedded_interface(cx, node),
            K::ConstDeclaration => cx.state.const_type = None,
            K::ConstSpec | K::VarSpec => defs::read_spec(cx, node),
            K::ShortVarDeclaration | K::ReceiveStatement => binds::bind_short_declaration(cx, node),
            K::RangeClause => binds::bind_range(cx, node),
            K::TypeSwitch => binds::type_switch(cx, node),
            K::AssignmentStatement => invariants::note_global_write(cx, node),
            K::IfStatement => invariants::read_guard(cx, node),
            K::CallExpression => refs::read_call(cx, node),
            K::CompositeLiteral => refs::read_composite_literal(cx, node),
            K::SelectorExpression => refs::read_member(cx, node),
            K::Identifier => refs::read_identifier(cx, node),
            K::QualifiedType => return refs::qualified_type(cx, node),
            K::TypeIdentifier => refs::type_name(cx, node),
            _ => {}
        }
        Visit::Into
    }

    fn finish(cx: &mut Context<'_>) {
        structs::add_asserted_bases(cx);
    }

    fn value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        exprs::value_shape(half, node)
    }

    fn ty<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
        types::type_shape(half, node)
    }
}
