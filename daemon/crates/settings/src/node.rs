//! A value with its path, and the questions that readers of settings ask about it.

use std::cell::Cell;
use std::ops::RangeInclusive;

use crate::error::{Remark, SettingsError, line_and_column};
use crate::located::{Json, Located, Member, push_key};

/// The patterns that a file may have in all. Each takes time to compile, and memory while it is in force.
const MAX_PATTERNS: usize = 4_000;

/// A value somewhere in the text.
#[derive(Clone)]
pub(crate) struct Node<'t> {
    pub(crate) text: &'t str,
    pub(crate) located: &'t Located,
    /// First byte of its key; that of the value in an array.
    pub(crate) key_at: usize,
    pub(crate) path: String,
    /// The patterns of the file so far.
    patterns: &'t Cell<usize>,
}

type Read<T> = Result<T, SettingsError>;

impl<'t> Node<'t> {
    pub(crate) fn root(text: &'t str, located: &'t Located, patterns: &'t Cell<usize>) -> Self {
        Self { text, located, key_at: located.at, path: String::new(), patterns }
    }

    /// Counts patterns that are about to be compiled. An error if the file has too many.
    pub(crate) fn count_patterns(&self, more: usize) -> Read<()> {
        self.patterns.set(self.patterns.get() + more);
        if self.patterns.get() > MAX_PATTERNS {
            return Err(self.error(format!(
                "the patterns of the file are more than the {MAX_PATTERNS} that are allowed"
            )));
        }
        Ok(())
    }

    /// An error at the value.
    pub(crate) fn error(&self, message: impl Into<String>) -> SettingsError {
        SettingsError::at(self.text, self.located.at, &self.path, message)
    }

    /// An error at the value's key.
    pub(crate) fn key_error(&self, message: impl Into<String>) -> SettingsError {
        SettingsError::at(self.text, self.key_at, &self.path, message)
    }

    pub(crate) fn remark(&self, message: impl Into<String>) -> Remark {
        let (line, column) = line_and_column(self.text, self.key_at);
        Remark { message: message.into(), line, column, path: self.path.clone() }
    }

