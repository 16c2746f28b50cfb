//! Which definition of a tool is served, reported or held. Decided on hashes alone.
//!
//! * The **pinned** definition of a tool is the first that was seen, or the last that a person approved.
//! * The **accepted** one is served in place of it although nobody approved it, and reported as changed. `warn` accepts every
//!   definition. `auto` accepts one that came with a new run of the server, as an upgrade does, and is not flagged.
//! * Any other one is **held**: neither listed nor found, and not called. `auto` then accepts nothing more of this tool until
//!   a person approves a definition, because else a server would only have to change twice, or to restart.
//! * `strict` serves the pinned one alone. `off` pins every definition that comes.
//!
//! What a tool was before it vanished counts when it comes back.

use sdl_settings::Pin as Mode;
use serde::{Deserialize, Serialize};

/// The memory of a tool's definitions, by their hashes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PinState {
    /// The first definition that was seen, or the last that a person approved.
    pub(crate) pinned: String,
    /// A later one that is served in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) accepted: Option<String>,
    /// Why a definition was held that nobody has approved since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) suspect: Option<Suspicion>,
    /// The definition that was seen last.
    pub(crate) current: String,
    /// When that one came, in Unix milliseconds.
    pub(crate) since_ms: u64,
}

/// Why a definition is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Suspicion {
    /// It changed while its server ran.
    WhileRunning,
    /// Its text is flagged.
    Flagged,
    /// The person wants to see every change first.
    Strict,
}

impl Suspicion {
    /// For people, after "held because".
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::WhileRunning => "it changed while its server ran",
            Self::Flagged => "its new text is flagged",
            Self::Strict => "`pin` is `strict`",
        }
    }
}

/// What becomes of the definition that was seen last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Served as it is known.
    #[default]
    Pinned,
    /// Served, and reported as changed.
    Changed,
    /// Not served until a person approves it.
    Held,
}

impl Standing {
    /// The word in answers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Changed => "changed",
            Self::Held => "held",
        }
    }
}

/// What the log should tell of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PinEvent {
    /// Another one than the pinned is served from now on.
    Changed,
    /// The first that is held since a person approved one.
    Held(Suspicion),
}

/// A definition in a reading.
pub(crate) struct Sight<'a> {
    pub(crate) hash: &'a str,
    /// Whether the same run of the server was read before.
    pub(crate) is_same_run: bool,
    /// Whether its text is flagged. Asked only if that decides something.
    pub(crate) is_flagged: &'a dyn Fn() -> bool,
    /// Unix milliseconds.
    pub(crate) at_ms: u64,
}

impl PinState {
    /// Pins the first definition that is seen.
    pub(crate) fn first(hash: &str, at_ms: u64) -> Self {
        let hash = hash.to_owned();
        Self { pinned: hash.clone(), accepted: None, suspect: None, current: hash, since_ms: at_ms }
    }

    /// Takes a definition in a reading. Also to be called with the same one when the mode changes.
    pub(crate) fn see(&mut self, sight: &Sight<'_>, mode: Mode) -> Option<PinEvent> {
        if self.current != sight.hash {
            sight.hash.clone_into(&mut self.current);
            self.since_ms = sight.at_ms;
        }
        if mode == Mode::Off {
            self.approve();
            return None;
        }
        if self.current == self.pinned {
            return None;
        }
        if mode == Mode::Strict {
            return self.hold(Suspicion::Strict);
        }
        if self.accepted.as_deref() == Some(sight.hash) {
            return None;
        }
        match mode {
            Mode::Auto if self.suspect.is_some() => None,
            Mode::Auto if sight.is_same_run => self.hold(Suspicion::WhileRunning),
            Mode::Auto if (sight.is_flagged)() => self.hold(Suspicion::Flagged),
            _ => self.accept(sight.is_same_run),
        }
    }

    fn hold(&mut self, why: Suspicion) -> Option<PinEvent> {
        // One row for all definitions until a person approves one: a server must not be able to fill the log.
        let is_first = self.suspect.is_none();
        self.suspect.get_or_insert(why);
        is_first.then_some(PinEvent::Held(why))
    }

    fn accept(&mut self, is_same_run: bool) -> Option<PinEvent> {
        let is_told = self.accepted.is_some() && is_same_run;
        self.accepted = Some(self.current.clone());
        self.suspect = None;
        (!is_told).then_some(PinEvent::Changed)
    }

    /// What becomes of the definition that was seen last.
    pub(crate) fn standing(&self, mode: Mode) -> Standing {
        let is_accepted = self.accepted.as_deref() == Some(&self.current);
        match mode {
            Mode::Off => Standing::Pinned,
            _ if self.current == self.pinned => Standing::Pinned,
            Mode::Warn => Standing::Changed,
            Mode::Auto if is_accepted => Standing::Changed,
            Mode::Auto | Mode::Strict => Standing::Held,
        }
    }

