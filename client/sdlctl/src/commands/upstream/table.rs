//! Tables: columns that are as wide as their widest cell.

use serde_json::Value;

use crate::output::{self, MAX_NAME_WIDTH, style_dim};
use crate::terminal::count_shown;

/// A column of a table.
pub(super) struct Column {
    title: &'static str,
    is_right: bool,
    cell: fn(&Value) -> String,
}

impl Column {
    /// A column of texts.
    pub(super) fn left(title: &'static str, cell: fn(&Value) -> String) -> Self {
        Self { title, is_right: false, cell }
    }

    /// A column of numbers.
    pub(super) fn right(title: &'static str, cell: fn(&Value) -> String) -> Self {
        Self { title, is_right: true, cell }
    }

    fn fill(&self, cell: &str, width: usize) -> String {
        let space = " ".repeat(width.saturating_sub(count_shown(cell)));
        if self.is_right { format!("{space}{cell}") } else { format!("{cell}{space}") }
    }
}

/// Prints a line of titles, and one for each row. `below` may print more below a row.
pub(super) fn print_table(columns: &[Column], rows: &[&Value], below: &mut dyn FnMut(&Value)) {
    for (at, line) in table_lines(columns, rows).into_iter().enumerate() {
        output::print_line(&if at == 0 { style_dim(&line) } else { line });
        if let Some(row) = at.checked_sub(1).and_then(|row| rows.get(row)) {
            below(row);
        }
    }
}

fn table_lines(columns: &[Column], rows: &[&Value]) -> Vec<String> {
    let cells: Vec<Vec<String>> =
        rows.iter().map(|row| columns.iter().map(|column| (column.cell)(row)).collect()).collect();
    let titles: Vec<String> = columns.iter().map(|column| column.title.to_owned()).collect();
    let all: Vec<&Vec<String>> = std::iter::once(&titles).chain(&cells).collect();
    let widest = |at: usize| all.iter().filter_map(|row| row.get(at)).map(|cell| count_shown(cell)).max();
    let widths: Vec<usize> =
        (0..columns.len()).map(|at| widest(at).unwrap_or(0).min(MAX_NAME_WIDTH)).collect();
    let join = |row: &&Vec<String>| {
        let filled =
            row.iter().zip(columns).zip(&widths).map(|((cell, column), width)| column.fill(cell, *width));
        filled.collect::<Vec<String>>().join("  ").trim_end().to_owned()
    };
    all.iter().map(join).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::output::{style_bold, text_at};

    #[test]
    fn columns_are_aligned_whatever_their_style() {
        let columns = [
            Column::left("", |row| style_bold(text_at(row, "/key"))),
            Column::right("tools", |row| row["tools"].to_string()),
        ];
        let rows = [json!({ "key": "a", "tools": 12 }), json!({ "key": "longer", "tools": 3 })];
        let lines = table_lines(&columns, &rows.iter().collect::<Vec<_>>());
        let plain: Vec<String> =
            lines.iter().map(|line| crate::terminal::render_styles(line, false)).collect();
        assert_eq!(plain, ["        tools", "a          12", "longer      3"]);
    }
}
