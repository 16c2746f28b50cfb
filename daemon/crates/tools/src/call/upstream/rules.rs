//! Who sees which tool, and what becomes of a call. One function decides on both, so that a tool is never listed to those who
//! are refused it whatever they send.

use sdl_proto::Principal;
use sdl_settings::{Effect, Mode, Pattern, Profile, ProfileMatch, Rule, Settings};
use serde_json::{Map, Value};

use super::definition::{Definition, Hints};
use crate::call::modules::Modules;
use crate::{Session, Surface};

/// The key of our own actions in rules.
pub(crate) const OURS: &str = "sdl";

/// The caller that the rules are applied to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Who<'a> {
    /// The client's name, as it says.
    pub(crate) client: &'a str,
    /// Whose calls they are, if not those of the user at the socket.
    pub(crate) principal: Option<&'a Principal>,
}

impl<'a> Who<'a> {
    /// The caller of a session.
    pub(crate) fn of(session: &'a Session) -> Self {
        Self { client: &session.client, principal: session.principal.as_ref() }
    }

    /// Whether a profile is meant for it. A client chooses its name, so for a principal only a profile counts that asks for more
    /// than a name.
    fn is_meant_by(&self, matches: &ProfileMatch) -> bool {
        let Some(principal) = self.principal else { return matches.is_match(None, &[], self.client) };
        let scopes: Vec<&str> = principal.scopes.iter().map(String::as_str).collect();
        (!matches.token.is_empty() || !matches.scope.is_empty())
            && matches.is_match(principal.token(), &scopes, self.client)
    }
}

/// What a call is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    /// The upstream's key; [`OURS`] for an action.
    pub(crate) key: &'a str,
    /// The tool's own name; `resource:URI`, `prompt:NAME` or `ask:KIND` for other things than tools.
    pub(crate) name: &'a str,
    pub(crate) hints: Hints,
    /// Whether its definition is flagged.
    pub(crate) flagged: bool,
}

impl<'a> Target<'a> {
    /// A tool of an upstream.
    pub(crate) fn tool(tool: &'a Definition) -> Self {
        Self { key: &tool.key, name: &tool.name, hints: tool.hints, flagged: !tool.flags.is_empty() }
    }

    /// Another thing of an upstream than a tool: `resource:URI`, `prompt:NAME` or `ask:KIND`.
    pub(crate) fn other(key: &'a str, name: &'a str) -> Self {
        Self { key, name, hints: Hints::default(), flagged: false }
    }

    /// One of our actions.
    pub(crate) fn action(name: &'a str, mutating: bool) -> Self {
        let hints = Hints { read_only: Some(!mutating), open_world: Some(false), ..Hints::default() };
        Self { key: OURS, name, hints, flagged: false }
    }
}

/// What becomes of a call, and by which rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) effect: Effect,
    /// The place of the rule in the settings, from 1; none where the default decided.
    pub(crate) rule: Option<usize>,
    /// The person's reason.
    pub(crate) why: Option<String>,
}

impl Verdict {
    /// This one, or the other if that is stricter.
    pub(crate) fn or_stricter(self, other: Option<&Self>) -> Self {
        match other {
            Some(other) if other.effect > self.effect => other.clone(),
            _ => self,
        }
    }
}

/// The rules as they apply to one session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules<'a> {
    settings: &'a Settings,
    who: Who<'a>,
    profile: Option<&'a Profile>,
}

impl<'a> Rules<'a> {
    /// The rules for a session: those of the first profile that matches it.
    pub(crate) fn new(settings: &'a Settings, who: Who<'a>) -> Self {
        let is_meant = |profile: &&Profile| who.is_meant_by(&profile.matches);
        Self { settings, who, profile: settings.profiles.iter().find(is_meant) }
    }

    /// The mode of an upstream for this session.
    pub(crate) fn mode(&self, own: Mode) -> Mode {
        self.profile.and_then(|profile| profile.mode).unwrap_or(own)
    }

