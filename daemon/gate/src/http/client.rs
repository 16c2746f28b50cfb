//! Requests to one server, as rmcp's transport asks for them.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use futures::stream::BoxStream;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Response, StatusCode};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, NumberOrString, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sdl_proto::code;
use sdl_settings::Template;
use sse_stream::Sse;

use crate::flag::Flag;
use crate::http::events::read_events;
use crate::http::headers::{name_header, own_headers};
use crate::http::refusal::{connection_trouble, status_trouble};
use crate::shared::World;
use crate::slot::Slot;
use crate::trouble::Trouble;
use crate::wire::MAX_MESSAGE_BYTES;
use crate::wire::link::{Inbound, Link};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: &str = "mcp-session-id";

/// A refusal's body that is read.
const MAX_REFUSAL_BYTES: usize = 64 << 10;

type Failure = StreamableHttpError<RemoteError>;

/// An error that rmcp carries. What it means has been noted in the books.
#[derive(Debug)]
pub(crate) struct RemoteError(String);

impl fmt::Display for RemoteError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for RemoteError {}

/// A server.
#[derive(Clone)]
pub(crate) struct Remote {
    client: reqwest::Client,
    pub(super) world: World,
    pub(super) key: String,
    pub(super) headers: Arc<Vec<(String, Template)>>,
    link: Arc<Link>,
    hang_up: Flag,
}

impl Remote {
    pub(crate) fn new(
        client: reqwest::Client,
        slot: &Slot,
        headers: Vec<(String, Template)>,
        link: Arc<Link>,
        hang_up: Flag,
    ) -> Self {
        let (world, key) = (Arc::clone(&slot.world), slot.key.clone());
        Self { client, world, key, headers: Arc::new(headers), link, hang_up }
    }

    /// Notes why a request has failed. The caller of rmcp finds it in the books.
    fn fail(&self, id: Option<i64>, trouble: Trouble) -> Failure {
        let text = self.world.masks.mask(&trouble.message).into_owned();
        self.link.fail_request(id, trouble);
        StreamableHttpError::Client(RemoteError(text))
    }

    /// The headers that rmcp wants, the person's, and the session's. The person's are looked up for every request.
    async fn with_headers(
        &self,
        mut request: RequestBuilder,
        session: Option<Arc<str>>,
        wanted: HashMap<HeaderName, HeaderValue>,
    ) -> Result<RequestBuilder, Trouble> {
        for (name, value) in own_headers(&self.world, Arc::clone(&self.headers)).await? {
            request = request.header(name, value);
        }
        for (name, value) in wanted {
            request = request.header(name, value);
        }
        Ok(match session {
            Some(session) => request.header(SESSION, session.as_ref()),
            None => request,
        })
    }

