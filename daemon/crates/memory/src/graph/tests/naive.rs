//! The graph against a model that looks at every row for every instant.

use proptest::prelude::*;
use sdl_contract::Code;

use super::*;

/// The instants of a history.
const END: i64 = 12;

#[derive(Clone, Debug)]
enum Op {
    Add { s: usize, p: usize, o: usize, from: i64, to: Option<i64> },
    End { s: usize, p: usize, o: usize, at: i64, all: bool },
    Retract { s: usize, p: usize, o: usize, all: bool },
    Correct { nth: usize, from: i64, to: Option<i64> },
}

#[derive(Clone, Debug)]
struct NaiveRow {
    id: String,
    spo: (usize, usize, usize),
    from: i64,
    to: i64,
    recorded: i64,
    retracted: i64,
    ends: Vec<(i64, i64)>,
}

const SUBJECTS: [&str; 2] = ["api", "job"];
/// The second is exclusive.
const PREDICATES: [&str; 2] = ["uses", "owned_by"];
const OBJECTS: [&str; 3] = ["job", "north", "south"];

#[derive(Default)]
struct Naive(Vec<NaiveRow>);

impl Naive {
    fn holds(&self, row: &NaiveRow, t: i64, known: i64) -> bool {
        let is_kept = |row: &NaiveRow| row.retracted == FOREVER || known < row.retracted;
        let believed = |row: &NaiveRow| row.recorded <= known && is_kept(row);
        let own = row.from <= t
            && t < row.to
            && !row.ends.iter().any(|(at, recorded)| *recorded <= known && *at <= t);
        let is_cut = row.spo.1 == 1
            && self.0.iter().any(|other| {
                believed(other)
                    && other.spo.0 == row.spo.0
                    && other.spo.1 == 1
                    && row.from < other.from
                    && other.from <= t
            });
        believed(row) && own && !is_cut
    }

    fn has(&self, spo: (usize, usize, usize), t: i64, known: i64) -> bool {
        self.0.iter().any(|row| row.spo == spo && self.holds(row, t, known))
    }

