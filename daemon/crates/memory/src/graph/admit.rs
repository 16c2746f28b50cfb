//! Adding a fact.

use sdl_contract::{Code, Explained as _, Refusal};
use serde::{Deserialize, Serialize};

use super::group::{Group, GroupKey};
use super::index::{FactEntry, predicate_key, write_fact};
use super::names::{NameHash, entity_key, fold_name, hash_entity};
use super::pick;
use super::record::{Cut, recording_time, retract_one};
use super::span::{Run, Span};
use super::triple::{ObjectType, OnChange, Triple};
use super::view::View;
use crate::store::{Change, Head, Tables};
use crate::tables::TRIPLES;
use crate::times::{FOREVER, parse_time, write_time};
use crate::{Anchors, Result, limits};

/// What checks of the arguments return.
type Checked<T> = std::result::Result<T, Refusal>;

/// How sure an assertion is if nobody says.
const USUAL_CONFIDENCE: f64 = 0.8;

/// A fact to add.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// The repository that it belongs to; empty for the user.
    pub scope: String,
    /// The subject.
    pub subject: String,
    /// The predicate.
    pub predicate: String,
    /// The object.
    pub object: String,
    /// The kind of object. By default an entity, or text if it is longer than a name.
    pub object_type: Option<ObjectType>,
    /// When it begins to hold. By default now.
    pub valid_from: Option<i64>,
    /// When it ends to hold.
    pub valid_to: Option<i64>,
    /// 0 to 1. By default 0.8.
    pub confidence: Option<f64>,
    /// Where it is from.
    pub source: Option<String>,
    /// Whether at most one object at a time holds for its subject and predicate.
    pub exclusive: bool,
    /// The row that it corrects, which is retracted.
    pub supersedes: Option<String>,
    /// What a change of the code does to it.
    pub on_change: OnChange,
    /// The code that it is about.
    pub anchors: Anchors,
}

/// What adding a fact did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Admitted {
    /// The row.
    pub triple_id: String,
    /// Whether the row is new.
    pub created: bool,
    /// Whether the fact was known before for all of that time.
    pub deduplicated: bool,
    /// The facts that hold for a shorter time since.
    pub invalidated: Vec<Cut>,
}

/// Adds a fact, as the law of this module says. A fact that is contained in a known one is not added. One that overlaps with a known
/// interval of the same subject, predicate and object is a conflict.
pub fn admit_fact(change: &mut Change<'_, '_>, view: &View, draft: &Draft) -> Result<Admitted> {
    let now = recording_time(change)?;
    let mut row = draw_row(draft, now)?;
    let mut invalidated = Vec::new();
    let corrected = match &draft.supersedes {
        Some(id) => Some(retract_superseded(change, view, id, &mut invalidated)?),
        None => None,
    };
    let key = GroupKey {
        subject: hash_entity(&row.subject),
        predicate: predicate_key(&row.predicate),
        world: view.world(&row.scope).to_owned(),
    };
    let before = Group::load(change.tables(), view, &key, now)?;
    let is_undated = draft.valid_from.is_none();
    if is_undated && draft.exclusive && draft.valid_to.is_none() {
        // Two facts that were added in one millisecond hold one after the other.
        row.valid_from = first_free(&before, hash_entity(&row.object), row.valid_from, now);
    }
    if let Some(known) = find_known(&before, &FactEntry::of(&row), is_undated, now)? {
        return join_known(change, &known, &row, invalidated);
    }
    if change.tables().count_rows(TRIPLES)? >= limits::TRIPLES as u64 {
        return Err(too_many().into());
    }
    row.id = change.new_id("t_");
    row.by = change.by().clone();
    let mut entries = before.entries.clone();
    entries.push(FactEntry::of(&row));
    let after = Group::of(entries, now);
    let is_repeated = holds_alike(&before.runs, &after.runs);
    if !is_repeated {
        invalidated.extend(cuts_between(&before, &after));
    }
    write_fact(change, None, &mut row)?;
    if let Some(mut old) = corrected {
        name_correction(change, &mut old, &row.id)?;
    }
    Ok(Admitted { triple_id: row.id, created: true, deduplicated: is_repeated, invalidated })
}

