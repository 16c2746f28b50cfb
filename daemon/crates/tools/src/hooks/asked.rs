//! A hook that is being answered.

use super::input::HookInput;
use super::said::Conversation;
use super::spelled::Speller;

/// See the module.
pub(super) struct Asked<'a> {
    pub(super) input: &'a HookInput,
    pub(super) conversation: &'a Conversation,
    pub(super) speller: Speller,
}
