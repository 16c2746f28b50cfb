//! Parameter types that several actions share.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use sdl_model::{Lang, SymbolKind};
use sdl_retrieve::card::{CardOptions, Detail};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// A type of another crate, read by its name on the wire.
macro_rules! by_name {
    ($(#[$doc:meta])* $param:ident, $inner:ty, $names:expr, $from:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct $param(pub(crate) $inner);

        impl<'de> Deserialize<'de> for $param {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let name = Cow::<'de, str>::deserialize(from)?;
                $from(&name).map(Self).ok_or_else(|| D::Error::custom(format_args!("no such choice: {name:?}")))
            }
        }

        impl JsonSchema for $param {
            fn schema_name() -> Cow<'static, str> {
                stringify!($param).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let names: Vec<&str> = $names.collect();
                json_schema!({"type": "string", "enum": names})
            }
        }
    };
}

by_name!(
    /// How much a card tells.
    DetailParam, Detail, Detail::ALL.into_iter().map(Detail::name), Detail::from_name
);
by_name!(
    /// A kind of symbol. `impl` blocks are never listed.
    KindParam,
    SymbolKind,
    SymbolKind::ALL.into_iter().filter(|kind| *kind != SymbolKind::Impl).map(SymbolKind::name),
    SymbolKind::from_name
);
by_name!(
    /// A language.
    LangParam,
    Lang,
    Lang::ALL.into_iter().filter(|lang| lang.has_code()).map(Lang::name),
    Lang::from_name
);

/// A symbol, by the known parts of its name and place.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SymbolRef {
    /// `close` or `Session.close`. A simple or qualified name.
    #[schemars(length(min = 1, max = 500))]
    pub(crate) name: String,
    /// Path or its end. Only a symbol in that file.
    pub(crate) file: Option<String>,
    /// Kind of symbol.
    pub(crate) kind: Option<KindParam>,
    /// Visible to other files. Default false.
    pub(crate) exported_only: Option<bool>,
}

/// A confidence from 0 to 1 in percent.
pub(crate) fn confidence_percent(confidence: Option<f64>, default: u8) -> u8 {
    confidence.map_or(default, |confidence| (confidence.clamp(0.0, 1.0) * 100.0).round() as u8)
}

/// How cards are built, from the parameters that every card action has.
pub(crate) fn card_options(
    detail: Option<DetailParam>,
    min_call_confidence: Option<f64>,
    resolution_metadata: Option<bool>,
) -> CardOptions {
    CardOptions {
        detail: detail.map(|detail| detail.0).unwrap_or_default(),
        min_call_confidence: confidence_percent(min_call_confidence, 0),
        resolution_metadata: resolution_metadata.unwrap_or(false),
    }
}
