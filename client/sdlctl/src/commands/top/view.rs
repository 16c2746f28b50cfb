//! The picture of `top`: the model as text on a screen.

use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Row, Table as Grid, TableState};
use serde_json::Value;

use super::model::Model;
use super::table::{Field, Table};
use crate::output::{number_at, text_at};
use crate::screen::{Key, text};

/// The tables, in the order of their tabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tab {
    Repositories,
    Actions,
    Clients,
    Upstreams,
}

const TABS: [(Tab, &str); 4] = [
    (Tab::Repositories, "repositories"),
    (Tab::Actions, "actions"),
    (Tab::Clients, "clients"),
    (Tab::Upstreams, "upstreams"),
];

const HELP: &str = "tab next table   ↑↓ move   s sort by the next column   r reverse   q quit";

/// What a person looks at.
#[derive(Debug, Default)]
pub(super) struct View {
    tab: usize,
    /// For each tab.
    sorted: [usize; TABS.len()],
    reversed: [bool; TABS.len()],
    row: usize,
}

impl View {
    /// Follows a key. False if it quits.
    pub(super) fn press(&mut self, key: Key) -> bool {
        match key {
            Key::Quit => return false,
            Key::Next => self.go_to(self.tab + 1),
            Key::Previous => self.go_to(self.tab + TABS.len() - 1),
            Key::Up => self.row = self.row.saturating_sub(1),
            Key::Down => self.row += 1,
            Key::Sort => {
                let columns = columns_of(self.shown_tab()).len();
                self.sorted[self.tab] = (self.sorted[self.tab] + 1) % columns.max(1);
            }
            Key::Reverse => self.reversed[self.tab] = !self.reversed[self.tab],
            Key::Redraw => {}
        }
        true
    }

    fn go_to(&mut self, tab: usize) {
        self.tab = tab % TABS.len();
        self.row = 0;
    }

    fn shown_tab(&self) -> Tab {
        TABS[self.tab % TABS.len()].0
    }

    /// Draws the picture.
    pub(super) fn draw(&mut self, frame: &mut Frame<'_>, model: &Model, now: Instant) {
        let heights =
            [Constraint::Length(3), Constraint::Length(1), Constraint::Min(0), Constraint::Length(1)];
        let [head, tabs, body, foot] = Layout::vertical(heights).areas(frame.area());
        for (line, at) in head_lines(model, now).into_iter().zip(head.rows()) {
            frame.render_widget(line, at);
        }
        frame.render_widget(self.tab_line(), tabs);
        let mut table = table_of(self.shown_tab(), model);
        table.sort(self.sorted[self.tab], self.reversed[self.tab]);
        self.row = self.row.min(table.rows.len().saturating_sub(1));
        let mut state = TableState::default().with_selected((!table.rows.is_empty()).then_some(self.row));
        frame.render_stateful_widget(self.grid(&table), body, &mut state);
        frame.render_widget(Line::styled(HELP, Style::new().add_modifier(Modifier::DIM)), foot);
    }

    fn tab_line(&self) -> Line<'static> {
        let marked = Style::new().add_modifier(Modifier::REVERSED);
        let tabs = TABS.iter().enumerate().flat_map(|(at, (_, name))| {
            let style = if at == self.tab { marked } else { Style::new() };
            [Span::styled(format!(" {name} "), style), Span::raw(" ")]
        });
        tabs.collect()
    }

    fn grid(&self, table: &Table) -> Grid<'static> {
        let names = table.columns.iter().enumerate().map(|(at, name)| match self.sorted[self.tab] == at {
            true if self.reversed[self.tab] => format!("{name}↑"),
            true => format!("{name}↓"),
            false => (*name).to_owned(),
        });
        let header = Row::new(names.map(Cell::from).collect::<Vec<_>>())
            .style(Style::new().add_modifier(Modifier::BOLD));
        let widths = widths_of(table);
        let rows =
            table.rows.iter().map(|row| Row::new(row.iter().map(|field| Cell::from(text(field.shown())))));
        Grid::new(rows.collect::<Vec<_>>(), widths)
            .header(header)
            .column_spacing(2)
            .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED))
    }
}

