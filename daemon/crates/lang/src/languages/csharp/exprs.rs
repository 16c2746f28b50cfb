//! Shapes of values.

use sdl_model::facts::{Expr, ExprIx, Lit};

use super::kinds::{F, K, Node};
use super::types::plain_name;
use crate::builder::{Half, MAX_ELEMENTS};

pub(super) fn value_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::Identifier => half.name(plain_name(node.text())),
        K::GenericName => half.name(plain_name(node.first().map_or("", Node::text))),
        // `int.Parse(…)`: a type from outside.
        K::PredefinedType => half.lit(Lit::Object),
        K::This => half.add(Expr::SelfRef),
        K::BaseToken => half.add(Expr::SuperRef),
        K::QualifiedName => {
            let base = half.value_or_unknown(node.child(F::Qualifier));
            member_shape(half, base, node.child(F::Name))
        }
        K::AliasQualifiedName => half.ty(node),
        K::MemberAccess => {
            let base = half.value_or_unknown(node.child(F::ExpressionField));
            member_shape(half, base, node.child(F::Name))
        }
        K::ConditionalAccess => {
            let base = half.value_or_unknown(node.child(F::Condition));
            match node.child_of(K::MemberBinding) {
                Some(binding) => member_shape(half, base, binding.child(F::Name)),
                None => half.add(Expr::Index(base)),
            }
        }
        K::Invocation => {
            let Some(callee) = node.child(F::Function) else { return half.unknown() };
            if callee.is(K::Identifier) && callee.text() == "nameof" {
                return half.lit(Lit::Str);
            }
            let callee = half.value(callee);
            half.call(callee, arg_count(node))
        }
        K::ObjectCreation | K::Cast => {
            let ty = half.ty_or_unknown(node.child(F::TypeField));
            half.add(Expr::New(ty))
        }
        K::ImplicitObjectCreation => match target_type(node) {
            Some(ty) => {
                let ty = half.ty(ty);
                half.add(Expr::New(ty))
            }
            None => half.unknown(),
        },
        K::AsExpression => {
            let ty = half.ty_or_unknown(node.child(F::Right));
            half.add(Expr::New(ty))
        }
        K::ArrayCreation => {
            let ty = half.ty_or_unknown(node.child(F::TypeField));
            half.add(Expr::New(ty))
        }
        K::Default => match node.child(F::TypeField) {
            Some(ty) => {
                let ty = half.ty(ty);
                half.add(Expr::New(ty))
            }
            None => half.lit(Lit::Null),
        },
        K::ElementAccess => {
            let base = half.value_or_unknown(node.child(F::ExpressionField));
            half.add(Expr::Index(base))
        }
        _ => operation_shape(half, node),
    }
}

/// The shape of operators and conditions.
fn operation_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::Await => {
            let inner = half.value_or_unknown(node.first());
            half.add(Expr::Await(inner))
        }
        K::Parenthesized
        | K::CheckedExpression
        | K::RefExpression
        | K::With
        | K::Argument
        | K::ExpressionStatement
        | K::ArrowClause => half.value_or_unknown(inner_value(node)),
        K::Postfix => half.value_or_unknown(node.first()),
        K::Prefix => {
            if node.children().any(|part| part.is(K::Not)) {
                return half.lit(Lit::Bool);
            }
            half.value_or_unknown(node.first())
        }
        K::Assignment => half.value_or_unknown(node.child(F::Right)),
        K::Conditional => {
            let parts = [F::Consequence, F::Alternative].into_iter().filter_map(|field| node.child(field));
            let parts = half.values(parts);
            half.either(parts)
        }
        K::SwitchExpression => {
            let arms =
                node.children().filter(|arm| arm.is(K::SwitchArm)).filter_map(|arm| arm.children().last());
            let arms = half.values(arms.filter(|arm| !arm.is(K::ThrowExpression)).take(4));
            half.either(arms)
        }
        K::Binary => binary_shape(half, node),
        K::IsExpression | K::IsPattern | K::Boolean => half.lit(Lit::Bool),
        _ => literal_shape(half, node),
    }
}

