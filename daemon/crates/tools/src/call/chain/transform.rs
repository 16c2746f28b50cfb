//! Steps that only reshape the results of earlier steps.

use std::cmp::Ordering;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::path::{Path, unknown_reference};
use crate::{Code, Explained, ToolError};

/// The transforms, as steps name them.
pub(super) const NAMES: [&str; 6] = ["pick", "map", "filter", "sort", "limit", "template"];
/// Maximum number of bytes of a text that a template makes.
const LONGEST: usize = 1 << 20;

/// `{from, fields}`: only these fields of an object, or of each object of a list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pick {
    from: Value,
    fields: Vec<String>,
}

/// `{from, path}`: the value at the path in each item.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Each {
    from: Vec<Value>,
    path: String,
}

/// `{from, path?, op, value?}`: the items that meet the condition.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Filter {
    from: Vec<Value>,
    #[serde(default)]
    path: String,
    op: Op,
    #[serde(default)]
    value: Value,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Op {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Contains,
    Exists,
}

/// `{from, path?, descending?}`: the items, sorted by the value at the path.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sort {
    from: Vec<Value>,
    #[serde(default)]
    path: String,
    #[serde(default)]
    descending: bool,
}

/// `{from, count, offset?}`: some of the items.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Limit {
    from: Vec<Value>,
    count: usize,
    #[serde(default)]
    offset: usize,
}

/// `{from, text, join?}`: the text with each `{path}` replaced; for a list, one text for each item.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Template {
    from: Value,
    text: String,
    join: Option<String>,
}

/// Why a transform has no result.
enum Wrong {
    /// A path that matches nothing, and why.
    Path(String, String),
    /// Something else.
    Other(String),
}

impl Wrong {
    /// Creates an error about this path.
    fn path(path: &str) -> impl Fn(String) -> Self {
        move |why| Self::Path(path.to_owned(), why)
    }
}

/// Runs a transform; `place` is the path of its arguments. Its result is `{"value": …}`; for lists it also has their
/// `count`.
pub(super) fn run_transform(
    name: &str,
    args: Map<String, Value>,
    place: &str,
) -> Result<Map<String, Value>, ToolError> {
    let value = match name {
        "pick" => pick_fields(read_arguments(name, args)?),
        "map" => map_items(read_arguments(name, args)?),
        "filter" => filter_items(read_arguments(name, args)?),
        "sort" => sort_items(read_arguments(name, args)?),
        "limit" => {
            let Limit { from, count, offset } = read_arguments(name, args)?;
            Ok(from.into_iter().skip(offset).take(count).collect())
        }
        _ => fill_templates(read_arguments(name, args)?),
    }
    .map_err(|wrong| match wrong {
        Wrong::Path(path, why) => unknown_reference(&path, &format!("{place}.{}", paths_field(name)), &why),
        Wrong::Other(why) => {
            ToolError::invalid(format!("{place}.{}", paths_field(name)), format!("{name}: {why}"))
        }
    })?;
    let mut out = Map::new();
    if let Value::Array(items) = &value {
        out.insert("count".into(), json!(items.len()));
    }
    out.insert("value".into(), value);
    Ok(out)
}

/// Returns the argument that holds a transform's paths.
fn paths_field(name: &str) -> &'static str {
    match name {
        "pick" => "fields",
        "template" => "text",
        _ => "path",
    }
}

fn read_arguments<T: DeserializeOwned>(name: &str, args: Map<String, Value>) -> Result<T, ToolError> {
    let says = match name {
        "pick" => "{from, fields[]}",
        "map" => "{from[], path}",
        "filter" => "{from[], path?, op: eq|ne|lt|le|gt|ge|contains|exists, value?}",
        "sort" => "{from[], path?, descending?}",
        "limit" => "{from[], count, offset?}",
        _ => "{from, text, join?}",
    };
    serde_json::from_value(Value::Object(args))
        .map_err(|why| ToolError::new(Code::InvalidArgument, format!("{name} takes {says}: {why}")))
}

