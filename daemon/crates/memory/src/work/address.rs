//! Whom a message is for.

use sdl_contract::{Code, Explained as _, Refusal};

use super::keys::fold_name;
use crate::limits;

/// Whom a message is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// One session, by its id.
    Session(String),
    /// Whoever answers to an agent's name.
    Agent(String),
    /// The sessions that work on a repository.
    Repo(String),
    /// The sessions that work on a plan.
    Plan(String),
    /// The sessions that joined a channel.
    Channel(String),
    /// Every session.
    All,
}

impl Address {
    /// Reads an address. `field` is named in the refusal.
    pub fn parse(text: &str, field: &str) -> Result<Self, Refusal> {
        let text = text.trim();
        let named = |make: fn(String) -> Self, name: &str| {
            let name = name.trim();
            let fits = !name.is_empty() && name.chars().count() <= limits::TITLE;
            fits.then(|| make(name.to_owned())).ok_or_else(|| bad_address(text, field))
        };
        match text {
            "*" => Ok(Self::All),
            _ if text.starts_with("ses_") => named(Self::Session, text),
            _ if text.starts_with('#') => named(Self::Channel, &text[1..]),
            _ if text.starts_with('@') => named(Self::Agent, &text[1..]),
            _ => match text.split_once(':') {
                Some(("repo", name)) => named(Self::Repo, name),
                Some(("plan", name)) => named(Self::Plan, name),
                _ => named(Self::Agent, text),
            },
        }
    }

    /// Returns the form in which addresses are compared and stored.
    pub fn key(&self) -> String {
        match self {
            Self::Session(id) => id.clone(),
            Self::Agent(name) => format!("@{}", fold_name(name)),
            Self::Repo(id) => format!("repo:{id}"),
            Self::Plan(slug) => format!("plan:{}", fold_name(slug)),
            Self::Channel(name) => format!("#{}", fold_name(name)),
            Self::All => "*".to_owned(),
        }
    }
}

fn bad_address(text: &str, field: &str) -> Refusal {
    let shown: String = text.chars().take(80).collect();
    let message = format!(
        "{shown:?} is no address: give a session (ses_…), an agent's name, repo:ID, plan:SLUG, #channel, or * for every \
         session, with a name of 1 to {} characters",
        limits::TITLE
    );
    Refusal::new(Code::InvalidArgument, message).at(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_compared_folded() {
        let key = |text: &str| Address::parse(text, "to").map(|address| address.key());
        for (text, expected) in [
            ("ses_0abc", "ses_0abc"),
            (" Ann Lee ", "@ann lee"),
            ("@ann lee", "@ann lee"),
            ("repo:Shop", "repo:Shop"),
            ("plan: Big ", "plan:big"),
            ("#Ops", "#ops"),
            ("*", "*"),
            ("a:b", "@a:b"),
        ] {
            assert_eq!(key(text).as_deref(), Ok(expected), "{text}");
        }
        for text in ["", "#", "repo:", "@ "] {
            assert_eq!(key(text).unwrap_err().about.field.as_deref(), Some("to"), "{text}");
        }
    }
}
