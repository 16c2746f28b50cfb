//! Functions that extend a type from outside it: by a `this` parameter, or by a receiver before their name.

use sdl_model::facts::{DefIx, Expr, ImportKind};
use sdl_model::lang::ExtensionForm;
use sdl_model::{SymbolKind, Visibility};

use super::generics::parameter_names;
use super::{Ctx, Infer, Ty};
use crate::world::{DefRef, FileIndex, Sym, last_name};

/// Most files that are searched for a name with very many definitions.
const FILES: usize = 64;

/// How well a function's receiver fits a value; less is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Takes {
    /// It extends the value's type, or the type this many steps up its line of inheritance.
    Type(usize),
    /// It extends any type.
    Any,
    /// The value or the extended type is from outside.
    Perhaps,
}

/// The functions of one name that may extend a value.
#[derive(Debug, Default)]
pub(crate) struct Extensions {
    /// Those that extend exactly its type, the nearest in its line of inheritance.
    pub(crate) sure: Vec<DefRef>,
    /// Those that may, where the text does not decide.
    pub(crate) perhaps: Vec<DefRef>,
}

impl Infer<'_, '_> {
    /// The functions called `name` that are visible in `ctx` and extend a value of type `receiver`.
    pub(crate) fn extensions(&self, ctx: &Ctx<'_>, receiver: &Ty, name: Sym) -> Extensions {
        let mut found = Extensions::default();
        let own = self.file(ctx.file);
        if own.traits().members.extensions == ExtensionForm::None {
            return found;
        }
        let mut best = Takes::Perhaps;
        for def in self.extending(&own, name) {
            let index = self.file(def.file);
            if index.lang() != own.lang() || !self.sees(ctx, &own, &index, def) {
                continue;
            }
            match self.takes(&index, def, receiver) {
                Some(Takes::Perhaps) => found.perhaps.push(def),
                Some(takes) => {
                    if takes < best {
                        found.sure.clear();
                        best = takes;
                    }
                    if takes == best {
                        found.sure.push(def);
                    }
                }
                None => {}
            }
        }
        found
    }

    /// The functions of that name that extend something.
    fn extending(&self, own: &FileIndex, name: Sym) -> Vec<DefRef> {
        let by_receiver = own.traits().members.extensions == ExtensionForm::Receivers;
        let mut found: Vec<(u64, DefRef)> = Vec::new();
        let mut add = |file, def: DefIx| {
            let index = self.file(file);
            let extends =
                index.outline.def(def).is_some_and(|def| def.owner.is_some() && def.kind.is_callable());
            if let Some(symbol) = index.symbol(def).filter(|_| extends) {
                found.push((symbol.0, DefRef { file, def }));
            }
        };
        match self.w.named(name) {
            Some(hits) => {
                for hit in hits.iter().filter(|hit| hit.kind.is_callable()) {
                    let Some(file) = self.w.open(hit.file) else { continue };
                    if let Some(def) = self.file(file).find(hit.symbol) {
                        add(file, def);
                    }
                }
            }
            // Very many definitions have the name: take those that the file's package and imports lead to.
            None if by_receiver => {
                let text = self.w.text(name);
                let named = own.outline.imports.iter().filter(|import| {
                    import.kind == ImportKind::Wildcard
                        || import.name.is_some_and(|name| own.outline.str(name) == &*text)
                });
                let packages: Vec<&str> = own
                    .outline
                    .package
                    .into_iter()
                    .chain(named.map(|one| one.module))
                    .map(|at| own.outline.str(at))
                    .collect();
                let files = packages.iter().flat_map(|package| self.w.files_of_package(package).to_vec());
                for id in files.take(FILES) {
                    let Some(file) = self.w.open(id) else { continue };
                    let defs: Vec<DefIx> = self.file(file).children(DefIx::MODULE, name).collect();
                    defs.into_iter().for_each(|def| add(file, def));
                }
            }
            None => {}
        }
        // A name imported explicitly takes precedence over one of the package.
        let imported: Vec<&str> = own
            .imports(DefIx::MODULE, name)
            .filter_map(|ix| own.import(ix))
            .map(|import| own.outline.str(import.module))
            .collect();
        if by_receiver && !imported.is_empty() {
            found.retain(|(_, def)| {
                let index = self.file(def.file);
                let in_type = !is_extension(&index, def.def);
                in_type
                    || imported.contains(&index.outline.package.map_or("", |text| index.outline.str(text)))
            });
        }
        found.sort_unstable_by_key(|(id, _)| *id);
        found.dedup();
        found.into_iter().map(|(_, def)| def).collect()
    }

    /// Whether `ctx` sees the function `def`.
    fn sees(&self, ctx: &Ctx<'_>, own: &FileIndex, index: &FileIndex, def: DefRef) -> bool {
        let Some(found) = index.outline.def(def.def) else { return false };
        let Some(parent) = found.parent else { return false };
        if own.traits().members.extensions == ExtensionForm::StaticMethods {
            return self.rules(ctx.file).sees_namespace(
                self.w,
                ctx.file,
                ctx.scope,
                DefRef { def: parent, ..def },
            );
        }
        if index.outline.def(parent).is_some_and(|parent| parent.kind.is_type()) {
            // A member of a type that extends another: seen from inside.
            let holder = DefRef { def: parent, ..def };
            return self.around(ctx).iter().any(|class| self.line(*class).types.contains(&holder));
        }
        if def.file == ctx.file {
            return true;
        }
        if found.visibility == Visibility::Private {
            return false;
        }
        let package = index.outline.package.map_or("", |package| index.outline.str(package));
        own.outline.package.map_or("", |package| own.outline.str(package)) == package
            || own.outline.imports.iter().any(|import| {
                own.outline.str(import.module) == package
                    && (import.kind == ImportKind::Wildcard
                        || import.name.map(|name| own.outline.str(name))
                            == Some(index.outline.str(found.name)))
            })
    }

