//! Puts a value together from columns, in the order in which the writer took it apart.

use serde::de::{self, DeserializeSeed, Deserializer, IntoDeserializer, Visitor};

use super::column::{Stored, take_number};
use super::error::Fault;
use super::writer::Many;
use super::{Layout, MOST_VALUES, Spot, part};

/// The columns of a record that is read.
pub(super) struct Reader<'b> {
    layout: Layout,
    columns: Vec<Stored<'b>>,
    /// How many numbers are left.
    values: u64,
}

impl<'b> Reader<'b> {
    /// Finds the columns.
    pub(super) fn open(mut head: &'b [u8]) -> Result<Self, Fault> {
        let values = take_number(&mut head)?;
        let count = take_number(&mut head)?;
        if values > MOST_VALUES || count > head.len() as u64 {
            return Err(Fault::new("a record that is too large"));
        }
        // The columns begin where the list of their lengths ends.
        let mut columns = head;
        for _ in 0..count {
            take_number(&mut columns)?;
        }
        let columns =
            (0..count).map(|_| Stored::take(&mut head, &mut columns)).collect::<Result<Vec<_>, _>>()?;
        let end = columns.iter().map(Stored::len).sum::<usize>();
        if end != head.len() {
            return Err(Fault::new("bytes after its end"));
        }
        Ok(Self { layout: Layout::default(), columns, values })
    }

    /// Gives the record.
    pub(super) fn root(&mut self) -> Take<'_, 'b> {
        Take { reader: self, spot: Spot::ROOT }
    }

    /// Fails unless all was read.
    pub(super) fn finish(&self) -> Result<(), Fault> {
        if self.values == 0
            && self.layout.columns == self.columns.len()
            && self.columns.iter().all(Stored::is_done)
        {
            Ok(())
        } else {
            Err(Fault::new("values after its end"))
        }
    }

    fn column(&mut self, owner: usize, slot: usize) -> Result<&mut Stored<'b>, Fault> {
        let (at, _) = self.layout.column(owner, slot);
        self.columns.get_mut(at).ok_or_else(|| Fault::new("a column that is missing"))
    }

    fn number(&mut self, spot: Spot, part: usize) -> Result<u64, Fault> {
        self.values = self.values.checked_sub(1).ok_or_else(|| Fault::new("too few values"))?;
        let above = self.layout.above(spot.kin);
        let number = self.column(spot.owner, spot.part(part))?.number(above)?;
        self.layout.raise(spot.kin, number);
        Ok(number)
    }

    fn small<T: TryFrom<u64>>(&mut self, spot: Spot, part: usize) -> Result<T, Fault> {
        T::try_from(self.number(spot, part)?).map_err(|_| Fault::new("a number that is too large"))
    }
}

/// Takes one value from its place.
pub(super) struct Take<'r, 'b> {
    reader: &'r mut Reader<'b>,
    spot: Spot,
}

impl<'r, 'b> Take<'r, 'b> {
    fn small<T: TryFrom<u64>>(self) -> Result<T, Fault> {
        self.reader.small(self.spot, part::VALUE)
    }

    fn signed<T: TryFrom<i64>>(self) -> Result<T, Fault> {
        let number = self.reader.number(self.spot, part::VALUE)?.cast_signed();
        T::try_from(number).map_err(|_| Fault::new("a number that is too large"))
    }

    fn outside(&mut self, part: usize) -> Result<u64, Fault> {
        self.reader.number(Spot { kin: None, ..self.spot }, part)
    }

    fn many(self, kind: Many, len: usize) -> Takes<'r, 'b> {
        Takes { reader: self.reader, spot: self.spot, kind, at: 0, len }
    }
}

macro_rules! numbers {
    ($($method:ident $visit:ident $take:ident,)*) => {$(
        fn $method<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Fault> {
            visitor.$visit(self.$take()?)
        }
    )*};
}

macro_rules! unsupported {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'b>>(self, _: V) -> Result<V::Value, Fault> {
            Err(Fault::new("a kind of value that has no column"))
        }
    )*};
}

impl<'b> Deserializer<'b> for Take<'_, 'b> {
    type Error = Fault;

    numbers! {
        deserialize_i8 visit_i8 signed,
        deserialize_i16 visit_i16 signed,
        deserialize_i32 visit_i32 signed,
        deserialize_i64 visit_i64 signed,
        deserialize_u8 visit_u8 small,
        deserialize_u16 visit_u16 small,
        deserialize_u32 visit_u32 small,
        deserialize_u64 visit_u64 small,
    }
    unsupported! {
        deserialize_any deserialize_f32 deserialize_f64 deserialize_bytes deserialize_byte_buf deserialize_map
        deserialize_identifier deserialize_ignored_any
    }

