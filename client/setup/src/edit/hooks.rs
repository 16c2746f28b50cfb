//! Our command among the hooks of a client: `hooks.EVENT` is a list of elements, each with a list of commands. Elements and
//! commands of others stay byte for byte.

use serde_json::{Map, Value, json};

use super::node::{Kind, Node};
use super::{Added, Fault, expect_kind, json, only_member, splice, split_mark, unclear_layout};

/// The key of all hooks.
const HOOKS: &str = "hooks";

/// One event of a client.
#[derive(Clone, Copy, Debug)]
pub struct HookTarget<'a> {
    /// The event, such as `SessionStart`.
    pub event: &'a str,
    /// How `--client` names the client.
    pub client: &'a str,
}

/// Our command in a list of elements.
struct Found<'a> {
    /// The index of its element.
    element: usize,
    /// The commands of that element.
    commands: &'a Node,
    /// The index in these.
    index: usize,
    /// The command itself.
    command: &'a Node,
}

/// The command of ours that is there. `with_older` finds the older `session hook` too, if there is no other.
pub fn find_hook(text: &str, target: HookTarget, with_older: bool) -> Result<Option<String>, Fault> {
    let (_, body) = split_mark(text);
    let Some(root) = json::parse(body)? else { return Ok(None) };
    let Some(list) = locate_list(body, &root, target.event)? else { return Ok(None) };
    let found = find_any(list, target, with_older);
    Ok(found.and_then(|found| text_of(found.command)).map(str::to_owned))
}

/// Adds an element with our command, after those of others.
pub fn add_hook(
    text: &str,
    target: HookTarget,
    matcher: Option<&str>,
    command: &str,
) -> Result<Added, Fault> {
    let (mark, body) = split_mark(text);
    let element = make_element(matcher, command);
    let (edited, made) = match json::parse(body)? {
        None => {
            let inner = Value::Object(Map::from_iter([(target.event.to_owned(), json!([element]))]));
            (json::write_document(body, &json!({ HOOKS: inner })), 2)
        }
        Some(root) => insert_element(body, &root, target, element)?,
    };
    verify(body, &edited, target, Some(command))?;
    Ok(Added { text: format!("{mark}{edited}"), made })
}

fn make_element(matcher: Option<&str>, command: &str) -> Value {
    let mut element = Map::new();
    if let Some(matcher) = matcher {
        element.insert("matcher".to_owned(), json!(matcher));
    }
    element.insert(HOOKS.to_owned(), json!([{ "type": "command", "command": command }]));
    Value::Object(element)
}

fn insert_element(
    body: &str,
    root: &Node,
    target: HookTarget,
    element: Value,
) -> Result<(String, usize), Fault> {
    expect_kind(body, root, "the file", false)?;
    let Some(hooks) = only_member(body, root, HOOKS)? else {
        let inner = Value::Object(Map::from_iter([(target.event.to_owned(), json!([element]))]));
        return Ok((json::insert_member(body, root, root, HOOKS, &inner), 2));
    };
    expect_kind(body, &hooks.value, HOOKS, false)?;
    let Some(event) = only_member(body, &hooks.value, target.event)? else {
        return Ok((json::insert_member(body, root, &hooks.value, target.event, &json!([element])), 1));
    };
    expect_kind(body, &event.value, target.event, true)?;
    Ok((json::insert_item(body, root, &event.value, &element), 0))
}

/// Gives our command another text, such as a new path.
pub fn change_hook(text: &str, target: HookTarget, command: &str) -> Result<String, Fault> {
    let (mark, body) = split_mark(text);
    let root = json::parse(body)?;
    let list = root.as_ref().map(|root| locate_list(body, root, target.event)).transpose()?.flatten();
    let Some(found) = list.and_then(|list| find_any(list, target, true)) else {
        return Ok(text.to_owned());
    };
    let edited = splice(body, found.command.span.clone(), &Value::from(command).to_string());
    verify(body, &edited, target, Some(command))?;
    Ok(format!("{mark}{edited}"))
}

/// Removes our command, and its element if nothing else is in it. `made` says how many of the keys that lead to the
/// element we made: the event, and `hooks`.
pub fn remove_hook(text: &str, target: HookTarget, made: usize) -> Result<String, Fault> {
    let (mark, body) = split_mark(text);
    let mut edited = body.to_owned();
    while let Some(without) = remove_one(&edited, target)? {
        edited = without;
    }
    if made > 0 {
        edited = prune(&edited, &[HOOKS], target.event)?;
    }
    if made > 1 {
        edited = prune(&edited, &[], HOOKS)?;
    }
    verify(body, &edited, target, None)?;
    Ok(format!("{mark}{edited}"))
}

/// `None` if there is nothing of ours.
fn remove_one(text: &str, target: HookTarget) -> Result<Option<String>, Fault> {
    let Some(root) = json::parse(text)? else { return Ok(None) };
    let Some(list) = locate_list(text, &root, target.event)? else { return Ok(None) };
    let Some(found) = find_ours(list, target, false) else { return Ok(None) };
    let (container, index) =
        if found.commands.items().len() > 1 { (found.commands, found.index) } else { (list, found.element) };
    let parts: Vec<_> = container.items().iter().map(|item| item.span.clone()).collect();
    Ok(Some(json::delete_part(text, container, &parts, index)))
}