fn pick_fields(Pick { from, fields }: Pick) -> Result<Value, Wrong> {
    let paths: Vec<(String, Path)> = fields
        .into_iter()
        .map(|field| Ok((field.clone(), Path::read(&field).map_err(Wrong::path(&field))?)))
        .collect::<Result<_, _>>()?;
    let of = |item: &Value, place: &str| {
        let mut out = Map::new();
        for (name, path) in &paths {
            if let Some(value) = path.find(item).map_err(|why| Wrong::path(name)(format!("{place}{why}")))? {
                out.insert(name.trim_start_matches(['?', '.']).to_owned(), value.clone());
            }
        }
        Ok(Value::Object(out))
    };
    match &from {
        Value::Array(items) => {
            let picked = items.iter().enumerate().map(|(i, item)| of(item, &format!("[{i}]: ")));
            picked.collect::<Result<_, _>>().map(Value::Array)
        }
        one => of(one, ""),
    }
}

fn map_items(Each { from, path: text }: Each) -> Result<Value, Wrong> {
    let path = Path::read(&text).map_err(Wrong::path(&text))?;
    let found = from.iter().enumerate().filter_map(|(i, item)| match path.find(item) {
        Ok(found) => found.cloned().map(Ok),
        Err(why) => Some(Err(Wrong::path(&text)(format!("[{i}]: {why}")))),
    });
    found.collect::<Result<_, _>>().map(Value::Array)
}

fn filter_items(Filter { from, path, op, value }: Filter) -> Result<Value, Wrong> {
    let path = Path::read(&path).map_err(Wrong::path(&path))?;
    let fits = |item: &Value| {
        let found = path.find(item).ok().flatten().filter(|found| !found.is_null());
        let order = || found.and_then(|found| compare_values(found, &value));
        match op {
            Op::Exists => found.is_some() != (value == Value::Bool(false)),
            Op::Eq => found.unwrap_or(&Value::Null) == &value,
            Op::Ne => found.unwrap_or(&Value::Null) != &value,
            Op::Lt => order() == Some(Ordering::Less),
            Op::Le => order().is_some_and(Ordering::is_le),
            Op::Gt => order() == Some(Ordering::Greater),
            Op::Ge => order().is_some_and(Ordering::is_ge),
            Op::Contains => match (found, &value) {
                (Some(Value::String(text)), Value::String(part)) => text.contains(part.as_str()),
                (Some(Value::Array(items)), value) => items.contains(value),
                _ => false,
            },
        }
    };
    Ok(from.into_iter().filter(fits).collect())
}

/// Compares two values of one kind.
fn compare_values(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64()?.partial_cmp(&b.as_f64()?),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

fn sort_items(Sort { from, path, descending }: Sort) -> Result<Value, Wrong> {
    fn kind(value: Option<&Value>) -> u8 {
        match value {
            Some(Value::Bool(_)) => 0,
            Some(Value::Number(_)) => 1,
            Some(Value::String(_)) => 2,
            Some(Value::Array(_) | Value::Object(_)) => 3,
            Some(Value::Null) | None => 4,
        }
    }
    let path = Path::read(&path).map_err(Wrong::path(&path))?;
    let mut items = from;
    items.sort_by(|a, b| {
        let (a, b) = (path.find(a).ok().flatten(), path.find(b).ok().flatten());
        let within = a.zip(b).and_then(|(a, b)| compare_values(a, b)).unwrap_or(Ordering::Equal);
        // An item without a value to sort by stays at the end in both directions.
        let missing = (kind(a) == 4).cmp(&(kind(b) == 4));
        let order = kind(a).cmp(&kind(b)).then(within);
        missing.then(if descending { order.reverse() } else { order })
    });
    Ok(Value::Array(items))
}

fn fill_templates(Template { from, text, join }: Template) -> Result<Value, Wrong> {
    let items = match &from {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    let join = join.as_deref().unwrap_or("\n");
    let mut out = String::new();
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push_str(join);
        }
        fill_template(&text, item, &mut out).map_err(|wrong| match wrong {
            Wrong::Path(path, why) => Wrong::Path(path, format!("item {i}: {why}")),
            other @ Wrong::Other(_) => other,
        })?;
        if out.len() > LONGEST {
            return Err(too_long());
        }
    }
    Ok(Value::String(out))
}

