//! Resolves a set of changed files to edges. A first index, a commit and a layer all use this one way.

use std::sync::Arc;

use sdl_ledger::{Resolved, Result as LedgerResult, View};
use sdl_model::{Body, Facts, FileId, Outline, RelPath};

use crate::languages::RULES;
use crate::resolve::Sites;
use crate::{KeptIndexes, Outlines, World, resolve};

/// A file that is to be resolved.
#[derive(Debug)]
pub struct FileFacts {
    /// Its path.
    pub path: RelPath,
    /// Its facts.
    pub facts: HeldFacts,
}

/// Both halves of a file's facts.
#[derive(Debug)]
pub enum HeldFacts {
    /// In one piece.
    Whole(Arc<Facts>),
    /// As a store returns them.
    Halves(Arc<Outline>, Body),
}

/// Finds the outgoing edges of a file's symbols. Pure: the same facts and the same answers of `world` give the same
/// result, in whatever order files are resolved. Fails only if the store does.
pub fn resolve_file(
    world: &World<'_>,
    file: FileId,
    path: &RelPath,
    outline: &Outline,
    body: &Body,
) -> LedgerResult<Resolved> {
    resolve::resolve_file(world, RULES, file, path, outline, body)
}

/// Finds each place where a file mentions a definition, and each mention whose meaning is not known. Resolves the file
/// again, so it takes as long as that.
///
/// # Errors
/// Those of reading the view and the outlines of `world`.
pub fn resolve_sites(
    world: &World<'_>,
    file: FileId,
    path: &RelPath,
    (outline, body): (&Outline, &Body),
) -> LedgerResult<Sites> {
    resolve::resolve_sites(world, RULES, file, path, (outline, body), None)
}

/// The same for the references of one name, and for everything that the outline states.
///
/// # Errors
/// Those of reading `world`.
pub fn resolve_named(
    world: &World<'_>,
    file: FileId,
    path: &RelPath,
    (outline, body): (&Outline, &Body),
    name: &str,
) -> LedgerResult<Sites> {
    resolve::resolve_sites(world, RULES, file, path, (outline, body), Some(name))
}

/// Resolves `files` against `view`, which must already contain them, and passes each result to `take`.
///
/// `facts_of` returns a file's facts when its turn comes, from what `files` has beside it, or none to leave it out. It and `take` may fail to end the work early.
/// When the files that were looked at take more than about `room` bytes, they are let go, and looked at again where needed.
/// Results passed to `take` until then remain valid. Indexes of files are taken from `kept` and put back, unless an error ends the
/// work.
///
/// # Errors
/// The errors of `facts_of` and `take`, and those of reading `view` or `outlines`.
pub fn resolve_files<S, E: From<sdl_ledger::Error>>(
    view: &dyn View,
    outlines: &dyn Outlines,
    (room, kept): (usize, &mut KeptIndexes),
    files: impl IntoIterator<Item = (FileId, S)>,
    mut facts_of: impl FnMut(FileId, S) -> Result<Option<FileFacts>, E>,
    mut take: impl FnMut(Resolved) -> Result<(), E>,
) -> Result<(), E> {
    let mut world = World::new(view, outlines).with_kept(kept.lend());
    for (file, source) in files {
        if world.weight() > room {
            world = World::new(view, outlines).with_kept(kept.lend());
        }
        let Some(FileFacts { path, facts }) = facts_of(file, source)? else { continue };
        take(match &facts {
            HeldFacts::Whole(facts) => resolve_file(&world, file, &path, &facts.outline, &facts.body)?,
            HeldFacts::Halves(outline, body) => resolve_file(&world, file, &path, outline, body)?,
        })?;
    }
    *kept = world.into_kept();
    Ok(())
}
