//! Divides a budget among lanes.

use super::Lane;

/// The share of the code that no other lane may take.
const CODE_FLOOR: f64 = 0.4;

/// The share of a lane before anything is known of its use.
fn base_share(lane: Lane) -> f64 {
    match lane {
        Lane::Code => 0.55,
        Lane::Memory => 0.15,
        Lane::Lesson | Lane::Kg => 0.10,
        Lane::Scratch | Lane::Dispatch => 0.05,
    }
}

/// Returns the shares of these lanes, in their order; together 1. `factor` says how useful a lane was before.
pub(crate) fn divide_shares(lanes: &[Lane], factor: impl Fn(Lane) -> f64) -> Vec<(Lane, f64)> {
    let mut shares: Vec<(Lane, f64)> =
        lanes.iter().map(|lane| (*lane, base_share(*lane) * factor(*lane))).collect();
    let sum: f64 = shares.iter().map(|(_, share)| share).sum();
    if sum <= 0.0 {
        return shares;
    }
    shares.iter_mut().for_each(|(_, share)| *share /= sum);
    let code = shares.iter().find(|(lane, _)| *lane == Lane::Code).map(|(_, share)| *share);
    if let Some(code) = code.filter(|code| *code < CODE_FLOOR) {
        for (lane, share) in &mut shares {
            *share = match lane {
                Lane::Code => CODE_FLOOR,
                _ => *share * (1.0 - CODE_FLOOR) / (1.0 - code),
            };
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn shares_are_those_of_the_contract() {
        let shares = divide_shares(&Lane::ALL, |_| 1.0);
        assert_eq!(
            shares.iter().map(|(_, share)| (share * 100.0).round() as u32).collect::<Vec<_>>(),
            [55, 15, 10, 10, 5, 5]
        );
        assert_eq!(divide_shares(&[Lane::Memory], |_| 0.5), [(Lane::Memory, 1.0)]);
        assert!(divide_shares(&[], |_| 1.0).is_empty());
    }

    proptest! {
        #[test]
        fn they_sum_up_and_the_code_keeps_its_floor(factors in prop::array::uniform6(0.5f64..1.5), code in any::<bool>()) {
            let lanes: Vec<Lane> = Lane::ALL.into_iter().filter(|lane| code || *lane != Lane::Code).collect();
            let shares = divide_shares(&lanes, |lane| factors[lane as usize]);
            let sum: f64 = shares.iter().map(|(_, share)| share).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9);
            for (lane, share) in shares {
                prop_assert!(share > 0.0 && (lane != Lane::Code || share >= CODE_FLOOR - 1e-9));
            }
        }
    }
}
