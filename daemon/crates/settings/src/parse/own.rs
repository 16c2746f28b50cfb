//! The `sdl` object of an entry, and `defaults`.

use super::MAX_TEXT_CHARS;
use crate::error::SettingsError;
use crate::globs::{Globs, Pattern};
use crate::node::Node;
use crate::template::Template;
use crate::types::{Asks, Lifecycle, Mode, Own, Pin, Protocol, Redact};

/// The options of an entry.
pub(super) const KEYS: &[&str] = &[
    "mode",
    "about",
    "tools",
    "prompts",
    "resources",
    "prefix",
    "lifecycle",
    "ask",
    "pin",
    "redact",
    "cwd",
    "startTimeoutMs",
    "timeoutMs",
    "maxTotalMs",
    "refreshSeconds",
    "idleStopSeconds",
    "maxInFlight",
    "maxPerMinute",
    "memoryMb",
    "resultTokens",
    "autoTokens",
    "protocol",
    "retryReads",
];
/// The options that can be set for all entries: not `about`, which is about one.
pub(super) const DEFAULTS_KEYS: &[&str] = &[
    "mode",
    "tools",
    "prompts",
    "resources",
    "prefix",
    "lifecycle",
    "ask",
    "pin",
    "redact",
    "cwd",
    "startTimeoutMs",
    "timeoutMs",
    "maxTotalMs",
    "refreshSeconds",
    "idleStopSeconds",
    "maxInFlight",
    "maxPerMinute",
    "memoryMb",
    "resultTokens",
    "autoTokens",
    "protocol",
    "retryReads",
];

const MAX_ABOUT_CHARS: usize = 80;
const MAX_PATTERNS: usize = 500;
const MAX_PATTERN_CHARS: usize = 256;
const GLOBS_KEYS: &[&str] = &["allow", "deny"];

/// Reads options over `base`.
pub(super) fn read_own(node: &Node<'_>, base: &Own, known: &[&str]) -> Result<Own, SettingsError> {
    let mut own = base.clone();
    for (key, value) in node.strict_members(known)? {
        read_option(&mut own, key, &value)?;
    }
    if own.timeout_ms > own.max_total_ms {
        return Err(node.key_error(format!(
            "\"timeoutMs\" ({}) is above \"maxTotalMs\" ({}); raise \"maxTotalMs\" too",
            own.timeout_ms, own.max_total_ms
        )));
    }
    Ok(own)
}

fn read_option(own: &mut Own, key: &str, node: &Node<'_>) -> Result<(), SettingsError> {
    match key {
        "mode" => own.mode = node.choice(Mode::WORDS)?,
        "about" => own.about = Some(node.short_text(MAX_ABOUT_CHARS)?.to_owned()),
        "tools" => own.tools = read_globs(node)?,
        "prompts" => own.prompts = node.boolean()?,
        "resources" => own.resources = node.boolean()?,
        "prefix" => own.prefix = node.boolean()?,
        "lifecycle" => own.lifecycle = node.choice(Lifecycle::WORDS)?,
        "ask" => own.ask = read_asks(node)?,
        "pin" => own.pin = node.choice(Pin::WORDS)?,
        "redact" => own.redact = node.choice(Redact::WORDS)?,
        "cwd" => own.cwd = Some(read_cwd(node)?),
        "startTimeoutMs" => own.start_timeout_ms = node.number(100..=3_600_000)?,
        "timeoutMs" => own.timeout_ms = node.number(100..=86_400_000)?,
        "maxTotalMs" => own.max_total_ms = node.number(100..=86_400_000)?,
        "refreshSeconds" => own.refresh_seconds = node.number(5..=86_400)?,
        "idleStopSeconds" => own.idle_stop_seconds = node.number(0..=2_592_000)?,
        "maxInFlight" => own.max_in_flight = node.number(1..=256)? as u32,
        "maxPerMinute" => {
            own.max_per_minute = if node.is_null() { None } else { Some(node.number(1..=1_000_000)? as u32) };
        }
        "memoryMb" => own.memory_mb = node.number(16..=4_194_304)?,
        "resultTokens" => own.result_tokens = node.number(100..=20_000)?,
        "autoTokens" => own.auto_tokens = node.number(0..=1_000_000)?,
        "protocol" => own.protocol = node.choice(Protocol::WORDS)?,
        _ => own.retry_reads = node.boolean()?,
    }
    Ok(())
}

/// Reads globs: an array or one text.
pub(super) fn read_patterns(node: &Node<'_>) -> Result<Vec<Pattern>, SettingsError> {
    read_each(node, Pattern::compile)
}

/// Compiles each text of an array; one text counts as an array of one.
pub(super) fn read_each<T>(
    node: &Node<'_>,
    compile: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, SettingsError> {
    let items = node.texts(MAX_PATTERNS, MAX_PATTERN_CHARS)?;
    node.count_patterns(items.len())?;
    items.iter().map(|item| compile(item.text()?).map_err(|why| item.error(why))).collect()
}

fn read_globs(node: &Node<'_>) -> Result<Globs, SettingsError> {
    let mut globs = Globs::default();
    for (key, node) in node.strict_members(GLOBS_KEYS)? {
        let patterns = read_patterns(&node)?;
        if key == "allow" { globs.allow = Some(patterns) } else { globs.deny = patterns }
    }
    Ok(globs)
}

#[derive(Clone, Copy)]
enum Ask {
    Elicitation,
    Sampling,
    Roots,
}

fn read_asks(node: &Node<'_>) -> Result<Asks, SettingsError> {
    let words = [("elicitation", Ask::Elicitation), ("sampling", Ask::Sampling), ("roots", Ask::Roots)];
    let mut asks = Asks::default();
    for item in node.items(words.len() * 4)? {
        match item.choice(&words)? {
            Ask::Elicitation => asks.elicitation = true,
            Ask::Sampling => asks.sampling = true,
            Ask::Roots => asks.roots = true,
        }
    }
    Ok(asks)
}

fn read_cwd(node: &Node<'_>) -> Result<Template, SettingsError> {
    let text = node.short_text(MAX_TEXT_CHARS)?;
    let template = Template::parse(text).map_err(|error| node.error(error.message))?;
    let is_absolute = text.starts_with('/') || std::path::Path::new(text).is_absolute();
    if !is_absolute && !template.begins_with_variable() {
        return Err(
            node.error("\"cwd\" has to be an absolute path; it may begin with ${SESSION_ROOT} or ${HOME}")
        );
    }
    Ok(template)
}
