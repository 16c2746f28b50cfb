//! `kg.query`: what holds of an entity, at any time, as it was known at any time.

use schemars::JsonSchema;
use sdl_memory::graph::{
    self, EntityQuery, Fact, FactPage, FactSearch, View, When, entity_key, find_entities, find_facts,
    walk_facts,
};
use sdl_memory::times::FOREVER;
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::answers::{append_text, begin_line};
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::kept::anchors::AnchorState;
use crate::kept::fact_code::{Checked, check_facts, follow_all};
use crate::kept::facts::{self, FactOut, fact_size};
use crate::{Code, Explained as _, ToolError};

/// See [`ActionDef`].
pub(crate) struct KgQuery;

/// Default number of facts in an answer.
const LIMIT: usize = 50;
/// Characters of facts in an answer, about.
const MOST_CHARS: usize = 24_000;
/// Names of entities in an answer.
const NAMES: usize = 10;

/// Which facts of the entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum Direction {
    /// It is the subject.
    Out,
    /// It is the object.
    In,
    /// Either.
    #[default]
    Both,
}

impl From<Direction> for graph::Direction {
    fn from(of: Direction) -> Self {
        match of {
            Direction::Out => Self::Out,
            Direction::In => Self::In,
            Direction::Both => Self::Both,
        }
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Its name, in any case and spelling of spaces; the id or name of a symbol, or `file:PATH`.
    #[schemars(length(min = 1, max = 2_000))]
    entity: Option<String>,
    /// Words to look for, if you don't know the entity.
    #[schemars(length(min = 1, max = 2_000))]
    query: Option<String>,
    /// Default both. `out`: the entity is the subject; `in`: it is the object.
    direction: Option<Direction>,
    /// Only these.
    #[serde(default)]
    #[schemars(length(max = 50))]
    predicates: Vec<String>,
    /// What held then. Default now. RFC 3339 with offset, a date, or Unix ms.
    as_of: Option<String>,
    /// What was believed then. Default now.
    known_at: Option<String>,
    /// True: facts that don't hold at `asOf` too, with their times.
    include_invalid: Option<bool>,
    /// True: only facts about code that changed or is gone.
    stale_only: Option<bool>,
    /// Default 1. 2 or 3: the facts of neighbours too.
    #[schemars(range(min = 1, max = 3))]
    depth: Option<u32>,
    /// Default 50. Facts to return.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// From the page before.
    #[schemars(length(max = 200))]
    cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The entity, as it was first written.
    #[serde(skip_serializing_if = "Option::is_none")]
    entity: Option<String>,
    /// The facts: by predicate and time, or the best first for a `query`.
    triples: Vec<FactOut>,
    /// Entities whose names are similar, to ask for next.
    entities: Vec<String>,
    /// Give it with the next call for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

impl Action for KgQuery {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "kg.query",
        namespace: Namespace::Kg,
        mutating: false,
        description: "Call this when you need the facts of an entity, now or at an earlier time",
        needs: "entity|query",
        examples: &[
            r#"{"entity":"auth service","predicates":["owned_by"],"asOf":"2026-02-01"}"#,
            r#"{"query":"who owns authentication","includeInvalid":true}"#,
        ],
        aliases: &[],
    };
    const MODULE: Option<Module> = Some(Module::Kg);
}

impl OwnedAction for KgQuery {
    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let as_of = facts::time_arg("asOf", request.as_of.as_deref())?.unwrap_or(cx.now_ms() as i64);
        let known_at = facts::time_arg("knownAt", request.known_at.as_deref())?.unwrap_or(FOREVER);
        let when = if request.include_invalid.unwrap_or(false) { When::Ever } else { When::At(as_of) };
        let view = facts::view_of(cx);
        match (&request.entity, &request.query) {
            (Some(entity), None) => ask_entity(cx, &view, &request, entity, (when, known_at)),
            (None, Some(text)) => ask_words(cx, &view, &request, text, (when, known_at)),
            (Some(_), Some(_)) => {
                Err(ToolError::invalid("query", "give entity, or query if you don't know it; not both"))
            }
            (None, None) => Err(ToolError::new(Code::MissingField, "give entity or query").at("entity")),
        }
    }
}