    fn wrong_kind(&self, wanted: &str) -> SettingsError {
        self.error(format!("{wanted} is expected, not {}", self.located.kind()))
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self.located.value, Json::Null)
    }

    fn child(&self, member: &'t Member) -> Self {
        let mut path = self.path.clone();
        push_key(&mut path, &member.key);
        Self { text: self.text, located: &member.value, key_at: member.at, path, patterns: self.patterns }
    }

    /// The members of an object, in their order.
    pub(crate) fn members(&self) -> Read<Vec<(&'t str, Self)>> {
        let located: &'t Located = self.located;
        let Json::Object(members) = &located.value else { return Err(self.wrong_kind("an object")) };
        Ok(members.iter().map(|member| (member.key.as_str(), self.child(member))).collect())
    }

    /// The members of an object that may have these keys only.
    pub(crate) fn strict_members(&self, known: &[&str]) -> Read<Vec<(&'t str, Self)>> {
        let members = self.members()?;
        match members.iter().find(|(key, _)| !known.contains(key)) {
            Some((key, node)) => Err(node.key_error(unknown_key(key, known))),
            None => Ok(members),
        }
    }

    /// The items of an array of at most `most`.
    pub(crate) fn items(&self, most: usize) -> Read<Vec<Self>> {
        let located: &'t Located = self.located;
        let Json::List(items) = &located.value else { return Err(self.wrong_kind("an array")) };
        if items.len() > most {
            return Err(
                self.error(format!("{} items are more than the {most} that are allowed", items.len()))
            );
        }
        let item = |(number, located): (usize, &'t Located)| Self {
            text: self.text,
            located,
            key_at: located.at,
            path: format!("{}[{number}]", self.path),
            patterns: self.patterns,
        };
        Ok(items.iter().enumerate().map(item).collect())
    }

    pub(crate) fn text(&self) -> Read<&'t str> {
        let located: &'t Located = self.located;
        match &located.value {
            Json::Text(text) => Ok(text),
            Json::Number(_) | Json::Bool(_) => Err(self.error(format!(
                "a string is expected, not {}; put it in double quotes",
                self.located.kind()
            ))),
            _ => Err(self.wrong_kind("a string")),
        }
    }

    /// A text that is not empty, has at most `most` characters and no control characters.
    pub(crate) fn short_text(&self, most: usize) -> Read<&'t str> {
        let text = self.text()?;
        if text.is_empty() {
            return Err(self.error("the text is empty"));
        }
        if text.chars().any(char::is_control) {
            return Err(self.error("the text has a control character, such as a line break; remove it"));
        }
        let length = text.chars().count();
        if length > most {
            return Err(self.error(format!("{length} characters are more than the {most} that are allowed")));
        }
        Ok(text)
    }

    /// The texts of an array; one text counts as an array of one.
    pub(crate) fn texts(&self, most: usize, length: usize) -> Read<Vec<Self>> {
        if matches!(self.located.value, Json::Text(_)) {
            self.short_text(length)?;
            return Ok(vec![self.clone()]);
        }
        let items = self.items(most)?;
        for item in &items {
            item.short_text(length)?;
        }
        Ok(items)
    }

    pub(crate) fn boolean(&self) -> Read<bool> {
        match self.located.value {
            Json::Bool(is) => Ok(is),
            _ => Err(self.wrong_kind("true or false")),
        }
    }

    /// A whole number in a range.
    pub(crate) fn number(&self, range: RangeInclusive<u64>) -> Read<u64> {
        let Json::Number(number) = &self.located.value else { return Err(self.wrong_kind("a number")) };
        match number.as_u64().filter(|number| range.contains(number)) {
            Some(number) => Ok(number),
            None => {
                let shown: String = number.to_string().chars().take(40).collect();
                Err(self.error(format!(
                    "{shown} is no whole number from {} to {}",
                    range.start(),
                    range.end()
                )))
            }
        }
    }

    /// One of a few words.
    pub(crate) fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Read<T> {
        let text = self.text()?;
        if let Some((_, choice)) = choices.iter().find(|(word, _)| *word == text) {
            return Ok(*choice);
        }
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        let shown: String = text.chars().take(40).collect();
        let hint = match nearest_word(text, &words) {
            Some(near) => format!("did you mean {near:?}? Allowed are"),
            None => "allowed are".to_owned(),
        };
        Err(self.error(format!("{shown:?} is not known; {hint} {}", words.join(", "))))
    }
}

/// The member of this name.
pub(crate) fn find_member<'a, 't>(members: &'a [(&'t str, Node<'t>)], name: &str) -> Option<&'a Node<'t>> {
    members.iter().find(|(key, _)| *key == name).map(|(_, node)| node)
}

fn unknown_key(key: &str, known: &[&str]) -> String {
    let shown: String = key.chars().take(40).collect();
    match nearest_word(key, known) {
        Some(near) => format!("unknown key {shown:?}; did you mean {near:?}?"),
        None => format!("unknown key {shown:?}; known are {}", known.join(", ")),
    }
}

/// The known word that a misspelled one may mean: at most a third of its letters differ, or one contains the other.
pub(crate) fn nearest_word<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let fold = |word: &str| -> String {
        let letters = word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
        // Long input is cut, because no known word is that long and the distance takes quadratic time.
        letters.take(64).collect()
    };
    let wanted = fold(word);
    let near = |candidate: &&'a str| {
        let folded = fold(candidate);
        let distance = strsim::osa_distance(&wanted, &folded);
        let longest = wanted.chars().count().max(folded.chars().count());
        let is_part =
            wanted.len() >= 3 && folded.len() >= 3 && (wanted.contains(&folded) || folded.contains(&wanted));
        (distance * 3 <= longest || is_part).then_some((distance, *candidate))
    };
    known.iter().filter_map(near).min_by_key(|(distance, _)| *distance).map(|(_, word)| word)
}
