//! The entry points that a daemon routes to.

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use sdl_ledger::Clock;
use serde_json::{Value, json};

use sdl_settings::Settings;

use crate::call::modules::Modules;
use crate::call::origin::{Origin, Shown, ToolRequest};
use crate::call::pipeline::{self, Answered, Caller};
use crate::call::registry::Registries;
use crate::call::services::Services;
use crate::call::upstream::{Rules, Who, are_unread, lists_of_caller, mark_question};
use crate::guard::audit::Row;
use crate::host::ListsOf;
use crate::surface::{Listing, envelope, manual, protocol};
use crate::{
    CallEnded, Cancel, Explained as _, HookCaller, HookInput, Host, MethodRequest, Names, Progress,
    ProtocolError, Session, Surface, ToolError, actions, definitions, hooks, people,
};

/// A page of documentation for each action and one that lists them: file names and Markdown texts.
pub fn documentation_pages() -> Vec<(String, String)> {
    manual::manual_pages(Registries::new(actions::all(), actions::SEED_NAMES).every())
}

/// Letters of a name that is no action, in [`CallEnded`].
const MOST_NAME: usize = 80;

/// Tells lists from former ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfferMarks {
    /// Of the prompts.
    pub prompts: u64,
    /// Of the resources and templates.
    pub resources: u64,
}

/// Every tool over one host. Cheap to share; make one per process.
pub struct Tools {
    services: Services,
    /// What hooks have said.
    said: hooks::Said,
}

impl Tools {
    /// Builds the registry over `host`.
    pub fn new(host: Arc<dyn Host>) -> Self {
        let services = Services::new(host, Registries::new(actions::all(), actions::SEED_NAMES));
        Self { services, said: hooks::Said::default() }
    }

    /// As [`Tools::new`], with leases and buffers that tell the time by `clock`.
    pub fn with_clock(host: Arc<dyn Host>, clock: Arc<dyn Clock>) -> Self {
        Self { services: Self::new(host).services.with_clock(clock), said: hooks::Said::default() }
    }

