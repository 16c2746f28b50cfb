//! What upstreams offer beside tools, as one session sees it: prompts, resources and templates of resources.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::bare::Rival;
use super::catalog::Catalog;
use super::listed::Listed;
use super::names::marked_name;
use super::prompts::{self, PromptNames, Prompts};
use super::resources::{self, Shelf};
use super::rules::{Rules, Target, Verdict};
use super::uris::resolved_uri;

/// Prompts and resources of upstreams, as one session sees them.
#[derive(Debug, Default)]
pub(crate) struct Offers {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) prompts: Prompts,
    pub(crate) resources: Shelf,
    /// Tells one list of prompts from another.
    pub(crate) prompts_mark: u64,
    /// Tells one list of resources and templates from another.
    pub(crate) resources_mark: u64,
}

impl Offers {
    /// Returns the prompts and resources for a session with these rules.
    pub(crate) fn new(catalog: Arc<Catalog>, rules: &Rules<'_>) -> Self {
        let seen = || catalog.upstreams.iter().filter(|one| rules.sees_upstream(&one.key));
        let renamed = unique_names(&catalog);
        let with_prompts: Vec<prompts::Offered<'_>> = seen()
            .filter(|one| one.offers_prompts())
            .map(|one| prompts::Offered {
                key: &one.key,
                prompts: one.reading.lists.as_ref().map_or(&[], |lists| &lists.prompts),
                names: renamed
                    .iter()
                    .find(|(key, _)| *key == one.key)
                    .map_or(&one.reading.prompt_names, |it| &it.1),
                rivals: (!one.entry.own.prefix).then_some(&one.reading.prompt_rivals),
            })
            .collect();
        let sees = |key: &str, name: &str| rules.sees(prompt_target(key, &prompt_name(name)));
        let prompts = Prompts::new(&with_prompts, &sees, &|rival: &Rival| {
            let upstream = catalog.upstreams.iter().find(|one| *one.key == *rival.key);
            upstream.is_none_or(|one| one.offers_prompts()) && sees(&rival.key, &rival.name)
        });
        let with_resources: Vec<resources::Offered<'_>> = seen()
            .filter(|one| one.offers_resources())
            .map(|one| {
                let lists = one.reading.lists.as_ref();
                resources::Offered {
                    key: &one.key,
                    resources: lists.map_or(&[], |lists| &lists.resources),
                    templates: lists.map_or(&[], |lists| &lists.resource_templates),
                }
            })
            .collect();
        let resources = Shelf::new(&with_resources, &|key, uri| sees_resource(rules, key, uri));
        let prompts_mark = mark_of(prompts.listed());
        let resources_mark =
            mark_of(resources.listed_resources().chain(["\n"]).chain(resources.listed_templates()));
        Self { prompts, resources, prompts_mark, resources_mark, catalog: Arc::clone(&catalog) }
    }

    /// Whether there is no upstream at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.catalog.upstreams.is_empty()
    }

    /// Returns an upstream.
    pub(crate) fn upstream(&self, key: &str) -> Option<&Arc<Listed>> {
        self.catalog.upstreams.iter().find(|one| *one.key == *key)
    }
}

/// What becomes of a request for a prompt with these arguments.
pub(crate) fn decide_prompt(rules: &Rules<'_>, key: &str, name: &str, args: &Map<String, Value>) -> Verdict {
    rules.decide(prompt_target(key, &prompt_name(name)), args)
}

/// Whether a session may know of a resource.
pub(crate) fn sees_resource(rules: &Rules<'_>, key: &str, uri: &str) -> bool {
    readings_of(uri).iter().all(|uri| rules.sees(prompt_target(key, &resource_name(uri))))
}