    /// Patterns for the ids of the repositories that exist for this session. None if all do.
    pub(crate) fn repos(&self) -> Option<&'a [Pattern]> {
        self.profile.and_then(|profile| profile.repos.as_deref())
    }

    /// The modules that are on for this session.
    pub(crate) fn modules(&self) -> Modules {
        let of_profile = self.profile.and_then(|profile| profile.modules.as_deref());
        Modules::of_names(of_profile.unwrap_or(&self.settings.modules))
    }

    /// The surface that this session is listed, where a person says so.
    pub(crate) fn surface(&self) -> Option<Surface> {
        self.profile.and_then(|profile| Surface::from_name(profile.surface.as_deref()?))
    }

    /// Whether the session may know of an upstream at all. Without a profile the user sees all of them, a principal none.
    pub(crate) fn sees_upstream(&self, key: &str) -> bool {
        let Some(profile) = self.profile else { return self.who.principal.is_none() };
        let listed = profile.upstreams.as_ref();
        listed.is_none_or(|listed| listed.iter().any(|pattern| pattern.is_match(key)))
    }

    /// Whether the session may know of a tool: its profile has it, and some arguments would be let through.
    pub(crate) fn sees(&self, target: Target<'_>) -> bool {
        self.is_in_profile(target) && self.best_case(target) != Effect::Deny
    }

    fn is_in_profile(&self, target: Target<'_>) -> bool {
        target.key == OURS
            || self.sees_upstream(target.key)
                && self.profile.is_none_or(|profile| profile.tools.permits(target.key, target.name))
    }

    /// What becomes of a call with these arguments. The strictest rule that matches counts, whatever their order.
    pub(crate) fn decide(&self, target: Target<'_>, args: &Map<String, Value>) -> Verdict {
        if !self.is_in_profile(target) {
            return Verdict { effect: Effect::Deny, rule: None, why: None };
        }
        let args = Value::Object(args.clone());
        let matching = self.matching(target).filter(|(_, rule)| rule.args.evaluate(rule.effect, &args));
        let strictest = matching.max_by_key(|(at, rule)| (rule.effect, std::cmp::Reverse(*at)));
        match strictest {
            Some((at, rule)) => Verdict { effect: rule.effect, rule: Some(at + 1), why: rule.why.clone() },
            None => Verdict { effect: self.settings.default, rule: None, why: None },
        }
    }

    /// The mildest effect that any arguments can have.
    fn best_case(&self, target: Target<'_>) -> Effect {
        let (mut sure, mut possible) = (None, None);
        for (_, rule) in self.matching(target) {
            if rule.args.is_empty() {
                sure = sure.max(Some(rule.effect));
            } else if rule.effect == Effect::Allow || rule.effect == Effect::Ask {
                possible = Some(possible.map_or(rule.effect, |known: Effect| known.min(rule.effect)));
            }
        }
        match (sure, possible) {
            (Some(sure), _) => sure,
            // Rules about arguments can only be stricter than a default that allows.
            (None, Some(possible)) => possible.min(self.settings.default),
            (None, None) => self.settings.default,
        }
    }

    /// The rules about this session and tool, whatever the arguments.
    fn matching(&self, target: Target<'_>) -> impl Iterator<Item = (usize, &'a Rule)> {
        let Self { settings, who, profile } = *self;
        let of_client = move |rule: &Rule| {
            rule.clients.is_empty() || rule.clients.iter().any(|pattern| pattern.is_match(who.client))
        };
        let of_profile = move |rule: &Rule| {
            rule.profiles.is_empty() || profile.is_some_and(|profile| rule.profiles.contains(&profile.name))
        };
        let of_tool = {
            let (key, name) = (target.key.to_owned(), target.name.to_owned());
            move |rule: &Rule| {
                rule.tools.is_empty() || rule.tools.iter().any(|pattern| pattern.is_match(&key, &name))
            }
        };
        let of_hints = move |rule: &Rule| {
            let wanted = rule.hints;
            let fits = |wanted: Option<bool>, said: Option<bool>, default: bool| {
                wanted.is_none_or(|wanted| said.unwrap_or(default) == wanted)
            };
            // A tool that says nothing may change and destroy things, as the protocol has it.
            fits(wanted.read_only, target.hints.read_only, false)
                && fits(wanted.destructive, target.hints.destructive, target.hints.read_only != Some(true))
                && fits(wanted.open_world, target.hints.open_world, true)
        };
        settings.policy.iter().enumerate().filter(move |(_, rule)| {
            of_client(rule)
                && of_profile(rule)
                && of_tool(rule)
                && of_hints(rule)
                && rule.flagged.is_none_or(|wanted| wanted == target.flagged)
        })
    }

    /// Tells rules that apply alike from others, for keeping what was made by them.
    pub(crate) fn class(&self) -> Vec<u8> {
        let profile = match self.profile {
            Some(profile) => profile.name.as_str(),
            // No name is empty, or holds a zero byte.
            None if self.who.principal.is_some() => "\0",
            None => "",
        };
        let by_client = self.settings.policy.iter().map(|rule| {
            u8::from(rule.clients.is_empty() || rule.clients.iter().any(|one| one.is_match(self.who.client)))
        });
        profile.bytes().chain([0]).chain(by_client).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn settings(sdl: &Value) -> Settings {
        let text = json!({"mcpServers": {"fs": {"command": "fs"}, "web": {"command": "web"}}, "sdl": sdl})
            .to_string();
        Settings::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}")).settings
    }

    fn target<'a>(key: &'a str, name: &'a str) -> Target<'a> {
        Target { key, name, hints: Hints::default(), flagged: false }
    }

    fn local(client: &str) -> Who<'_> {
        Who { client, principal: None }
    }

    fn args(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn the_strictest_rule_wins_whatever_the_order() {
        let settings = settings(&json!({"policy": [
            {"effect": "allow", "tools": ["fs/*"]},
            {"effect": "deny", "tools": ["fs/write_file"], "args": {"path": {"notUnder": ["/src"]}}, "why": "not yours"},
            {"effect": "ask", "tools": ["*/delete_*"]}
        ]}));
        let rules = Rules::new(&settings, local("claude-code"));
        let decide =
            |name: &str, path: &str| rules.decide(target("fs", name), &args(json!({"path": path}))).effect;
        assert_eq!(decide("write_file", "/src/a"), Effect::Allow);
        assert_eq!(decide("write_file", "/src/../etc/passwd"), Effect::Deny);
        assert_eq!(decide("delete_file", "/src/a"), Effect::Ask);
        let denied = rules.decide(target("fs", "write_file"), &args(json!({"path": "/etc"})));
        assert_eq!((denied.rule, denied.why.as_deref()), (Some(2), Some("not yours")));
        assert!(rules.sees(target("fs", "write_file")), "some paths are let through");
    }

    #[test]
    fn a_profile_is_all_that_there_is() {
        let settings = settings(&json!({"profiles": [
            {"name": "ci", "match": {"client": "ci-*"}, "upstreams": ["web"], "tools": {"allow": ["web/get_*"]}}
        ]}));
        let ci = Rules::new(&settings, local("ci-7"));
        assert!(ci.sees(target("web", "get_page")));
        assert!(!ci.sees(target("web", "post_page")) && !ci.sees(target("fs", "get_file")));
        assert_eq!(ci.decide(target("fs", "get_file"), &Map::new()).effect, Effect::Deny);
        assert!(ci.sees(target(OURS, "symbol.search")), "our actions are not in profiles");
        assert!(Rules::new(&settings, local("claude-code")).sees(target("fs", "get_file")));
    }

    #[test]
    fn a_principal_sees_what_its_token_and_scopes_give_it() {
        use sdl_proto::PrincipalKind::{OAuth, Token};

        let settings = settings(&json!({"profiles": [
            {"name": "anybody", "match": {"client": "*"}},
            {"name": "ci", "match": {"token": "ci", "client": "ci-*"}, "upstreams": ["fs"]},
            {"name": "web", "match": {"scope": "web"}, "upstreams": ["web"]},
            {"name": "both", "match": {"scope": "all"}}
        ]}));
        let sees = |kind, name: &str, scopes: &[&str], client| {
            let scopes = scopes.iter().map(|&scope| scope.to_owned()).collect();
            let principal = Principal { kind, name: name.to_owned(), scopes };
            let rules = Rules::new(&settings, Who { client, principal: Some(&principal) });
            ["fs", "web"].map(|key| rules.sees(target(key, "a")))
        };
        assert_eq!(sees(Token, "ci", &[], "ci-1"), [true, false]);
        assert_eq!(sees(Token, "ci", &[], "other"), [false, false], "the profile wants both");
        assert_eq!(sees(OAuth, "ci", &[], "ci-1"), [false, false], "a subject is no name of a token");
        assert_eq!(sees(OAuth, "ci", &["x", "web"], ""), [false, true]);
        assert_eq!(sees(OAuth, "ci", &["all"], ""), [true, true]);
        assert_eq!(sees(Token, "dev", &[], "claude"), [false, false], "a name gives nothing");
        assert_eq!(
            ["fs", "web"].map(|key| Rules::new(&settings, local("x")).sees(target(key, "a"))),
            [true, true]
        );
    }

    #[test]
    fn who_sees_other_things_has_another_class() {
        let settings = settings(&json!({"profiles": [{"name": "web", "match": {"scope": "web"}}]}));
        let principal = |scopes: &[&str]| Principal {
            kind: sdl_proto::PrincipalKind::Token,
            name: "ci".into(),
            scopes: scopes.iter().map(|&scope| scope.to_owned()).collect(),
        };
        let (without, with) = (principal(&[]), principal(&["web"]));
        let class = |principal| Rules::new(&settings, Who { client: "x", principal }).class();
        let classes = [class(None), class(Some(&without)), class(Some(&with))];
        assert!(
            classes[0] != classes[1] && classes[1] != classes[2] && classes[0] != classes[2],
            "{classes:?}"
        );
    }

    #[test]
    fn hints_are_read_as_the_protocol_has_it() {
        let settings = settings(&json!({"policy": [{"effect": "deny", "hints": {"readOnly": false}}]}));
        let rules = Rules::new(&settings, local("x"));
        assert!(!rules.sees(target("fs", "anything")), "a tool that says nothing may change things");
        let hints = Hints { read_only: Some(true), ..Hints::default() };
        assert!(rules.sees(Target { hints, ..target("fs", "read") }));
    }

    #[test]
    fn a_rule_may_ask_for_flags() {
        let settings = settings(&json!({"policy": [{"effect": "deny", "flagged": true}]}));
        let rules = Rules::new(&settings, Who { client: "x", principal: None });
        assert!(rules.sees(target("fs", "read")));
        assert!(!rules.sees(Target { flagged: true, ..target("fs", "read") }));
        assert!(rules.sees(Target::action("symbol.search", false)));
    }

    fn rule() -> impl Strategy<Value = Value> {
        let effect = prop_oneof![Just("allow"), Just("ask"), Just("deny")];
        let tool = prop_oneof![Just("fs/*"), Just("*/a"), Just("web/b"), Just("*/*")];
        let test = prop_oneof![
            Just(json!({})),
            Just(json!({"p": {"in": ["x"]}})),
            Just(json!({"p": {"notIn": ["x"]}})),
            Just(json!({"p": {"exists": true}})),
            Just(json!({"p": {"exists": false}}))
        ];
        let client = prop_oneof![Just(json!([])), Just(json!(["cl*"])), Just(json!(["other"]))];
        (effect, tool, test, client).prop_map(|(effect, tool, test, clients)| {
            let mut rule = json!({"effect": effect, "tools": [tool]});
            if test != json!({}) {
                rule["args"] = test;
            }
            if clients != json!([]) {
                rule["clients"] = clients;
            }
            rule
        })
    }

    proptest! {
        /// A tool that is not seen is refused whatever the arguments.
        #[test]
        fn what_is_hidden_is_denied(
            rules in proptest::collection::vec(rule(), 0..5), deny in any::<bool>(),
            key in prop_oneof![Just("fs"), Just("web")], name in prop_oneof![Just("a"), Just("b")],
            sent in prop_oneof![Just(json!({})), Just(json!({"p": "x"})), Just(json!({"p": "y"})), Just(json!({"p": ["x", "y"]}))]
        ) {
            let settings = settings(&json!({"policy": rules, "default": if deny { "deny" } else { "allow" }}));
            let rules = Rules::new(&settings, local("claude"));
            let verdict = rules.decide(target(key, name), &args(sent));
            if !rules.sees(target(key, name)) {
                prop_assert_eq!(verdict.effect, Effect::Deny);
            }
        }
    }
}
