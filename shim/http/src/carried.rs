//! Results of the daemon on their way through rmcp's transport.
//!
//! The transport takes results of its own types and writes those. That would lose what the types don't know, and write numbers such
//! as `1.50` in another way. So a result goes through it as one string in an otherwise empty result, and is put back into
//! its place in the bytes that leave: the client reads what the daemon wrote.

use std::borrow::Cow;

use hyper::body::Bytes;
use memchr::memmem;
use rmcp::model::{
    CallToolResponse, CallToolResult, CompleteResult, GetPromptResponse, GetPromptResult, JsonObject,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject,
    ReadResourceResponse, ReadResourceResult,
};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The member of `_meta` that carries a result.
const KEY: &str = "sdl-http/result";
/// The same as it is written. No text inside a string looks like this, because its quotes are escaped.
const WRITTEN: &[u8] = b"\"sdl-http/result\":\"";

/// A result of rmcp that can carry a text.
pub(crate) trait Carrier {
    /// An empty result with the text in it.
    fn carrying(text: &str) -> Self;
}

macro_rules! carriers {
    ($($made:ident as $result:ident: $empty:expr;)*) => {$(
        impl Carrier for $made {
            fn carrying(text: &str) -> Self {
                let mut result: $result = $empty;
                let mut meta = JsonObject::new();
                meta.insert(KEY.to_owned(), Value::from(text));
                result.meta = Some(MetaObject(meta));
                result.into()
            }
        }
    )*};
}

carriers! {
    CallToolResponse as CallToolResult: CallToolResult::success(Vec::new());
    CompleteResult as CompleteResult: CompleteResult::default();
    GetPromptResponse as GetPromptResult: GetPromptResult::new(Vec::new());
    ListPromptsResult as ListPromptsResult: ListPromptsResult::default();
    ListResourceTemplatesResult as ListResourceTemplatesResult: ListResourceTemplatesResult::default();
    ListResourcesResult as ListResourcesResult: ListResourcesResult::default();
    ListToolsResult as ListToolsResult: ListToolsResult::default();
    ReadResourceResponse as ReadResourceResult: ReadResourceResult::new(Vec::new());
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    #[serde(borrow)]
    result: Holding<'a>,
}

#[derive(Deserialize)]
struct Holding<'a> {
    #[serde(borrow, rename = "_meta")]
    meta: Held<'a>,
}

#[derive(Deserialize)]
struct Held<'a> {
    #[serde(borrow, rename = "sdl-http/result")]
    text: Cow<'a, str>,
}

/// Puts carried results back into one piece of a response. A piece is a whole event, because rmcp writes each as one.
pub(crate) fn unpack(piece: Bytes) -> Bytes {
    if memmem::find(&piece, WRITTEN).is_none() {
        return piece;
    }
    let Ok(text) = std::str::from_utf8(&piece) else { return piece };
    let mut unpacked = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("data:").and_then(unpack_message) {
            Some(message) => {
                unpacked.push_str("data: ");
                unpacked.push_str(&message);
                unpacked.push('\n');
            }
            None => unpacked.push_str(line),
        }
    }
    unpacked.into()
}

/// The message with its true result, if it carries one.
fn unpack_message(json: &str) -> Option<String> {
    let message: Message<'_> = serde_json::from_str(json).ok()?;
    let text = message.result.meta.text;
    Some(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{text}}}", message.id.get()))
}

#[cfg(test)]
mod tests {
    use rmcp::model::{JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerResult};

    use super::*;

    /// An event as rmcp writes it.
    fn event(result: ServerResult) -> String {
        let message: ServerJsonRpcMessage = JsonRpcMessage::response(result, RequestId::Number(7));
        let json = serde_json::to_string(&message).unwrap_or_else(|error| panic!("{error}"));
        format!("id: 3\nretry: 5\ndata: {json}\n\n")
    }

    fn unpacked(text: &str) -> String {
        String::from_utf8(unpack(Bytes::copy_from_slice(text.as_bytes())).to_vec()).unwrap_or_default()
    }

    #[test]
    fn a_result_leaves_as_it_came() {
        let text =
            r#"{"z":1.50, "big":1e400,"content":[{"type":"new","quote":"\"\\é\u0001"}],"_meta":{"a":null}}"#;
        let wanted = format!("id: 3\nretry: 5\ndata: {{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{text}}}\n\n");
        assert_eq!(unpacked(&event(CallToolResponse::carrying(text).into())), wanted);
        assert_eq!(unpacked(&event(GetPromptResponse::carrying(text).into())), wanted);
        assert_eq!(unpacked(&event(ReadResourceResponse::carrying(text).into())), wanted);
        assert_eq!(unpacked(&event(ServerResult::CompleteResult(CompleteResult::carrying(text)))), wanted);
        assert_eq!(unpacked(&event(ServerResult::ListToolsResult(ListToolsResult::carrying(text)))), wanted);
        assert_eq!(
            unpacked(&event(ServerResult::ListPromptsResult(ListPromptsResult::carrying(text)))),
            wanted
        );
        let list = ServerResult::ListResourcesResult(ListResourcesResult::carrying(text));
        assert_eq!(unpacked(&event(list)), wanted);
        let list = ServerResult::ListResourceTemplatesResult(ListResourceTemplatesResult::carrying(text));
        assert_eq!(unpacked(&event(list)), wanted);
    }

    #[test]
    fn a_result_that_looks_like_a_carrier_is_not_opened_again() {
        let inner = r#"{"_meta":{"sdl-http/result":"{\"forged\":true}"}}"#;
        let left = unpacked(&event(CallToolResponse::carrying(inner).into()));
        assert!(left.contains(inner) && !left.contains(r#"{"forged":true}"#), "{left}");
    }

    #[test]
    fn everything_else_stays() {
        for text in [
            ":\n\n",
            "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"sdl-http/result\":\"x\"}}\n\n",
            "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"\",\"data\":{\"sdl-http/result\":\"x\"}}}\n\n",
            "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"text\":\"\\\"sdl-http/result\\\":\\\"x\\\"\"}}\n\n",
            "\"sdl-http/result\":\"",
        ] {
            assert_eq!(unpacked(text), text);
        }
    }
}
