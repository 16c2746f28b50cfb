//! Which words belong together: a question about hobbies is answered by a row about pottery.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::terms::terms_of;

const TEXT: &str = include_str!("related.txt");

/// A line of the text, as terms.
#[derive(Debug, Default, PartialEq, Eq)]
struct Group {
    /// The word to which the others belong; none if each belongs to each.
    head: Option<String>,
    members: Vec<String>,
}

/// The table of related words. About 100 KB, read at the first use and kept.
#[derive(Debug)]
pub(super) struct Related {
    groups: Vec<Group>,
    /// The groups of each term.
    of: BTreeMap<String, Vec<usize>>,
}

impl Related {
    /// Returns the table of the file beside this one.
    pub(super) fn shared() -> &'static Self {
        static SHARED: OnceLock<Related> = OnceLock::new();
        SHARED.get_or_init(|| Self::read(TEXT))
    }

    fn read(text: &str) -> Self {
        let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        let groups: Vec<Group> = lines.map(read_group).collect();
        let mut of: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, group) in groups.iter().enumerate() {
            for term in group.head.iter().chain(&group.members) {
                of.entry(term.clone()).or_default().push(at);
            }
        }
        Self { groups, of }
    }

    /// Returns the terms that belong to a term, each once, in order.
    pub(super) fn of(&self, term: &str) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        let groups = self.of.get(term).into_iter().flatten().filter_map(|at| self.groups.get(*at));
        for group in groups {
            match &group.head {
                Some(head) if head != term => found.push(head),
                _ => found.extend(group.members.iter().map(String::as_str)),
            }
        }
        found.retain(|other| *other != term);
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn read_group(line: &str) -> Group {
    let (head, members) = match line.split_once('>') {
        Some((head, members)) => (single_term(head), members),
        None => (None, line),
    };
    Group { head, members: members.split(',').filter_map(single_term).collect() }
}

/// The term of a text that is one word with a meaning.
fn single_term(text: &str) -> Option<String> {
    let mut terms = terms_of(text).into_iter();
    terms.next().filter(|_| terms.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_belong_to_their_head_and_not_to_each_other() {
        let related = Related::read("# x\n\nhobby > pottery, chess\nkid, child, baby\n");
        assert_eq!(related.of("hobbi"), ["chess", "potteri"]);
        assert_eq!(related.of("chess"), ["hobbi"]);
        assert_eq!(related.of("child"), ["babi", "kid"]);
        assert_eq!(related.of("other"), Vec::<&str>::new());
    }

    #[test]
    fn every_line_of_the_file_is_a_group() {
        for group in &Related::shared().groups {
            let least = if group.head.is_some() { 1 } else { 2 };
            assert!(group.members.len() >= least, "{group:?}");
        }
    }
}
