//! All symbols of a version as numbers, what each leads to, and where life starts.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use sdl_model::facts::{DefFlags, DefIx};
use sdl_model::lang::Constructor;
use sdl_model::{EdgeKind, SymbolId, SymbolKind, Visibility};
use sdl_retrieve::members::member_owner;
use sdl_retrieve::{Result, Source, Sym};

use super::alive::Links;
use super::{namesakes, uses};
use crate::fronts::is_front;
use crate::marks::{is_plain_base, is_plain_mark};

/// Why a symbol is a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    /// The statements of a file, a start of programs, a mark, a convention, the public interface.
    Always,
    /// A test.
    Test,
    /// It is exported, and nothing else is known of its users.
    Export,
}

/// All symbols of a version.
pub(super) struct Census {
    /// The symbols, file by file, each file's module first.
    pub(super) symbols: Vec<Sym>,
    /// What each leads to.
    pub(super) links: Links,
    /// The edges alone.
    uses: Vec<Vec<u32>>,
    /// The type or definition that holds each.
    holders: Vec<Option<u32>>,
    /// The module of each.
    modules: Vec<u32>,
    /// The modules to which an edge leads from another file, and those with tests.
    loaded: HashSet<u32>,
    /// The modules that other files import or include.
    imported: HashSet<u32>,
    roots: Vec<(u32, Root)>,
}

/// Names by which programs are started.
const STARTS: &[&str] = &["init", "main"];

impl Census {
    pub(super) fn take(source: &Source<'_>) -> Result<Self> {
        let mut files = Vec::new();
        source.view().files_under("", &mut |file, _| {
            files.push(file);
            ControlFlow::Continue(())
        })?;
        let mut symbols = Vec::new();
        // The number of each file's module, by symbol.
        let mut modules = Vec::new();
        for file in files {
            let first = symbols.len() as u32;
            symbols.extend(source.symbols_of(file)?);
            modules.resize(symbols.len(), first);
        }
        let numbers: HashMap<SymbolId, u32> =
            symbols.iter().enumerate().map(|(at, sym)| (sym.id, at as u32)).collect();
        let count = symbols.len();
        let mut census = Self {
            symbols,
            links: Links { out: vec![Vec::new(); count], pairs: Vec::new() },
            uses: vec![Vec::new(); count],
            holders: vec![None; count],
            modules,
            loaded: HashSet::new(),
            imported: HashSet::new(),
            roots: Vec::new(),
        };
        let bases = census.add_edges(source, &numbers)?;
        census.add_holders(source, &numbers)?;
        for (one, other) in namesakes::live_together(&census.symbols) {
            census.lead(one, other);
            census.lead(other, one);
        }
        census.add_overrides(&bases);
        census.add_roots();
        census.add_test_types(&bases);
        Ok(census)
    }

