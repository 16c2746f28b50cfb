//! Small files that have much to do with each other, to be edited at random.

/// Paths, each with a few versions of its text. They import, re-export, inherit, shadow and name each other.
pub(crate) const POOL: &[(&str, &[&str])] = &[
    (
        "pkg/__init__.py",
        &[
            "",
            "from .a import A, f\n",
            "from .b import *\nfrom .a import *\n",
            "from . import a, b\nfrom .c import A\n",
        ],
    ),
    (
        "pkg/a.py",
        &[
            "class A:\n    def m(self):\n        return self\n\ndef f():\n    return A()\n",
            "from .b import B\nclass A(B):\n    pass\n\ndef f() -> B:\n    return A()\n",
            "from .b import A, f\n",
            "def f():\n    pass\n\nclass A:\n    x = 1\n    def n(self):\n        f()\n",
        ],
    ),
    (
        "pkg/b.py",
        &[
            "class B:\n    def m(self):\n        self.n()\n    def n(self):\n        pass\n",
            "from .a import A, f\nclass B(A):\n    def only(self):\n        f()\n",
            "__all__ = ['B']\nfrom .c import f\nclass B:\n    def m(self):\n        f()\n",
            "from .c import *\n",
        ],
    ),
    (
        "pkg/c.py",
        &[
            "from pkg import A\ndef f():\n    return A().m()\n",
            "from pkg.b import *\nclass A(B):\n    def special(self):\n        self.m()\n",
            "def f():\n    return f()\n",
        ],
    ),
    (
        "main.py",
        &[
            "import pkg\nfrom pkg import f, A\n\ndef main():\n    f().m()\n    A().n()\n    pkg.a.f()\n",
            "from pkg.b import B\n\ndef main(x, b: B):\n    b.m()\n    x.only()\n    x.special()\n",
            "from pkg.c import A\n\ndef main():\n    a = A()\n    a.special()\n    a.m().n()\n",
        ],
    ),
    ("pkg.py", &["def f():\n    pass\n"]),
    ("pkg/a/__init__.py", &["def f():\n    pass\n"]),
    (
        "other.py",
        &[
            "class Z:\n    def only(self):\n        pass\n",
            "class Z:\n    def special(self):\n        pass\n",
        ],
    ),
    (
        "web/index.ts",
        &[
            "export * from './a';\n",
            "export { A as B, f } from './a';\nexport * from './b';\n",
            "export * from '.';\n",
        ],
    ),
    (
        "web/a.ts",
        &[
            "export class A { go() { this.stop(); } stop() {} }\nexport function f(): A { return new A(); }\n",
            "import { B } from './b';\nexport class A extends B {}\nexport const f = () => new A();\n",
            "export type Visit = (b: B) => void;\nexport function f(v: Visit) {}\nexport class B { go() {} }\n",
        ],
    ),
    (
        "web/b.ts",
        &[
            "import { A, f } from '.';\nexport class B { go() { f().go(); } }\nexport function g(a: A) { a.stop(); }\n",
            "import { f } from './index';\nexport function g() { f((b) => b.go()); }\n",
            "export { A } from './a';\nexport class B { stop() {} }\n",
        ],
    ),
    ("web/a/index.ts", &["export function f() {}\n"]),
    (
        "web/make.js",
        &[
            "function make() { function go() { return new T(); } return { go, stop() {} }; }\nclass T { run() {} }\nexports.make = make;\n",
            "function make() { function go() {} const o = { stop() { return go; } }; return { go: o.stop, o, stop: go }; }\nexports.make = make;\n",
            "exports.make = function () { const go = () => {}; return { go, stop() {}, stop: () => {} }; };\n",
            "function make() { return { ...other() }; }\nfunction other() { function go() {} return { go }; }\nmodule.exports = { make };\n",
        ],
    ),
    (
        "web/types.js",
        &[
            "/** @typedef {import('./make').T} T */\n/** @typedef {{ t: T }} C */\n",
            "/**\n * @typedef {object} C\n * @property {T} t\n */\nexports.T = class T { run() {} };\n",
        ],
    ),
    (
        "web/use.js",
        &[
            "const { make } = require('./make');\nfunction use() { const m = make(); m.go().run(); m.stop(); m.o.stop(); }\n",
            "/** @import { C } from './types' */\nconst m = require('./make');\n/** @param {C} c */\nfunction use(c) { c.t.run(); m.make().stop(); }\n",
        ],
    ),
    (
        "src/lib.rs",
        &[
            "pub mod a;\nmod b;\npub use a::*;\npub fn top() { make().go(); }\n",
            "mod a;\nmod b;\nuse b::{make, Thing};\npub fn top(t: Thing) { make().go(); t.stop(); }\n",
        ],
    ),
    (
        "src/a.rs",
        &[
            "use crate::b::Thing;\npub fn make() -> Thing { Thing::new() }\n",
            "pub use crate::b::*;\nimpl Thing { pub fn stop(&self) { self.go() } }\n",
            "pub trait Go { fn go(&self) { self.stop() } fn stop(&self); }\n",
        ],
    ),
    (
        "src/b.rs",
        &[
            "pub struct Thing;\nimpl Thing { pub fn new() -> Self { Self } pub fn go(&self) {} }\npub fn make() -> Thing { Thing }\n",
            "use crate::a::Go;\npub struct Thing;\nimpl Go for Thing { fn stop(&self) {} }\npub use crate::a::make;\n",
        ],
    ),
    ("src/b/mod.rs", &["pub struct Thing;\n"]),
    (
        "go/a.go",
        &[
            "package p\n\ntype T struct{}\n\nfunc Make() *T { return &T{} }\n\nfunc use() { Make().Go() }\n",
            "package p\n\ntype T []*U\n\nfunc use(t T) { for _, u := range t { u.Go() } }\n",
        ],
    ),
    (
        "go/b.go",
        &[
            "package p\n\nfunc (t *T) Go() { use() }\n",
            "package p\n\ntype U struct{ *T }\n\nfunc (u *U) Go() { u.Stop() }\n\nfunc (t T) Stop() {}\n",
        ],
    ),
    (
        "c/a.c",
        &[
            "#include \"a.h\"\nvoid f(void) { g(); h(); }\n",
            "static void g(void) {}\nvoid f(void) { g(); h(); }\n",
        ],
    ),
    ("c/a.h", &["void g(void);\n#include \"b.h\"\n", "#define g() 1\n"]),
    ("c/b.h", &["static void g(void) {}\n", "#include \"a.h\"\n"]),
    ("c/b.c", &["void g(void) {}\nvoid h(void) {}\n", "static void h(void) {}\n"]),
    (
        "k/core.h",
        &[
            "struct s { int n; struct s *next; };\nint open_it(struct s *p);\nextern int level;\n#define RUN(p) open_it(p)\n",
            "struct s { int n; struct s *next; };\nint open_it(struct s *p);\nint close_it(struct s *p);\nextern int level;\n#define RUN(p) close_it(p)\n",
            "typedef struct s { int n; } s_t;\ns_t *make(void);\nstatic int helper(int x);\nstatic inline int open_it(s_t *p) { return helper(p->n); }\n",
            "struct s { int n; struct s *next; };\nstruct s *open_it(struct s *p);\n#define level open_it(0)->n\n#define close_it open_it\n",
        ],
    ),
    (
        "k/core.c",
        &[
            "#include \"core.h\"\nint open_it(struct s *p) { return p->n; }\nstatic int helper(int x) { return x; }\n",
            "#include \"core.h\"\nint open_it(struct s *p) { return helper(p->n); }\nint helper(int x) { return x; }\nint level = 1;\n",
            "#include \"core.h\"\nint close_it(struct s *p) { return 0; }\nint other(void) { return RUN(0); }\n",
            "#include \"core.h\"\nstruct s *open_it(struct s *p) { return p; }\nint close_it(struct s *p) { return open_it(p)->next->n; }\n",
        ],
    ),
    (
        "k/use.c",
        &[
            "#include \"core.h\"\nint use(struct s *p) { RUN(p); close_it(p); return open_it(p) + level + helper(1); }\n",
            "#include \"core.c\"\nint use(void) { return helper(make()->n) + open_it(make()) + other(); }\n",
            "#include \"core.h\"\nint use(struct s *p) { return open_it(p)->next->n + level; }\nint helper(int x) { return x; }\n",
        ],
    ),
    (
        "k/other.c",
        &[
            "int open_it(void *p) { return 1; }\n",
            "static int open_it(void *p) { return 1; }\nint level;\nint helper(int x) { return open_it(0); }\n",
            "#define open_it close_it\nint close_it(int x) { return open_it(x); }\n",
        ],
    ),
    (
        "k/made.hpp",
        &[
            "#include \"core.h\"\nstruct R { void go(); };\nR other_it();\ninline auto make_it() { return other_it(); }\nstatic auto made = other_it();\n",
            "struct R { void go(); };\nstruct Q { void go(); };\ninline Q other_it() { return {}; }\ninline auto make_it() { return other_it(); }\nauto made = make_it();\n",
            "struct R { void go(); };\nR make_it();\n#define other_it make_it\n",
            "struct R { void go(); };\nstruct Q { void go(); };\ninline R other_it() { return {}; }\ninline auto make_it() { return other_it(); }\nauto made = make_it();\n",
        ],
    ),
    (
        "k/made.cpp",
        &[
            "#include \"made.hpp\"\nvoid R::go() {}\nvoid run() { make_it().go(); made.go(); other_it().go(); open_it(0); }\n",
            "#include \"made.hpp\"\nusing T = decltype(make_it());\nvoid run(T t) { auto m = made; m.go(); t.go(); }\nR other_it() { return R(); }\n",
        ],
    ),
    (
        "m/kinds.h",
        &[
            "enum color { RED, GREEN };\nstruct crate { int n; };\nstruct box { int n; struct box *next; };\n",
            "enum color { GREEN };\nenum { RED };\nstruct box { union { int n; long m; }; struct box *next; };\n",
            "enum color { RED, GREEN, BLUE };\nstruct crate { int n; };\nstruct box { int n; struct crate *next; };\n",
            "struct box;\nenum color { RED };\nstruct crate { int n; };\n#define box crate\n",
        ],
    ),
    (
        "m/kinds.c",
        &[
            "#include \"kinds.h\"\nint count(struct box *b) { return b->next->n + RED; }\n",
            "#include \"kinds.h\"\nint count(struct box *b) { return b->m + b->n->n + GREEN; }\nstatic struct box made = { .n = RED, .next = 0 };\n",
            "#include \"kinds.h\"\nenum own { RED, BLUE };\nint count(struct box b) { enum { GREEN } c = GREEN; return b.n + RED + BLUE + c; }\n",
        ],
    ),
    (
        "m/kinds.cpp",
        &[
            "#include \"kinds.h\"\nstruct bin : box { int m; };\nint other(bin *b) { return b->n + b->m + color::RED + GREEN; }\n",
            "#include \"kinds.h\"\nenum class tint { RED };\nint other(box *b) { return b->next->m + RED + (int)tint::RED; }\n",
        ],
    ),
    (
        "m/links.h",
        &[
            "struct crate { int n; };\ntypedef struct crate link;\nstruct chain { int n; link *next; };\n",
            "struct crate { int n; };\ntypedef struct chain link;\nstruct chain { int n; link *next; };\n",
            "struct crate { int n; };\ntypedef struct crate link;\nstruct chain { int n; struct chain *next; };\n",
            "struct crate { long m; };\nstruct chain { int n; struct { int n; struct crate *next; } *next; };\nint n;\n",
        ],
    ),
    (
        "m/links.c",
        &[
            "#include \"links.h\"\nint count(struct chain *c) { return c->next->n; }\n",
            "#include \"links.h\"\nstatic struct chain *all;\nint count(void) { return all->next->n + n; }\n",
        ],
    ),
    (
        "m/links.cpp",
        &["#include \"links.h\"\nstruct own : chain {};\nint other(own *c) { return c->next->n; }\n"],
    ),
    (
        "cpp/a.h",
        &[
            "namespace n { class A { public: void f(); void g() { f(); } }; void h(); }\n",
            "#include \"b.h\"\nnamespace n { class A : public B { public: void f(); }; }\n",
        ],
    ),
    (
        "cpp/b.h",
        &[
            "#include \"a.h\"\nnamespace n { class B { public: void k(); }; }\n",
            "namespace n { void h(); }\n",
        ],
    ),
    (
        "cpp/a.cpp",
        &[
            "#include \"a.h\"\nnamespace n { void A::f() { g(); k(); h(); } void h() {} }\n",
            "#include \"b.h\"\nusing namespace n;\nvoid use(A* a) { a->f(); a->k(); h(); }\n",
        ],
    ),
    ("cpp/b.cpp", &["#include \"b.h\"\nvoid n::B::k() { f(); }\n", "namespace n { void h() {} }\n"]),
    (
        "java/p/A.java",
        &[
            "package p;\npublic class A extends B { void f() { g(1); h(); } void g(int i) {} void g(String s) {} }\n",
            "package p;\nimport q.*;\npublic class A { C c; void f() { c.g(); new B().h(); } }\n",
        ],
    ),
    (
        "java/p/B.java",
        &[
            "package p;\npublic class B { B h() { return this; } }\n",
            "package q;\npublic class B { void h() {} }\n",
        ],
    ),
    (
        "java/q/C.java",
        &[
            "package q;\npublic class C extends p.A { void g() { f(); super.f(); } }\n",
            "package p;\npublic class C { void g() {} }\n",
        ],
    ),
    (
        "ws/tsconfig.json",
        &[
            "{ \"compilerOptions\": { \"paths\": { \"@/*\": [\"./src/*\"] } } }",
            "{ \"extends\": \"./tsconfig.base.json\" }",
            "{ \"files\": [], \"references\": [{ \"path\": \"./tsconfig.base.json\" }] }",
        ],
    ),
    (
        "ws/tsconfig.base.json",
        &[
            "{ \"compilerOptions\": { \"baseUrl\": \"./src\" } }",
            "{ \"compilerOptions\": { \"baseUrl\": \".\", \"paths\": { \"*\": [\"./lib/*\"], \"@/box\": [\"./lib/box\"] } } }",
        ],
    ),
    (
        "ws/package.json",
        &[
            "{ \"name\": \"ws\", \"main\": \"dist/box.js\" }",
            "{ \"name\": \"other\", \"exports\": { \"./*\": \"./lib/*.js\" } }",
        ],
    ),
    (
        "ws/src/main.ts",
        &[
            "import { Box } from '@/box';\nexport function main(b: Box<Box<string>>) { b.get().get(); b.get().put(); }\n",
            "import { Box } from 'ws';\nimport { Box as Other } from 'other/box';\nexport function main() { new Box().get(); new Other().get(); }\n",
        ],
    ),
    (
        "ws/src/box.ts",
        &[
            "export class Box<T> { item: T; get(): T { return this.item; } put() {} }\n",
            "export * from '../lib/box';\n",
        ],
    ),
    (
        "ws/lib/box.ts",
        &[
            "export interface Box<T> { get(): Box<T>; put(): T; }\n",
            "import { Box as Base } from '@/box';\nexport class Box<A> extends Base<A> { put() { this.get(); } }\n",
        ],
    ),
    (
        "cr/a/Cargo.toml",
        &[
            "[package]\nname = \"a\"\n",
            "[package]\nname = \"x-y\"\n[lib]\nname = \"a\"\npath = \"src/root.rs\"\n",
        ],
    ),
    (
        "cr/b/Cargo.toml",
        &[
            "[package]\nname = \"b\"\n[dependencies]\nz = { path = \"../a\", package = \"x-y\" }\n",
            "[package]\nname = \"b\"\n[dependencies]\nz = { workspace = true }\n[[bin]]\nname = \"b\"\npath = \"src/main.rs\"\n",
        ],
    ),
    (
        "cr/Cargo.toml",
        &["[workspace.dependencies]\nz = { path = \"a\" }\n", "[workspace]\nmembers = [\"a\", \"b\"]\n"],
    ),
    (
        "cr/a/src/lib.rs",
        &[
            "pub mod map;\npub use map::Map;\npub struct V;\nimpl V { pub fn go(&self) {} }\n",
            "pub struct Map<A>(A);\nimpl<A> Map<A> { pub fn get(&self) -> &A { &self.0 } }\n",
        ],
    ),
    ("cr/a/src/root.rs", &["mod map;\npub use map::*;\npub use crate::map::Map as V;\n"]),
    (
        "cr/a/src/map.rs",
        &[
            "pub struct Map<T> { all: Vec<T> }\nimpl<U> Map<U> { pub fn get(&self) -> Option<&U> { self.all.first() } pub fn go(&self) {} }\nimpl<U> Iterator for Map<U> { type Item = U; fn next(&mut self) -> Option<U> { None } }\n",
            "use crate::V;\npub struct Map<T> { inner: V, other: T }\nimpl<T> std::ops::Deref for Map<T> { type Target = V; fn deref(&self) -> &V { &self.inner } }\n",
        ],
    ),
    (
        "cr/b/src/main.rs",
        &[
            "use z::{Map, V};\nfn main() { run(panic!()); }\nfn run(m: Map<V>) { m.get().unwrap().go(); for v in m { v.go(); } }\n",
            "use a::*;\nfn main() { let m: Map<V> = make(); m.go(); m.get().go(); a::map::Map::get(&m); }\n",
        ],
    ),
    ("mo/go.mod", &["module x.y/m\n\nreplace o.p/q => ./q\n", "module o.p\n"]),
    ("mo/q/go.mod", &["module n.m/q\n", "module x.y/m/q\n"]),
    (
        "mo/q/q.go",
        &[
            "package q\n\ntype T[E any] struct{ one E }\n\nfunc (t *T[E]) Get() E { return t.one }\n\nfunc Make() *T[U] { return nil }\n\ntype U struct{}\n\nfunc (U) Go() {}\n",
            "package q\n\nfunc Make() U { return U{} }\n\ntype U struct{ V }\n\ntype V struct{}\n\nfunc (V) Go() {}\n",
        ],
    ),
    (
        "mo/main.go",
        &[
            "package main\n\nimport \"o.p/q\"\n\nfunc main() { q.Make().Get().Go(); q.Make().Go() }\n",
            "package main\n\nimport \"x.y/m/q\"\n\nfunc main() { var t q.T[q.U]; t.Get().Go() }\n",
        ],
    ),
    (
        "pr/pyproject.toml",
        &[
            "[project]\nname = \"one\"\n[tool.setuptools.packages.find]\nwhere = [\"lib\"]\n",
            "[project]\nname = \"two\"\n[tool.setuptools.package-dir]\n\"one\" = \"code\"\n",
        ],
    ),
    (
        "pr/lib/one/__init__.py",
        &[
            "class A(list):\n    def __iter__(self) -> 'Iterator[B]':\n        pass\n\nclass B:\n    def go(self):\n        pass\n",
            "from .part import *\n",
        ],
    ),
    (
        "pr/lib/one/part.py",
        &["class A:\n    def go(self):\n        pass\n    def __getitem__(self, at) -> 'A':\n        pass\n"],
    ),
    ("pr/code/__init__.py", &["class A:\n    def go(self):\n        pass\n"]),
    (
        "pr/main.py",
        &[
            "from one import A\n\ndef main(a: A):\n    for b in a:\n        b.go()\n    a[0].go()\n",
            "import two.part\nimport one\n\ndef main():\n    kind = one.A\n    kind().go()\n",
        ],
    ),
    ("ns/composer.json", &["{ \"name\": \"v/p\", \"autoload\": { \"psr-4\": { \"N\\\\\": \"src/\" } } }"]),
    (
        "ns/a.php",
        &[
            "<?php\nnamespace N;\nclass A extends M\\B { function f() { M\\g(); \\N\\M\\g(); h(); $this->k(); parent::k(); } }\n",
            "<?php\nnamespace N;\nuse N\\M as O;\nuse function N\\M\\g;\nclass A { use O\\B; function f(O\\B $b) { g(); O\\g(); $b->k(); $this->k(); } }\n",
        ],
    ),
    (
        "ns/b.php",
        &[
            "<?php\nnamespace N\\M;\nclass B { function k() {} }\nfunction g() {}\n",
            "<?php\nfunction h() {}\nfunction g() {}\n",
            "<?php\nnamespace N\\M;\ntrait B { function k() { $this->f(); } }\n",
        ],
    ),
    (
        "ns/a.cs",
        &[
            "namespace N { [Mark] class A : M.B { void F() { N.M.B.G(); \"x\".K(); base.H(); } } }\n",
            "using M = N.M;\nnamespace N { class A { void F(M.B b) { b.H(); b.K(); } } }\n",
        ],
    ),
    (
        "ns/b.cs",
        &[
            "namespace N.M { class B { public static void G() {} public void H() {} } class MarkAttribute { public MarkAttribute() {} } }\n",
            "namespace N; static class E { public static void K(this string s) {} } class MarkAttribute {}\n",
            "namespace N.M { class B {} static class E { public static void K(this B b) { b.H(); } } }\n",
        ],
    ),
    (
        "ns/a.rb",
        &[
            "require_relative 'b'\nmodule M\n  class A\n    def f\n      B.new.g\n      C.k\n    end\n  end\nend\n",
            "class M::A < M::B\n  def f\n    g\n    M::C.k\n  end\nend\n",
        ],
    ),
    (
        "ns/b.rb",
        &[
            "module M\n  class B\n    def g; end\n  end\n  class C\n    def self.k; end\n  end\nend\n",
            "class B\n  def g; end\nend\nmodule M\n  C = B\nend\n",
        ],
    ),
    (
        "ns/a.kt",
        &[
            "package n\nimport n.m.k\nclass A(val b: n.m.B<A>) { fun f() { b.get().f(); \"x\".k(); n.m.g() } }\n",
            "package n\nimport n.m.*\nclass A : B<A>() { fun f() { get().f(); g() } }\n",
        ],
    ),
    (
        "ns/b.kt",
        &[
            "package n.m\nopen class B<T> { fun get(): T = TODO() }\nfun g() {}\nfun String.k() {}\n",
            "package n.m\nclass B<T>\nfun B<Int>.get() {}\nfun Int.k() {}\n",
        ],
    ),
    (
        "pk/a.proto",
        &[
            "package p.v1;\nimport \"b.proto\";\nmessage A { B b = 1; p.C c = 2; C d = 3; v1.D e = 4; }\n",
            "package p;\nmessage A { message B {} B b = 1; p.v1.D d = 2; }\n",
            "message A { B b = 1; .p.C c = 2; }\n",
        ],
    ),
    (
        "pk/b.proto",
        &[
            "package p;\nmessage B {}\nmessage C { message D {} D d = 1; }\n",
            "package p.v1;\nmessage B {}\nmessage D { C c = 1; }\n",
            "message B {}\nmessage C {}\n",
        ],
    ),
    (
        "pk/a.lua",
        &[
            "local b = require('pk.b')\nlocal f = b.f\nfunction run(x) b.f(1); f(2); x:g(); b.C.new() end\n",
            "local b = require('b')\nlocal M = {}\nfunction M.f(x) return b.f(x) end\nfunction M:g() return self:f(1) end\nreturn M\n",
        ],
    ),
    (
        "pk/b.lua",
        &[
            "local M = {}\nfunction M.f(x) return x end\nfunction M:g() M.f(self) end\nreturn M\n",
            "local C = {}\nfunction C.f() end\nlocal function g() end\nfunction f() g() end\nreturn C\n",
            "function g() end\n",
        ],
    ),
    ("pk/b/init.lua", &["local M = {}\nfunction M.f(x) return M.h(x) end\nfunction M.h() end\nreturn M\n"]),
    (
        "pk/a.dart",
        &[
            "import 'b.dart';\nclass A extends B { void f() { g(); h(); C().k(); } }\n",
            "import 'package:x/pk/b.dart' as b;\nexport 'c.dart';\nvoid f(b.B x) { x.g(); b.h(); }\n",
        ],
    ),
    (
        "pk/b.dart",
        &[
            "export 'c.dart';\nclass B { void g() {} }\nvoid h() {}\n",
            "import 'a.dart';\nclass B extends C { B(); B.of(); }\nvoid h() => f();\n",
        ],
    ),
    ("pk/c.dart", &["export 'b.dart';\nclass C { C k() => this; }\n", "class C { void g() {} }\n"]),
    (
        "pk/a.ex",
        &[
            "defmodule P.A do\n  alias P.B\n  def f(x), do: B.g(x)\n  def h, do: P.B.C.k()\nend\n",
            "defmodule P.A do\n  alias P.{B, C}\n  import P.B\n  def f(x), do: g(x) |> C.k()\nend\n",
        ],
    ),
    (
        "pk/b.ex",
        &[
            "defmodule P.B do\n  def g(x), do: P.A.f(x)\n  defmodule C do\n    def k, do: 1\n  end\nend\n",
            "defmodule P.C do\n  def k(x), do: x\nend\ndefmodule P.B do\n  defp g(x), do: x\nend\n",
        ],
    ),
    (
        "pk/A.vue",
        &[
            "<script setup lang=\"ts\">\nimport B, { f } from './B.vue'\nfunction g() { f(); B.h() }\n</script>\n",
            "<script>\nexport { f } from './B.vue'\nexport default {}\n</script>\n",
        ],
    ),
    (
        "pk/B.vue",
        &[
            "<script lang=\"ts\">\nexport function f() {}\nexport default { h() { f() } }\n</script>\n",
            "<script>\nimport { f } from './A.vue'\nexport function h() { f() }\n</script>\n<p/>\n",
        ],
    ),
    (
        "pk/a.swift",
        &[
            "class A: B { func f() { g(); C(x: 1).h() } }\nextension B { func k() { g() } }\n",
            "func f(b: B) { b.g(); b.k(); A().f() }\nprivate func only() {}\n",
        ],
    ),
    (
        "pk/b.swift",
        &[
            "class B { func g() { only() } }\nstruct C { let x: Int; func h() {} }\n",
            "extension A { func g() { f() } }\nclass B: A { func k() {} }\nfunc only() {}\n",
        ],
    ),
];

/// Files that have to do with each other, so that edits meet.
pub(crate) const GROUPS: &[&str] =
    &["", "web/", "src/", "go/", "c/", "k/", "m/", "cpp/", "java/", "ws/", "cr/", "mo/", "pr/", "ns/", "pk/"];
