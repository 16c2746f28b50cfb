//! Times as people read them.

/// A time in Unix milliseconds as RFC 3339, in UTC: `2026-11-22T15:21:33Z`.
pub(crate) fn format_rfc3339(ms: u64) -> String {
    let seconds = ms / 1000;
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil_date(days);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3_600, rest / 60 % 60, rest % 60)
}

/// The time of day of a time in Unix milliseconds, where this machine is: `15:21:33`. In UTC, and marked so, if that is not known.
pub(crate) fn format_clock(ms: u64) -> String {
    let zone = jiff::tz::TimeZone::try_system().ok();
    let at = i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    match (zone, at) {
        (Some(zone), Some(at)) => at.to_zoned(zone).strftime("%H:%M:%S").to_string(),
        _ => format_rfc3339(ms).get(11..).unwrap_or_default().to_owned(),
    }
}

/// The date that many days after 1970-01-01, in the Gregorian calendar. Counts in eras of 400 years and in years that
/// begin in March, because then the leap day is the last day of a year.
fn civil_date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_what_the_calendar_says() {
        for (seconds, shown) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(format_rfc3339(seconds * 1000 + 999), shown);
        }
    }
}
