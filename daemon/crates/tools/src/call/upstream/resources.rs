//! The resources of upstreams that one session may see: the list that it gets, and which upstream a URI goes to.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::definition::clean_object;
use super::uris::{Template, is_keyed, is_our_uri, keyed_template, keyed_uri, needs_key, split_keyed};

/// No upstream is asked for a longer URI, because each one is compared with every template.
const MAX_URI_BYTES: usize = 64 << 10;

/// What one upstream lists.
pub(super) struct Offered<'a> {
    pub(super) key: &'a Arc<str>,
    pub(super) resources: &'a [Map<String, Value>],
    pub(super) templates: &'a [Map<String, Value>],
}

/// Says whether a session may know of a URI of the upstream with this key.
pub(crate) type Sees<'a> = &'a dyn Fn(&str, &str) -> bool;

/// The resources of all upstreams that a session may see.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    /// The upstreams that may be asked for a resource.
    open: Vec<Arc<str>>,
    resources: Vec<Resource>,
    templates: Vec<Resource>,
    /// The template of each of `templates`.
    parsed: Vec<Template>,
    by_uri: BTreeMap<String, Vec<usize>>,
}

/// A resource, or a template of some.
#[derive(Debug)]
struct Resource {
    key: Arc<str>,
    /// The URI that the upstream knows.
    uri: String,
    /// The URI that clients see.
    shown: String,
    /// The definition that clients see, as JSON.
    listed: String,
}

/// Where a URI leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// Our own resources, whether there is such a one or not.
    Ours,
    /// An upstream, and the URI that it knows.
    One { key: Arc<str>, uri: String },
    /// Several upstreams have it: the URIs that name one of them.
    Several(Vec<String>),
    /// Nobody has it.
    Unknown,
}

