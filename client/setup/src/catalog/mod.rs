//! The MCP clients, as data. Each entry names the page or source from which its facts were taken.

mod agents;
mod apps;
mod editors;
pub mod hooks;
pub mod rules;

use std::path::{Path, PathBuf};

use crate::machine::{Machine, Os};

/// One client.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    /// How `--client` names it.
    pub id: &'static str,
    /// How its maker writes it.
    pub name: &'static str,
    /// Where its file for a user is. Empty if only its own settings can be used.
    pub user: &'static [Place],
    /// Its files for a project, relative to the root: the first that exists, else the first.
    pub project: &'static [&'static str],
    /// The syntax of both.
    pub format: Format,
    /// The keys that lead to the servers.
    pub servers: &'static [&'static str],
    /// One entry.
    pub shape: Shape,
    /// The text of a new file, before our entry is in it.
    pub prelude: &'static str,
    /// Files beside its own that replace it: if one exists and its own does not, a person has to decide.
    pub instead: &'static [&'static str],
    /// How we see that it is installed. Its file is always a sign.
    pub signs: &'static [Sign],
    /// When it sees a change.
    pub fresh: Fresh,
    /// Where a person adds a server in the client itself. Required if there is no file for a user.
    pub by_hand: &'static str,
    /// Its documentation of MCP servers.
    pub docs: &'static str,
    /// From where the paths and the shape are known, if that page doesn't say all of it.
    pub source: &'static str,
    /// Details that no source of its maker states.
    pub unconfirmed: &'static str,
}

/// The syntax of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON. Comments and trailing commas are read and kept.
    Json,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}

/// Systems on which a place or a sign exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// Every system.
    All,
    /// Linux and macOS.
    Unix,
    /// One system.
    Only(Os),
}

/// The folder that a path starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The user's home.
    Home,
    /// `$XDG_CONFIG_HOME`, else `~/.config`, on every system.
    Config,
    /// The system's own folder for settings: as `Config` on Linux, `~/Library/Application Support`, or `%APPDATA%`.
    AppData,
    /// A folder named by an environment variable. The place counts only if that is set.
    Variable(&'static str),
    /// A file named by an environment variable. The place counts only if that is set.
    FileVariable(&'static str),
    /// The root of the project.
    Project,
}

/// Where a file may be.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Where this place exists.
    pub on: On,
    /// Where it starts.
    pub base: Base,
    /// Its names: the first that exists, else the first.
    pub names: &'static [&'static str],
}

/// How we see that a client is installed.
#[derive(Clone, Copy, Debug)]
pub enum Sign {
    /// A file or folder.
    Path(On, Base, &'static str),
    /// A program on the path.
    Program(&'static str),
    /// An application of macOS, without `.app`.
    App(&'static str),
}

/// When a client sees a change of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fresh {
    /// After it was restarted.
    Restart,
    /// In a new session.
    Session,
    /// Without doing anything.
    Itself,
}

impl Fresh {
    /// What a person has to do.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Restart => "restart it",
            Self::Session => "start a new session",
            Self::Itself => "it notices by itself",
        }
    }
}

/// How an entry looks.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Whether entries are a list, each with its name in a field, and not a map by name.
    pub list: bool,
    /// The fields, in order.
    pub fields: &'static [(&'static str, FieldValue)],
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// The program.
    Command,
    /// Its arguments, as a list.
    Args,
    /// Both, as one list.
    CommandLine,
    /// The name of the entry.
    Name,
    /// A constant text.
    Text(&'static str),
    /// A constant list of texts.
    Texts(&'static [&'static str]),
    /// A constant.
    Bool(bool),
    /// A constant.
    Number(u32),
    /// An empty map.
    Empty,
}

/// Most clients: `command` and `args`.
pub(crate) const PLAIN: Shape =
    Shape { list: false, fields: &[("command", FieldValue::Command), ("args", FieldValue::Args)] };
/// The same with the kind of transport.
pub(crate) const TYPED: Shape = Shape {
    list: false,
    fields: &[
        ("type", FieldValue::Text("stdio")),
        ("command", FieldValue::Command),
        ("args", FieldValue::Args),
    ],
};
/// `OpenCode` and what descends from it.
pub(crate) const ONE_LINE: Shape = Shape {
    list: false,
    fields: &[
        ("type", FieldValue::Text("local")),
        ("command", FieldValue::CommandLine),
        ("enabled", FieldValue::Bool(true)),
    ],
};

