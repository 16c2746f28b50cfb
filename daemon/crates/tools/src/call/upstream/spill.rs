//! Results that are too long for a context: kept whole under a handle, and shown with their first and last lines.

use std::fmt::Write as _;

use sdl_ledger::AgentStore;
use sdl_runtime::{Artifact, Output};
use sdl_tokens::{count_at_most, count_tokens};
use serde_json::{Map, Value, json};

use super::result::{Forwarded, Limit};
use crate::call::names::underscored_name;
use crate::stored::artifacts;
use crate::{Code, Explained, ToolError};

/// The most tokens that a caller gets who asks for a whole result.
pub(crate) const MOST_TOKENS: usize = 20_000;
/// Bytes of images, audio and other blobs that a result may have, as base64.
const MOST_BLOB: usize = (8 << 20) / 3 * 4;
/// Bytes of each half of a text that are kept.
const HALF: usize = 2 << 20;
/// Longer lines are broken, so that each can be read.
const WIDTH: usize = 800;
/// The part of the allowed tokens that the first and last lines take together.
const SHOWN_PART: usize = 4;
/// A block shows at least this many tokens.
const LEAST_SHOWN: usize = 100;

/// The owner of the results of an upstream, among those of repositories. No repository has such an id.
pub(crate) fn artifact_owner(key: &str) -> String {
    format!("mcp/{}", sdl_settings::fold_key(key))
}

/// Shortens a result that is above its limit, and keeps it whole. Returns it with the number of tokens that it has lost.
pub(crate) fn spill_result(
    mut result: Forwarded,
    limit: &Limit,
    store: &AgentStore,
    now_ms: u64,
) -> Result<(Forwarded, usize), ToolError> {
    refuse_blobs(&result.object)?;
    // A token has at least one byte.
    if result.text.len() <= limit.tokens {
        return Ok((result, 0));
    }
    let texts = block_texts(&result.object);
    let structure = result.object.get("structuredContent").filter(|value| !value.is_null()).cloned();
    let structure_text = structure.as_ref().map(Value::to_string).unwrap_or_default();
    let counts: Vec<usize> = texts.iter().map(|text| count_tokens(text)).collect();
    let structure_tokens = count_tokens(&structure_text);
    if limit.keeps_structure && structure_tokens > MOST_TOKENS {
        let message = format!(
            "its structured content has {structure_tokens} tokens, more than {MOST_TOKENS}, and the tool was listed with \
             the shape of it; ask for less"
        );
        return Err(ToolError::new(Code::ResultTooLarge, message));
    }
    let before: usize = counts.iter().sum::<usize>() + structure_tokens;
    if before <= limit.tokens || (texts.is_empty() && limit.keeps_structure) {
        return Ok((result, 0));
    }
    let mut all = Kept::default();
    let blocks: Vec<Laid> = texts.iter().map(|text| all.add(lay_out(text))).collect();
    let is_double = structure.as_ref().is_some_and(|structure| {
        texts.iter().any(|text| serde_json::from_str::<Value>(text).is_ok_and(|value| value == *structure))
    });
    let kept_structure = (structure.is_some() && !limit.keeps_structure && !is_double)
        .then(|| all.add(lay_out(&structure_text)));
    let handle = all.keep(store, &artifact_owner(&limit.key), now_ms)?;
    let shown = Shown { handle: &handle, budget: limit.tokens / SHOWN_PART, before };
    let mut short = blocks.iter().zip(&counts).map(|(block, tokens)| shown.shorten(block, *tokens));
    for block in result.object.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(text) = block.get_mut("text").filter(|text| text.is_string()) {
            *text = short.next().unwrap_or_default().into();
        }
    }
    drop(short);
    if structure.is_some() && !limit.keeps_structure {
        result.object.shift_remove("structuredContent");
    }
    if let Some(block) = kept_structure {
        push_text(&mut result.object, &shown.shorten(&block, structure_tokens));
    }
    let after: usize = block_texts(&result.object).iter().map(|text| count_tokens(text)).sum();
    note_spill(&mut result.object, &handle, before);
    result.text = Value::Object(result.object.clone()).to_string();
    Ok((result, before.saturating_sub(after)))
}

/// Blobs are passed on whole or not at all.
fn refuse_blobs(object: &Map<String, Value>) -> Result<(), ToolError> {
    let blocks = object.get("content").and_then(Value::as_array).into_iter().flatten();
    let blob = |block: &Value| {
        let own = block.get("data").or_else(|| block.pointer("/resource/blob"));
        own.and_then(Value::as_str).map_or(0, str::len)
    };
    let bytes: usize = blocks.map(blob).sum();
    if bytes <= MOST_BLOB {
        return Ok(());
    }
    let message =
        format!("its images and other blobs take {bytes} bytes, more than {MOST_BLOB}; ask for less");
    Err(ToolError::new(Code::ResultTooLarge, message))
}

