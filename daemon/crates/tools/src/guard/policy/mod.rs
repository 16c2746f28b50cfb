//! Policies: the permissions of a repository's readers. Kept by repository; a policy outlives every rebuild of the
//! ledger. Agents change it below a ceiling that a person sets.

mod ceiling;
pub(crate) mod decide;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use sdl_redact::Level;

pub use ceiling::Ceilings;

/// A repository's policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Policy {
    /// Maximum lines of a window.
    pub(crate) max_window_lines: u32,
    /// Maximum tokens of an answer with a window.
    pub(crate) max_window_tokens: u32,
    /// Whether a window must contain the identifiers that the request names.
    pub(crate) require_identifiers: bool,
    /// Whether `breakGlass` overrides the conditions.
    pub(crate) allow_break_glass: bool,
    /// Whether a window also needs a slice that its symbol is in or next to, or enough utility.
    pub(crate) default_deny_raw: bool,
    /// Utility, 0 to 1, from which a window needs no slice.
    pub(crate) utility_threshold: f64,
    /// Whether literals that look like secrets are masked. Known kinds of secrets always are.
    pub(crate) redact_secrets: bool,
    /// Upper bounds of every slice's budget.
    pub(crate) budget_caps: BudgetCaps,
}

/// Upper bounds of a slice's budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct BudgetCaps {
    /// Maximum cards.
    pub(crate) max_cards: u32,
    /// Maximum tokens.
    pub(crate) max_estimated_tokens: u32,
}

impl Default for BudgetCaps {
    fn default() -> Self {
        Self { max_cards: sdl_retrieve::slice::MAX_CARDS, max_estimated_tokens: 20_000 }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            max_window_lines: 180,
            max_window_tokens: 1_400,
            require_identifiers: true,
            allow_break_glass: false,
            default_deny_raw: true,
            utility_threshold: 0.5,
            redact_secrets: true,
            budget_caps: BudgetCaps::default(),
        }
    }
}

/// Some of a policy's fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicyPatch {
    /// Default 180. Maximum lines of a window.
    #[schemars(range(min = 1, max = 10_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_window_lines: Option<u32>,
    /// Default 1400. Maximum tokens of an answer with a window.
    #[schemars(range(min = 500, max = 20_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_window_tokens: Option<u32>,
    /// Window must have them. A window must contain the identifiers that the request names; default true.
    #[serde(skip_serializing_if = "Option::is_none")]
    require_identifiers: Option<bool>,
    /// `breakGlass` overrides. Default false.
    #[serde(skip_serializing_if = "Option::is_none")]
    allow_break_glass: Option<bool>,
    /// Window needs a slice. With its symbol, or enough utility; default true.
    #[serde(skip_serializing_if = "Option::is_none")]
    default_deny_raw: Option<bool>,
    /// 0 to 1, default 0.5. A window with this utility or more needs no slice.
    #[schemars(range(min = 0, max = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    utility_threshold: Option<f64>,
    /// Default true. Masks literals that look like secrets. Known kinds of secrets are always masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    redact_secrets: Option<bool>,
    /// Limits of every slice.
    #[serde(skip_serializing_if = "Option::is_none")]
    budget_caps: Option<CapsPatch>,
}

/// Some of the caps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CapsPatch {
    /// Default 500. Maximum cards.
    #[schemars(range(min = 1, max = sdl_retrieve::slice::MAX_CARDS))]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_cards: Option<u32>,
    /// Default 20000. Maximum tokens.
    #[schemars(range(min = 400, max = 20_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_estimated_tokens: Option<u32>,
}

impl Policy {
    /// This policy with the patch's fields.
    pub(crate) fn patched(&self, patch: &PolicyPatch) -> Self {
        let caps = patch.budget_caps.unwrap_or_default();
        Self {
            max_window_lines: patch.max_window_lines.unwrap_or(self.max_window_lines),
            max_window_tokens: patch.max_window_tokens.unwrap_or(self.max_window_tokens),
            require_identifiers: patch.require_identifiers.unwrap_or(self.require_identifiers),
            allow_break_glass: patch.allow_break_glass.unwrap_or(self.allow_break_glass),
            default_deny_raw: patch.default_deny_raw.unwrap_or(self.default_deny_raw),
            utility_threshold: patch.utility_threshold.unwrap_or(self.utility_threshold),
            redact_secrets: patch.redact_secrets.unwrap_or(self.redact_secrets),
            budget_caps: BudgetCaps {
                max_cards: caps.max_cards.unwrap_or(self.budget_caps.max_cards),
                max_estimated_tokens: caps
                    .max_estimated_tokens
                    .unwrap_or(self.budget_caps.max_estimated_tokens),
            },
        }
    }

    /// How much is taken for a secret.
    pub(crate) fn level(&self) -> Level {
        if self.redact_secrets { Level::Likely } else { Level::Known }
    }
}

impl PolicyPatch {
    /// This patch with the fields of another over it.
    pub(crate) fn over(&self, other: &Self) -> Self {
        let (own, caps) = (self.budget_caps.unwrap_or_default(), other.budget_caps.unwrap_or_default());
        let caps = CapsPatch {
            max_cards: caps.max_cards.or(own.max_cards),
            max_estimated_tokens: caps.max_estimated_tokens.or(own.max_estimated_tokens),
        };
        Self {
            max_window_lines: other.max_window_lines.or(self.max_window_lines),
            max_window_tokens: other.max_window_tokens.or(self.max_window_tokens),
            require_identifiers: other.require_identifiers.or(self.require_identifiers),
            allow_break_glass: other.allow_break_glass.or(self.allow_break_glass),
            default_deny_raw: other.default_deny_raw.or(self.default_deny_raw),
            utility_threshold: other.utility_threshold.or(self.utility_threshold),
            redact_secrets: other.redact_secrets.or(self.redact_secrets),
            budget_caps: (caps != CapsPatch::default()).then_some(caps),
        }
    }
}
