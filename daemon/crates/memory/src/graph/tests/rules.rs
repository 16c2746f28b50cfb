//! Each rule by an example.

use sdl_contract::Code;

use super::*;

const FACT: Which<'_> = Which::Spo("Auth Service", "owned_by", "team north");

fn owned(object: &str, from: i64) -> Draft {
    Draft { exclusive: true, ..draft("auth-service", "owned_by", object, from, None) }
}

fn intervals(world: &World) -> Vec<(String, i64, i64)> {
    let facts = world.facts("auth_service", When::Ever, FOREVER);
    facts.into_iter().map(|(_, _, object, from, to)| (object, from, to)).collect()
}

#[test]
fn a_later_fact_ends_the_one_before() {
    let world = World::new();
    let first = world.add(1_000, &owned("team north", 100)).unwrap();
    let second = world.add(1_001, &owned("Team South", 200)).unwrap();
    assert_eq!(second.invalidated, [Cut { triple_id: first.triple_id.clone(), valid_to: Some(200) }]);
    // One that arrives late ends where the next begins, and cuts the one before it.
    let late = world.add(1_002, &owned("team west", 150)).unwrap();
    assert_eq!(late.invalidated, [Cut { triple_id: first.triple_id, valid_to: Some(150) }]);
    let told = |object: &str, from, to| (object.to_owned(), from, to);
    let all = [told("team north", 100, 150), told("team west", 150, 200), told("Team South", 200, FOREVER)];
    assert_eq!(intervals(&world), all);
    // What was believed before is still known.
    assert_eq!(world.facts("auth service", When::At(160), 1_000)[0].2, "team north");
    world.retract(1_003, Which::Id(&late.triple_id)).unwrap();
    assert_eq!(intervals(&world)[0], told("team north", 100, 200));
}

#[test]
fn a_late_fact_cuts_one_that_was_ended_by_hand_only_before_its_end() {
    let world = World::new();
    world.add(1_000, &owned("team north", 100)).unwrap();
    world.end(1_001, FACT, Some(150)).unwrap();
    let after = world.add(1_002, &owned("team south", 170)).unwrap();
    assert_eq!(after.invalidated, []);
    world.add(1_003, &owned("team west", 120)).unwrap();
    let told = |object: &str, from, to| (object.to_owned(), from, to);
    let all = [told("team north", 100, 120), told("team west", 120, 170), told("team south", 170, FOREVER)];
    assert_eq!(intervals(&world), all);
}

#[test]
fn the_same_object_again_is_a_second_assertion_and_one_interval() {
    let world = World::new();
    world.add(1_000, &owned("team north", 100)).unwrap();
    let again = world.add(1_001, &owned("team north", 200)).unwrap();
    assert!(again.created && again.deduplicated && again.invalidated.is_empty());
    assert_eq!(intervals(&world), [("team north".to_owned(), 100, FOREVER)]);
    let page = world.query(&ask("auth service"));
    assert_eq!((page.facts[0].others.len(), &page.facts[0].triple.id), (1, &again.triple_id));
    // A fact that arrives late ends the first only.
    world.add(1_002, &owned("team south", 150)).unwrap();
    let told = |object: &str, from, to| (object.to_owned(), from, to);
    let all = [told("team north", 100, 150), told("team south", 150, 200), told("team north", 200, FOREVER)];
    assert_eq!(intervals(&world), all);
    // Who says only that it holds now says nothing new.
    let now = Draft { valid_from: None, ..owned("team north", 0) };
    let again = world.add(1_003, &now).unwrap();
    assert!(!again.created && again.deduplicated);
}

