//! The ceiling of the policies: how far an agent may loosen them. A person sets it, for every repository or for one. It
//! is in a file of the daemon's state folder that no action writes, and is read whenever a policy is read.
//!
//! A ceiling is itself a policy, the loosest that is allowed. Stored values above it, for example because it was
//! lowered later, are brought down to it when they are read. A file that can't be trusted or read must not allow more:
//! no policy is in force then, and every request that needs one is refused with the reason.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sdl_ledger::AgentStore;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{BudgetCaps, Policy, PolicyPatch};
use crate::guard::audit::{Audit, Row};
use crate::stored::tables::POLICY;
use crate::{Code, Explained, ToolError, stored};
use sdl_settings::trust;

const FILE: &str = "policy-ceiling.json";
/// A larger file is not a ceiling.
const MOST_BYTES: u64 = 1 << 20;
/// The layout of the note that records the file's content as last logged.
const LAYOUT: u8 = 1;

/// The content of the file: the differences from the built-in ceiling.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Settings {
    /// The fields for every repository.
    everywhere: PolicyPatch,
    /// The fields for single repositories, by id. They take precedence.
    repositories: BTreeMap<String, PolicyPatch>,
}

/// The ceilings of all repositories.
pub struct Ceilings {
    path: PathBuf,
    /// The content that is known to be in the log.
    logged: Mutex<Option<Vec<u8>>>,
}

/// One field of a policy that is above its ceiling.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Above {
    /// Its name on the wire.
    pub(crate) field: &'static str,
    /// The highest allowed value.
    pub(crate) allowed: String,
    /// The arguments of `sdlctl policy` with which a person would allow it.
    pub(crate) remedy: String,
}

impl Ceilings {
    /// Creates the ceilings of the file in this state folder.
    pub fn new(state: &Path) -> Self {
        Self { path: state.join(FILE), logged: Mutex::default() }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the ceiling of a repository.
    pub(crate) fn of(&self, log: &Audit, store: &AgentStore, repo: &str) -> Result<Policy, ToolError> {
        let settings = self.read(log, store)?;
        let ceiling = built_in().patched(&settings.everywhere);
        Ok(settings.repositories.get(repo).map_or_else(|| ceiling.clone(), |patch| ceiling.patched(patch)))
    }

    /// Sets fields of a ceiling: of one repository, or of all. Called for a person, never by an action.
    pub fn set(
        &self,
        log: &Audit,
        store: &AgentStore,
        repo: Option<&str>,
        patch: &PolicyPatch,
        who: &Row,
    ) -> Result<(), ToolError> {
        self.change(log, store, who, |settings| {
            let known = match repo {
                Some(repo) => settings.repositories.entry(repo.to_owned()).or_default(),
                None => &mut settings.everywhere,
            };
            *known = known.over(patch);
        })
    }

    /// Resets a ceiling to the built-in one, or a repository's ceiling to that of all.
    pub fn reset(
        &self,
        log: &Audit,
        store: &AgentStore,
        repo: Option<&str>,
        who: &Row,
    ) -> Result<(), ToolError> {
        self.change(log, store, who, |settings| match repo {
            Some(repo) => {
                settings.repositories.remove(repo);
            }
            None => settings.everywhere = PolicyPatch::default(),
        })
    }

    fn change(
        &self,
        log: &Audit,
        store: &AgentStore,
        who: &Row,
        change: impl FnOnce(&mut Settings),
    ) -> Result<(), ToolError> {
        let mut settings = self.read(log, store)?;
        change(&mut settings);
        let mut bytes = serde_json::to_vec_pretty(&settings)
            .map_err(|e| ToolError::internal("writing the ceiling", e))?;
        bytes.push(b'\n');
        // Logged before it is in force.
        self.log(log, store, &bytes, who)?;
        trust::write_private(&self.path, &bytes).map_err(|error| {
            ToolError::new(Code::Unavailable, format!("{} can't be written: {error}", self.path.display()))
        })
    }

    fn read(&self, log: &Audit, store: &AgentStore) -> Result<Settings, ToolError> {
        let refused = |why: String| {
            let path = self.path.display();
            let message =
                format!("the ceiling of the policies is in {path}, which {why}; a person has to repair it");
            ToolError::new(Code::Unavailable, message)
        };
        let found = trust::read_private(&self.path, MOST_BYTES).map_err(refused)?;
        let settings = match &found {
            Some(bytes) => serde_json::from_slice(bytes)
                .map_err(|error| refused(format!("can't be understood: {error}")))?,
            None => Settings::default(),
        };
        // A file that was written by hand is logged when it is first in force.
        let by_hand = Row { client: "a person, by hand".to_owned(), ..Row::default() };
        self.log(log, store, found.as_deref().unwrap_or_default(), &by_hand)?;
        Ok(settings)
    }

    /// Logs this content of the file, unless the last row about it has the same content.
    fn log(&self, log: &Audit, store: &AgentStore, bytes: &[u8], who: &Row) -> Result<(), ToolError> {
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        if logged.as_deref() == Some(bytes) {
            return Ok(());
        }
        let noted = store.read(|reader| Ok(reader.get(POLICY, NOTE)?.map(<[u8]>::to_vec)))?;
        let noted = noted.and_then(|noted| stored::from_bytes::<Vec<u8>>(LAYOUT, &noted)).unwrap_or_default();
        if noted != bytes {
            let ceiling: serde_json::Value = serde_json::from_slice(bytes).unwrap_or_default();
            let row = Row {
                at_ms: sdl_ledger::Clock::unix_ms(&sdl_ledger::SystemClock),
                action: "policy.ceiling".to_owned(),
                decision: "ceiling".to_owned(),
                details: json!({ "ceiling": ceiling }),
                ..who.clone()
            };
            log.append(store, &[row])?;
            let note = stored::to_bytes(LAYOUT, &bytes)?;
            store.write(|writer| writer.put(POLICY, NOTE, &note))?;
        }
        *logged = Some(bytes.to_vec());
        Ok(())
    }
}

/// The key of the note. It belongs to no repository.
const NOTE: &[u8] = b"\0ceiling";

/// The ceiling if nobody set one: somewhat larger windows, and breaking the glass, which is audited. Neither masking
/// nor the conditions of a window can be turned off.
fn built_in() -> Policy {
    Policy { max_window_lines: 220, max_window_tokens: 1_800, allow_break_glass: true, ..Policy::default() }
}

impl Policy {
    /// Returns this policy, brought down to the ceiling where it is above it.
    pub(crate) fn below(&self, ceiling: &Self) -> Self {
        Self {
            max_window_lines: self.max_window_lines.min(ceiling.max_window_lines),
            max_window_tokens: self.max_window_tokens.min(ceiling.max_window_tokens),
            require_identifiers: self.require_identifiers || ceiling.require_identifiers,
            allow_break_glass: self.allow_break_glass && ceiling.allow_break_glass,
            default_deny_raw: self.default_deny_raw || ceiling.default_deny_raw,
            utility_threshold: self.utility_threshold.max(ceiling.utility_threshold),
            redact_secrets: self.redact_secrets || ceiling.redact_secrets,
            budget_caps: BudgetCaps {
                max_cards: self.budget_caps.max_cards.min(ceiling.budget_caps.max_cards),
                max_estimated_tokens: self
                    .budget_caps
                    .max_estimated_tokens
                    .min(ceiling.budget_caps.max_estimated_tokens),
            },
        }
    }