/// What becomes of a request for a resource. Rules can look at its `uri` as at an argument. A detour, such as `/a/../b`, is
/// held to the rules for its end too, because its server may resolve it.
pub(crate) fn decide_resource(rules: &Rules<'_>, key: &str, uri: &str, args: &Map<String, Value>) -> Verdict {
    let decide = |uri: &String| {
        let mut args = args.clone();
        args.insert("uri".to_owned(), uri.clone().into());
        rules.decide(prompt_target(key, &resource_name(uri)), &args)
    };
    let verdicts = readings_of(uri).iter().map(decide).collect::<Vec<_>>();
    let strictest = verdicts.iter().max_by_key(|verdict| verdict.effect).cloned();
    strictest.unwrap_or(Verdict { effect: sdl_settings::Effect::Deny, rule: None, why: None })
}

/// The URI, and what it is if its server resolves it.
fn readings_of(uri: &str) -> Vec<String> {
    let resolved = resolved_uri(uri);
    if resolved == uri { vec![resolved] } else { vec![uri.to_owned(), resolved] }
}

fn prompt_name(name: &str) -> String {
    format!("prompt:{name}")
}

fn resource_name(uri: &str) -> String {
    format!("resource:{uri}")
}

/// The target of rules for a prompt or a resource. It counts as a read, because the protocol has it so.
fn prompt_target<'a>(key: &'a str, name: &'a str) -> Target<'a> {
    let hints = super::definition::Hints { read_only: Some(true), ..Default::default() };
    Target { key, name, hints, flagged: false }
}

/// New names for upstreams with a name that an upstream before them has too, because one of them was turned off when the
/// other got it. Such names get a mark.
fn unique_names(catalog: &Catalog) -> Vec<(Arc<str>, PromptNames)> {
    let mut taken: HashSet<&str> = HashSet::new();
    let mut renamed = Vec::new();
    for one in &catalog.upstreams {
        let names = &one.reading.prompt_names;
        let is_double = |advertised: &String| taken.contains(advertised.as_str());
        if names.values().any(is_double) {
            let rename = |(name, advertised): (&String, &String)| {
                let unique =
                    if is_double(advertised) { marked_name(&one.key, name) } else { advertised.clone() };
                (name.clone(), unique)
            };
            renamed.push((Arc::clone(&one.key), names.iter().map(rename).collect()));
        }
        taken.extend(names.values().map(String::as_str));
    }
    renamed
}

fn mark_of<'a>(listed: impl Iterator<Item = &'a str>) -> u64 {
    let mut hasher = DefaultHasher::new();
    listed.for_each(|text| text.hash(&mut hasher));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use sdl_settings::{Effect, Settings};
    use serde_json::json;

    use super::super::rules::Who;
    use super::*;

    fn settings(sdl: &Value) -> Settings {
        let text = json!({"mcpServers": {"fs": {"command": "fs"}}, "sdl": sdl}).to_string();
        Settings::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}")).settings
    }

    #[test]
    fn a_detour_leads_past_no_rule() {
        let denying = settings(
            &json!({"policy": [{"effect": "deny", "tools": ["fs/resource:file:///etc/*"], "why": "no"}]}),
        );
        let allowing = settings(
            &json!({"default": "deny", "policy": [{"effect": "allow", "tools": ["fs/resource:file:///src/*"]}]}),
        );
        let by_args = settings(&json!({"policy": [
            {"effect": "deny", "tools": ["fs/resource:*"], "args": {"uri": {"notUnder": ["/src"]}}}
        ]}));
        for (uri, is_fine) in [
            ("file:///src/a", true),
            ("file:///etc/passwd", false),
            ("file:///src/../etc/passwd", false),
            ("file:///src/%2e%2e/etc/passwd", false),
            ("FILE:/etc/passwd", false),
        ] {
            for settings in [&denying, &allowing, &by_args] {
                let rules = Rules::new(settings, Who { client: "x", principal: None });
                let verdict = decide_resource(&rules, "fs", uri, &Map::new());
                assert_eq!(verdict.effect == Effect::Allow, is_fine, "{uri}");
                assert!(sees_resource(&rules, "fs", uri) || !is_fine, "{uri}");
            }
            assert_eq!(
                sees_resource(&Rules::new(&denying, Who { client: "x", principal: None }), "fs", uri),
                is_fine,
                "{uri}"
            );
        }
    }
}
