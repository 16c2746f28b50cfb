//! Takes a value apart into columns.

use serde::Serialize;
use serde::ser::{self, Serializer};

use super::column::Column;
use super::error::Fault;
use super::{Layout, MOST_VALUES, Spot, part};
use crate::codec::varint::put_varint;

/// The columns of a record that is written.
#[derive(Default)]
pub(super) struct Writer {
    layout: Layout,
    columns: Vec<Column>,
    values: u64,
}

impl Writer {
    /// Takes the record.
    pub(super) fn root(&mut self) -> Put<'_> {
        Put { writer: self, spot: Spot::ROOT }
    }

    /// The stored record.
    pub(super) fn finish(self) -> Result<Vec<u8>, Fault> {
        if self.values > MOST_VALUES {
            return Err(Fault::new("a record with too many values"));
        }
        let (mut head, mut out) = (Vec::new(), Vec::new());
        put_varint(&mut head, self.values);
        put_varint(&mut head, self.columns.len() as u64);
        for column in &self.columns {
            column.write(&mut head, &mut out);
        }
        head.append(&mut out);
        Ok(head)
    }

    fn column(&mut self, owner: usize, slot: usize) -> Option<&mut Column> {
        let (at, fresh) = self.layout.column(owner, slot);
        if fresh {
            self.columns.push(Column::default());
        }
        self.columns.get_mut(at)
    }

    fn number(&mut self, spot: Spot, part: usize, number: u64) {
        let above = self.layout.above(spot.kin);
        self.layout.raise(spot.kin, number);
        self.values += 1;
        if let Some(column) = self.column(spot.owner, spot.part(part)) {
            column.push(number, above);
        }
    }

    fn text(&mut self, spot: Spot, text: &str) -> Result<(), Fault> {
        if spot.part(part::TEXT) == spot.slot {
            return Err(Fault::new("a text in a tuple has no column"));
        }
        self.number(Spot { kin: None, ..spot }, part::LEN, text.len() as u64);
        if let Some(column) = self.column(spot.owner, spot.part(part::TEXT)) {
            column.push_text(text);
        }
        Ok(())
    }
}

/// Puts one value to its place.
pub(super) struct Put<'w> {
    writer: &'w mut Writer,
    spot: Spot,
}

impl<'w> Put<'w> {
    fn number(self, number: u64) -> Result<(), Fault> {
        self.writer.number(self.spot, part::VALUE, number);
        Ok(())
    }

    fn many(self, kind: Many) -> Puts<'w> {
        Puts { writer: self.writer, spot: self.spot, kind, at: 0 }
    }
}

fn unsupported(what: &str) -> Fault {
    Fault::new(what)
}

impl<'w> Serializer for Put<'w> {
    type Ok = ();
    type Error = Fault;
    type SerializeSeq = Puts<'w>;
    type SerializeTuple = Puts<'w>;
    type SerializeTupleStruct = Puts<'w>;
    type SerializeTupleVariant = Puts<'w>;
    type SerializeMap = ser::Impossible<(), Fault>;
    type SerializeStruct = Puts<'w>;
    type SerializeStructVariant = Puts<'w>;

