//! The answers that the shim gives by itself: its identity and its capabilities. The results of everything else are
//! templates here, from which [`crate::forward`] takes the fields that the protocol revision adds to a result.

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, model::ResultType};

use crate::channel;
use crate::closing::Closing;
use crate::events::Listeners;

/// How long a client may keep a list without asking again. A change is announced to those who listen; this is for
/// the others.
const LIST_TTL_MS: u64 = 5_000;

pub(crate) struct Lifecycle {
    pub(crate) listeners: Listeners,
    pub(crate) closing: Closing,
    /// Whether messages are sent to the client unasked.
    pub(crate) has_channel: bool,
}

macro_rules! list_template {
    ($result:ident) => {{
        let mut result = $result::default();
        result.result_type = Some(ResultType::COMPLETE);
        result.ttl_ms = Some(LIST_TTL_MS);
        result.cache_scope = Some(CacheScope::Private);
        Ok(result)
    }};
}

impl ServerHandler for Lifecycle {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_completions()
            .build();
        let mut capabilities = capabilities;
        if self.has_channel {
            let declared = capabilities.experimental.get_or_insert_default();
            declared.insert(channel::CAPABILITY.to_owned(), rmcp::model::JsonObject::default());
        }
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new("sdl", sdl_proto::BUILD);
        info.instructions = Some(
            "A live ledger of the symbols of the user's repositories. Before reading whole files, look symbols up, get \
             their cards, or build a slice for the task; hold on to the slice and refresh it after edits: the answer \
             is exactly what has changed."
                .to_owned(),
        );
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        list_template!(ListToolsResult)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        list_template!(ListResourcesResult)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        list_template!(ListResourceTemplatesResult)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        list_template!(ListPromptsResult)
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResult::success(Vec::new()).into())
    }

    async fn read_resource(
        &self,
        _: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(ReadResourceResult::new(Vec::new()).into())
    }

    async fn get_prompt(
        &self,
        _: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(GetPromptResult::new(Vec::new()).into())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        accepted.resource_subscriptions = None;
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let _listening = self.listeners.add(context.sink().clone());
        tokio::select! {
            () = context.cancelled() => {}
            () = self.closing.closed() => {}
        }
        Ok(())
    }
}