/// The first column takes what the others leave.
fn widths_of(table: &Table) -> Vec<Constraint> {
    let longest = |column: usize, name: &str| {
        let fields =
            table.rows.iter().filter_map(|row| row.get(column)).map(|field| field.shown().chars().count());
        fields.chain([name.chars().count() + 1]).max().unwrap_or(0).min(40) as u16
    };
    let widths = table.columns.iter().enumerate().map(|(at, name)| match at {
        0 => Constraint::Min(12),
        _ => Constraint::Length(longest(at, name)),
    });
    widths.collect()
}

fn head_lines(model: &Model, now: Instant) -> Vec<Line<'static>> {
    let status = &model.status;
    let processors = model.processors.map_or_else(|| "-".to_owned(), |used| format!("{:.0} %", used * 100.0));
    let mut first = vec![text(&format!(
        "sdld {}  process {}  up {} min  memory {} MiB ({} of its own)  cpu {processors}",
        text_at(status, "/build"),
        number_at(status, "/pid"),
        number_at(status, "/uptimeMs") / 60_000,
        number_at(status, "/memory/resident") >> 20,
        number_at(status, "/memory/private") >> 20,
    ))];
    if status["healthy"] == false {
        first.push(Span::styled(
            "  not healthy: see sdlctl status",
            Style::new().add_modifier(Modifier::BOLD),
        ));
    }
    let total = model.total;
    let second = format!(
        "{:.1} calls/s  {} agents  since start: {} calls, {} tokens served in place of {}, {} versions",
        model.rate(now),
        model.sessions,
        total.calls,
        total.tokens,
        total.instead,
        total.versions,
    );
    let third = match (&model.away, model.lost) {
        (Some(why), _) => Line::styled(
            text(&format!("no daemon: {why}")).content,
            Style::new().add_modifier(Modifier::BOLD),
        ),
        (None, 0) => Line::default(),
        (None, lost) => Line::from(text(&format!("{lost} events came too fast to be counted"))),
    };
    vec![Line::from(first), Line::from(text(&second)), third]
}

fn columns_of(tab: Tab) -> &'static [&'static str] {
    match tab {
        Tab::Repositories => &["repository", "state", "version", "last ms", "versions", "watched"],
        Tab::Actions => &["action", "calls/min", "failed", "p50 ms", "p95 ms", "tokens"],
        Tab::Clients => &["client", "connection", "calls/min", "failed", "p95 ms", "tokens"],
        Tab::Upstreams => &["upstream", "state", "tools", "calls"],
    }
}