/// What entries leave out.
pub(crate) const BASE: Client = Client {
    id: "",
    name: "",
    user: &[],
    project: &[],
    format: Format::Json,
    servers: &["mcpServers"],
    shape: PLAIN,
    prelude: "",
    instead: &[],
    signs: &[],
    fresh: Fresh::Restart,
    by_hand: "",
    docs: "",
    source: "",
    unconfirmed: "",
};

pub(crate) const fn at(base: Base, names: &'static [&'static str]) -> Place {
    Place { on: On::All, base, names }
}

pub(crate) const fn only(os: Os, base: Base, names: &'static [&'static str]) -> Place {
    Place { on: On::Only(os), base, names }
}

pub(crate) const fn folder(base: Base, path: &'static str) -> Sign {
    Sign::Path(On::All, base, path)
}

/// All clients, by the folder of the catalog and then in its order.
pub fn clients() -> impl Iterator<Item = &'static Client> {
    agents::CLIENTS.iter().chain(editors::CLIENTS).chain(apps::CLIENTS)
}

/// The client of that id.
pub fn find_client(id: &str) -> Option<&'static Client> {
    clients().find(|client| client.id == id)
}

/// The environment variables that move a client's files.
pub fn variables() -> Vec<&'static str> {
    let base = |base: Base| match base {
        Base::Variable(name) | Base::FileVariable(name) => Some(name),
        Base::Home | Base::Config | Base::AppData | Base::Project => None,
    };
    let places = clients().flat_map(|client| client.user).map(|place| place.base);
    let mut names: Vec<_> = places.chain(rules::bases()).filter_map(base).collect();
    names.extend(["XDG_CONFIG_HOME", "APPDATA"]);
    names.sort_unstable();
    names.dedup();
    names
}

impl On {
    fn includes(self, os: Os) -> bool {
        match self {
            Self::All => true,
            Self::Unix => os != Os::Windows,
            Self::Only(one) => one == os,
        }
    }
}

impl Base {
    fn folder(self, machine: &Machine) -> Option<PathBuf> {
        match self {
            Self::Home => Some(machine.home.clone()),
            Self::Config => Some(machine.config_folder()),
            Self::AppData => Some(machine.app_data()),
            Self::Variable(name) | Self::FileVariable(name) => machine.variable(name).map(Path::to_owned),
            Self::Project => Some(machine.project.clone()),
        }
    }
}

impl Client {
    /// The user's file on that machine, whether or not it exists.
    pub fn user_file(&self, machine: &Machine) -> Option<PathBuf> {
        self.user.iter().filter(|place| place.on.includes(machine.os)).find_map(|place| {
            let base = place.base.folder(machine)?;
            Some(if place.names.is_empty() { base } else { pick_name(&base, place.names)? })
        })
    }

    /// The project's file, whether or not it exists.
    pub fn project_file(&self, machine: &Machine) -> Option<PathBuf> {
        pick_name(&machine.project, self.project)
    }

    /// Whether the client seems to be installed.
    pub fn is_found(&self, machine: &Machine) -> bool {
        let seen = |sign: &Sign| match *sign {
            Sign::Path(on, base, path) => {
                on.includes(machine.os)
                    && base.folder(machine).is_some_and(|folder| folder.join(path).exists())
            }
            Sign::Program(name) => machine.has_program(name),
            Sign::App(name) => {
                machine.os == Os::Mac
                    && machine.applications.iter().any(|folder| folder.join(format!("{name}.app")).exists())
            }
        };
        self.signs.iter().any(seen) || self.user_file(machine).is_some_and(|file| file.exists())
    }
}

/// The first name that exists, else the first.
fn pick_name(folder: &Path, names: &[&str]) -> Option<PathBuf> {
    let there = names.iter().map(|name| folder.join(name)).find(|path| path.symlink_metadata().is_ok());
    there.or_else(|| names.first().map(|name| folder.join(name)))
}
