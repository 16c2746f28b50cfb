//! Rates how risky a symbol is to change.

use schemars::JsonSchema;
use sdl_retrieve::card::Card;
use serde::Serialize;

/// Lower scores are not listed.
const LEAST: u32 = 25;

/// A symbol that is risky to change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Risk {
    /// The symbol.
    pub(crate) symbol_id: String,
    /// Its qualified name.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(with = "Option<String>")]
    pub(crate) name: String,
    /// 2 for each user up to 40, 3 for each commit of the last 30 days up to 30, 20 without a test, 5 for each kind of
    /// side effect up to 10.
    pub(crate) score: u32,
    /// What makes it risky, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<String>>")]
    pub(crate) reasons: Vec<String>,
}

/// Returns how risky a symbol is, from its full card; none if the score is low. A test doesn't need tests of its own.
pub(super) fn symbol_risk(card: &Card, is_test: bool) -> Option<Risk> {
    let metrics = card.metrics.as_ref()?;
    let mut reasons = Vec::new();
    let mut score = (2 * metrics.fan_in.min(20)) as u32;
    if metrics.fan_in >= 5 {
        reasons.push(format!("fan-in {}", metrics.fan_in));
    }
    if let Some(churn) = metrics.churn_30d.filter(|churn| *churn > 0) {
        score += 3 * churn.min(10);
        reasons.push(format!("{churn} commit{} in 30 days", if churn == 1 { "" } else { "s" }));
    }
    if card.kind.is_callable() && !is_test && metrics.test_refs == Some(0) {
        score += 20;
        reasons.push("no test uses it".to_owned());
    }
    let mut kinds: Vec<&str> = card.side_effects.iter().map(|effect| effect.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    if !kinds.is_empty() {
        score += 5 * kinds.len().min(2) as u32;
        reasons.push(format!("effects: {}", kinds.join(", ")));
    }
    (score >= LEAST).then(|| Risk {
        symbol_id: card.symbol_id.to_string(),
        name: card.qualified_name.clone(),
        score,
        reasons,
    })
}
