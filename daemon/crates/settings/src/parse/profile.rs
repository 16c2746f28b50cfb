//! Profiles: who sees what.

use std::collections::HashSet;

use super::own::{read_each, read_patterns};
use super::read_modules;
use crate::error::SettingsError;
use crate::globs::{KeyPattern, ToolPattern};
use crate::node::{Node, find_member};
use crate::policy::{Profile, ProfileMatch, ToolGlobs};
use crate::types::Mode;

pub(super) const MAX_PROFILES: usize = 100;
const MAX_NAME_CHARS: usize = 64;
const KEYS: &[&str] = &["name", "match", "upstreams", "tools", "repos", "modules", "surface", "mode"];
const MATCH_KEYS: &[&str] = &["token", "scope", "client"];
const GLOBS_KEYS: &[&str] = &["allow", "deny"];
const SURFACES: &[(&str, &str)] =
    &[("gateway", "gateway"), ("flat", "flat"), ("search", "search"), ("pair", "pair")];

pub(super) fn read_profiles(node: &Node<'_>) -> Result<Vec<Profile>, SettingsError> {
    let mut names = HashSet::new();
    let mut profiles = Vec::new();
    for item in node.items(MAX_PROFILES)? {
        let profile = read_profile(&item)?;
        if !names.insert(profile.name.clone()) {
            return Err(item.error(format!("two profiles have the name {:?}; rename one", profile.name)));
        }
        profiles.push(profile);
    }
    Ok(profiles)
}

fn read_profile(node: &Node<'_>) -> Result<Profile, SettingsError> {
    let members = node.strict_members(KEYS)?;
    let Some(name) = find_member(&members, "name") else {
        return Err(node.error("a profile needs a \"name\""));
    };
    let Some(matches) = find_member(&members, "match") else {
        return Err(node.error("a profile needs \"match\", such as {\"client\": \"*\"} for everybody"));
    };
    let mut profile = Profile {
        name: name.short_text(MAX_NAME_CHARS)?.to_owned(),
        matches: read_match(matches)?,
        upstreams: None,
        tools: ToolGlobs::default(),
        repos: None,
        modules: None,
        surface: None,
        mode: None,
    };
    for (key, node) in &members {
        match *key {
            "upstreams" => profile.upstreams = Some(read_each(node, KeyPattern::compile)?),
            "tools" => profile.tools = read_tools(node)?,
            "repos" => profile.repos = Some(read_patterns(node)?),
            "modules" => profile.modules = Some(read_modules(node)?),
            "surface" => profile.surface = Some(node.choice(SURFACES)?.to_owned()),
            "mode" => profile.mode = Some(node.choice(Mode::WORDS)?),
            _ => {}
        }
    }
    Ok(profile)
}

fn read_match(node: &Node<'_>) -> Result<ProfileMatch, SettingsError> {
    let mut found = ProfileMatch::default();
    let members = node.strict_members(MATCH_KEYS)?;
    if members.is_empty() {
        return Err(node.error("\"match\" is empty; write {\"client\": \"*\"} for everybody"));
    }
    for (key, node) in &members {
        let own = |text: &str| Ok(text.to_owned());
        match *key {
            "token" => found.token = read_each(node, own)?,
            "scope" => found.scope = read_each(node, own)?,
            _ => found.client = read_patterns(node)?,
        }
    }
    let empty = members.iter().find(|(key, _)| match *key {
        "token" => found.token.is_empty(),
        "scope" => found.scope.is_empty(),
        _ => found.client.is_empty(),
    });
    match empty {
        // It would match everybody, and nobody was meant.
        Some((_, node)) => Err(node.error("the list is empty; name at least one")),
        None => Ok(found),
    }
}

fn read_tools(node: &Node<'_>) -> Result<ToolGlobs, SettingsError> {
    let mut tools = ToolGlobs::default();
    for (key, node) in node.strict_members(GLOBS_KEYS)? {
        let patterns = read_each(&node, ToolPattern::compile)?;
        if key == "allow" { tools.allow = Some(patterns) } else { tools.deny = patterns }
    }
    Ok(tools)
}
