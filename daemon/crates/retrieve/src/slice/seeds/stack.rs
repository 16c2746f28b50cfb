//! Symbols that a stack trace runs through.

use sdl_model::FileId;

use super::Seeds;
use super::frames::{self, Frame};
use crate::search::files::files_at;
use crate::slice::SliceRequest;
use crate::{Evidence, Result, Source, Sym};

/// Most frames that are taken from a task's text, the score of the innermost, and how much less each further one has.
const MOST_OF_TEXT: usize = 8;
const TOP: f32 = 0.8;
const STEP: f32 = 0.08;

pub(super) fn add_stack_seeds(
    source: &Source<'_>,
    request: &SliceRequest,
    seeds: &mut Seeds,
    evidence: &mut Evidence,
) -> Result<()> {
    let frames = frames::parse_frames(request.stack_trace.as_deref().unwrap_or(""));
    if request.stack_trace.is_none() {
        evidence.skipped("stackTrace");
        return Ok(());
    }
    let mut found = 0;
    for frame in &frames {
        let Some(sym) = frame_symbol(source, frame)? else { continue };
        // The innermost frame of ours matters most.
        seeds.add(sym.id, (0.98 - 0.04 * found as f32).max(0.4), true);
        found += 1;
    }
    if found == 0 {
        evidence.miss(
            "stackTrace",
            match frames.len() {
                0 => "it has no frame of a form that is known".to_owned(),
                count => format!("none of its {count} frames is in a file of this version"),
            },
        );
    }
    evidence.ran("stackTrace", found);
    Ok(())
}

/// Least frames that make a text one with a trace in it. A single one may be any place that it mentions.
const TRACE: usize = 2;

/// Adds the symbols of a stack trace inside a task's text. They are hints, as words are, because the text says more than
/// the trace.
pub(super) fn add_text_frames(source: &Source<'_>, text: &str, seeds: &mut Seeds) -> Result<usize> {
    let frames = frames::parse_frames(text);
    if frames.len() < TRACE {
        return Ok(0);
    }
    let mut found = 0;
    for frame in &frames {
        let Some(sym) = frame_symbol(source, frame)? else { continue };
        seeds.guess(sym.id, TOP - STEP * found as f32);
        found += 1;
        if found == MOST_OF_TEXT {
            break;
        }
    }
    Ok(found)
}

/// The symbol of a frame: that of its function's name in its file, nearest to its line; else whatever is at its line.
fn frame_symbol(source: &Source<'_>, frame: &Frame) -> Result<Option<Sym>> {
    let files = files_at(source.view(), &frame.path)?;
    if files.is_empty() {
        return installed_symbol(source, frame);
    }
    let mut first: Option<FileId> = None;
    for file in files {
        first.get_or_insert(file);
        let Some(function) = &frame.function else { continue };
        let named = source
            .symbols_of(file)?
            .into_iter()
            .filter(|sym| sym.name() == function)
            .min_by_key(|sym| (sym.def().span.start_line.abs_diff(frame.line), sym.id));
        if let Some(sym) = named.filter(|_| !function.is_empty()) {
            return Ok(Some(sym));
        }
    }
    match first {
        Some(file) => source.symbol_at(file, frame.line),
        None => Ok(None),
    }
}

/// The symbol of a frame in an installed copy of a file that is in another folder of this tree:
/// `site-packages/flask/app.py` is `src/flask/app.py`. Its path ends like the frame's. Where only the file's name
/// agrees, the line must be that of the function, because many files share a name such as `utils.py`.
fn installed_symbol(source: &Source<'_>, frame: &Frame) -> Result<Option<Sym>> {
    let Some(name) = frame.path.rsplit('/').next().filter(|name| !name.is_empty()) else { return Ok(None) };
    let mut longest = 0;
    let mut files: Vec<FileId> = Vec::new();
    for file in source.view().files_named(name)? {
        let Some(row) = source.view().file(file)? else { continue };
        let common = common_end(row.path.as_str(), &frame.path);
        if common > longest {
            (longest, files) = (common, Vec::new());
        }
        if common == longest {
            files.push(file);
        }
    }
    let within = |sym: &Sym| (sym.def().span.start_line..=sym.def().span.end_line).contains(&frame.line);
    let mut named: Vec<Sym> = Vec::new();
    for &file in &files {
        let symbols = source.symbols_of(file)?;
        named.extend(symbols.into_iter().filter(|sym| Some(sym.name()) == frame.function.as_deref()));
    }
    named.sort_by_key(|sym| (!within(sym), sym.def().span.start_line.abs_diff(frame.line), sym.id));
    let best = named.into_iter().next().filter(|sym| longest > 1 || within(sym));
    match (best, &files[..]) {
        (None, [only]) if longest > 1 => source.symbol_at(*only, frame.line),
        (best, _) => Ok(best),
    }
}

/// How many last parts two paths have in common.
fn common_end(a: &str, b: &str) -> usize {
    a.rsplit('/').zip(b.rsplit('/')).take_while(|(a, b)| a == b).count()
}