#[test]
fn equal_and_contained_facts_are_joined_and_overlapping_ones_refused() {
    let world = World::new();
    let uses = |from, to| draft("api", "uses", "redis", from, to);
    let first = world.add(1_000, &uses(100, Some(200))).unwrap();
    let sure = Draft { confidence: Some(0.95), source: Some("ADR 7".to_owned()), ..uses(120, Some(200)) };
    let again = world.add(1_001, &sure).unwrap();
    assert_eq!((again.created, again.deduplicated, &again.triple_id), (false, true, &first.triple_id));
    let fact = world.query(&ask("api")).facts.remove(0);
    assert_eq!((fact.confidence, fact.triple.source.as_deref()), (0.95, Some("ADR 7")));
    let overlap = world.add(1_002, &uses(150, None)).unwrap_err();
    assert_eq!((overlap.code, overlap.about.field.as_deref()), (Code::Conflict, Some("validFrom")));
    assert!(overlap.message.contains(&first.triple_id), "{overlap}");
    // Intervals that touch don't overlap, and are shown as one.
    assert!(world.add(1_003, &uses(200, None)).unwrap().created);
    assert_eq!(world.facts("api", When::At(199), FOREVER)[0].4, FOREVER);
    let inverted = world.add(1_004, &uses(50, Some(50))).unwrap_err();
    assert_eq!((inverted.code, inverted.about.field.as_deref()), (Code::InvalidArgument, Some("validTo")));
}

#[test]
fn a_fact_by_its_parts_is_one_or_refused_by_name() {
    let world = World::new();
    let unknown = world.end(1_000, FACT, None).unwrap_err();
    assert_eq!(unknown.code, Code::UnknownTriple);
    let mut shop = owned("team north", 100);
    shop.scope = "shop".to_owned();
    let in_shop = world.add(1_001, &shop).unwrap();
    // Another world: nothing is cut, and both are open.
    let of_user = world.add(1_002, &owned("team north", 150)).unwrap();
    let several = world.end(1_003, FACT, Some(300)).unwrap_err();
    assert_eq!((several.code, several.about.candidates.len()), (Code::AmbiguousTriple, 2));
    let all = world.end(1_004, Which::AllOf("auth service", "owned by", "TEAM north"), Some(300)).unwrap();
    let ids: Vec<_> = all.iter().map(|cut| cut.triple_id.as_str()).collect();
    assert_eq!(ids, [&in_shop.triple_id[..], &of_user.triple_id[..]]);
    let ended = world.end(1_005, FACT, None).unwrap_err();
    assert!(ended.message.contains("has ended"), "{ended}");
    let near = world.end(1_006, Which::Spo("auth service", "owned by", "team nort"), None).unwrap_err();
    assert!(near.message.contains("did you mean"), "{near}");
    let inverted = world.end(1_007, Which::Id(&in_shop.triple_id), Some(100)).unwrap_err();
    assert_eq!(inverted.about.field.as_deref(), Some("at"));
    assert_eq!(world.end(1_008, Which::Id("t_1"), None).unwrap_err().code, Code::UnknownTriple);
}

#[test]
fn a_timeline_has_every_event_in_order() {
    let world = World::new();
    let first = world.add(1_000, &owned("team north", 100)).unwrap();
    world.add(1_001, &owned("team south", 200)).unwrap();
    let mut right = draft("auth service", "uses", "redis 7", 120, None);
    let wrong = world.add(1_002, &draft("auth service", "uses", "redis", 110, None)).unwrap();
    right.supersedes = Some(wrong.triple_id);
    let right = world.add(1_003, &right).unwrap();
    world.end(1_004, Which::Id(&right.triple_id), Some(300)).unwrap();
    let events = world.timeline(TimelineOf::Entity("auth service"), FOREVER);
    let told = |at, kind, object: &str| (at, kind, object.to_owned());
    use EventKind::{Asserted, Corrected, Ended, Retracted};
    let all = [
        told(100, Asserted, "team north"),
        told(110, Asserted, "redis"),
        told(120, Asserted, "redis 7"),
        told(200, Ended, "team north"),
        told(200, Asserted, "team south"),
        told(300, Ended, "redis 7"),
        told(1_003, Corrected, "redis"),
    ];
    assert_eq!(events, all);
    assert_eq!(world.timeline(TimelineOf::Id(&first.triple_id), FOREVER).len(), 2);
    assert_eq!(world.timeline(TimelineOf::Predicate("Owned-By"), 1_000).len(), 1);
    world.retract(1_005, Which::Id(&first.triple_id)).unwrap();
    assert_eq!(
        world.timeline(TimelineOf::Id(&first.triple_id), FOREVER)[1],
        told(1_005, Retracted, "team north")
    );
}

