//! Between rmcp's HTTP transport and the shim's own code.
//!
//! The transport needs typed results; the shim's results are text that must not change. So each result is read into
//! rmcp's type here, and an answer that would be written back differently becomes an error: the suite sees exactly the
//! shim's answer.

#![allow(deprecated, reason = "a client of an older revision may ask for what the newest has no more")]

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use hyper::http::request::Parts;
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientRequest, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, DiscoverResult, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerConfig, SetLevelRequestParams,
    SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use sdl_client::Paths;
use sdl_mcp::testing::{self, Session, Shown};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::task::JoinHandle;

/// A request as the shim has read it; travels beside the one that rmcp has read.
#[derive(Clone)]
pub(crate) struct AsRead(pub(crate) Arc<ClientRequest>);

/// The state that all clients share.
pub(crate) struct Front {
    paths: Paths,
    cwd: PathBuf,
    shown: Shown,
    /// The shim of all clients that speak the stateless revision: to HTTP they are one client, because no request
    /// belongs to another.
    stateless: Session,
}

impl Front {
    pub(crate) fn new(paths: Paths, cwd: PathBuf, shown: Shown) -> Arc<Self> {
        let stateless = Session::new(paths.clone(), cwd.clone(), shown.clone());
        tokio::spawn(stateless.pass_on(None));
        Arc::new(Self { paths, cwd, shown, stateless })
    }
}

/// One session of the `initialize` era, or one stateless request.
pub(crate) struct Handler {
    front: Arc<Front>,
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
    pub(crate) fn new(front: Arc<Front>) -> Self {
        Self { front, own: OnceLock::new() }
    }

    fn session(&self, context: &RequestContext<RoleServer>) -> &Session {
        if context.meta.protocol_version().is_some() {
            return &self.front.stateless;
        }
        let own = self.own.get_or_init(|| {
            let front = &self.front;
            let session = Session::new(front.paths.clone(), front.cwd.clone(), front.shown.clone());
            let passing_on = tokio::spawn(session.pass_on(Some(context.peer.clone())));
            Own { session, passing_on }
        });
        &own.session
    }

    async fn answer<T: Serialize + DeserializeOwned>(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<T, ErrorData> {
        let broken = |what: String| ErrorData::internal_error(what, None);
        let read = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<AsRead>());
        let Some(AsRead(request)) = read.cloned() else {
            return Err(broken("the request came by without the shim's reader".to_owned()));
        };
        let result = self.session(&context).handle((*request).clone(), context).await?;
        let said = testing::result_value(&result).map_err(|error| broken(format!("not JSON: {error}")))?;
        let typed: T = serde_json::from_value(said.clone())
            .map_err(|error| broken(format!("not a result of this method: {error}: {said}")))?;
        match serde_json::to_value(&typed) {
            Ok(passed_on) if passed_on == said => Ok(typed),
            Ok(passed_on) => Err(broken(format!("the shim said {said}, rmcp would pass on {passed_on}"))),
            Err(error) => Err(broken(error.to_string())),
        }
    }
}

/// Methods whose answer is the shim's, whatever the parameters: it has read them by itself.
macro_rules! answered_by_the_shim {
    ($($method:ident($params:ty) -> $result:ty as $read:ty;)*) => {$(
        async fn $method(
            &self,
            _: $params,
            context: RequestContext<RoleServer>,
        ) -> Result<$result, ErrorData> {
            self.answer::<$read>(context).await.map(<$result>::from)
        }
    )*};
}

/// A result without members. One that has some does not compare equal.
#[derive(Serialize, serde::Deserialize)]
struct Empty {}

impl From<Empty> for () {
    fn from(_: Empty) {}
}

impl ServerHandler for Handler {
    answered_by_the_shim! {
        initialize(InitializeRequestParams) -> InitializeResult as InitializeResult;
        complete(CompleteRequestParams) -> CompleteResult as CompleteResult;
        set_level(SetLevelRequestParams) -> () as Empty;
        get_prompt(GetPromptRequestParams) -> GetPromptResponse as GetPromptResult;
        list_prompts(Option<PaginatedRequestParams>) -> ListPromptsResult as ListPromptsResult;
        list_resources(Option<PaginatedRequestParams>) -> ListResourcesResult as ListResourcesResult;
        list_resource_templates(Option<PaginatedRequestParams>) -> ListResourceTemplatesResult as ListResourceTemplatesResult;
        read_resource(ReadResourceRequestParams) -> ReadResourceResponse as ReadResourceResult;
        subscribe(SubscribeRequestParams) -> () as Empty;
        unsubscribe(UnsubscribeRequestParams) -> () as Empty;
        call_tool(CallToolRequestParams) -> CallToolResponse as CallToolResult;
        list_tools(Option<PaginatedRequestParams>) -> ListToolsResult as ListToolsResult;
        on_custom_request(CustomRequest) -> CustomResult as CustomResult;
    }

    async fn ping(&self, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.answer::<Empty>(context).await.map(<()>::from)
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        self.answer(context).await
    }

    fn get_info(&self) -> ServerConfig {
        self.front.stateless.handler().get_info()
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.front.stateless.handler().accepted_subscription_filter(requested)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.front.stateless.handler().listen(context).await
    }
}
