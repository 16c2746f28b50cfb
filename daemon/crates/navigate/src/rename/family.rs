//! The symbols that have to change their name together.

use std::collections::{BTreeSet, VecDeque};

use sdl_model::facts::{Def, DefFlags, DefIx};
use sdl_model::lang::{Constructor, Family as LangFamily};
use sdl_model::{EdgeKind, Lang, SymbolId, SymbolKind};
use sdl_retrieve::members::{member_owner, members_elsewhere, own_members};
use sdl_retrieve::{Result, Source, Sym};

use super::go;
use crate::Graph;
use crate::marks::{is_plain_base, is_plain_mark};
use crate::overrides::{base_types, derived_types};

/// Most definitions of one name that are looked at.
pub(super) const MOST_NAMESAKES: usize = 256;

/// The symbols that have to change their name together: a member with those that it overrides and that override it, a
/// type with its constructors, and all definitions of the name in one scope.
pub(super) struct Family {
    pub(super) symbols: Vec<Sym>,
    ids: BTreeSet<SymbolId>,
    /// The types that the members belong to.
    owners: Vec<Sym>,
}

impl Family {
    pub(super) fn of(graph: &Graph<'_, '_>, targets: &[Sym]) -> Result<Self> {
        let source = graph.source();
        let mut family = Self { symbols: Vec::new(), ids: BTreeSet::new(), owners: Vec::new() };
        let mut waiting: VecDeque<Sym> = VecDeque::new();
        for target in targets {
            waiting.push_back(constructed_type(source, target)?.unwrap_or_else(|| target.clone()));
        }
        while let Some(sym) = waiting.pop_front() {
            if !family.ids.insert(sym.id) {
                continue;
            }
            waiting.extend(namesakes_beside(&sym));
            waiting.extend(declarations(source, &sym)?);
            waiting.extend(go::embeddings(source, &sym)?);
            if sym.kind().is_type() {
                waiting.extend(constructors(source, &sym)?);
            } else {
                for id in graph.overridden(sym.id)?.iter().chain(graph.overriding(sym.id)?.iter()) {
                    waiting.extend(source.symbol(*id)?);
                }
                let owner = member_owner(source, &sym)?;
                let is_new = |owner: &Sym| family.owners.iter().all(|known| known.id != owner.id);
                family.owners.extend(owner.filter(is_new));
            }
            family.symbols.push(sym);
        }
        Ok(family)
    }

    pub(super) fn has(&self, symbol: SymbolId) -> bool {
        self.ids.contains(&symbol)
    }

    /// Whether they are members of types.
    pub(super) fn has_members(&self) -> bool {
        !self.owners.is_empty() || self.symbols.iter().any(is_in_value)
    }

    /// Whether some are constants of enums.
    pub(super) fn has_enum_members(&self) -> bool {
        self.symbols.iter().any(|sym| sym.kind() == SymbolKind::EnumMember)
    }

    /// Whether some are types.
    pub(super) fn has_types(&self) -> bool {
        self.symbols.iter().any(|sym| sym.kind().is_type())
    }

    /// Whether a place in a file of `lang` that sets the member of some value may set one of them, because types are
    /// compared by their members.
    pub(super) fn may_be_assigned_in(&self, lang: Lang) -> bool {
        lang.traits().family == ECMA && self.has_members()
    }

    /// Whether they hold values that literals and arguments may name.
    pub(super) fn has_fields(&self) -> bool {
        self.has_members()
            && self.symbols.iter().any(|sym| {
                !sym.kind().is_type() && (!sym.kind().is_callable() || sym.kind() == SymbolKind::Property)
            })
    }

    /// A definition in the scope of one of them that has the name `new` already.
    pub(super) fn taken(&self, graph: &Graph<'_, '_>, new: &str) -> Result<Option<Sym>> {
        let source = graph.source();
        for sym in &self.symbols {
            let parent = sym.def().parent;
            let beside = sym.outline().iter().find(|(ix, def)| {
                *ix != DefIx::MODULE && def.parent == parent && sym.outline().str(def.name) == new
            });
            if let Some(taken) = beside.and_then(|(ix, _)| sym.beside(ix)) {
                return Ok(Some(taken));
            }
        }
        for owner in &self.owners {
            let mut types = base_types(source, owner.id)?;
            types.extend(derived_types(source, owner.id)?);
            types.push(owner.id);
            for id in types {
                let Some(ty) = source.symbol(id)? else { continue };
                let own = own_members(&ty).into_iter().filter_map(|ix| ty.beside(ix));
                let taken = own.chain(members_elsewhere(source, &ty)?).find(|member| member.name() == new);
                if taken.is_some() {
                    return Ok(taken);
                }
            }
        }
        Ok(None)
    }