#[test]
fn a_walk_finds_neighbours_of_neighbours() {
    let world = World::new();
    world.add(1_000, &draft("api", "depends_on", "auth", 100, None)).unwrap();
    world.add(1_001, &draft("auth", "owned_by", "team north", 100, None)).unwrap();
    world.add(1_002, &draft("team north", "led_by", "Mira", 100, None)).unwrap();
    world.add(1_003, &draft("Mira", "knows", "api", 100, None)).unwrap();
    let walk = |depth, limit, after: Option<&str>| {
        let query = EntityQuery { limit, after, ..ask("api") };
        world.store.read(|reader| Ok(walk_facts(reader, &world.view, &query, depth).unwrap())).unwrap()
    };
    let objects = |page: &FactPage| page.facts.iter().map(|fact| fact.object.clone()).collect::<Vec<_>>();
    assert_eq!(objects(&walk(1, 10, None)), ["auth"]);
    assert_eq!(objects(&walk(2, 10, None)), ["auth", "team north"]);
    let first = walk(3, 2, None);
    assert_eq!(objects(&first), ["auth", "team north"]);
    assert_eq!(objects(&walk(3, 2, first.next.as_deref())), ["Mira"]);
    let by_words = |predicates: &[String], limit| {
        let text = "Who leads the north team";
        let asked =
            FactSearch { scopes: &[""], text, predicates, when: When::Ever, known_at: FOREVER, now: 2_000 };
        let facts = world.store.read(|reader| Ok(find_facts(reader, &world.view, &asked, limit).unwrap()));
        objects(&FactPage { facts: facts.unwrap(), next: None })
    };
    assert!(by_words(&[], 5).contains(&"Mira".to_owned()));
    // A limit counts only facts with the predicates.
    assert_ne!(by_words(&[], 1), ["team north"]);
    assert_eq!(by_words(&["Owned By".to_owned()], 1), ["team north"]);
    let found =
        world.store.read(|reader| Ok(find_entities(reader, &world.view, "TEAM", 5).unwrap())).unwrap();
    assert_eq!(found, ["team north"]);
}

#[test]
fn objects_are_read_by_their_type() {
    let world = World::new();
    let typed = |object: &str, object_type| Draft {
        object_type: Some(object_type),
        ..draft("api", "limit", object, 100, None)
    };
    assert!(world.add(1_000, &typed("2.50", ObjectType::Number)).unwrap().created);
    assert!(world.add(1_001, &typed("2.5", ObjectType::Number)).unwrap().deduplicated);
    assert!(world.add(1_002, &typed("2026-01-31", ObjectType::Date)).unwrap().created);
    for (object, object_type) in
        [("much", ObjectType::Number), ("2026-01-31T10:00", ObjectType::Date), ("yes", ObjectType::Boolean)]
    {
        let refused = world.add(1_003, &typed(object, object_type)).unwrap_err();
        assert_eq!(refused.about.field.as_deref(), Some("object"), "{refused}");
    }
    assert_eq!(world.add(1_004, &draft("--", "is", "x", 1, None)).unwrap_err().code, Code::InvalidArgument);
    assert_eq!(
        world.add(1_005, &draft("a", "is", &"x".repeat(2_001), 1, None)).unwrap_err().code,
        Code::InvalidArgument
    );
}

#[test]
fn facts_without_a_time_can_follow_each_other_in_one_millisecond() {
    let world = World::new();
    let now = |object: &str| Draft { valid_from: None, ..owned(object, 0) };
    let first = world.add(1_000, &now("team north")).unwrap();
    let second = world.add(1_000, &now("team south")).unwrap();
    assert_eq!(second.invalidated, [Cut { triple_id: first.triple_id, valid_to: Some(1_001) }]);
    let third = world.add(1_002, &draft("api", "uses", "redis", 1_002, None)).unwrap();
    assert_eq!(world.end(1_002, Which::Id(&third.triple_id), None).unwrap()[0].valid_to, Some(1_003));
}

#[test]
fn the_clock_of_the_graph_never_goes_back() {
    let world = World::new();
    let first = world.add(2_000, &draft("api", "uses", "redis", 100, None)).unwrap();
    world.retract(1_000, Which::Id(&first.triple_id)).unwrap();
    assert_eq!(world.facts("api", When::Ever, 1_999), []);
    assert_eq!(world.facts("api", When::Ever, FOREVER), []);
}
