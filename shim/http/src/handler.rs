//! Between rmcp's HTTP transport and the shim's own code.

#![allow(deprecated, reason = "a client of an older revision may ask for what the newest has no more")]

use std::sync::{Arc, OnceLock};

use hyper::http::request::Parts;
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientRequest, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, DiscoverResult, GetPromptRequestParams, GetPromptResponse,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerConfig, ServerResult, SetLevelRequestParams, SubscribeRequestParams,
    SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use sdl_client::Paths;
use sdl_mcp::embed::{Session, result_text};
use sdl_proto::{Principal, SessionHello};
use tokio::task::JoinHandle;

use crate::carried::Carrier;

/// A request as the shim has read it; travels beside the one that rmcp has read.
#[derive(Clone)]
pub(crate) struct AsRead(pub(crate) Arc<ClientRequest>);

/// What all requests of one principal share.
pub(crate) struct Shared {
    paths: Paths,
    hello: SessionHello,
    principal: Principal,
    /// The shim of requests without a session: to HTTP they are one client, because none belongs to another.
    stateless: Session,
    passing_on: JoinHandle<()>,
}

impl Shared {
    pub(crate) fn new(paths: Paths, hello: SessionHello, principal: Principal) -> Self {
        let stateless = Session::new(paths.clone(), hello.clone(), principal.clone());
        let passing_on = tokio::spawn(stateless.pass_on(None));
        Self { paths, hello, principal, stateless, passing_on }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.passing_on.abort();
    }
}

/// One session of the `initialize` era, or one request without a session.
pub(crate) struct Handler {
    shared: Arc<Shared>,
    /// What a session has, from `initialize` on.
    own: OnceLock<Own>,
}

/// A shim of a session's own, as a client on standard input has.
struct Own {
    session: Session,
    passing_on: JoinHandle<()>,
}

impl Drop for Own {
    fn drop(&mut self) {
        self.passing_on.abort();
    }
}

impl Handler {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, own: OnceLock::new() }
    }

    fn session(&self) -> &Session {
        self.own.get().map_or(&self.shared.stateless, |own| &own.session)
    }

    async fn answer(&self, context: RequestContext<RoleServer>) -> Result<ServerResult, ErrorData> {
        let read = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<AsRead>());
        let Some(AsRead(request)) = read.cloned() else {
            return Err(ErrorData::internal_error("the request came by without the shim's reader", None));
        };
        self.session().handle((*request).clone(), context).await
    }
}

fn unexpected() -> ErrorData {
    ErrorData::internal_error("the result is not one of this method", None)
}

/// Methods that the daemon answers. The shim has read the parameters by itself.
macro_rules! carried_from_the_daemon {
    ($($method:ident($params:ty) -> $result:ty;)*) => {$(
        async fn $method(
            &self,
            _: $params,
            context: RequestContext<RoleServer>,
        ) -> Result<$result, ErrorData> {
            let result = self.answer(context).await?;
            // A list that an older daemon does not know is empty: the shim's own.
            match result_text(&result) {
                Some(text) => Ok(<$result>::carrying(text)),
                None => own_result(result),
            }
        }
    )*};
}

/// A result that the shim made, as the type that rmcp wants.
fn own_result<T: TryFrom<OwnResult, Error = ErrorData>>(result: ServerResult) -> Result<T, ErrorData> {
    OwnResult(result).try_into()
}

struct OwnResult(ServerResult);

macro_rules! own_results {
    ($($type:ty: $variant:ident;)*) => {$(
        impl TryFrom<OwnResult> for $type {
            type Error = ErrorData;

            fn try_from(OwnResult(result): OwnResult) -> Result<Self, ErrorData> {
                match result {
                    ServerResult::$variant(result) => Ok(result.into()),
                    _ => Err(unexpected()),
                }
            }
        }
    )*};
}

own_results! {
    CallToolResponse: CallToolResult;
    CompleteResult: CompleteResult;
    CustomResult: CustomResult;
    DiscoverResult: DiscoverResult;
    GetPromptResponse: GetPromptResult;
    InitializeResult: InitializeResult;
    ListPromptsResult: ListPromptsResult;
    ListResourceTemplatesResult: ListResourceTemplatesResult;
    ListResourcesResult: ListResourcesResult;
    ListToolsResult: ListToolsResult;
    ReadResourceResponse: ReadResourceResult;
}

/// Methods whose result says nothing.
macro_rules! answered_with_nothing {
    ($($method:ident($params:ty);)*) => {$(
        async fn $method(&self, _: $params, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
            self.answer(context).await.map(drop)
        }
    )*};
}

impl ServerHandler for Handler {
    carried_from_the_daemon! {
        call_tool(CallToolRequestParams) -> CallToolResponse;
        complete(CompleteRequestParams) -> CompleteResult;
        get_prompt(GetPromptRequestParams) -> GetPromptResponse;
        list_prompts(Option<PaginatedRequestParams>) -> ListPromptsResult;
        list_resources(Option<PaginatedRequestParams>) -> ListResourcesResult;
        list_resource_templates(Option<PaginatedRequestParams>) -> ListResourceTemplatesResult;
        list_tools(Option<PaginatedRequestParams>) -> ListToolsResult;
        read_resource(ReadResourceRequestParams) -> ReadResourceResponse;
    }

    answered_with_nothing! {
        set_level(SetLevelRequestParams);
        subscribe(SubscribeRequestParams);
        unsubscribe(UnsubscribeRequestParams);
    }

    async fn ping(&self, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.answer(context).await.map(drop)
    }

    async fn initialize(
        &self,
        _: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.own.get_or_init(|| {
            let shared = &self.shared;
            let session = Session::new(shared.paths.clone(), shared.hello.clone(), shared.principal.clone());
            let passing_on = tokio::spawn(session.pass_on(Some(context.peer.clone())));
            Own { session, passing_on }
        });
        self.answer(context).await.and_then(own_result)
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        self.answer(context).await.and_then(own_result)
    }

    async fn on_custom_request(
        &self,
        _: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        self.answer(context).await.and_then(own_result)
    }

    fn get_info(&self) -> ServerConfig {
        self.session().handler().get_info()
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.session().handler().accepted_subscription_filter(requested)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.session().connect().await;
        self.session().handler().listen(context).await
    }
}