    fn deserialize_bool<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.small::<u8>()? {
            0 => visitor.visit_bool(false),
            1 => visitor.visit_bool(true),
            _ => Err(Fault::new("a truth value that is neither")),
        }
    }
    fn deserialize_char<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Fault> {
        let number = self.small::<u32>()?;
        visitor.visit_char(char::from_u32(number).ok_or_else(|| Fault::new("no character"))?)
    }
    fn deserialize_str<V: Visitor<'b>>(mut self, visitor: V) -> Result<V::Value, Fault> {
        let len = usize::try_from(self.outside(part::LEN)?);
        let len = len.map_err(|_| Fault::new("a text that is too long"))?;
        let column = self.reader.column(self.spot.owner, self.spot.part(part::TEXT))?;
        visitor.visit_str(column.text(len)?)
    }
    fn deserialize_string<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }
    fn deserialize_option<V: Visitor<'b>>(mut self, visitor: V) -> Result<V::Value, Fault> {
        match self.outside(part::TAG)? {
            0 => visitor.visit_none(),
            1 => visitor.visit_some(self),
            _ => Err(Fault::new("an optional value that is neither there nor not")),
        }
    }
    fn deserialize_unit<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }
    fn deserialize_unit_struct<V: Visitor<'b>>(self, _: &'static str, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }
    fn deserialize_newtype_struct<V: Visitor<'b>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let kin = Some(self.reader.layout.kin(name));
        visitor.visit_newtype_struct(Take { spot: Spot { kin, ..self.spot }, ..self })
    }
    fn deserialize_seq<V: Visitor<'b>>(mut self, visitor: V) -> Result<V::Value, Fault> {
        let len = self.outside(part::LEN)?;
        // Each element has at least one value.
        let len = usize::try_from(len).ok().filter(|_| len <= self.reader.values);
        let len = len.ok_or_else(|| Fault::new("a list that is too long"))?;
        visitor.visit_seq(self.many(Many::List, len))
    }
    fn deserialize_tuple<V: Visitor<'b>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_seq(self.many(Many::Tuple, len))
    }
    fn deserialize_tuple_struct<V: Visitor<'b>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let owner = self.reader.layout.owner(name);
        visitor.visit_seq(self.many(Many::Fields(owner), len))
    }
    fn deserialize_struct<V: Visitor<'b>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_tuple_struct(name, fields.len(), visitor)
    }
    fn deserialize_enum<V: Visitor<'b>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let Self { reader, spot } = self;
        let number = reader.small(spot, part::VALUE)?;
        visitor.visit_enum(Variant { reader, name, number })
    }
    fn is_human_readable(&self) -> bool {
        false
    }
}

/// Takes several values from their places.
struct Takes<'r, 'b> {
    reader: &'r mut Reader<'b>,
    spot: Spot,
    kind: Many,
    at: usize,
    len: usize,
}

impl<'b> de::SeqAccess<'b> for Takes<'_, 'b> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'b>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        if self.at == self.len {
            return Ok(None);
        }
        let spot = self.kind.spot(self.spot, self.at);
        self.at += 1;
        seed.deserialize(Take { reader: self.reader, spot }).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some((self.len - self.at).min(usize::try_from(self.reader.values).unwrap_or(usize::MAX)))
    }
}

/// A variant of an enum.
struct Variant<'r, 'b> {
    reader: &'r mut Reader<'b>,
    name: &'static str,
    number: u32,
}

impl<'r, 'b> Variant<'r, 'b> {
    fn many(self, len: usize) -> Takes<'r, 'b> {
        let owner = self.reader.layout.owner(self.name);
        let kind = Many::Variant(owner, self.number);
        Takes { reader: self.reader, spot: Spot::ROOT, kind, at: 0, len }
    }
}

impl<'b> de::EnumAccess<'b> for Variant<'_, 'b> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'b>>(self, seed: T) -> Result<(T::Value, Self), Fault> {
        let number: de::value::U32Deserializer<Fault> = self.number.into_deserializer();
        Ok((seed.deserialize(number)?, self))
    }
}

impl<'b> de::VariantAccess<'b> for Variant<'_, 'b> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        Ok(())
    }
    fn newtype_variant_seed<T: DeserializeSeed<'b>>(self, seed: T) -> Result<T::Value, Fault> {
        let owner = self.reader.layout.owner(self.name);
        seed.deserialize(Take { spot: Spot::variant(owner, self.number, 0), reader: self.reader })
    }
    fn tuple_variant<V: Visitor<'b>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_seq(self.many(len))
    }
    fn struct_variant<V: Visitor<'b>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_seq(self.many(fields.len()))
    }
}
