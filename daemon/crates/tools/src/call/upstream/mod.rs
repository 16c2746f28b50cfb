//! The tools of upstream MCP servers: which there are, who sees them, and how a call reaches them.
//!
//! * [`definition`]: one tool; [`reading`]: the lists of an upstream as they were last read; [`listed`]: one upstream;
//!   [`catalog`]: all upstreams at one moment; [`names`]: what their tools are called; [`bare`], [`naming`]: which go by names
//!   without the key.
//! * [`pins`]: which definition of a tool is served or held; [`flags`], [`hidden`]: why one is suspicious; [`readable`]: how a
//!   person reads it.
//! * [`rules`]: who sees what, and what becomes of a call; [`view`]: what one session sees; [`seen`]: the views of all.
//! * [`offers`]: prompts and resources, as one session sees them; [`prompts`], [`resources`]: which upstream a name or a URI goes
//!   to; [`uris`]: how URIs are written and read; [`links`]: the resources that sessions got links to.
//! * [`arguments`], [`result`]: what passes through, changed as little as possible; [`spill`]: results that are too long for a context. The
//!   call itself is a step of the pipeline.
//! * [`question`]: what an upstream or a rule asks the client; [`variants`]: what it lists to those that can be asked; [`parked`]: the calls that wait for the answers.

mod arguments;
mod bare;
mod catalog;
mod definition;
mod flags;
mod hidden;
mod json_text;
mod links;
mod listed;
mod names;
mod naming;
mod offers;
mod parked;
mod pins;
mod prompts;
mod question;
mod readable;
mod reading;
mod resources;
mod result;
mod rules;
mod seen;
mod spill;
mod uris;
mod variants;
mod view;

pub(crate) use arguments::unwrap_texts;
pub(crate) use catalog::NotedAt;
pub(crate) use definition::Definition;
pub(crate) use flags::quote_flagged;
pub(crate) use json_text::rewrite_strings;
pub(crate) use listed::{Listed, OfferKind};
pub(crate) use offers::{Offers, decide_prompt, decide_resource, sees_resource};
pub(crate) use parked::{CallMark, Parked, Rest};
pub(crate) use pins::{PinEvent, Standing};
#[cfg(test)]
pub(crate) use prompts::OUR_PROMPTS;
pub(crate) use prompts::{FoundPrompt, Prompt};
pub(crate) use question::{
    allowed_way, confirm_question, is_confirmed, kind_of, mark_question, mark_requests,
};
pub(crate) use readable::readable_text;
pub(crate) use resources::{Destination, Sees, Shelf};
pub(crate) use result::{Forwarded, Limit, mask_likely, mask_string};
pub(crate) use rules::{Rules, Target, Verdict, Who};
pub(crate) use seen::UpstreamTools;
pub(crate) use spill::{MOST_TOKENS, artifact_owner, spill_result};
pub(crate) use uris::{decode_uri, encode_uri};
pub(crate) use variants::{are_unread, lists_of_caller};
pub(crate) use view::{Named, View, call_tool_name};
