//! One file's outline, indexed by name.

use std::cell::OnceCell;

use sdl_model::facts::{Def, DefFlags, DefIx, ExprIx, Import, ImportKind};
use sdl_model::lang::{Overloads, Traits};
use sdl_model::{FileId, Lang, Outline, RelPath, SymbolId, SymbolKind};

use super::{Kinds, SharedOutline, Sym, steps};
use crate::hash::{NumberMap, NumberSet};

const END: u32 = u32::MAX;

/// Most definitions of one name in one scope that are distinguished. With more, the file was generated, or made to be
/// slow, and looking at all of them for each call takes time quadratic in their number.
const CROWD: u32 = 256;

/// One file's outline, indexed by name. It is built only from the facts that [`sdl_model::Outline::interface`] covers.
pub(crate) struct FileIndex {
    pub(crate) id: FileId,
    pub(crate) path: RelPath,
    pub(crate) outline: SharedOutline,
    names: Box<[Sym]>,
    children: Chains,
    /// Members of enumerations by the scopes around these and their names, as keys of [`Chains`], sorted. Few files have many.
    enumerators: Box<[(u64, u32)]>,
    imports: Chains,
    /// Indexes of wildcard imports.
    pub(crate) wildcards: Box<[u32]>,
    /// Indexes of imports that load a whole file.
    pub(crate) includes: Box<[u32]>,
    /// The local names of exports, as (exported, local).
    pub(crate) exports: Box<[(Sym, Sym)]>,
    apart: Apart,
    owning_aliases: OnceCell<Box<[DefIx]>>,
    /// Which definitions hold others.
    holders: Box<[bool]>,
    /// The definition that is the default export.
    default_export: OnceCell<Option<DefIx>>,
    by_symbol: OnceCell<NumberMap<u64, DefIx>>,
}

/// Lists of numbers by a pair of keys, in order. None is longer than [`CROWD`].
#[derive(Default)]
struct Chains {
    ends: NumberMap<u64, Ends>,
    next: Box<[u32]>,
}

/// A list's ends, and the number of entries it would have without the limit.
struct Ends {
    first: u32,
    last: u32,
    count: u32,
}

impl Chains {
    fn build(len: usize, keys: impl Iterator<Item = (u32, u32, Sym)>) -> Self {
        let mut all: NumberMap<u64, Ends> =
            NumberMap::with_capacity_and_hasher(len, std::hash::BuildHasherDefault::default());
        let mut next = vec![END; len].into_boxed_slice();
        for (ix, scope, name) in keys {
            let ends = all.entry(Self::key(scope, name)).or_insert(Ends { first: ix, last: ix, count: 0 });
            ends.count += 1;
            if (2..=CROWD).contains(&ends.count) {
                if let Some(slot) = next.get_mut(ends.last as usize) {
                    *slot = ix;
                }
                ends.last = ix;
            }
        }
        Self { ends: all, next }
    }

    fn key(scope: u32, name: Sym) -> u64 {
        u64::from(scope) << 32 | u64::from(name.0)
    }

    fn first(&self, scope: u32, name: Sym) -> Option<u32> {
        self.ends.get(&Self::key(scope, name)).map(|ends| ends.first)
    }

    fn after(&self, ix: u32) -> Option<u32> {
        self.next.get(ix as usize).copied().filter(|next| *next != END)
    }

    fn all(&self, scope: u32, name: Sym) -> impl Iterator<Item = u32> {
        std::iter::successors(self.first(scope, name), |ix| self.after(*ix)).inspect(|_| steps::count_step())
    }

    fn is_crowded(&self, scope: u32, name: Sym) -> bool {
        self.ends.get(&Self::key(scope, name)).is_some_and(|ends| ends.count > CROWD)
    }
}

/// The definitions outside of the types that they belong to.
struct Apart {
    /// Impl blocks, by the last name of their type.
    blocks: NumberMap<Sym, Vec<DefIx>>,
    /// Definitions in impl blocks, by the last name of the block's type and their own name.
    in_blocks: Chains,
    /// Members with a stated owner, by its last name and their own.
    owned: Chains,
    /// The last names of owners.
    owners: NumberSet<Sym>,
}

