//! Decides whether raw source is shown: a pure function of the request, the match, and the policy.
//!
//! The gate asks two questions. Does the caller know what to look for: identifiers that are in the range? And does the
//! task lead here: is the symbol in a slice that somebody holds, or next to one, or is the request useful enough by
//! itself ([`Ask::utility`])? The symbol's name and its parameters count half, because its card shows them to anyone:
//! they prove only that the caller has its id.
//!
//! * Both hold: a window, or a lower rung where the window is larger than allowed.
//! * The caller knows what to look for, and no task leads here: the lines with the identifiers, which need no approval.
//! * Else it is denied, unless the caller breaks the glass where that is allowed.
//!
//! Nothing else counts. A wrong number of expected lines and an identifier that is not there are no reasons to deny.

use super::Policy;

/// The request, and the facts about its match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ask {
    /// Whether the file is one of secrets.
    pub(crate) secret_file: bool,
    /// Identifiers that were looked for, without keywords.
    pub(crate) wanted: usize,
    /// Keywords in the request.
    pub(crate) keywords: usize,
    /// How many of the wanted are in the range.
    pub(crate) found: usize,
    /// How many of those the symbol's card doesn't show.
    pub(crate) inner: usize,
    /// Whether the symbol is in a current slice.
    pub(crate) in_slice: bool,
    /// Whether it is next to one.
    pub(crate) in_frontier: bool,
    /// How near the symbol is to the task in the request, 0 to 1.
    pub(crate) relevance: f64,
    /// How well the reason matches the request, 0 to 1.
    pub(crate) reason: f64,
    /// Lines and tokens of the window.
    pub(crate) lines: u32,
    pub(crate) tokens: usize,
    /// The most tokens that the request and the policy allow.
    pub(crate) most_tokens: usize,
    /// Whether the window is a whole symbol, which is better shown by a lower rung than cut.
    pub(crate) whole: bool,
    pub(crate) break_glass: bool,
}

/// The rung to serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The window.
    Window,
    /// The lines around the identifiers.
    HotPath,
    /// The shape: the window is too large, and there are no identifiers to select lines by.
    Skeleton,
    /// Nothing.
    Denied,
}

/// A decision with its reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) verdict: Verdict,
    /// The conditions that are met.
    pub(crate) held: Vec<String>,
    /// Those that are not met, if that is why it is denied.
    pub(crate) failed: Vec<String>,
    /// Those that are not met and were overridden by breaking the glass.
    pub(crate) overridden: Vec<String>,
    /// Why a lower rung is served in place of the window.
    pub(crate) downgraded: Vec<String>,
}

impl Ask {
    /// How useful the window is likely to be, 0 to 1: 0.4 for identifiers, 0.4 for relevance to the task, 0.2 for a
    /// reason that matches.
    ///
    /// Identifiers count in full if the card doesn't show at least one of them and at least half of them are found.
    /// Otherwise they are treated as a list of guesses.
    pub(crate) fn utility(&self) -> f64 {
        let found = if self.wanted == 0 { 0.0 } else { self.found as f64 / self.wanted as f64 };
        let known = if self.inner > 0 { 1.0 } else { 0.5 };
        0.4 * known * (2.0 * found).min(1.0)
            + 0.4 * self.relevance.clamp(0.0, 1.0)
            + 0.2 * self.reason.clamp(0.0, 1.0)
    }

    /// Returns how to make the request more useful.
    fn lacks(&self) -> String {
        let mut lacks = Vec::new();
        if self.inner == 0 {
            lacks.push("identifiers from inside the symbol, which its skeleton and search show");
        }
        if self.reason < 1.0 {
            lacks.push("a reason that says what in the symbol is needed");
        }
        if self.relevance < 1.0 {
            lacks.push("a slice or sliceContext of a task that leads to the symbol");
        }
        lacks.join(", or ")
    }
}

impl Decision {
    /// Returns all its reasons, for the log.
    pub(crate) fn why(&self) -> Vec<String> {
        let overridden = self.overridden.iter().map(|why| format!("overridden: {why}"));
        let all = self.failed.iter().chain(&self.held).chain(&self.downgraded);
        all.cloned().chain(overridden).collect()
    }
}

