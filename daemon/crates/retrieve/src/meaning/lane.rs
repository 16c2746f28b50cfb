//! A question's vector beside those of all symbols.

use std::ops::ControlFlow;
use std::sync::{Arc, PoisonError};

use sdl_model::facts::DefFlags;
use sdl_model::{FactsKey, FileId, Outline, RelPath};

use super::cache::{Block, Cache};
use super::{Embedder, Meaning};
use crate::index::{Flags, Place, Wants};
use crate::search::ranked::{Ranked, keep_best};
use crate::{Evidence, LaneStatus, Result, Source};

/// Bytes of a symbol's documentation that count.
const MOST_DOC: usize = 240;
/// Bytes of a question that count.
const MOST_QUESTION: usize = 4_000;
/// Less alike than this is not alike.
const LEAST: f32 = 0.2;

/// Reports in the evidence that there is no model.
pub(crate) fn report_off(evidence: &mut Evidence) {
    let note = "no embedding model is configured; the other lanes answered".to_owned();
    evidence.push("semantic", LaneStatus::Unavailable, 0, Some(note));
}

/// The symbols whose names and documentation mean most nearly what a text means, best first, `most` of them at most.
pub(crate) fn nearest_symbols(
    source: &Source<'_>,
    text: &str,
    wants: Wants,
    most: usize,
    evidence: &mut Evidence,
) -> Result<Vec<Ranked>> {
    let Some(meaning) = source.meaning() else {
        report_off(evidence);
        return Ok(Vec::new());
    };
    let model = match meaning.model() {
        Ok(model) => model,
        Err(why) => {
            evidence.push("semantic", LaneStatus::Unavailable, 0, Some(why.to_owned()));
            return Ok(Vec::new());
        }
    };
    let mut wanted = Vec::new();
    if !unit_vector(model, text_prefix(text, MOST_QUESTION), &mut wanted) {
        evidence.ran("semantic", 0);
        return Ok(Vec::new());
    }
    let mut files: Vec<(FileId, RelPath)> = Vec::new();
    source.view().files_under("", &mut |file, path| {
        files.extend(RelPath::new(path).map(|path| (file, path)));
        ControlFlow::Continue(())
    })?;
    let mut ranked = Vec::new();
    let mut seen = 0;
    let mut limited = false;
    for (file, path) in files {
        let Some(key) = source.view().file(file)?.and_then(|row| row.state.facts()) else { continue };
        let Some(block) = file_vectors(source, meaning, model, key)? else { continue };
        seen += block.bytes();
        if seen > Cache::MOST_AT_ONCE {
            limited = true;
            break;
        }
        let place = Place::of(path.as_str());
        for (&(symbol, flags), vector) in block.symbols.iter().zip(block.vectors.chunks_exact(wanted.len())) {
            let dot: i32 = wanted.iter().zip(vector).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
            let near = dot as f32 / (127.0 * 127.0);
            if near >= LEAST {
                let score = near * Flags(flags).placed(place).prior_for(wants);
                ranked.push(Ranked { symbol: file.symbol(symbol), score });
            }
        }
    }
    keep_best(&mut ranked, most);
    if limited {
        let note = "the tree holds more symbols than are looked at".to_owned();
        evidence.push("semantic", LaneStatus::Limited, ranked.len(), Some(note));
    } else {
        evidence.ran("semantic", ranked.len());
    }
    Ok(ranked)
}

/// The vectors of a file's symbols.
fn file_vectors(
    source: &Source<'_>,
    meaning: &Meaning,
    model: &dyn Embedder,
    key: FactsKey,
) -> Result<Option<Arc<Block>>> {
    let cache = || meaning.cache.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(block) = cache().get(key) {
        return Ok(Some(block));
    }
    let Some(outline) = source.outline(key)? else { return Ok(None) };
    let block = Arc::new(block_of(model, &outline));
    cache().put(key, block.clone());
    Ok(Some(block))
}

fn block_of(model: &dyn Embedder, outline: &Outline) -> Block {
    let mut block = Block::default();
    let mut vector = Vec::new();
    let mut text = String::new();
    for (_, def) in outline.iter() {
        let shown = def.kind.is_callable() || def.kind.is_type();
        if !shown || def.flags.has(DefFlags::LOCAL) {
            continue;
        }
        text.clear();
        text.push_str(outline.str(def.qualified));
        text.push(' ');
        text.push_str(outline.str(def.name));
        text.push(' ');
        text.push_str(text_prefix(def.doc.map_or("", |doc| outline.str(doc)), MOST_DOC));
        if unit_vector(model, &text, &mut vector) {
            block.symbols.push((def.key, Flags::of(def, Place::default()).0));
            block.vectors.extend_from_slice(&vector);
        }
    }
    block
}

/// The vector of a text at unit length; false if nothing of it is known.
fn unit_vector(model: &dyn Embedder, text: &str, vector: &mut Vec<i8>) -> bool {
    let mut sum = vec![0.0_f32; model.dimensions()];
    let known = model.embed(text, &mut sum);
    let length = sum.iter().map(|number| number * number).sum::<f32>().sqrt();
    if !known || !length.is_normal() {
        return false;
    }
    vector.clear();
    vector.extend(sum.iter().map(|number| (number / length * 127.0).round() as i8));
    true
}

/// The first bytes of a text.
fn text_prefix(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or("")
}
