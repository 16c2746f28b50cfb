//! Fractions on the wire: few digits, and the same digits everywhere.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A fraction of one in hundredths: confidences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Percent(pub u8);

/// A number in thousandths: scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Milli(pub u32);

impl Percent {
    /// The nearest hundredth of a number from 0 to 1.
    pub fn of(value: f64) -> Self {
        Self((value.clamp(0.0, 1.0) * 100.0).round() as u8)
    }
}

impl Milli {
    /// The nearest thousandth; negative numbers and NaN count as 0.
    pub fn of(value: f64) -> Self {
        Self((value * 1000.0).round().clamp(0.0, f64::from(u32::MAX)) as u32)
    }
}

fn serialize_scaled<S: Serializer>(value: u32, scale: u32, to: S) -> Result<S::Ok, S::Error> {
    if value.is_multiple_of(scale) {
        to.serialize_u32(value / scale)
    } else {
        to.serialize_f64(f64::from(value) / f64::from(scale))
    }
}

impl Serialize for Percent {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        serialize_scaled(u32::from(self.0), 100, to)
    }
}

impl<'de> Deserialize<'de> for Percent {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self((f64::deserialize(from)?.clamp(0.0, 2.55) * 100.0).round() as u8))
    }
}

impl Serialize for Milli {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        serialize_scaled(self.0, 1000, to)
    }
}

impl<'de> Deserialize<'de> for Milli {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self::of(f64::deserialize(from)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_no_fraction() {
        assert_eq!(
            serde_json::to_string(&(Percent(100), Percent(95), Milli(2000), Milli(1))).unwrap(),
            "[1,0.95,2,0.001]"
        );
    }

    #[test]
    fn every_value_survives() {
        for percent in 0..=100 {
            let text = serde_json::to_string(&Percent(percent)).unwrap();
            assert_eq!(serde_json::from_str::<Percent>(&text).unwrap(), Percent(percent));
        }
        for milli in (0..3_000_000).step_by(7) {
            let text = serde_json::to_string(&Milli(milli)).unwrap();
            assert_eq!(serde_json::from_str::<Milli>(&text).unwrap(), Milli(milli));
        }
    }
}