/// Decides which rung to serve.
pub(crate) fn decide_access(ask: &Ask, policy: &Policy) -> Decision {
    let mut made = Decision {
        verdict: Verdict::Denied,
        held: Vec::new(),
        failed: Vec::new(),
        overridden: Vec::new(),
        downgraded: Vec::new(),
    };
    if ask.secret_file {
        made.failed.push("the file holds secrets: its text is never served, whatever the policy".to_owned());
        return made;
    }
    let known = passes_identifiers(ask, policy, &mut made);
    let relevant = passes_relevance(ask, policy, &mut made);
    if !(known && relevant) {
        let glass = ask.break_glass && policy.allow_break_glass;
        if glass {
            made.overridden = std::mem::take(&mut made.failed);
            made.held.push("breakGlass: the policy allows it, and it is in the audit log".to_owned());
            // A caller who breaks the glass wants the text itself, as much of it as possible.
            made.verdict = Verdict::Window;
            return made;
        }
        if ask.break_glass {
            made.failed.push("the policy does not allow breakGlass".to_owned());
        }
        if known && ask.inner > 0 {
            made.verdict = Verdict::HotPath;
            made.downgraded = std::mem::take(&mut made.failed);
        }
        return made;
    }
    made.verdict = Verdict::Window;
    let lines = ask.lines > policy.max_window_lines;
    if ask.whole && (lines || ask.tokens > ask.most_tokens) {
        made.verdict = if ask.found > 0 { Verdict::HotPath } else { Verdict::Skeleton };
        let rung = if ask.found > 0 { "the lines around the identifiers" } else { "a skeleton" };
        let of = if lines {
            format!("{} lines, {} are allowed", ask.lines, policy.max_window_lines)
        } else {
            format!("{} tokens, {} are allowed", ask.tokens, ask.most_tokens)
        };
        made.downgraded.push(format!("served as {rung}: the symbol has {of}"));
    }
    made
}

/// Whether the caller knows what to look for.
fn passes_identifiers(ask: &Ask, policy: &Policy, made: &mut Decision) -> bool {
    if ask.found > 0 {
        made.held.push(format!("{} of {} identifiers are in the range", ask.found, ask.wanted));
    } else if !policy.require_identifiers {
        made.held.push("the policy requires no identifiers".to_owned());
    } else if ask.wanted == 0 {
        let only = if ask.keywords > 0 { "only keywords were given" } else { "none were given" };
        made.failed.push(format!("the policy requires identifiers, and {only}"));
        return false;
    } else {
        made.failed.push("none of the identifiers is in the range".to_owned());
        return false;
    }
    true
}

