//! The whole terminal as one screen, for `top`. Everything that is shown on it passes through [`text`], which escapes every
//! character that a terminal would act on. The terminal is as it was before when the [`Screen`] is gone, after a panic too.

use std::io::{self, IsTerminal, Stdout};

use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::execute;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use ratatui::backend::CrosstermBackend;
use ratatui::text::Span;
use ratatui::{Frame, Terminal};
use tokio::sync::mpsc;

use crate::terminal::plain_row;

/// How many columns the terminal of the standard output has; none if that is no terminal.
pub(crate) fn terminal_columns() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    size().ok().map(|(columns, _)| usize::from(columns)).filter(|columns| *columns > 0)
}

/// Whether there is a terminal to show something on and to type at.
pub(crate) fn has_terminal() -> bool {
    io::stdout().is_terminal() && io::stdin().is_terminal()
}

/// Characters of a text on the screen, more than any terminal has columns.
const MAX_TEXT: usize = 1_000;

/// A text for the screen, on one line.
pub(crate) fn text(shown: &str) -> Span<'static> {
    Span::raw(plain_row(shown, MAX_TEXT))
}

/// What a person asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Quit,
    Next,
    Previous,
    Up,
    Down,
    Sort,
    Reverse,
    /// The size of the terminal is another one.
    Redraw,
}

/// The terminal, taken over.
pub(crate) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    keys: mpsc::UnboundedReceiver<Key>,
}

impl Screen {
    /// Takes the terminal over.
    pub(crate) fn open() -> io::Result<Self> {
        let earlier = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore_terminal();
            earlier(panic);
        }));
        enable_raw_mode()?;
        let opened = execute!(io::stdout(), EnterAlternateScreen)
            .and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        // As fast as a person types.
        let (sender, keys) = mpsc::unbounded_channel();
        let started = opened.and_then(|terminal| {
            std::thread::Builder::new().name("keys".to_owned()).spawn(move || read_keys(&sender))?;
            Ok(terminal)
        });
        match started {
            Ok(terminal) => Ok(Self { terminal, keys }),
            Err(error) => {
                restore_terminal();
                Err(error)
            }
        }
    }

    /// Draws one picture.
    pub(crate) fn draw(&mut self, picture: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(picture).map(|_| ())
    }

    /// Waits for the next key. Quits when no key can come any more.
    pub(crate) async fn key(&mut self) -> Key {
        self.keys.recv().await.unwrap_or(Key::Quit)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore_terminal();
    }
}

fn restore_terminal() {
    let _ = disable_raw_mode();
    let _ = execute!(io::stdout(), LeaveAlternateScreen, crossterm::cursor::Show);
}

/// Passes keys on for as long as somebody takes them.
fn read_keys(to: &mpsc::UnboundedSender<Key>) {
    while let Ok(event) = event::read() {
        let key = match event {
            Event::Key(key) => meaning_of(key),
            Event::Resize(..) => Some(Key::Redraw),
            _ => None,
        };
        if key.is_some_and(|key| to.send(key).is_err()) {
            return;
        }
    }
}

fn meaning_of(key: KeyEvent) -> Option<Key> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    Some(match key.code {
        KeyCode::Char('c' | 'd') if key.modifiers.contains(KeyModifiers::CONTROL) => Key::Quit,
        KeyCode::Char('q') | KeyCode::Esc => Key::Quit,
        KeyCode::Tab | KeyCode::Right | KeyCode::Char('l') => Key::Next,
        KeyCode::BackTab | KeyCode::Left | KeyCode::Char('h') => Key::Previous,
        KeyCode::Up | KeyCode::Char('k') => Key::Up,
        KeyCode::Down | KeyCode::Char('j') => Key::Down,
        KeyCode::Char('s') => Key::Sort,
        KeyCode::Char('r') => Key::Reverse,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_mean_what_the_help_says() {
        let key = |code, modifiers| meaning_of(KeyEvent::new(code, modifiers));
        assert_eq!(key(KeyCode::Char('q'), KeyModifiers::NONE), Some(Key::Quit));
        assert_eq!(key(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Key::Quit));
        assert_eq!(key(KeyCode::Char('c'), KeyModifiers::NONE), None);
        assert_eq!(key(KeyCode::Tab, KeyModifiers::NONE), Some(Key::Next));
        assert_eq!(key(KeyCode::BackTab, KeyModifiers::SHIFT), Some(Key::Previous));
    }

    #[test]
    fn no_text_on_the_screen_acts_on_the_terminal() {
        assert_eq!(text("a\u{1b}[2J\u{202e}b\n").content, "a\\u{1b}[2J\\u{202e}b\\n");
    }
}