    /// What a person has to know about one of the symbols itself.
    pub(super) fn doubts_about(
        &self,
        source: &Source<'_>,
        sym: &Sym,
        new: &str,
    ) -> Result<Vec<&'static str>> {
        let mut whys = Vec::new();
        let def = sym.def();
        let marks = def.decorators.iter().map(|mark| sym.outline().last_name(*mark));
        if marks.into_iter().any(|mark| !mark.is_some_and(is_plain_mark)) {
            whys.push("what it is marked with may use its name");
        }
        if def.flags.has(DefFlags::TEST) && !new.to_ascii_lowercase().starts_with("test") {
            whys.push("a test's name may be what makes it one");
        }
        let names_file = sym.row().path.stem() == sym.name() && sym.outline().lang.traits().family == JVM;
        if names_file && sym.kind().is_type() && def.parent == Some(DefIx::MODULE) {
            whys.push("its file has its name and has to be renamed too");
        }
        if is_in_value(sym) || is_assigned_to_value(source, sym)? {
            whys.push("a member of a value without a named type");
        }
        if self.has_members() {
            whys.extend(self.structural_doubt(source, sym)?);
        }
        if go::names_an_example(source, sym)? {
            whys.push("an example of Go is named after it");
        }
        if has_open_module(sym) {
            whys.push("its module answers to names that it makes up");
        }
        if let Some(block) = trait_block(sym) {
            let of_family = |name: Option<&str>| self.owners.iter().any(|owner| Some(owner.name()) == name);
            if !block.bases.iter().all(|base| of_family(sym.outline().last_name(base.ty))) {
                whys.push(OUTSIDE);
            }
        } else if let Some(owner) = member_owner(source, sym)?.filter(|_| !sym.kind().is_type()) {
            let known = self
                .symbols
                .iter()
                .any(|other| other.id != sym.id && !other.def().flags.has(DefFlags::OVERRIDE));
            let states_more = def.flags.has(DefFlags::OVERRIDE) && !known;
            let is_root = ROOT_MEMBERS.contains(&sym.name())
                || (sym.outline().lang.traits().family == ECMA && FUNCTION_MEMBERS.contains(&sym.name()));
            // Which fields a struct of Go has does not depend on what else it embeds.
            let is_field = sym.kind() == SymbolKind::Field && sym.outline().lang.traits().family == go::GO;
            let is_of_outside = if is_field {
                go::is_embedded(sym) && !self.has_types()
            } else {
                derives_from_outside(source, sym, &owner)?
                    || go::may_be_asked_for(source, sym, &owner)?
                    || go::may_be_had_outside(sym, &owner)
            };
            if states_more || is_root || is_of_outside {
                whys.push(OUTSIDE);
            }
        }
        Ok(whys)
    }

    /// Whether a definition of the same name may have to have it because types are compared by their members.
    pub(super) fn may_be_compared(&self, other: &Sym) -> bool {
        let family = other.outline().lang.traits().family;
        COMPARED_BY_MEMBERS.contains(&family)
            && is_member(other.def(), family)
            && self.symbols.iter().any(|sym| sym.outline().lang.traits().family == family)
    }

    /// Whether another definition of the name may override one of them although no edge says so: one in a type without
    /// a name, or in a block of the same trait.
    pub(super) fn may_be_overridden_by(&self, source: &Source<'_>, other: &Sym) -> Result<bool> {
        if let Some(block) = trait_block(other) {
            let traits = block.bases.iter().filter_map(|base| other.outline().last_name(base.ty));
            return Ok(traits.into_iter().any(|name| self.owners.iter().any(|owner| owner.name() == name)));
        }
        let is_member = other.kind().is_callable() && other.def().parent != Some(DefIx::MODULE);
        Ok(is_member
            && other.outline().lang.traits().names.implicit_receiver
            && member_owner(source, other)?.is_none())
    }

    /// Where types are compared by their members, a member of the same name elsewhere may have to change with it.
    fn structural_doubt(&self, source: &Source<'_>, sym: &Sym) -> Result<Option<&'static str>> {
        if !COMPARED_BY_MEMBERS.contains(&sym.outline().lang.traits().family) {
            return Ok(None);
        }
        for hit in source.view().named_up_to(sym.name(), MOST_NAMESAKES)? {
            if self.has(hit.symbol) {
                continue;
            }
            let Some(other) = source.symbol(hit.symbol)? else { continue };
            let family = sym.outline().lang.traits().family;
            if other.outline().lang.traits().family == family && is_member(other.def(), family) {
                return Ok(Some("another type has a member of this name, and types are compared by members"));
            }
        }
        Ok(None)
    }
}

const JVM: LangFamily = LangFamily::Deep("jvm");
const ECMA: LangFamily = LangFamily::Deep("ecma");
const COMPARED_BY_MEMBERS: &[LangFamily] = &[ECMA, go::GO];

/// The type of a constructor that has the type's name.
fn constructed_type(source: &Source<'_>, sym: &Sym) -> Result<Option<Sym>> {
    if sym.outline().lang.traits().members.constructor != Constructor::TypeName {
        return Ok(None);
    }
    Ok(member_owner(source, sym)?.filter(|owner| owner.name() == sym.name() && sym.kind().is_callable()))
}

