//! A readable dump of facts, one per line: for tests and for inspecting an extractor.

use std::fmt::Write;

use sdl_model::facts::{
    Arena, BindingKind, Def, DefFlags, DefIx, Expr, ExprIx, Facts, Outline, ParamKind, StrIx,
};

/// Dumps `facts`. Keys and hashes are left out: tests compare those with each other, not with text.
pub fn render_facts(facts: &Facts) -> String {
    let mut out = String::new();
    let outline = &facts.outline;
    let _ = writeln!(out, "{} lines={} errors={}", outline.lang.name(), outline.lines, outline.errors);
    if let Some(package) = outline.package {
        let _ = writeln!(out, "package {}", outline.str(package));
    }
    for (ix, def) in outline.iter() {
        def_line(&mut out, outline, ix, def);
    }
    for import in &outline.imports {
        let _ = write!(out, "import {}: {:?} {}", import.line, import.kind, outline.str(import.module));
        if let Some(name) = import.name {
            let _ = write!(out, " name={}", outline.str(name));
        }
        if let Some(local) = import.local {
            let _ = write!(out, " as {}", outline.str(local));
        }
        if import.reexport {
            out.push_str(" reexport");
        }
        in_scope(&mut out, outline, import.scope);
    }
    for export in &outline.exports {
        let _ = writeln!(out, "export {} as {}", outline.str(export.local), outline.str(export.name));
    }
    if let Some(manifest) = &outline.manifest {
        let name = manifest.name.map_or("", |name| outline.str(name));
        let _ = writeln!(out, "manifest {:?} {name}", manifest.kind);
        for (key, value) in &manifest.entries {
            let _ = writeln!(out, "    {} = {}", outline.str(*key), outline.str(*value));
        }
    }
    let arena = &facts.body.arena;
    for one in &facts.body.refs {
        let _ = write!(out, "ref {}: {:?} {}", one.line, one.form, arena.str(one.name));
        if let Some(recv) = one.recv {
            let _ = write!(out, " on {}", render_expr(arena, recv));
        }
        if one.args > 0 {
            let _ = write!(out, " args={}", one.args);
        }
        in_scope(&mut out, outline, one.scope);
    }
    for one in &facts.body.bindings {
        let kind = match one.kind {
            BindingKind::Param => "param",
            BindingKind::Local => "local",
            BindingKind::Narrowed => "narrowed",
            BindingKind::Field => "field",
            BindingKind::Outer => "outer",
        };
        let _ = write!(out, "bind {kind} {}", arena.str(one.name));
        if let Some(ty) = one.ty {
            let _ = write!(out, ": {}", render_expr(arena, ty));
        }
        if let Some(value) = one.value {
            let _ = write!(out, " = {}", render_expr(arena, value));
        }
        if outline.def(one.scope).is_some_and(|def| def.span.end != one.to) {
            let _ = write!(out, " [{}..{}]", one.from, one.to);
        }
        in_scope(&mut out, outline, one.scope);
    }
    out
}

fn in_scope(out: &mut String, outline: &Outline, scope: DefIx) {
    if scope != DefIx::MODULE
        && let Some(def) = outline.def(scope)
    {
        let _ = write!(out, " @{}", outline.str(def.qualified));
    }
    out.push('\n');
}