    /// The roots.
    pub(super) fn roots(&self, tests: bool, exports: bool) -> impl Iterator<Item = u32> + '_ {
        let counts = move |root: Root| match root {
            Root::Always => true,
            Root::Test => tests,
            Root::Export => exports,
        };
        self.roots.iter().filter(move |(_, root)| counts(*root)).map(|(node, _)| *node)
    }

    /// Whether a symbol is in a file of tests that has no tests and that nothing here uses: tests may read it as data, or
    /// load it by its path.
    pub(super) fn is_test_data(&self, node: u32) -> bool {
        let module = self.modules.get(node as usize);
        let is_loaded = module.is_none_or(|module| self.loaded.contains(module));
        !is_loaded && self.symbols.get(node as usize).is_some_and(Sym::is_test)
    }

    /// The file or folder outside of which code can't name a symbol; none if it can.
    pub(super) fn region_of(&self, node: u32) -> Option<String> {
        let sym = self.symbols.get(node as usize)?;
        let in_type = self.holder(node).and_then(|holder| self.symbols.get(holder as usize));
        let is_member = in_type.is_some_and(|holder| holder.kind().is_type());
        let is_shared = self.modules.get(node as usize).is_none_or(|module| self.imported.contains(module));
        uses::region_of(sym, is_member, is_shared)
    }

    /// Whether code that is given an object may call a symbol as a member of it.
    pub(super) fn is_open(&self, node: u32) -> bool {
        let Some(sym) = self.symbols.get(node as usize) else { return false };
        let holder = self.holder(node).and_then(|holder| self.symbols.get(holder as usize));
        match holder {
            Some(holder) if holder.kind().is_type() => uses::may_be_called_outside(sym),
            // A member of an object that no type describes.
            _ => {
                uses::is_called_by_name(sym)
                    && matches!(sym.kind(), SymbolKind::Method | SymbolKind::Property)
            }
        }
    }

    /// What holds a symbol, if that is not the file.
    pub(super) fn holder(&self, node: u32) -> Option<u32> {
        self.holders.get(node as usize).copied().flatten()
    }

    /// The uses between the symbols that are shown, each in place of those that it holds.
    pub(super) fn uses_between(&self, shown: &[Option<u32>]) -> Links {
        let mut out = vec![Vec::new(); self.symbols.len()];
        let shown_as = |node: usize| shown.get(node).copied().flatten();
        for (from, targets) in self.uses.iter().enumerate() {
            let Some(slot) = shown_as(from).and_then(|from| out.get_mut(from as usize)) else { continue };
            slot.extend(targets.iter().filter_map(|to| shown_as(*to as usize)));
        }
        Links { out, pairs: Vec::new() }
    }

    fn lead(&mut self, from: u32, to: u32) {
        if let Some(out) = self.links.out.get_mut(from as usize) {
            out.push(to);
        }
    }

    /// Adds the edges. Returns what each type derives from, and the types with a base that is not in the repository.
    fn add_edges(&mut self, source: &Source<'_>, numbers: &HashMap<SymbolId, u32>) -> Result<Bases> {
        let mut bases = Bases::default();
        let mut shared = HashSet::new();
        for at in 0..self.symbols.len() {
            let Some(sym) = self.symbols.get(at).cloned() else { continue };
            let node = at as u32;
            let is_front = sym.ix == DefIx::MODULE && is_front(sym.row().path.as_str());
            if sym.ix == DefIx::MODULE {
                shared = namesakes::shared_imports(sym.outline());
            }
            let mut known = 0;
            for edge in source.view().out_edges(sym.id)? {
                let Some(to) = numbers.get(&edge.to).copied() else { continue };
                let target = self.symbols.get(to as usize);
                let to_module = target.is_some_and(|to| to.ix == DefIx::MODULE);
                // Which of them the name means is decided when the file's statements run.
                let is_shared = target.is_some_and(|to| shared.contains(to.name()));
                if edge.kind == EdgeKind::Import && !to_module && !is_shared {
                    if is_front {
                        self.roots.push((to, Root::Always));
                    }
                    continue;
                }
                if edge.kind == EdgeKind::Implements {
                    known += 1;
                    bases.of.entry(node).or_default().push(to);
                }
                if let Some(module) =
                    self.modules.get(to as usize).filter(|module| Some(*module) != self.modules.get(at))
                {
                    self.loaded.insert(*module);
                    if edge.kind == EdgeKind::Import && to_module {
                        self.imported.insert(*module);
                    }
                }
                self.lead(node, to);
                if let Some(uses) = self.uses.get_mut(at) {
                    uses.push(to);
                }
            }
            let outline = sym.outline();
            let stated =
                sym.def().bases.iter().filter(|base| !outline.last_name(base.ty).is_some_and(is_plain_base));
            // A type in place of an import, such as one that is missing, has the import's bases.
            let stands_in = sym.def().parent == Some(DefIx::MODULE) && shared.contains(sym.name());
            if sym.kind().is_type() && (stands_in || stated.count() > known) {
                bases.outside.insert(node);
            }
        }
        Ok(bases)
    }

    /// A symbol keeps its file's statements alive, and what holds it.
    fn add_holders(&mut self, source: &Source<'_>, numbers: &HashMap<SymbolId, u32>) -> Result<()> {
        for at in 0..self.symbols.len() {
            let (Some(sym), Some(module)) = (self.symbols.get(at).cloned(), self.modules.get(at).copied())
            else {
                continue;
            };
            let node = at as u32;
            if sym.def().flags.has(DefFlags::TEST) {
                self.loaded.insert(module);
            }
            self.lead(node, module);
            if sym.def().parent == Some(DefIx::MODULE) && is_value(&sym) {
                self.run_value(node, module);
            }
            let Some(parent) = sym.def().parent.filter(|parent| *parent != DefIx::MODULE) else {
                if sym.def().owner.is_some() {
                    self.hold(source, numbers, node, &sym)?;
                }
                continue;
            };
            let is_block = sym.outline().def(parent).is_some_and(|def| def.kind == SymbolKind::Impl);
            if is_block || sym.def().owner.is_some() {
                self.hold(source, numbers, node, &sym)?;
            } else if let Some(slot) = self.holders.get_mut(at) {
                *slot = Some(module + parent.0);
            }
            if let Some(holder) = self.holder(node) {
                self.lead(node, holder);
            }
        }
        Ok(())
    }

    /// The value of a variable is made when its file's statements run, whoever reads the variable.
    fn run_value(&mut self, node: u32, module: u32) {
        let made = self.uses.get(node as usize).cloned().unwrap_or_default();
        if let Some(out) = self.links.out.get_mut(module as usize) {
            out.extend(made);
        }
    }

    /// Sets the type of a member that is written outside of it.
    fn hold(
        &mut self,
        source: &Source<'_>,
        numbers: &HashMap<SymbolId, u32>,
        node: u32,
        sym: &Sym,
    ) -> Result<()> {
        let owner = member_owner(source, sym)?.and_then(|owner| numbers.get(&owner.id).copied());
        if let Some(slot) = self.holders.get_mut(node as usize) {
            *slot = owner;
        }
        Ok(())
    }

    /// A member that overrides one that is alive is alive with its type; so is one that code outside may call.
    fn add_overrides(&mut self, bases: &Bases) {
        let mut members: HashMap<(u32, &str), Vec<u32>> = HashMap::new();
        for (node, sym) in self.symbols.iter().enumerate() {
            if let Some(holder) = self.holder(node as u32) {
                members.entry((holder, sym.name())).or_default().push(node as u32);
            }
        }
        let mut pairs = Vec::new();
        let mut held = Vec::new();
        let (mixed, tested) = self.mixed_in(bases);
        for (node, sym) in self.symbols.iter().enumerate() {
            let node = node as u32;
            let Some(holder) = self.holder(node) else { continue };
            let closure = bases.closure(holder);
            let is_outside = mixed.contains(&holder) || bases.is_outside(holder, &closure);
            let is_inherited_test = tested.contains(&holder) && sym.name().starts_with("test");
            if is_with_type(sym, is_outside) || is_inherited_test {
                held.push((holder, node));
            }
            for base in closure {
                let overridden = members.get(&(base, sym.name())).into_iter().flatten();
                pairs.extend(overridden.map(|base| [holder, *base, node]));
            }
        }
        self.links.pairs = pairs;
        for (holder, node) in held {
            self.lead(holder, node);
        }
    }

    /// The types that others derive from: those from which a type derives that has a base outside too, so that code
    /// outside may call their members, and those from which tests derive.
    fn mixed_in(&self, bases: &Bases) -> (HashSet<u32>, HashSet<u32>) {
        let (mut mixed, mut tested) = (HashSet::new(), HashSet::new());
        for node in bases.of.keys() {
            let closure = bases.closure(*node);
            if bases.is_outside(*node, &closure) {
                mixed.extend(closure.iter().copied());
            }
            if self.symbols.get(*node as usize).is_some_and(Sym::is_test) {
                tested.extend(closure);
            }
        }
        (mixed, tested)
    }

    fn add_roots(&mut self) {
        let mut roots = Vec::new();
        for (node, sym) in self.symbols.iter().enumerate() {
            let is_inside = uses::is_for_own_tests(sym) && !self.is_test_data(node as u32);
            if let Some(root) = root_of(sym).filter(|root| *root != Root::Export || !is_inside) {
                roots.push((node as u32, root));
            }
        }
        self.roots.extend(roots);
    }

    /// Types in files of tests that a runner may take for tests: they have members that are named as tests are, or a
    /// base from outside.
    fn add_test_types(&mut self, bases: &Bases) {
        let mut with_tests: HashSet<u32> = HashSet::new();
        for (node, sym) in self.symbols.iter().enumerate() {
            let is_test = sym.kind().is_callable() && sym.name().starts_with("test");
            with_tests.extend(self.holder(node as u32).filter(|_| is_test));
        }
        for (node, sym) in self.symbols.iter().enumerate() {
            let node = node as u32;
            if !sym.kind().is_type() || !sym.is_test() || sym.def().flags.has(DefFlags::LOCAL) {
                continue;
            }
            let closure = bases.closure(node);
            let is_outside = sym.def().visibility == Visibility::Public && bases.is_outside(node, &closure);
            if is_outside
                || with_tests.contains(&node)
                || closure.iter().any(|base| with_tests.contains(base))
            {
                self.roots.push((node, Root::Test));
            }
        }
    }
}

