//! Rules for every action, whoever adds it.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::actions;
use crate::call::action::Namespace;
use crate::call::budget;
use crate::call::modules::Modules;
use crate::call::names;
use crate::call::registry::{Registries, Registry, Runner, To};
use crate::call::upstream::{Rules, View, Who};
use crate::surface::Listing;
use crate::{Names, Surface};
use sdl_contract::schema::lint_schema;
use sdl_settings::Settings;

fn registries() -> Registries {
    Registries::new(actions::all(), actions::SEED_NAMES)
}

fn full_registry() -> Arc<Registry> {
    Arc::clone(registries().every())
}

fn list_surface(surface: Surface, output_schemas: bool) -> Value {
    list_of(Modules::NONE, surface, output_schemas)
}

fn list_of(modules: Modules, surface: Surface, output_schemas: bool) -> Value {
    let (view, settings) = (View::default(), Settings::default());
    let rules = Rules::new(&settings, Who { client: "test", principal: None });
    let names = Names::Underscored;
    registries().of(modules).list(Listing { surface, output_schemas, names, view: &view, rules })
}

fn listed_tools(surface: Surface) -> Vec<Value> {
    list_surface(surface, false)["tools"].as_array().unwrap().clone()
}

fn tool_tokens(tools: &[Value]) -> usize {
    budget::text_tokens(&serde_json::to_string(tools).unwrap())
}

#[test]
fn every_schema_is_in_the_common_subset() {
    for entry in full_registry().entries() {
        for (which, schema) in [("request", &entry.request), ("response", &entry.response)] {
            assert_eq!(lint_schema(schema), Vec::<String>::new(), "{} {which}: {schema:#}", entry.def.name);
        }
        assert_eq!(entry.request["additionalProperties"], json!(false), "{}", entry.def.name);
    }
    for surface in Surface::ALL {
        let listed = list_surface(surface, true);
        for tool in listed["tools"].as_array().unwrap() {
            assert_eq!(lint_schema(&tool["inputSchema"]), Vec::<String>::new(), "{tool:#}");
            if let Some(output) = tool.get("outputSchema") {
                assert_eq!(lint_schema(output), Vec::<String>::new(), "{tool:#}");
                assert!(output.get("required").is_none(), "an error must fit it too: {tool:#}");
            }
        }
    }
}

/// Properties without a description, and descriptions that say nothing or say it badly, each with its place.
fn collect_undescribed(schema: &Value, place: &str, faults: &mut Vec<String>) {
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let place = format!("{place}.{name}");
        let text = property.get("description").and_then(Value::as_str).unwrap_or_default();
        if text.trim().len() < 4 {
            faults.push(format!("{place}: {text:?}"));
        }
        for stilted in ["so many", "anew", "stands ", "told", "of what", "behind", "hardly", "By default"] {
            if text.contains(stilted) {
                faults.push(format!("{place}: says {stilted:?}: {text}"));
            }
        }
        collect_undescribed(property, &place, faults);
    }
    if let Some(items) = schema.get("items") {
        collect_undescribed(items, &format!("{place}[]"), faults);
    }
}

