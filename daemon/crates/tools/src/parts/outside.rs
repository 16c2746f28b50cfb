//! What a symbol calls outside of its repository, by the source of its dependencies on the disk.

use std::sync::Arc;

use schemars::JsonSchema;
use sdl_model::facts::{DefIx, imported_modules};
use sdl_model::{Body, FactsKey, Outline};
use sdl_navigate::workspace::{CalledOutside, Caller, Member, called_outside, member_folder};
use sdl_outside::{DiskTree, Outside, Package, Reading, has_packages};
use sdl_retrieve::{Outlines, Sym};
use serde::Serialize;

use crate::ToolError;
use crate::call::answers::{append_text, begin_line};
use crate::call::context::ReadCx;

/// Most definitions that are shown.
const MOST_SHOWN: usize = 8;
/// Characters of a sentence of documentation.
const LONGEST: usize = 200;
/// Most steps from a definition to the file that it is in.
const MAX_NESTING: usize = 64;

/// A definition in a dependency that the symbol calls.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OutsideOut {
    /// Its qualified name.
    pub(crate) name: String,
    /// The package.
    pub(crate) package: String,
    /// The package's version, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
    /// Its signature.
    pub(crate) signature: String,
    /// The first line of its documentation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) summary: Option<String>,
    /// Path of its file on the disk.
    pub(crate) file: String,
    /// Line of its name.
    pub(crate) line: u32,
    /// Line of the first call, in the file of the symbol.
    pub(crate) at: u32,
}

/// The outlines of the repository and those of dependencies.
struct BothOutlines<'a> {
    own: &'a dyn Outlines,
    outside: &'a Outside,
    reading: &'a Reading,
}

impl Outlines for BothOutlines<'_> {
    fn outline(&self, key: FactsKey) -> sdl_ledger::Result<Option<Arc<Outline>>> {
        match self.outside.facts(self.reading, key) {
            Some(facts) => Ok(Some(Arc::new(facts.outline.clone()))),
            // The store takes a key that it does not know for damage.
            None if self.outside.has_shown(key) => Ok(None),
            None => self.own.outline(key),
        }
    }
}

/// What a symbol calls in dependencies whose source is on the disk, in the order of lines. Empty where a person turned
/// that off, over a workspace, and for unsaved text.
pub(crate) fn outside_calls(cx: &ReadCx<'_>, sym: &Sym) -> Result<Vec<OutsideOut>, ToolError> {
    let Some(outside) = cx.call.host.outside().filter(|_| cx.across.is_none()) else { return Ok(Vec::new()) };
    let Some(key) = sym.row().state.facts().filter(|key| has_packages(key.lang)) else {
        return Ok(Vec::new());
    };
    let Some(body) = cx.repo.facts().body(&key)? else { return Ok(Vec::new()) };
    let modules = imported_modules(sym.outline(), &body);
    let path = &sym.row().path;
    let packages = outside.packages_of(cx.repo.root(), path, key.lang, &modules);
    if packages.is_empty() {
        return Ok(Vec::new());
    }
    let (reading, allowed) = (Reading::default(), outside.allowed(cx.repo.root()));
    let outlines = BothOutlines { own: cx.source.outlines(), outside, reading: &reading };
    let tree = |package: &Package| DiskTree::new(&package.root, &allowed, &reading, outside.cache());
    let trees: Vec<DiskTree<'_>> = packages.iter().map(tree).collect();
    // No repository has such an id.
    let names: Vec<String> = (0..packages.len()).map(|number| format!(":{number}")).collect();
    let members = names.iter().zip(&trees).map(|(name, tree)| Member { repo: name, view: tree, state: None });
    let members: Vec<Member<'_>> = members.collect();
    let aliases = packages.iter().zip(&names).filter_map(|(package, name)| {
        let alias = package.alias.clone()?;
        Some((alias.clone(), format!("{}/{alias}", member_folder(name))))
    });
    let aliases: Vec<(String, String)> = aliases.collect();
    let home = Member { repo: cx.repo.id(), view: cx.source.view(), state: None };
    let body = body_of(sym, body);
    let caller = Caller { symbol: sym.id, path, outline: sym.outline(), body: &body };
    let called = called_outside((home, &members), &aliases, caller, &outlines)?;
    if reading.is_cut() {
        cx.note("more of the dependencies' source would have to be read than one question may; some calls are left out");
    }
    let shown = called.iter().filter_map(|one| {
        let number = names.iter().position(|name| *name == one.package)?;
        Some(show_outside(one, packages.get(number)?))
    });
    Ok(shown.take(MOST_SHOWN).collect())
}

/// The references of a symbol alone, so that only what it needs is looked up.
fn body_of(sym: &Sym, body: Body) -> Body {
    let outline = sym.outline();
    let is_inside = |scope: DefIx| {
        let mut at = Some(scope);
        for _ in 0..MAX_NESTING {
            match at {
                Some(ix) if ix == sym.ix => return true,
                Some(ix) => at = outline.def(ix).and_then(|def| def.parent),
                None => return false,
            }
        }
        false
    };
    let refs = body.refs.iter().copied().filter(|one| is_inside(one.scope)).collect();
    Body { refs, ..body }
}

fn show_outside(called: &CalledOutside, package: &Package) -> OutsideOut {
    let sym = &called.sym;
    let doc = sym.def().doc.map(|doc| sym.outline().str(doc));
    let summary = doc.and_then(|doc| doc.lines().map(str::trim).find(|line| !line.is_empty()));
    let below = sym.path().split_once('/').map_or(sym.path(), |(_, rest)| rest);
    OutsideOut {
        name: sym.qualified().to_owned(),
        package: package.name.clone(),
        version: package.version.clone(),
        signature: cut_line(sym.outline().str(sym.def().signature)),
        summary: summary.map(cut_line),
        file: package.root.join(below).display().to_string(),
        line: sym.line(),
        at: called.at,
    }
}

fn cut_line(line: &str) -> String {
    line.chars().take(LONGEST).collect()
}

/// Appends the rows to the text of an answer.
pub(crate) fn outside_lines(text: &mut String, rows: &[OutsideOut]) {
    for row in rows {
        let version = row.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
        begin_line(
            text,
            format_args!(
                "outside {} ({}{version}) {}:{}, called in line {}",
                row.signature, row.package, row.file, row.line, row.at
            ),
        );
        if let Some(summary) = &row.summary {
            append_text(text, format_args!(": {summary}"));
        }
    }
}
