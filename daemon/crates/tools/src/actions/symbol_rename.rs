//! `symbol.rename`: the edits that give a symbol another name, and the places that a person has to look at.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use sdl_navigate::Graph;
use sdl_navigate::rename::{
    Doubt, Edit, EditPart, NameProblem, NameSites, Refusal, RenamePlan, Renaming, SpellingFile,
};
use sdl_navigate::workspace::split_place;
use sdl_retrieve::Source;
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::{append_text, begin_line};
use crate::call::context::ReadCx;
use crate::call::outlines::StoredBodies;
use crate::questions::lines::{LineTexts, record_lines};
use crate::questions::page::{PAGE_TOKENS, Pages};
use crate::questions::rows::SymbolOut;
use crate::questions::target::find_target;
use crate::source::words::{self, Wanted};
use crate::{Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct SymbolRename;

/// Rows of a page.
const ROWS: usize = 200;
/// Renamed symbols that are named.
const NAMED: usize = 20;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Symbol. Written as in `symbol.related`.
    #[schemars(length(min = 1, max = 1_000))]
    symbol: String,
    /// The name it is to have.
    #[schemars(length(min = 1, max = 200))]
    new_name: String,
    /// Default true. Lines' text of the places for a person.
    include_text: Option<bool>,
    /// Default 200. Rows of a page: places for a person, edits, words.
    #[schemars(range(min = 1, max = 1_000))]
    limit: Option<u32>,
    /// From the page before.
    cursor: Option<String>,
    /// Default 4000. Tokens of the answer.
    #[schemars(range(min = 400, max = 20_000))]
    max_tokens: Option<u32>,
}

/// Text to replace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EditOut {
    /// Path.
    file: String,
    /// Its line, from 1.
    line: u32,
    /// The column in bytes, from 1, where the old name starts.
    column: u32,
    /// `definition`, `import` or `text`; a `reference` if missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<&'static str>,
    /// The new text, if it is not the new name alone: `old: new` for a key that is a value's name too.
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<String>,
}

/// A place that a person has to look at.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PersonOut {
    /// Path.
    file: String,
    /// Its line, from 1.
    line: u32,
    /// The column in bytes, from 1.
    column: u32,
    /// Why.
    why: &'static str,
    /// Text of the line, with secrets masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The symbols that are renamed together; the first of them.
    of: Vec<SymbolOut>,
    /// How many these are.
    symbols: usize,
    /// The text that each edit replaces.
    old_name: String,
    /// The text that replaces it.
    new_name: String,
    /// Whether all code that spells the name is an edit or means something else.
    complete: bool,
    /// Places where code may break: look at each.
    person: Vec<PersonOut>,
    /// Every edit, by path and place. Nothing is written.
    edits: Vec<EditOut>,
    /// Comments and texts that name it.
    words: Vec<PersonOut>,
    /// Edits on all pages.
    total: u64,
    /// Give it with the next call for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    /// What was looked at, and how many places need a person.
    completeness: String,
}

