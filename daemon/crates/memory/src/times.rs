//! Instants, as callers write them and as answers show them. Stored as Unix milliseconds in UTC.

use jiff::Timestamp;
use jiff::civil::Date;
use sdl_contract::{Explained as _, Refusal};

/// The end of an interval that has none.
pub const FOREVER: i64 = i64::MAX;

/// Smaller whole numbers are before 1973 as milliseconds, and more likely seconds, a date without dashes, or a year.
const FIRST_CLEAR_MS: u64 = 100_000_000_000;
/// Smaller whole numbers are within a second of 1970, and none of those.
const TINY_MS: u64 = 1_000;

/// Reads an instant: RFC 3339 with an offset, a date (midnight UTC), or Unix milliseconds in digits. Returns Unix milliseconds. Anything
/// finer than a millisecond is cut off. The refusal names `field`.
pub fn parse_time(field: &str, text: &str) -> Result<i64, Refusal> {
    let text = text.trim();
    if is_number(text) {
        return parse_unix(field, text);
    }
    if let Some(date) = parse_date(text) {
        return Ok(date);
    }
    match text.parse::<Timestamp>() {
        Ok(time) => Ok(floor_ms(time)),
        Err(_) if is_local(text) => {
            let message = format!(
                "{field:?} {} has no offset from UTC, so it is not known which instant it is; write {}Z or, \
                 for example, {}+02:00",
                quote(text),
                text.replace(' ', "T"),
                text.replace(' ', "T"),
            );
            Err(Refusal::invalid(field, message))
        }
        Err(error) => {
            let message = format!(
                "{field:?} {} is no time ({error}); write RFC 3339 with an offset such as \
                 2026-01-31T09:00:00+01:00, a date such as 2026-01-31, or Unix milliseconds",
                quote(text),
            );
            Err(Refusal::invalid(field, message))
        }
    }
}

/// Writes an instant as RFC 3339 in UTC, with milliseconds if it has any: `2026-01-31T08:00:00Z`. An instant beyond the year 9999 is shown
/// as the last before it.
pub fn write_time(ms: i64) -> String {
    let last = if ms < 0 { Timestamp::MIN } else { Timestamp::MAX };
    let time = Timestamp::from_millisecond(ms).unwrap_or(last);
    let digits = if ms.rem_euclid(1_000) == 0 { 0 } else { 3 };
    format!("{time:.digits$}")
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn parse_unix(field: &str, text: &str) -> Result<i64, Refusal> {
    let known = text.parse::<i64>().ok().filter(|ms| Timestamp::from_millisecond(*ms).is_ok());
    let Some(ms) = known else {
        let message = format!("{field:?} {} is beyond the year 9999 as Unix milliseconds", quote(text));
        return Err(Refusal::invalid(field, message));
    };
    if (TINY_MS..FIRST_CLEAR_MS).contains(&ms.unsigned_abs()) {
        let message = format!(
            "{field:?} {text} is {} as Unix milliseconds; if it is in seconds, write {text}000; a date has dashes, \
             such as 2026-01-31",
            write_time(ms)
        );
        return Err(Refusal::invalid(field, message));
    }
    Ok(ms)
}

/// Only `YYYY-MM-DD`.
fn parse_date(text: &str) -> Option<i64> {
    let dashed = text.len() == 10 && text.as_bytes()[4] == b'-' && text.as_bytes()[7] == b'-';
    let date: Date = dashed.then(|| text.parse().ok()).flatten()?;
    let time = jiff::tz::Offset::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok()?;
    Some(floor_ms(time))
}

/// Whether it is a time of day somewhere, but of no known place.
fn is_local(text: &str) -> bool {
    text.parse::<jiff::civil::DateTime>().is_ok()
}

/// An instant before 1970 belongs to the millisecond in which it is, not to the one after.
fn floor_ms(time: Timestamp) -> i64 {
    time.as_nanosecond().div_euclid(1_000_000) as i64
}

fn quote(text: &str) -> String {
    let shown: String = text.chars().take(60).collect();
    format!("{shown:?}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sdl_contract::Code;

    use super::*;

    fn read(text: &str) -> i64 {
        parse_time("validFrom", text).unwrap()
    }

    #[test]
    fn reads_every_notation() {
        let noon = 1_769_860_800_000;
        for text in [
            "2026-01-31T12:00:00Z",
            "2026-01-31T12:00:00.000Z",
            "2026-01-31T13:00:00+01:00",
            "2026-01-31 07:00:00-05:00",
            "2026-01-31T12:00Z",
            " 1769860800000 ",
        ] {
            assert_eq!(read(text), noon, "{text}");
        }
        assert_eq!(read("2026-01-31"), noon - 43_200_000);
        assert_eq!(read("1969-12-31T23:59:59.9995Z"), -1);
        assert_eq!(read("0"), 0);
    }

    #[test]
    fn a_time_without_offset_is_refused() {
        for text in ["2026-01-31T12:00:00", "2026-01-31 12:00", "2026-01-31T12:00:00.5"] {
            let refused = parse_time("validTo", text).unwrap_err();
            assert_eq!(
                (refused.code, refused.about.field.as_deref()),
                (Code::InvalidArgument, Some("validTo"))
            );
            assert!(refused.message.contains("offset"), "{refused}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in
            ["", "yesterday", "2026-02-30", "20260131", "1769860800", "99999999999999999999", "-", "2026"]
        {
            assert!(parse_time("at", text).is_err(), "{text}");
        }
    }

    #[test]
    fn milliseconds_are_shown_where_there_are_any() {
        assert_eq!(write_time(1_769_860_800_000), "2026-01-31T12:00:00Z");
        assert_eq!(write_time(1_769_860_800_020), "2026-01-31T12:00:00.020Z");
        assert_eq!(write_time(i64::MAX), "9999-12-30T22:00:00.999Z");
    }

    proptest! {
        #[test]
        fn a_shown_time_reads_as_itself(ms in -60_000_000_000_000_i64..250_000_000_000_000) {
            prop_assert_eq!(read(&write_time(ms)), ms);
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,40}") {
            let _ = parse_time("at", &text);
        }
    }
}
