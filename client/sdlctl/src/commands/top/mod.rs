//! `top`: what the daemon does now, on a screen or as one line of JSON for each second.

mod model;
mod table;
mod view;

use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use sdl_client::{CallOptions, Client, Feed, News};
use serde_json::{Value, json};
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::output::{self, Failure, Outcome};
use crate::screen::{Screen, has_terminal};
use crate::session::{asked_to_end, daemon_paths, make_runtime, own_hello, refused, start_daemon};
use model::Model;
use view::View;

/// How often the state of the daemon is asked for.
const SECOND: Duration = Duration::from_secs(1);

/// How long the daemon may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Events that follow each other are shown together after this long.
const FRAME: Duration = Duration::from_millis(50);

pub(crate) fn run_top(as_json: bool) -> Result<Outcome, Failure> {
    if !as_json && !has_terminal() {
        let message = "top needs a terminal; for one JSON object each second run: sdlctl top --json";
        return Err(Failure::Usage(message.to_owned()));
    }
    let paths = daemon_paths()?;
    let runtime = make_runtime()?;
    start_daemon(&runtime, &paths)?;
    let feed = Feed::new(paths.socket(), own_hello(), json!({ "calls": true }).to_string());
    let mut top =
        Top { model: Model::default(), feed, daemon: Daemon { socket: paths.socket(), client: None } };
    runtime.block_on(async { if as_json { top.print().await } else { top.show().await } })
}

struct Top<'a> {
    model: Model,
    feed: Feed,
    daemon: Daemon<'a>,
}

impl Top<'_> {
    /// Prints a snapshot each second, until Ctrl-C or until nobody reads it.
    async fn print(&mut self) -> Result<Outcome, Failure> {
        let mut seconds = ticks(SECOND);
        let mut ended = std::pin::pin!(asked_to_end());
        loop {
            tokio::select! {
                told = self.feed.next() => self.take(told.map_err(|error| refused(&error))?),
                _ = seconds.tick() => {
                    self.look().await;
                    if !output::print_live_json(&self.model.snapshot(Instant::now(), unix_ms())) {
                        return Ok(Outcome::Good);
                    }
                }
                () = &mut ended => return Ok(Outcome::Good),
            }
        }
    }

    /// Shows it on the terminal until a person quits.
    async fn show(&mut self) -> Result<Outcome, Failure> {
        let mut screen = Screen::open().map_err(|error| Failure::io("can't use the terminal", &error))?;
        let mut view = View::default();
        let (mut seconds, mut frames) = (ticks(SECOND), ticks(FRAME));
        let mut is_drawn = false;
        let mut ended = std::pin::pin!(asked_to_end());
        loop {
            tokio::select! {
                told = self.feed.next() => {
                    self.take(told.map_err(|error| refused(&error))?);
                    is_drawn = false;
                }
                key = screen.key() => {
                    if !view.press(key) {
                        return Ok(Outcome::Good);
                    }
                    is_drawn = false;
                }
                _ = seconds.tick() => {
                    self.look().await;
                    is_drawn = false;
                }
                _ = frames.tick(), if !is_drawn => {
                    let (model, now) = (&self.model, Instant::now());
                    screen
                        .draw(|frame| view.draw(frame, model, now))
                        .map_err(|error| Failure::io("can't draw", &error))?;
                    is_drawn = true;
                }
                () = &mut ended => return Ok(Outcome::Good),
            }
        }
    }

    fn take(&mut self, told: News) {
        match told {
            News::Began(_) => self.model.away = None,
            News::Away(why) => self.model.away = Some(why),
            News::Lost(count) => self.model.lost += count,
            News::Event { method, params } => {
                let event: Value = serde_json::from_slice(&params).unwrap_or_default();
                self.model.take_event(&method, &event, Instant::now());
            }
        }
    }

    async fn look(&mut self) {
        self.model.forget_old(Instant::now());
        let status = self.daemon.ask("daemon/status").await;
        let sessions = self.daemon.ask("work/sessions").await;
        match status {
            Some(status) => self.model.take_status(status, &sessions.unwrap_or_default(), Instant::now()),
            None => {
                self.model.away.get_or_insert_with(|| "it does not answer".to_owned());
            }
        }
    }
}

/// The daemon that is asked for its state; another one after a restart.
struct Daemon<'a> {
    socket: &'a Path,
    client: Option<Client>,
}

impl Daemon<'_> {
    async fn ask(&mut self, method: &str) -> Option<Value> {
        if !self.client.as_ref().is_some_and(Client::is_open) {
            let connecting = timeout(PATIENCE, Client::connect(self.socket, own_hello())).await;
            self.client = Some(connecting.ok()?.ok()?);
        }
        let options = CallOptions::read().deadline(PATIENCE);
        let answer = self.client.as_ref()?.call(method, "{}", options).await.ok()?;
        serde_json::from_slice(&answer).ok()
    }
}

fn ticks(every: Duration) -> tokio::time::Interval {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    ticks
}

fn unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}
