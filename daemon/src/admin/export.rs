//! `export/edges`, `export/symbols` and `export/calls`: a version as JSON lines, page by page in order of path.
//!
//! A page is a text and the path to go on after; a client asks until there is none. All pages of one export must come
//! from one version, because a file on two pages must not be in two states. A page that finds another version says
//! so.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sdl_ledger::{FactsStore, Result, Snapshot, View};
use sdl_model::facts::{Def, DefFlags, RefForm};
use sdl_model::{EdgeKind, FileId, FileRow, Outline, SymbolId, SymbolKind};
use sdl_proto::{WireError, code};
use sdl_tools::{Mask, Repo as _};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Admin, ledger_error, wire_error};

/// A page ends with the file that makes it larger than this, in bytes.
const PAGE: usize = 2 << 20;

#[derive(Deserialize)]
struct Params {
    repo: Option<String>,
    after: Option<String>,
    version: Option<String>,
}

/// Runs `export/edges`.
pub fn export_edges(admin: &Admin<'_>, params: &[u8]) -> std::result::Result<Vec<u8>, WireError> {
    export_files(admin, params, edges_of)
}

/// Runs `export/symbols`.
pub fn export_symbols(admin: &Admin<'_>, params: &[u8]) -> std::result::Result<Vec<u8>, WireError> {
    export_files(admin, params, symbols_of)
}

/// Runs `export/calls`.
pub fn export_calls(admin: &Admin<'_>, params: &[u8]) -> std::result::Result<Vec<u8>, WireError> {
    export_files(admin, params, calls_of)
}