    async fn post(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        wanted: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let id = request_id(message);
        let outbound = self.link.outbound(message)?;
        let _unread = Unread(&self.link);
        let has_session = session.is_some();
        let mut request = self.client.post(uri).header(ACCEPT, format!("{JSON}, {EVENTS}"));
        if wanted.keys().any(|name| name.as_str() == "mcp-method")
            && let Some((name, value)) = name_header(&outbound.text)
        {
            request = request.header(name, value);
        }
        request = request.header(CONTENT_TYPE, JSON);
        let request = self.with_headers(request, session, wanted).await;
        let request = request.map_err(|trouble| self.fail(id, trouble))?;
        let token = self.token(uri).await.map_err(|trouble| self.fail(id, trouble))?;
        if outbound.track.as_ref().is_some_and(|track| !track.leave()) {
            return Err(StreamableHttpError::Client(RemoteError("withdrawn".to_owned())));
        }
        let sent = self.send(uri, request.body(outbound.text), token).await;
        let response = sent.map_err(|trouble| self.fail(id, trouble))?;
        let status = response.status();
        if status == StatusCode::NOT_FOUND && has_session {
            return Err(StreamableHttpError::SessionExpired);
        }
        if !status.is_success() {
            return self.refused(message, id, has_session, response).await;
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        self.answered(id, response).await
    }

    async fn answered(
        &self,
        id: Option<i64>,
        response: Response,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let session = header_text(&response, SESSION);
        let kind = header_text(&response, CONTENT_TYPE.as_str()).unwrap_or_default();
        if kind.starts_with(EVENTS) {
            let events = read_events(response, id, Arc::clone(&self.link), self.hang_up.clone());
            return Ok(StreamableHttpPostResponse::Sse(events, session));
        }
        let body = self.read_body(id, response, MAX_MESSAGE_BYTES).await?;
        if body.trim_ascii().is_empty() && id.is_none() {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if !kind.starts_with(JSON) {
            let shown: String = kind.chars().take(100).collect();
            return Err(self.fail(
                id,
                Trouble::protocol(format!("the upstream answers with content of type {shown:?}")),
            ));
        }
        match self.link.inbound(&body) {
            Inbound::Message(message) => Ok(StreamableHttpPostResponse::Json(*message, session)),
            // Nobody else will answer the request.
            Inbound::Nothing if id.is_some() => {
                Err(self
                    .fail(id, Trouble::protocol("the upstream's answer is to another request, or to none")))
            }
            Inbound::Nothing => Ok(StreamableHttpPostResponse::Accepted),
            Inbound::Broken => {
                self.hang_up.raise();
                Err(StreamableHttpError::UnexpectedEndOfStream)
            }
        }
    }

    async fn read_body(
        &self,
        id: Option<i64>,
        mut response: Response,
        most: usize,
    ) -> Result<Vec<u8>, Failure> {
        let mut body = Vec::new();
        loop {
            let chunk = response.chunk().await.map_err(|error| self.fail(id, connection_trouble(&error)))?;
            let Some(chunk) = chunk else { return Ok(body) };
            if body.len() + chunk.len() > most {
                self.link.count("tooLong");
                let message = format!("the upstream's answer is above {} KiB", most >> 10);
                return Err(self.fail(id, Trouble::new(code::RESULT_TOO_LARGE, message)));
            }
            body.extend_from_slice(&chunk);
        }
    }

    /// An answer with a status that is no success.
    async fn refused(
        &self,
        message: &ClientJsonRpcMessage,
        id: Option<i64>,
        has_session: bool,
        response: Response,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let status = response.status();
        let trouble = status_trouble(&self.key, self.has_own_login(), &response);
        let is_client_error = status.is_client_error() && !matches!(status.as_u16(), 401 | 403 | 429);
        if !is_client_error {
            return Err(self.fail(id, trouble));
        }
        let body = self.read_body(id, response, MAX_REFUSAL_BYTES).await?;
        let error = match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
            Ok(JsonRpcMessage::Error(error)) => Some(error.error),
            _ => None,
        };
        if let JsonRpcMessage::Request(request) = message
            && matches!(request.request, ClientRequest::DiscoverRequest(_))
            && !has_session
        {
            // A server that does not know the method may refuse the request as a whole. rmcp then tries the older lifecycle.
            let error = error.unwrap_or_else(|| ErrorData::invalid_request(format!("HTTP {status}"), None));
            self.link.forget(&request.id);
            let message = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
            return Ok(StreamableHttpPostResponse::Json(message, None));
        }
        let trouble = match error {
            Some(error) => {
                let value = serde_json::to_value(&error).unwrap_or_default();
                Trouble::protocol(format!("the upstream answered with an error: {}", error.message))
                    .with("error", value)
            }
            None => trouble,
        };
        Err(self.fail(id, trouble))
    }
}

/// A message that the server has not read, until this is dropped.
struct Unread<'l>(&'l Link);

impl Drop for Unread<'_> {
    fn drop(&mut self) {
        self.0.was_read();
    }
}

fn request_id(message: &ClientJsonRpcMessage) -> Option<i64> {
    match message {
        JsonRpcMessage::Request(request) => match request.id {
            NumberOrString::Number(id) => Some(id),
            NumberOrString::String(_) => None,
        },
        _ => None,
    }
}

fn header_text(response: &Response, name: &str) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

impl StreamableHttpClient for Remote {
    type Error = RemoteError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.post(&uri, &message, session_id, custom_headers).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        _: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failure> {
        let request =
            self.with_headers(self.client.delete(uri.as_ref()), Some(session_id), custom_headers).await;
        // A server may not allow it, and forgets the session by itself.
        if let (Ok(request), Ok(token)) = (request, self.token(&uri).await) {
            let _ = self.send(&uri, request, token).await;
        }
        Ok(())
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        let mut request = self.client.get(uri.as_ref()).header(ACCEPT, EVENTS);
        if let Some(last) = last_event_id {
            request = request.header("last-event-id", last);
        }
        let other = |text: &str| StreamableHttpError::Client(RemoteError(text.to_owned()));
        let request = self.with_headers(request, session_id, custom_headers).await;
        let request = request.map_err(|_| other("a header cannot be resolved"))?;
        let token = self.token(&uri).await.map_err(|_| other("the login does not count"))?;
        let response = self.send(&uri, request, token).await.map_err(|_| other("the connection failed"))?;
        let kind = header_text(&response, CONTENT_TYPE.as_str()).unwrap_or_default();
        if !response.status().is_success() || !kind.starts_with(EVENTS) {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        Ok(read_events(response, None, Arc::clone(&self.link), self.hang_up.clone()))
    }
}