impl Apart {
    fn build(o: &Outline, names: &[Sym], mut intern: impl FnMut(&str) -> Sym) -> Self {
        let mut blocks: NumberMap<Sym, Vec<DefIx>> = NumberMap::default();
        let mut owners = NumberSet::default();
        let mut members: Vec<(DefIx, Sym)> = Vec::new();
        for (ix, def) in o.iter() {
            let Some(owner) = def.owner.and_then(|owner| last_name(o, owner)) else { continue };
            let owner = intern(owner);
            owners.insert(owner);
            match def.kind {
                SymbolKind::Impl => blocks.entry(owner).or_default().push(ix),
                _ => members.push((ix, owner)),
            }
        }
        let key = |ix: &DefIx| o.def(*ix).map(|def| def.key);
        for list in blocks.values_mut() {
            list.sort_unstable_by_key(key);
        }
        members.sort_unstable_by_key(|(ix, _)| key(ix));
        let owner_of: NumberMap<DefIx, Sym> =
            blocks.iter().flat_map(|(owner, list)| list.iter().map(|block| (*block, *owner))).collect();
        let in_block = |(ix, def): (DefIx, &Def)| Some((ix, *owner_of.get(&def.parent?)?));
        let mut within: Vec<(DefIx, Sym)> = o.iter().filter_map(in_block).collect();
        within.sort_unstable_by_key(|(ix, _)| {
            let def = o.def(*ix);
            (def.and_then(|def| key(&def.parent?)), def.map(|def| def.key))
        });
        let named = |(ix, owner): &(DefIx, Sym)| Some((ix.0, owner.0, *names.get(ix.0 as usize)?));
        let in_blocks = Chains::build(o.defs.len(), within.iter().filter_map(named));
        let owned = Chains::build(o.defs.len(), members.iter().filter_map(named));
        Self { blocks, in_blocks, owned, owners }
    }
}

/// The scope around the enumeration that a definition is a member of, in languages where the member is a name there.
fn scope_around(o: &Outline, member: DefIx) -> Option<DefIx> {
    let def = o.def(member).filter(|def| def.kind == SymbolKind::EnumMember)?;
    let is_free = o.lang.traits().names.enumerators_around && !def.flags.has(DefFlags::STATIC);
    o.def(def.parent.filter(|_| is_free)?)?.parent
}

/// Which definitions hold others.
fn container_flags(o: &Outline) -> Box<[bool]> {
    let mut holders = vec![false; o.defs.len()].into_boxed_slice();
    for parent in o.defs.iter().filter_map(|def| def.parent) {
        if let Some(holds) = holders.get_mut(parent.0 as usize) {
            *holds = true;
        }
    }
    holders
}

impl FileIndex {
    pub(super) fn build(
        id: FileId,
        path: RelPath,
        outline: SharedOutline,
        mut intern: impl FnMut(&str) -> Sym,
    ) -> Self {
        let o = &*outline;
        let names: Box<[Sym]> = o.defs.iter().map(|def| intern(o.str(def.name))).collect();
        // The facts covered by an outline's interface have no order except by identity, and so has this index.
        let mut order: Vec<u32> = (0..o.defs.len() as u32).collect();
        if o.lang.traits().calls.overloads == Overloads::None {
            order.sort_by_key(|ix| o.defs.get(*ix as usize).map(|def| kind_rank(def.kind)));
        } else {
            // Keys differ by the types of parameters, and not by the order of the text.
            order.sort_unstable_by_key(|ix| {
                o.defs.get(*ix as usize).map(|def| (kind_rank(def.kind), def.key))
            });
        }
        let children = Chains::build(
            o.defs.len(),
            order.iter().filter_map(|&ix| {
                let def = o.defs.get(ix as usize)?;
                let name = *names.get(ix as usize)?;
                (def.kind != SymbolKind::Impl).then_some((ix, def.parent?.0, name))
            }),
        );
        let enumerator =
            |&ix: &u32| Some((Chains::key(scope_around(o, DefIx(ix))?.0, *names.get(ix as usize)?), ix));
        let mut enumerators: Box<[(u64, u32)]> = order.iter().filter_map(enumerator).collect();
        enumerators.sort_by_key(|(key, _)| *key);
        let mut order: Vec<u32> = (0..o.imports.len() as u32).collect();
        let text = |ix: &u32| {
            o.imports.get(*ix as usize).map(|one| (o.str(one.module), one.name.map(|name| o.str(name))))
        };
        order.sort_by(|a, b| text(a).cmp(&text(b)));
        let imports = Chains::build(
            o.imports.len(),
            order.iter().filter_map(|&ix| {
                let import = o.imports.get(ix as usize)?;
                Some((ix, import.scope.0, intern(o.str(import.local?))))
            }),
        );
        let of_kind = |wanted: fn(ImportKind) -> bool| -> Box<[u32]> {
            let kind = |ix: &u32| o.imports.get(*ix as usize).is_some_and(|import| wanted(import.kind));
            order.iter().copied().filter(kind).collect()
        };
        let wildcards = of_kind(|kind| kind == ImportKind::Wildcard);
        let includes = of_kind(|kind| {
            matches!(
                kind,
                ImportKind::Include | ImportKind::SystemInclude | ImportKind::Module | ImportKind::SideEffect
            )
        });
        let mut exports: Vec<_> = o.exports.iter().map(|one| (o.str(one.name), o.str(one.local))).collect();
        exports.sort_unstable();
        let exports = exports.into_iter().map(|(name, local)| (intern(name), intern(local))).collect();
        let apart = Apart::build(o, &names, &mut intern);
        let holders = container_flags(o);
        Self {
            id,
            path,
            outline,
            names,
            children,
            enumerators,
            imports,
            wildcards,
            includes,
            exports,
            apart,
            owning_aliases: OnceCell::new(),
            holders,
            default_export: OnceCell::new(),
            by_symbol: OnceCell::new(),
        }
    }

