//! The plan of a rename: each edit, and each place that a person has to look at. Nothing is written.
//!
//! Law: each place where a file spells the old name is in the plan as an edit or as a doubt, or its meaning is known to
//! be another one. A plan is complete if no doubt blocks it: then all code that spells the name is accounted for, and
//! the rest are words of comments and of longer texts.

mod family;
mod file;
mod go;
mod judge;
mod names;

use std::collections::BTreeSet;

use sdl_graph::{Sites, World, resolve_named};
use sdl_lang::{name_mentions, spelled_places};
use sdl_model::{Body, FileId, Lang, Outline, RelPath, SymbolId};
use sdl_retrieve::{Result, Source, Sym};

use crate::Graph;
use crate::mentions::{Bodies, SourceOutlines};

pub use names::NameProblem;

use family::Family;
use file::FileNames;
use judge::{Judge, Verdict};

/// A file that spells the old name.
#[derive(Clone, Debug)]
pub struct SpellingFile {
    /// The file.
    pub file: FileId,
    /// Its bytes in the version that is asked.
    pub bytes: Vec<u8>,
}

/// What the mentions of a name in a file lead to.
pub trait NameSites {
    /// The mentions of `name` in the file at `path`, which has these facts.
    fn sites_of(
        &self,
        file: FileId,
        path: &RelPath,
        facts: (&Outline, &Body),
        name: &str,
    ) -> sdl_ledger::Result<Sites>;
}

impl NameSites for World<'_> {
    fn sites_of(
        &self,
        file: FileId,
        path: &RelPath,
        facts: (&Outline, &Body),
        name: &str,
    ) -> sdl_ledger::Result<Sites> {
        resolve_named(self, file, path, facts, name)
    }
}

/// What an edit changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EditPart {
    /// The name of a definition.
    Definition,
    /// A mention in code.
    Reference,
    /// A name in an import or an export.
    Import,
    /// A string that names the symbol, such as an entry of `__all__`.
    Text,
}

impl EditPart {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Definition => "definition",
            Self::Reference => "reference",
            Self::Import => "import",
            Self::Text => "text",
        }
    }
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file's path.
    pub path: String,
    /// The byte offset.
    pub at: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
}

/// One edit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// Where the old text starts.
    pub place: Place,
    /// What it changes.
    pub part: EditPart,
    /// The new text; the old text is the old name.
    pub new: String,
}

/// A place that a person has to look at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Doubt {
    /// Where.
    pub place: Place,
    /// Why.
    pub why: &'static str,
    /// Whether code may break there.
    pub blocks: bool,
}

/// A plan.
#[derive(Clone, Debug, Default)]
pub struct RenamePlan {
    /// The symbols that change their name, first those that were asked for.
    pub symbols: Vec<Sym>,
    /// The edits, by path and place.
    pub edits: Vec<Edit>,
    /// The places for a person, those that block first.
    pub doubts: Vec<Doubt>,
    /// Mentions of the name that mean something else.
    pub elsewhere: usize,
}

impl RenamePlan {
    /// Whether all code that spells the name is accounted for.
    pub fn is_complete(&self) -> bool {
        !self.edits.is_empty() && self.doubts.iter().all(|doubt| !doubt.blocks)
    }
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The new name can't be used, or the symbol can't have another.
    Name(NameProblem),
    /// Something in reach of the symbol has the new name already.
    Taken {
        /// Its place.
        path: String,
        /// Its line.
        line: u32,
    },
}

/// The symbols that a rename changes, and the names that they have now.
pub struct Renaming<'n> {
    family: Family,
    old: String,
    new: &'n str,
}

impl<'n> Renaming<'n> {
    /// Finds what changes with `targets`, and refuses what can't be.
    pub fn begin(
        graph: &Graph<'_, '_>,
        targets: &[Sym],
        new: &'n str,
    ) -> Result<std::result::Result<Self, Refusal>> {
        let family = Family::of(graph, targets)?;
        let Some(first) = family.symbols.first() else {
            return Ok(Err(Refusal::Name(NameProblem::NotRenamable("there is no such symbol"))));
        };
        let old = first.name().to_owned();
        if let Err(problem) = names::check_names(first, new) {
            return Ok(Err(Refusal::Name(problem)));
        }
        if let Some(taken) = family.taken(graph, new)? {
            return Ok(Err(Refusal::Taken { path: taken.path().to_owned(), line: taken.line() }));
        }
        Ok(Ok(Self { family, old, new }))
    }