fn ask_entity(
    cx: &OwnedCx<'_>,
    view: &View,
    request: &Request,
    entity: &str,
    (when, known_at): (When, i64),
) -> Result<Response, ToolError> {
    let depth = request.depth.unwrap_or(1) as usize;
    let ask = |limit: usize| {
        let query = EntityQuery {
            entity,
            direction: request.direction.unwrap_or_default().into(),
            predicates: &request.predicates,
            when,
            known_at,
            limit,
            after: request.cursor.as_deref(),
        };
        cx.look(|reader| walk_facts(reader, view, &query, depth))
    };
    let limit = request.limit.map_or(LIMIT, |limit| limit as usize);
    let mut page = ask(limit)?;
    // Code that was renamed is found under its new name once its facts were followed.
    if page.facts.is_empty() && request.cursor.is_none() && follow_all(cx, view)? {
        page = ask(limit)?;
    }
    let fitting = fitting_facts(&page);
    if fitting < page.facts.len() {
        page = ask(fitting)?;
    }
    let shown = page.facts.iter().find_map(|fact| shown_name(fact, entity));
    let entities = if page.facts.is_empty() && request.cursor.is_none() {
        cx.look(|reader| find_entities(reader, view, entity, NAMES))?
    } else {
        Vec::new()
    };
    let checked = check_facts(cx, page.facts, when)?;
    let triples: Vec<FactOut> =
        checked.into_iter().filter(|one| is_asked(request, one)).map(|one| FactOut::of(cx, one)).collect();
    if triples.is_empty() && request.cursor.is_none() {
        let note = nothing_held(entity, when);
        cx.note(if entities.is_empty() { note } else { format!("{note}; entities lists similar names") });
    }
    Ok(Response {
        entity: Some(shown.unwrap_or_else(|| entity.trim().to_owned())),
        triples,
        entities,
        cursor: page.next,
    })
}

/// How many of the first facts fit into an answer. At least one.
fn fitting_facts(page: &FactPage) -> usize {
    let mut size = 0;
    let fits = page.facts.iter().take_while(|fact| {
        size += fact_size(fact);
        size <= MOST_CHARS
    });
    fits.count().max(1)
}

/// Whether a fact is in the answer, by the state of its code.
fn is_asked(request: &Request, checked: &Checked) -> bool {
    !request.stale_only.unwrap_or(false) || checked.state.is_some_and(AnchorState::is_stale)
}

fn shown_name(fact: &Fact, entity: &str) -> Option<String> {
    let wanted = entity_key(entity);
    let names = [(&fact.subject, fact.triple.subject_entity()), (&fact.object, fact.triple.object_entity())];
    let mut named = names.into_iter().filter(|(_, name)| entity_key(name) == wanted);
    named.next().map(|(shown, _)| shown.clone())
}

fn nothing_held(entity: &str, when: When) -> String {
    match when {
        When::Ever => format!("no fact about {entity:?} is known"),
        _ => format!("no fact about {entity:?} held then; includeInvalid true shows those of other times"),
    }
}

fn ask_words(
    cx: &OwnedCx<'_>,
    view: &View,
    request: &Request,
    text: &str,
    (when, known_at): (When, i64),
) -> Result<Response, ToolError> {
    for (field, is_given) in [
        ("direction", request.direction.is_some()),
        ("depth", request.depth.is_some_and(|depth| depth > 1)),
        ("cursor", request.cursor.is_some()),
    ] {
        if is_given {
            let message =
                format!("{field:?} goes with an entity, not with a query; ask for one of its entities next");
            return Err(ToolError::invalid(field, message));
        }
    }
    let scopes = facts::scopes_of(view);
    let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let limit = request.limit.map_or(LIMIT, |limit| limit as usize);
    let now = cx.now_ms() as i64;
    let store = cx.call.host.agent();
    // The names are read through, which takes about a tenth of the time of the search.
    let (found, entities) = std::thread::scope(|threads| {
        let naming = threads.spawn(|| store.read(|reader| Ok(find_entities(reader, view, text, NAMES))));
        let asked =
            FactSearch { scopes: &scopes, text, predicates: &request.predicates, when, known_at, now };
        let found = cx.look(|reader| find_facts(reader, view, &asked, limit));
        (found, naming.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let (found, mut entities) = (found?, entities?.map_err(ToolError::from)?);
    let mut triples = Vec::new();
    let mut size = 0;
    for checked in check_facts(cx, found, when)? {
        let fact = &checked.fact;
        if !is_asked(request, &checked) {
            continue;
        }
        if entities.len() < NAMES && !entities.contains(&fact.subject) {
            entities.push(fact.subject.clone());
        }
        size += fact_size(fact);
        if size > MOST_CHARS && !triples.is_empty() {
            break;
        }
        triples.push(FactOut::of(cx, checked));
    }
    if triples.is_empty() {
        cx.note(format!("no fact has words of {text:?}; kg.query with an entity lists its facts"));
    }
    Ok(Response { entity: None, triples, entities, cursor: None })
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = String::new();
        append_text(&mut text, format_args!("{} facts", self.triples.len()));
        if let Some(entity) = &self.entity {
            append_text(&mut text, format_args!(" of {entity}"));
        }
        for fact in &self.triples {
            text.push('\n');
            fact.write(&mut text);
        }
        if !self.entities.is_empty() {
            begin_line(&mut text, format_args!("entities: {}", self.entities.join(", ")));
        }
        if let Some(cursor) = &self.cursor {
            begin_line(&mut text, format_args!("… more: cursor {cursor}"));
        }
        text
    }
}
