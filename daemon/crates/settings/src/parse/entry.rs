//! One entry of `mcpServers`, as clients write it.

use super::{Notes, own};
use crate::error::{ErrorKind, SettingsError};
use crate::node::{Node, find_member, nearest_word};
use crate::template::Template;
use crate::types::{Lifecycle, Own, SESSION_CWD, SESSION_ROOT, Transport, Upstream};

const MAX_ARGS: usize = 1_000;
const MAX_PAIRS: usize = 500;
const MAX_VALUE_CHARS: usize = 64 << 10;
/// The keys of an entry that are read.
const KEYS: &[&str] = &["type", "command", "args", "env", "url", "headers", "disabled", "enabled", "sdl"];
/// What other clients call `url`.
const OTHER_URLS: &[&str] = &["serverUrl", "httpUrl", "uri", "endpoint"];

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Stdio,
    Http,
    Sse,
}

const KINDS: &[(&str, Kind)] = &[
    ("stdio", Kind::Stdio),
    ("http", Kind::Http),
    ("streamable-http", Kind::Http),
    ("streamableHttp", Kind::Http),
    ("sse", Kind::Sse),
];

type Members<'t> = Vec<(&'t str, Node<'t>)>;

pub(super) fn read_entry(
    key: &str,
    node: &Node<'_>,
    base: &Own,
    notes: &mut Notes,
) -> Result<Upstream, SettingsError> {
    let members = node.members()?;
    let own = match find_member(&members, "sdl") {
        Some(sdl) => own::read_own(sdl, base, own::KEYS)?,
        None => base.clone(),
    };
    let own = settle_lifecycle(own, node, notes)?;
    let kind = read_kind(node, &members)?;
    let transport = match kind {
        Kind::Stdio => read_stdio(node, &members, notes)?,
        Kind::Http | Kind::Sse => read_http(node, &members, notes)?,
    };
    let is_used = |key: &str| match key {
        "command" | "args" | "env" => kind == Kind::Stdio,
        "url" | "headers" => kind == Kind::Http,
        key => KEYS.contains(&key),
    };
    for (key, member) in members.iter().filter(|(key, _)| !is_used(key)) {
        notes.unused.push(member.path.clone());
        if *key == "cwd" {
            notes.remarks.push(member.remark("\"cwd\" is not used here; write it as \"sdl\": {\"cwd\": …}"));
        }
    }
    Ok(Upstream { key: key.to_owned(), enabled: is_enabled(&members)?, transport, own })
}

/// Questions go to one client, so who may ask has a connection for each session.
fn settle_lifecycle(mut own: Own, node: &Node<'_>, notes: &mut Notes) -> Result<Own, SettingsError> {
    if !own.ask.is_empty() && own.lifecycle != Lifecycle::Session {
        if own.lifecycle != Lifecycle::Shared {
            notes.remarks.push(
                node.remark("\"ask\" makes \"lifecycle\" \"session\", because a question is for one client"),
            );
        }
        own.lifecycle = Lifecycle::Session;
    }
    let of_session = |cwd: &Template| cwd.names().any(|name| matches!(name, SESSION_ROOT | SESSION_CWD));
    if own.lifecycle == Lifecycle::Shared && own.cwd.as_ref().is_some_and(of_session) {
        let message = format!(
            "\"cwd\" has ${{{SESSION_ROOT}}} or ${{{SESSION_CWD}}}, and one connection serves all sessions; set \
             \"lifecycle\" to \"root\" or \"session\""
        );
        return Err(node.key_error(message));
    }
    Ok(own)
}

fn is_enabled(members: &Members<'_>) -> Result<bool, SettingsError> {
    let disabled = find_member(members, "disabled").map(Node::boolean).transpose()?;
    let enabled = find_member(members, "enabled").map(Node::boolean).transpose()?;
    match (disabled, enabled) {
        (Some(disabled), Some(enabled)) if disabled == enabled => {
            let node = find_member(members, "enabled");
            Err(node.map_or_else(
                || SettingsError::at("", 0, "", ""),
                |node| node.key_error("\"enabled\" and \"disabled\" contradict each other; keep one"),
            ))
        }
        (disabled, enabled) => Ok(enabled.unwrap_or(!disabled.unwrap_or(false))),
    }
}

fn read_kind(node: &Node<'_>, members: &Members<'_>) -> Result<Kind, SettingsError> {
    let has = |name: &str| find_member(members, name).is_some_and(|node| !node.is_null());
    let Some(stated) = find_member(members, "type").filter(|node| !node.is_null()) else {
        return match (has("command"), has("url")) {
            (true, false) => Ok(Kind::Stdio),
            (false, true) => Ok(Kind::Http),
            (true, true) => Err(node.key_error(
                "both \"command\" and \"url\"; remove one, or state \"type\": \"stdio\" or \"type\": \"http\"",
            )),
            (false, false) => Err(node.key_error(missing_both(members))),
        };
    };
    let kind = stated.choice(KINDS)?;
    if kind == Kind::Sse {
        let mut error = stated.error(
            "\"sse\" is HTTP with server-sent events of 2024-11-05, which is not supported; try the server's /mcp with \
             \"type\": \"http\", or name a bridge program as \"command\", such as supergateway of npm",
        );
        error.kind = ErrorKind::UnsupportedTransport;
        return Err(error);
    }
    let (wanted, is_there) = match kind {
        Kind::Stdio => ("command", has("command")),
        Kind::Http | Kind::Sse => ("url", has("url")),
    };
    if !is_there {
        let type_name = stated.text()?;
        return Err(node.key_error(format!("\"type\": {type_name:?} needs \"{wanted}\"")));
    }
    Ok(kind)
}

