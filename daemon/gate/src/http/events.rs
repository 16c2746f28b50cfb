//! Messages that come as server-sent events.

use std::sync::Arc;

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use reqwest::Response;
use rmcp::model::ErrorCode;
use rmcp::transport::streamable_http_client::SseError;
use sdl_proto::code;
use serde_json::json;
use sse_stream::{Sse, SseStream};

use crate::flag::Flag;
use crate::trouble::Trouble;
use crate::wire::MAX_MESSAGE_BYTES;
use crate::wire::link::{Inbound, Link};

/// Why the bytes of a stream are not passed on.
#[derive(Debug)]
struct TooLong;

impl std::fmt::Display for TooLong {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an event is too long")
    }
}

impl std::error::Error for TooLong {}

/// Counts the bytes since the last empty line.
#[derive(Default)]
struct Size {
    bytes: usize,
    line: usize,
}

impl Size {
    /// True if an event is too long.
    fn add(&mut self, chunk: &[u8]) -> bool {
        for byte in chunk {
            match byte {
                b'\n' if self.line == 0 => self.bytes = 0,
                b'\n' => self.line = 0,
                b'\r' => {}
                _ => self.line += 1,
            }
            self.bytes += 1;
            if self.bytes > MAX_MESSAGE_BYTES + (64 << 10) {
                return true;
            }
        }
        false
    }
}

/// The events of a response, as rmcp is to see them. `id` is the request that it answers.
pub(super) fn read_events(
    response: Response,
    id: Option<i64>,
    link: Arc<Link>,
    hang_up: Flag,
) -> BoxStream<'static, Result<Sse, SseError>> {
    let mut size = Size::default();
    let bytes = response.bytes_stream().map(move |chunk| match chunk {
        Ok(chunk) if size.add(&chunk) => Err(Box::<dyn std::error::Error + Send + Sync>::from(TooLong)),
        Ok(chunk) => Ok(chunk),
        Err(error) => Err(error.into()),
    });
    let events = SseStream::from_bytes_stream(bytes.map(|chunk| chunk.map_err(Wrapped)));
    let reading = Reading { events: events.boxed(), id, link, hang_up, is_resumable: false, is_over: false };
    stream::unfold(reading, |mut reading| async move { Some((reading.next().await?, reading)) }).boxed()
}

/// An error of a stream, as the reader of events wants it.
#[derive(Debug)]
struct Wrapped(Box<dyn std::error::Error + Send + Sync>);

impl std::fmt::Display for Wrapped {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

impl std::error::Error for Wrapped {}

struct Reading {
    events: BoxStream<'static, Result<Sse, SseError>>,
    id: Option<i64>,
    link: Arc<Link>,
    hang_up: Flag,
    /// Whether rmcp can ask for the rest of it.
    is_resumable: bool,
    is_over: bool,
}

impl Reading {
    async fn next(&mut self) -> Option<Result<Sse, SseError>> {
        while !self.is_over {
            match self.events.next().await {
                Some(Ok(event)) => {
                    self.is_resumable |= event.id.is_some();
                    let Some(data) = event.data.as_ref().filter(|data| !data.trim().is_empty()) else {
                        return Some(Ok(event));
                    };
                    match self.link.inbound(data.as_bytes()) {
                        Inbound::Message(message) => {
                            let text = serde_json::to_string(&*message).unwrap_or_default();
                            return Some(Ok(Sse { data: Some(text), ..event }));
                        }
                        // Its id is where a broken stream is resumed.
                        Inbound::Nothing if event.id.is_some() => {
                            return Some(Ok(Sse { data: None, ..event }));
                        }
                        Inbound::Nothing => {}
                        Inbound::Broken => {
                            self.hang_up.raise();
                            return None;
                        }
                    }
                }
                Some(Err(SseError::Body(error))) if is_too_long(&*error) => {
                    self.is_over = true;
                    self.link.count("tooLong");
                    let message = format!("the upstream's answer is above {} MiB", MAX_MESSAGE_BYTES >> 20);
                    let trouble = Trouble::new(code::RESULT_TOO_LARGE, message);
                    return self.fail(trouble);
                }
                Some(Err(error)) if self.is_resumable || self.id.is_none() => return Some(Err(error)),
                None if self.is_resumable => return None,
                Some(Err(_)) | None => {
                    self.is_over = true;
                    let message = "the upstream's answer broke off; whether the call took effect is unknown, check before you \
                                   repeat it";
                    return self.fail(Trouble::new(code::OUTCOME_UNKNOWN, message));
                }
            }
        }
        None
    }

    /// The last event, if the request that this answers has no answer yet.
    fn fail(&self, trouble: Trouble) -> Option<Result<Sse, SseError>> {
        let id = self.id?;
        let message = trouble.message.clone();
        let text = match self.link.fail_one(id, trouble)? {
            Inbound::Message(message) => serde_json::to_string(&*message).unwrap_or_default(),
            // A request of rmcp's own, such as a subscription. It hears the error.
            Inbound::Nothing | Inbound::Broken => {
                let error = json!({ "code": ErrorCode::INTERNAL_ERROR, "message": message });
                json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string()
            }
        };
        Some(Ok(Sse { data: Some(text), ..Sse::default() }))
    }
}

fn is_too_long(error: &(dyn std::error::Error + 'static)) -> bool {
    error.downcast_ref::<Wrapped>().is_some_and(|wrapped| wrapped.0.is::<TooLong>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_event_may_not_be_too_long() {
        let mut size = Size::default();
        let event = [b"data: ".to_vec(), vec![b'x'; MAX_MESSAGE_BYTES], b"\r\n\r\n".to_vec()].concat();
        assert!(!size.add(&event) && !size.add(&event));
        assert!(!size.add(&event[..event.len() - 4]));
        assert!(size.add(&vec![b'x'; 64 << 10]));
    }
}