    /// The types around `ctx`, innermost first, which an unqualified call may be made on.
    fn around(&self, ctx: &Ctx<'_>) -> Vec<DefRef> {
        let file = self.file(ctx.file);
        let mut found = Vec::new();
        let mut at = Some(ctx.scope);
        while let Some(ix) = at {
            let Some(def) = file.outline.def(ix) else { break };
            let here = DefRef { file: ctx.file, def: ix };
            if def.kind.is_type() {
                found.push(here);
                found.extend(file.child(ix, self.sym("Companion")).map(|def| DefRef { def, ..here }));
            } else if def.owner.is_some() {
                found.extend(self.owner_of(&file, here));
            }
            at = def.parent.filter(|parent| *parent < ix);
        }
        found
    }

    /// The functions called `name` that extend one of the types around `ctx`, where no receiver is written.
    pub(crate) fn extensions_around(&self, ctx: &Ctx<'_>, name: Sym) -> Extensions {
        let mut perhaps = Vec::new();
        for class in self.around(ctx) {
            let found = self.extensions(ctx, &Ty::Instance(class), name);
            if !found.sure.is_empty() {
                return found;
            }
            perhaps = found.perhaps;
        }
        Extensions { sure: Vec::new(), perhaps }
    }

    /// Whether two types are one: the same type, or the `expect` declaration for several platforms and the type of one
    /// of them.
    pub(super) fn is_same(&self, a: DefRef, b: DefRef) -> bool {
        if a == b {
            return true;
        }
        let (file_a, file_b) = (self.file(a.file), self.file(b.file));
        let qualified = |file: &FileIndex, def: DefIx| {
            file.outline.def(def).map(|def| (def.qualified, file.outline.package)).map(|(name, package)| {
                (file.outline.str(name).to_owned(), package.map(|text| file.outline.str(text).to_owned()))
            })
        };
        file_a.traits().members.extensions == ExtensionForm::Receivers
            && file_a.name(a.def) == file_b.name(b.def)
            && qualified(&file_a, a.def) == qualified(&file_b, b.def)
    }

    /// How the function `def` takes a value of type `receiver` as its receiver, if it may.
    fn takes(&self, index: &FileIndex, def: DefRef, receiver: &Ty) -> Option<Takes> {
        let owner = self.owner_value(index, def);
        let found = index.outline.def(def.def)?;
        let stated = last_name(&index.outline, found.owner?).unwrap_or_default();
        let is_parameter = || {
            let generics = found.generics.map_or("", |generics| index.outline.str(generics));
            let is_name =
                matches!(found.owner.map(|owner| index.outline.arena.expr(owner)), Some(Expr::Name(_)));
            is_name && parameter_names(generics, &index.traits().types).any(|one| one == stated)
        };
        let takes_all =
            || matches!(stated, "Any" | "object" | "Object") || (owner == Ty::Unknown && is_parameter());
        let one = |ty: &Ty| match (ty, owner.instance_of()) {
            (Ty::Null | Ty::Unknown, _) => Some(Takes::Perhaps),
            (Ty::External(_) | Ty::Callable(_) | Ty::Func(..) | Ty::Module(_), Some(_)) => None,
            (Ty::External(_) | Ty::Callable(_) | Ty::Func(..), None) => Some(Takes::Perhaps),
            (Ty::Class(class), of) => {
                let file = self.file(class.file);
                let companion =
                    file.child(class.def, self.sym("Companion")).map(|def| DefRef { def, ..*class });
                let has = of.is_some() && (of == companion || of == Some(*class));
                let by_receiver = index.traits().members.extensions == ExtensionForm::Receivers;
                let is_value = by_receiver && (has || (of.is_none() && stated == "Companion"));
                is_value.then_some(if has { Takes::Type(0) } else { Takes::Perhaps })
            }
            (Ty::Instance(_) | Ty::Of(_) | Ty::Super(_), of) => {
                let class = match ty {
                    Ty::Super(class) => *class,
                    other => other.instance_of()?,
                };
                let line = self.line(class);
                match of {
                    Some(of) => line.types.iter().position(|one| self.is_same(*one, of)).map(Takes::Type),
                    None if takes_all() => Some(Takes::Any),
                    None => line.outside.then_some(Takes::Perhaps),
                }
            }
            (Ty::Module(_) | Ty::Object(_) | Ty::Union(_), _) => None,
        };
        receiver.each().iter().filter_map(one).min()
    }
}

/// Whether a definition is a function that extends a type, as opposed to one that is in it.
pub(crate) fn is_extension(file: &FileIndex, def: DefIx) -> bool {
    let Some(found) = file.outline.def(def) else { return false };
    let in_type = found
        .parent
        .and_then(|parent| file.outline.def(parent))
        .is_some_and(|parent| parent.kind.is_type() && parent.kind != SymbolKind::Module);
    file.traits().members.extensions != ExtensionForm::None && found.owner.is_some() && !in_type
}