fn def_line(out: &mut String, outline: &Outline, ix: DefIx, def: &Def) {
    let arena = &outline.arena;
    let text = |ix: StrIx| arena.str(ix);
    let _ = write!(
        out,
        "def {}:{}-{} {} {}",
        def.line,
        def.span.start_line,
        def.span.end_line,
        def.kind.name(),
        if ix == DefIx::MODULE { "<module>" } else { text(def.qualified) }
    );
    let _ = write!(out, " {:?}", def.visibility);
    for (flag, name) in FLAGS {
        if def.flags.has(*flag) {
            let _ = write!(out, " {name}");
        }
    }
    out.push('\n');
    if !text(def.signature).is_empty() {
        let _ = writeln!(out, "    sig {}", text(def.signature));
    }
    if let Some(doc) = def.doc {
        let _ = writeln!(out, "    doc {:?}", text(doc));
    }
    for param in &def.params {
        let _ = write!(out, "    param {}", text(param.name));
        if param.kind != ParamKind::Positional {
            let _ = write!(out, " {:?}", param.kind);
        }
        if param.optional {
            out.push_str(" optional");
        }
        if let Some(ty) = param.ty {
            let _ = write!(out, ": {}", render_expr(arena, ty));
        }
        out.push('\n');
    }
    for (name, ix) in [("owner", def.owner), ("ret", def.ret), ("type", def.ty), ("value", def.value)] {
        if let Some(ix) = ix {
            let _ = writeln!(out, "    {name} {}", render_expr(arena, ix));
        }
    }
    if let Some(generics) = def.generics {
        let _ = writeln!(out, "    generics {}", text(generics));
    }
    for (name, bound) in &def.bounds {
        let _ = writeln!(out, "    bound {}: {}", text(*name), render_expr(arena, *bound));
    }
    for base in &def.bases {
        let _ = writeln!(out, "    base {:?} {}", base.kind, render_expr(arena, base.ty));
    }
    for decorator in &def.decorators {
        let _ = writeln!(out, "    decorator {}", render_expr(arena, *decorator));
    }
    for one in &def.returns {
        let _ = writeln!(out, "    returns {}", render_expr(arena, *one));
    }
    for one in &def.invariants {
        let _ = writeln!(out, "    invariant {}", text(*one));
    }
    for one in &def.effects {
        let _ = writeln!(out, "    effect {} {}", one.kind.name(), text(one.what));
    }
}

const FLAGS: &[(DefFlags, &str)] = &[
    (DefFlags::EXPORTED, "exported"),
    (DefFlags::ASYNC, "async"),
    (DefFlags::STATIC, "static"),
    (DefFlags::ABSTRACT, "abstract"),
    (DefFlags::TEST, "test"),
    (DefFlags::CLASS_METHOD, "classmethod"),
    (DefFlags::DEFAULT_EXPORT, "default"),
    (DefFlags::DEPRECATED, "deprecated"),
    (DefFlags::GENERATOR, "generator"),
    (DefFlags::OVERRIDE, "override"),
    (DefFlags::LOCAL, "local"),
];

/// The shape at `ix`, for people.
pub fn render_expr(arena: &Arena, ix: ExprIx) -> String {
    let one = |ix: &ExprIx| render_expr(arena, *ix);
    let list = |all: &[ExprIx]| all.iter().map(|ix| render_expr(arena, *ix)).collect::<Vec<_>>().join(", ");
    match arena.expr(ix) {
        Expr::Name(name) => arena.str(*name).to_owned(),
        Expr::SelfRef => "<self>".to_owned(),
        Expr::SuperRef => "<super>".to_owned(),
        Expr::SelfType => "<Self>".to_owned(),
        Expr::Attr(base, name) => format!("{}.{}", one(base), arena.str(*name)),
        Expr::Path(base, name) => format!("{}::{}", one(base), arena.str(*name)),
        Expr::Call(base, args) => format!("{}({args})", one(base)),
        Expr::New(base) => format!("new({})", one(base)),
        Expr::Index(base) => format!("{}[]", one(base)),
        Expr::Key(base, key) => format!("{}[{}]", one(base), arena.str(*key)),
        Expr::Iter(base) => format!("each({})", one(base)),
        Expr::Await(base) => format!("await({})", one(base)),
        Expr::Unwrap(base) => format!("unwrap({})", one(base)),
        Expr::Generic(base, args) => format!("{}<{}>", one(base), list(args)),
        Expr::Union(all) => format!("union({})", list(all)),
        Expr::Either(all) => format!("either({})", list(all)),
        Expr::Tuple(all) => format!("tuple({})", list(all)),
        Expr::Item(base, at) => format!("{}#{at}", one(base)),
        Expr::Record(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, value)| format!("{}: {}", arena.str(*name), one(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        Expr::Inner(name, member) => format!("inner({}{})", if *member { "." } else { "" }, arena.str(*name)),
        Expr::Passed(base, arg, param) => format!("passed({}, {arg}, {param})", one(base)),
        Expr::Callable(params, ret) => {
            format!(
                "fn({}){}",
                list(params),
                ret.as_ref().map_or(String::new(), |ret| format!(" -> {}", one(ret)))
            )
        }
        Expr::Lit(lit) => format!("{lit:?}").to_lowercase(),
        Expr::Unknown => "?".to_owned(),
    }
}
