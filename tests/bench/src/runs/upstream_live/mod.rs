//! Settings that change while eight clients call: no call of another upstream may fail, lists have to be right soon, and only
//! those clients may hear of it whose list changed.

mod callers;
mod changes;

use std::thread;
use std::time::{Duration, Instant};

use sdl_tests::{Daemon, TestEnv};
use serde_json::{Value, json};

use self::callers::{Caller, Heard, Shared, View};
use self::changes::{CHANGES, Change, Way};
use super::idle::pass_time;
use super::upstream_soak::wait_until_known;
use crate::Outcome;
use crate::options::Options;
use crate::upstream::lab::Server;
use crate::upstream::settings::{list_upstreams, write_settings};

/// The clients of each of the two profiles.
const EACH: usize = 4;
/// The time within which lists have to be right.
const SOON: Duration = Duration::from_millis(500);
/// How long a list is waited for, and how long nobody may hear of anything more afterwards.
const PATIENCE: Duration = Duration::from_secs(5);
const QUIET: Duration = Duration::from_millis(400);

/// What the settings are made of. Each change sets some of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    mode: &'static str,
    is_enabled: bool,
    /// How many tools the server that changes has.
    tools: usize,
    /// Whether a rule denies the tools that create.
    denies: bool,
    /// Whether the clients of the narrow profile see it.
    narrow_sees: bool,
    has_extra: bool,
}

impl State {
    fn settings(&self) -> Outcome<Value> {
        let steady = Server::scripted("steady", &[])?.entry(&json!({}));
        let words = format!("tools={}", self.tools);
        let mut moving = Server::scripted("moving", &[&words])?.entry(&json!({"mode": self.mode}));
        moving["disabled"] = (!self.is_enabled).into();
        moving["env"] = json!({"SECRET_WORD": "${CHANGING_WORD:-none}"});
        let mut servers = json!({"steady": steady, "moving": moving});
        if self.has_extra {
            servers["extra"] =
                Server::scripted("extra", &["tools=10"])?.entry(&json!({"mode": "passthrough"}));
        }
        let sees = if self.narrow_sees { json!(["steady", "moving"]) } else { json!(["steady"]) };
        let narrow = json!({"name": "narrow", "match": {"client": "narrow-*"}, "upstreams": sees});
        let rule = json!({"effect": "deny", "tools": ["moving/create_*"]});
        let policy = if self.denies { json!([rule]) } else { json!([]) };
        Ok(json!({"mcpServers": servers, "sdl": {"profiles": [narrow], "policy": policy}}))
    }

    /// What a client of a profile has to be listed: tools of the server that changes, and of the extra one.
    fn view(&self, is_narrow: bool) -> View {
        let is_listed = self.is_enabled && self.mode == "passthrough" && (!is_narrow || self.narrow_sees);
        let created = if self.denies { self.tools / 10 } else { 0 };
        View {
            moving: if is_listed { self.tools - created } else { 0 },
            extra: if self.has_extra && !is_narrow { 10 } else { 0 },
        }
    }
}

/// The result of one change.
struct Told {
    slowest: Duration,
    most_often: usize,
}

pub(crate) fn run_live(options: &Options) -> Outcome {
    let env = TestEnv::new();
    let mut state = State {
        mode: "passthrough",
        is_enabled: true,
        tools: 20,
        denies: false,
        narrow_sees: false,
        has_extra: false,
    };
    write_settings(&env, &state.settings()?)?;
    let daemon = env.daemon();
    wait_until_known(&env, 2)?;
    let shared = Shared::default();
    let outcome = thread::scope(|scope| {
        for number in 0..2 * EACH {
            let name = if number < EACH { format!("wide-{number}") } else { format!("narrow-{number}") };
            let mut shim = env.shim(&env.home(), &[]);
            shim.initialize_as(&name)?;
            let mut caller = Caller::new(number, shim, &shared);
            scope.spawn(move || caller.call_until_over());
        }
        let outcome = run_changes(options, &env, &daemon, &shared, &mut state);
        shared.end();
        outcome
    });
    let (calls, failed) = shared.calls();
    println!("{calls} calls of the upstream that nobody touched, {} failed", failed.len());
    let mut faults = outcome?;
    faults.extend(failed.into_iter().take(5).map(|error| format!("a call of the steady upstream: {error}")));
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n").into()) }
}

