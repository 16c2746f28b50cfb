//! The level of a score, and the decision that follows from it. Nothing else maps one to the other.

/// The lowest `medium` score: somebody should look at the change.
const MEDIUM: u32 = 26;
/// The lowest `high` score: somebody who knows the code has to look at the change.
pub(crate) const HIGH: u32 = 60;
/// The lowest `critical` score: many users are broken.
const CRITICAL: u32 = 75;

/// The verdict on a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// `low`, `medium`, `high` or `critical`.
    pub(crate) level: &'static str,
    /// `approve`, `review` or `escalate`.
    pub(crate) decision: &'static str,
    /// Whether somebody who knows the code has to look at it.
    pub(crate) escalate: bool,
}

impl Verdict {
    /// Returns the verdict on a score from 0 to 100, of a whole change or of one finding.
    pub(crate) fn of(score: u32) -> Self {
        let (level, decision) = match score {
            0..MEDIUM => ("low", "approve"),
            MEDIUM..HIGH => ("medium", "review"),
            HIGH..CRITICAL => ("high", "escalate"),
            _ => ("critical", "escalate"),
        };
        Self { level, decision, escalate: score >= HIGH }
    }
}

/// Returns the score of `users` that were not updated, though the interface they use was removed or has other
/// requirements. High from the first user on.
pub(super) fn left_behind_score(users: usize) -> f64 {
    if users == 0 {
        return 0.0;
    }
    (f64::from(HIGH) + 15.0 * ((users + 1) as f64).log10()).min(95.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_decision_and_escalation_agree_on_every_score() {
        for score in 0..=100 {
            let verdict = Verdict::of(score);
            let wanted = match verdict.level {
                "low" => ("approve", false),
                "medium" => ("review", false),
                _ => ("escalate", true),
            };
            assert_eq!((verdict.decision, verdict.escalate), wanted, "{score}");
        }
    }

    #[test]
    fn one_broken_user_is_high_and_many_are_critical() {
        assert_eq!(left_behind_score(0).to_bits(), 0.0_f64.to_bits());
        assert_eq!(Verdict::of(left_behind_score(1) as u32).level, "high");
        assert_eq!(Verdict::of(left_behind_score(172) as u32).level, "critical");
        assert!(left_behind_score(usize::MAX - 1) <= 95.0);
    }
}
