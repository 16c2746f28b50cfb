//! From the text of `mcp.json` to [`Settings`], whole or not at all.

mod entry;
mod own;
mod profile;
mod rule;

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use crate::error::{Remark, SettingsError};
use crate::keys::{fold_key, refuse_key};
use crate::located::read_located;
use crate::node::{Node, find_member};
use crate::policy::{AuditSettings, Effect};
use crate::types::{Own, Settings, Upstream};

pub use entry::refuse_command;

/// The longest text.
pub const MAX_BYTES: usize = 1 << 20;
/// The most entries of a file.
pub const MAX_UPSTREAMS: usize = 200;
/// The modules that can be on.
pub const MODULES: &[&str] = &["memory", "kg", "work"];

/// The keys of the `sdl` object at the top.
const TOP_KEYS: &[&str] =
    &["modules", "profiles", "policy", "default", "defaults", "credentialHelper", "audit"];
const AUDIT_KEYS: &[&str] = &["calls", "args", "keep"];
const MAX_HELPER_WORDS: usize = 64;
/// The longest word of a command, path or pattern.
const MAX_TEXT_CHARS: usize = 4_096;

/// The settings of a text, and the oddities in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The settings.
    pub settings: Settings,
    /// The paths of keys that clients may use and we don't, such as `mcpServers.fs.autoApprove`.
    pub unused: Vec<String>,
    /// Permitted things that may not be meant.
    pub remarks: Vec<Remark>,
}

/// What a reading gathers beside the settings.
#[derive(Default)]
struct Notes {
    unused: Vec<String>,
    remarks: Vec<Remark>,
}

impl Settings {
    /// Reads the text of `mcp.json`. The first fault is an error that names line, column and path.
    pub fn parse(text: &str) -> Result<Parsed, SettingsError> {
        if text.len() > MAX_BYTES {
            let message = format!("{} bytes are more than the {MAX_BYTES} that are allowed", text.len());
            return Err(SettingsError::at(text, 0, "", message));
        }
        let located = read_located(text).map_err(|fault| SettingsError::of_fault(text, fault))?;
        let patterns = Cell::new(0);
        let root = Node::root(text, &located, &patterns);
        let mut notes = Notes::default();
        let members = root.members()?;
        let mut settings = Settings::default();
        let mut base = Own::default();
        if let Some(top) = find_member(&members, "sdl") {
            base = read_top(top, &mut settings)?;
        }
        let servers = find_member(&members, "mcpServers");
        let other = find_member(&members, "servers");
        if let (Some(_), Some(other)) = (servers, other) {
            return Err(other.key_error("\"mcpServers\" and \"servers\" mean the same; keep one"));
        }
        if let Some(servers) = servers.or(other) {
            settings.upstreams = read_upstreams(servers, &base, &mut notes)?;
        }
        for (key, node) in &members {
            if !matches!(*key, "mcpServers" | "servers" | "sdl" | "inputs" | "$schema") {
                notes.unused.push(node.path.clone());
            }
        }
        if servers.or(other).is_none() && !notes.unused.is_empty() {
            notes.remarks.push(root.remark("no \"mcpServers\" is here, so there are no upstreams"));
        }
        check_names(&root, &settings, &mut notes)?;
        Ok(Parsed { settings, unused: notes.unused, remarks: notes.remarks })
    }
}

fn read_upstreams(node: &Node<'_>, base: &Own, notes: &mut Notes) -> Result<Vec<Upstream>, SettingsError> {
    let entries = node.members()?;
    if let Some((_, over)) = entries.get(MAX_UPSTREAMS) {
        let message = format!("{} entries are more than the {MAX_UPSTREAMS} that are allowed", entries.len());
        return Err(over.key_error(message));
    }
    let mut seen: HashMap<String, &str> = HashMap::new();
    let mut upstreams = Vec::with_capacity(entries.len());
    for (key, entry) in &entries {
        if let Some(why) = refuse_key(key) {
            return Err(entry.key_error(why));
        }
        if let Some(first) = seen.insert(fold_key(key), key) {
            let message =
                format!("the keys {first:?} and {key:?} differ only in case or in '-' and '_'; rename one");
            return Err(entry.key_error(message));
        }
        upstreams.push(entry::read_entry(key, entry, base, notes)?);
    }
    Ok(upstreams)
}

