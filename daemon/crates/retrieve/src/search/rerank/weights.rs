//! The features' weights, as they were fitted.

use std::sync::LazyLock;

use super::FEATURES;

/// A line a feature: its name, its weight.
const FITTED: &str = include_str!("weights.tsv");

static WEIGHTS: LazyLock<[f32; FEATURES.len()]> =
    LazyLock::new(|| FEATURES.map(|name| parse_weight(FITTED, name).unwrap_or(0.0)));

/// The weights in the order of [`FEATURES`].
pub(super) fn feature_weights() -> &'static [f32; FEATURES.len()] {
    &WEIGHTS
}

fn parse_weight(table: &str, name: &str) -> Option<f32> {
    let row = table.lines().filter_map(|line| line.split_once('\t')).find(|(known, _)| *known == name)?;
    row.1.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_has_a_weight_and_every_weight_a_feature() {
        for name in FEATURES {
            assert!(parse_weight(FITTED, name).is_some_and(f32::is_finite), "{name}");
        }
        assert_eq!(FITTED.lines().filter(|line| !line.starts_with('#')).count(), FEATURES.len());
    }
}