/// Removes a key whose value is empty.
fn prune(text: &str, way: &[&str], key: &str) -> Result<String, Fault> {
    let Some(root) = json::parse(text)? else { return Ok(text.to_owned()) };
    let parent = way.iter().try_fold(&root, |node, key| node.member(key).map(|member| &member.value));
    let found = parent.and_then(|parent| {
        let at = parent.members().iter().position(|member| member.key == key)?;
        let span = parent.members().get(at)?.value.span.clone();
        let inside = text.get(span.start + 1..span.end.saturating_sub(1))?;
        inside.trim().is_empty().then_some((parent, at))
    });
    Ok(found.map_or_else(|| text.to_owned(), |(parent, at)| json::delete_member(text, parent, at)))
}

/// The elements of an event. `None` if there are none.
fn locate_list<'a>(text: &str, root: &'a Node, event: &str) -> Result<Option<&'a Node>, Fault> {
    expect_kind(text, root, "the file", false)?;
    let Some(hooks) = only_member(text, root, HOOKS)? else { return Ok(None) };
    expect_kind(text, &hooks.value, HOOKS, false)?;
    let Some(list) = only_member(text, &hooks.value, event)? else { return Ok(None) };
    expect_kind(text, &list.value, event, true)?;
    Ok(Some(&list.value))
}

/// Ours as it is now, else as it was.
fn find_any<'a>(list: &'a Node, target: HookTarget, with_older: bool) -> Option<Found<'a>> {
    let older = || with_older.then(|| find_ours(list, target, true)).flatten();
    find_ours(list, target, false).or_else(older)
}

fn find_ours<'a>(list: &'a Node, target: HookTarget, with_older: bool) -> Option<Found<'a>> {
    let elements = list.items().iter().enumerate();
    let mut all = elements.flat_map(|(element, node)| {
        let commands = node.member(HOOKS).map(|member| &member.value);
        let each = commands.into_iter().flat_map(move |commands| {
            commands.items().iter().enumerate().filter_map(move |(index, item)| {
                let command = &item.member("command")?.value;
                Some(Found { element, commands, index, command })
            })
        });
        each.collect::<Vec<_>>()
    });
    all.find(|found| {
        text_of(found.command).is_some_and(|command| is_ours(command, target.client, with_older))
    })
}

fn text_of(node: &Node) -> Option<&str> {
    match &node.kind {
        Kind::Leaf(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// Whether a command line starts our hook for that client, from whichever folder.
fn is_ours(command: &str, client: &str, with_older: bool) -> bool {
    let command = command.trim();
    let (program, rest) = match command.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            // A quote inside of single quotes is written '\''; the name of the program has none.
            let inside = command.get(1..).unwrap_or_default();
            inside.rsplit_once(quote).unwrap_or((inside, ""))
        }
        _ => command.split_once(char::is_whitespace).unwrap_or((command, "")),
    };
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let words: Vec<&str> = rest.split_whitespace().collect();
    let is_program = name == "sdlctl" || name.eq_ignore_ascii_case("sdlctl.exe");
    let expected = ["hook", "--client", client];
    is_program && (words == expected || (with_older && words == ["session", "hook", "--client", client]))
}

/// Compares the trees: our command must be as wanted, all else as before.
fn verify(before: &str, after: &str, target: HookTarget, wanted: Option<&str>) -> Result<(), Fault> {
    let value = |text: &str| Ok(json::parse(text)?.map_or(Value::Null, |node| node.to_value()));
    let old = value(before)?;
    let new = value(after).map_err(|_: Fault| unclear_layout())?;
    // On removal the older command is a person's, and stays.
    let found = find_hook(after, target, false).map_err(|_| unclear_layout())?;
    let is_wanted = found.as_deref() == wanted;
    let with_older = wanted.is_some();
    let same = without_ours(old, target, with_older) == without_ours(new, target, with_older);
    if is_wanted && same { Ok(()) } else { Err(unclear_layout()) }
}

/// The tree without our command, and without empty containers on the way to it.
fn without_ours(tree: Value, target: HookTarget, with_older: bool) -> Value {
    let Value::Object(mut root) = tree else { return json!({}) };
    let Some(Value::Object(mut hooks)) = root.shift_remove(HOOKS) else { return Value::Object(root) };
    if let Some(Value::Array(elements)) = hooks.shift_remove(target.event) {
        let kept: Vec<Value> = elements
            .into_iter()
            .filter_map(|element| without_commands(element, target, with_older))
            .collect();
        if !kept.is_empty() {
            hooks.insert(target.event.to_owned(), Value::Array(kept));
        }
    }
    if !hooks.is_empty() {
        root.insert(HOOKS.to_owned(), Value::Object(hooks));
    }
    Value::Object(root)
}

/// An element without our command. `None` if it held nothing else.
fn without_commands(mut element: Value, target: HookTarget, with_older: bool) -> Option<Value> {
    let ours = |item: &Value| {
        item["command"].as_str().is_some_and(|command| is_ours(command, target.client, with_older))
    };
    let Some(commands) = element.get_mut(HOOKS).and_then(Value::as_array_mut) else { return Some(element) };
    let count = commands.len();
    commands.retain(|item| !ours(item));
    if commands.is_empty() && count > 0 { None } else { Some(element) }
}