/// The texts of the text blocks, in their order.
fn block_texts(object: &Map<String, Value>) -> Vec<String> {
    let blocks = object.get("content").and_then(Value::as_array).into_iter().flatten();
    blocks.filter_map(|block| block.get("text")?.as_str().map(str::to_owned)).collect()
}

fn push_text(object: &mut Map<String, Value>, text: &str) {
    let content = object.entry("content").or_insert_with(|| json!([]));
    if let Value::Array(blocks) = content {
        blocks.push(json!({"type": "text", "text": text}));
    }
}

/// Tells the client, beside the text for the model, that the result is not whole.
fn note_spill(object: &mut Map<String, Value>, handle: &str, before: usize) {
    let meta = object.entry("_meta").or_insert_with(|| json!({}));
    if let Value::Object(meta) = meta {
        meta.insert("sdl/spilled".to_owned(), json!({"artifactHandle": handle, "tokens": before}));
    }
}

/// The lines of a text. JSON is laid out first, because it often comes as one line.
fn lay_out(text: &str) -> Vec<String> {
    let is_json = text.trim_start().starts_with(['{', '[']);
    let value: Option<Value> = if is_json { serde_json::from_str(text).ok() } else { None };
    let laid = value.and_then(|value| serde_json::to_string_pretty(&value).ok());
    laid.as_deref().unwrap_or(text).lines().flat_map(break_line).collect()
}

fn break_line(line: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = line;
    while let Some((at, _)) = rest.char_indices().nth(WIDTH) {
        let (part, after) = rest.split_at(at);
        parts.push(part.to_owned());
        rest = after;
    }
    parts.push(rest.to_owned());
    parts
}

/// The lines that are kept under one handle.
#[derive(Default)]
struct Kept {
    lines: Vec<String>,
}

/// A block among the kept lines.
struct Laid {
    lines: Vec<String>,
    /// The number of its first line, from 1.
    first: usize,
}

impl Kept {
    fn add(&mut self, lines: Vec<String>) -> Laid {
        let first = self.lines.len() + 1;
        self.lines.extend(lines.iter().cloned());
        Laid { lines, first }
    }

    fn keep(self, store: &AgentStore, owner: &str, now_ms: u64) -> Result<String, ToolError> {
        let size = |line: &String| line.len() + 1;
        let within_half = |lines: &mut dyn Iterator<Item = &String>| {
            let mut room = HALF;
            lines
                .take_while(|line| room.checked_sub(size(line)).inspect(|left| room = *left).is_some())
                .count()
        };
        let head = within_half(&mut self.lines.iter());
        let tail = within_half(&mut self.lines.iter().skip(head).rev());
        let dropped = self.lines.len() - head - tail;
        let mut lines = self.lines;
        let after = lines.split_off(head + dropped);
        lines.truncate(head);
        let stdout = Output { head: lines, tail: after, dropped: dropped as u64 };
        artifacts::keep(store, owner, &Artifact { at_ms: now_ms, stdout, stderr: Output::default() })
    }
}

/// How the blocks of one result are shortened.
struct Shown<'a> {
    handle: &'a str,
    /// Tokens of all blocks together.
    budget: usize,
    /// Tokens of the whole result.
    before: usize,
}

impl Shown<'_> {
    /// The first and the last lines of a block, with the way to the rest. Each block gets its share of the budget.
    fn shorten(&self, block: &Laid, tokens: usize) -> String {
        let share = (self.budget * tokens / self.before.max(1)).max(LEAST_SHOWN);
        if tokens <= share {
            return block.lines.join("\n");
        }
        let head = lines_within(block.lines.iter(), share * 2 / 3);
        let tail = lines_within(block.lines.iter().skip(head).rev(), share / 3);
        let end = block.lines.len() - tail;
        let (from, to) = (block.first + head, block.first + end - 1);
        let mut text = block.lines.get(..head).unwrap_or_default().join("\n");
        let tool = underscored_name("runtime.queryOutput");
        let way = json!({"artifactHandle": self.handle, "lines": {"from": from, "to": to}});
        let _ = write!(
            text,
            "{}[… lines {from} to {to} of this result are left out; it has about {tokens} tokens. To read or search them call \
             {tool} {way}; queryTerms and regex find lines …]",
            if head > 0 { "\n" } else { "" }
        );
        for line in block.lines.get(end..).unwrap_or_default() {
            text.push('\n');
            text.push_str(line);
        }
        text
    }
}

