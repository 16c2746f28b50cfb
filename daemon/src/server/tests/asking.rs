//! Questions of the daemon to its clients.

use sdl_client::proto::{ClientIdentity, Payload};
use sdl_client::{CallOptions, ClientError, Launch, ReconnectOptions, ReconnectingClient};
use tokio::sync::mpsc;

use super::*;

async fn client(fixture: &Fixture, introduced: bool) -> ReconnectingClient {
    let paths = fixture.paths.clone();
    let options = ReconnectOptions { paths, hello: test_hello("asked"), launch: Launch::Never };
    let client = ReconnectingClient::new(options);
    if introduced {
        let capabilities = Payload(br#"{"elicitation":{}}"#.to_vec());
        client.introduce(ClientIdentity { era: "2025-11-25".into(), capabilities }).await;
    }
    client
}

fn why(result: Result<Vec<u8>, ClientError>) -> String {
    result.unwrap_err().to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_goes_to_the_call_that_it_is_about() {
    let fixture = Fixture::start(test_options()).await;
    let client = client(&fixture, true).await;
    let ask = |params: &'static [u8]| {
        let (to, mut questions) = mpsc::channel(1);
        let client = client.clone();
        let options = CallOptions { questions: Some(to), ..CallOptions::mutation() };
        let call = tokio::spawn(async move { client.call("ask", params, options).await });
        async move {
            let asked = questions.recv().await.unwrap();
            assert_eq!((asked.method.as_str(), asked.params.as_slice()), ("elicitation/create", params));
            asked.answer(Ok([b"answer to ", params].concat()));
            call.await.unwrap().unwrap()
        }
    };
    let (one, other) = tokio::join!(ask(b"one"), ask(b"other"));
    assert_eq!((one.as_slice(), other.as_slice()), (&b"answer to one"[..], &b"answer to other"[..]));
    drop(client);
    fixture.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_asked_who_did_not_offer_it_or_does_not_listen() {
    let fixture = Fixture::start(test_options()).await;
    let silent = client(&fixture, false).await;
    assert!(why(silent.call("ask", b"x", CallOptions::mutation()).await).contains("can't be asked"));
    let deaf = client(&fixture, true).await;
    assert!(why(deaf.call("ask", b"x", CallOptions::mutation()).await).contains("did not answer"));
    let (to, mut questions) = mpsc::channel(1);
    let options = CallOptions { questions: Some(to), ..CallOptions::mutation() };
    let rude = client(&fixture, true).await;
    let (answer, ()) = tokio::join!(rude.call("ask", b"x", options), async {
        drop(questions.recv().await);
    });
    assert!(why(answer).contains("did not answer"), "a question that is dropped is declined");
    drop((silent, deaf, rude));
    fixture.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_asks_hears_that_the_client_is_gone() {
    let fixture = Fixture::start(test_options()).await;
    let (asked, mut questions) = mpsc::channel(1);
    let (sender, answer) = tokio::sync::oneshot::channel();
    let client = client(&fixture, true).await;
    client.send_questions(asked);
    let peer = {
        client.call("echo", b"", CallOptions::read()).await.unwrap();
        fixture.service.last_session()
    };
    let reply = Box::new(move |answer| drop(sender.send(answer)));
    assert!(peer.ask(None, "roots/list", b"{}".to_vec(), reply).is_some());
    // The question is kept, because a client that drops it declines it, and may be there a moment longer.
    let question = questions.recv().await.unwrap();
    drop(client);
    assert_eq!(answer.await.unwrap(), Err("the client has gone".to_owned()));
    drop(question);
    let late = Box::new(|answer: Result<Vec<u8>, String>| assert!(answer.is_err()));
    assert!(peer.ask(None, "roots/list", b"{}".to_vec(), late).is_none());
    fixture.stop().await;
}