/// What types derive from.
#[derive(Default)]
struct Bases {
    of: HashMap<u32, Vec<u32>>,
    /// Types with a base that is not in the repository.
    outside: HashSet<u32>,
}

impl Bases {
    /// Whether a type with these bases has one that is not in the repository.
    fn is_outside(&self, of: u32, closure: &[u32]) -> bool {
        self.outside.contains(&of) || closure.iter().any(|base| self.outside.contains(base))
    }

    /// All types that a type derives from.
    fn closure(&self, of: u32) -> Vec<u32> {
        let mut found: Vec<u32> = Vec::new();
        let mut waiting = vec![of];
        while let Some(one) = waiting.pop() {
            for base in self.of.get(&one).into_iter().flatten() {
                if *base != of && !found.contains(base) {
                    found.push(*base);
                    waiting.push(*base);
                }
            }
        }
        found
    }
}

/// Whether a member is alive with its type, whoever calls it.
fn is_with_type(sym: &Sym, has_outside_base: bool) -> bool {
    let (def, outline) = (sym.def(), sym.outline());
    let kind = sym.kind();
    let name = sym.name();
    let block = def.parent.and_then(|parent| outline.def(parent)).filter(|def| def.kind == SymbolKind::Impl);
    let is_special = name.starts_with("__") && name.ends_with("__");
    let constructs = match outline.lang.traits().members.constructor {
        Constructor::Named(constructor) => name == constructor,
        Constructor::TypeName | Constructor::None => kind == SymbolKind::Constructor,
    };
    let in_trait_block = block.is_some_and(|block| !block.bases.is_empty());
    let by_outside =
        has_outside_base && block.is_none() && kind.is_callable() && uses::may_be_run_outside(sym);
    is_value(sym)
        || is_special
        || constructs
        || in_trait_block
        || by_outside
        || def.flags.has(DefFlags::ABSTRACT)
        || def.flags.has(DefFlags::OVERRIDE)
        || def.flags.has(DefFlags::NAMELESS)
}

