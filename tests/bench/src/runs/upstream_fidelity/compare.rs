//! What went over a server's streams, from the log of a tee.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use serde_json::value::RawValue;

use super::calls::Call;
use crate::Outcome;
use crate::upstream::line_client::{Reply, STATELESS};

/// How much of a difference is shown.
const SHOWN: usize = 90;

/// A request that the server got, and its reply.
pub(super) struct Exchange {
    /// The text of the arguments.
    pub(super) arguments: String,
    pub(super) is_stateless: bool,
    pub(super) reply: Option<Reply>,
}

type Parts = BTreeMap<String, Box<RawValue>>;

fn parse_parts(text: &str) -> Option<Parts> {
    serde_json::from_str(text).ok()
}

fn text_of(parts: &Parts, name: &str) -> Option<String> {
    parts.get(name).map(|part| part.get().to_owned())
}

/// The requests of that method in a log, in their order.
pub(super) fn read_exchanges(log: &Path, method: &str) -> Outcome<Vec<Exchange>> {
    let text = fs::read_to_string(log)?;
    let mut exchanges: Vec<(String, Exchange)> = Vec::new();
    let quoted = format!("\"{method}\"");
    for line in text.lines() {
        let (mark, rest) = line.split_at_checked(2).unwrap_or_default();
        let Some(parts) = parse_parts(rest) else { continue };
        let Some(id) = text_of(&parts, "id") else { continue };
        if mark == "> " && text_of(&parts, "method").as_deref() == Some(&quoted) {
            let params = text_of(&parts, "params").unwrap_or_default();
            let arguments = parse_parts(&params).and_then(|params| text_of(&params, "arguments"));
            let arguments = arguments.unwrap_or_default();
            let is_stateless = params.contains(STATELESS);
            exchanges.push((id, Exchange { arguments, is_stateless, reply: None }));
        } else if mark == "< "
            && let Some((_, exchange)) = exchanges.iter_mut().rev().find(|(own, _)| *own == id)
        {
            let result = text_of(&parts, "result").map(Reply::Result);
            exchange.reply = result.or_else(|| text_of(&parts, "error").map(Reply::Error));
        }
    }
    Ok(exchanges.into_iter().map(|(_, exchange)| exchange).collect())
}

/// Whether two texts say the same: keys in the same order, numbers written in the same way.
pub(super) fn same_values(one: &str, other: &str) -> Outcome<bool> {
    let written = |text: &str| serde_json::from_str::<Value>(text).map(|value| value.to_string());
    Ok(written(one)? == written(other)?)
}

/// Where two replies part.
pub(super) fn show_difference(call: &Call, own: &Reply, got: &Reply) -> String {
    let text = |reply: &Reply| match reply {
        Reply::Result(text) | Reply::Error(text) => text.clone(),
    };
    let (own, got) = (text(own), text(got));
    let same = own.bytes().zip(got.bytes()).take_while(|(one, other)| one == other).count();
    let cut = |text: &str| {
        let from =
            text.get(..same).map_or(0, |head| head.char_indices().rev().nth(20).map_or(0, |(at, _)| at));
        text.get(from..).unwrap_or_default().chars().take(SHOWN).collect::<String>()
    };
    format!("{}/{}: direct …{}… through us …{}…", call.key, call.tool, cut(&own), cut(&got))
}
