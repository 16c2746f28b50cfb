use proptest::prelude::*;

use super::super::dispatch::state::{Event, Outcome, Standing, State, Step};
use super::super::dispatch::{
    DispatchFilter, Ending, NewDispatch, Report, affinities, claim_dispatch, complete_dispatch, events_of,
    find_attempts, find_brief, find_dispatch, list_dispatches, make_room, report_progress, start_dispatch,
};
use super::*;
use sdl_contract::{Code, Explained as _};

fn ending(outcome: Outcome) -> Ending {
    Ending { outcome, summary: "done".to_owned(), artifacts: Vec::new(), counts: true, by_person: false }
}

fn start(bench: &Bench, by: &Author, now_ms: u64) -> String {
    let new = NewDispatch {
        title: "Fix the login".to_owned(),
        brief: "It fails at night.".to_owned(),
        milestones: vec!["Find it".to_owned(), "Fix it".to_owned()],
        domain: Some("auth".to_owned()),
        plan: Some("Q3".to_owned()),
        ..NewDispatch::default()
    };
    bench.change((by, now_ms), |change| Ok(start_dispatch(change, new.clone())?.id)).unwrap()
}

fn state_of(bench: &Bench, id: &str, now_ms: u64) -> State {
    bench.look(|tables| Ok(find_dispatch(tables, id)?.unwrap().state(now_ms)))
}

