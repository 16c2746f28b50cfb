//! The cases: patterns that are repeated until a file has the size asked for.

use sdl_model::Lang;

/// A pattern to repeat. `%` in it is replaced by the number of the repetition.
#[derive(Clone, Copy)]
struct Pattern {
    /// Before the first.
    head: &'static str,
    /// Repeated.
    open: &'static str,
    /// In the middle.
    mid: &'static str,
    /// Repeated as often as `open`.
    close: &'static str,
}

/// One file to build, of any size.
pub(crate) struct Case {
    pattern: Pattern,
    broken: bool,
}

impl Case {
    /// A description for people.
    pub(crate) fn name(&self) -> String {
        let Pattern { head, open, mid, close } = self.pattern;
        let mut name = format!("{head}({open}){mid}({close})").replace('\n', "⏎");
        if self.broken {
            name.push_str(" lines");
        }
        name.chars().take(44).collect()
    }

    /// Whether all of it is one line.
    pub(crate) fn is_one_line(&self) -> bool {
        !self.broken && !self.pattern.open.contains('\n')
    }

    /// About `size` bytes of it.
    pub(crate) fn text(&self, size: usize) -> String {
        let Pattern { head, open, mid, close } = self.pattern;
        let per = open.len() + close.len() + 5 * open.matches('%').count() + usize::from(self.broken);
        let times = size.saturating_sub(head.len() + mid.len()) / per.max(1);
        let mut text = String::with_capacity(size + 64);
        text.push_str(head);
        for n in 0..times {
            push(&mut text, open, n);
            if self.broken {
                text.push('\n');
            }
        }
        text.push_str(mid);
        for n in (0..times).rev() {
            push(&mut text, close, n);
        }
        text.push('\n');
        text
    }
}

fn push(text: &mut String, part: &str, n: usize) {
    for (at, piece) in part.split('%').enumerate() {
        if at > 0 {
            text.push_str(&n.to_string());
        }
        text.push_str(piece);
    }
}

/// The cases for `lang`.
pub(crate) fn cases(lang: Lang) -> Vec<Case> {
    let mut cases = Vec::new();
    for &(open, close) in ANY {
        // Closed, left open, left open in a call, and as a value in one line.
        for (head, mid, close, broken) in
            [("", "1", close, true), ("", "", "", true), ("f(", "", "", true), ("x = ", "1", close, false)]
        {
            cases.push(Case {
                pattern: Pattern { head, open, mid, close },
                broken: broken && !open.ends_with('\n'),
            });
        }
    }
    for &(langs, head, open, mid, close) in OWN {
        if langs.contains(&lang) {
            let pattern = Pattern { head, open, mid, close };
            cases.push(Case { pattern, broken: false });
            if !open.ends_with('\n') {
                cases.push(Case { pattern, broken: true });
            }
            if !close.is_empty() {
                cases.push(Case { pattern: Pattern { close: "", ..pattern }, broken: true });
            }
        }
    }
    if let Some(open) = fixture_of(lang) {
        cases.push(Case { pattern: Pattern { head: "", open, mid: "", close: "" }, broken: true });
    }
    cases
}

/// A fixture of the language: all that its extractor knows.
fn fixture_of(lang: Lang) -> Option<&'static str> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        root.join("packs").join(lang.name()).join("fixtures"),
        root.join("tests/fixtures").join(lang.name()),
    ];
    let text = folders.iter().find_map(|folder| std::fs::read_to_string(folder.join("facts.fix")).ok())?;
    // For as long as the program runs, as the other patterns.
    Some(&*text.split_once('\n')?.1.replace('%', "").leak())
}

