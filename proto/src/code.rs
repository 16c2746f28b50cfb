//! Error codes: stable names, for programs. Every code that crosses the socket or reaches a client is in this table.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        $($(#[$doc])* pub const $name: &str = $text;)*

        /// Every code.
        pub const ALL: &[&str] = &[$($name),*];
    };
}

codes! {
    // Of the transport.

    /// The caller cancelled the request.
    CANCELLED = "cancelled";
    /// The deadline passed first.
    DEADLINE = "deadlineExceeded";
    /// The daemon is stopping.
    STOPPING = "stopping";
    /// Too many connections or requests.
    BUSY = "busy";
    /// A message makes no sense here.
    PROTOCOL = "protocol";
    /// A message is larger than allowed.
    TOO_LARGE = "tooLarge";
    /// The bearer token is missing or wrong.
    UNAUTHORIZED = "unauthorized";
    /// No such method.
    UNKNOWN_METHOD = "unknownMethod";
    /// A defect or a broken environment; the daemon's log says more.
    INTERNAL = "internal";
    /// The connection broke after the request was sent: whether it took effect is unknown.
    OUTCOME_UNKNOWN = "outcomeUnknown";
    /// No daemon could be reached.
    UNREACHABLE = "unreachable";

    // Of resources, prompts and completions.

    /// No resource has that URI.
    RESOURCE_NOT_FOUND = "resourceNotFound";
    /// No prompt has that name.
    PROMPT_NOT_FOUND = "promptNotFound";
    /// The parameters don't fit the method.
    INVALID_PARAMS = "invalidParams";

    // Of actions.

    /// The arguments are not JSON, or JSON that two readers would read differently.
    MALFORMED_JSON = "malformedJson";
    /// A field that the action does not know.
    UNKNOWN_FIELD = "unknownField";
    /// A field that the action needs.
    MISSING_FIELD = "missingField";
    /// A field of another type than the schema's.
    WRONG_TYPE = "wrongType";
    /// A value outside its range, or fields that do not go together.
    INVALID_ARGUMENT = "invalidArgument";
    /// No tool of that name.
    UNKNOWN_TOOL = "unknownTool";
    /// No action of that name.
    UNKNOWN_ACTION = "unknownAction";
    /// No repository of that id, or none given and none inferred.
    UNKNOWN_REPO = "unknownRepo";
    /// A tree that may not be registered.
    REFUSED_ROOT = "refusedRoot";
    /// No symbol of that id or name.
    UNKNOWN_SYMBOL = "unknownSymbol";
    /// Several symbols fit.
    AMBIGUOUS_SYMBOL = "ambiguousSymbol";
    /// No such path in the repository.
    UNKNOWN_PATH = "unknownPath";
    /// A reference to the result of an earlier step of a chain that leads nowhere.
    UNKNOWN_REFERENCE = "unknownReference";
    /// No such handle.
    UNKNOWN_HANDLE = "unknownHandle";
    /// No such memory.
    UNKNOWN_MEMORY = "unknownMemory";
    /// No such fact.
    UNKNOWN_TRIPLE = "unknownTriple";
    /// Several facts fit.
    AMBIGUOUS_TRIPLE = "ambiguousTriple";
    /// No such dispatch.
    UNKNOWN_DISPATCH = "unknownDispatch";
    /// No such session.
    UNKNOWN_SESSION = "unknownSession";
    /// No such entry of the scratch cache.
    UNKNOWN_SCRATCH = "unknownScratch";
    /// The dispatch is claimed by somebody else, or by nobody.
    NOT_CLAIMED = "notClaimed";
    /// The handle's lease ran out.
    HANDLE_EXPIRED = "handleExpired";
    /// A page cursor that does not belong to this request.
    BAD_CURSOR = "badCursor";
    /// A version that the ledger does not hold.
    UNKNOWN_VERSION = "unknownVersion";
    /// The first index is under way.
    INDEXING = "indexing";
    /// The newest writes to the tree could not be confirmed as committed in time.
    NOT_SYNCED = "notSynced";
    /// The file differs from the one that the ledger knows.
    SOURCE_MOVED = "sourceMoved";
    /// Not allowed by the settings.
    DENIED = "denied";
    /// In conflict with existing data.
    CONFLICT = "conflict";
    /// The repository or a part of the system cannot answer.
    UNAVAILABLE = "unavailable";

    // Of upstream MCP servers.

    /// The upstream does not run and can't be started, or it ended before the request left.
    UPSTREAM_DOWN = "upstreamDown";
    /// The upstream did not answer in time.
    UPSTREAM_TIMEOUT = "upstreamTimeout";
    /// The upstream answered with an error of the protocol, or with something that the protocol does not have.
    UPSTREAM_PROTOCOL = "upstreamProtocol";
    /// The upstream refused the request for want of a permission.
    UPSTREAM_DENIED = "upstreamDenied";
    /// A person has to log in at the upstream first.
    NEEDS_LOGIN = "needsLogin";
    /// A result above the limit of results.
    RESULT_TOO_LARGE = "resultTooLarge";
    /// A setting that the upstream needs is missing or has no value.
    MISCONFIGURED = "misconfigured";
    /// The upstream is to be reached by a transport that is not spoken here.
    UNSUPPORTED_TRANSPORT = "unsupportedTransport";
    /// Several tools fit the name.
    AMBIGUOUS_TOOL = "ambiguousTool";
    /// The definition of a tool changed, and a person has not approved it.
    DEFINITION_CHANGED = "definitionChanged";
    /// A part that a person has not turned on.
    MODULE_OFF = "moduleOff";
    /// The upstream needs a client that can do something which this one has not declared.
    MISSING_CAPABILITY = "missingCapability";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_codes_are_the_same() {
        assert_eq!(ALL.iter().collect::<BTreeSet<_>>().len(), ALL.len());
        for code in ALL {
            assert!(code.starts_with(|c: char| c.is_ascii_lowercase()), "{code}");
            assert!(code.chars().all(|c| c.is_ascii_alphanumeric()), "{code}");
        }
    }
}
