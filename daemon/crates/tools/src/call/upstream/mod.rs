//! The tools of upstream MCP servers: which there are, who sees them, and how a call reaches them.
//!
//! * [`definition`]: one tool; [`reading`]: the lists of an upstream as they were last read; [`catalog`]: all upstreams at one
//!   moment; [`names`]: what their tools are called.
//! * [`pins`]: which definition of a tool is served or held; [`flags`], [`hidden`]: why one is suspicious; [`readable`]: how a
//!   person reads it.
//! * [`rules`]: who sees what, and what becomes of a call; [`view`]: what one session sees; [`seen`]: the views of all.
//! * [`arguments`], [`result`]: what passes through, changed as little as possible. The call itself is a step of the pipeline.

mod arguments;
mod catalog;
mod definition;
mod flags;
mod hidden;
mod json_text;
mod names;
mod pins;
mod readable;
mod reading;
mod result;
mod rules;
mod seen;
mod view;

pub(crate) use arguments::unwrap_texts;
pub(crate) use catalog::{Listed, NotedAt};
pub(crate) use definition::Definition;
pub(crate) use flags::quote_flagged;
pub(crate) use json_text::rewrite_strings;
pub(crate) use pins::{PinEvent, Standing};
pub(crate) use readable::readable_text;
pub(crate) use result::{Forwarded, mask_string};
pub(crate) use rules::{Rules, Target, Verdict, Who};
pub(crate) use seen::UpstreamTools;
pub(crate) use view::{Named, View, call_tool_name};
