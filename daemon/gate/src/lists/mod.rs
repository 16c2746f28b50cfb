//! Reads what an upstream lists, whole and within limits.

mod definition;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use sdl_proto::gate::UpstreamLists;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::flag::Flag;
use crate::lists::definition::{Kept, Kind, judge};
use crate::slot::Slot;
use crate::slot::exchange::{End, Wish, exchange};
use crate::slot::live::Live;
use crate::trouble::Trouble;
use crate::wire::params::Members;

const MAX_PAGES: usize = 200;
const MAX_DEFINITIONS: usize = 10_000;

/// All definitions of an upstream. Two MiB less than a frame, for the rest of the message.
const MAX_BYTES: usize = 30 << 20;

/// A whole reading.
pub(crate) struct Reading {
    /// [`UpstreamLists`] as JSON.
    pub(crate) text: String,
}

/// Reads all lists of a connection.
pub(crate) async fn read_lists(slot: Arc<Slot>, live: Arc<Live>) -> Result<Reading, Trouble> {
    read_of(&slot, &live).await
}

/// The same, of a connection that is not shared yet.
pub(crate) async fn read_of(slot: &Slot, live: &Live) -> Result<Reading, Trouble> {
    let entry = slot.entry();
    let own = &entry.upstream.own;
    let reader = Reader {
        slot,
        live,
        timeout: Duration::from_millis(own.timeout_ms),
        until: slot.world.clock.now() + Duration::from_millis(own.max_total_ms),
    };
    // First, because a change after the reading has to be heard of.
    live.listening.listen(&live.peer, &live.link, &slot.world.clock).await;
    let capabilities = &live.info.capabilities;
    let mut all = Gathered::default();
    let has_resources = capabilities.resources.is_some() && own.resources;
    let wanted = [
        (Kind::Tool, capabilities.tools.is_some()),
        (Kind::Prompt, capabilities.prompts.is_some() && own.prompts),
        (Kind::Resource, has_resources),
        (Kind::Template, has_resources),
    ];
    let mut lists = Vec::new();
    for (kind, is_wanted) in wanted {
        let mut list = Vec::new();
        if is_wanted && let Err(trouble) = reader.read_list(kind, &mut list, &mut all).await {
            if live.link.closed.is_raised() {
                return Err(trouble);
            }
            all.unread.insert(kind.member().to_owned(), trouble.message);
            list.clear();
        }
        lists.push(list);
    }
    let [tools, prompts, resources, resource_templates] = <[_; 4]>::try_from(lists).unwrap_or_default();
    let raw = |text: Option<String>| text.and_then(|text| RawValue::from_string(text).ok());
    let lists = UpstreamLists {
        era: live.era(),
        server_info: raw(live.info.server_info.as_ref().and_then(|info| serde_json::to_string(info).ok())),
        instructions: live.info.instructions.clone(),
        capabilities: raw(serde_json::to_string(capabilities).ok()),
        tools,
        prompts,
        resources,
        resource_templates,
        oversize: all.oversize,
        skipped: all.skipped,
        announces: live.listening.announces(),
        unread: all.unread,
        run: live.run.clone(),
        declared: live.declared_kinds(),
    };
    let text = serde_json::to_string(&lists).map_err(|error| Trouble::protocol(error.to_string()))?;
    Ok(Reading { text })
}

/// The sums over all lists.
#[derive(Default)]
struct Gathered {
    bytes: usize,
    oversize: Vec<String>,
    skipped: BTreeMap<String, u64>,
    unread: BTreeMap<String, String>,
}

impl Gathered {
    fn skip(&mut self, reason: &str, count: u64) {
        *self.skipped.entry(reason.to_owned()).or_default() += count;
    }
}

struct Reader<'s> {
    slot: &'s Slot,
    live: &'s Live,
    timeout: Duration,
    until: Duration,
}

#[derive(Deserialize)]
struct Cursor(String);

impl Reader<'_> {
    /// Reads one list, page by page.
    async fn read_list(
        &self,
        kind: Kind,
        list: &mut Vec<Box<RawValue>>,
        all: &mut Gathered,
    ) -> Result<(), Trouble> {
        let mut cursors = HashSet::new();
        let mut names = HashSet::new();
        let mut params = "{}".to_owned();
        for page in 1.. {
            let result = self.read_page(kind, &params).await?;
            let members = Members::read(&result).map_err(|error| Trouble::protocol(error.to_string()))?;
            let definitions = members.get(kind.member()).unwrap_or("[]");
            let definitions: Vec<&RawValue> = serde_json::from_str(definitions)
                .map_err(|error| Trouble::protocol(format!("{}: {error}", kind.member())))?;
            for (at, definition) in definitions.iter().enumerate() {
                if list.len() == MAX_DEFINITIONS {
                    all.skip("tooMany", (definitions.len() - at) as u64);
                    return Ok(());
                }
                match judge(kind, definition, &mut names) {
                    Ok(Kept { definition, oversize }) => {
                        if all.bytes + definition.get().len() > MAX_BYTES {
                            all.skip("tooLarge", (definitions.len() - at) as u64);
                            return Ok(());
                        }
                        all.bytes += definition.get().len();
                        all.oversize.extend(oversize);
                        list.push(definition);
                    }
                    Err(reason) => all.skip(reason, 1),
                }
            }
            let Some(cursor) =
                members.get("nextCursor").and_then(|text| serde_json::from_str::<Cursor>(text).ok())
            else {
                return Ok(());
            };
            if page == MAX_PAGES || cursors.contains(&cursor.0) {
                all.skip("cursor", 1);
                return Ok(());
            }
            params = serde_json::json!({ "cursor": cursor.0 }).to_string();
            cursors.insert(cursor.0);
        }
        Ok(())
    }

    async fn read_page(&self, kind: Kind, params: &str) -> Result<String, Trouble> {
        let clock = &self.slot.world.clock;
        let left = self.until.saturating_sub(clock.now());
        let wish = Wish {
            method: kind.method().to_owned(),
            params: Arc::from(params),
            client: None,
            timeout: self.timeout,
            max_total: left,
        };
        match exchange(self.live, clock, wish, &Flag::default(), None).await {
            End::Answered(outcome) => outcome,
            End::TimedOut(after) => {
                let message = format!("{} was not answered within {} ms", kind.method(), after.as_millis());
                Err(Trouble::new(sdl_proto::code::UPSTREAM_TIMEOUT, message))
            }
            End::Died { .. } | End::Cancelled => Err(self.live.epitaph().await),
            End::Refused(trouble) => Err(trouble),
        }
    }
}
