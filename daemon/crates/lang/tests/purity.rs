//! Facts depend on the text alone, and only on the part of it that they describe.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests")]

mod support;

use std::collections::BTreeMap;

use sdl_lang::extract_facts;
use sdl_model::facts::{DefFlags, DefIx, Differing, Facts};
use sdl_model::{Lang, SymbolKind};

fn facts(lang: Lang, text: &str) -> Facts {
    extract_facts(lang, text.as_bytes()).unwrap()
}

#[test]
fn extracting_twice_is_the_same() {
    for file in support::all() {
        assert_eq!(facts(file.lang, &file.source), facts(file.lang, &file.source), "{}", file.path);
    }
}

#[test]
fn keys_are_unique() {
    for file in support::all() {
        let outline = facts(file.lang, &file.source).outline;
        let mut keys: Vec<u64> = outline.defs.iter().map(|def| def.key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), outline.defs.len());
    }
}

#[test]
fn moving_lines_changes_nothing_but_places() {
    for file in support::all() {
        let text = &file.source;
        let (old, new) = (facts(file.lang, text).outline, facts(file.lang, &format!("\n\n{text}")).outline);
        assert_eq!(old.interface, new.interface);
        for (a, b) in old.defs.iter().zip(&new.defs) {
            assert_eq!((a.key, a.fingerprint), (b.key, b.fingerprint), "{}", old.str(a.qualified));
        }
    }
}

#[test]
fn outer_definitions_come_first_and_hold_the_inner_ones() {
    for file in support::all() {
        let outline = facts(file.lang, &file.source).outline;
        for (ix, def) in outline.iter().skip(1) {
            let parent = def.parent.unwrap();
            assert!(parent < ix);
            let around = outline.def(parent).unwrap().span;
            assert!(
                around.start <= def.span.start && def.span.end <= around.end,
                "{}",
                outline.str(def.qualified)
            );
        }
    }
}

fn by_name(facts: &Facts) -> BTreeMap<String, (u64, u64)> {
    let outline = &facts.outline;
    outline
        .iter()
        .map(|(_, def)| (outline.str(def.qualified).to_owned(), (def.key, def.fingerprint)))
        .collect()
}

#[test]
fn an_edit_of_a_body_changes_the_functions_around_it_and_no_others() {
    for (old, edit, expected) in [
        (
            "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        x = 1\n        return B(x)\n",
            ("x = 1", "y = 2; x = 3"),
            &["A.g"][..],
        ),
        (
            "class A:\n    def f(self):\n        def g():\n            return 1\n        return g\n\n    def h(self):\n        pass\n",
            ("return 1", "return 2"),
            &["A.f", "A.f.g"],
        ),
    ] {
        let new = old.replace(edit.0, edit.1);
        let (a, b) = (facts(Lang::Python, old), facts(Lang::Python, &new));
        assert_eq!(a.outline.interface, b.outline.interface);
        let (a, b) = (by_name(&a), by_name(&b));
        let changed: Vec<&String> =
            a.iter().filter(|(name, hashes)| b.get(*name) != Some(hashes)).map(|(name, _)| name).collect();
        assert_eq!(changed, expected);
    }
}

#[test]
fn reordering_functions_changes_neither_keys_nor_interface() {
    let (f, g) = ("def f(a):\n    return 1\n", "def g():\n    return f(2)\n");
    let (a, b) = (facts(Lang::Python, &format!("{f}\n\n{g}")), facts(Lang::Python, &format!("{g}\n{f}")));
    assert_eq!(by_name(&a), by_name(&b));
    assert_eq!(a.outline.interface, b.outline.interface);
}

#[test]
fn parts_of_a_type_are_distinguished_from_whole_types() {
    let interface = |text: &str| facts(Lang::CSharp, text).outline.interface;
    assert_ne!(interface("public class Reader { }"), interface("public partial class Reader { }"));
}

