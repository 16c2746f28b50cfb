//! Whether source is shown as it is: a pure function of what was asked, what was found, and the policy.
//!
//! A window is approved if its identifiers are there (or need not be) **and** its symbol is in a current slice, next to one, or
//! useful enough; see [`Ask::utility`]. Breaking the glass overrides both, where that is allowed. What is approved and too
//! large is served as a lower rung.

use super::Policy;

/// What was asked, and what is known of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ask {
    /// The file is one of secrets.
    pub(crate) secret_file: bool,
    /// Identifiers that tell something, as asked for.
    pub(crate) wanted: usize,
    /// Keywords among what was asked for.
    pub(crate) keywords: usize,
    /// How many of the wanted stand in the window.
    pub(crate) found: usize,
    /// In a current slice.
    pub(crate) in_slice: bool,
    /// Next to one.
    pub(crate) in_frontier: bool,
    /// How near the symbol is to the task that the request tells, 0 to 1.
    pub(crate) relevance: f64,
    /// How far the reason speaks of what is asked for, 0 to 1.
    pub(crate) reason: f64,
    /// Lines that are expected.
    pub(crate) expected: u32,
    /// Lines and tokens of the window.
    pub(crate) lines: u32,
    pub(crate) tokens: usize,
    /// The most tokens that the request and the policy leave.
    pub(crate) most_tokens: usize,
    /// Whether the window is a whole symbol, which is better shown by a lower rung than cut.
    pub(crate) whole: bool,
    pub(crate) break_glass: bool,
}

/// What to serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The window.
    Window,
    /// The lines around the identifiers: the window is too large.
    HotPath,
    /// The shape: the window is too large, and there are no identifiers to go by.
    Skeleton,
    /// Nothing.
    Denied,
}

/// Which condition failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lacking {
    /// Nothing.
    Nothing,
    /// The file may not be shown.
    Secret,
    /// Identifiers that tell something.
    Identifiers,
    /// Their being there.
    Matches,
    /// A reason to believe that it is needed.
    Relevance,
}

/// A decision with its reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) verdict: Verdict,
    pub(crate) lacking: Lacking,
    pub(crate) why: Vec<String>,
}

impl Ask {
    /// How useful the window is likely to be, 0 to 1: 0.35 for the share of the identifiers found, 0.3 for relevance to the
    /// task, 0.2 for how close the expected lines are to those there, 0.15 for a reason that speaks of it.
    pub(crate) fn utility(&self) -> f64 {
        let found = if self.wanted == 0 { 0.0 } else { self.found as f64 / self.wanted as f64 };
        let (small, large) = (self.lines.min(self.expected), self.lines.max(self.expected).max(1));
        let fit = f64::from(small) / f64::from(large);
        0.35 * found + 0.3 * self.relevance.clamp(0.0, 1.0) + 0.2 * fit + 0.15 * self.reason.clamp(0.0, 1.0)
    }
}

