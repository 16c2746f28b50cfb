//! Types with arguments. For example, `get` of `Box[T]` returns `T`, which is `Cart` for a value of type `Box[Cart]`.

use sdl_model::SymbolKind;
use sdl_model::facts::{Def, DefIx, Expr, ExprIx};

use super::generics::parameter_names;
use super::{Ctx, Env, How, Infer, Part, Ty, Typed};
use crate::world::{DefRef, FileIndex, last_name};

/// How many steps type arguments are passed up a line of inheritance, as from `Names(List[str])` to `List[T]`.
const UP: u8 = 4;

impl Infer<'_, '_> {
    /// The return type of the member `name` of a value of type `ty`, where it depends on the type's arguments. With
    /// `args`, that of the overload that accepts this number of arguments.
    pub(super) fn applied_call(&self, ty: &Ty, name: &str, args: Option<usize>) -> Option<Typed> {
        let mut member = self.member(ty.instance_of()?, self.sym(name), true)?.def;
        if let Some(args) = args {
            member = self.overload(member, args);
        }
        let file = self.file(member.file);
        let found = file.outline.def(member.def).filter(|def| def.kind.is_callable())?;
        self.applied_type(ty, member, found.ret?, How::Returned)
    }

    /// The type of the member `member` of a value of type `ty`, where that depends on the type's arguments.
    pub(super) fn applied_value(&self, ty: &Ty, member: DefRef) -> Option<Typed> {
        let file = self.file(member.file);
        let found = file.outline.def(member.def)?;
        match found.kind {
            SymbolKind::Property => self.applied_type(ty, member, found.ret?, How::Returned),
            kind if kind.is_callable() => None,
            _ => self.applied_type(ty, member, found.ty?, How::Stated),
        }
    }

    /// The type that `member` states, seen from a value of type `ty`.
    pub(crate) fn applied_type(&self, ty: &Ty, member: DefRef, stated: ExprIx, how: How) -> Option<Typed> {
        let env = self.env(ty, member)?;
        let file = self.file(member.file);
        let ctx = Ctx { env: Some(&env), ..Self::outline_ctx(&file, member, ty.instance_of()) };
        match self.stated(&ctx, stated) {
            Ty::Unknown => None,
            ty => Some(Typed::new(ty, how)),
        }
    }

    /// The arguments of the generic parameters visible to `member`, when it is reached through `ty`.
    fn env(&self, ty: &Ty, member: DefRef) -> Option<Env> {
        let class = ty.instance_of()?;
        let file = self.file(member.file);
        let (of, names) = Self::parameters_around(&file, member)?;
        let owner = self.owner_type(member)?;
        let args = if owner == class { ty.args().to_vec() } else { self.handed_up(ty, owner, UP)? };
        (!args.is_empty()).then(|| Env { of, names, args, this: (owner == class).then(|| ty.clone()) })
    }

    /// The generic parameters that the type of `member` has there, and the definition that declares them.
    fn parameters_around(file: &FileIndex, member: DefRef) -> Option<(DefIx, Vec<Box<str>>)> {
        let found = file.outline.def(member.def)?;
        let holder = if found.owner.is_some() { member.def } else { found.parent? };
        let def = file.outline.def(holder)?;
        if let Some(mut owner) = def.owner {
            // By the names in the impl block or the receiver.
            while let Expr::Unwrap(inner) = file.outline.arena.expr(owner) {
                owner = *inner;
            }
            let Expr::Generic(_, args) = file.outline.arena.expr(owner) else { return None };
            let name = |arg: &ExprIx| match file.outline.arena.expr(*arg) {
                Expr::Name(name) => file.outline.str(*name).into(),
                _ => Box::default(),
            };
            return Some((holder, args.iter().map(name).collect()));
        }
        Some((holder, type_parameters(file, def))).filter(|(_, names)| !names.is_empty())
    }

    /// The arguments that `ty` passes to its base `owner`.
    fn handed_up(&self, ty: &Ty, owner: DefRef, up: u8) -> Option<Vec<Ty>> {
        let class = ty.instance_of()?;
        let file = self.file(class.file);
        let def = file.outline.def(class.def)?;
        // Without arguments, parameters have their bounds as types.
        let names = if ty.args().is_empty() { Vec::new() } else { type_parameters(&file, def) };
        let env = Env { of: class.def, names, args: ty.args().to_vec(), this: None };
        // The bases of a type see its parameters, which its own scope declares.
        let ctx = Ctx { env: Some(&env), ..Self::outline_ctx(&file, class, None) };
        let bases: Vec<Ty> = def
            .bases
            .iter()
            .flat_map(|base| self.stated(&ctx, base.ty).each().to_vec())
            .filter(|base| base.instance_of().is_some_and(|of| of != class))
            .collect();
        let direct = bases.iter().find(|base| base.instance_of() == Some(owner));
        match direct {
            Some(base) => Some(base.args().to_vec()),
            None if up > 0 => bases.iter().find_map(|base| self.handed_up(base, owner, up - 1)),
            None => None,
        }
    }

    /// A part of a value of a type of the repository, by the methods that return one.
    pub(crate) fn part_by_methods(&self, ty: &Ty, class: DefRef, part: Part) -> Option<Ty> {
        let file = self.file(class.file);
        let (members, types) = (&file.traits().members, &file.traits().types);
        match part {
            Part::Index => self.given_by(ty, members.subscript?),
            Part::Item(_) => None,
            Part::Iter => match self.given_by(ty, members.iterator?)? {
                Ty::External(Some(shape)) => Some(shape.element(types)),
                iterator if iterator.instance_of() != Some(class) => self.given_by(&iterator, members.next?),
                _ => self.given_by(ty, members.next?),
            },
        }
    }

    /// The target of an iterator or smart pointer that the repository defines, such as a `unique_ptr` of its own.
    pub(crate) fn pointed_to(&self, ty: &Ty) -> Option<Ty> {
        self.rules(ty.instance_of()?.file).pointed_to(self, ty)
    }

    /// The return type of the method `method` of `ty`, if it has one.
    pub(crate) fn given_by(&self, ty: &Ty, method: &str) -> Option<Ty> {
        if let Some(applied) = self.applied_call(ty, method, None) {
            return Some(applied.ty);
        }
        let class = ty.instance_of()?;
        let member = self.member(class, self.sym(method), true)?.def;
        Some(self.result(member, Some(class)).ty)
    }
}

/// The names of a type's generic parameters. They may be among its bases: `Generic[T]`.
fn type_parameters(file: &FileIndex, def: &Def) -> Vec<Box<str>> {
    if let Some(generics) = def.generics {
        return parameter_names(file.outline.str(generics), &file.traits().types).map(Into::into).collect();
    }
    let listed = def.bases.iter().find_map(|base| match file.outline.arena.expr(base.ty) {
        Expr::Generic(of, args) => {
            let of = last_name(&file.outline, *of)?;
            file.traits().types.generic_bases.contains(&of).then_some(args)
        }
        _ => None,
    });
    let name = |arg: &ExprIx| match file.outline.arena.expr(*arg) {
        Expr::Name(name) => file.outline.str(*name).into(),
        _ => Box::default(),
    };
    listed.into_iter().flatten().map(name).collect()
}