#[test]
fn the_interface_sees_what_others_see() {
    let base = "def f(a: int) -> A:\n    return A()\n";
    let interface = |text: &str| facts(Lang::Python, text).outline.interface;
    for (change, same) in [
        ("# moved\ndef f(a: int) -> A:\n    '''Documented.'''\n    return A()\n", true),
        ("def f(a: int) -> A:\n    def local(): pass\n    print(1)\n    return A()\n", true),
        ("def f(a: int) -> B:\n    return A()\n", false),
        ("def f(a: int, b) -> A:\n    return A()\n", false),
        ("def f(a: int) -> A:\n    return B()\n", false),
        ("def f(a: int) -> A:\n    return A()\nX = 1\n", false),
        ("import x\ndef f(a: int) -> A:\n    return A()\n", false),
    ] {
        assert_eq!(interface(change) == interface(base), same, "{change}");
    }
}

#[test]
fn two_outlines_differ_in_the_names_of_their_definitions() {
    let base = "#include \"a.h\"\nstruct s { int n; };\nenum e { ONE };\nint f(struct s *p);\nextern int level;\n#define M(x) f(x)\n";
    let differing = |text: &str| {
        let (was, is) = (facts(Lang::C, base), facts(Lang::C, text));
        let names = was.outline.differing_names(&is.outline);
        assert_eq!(names, is.outline.differing_names(&was.outline));
        names.map(|Differing { names, members }| {
            let members = members.into_iter().map(|(of, name)| format!("{of}.{name}"));
            names.into_iter().chain(members).collect::<Vec<_>>().join(" ")
        })
    };
    for (old, new, names) in [
        ("", "", Some("")),
        ("int f(struct s *p);", "int f(struct s *p);\nint g(void);", Some("g")),
        ("int f(struct s *p);", "struct s *f(struct s *p);", Some("f")),
        ("int f(struct s *p);", "static int f(struct s *p) { return p->n; }", Some("f")),
        ("extern int level;\n", "", Some("level")),
        ("extern int level;", "extern int depth;", Some("depth level")),
        ("#define M(x) f(x)", "#define M f", Some("M")),
        ("int n;", "int n, m;", Some("s.m")),
        ("int n;", "struct s *n;", Some("s.n")),
        ("int n;", "union { int a; int b; };", Some("s.a s.b s.n")),
        ("int n;", "", Some("s s.n")),
        ("ONE }", "ONE, TWO }", Some("TWO e.TWO")),
        ("enum e { ONE };", "enum e { ONE };\nenum { TWO };", Some("TWO")),
        ("enum e {", "enum d {", Some("ONE d e d.ONE e.ONE")),
        ("struct s { int n; };", "struct s { int n; };\ntypedef struct s s_t;", Some("s_t")),
        ("struct s {", "struct t {", Some("s t s.n t.n")),
        ("a.h", "b.h", None),
    ] {
        assert_eq!(differing(&base.replacen(old, new, 1)).as_deref(), names, "{old} -> {new}");
    }
    let python = |text: &str| facts(Lang::Python, text).outline;
    let names = python("def f(): pass\n").differing_names(&python("def g(): pass\n"));
    assert_eq!(names, None, "nothing includes it as text");
    let cpp = |text: &str| facts(Lang::Cpp, text).outline;
    let names = cpp("struct s { int n; };\n").differing_names(&cpp("struct s { int n, m; };\n"));
    assert_eq!(names, None, "members of a type may be anywhere");
}

#[test]
fn a_generator_s_mark_is_on_every_definition_and_changes_nothing_else() {
    let text = "class A:\n    def f(self):\n        return 1\n";
    let (plain, marked) = (
        facts(Lang::Python, &format!("# Made up\n{text}")),
        facts(Lang::Python, &format!("# @generated\n{text}")),
    );
    assert!(marked.outline.is_generated() && !plain.outline.is_generated());
    assert_eq!(plain.outline.interface, marked.outline.interface);
    assert_eq!(by_name(&plain).len(), 3);
    for (a, b) in plain.outline.defs.iter().zip(&marked.outline.defs) {
        assert_eq!((a.flags.with(DefFlags::GENERATED), a.key), (b.flags, b.key));
    }
    assert!(facts(Lang::Manifest, "# @generated\n[package]\nname = 'a'\n").outline.is_generated());
}