/// Checks the draft, and returns its row without an id.
fn draw_row(draft: &Draft, now: i64) -> Checked<Triple> {
    let subject = short_text("subject", &draft.subject, limits::TITLE)?;
    let predicate = short_text("predicate", &draft.predicate, limits::TITLE)?;
    let object = short_text("object", &draft.object, limits::NOTE)?;
    let is_name = object.chars().count() <= limits::TITLE;
    let usual = if is_name { ObjectType::Entity } else { ObjectType::Text };
    let object_type = draft.object_type.unwrap_or(usual);
    let object = typed_object(object, object_type)?;
    for (field, name, key) in [
        ("subject", &subject, entity_key(&subject)),
        ("predicate", &predicate, fold_name(&predicate)),
        ("object", &object, entity_key(&object)),
    ] {
        if key.chars().all(|c| c == '-') {
            return Err(Refusal::invalid(field, format!("{field:?} {name:?} has no letter or digit")));
        }
    }
    let valid_from = draft.valid_from.unwrap_or(now);
    if let Some(valid_to) = draft.valid_to.filter(|to| *to <= valid_from) {
        let message = format!(
            "\"validTo\" {} must be after \"validFrom\" {}: a fact holds from validFrom until just before validTo",
            write_time(valid_to),
            write_time(valid_from)
        );
        return Err(Refusal::invalid("validTo", message));
    }
    let confidence = draft.confidence.unwrap_or(USUAL_CONFIDENCE);
    if !(0.0..=1.0).contains(&confidence) {
        return Err(Refusal::invalid("confidence", "\"confidence\" must be 0 to 1"));
    }
    let source = draft.source.as_deref().map(str::trim).filter(|source| !source.is_empty());
    Ok(Triple {
        id: String::new(),
        scope: draft.scope.clone(),
        subject,
        predicate,
        object,
        object_type,
        subject_now: None,
        object_now: None,
        valid_from,
        valid_to: draft.valid_to,
        exclusive: draft.exclusive,
        confidence,
        source: source.map(str::to_owned),
        on_change: draft.on_change,
        anchors: draft.anchors.clone(),
        recorded_at: now,
        by: crate::Author::default(),
        ends: Vec::new(),
        retracted: None,
        head: Head::default(),
    })
}

fn short_text(field: &str, text: &str, most: usize) -> Checked<String> {
    let text = text.trim();
    let count = text.chars().count();
    if count == 0 {
        return Err(Refusal::invalid(field, format!("{field:?} must not be empty")));
    }
    if count > most {
        let message = format!("{field:?} must have at most {most} characters, got {count}");
        return Err(Refusal::invalid(field, message));
    }
    Ok(text.to_owned())
}

/// Returns an object in the one form in which its type is compared.
fn typed_object(object: String, object_type: ObjectType) -> Checked<String> {
    let wrong = |wanted: &str| Refusal::invalid("object", format!("\"object\" {object:?} is no {wanted}"));
    match object_type {
        ObjectType::Entity if object.chars().count() > limits::TITLE => {
            let message = format!("the name of an entity has at most {} characters", limits::TITLE);
            Err(Refusal::invalid("object", message + "; give objectType text for a longer object"))
        }
        ObjectType::Entity | ObjectType::Text => Ok(object),
        ObjectType::Number => {
            let number = object.parse::<f64>().ok().filter(|number| number.is_finite());
            let number = number.ok_or_else(|| wrong("number"))?;
            // Whole numbers of any length keep all their digits.
            let is_whole = object.parse::<i128>().is_ok();
            Ok(if is_whole { object.trim_start_matches('+').to_owned() } else { number.to_string() })
        }
        ObjectType::Boolean => {
            let folded = object.to_lowercase();
            if folded == "true" || folded == "false" {
                Ok(folded)
            } else {
                Err(wrong("boolean: true or false"))
            }
        }
        ObjectType::Date => Ok(write_time(parse_time("object", &object)?)),
    }
}

/// Returns the first instant from `from` on at which no believed exclusive row of another object begins.
fn first_free(group: &Group, object: NameHash, from: i64, now: i64) -> i64 {
    let taken = |from: i64| {
        group.entries.iter().any(|entry| {
            entry.exclusive && entry.from == from && entry.object != object && entry.is_believed(now)
        })
    };
    let after = from.saturating_add(group.entries.len() as i64 + 1);
    (from..after).find(|from| !taken(*from)).unwrap_or(from)
}

/// Retracts the row that a new one corrects.
fn retract_superseded(
    change: &mut Change<'_, '_>,
    view: &View,
    id: &str,
    invalidated: &mut Vec<Cut>,
) -> Result<Triple> {
    let Some(row) = pick::find_row(change.tables(), view, id)? else {
        return Err(pick::unknown_id("supersedes", id).into());
    };
    let row = retract_one(change, row, Some("corrected"))?;
    invalidated.push(Cut { triple_id: row.id.clone(), valid_to: None });
    Ok(row)
}

fn name_correction(change: &mut Change<'_, '_>, old: &mut Triple, id: &str) -> Result<()> {
    let before = old.clone();
    if let Some(retracted) = &mut old.retracted {
        retracted.corrected_by = Some(id.to_owned());
    }
    super::index::write_fact_as_is(change, Some(&before), old)
}

/// Returns the row that says the same for all of the time of `new`; none if `new` says more. A conflict if they overlap only.
fn find_known(group: &Group, new: &FactEntry, is_undated: bool, now: i64) -> Result<Option<String>> {
    if new.exclusive {
        return find_exclusive(group, new, is_undated, now);
    }
    let mut runs = group.runs_of(new.object);
    let over = runs.find(|run| run.from < new.to && new.from < run.to);
    let Some(run) = over else { return Ok(None) };
    let id = id_in_run(group, run, new.from);
    if run.from <= new.from && new.to <= run.to {
        return Ok(Some(id));
    }
    Err(overlap(group, run, &id).into())
}