fn run_changes(
    options: &Options,
    env: &TestEnv,
    daemon: &Daemon,
    shared: &Shared,
    state: &mut State,
) -> Outcome<Vec<String>> {
    let mut faults = Vec::new();
    pass_time(QUIET);
    println!("| change | way | told | lists right after | times told |\n|---|---|---|---:|---:|");
    for _ in 0..options.number("rounds", 3) {
        for change in &CHANGES {
            let before = state.clone();
            (change.apply)(state);
            let name = format!("{}, {}", change.shown, change.way.shown());
            match one_change(env, daemon, shared, change, (&before, state)) {
                Ok(told) => {
                    print_change(change, (&before, state), &told);
                    if told.slowest > change.way.most_time(SOON) {
                        faults.push(format!("{name}: lists were right after {:?}", told.slowest));
                    }
                }
                Err(error) => faults.push(format!("{name}: {error}")),
            }
        }
        faults.extend(break_file(env, shared, state).err().map(|error| format!("a broken file: {error}")));
        faults.extend(change_credential(env, shared).err().map(|error| format!("a credential: {error}")));
    }
    Ok(faults)
}

fn print_change(change: &Change, (before, after): (&State, &State), told: &Told) {
    let is_told = |is_narrow: bool| before.view(is_narrow) != after.view(is_narrow);
    let who = match (is_told(false), is_told(true)) {
        (true, true) => "all",
        (true, false) => "wide",
        (false, true) => "narrow",
        (false, false) => "none",
    };
    let (name, way) = (change.shown, change.way.shown());
    println!("| {name} | {way} | {who} | {:.0} ms | {} |", told.slowest.as_secs_f64() * 1e3, told.most_often);
}

/// Makes a change, waits until every list is right, and checks that nobody else heard of it.
fn one_change(
    env: &TestEnv,
    daemon: &Daemon,
    shared: &Shared,
    change: &Change,
    (before, after): (&State, &State),
) -> Outcome<Told> {
    let began = Instant::now();
    changes::make_change(env, daemon, &change.way, &after.settings()?)?;
    let mut slowest = Duration::ZERO;
    for number in 0..2 * EACH {
        let is_narrow = number >= EACH;
        let wanted = after.view(is_narrow);
        if before.view(is_narrow) == wanted {
            continue;
        }
        let right = shared.wait_for(PATIENCE, |heard| {
            heard
                .iter()
                .find(|one| one.client == number && one.at >= began && one.view == wanted)
                .map(|one| one.at)
        });
        let right = right.ok_or_else(|| {
            let heard = shared.heard(|one| one.client == number && one.at >= began);
            format!("client {number} wants {wanted:?} and heard {heard:?}")
        })?;
        slowest = slowest.max(right.duration_since(began));
    }
    pass_time(QUIET);
    let heard = shared.heard(|one| one.at >= began);
    let is_wrong = |one: &&Heard| before.view(one.client >= EACH) == after.view(one.client >= EACH);
    if let Some(wrong) = heard.iter().find(is_wrong) {
        return Err(format!("client {} was told, and its list did not change", wrong.client).into());
    }
    let times = |number: usize| heard.iter().filter(|one| one.client == number).count();
    Ok(Told { slowest, most_often: (0..2 * EACH).map(times).max().unwrap_or(0) })
}

/// A file with a fault changes nothing but the status.
fn break_file(env: &TestEnv, shared: &Shared, state: &State) -> Outcome {
    let began = Instant::now();
    let mut broken = state.settings()?;
    broken["mcpServers"]["moving"]["sdl"]["moed"] = "passthrough".into();
    write_settings(env, &broken)?;
    pass_time(QUIET);
    let status = crate::upstream::settings::ask_ctl(env, &["upstream", "ls"])?;
    let error = status["configError"].as_str().unwrap_or_default().to_owned();
    if !error.contains("moed") {
        return Err(format!("the status names no error: {status}").into());
    }
    write_settings(env, &state.settings()?)?;
    pass_time(QUIET);
    let heard = shared.heard(|one| one.at >= began);
    if heard.is_empty() { Ok(()) } else { Err(format!("clients were told of nothing: {heard:?}").into()) }
}

/// A new value of a credential tells nobody, and is used at the next start.
fn change_credential(env: &TestEnv, shared: &Shared) -> Outcome {
    let began = Instant::now();
    changes::set_credential(env, "CHANGING_WORD", "opensesame")?;
    pass_time(QUIET);
    if list_upstreams(env)?.iter().any(|one| one["state"] == "misconfigured") {
        return Err("an upstream is misconfigured".into());
    }
    let heard = shared.heard(|one| one.at >= began);
    if heard.is_empty() { Ok(()) } else { Err(format!("clients were told: {heard:?}").into()) }
}

/// The way of each change, for the table.
impl Way {
    /// `sdlctl` is a program that is started first.
    fn most_time(&self, soon: Duration) -> Duration {
        soon + if matches!(self, Self::Ctl(_)) { Duration::from_millis(200) } else { Duration::ZERO }
    }
}
