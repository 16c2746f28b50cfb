//! Ids and kinds as they are on the wire, for `#[serde(with = "…")]`.

use serde::{Deserialize, Deserializer, Serializer};

/// Writes a type by its name and reads it back.
macro_rules! by_name {
    ($(#[$doc:meta])* $module:ident, $ty:ty, $to:expr, $from:expr, $what:literal) => {
        $(#[$doc])*
        pub mod $module {
            use super::{Deserialize, Deserializer, Serializer, de_error};

            /// Writes the name.
            pub fn serialize<S: Serializer>(value: &$ty, to: S) -> Result<S::Ok, S::Error> {
                let name: fn(&$ty) -> std::borrow::Cow<'static, str> = $to;
                to.serialize_str(&name(value))
            }

            /// Reads the name.
            pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<$ty, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(from)?;
                let parse: fn(&str) -> Option<$ty> = $from;
                parse(&text).ok_or_else(|| de_error(&text, $what))
            }
        }
    };
}

fn de_error<E: serde::de::Error>(text: &str, what: &str) -> E {
    let shown: String = text.chars().take(40).collect();
    E::custom(format_args!("{shown:?} is not {what}"))
}

by_name!(
    /// `s_…`
    symbol_id, sdl_model::SymbolId, |id| id.to_string().into(), |text| text.parse().ok(), "a symbol id"
);
by_name!(
    /// `v…`
    version, sdl_model::Version, |version| version.to_string().into(), |text| text.parse().ok(), "a version"
);
by_name!(
    /// `function`, `class`, …
    kind, sdl_model::SymbolKind, |kind| kind.name().into(), sdl_model::SymbolKind::from_name, "a kind of symbol"
);
by_name!(
    /// `call`, `import`, `member`, …
    link, crate::slice::Link, |link| link.name().into(), crate::slice::Link::from_name, "a kind of edge"
);
by_name!(
    /// `exact`, `inferred`, `ambiguous`
    resolution, sdl_model::Resolution, |r| r.name().into(), super::resolution_of, "a resolution"
);

/// The resolution of that name.
pub fn resolution_of(name: &str) -> Option<sdl_model::Resolution> {
    use sdl_model::Resolution::{Ambiguous, Exact, Inferred};
    [Exact, Inferred, Ambiguous].into_iter().find(|r| r.name() == name)
}

/// An id that may be absent.
pub mod symbol_id_option {
    use super::{Deserialize, Deserializer, Serializer, de_error};
    use sdl_model::SymbolId;

    /// Writes the id or null.
    pub fn serialize<S: Serializer>(value: &Option<SymbolId>, to: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(id) => to.serialize_some(&id.to_string()),
            None => to.serialize_none(),
        }
    }

    /// Reads the id or null.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<SymbolId>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| text.parse().map_err(|_| de_error(&text, "a symbol id"))).transpose()
    }
}

/// A version that may be absent.
pub mod version_option {
    use super::{Deserialize, Deserializer, Serializer, de_error};
    use sdl_model::Version;

    /// Writes the version or null.
    pub fn serialize<S: Serializer>(value: &Option<Version>, to: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(version) => to.serialize_some(&version.to_string()),
            None => to.serialize_none(),
        }
    }

    /// Reads the version or null.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Version>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| text.parse().map_err(|_| de_error(&text, "a version"))).transpose()
    }
}