/// The shape of a literal.
fn literal_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::TupleExpression => {
            let items = half.values(node.children());
            half.add(Expr::Tuple(items))
        }
        K::ImplicitArrayCreation => match node.child_of(K::Initializer).and_then(Node::first) {
            Some(first) => {
                let first = half.value(first);
                half.add(Expr::Tuple(vec![first]))
            }
            None => half.lit(Lit::List),
        },
        K::CollectionExpression | K::Initializer | K::Query => half.lit(Lit::List),
        K::AnonymousObject => half.lit(Lit::Object),
        K::Lambda => lambda_shape(half, node),
        K::AnonymousMethod => half.lit(Lit::Lambda),
        K::String | K::VerbatimString | K::RawString | K::InterpolatedString => half.lit(Lit::Str),
        K::Integer | K::Character | K::SizeOf => half.lit(Lit::Int),
        K::Real => half.lit(Lit::Float),
        K::Null => half.lit(Lit::Null),
        _ => half.unknown(),
    }
}

fn member_shape<'a>(half: &mut Half<'a>, base: ExprIx, name: Option<Node<'a>>) -> ExprIx {
    let Some(name) = name else { return half.unknown() };
    let name = if name.is(K::GenericName) { name.first().unwrap_or(name) } else { name };
    half.attr(base, plain_name(name.text()))
}

/// The one value that is in `node`, which may have tokens and names before it.
fn inner_value(node: Node<'_>) -> Option<Node<'_>> {
    if node.is(K::With) {
        return node.first();
    }
    node.children().find(|part| part.field() != F::Name && !part.is(K::Colon))
}

/// Comparisons are truth values, `a ?? b` is either.
fn binary_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let operator = node.child(F::Operator).map(Node::kind);
    match operator {
        Some(_) => half.lit(Lit::Bool),
        None => {
            let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else {
                return half.unknown();
            };
            let between = node.src().get(left.end() as usize..right.start() as usize).unwrap_or("");
            if between.contains("??") {
                let left = half.value(left);
                if right.is(K::ThrowExpression) {
                    return left;
                }
                let right = half.value(right);
                return half.either(vec![left, right]);
            }
            // The left operand's type, because arithmetic of a type mostly gives that type.
            half.value(left)
        }
    }
}

/// A lambda with the types of its parameters, where they are stated.
fn lambda_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let typed = node.child(F::Parameters).filter(|list| list.is(K::ParameterList));
    let typed = typed.filter(|list| list.first().is_some_and(|first| first.child(F::TypeField).is_some()));
    match typed {
        Some(list) => {
            let params =
                list.children().take(MAX_ELEMENTS).map(|param| half.ty_or_unknown(param.child(F::TypeField)));
            let params = params.collect();
            let ret = node.child(F::TypeField).map(|ret| half.ty(ret));
            half.add(Expr::Callable(params, ret))
        }
        None => half.lit(Lit::Lambda),
    }
}

/// How many arguments the call or creation `node` has.
pub(super) fn arg_count(node: Node<'_>) -> usize {
    let list = node.child(F::Arguments).or_else(|| node.child_of(K::ArgumentList));
    list.map_or(0, |list| list.children().count())
}

/// The type that `new(…)` makes, where the text around it states it.
pub(super) fn target_type(node: Node<'_>) -> Option<Node<'_>> {
    let parent = node.parent()?;
    match parent.kind() {
        K::VariableDeclarator => super::types::stated_type(parent.parent()?),
        K::PropertyDeclaration => parent.child(F::TypeField),
        K::Parameter | K::Cast => parent.child(F::TypeField),
        K::Return | K::ArrowClause => {
            let function = parent.ancestors().take(64).find(|around| {
                matches!(
                    around.kind(),
                    K::MethodDeclaration
                        | K::LocalFunction
                        | K::Lambda
                        | K::AnonymousMethod
                        | K::PropertyDeclaration
                        | K::IndexerDeclaration
                        | K::OperatorDeclaration
                        | K::ConversionOperator
                )
            })?;
            function.child(F::Returns).or_else(|| function.child(F::TypeField))
        }
        _ => None,
    }
}

/// The text of a string literal without its quotes.
pub(super) fn string_content(node: Node<'_>) -> Option<&str> {
    match node.kind() {
        K::String => node.text().strip_prefix('"')?.strip_suffix('"'),
        K::VerbatimString => node.text().strip_prefix("@\"")?.strip_suffix('"'),
        _ => None,
    }
}
