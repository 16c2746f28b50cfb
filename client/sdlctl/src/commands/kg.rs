//! `kg`: facts that hold for a time.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::cli::{KgAddArgs, KgCommand, KgEndArgs, KgObjectType, KgQueryArgs, KgScopeArgs, KgTimelineArgs};
use crate::output::{
    self, Failure, Outcome, format_count, style_bold, style_dim, style_green, style_red, style_yellow,
    text_at,
};
use crate::session::{Session, json_object};

/// Facts or events on one page.
const PAGE: u32 = 200;

pub(crate) fn run_kg(command: KgCommand, as_json: bool) -> Result<Outcome, Failure> {
    match command {
        KgCommand::Add(args) => run_add(args, as_json),
        KgCommand::Query(args) => run_query(args, as_json),
        KgCommand::Timeline(args) => run_timeline(args, as_json),
        KgCommand::End(args) => run_end(args, as_json),
        KgCommand::Export => run_export(),
    }
}

/// The arguments that say whose facts. Without a repository around the working directory they are the user's.
fn scope_fields(
    session: &Session,
    scope: &KgScopeArgs,
) -> Result<[(&'static str, Option<Value>); 2], Failure> {
    let repo = match &scope.repo {
        Some(given) => Some(session.repo(Some(given))?),
        None if scope.user => None,
        None => session.repo(None).ok(),
    };
    Ok([("repoId", repo.map(Value::from)), ("scope", scope.user.then(|| "user".into()))])
}

fn call(
    session: &Session,
    action: &str,
    scope: &KgScopeArgs,
    fields: impl IntoIterator<Item = (&'static str, Option<Value>)>,
) -> Result<Value, Failure> {
    let arguments = json_object(scope_fields(session, scope)?.into_iter().chain(fields));
    Ok(session.tool(action, &arguments)?.structured)
}

fn text(value: Option<String>) -> Option<Value> {
    value.map(Value::from)
}

fn run_add(args: KgAddArgs, as_json: bool) -> Result<Outcome, Failure> {
    let object_type = args.object_type.map(|of| match of {
        KgObjectType::Entity => "entity",
        KgObjectType::Text => "text",
        KgObjectType::Number => "number",
        KgObjectType::Boolean => "boolean",
        KgObjectType::Date => "date",
    });
    let answer = call(
        &Session::open()?,
        "kg.add",
        &args.scope,
        [
            ("subject", Some(args.subject.into())),
            ("predicate", Some(args.predicate.into())),
            ("object", Some(args.object.into())),
            ("objectType", object_type.map(Value::from)),
            ("validFrom", text(args.from)),
            ("validTo", text(args.to)),
            ("confidence", args.confidence.map(Value::from)),
            ("source", text(args.source)),
            ("exclusive", args.exclusive.then(|| true.into())),
            ("supersedes", text(args.supersedes)),
        ],
    )?;
    if as_json {
        output::print_json(&answer);
        return Ok(Outcome::Good);
    }
    let what = match (answer["created"] == true, answer["deduplicated"] == true) {
        (true, false) => "added",
        (true, true) => "added; it was known before",
        (false, _) => "known already",
    };
    output::print_line(&format!("{} {what}", style_bold(text_at(&answer, "/tripleId"))));
    print_cuts(&answer);
    output::print_notes(&answer);
    Ok(Outcome::Good)
}

fn run_end(args: KgEndArgs, as_json: bool) -> Result<Outcome, Failure> {
    let mut parts = args.fact.into_iter();
    let (first, rest) = (parts.next(), parts.collect::<Vec<_>>());
    let [id, subject, predicate, object] = match (first, &rest[..]) {
        (Some(id), []) => [Some(id), None, None, None],
        (Some(subject), [predicate, object]) => {
            [None, Some(subject), Some(predicate.clone()), Some(object.clone())]
        }
        _ => return Err(Failure::Usage("give a fact's id, or its subject, predicate and object".to_owned())),
    };
    let answer = call(
        &Session::open()?,
        "kg.invalidate",
        &args.scope,
        [
            ("tripleId", text(id)),
            ("subject", text(subject)),
            ("predicate", text(predicate)),
            ("object", text(object)),
            ("at", text(args.at)),
            ("reason", text(args.reason)),
            ("retract", args.never.then(|| true.into())),
            ("all", args.all.then(|| true.into())),
        ],
    )?;
    if as_json {
        output::print_json(&answer);
    } else {
        print_cuts(&answer);
        output::print_notes(&answer);
    }
    Ok(Outcome::Good)
}

fn print_cuts(answer: &Value) {
    for cut in answer["invalidated"].as_array().into_iter().flatten() {
        let what = match cut["validTo"].as_str() {
            Some(to) => format!("ends {}", short_time(to)),
            None => "retracted".to_owned(),
        };
        output::print_line(&format!("{} {what}", text_at(cut, "/tripleId")));
    }
}

/// Calls an action page by page. Returns its last answer with the rows of all pages, at most `limit`.
fn all_pages(
    session: &Session,
    action: &str,
    scope: &KgScopeArgs,
    (rows, limit): (&str, u32),
    fields: &[(&'static str, Option<Value>)],
) -> Result<Value, Failure> {
    let mut found: Vec<Value> = Vec::new();
    let mut cursor: Option<Value> = None;
    loop {
        let room = limit.saturating_sub(found.len() as u32).clamp(1, PAGE);
        let page = [("limit", Some(room.into())), ("cursor", cursor.take())];
        let mut answer = call(session, action, scope, fields.iter().cloned().chain(page))?;
        found.extend(answer[rows].as_array_mut().into_iter().flatten().map(Value::take));
        cursor = answer.get("cursor").cloned();
        if cursor.is_none() || found.len() as u32 >= limit {
            answer[rows] = found.into();
            return Ok(answer);
        }
    }
}

fn run_query(args: KgQueryArgs, as_json: bool) -> Result<Outcome, Failure> {
    let named = if args.words { "query" } else { "entity" };
    let mut fields = vec![
        (named, Some(args.entity.clone().into())),
        ("asOf", text(args.as_of)),
        ("knownAt", text(args.known_at)),
        ("includeInvalid", args.ended.then(|| true.into())),
        ("predicates", (!args.predicate.is_empty()).then(|| args.predicate.clone().into())),
        ("depth", args.depth.map(Value::from)),
    ];
    if args.all {
        fields.push(("scope", Some("all".into())));
    }
    let session = Session::open()?;
    let answer = all_pages(&session, "kg.query", &args.scope, ("triples", args.limit), &fields)?;
    if as_json {
        output::print_json(&answer);
        return Ok(Outcome::Good);
    }
    let facts = answer["triples"].as_array().map(Vec::as_slice).unwrap_or_default();
    for fact in facts {
        let span = match (fact["validFrom"].as_str(), fact["validTo"].as_str()) {
            (Some(from), Some(to)) => format!("{} to {}", short_time(from), short_time(to)),
            (Some(from), None) => format!("since {}", short_time(from)),
            _ => String::new(),
        };
        let state = match fact["state"].as_str() {
            Some("same") | None => String::new(),
            Some(state) => format!(" {}", style_yellow(state)),
        };
        output::print_line(&format!(
            "{} {} {}  {}{state}",
            style_bold(text_at(fact, "/subject")),
            text_at(fact, "/predicate"),
            style_bold(text_at(fact, "/object")),
            style_dim(&format!("{span}  {}", text_at(fact, "/tripleId"))),
        ));
    }
    let entities: Vec<&str> =
        answer["entities"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !entities.is_empty() {
        output::print_line(&style_dim(&format!("entities: {}", entities.join(", "))));
    }
    print_rest(&answer, facts.len(), "fact");
    Ok(Outcome::Good)
}

fn print_rest(answer: &Value, shown: usize, noun: &str) {
    if answer.get("cursor").is_some() {
        output::print_note(&format!(
            "{} shown; there are more, see --limit",
            format_count(shown as u64, noun)
        ));
    }
    output::print_notes(answer);
}

fn run_timeline(args: KgTimelineArgs, as_json: bool) -> Result<Outcome, Failure> {
    let fields = [
        ("entity", text(args.entity)),
        ("tripleId", text(args.fact)),
        ("predicate", text(args.predicate)),
        ("from", text(args.from)),
        ("to", text(args.to)),
        ("knownAt", text(args.known_at)),
    ];
    let session = Session::open()?;
    let answer = all_pages(&session, "kg.timeline", &args.scope, ("events", args.limit), &fields)?;
    if as_json {
        output::print_json(&answer);
        return Ok(Outcome::Good);
    }
    let events = answer["events"].as_array().map(Vec::as_slice).unwrap_or_default();
    for line in timeline_lines(events) {
        output::print_line(&line);
    }
    print_rest(&answer, events.len(), "event");
    Ok(Outcome::Good)
}

/// A line for each event, under one for its day. A fact that ended is shown with the one that began instead.
fn timeline_lines(events: &[Value]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut day = "";
    // Facts that began are shown by the event that ended another, once.
    let mut shown: BTreeMap<&str, &str> = BTreeMap::new();
    for (nth, event) in events.iter().enumerate() {
        let at = text_at(event, "/at");
        let (date, time) = at.split_once('T').unwrap_or((at, ""));
        let (id, kind) = (text_at(event, "/triple/tripleId"), text_at(event, "/event"));
        if shown.get(id) == Some(&kind) {
            continue;
        }
        if date != day {
            lines.push(style_bold(date));
            day = date;
        }
        let clock = if time == "00:00:00Z" { "        " } else { time.get(..8).unwrap_or(time) };
        let fact = |event: &Value| {
            format!(
                "{} {} {}",
                text_at(event, "/triple/subject"),
                text_at(event, "/triple/predicate"),
                style_bold(text_at(event, "/triple/object"))
            )
        };
        let next = event["byTripleId"].as_str().filter(|_| kind == "ended").and_then(|next| {
            let begins = |other: &&Value| {
                other["event"] == "asserted"
                    && other["triple"]["tripleId"] == next
                    && other["at"] == event["at"]
            };
            events[nth..].iter().find(begins)
        });
        let (mark, what) = match (kind, next) {
            ("ended", Some(next)) => {
                shown.insert(text_at(next, "/triple/tripleId"), "asserted");
                (
                    style_yellow("~"),
                    format!(
                        "{} {}",
                        fact(next),
                        style_dim(&format!("(was {})", text_at(event, "/triple/object")))
                    ),
                )
            }
            ("asserted", _) => (style_green("+"), fact(event)),
            ("ended", None) => (style_red("-"), fact(event)),
            (other, _) => (style_red("×"), format!("{} {}", fact(event), style_dim(other))),
        };
        let reason = event["reason"].as_str().map(|reason| format!(": {reason}")).unwrap_or_default();
        let by = style_dim(&format!("  {} {}", text_at(event, "/by"), id));
        lines.push(format!("  {} {mark} {what}{reason}{by}", style_dim(clock)));
    }
    lines
}

/// Midnight as its date alone.
fn short_time(time: &str) -> &str {
    time.strip_suffix("T00:00:00Z").unwrap_or(time)
}

fn run_export() -> Result<Outcome, Failure> {
    let session = Session::open()?;
    let (mut after, mut revision) = (Value::Null, Value::Null);
    loop {
        let page = session.call("kg/export", &json!({ "after": after, "revision": revision }))?;
        revision = page["revision"].clone();
        after = page["next"].clone();
        if !output::json_lines(text_at(&page, "/lines"))? || after.is_null() {
            return Ok(Outcome::Good);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(at: &str, event: &str, object: &str, id: &str, by: Option<&str>) -> Value {
        json!({
            "at": at, "event": event, "recordedAt": at, "by": "ann", "byTripleId": by,
            "triple": {"tripleId": id, "subject": "api", "predicate": "owned_by", "object": object}
        })
    }

    fn plain(line: &str) -> String {
        crate::terminal::render_styles(&crate::terminal::escape_line(line), false)
    }

    #[test]
    fn a_timeline_is_read_at_a_glance() {
        let events = [
            event("2026-01-31T00:00:00Z", "asserted", "north", "t_1", None),
            event("2026-03-01T10:30:00Z", "ended", "north", "t_1", Some("t_2")),
            event("2026-03-01T10:30:00Z", "asserted", "south", "t_2", None),
            event("2026-03-01T12:00:00Z", "ended", "south", "t_2", None),
        ];
        let lines: Vec<String> = timeline_lines(&events).iter().map(|line| plain(line)).collect();
        assert_eq!(
            lines,
            [
                "2026-01-31",
                "           + api owned_by north  ann t_1",
                "2026-03-01",
                "  10:30:00 ~ api owned_by south (was north)  ann t_1",
                "  12:00:00 - api owned_by south  ann t_2",
            ]
        );
    }
}
