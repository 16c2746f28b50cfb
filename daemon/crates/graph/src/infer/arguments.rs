//! How well a call's arguments fit a function's parameters, by the types that the text states.

use sdl_model::facts::{Arena, BindingKind, Expr, ExprIx, Lit, Param, ParamKind};

use super::generics::parameter_names;
use super::{Ctx, Infer, Meaning, Ty, Want};
use crate::modules::Place;
use crate::world::{DefRef, FileIndex};

/// How many steps the name of a type is searched for through the values that variables are set to.
const STEPS: u8 = 4;

/// The facts known about one argument.
pub(crate) struct Argument {
    ty: Ty,
    /// The simple name of its type.
    name: Option<String>,
    lit: Option<Lit>,
}

/// Built-in types that are not bases of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plain {
    Text,
    Char,
    Truth,
    Number,
    Array,
}

/// The plain type called `name`, in any of the languages that have overloads.
pub(crate) fn plain_type(name: &str) -> Option<Plain> {
    Some(match name {
        "String" | "string" | "basic_string" => Plain::Text,
        "Char" | "char" | "wchar_t" | "char16_t" | "char32_t" | "Character" => Plain::Char,
        "Boolean" | "boolean" | "bool" => Plain::Truth,
        "Int" | "int" | "Integer" | "Long" | "long" | "Short" | "short" | "Byte" | "byte" | "sbyte"
        | "ushort" | "uint" | "ulong" | "UInt" | "ULong" | "UShort" | "UByte" | "Float" | "float"
        | "Double" | "double" | "decimal" | "size_t" | "int8_t" | "int16_t" | "int32_t" | "int64_t"
        | "uint8_t" | "uint16_t" | "uint32_t" | "uint64_t" | "ptrdiff_t" | "ssize_t" => Plain::Number,
        "[]" | "ByteArray" | "CharArray" | "IntArray" | "LongArray" | "Array" => Plain::Array,
        _ => return None,
    })
}

/// Whether two names are of one type. For example, `string` and `String` both name texts.
pub(crate) fn is_same_plain(a: &str, b: &str) -> bool {
    a == b
        || matches!((plain_type(a), plain_type(b)), (Some(a), Some(b)) if a == b && a != Plain::Number && a != Plain::Array)
}

/// Whether every value is of the type called `name`.
pub(crate) fn takes_all(name: &str) -> bool {
    matches!(name, "Any" | "object" | "Object" | "dynamic" | "T")
}

/// The simple name of a stated type.
pub(crate) fn type_name(arena: &Arena, ix: ExprIx) -> Option<String> {
    let mut at = ix;
    for _ in 0..8 {
        match arena.expr(at) {
            Expr::Name(name) | Expr::Attr(_, name) | Expr::Path(_, name) => {
                return Some(arena.str(*name).to_owned());
            }
            Expr::Generic(base, _) | Expr::Unwrap(base) | Expr::New(base) => at = *base,
            Expr::Index(_) | Expr::Iter(_) => return Some("[]".to_owned()),
            Expr::Union(all) => {
                let mut known = all.iter().filter(|one| !matches!(arena.expr(**one), Expr::Lit(Lit::Null)));
                at = *known.next().filter(|_| known.next().is_none())?;
            }
            _ => return None,
        }
    }
    None
}

impl Infer<'_, '_> {
    /// The facts known about the arguments in `given`.
    pub(crate) fn arguments(&self, ctx: &Ctx<'_>, given: ExprIx) -> Vec<Argument> {
        let Expr::Tuple(list) = ctx.arena.expr(given) else { return Vec::new() };
        let one = |ix: &ExprIx| {
            let lit = match ctx.arena.expr(*ix) {
                Expr::Lit(lit) => Some(*lit),
                _ => None,
            };
            Argument { ty: self.eval(ctx, *ix).ty, name: self.name_of_type(ctx, *ix, STEPS), lit }
        };
        list.iter().map(one).collect()
    }

