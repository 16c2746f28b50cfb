//! Kinds of failure.

use sdl_proto::code;
use serde::{Serialize, Serializer};

/// The kind of failure, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// The arguments are not JSON, or JSON that two readers would read differently.
    MalformedJson,
    /// A field that the action does not know.
    UnknownField,
    /// A field that the action needs.
    MissingField,
    /// A field of another type than the schema's.
    WrongType,
    /// A value outside its range, or fields that do not go together.
    InvalidArgument,
    /// No tool of that name.
    UnknownTool,
    /// No action of that name.
    UnknownAction,
    /// No repository of that id, or none given and none inferred.
    UnknownRepo,
    /// A tree that may not be registered.
    RefusedRoot,
    /// No symbol of that id or name.
    UnknownSymbol,
    /// Several symbols fit.
    AmbiguousSymbol,
    /// No such path in the repository.
    UnknownPath,
    /// A reference to the result of an earlier step of a chain that matches nothing.
    UnknownReference,
    /// No such handle.
    UnknownHandle,
    /// No such memory.
    UnknownMemory,
    /// No such fact.
    UnknownTriple,
    /// Several facts fit.
    AmbiguousTriple,
    /// No such dispatch.
    UnknownDispatch,
    /// No such session.
    UnknownSession,
    /// No such entry of the scratch cache.
    UnknownScratch,
    /// The dispatch is claimed by somebody else, or by nobody.
    NotClaimed,
    /// The handle's lease ran out.
    HandleExpired,
    /// A page cursor that does not belong to this request.
    BadCursor,
    /// A version that the ledger does not hold.
    UnknownVersion,
    /// The first index is under way.
    Indexing,
    /// Writes to the tree could not be confirmed as committed in time.
    NotSynced,
    /// The file does not match the ledger.
    SourceMoved,
    /// Not allowed by the settings.
    Denied,
    /// In conflict with what exists.
    Conflict,
    /// The caller did not wait.
    Cancelled,
    /// It took too long.
    DeadlineExceeded,
    /// The repository cannot answer.
    Unavailable,
    /// Several tools fit the name.
    AmbiguousTool,
    /// A part of this program that a person has not turned on.
    ModuleOff,
    /// The definition of an upstream's tool changed, and a person has not approved it.
    DefinitionChanged,
    /// The upstream does not run, and the request never left.
    UpstreamDown,
    /// The upstream did not answer in time.
    UpstreamTimeout,
    /// The upstream answered with an error of the protocol, or with something that the protocol does not have.
    UpstreamProtocol,
    /// The upstream refused the request for want of a permission.
    UpstreamDenied,
    /// A person has to log in at the upstream first.
    NeedsLogin,
    /// The request may or may not have been carried out.
    OutcomeUnknown,
    /// The result is above the limit for results that are forwarded.
    ResultTooLarge,
    /// Too many requests wait already.
    Busy,
    /// The upstream needs a client that can do something which this one has not declared.
    MissingCapability,
    /// A setting that the upstream needs is missing or has no value.
    Misconfigured,
    /// The upstream speaks a transport that is not spoken here.
    UnsupportedTransport,
    /// A defect or a broken environment; the log says more.
    Internal,
}

impl Code {
    /// The code with which a request to an upstream failed; none if it is none of those.
    pub fn of_upstream(name: &str) -> Option<Self> {
        const ALL: [Code; 13] = [
            Code::UpstreamDown,
            Code::UpstreamTimeout,
            Code::UpstreamProtocol,
            Code::UpstreamDenied,
            Code::NeedsLogin,
            Code::OutcomeUnknown,
            Code::ResultTooLarge,
            Code::Busy,
            Code::MissingCapability,
            Code::Misconfigured,
            Code::UnsupportedTransport,
            Code::Cancelled,
            Code::DeadlineExceeded,
        ];
        ALL.into_iter().find(|code| code.name() == name)
    }

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::MalformedJson => code::MALFORMED_JSON,
            Self::UnknownField => code::UNKNOWN_FIELD,
            Self::MissingField => code::MISSING_FIELD,
            Self::WrongType => code::WRONG_TYPE,
            Self::InvalidArgument => code::INVALID_ARGUMENT,
            Self::UnknownTool => code::UNKNOWN_TOOL,
            Self::UnknownAction => code::UNKNOWN_ACTION,
            Self::UnknownRepo => code::UNKNOWN_REPO,
            Self::RefusedRoot => code::REFUSED_ROOT,
            Self::UnknownSymbol => code::UNKNOWN_SYMBOL,
            Self::AmbiguousSymbol => code::AMBIGUOUS_SYMBOL,
            Self::UnknownPath => code::UNKNOWN_PATH,
            Self::UnknownReference => code::UNKNOWN_REFERENCE,
            Self::UnknownHandle => code::UNKNOWN_HANDLE,
            Self::UnknownMemory => code::UNKNOWN_MEMORY,
            Self::UnknownTriple => code::UNKNOWN_TRIPLE,
            Self::AmbiguousTriple => code::AMBIGUOUS_TRIPLE,
            Self::UnknownDispatch => code::UNKNOWN_DISPATCH,
            Self::UnknownSession => code::UNKNOWN_SESSION,
            Self::UnknownScratch => code::UNKNOWN_SCRATCH,
            Self::NotClaimed => code::NOT_CLAIMED,
            Self::HandleExpired => code::HANDLE_EXPIRED,
            Self::BadCursor => code::BAD_CURSOR,
            Self::UnknownVersion => code::UNKNOWN_VERSION,
            Self::Indexing => code::INDEXING,
            Self::NotSynced => code::NOT_SYNCED,
            Self::SourceMoved => code::SOURCE_MOVED,
            Self::Denied => code::DENIED,
            Self::Conflict => code::CONFLICT,
            Self::Cancelled => code::CANCELLED,
            Self::DeadlineExceeded => code::DEADLINE,
            Self::Unavailable => code::UNAVAILABLE,
            Self::AmbiguousTool => code::AMBIGUOUS_TOOL,
            Self::ModuleOff => code::MODULE_OFF,
            Self::MissingCapability => code::MISSING_CAPABILITY,
            Self::DefinitionChanged => code::DEFINITION_CHANGED,
            Self::UpstreamDown => code::UPSTREAM_DOWN,
            Self::UpstreamTimeout => code::UPSTREAM_TIMEOUT,
            Self::UpstreamProtocol => code::UPSTREAM_PROTOCOL,
            Self::UpstreamDenied => code::UPSTREAM_DENIED,
            Self::NeedsLogin => code::NEEDS_LOGIN,
            Self::OutcomeUnknown => code::OUTCOME_UNKNOWN,
            Self::ResultTooLarge => code::RESULT_TOO_LARGE,
            Self::Busy => code::BUSY,
            Self::Misconfigured => code::MISCONFIGURED,
            Self::UnsupportedTransport => code::UNSUPPORTED_TRANSPORT,
            Self::Internal => code::INTERNAL,
        }
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}