    /// Returns the fields that are above the ceiling.
    pub(crate) fn above(&self, ceiling: &Self) -> Vec<Above> {
        let mut above = Vec::new();
        let mut number = |field, name: &str, is: f64, most: f64, least: bool| {
            if if least { is < most } else { is > most } {
                let bound = if least { "at least" } else { "at most" };
                above.push(Above {
                    field,
                    allowed: format!("{bound} {most}"),
                    remedy: format!("set-ceiling --{name} {is}"),
                });
            }
        };
        let (own, top) = (&self.budget_caps, &ceiling.budget_caps);
        number(
            "maxWindowLines",
            "max-window-lines",
            self.max_window_lines.into(),
            ceiling.max_window_lines.into(),
            false,
        );
        number(
            "maxWindowTokens",
            "max-window-tokens",
            self.max_window_tokens.into(),
            ceiling.max_window_tokens.into(),
            false,
        );
        number(
            "utilityThreshold",
            "utility-threshold",
            self.utility_threshold,
            ceiling.utility_threshold,
            true,
        );
        number("budgetCaps.maxCards", "max-cards", own.max_cards.into(), top.max_cards.into(), false);
        number(
            "budgetCaps.maxEstimatedTokens",
            "max-tokens",
            own.max_estimated_tokens.into(),
            top.max_estimated_tokens.into(),
            false,
        );
        let mut switch = |field, what: &str, is: bool, must: bool| {
            if is != must {
                above.push(Above { field, allowed: must.to_string(), remedy: format!("allow {what}") });
            }
        };
        switch("allowBreakGlass", "break-glass", self.allow_break_glass && !ceiling.allow_break_glass, false);
        switch(
            "requireIdentifiers",
            "no-identifiers",
            self.require_identifiers || !ceiling.require_identifiers,
            true,
        );
        switch("defaultDenyRaw", "raw-by-default", self.default_deny_raw || !ceiling.default_deny_raw, true);
        switch("redactSecrets", "unmasked-secrets", self.redact_secrets || !ceiling.redact_secrets, true);
        above
    }
}