fn code_of<T: std::fmt::Debug>(result: Result<T, Trouble>) -> Code {
    match result {
        Err(Trouble::Refused(mut refusal)) => refusal.refusal_mut().code,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_dispatch_goes_its_way_and_a_lease_runs_out() {
    let bench = Bench::new();
    let (lead, ann, bob) =
        (bench.join("ses_lead", "lead", 1), bench.join("ses_a", "ann", 1), bench.join("ses_b", "bob", 1));
    let id = start(&bench, &lead, 10);
    assert_eq!(state_of(&bench, &id, 10), State::Open);
    bench.change((&ann, 20), |change| claim_dispatch(change, &id, &ann, 100)).unwrap();
    assert_eq!(state_of(&bench, &id, 119), State::Claimed);
    let taken = bench.change((&bob, 30), |change| claim_dispatch(change, &id, &bob, 100));
    match taken {
        Err(Trouble::Refused(refusal)) => {
            assert_eq!(refusal.code, Code::NotClaimed);
            assert_eq!(refusal.about.details["heldBy"]["agent"], "ann");
        }
        other => panic!("{other:?}"),
    }
    let report = Report {
        note: "half".to_owned(),
        percent: Some(50),
        milestones: vec!["find it".to_owned()],
        ..Report::default()
    };
    bench.change((&ann, 40), |change| report_progress(change, &id, report.clone())).unwrap();
    assert_eq!(state_of(&bench, &id, 139), State::Active, "the report renewed the lease");
    assert_eq!(state_of(&bench, &id, 140), State::Open);
    // What was reported is kept for the next one.
    let bobs =
        bench.change((&bob, 150), |change| Ok(claim_dispatch(change, &id, &bob, 100)?.standing)).unwrap();
    assert_eq!((bobs.percent, &*bobs.milestones), (Some(50), &[0][..]));
    let blocked = Report { blocked: true, blocked_by: Some("a review".to_owned()), ..report };
    let late = bench.change((&ann, 151), |change| report_progress(change, &id, blocked.clone()));
    assert_eq!(code_of(late), Code::NotClaimed);
    bench.change((&bob, 152), |change| report_progress(change, &id, blocked.clone())).unwrap();
    assert_eq!(state_of(&bench, &id, 153), State::Blocked);
    bench.change((&bob, 160), |change| complete_dispatch(change, &id, ending(Outcome::Partial))).unwrap();
    assert_eq!(state_of(&bench, &id, 1 << 50), State::Done);
    let again = bench.change((&bob, 170), |change| claim_dispatch(change, &id, &bob, 100));
    assert_eq!(code_of(again), Code::Conflict);
    let text = bench.look(|tables| find_brief(tables, &id)).unwrap();
    assert_eq!((&*text.brief, &*text.summary), ("It fails at night.", "done"));
    let all = bench.look(|tables| affinities(tables));
    assert_eq!((all[0].agent.as_str(), all[0].done, all[0].succeeded), ("bob", 1, 0));
}

#[test]
fn the_starter_and_a_person_may_cancel_and_others_may_not() {
    let bench = Bench::new();
    let (lead, ann, bob) =
        (bench.join("ses_lead", "lead", 1), bench.join("ses_a", "ann", 1), bench.join("ses_b", "bob", 1));
    let cancelled = || ending(Outcome::Cancelled);
    for (by, person, fits) in [(&lead, false, true), (&bob, false, false), (&bob, true, true)] {
        let id = start(&bench, &lead, 10);
        bench.change((&ann, 20), |change| claim_dispatch(change, &id, &ann, 100)).unwrap();
        let ended = bench.change((by, 30), |change| {
            complete_dispatch(change, &id, Ending { by_person: person, ..cancelled() })
        });
        assert_eq!(ended.is_ok(), fits, "{ended:?}");
        if let Ok(ended) = ended {
            assert_eq!(ended.standing.holder, Some(ann.clone()), "who worked on it stays known");
        }
    }
    assert!(bench.look(|tables| affinities(tables)).is_empty(), "what was cancelled counts for nobody");
}

#[test]
fn attempts_are_counted_and_lists_are_by_key() {
    let bench = Bench::new();
    let ann = bench.join("ses_a", "Ann", 1);
    let first = start(&bench, &ann, 10);
    bench.change((&ann, 20), |change| complete_dispatch(change, &first, ending(Outcome::Failed))).unwrap();
    let new = NewDispatch {
        title: "Again".to_owned(),
        brief: "Harder.".to_owned(),
        retry_of: Some(first.clone()),
        to: Some("bob".to_owned()),
        ..NewDispatch::default()
    };
    let second = bench.change((&ann, 30), |change| start_dispatch(change, new.clone())).unwrap();
    assert_eq!(second.attempt, 2);
    let before = bench.look(|tables| find_attempts(tables, &second));
    assert_eq!(before.iter().map(|row| row.id.clone()).collect::<Vec<_>>(), [first.as_str()]);
    let list = |filter: DispatchFilter<'_>| {
        let all = bench.look(|tables| list_dispatches(tables, filter, |_| true, (1_000, 10)));
        all.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    let all = [State::Open, State::Failed];
    let any = DispatchFilter { states: &all, ..DispatchFilter::default() };
    assert_eq!(list(DispatchFilter::default()), [second.id.as_str()]);
    assert_eq!(list(any), [second.id.clone(), first.clone()]);
    assert_eq!(list(DispatchFilter { before: Some(&second.id), ..any }), [first.as_str()]);
    assert_eq!(list(DispatchFilter { agent: Some("ANN"), ..any }), [first.as_str()]);
    assert_eq!(list(DispatchFilter { agent: Some("bob"), ..any }), [second.id.as_str()]);
    assert_eq!(list(DispatchFilter { plan: Some("q3"), ..any }), [first.as_str()]);
    assert_eq!(list(DispatchFilter { domain: Some("auth"), ..any }), [first.as_str()]);
    let wrong = bench.change((&ann, 40), |change| {
        report_progress(change, &second.id, Report { milestones: vec!["1".to_owned()], ..Report::default() })
    });
    assert_eq!(code_of(wrong), Code::InvalidArgument);
    assert_eq!(
        code_of(bench.change((&ann, 40), |change| claim_dispatch(change, "d_none", &ann, 1))),
        Code::UnknownDispatch
    );
    // A year after its end it goes, with all that was kept of it.
    let year = 366 * crate::limits::DAY_MS;
    let gone = bench.change((&ann, year), |change| make_room(change, 10)).unwrap();
    assert_eq!((gone, bench.look(|tables| events_of(tables, &first)).len()), (1, 0));
    assert_eq!(bench.look(|tables| find_brief(tables, &first)), None);
    assert_eq!(list(any), [second.id]);
}

#[test]
fn of_two_who_claim_at_once_one_wins() {
    let bench = Bench::new();
    let lead = bench.join("ses_lead", "lead", 1);
    let both = [bench.join("ses_a", "ann", 1), bench.join("ses_b", "bob", 1)];
    for round in 0..200 {
        let id = start(&bench, &lead, 10 + round);
        let results: Vec<_> = std::thread::scope(|scope| {
            let claims = both.each_ref().map(|by| {
                let (bench, id) = (&bench, &id);
                scope.spawn(move || bench.change((by, 500), |change| claim_dispatch(change, id, by, 100)))
            });
            claims.into_iter().map(|claim| claim.join().unwrap()).collect()
        });
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
        let lost = results.into_iter().find(Result::is_err).unwrap();
        assert_eq!(code_of(lost), Code::NotClaimed);
    }
}

/// Works the law out a second time, from the whole history each time.
fn naive_state(events: &[Event], now_ms: u64) -> State {
    let mut state = State::Open;
    let (mut until, mut length) = (0, 0);
    let at = |state: State, until: u64, now: u64| {
        let held = [State::Claimed, State::Active, State::Blocked].contains(&state);
        if held && now >= until { State::Open } else { state }
    };
    for event in events {
        let open = at(state, until, event.at_ms) == State::Open;
        match &event.step {
            Step::Claimed { lease_ms } => {
                (until, length) = (event.at_ms + lease_ms, *lease_ms);
                state = if open { State::Claimed } else { state };
            }
            Step::Progressed { blocked, .. } => {
                length = if open { super::super::dispatch::state::DEFAULT_LEASE_MS } else { length };
                until = event.at_ms + length;
                state = if *blocked { State::Blocked } else { State::Active };
            }
            Step::Completed { outcome, .. } => {
                state = match outcome {
                    Outcome::Success | Outcome::Partial => State::Done,
                    Outcome::Failed => State::Failed,
                    Outcome::Cancelled => State::Cancelled,
                };
            }
        }
    }
    at(state, until, now_ms)
}

fn any_step() -> impl Strategy<Value = Step> {
    let outcome = prop_oneof![
        Just(Outcome::Success),
        Just(Outcome::Partial),
        Just(Outcome::Failed),
        Just(Outcome::Cancelled)
    ];
    prop_oneof![
        4 => (1..200_u64).prop_map(|lease_ms| Step::Claimed { lease_ms }),
        4 => (any::<bool>(), 0..3_usize).prop_map(|(blocked, place)| Step::Progressed {
            note: "n".to_owned(),
            percent: None,
            milestones: vec![place],
            blocked,
            blocked_by: Some("x".to_owned()),
        }),
        1 => outcome.prop_map(|outcome| Step::Completed {
            outcome,
            summary: "s".to_owned(),
            artifacts: Vec::new(),
        }),
    ]
}

proptest! {
    #[test]
    fn the_state_is_a_function_of_the_events_and_the_time(
        steps in prop::collection::vec((0..150_u64, 0..3_usize, any_step()), 0..24),
    ) {
        let authors = [author("ses_a", "ann"), author("ses_b", "bob"), author("ses_c", "ann")];
        let starter = author("ses_lead", "lead");
        let (mut standing, mut events) = (Standing::default(), Vec::new());
        let mut now = 0;
        for (passed, who, step) in steps {
            now += passed;
            let event = Event { at_ms: now, by: authors[who].clone(), step };
            let before = naive_state(&events, now);
            let holder = standing.holder_at(now).cloned();
            let own = holder.as_ref().is_none_or(|holder| holder.agent == event.by.agent);
            let fits = !before.is_ended() && (own || before == State::Open);
            let stood = standing.clone();
            prop_assert_eq!(standing.apply(&event, &starter).is_ok(), fits, "{:?} in {:?}", event, before);
            if fits {
                events.push(event);
            } else {
                prop_assert_eq!(&standing, &stood, "nothing changed");
            }
            for later in [now, now + 50, now + 10_000_000] {
                prop_assert_eq!(standing.state(later), naive_state(&events, later));
            }
        }
        let mut again = Standing::default();
        for event in &events {
            prop_assert!(again.apply(event, &starter).is_ok());
        }
        prop_assert_eq!(again, standing);
    }
}

#[test]
fn of_two_sessions_with_one_name_one_wins() {
    let bench = Bench::new();
    let (one, other) = (bench.join("ses_1", "worker", 1), bench.join("ses_2", "Worker", 1));
    let id = start(&bench, &one, 10);
    bench.change((&one, 20), |change| claim_dispatch(change, &id, &one, 100)).unwrap();
    let claim =
        |now_ms: u64| bench.change((&other, now_ms), |change| claim_dispatch(change, &id, &other, 100));
    assert_eq!(code_of(claim(21)), Code::NotClaimed);
    let report = Report { note: "half".to_owned(), ..Report::default() };
    let reported = bench.change((&other, 22), |change| report_progress(change, &id, report.clone()));
    assert_eq!(code_of(reported), Code::NotClaimed);
    // Once the client of the first is gone, the second may be the same agent, started again.
    bench.change((&one, 30), |change| session::end_session(change, "ses_1")).unwrap();
    claim(31).unwrap();
}
