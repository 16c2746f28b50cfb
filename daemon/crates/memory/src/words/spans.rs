//! Time words of a question: "yesterday", "last week", "3 days ago", "in May 2026", "on 3 March", "since 2025-11".
//! All times are UTC, because rows have no other.

use jiff::civil::{Date, Weekday};
use jiff::{Span as Length, Timestamp, ToSpan as _};

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
/// Words before `may` and `march` that make them months.
const BEFORE_MONTH: [&str; 12] =
    ["in", "of", "during", "since", "until", "by", "last", "this", "early", "mid", "late", "before"];

/// A time that a question names: from, and to without it, in Unix milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) from_ms: i64,
    pub(super) to_ms: i64,
}

/// The time words of a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Spans {
    pub(super) spans: Vec<Span>,
    /// Words that are relative to now, such as "yesterday": in a row they mean another day.
    pub(super) relative: Vec<String>,
}

/// Days from the first on, to the second without it.
type Days = (Date, Date);

/// Reads the time words of a question that is asked at `now_ms`.
pub(super) fn spans_of(text: &str, now_ms: i64) -> Spans {
    let text = text.to_lowercase();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut found = Spans::default();
    let Some(today) = date_of(now_ms) else { return found };
    let mut at = 0;
    while let Some(rest) = words.get(at..).filter(|rest| !rest.is_empty()) {
        let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or_default();
        let relative = relative_days(rest, today);
        let is_relative = relative.is_some();
        let Some((days, used)) = relative.or_else(|| named_days(before, rest, today)) else {
            at += 1;
            continue;
        };
        if is_relative {
            found.relative.extend(rest.iter().take(used).map(|word| (*word).to_owned()));
        }
        found.spans.extend(span_of(before, days));
        at += used;
    }
    found
}

fn date_of(ms: i64) -> Option<Date> {
    Some(jiff::tz::Offset::UTC.to_datetime(Timestamp::from_millisecond(ms).ok()?).date())
}

fn start_ms(date: Date) -> Option<i64> {
    Some(jiff::tz::Offset::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok()?.as_millisecond())
}

fn span_of(before: &str, (from, to): Days) -> Option<Span> {
    let (from_ms, to_ms) = (start_ms(from)?, start_ms(to)?);
    Some(match before {
        "since" => Span { from_ms, to_ms: i64::MAX },
        "after" => Span { from_ms: to_ms, to_ms: i64::MAX },
        "before" | "until" | "till" => Span { from_ms: i64::MIN, to_ms: from_ms },
        _ => Span { from_ms, to_ms },
    })
}

/// A unit of time: what gives its first day on or before a date, and its length.
type Unit = (fn(Date) -> Date, Length);

fn unit_of(word: &str) -> Option<Unit> {
    let same: fn(Date) -> Date = |date| date;
    Some(match word.strip_suffix('s').unwrap_or(word) {
        "day" => (same, 1.day()),
        "week" => (first_of_week, 1.week()),
        "month" => (Date::first_of_month, 1.month()),
        "year" => (Date::first_of_year, 1.year()),
        _ => return None,
    })
}

fn first_of_week(date: Date) -> Date {
    let days = i64::from(date.weekday().to_monday_zero_offset());
    date.checked_sub(days.days()).unwrap_or(date)
}

fn times(length: Length, count: i64) -> Option<Length> {
    length.checked_mul(count).ok()
}

/// Days relative to today, and the number of words that name them.
fn relative_days(words: &[&str], today: Date) -> Option<(Days, usize)> {
    let tomorrow = today.tomorrow().ok()?;
    let (first, second) = (*words.first()?, words.get(1).copied().unwrap_or_default());
    match first {
        "today" | "tonight" => return Some(((today, tomorrow), 1)),
        "yesterday" => return Some(((today.yesterday().ok()?, today), 1)),
        _ => {}
    }
    if matches!(first, "last" | "past" | "previous" | "this") {
        if let Some(found) = counted_days(second, words.get(2).copied(), today) {
            return Some((found, 3));
        }
        return Some((near_days(first, second, today)?, 2));
    }
    // "3 weeks ago" is the week around that day.
    let (count, unit) = (number_of(first)?, second);
    if words.get(2) != Some(&"ago") {
        return None;
    }
    let (_, length) = unit_of(unit)?;
    let day = today.checked_sub(times(length, count)?).ok()?;
    let around = if unit.starts_with("day") { (day, day.tomorrow().ok()?) } else { around(day, length)? };
    Some((around, 3))
}