/// Opening and closing parts that some language or other knows.
const ANY: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("<", ">"),
    ("({[", "]})"),
    ("f(", ")"),
    ("a[", "]"),
    ("a<", ">"),
    ("a.", ""),
    ("a::", ""),
    ("a->", ""),
    ("a.b().", ""),
    ("a.b(1)(2)[3].", ""),
    ("a.b(() => {", "})"),
    ("a ? b : ", ""),
    ("a ? ", " : b"),
    ("a + ", ""),
    ("a && ", ""),
    ("a, ", ""),
    ("a; ", ""),
    ("a ", ""),
    ("- ", ""),
    ("!", ""),
    ("not ", ""),
    ("*", ""),
    ("&", ""),
    ("@", ""),
    ("@a ", ""),
    ("#", ""),
    ("x = ", ""),
    ("x => ", ""),
    ("|x| ", ""),
    ("if (a) ", ""),
    ("if (a) {", "}"),
    ("if (a) {} else ", ""),
    ("for (;;) {", "}"),
    ("while (a) ", ""),
    ("return ", ""),
    ("new ", ""),
    ("class A {", "}"),
    ("class A%\n", ""),
    ("function f() {", "}"),
    ("await ", ""),
    ("\"", ""),
    ("'", ""),
    ("`", ""),
    ("\"a\" ", ""),
    ("\"\"\"", ""),
    ("`${", "}`"),
    ("\"${", "}\""),
    ("\"#{", "}\""),
    ("$\"{", "}\""),
    ("f'{", "}'"),
    ("/*", "*/"),
    ("/", ""),
    ("// a\n", ""),
    ("# a\n", ""),
    ("<<A\n", ""),
    ("<<A <<'B' <<-C ", ""),
    ("$(", ")"),
    ("${", "}"),
    ("\\", ""),
    ("\\\n", ""),
    (";", ""),
    (":", ""),
    ("=", ""),
    ("ä", ""),
    ("1", ""),
    ("a%\n", ""),
    ("a%(b, c.d)\n", ""),
    ("a% = b%\n", ""),
    ("\n", ""),
    (" ", ""),
    ("\t", ""),
    ("}\n", ""),
    (")", ""),
];

use Lang::{Bash, C, CSharp, Cpp, Go, Java, JavaScript, Kotlin, Php, Python, Ruby, Rust, Tsx, TypeScript};

const ECMA: &[Lang] = &[JavaScript, TypeScript, Tsx];
const TYPED: &[Lang] = &[TypeScript, Tsx];
const CURLY: &[Lang] = &[Java, CSharp, JavaScript, TypeScript, Tsx, Kotlin];

