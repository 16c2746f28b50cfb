//! The features of the candidates' files that come from commits.

use sdl_model::FileId;

use crate::past::{NoPast, Touched};
use crate::search::plan::Plan;
use crate::{Evidence, LaneStatus, Source};

/// One row a candidate; all 0 without a history, so that it changes nothing then.
pub(super) struct Behind {
    /// How much messages about its file sound like the query, beside the candidate of which that is most true.
    pub(super) said: Vec<f32>,
    /// The same by itself.
    pub(super) alike: Vec<f32>,
    /// How often its file was changed in a year (logarithm), and how lately (logarithm of the days, less is later).
    pub(super) often: Vec<f32>,
    pub(super) days: Vec<f32>,
}

impl Behind {
    pub(super) fn of(
        source: &Source<'_>,
        plan: &Plan,
        homes: &[Option<FileId>],
        evidence: &mut Evidence,
    ) -> Self {
        let none = || vec![0.0_f32; homes.len()];
        let mut behind = Self { said: none(), alike: none(), often: none(), days: none() };
        let past = match source.past() {
            Ok(past) => past,
            Err(why) => {
                let note = match why {
                    NoPast::None => "there is no git history that can be read",
                    NoPast::Pending => "git's history is being read; ask again",
                };
                evidence.push("history", LaneStatus::Unavailable, 0, Some(note.to_owned()));
                return behind;
            }
        };
        let alike = past.alike(plan.terms.iter().map(|term| (term.term.as_str(), term.weight)));
        for (at, home) in homes.iter().enumerate() {
            let Some(home) = home else { continue };
            let Touched { often, days } = past.touched(*home);
            behind.alike[at] = alike.get(home).copied().unwrap_or(0.0);
            behind.often[at] = (often as f32).ln_1p();
            behind.days[at] = days.ln_1p();
        }
        let most = behind.alike.iter().copied().fold(f32::EPSILON, f32::max);
        behind.said = behind.alike.iter().map(|alike| alike / most).collect();
        evidence.ran("history", behind.alike.iter().filter(|alike| **alike > 0.0).count());
        behind
    }
}