    /// The name that is replaced.
    pub fn old_name(&self) -> &str {
        &self.old
    }

    /// Whether a file may have to change: whether its bytes spell the old name.
    pub fn is_spelled(&self, bytes: &[u8]) -> bool {
        spelled_places(bytes, &self.old).next().is_some()
    }

    /// The plan, from all files that spell the old name. `sites` is needed where more than the source's own tree decides
    /// what a mention leads to, as in a workspace.
    pub fn plan(
        self,
        source: &Source<'_>,
        (sites, bodies): (Option<&dyn NameSites>, &dyn Bodies),
        files: &[SpellingFile],
    ) -> Result<std::result::Result<RenamePlan, Refusal>> {
        let outlines = SourceOutlines::of(source);
        let world = World::new(source.view(), &outlines);
        let sites = sites.unwrap_or(&world);
        let mut plan = RenamePlan { symbols: self.family.symbols.clone(), ..RenamePlan::default() };
        let mut defined: BTreeSet<SymbolId> = BTreeSet::new();
        for one in files {
            let Some(names) = FileNames::read(source, (sites, bodies), one, &self.old)? else { continue };
            if let Some(line) = self.add_file(source, &names, &mut plan, &mut defined)? {
                return Ok(Err(Refusal::Taken { path: names.path().to_owned(), line }));
            }
        }
        for sym in &self.family.symbols {
            let place = |why| Doubt { place: place_of(sym), why, blocks: true };
            if !defined.contains(&sym.id) {
                plan.doubts.push(place("the definition's name was not found in the text"));
            }
            let whys = self.family.doubts_about(source, sym, self.new)?;
            plan.doubts.extend(whys.into_iter().map(place));
        }
        plan.edits.sort();
        plan.doubts.sort_by(|a, b| b.blocks.cmp(&a.blocks).then_with(|| a.cmp(b)));
        plan.doubts.dedup();
        Ok(Ok(plan))
    }

    /// Adds what a file contributes. Returns the line at which the new name has a meaning already, if there is one.
    fn add_file(
        &self,
        source: &Source<'_>,
        names: &FileNames<'_>,
        plan: &mut RenamePlan,
        defined: &mut BTreeSet<SymbolId>,
    ) -> Result<Option<u32>> {
        let Ok(Some(mentions)) = name_mentions(names.lang(), names.bytes(), &self.old) else {
            // Only words, as in a text, because the file has no grammar or can't be parsed.
            let places = spelled_places(names.bytes(), &self.old);
            plan.doubts.extend(places.map(|at| Doubt {
                place: names.place(at as u32),
                why: "a file that is not parsed as code names it",
                blocks: names.lang() == Lang::Manifest,
            }));
            return Ok(None);
        };
        let judge = Judge::new(source, &self.family, names, &mentions)?;
        let mut bare_edits = Vec::new();
        for mention in mentions.iter().copied() {
            let place = names.place(mention.at);
            match judge.verdict(mention)? {
                Verdict::Edit { part, is_guess, shorthand } => {
                    defined.extend(judge.defined_at(mention.at));
                    let is_bare = part != EditPart::Definition && mention.role != sdl_lang::NameRole::Member;
                    if is_bare {
                        bare_edits.push(mention.at);
                    }
                    if is_guess {
                        let why = "found by its name alone: the receiver's type is not known";
                        plan.doubts.push(Doubt { place: place.clone(), why, blocks: true });
                    }
                    let new =
                        if shorthand { format!("{}: {}", self.old, self.new) } else { self.new.to_owned() };
                    plan.edits.push(Edit { place, part, new });
                }
                Verdict::Other => plan.elsewhere += 1,
                Verdict::Doubt(why) => plan.doubts.push(Doubt { place, why, blocks: true }),
                Verdict::Words(why) => plan.doubts.push(Doubt { place, why, blocks: false }),
            }
        }
        let may_meet = !self.family.has_members() || self.family.has_types();
        let seen_bare = may_meet && !bare_edits.is_empty();
        Ok(if seen_bare { names.taken_at(self.new, &bare_edits) } else { None })
    }
}

fn place_of(sym: &Sym) -> Place {
    Place { path: sym.path().to_owned(), at: sym.def().span.start, line: sym.line(), column: 1 }
}
