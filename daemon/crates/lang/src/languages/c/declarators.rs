//! Declarators: `*(*name[3])(int)` is read from the inside out.

use sdl_model::facts::{Expr, ExprIx};

use super::kinds::{F, K, Node};
use crate::builder::{Half, MAX_ELEMENTS};

/// How deep declarators are followed.
const MAX_DEPTH: usize = 24;

/// The name and type that a declarator declares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared<'a> {
    /// The name: an identifier, a qualified one, an operator, a destructor.
    pub(super) name: Node<'a>,
    /// The declarator with the parameters, if it declares a function.
    pub(super) function: Option<Node<'a>>,
    /// The declarator with the parameters, if it declares a pointer to a function.
    pub(super) callable: Option<Node<'a>>,
    /// How many dimensions an array has.
    pub(super) dimensions: u8,
    /// Whether it declares a pointer.
    pub(super) pointer: bool,
}

impl<'a> Declared<'a> {
    /// Reads `declarator`; none where it has no name.
    pub(super) fn of(declarator: Node<'a>) -> Option<Self> {
        let mut at = declarator;
        let mut function = None;
        let mut callable = None;
        let (mut dimensions, mut pointer) = (0u8, false);
        for _ in 0..MAX_DEPTH {
            let inner = match at.kind() {
                K::FunctionDeclarator | K::AbstractFunctionDeclarator => {
                    if let Some(result) = function.replace(at) {
                        // A function that returns a pointer to one.
                        callable = Some(result);
                    }
                    at.child(F::Declarator)
                }
                K::PointerDeclarator
                | K::PointerTypeDeclarator
                | K::ReferenceDeclarator
                | K::ArrayDeclarator
                | K::AbstractPointerDeclarator
                | K::AbstractReferenceDeclarator
                | K::AbstractArrayDeclarator => {
                    if function.is_some() {
                        callable = function.take();
                    }
                    let array = matches!(at.kind(), K::ArrayDeclarator | K::AbstractArrayDeclarator);
                    dimensions = dimensions.saturating_add(u8::from(array));
                    pointer |= matches!(at.kind(), K::PointerDeclarator | K::PointerTypeDeclarator);
                    at.child(F::Declarator).or_else(|| at.children().find(|child| is_declarator(*child)))
                }
                K::ParenthesizedDeclarator
                | K::AbstractParenthesizedDeclarator
                | K::AttributedDeclarator
                | K::VariadicDeclarator => at.children().find(|child| is_declarator(*child)),
                K::InitDeclarator => at.child(F::Declarator),
                K::OperatorCast => {
                    let function = at.child(F::Declarator).filter(|of| of.is(K::AbstractFunctionDeclarator));
                    return Some(Self { name: at, function, callable, dimensions, pointer });
                }
                K::QualifiedIdentifier => {
                    if let Some(cast) = last_name(at).filter(|last| last.is(K::OperatorCast)) {
                        function = cast.child(F::Declarator);
                    }
                    return Some(Self { name: at, function, callable, dimensions, pointer });
                }
                K::Identifier
                | K::FieldIdentifier
                | K::TypeIdentifier
                | K::PrimitiveType
                | K::OperatorName
                | K::DestructorName
                | K::TemplateFunction
                | K::StructuredBinding => {
                    return Some(Self { name: at, function, callable, dimensions, pointer });
                }
                _ => None,
            };
            at = inner?;
        }
        None
    }
}

fn is_declarator(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        K::FunctionDeclarator
            | K::PointerDeclarator
            | K::PointerTypeDeclarator
            | K::ReferenceDeclarator
            | K::ArrayDeclarator
            | K::ParenthesizedDeclarator
            | K::AttributedDeclarator
            | K::VariadicDeclarator
            | K::InitDeclarator
            | K::AbstractFunctionDeclarator
            | K::AbstractPointerDeclarator
            | K::AbstractReferenceDeclarator
            | K::AbstractArrayDeclarator
            | K::AbstractParenthesizedDeclarator
            | K::QualifiedIdentifier
            | K::Identifier
            | K::FieldIdentifier
            | K::TypeIdentifier
            | K::OperatorName
            | K::OperatorCast
            | K::DestructorName
            | K::TemplateFunction
            | K::StructuredBinding
    )
}

/// The last name of a qualified one.
pub(super) fn last_name(qualified: Node<'_>) -> Option<Node<'_>> {
    let mut at = qualified;
    for _ in 0..MAX_DEPTH {
        at = match at.kind() {
            K::QualifiedIdentifier | K::TemplateFunction | K::TemplateMethod | K::TemplateType => {
                at.child(F::Name)?
            }
            K::DependentName => at.first()?,
            _ => return Some(at),
        };
    }
    None
}

/// The shape of the type that a declaration gives `declared`, whose base type is `base`. A pointer has the shape of
/// its target.
pub(super) fn declared_shape<'a>(
    half: &mut Half<'a>,
    base: Node<'a>,
    declared: &Declared<'a>,
    cpp: bool,
) -> ExprIx {
    let base = half.ty(base);
    let mut ty = match declared.callable {
        Some(function) => function_shape(half, base, function),
        None => base,
    };
    // In C an array and a pointer to its first element are used alike.
    for _ in 0..if cpp { declared.dimensions.min(4) } else { 0 } {
        ty = half.add(Expr::Index(ty));
    }
    ty
}

/// The type of a function that returns `result` and has the parameters of `declarator`.
pub(super) fn function_shape<'a>(half: &mut Half<'a>, result: ExprIx, declarator: Node<'a>) -> ExprIx {
    let params = declarator.child(F::Parameters).into_iter().flat_map(Node::children);
    let params: Vec<ExprIx> = params
        .filter(|param| !is_void(*param))
        .filter_map(|param| param.child(F::Type))
        .take(MAX_ELEMENTS)
        .map(|ty| half.ty(ty))
        .collect();
    half.add(Expr::Callable(params, Some(result)))
}

/// Whether `param` is the `void` of a list without parameters.
pub(super) fn is_void(param: Node<'_>) -> bool {
    param.is(K::ParameterDeclaration) && param.text() == "void"
}

/// Whether a type is deduced from the value, as for `auto`.
pub(super) fn is_deduced(ty: Node<'_>) -> bool {
    ty.is(K::PlaceholderType)
}