#[test]
fn every_property_is_described() {
    let mut faults = Vec::new();
    for entry in full_registry().entries() {
        collect_undescribed(&entry.request, entry.def.name, &mut faults);
        collect_undescribed(&entry.response, &format!("{} >", entry.def.name), &mut faults);
    }
    for surface in Surface::ALL {
        for tool in listed_tools(surface) {
            let place = format!("{} {}", surface.name(), tool["name"].as_str().unwrap());
            collect_undescribed(&tool["inputSchema"], &place, &mut faults);
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn defaults_and_examples_are_on_the_flat_surface() {
    let flat = listed_tools(Surface::Flat);
    let said = |tool: &str, pointer: &str| {
        let tool = flat.iter().find(|listed| listed["name"] == tool).unwrap();
        let property = tool["inputSchema"].pointer(pointer).unwrap_or_else(|| panic!("{pointer}: {tool:#}"));
        property["description"].as_str().unwrap().to_owned()
    };
    assert!(said("sdl_delta_get", "/properties/fromVersion").contains("git:HEAD~3"));
    assert!(said("sdl_slice_build", "/properties/budget/properties/maxEstimatedTokens").contains("4000"));
    assert!(said("sdl_slice_build", "/properties/wireFormat").contains("sdl_manual"));
    assert!(said("sdl_symbol_search", "/properties/pathGlob").contains("**/*.ts"));
}

#[test]
fn every_tool_has_a_raw_twin_and_those_of_reads_are_in_no_list() {
    let registry = full_registry();
    for name in registry.tool_names().filter(|name| !name.ends_with(names::RAW)) {
        let twin = registry.tool(&format!("sdl_{name}{}", names::RAW));
        let tool = registry.tool(name).unwrap();
        assert!(twin.is_some_and(|twin| twin.raw && twin.to == tool.to), "{name}");
        let mutating = match tool.to {
            To::Action(i) => registry.entries()[i].def.mutating,
            To::Gateway(namespace) => registry.of(namespace).any(|entry| entry.def.mutating),
        };
        let listed = registry.tool_names().any(|known| known == format!("{name}{}", names::RAW));
        assert_eq!(listed, mutating, "{name}");
    }
    for surface in Surface::ALL {
        let listed = listed_tools(surface);
        for tool in &listed {
            let name = tool["name"].as_str().unwrap();
            if let Some(of) = name.strip_suffix(names::RAW) {
                assert!(listed.iter().any(|tool| tool["name"] == of), "{name} without {of}");
                let payload = json!({"type": "string", "description": "JSON"});
                let stable =
                    json!({"type": "object", "properties": {"payload": payload}, "required": ["payload"]});
                assert_eq!(tool["inputSchema"], stable);
            }
        }
    }
}

#[test]
fn names_fit_every_client_and_descriptions_say_when() {
    let registry = full_registry();
    for surface in Surface::ALL {
        let listed = listed_tools(surface);
        assert_eq!(listed, listed_tools(surface), "the order does not change");
        for tool in &listed {
            let name = tool["name"].as_str().unwrap();
            assert!(
                name.len() <= names::LONGEST && !name.contains("__") && name.starts_with("sdl_"),
                "{name}"
            );
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{name}");
            let description = tool["description"].as_str().unwrap();
            assert!(description.starts_with("Call this when"), "{name}: {description}");
            let dotted = name.replacen("sdl_", "sdl.", 1).replace('_', ".");
            assert_eq!(registry.tool(&dotted), registry.tool(name), "{dotted}");
        }
    }
}

#[test]
fn every_action_is_found_by_all_its_names_and_listed_by_its_gateway() {
    let registry = full_registry();
    let gateways = list_of(Modules::EVERY, Surface::Gateway, false).to_string();
    for entry in registry.entries() {
        let name = entry.def.name;
        for spelled in
            [name.to_owned(), names::underscored_name(name), names::advertised_name(name, Names::Dotted)]
        {
            assert_eq!(registry.action(&spelled).unwrap().def.name, name);
        }
        assert!(!entry.def.examples.is_empty(), "{name} has no example");
        if entry.namespace != Namespace::Universal {
            assert!(gateways.contains(&format!("{name}({})", entry.def.needs)), "{name}");
        }
    }
}

#[test]
fn examples_fit_their_schemas_and_answers_bring_their_freshness() {
    for entry in full_registry().entries() {
        for example in entry.def.examples {
            let value = sdl_json::parse(example.as_bytes()).unwrap();
            entry.shape.check(value, "").unwrap_or_else(|e| panic!("{} {example}: {e}", entry.def.name));
        }
        let fresh = entry.response.pointer("/properties/freshness").is_some();
        let is_apart = match entry.runner {
            Runner::Host(_) | Runner::Registry(_) => true,
            Runner::Owned(owned) => !owned.reads_code,
            Runner::Read(_) | Runner::Repo(_) => false,
        };
        // A chain has the freshness of its steps, and `repo.register` has none before the repository exists.
        let own = [crate::call::chain::NAME, "repo.register"].contains(&entry.def.name);
        assert_eq!(fresh, own || !is_apart, "{}", entry.def.name);
        for common in ["sync", "syncTimeoutMs"] {
            let has = entry.request.pointer(&format!("/properties/{common}")).is_some();
            let reads = match entry.runner {
                Runner::Read(_) => true,
                Runner::Owned(owned) => owned.reads_code,
                Runner::Host(_) | Runner::Registry(_) | Runner::Repo(_) => false,
            };
            assert_eq!(has, reads, "{} {common}", entry.def.name);
        }
    }
}

#[test]
fn no_alias_hides_a_field() {
    use sdl_contract::Shape;
    for entry in full_registry().entries() {
        let Shape::Object(shape) = &*entry.shape else { panic!("{}", entry.def.name) };
        let mut seen: Vec<&str> = Vec::new();
        for spelled in
            shape.fields.iter().flat_map(|field| std::iter::once(&field.name).chain(&field.aliases))
        {
            assert!(!seen.contains(&spelled.as_str()), "{}: {spelled} twice", entry.def.name);
            seen.push(spelled);
        }
        for (alias, field) in entry.def.aliases {
            assert!(shape.fields.iter().any(|known| known.name == *field), "{}: {alias}", entry.def.name);
        }
    }
}

/// The ceilings of CONTRACT.md for whole lists, o200k_base.
const FLAT: usize = 6_500;
const GATEWAY: usize = 1_050;
/// Gateways where no module is on.
const GATEWAYS: usize = 4;
const GATEWAY_CORE: usize = 725;
const SEARCH: usize = 60;
const PAIR: usize = 115;

#[test]
fn lists_stay_below_their_ceilings() {
    let gateway = listed_tools(Surface::Gateway);
    let core = &gateway[..gateway.len().min(GATEWAYS + 2)];
    for (what, listed, ceiling) in [
        ("flat", &listed_tools(Surface::Flat)[..], FLAT),
        ("gateway", &gateway[..], GATEWAY),
        ("gateway core", core, GATEWAY_CORE),
        ("search", &listed_tools(Surface::Search)[..], SEARCH),
        ("pair", &listed_tools(Surface::Pair)[..], PAIR),
    ] {
        let total = tool_tokens(listed);
        let mut shares: Vec<(usize, String)> = listed
            .iter()
            .map(|tool| (tool_tokens(std::slice::from_ref(tool)), tool["name"].to_string()))
            .collect();
        shares.sort_unstable_by(|a, b| b.cmp(a));
        // Of a gateway's share, what each of its actions takes.
        let mut of_actions = String::new();
        for entry in full_registry().entries().iter().filter(|_| what.starts_with("gateway")) {
            let said = format!(" {}({})", entry.def.name, entry.def.needs);
            of_actions.push_str(&format!("\n      {:3}{said}", budget::text_tokens(&said)));
        }
        let shares: String = shares.iter().map(|(share, name)| format!("\n{share:5} {name}")).collect();
        let shares = format!("{shares}{of_actions}");
        println!("{what}: {total} of {ceiling}{shares}");

        assert!(total <= ceiling, "{what} takes {total} tokens, {ceiling} are allowed; of these{shares}");
    }
}

/// The ceilings of CONTRACT2.md for lists where modules are on: those named, and what they may add to the gateways.
const MODULES: [(&[&str], usize); 4] =
    [(&["memory"], 175), (&["kg"], 160), (&["work"], 180), (&["memory", "kg", "work"], 1_670 - GATEWAY)];
const FLAT_WITH_ALL: usize = 9_500;

#[test]
fn modules_add_no_more_than_their_ceilings() {
    let tools = |modules: Modules, surface| {
        tool_tokens(list_of(modules, surface, false)["tools"].as_array().unwrap())
    };
    let plain = tools(Modules::NONE, Surface::Gateway);
    for (names, ceiling) in MODULES {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let total = tools(Modules::of_names(&names), Surface::Gateway);
        println!("{names:?}: {total} tokens, {} more of {ceiling}", total - plain);
        assert!(total <= plain + ceiling, "{names:?} add {} tokens, {ceiling} are allowed", total - plain);
    }
    let flat = tools(Modules::EVERY, Surface::Flat);
    println!("flat: {flat} of {FLAT_WITH_ALL}");
    assert!(flat <= FLAT_WITH_ALL, "flat takes {flat} tokens, {FLAT_WITH_ALL} are allowed");
    for (surface, ceiling) in [(Surface::Search, SEARCH), (Surface::Pair, PAIR)] {
        assert!(tools(Modules::EVERY, surface) <= ceiling, "{}", surface.name());
    }
}

#[test]
fn the_schema_version_is_a_function_of_the_schemas() {
    assert_eq!(full_registry().schema_version(), full_registry().schema_version());
    let mut fewer = actions::all();
    fewer.pop();
    assert_ne!(Registry::new(fewer).schema_version(), full_registry().schema_version());
}

#[test]
fn annotations_are_true() {
    let registry = full_registry();
    for entry in registry.entries() {
        let hints = registry.annotations(registry.tool(entry.def.name).unwrap()).unwrap_or_default();
        assert_eq!(hints["readOnlyHint"] == true, !entry.def.mutating, "{}", entry.def.name);
        if entry.def.mutating {
            let twin = registry.tool(&format!("{}{}", entry.def.name, names::RAW)).unwrap();
            assert_eq!(registry.annotations(twin).unwrap_or_default(), hints, "{}", entry.def.name);
        }
    }
    for gateway in Namespace::GATEWAYS.into_iter().filter_map(|namespace| registry.tool(namespace.name())) {
        assert_eq!(registry.annotations(gateway), None, "a gateway may lead to any action");
    }
}
