use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::super::address::Address;
use super::super::inbox::{
    DeliveryState, Listener, Via, acknowledge, deliver_messages, find_delivery, unacked_by, waiting_for,
};
use super::super::message::{MessageKind, NewMessage, make_room, send_message, sent_by};
use super::super::session::{find_session, join_session};
use super::*;
use sdl_contract::Code;

fn message(to: &str, body: &str, ttl_ms: u64) -> NewMessage {
    NewMessage {
        scope: String::new(),
        to: Address::parse(to, "to").unwrap(),
        to_text: to.to_owned(),
        kind: MessageKind::Directive,
        body: body.to_owned(),
        requires_ack: true,
        in_reply_to: None,
        ttl_ms,
        dispatch: None,
    }
}

fn send(bench: &Bench, by: &Author, now_ms: u64, new: &NewMessage) -> (String, Vec<String>) {
    bench
        .change((by, now_ms), |change| {
            let sent = send_message(change, new.clone())?;
            let recipients = sent.recipients.into_iter().map(|recipient| recipient.address);
            Ok((sent.id, recipients.collect()))
        })
        .unwrap()
}

/// Delivers all that waits for a session.
fn take(bench: &Bench, session: &str, now_ms: u64) -> Vec<String> {
    let by = Author { session: Some(session.to_owned()), ..Author::default() };
    bench
        .change((&by, now_ms), |change| {
            let Some(row) = find_session(change.tables(), session)? else { return Ok(Vec::new()) };
            let addresses = row.addresses();
            let listener = Listener { session, addresses: &addresses };
            let waiting = waiting_for(change.tables(), listener, now_ms)?;
            let delivered = deliver_messages(change, session, &waiting, Via::Inbox)?;
            Ok(delivered.into_iter().map(|waiting| waiting.message).collect())
        })
        .unwrap()
}

#[test]
fn a_message_is_shown_once_and_acknowledged() {
    let bench = Bench::new();
    let (ann, _) = (bench.join("ses_a", "ann", 1), bench.join("ses_b", "Bob", 1));
    let (id, to) = send(&bench, &ann, 10, &message("bob", "stop", 1_000));
    assert_eq!(to, ["@bob"]);
    let state = |now| bench.look(|tables| find_delivery(tables, &id, "@bob")).unwrap().state(now);
    assert_eq!((state(10), state(1_010)), (DeliveryState::Waiting, DeliveryState::Expired));
    assert_eq!(take(&bench, "ses_b", 20), [id.as_str()]);
    assert_eq!(take(&bench, "ses_b", 21), Vec::<String>::new());
    assert_eq!(state(2_000), DeliveryState::Delivered);
    assert_eq!(bench.look(|tables| unacked_by(tables, "ses_b")), [id.as_str()]);
    // Bob's client was started again: the agent still answers.
    let bob = bench.join("ses_b2", "bob", 30);
    let ack = |by: &Author, session: &str, now| {
        bench
            .change((by, now), |change| {
                let addresses = [session.to_owned(), format!("@{}", by.agent.clone().unwrap())];
                acknowledge(change, Listener { session, addresses: &addresses }, &id)
            })
            .unwrap()
    };
    assert_eq!(ack(&ann, "ses_a", 35), None, "it was not for her");
    assert_eq!((ack(&bob, "ses_b2", 40), ack(&bob, "ses_b2", 41)), (Some(true), Some(false)));
    assert_eq!(state(2_000), DeliveryState::Acked);
    assert!(bench.look(|tables| unacked_by(tables, "ses_b")).is_empty());
    assert_eq!(bench.look(|tables| sent_by(tables, "ses_a", 5))[0].id, id);
}