#[test]
fn top_level_code_is_the_module_s() {
    let print = |text: &str| {
        let outline = facts(Lang::Python, text).outline;
        assert_eq!(outline.defs[0].kind, SymbolKind::Module);
        outline.def(DefIx::MODULE).unwrap().fingerprint
    };
    assert_eq!(print("run(1)\ndef f(): pass\n"), print("\nrun(1)\n\n\ndef f(): return 1\n"));
    assert_ne!(print("run(1)\ndef f(): pass\n"), print("run(2)\ndef f(): pass\n"));
}

/// The text of comments and literals, with the definition that it counts for.
fn said(lang: Lang, text: &str) -> Vec<(String, String)> {
    let facts = facts(lang, text);
    let of = |prose: &sdl_model::facts::Prose| {
        let def = &facts.outline.defs[prose.scope.0 as usize];
        (facts.outline.str(def.name).to_owned(), facts.body.arena.str(prose.text).to_owned())
    };
    facts.body.prose.iter().map(of).collect()
}

#[test]
fn comments_and_literals_count_for_what_they_stand_in() {
    let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    for (lang, text, expected) in [
        (
            Lang::Python,
            "# The module\n\nX = 1\n\ndef f():\n    # drain it\n    raise ValueError('pool is closed')\n",
            vec![pair("", "The module"), pair("f", "drain it"), pair("f", "'pool is closed'")],
        ),
        (
            Lang::Rust,
            "/// Documented.\nfn f() {\n    // drain it\n    panic!(\"pool is closed\");\n}\n",
            vec![pair("f", "drain it"), pair("f", "\"pool is closed\"")],
        ),
        (
            Lang::Go,
            "package p\n\n// F is documented.\nfunc F() {\n\t// drain it\n\tpanic(`pool is closed`)\n}\n",
            vec![pair("F", "drain it"), pair("F", "`pool is closed`")],
        ),
        (
            Lang::Java,
            "class A {\n  /** Documented. */\n  void f() {\n    /* drain it */\n    g(\"pool is closed\");\n  }\n}\n",
            vec![pair("f", "drain it"), pair("f", "\"pool is closed\"")],
        ),
        (
            Lang::TypeScript,
            "function f(n: number) {\n  // drain it\n  throw new Error(`pool ${n} is closed`);\n}\n",
            vec![pair("f", "drain it"), pair("f", "`pool is closed`")],
        ),
        (
            Lang::C,
            "/* Documented. */\nint f(void) {\n  // drain it\n  return fail(\"pool is closed\");\n}\n",
            vec![pair("f", "drain it"), pair("f", "\"pool is closed\"")],
        ),
        (
            Lang::Ruby,
            "def f\n  # drain it\n  raise 'pool is closed'\nend\n",
            vec![pair("f", "drain it"), pair("f", "'pool is closed'")],
        ),
    ] {
        assert_eq!(said(lang, text), expected, "{lang:?}");
    }
}

#[test]
fn prose_is_bounded_and_free_of_keys() {
    let key = "def f():\n    return connect('sk_test_51HaXyZ0123456789abcdef', 'as admin')\n";
    assert_eq!(said(Lang::Python, key), [("f".to_owned(), "'as admin'".to_owned())]);
    let long = format!(
        "def f():\n{}",
        "    g('some words here, again and again')\n    # and a remark\n".repeat(5_000)
    );
    let kept: usize = said(Lang::Python, &long).iter().map(|(_, text)| text.len()).sum();
    assert!(kept < 5_000, "{kept}");
}
