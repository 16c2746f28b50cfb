//! Rows that can be sorted by any column.

use std::cmp::Ordering;

/// One field of a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Field {
    Text(String),
    /// A number, and how it is shown.
    Number(f64, String),
}

impl Field {
    /// A count.
    pub(super) fn count(number: u64) -> Self {
        Self::Number(number as f64, number.to_string())
    }

    /// A time in milliseconds.
    pub(super) fn ms(ms: f64) -> Self {
        Self::Number(ms, if ms < 10.0 { format!("{ms:.1}") } else { format!("{ms:.0}") })
    }

    /// As it is shown.
    pub(super) fn shown(&self) -> &str {
        match self {
            Self::Text(text) | Self::Number(_, text) => text,
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            // The largest first.
            (Self::Number(one, _), Self::Number(other, _)) => other.total_cmp(one),
            _ => self.shown().cmp(other.shown()),
        }
    }
}

/// The names of columns, and rows of as many fields.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) columns: &'static [&'static str],
    pub(super) rows: Vec<Vec<Field>>,
}

impl Table {
    /// Sorts the rows by a column; equal ones stay as they are.
    pub(super) fn sort(&mut self, column: usize, reverse: bool) {
        self.rows.sort_by(|one, other| {
            let order = match (one.get(column), other.get(column)) {
                (Some(one), Some(other)) => one.compare(other),
                _ => Ordering::Equal,
            };
            if reverse { order.reverse() } else { order }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_go_up_and_numbers_down_unless_reversed() {
        let row = |name: &str, count| vec![Field::Text(name.to_owned()), Field::count(count)];
        let mut table =
            Table { columns: &["name", "count"], rows: vec![row("b", 9), row("c", 10), row("a", 2)] };
        let names =
            |table: &Table| table.rows.iter().map(|row| row[0].shown().to_owned()).collect::<String>();
        table.sort(0, false);
        assert_eq!(names(&table), "abc");
        table.sort(1, false);
        assert_eq!(names(&table), "cba");
        table.sort(1, true);
        assert_eq!(names(&table), "abc");
        table.sort(7, false);
        assert_eq!(names(&table), "abc", "no such column");
    }
}