    fn all_at(&self, t: i64, known: i64) -> Vec<(usize, usize, usize)> {
        let mut all: Vec<_> =
            self.0.iter().filter(|row| self.holds(row, t, known)).map(|row| row.spo).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let (s, p, o) = (0..2_usize, 0..2_usize, 0..3_usize);
    let to = proptest::option::weighted(0.4, 1..END);
    let spo = (s, p, o);
    let op = prop_oneof![
        6 => (spo.clone(), 0..END - 1, to.clone())
            .prop_map(|((s, p, o), from, to)| Op::Add { s, p, o, from, to }),
        2 => (spo.clone(), 0..END, any::<bool>())
            .prop_map(|((s, p, o), at, all)| Op::End { s, p, o, at, all }),
        2 => (spo, any::<bool>()).prop_map(|((s, p, o), all)| Op::Retract { s, p, o, all }),
        1 => (0..8_usize, 0..END - 1, to).prop_map(|(nth, from, to)| Op::Correct { nth, from, to }),
    ];
    proptest::collection::vec(op, 1..14)
}

fn add(
    world: &World,
    naive: &mut Naive,
    now: i64,
    (spo, from, to): ((usize, usize, usize), i64, Option<i64>),
    corrects: Option<usize>,
) {
    let (s, p, o) = spo;
    let mut draft = draft(SUBJECTS[s], PREDICATES[p], OBJECTS[o], from, to);
    draft.exclusive = p == 1;
    draft.supersedes = corrects.map(|nth| naive.0[nth].id.clone());
    let until = to.unwrap_or(FOREVER);
    let outcome = world.add(now as u64, &draft);
    if until <= from {
        assert_eq!(outcome.unwrap_err().code, Code::InvalidArgument);
        return;
    }
    if let (Some(nth), Ok(_)) = (corrects, &outcome) {
        naive.0[nth].retracted = now;
    }
    if let (0, Ok(admitted)) = (p, &outcome) {
        // An overlap is a conflict, a part is known already.
        let last = until.min(END + 1);
        let held: Vec<bool> = (from..last).map(|t| naive.has(spo, t, now)).collect();
        assert_eq!(admitted.deduplicated, held.iter().all(|held| *held), "{draft:?}");
        assert!(admitted.deduplicated || !held.contains(&true), "{draft:?}");
    }
    match outcome {
        Ok(admitted) if admitted.created => naive.0.push(NaiveRow {
            id: admitted.triple_id,
            spo,
            from,
            to: until,
            recorded: now,
            retracted: FOREVER,
            ends: Vec::new(),
        }),
        Ok(admitted) => assert!(admitted.deduplicated),
        Err(refusal) => assert_eq!(refusal.code, Code::Conflict, "{refusal}"),
    }
}

fn apply(world: &World, naive: &mut Naive, now: i64, op: &Op) {
    let names = |s: usize, p: usize, o: usize| (SUBJECTS[s], PREDICATES[p], OBJECTS[o]);
    match *op {
        Op::Add { s, p, o, from, to } => add(world, naive, now, ((s, p, o), from, to), None),
        Op::Correct { nth, from, to } => {
            let Some(row) = naive.0.get(nth).filter(|row| row.retracted == FOREVER) else { return };
            let spo = row.spo;
            add(world, naive, now, (spo, from, to), Some(nth));
        }
        Op::End { s, p, o, at, all } => {
            let (a, b, c) = names(s, p, o);
            let which = if all { Which::AllOf(a, b, c) } else { Which::Spo(a, b, c) };
            if let Ok(cuts) = world.end(now as u64, which, Some(at)) {
                assert!(!cuts.is_empty());
                for cut in cuts {
                    assert_eq!(cut.valid_to, Some(at));
                    let row = naive.0.iter_mut().find(|row| row.id == cut.triple_id).unwrap();
                    assert!(row.from < at);
                    row.ends.push((at, now));
                }
                assert!((at..END + 5).all(|t| !naive.has((s, p, o), t, now)), "it goes on");
            } else {
                let open = naive
                    .0
                    .iter()
                    .filter(|row| row.spo == (s, p, o) && row.from < at && naive.holds(row, END + 100, now));
                assert!(open.count() != 1 || all, "an open fact was not ended");
            }
        }
        Op::Retract { s, p, o, all } => {
            let (a, b, c) = names(s, p, o);
            let which = if all { Which::AllOf(a, b, c) } else { Which::Spo(a, b, c) };
            let believed =
                naive.0.iter().filter(|row| row.spo == (s, p, o) && row.retracted == FOREVER).count();
            let outcome = world.retract(now as u64, which);
            match outcome {
                Ok(cuts) => {
                    assert_eq!(cuts.len(), believed);
                    for cut in cuts {
                        let row = naive.0.iter_mut().find(|row| row.id == cut.triple_id).unwrap();
                        row.retracted = now;
                    }
                }
                Err(refusal) if believed == 0 => assert_eq!(refusal.code, Code::UnknownTriple),
                Err(refusal) => {
                    assert!(believed > 1 && !all);
                    assert_eq!(refusal.code, Code::AmbiguousTriple);
                }
            }
        }
    }
}

/// What the graph says, over all subjects, at an instant.
fn asked_at(world: &World, t: i64, known: i64) -> Vec<(usize, usize, usize)> {
    let place = |names: &[&str], name: &str| names.iter().position(|known| *known == name).unwrap();
    let mut all = Vec::new();
    for subject in SUBJECTS {
        let query = EntityQuery { when: When::At(t), known_at: known, ..ask(subject) };
        for fact in world.query(&query).facts {
            assert!(fact.from <= t && fact.to.is_none_or(|to| t < to));
            let row = &fact.triple;
            all.push((
                place(&SUBJECTS, &row.subject),
                place(&PREDICATES, &row.predicate),
                place(&OBJECTS, &row.object),
            ));
        }
    }
    all.sort_unstable();
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_instant_as_known_at_every_instant(ops in ops()) {
        let world = World::new();
        let mut naive = Naive::default();
        for (nth, op) in ops.iter().enumerate() {
            apply(&world, &mut naive, 1_000 + nth as i64 * 10, op);
        }
        for nth in 0..=ops.len() as i64 {
            for known in [1_000 + nth * 10, 1_000 + nth * 10 - 1] {
                for t in 0..=END {
                    prop_assert_eq!(asked_at(&world, t, known), naive.all_at(t, known), "at {} known {}", t, known);
                }
            }
        }
    }

    #[test]
    fn the_index_is_that_of_the_rows(ops in ops()) {
        let world = World::new();
        let mut naive = Naive::default();
        for (nth, op) in ops.iter().enumerate() {
            apply(&world, &mut naive, 1_000 + nth as i64 * 10, op);
        }
        let verdict = world.store.read(|reader| Ok(verify_graph(reader).unwrap())).unwrap();
        prop_assert_eq!(verdict.faults, Vec::<String>::new());
        prop_assert_eq!(verdict.facts, naive.0.len() as u64);
    }

    #[test]
    fn shown_intervals_never_overlap(ops in ops()) {
        let world = World::new();
        let mut naive = Naive::default();
        for (nth, op) in ops.iter().enumerate() {
            apply(&world, &mut naive, 1_000 + nth as i64 * 10, op);
        }
        for subject in SUBJECTS {
            let facts = world.query(&ask(subject)).facts;
            for (nth, a) in facts.iter().enumerate() {
                prop_assert!(a.to.is_none_or(|to| a.from < to));
                for b in &facts[nth + 1..] {
                    let is_same = a.triple.predicate == b.triple.predicate && a.triple.object == b.triple.object;
                    let is_exclusive = a.triple.predicate == b.triple.predicate && a.triple.exclusive;
                    let (a_to, b_to) = (a.to.unwrap_or(FOREVER), b.to.unwrap_or(FOREVER));
                    prop_assert!(!is_same || a_to < b.from || b_to < a.from, "{a:?} {b:?}");
                    prop_assert!(!is_exclusive || a_to <= b.from || b_to <= a.from, "{a:?} {b:?}");
                }
            }
            // Pages hold the same, and both directions agree.
            let mut paged = Vec::new();
            let mut after: Option<String> = None;
            loop {
                let page = world.query(&EntityQuery { limit: 2, after: after.as_deref(), ..ask(subject) });
                paged.extend(page.facts);
                match page.next {
                    Some(next) => after = Some(next),
                    None => break,
                }
            }
            prop_assert_eq!(&paged, &facts);
            for fact in &facts {
                let query = EntityQuery { direction: Direction::In, ..ask(&fact.triple.object) };
                prop_assert!(world.query(&query).facts.contains(fact));
            }
        }
    }
}