impl Shelf {
    /// Joins what upstreams list, as far as a session sees it.
    pub(super) fn new(offered: &[Offered<'_>], sees: Sees<'_>) -> Self {
        let seen = |member: &'static str, of: &dyn for<'a> Fn(&Offered<'a>) -> &'a [Map<String, Value>]| {
            let mut all = Vec::new();
            for one in offered {
                let mut known = HashSet::new();
                for object in of(one) {
                    let Some(uri) = object.get(member).and_then(Value::as_str) else { continue };
                    if known.insert(uri) && sees(one.key, uri) {
                        all.push((Arc::clone(one.key), uri.to_owned(), object.clone()));
                    }
                }
            }
            all
        };
        let resources = list_resources("uri", keyed_uri, seen("uri", &|one| one.resources));
        let templates =
            list_resources("uriTemplate", keyed_template, seen("uriTemplate", &|one| one.templates));
        let mut by_uri: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, resource) in resources.iter().enumerate() {
            by_uri.entry(resource.uri.clone()).or_default().push(at);
        }
        let parsed = templates.iter().map(|template| Template::parse(&template.uri)).collect();
        let open = offered.iter().map(|one| Arc::clone(one.key)).collect();
        Self { open, resources, templates, parsed, by_uri }
    }

    /// The definitions of the resources, as JSON, in the order in which they are listed.
    pub(crate) fn listed_resources(&self) -> impl Iterator<Item = &str> {
        self.resources.iter().map(|resource| resource.listed.as_str())
    }

    /// The same of the templates.
    pub(crate) fn listed_templates(&self) -> impl Iterator<Item = &str> {
        self.templates.iter().map(|template| template.listed.as_str())
    }

    /// Returns where a URI leads: to the upstream that is named in it or lists it, else to the one that served a link to it
    /// (`links`) or has the template with the longest text before its first expression.
    pub(crate) fn destination(&self, uri: &str, links: &[Arc<str>], sees: Sees<'_>) -> Destination {
        if is_our_uri(uri) {
            return Destination::Ours;
        }
        if uri.len() > MAX_URI_BYTES {
            return Destination::Unknown;
        }
        if is_keyed(uri) {
            return self.named(uri, sees).unwrap_or(Destination::Unknown);
        }
        if let Some(places) = self.by_uri.get(uri) {
            return one_of(places.iter().filter_map(|at| self.resources.get(*at)).map(|one| &one.key), uri);
        }
        let is_open = |key: &Arc<str>| self.open.contains(key) && sees(key, uri);
        let linked = links.iter().filter(|key| is_open(key));
        let meant = |(template, _): &(&Template, &Resource)| template.is_match(uri);
        let fitting: Vec<(&Template, &Resource)> =
            self.parsed.iter().zip(&self.templates).filter(meant).collect();
        let fitting: Vec<_> = fitting.into_iter().filter(|(_, one)| is_open(&one.key)).collect();
        let longest = fitting.iter().map(|(template, _)| template.prefix_len()).max();
        let best = fitting.iter().filter(|(template, _)| Some(template.prefix_len()) == longest);
        one_of(linked.chain(best.map(|(_, one)| &one.key)), uri)
    }

    /// Returns where the completions for a resource are: its reference is a template, or the URI of a resource.
    pub(crate) fn reference(&self, uri: &str, links: &[Arc<str>], sees: Sees<'_>) -> Destination {
        let of = |template: &Resource| Destination::One {
            key: Arc::clone(&template.key),
            uri: template.uri.clone(),
        };
        if let Some(shown) = self.templates.iter().find(|template| template.shown == uri) {
            return of(shown);
        }
        let with_it = self.templates.iter().filter(|template| template.uri == uri);
        match one_of(with_it.map(|template| &template.key), uri) {
            Destination::Unknown => self.destination(uri, links, sees),
            Destination::Several(_) => {
                let with_it = self.templates.iter().filter(|template| template.uri == uri);
                Destination::Several(with_it.map(|template| template.shown.clone()).collect())
            }
            found => found,
        }
    }

    fn named(&self, uri: &str, sees: Sees<'_>) -> Option<Destination> {
        let (key, uri) = split_keyed(uri)?;
        let folded = sdl_settings::fold_key(key);
        let key = self.open.iter().find(|open| sdl_settings::fold_key(open) == folded)?;
        sees(key, &uri).then(|| Destination::One { key: Arc::clone(key), uri })
    }
}

/// The definitions as clients see them. A URI that two upstreams list, or that means something here, is listed with its key.
fn list_resources(
    member: &str,
    with_key: fn(&str, &str) -> String,
    seen: Vec<(Arc<str>, String, Map<String, Value>)>,
) -> Vec<Resource> {
    let mut known = HashSet::new();
    let twice: HashSet<String> = seen
        .iter()
        .filter(|(_, uri, _)| !known.insert(uri.as_str()))
        .map(|(_, uri, _)| uri.clone())
        .collect();
    let list = |(key, uri, object): (Arc<str>, String, Map<String, Value>)| {
        let is_keyed = twice.contains(&uri) || needs_key(&uri);
        let shown = if is_keyed { with_key(&key, &uri) } else { uri.clone() };
        let mut object = clean_object(&object);
        object.insert(member.to_owned(), shown.clone().into());
        Resource { key, uri, shown, listed: Value::Object(object).to_string() }
    };
    seen.into_iter().map(list).collect()
}

/// The destination if these upstreams have a URI.
fn one_of<'a>(keys: impl Iterator<Item = &'a Arc<str>>, uri: &str) -> Destination {
    let mut keys: Vec<&Arc<str>> = keys.collect();
    keys.sort_unstable();
    keys.dedup();
    match keys.as_slice() {
        [] => Destination::Unknown,
        [key] => Destination::One { key: Arc::clone(key), uri: uri.to_owned() },
        several => Destination::Several(several.iter().map(|key| keyed_uri(key, uri)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// An upstream of a test: key, resources, templates.
    type World = Vec<(Arc<str>, Vec<Map<String, Value>>, Vec<Map<String, Value>>)>;

    fn objects(member: &str, uris: &[&str]) -> Vec<Map<String, Value>> {
        let object = |uri: &&str| json!({"name": "x", member: uri, "size": 1}).as_object().cloned().unwrap();
        uris.iter().map(object).collect()
    }

    fn world(all: &[(&str, &[&str], &[&str])]) -> World {
        all.iter()
            .map(|(key, uris, templates)| {
                ((*key).into(), objects("uri", uris), objects("uriTemplate", templates))
            })
            .collect()
    }

    fn shelf(world: &World, sees: Sees<'_>) -> Shelf {
        let offered: Vec<Offered<'_>> =
            world.iter().map(|(key, resources, templates)| Offered { key, resources, templates }).collect();
        Shelf::new(&offered, sees)
    }

    fn shown(shelf: &Shelf) -> Vec<(&str, &str, &str)> {
        shelf.resources.iter().map(|one| (&*one.key, one.uri.as_str(), one.shown.as_str())).collect()
    }

    fn to(key: &str, uri: &str) -> Destination {
        Destination::One { key: key.into(), uri: uri.to_owned() }
    }

    const ALL: Sees<'_> = &|_, _| true;

    #[test]
    fn a_uri_stays_as_it_is_unless_two_have_it_or_it_is_ours() {
        let world = world(&[
            ("a", &["x://1", "x://2", "sdl://shop/status"], &["y://{z}"]),
            ("b", &["x://2"], &["y://{z}"]),
        ]);
        let shelf = shelf(&world, ALL);
        assert_eq!(
            shown(&shelf),
            [
                ("a", "x://1", "x://1"),
                ("a", "x://2", "sdl-up://a/x%3A%2F%2F2"),
                ("a", "sdl://shop/status", "sdl-up://a/sdl%3A%2F%2Fshop%2Fstatus"),
                ("b", "x://2", "sdl-up://b/x%3A%2F%2F2")
            ]
        );
        assert_eq!(
            shelf.listed_templates().collect::<Vec<_>>(),
            [
                r#"{"name":"x","uriTemplate":"sdl-up://a/y://{z}","size":1}"#,
                r#"{"name":"x","uriTemplate":"sdl-up://b/y://{z}","size":1}"#
            ]
        );
        let both = Destination::Several(vec![keyed_uri("a", "x://2"), keyed_uri("b", "x://2")]);
        assert_eq!(shelf.destination("x://2", &[], ALL), both);
        assert_eq!(shelf.destination("sdl://shop/status", &[], ALL), Destination::Ours);
        assert_eq!(shelf.destination("sdl-up://B/y://q%2F", &[], ALL), to("b", "y://q%2F"));
        assert_eq!(shelf.reference("sdl-up://b/y://{z}", &[], ALL), to("b", "y://{z}"));
        let both = vec!["sdl-up://a/y://{z}".to_owned(), "sdl-up://b/y://{z}".to_owned()];
        assert_eq!(shelf.reference("y://{z}", &[], ALL), Destination::Several(both));
        assert_eq!(shelf.reference("x://1", &[], ALL), to("a", "x://1"));
    }

    #[test]
    fn the_longest_template_and_links_lead_where_no_list_does() {
        let world = world(&[
            ("a", &[], &["x://{all}", "x://items/{id}/end"]),
            ("b", &["x://items/1/end"], &["x://items/{id}"]),
            ("c", &[], &["x://items/{other}"]),
        ]);
        let shelf = shelf(&world, ALL);
        let of = |uri: &str, links: &[&str]| {
            let links: Vec<Arc<str>> = links.iter().map(|key| (*key).into()).collect();
            shelf.destination(uri, &links, ALL)
        };
        assert_eq!(of("x://items/1/end", &["a"]), to("b", "x://items/1/end"), "a list says it exactly");
        assert_eq!(of("x://other", &[]), to("a", "x://other"));
        let (in_b, in_c) = (keyed_uri("b", "x://items/2"), keyed_uri("c", "x://items/2"));
        assert_eq!(of("x://items/2", &[]), Destination::Several(vec![in_b, in_c]));
        assert_eq!(of("z://1", &["c"]), to("c", "z://1"));
        assert_eq!(of("z://1", &["c", "gone"]), to("c", "z://1"));
        let (in_a, in_c) = (keyed_uri("a", "z://1"), keyed_uri("c", "z://1"));
        assert_eq!(of("z://1", &["c", "a"]), Destination::Several(vec![in_a, in_c]));
        assert_eq!(of("z://1", &[]), Destination::Unknown);
        let long = format!("x://{}", "1".repeat(MAX_URI_BYTES));
        assert_eq!(of(&long, &["a"]), Destination::Unknown);
    }

    fn any_world() -> impl Strategy<Value = World> {
        let uri = || {
            prop_oneof![
                "x://[ab]{1,2}",
                "x://[ab]{0,1}",
                Just("sdl://a".to_owned()),
                "sdl-up://[ab]/c",
                "[ab\u{200b}]{1,2}"
            ]
        };
        let template = || prop_oneof!["x://\\{v\\}", "x://[ab]\\{v\\}", "\\{v\\}", "sdl:\\{v\\}"];
        let lists = (proptest::collection::vec(uri(), 0..5), proptest::collection::vec(template(), 0..3));
        proptest::collection::btree_map("[abc]", lists, 0..4).prop_map(|all| {
            let of = |member: &str, uris: &[String]| {
                objects(member, &uris.iter().map(String::as_str).collect::<Vec<_>>())
            };
            let one = |(key, (uris, templates)): (String, (Vec<String>, Vec<String>))| {
                (key.into(), of("uri", &uris), of("uriTemplate", &templates))
            };
            all.into_iter().map(one).collect()
        })
    }

    proptest! {
        /// Every URI that is listed leads to the upstream that listed it, whatever the order of upstreams.
        #[test]
        fn what_is_listed_leads_to_who_listed_it(world in any_world(), links in proptest::collection::vec("[abc]", 0..3)) {
            let links: Vec<Arc<str>> = links.into_iter().map(Into::into).collect();
            let one = shelf(&world, ALL);
            let mut reversed = world.clone();
            reversed.reverse();
            let other = shelf(&reversed, ALL);
            let all: HashSet<&str> = one.resources.iter().map(|one| one.shown.as_str()).collect();
            prop_assert_eq!(all.len(), one.resources.len(), "no URI is listed twice");
            for resource in one.resources.iter().chain(&other.resources) {
                let meant = to(&resource.key, &resource.uri);
                prop_assert_eq!(one.destination(&resource.shown, &links, ALL), meant.clone());
                prop_assert_eq!(other.destination(&resource.shown, &links, ALL), meant.clone());
                prop_assert_eq!(one.destination(&keyed_uri(&resource.key, &resource.uri), &links, ALL), meant);
            }
            for template in &one.templates {
                let meant = to(&template.key, &template.uri);
                prop_assert_eq!(one.reference(&template.shown, &links, ALL), meant.clone());
                prop_assert_eq!(other.reference(&template.shown, &links, ALL), meant);
            }
        }

        /// Something hidden is as if it did not exist: no list and no destination differs from those without it.
        #[test]
        fn what_is_hidden_is_as_if_it_did_not_exist(
            world in any_world(), hidden in proptest::collection::vec(("[abc]", "[a-z:/{}-]{0,4}"), 0..4),
            uris in proptest::collection::vec(prop_oneof!["x://[ab]{0,2}", "sdl-up://[abc]/x%3A%2F%2F[ab]"], 0..6)
        ) {
            let sees = |key: &str, uri: &str| !hidden.iter().any(|(of, part)| *of == *key && uri.contains(part.as_str()));
            let without: World = world.iter().map(|(key, resources, templates)| {
                let keep = |member: &str, all: &[Map<String, Value>]| {
                    let seen = |one: &&Map<String, Value>| sees(key, one[member].as_str().unwrap());
                    all.iter().filter(seen).cloned().collect::<Vec<_>>()
                };
                (Arc::clone(key), keep("uri", resources), keep("uriTemplate", templates))
            }).collect();
            let (with, without) = (shelf(&world, &sees), shelf(&without, &sees));
            prop_assert!(with.listed_resources().eq(without.listed_resources()));
            prop_assert!(with.listed_templates().eq(without.listed_templates()));
            let links: Vec<Arc<str>> = vec!["a".into()];
            for uri in uris.iter().map(String::as_str).chain(world.iter().flat_map(|one| &one.1).map(|one| one["uri"].as_str().unwrap())) {
                let found = with.destination(uri, &links, &sees);
                prop_assert_eq!(&found, &without.destination(uri, &links, &sees));
                if let Destination::One { key, uri } = found {
                    prop_assert!(sees(&key, &uri));
                }
            }
        }
    }
}