/// "last 3 days": until now.
fn counted_days(count: &str, unit: Option<&str>, today: Date) -> Option<Days> {
    let (_, length) = unit_of(unit?)?;
    Some((today.checked_sub(times(length, number_of(count)?)?).ok()?, today.tomorrow().ok()?))
}

/// "last week", "this month", "last Monday", "last weekend".
fn near_days(which: &str, unit: &str, today: Date) -> Option<Days> {
    if let Some(day) = weekday_of(unit) {
        let from = last_weekday(today, day)?;
        return Some((from, from.tomorrow().ok()?));
    }
    if unit == "weekend" {
        let saturday = last_weekday(today, Weekday::Saturday)?;
        return Some((saturday, saturday.checked_add(2.days()).ok()?));
    }
    let (first_day, length) = unit_of(unit)?;
    let this = first_day(today);
    match which {
        "this" => Some((this, this.checked_add(length).ok()?)),
        // "The past week" is seven days, "last week" one from Monday on.
        "past" => Some((today.checked_sub(length).ok()?, today.tomorrow().ok()?)),
        _ => Some((first_day(this.yesterday().ok()?), this)),
    }
}

/// Half a unit on both sides of a day.
fn around(day: Date, length: Length) -> Option<Days> {
    let whole = day.checked_add(length).ok()?.since(day).ok()?.get_days();
    let half = i64::from(whole / 2).max(3).days();
    Some((day.checked_sub(half).ok()?, day.checked_add(half).ok()?))
}

fn weekday_of(word: &str) -> Option<Weekday> {
    let at = WEEKDAYS.iter().position(|day| *day == word)?;
    Weekday::from_monday_zero_offset(at as i8).ok()
}

/// The last such day before today.
fn last_weekday(today: Date, day: Weekday) -> Option<Date> {
    today.nth_weekday(-1, day).ok()
}

fn number_of(word: &str) -> Option<i64> {
    if matches!(word, "a" | "an") {
        return Some(1);
    }
    let named = NUMBERS.iter().position(|name| *name == word).map(|at| at as i64 + 1);
    named.or_else(|| word.parse().ok().filter(|number| (1..1000).contains(number)))
}

/// Days of the calendar, and the number of words that name them. `before` is the word before.
fn named_days(before: &str, words: &[&str], today: Date) -> Option<(Days, usize)> {
    let (first, second) = (*words.first()?, words.get(1).copied().unwrap_or_default());
    if let Some(year) = year_of(first) {
        let (Some(month), day) = (two_digits(second), words.get(2).and_then(|word| two_digits(word))) else {
            return Some((whole_year(year)?, 1));
        };
        return match day {
            Some(day) => Some((whole_day(Date::new(year, month, day).ok()?)?, 3)),
            None => Some((whole_month(Date::new(year, month, 1).ok()?)?, 2)),
        };
    }
    if let (Some(day), "of") = (day_of(first), second) {
        let (found, used) = day_and_month(day, words.get(2..)?, today)?;
        return Some((found, used + 1));
    }
    if let (Some(day), Some(_)) = (day_of(first), month_of(second)) {
        return day_and_month(day, words.get(1..)?, today);
    }
    let month = month_of(first)?;
    if let Some(day) = day_of(second) {
        let year = words.get(2).and_then(|word| year_of(word));
        let date = dated(year, month, day, today)?;
        return Some((whole_day(date)?, 2 + usize::from(year.is_some())));
    }
    let year = year_of(second);
    if year.is_none() && matches!(first, "may" | "march") && !BEFORE_MONTH.contains(&before) {
        return None;
    }
    let date = dated(year, month, 1, today)?;
    Some((whole_month(date)?, 1 + usize::from(year.is_some())))
}

/// "3 March 2026", of which the day was read already.
fn day_and_month(day: i8, words: &[&str], today: Date) -> Option<(Days, usize)> {
    let month = month_of(words.first()?)?;
    let year = words.get(1).and_then(|word| year_of(word));
    Some((whole_day(dated(year, month, day, today)?)?, 2 + usize::from(year.is_some())))
}