    /// Calls a tool by any of its names. `args` are the JSON arguments as they came; nothing at all means none. Blocks;
    /// never panics. The answer is the bytes of an MCP `CallToolResult`, whatever went wrong.
    pub fn call(
        &self,
        session: &Session,
        name: &str,
        args: &[u8],
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Vec<u8> {
        self.call_request(session, &ToolRequest::new(name, args), progress, cancel)
    }

    /// As [`Tools::call`], for a request with all that it says.
    pub fn call_request(
        &self,
        session: &Session,
        request: &ToolRequest<'_>,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Vec<u8> {
        self.run_request(session, request, progress, cancel).0
    }

    /// As [`Tools::call_request`], for a client that gets the few errors of the protocol as such.
    pub fn answer_request(
        &self,
        session: &Session,
        request: &ToolRequest<'_>,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, ProtocolError> {
        let (bytes, refused) = self.run_request(session, request, progress, cancel);
        refused.map_or(Ok(bytes), Err)
    }

    /// The result of a call, and the error of the protocol in its place if there is one.
    fn run_request(
        &self,
        session: &Session,
        request: &ToolRequest<'_>,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> (Vec<u8>, Option<ProtocolError>) {
        let served = RefCell::default();
        let services = &self.services;
        let begun = Instant::now();
        let shown = services.shown_to(session, request.origin.shown);
        let origin = Origin { shown, ..request.origin };
        let caller = Caller { session, progress, cancel, origin };
        let answer = pipeline::answer_call(services, caller, request.name, request.arguments, &served);
        let code = answer.as_ref().err().map(|error| error.refusal.code.name());
        let refused = answer.as_ref().err().and_then(protocol::call_error);
        let (bytes, tokens) = match answer {
            Ok(Answered::Own(answer)) => envelope::answer_result(answer),
            Ok(Answered::Forwarded(result)) => {
                let tokens = sdl_tokens::count_tokens(&result.text);
                (result.text.into_bytes(), tokens)
            }
            Err(error) => envelope::error_result(&error),
        };
        let (served, at_ms) = (served.into_inner(), services.leases.now());
        let follows = services.host.follows_calls();
        let ended = follows.then(|| CallEnded {
            at_ms,
            session: session.id,
            client: session.client.clone(),
            action: served
                .action
                .map_or_else(|| request.name.chars().take(MOST_NAME).collect(), str::to_owned),
            repo: served.repo.clone(),
            upstream: served.upstream.as_ref().map(|(key, _)| key.clone()),
            took: begun.elapsed(),
            code,
            tokens: tokens as u64,
            files: Vec::new(),
        });
        let noted = services.usage.note(session.id, served, tokens, code.is_some(), at_ms);
        if noted.is_batch_due {
            services.usage.settle_beside(&services.host);
        }
        if let Some(ended) = ended {
            services.host.call_ended(CallEnded { files: noted.files, ..ended });
        }
        (bytes, refused)
    }

    /// The `tools/list` result of a session's surface, `{"tools":[…]}`, in an order that does not change.
    pub fn list(&self, session: &Session, surface: Surface, output_schemas: bool, names: Names) -> Vec<u8> {
        let shown = Shown { surface, output_schemas, names };
        self.list_for(session, &Origin { shown, ..Origin::default() })
    }

    /// As [`Tools::list`], for a client of which more is known.
    pub fn list_for(&self, session: &Session, origin: &Origin<'_>) -> Vec<u8> {
        self.list_tools(session, origin).to_string().into_bytes()
    }

    /// The page of the same list that the parameters of `tools/list` ask for.
    pub fn list_page(
        &self,
        session: &Session,
        origin: &Origin<'_>,
        params: &[u8],
    ) -> Result<Vec<u8>, ProtocolError> {
        protocol::page_of_tools(&self.list_tools(session, origin), !self.has_no_upstream(), params)
    }

    fn list_tools(&self, session: &Session, origin: &Origin<'_>) -> Value {
        let view = self.services.upstream.view(session, &origin.way());
        let Shown { surface, output_schemas, names } = self.services.shown_to(session, origin.shown);
        let settings = Arc::clone(&view.catalog.settings);
        let rules = Rules::new(&settings, Who::of(session));
        let listing = Listing { surface, output_schemas, names, view: &view, rules };
        self.services.registry_of(session).list(listing)
    }

    /// Puts the settings of upstreams in force, from the next call on.
    pub fn configure_upstreams(&self, settings: Arc<Settings>) -> Result<(), ToolError> {
        let services = &self.services;
        let is_ours = |name: &str| services.registries.every().tool(name).is_some();
        let noted = services.upstream.gateway.configure(services.host.agent(), settings, &is_ours)?;
        definitions::log_changes(services, &noted)
    }

    /// Takes the lists that were read of an upstream: JSON as [`sdl_proto::gate::UpstreamLists`] describes it. Returns whether
    /// they differ from those read before. Writes to the store.
    pub fn take_lists(&self, key: &str, lists: &[u8], now_ms: u64) -> Result<bool, ToolError> {
        let lists = serde_json::from_slice(lists)
            .map_err(|error| ToolError::internal("reading the lists of an upstream", error))?;
        let services = &self.services;
        let is_ours = |name: &str| services.registries.every().tool(name).is_some();
        let gateway = &services.upstream.gateway;
        let (differs, noted) = gateway.take_lists(services.host.agent(), key, lists, now_ms, &is_ours)?;
        definitions::log_changes(services, &[noted])?;
        Ok(differs)
    }

    /// The definitions of an upstream that differ from the known ones, or that of one tool: a JSON object with both texts. For a
    /// person.
    pub fn compare_definitions(&self, key: &str, tool: Option<&str>) -> Result<Value, ToolError> {
        definitions::compare_definitions(&self.services, key, tool)
    }

    /// Approves the definitions of an upstream that are there now: of one tool or of all, with `mark` only the one whose hash
    /// begins with it. Only for a person, `who`. Returns a JSON object with the tools.
    pub fn approve_definitions(
        &self,
        key: &str,
        tool: Option<&str>,
        mark: Option<&str>,
        who: &Row,
    ) -> Result<Value, ToolError> {
        definitions::approve_definitions(&self.services, key, tool, mark, who)
    }

    /// Marks a question of an upstream that belongs to no call, so that the person sees who asks. Returns the parameters as
    /// JSON text.
    pub fn mark_question(key: &str, method: &str, params: &[u8]) -> Vec<u8> {
        mark_question(key, method, params)
    }

    /// Returns the lists that upstreams have for a client that can be asked, as far as they were never read.
    pub fn unread_for<T>(
        &self,
        session: &Session,
        origin: &Origin<'_>,
        found: impl Fn(&ListsOf<'_>) -> T,
    ) -> Vec<T> {
        let catalog = self.services.upstream.gateway.catalog();
        let (way, rules) = (origin.way(), Rules::new(&catalog.settings, Who::of(session)));
        let asking = catalog.upstreams.iter().filter(|one| !one.entry.own.ask.is_empty());
        let seen = asking.filter(|one| rules.sees_upstream(&one.key));
        let lists = seen.map(|one| (one, lists_of_caller(one, &way, &rules, session.id)));
        lists.filter(|(one, of)| are_unread(of, one)).map(|(_, of)| found(&of)).collect()
    }

    /// Returns the upstreams whose lists have to be read: they never were, or not from the server that is configured now.
    pub fn upstreams_to_read(&self) -> Vec<String> {
        let catalog = self.services.upstream.gateway.catalog();
        let unread = catalog.upstreams.iter().filter(|one| !one.is_current());
        unread.map(|one| one.key.to_string()).collect()
    }

    /// Each upstream's lists in figures, as JSON objects in the order of keys.
    pub fn upstream_report(&self) -> Vec<Value> {
        self.services.upstream.gateway.catalog().upstreams.iter().map(|one| one.report()).collect()
    }

    /// The tools of an upstream: a JSON array with names, tokens and descriptions.
    pub fn upstream_tools(&self, key: &str) -> Value {
        let catalog = self.services.upstream.gateway.catalog();
        let found = catalog.upstreams.iter().find(|one| *one.key == *key);
        found.into_iter().flat_map(|one| one.all()).map(|tool| tool.describe()).collect()
    }

    /// One tool of an upstream with its whole definition, by its own name or the one that clients see.
    pub fn upstream_tool(&self, key: &str, tool: &str) -> Option<Value> {
        let catalog = self.services.upstream.gateway.catalog();
        let found = catalog.upstreams.iter().find(|one| *one.key == *key)?;
        let by_name = found.all().find(|one| one.name == tool);
        let tool = by_name.or_else(|| found.all().find(|one| one.advertised == tool))?;
        let mut described = tool.describe();
        described["definition"] = tool.listed(true);
        Some(described)
    }

    /// What an upstream says of itself, and its prompts and resources: a JSON object.
    pub fn upstream_lists(&self, key: &str) -> Value {
        let catalog = self.services.upstream.gateway.catalog();
        let found = catalog.upstreams.iter().find(|one| *one.key == *key);
        found.map_or_else(|| json!({}), |one| one.describe_lists())
    }

    /// Tells the lists of prompts and of resources that a session sees from former ones. Of ours only those of repositories
    /// can change.
    pub fn offer_marks(&self, session: &Session) -> OfferMarks {
        let offers = self.services.upstream.offers(session);
        let mut resources = DefaultHasher::new();
        offers.resources_mark.hash(&mut resources);
        for repo in self.services.repos_of(session) {
            repo.id().hash(&mut resources);
        }
        OfferMarks { prompts: offers.prompts_mark, resources: resources.finish() }
    }

    /// Answers what MCP has beside tools: resources, prompts and completions; see [`crate::is_protocol_method`]. The answer
    /// is the bytes of the method's result.
    pub fn protocol(
        &self,
        session: &Session,
        request: &MethodRequest<'_>,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, ProtocolError> {
        protocol::answer_method(&self.services, session, request, progress, cancel)
    }

    /// Whether no call of the tool changes anything, so that a call whose answer was lost may be sent again. A gateway may
    /// lead to any action; [`Tools::is_read_call`] looks at where. A name that no tool has is a read: it changes nothing.
    /// A tool of an upstream is none: what it says of itself is a hint.
    pub fn is_read(&self, name: &str) -> bool {
        match self.services.registries.every().tool(name) {
            Some(tool) => !self.services.registries.every().mutates(tool),
            None => self.has_no_upstream(),
        }
    }

    fn has_no_upstream(&self) -> bool {
        self.services.upstream.gateway.catalog().upstreams.is_empty()
    }

    /// As [`Tools::is_read`], for one call: looks at which action a gateway is asked for, and at the steps of a chain.
    pub fn is_read_call(&self, name: &str, args: &[u8]) -> bool {
        match self.services.registries.every().tool(name) {
            Some(tool) => {
                !pipeline::is_mutating(self.services.registries.every(), tool, args, !self.has_no_upstream())
            }
            None => self.has_no_upstream(),
        }
    }

    /// Every action in full, for command lines and documentation: `{"actions": [{name, tool, namespace, mutating,
    /// description, needs, aliases, examples, inputSchema, outputSchema}]}`, in the order in which they are listed.
    pub fn describe(&self) -> Vec<u8> {
        self.services.registries.every().describe().to_string().into_bytes()
    }

    /// A hash of every schema: a client that holds another one holds stale schemas.
    pub fn schema_version(&self) -> &str {
        self.services.registries.of(Modules::NONE).schema_version()
    }

    /// Answers a question of a person about the work of agents: parameters and answer are JSON objects.
    pub fn answer_person(&self, params: &[u8]) -> Result<Value, ToolError> {
        people::answer_person(&self.services, &people::read_question(params)?)
    }

    /// Returns the slices that agents hold, for a person: `{"slices": [{sliceHandle, repoId, cards, version, expiresAt}]}`, the one
    /// that was used last first. `cards` counts the symbols that a slice follows.
    pub fn held_slices(&self) -> Result<Value, ToolError> {
        people::held_slices(&self.services)
    }

    /// Answers a hook of a client: the text that its model is to read, a reminder from the ledger, and the messages for its
    /// agent. None if there is nothing to say. Blocks no longer than the deadline of `cancel` allows.
    pub fn answer_hook(
        &self,
        caller: HookCaller<'_>,
        input: &HookInput,
        cancel: &Cancel,
    ) -> Result<Option<String>, ToolError> {
        hooks::answer_hook(&self.services, &self.said, caller, input, cancel)
    }

    /// Waits until there are messages for a session, and returns them as a channel of its client shows them: JSON objects with `content`
    /// and `meta`. An error if the session hears nothing.
    pub fn wait_for_messages(
        &self,
        session: &Session,
        wait: Duration,
        cancel: &Cancel,
    ) -> Result<Vec<Value>, ToolError> {
        people::wait_for_messages(&self.services, session, wait, cancel)
    }

    /// Removes rows that agents own and that are too old. To be called once, when the daemon has started.
    pub fn sweep(&self) {
        self.services.sweep_work();
    }

    /// Notes that the daemon stops: from now on the end of a connection is not the end of its client.
    pub fn begin_stopping(&self) {
        self.services.work.stops.store(true, Ordering::Relaxed);
    }

    /// Handles the end of a connection. Data that belongs only to it is dropped after a while in which it may come
    /// back.
    pub fn session_ended(&self, session: u64) {
        self.services.buffers.session_ended(session);
        self.services.upstream.session_ended(session);
        self.services.end_work(session);
    }

    /// Writes the leases that were renewed in memory to their ledgers, and stores the usage counts. Call it before the
    /// daemon stops.
    pub fn flush(&self) {
        self.services.leases.flush(self.services.host.as_ref());
        self.services.usage.settle(self.services.host.as_ref());
    }
}