/// Reads the `sdl` object at the top. Returns the options that entries have unless they state others.
fn read_top(node: &Node<'_>, settings: &mut Settings) -> Result<Own, SettingsError> {
    let mut base = Own::default();
    for (key, node) in node.strict_members(TOP_KEYS)? {
        match key {
            "modules" => settings.modules = read_modules(&node)?,
            "profiles" => settings.profiles = profile::read_profiles(&node)?,
            "policy" => settings.policy = rule::read_rules(&node)?,
            "default" => {
                settings.default = node.choice(&[("allow", Effect::Allow), ("deny", Effect::Deny)])?;
            }
            "defaults" => base = own::read_own(&node, &Own::default(), own::DEFAULTS_KEYS)?,
            "credentialHelper" => settings.credential_helper = Some(read_helper(&node)?),
            _ => settings.audit = read_audit(&node)?,
        }
    }
    Ok(base)
}

fn read_modules(node: &Node<'_>) -> Result<Vec<String>, SettingsError> {
    let choices: Vec<(&str, &str)> = MODULES.iter().map(|module| (*module, *module)).collect();
    let mut modules: Vec<String> = Vec::new();
    for item in node.items(MODULES.len() * 4)? {
        let module = item.choice(&choices)?;
        if !modules.iter().any(|known| known == module) {
            modules.push(module.to_owned());
        }
    }
    Ok(modules)
}

fn read_helper(node: &Node<'_>) -> Result<Vec<String>, SettingsError> {
    let words = node.texts(MAX_HELPER_WORDS, MAX_TEXT_CHARS)?;
    let Some(first) = words.first() else {
        return Err(node.error("name a program and its arguments, such as [\"pass\", \"show\", \"{name}\"]"));
    };
    if let Some(why) = refuse_command(first.text()?) {
        return Err(first.error(why));
    }
    words.iter().map(|word| word.text().map(str::to_owned)).collect()
}

fn read_audit(node: &Node<'_>) -> Result<AuditSettings, SettingsError> {
    let mut audit = AuditSettings::default();
    for (key, node) in node.strict_members(AUDIT_KEYS)? {
        match key {
            "calls" => audit.permitted_calls = node.choice(&[("all", true), ("denied", false)])?,
            "args" => audit.args = node.boolean()?,
            _ => audit.keep = node.number(1_000..=100_000_000)?,
        }
    }
    Ok(audit)
}

/// Names of policies that mean nothing in this file: a profile that does not exist is an error, because its rule would
/// never hold; an upstream that does not exist is a remark, because it may come later.
fn check_names(root: &Node<'_>, settings: &Settings, notes: &mut Notes) -> Result<(), SettingsError> {
    let members = root.members()?;
    let Some(top) = find_member(&members, "sdl") else { return Ok(()) };
    let top = top.members()?;
    let keys: HashSet<String> = settings.upstreams.iter().map(|upstream| fold_key(&upstream.key)).collect();
    if let Some(rules) = find_member(&top, "policy") {
        for (node, rule) in rules.items(rule::MAX_RULES)?.iter().zip(&settings.policy) {
            rule::check_profiles(node, rule, settings)?;
            let names = rule.tools.iter().map(|tool| &tool.key);
            remark_unknown(node, names, &keys, notes);
        }
    }
    if let Some(profiles) = find_member(&top, "profiles") {
        for (node, profile) in profiles.items(profile::MAX_PROFILES)?.iter().zip(&settings.profiles) {
            let names = profile.upstreams.iter().flatten();
            let tools = profile.tools.allow.iter().flatten().chain(&profile.tools.deny).map(|tool| &tool.key);
            remark_unknown(node, names.chain(tools), &keys, notes);
        }
    }
    Ok(())
}

fn remark_unknown<'p>(
    node: &Node<'_>,
    names: impl Iterator<Item = &'p crate::globs::KeyPattern>,
    keys: &HashSet<String>,
    notes: &mut Notes,
) {
    let mut unknown: Vec<&str> = Vec::new();
    for name in names.filter(|name| name.is_literal()) {
        let folded = fold_key(name.as_str());
        if folded != "sdl" && !keys.contains(&folded) && !unknown.contains(&name.as_str()) {
            unknown.push(name.as_str());
        }
    }
    if !unknown.is_empty() {
        notes.remarks.push(node.remark(format!("no upstream has the key {}", unknown.join(", "))));
    }
}