/// An exclusive assertion is a row of its own unless it begins with one that says as much: what it says counts once another is retracted.
fn find_exclusive(group: &Group, new: &FactEntry, is_undated: bool, now: i64) -> Result<Option<String>> {
    let believed = || group.entries.iter().filter(|entry| entry.is_believed(now));
    // The same fact without `exclusive` can't be two rows at once.
    let plain = believed().find(|entry| {
        !entry.exclusive && entry.object == new.object && entry.from < new.to && new.from < entry.own_end(now)
    });
    if let Some(plain) = plain {
        let message = format!(
            "{} asserts this already, but not as exclusive; add with supersedes {:?} to correct it",
            plain.id, plain.id
        );
        return Err(Refusal::new(Code::Conflict, message)
            .at("exclusive")
            .with("tripleId", plain.id.clone())
            .into());
    }
    if let Some(same) = believed().find(|entry| entry.exclusive && entry.from == new.from) {
        if same.object == new.object && new.to <= same.own_end(now) {
            return Ok(Some(same.id.clone()));
        }
        let why = if same.object == new.object {
            format!("{} asserts this from the same instant on, but ends earlier", same.id)
        } else {
            format!("{} asserts another object from the same instant on", same.id)
        };
        let message = format!(
            "{why}; add with supersedes {:?} if that one is wrong, or give another validFrom",
            same.id
        );
        return Err(Refusal::new(Code::Conflict, message)
            .at("validFrom")
            .with("tripleId", same.id.clone())
            .into());
    }
    // Who gives no beginning says only that it holds now.
    let mut runs = group.runs_of(new.object);
    let open = runs.find(|run| is_undated && run.from <= new.from && new.to <= run.to);
    Ok(open.map(|run| id_in_run(group, run, new.from)))
}

fn id_in_run(group: &Group, run: &Run, from: i64) -> String {
    let place = run.place_at(Some(from), &group.spans);
    group.entries.get(place).map(|entry| entry.id.clone()).unwrap_or_default()
}

fn overlap(group: &Group, run: &Run, id: &str) -> Refusal {
    let until = if run.to == FOREVER { "now on".to_owned() } else { format!("to {}", write_time(run.to)) };
    let span = format!("from {} {until}", write_time(run.from));
    let many = if run.places.len() > 1 { " with others that touch it" } else { "" };
    let message = format!(
        "{id}{many} says the same {span}, which overlaps; give an interval before or after it, or add with \
         supersedes {id:?} to correct it"
    );
    let ids: Vec<_> = run.places.iter().map(|place| group.entries[*place].id.clone()).collect();
    let mut refusal = Refusal::new(Code::Conflict, message).at("validFrom").with("tripleId", id);
    if ids.len() > 1 {
        refusal = refusal.with("tripleIds", ids);
    }
    refusal
}

/// Gives a known row the greater confidence, the anchors and the source of its repetition.
fn join_known(
    change: &mut Change<'_, '_>,
    id: &str,
    again: &Triple,
    invalidated: Vec<Cut>,
) -> Result<Admitted> {
    let admitted = Admitted { triple_id: id.to_owned(), created: false, deduplicated: true, invalidated };
    let Some(before) = change.tables().row::<Triple>(id.as_bytes())? else { return Ok(admitted) };
    let mut row = before.clone();
    row.confidence = row.confidence.max(again.confidence);
    row.anchors.join(&again.anchors, limits::ANCHORS);
    if row.source.is_none() {
        row.source.clone_from(&again.source);
    }
    if row != before {
        write_fact(change, Some(&before), &mut row)?;
    }
    Ok(admitted)
}

/// Whether the same holds at the same times.
fn holds_alike(before: &[Run], after: &[Run]) -> bool {
    let what = |runs: &[Run]| -> Vec<_> { runs.iter().map(|run| (run.object, run.from, run.to)).collect() };
    what(before) == what(after)
}

/// The rows that hold for a shorter time after a change, and whose object does not hold on by another row.
fn cuts_between(before: &Group, after: &Group) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for old in &before.spans {
        let entry = &before.entries[old.place];
        let new: Option<Span> = after.span_of(&entry.id);
        let to = new.map_or(old.from, |new| new.to);
        let holds_on = after.runs_of(entry.object).any(|run| run.from <= to && to < run.to);
        if to < old.to && !holds_on {
            cuts.push(Cut { triple_id: entry.id.clone(), valid_to: Some(to) });
        }
    }
    cuts
}

fn too_many() -> Refusal {
    let message = format!(
        "{} facts are kept at most, and none is removed by itself; export them with sdlctl kg export, and remove \
         those that were retracted with sdlctl memory rm",
        limits::TRIPLES
    );
    Refusal::new(Code::Conflict, message)
}
