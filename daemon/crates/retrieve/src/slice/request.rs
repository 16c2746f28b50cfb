//! The request for a slice.

use std::collections::BTreeMap;

use sdl_model::{EdgeKind, SymbolId};
use serde::{Deserialize, Serialize};

use super::Link;
use crate::card::Detail;

/// How a slice is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum WireFormat {
    /// One object per card and edge, every field by name.
    Standard,
    /// One index for ids, short keys, arrays for edges.
    CompactV1,
    /// Adds tables for paths and edge types.
    #[default]
    CompactV2,
    /// Adds edges grouped by type and source.
    CompactV3,
}

impl WireFormat {
    /// Every format, from the largest to the smallest.
    pub const ALL: [Self; 4] = [Self::Standard, Self::CompactV1, Self::CompactV2, Self::CompactV3];

    /// From the two parameters on the wire: `standard` or `compact`, and 1, 2 or 3.
    pub fn from_params(format: &str, version: Option<u8>) -> Option<Self> {
        match (format, version) {
            ("standard", _) => Some(Self::Standard),
            ("compact", Some(1)) => Some(Self::CompactV1),
            ("compact", None | Some(2)) => Some(Self::CompactV2),
            ("compact", Some(3)) => Some(Self::CompactV3),
            _ => None,
        }
    }
}

/// How large a slice may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// The maximum number of cards and card references.
    pub max_cards: u32,
    /// The maximum number of tokens (`o200k_base`) of the serialized slice in the requested format.
    pub max_estimated_tokens: u32,
}

impl Budget {
    /// The approximate tokens of the shortest card.
    const CARD: u32 = 50;

    /// A budget of `tokens` tokens, and as many cards as they hold.
    pub fn of_tokens(tokens: u32) -> Self {
        Self { max_cards: (tokens / Self::CARD).clamp(8, super::MAX_CARDS), max_estimated_tokens: tokens }
    }
}

/// Default tokens of a slice.
pub const USUAL_TOKENS: u32 = 4_000;

impl Default for Budget {
    fn default() -> Self {
        Self::of_tokens(USUAL_TOKENS)
    }
}

/// The request for a slice. Kept in its lease, so that the slice can be built again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceRequest {
    /// The task, in words.
    pub task_text: Option<String>,
    /// Where to start.
    pub entry_symbols: Vec<SymbolId>,
    /// Paths whose symbols, and those symbols' callers, must be in the slice.
    pub edited_files: Vec<String>,
    /// A stack trace as printed.
    pub stack_trace: Option<String>,
    /// A test file's path, optionally followed by `::name` of the test.
    pub failing_test_path: Option<String>,
    /// Names that were mentioned in the conversation. They count for more.
    pub chat_mentions: Vec<String>,
    /// How large it may be.
    pub budget: Budget,
    /// Edges below this confidence, in percent, are not followed.
    pub min_confidence: u8,
    /// Call edges below this confidence, in percent, are neither followed nor shown.
    pub min_call_confidence: u8,
    /// Cards that the client holds, by symbol.
    pub known_card_etags: BTreeMap<SymbolId, String>,
    /// One level for every card. None lets the rank decide.
    pub card_detail: Option<Detail>,
    /// With `card_detail`: reduce the detail of symbols further away instead of dropping them.
    pub adaptive_detail: bool,
    /// How it is written.
    pub wire_format: WireFormat,
    /// Whether dependencies include how they were found.
    pub resolution_metadata: bool,
    /// Whether to report how the seeds were found.
    pub evidence: bool,
}

impl SliceRequest {
    /// Whether edges of this kind and confidence are followed and shown.
    pub(crate) fn follows(&self, link: Link, confidence: u8) -> bool {
        let call = link == Link::Edge(EdgeKind::Call);
        confidence >= self.min_confidence && (!call || confidence >= self.min_call_confidence)
    }
}

impl Default for SliceRequest {
    fn default() -> Self {
        Self {
            task_text: None,
            entry_symbols: Vec::new(),
            edited_files: Vec::new(),
            stack_trace: None,
            failing_test_path: None,
            chat_mentions: Vec::new(),
            budget: Budget::default(),
            min_confidence: 50,
            min_call_confidence: 0,
            known_card_etags: BTreeMap::new(),
            card_detail: None,
            adaptive_detail: false,
            wire_format: WireFormat::default(),
            resolution_metadata: false,
            evidence: false,
        }
    }
}