type PerFile = fn(&mut Files<'_>, FileId, &Opened, &mut String) -> Result<()>;

fn export_files(admin: &Admin<'_>, params: &[u8], each: PerFile) -> std::result::Result<Vec<u8>, WireError> {
    let params: Params = crate::router::parse_params(params)?;
    let repo = admin.repo(params.repo.as_deref())?;
    if params.after.is_none() {
        repo.barrier(Duration::from_secs(10), admin.cancel);
    }
    let deadline = Instant::now() + Duration::from_secs(60);
    let mask = Mask::of(admin.engine.as_ref(), repo.id());
    let page = repo
        .ledger()
        .read(deadline, |view| export_page(view, repo.facts(), mask, params.after.as_deref(), each))
        .map_err(ledger_error)?;
    if params.version.is_some_and(|version| version != page.version) {
        return Err(wire_error(code::CONFLICT, "the tree changed during the export; start again"));
    }
    Ok(super::json_bytes(&json!({ "version": page.version, "lines": page.lines, "next": page.next })))
}

struct Page {
    version: String,
    lines: String,
    next: Option<String>,
}

fn export_page(
    view: &Snapshot<'_>,
    facts: &FactsStore,
    mask: Mask,
    after: Option<&str>,
    each: PerFile,
) -> Result<Page> {
    let mut files = Files::new(view, facts, mask);
    let mut lines = String::new();
    let mut next = None;
    let mut failure = Ok(());
    view.files_under("", &mut |file, path| {
        if after.is_some_and(|after| path <= after) {
            return ControlFlow::Continue(());
        }
        if lines.len() > PAGE {
            return ControlFlow::Break(());
        }
        next = Some(path.to_owned());
        failure = files.open(file).and_then(|open| match open {
            Some(open) => each(&mut files, file, &open, &mut lines),
            None => Ok(()),
        });
        if failure.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    failure?;
    // A page that is not full is the last.
    let next = next.filter(|_| lines.len() > PAGE);
    Ok(Page { version: view.version().to_string(), lines, next })
}

pub(super) struct Opened {
    pub(super) row: FileRow,
    /// As it may leave the daemon.
    pub(super) path: String,
    pub(super) outline: Arc<Outline>,
}

/// The files that a page has looked at; a bounded number of them.
pub(super) struct Files<'a> {
    pub(super) view: &'a Snapshot<'a>,
    facts: &'a FactsStore,
    pub(super) mask: Mask,
    open: HashMap<FileId, Option<Arc<Opened>>>,
}

impl<'a> Files<'a> {
    pub(super) fn new(view: &'a Snapshot<'a>, facts: &'a FactsStore, mask: Mask) -> Self {
        Self { view, facts, mask, open: HashMap::new() }
    }

    pub(super) fn open(&mut self, file: FileId) -> Result<Option<Arc<Opened>>> {
        if let Some(open) = self.open.get(&file) {
            return Ok(open.clone());
        }
        if self.open.len() > 512 {
            self.open.clear();
        }
        let row = self.view.file(file)?;
        let open = match row.as_ref().and_then(|row| row.state.facts()) {
            Some(key) => self.facts.outline(&key)?,
            None => None,
        };
        let open = row.zip(open).map(|(row, outline)| {
            let path = self.mask.text(row.path.as_str()).into_owned();
            Arc::new(Opened { row, path, outline })
        });
        self.open.insert(file, open.clone());
        Ok(open)
    }

    /// Where a symbol is: path, line and qualified name; the latter two are null for a module.
    fn place(&mut self, symbol: SymbolId) -> Result<Option<(String, Value, Value)>> {
        let Some(file) = self.view.symbol_file(symbol)? else { return Ok(None) };
        let Some(open) = self.open(file)? else { return Ok(None) };
        let Some(def) = open.outline.find(file, symbol).and_then(|ix| open.outline.def(ix)) else {
            return Ok(None);
        };
        let (line, name) = definition_place(&open.outline, def, self.mask);
        Ok(Some((open.path.clone(), line, name)))
    }
}

fn definition_place(outline: &Outline, def: &Def, mask: Mask) -> (Value, Value) {
    match def.kind {
        SymbolKind::Module => (Value::Null, Value::Null),
        _ => (def.line.into(), mask.text(outline.str(def.qualified)).into()),
    }
}

fn edges_of(files: &mut Files<'_>, file: FileId, open: &Opened, out: &mut String) -> Result<()> {
    for (_, def) in open.outline.iter() {
        let edges = files.view.out_edges(file.symbol(def.key))?;
        for edge in edges {
            // Calls in a variable's initial value, such as `const a = f()`, belong to the function around it or, at
            // the top, to the file, because loading the file runs them.
            let at =
                if edge.kind == EdgeKind::Call { enclosing_function(&open.outline, def) } else { Some(def) };
            let (caller_line, caller_name) =
                at.map_or((Value::Null, Value::Null), |at| definition_place(&open.outline, at, files.mask));
            let Some((callee_file, callee_line, callee_name)) = files.place(edge.to)? else { continue };
            let line = json!({
                "caller_file": open.path,
                "caller_line": caller_line,
                "caller_name": caller_name,
                "callee_file": callee_file,
                "callee_line": callee_line,
                "callee_name": callee_name,
                "kind": sdl_graph::strategies::kind_name(edge.kind, edge.strategy),
                "resolution": edge.resolution.name(),
                "strategy": sdl_graph::strategies::rule_name(edge.strategy),
                "confidence": f64::from(edge.confidence) / 100.0,
            });
            let _ = writeln!(out, "{line}");
        }
    }
    Ok(())
}

/// The innermost function around a definition, itself included.
fn enclosing_function<'a>(outline: &'a Outline, def: &'a Def) -> Option<&'a Def> {
    let mut at = Some(def);
    while let Some(def) = at.filter(|def| !def.kind.is_callable()) {
        at = def.parent.and_then(|parent| outline.def(parent));
    }
    at
}

fn is_call(form: RefForm) -> bool {
    matches!(form, RefForm::Call | RefForm::MethodCall | RefForm::PathCall | RefForm::Construct)
}

/// Every call as it is written, whether or not its target was found.
fn calls_of(files: &mut Files<'_>, _: FileId, open: &Opened, out: &mut String) -> Result<()> {
    let Some(key) = open.row.state.facts() else { return Ok(()) };
    let Some(facts) = files.facts.facts(&key)? else { return Ok(()) };
    let (outline, body) = (&facts.outline, &facts.body);
    for call in body.refs.iter().filter(|call| is_call(call.form)) {
        let caller = outline.def(call.scope).and_then(|def| enclosing_function(outline, def));
        let (caller_line, caller_name) =
            caller.map_or((Value::Null, Value::Null), |def| definition_place(outline, def, files.mask));
        let line = json!({
            "caller_file": open.path,
            "caller_line": caller_line,
            "caller_name": caller_name,
            "name": files.mask.text(body.arena.str(call.name)),
            "line": call.line,
        });
        let _ = writeln!(out, "{line}");
    }
    Ok(())
}

/// A symbol's name; a module goes by that of its file.
pub(super) fn symbol_name<'a>(open: &'a Opened, def: &Def) -> &'a str {
    match def.kind {
        SymbolKind::Module => open.row.path.stem(),
        _ => open.outline.str(def.name),
    }
}

fn symbols_of(files: &mut Files<'_>, file: FileId, open: &Opened, out: &mut String) -> Result<()> {
    for (_, def) in open.outline.iter().filter(|(_, def)| def.kind != SymbolKind::Impl) {
        let name = symbol_name(open, def);
        let qualified = match def.kind {
            SymbolKind::Module => name,
            _ => open.outline.str(def.qualified),
        };
        let line = json!({
            "symbol_id": file.symbol(def.key).to_string(),
            "file": open.path,
            "name": files.mask.text(name),
            "qualified_name": files.mask.text(qualified),
            "kind": def.kind.name(),
            "line": def.line,
            "start_line": def.span.start_line,
            "end_line": def.span.end_line,
            "exported": def.flags.has(DefFlags::EXPORTED),
        });
        let _ = writeln!(out, "{line}");
    }
    Ok(())
}