impl Action for SymbolRename {
    type Request = Request;
    type Response = Response;
    const USUAL_TOKENS: Option<usize> = Some(PAGE_TOKENS);
    const DEF: ActionDef = ActionDef {
        name: "symbol.rename",
        namespace: Namespace::Query,
        mutating: false,
        description: "Call this when you rename a symbol: all edits, and places to check; writes nothing",
        needs: "symbol,newName",
        examples: &[r#"{"repoId":"my-repo","symbol":"Session.close","newName":"shut_down"}"#],
        aliases: &[("to", "newName")],
    };
}

/// A row of the plan.
enum Row<'p> {
    Edit(&'p Edit),
    Doubt(&'p Doubt),
}

impl ReadAction for SymbolRename {
    const ACROSS: bool = true;

    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        let source = cx.source;
        let targets = find_target(cx, source, &request.symbol, "symbol")?;
        let graph = Graph::new(source);
        let renaming = Renaming::begin(&graph, &targets, &request.new_name)?
            .map_err(|refusal| refusal_error(&request.new_name, &refusal))?;
        let old_name = renaming.old_name().to_owned();
        let found = words::files_with_words(cx, source, &Wanted::name(&old_name))?;
        let all_read = found.unread.is_empty();
        let files = found.files.into_iter().filter(|(_, bytes)| renaming.is_spelled(bytes));
        let files: Vec<SpellingFile> = files
            .map(|(row, bytes)| SpellingFile { file: source.view().file_id(&row.path), bytes })
            .collect();
        let bodies = StoredBodies(cx.repo.facts());
        let sites = cx.across.map(|across| across.workspace as &dyn NameSites);
        let plan = renaming
            .plan(source, (sites, &bodies), &files)?
            .map_err(|refusal| refusal_error(&request.new_name, &refusal))?;
        let covered = Covered { files: files.len(), all_read, missing: missing(cx) };
        answer_plan(cx, &request, &old_name, &plan, &covered)
    }
}

/// How far the plan can have seen all uses.
struct Covered {
    /// Files that spell the name.
    files: usize,
    /// Whether all files were read.
    all_read: bool,
    /// Why uses in repositories of the workspace may be missing.
    missing: Vec<String>,
}

impl Covered {
    fn is_whole(&self) -> bool {
        self.all_read && self.missing.is_empty()
    }
}

/// Returns what keeps a plan over a workspace from being complete: members that could not be asked, imports that could
/// not be followed.
fn missing(cx: &ReadCx<'_>) -> Vec<String> {
    let Some(across) = cx.across else { return Vec::new() };
    let mut why = across.left_out.to_vec();
    why.extend(across.workspace.notes());
    why
}

fn refusal_error(new: &str, refusal: &Refusal) -> ToolError {
    let why = match refusal {
        Refusal::Taken { path, line } => {
            format!(
                "{new:?} has a meaning already at {path}:{line}, in reach of the symbol; choose another name"
            )
        }
        Refusal::Name(NameProblem::NotAnIdentifier) => {
            format!("{new:?} is not an identifier of the symbol's language; give a single name")
        }
        Refusal::Name(NameProblem::Reserved) => {
            format!("{new:?} is a word of the symbol's language; choose another name")
        }
        Refusal::Name(NameProblem::Unchanged) => format!("the symbol is called {new:?} already"),
        Refusal::Name(NameProblem::OtherMeaning) => format!(
            "{new:?} would change who can see the symbol, because of how it starts; choose a name that starts alike"
        ),
        Refusal::Name(NameProblem::NotRenamable(why)) => {
            return ToolError::invalid("symbol", format!("this symbol can't be renamed: {why}"));
        }
    };
    ToolError::invalid("newName", why)
}

fn answer_plan(
    cx: &ReadCx<'_>,
    request: &Request,
    old_name: &str,
    plan: &RenamePlan,
    covered: &Covered,
) -> Result<Response, ToolError> {
    let ids: Vec<String> = plan.symbols.iter().map(|sym| sym.id.to_string()).collect();
    let limit = request.limit.map_or(ROWS, |limit| limit as usize);
    let parts = [ids.join(","), request.new_name.clone()];
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let pages = Pages::read(cx.source, &parts, request.cursor.as_deref(), (limit, request.max_tokens))?;
    // What may break first, then the edits, then mere words.
    let (doubts, words): (Vec<&Doubt>, Vec<&Doubt>) = plan.doubts.iter().partition(|doubt| doubt.blocks);
    let rows: Vec<Row<'_>> = doubts
        .iter()
        .map(|doubt| Row::Doubt(doubt))
        .chain(plan.edits.iter().map(Row::Edit))
        .chain(words.iter().map(|doubt| Row::Doubt(doubt)))
        .collect();
    let items = pages.items(&rows);
    let mut texts = if request.include_text.unwrap_or(true) { Some(LineTexts::new(cx)) } else { None };
    let mut shown = Vec::with_capacity(items.len());
    for row in items {
        shown.push(match row {
            Row::Edit(_) => None,
            Row::Doubt(doubt) => line_text(cx.source, texts.as_mut(), doubt)?,
        });
    }
    let whole = Response {
        of: plan.symbols.iter().take(NAMED).map(SymbolOut::of).collect(),
        symbols: plan.symbols.len(),
        old_name: old_name.to_owned(),
        new_name: request.new_name.clone(),
        complete: covered.is_whole() && plan.is_complete(),
        person: Vec::new(),
        edits: Vec::new(),
        words: Vec::new(),
        total: plan.edits.len() as u64,
        cursor: None,
        completeness: says(cx, plan, (doubts.len(), words.len()), covered),
    };
    let response = pages.fit(cx, items.len(), |count| {
        let mut page = Response { cursor: pages.next_cursor(count, rows.len()), ..whole.clone() };
        for (row, text) in items.iter().zip(&shown).take(count) {
            match row {
                Row::Edit(edit) => page.edits.push(show_edit(edit, &request.new_name)),
                Row::Doubt(doubt) if doubt.blocks => page.person.push(show_doubt(doubt, text.as_deref())),
                Row::Doubt(doubt) => page.words.push(show_doubt(doubt, text.as_deref())),
            }
        }
        Ok(page)
    })?;
    let with_text = response.person.iter().chain(&response.words).filter(|row| row.text.is_some());
    record_lines(cx, with_text.map(|row| (row.file.as_str(), row.line)));
    Ok(response)
}

fn line_text(
    source: &Source<'_>,
    texts: Option<&mut LineTexts<'_, '_>>,
    doubt: &Doubt,
) -> Result<Option<String>, ToolError> {
    let Some(texts) = texts else { return Ok(None) };
    let Some(path) = sdl_model::RelPath::new(&doubt.place.path) else { return Ok(None) };
    match source.symbol_at(source.view().file_id(&path), doubt.place.line)? {
        Some(around) => texts.text(&around, doubt.place.line),
        None => Ok(None),
    }
}

fn show_edit(edit: &Edit, new: &str) -> EditOut {
    EditOut {
        file: edit.place.path.clone(),
        line: edit.place.line,
        column: edit.place.column,
        part: (edit.part != EditPart::Reference).then(|| edit.part.name()),
        new: (edit.new != new).then(|| edit.new.clone()),
    }
}

fn show_doubt(doubt: &Doubt, text: Option<&str>) -> PersonOut {
    PersonOut {
        file: doubt.place.path.clone(),
        line: doubt.place.line,
        column: doubt.place.column,
        why: doubt.why,
        text: text.map(str::to_owned),
    }
}

/// A sentence on what the plan covers.
fn says(cx: &ReadCx<'_>, plan: &RenamePlan, (doubts, words): (usize, usize), covered: &Covered) -> String {
    let (scope, within) = match cx.across {
        Some(across) => {
            let repos: BTreeSet<&str> = plan.edits.iter().map(|edit| repo_of(&edit.place.path)).collect();
            (format!(" in {} of {} repositories", repos.len(), across.members.len()), "these repositories")
        }
        None => (String::new(), "this repository"),
    };
    let counted = format!(
        "{} edits{scope}; {} mentions mean something else; {words} in comments and texts. Looked at all {} indexed files \
         that spell the name; files that are not indexed, and users outside of {within}, were not",
        plan.edits.len(),
        plan.elsewhere,
        covered.files,
    );
    if !covered.all_read {
        format!("Not complete, some files can't be read: {counted}.")
    } else if let Some(why) = covered.missing.first() {
        format!("Not complete, {why}: {counted}.")
    } else if plan.is_complete() {
        format!("Complete: {counted}.")
    } else {
        format!("Not complete, a person has to look at {doubts} places: {counted}.")
    }
}

/// The repository of a path of a workspace.
fn repo_of(path: &str) -> &str {
    split_place(path).map_or("", |(repo, _)| repo)
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = String::new();
        begin_line(&mut text, format_args!("{}", self.completeness));
        begin_line(
            &mut text,
            format_args!("replace {} by {} at (line:column)", self.old_name, self.new_name),
        );
        let mut file = "";
        for edit in &self.edits {
            if edit.file != file {
                file = &edit.file;
                begin_line(&mut text, format_args!("{file}"));
            }
            append_text(&mut text, format_args!(" {}:{}", edit.line, edit.column));
            if let Some(new) = &edit.new {
                append_text(&mut text, format_args!(" (by `{new}`)"));
            }
        }
        for (what, rows) in [("person", &self.person), ("words", &self.words)] {
            for row in rows {
                begin_line(
                    &mut text,
                    format_args!("{what}: {}:{}:{} {}", row.file, row.line, row.column, row.why),
                );
                if let Some(line) = &row.text {
                    append_text(&mut text, format_args!(" | {line}"));
                }
            }
        }
        if let Some(cursor) = &self.cursor {
            begin_line(&mut text, format_args!("next page: cursor {cursor}"));
        }
        text
    }
}