#[test]
fn names_plans_and_channels_keep_messages_until_someone_answers() {
    let bench = Bench::new();
    let ann = bench.join("ses_a", "ann", 1);
    let sent: Vec<String> =
        ["carl", "#ops", "plan:q3"].map(|to| send(&bench, &ann, 10, &message(to, "hi", 1_000)).0).to_vec();
    let (_, nobody) = send(&bench, &ann, 10, &message("*", "hi", 1_000));
    assert_eq!(nobody, Vec::<String>::new(), "the sender does not hear itself");
    assert_eq!(take(&bench, "ses_a", 11), Vec::<String>::new());
    bench.join("ses_c", "Carl", 20);
    let joined = Joined {
        agent: "Carl".to_owned(),
        task: None,
        channels: ["#OPS", "plan:Q3"].map(|text| Address::parse(text, "channels").unwrap()).to_vec(),
    };
    let carl = author("ses_c", "Carl");
    let seen = Seen { id: "ses_c".to_owned(), ..Seen::default() };
    bench.change((&carl, 21), |change| join_session(change, &seen, &joined)).unwrap();
    assert_eq!(take(&bench, "ses_c", 22), sent);
    // From now on the channel has a member, who is the recipient.
    assert_eq!(send(&bench, &ann, 30, &message("#ops", "hi", 1_000)).1, ["ses_c"]);
    assert_eq!(send(&bench, &ann, 30, &message("*", "hi", 1_000)).1, ["ses_c"]);
    // A day later nothing was heard of the session any more.
    let later = 2 * crate::limits::DAY_MS;
    assert_eq!(send(&bench, &ann, later, &message("#ops", "hi", 1_000)).1, ["#ops"]);
}

#[test]
fn what_is_wrong_is_refused() {
    let bench = Bench::new();
    let ann = bench.join("ses_a", "ann", 1);
    let refused = |now, new: &NewMessage| {
        let sent = bench.change((&ann, now), |change| Ok(send_message(change, new.clone())?.id));
        match sent {
            Err(Trouble::Refused(refusal)) => refusal.code,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(refused(1, &message("ses_nobody", "x", 1)), Code::UnknownSession);
    let reply = NewMessage { in_reply_to: Some("msg_none".to_owned()), ..message("bob", "x", 1) };
    assert_eq!(refused(1, &reply), Code::InvalidArgument);
    let (mut last, _) = send(&bench, &ann, 1_000, &message("bob", "x", 1));
    for _ in 1..8 {
        let reply = NewMessage { in_reply_to: Some(last.clone()), ..message("bob", "x", 1) };
        last = send(&bench, &ann, 1_000, &reply).0;
    }
    let reply = NewMessage { in_reply_to: Some(last), ..message("bob", "x", 1) };
    assert_eq!(refused(1_000, &reply), Code::Conflict);
    for _ in 8..60 {
        send(&bench, &ann, 1_000, &message("bob", "x", 1));
    }
    assert_eq!(refused(60_999, &message("bob", "x", 1)), Code::Busy);
    send(&bench, &ann, 61_000, &message("bob", "x", 1));
    // After a month they are gone, and nothing of their delivery is kept.
    let month = 31 * crate::limits::DAY_MS;
    assert_eq!(bench.change((&ann, month), |change| make_room(change, 100)).unwrap(), 61);
    let kept = bench.store.read(|reader| Ok((reader.count("messages")?, reader.count("inbox")?))).unwrap();
    assert_eq!(kept, (0, 0));
}

/// What random sessions do.
#[derive(Clone, Debug)]
enum Act {
    Send { from: usize, to: usize, ttl: u64 },
    Take { who: usize },
    Join { who: usize, agent: usize, channel: Option<usize> },
}

const SESSIONS: [&str; 3] = ["ses_0", "ses_1", "ses_2"];
const AGENTS: [&str; 2] = ["ann", "bob"];
const CHANNELS: [&str; 2] = ["#x", "plan:y"];
const ADDRESSES: [&str; 8] = ["ses_0", "ses_1", "ses_2", "ann", "bob", "#x", "plan:y", "*"];

fn any_act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => (0..3_usize, 0..8_usize, 1..400_u64).prop_map(|(from, to, ttl)| Act::Send { from, to, ttl }),
        3 => (0..3_usize).prop_map(|who| Act::Take { who }),
        1 => (0..3_usize, 0..2_usize, prop::option::of(0..2_usize))
            .prop_map(|(who, agent, channel)| Act::Join { who, agent, channel }),
    ]
}

