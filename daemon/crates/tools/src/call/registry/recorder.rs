//! Records which parts of a value a type reads, and which it ignores. Used to prove that no field is dropped.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde::Deserializer;
use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Value};

/// The values that were read, by path: `budget.maxCards`, `symbolIds[0]`.
pub(crate) type Reads = BTreeMap<String, Value>;

/// Returns everything that `T` reads of `value`, without the parts it ignores.
pub(crate) fn record_reads<T: DeserializeOwned>(value: &Value) -> Result<Reads, Error> {
    let log = RefCell::default();
    T::deserialize(Recorder { value, path: String::new(), log: &log })?;
    Ok(log.into_inner())
}

struct Recorder<'a> {
    value: &'a Value,
    path: String,
    log: &'a RefCell<Reads>,
}

impl Recorder<'_> {
    fn note(&self) {
        self.log.borrow_mut().insert(self.path.clone(), self.value.clone());
    }
}

impl<'de> Deserializer<'de> for Recorder<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Array(items) => {
                self.note();
                visitor.visit_seq(Items { left: items.iter().enumerate(), path: self.path, log: self.log })
            }
            Value::Object(map) => {
                self.note();
                visitor.visit_map(Fields { left: map.iter(), value: None, path: self.path, log: self.log })
            }
            value => {
                self.note();
                value.clone().deserialize_any(visitor)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.value.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.note();
        let name: StrDeserializer<'_, Error> = self.value.as_str().unwrap_or_default().into_deserializer();
        visitor.visit_enum(name)
    }

    /// Ignored values are not recorded.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier
    }
}

struct Items<'a, I> {
    left: I,
    path: String,
    log: &'a RefCell<Reads>,
}

impl<'de, 'a, I: Iterator<Item = (usize, &'a Value)>> SeqAccess<'de> for Items<'a, I> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        let Some((at, value)) = self.left.next() else { return Ok(None) };
        let path = format!("{}[{at}]", self.path);
        seed.deserialize(Recorder { value, path, log: self.log }).map(Some)
    }
}

struct Fields<'a, I> {
    left: I,
    value: Option<(&'a str, &'a Value)>,
    path: String,
    log: &'a RefCell<Reads>,
}

impl<'de, 'a, I: Iterator<Item = (&'a String, &'a Value)>> MapAccess<'de> for Fields<'a, I> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        let Some((key, value)) = self.left.next() else { return Ok(None) };
        self.value = Some((key, value));
        let key: StrDeserializer<'_, Error> = key.as_str().into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let (key, value) = self.value.take().ok_or_else(|| de::Error::custom("a value without its key"))?;
        let path = sdl_contract::join_path(&self.path, key);
        seed.deserialize(Recorder { value, path, log: self.log })
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    #[allow(dead_code, reason = "what counts is that it is read")]
    struct Some {
        kept: Option<Vec<Inner>>,
        #[serde(skip)]
        left_out: u32,
    }

    #[derive(Deserialize)]
    #[allow(dead_code, reason = "what counts is that it is read")]
    struct Inner {
        a: u8,
    }

    #[test]
    fn what_is_passed_over_is_not_recorded() {
        let read =
            record_reads::<Some>(&json!({"kept": [{"a": 1, "b": 2}], "leftOut": 3, "other": {"c": 4}}))
                .unwrap();
        let paths: Vec<&str> = read.keys().map(String::as_str).collect();
        assert_eq!(paths, ["", "kept", "kept[0]", "kept[0].a"]);
        assert_eq!(read["kept[0].a"], 1);
    }
}