    /// The simple name of the type of a value, of this repository or not.
    pub(crate) fn name_of_type(&self, ctx: &Ctx<'_>, ix: ExprIx, steps: u8) -> Option<String> {
        if steps == 0 || !self.w.step() {
            return None;
        }
        match ctx.arena.expr(ix) {
            Expr::Lit(Lit::Str) => Some("String".to_owned()),
            Expr::Lit(Lit::Int) => Some("Int".to_owned()),
            Expr::Lit(Lit::Float) => Some("Double".to_owned()),
            Expr::Lit(Lit::Bool) => Some("Boolean".to_owned()),
            Expr::Lit(Lit::List) => None,
            Expr::New(ty) => type_name(ctx.arena, *ty),
            Expr::Unwrap(inner) => self.name_of_type(ctx, *inner, steps - 1),
            Expr::Name(name) => match self.meaning(ctx, *name, Want::Any) {
                Meaning::Local(ix) => {
                    let binding = self.own.binding(self.w, ix)?;
                    let arena = self.own.arena();
                    match (binding.ty, binding.value) {
                        (Some(ty), _) => type_name(arena, ty),
                        (None, Some(value)) if binding.kind == BindingKind::Local => {
                            let before = Ctx { at: binding.from.saturating_sub(1), ..*ctx };
                            self.name_of_type(&before, value, steps - 1)
                        }
                        _ => None,
                    }
                }
                Meaning::Param(def, at) => {
                    let file = self.file(ctx.file);
                    type_name(&file.outline.arena, file.outline.def(def)?.params.get(at)?.ty?)
                }
                Meaning::Place(Place::Def(def), _) => self.stated_name(def),
                _ => None,
            },
            Expr::Attr(base, name) | Expr::Path(base, name) => {
                let of = self.eval(ctx, *base).ty;
                let class = match of {
                    Ty::Class(class) => class,
                    other => other.instance_of()?,
                };
                let member = self.member(class, self.sym(ctx.arena.str(*name)), false)?;
                self.stated_name(member.def)
            }
            Expr::Call(callee, _) => match self.eval(ctx, *callee).ty {
                Ty::Func(def, _) => self.stated_name(def),
                Ty::Class(class) => {
                    let file = self.file(class.file);
                    file.outline.def(class.def).map(|def| file.outline.str(def.name).to_owned())
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The name of the type that is stated for a value, or for the result of a function.
    fn stated_name(&self, def: DefRef) -> Option<String> {
        let file = self.file(def.file);
        let found = file.outline.def(def.def)?;
        type_name(&file.outline.arena, found.ret.or(found.ty)?)
    }

    /// How well `def` of `file` accepts the arguments: higher is better. None if it can't.
    pub(crate) fn takes_arguments(&self, file: &FileIndex, def: DefRef, args: &[Argument]) -> Option<i32> {
        let found = file.outline.def(def.def)?;
        let params: Vec<&Param> =
            found.params.iter().filter(|param| param.kind != ParamKind::Receiver).collect();
        let mut sum = 0;
        for (at, arg) in args.iter().enumerate() {
            match params.get(at) {
                Some(param) if param.kind == ParamKind::Positional => {
                    sum += self.takes_argument(file, def, param, arg)?;
                }
                _ => break,
            }
        }
        Some(sum)
    }

    fn takes_argument(&self, file: &FileIndex, def: DefRef, param: &Param, arg: &Argument) -> Option<i32> {
        let Some(stated) = param.ty else { return Some(0) };
        let name = type_name(&file.outline.arena, stated);
        if name.as_deref().is_some_and(|name| takes_all(name) || Self::is_generic(file, def, name)) {
            return Some(0);
        }
        let wanted = self.stated(&Self::outline_ctx(file, def, None), stated);
        let callable = matches!(file.outline.arena.expr(stated), Expr::Callable(..));
        let wanted_plain = name.as_deref().and_then(plain_type);
        let misfit = self.rules_of(file).misfit();
        let converts = misfit.is_some();
        match arg.lit {
            Some(Lit::Null) => {
                let is_value = matches!(wanted_plain, Some(Plain::Char | Plain::Truth | Plain::Number));
                return (!is_value || converts).then_some(0);
            }
            Some(Lit::Lambda) => {
                return match (callable, wanted_plain) {
                    (true, _) => Some(2),
                    (_, Some(_)) => None,
                    _ => Some(0),
                };
            }
            _ if callable && (arg.lit.is_some() || arg.ty.instance_of().is_some()) && !converts => {
                return None;
            }
            _ => {}
        }
        let own_plain = arg.name.as_deref().and_then(plain_type);
        // An argument of type `object` or `Any` does not fit a narrower type, because that would need a cast.
        let is_any = arg.name.as_deref().is_some_and(|name| matches!(name, "object" | "Any"));
        if is_any && (wanted.instance_of().is_some() || wanted_plain.is_some()) && !converts {
            return None;
        }
        match (arg.ty.instance_of(), wanted.instance_of()) {
            (Some(own), Some(wanted)) if own == wanted => Some(4),
            (Some(own), Some(wanted)) => {
                let line = self.line(own);
                match line.types.iter().position(|one| self.rules(one.file).is_same(self, *one, wanted)) {
                    Some(far) => Some(3 - (far.min(2) as i32)),
                    None => misfit,
                }
            }
            (Some(_), None) if wanted_plain.is_some() => misfit,
            (Some(own), None) => Some(if self.line(own).outside || wanted == Ty::Unknown { 0 } else { -1 }),
            (None, Some(_)) => match own_plain {
                Some(_) => misfit,
                None if arg.name.is_some() && arg.name == name => Some(2),
                None => Some(0),
            },
            (None, None) => match (own_plain, wanted_plain) {
                _ if arg.name.is_some() && arg.name == name => Some(3),
                // A literal of C++ is a pointer to characters.
                (Some(Plain::Text), Some(Plain::Char)) if converts && arg.lit.is_some() => Some(3),
                (Some(own), Some(wanted)) if own == wanted => Some(if own == Plain::Number { 1 } else { 2 }),
                (Some(_), Some(_)) => misfit,
                (Some(_), None) | (None, Some(_)) if arg.name.is_some() && name.is_some() => Some(-1),
                _ => Some(0),
            },
        }
    }

    /// Whether `name` is a parameter of the function's type, or of a type around it.
    fn is_generic(file: &FileIndex, def: DefRef, name: &str) -> bool {
        let mut at = Some(def.def);
        for _ in 0..8 {
            let Some(found) = at.and_then(|at| file.outline.def(at)) else { return false };
            if let Some(generics) = found.generics
                && parameter_names(file.outline.str(generics), &file.traits().types).any(|one| one == name)
            {
                return true;
            }
            at = found.parent;
        }
        false
    }
}
