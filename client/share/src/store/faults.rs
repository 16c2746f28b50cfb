//! Why a store can't be used, in words for people. Never quotes a whole error of a store, because a url in it may hold a
//! signature.

use opendal::{Error, ErrorKind};

use crate::place::Place;
use crate::trouble::Trouble;

/// Characters of a store's own message that are shown.
const MAX_QUOTED: usize = 200;

/// Whether the bucket or container is not there, and not just the object.
pub(super) fn is_bucket_missing(error: &Error) -> bool {
    let message = error.message();
    ["NoSuchBucket", "ContainerNotFound", "bucket does not exist"].iter().any(|sign| message.contains(sign))
}

/// Whether the store does not let this user do it. Redis has no kind of error for that.
fn is_refused(error: &Error) -> bool {
    let whole = format!("{error:?}");
    error.kind() == ErrorKind::PermissionDenied
        || ["NOAUTH", "NOPERM", "WRONGPASS"].iter().any(|sign| whole.contains(sign))
}

/// The trouble that an error of the store is.
pub(super) fn explain_error(place: &Place, what: &str, error: &Error) -> Trouble {
    let name = place.name();
    let quoted = quoted_message(error.message());
    Trouble::Local(match error.kind() {
        _ if is_bucket_missing(error) => {
            format!("{name} does not exist; make it, or correct \"store\" in share.json")
        }
        _ if is_refused(error) => format!(
            "{name} refused to {what} objects: permission denied; check {} in the environment, and the rights of that user \
             ({quoted})",
            place.credentials()
        ),
        ErrorKind::RateLimited => {
            format!(
                "{name} refused to {what} objects: too many requests; set \"requests\" in share.json lower"
            )
        }
        ErrorKind::ConfigInvalid => {
            format!("{name} can't be used: {quoted}; correct \"store\" in share.json")
        }
        ErrorKind::NotFound => {
            format!("{name}: an object is gone while it was being used ({quoted}); try again")
        }
        // Without credentials a client asks the services of the cloud, and reports that none answers.
        _ if quoted.contains("credential") => format!(
            "no credentials for {name} were found: set {} in the environment ({quoted})",
            place.credentials()
        ),
        _ => format!("lost the connection to {name}, or it failed to {what} an object ({quoted}); try again"),
    })
}

/// The beginning of a message, without the parameters of urls.
fn quoted_message(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let words = line.split(' ').map(|word| match word.find('?') {
        Some(at) if word.contains("://") => word.get(..at).unwrap_or_default(),
        _ => word,
    });
    words.collect::<Vec<_>>().join(" ").chars().take(MAX_QUOTED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_not_quoted() {
        let quoted = quoted_message("get https://h/c/o?sig=hunter2&se=1 failed\nsecond line hunter2");
        assert_eq!(quoted, "get https://h/c/o failed");
    }

    #[test]
    fn each_fault_says_what_to_do() {
        let place = Place::parse("s3://team").unwrap();
        let explain =
            |kind, message: &str| explain_error(&place, "read", &Error::new(kind, message)).to_string();
        assert!(
            explain(ErrorKind::ConfigInvalid, "S3Error { code: \"NoSuchBucket\" }")
                .contains("does not exist; make it")
        );
        assert!(explain(ErrorKind::PermissionDenied, "").contains("check AWS_ACCESS_KEY_ID"));
        assert!(explain(ErrorKind::RateLimited, "").contains("too many requests"));
        assert!(explain(ErrorKind::Unexpected, "send http request").contains("try again"));
        assert!(explain(ErrorKind::Unexpected, "failed to load credential").contains("no credentials"));
    }
}