    /// Pins the definition that was seen last.
    pub(crate) fn approve(&mut self) {
        self.pinned.clone_from(&self.current);
        (self.accepted, self.suspect) = (None, None);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A moment in the history of a tool.
    #[derive(Clone, Copy, Debug)]
    enum Moment {
        /// A reading of this run that has this definition, or none of the tool.
        Read { run: u8, text: Option<u8> },
        /// The settings have this mode from now on.
        Set(Mode),
        /// A person approves what was seen last.
        Approve,
    }

    /// Definitions from here on are flagged.
    const FLAGGED: u8 = 3;

    fn name(text: u8) -> String {
        text.to_string()
    }

    /// Plays a history, as the readings of an upstream do.
    fn play(history: &[Moment]) -> (Option<PinState>, Mode, bool) {
        let (mut state, mut mode, mut is_there) = (None::<PinState>, Mode::Auto, false);
        let mut runs = Vec::new();
        for (at_ms, moment) in history.iter().enumerate() {
            let at_ms = at_ms as u64;
            match *moment {
                Moment::Read { run, text } => {
                    let is_same_run = runs.contains(&run);
                    runs.push(run);
                    is_there = text.is_some();
                    let Some(text) = text else { continue };
                    let hash = name(text);
                    let is_flagged = || text >= FLAGGED;
                    let sight = Sight { hash: &hash, is_same_run, is_flagged: &is_flagged, at_ms };
                    state.get_or_insert_with(|| PinState::first(&hash, at_ms)).see(&sight, mode);
                }
                Moment::Set(new) => {
                    mode = new;
                    if let Some(state) = state.as_mut().filter(|_| is_there) {
                        let hash = state.current.clone();
                        let sight = Sight { hash: &hash, is_same_run: true, is_flagged: &|| false, at_ms };
                        state.see(&sight, mode);
                    }
                }
                Moment::Approve => {
                    if let Some(state) = state.as_mut().filter(|_| is_there) {
                        state.approve();
                    }
                }
            }
        }
        (state, mode, is_there)
    }

    /// What the whole history says, looked at from its end, without any state: the law in its plainest form.
    struct Oracle<'a>(&'a [Moment]);

    impl Oracle<'_> {
        fn mode_at(&self, at: usize) -> Mode {
            let mut before = self.0[..=at].iter().rev();
            let set = before.find_map(|one| if let Moment::Set(mode) = one { Some(*mode) } else { None });
            set.unwrap_or(Mode::Auto)
        }

        /// The definition at a moment, if the tool is there.
        fn text_at(&self, at: usize) -> Option<u8> {
            let mut reads = self.0[..=at].iter().rev();
            reads
                .find_map(|one| if let Moment::Read { text, .. } = one { Some(*text) } else { None })
                .flatten()
        }

        /// The last moment at which the person vouched for what was there.
        fn vouched_at(&self, at: usize) -> Option<usize> {
            let first = (0..=at).find(|one| self.text_at(*one).is_some())?;
            let by_person = |one: &usize| {
                self.text_at(*one).is_some()
                    && (matches!(self.0[*one], Moment::Approve) || self.mode_at(*one) == Mode::Off)
            };
            Some((first..=at).rev().find(by_person).unwrap_or(first))
        }

        fn pinned_at(&self, at: usize) -> Option<u8> {
            self.text_at(self.vouched_at(at)?)
        }

        fn is_first_of_its_run(&self, at: usize) -> bool {
            let Moment::Read { run, .. } = self.0[at] else { return false };
            !self.0[..at].iter().any(|one| matches!(one, Moment::Read { run: other, .. } if *other == run))
        }

        /// Whether this moment makes its definition one that is served in place of the pinned one.
        fn accepts(&self, at: usize) -> bool {
            let (Some(text), Some(pinned)) = (self.text_at(at), self.pinned_at(at)) else { return false };
            if text == pinned || self.accepted_before(at) == Some(text) {
                return false;
            }
            match self.mode_at(at) {
                Mode::Warn => true,
                Mode::Auto => self.is_first_of_its_run(at) && text < FLAGGED && !self.is_suspect_before(at),
                Mode::Off | Mode::Strict => false,
            }
        }

        /// Since the person vouched, without this moment.
        fn since(&self, at: usize) -> std::ops::Range<usize> {
            self.vouched_at(at).map_or(at..at, |vouched| (vouched + 1).min(at)..at)
        }

        fn accepted_before(&self, at: usize) -> Option<u8> {
            self.since(at).rev().find(|one| self.accepts(*one)).and_then(|one| self.text_at(one))
        }