fn missing_both(members: &Members<'_>) -> String {
    let words: Vec<&str> = KEYS.iter().chain(OTHER_URLS).copied().collect();
    let near = members.iter().filter(|(key, _)| !KEYS.contains(key)).find_map(|(key, _)| {
        let meant = nearest_word(key, &words)?;
        let meant = if OTHER_URLS.contains(&meant) { "url" } else { meant };
        matches!(meant, "url" | "command").then(|| format!("; did you mean {meant:?} for {key:?}?"))
    });
    let advice = near.unwrap_or_else(|| {
        "; give a \"command\" (and \"args\") to start, or the \"url\" of a server that runs".to_owned()
    });
    format!("neither \"command\" nor \"url\"{advice}")
}

/// Returns why a program can't be run: only names that are looked up in `PATH`, and absolute paths, can.
pub fn refuse_command(command: &str) -> Option<String> {
    if command.trim().is_empty() {
        return Some("the command is empty; name a program, such as \"npx\"".to_owned());
    }
    let is_absolute = command.starts_with('/') || std::path::Path::new(command).is_absolute();
    (!is_absolute && command.contains('/')).then(|| {
        format!(
            "{command:?} is a relative path, which could lead into any folder; write the absolute path, or a bare name \
             that is in the daemon's PATH"
        )
    })
}

fn read_stdio(node: &Node<'_>, members: &Members<'_>, notes: &mut Notes) -> Result<Transport, SettingsError> {
    let command_node = find_member(members, "command").unwrap_or(node);
    let command = read_template(command_node)?;
    if !command.begins_with_variable()
        && let Some(why) = refuse_command(command.as_str())
    {
        return Err(command_node.error(why));
    }
    let args = match find_member(members, "args").filter(|args| !args.is_null()) {
        Some(args) => args.items(MAX_ARGS)?.iter().map(read_template).collect::<Result<Vec<_>, _>>()?,
        None => Vec::new(),
    };
    if args.is_empty() && command.as_str().contains(' ') && !command.as_str().contains('/') {
        notes.remarks.push(command_node.remark(
            "the command has a space and no \"args\"; a shell does not read it, so put the arguments in \"args\"",
        ));
    }
    let is_name = |name: &str| !name.is_empty() && !name.contains(['=', '\0']);
    let env = read_pairs(find_member(members, "env"), "a variable", is_name)?;
    Ok(Transport::Stdio { command, args, env })
}

fn read_http(node: &Node<'_>, members: &Members<'_>, notes: &mut Notes) -> Result<Transport, SettingsError> {
    let url_node = find_member(members, "url").unwrap_or(node);
    let url = read_template(url_node)?;
    let text = url.as_str();
    let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    if !url.begins_with_variable() && !matches!(scheme.as_deref(), Some("http" | "https")) {
        return Err(url_node.error("the address has to begin with https:// or http://"));
    }
    if text.contains(char::is_whitespace) {
        return Err(url_node.error("the address has white space in it; write a space as %20"));
    }
    if text.trim_end_matches('/').ends_with("/sse") {
        notes.remarks.push(url_node.remark(
            "the address looks like one of HTTP with server-sent events of 2024-11-05, which is not supported; try the \
             server's /mcp",
        ));
    }
    if crate::plain::has_password(text) {
        notes.remarks.push(url_node.remark(
            "the address has a password in it; store it with `sdlctl cred set NAME` and write ${NAME} in a header",
        ));
    }
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let is_name = |name: &str| !name.is_empty() && name.chars().all(is_token);
    let headers = read_pairs(find_member(members, "headers"), "a header", is_name)?;
    let mut names: Vec<String> = headers.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
    names.sort_unstable();
    if let Some(two) = names.windows(2).find(|two| two.first() == two.last()) {
        let node = find_member(members, "headers").unwrap_or(node);
        let name = two.first().map_or("", |name| name);
        return Err(node.key_error(format!("the header {name:?} is there twice in different case; keep one")));
    }
    Ok(Transport::Http { url, headers })
}

fn read_pairs(
    node: Option<&Node<'_>>,
    what: &str,
    is_name: impl Fn(&str) -> bool,
) -> Result<Vec<(String, Template)>, SettingsError> {
    let Some(node) = node.filter(|node| !node.is_null()) else { return Ok(Vec::new()) };
    let members = node.members()?;
    if members.len() > MAX_PAIRS {
        return Err(
            node.error(format!("{} pairs are more than the {MAX_PAIRS} that are allowed", members.len()))
        );
    }
    let read = |(name, value): &(&str, Node<'_>)| {
        if !is_name(name) {
            return Err(value.key_error(format!("{name:?} can't be the name of {what}")));
        }
        Ok(((*name).to_owned(), read_template(value)?))
    };
    members.iter().map(read).collect()
}

fn read_template(node: &Node<'_>) -> Result<Template, SettingsError> {
    let text = node.text()?;
    if text.contains('\0') || text.chars().count() > MAX_VALUE_CHARS {
        return Err(
            node.error(format!("a text of at most {MAX_VALUE_CHARS} characters without NUL is expected"))
        );
    }
    let template = Template::parse(text).map_err(|error| node.error(error.message))?;
    if let Some(name) = template.names().find(|name| matches!(*name, SESSION_ROOT | SESSION_CWD)) {
        return Err(node.error(format!("${{{name}}} is possible in \"sdl\": {{\"cwd\": …}} only")));
    }
    Ok(template)
}