/// Whether the task leads here.
fn passes_relevance(ask: &Ask, policy: &Policy, made: &mut Decision) -> bool {
    let (utility, threshold) = (ask.utility(), policy.utility_threshold);
    if ask.in_slice {
        made.held.push("the symbol is in a current slice".to_owned());
    } else if ask.in_frontier {
        made.held.push("the symbol is next to a current slice".to_owned());
    } else if !policy.default_deny_raw {
        made.held.push("the policy asks for no slice".to_owned());
    } else if utility + 1e-9 >= threshold {
        made.held.push(format!("utility {utility:.2} reaches the threshold of {threshold:.2}"));
    } else {
        made.failed.push(format!(
            "the symbol is in no current slice or frontier, and utility {utility:.2} is below the threshold of \
             {threshold:.2}; what would raise it: {}",
            ask.lacks()
        ));
        return false;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask() -> Ask {
        Ask {
            wanted: 2,
            found: 1,
            inner: 1,
            in_slice: true,
            lines: 40,
            tokens: 300,
            most_tokens: 1_400,
            whole: true,
            ..Ask::default()
        }
    }

    /// A name; the changes to a request in a slice; the changes to the default policy; the verdict; the list that has
    /// the reason, and the reason.
    type Row = (&'static str, fn(&mut Ask), fn(&mut Policy), Verdict, In, &'static str);

    #[derive(Clone, Copy)]
    enum In {
        Held,
        Failed,
        Overridden,
        Downgraded,
    }

    #[test]
    fn every_branch_of_the_decision() {
        use In::{Downgraded, Failed, Held, Overridden};
        use Verdict::{Denied, HotPath, Skeleton, Window};
        let same: fn(&mut Policy) = |_| {};
        let rows: &[Row] = &[
            ("in a slice", |_| {}, same, Window, Held, "in a current slice"),
            (
                "in the frontier",
                |a| (a.in_slice, a.in_frontier) = (false, true),
                same,
                Window,
                Held,
                "next to",
            ),
            (
                "useful by its reason",
                |a| (a.in_slice, a.reason) = (false, 0.5),
                same,
                Window,
                Held,
                "utility 0.50 reaches",
            ),
            (
                "useful by its task",
                |a| (a.in_slice, a.inner, a.relevance) = (false, 0, 1.0),
                same,
                Window,
                Held,
                "utility 0.60",
            ),
            ("vague", |a| a.in_slice = false, same, HotPath, Downgraded, "utility 0.40 is below"),
            (
                "known from the card alone",
                |a| (a.in_slice, a.inner, a.reason) = (false, 0, 1.0),
                same,
                Denied,
                Failed,
                "from inside the symbol",
            ),
            (
                "guesses",
                |a| (a.in_slice, a.wanted, a.reason) = (false, 8, 1.0),
                same,
                HotPath,
                Downgraded,
                "utility 0.30",
            ),
            (
                "vague, no slice needed",
                |a| a.in_slice = false,
                |p| p.default_deny_raw = false,
                Window,
                Held,
                "asks for no slice",
            ),
            ("none found", |a| (a.found, a.inner) = (0, 0), same, Denied, Failed, "none of the identifiers"),
            (
                "none found, none required",
                |a| (a.found, a.inner) = (0, 0),
                |p| p.require_identifiers = false,
                Window,
                Held,
                "requires no identifiers",
            ),
            (
                "none given",
                |a| (a.found, a.inner, a.wanted) = (0, 0, 0),
                same,
                Denied,
                Failed,
                "none were given",
            ),
            (
                "keywords given",
                |a| (a.found, a.inner, a.wanted, a.keywords) = (0, 0, 0, 2),
                same,
                Denied,
                Failed,
                "only keywords",
            ),
            (
                "glass broken",
                |a| (a.found, a.inner, a.break_glass) = (0, 0, true),
                |p| p.allow_break_glass = true,
                Window,
                Overridden,
                "none of the identifiers",
            ),
            (
                "glass broken for relevance",
                |a| (a.in_slice, a.break_glass) = (false, true),
                |p| p.allow_break_glass = true,
                Window,
                Overridden,
                "below the threshold",
            ),
            (
                "glass may not be broken",
                |a| (a.found, a.inner, a.break_glass) = (0, 0, true),
                same,
                Denied,
                Failed,
                "does not allow breakGlass",
            ),
            ("glass need not be broken", |a| a.break_glass = true, same, Window, Held, "in a current slice"),
            (
                "glass broken on a large symbol",
                |a| (a.found, a.inner, a.lines, a.break_glass) = (0, 0, 900, true),
                |p| p.allow_break_glass = true,
                Window,
                Held,
                "breakGlass",
            ),
            (
                "a secret behind glass, all allowed",
                |a| (a.secret_file, a.break_glass) = (true, true),
                |p| (p.allow_break_glass, p.default_deny_raw, p.require_identifiers) = (true, false, false),
                Denied,
                Failed,
                "secrets",
            ),
            ("too many lines", |a| a.lines = 181, same, HotPath, Downgraded, "181 lines"),
            ("as many lines as allowed", |a| a.lines = 180, same, Window, Held, "slice"),
            ("too many tokens", |a| a.tokens = 1_401, same, HotPath, Downgraded, "1401 tokens"),
            (
                "too large, no identifiers",
                |a| (a.lines, a.found, a.inner) = (181, 0, 0),
                |p| p.require_identifiers = false,
                Skeleton,
                Downgraded,
                "181 lines",
            ),
            (
                "too large, no whole symbol",
                |a| (a.lines, a.whole) = (181, false),
                same,
                Window,
                Held,
                "slice",
            ),
        ];
        for (name, asked, set, verdict, list, says) in rows {
            let (mut ask, mut policy) = (ask(), Policy::default());
            asked(&mut ask);
            set(&mut policy);
            let made = decide_access(&ask, &policy);
            assert_eq!(made.verdict, *verdict, "{name}: {made:?}");
            let list = match list {
                Held => &made.held,
                Failed => &made.failed,
                Overridden => &made.overridden,
                Downgraded => &made.downgraded,
            };
            assert!(list.iter().any(|why| why.contains(says)), "{name}: {made:?}");
            assert_eq!(
                made.failed.is_empty(),
                made.verdict != Denied,
                "{name}: what failed is why it is denied"
            );
        }
    }

    #[test]
    fn utility_is_from_0_to_1_and_one_wrong_guess_costs_nothing() {
        assert!(Ask::default().utility() < 1e-9);
        let best = Ask { wanted: 3, found: 3, inner: 1, relevance: 9.0, reason: 2.0, ..Ask::default() };
        assert!((best.utility() - 1.0).abs() < 1e-9);
        let one = Ask { wanted: 1, found: 1, inner: 1, ..Ask::default() };
        let and_a_guess = Ask { wanted: 2, ..one.clone() };
        assert!((one.utility() - and_a_guess.utility()).abs() < 1e-9);
    }
}
