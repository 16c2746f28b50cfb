//! A toy language, so that the tests depend on no parser. A line is a definition:
//! `def name(param: type) calls other, another raises Why : What it does.`; `class Name`; `method Name.of(…) …`.

use sdl_model::facts::{Arena, Def, DefFlags, DefIx, Facts, Param, ParamKind, Span, StrIx};
use sdl_model::ids::stable_hash;
use sdl_model::{Body, Lang, Outline, SymbolKind};

/// A parsed line.
pub(crate) struct Line<'a> {
    pub(crate) kind: SymbolKind,
    pub(crate) qualified: &'a str,
    pub(crate) params: Vec<&'a str>,
    pub(crate) calls: Vec<&'a str>,
    pub(crate) raises: Option<&'a str>,
    pub(crate) doc: Option<&'a str>,
}

pub(crate) fn lines(text: &str) -> Vec<Line<'_>> {
    text.lines().filter(|line| !line.trim().is_empty()).map(line).collect()
}

fn line(text: &str) -> Line<'_> {
    let (head, doc) = text.split_once(" : ").map_or((text, None), |(head, doc)| (head, Some(doc)));
    let (head, raises) = head.split_once(" raises ").map_or((head, None), |(head, why)| (head, Some(why)));
    let (head, calls) = head.split_once(" calls ").map_or((head, ""), |(head, calls)| (head, calls));
    let (kind, rest) = head.trim().split_once(' ').unwrap_or(("def", head));
    let (qualified, params) = rest.split_once('(').unwrap_or((rest, ""));
    Line {
        kind: match kind {
            "class" => SymbolKind::Class,
            "method" => SymbolKind::Method,
            _ => SymbolKind::Function,
        },
        qualified: qualified.trim(),
        params: parts(params.trim_end_matches(')')),
        calls: parts(calls),
        raises,
        doc,
    }
}

fn parts(text: &str) -> Vec<&str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Returns the facts of the text.
pub(crate) fn facts(text: &str) -> Facts {
    let mut arena = Arena::default();
    let empty = arena.strings.push("");
    let mut defs = vec![module(empty, text)];
    let mut at = 0;
    let mut interface = Vec::new();
    for (number, (raw, line)) in text.lines().filter(|l| !l.trim().is_empty()).zip(lines(text)).enumerate() {
        let start = text[at..].find(raw).map_or(at, |found| at + found);
        at = start + raw.len();
        interface.push(line.qualified);
        defs.push(def(&mut arena, &line, raw, number as u32 + 1, start as u32));
    }
    let interface = stable_hash(&interface.iter().map(|name| name.as_bytes()).collect::<Vec<_>>());
    let outline = Outline {
        lang: Lang::Python,
        arena,
        defs,
        imports: Vec::new(),
        exports: Vec::new(),
        package: None,
        manifest: None,
        lines: text.lines().count() as u32,
        errors: 0,
        interface,
    };
    Facts { outline, body: Body::default() }
}

fn module(empty: StrIx, text: &str) -> Def {
    Def {
        flags: DefFlags::EXPORTED,
        key: stable_hash(&[b"module"]),
        span: Span {
            end: text.len() as u32,
            start_line: 1,
            end_line: text.lines().count().max(1) as u32,
            ..Span::default()
        },
        ..Def::new(empty, SymbolKind::Module)
    }
}

fn def(arena: &mut Arena, line: &Line<'_>, raw: &str, number: u32, start: u32) -> Def {
    let code = raw.split_once(" : ").map_or(raw, |(code, _)| code);
    let body = format!("{:?} {:?}", line.calls, line.raises);
    let name = line.qualified.rsplit('.').next().unwrap_or(line.qualified);
    let signature = format!("{}({})", line.qualified, line.params.join(", "));
    let params = line.params.iter().map(|param| {
        let (name, ty) = param.split_once(": ").map_or((*param, None), |(name, ty)| (name, Some(ty)));
        Param {
            name: arena.strings.push(name),
            ty_text: ty.map(|ty| arena.strings.push(ty)),
            ty: None,
            optional: false,
            kind: ParamKind::Positional,
        }
    });
    let params = params.collect();
    let exported = if name.starts_with('_') { DefFlags::default() } else { DefFlags::EXPORTED };
    let name = arena.strings.push(name);
    Def {
        qualified: arena.strings.push(line.qualified),
        flags: exported,
        parent: Some(DefIx::MODULE),
        key: stable_hash(&[line.qualified.as_bytes()]),
        span: Span {
            start,
            end: start + raw.len() as u32,
            start_line: number,
            start_col: 0,
            end_line: number,
            end_col: raw.len() as u32,
        },
        line: number,
        body_start: Some(start),
        signature: arena.strings.push(&signature),
        params,
        doc: line.doc.map(|doc| arena.strings.push(doc)),
        invariants: line.raises.map(|why| arena.strings.push(&format!("raises {why}"))).into_iter().collect(),
        fingerprint: stable_hash(&[raw.as_bytes()]),
        tokens: stable_hash(&[code.as_bytes()]),
        body_tokens: stable_hash(&[body.as_bytes()]),
        ..Def::new(name, line.kind)
    }
}