/// The law worked out a second time, with lists.
#[derive(Default)]
struct Model {
    agents: BTreeMap<usize, usize>,
    channels: BTreeMap<usize, BTreeSet<usize>>,
    /// (message, address, sender, expires), in the order in which they were sent.
    waiting: Vec<(String, String, usize, u64)>,
}

impl Model {
    fn recipients(&self, from: usize, to: usize) -> Vec<String> {
        let text = ADDRESSES[to];
        let members: Vec<usize> = match to {
            0..=2 => return vec![text.to_owned()],
            3 | 4 => return vec![format!("@{text}")],
            7 => (0..3).filter(|who| *who != from).collect(),
            _ => {
                let channel = to - 5;
                let is_in = |who: &usize| self.channels.get(who).is_some_and(|all| all.contains(&channel));
                (0..3).filter(|who| *who != from).filter(is_in).collect()
            }
        };
        if members.is_empty() && to != 7 {
            return vec![text.to_owned()];
        }
        members.into_iter().map(|who| SESSIONS[who].to_owned()).collect()
    }

    fn take(&mut self, who: usize, now: u64) -> Vec<String> {
        let mut own = vec![SESSIONS[who].to_owned()];
        own.extend(self.agents.get(&who).map(|agent| format!("@{}", AGENTS[*agent])));
        let channels = self.channels.get(&who).into_iter().flatten();
        own.extend(channels.map(|channel| CHANNELS[*channel].to_owned()));
        let mut taken = Vec::new();
        self.waiting.retain(|(id, address, sender, expires)| {
            let is_its = own.contains(address) && *sender != who && now < *expires;
            if is_its {
                taken.push(id.clone());
            }
            !is_its
        });
        taken
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn every_recipient_gets_every_message_once(acts in prop::collection::vec((0..90_u64, any_act()), 1..40)) {
        let bench = Bench::new();
        let mut model = Model::default();
        let mut now = 100_000;
        for (who, session) in SESSIONS.iter().enumerate() {
            let by = Author { session: Some((*session).to_owned()), ..Author::default() };
            let seen = Seen { id: (*session).to_owned(), ..Seen::default() };
            bench.change((&by, now), |change| session::note_session(change, &seen)).unwrap();
            model.channels.entry(who).or_default();
        }
        for (passed, act) in acts {
            now += passed;
            match act {
                Act::Send { from, to, ttl } => {
                    let by = Author { session: Some(SESSIONS[from].to_owned()), ..Author::default() };
                    let (id, mut to_all) = send(&bench, &by, now, &message(ADDRESSES[to], "x", ttl));
                    to_all.sort();
                    let expected = model.recipients(from, to);
                    prop_assert_eq!(&to_all, &expected);
                    model.waiting.extend(expected.into_iter().map(|one| (id.clone(), one, from, now + ttl)));
                }
                Act::Take { who } => {
                    prop_assert_eq!(take(&bench, SESSIONS[who], now), model.take(who, now));
                }
                Act::Join { who, agent, channel } => {
                    let by = author(SESSIONS[who], AGENTS[agent]);
                    let seen = Seen { id: SESSIONS[who].to_owned(), ..Seen::default() };
                    let channels = channel.map(|one| Address::parse(CHANNELS[one], "channels").unwrap());
                    let joined = Joined {
                        agent: AGENTS[agent].to_owned(),
                        task: None,
                        channels: channels.into_iter().collect(),
                    };
                    bench.change((&by, now), |change| join_session(change, &seen, &joined)).unwrap();
                    model.agents.insert(who, agent);
                    model.channels.entry(who).or_default().extend(channel);
                }
            }
        }
    }
}