    fn serialize_bool(self, v: bool) -> Result<(), Fault> {
        self.number(u64::from(v))
    }
    fn serialize_i8(self, v: i8) -> Result<(), Fault> {
        self.serialize_i64(i64::from(v))
    }
    fn serialize_i16(self, v: i16) -> Result<(), Fault> {
        self.serialize_i64(i64::from(v))
    }
    fn serialize_i32(self, v: i32) -> Result<(), Fault> {
        self.serialize_i64(i64::from(v))
    }
    fn serialize_i64(self, v: i64) -> Result<(), Fault> {
        self.number(v.cast_unsigned())
    }
    fn serialize_u8(self, v: u8) -> Result<(), Fault> {
        self.number(u64::from(v))
    }
    fn serialize_u16(self, v: u16) -> Result<(), Fault> {
        self.number(u64::from(v))
    }
    fn serialize_u32(self, v: u32) -> Result<(), Fault> {
        self.number(u64::from(v))
    }
    fn serialize_u64(self, v: u64) -> Result<(), Fault> {
        self.number(v)
    }
    fn serialize_f32(self, _: f32) -> Result<(), Fault> {
        Err(unsupported("a fraction has no column"))
    }
    fn serialize_f64(self, _: f64) -> Result<(), Fault> {
        Err(unsupported("a fraction has no column"))
    }
    fn serialize_char(self, v: char) -> Result<(), Fault> {
        self.number(u64::from(u32::from(v)))
    }
    fn serialize_str(self, v: &str) -> Result<(), Fault> {
        self.writer.text(self.spot, v)
    }
    fn serialize_bytes(self, _: &[u8]) -> Result<(), Fault> {
        Err(unsupported("bytes have no column"))
    }
    fn serialize_none(self) -> Result<(), Fault> {
        self.writer.number(Spot { kin: None, ..self.spot }, part::TAG, 0);
        Ok(())
    }
    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<(), Fault> {
        self.writer.number(Spot { kin: None, ..self.spot }, part::TAG, 1);
        value.serialize(self)
    }
    fn serialize_unit(self) -> Result<(), Fault> {
        Ok(())
    }
    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Fault> {
        Ok(())
    }
    fn serialize_unit_variant(self, _: &'static str, variant: u32, _: &'static str) -> Result<(), Fault> {
        self.number(u64::from(variant))
    }
    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Fault> {
        let kin = Some(self.writer.layout.kin(name));
        value.serialize(Put { spot: Spot { kin, ..self.spot }, ..self })
    }
    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        name: &'static str,
        variant: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), Fault> {
        self.writer.number(self.spot, part::VALUE, u64::from(variant));
        let owner = self.writer.layout.owner(name);
        value.serialize(Put { spot: Spot::variant(owner, variant, 0), ..self })
    }
    fn serialize_seq(self, len: Option<usize>) -> Result<Puts<'w>, Fault> {
        let len = len.ok_or_else(|| unsupported("a list needs a length"))?;
        self.writer.number(Spot { kin: None, ..self.spot }, part::LEN, len as u64);
        Ok(self.many(Many::List))
    }
    fn serialize_tuple(self, _: usize) -> Result<Puts<'w>, Fault> {
        Ok(self.many(Many::Tuple))
    }
    fn serialize_tuple_struct(self, name: &'static str, len: usize) -> Result<Puts<'w>, Fault> {
        self.serialize_struct(name, len)
    }
    fn serialize_tuple_variant(
        self,
        name: &'static str,
        variant: u32,
        variant_name: &'static str,
        len: usize,
    ) -> Result<Puts<'w>, Fault> {
        self.serialize_struct_variant(name, variant, variant_name, len)
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Fault> {
        Err(unsupported("a map has no column"))
    }
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Puts<'w>, Fault> {
        let owner = self.writer.layout.owner(name);
        Ok(self.many(Many::Fields(owner)))
    }
    fn serialize_struct_variant(
        self,
        name: &'static str,
        variant: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Puts<'w>, Fault> {
        self.writer.number(self.spot, part::VALUE, u64::from(variant));
        let owner = self.writer.layout.owner(name);
        Ok(self.many(Many::Variant(owner, variant)))
    }
    fn is_human_readable(&self) -> bool {
        false
    }
}

/// What several values belong to.
#[derive(Clone, Copy)]
pub(super) enum Many {
    /// A list: all in one place.
    List,
    /// A tuple.
    Tuple,
    /// The fields of the type with this number.
    Fields(usize),
    /// The fields of a variant of the enum with this number.
    Variant(usize, u32),
}

impl Many {
    /// The place of the value at `at`, where the whole is at `spot`.
    pub(super) fn spot(self, spot: Spot, at: usize) -> Spot {
        match self {
            Self::List => Spot { kin: None, ..spot },
            Self::Tuple => spot.element(at),
            Self::Fields(owner) => Spot::field(owner, at),
            Self::Variant(owner, variant) => Spot::variant(owner, variant, at),
        }
    }
}

/// Puts several values to their places.
pub(super) struct Puts<'w> {
    writer: &'w mut Writer,
    spot: Spot,
    kind: Many,
    at: usize,
}

impl Puts<'_> {
    fn put<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Fault> {
        let spot = self.kind.spot(self.spot, self.at);
        self.at += 1;
        value.serialize(Put { writer: self.writer, spot })
    }
}

macro_rules! puts {
    ($($kind:ident::$method:ident $(($key:ty))?,)*) => {$(
        impl ser::$kind for Puts<'_> {
            type Ok = ();
            type Error = Fault;
            fn $method<T: ?Sized + Serialize>(&mut self, $(_: $key,)? value: &T) -> Result<(), Fault> {
                self.put(value)
            }
            fn end(self) -> Result<(), Fault> {
                Ok(())
            }
        }
    )*};
}

puts! {
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field,
    SerializeStruct::serialize_field (&'static str),
    SerializeStructVariant::serialize_field (&'static str),
}