/// A day without a year is the last such one.
fn dated(year: Option<i16>, month: i8, day: i8, today: Date) -> Option<Date> {
    if let Some(year) = year {
        return Date::new(year, month, day).ok();
    }
    (0..4).filter_map(|back| Date::new(today.year() - back, month, day).ok()).find(|date| *date <= today)
}

fn whole_day(date: Date) -> Option<Days> {
    Some((date, date.tomorrow().ok()?))
}

fn whole_month(date: Date) -> Option<Days> {
    Some((date.first_of_month(), date.last_of_month().tomorrow().ok()?))
}

fn whole_year(year: i16) -> Option<Days> {
    Some((Date::new(year, 1, 1).ok()?, Date::new(year + 1, 1, 1).ok()?))
}

fn year_of(word: &str) -> Option<i16> {
    let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    is_year.then(|| word.parse().ok()).flatten()
}

fn month_of(word: &str) -> Option<i8> {
    let is_short = |month: &str| word.len() == 3 && month.starts_with(word);
    let at = MONTHS.iter().position(|month| *month == word || is_short(month))?;
    Some(at as i8 + 1)
}

/// "3", "3rd".
fn day_of(word: &str) -> Option<i8> {
    let bare = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
    bare.parse().ok().filter(|day| (1..=31).contains(day))
}

fn two_digits(word: &str) -> Option<i8> {
    (word.len() == 2).then(|| word.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Friday.
    const NOW: &str = "2026-11-27T11:00:00Z";

    fn read(text: &str) -> Vec<String> {
        let now: Timestamp = NOW.parse().unwrap();
        let show = |ms: i64| match ms {
            i64::MIN | i64::MAX => String::new(),
            ms => date_of(ms).unwrap().to_string(),
        };
        let spans = spans_of(text, now.as_millisecond()).spans;
        spans.iter().map(|span| format!("{}..{}", show(span.from_ms), show(span.to_ms))).collect()
    }

    #[test]
    fn days_relative_to_now() {
        for (text, days) in [
            ("What broke yesterday?", "2026-11-26..2026-11-27"),
            ("today's decisions", "2026-11-27..2026-11-28"),
            ("the bug of last week", "2026-11-16..2026-11-23"),
            ("what did we decide this month", "2026-11-01..2026-12-01"),
            ("in the past week", "2026-11-20..2026-11-28"),
            ("over the last 3 days", "2026-11-24..2026-11-28"),
            ("last Monday", "2026-11-23..2026-11-24"),
            ("last weekend", "2026-11-21..2026-11-23"),
            ("last year", "2025-01-01..2026-01-01"),
            ("two days ago", "2026-11-25..2026-11-26"),
            ("a month ago", "2026-10-12..2026-11-11"),
        ] {
            assert_eq!(read(text), [days], "{text}");
        }
    }

    #[test]
    fn days_of_the_calendar() {
        for (text, days) in [
            ("in May 2026", "2026-05-01..2026-06-01"),
            ("in May", "2026-05-01..2026-06-01"),
            ("in December", "2025-12-01..2026-01-01"),
            ("on 3 March", "2026-03-03..2026-03-04"),
            ("on the 3rd of March, 2024", "2024-03-03..2024-03-04"),
            ("March 3rd, 2024", "2024-03-03..2024-03-04"),
            ("on 2026-02-28", "2026-02-28..2026-03-01"),
            ("in 2025-11", "2025-11-01..2025-12-01"),
            ("in 2023", "2023-01-01..2024-01-01"),
            ("since June", "2026-06-01.."),
            ("after 3 March", "2026-03-04.."),
            ("before 2025", "..2025-01-01"),
        ] {
            assert_eq!(read(text), [days], "{text}");
        }
        for text in ["what may fail", "the last word", "31 of 40", "5 days", "ago", ""] {
            assert_eq!(read(text), Vec::<String>::new(), "{text}");
        }
        assert_eq!(read("from May 2025 to June 2025").len(), 2);
    }

    #[test]
    fn only_relative_words_mean_another_day_in_a_row() {
        let relative = |text: &str| spans_of(text, 0).relative.join(" ");
        assert_eq!(relative("what did we do last week in May"), "last week");
        assert_eq!(relative("in May 2026"), "");
    }
}
