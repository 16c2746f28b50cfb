//! One thing that setup puts into a file, and how it gets in and out.

use serde_json::Value;

use crate::ENTRY_NAME;
use crate::catalog::Client;
use crate::catalog::hooks::{HookEvent, Hooks};
use crate::edit::hooks::{HookTarget, add_hook, change_hook, find_hook, remove_hook};
use crate::edit::{self, Added, Fault, Target, block};
use crate::entry::Standing;
use crate::plan::Request;
use crate::rules::{RULES_TEXT, RuleForm};

/// A piece of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Piece {
    /// The entry of the server.
    Server(&'static Client),
    /// The rules for agents.
    Rules(RuleForm),
    /// Our command, for one event.
    Hook(&'static Hooks, &'static HookEvent),
}

impl Piece {
    /// How the record names it.
    pub(crate) fn key(self) -> String {
        match self {
            Self::Server(client) => client.id.to_owned(),
            // One block serves all clients that share the file.
            Self::Rules(_) => "rules".to_owned(),
            Self::Hook(hooks, event) => format!("{}/{}", hooks.client, event.name),
        }
    }

    /// How it is found. `untouched` says that we wrote the whole text, and nobody changed it since.
    pub(crate) fn find(
        self,
        text: &str,
        request: &Request,
        untouched: bool,
    ) -> Result<Option<Standing>, Fault> {
        match self {
            Self::Server(client) => {
                let entry = edit::find_entry(text, client.target())?;
                Ok(entry.map(|entry| request.wanted.compare(&client.shape, ENTRY_NAME, &entry)))
            }
            Self::Rules(form) => {
                if block::find_block(text)?.is_none() {
                    return Ok(None);
                }
                let whole = match form {
                    RuleForm::Own(head) if untouched => text == head.whole_file(),
                    _ => true,
                };
                let same = whole && block::is_current(text, RULES_TEXT)?;
                Ok(Some(if same { Standing::Same } else { Standing::Differs(Vec::new()) }))
            }
            Self::Hook(hooks, event) => {
                let found = find_hook(text, hook_target(hooks, event), !request.remove)?;
                let wanted = request.hook_command(hooks.client);
                Ok(found.map(
                    |found| {
                        if found == wanted { Standing::Same } else { Standing::Differs(Vec::new()) }
                    },
                ))
            }
        }
    }

    /// Adds it to a text that does not have it.
    pub(crate) fn add(self, text: &str, request: &Request) -> Result<Added, Fault> {
        match self {
            Self::Server(client) => {
                let is_new = text.trim().is_empty() && !client.prelude.is_empty();
                let base = if is_new { client.prelude } else { text };
                let fields = request.wanted.fields(&client.shape, ENTRY_NAME);
                edit::add_entry(base, client.target(), &fields)
            }
            Self::Rules(RuleForm::Block) => Ok(Added { text: block::put_block(text, RULES_TEXT)?, made: 0 }),
            Self::Rules(RuleForm::Own(head)) if text.trim().is_empty() => {
                Ok(Added { text: head.whole_file(), made: 0 })
            }
            Self::Rules(RuleForm::Own(_)) => Err(Fault::Taken),
            Self::Hook(hooks, event) => {
                let command = request.hook_command(hooks.client);
                add_hook(text, hook_target(hooks, event), event.matcher, &command)
            }
        }
    }

    /// Brings it up to date.
    pub(crate) fn change(
        self,
        text: &str,
        fields: &[(String, Value)],
        request: &Request,
        untouched: bool,
    ) -> Result<String, Fault> {
        match self {
            Self::Server(client) => edit::change_entry(text, client.target(), fields),
            Self::Rules(RuleForm::Own(head)) if untouched => Ok(head.whole_file()),
            Self::Rules(_) => block::put_block(text, RULES_TEXT),
            Self::Hook(hooks, event) => {
                change_hook(text, hook_target(hooks, event), &request.hook_command(hooks.client))
            }
        }
    }

    /// Removes it. `made` says how many of the keys that lead to it we made.
    pub(crate) fn remove(self, text: &str, made: usize) -> Result<String, Fault> {
        match self {
            Self::Server(client) => edit::remove_entry(text, client.target(), made),
            Self::Rules(_) => block::remove_block(text),
            Self::Hook(hooks, event) => remove_hook(text, hook_target(hooks, event), made),
        }
    }

    /// Whether the file goes once this is all that was in it: `created` says that we made the file.
    pub(crate) fn is_bare(self, text: &str, created: bool) -> bool {
        match self {
            Self::Server(client) => created && edit::is_bare(text, client.format, client.prelude),
            Self::Rules(RuleForm::Block) => created && text.is_empty(),
            // Its name is ours.
            Self::Rules(RuleForm::Own(head)) => text.trim().is_empty() || text.trim() == head.text().trim(),
            Self::Hook(..) => created && edit::is_bare(text, crate::catalog::Format::Json, ""),
        }
    }
}

fn hook_target(hooks: &Hooks, event: &HookEvent) -> HookTarget<'static> {
    HookTarget { event: event.name, client: hooks.client }
}

impl Client {
    /// Our entry in its file.
    pub fn target(&self) -> Target<'static> {
        Target { format: self.format, servers: self.servers, list: self.shape.list, name: ENTRY_NAME }
    }
}