fn table_of(tab: Tab, model: &Model) -> Table {
    let name = |text: &str| Field::Text(text.to_owned());
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let rows = match tab {
        Tab::Repositories => list(&model.status["repos"])
            .iter()
            .map(|repo| {
                let (version, ms, count) = model.version_of(repo);
                let state = match text_at(repo, "/state") {
                    "indexing" => format!("indexing {}", number_at(repo, "/progress/done")),
                    state => state.to_owned(),
                };
                let ms = ms.map_or_else(|| name("-"), |ms| Field::ms(ms as f64));
                vec![
                    name(text_at(repo, "/repoId")),
                    Field::Text(state),
                    name(version),
                    ms,
                    Field::count(count),
                    Field::count(number_at(repo, "/watcher/watches")),
                ]
            })
            .collect(),
        Tab::Actions => model
            .by_action()
            .into_iter()
            .map(|(action, group)| {
                vec![
                    name(action),
                    Field::count(group.calls),
                    Field::count(group.failed),
                    Field::ms(group.quantile(0.5)),
                    Field::ms(group.quantile(0.95)),
                    Field::count(group.tokens),
                ]
            })
            .collect(),
        Tab::Clients => model
            .by_client()
            .into_iter()
            .map(|((session, client), group)| {
                vec![
                    name(client),
                    Field::count(session),
                    Field::count(group.calls),
                    Field::count(group.failed),
                    Field::ms(group.quantile(0.95)),
                    Field::count(group.tokens),
                ]
            })
            .collect(),
        Tab::Upstreams => list(&model.status["upstreams"]["upstreams"])
            .iter()
            .map(|one| {
                vec![
                    name(text_at(one, "/key")),
                    name(text_at(one, "/state")),
                    Field::count(number_at(one, "/tools")),
                    Field::count(number_at(one, "/calls")),
                ]
            })
            .collect(),
    };
    Table { columns: columns_of(tab), rows }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use serde_json::json;

    use super::*;

    fn model() -> Model {
        let mut model = Model::default();
        let now = Instant::now();
        let status = json!({
            "build": "b", "pid": 7, "uptimeMs": 120_000, "healthy": true, "cpuMs": 5,
            "memory": {"resident": 100 << 20, "private": 40 << 20},
            "repos": [
                {"repoId": "zoo", "state": "live", "ledgerVersion": "v3", "watcher": {"watches": 4}},
                {"repoId": "a\u{1b}[2J", "state": "indexing", "progress": {"done": 10}}
            ],
            "upstreams": {"upstreams": [{"key": "git", "state": "ready", "tools": 12, "calls": 3}]}
        });
        model.take_status(status, &json!({"sessions": [{}]}), now);
        for (action, us) in [("symbol.search", 3_000), ("slice.build", 40_000), ("symbol.search", 5_000)] {
            let call = json!({"action": action, "client": "cursor", "session": 4, "us": us, "tokens": 50, "ok": true});
            model.take_event("feed/call", &call, now);
        }
        model
    }

    fn picture(view: &mut View, model: &Model, (width, height): (u16, u16)) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| view.draw(frame, model, Instant::now())).unwrap();
        let buffer = terminal.backend().buffer().clone();
        let line = |y| (0..width).map(|x| buffer[(x, y)].symbol().to_owned()).collect::<String>();
        (0..height).map(|y| line(y).trim_end().to_owned() + "\n").collect()
    }

    #[test]
    fn each_table_has_its_rows() {
        let (model, mut view) = (model(), View::default());
        let shown = picture(&mut view, &model, (100, 12));
        assert!(shown.contains("sdld b  process 7  up 2 min  memory 100 MiB (40 of its own)"), "{shown}");
        assert!(shown.contains("3 calls, 150 tokens served"), "{shown}");
        let (hostile, zoo) = (shown.find("a\\u{1b}[2J").unwrap(), shown.find("zoo").unwrap());
        assert!(hostile < zoo, "sorted by name: {shown}");
        assert!(view.press(Key::Next));
        let shown = picture(&mut view, &model, (100, 12));
        let line = shown.lines().find(|line| line.contains("symbol.search")).unwrap();
        assert_eq!(
            line.split_whitespace().collect::<Vec<_>>(),
            ["symbol.search", "2", "0", "3.0", "5.0", "100"]
        );
        view.press(Key::Next);
        assert!(picture(&mut view, &model, (100, 12)).contains("cursor"));
        view.press(Key::Next);
        assert!(picture(&mut view, &model, (100, 12)).contains("git"));
        view.press(Key::Next);
        assert!(picture(&mut view, &model, (100, 12)).contains("zoo"), "the first again");
        assert!(!view.press(Key::Quit));
    }

    #[test]
    fn sorting_goes_from_column_to_column() {
        let (model, mut view) = (model(), View::default());
        view.press(Key::Next);
        let order = |view: &mut View| {
            let shown = picture(view, &model, (100, 12));
            shown.find("slice.build").unwrap() < shown.find("symbol.search").unwrap()
        };
        assert!(order(&mut view), "by name");
        view.press(Key::Sort);
        assert!(!order(&mut view), "most calls first");
        view.press(Key::Reverse);
        assert!(order(&mut view));
    }

    #[test]
    fn any_size_can_be_drawn() {
        let (model, mut view) = (model(), View::default());
        for tab in 0..TABS.len() {
            view.go_to(tab);
            view.press(Key::Down);
            for size in [(1, 1), (3, 2), (20, 5), (40, 9), (300, 80)] {
                picture(&mut view, &model, size);
                picture(&mut view, &Model::default(), size);
            }
        }
    }
}
