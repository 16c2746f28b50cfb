//! What one symbol calls in packages outside of its repository.

use std::collections::BTreeSet;

use sdl_graph::{World, resolve_sites, strategies};
use sdl_ledger::View;
use sdl_model::{Body, EdgeKind, Outline, RelPath, SymbolId};
use sdl_retrieve::{Outlines, Result, Source, Sym};

use super::joint::{Alias, Joint, Member, split_place, symbol_in_workspace};
use crate::mentions::SourceOutlines;

/// A definition outside that a symbol calls.
#[derive(Clone, Debug)]
pub struct CalledOutside {
    /// The id of the package's [`Member`].
    pub package: String,
    /// The definition.
    pub sym: Sym,
    /// The line of the first call.
    pub at: u32,
}

/// A symbol and its file.
#[derive(Clone, Copy)]
pub struct Caller<'f> {
    /// The symbol.
    pub symbol: SymbolId,
    /// The path of its file.
    pub path: &'f RelPath,
    /// Its file's definitions.
    pub outline: &'f Outline,
    /// The references of its file, or of the symbol alone.
    pub body: &'f Body,
}

/// What `caller` of `home` calls in `packages`, in the order of lines. `aliases` are modules at the root of all: a name,
/// and a path in a package.
pub fn called_outside(
    (home, packages): (Member<'_>, &[Member<'_>]),
    aliases: &[(String, String)],
    caller: Caller<'_>,
    outlines: &dyn Outlines,
) -> Result<Vec<CalledOutside>> {
    let joint = Joint {
        members: [home].into_iter().chain(packages.iter().copied()).collect(),
        aliases: aliases
            .iter()
            .map(|(name, target)| Alias { name: name.clone(), target: target.clone() })
            .collect(),
    };
    let place = home.path(caller.path.as_str());
    let Some(path) = RelPath::new(&place) else { return Ok(Vec::new()) };
    let shared = SourceOutlines::over(outlines);
    let world = World::new(&joint, &shared);
    let sites = resolve_sites(&world, joint.file_id(&path), &path, (caller.outline, caller.body))?;
    let from = symbol_in_workspace(home.repo, caller.symbol);
    let source = Source::new(&joint, outlines);
    let mut seen = BTreeSet::new();
    let mut called = Vec::new();
    let mut found = sites.found;
    found.sort_by_key(|site| (site.line, site.at, site.edge.resolution, *site));
    for site in found.iter().filter(|site| site.from == from && site.edge.kind == EdgeKind::Call) {
        let by_name = strategies::find_rule(site.edge.strategy).is_none_or(strategies::Rule::goes_by_name);
        if by_name || !seen.insert(site.edge.to) {
            continue;
        }
        let Some(sym) = source.symbol(site.edge.to)? else { continue };
        let package = split_place(sym.path()).map(|(package, _)| package.to_owned());
        if let Some(package) = package.filter(|package| package != home.repo) {
            called.push(CalledOutside { package, sym, at: site.line });
        }
    }
    Ok(called)
}
