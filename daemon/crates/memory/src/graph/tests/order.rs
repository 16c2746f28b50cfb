//! What holds of an exclusive predicate doesn't depend on the order in which its facts arrive.

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug, PartialEq)]
struct Said {
    object: usize,
    from: i64,
    to: Option<i64>,
}

const TEAMS: [&str; 3] = ["north", "south", "west"];

/// Facts with different beginnings, and the same in another order.
fn said() -> impl Strategy<Value = (Vec<Said>, Vec<Said>)> {
    let one = (0..3_usize, proptest::option::weighted(0.3, 1..30_i64));
    proptest::collection::btree_map(0..40_i64, one, 1..9)
        .prop_map(|all| {
            all.into_iter()
                .map(|(from, (object, length))| Said { object, from, to: length.map(|n| from + n) })
                .collect::<Vec<_>>()
        })
        .prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle()))
}

fn world_of(all: &[Said]) -> World {
    let world = World::new();
    for (nth, said) in all.iter().enumerate() {
        let mut draft = draft("api", "owned_by", TEAMS[said.object], said.from, said.to);
        draft.exclusive = true;
        let admitted = world.add(1_000 + nth as u64, &draft).unwrap();
        assert!(admitted.created);
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_arrival_does_not_matter((sorted, shuffled) in said()) {
        let ordered = world_of(&sorted).facts("api", When::Ever, FOREVER);
        prop_assert_eq!(&ordered, &world_of(&shuffled).facts("api", When::Ever, FOREVER));
        for (nth, said) in sorted.iter().enumerate() {
            let next = sorted.get(nth + 1).map_or(FOREVER, |next| next.from);
            let to = said.to.unwrap_or(FOREVER).min(next);
            let holds = |fact: &&Told| {
                fact.2 == TEAMS[said.object] && fact.3 <= said.from && to <= fact.4
            };
            prop_assert!(ordered.iter().any(|fact| holds(&fact)), "{:?} in {:?}", said, ordered);
        }
    }

    #[test]
    fn a_retraction_gives_back_what_was_cut((sorted, shuffled) in said(), nth in 0..8_usize) {
        let nth = nth % sorted.len();
        let mut rest = shuffled.clone();
        let gone = rest.remove(nth);
        let world = world_of(&shuffled);
        let row = world.query(&EntityQuery { when: When::At(gone.from), ..ask("api") }).facts.remove(0);
        world.retract(2_000, Which::Id(&row.triple.id)).unwrap();
        prop_assert_eq!(world.facts("api", When::Ever, FOREVER), world_of(&rest).facts("api", When::Ever, FOREVER));
        // As it was known before.
        prop_assert_eq!(world.facts("api", When::Ever, 1_999), world_of(&sorted).facts("api", When::Ever, FOREVER));
    }
}