    /// Whether any definitions are directly inside `def`.
    pub(crate) fn holds_any(&self, def: DefIx) -> bool {
        self.holders.get(def.0 as usize).copied().unwrap_or(false)
    }

    pub(crate) fn lang(&self) -> Lang {
        self.outline.lang
    }

    /// How the file's language differs from others.
    pub(crate) fn traits(&self) -> &'static Traits {
        self.outline.lang.traits()
    }

    /// Whether other files find any definition but a field by this name, as [`Outline::published`] says.
    pub(crate) fn publishes(&self, name: Sym) -> bool {
        let named = self.names.iter().enumerate().filter(|(_, one)| **one == name);
        let is_free = |ix| self.outline.def(ix).is_some_and(|def| def.kind.is_free());
        named.map(|(ix, _)| DefIx(ix as u32)).any(|ix| self.is_published(ix) && is_free(ix))
    }

    /// The same for those of some kinds directly inside of the module.
    pub(crate) fn publishes_at_top(&self, name: Sym, kinds: Kinds) -> bool {
        let is_one = |ix| self.outline.def(ix).is_some_and(|def| kinds.has(def.kind));
        self.children(DefIx::MODULE, name).any(|ix| self.is_published(ix) && is_one(ix))
    }

    fn is_published(&self, def: DefIx) -> bool {
        self.outline.def(def).is_some_and(|def| {
            !matches!(def.kind, SymbolKind::Module | SymbolKind::Impl) && !def.flags.has(DefFlags::LOCAL)
        })
    }

    /// The definition's name.
    pub(crate) fn name(&self, def: DefIx) -> Option<Sym> {
        self.names.get(def.0 as usize).copied()
    }

    /// The definitions of `name` directly inside `parent`: types, then what can be called, then the rest. Members of
    /// enumerations there come last, in languages where they are names of the scope, too.
    pub(crate) fn children(&self, parent: DefIx, name: Sym) -> impl Iterator<Item = DefIx> {
        self.children.all(parent.0, name).chain(self.enumerators_in(parent, name)).map(DefIx)
    }

    fn enumerators_in(&self, scope: DefIx, name: Sym) -> impl Iterator<Item = u32> {
        let key = Chains::key(scope.0, name);
        let from = self.enumerators.partition_point(|(other, _)| *other < key);
        let same = self.enumerators.iter().skip(from).take_while(move |(other, _)| *other == key);
        same.map(|(_, ix)| *ix).take(CROWD as usize).inspect(|_| steps::count_step())
    }

    /// Whether there are more such definitions than [`FileIndex::children`] yields.
    pub(crate) fn is_crowded(&self, parent: DefIx, name: Sym) -> bool {
        self.children.is_crowded(parent.0, name)
    }

    /// The definition that `name` means inside `parent`: the first that has a body and is not for another system.
    pub(crate) fn child(&self, parent: DefIx, name: Sym) -> Option<DefIx> {
        let mut first = None;
        for ix in self.children(parent, name) {
            let def = self.outline.def(ix)?;
            // An abstract class has a body, unlike an interface that is merged with it.
            let is_merged = def.kind == SymbolKind::Class && self.merges_declarations();
            let is_bodiless = def.flags.has(DefFlags::ABSTRACT) && !is_merged;
            if !is_bodiless && !def.flags.has(DefFlags::LEFT_OUT) {
                return Some(ix);
            }
            first = first.or(Some(ix));
        }
        first
    }

    /// Whether declarations of one name in one scope make up one definition: a class and an interface, or either of
    /// them, a function or an enumeration with namespaces.
    pub(crate) fn merges_declarations(&self) -> bool {
        self.traits().types.merges_declarations
    }

    /// The other types and namespaces that are merged with `def`.
    pub(crate) fn merged(&self, def: DefIx) -> impl Iterator<Item = DefIx> {
        let found =
            self.outline.def(def).filter(|found| self.merges_declarations() && is_mergeable(found.kind));
        let of = found.and_then(|found| found.parent).zip(self.name(def));
        let same = of.into_iter().flat_map(|(parent, name)| self.children(parent, name));
        same.filter(move |other| {
            let kind = self.outline.def(*other).map(|other| other.kind);
            *other != def && kind.is_some_and(|kind| is_mergeable(kind) && kind != SymbolKind::Function)
        })
    }

    /// The imports in `scope` that bind `local`.
    pub(crate) fn imports(&self, scope: DefIx, local: Sym) -> impl Iterator<Item = u32> {
        self.imports.all(scope.0, local)
    }

    pub(crate) fn import(&self, ix: u32) -> Option<&Import> {
        self.outline.imports.get(ix as usize)
    }

    /// Impl blocks for types with `owner` as the last name.
    pub(crate) fn blocks_of(&self, owner: Sym) -> &[DefIx] {
        self.apart.blocks.get(&owner).map_or(&[], Vec::as_slice)
    }

    /// The impl blocks for types with `owner` as the last name that hold a `name`. A block may occur several times.
    pub(crate) fn blocks_with(&self, owner: Sym, name: Sym) -> impl Iterator<Item = DefIx> {
        self.apart.in_blocks.all(owner.0, name).filter_map(|ix| self.outline.def(DefIx(ix))?.parent)
    }

    /// The members of `name` whose stated owner has `owner` as the last name.
    pub(crate) fn owned_by(&self, owner: Sym, name: Sym) -> impl Iterator<Item = DefIx> {
        self.apart.owned.all(owner.0, name).map(DefIx)
    }

    /// Whether any definition states an owner with `owner` as the last name.
    pub(crate) fn owns_any(&self, owner: Sym) -> bool {
        self.apart.owners.contains(&owner)
    }

    /// The type aliases of modules whose names are those of owners, such as the types of impl blocks.
    pub(crate) fn owning_aliases(&self) -> &[DefIx] {
        self.owning_aliases.get_or_init(|| {
            let o = &*self.outline;
            let in_module = |def: &Def| {
                let parent = def.parent.and_then(|parent| o.def(parent));
                parent.is_some_and(|parent| matches!(parent.kind, SymbolKind::Module | SymbolKind::Namespace))
            };
            let owns = |ix: DefIx| self.name(ix).is_some_and(|name| self.owns_any(name));
            let aliases =
                o.iter().filter(|(ix, def)| def.kind == SymbolKind::Type && in_module(def) && owns(*ix));
            aliases.map(|(ix, _)| ix).collect()
        })
    }

    /// The definition that is the default export.
    pub(crate) fn default_export(&self) -> Option<DefIx> {
        *self.default_export.get_or_init(|| {
            let is_it =
                |def: &Def| def.flags.has(DefFlags::DEFAULT_EXPORT) && def.parent == Some(DefIx::MODULE);
            let all = self.outline.iter().filter(|(_, def)| is_it(def));
            all.min_by_key(|(_, def)| (def.flags.has(DefFlags::ABSTRACT), def.key)).map(|(ix, _)| ix)
        })
    }

    /// The definition with this id.
    pub(crate) fn find(&self, symbol: SymbolId) -> Option<DefIx> {
        self.by_symbol
            .get_or_init(|| self.outline.iter().map(|(ix, def)| (self.id.symbol(def.key).0, ix)).collect())
            .get(&symbol.0)
            .copied()
    }

    /// The id of a definition.
    pub(crate) fn symbol(&self, def: DefIx) -> Option<SymbolId> {
        self.outline.def(def).map(|def| self.id.symbol(def.key))
    }

    /// The nearest definition around `def`, itself included, that `wanted` accepts.
    pub(crate) fn enclosing(&self, def: DefIx, wanted: impl Fn(SymbolKind) -> bool) -> Option<DefIx> {
        let mut at = Some(def);
        while let Some(ix) = at {
            let def = self.outline.def(ix)?;
            if wanted(def.kind) {
                return Some(ix);
            }
            // Parents are before their children; anything else is a damaged outline.
            at = def.parent.filter(|parent| *parent < ix);
        }
        None
    }

    /// The nearest namespace around `scope`, itself included, or the module of the file.
    pub(crate) fn namespace_around(&self, scope: DefIx) -> DefIx {
        self.enclosing(scope, |kind| kind == SymbolKind::Namespace).unwrap_or(DefIx::MODULE)
    }
}

/// Whether a declaration of this kind is merged with others of its name.
fn is_mergeable(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Class
            | SymbolKind::Interface
            | SymbolKind::Enum
            | SymbolKind::Function
            | SymbolKind::Namespace
    )
}

/// The order in which several definitions of one name are tried. A class comes before an interface that adds to it.
fn kind_rank(kind: SymbolKind) -> u8 {
    match kind {
        SymbolKind::Type => 2,
        SymbolKind::Interface => 1,
        kind if kind.is_type() => 0,
        kind if kind.is_callable() => 3,
        SymbolKind::Namespace => 5,
        _ => 4,
    }
}

/// The last name of a type's expression: `C` of `a.b.C[T]`.
pub(crate) fn last_name(outline: &sdl_model::Outline, ix: ExprIx) -> Option<&str> {
    outline.last_name(ix)
}