/// Decides.
pub(crate) fn decide(ask: &Ask, policy: &Policy) -> Decision {
    let mut why = Vec::new();
    let denied = |lacking, why| Decision { verdict: Verdict::Denied, lacking, why };
    if ask.secret_file {
        why.push("the file holds secrets: its text is never served, whatever the policy".to_owned());
        return denied(Lacking::Secret, why);
    }
    let mut lacking = Lacking::Nothing;
    if ask.found > 0 {
        why.push(format!("{} of {} identifiers are in the range", ask.found, ask.wanted));
    } else if !policy.require_identifiers {
        why.push("the policy requires no identifiers".to_owned());
    } else if ask.wanted == 0 {
        lacking = Lacking::Identifiers;
        let only = if ask.keywords > 0 { "only keywords were given" } else { "none were given" };
        why.push(format!("the policy requires identifiers, and {only}"));
    } else {
        lacking = Lacking::Matches;
        why.push("none of the identifiers is in the range".to_owned());
    }
    let utility = ask.utility();
    let scored = format!("utility {utility:.2} against a threshold of {:.2}", policy.utility_threshold);
    if ask.in_slice {
        why.push("the symbol is in a current slice".to_owned());
    } else if ask.in_frontier {
        why.push("the symbol is next to a current slice".to_owned());
    } else if !policy.default_deny_raw {
        why.push("the policy asks for no slice".to_owned());
    } else if utility >= policy.utility_threshold {
        why.push(scored);
    } else {
        why.push(format!("the symbol is in no current slice or frontier; {scored}"));
        if lacking == Lacking::Nothing {
            lacking = Lacking::Relevance;
        }
    }
    if lacking != Lacking::Nothing {
        if !ask.break_glass {
            return denied(lacking, why);
        }
        if !policy.allow_break_glass {
            why.push("breakGlass is not allowed by the policy".to_owned());
            return denied(lacking, why);
        }
        why.push("breakGlass overrides that; it is in the audit log".to_owned());
    }
    if ask.expected > policy.max_window_lines {
        why.push(format!("expectedLines was clamped to {}", policy.max_window_lines));
    }
    let lines = ask.lines > policy.max_window_lines;
    let tokens = ask.tokens > ask.most_tokens;
    let verdict = match (ask.whole && (lines || tokens), ask.found > 0) {
        (false, _) => Verdict::Window,
        // Who breaks the glass wants the text itself, as much as may be.
        (true, _) if lacking != Lacking::Nothing => Verdict::Window,
        (true, true) => Verdict::HotPath,
        (true, false) => Verdict::Skeleton,
    };
    if verdict != Verdict::Window {
        let of = if lines {
            format!("{} lines, {} are allowed", ask.lines, policy.max_window_lines)
        } else {
            format!("{} tokens, {} are allowed", ask.tokens, ask.most_tokens)
        };
        let rung =
            if verdict == Verdict::HotPath { "the lines around the identifiers" } else { "a skeleton" };
        why.push(format!("served as {rung}: the symbol has {of}"));
    }
    Decision { verdict, lacking, why }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask() -> Ask {
        Ask {
            wanted: 2,
            found: 1,
            in_slice: true,
            expected: 40,
            lines: 40,
            tokens: 300,
            most_tokens: 1_400,
            whole: true,
            ..Ask::default()
        }
    }

    /// A name, what differs from a request in a slice, what differs from the default policy, and what comes of it.
    type Row = (&'static str, fn(&mut Ask), fn(&mut Policy), Verdict, Lacking, &'static str);

    #[test]
    fn every_branch_of_the_decision() {
        use Lacking::{Identifiers, Matches, Nothing, Relevance, Secret};
        use Verdict::{Denied, HotPath, Skeleton, Window};
        let same: fn(&mut Policy) = |_| {};
        let rows: &[Row] = &[
            ("in a slice", |_| {}, same, Window, Nothing, "in a current slice"),
            (
                "in the frontier",
                |a| (a.in_slice, a.in_frontier) = (false, true),
                same,
                Window,
                Nothing,
                "next to",
            ),
            (
                "useful",
                |a| (a.in_slice, a.found, a.relevance) = (false, 2, 0.5),
                same,
                Window,
                Nothing,
                "utility 0.70",
            ),
            (
                "exactly useful",
                |a| (a.in_slice, a.found, a.reason) = (false, 2, 1.0),
                |p| p.utility_threshold = 0.7,
                Window,
                Nothing,
                "utility 0.70",
            ),
            (
                "useless",
                |a| (a.in_slice, a.expected) = (false, 400),
                same,
                Denied,
                Relevance,
                "no current slice",
            ),
            (
                "useless, no slice needed",
                |a| (a.in_slice, a.expected) = (false, 100),
                |p| p.default_deny_raw = false,
                Window,
                Nothing,
                "asks for no slice",
            ),
            ("none found", |a| a.found = 0, same, Denied, Matches, "none of the identifiers"),
            (
                "none found, none required",
                |a| a.found = 0,
                |p| p.require_identifiers = false,
                Window,
                Nothing,
                "requires no identifiers",
            ),
            ("none given", |a| (a.found, a.wanted) = (0, 0), same, Denied, Identifiers, "none were given"),
            (
                "keywords given",
                |a| (a.found, a.wanted, a.keywords) = (0, 0, 2),
                same,
                Denied,
                Identifiers,
                "only keywords",
            ),
            (
                "none given, none required",
                |a| (a.found, a.wanted) = (0, 0),
                |p| p.require_identifiers = false,
                Window,
                Nothing,
                "requires no",
            ),
            (
                "both lacking",
                |a| (a.found, a.in_slice) = (0, false),
                same,
                Denied,
                Matches,
                "no current slice",
            ),
            (
                "glass broken",
                |a| (a.found, a.break_glass) = (0, true),
                |p| p.allow_break_glass = true,
                Window,
                Matches,
                "overrides",
            ),
            (
                "glass broken for relevance",
                |a| (a.in_slice, a.expected, a.break_glass) = (false, 150, true),
                |p| (p.allow_break_glass, p.utility_threshold) = (true, 1.0),
                Window,
                Relevance,
                "overrides",
            ),
            (
                "glass may not be broken",
                |a| (a.found, a.break_glass) = (0, true),
                same,
                Denied,
                Matches,
                "not allowed",
            ),
            (
                "glass need not be broken",
                |a| a.break_glass = true,
                same,
                Window,
                Nothing,
                "in a current slice",
            ),
            (
                "glass broken on a large symbol",
                |a| (a.found, a.lines, a.break_glass) = (0, 900, true),
                |p| p.allow_break_glass = true,
                Window,
                Matches,
                "overrides",
            ),
            ("a secret", |a| a.secret_file = true, same, Denied, Secret, "secrets"),
            (
                "a secret behind glass",
                |a| (a.secret_file, a.break_glass) = (true, true),
                |p| p.allow_break_glass = true,
                Denied,
                Secret,
                "secrets",
            ),
            (
                "a secret, all allowed",
                |a| a.secret_file = true,
                |p| (p.default_deny_raw, p.require_identifiers, p.redact_secrets) = (false, false, false),
                Denied,
                Secret,
                "secrets",
            ),
            ("clamped", |a| a.expected = 500, same, Window, Nothing, "clamped to 180"),
            ("too many lines", |a| a.lines = 181, same, HotPath, Nothing, "181 lines"),
            ("as many lines as allowed", |a| a.lines = 180, same, Window, Nothing, "slice"),
            ("too many tokens", |a| a.tokens = 1_401, same, HotPath, Nothing, "1401 tokens"),
            (
                "too large, no identifiers",
                |a| (a.lines, a.found) = (181, 0),
                |p| p.require_identifiers = false,
                Skeleton,
                Nothing,
                "skeleton",
            ),
            (
                "too large, no whole symbol",
                |a| (a.lines, a.whole) = (181, false),
                same,
                Window,
                Nothing,
                "slice",
            ),
        ];
        for (name, asked, set, verdict, lacking, says) in rows {
            let (mut ask, mut policy) = (ask(), Policy::default());
            asked(&mut ask);
            set(&mut policy);
            let made = decide(&ask, &policy);
            assert_eq!((made.verdict, made.lacking), (*verdict, *lacking), "{name}: {:?}", made.why);
            assert!(made.why.iter().any(|why| why.contains(says)), "{name}: {:?}", made.why);
        }
    }

    #[test]
    fn utility_stays_between_0_and_1() {
        assert!(Ask::default().utility() < 1e-9);
        let best =
            Ask { wanted: 3, found: 3, relevance: 9.0, reason: 2.0, expected: 7, lines: 7, ..Ask::default() };
        assert!((best.utility() - 1.0).abs() < 1e-9);
    }
}