type Own = (&'static [Lang], &'static str, &'static str, &'static str, &'static str);

/// The cases of one language or family: languages, head, repeated, middle, repeated at the end.
const OWN: &[Own] = &[
    // Python
    (&[Python], "", "def f%(a, b=1): return a.x\n", "", ""),
    (&[Python], "", "def f(): return a\n", "", ""),
    (&[Python], "def f(", "a%: int = 1, ", "): pass", ""),
    (&[Python], "class A:\n", "    def f%(self):\n        self.a% = g(self.b)\n", "", ""),
    (&[Python], "class A:\n  def f(self, x):\n", "    self.a = x\n", "", ""),
    (&[Python], "def f():\n", "    a = b\n    b = a\n", "    return a\n", ""),
    (&[Python], "def f(x):\n", "    x = x.y\n    return x\n", "", ""),
    (&[Python], "if a: pass\n", "elif a%: b()\n", "", ""),
    (&[Python], "", "@a.b(c)\n", "def f(): pass", ""),
    (&[Python], "", "@overload\ndef f(a: int): ...\n", "def f(a): pass\n", ""),
    (&[Python], "", "from a import b%\n", "", ""),
    (&[Python], "from a import (", "b% as c%, ", ")", ""),
    (&[Python], "__all__ = [", "'a%', ", "]", ""),
    (&[Python], "", "__all__ += ['a%']\n", "", ""),
    (&[Python], "", "lambda x: ", "1", ""),
    (&[Python], "x = {", "'a%': [b, {'c': d}], ", "}", ""),
    (&[Python], "class A(", "B%, ", "): pass", ""),
    (&[Python], "x: ", "List[", "int", "]"),
    (&[Python], "x: \"", "List[", "int\"", "]"),
    (&[Python], "x: Union[", "A%, ", "B]", ""),
    (&[Python], "x = [", "a for a in ", "b]", ""),
    (&[Python], "match a:\n", "  case A(b=[c, *d]): e()\n", "", ""),
    (&[Python], "'''", "a\n", "'''", ""),
    (&[Python], "", "with a as b: ", "pass", ""),
    (&[Python], "", "global a%\n", "", ""),
    (&[Python], "def f():\n", " global a%\n", "", ""),
    (&[Python], "", "a = b = ", "1", ""),
    (&[Python], "a", ", b%", " = 1", ""),
    (&[Python], "", "try: a()\nexcept B: c()\n", "", ""),
    (&[Python], "", "print(f\"{a} {b.c(d)!r:>{w}}\")\n", "", ""),
    // JavaScript and TypeScript
    (ECMA, "", "function f%(a, b = 1) { return a.x }\n", "", ""),
    (ECMA, "", "function f() { return a }\n", "", ""),
    (ECMA, "function f(", "a% = 1, ", ") {}", ""),
    (ECMA, "", "function f() {", "", "}"),
    (ECMA, "class A {", " f%() { this.a% = g(this.b) }\n", "}", ""),
    (ECMA, "", "const f% = (a) => a.b;\n", "", ""),
    (ECMA, "", "export const a% = 1;\n", "", ""),
    (ECMA, "", "export { a% as b% };\n", "", ""),
    (ECMA, "export {", "a% as b%, ", "};", ""),
    (ECMA, "", "exports.a% = b;\n", "", ""),
    (ECMA, "module.exports = {", "a%: b, ", "};", ""),
    (ECMA, "module.exports = {", "a%() {}, ", "};", ""),
    (ECMA, "", "A.prototype.f% = function() { this.x = 1 };\n", "", ""),
    (ECMA, "", "import {a% as b%} from 'c';\n", "", ""),
    (ECMA, "import {", "a% as b%, ", "} from 'c';", ""),
    (ECMA, "x = {", "a: {", "", "}}"),
    (ECMA, "const x = {", "a%: {b: [c, d()]},\n", "};", ""),
    (ECMA, "const {", "a%, ", "} = b;", ""),
    (ECMA, "const {", "a: {", "b", "}}"),
    (ECMA, "x = ", "async (a) => ", "1", ""),
    (ECMA, "x = ", "(a, b) => ", "1", ""),
    (ECMA, "x = ", "((a) => ", "1", ")"),
    (ECMA, "x = ", "function(){ return ", "1", "}"),
    (ECMA, "switch (a) {", "case %: b(); break;\n", "}", ""),
    (ECMA, "", "/** @type {A} */\n", "var a;", ""),
    (ECMA, "/**\n", " * @param {A<B>} a% text\n", " */\nfunction f() {}", ""),
    (ECMA, "", "/** @param {A} a */ function f%(a) {}\n", "", ""),
    (ECMA, "/** @type {", "Array<", "a", ">"),
    (ECMA, "var ", "a% = b, ", "c;", ""),
    (ECMA, "x = ", "`a${", "b", "}`"),
    (ECMA, "x = `", "${a%}", "`", ""),
    (ECMA, "x = /", "(a", "/", ")"),
    (ECMA, "", "if (a) { b() } else ", "{}", ""),
    (ECMA, "", "a: ", "b", ""),
    (ECMA, "", "const a% = require('b').c;\n", "", ""),
    (ECMA, "define([", "'a%', ", "], f)", ""),
    (ECMA, "", "var f = function f() { return f; };\n", "", ""),
    (ECMA, "function f() {", "var a = b; b = a;\n", "return a }", ""),
    (TYPED, "", "function f(a: A%): void;\n", "function f(a) {}", ""),
    (TYPED, "type A = ", "B<", "C", ">"),
    (TYPED, "type A = ", "B | ", "C", ""),
    (TYPED, "type A = ", "{a: ", "C", "}"),
    (TYPED, "type A = ", "(a: ", "C", ") => void"),
    (TYPED, "type A = ", "a extends b ? c : ", "d", ""),
    (TYPED, "interface A {", "a%: B; c%(): D;\n", "}", ""),
    (TYPED, "", "interface A% extends B, C {}\n", "", ""),
    (TYPED, "enum A {", "a% = 1,\n", "}", ""),
    (TYPED, "", "namespace A { export ", "const x = 1", "}"),
    (TYPED, "", "@A({b: c}) ", "class B {}", ""),
    (TYPED, "function f<", "T% extends A<T>, ", ">() {}", ""),
    (TYPED, "x = ", "<A>", "b", ""),
    (TYPED, "x = a", " as B", "", ""),
    (TYPED, "x = a", "!", "", ""),
    (&[Tsx, JavaScript], "x = ", "<a>", "", "</a>"),
    (&[Tsx, JavaScript], "x = <a>", "<B c={d} e='f'/>\n", "</a>", ""),
    (&[Tsx, JavaScript], "x = ", "<A b={", "1", "}/>"),
    // Java, C#, Kotlin
    (CURLY, "class A {", " class B% {", "", "}"),
    (CURLY, "class A {\n", " /** Doc. */\n class B% { }\n", "}", ""),
    (&[Java, CSharp], "class A {\n", " int f%(int a, B<C> b) { return a.g(b).h; }\n", "}", ""),
    (&[Java, CSharp], "class A {\n", " void f() { g(); }\n", "}", ""),
    (&[Java, CSharp], "class A { void f(", "int a%, ", "int z) {} }", ""),
    (&[Java, CSharp], "class A { int ", "a% = 1, ", "z; }", ""),
    (&[Java, CSharp], "class A { ", "B<", "C", ">"),
    (&[Java, CSharp], "enum A { ", "a%, ", "}", ""),
    (&[Java, CSharp], "class A { void f() { x = ", "a -> ", "b; } }", ""),
    (&[Java, CSharp], "class A { void f() { x = ", "(A) ", "b; } }", ""),
    (&[Java, CSharp], "class A { void f() { x = ", "(a) ", "b; } }", ""),
    (&[Java, CSharp], "class A { void f() { ", "new B() {", "", "}"),
    (&[Java, CSharp], "class A { void f() { ", "var a% = b.c(); d(a%);\n", "} }", ""),
    (&[Java, CSharp], "class A { void f() { ", "if (a) b(); else ", "c(); } }", ""),
    (&[Java, CSharp], "class A { void f() { switch (a) { ", "case %: b(); break;\n", "} } }", ""),
    (&[Java], "class A { void f() { ", "try { a(); } catch (B | C e) { d(e); }\n", "} }", ""),
    (&[Java], "", "import a.b.C%;\n", "class D {}", ""),
    (&[Java], "", "@A(b = c) ", "class B {}", ""),
    (&[Java], "", "@A(", "class B {}", ")"),
    (&[Java], "class A<", "T% extends B<T> & C, ", "U> {}", ""),
    (&[Java], "class A implements ", "B%, ", "C {}", ""),
    (&[Java], "", "interface A% { int a(); }\n", "", ""),
    (&[CSharp], "", "using A.B%;\n", "", ""),
    (&[CSharp], "", "namespace A { ", "", "}"),
    (&[CSharp], "", "[A(b)] ", "class C {}", ""),
    (&[CSharp], "", "[A, B(c)]\nclass C% {}\n", "", ""),
    (&[CSharp], "class A { ", "int P% { get { return q; } set { q = value; } }\n", "}", ""),
    (&[CSharp], "class A<", "T%, ", "U> where U : B {}", ""),
    (&[CSharp], "class A<T> ", "where T : B ", "{}", ""),
    (&[CSharp], "class A { void f() { x = ", "from a in b select ", "c; } }", ""),
    (&[CSharp], "class A { void f() { x = a switch { ", "B b => c, ", "}; } }", ""),
    (&[CSharp], "class A { void f() { x = $\"", "{a}", "\"; } }", ""),
    (&[CSharp], "", "#if A\n", "", "#endif\n"),
    (&[CSharp], "", "#if A\nclass B% {\n#else\nclass C% {\n#endif\n}\n", "", ""),
    (&[CSharp], "", "/// <summary>a</summary>\n", "class A {}", ""),
    (&[CSharp], "class A : ", "B%, ", "C {}", ""),
    (&[CSharp], "", "partial class A { int x%; }\n", "", ""),
    (&[CSharp], "class A { (", "int a%, ", "int b) f() {} }", ""),
    (&[CSharp], "class A { void f() { (", "var a%, ", "var b) = c; } }", ""),
    (&[CSharp], "x = \"\"\"", "\"", "", ""),
    (&[Kotlin], "", "fun f%(a: A = 1, b: B<C>): D = a.g(b).h\n", "", ""),
    (&[Kotlin], "", "fun f() = g()\n", "", ""),
    (&[Kotlin], "fun f(", "a%: A, ", ") {}", ""),
    (&[Kotlin], "class A(", "val a%: A, ", ")", ""),
    (&[Kotlin], "", "val a% = b.c { d -> e(d) }\n", "", ""),
    (&[Kotlin], "val x = ", "a { ", "b", "}"),
    (&[Kotlin], "val x: ", "A<", "B", ">"),
    (&[Kotlin], "val x: ", "(A) -> ", "B", ""),
    (&[Kotlin], "val x = ", "if (a) b else ", "c", ""),
    (&[Kotlin], "val x = when (a) {", " B% -> c()\n", "}", ""),
    (&[Kotlin], "", "import a.b.C%\n", "", ""),
    (&[Kotlin], "", "@A(b) ", "class B", ""),
    (&[Kotlin], "", "fun A.f%() = this.b\n", "", ""),
    (&[Kotlin], "class A { ", "companion object { ", "", "}"),
    (&[Kotlin], "val x = \"", "${a} $b ", "\"", ""),
    (&[Kotlin], "val x = a", "!!", "", ""),
    (&[Kotlin], "val x = a", " ?: b", "", ""),
    (&[Kotlin], "val x = a", " as B", "", ""),
    (&[Kotlin], "val x = a", " f b", "", ""),
    (&[Kotlin], "enum class A { ", "a%, ", "}", ""),
    (&[Kotlin], "", "/*", "", "*/"),
    (&[Kotlin], "class A : ", "B%(), ", "C", ""),
    (&[Kotlin], "fun f() {", " val a% = b\n c(a%)\n", "}", ""),
    (&[Kotlin], "", "a<b>(c) ", "", ""),
    // Go
    (&[Go], "package a\n", "func f%(a int, b *c.D) (e, error) { return a.g(b), nil }\n", "", ""),
    (&[Go], "package a\n", "func (a *A) f%() { a.b = c() }\n", "", ""),
    (&[Go], "package a\nfunc f(", "a% int, ", ") {}", ""),
    (&[Go], "package a\nimport (", "\"a/b%\"\n", ")", ""),
    (&[Go], "package a\nconst (", "a% = iota\n", ")", ""),
    (&[Go], "package a\nvar ", "a%, ", "b = c()", ""),
    (&[Go], "package a\nvar ", "a%, ", "b int", ""),
    (&[Go], "package a\ntype A struct {", " a% B `c:\"d\"`\n", "}", ""),
    (&[Go], "package a\ntype A ", "struct { a ", "B", "}"),
    (&[Go], "package a\ntype A interface {", " F%(a B) C\n", "}", ""),
    (&[Go], "package a\nvar x = ", "A{b: ", "1", "}"),
    (&[Go], "package a\nvar x = ", "func() { ", "", "}"),
    (&[Go], "package a\nvar x ", "[]", "A", ""),
    (&[Go], "package a\nvar x ", "map[A]", "B", ""),
    (&[Go], "package a\nvar x ", "A[", "B", "]"),
    (&[Go], "package a\nvar x ", "func(A) ", "B", ""),
    (&[Go], "package a\nfunc f() {", " a%, err := b()\n if err != nil { return err }\n", "}", ""),
    (&[Go], "package a\nfunc f() {", "if a { b() } else ", "{} }", ""),
    (&[Go], "package a\nfunc f() { switch a {", "case %: b()\n", "} }", ""),
    (&[Go], "package a\nfunc f() { ", "go func() { ", "", "}()"),
    (&[Go], "package a\nfunc f[", "T% any, ", "U any]() {}", ""),
    // Rust
    (&[Rust], "", "fn f%(a: &A, b: B<C>) -> D { a.g(b)?.h }\n", "", ""),
    (&[Rust], "fn f(", "a%: A, ", ") {}", ""),
    (&[Rust], "", "impl A { fn f%(&self) { self.b.c() } }\n", "", ""),
    (&[Rust], "impl A {\n", "fn f%(&self) { self.b.c() }\n", "}", ""),
    (&[Rust], "", "mod a { ", "", "}"),
    (&[Rust], "", "fn f() { ", "", "}"),
    (&[Rust], "", "use a::b%::C;\n", "", ""),
    (&[Rust], "use a::{", "b%, ", "};", ""),
    (&[Rust], "use a::{", "b::{", "c", "}"),
    (&[Rust], "use ", "a::", "b;", ""),
    (&[Rust], "", "#[a(b = \"c\")]\n", "fn f() {}", ""),
    (&[Rust], "#[derive(", "A%, ", ")] struct B;", ""),
    (&[Rust], "", "/// a\n", "fn f() {}", ""),
    (&[Rust], "", "m!(a%, b.c());\n", "", ""),
    (&[Rust], "m!(", "a.b(c), ", ");", ""),
    (&[Rust], "m!", "(", "a", ")"),
    (&[Rust], "m!(", "n!(", "a", ")"),
    (&[Rust], "m!{ ", "fn f%() { a() }\n", "}", ""),
    (&[Rust], "macro_rules! a { ", "(b) => { c!() };\n", "}", ""),
    (&[Rust], "enum A { ", "B%(C), ", "}", ""),
    (&[Rust], "struct A { ", "b%: C, ", "}", ""),
    (&[Rust], "struct A<", "T%: B, ", ">;", ""),
    (&[Rust], "fn f<T>() where ", "T: B<C>, ", "{}", ""),
    (&[Rust], "type A = ", "B<", "C", ">;"),
    (&[Rust], "type A = ", "&", "C;", ""),
    (&[Rust], "type A = impl ", "B + ", "C;", ""),
    (&[Rust], "fn f() { ", "let a% = b(); c(a%);\n", "}", ""),
    (&[Rust], "fn f() { match a { ", "B::C(d) if e => f(),\n", "} }", ""),
    (&[Rust], "fn f() { match a { ", "B | ", "C => d } }", ""),
    (&[Rust], "fn f() { x = ", "|a| ", "b; }", ""),
    (&[Rust], "fn f() { ", "if let A(b) = c { d() } else ", "{} }", ""),
    (&[Rust], "fn f() { ", "{ let a = b; ", "", "}"),
    (&[Rust], "fn f() { x = a", "?", "; }", ""),
    (&[Rust], "", "/*", "", "*/"),
    (&[Rust], "x = r", "#", "\"", ""),
    (&[Rust], "fn f() { let ", "(a, ", "b", ")"),
    // C and C++
    (&[C, Cpp], "", "int f%(int a, struct b *c) { return g(a, c->d); }\n", "", ""),
    (&[C, Cpp], "", "int f%(int a);\n", "", ""),
    (&[C, Cpp], "int f(", "int a%, ", "int z) {}", ""),
    (&[C, Cpp], "int ", "a%, ", "z;", ""),
    (&[C, Cpp], "/* ", "a ", "*/ int a, b, c;", ""),
    (&[C, Cpp], "int ", "*", "a;", ""),
    (&[C, Cpp], "int ", "(*", "a", ")(int)"),
    (&[C, Cpp], "int a", "[1]", ";", ""),
    (&[C, Cpp], "", "#define A% b(c)\n", "", ""),
    (&[C, Cpp], "", "#define A(x) x \\\n", "", ""),
    (&[C, Cpp], "#define A ", "b(c) \\\n", "d", ""),
    (&[C, Cpp], "", "#ifdef A\n", "", "#endif\n"),
    (&[C, Cpp], "", "#ifdef A\nint a%;\n#else\nint b%;\n#endif\n", "", ""),
    (&[C, Cpp], "#ifdef A\n", "#elif B\nint b%;\n", "#endif\n", ""),
    (&[C, Cpp], "", "#include \"a%.h\"\n", "", ""),
    (&[C, Cpp], "", "struct a { ", "int b;", "};"),
    (&[C, Cpp], "struct a { ", "int b%; ", "};", ""),
    (&[C, Cpp], "enum a { ", "b% = 1, ", "};", ""),
    (&[C, Cpp], "int a[] = ", "{", "1", "}"),
    (&[C, Cpp], "struct a b[] = {", "{ .c = d, .e = f },\n", "};", ""),
    (&[C, Cpp], "", "A(b) ", "int c;", ""),
    (&[C, Cpp], "", "A(b%)\n", "", ""),
    (&[C, Cpp], "", "API_%(int) f%(void);\n", "", ""),
    (&[C, Cpp], "", "__attribute__((a)) ", "int b;", ""),
    (&[C, Cpp], "int f() { ", "if (a) b(); else ", "c(); }", ""),
    (&[C, Cpp], "int f() { ", "int a% = b(c); d(a%);\n", "}", ""),
    (&[C, Cpp], "int f() { switch (a) {", "case %: b(); break;\n", "} }", ""),
    (&[C, Cpp], "int x = ", "(a)", "b;", ""),
    (&[C, Cpp], "int x = ", "(a)(", "b", ")"),
    (&[C, Cpp], "int x = ", "sizeof ", "b;", ""),
    (&[C, Cpp], "typedef ", "int a%, ", "b;", ""),
    (&[C, Cpp], "typedef int ", "a%, ", "b;", ""),
    (&[C, Cpp], "extern \"C\" { ", "int f%(void);\n", "}", ""),
    (&[C, Cpp], "", "extern \"C\" { ", "", "}"),
    (&[C], "", "int f(a) int a; { return a; }\n", "", ""),
    (&[Cpp], "", "namespace a { ", "", "}"),
    (&[Cpp], "", "class A% : public B { void f() { g(); } };\n", "", ""),
    (&[Cpp], "class A { ", "void f%() { g(); }\n", "};", ""),
    (&[Cpp], "class A { ", "class B { ", "", "};"),
    (&[Cpp], "", "void A::f%(int a) { b.c(a); }\n", "", ""),
    (&[Cpp], "", "template<class T> ", "class A {};", ""),
    (&[Cpp], "template<", "class T%, ", "class U> class A {};", ""),
    (&[Cpp], "template<", "template<class T> class ", "U> class A {};", ""),
    (&[Cpp], "", "A<", "B", "> c;"),
    (&[Cpp], "int x = ", "a<b", ";", ">"),
    (&[Cpp], "int x = ", "a < b > ", "c;", ""),
    (&[Cpp], "auto x = ", "[&](int a) { return ", "b;", "}"),
    (&[Cpp], "auto x = ", "[]{", "", "}"),
    (&[Cpp], "int x = a", " << b", ";", ""),
    (&[Cpp], "", "operator ", "", ""),
    (&[Cpp], "A::A() : ", "a%(b), ", "c(d) {}", ""),
    (&[Cpp], "class A : ", "public B%, ", "public C {};", ""),
    (&[Cpp], "x = ", "R\"a(", ")a\";", ""),
    (&[Cpp], "", "R\"%(\n", "", ""),
    (&[Cpp], "", "using A% = B<C>;\n", "", ""),
    (&[Cpp], "int f() { ", "A b(c);\n", "}", ""),
    (&[Cpp], "int f() { ", "try { a(); } catch (B& c) { d(); }\n", "}", ""),
    // PHP
    (&[Php], "<?php\n", "function f%($a, B $c = 1): D { return $a->b($c)->d; }\n", "", ""),
    (&[Php], "<?php\nfunction f(", "$a%, ", "$z) {}", ""),
    (&[Php], "<?php\nclass A {\n", "function f%() { $this->a = B::c(); }\n", "}", ""),
    (&[Php], "<?php\nclass A {\n", "private $a%;\n", "}", ""),
    (&[Php], "<?php\nclass A {\nconst ", "A% = 1, ", "B = 2;\n}", ""),
    (&[Php], "<?php\n", "use A\\B%;\n", "", ""),
    (&[Php], "<?php\nuse A\\{", "B%, ", "C};", ""),
    (&[Php], "<?php\nuse ", "A\\", "B;", ""),
    (&[Php], "<?php\n", "$a->b()->", "c;", ""),
    (&[Php], "<?php\n", "$a[", "b", "]"),
    (&[Php], "<?php\n", "$$", "b;", ""),
    (&[Php], "<?php\n$x = ", "array(", "b", ")"),
    (&[Php], "<?php\n$x = [", "'a%' => [b, c()],\n", "];", ""),
    (&[Php], "<?php\n$x = ", "fn($a) => ", "b;", ""),
    (&[Php], "<?php\n$x = ", "function() { ", "", "}"),
    (&[Php], "<?php\n", "if ($a) { b(); } else ", "{}", ""),
    (&[Php], "<?php\nif ($a) {}", "elseif ($b) { c(); }\n", "", ""),
    (&[Php], "<?php\nswitch ($a) {", "case %: b(); break;\n", "}", ""),
    (&[Php], "<?php\n$x = \"", "$a {$b->c} ", "\";", ""),
    (&[Php], "<?php\n$x = \"", "{$a[\"", "", ""),
    (&[Php], "<?php\n", "$x = <<<A\nb $c\nA;\n", "", ""),
    (&[Php], "<?php\n", "<<<A%\n", "", ""),
    (&[Php], "", "<?php a(); ?>\nhtml\n", "", ""),
    (&[Php], "", "<?= $a ?>", "", ""),
    (&[Php], "<?php\n", "#[A(b)] ", "class B {}", ""),
    (&[Php], "<?php\n", "class A% extends B implements C { use D; }\n", "", ""),
    (&[Php], "<?php\nclass A implements ", "B%, ", "C {}", ""),
    (&[Php], "<?php\n", "new class { function f() { ", "", "} }"),
    (&[Php], "<?php\n", "define('A%', 1);\n", "", ""),
    (&[Php], "<?php\n", "namespace A% { class B {} }\n", "", ""),
    (&[Php], "<?php\n", "$a% = new B; $a%->c();\n", "", ""),
    (&[Php], "<?php\n", "(int) ", "b;", ""),
    (&[Php], "<?php\n", "@", "b;", ""),
    (&[Php], "<?php\n/**\n", " * @property A $a%\n", " */ class B {}", ""),
    // Ruby
    (&[Ruby], "", "def f%(a, b = 1) a.c(b) { |d| d.e } end\n", "", ""),
    (&[Ruby], "def f(", "a%, ", "z) end", ""),
    (&[Ruby], "", "class A\n", "", "end\n"),
    (&[Ruby], "", "module A% def f; @a = b; end end\n", "", ""),
    (&[Ruby], "class A\n", "attr_accessor :a%\n", "end", ""),
    (&[Ruby], "class A\nattr_accessor ", ":a%, ", ":b\nend", ""),
    (&[Ruby], "class A\n", "private\n", "end", ""),
    (&[Ruby], "class A\n", "def f%; end\nprivate :f%\n", "end", ""),
    (&[Ruby], "class A\n", "define_method(:f%) { g }\n", "end", ""),
    (&[Ruby], "class A\n", "alias a% b%\n", "end", ""),
    (&[Ruby], "class A\n", "include B%\n", "end", ""),
    (&[Ruby], "", "begin\n", "", "end\n"),
    (&[Ruby], "", "if a\n", "", "end\n"),
    (&[Ruby], "if a\n", "elsif b%\n c\n", "end", ""),
    (&[Ruby], "case a\n", "when %; b\n", "end", ""),
    (&[Ruby], "", "a do |b|\n", "", "end\n"),
    (&[Ruby], "", "a { |b| ", "", "}"),
    (&[Ruby], "x = ", "->(a) { ", "", "}"),
    (&[Ruby], "x = ", "\"#{", "a", "}\""),
    (&[Ruby], "x = \"", "#{a} ", "\"", ""),
    (&[Ruby], "x = ", "%w(", "a", ")"),
    (&[Ruby], "x = ", "%(", "a", ")"),
    (&[Ruby], "x = %w(", "a% ", ")", ""),
    (&[Ruby], "", "x = <<~A\nb #{c}\nA\n", "", ""),
    (&[Ruby], "", "<<A%, ", "", ""),
    (&[Ruby], "", "<<~A\n#{", "", ""),
    (&[Ruby], "x = {", "a%: b, ", "c: d}", ""),
    (&[Ruby], "x = {", "a => {", "", "}"),
    (&[Ruby], "", "A::B%.c :d, e: f\n", "", ""),
    (&[Ruby], "", "a b ", "", ""),
    (&[Ruby], "", "a = b = ", "1", ""),
    (&[Ruby], "a", ", b%", " = 1", ""),
    (&[Ruby], "x = ", "/a", "", ""),
    (&[Ruby], "", "A% = 1\n", "", ""),
    (&[Ruby], "", "=begin\na\n=end\n", "", ""),
    (&[Ruby], "", "a rescue ", "b", ""),
    (&[Ruby], "", "require 'a%'\n", "", ""),
    (&[Ruby], "a", " if b", "", ""),
    (&[Ruby], "a", " ? b : c", "", ""),
    // Bash
    (&[Bash], "", "f%() { local a=$1; g \"$a\"; }\n", "", ""),
    (&[Bash], "", "function f { ", ":", "; }"),
    (&[Bash], "", "if a; then\n", ":\n", "fi\n"),
    (&[Bash], "if a; then b\n", "elif c; then d\n", "fi\n", ""),
    (&[Bash], "case $a in\n", "b%) c ;;\n", "esac", ""),
    (&[Bash], "", "for a in b; do\n", ":\n", "done\n"),
    (&[Bash], "", "while a; do\n", ":\n", "done\n"),
    (&[Bash], "x=", "$(", "a", ")"),
    (&[Bash], "x=", "`", "a", ""),
    (&[Bash], "x=", "\"$(", "a", ")\""),
    (&[Bash], "x=", "${a:-", "b", "}"),
    (&[Bash], "x=\"", "$a ${b} ", "\"", ""),
    (&[Bash], "x=(", "a% ", ")", ""),
    (&[Bash], "x=$((", "1 + ", "1))", ""),
    (&[Bash], "x=$((", "(", "1", ")"),
    (&[Bash], "", "a | ", "b", ""),
    (&[Bash], "", "a && ", "b", ""),
    (&[Bash], "", "a% >b 2>&1\n", "", ""),
    (&[Bash], "", "cat <<A\n$b\nA\n", "", ""),
    (&[Bash], "", "cat <<A%\n", "", ""),
    (&[Bash], "cat ", "<<A ", "\n", ""),
    (&[Bash], "", "cat <<A\n$(", "", ""),
    (&[Bash], "", "a%=b\n", "", ""),
    (&[Bash], "", "local a%=b\n", "", ""),
    (&[Bash], "declare ", "a%=b ", "", ""),
    (&[Bash], "export ", "A%=b ", "", ""),
    (&[Bash], "f() { declare ", "a%=b ", "; }", ""),
    (&[Bash], "f() { declare ", "a% ", "; }", ""),
    (&[Bash], "a ", "b% ", "", ""),
    (&[Bash], "", "a=b ", "c", ""),
    (&[Bash], "[[ ", "a && ", "b ]]", ""),
    (&[Bash], "[[ ", "( ", "b ", ") "),
    (&[Bash], "[[ a =~ ", "(b", "", ")"),
    (&[Bash], "", "( ", "a", " )"),
    (&[Bash], "", "{ ", "a", "; }"),
    (&[Bash], "", "source a%\n", "", ""),
    (&[Bash], "", "trap f% EXIT\n", "", ""),
    (&[Bash], "", "echo a{b,c}", "", ""),
    (&[Bash], "echo ", "{a,", "b", "}"),
];