fn too_long() -> Wrong {
    Wrong::Other(format!("the text grows above {LONGEST} bytes"))
}

fn fill_template(text: &str, item: &Value, out: &mut String) -> Result<(), Wrong> {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        if let Some(after) = after.strip_prefix('{') {
            out.push('{');
            rest = after;
            continue;
        }
        let open = || Wrong::Other("a brace is not closed; write {{ for one".to_owned());
        let (path, after) = after.split_once('}').ok_or_else(open)?;
        let wrong = Wrong::path(path);
        match Path::read(path).map_err(&wrong)?.find(item).map_err(&wrong)? {
            Some(Value::String(text)) => out.push_str(text),
            Some(Value::Null) | None => {}
            Some(value) => out.push_str(&value.to_string()),
        }
        if out.len() > LONGEST {
            return Err(too_long());
        }
        rest = after;
    }
    out.push_str(rest);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(name: &str, args: Value) -> Value {
        let Value::Object(args) = args else { panic!() };
        run_transform(name, args, "steps[0].args").unwrap_or_else(|e| panic!("{e}"))["value"].clone()
    }

    #[test]
    fn each_transform_does_what_it_says() {
        let from = json!([{"n": 2, "s": "b", "t": {"u": [1]}}, {"n": 10, "s": "a"}, {"s": "c"}]);
        for (name, args, wanted) in [
            (
                "pick",
                json!({"from": from, "fields": ["s", "?.n"]}),
                json!([{"s": "b", "n": 2}, {"s": "a", "n": 10}, {"s": "c"}]),
            ),
            ("pick", json!({"from": {"a": 1, "b": 2}, "fields": ["a"]}), json!({"a": 1})),
            ("map", json!({"from": from, "path": "s"}), json!(["b", "a", "c"])),
            ("map", json!({"from": from, "path": "?.t.u[0]"}), json!([1])),
            ("filter", json!({"from": from, "path": "n", "op": "gt", "value": 2}), json!([from[1]])),
            ("filter", json!({"from": from, "path": "n", "op": "exists"}), json!([from[0], from[1]])),
            ("filter", json!({"from": from, "path": "n", "op": "exists", "value": false}), json!([from[2]])),
            ("filter", json!({"from": ["ab", "c"], "op": "contains", "value": "b"}), json!(["ab"])),
            (
                "sort",
                json!({"from": from, "path": "n", "descending": true}),
                json!([from[1], from[0], from[2]]),
            ),
            ("sort", json!({"from": [3, "x", 1]}), json!([1, 3, "x"])),
            ("limit", json!({"from": [1, 2, 3, 4], "count": 2, "offset": 1}), json!([2, 3])),
            (
                "template",
                json!({"from": from, "text": "{s}={?.n} {{}", "join": "; "}),
                json!("b=2 {}; a=10 {}; c= {}"),
            ),
        ] {
            assert_eq!(value(name, args.clone()), wanted, "{name} {args}");
        }
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        for (name, args, says) in [
            (
                "map",
                json!({"from": [{"a": 1}, {}], "path": "a"}),
                "\"a\" in steps[0].args.path leads nowhere: [1]: it has no field \"a\"",
            ),
            ("sort", json!({"from": [], "path": "a..b"}), "\"a..b\" in steps[0].args.path leads nowhere"),
            ("template", json!({"from": {}, "text": "{x.y}"}), "\"x.y\" in steps[0].args.text leads nowhere"),
            ("pick", json!({"from": {"a": 1}, "fields": ["b"]}), "no field \"b\"; its fields are a"),
            ("limit", json!({"from": [1]}), "missing field `count`"),
            ("limit", json!({"from": [1], "count": 1, "cuont": 1}), "unknown field `cuont`"),
            ("filter", json!({"from": 5, "op": "eq"}), "filter takes {from[]"),
            ("template", json!({"from": {}, "text": "{x"}), "not closed"),
        ] {
            let Value::Object(args) = args else { panic!() };
            let error = run_transform(name, args, "steps[0].args").unwrap_err();
            assert!(error.refusal.message.contains(says), "{name}: {error}");
        }
    }
}