fn constructors(source: &Source<'_>, ty: &Sym) -> Result<Vec<Sym>> {
    if ty.outline().lang.traits().members.constructor != Constructor::TypeName {
        return Ok(Vec::new());
    }
    let own = own_members(ty).into_iter().filter_map(|ix| ty.beside(ix));
    let all = own.chain(members_elsewhere(source, ty)?);
    Ok(all.filter(|member| member.kind().is_callable() && member.name() == ty.name()).collect())
}

/// The other definitions of the name in the same scope, such as overloads and the two sides of a condition.
fn namesakes_beside(sym: &Sym) -> Vec<Sym> {
    let (outline, def) = (sym.outline(), sym.def());
    let is_beside = |other: &Def| {
        let together = other.parent == def.parent
            || (def.owner.is_some() && other.owner.is_some() && !def.flags.has(DefFlags::LOCAL));
        together
            && other.kind != SymbolKind::Impl
            && outline.str(other.qualified) == outline.str(def.qualified)
    };
    let same = outline.iter().filter(|(ix, other)| *ix != sym.ix && is_beside(other));
    same.filter_map(|(ix, _)| sym.beside(ix)).collect()
}

/// The declarations of a function that is defined in another file, and the other way round, as in C.
fn declarations(source: &Source<'_>, sym: &Sym) -> Result<Vec<Sym>> {
    if !sym.outline().lang.traits().names.shared_by_include {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for hit in source.view().named_up_to(sym.name(), MOST_NAMESAKES)? {
        let Some(other) = source.symbol(hit.symbol)? else { continue };
        let declares = sym.def().flags.has(DefFlags::ABSTRACT) || other.def().flags.has(DefFlags::ABSTRACT);
        if declares && other.qualified() == sym.qualified() {
            found.push(other);
        }
    }
    Ok(found)
}

const OUTSIDE: &str = "a type from outside of the repository may state the name";

/// Members that every type of Java or C# has.
const ROOT_MEMBERS: &[&str] =
    &["Equals", "GetHashCode", "ToString", "clone", "equals", "finalize", "hashCode", "toString"];

/// Members that every function of JavaScript has, so that a function may be passed for a type with one of them.
const FUNCTION_MEMBERS: &[&str] = &["apply", "bind", "call", "length", "name", "prototype"];

/// The block of a trait that a member is in.
fn trait_block(sym: &Sym) -> Option<&Def> {
    let block = sym.def().parent.and_then(|parent| sym.outline().def(parent))?;
    (block.kind == SymbolKind::Impl && !block.bases.is_empty()).then_some(block)
}

/// Whether it is a member of a value, such as a method of an object that is written out.
fn is_in_value(sym: &Sym) -> bool {
    let def = sym.def();
    let Some(parent) = def.parent.and_then(|parent| sym.outline().def(parent)) else { return false };
    let in_named = matches!(
        parent.kind,
        SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field | SymbolKind::EnumMember
    );
    // A method of an object without a name, such as an argument of a call: who takes the object calls it by its name.
    let in_unnamed = matches!(def.kind, SymbolKind::Method | SymbolKind::Property)
        && def.owner.is_none()
        && sym.outline().lang.traits().family == ECMA
        && (parent.kind == SymbolKind::Module || parent.kind.is_callable());
    in_unnamed || (in_named && !def.flags.has(DefFlags::LOCAL))
}

/// Whether a definition is a member that types are compared by. In JavaScript, a member may be assigned to a value of
/// the module.
fn is_member(def: &Def, family: LangFamily) -> bool {
    def.parent != Some(DefIx::MODULE) || (family == ECMA && def.owner.is_some())
}

/// Whether it is a member that code assigns to a value, as in `app.run = …`, where the type of the value may state it.
fn is_assigned_to_value(source: &Source<'_>, sym: &Sym) -> Result<bool> {
    let def = sym.def();
    let is_assigned = sym.outline().lang.traits().family == ECMA && def.owner.is_some();
    Ok(is_assigned && member_owner(source, sym)?.is_none())
}

/// Whether the module of a symbol answers to names that it does not define, as Python's `__getattr__` lets it.
fn has_open_module(sym: &Sym) -> bool {
    let outline = sym.outline();
    let is_hook = |def: &Def| def.parent == Some(DefIx::MODULE) && outline.str(def.name) == "__getattr__";
    sym.def().parent == Some(DefIx::MODULE) && outline.defs.iter().any(is_hook)
}

/// Whether the type of a member derives from one that is not in the repository.
pub(super) fn derives_from_outside(source: &Source<'_>, member: &Sym, owner: &Sym) -> Result<bool> {
    if member.outline().lang.traits().types.impl_blocks {
        return Ok(false);
    }
    let mut types = base_types(source, owner.id)?;
    types.push(owner.id);
    for id in types {
        let Some(ty) = source.symbol(id)? else { continue };
        let edges = source.view().out_edges(id)?;
        let known = edges.iter().filter(|edge| edge.kind == EdgeKind::Implements).count();
        let is_plain = |name: Option<&str>| name.is_some_and(is_plain_base);
        let bases = ty.def().bases.iter().filter(|base| !is_plain(ty.outline().last_name(base.ty))).count();
        if bases > known {
            return Ok(true);
        }
    }
    Ok(false)
}
