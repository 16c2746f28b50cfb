//! Rules of the policy.

use super::MAX_TEXT_CHARS;
use super::own::{read_each, read_patterns};
use crate::error::SettingsError;
use crate::globs::ToolPattern;
use crate::located::Json;
use crate::node::{Node, find_member, nearest_word};
use crate::policy::{ArgPath, Condition, Conditions, Effect, Hints, Rule, Test};
use crate::types::Settings;

pub(super) const MAX_RULES: usize = 500;
const MAX_CONDITIONS: usize = 50;
const MAX_VALUES: usize = 1_000;
const MAX_WHY_CHARS: usize = 300;
const MAX_EXPRESSION_CHARS: usize = 1_000;
/// An expression can be as large as this number of globs.
const PATTERNS_OF_EXPRESSION: usize = 16;
const KEYS: &[&str] = &["effect", "clients", "profiles", "tools", "args", "hints", "flagged", "why"];
const HINT_KEYS: &[&str] = &["readOnly", "destructive", "openWorld"];
const TEST_KEYS: &[&str] = &["in", "notIn", "matches", "under", "notUnder", "min", "max", "exists"];

pub(super) fn read_rules(node: &Node<'_>) -> Result<Vec<Rule>, SettingsError> {
    node.items(MAX_RULES)?.iter().map(read_rule).collect()
}

fn read_rule(node: &Node<'_>) -> Result<Rule, SettingsError> {
    let members = node.strict_members(KEYS)?;
    let Some(effect) = find_member(&members, "effect") else {
        return Err(node.error("a rule needs an \"effect\": \"deny\", \"ask\" or \"allow\""));
    };
    let mut rule = Rule {
        effect: effect.choice(Effect::WORDS)?,
        clients: Vec::new(),
        profiles: Vec::new(),
        tools: Vec::new(),
        args: Conditions::default(),
        hints: Hints::default(),
        flagged: None,
        why: None,
    };
    for (key, node) in &members {
        match *key {
            "clients" => rule.clients = read_some(node, read_patterns)?,
            "profiles" => {
                rule.profiles = read_some(node, |node| read_each(node, |text| Ok(text.to_owned())))?;
            }
            "tools" => rule.tools = read_some(node, |node| read_each(node, ToolPattern::compile))?,
            "args" => rule.args = read_conditions(node)?,
            "hints" => rule.hints = read_hints(node)?,
            "flagged" => rule.flagged = Some(node.boolean()?),
            "why" => rule.why = Some(node.short_text(MAX_WHY_CHARS)?.to_owned()),
            _ => {}
        }
    }
    if !members.iter().any(|(key, _)| !matches!(*key, "effect" | "why")) {
        return Err(node.error("the rule names no calls; write \"tools\": [\"*/*\"] if it is for all"));
    }
    Ok(rule)
}

/// A list that restricts a rule. An empty one would be for everything, and nothing was meant.
fn read_some<T>(
    node: &Node<'_>,
    read: impl Fn(&Node<'_>) -> Result<Vec<T>, SettingsError>,
) -> Result<Vec<T>, SettingsError> {
    let items = read(node)?;
    if items.is_empty() {
        return Err(node.error("the list is empty, so the rule would never hold; name at least one"));
    }
    Ok(items)
}

fn read_hints(node: &Node<'_>) -> Result<Hints, SettingsError> {
    let mut hints = Hints::default();
    for (key, node) in node.strict_members(HINT_KEYS)? {
        let is = Some(node.boolean()?);
        match key {
            "readOnly" => hints.read_only = is,
            "destructive" => hints.destructive = is,
            _ => hints.open_world = is,
        }
    }
    if hints == Hints::default() {
        return Err(node.error("name at least one hint: readOnly, destructive or openWorld"));
    }
    Ok(hints)
}

fn read_conditions(node: &Node<'_>) -> Result<Conditions, SettingsError> {
    let members = node.members()?;
    if members.is_empty() || members.len() > MAX_CONDITIONS {
        return Err(node.error(format!("name 1 to {MAX_CONDITIONS} arguments, or leave \"args\" out")));
    }
    let read = |(key, node): &(&str, Node<'_>)| {
        let path = ArgPath::parse(key).map_err(|why| node.key_error(why))?;
        let tests = node.strict_members(TEST_KEYS)?;
        if tests.is_empty() {
            return Err(node.error("name a test, such as {\"exists\": true}"));
        }
        let tests = tests.iter().map(|(test, node)| read_test(test, node)).collect::<Result<Vec<_>, _>>()?;
        Ok(Condition { path, tests })
    };
    members.iter().map(read).collect::<Result<Vec<_>, _>>().map(Conditions)
}

fn read_test(test: &str, node: &Node<'_>) -> Result<Test, SettingsError> {
    let folders = || read_some(node, read_each_folder);
    Ok(match test {
        "in" | "notIn" => {
            let values = read_some(node, |node| {
                Ok(node.items(MAX_VALUES)?.iter().map(|value| value.located.to_value()).collect())
            })?;
            if test == "in" { Test::In(values) } else { Test::NotIn(values) }
        }
        "matches" => {
            let expression = node.short_text(MAX_EXPRESSION_CHARS)?;
            node.count_patterns(PATTERNS_OF_EXPRESSION)?;
            Test::matching(expression).map_err(|why| node.error(why))?
        }
        "under" => Test::Under(folders()?),
        "notUnder" => Test::NotUnder(folders()?),
        "min" | "max" => {
            let Json::Number(number) = &node.located.value else {
                return Err(node.error(format!("a number is expected, not {}", node.located.kind())));
            };
            if number.as_f64().is_none_or(|number| !number.is_finite()) {
                return Err(node.error("the number is too large"));
            }
            if test == "min" { Test::Min(number.clone()) } else { Test::Max(number.clone()) }
        }
        _ => Test::Exists(node.boolean()?),
    })
}

fn read_each_folder(node: &Node<'_>) -> Result<Vec<String>, SettingsError> {
    let folders = node.texts(MAX_VALUES, MAX_TEXT_CHARS)?;
    folders.iter().map(|folder| folder.text().map(str::to_owned)).collect()
}

/// A rule for a profile that does not exist would never hold.
pub(super) fn check_profiles(node: &Node<'_>, rule: &Rule, settings: &Settings) -> Result<(), SettingsError> {
    let names: Vec<&str> = settings.profiles.iter().map(|profile| profile.name.as_str()).collect();
    // A session that no profile matches has the default one.
    let is_known = |name: &String| name == "default" || names.contains(&name.as_str());
    let Some(unknown) = rule.profiles.iter().find(|name| !is_known(name)) else { return Ok(()) };
    let near =
        nearest_word(unknown, &names).map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
    Err(node.error(format!("no profile has the name {unknown:?}{near}")))
}