        /// Whether something was held that neither a person nor `warn` let pass since.
        fn is_suspect_before(&self, at: usize) -> bool {
            let last = self.since(at).rev().find(|one| self.accepts(*one) || self.holds(*one));
            last.is_some_and(|one| self.holds(one))
        }

        fn holds(&self, at: usize) -> bool {
            self.standing_at(at) == Some(Standing::Held)
        }

        fn standing_at(&self, at: usize) -> Option<Standing> {
            let (text, pinned) = (self.text_at(at)?, self.pinned_at(at)?);
            let is_accepted = self.accepts(at) || self.accepted_before(at) == Some(text);
            Some(match self.mode_at(at) {
                _ if text == pinned => Standing::Pinned,
                Mode::Off => Standing::Pinned,
                Mode::Warn => Standing::Changed,
                Mode::Auto if is_accepted => Standing::Changed,
                Mode::Auto | Mode::Strict => Standing::Held,
            })
        }
    }

    fn moment() -> impl Strategy<Value = Moment> {
        let mode = prop_oneof![Just(Mode::Off), Just(Mode::Warn), Just(Mode::Auto), Just(Mode::Strict)];
        prop_oneof![
            8 => (0_u8..4, proptest::option::weighted(0.85, 0_u8..5))
                .prop_map(|(run, text)| Moment::Read { run, text }),
            1 => mode.prop_map(Moment::Set),
            1 => Just(Moment::Approve)
        ]
    }

    fn read(run: u8, text: u8) -> Moment {
        Moment::Read { run, text: Some(text) }
    }

    fn standing(history: &[Moment]) -> Standing {
        let (state, mode, _) = play(history);
        state.unwrap().standing(mode)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3_000))]
        #[test]
        fn what_is_served_is_what_the_whole_history_says(history in proptest::collection::vec(moment(), 1..9)) {
            let (state, mode, is_there) = play(&history);
            let oracle = Oracle(&history);
            let at = history.len() - 1;
            prop_assert_eq!(mode, oracle.mode_at(at));
            let standing = state.as_ref().filter(|_| is_there).map(|state| state.standing(mode));
            prop_assert_eq!(standing, oracle.standing_at(at));
            if let Some(state) = state {
                prop_assert_eq!(Some(state.pinned), oracle.pinned_at(at).map(name));
            }
        }

        /// No server can have a definition served that it changed while it ran, by whatever else it does, before a person acts.
        #[test]
        fn nothing_brings_a_held_definition_into_service(
            after in proptest::collection::vec((0_u8..9, proptest::option::of(0_u8..5)), 0..12)
        ) {
            let mut history = vec![read(0, 0), read(0, 1)];
            for (run, text) in after {
                history.push(Moment::Read { run, text });
                let (state, mode, is_there) = play(&history);
                let state = state.unwrap();
                if is_there && state.standing(mode) != Standing::Held {
                    prop_assert_eq!(&state.current, "0");
                }
            }
        }
    }

    #[test]
    fn a_change_while_it_runs_is_held_and_an_upgrade_is_reported() {
        assert_eq!(standing(&[read(0, 0), read(0, 1)]), Standing::Held);
        assert_eq!(standing(&[read(0, 0), read(1, 1)]), Standing::Changed);
        assert_eq!(standing(&[read(0, 0), read(1, FLAGGED)]), Standing::Held);
        assert_eq!(standing(&[read(0, FLAGGED)]), Standing::Pinned, "a flag alone holds nothing");
        let vanished = Moment::Read { run: 0, text: None };
        assert_eq!(standing(&[read(0, 0), vanished, read(0, 1)]), Standing::Held);
        assert_eq!(standing(&[vanished, read(0, 0)]), Standing::Pinned, "it is new");
    }

    #[test]
    fn two_runs_at_a_time_may_show_two_versions() {
        // The first connection still shows what was there before the upgrade.
        let history = [read(0, 0), read(1, 1), read(0, 0), read(1, 1), read(0, 0)];
        assert_eq!(standing(&history), Standing::Pinned);
        assert_eq!(standing(&history[..4]), Standing::Changed);
    }

    #[test]
    fn the_log_gets_one_row_however_often_a_server_changes() {
        for mode in [Mode::Warn, Mode::Auto, Mode::Strict] {
            let mut state = PinState::first("0", 0);
            let mut events = 0;
            for text in 0..1_000_u64 {
                let hash = (text % 3).to_string();
                let sight = Sight { hash: &hash, is_same_run: true, is_flagged: &|| true, at_ms: text };
                events += u64::from(state.see(&sight, mode).is_some());
            }
            assert_eq!(events, 1, "{mode:?}");
        }
    }
}