/// How many lines have at most this many tokens together.
fn lines_within<'l>(lines: impl Iterator<Item = &'l String>, mut tokens: usize) -> usize {
    let fits = |line: &&String| match count_at_most(line, tokens) {
        Some(count) => {
            tokens = tokens.saturating_sub(count + 1);
            true
        }
        None => false,
    };
    lines.take_while(fits).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, AgentStore) {
        let dir = tempfile::tempdir().unwrap();
        let store =
            AgentStore::open(&dir.path().join("agent"), crate::AGENT_TABLES, &sdl_ledger::Options::default())
                .unwrap()
                .0;
        (dir, store)
    }

    fn limit(tokens: usize) -> Limit {
        Limit { key: "db".into(), tokens, keeps_structure: false }
    }

    fn spilled(result: &Value, limit: &Limit) -> (Forwarded, usize, Option<Artifact>) {
        let (_dir, store) = store();
        let result = Forwarded::read(result.to_string().into_bytes()).unwrap();
        let (result, lost) = spill_result(result, limit, &store, 1).unwrap();
        let handle = result.object.get("_meta").and_then(|meta| meta.pointer("/sdl~1spilled/artifactHandle"));
        let found = handle
            .and_then(Value::as_str)
            .map(|handle| artifacts::find(&store, &artifact_owner("db"), handle).unwrap().unwrap());
        (result, lost, found)
    }

    #[test]
    fn a_result_within_its_limit_stays_byte_for_byte() {
        let text = r#"{"content":[{"type":"text","text":"a  b"}],  "x":1e400}"#;
        let (_dir, store) = store();
        let result = Forwarded::read(text.as_bytes().to_vec()).unwrap();
        let (result, lost) = spill_result(result, &limit(50), &store, 1).unwrap();
        assert_eq!((result.text.as_str(), lost), (text, 0));
    }

    #[test]
    fn the_first_and_last_lines_stay_and_all_are_kept() {
        let lines: Vec<String> = (1..=2_000).map(|n| format!("line number {n}")).collect();
        let (result, lost, kept) =
            spilled(&json!({"content": [{"type": "text", "text": lines.join("\n")}]}), &limit(1_000));
        let text = result.object["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("line number 1\n") && text.ends_with("\nline number 2000"), "{text}");
        assert!(count_tokens(text) < 400 && lost > 5_000, "{text}");
        let kept = kept.unwrap();
        assert_eq!(kept.stdout.head, lines);
        let shown: Vec<&str> = text.lines().filter(|line| line.starts_with("line")).collect();
        let from = shown.iter().zip(&lines).take_while(|(a, b)| **a == **b).count() + 1;
        assert!(
            text.contains(&format!(r#""lines":{{"from":{from},"to":"#)),
            "the range is that of the lines left out"
        );
    }

    #[test]
    fn json_is_laid_out_and_structure_that_repeats_a_text_is_kept_once() {
        let value =
            json!({"rows": (0..500).map(|n| json!({"id": n, "name": "x".repeat(20)})).collect::<Vec<_>>()});
        let both =
            json!({"content": [{"type": "text", "text": value.to_string()}], "structuredContent": value});
        let (result, _, kept) = spilled(&both, &limit(1_000));
        assert!(result.object.get("structuredContent").is_none());
        let laid = serde_json::to_string_pretty(&value).unwrap();
        assert_eq!(kept.unwrap().stdout.head, laid.lines().collect::<Vec<_>>());
        let alone = json!({"content": [], "structuredContent": value});
        let (result, _, kept) = spilled(&alone, &limit(1_000));
        assert!(result.object["content"][0]["text"].as_str().unwrap().contains("artifactHandle"));
        assert_eq!(kept.unwrap().stdout.head, laid.lines().collect::<Vec<_>>());
    }

    #[test]
    fn a_structure_that_the_client_relies_on_stays_or_is_refused() {
        let value = json!((0..500).collect::<Vec<_>>());
        let result =
            json!({"content": [{"type": "text", "text": value.to_string()}], "structuredContent": value});
        let relied = Limit { keeps_structure: true, ..limit(500) };
        let (short, _, _) = spilled(&result, &relied);
        assert_eq!(short.object["structuredContent"], value);
        let huge = json!({"content": [], "structuredContent": (0..40_000).collect::<Vec<_>>()});
        let huge = Forwarded::read(huge.to_string().into_bytes()).unwrap();
        let (_dir, store) = store();
        let error = spill_result(huge, &relied, &store, 1).unwrap_err();
        assert_eq!(error.refusal.code, Code::ResultTooLarge);
    }

    #[test]
    fn long_lines_are_broken_and_blobs_are_bounded() {
        let (_, _, kept) =
            spilled(&json!({"content": [{"type": "text", "text": "é x ".repeat(3_000)}]}), &limit(500));
        let kept = kept.unwrap().stdout.head;
        assert!(kept.len() > 10 && kept.iter().all(|line| line.chars().count() <= WIDTH));
        let blob = json!({"content": [{"type": "image", "data": "A".repeat(MOST_BLOB + 1)}]});
        let (_dir, store) = store();
        let blob = Forwarded::read(blob.to_string().into_bytes()).unwrap();
        assert!(spill_result(blob, &limit(500), &store, 1).is_err());
    }
}