/// Whether a symbol holds a value.
fn is_value(sym: &Sym) -> bool {
    !sym.kind().is_callable() && !sym.kind().is_type()
}

fn root_of(sym: &Sym) -> Option<Root> {
    let (def, outline) = (sym.def(), sym.outline());
    let name = sym.name();
    let at_top = def.parent == Some(DefIx::MODULE) || def.parent.is_none();
    let starts = sym.kind().is_callable() && STARTS.contains(&name);
    let is_special = at_top && name.starts_with("__") && name.ends_with("__");
    // Hooks that pytest finds by their names.
    let is_hook = at_top && name.starts_with("pytest_");
    let is_marked = def.decorators.iter().any(|mark| !outline.last_name(*mark).is_some_and(is_plain_mark));
    let is_listed = at_top && outline.lang == sdl_model::Lang::Python && lists(sym);
    // A value at the top of a file is made when its statements run.
    let is_value = at_top && def.flags.has(DefFlags::NAMELESS);
    if sym.ix == DefIx::MODULE || sym.kind() == SymbolKind::Impl || is_value {
        return Some(Root::Always);
    }
    if def.flags.has(DefFlags::TEST) {
        return Some(Root::Test);
    }
    if uses::is_run_around_tests(sym) {
        return Some(Root::Test);
    }
    if starts || is_special || is_hook || is_marked || is_listed {
        return Some(if sym.is_test() { Root::Test } else { Root::Always });
    }
    // A public name that `__all__` leaves out can be used from outside all the same.
    let is_public = at_top && def.visibility == Visibility::Public;
    // What its package alone may use has no users outside.
    let is_internal = def.visibility == Visibility::Internal;
    ((sym.exported() && !is_internal) || is_public || uses::is_declaration(sym)).then_some(Root::Export)
}

/// Whether the file lists the symbol among its exports, as `__all__` does.
fn lists(sym: &Sym) -> bool {
    let outline = sym.outline();
    outline.exports.iter().any(|export| outline.str(export.local) == sym.name())
}
