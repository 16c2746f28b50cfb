//! Workspaces of each language: the paths of their files, and the pieces of text that files are made of.
//!
//! In a piece `$T` is one of a few type names, `$f` a function's, `$m` a method's, `$p` a package's, `$n` a module's;
//! `$P` and `$N` are the package and the module that the piece is in. Each occurrence is drawn again, so files import,
//! re-export, inherit from and shadow each other in every way, cycles included.

use sdl_graph::testing::edits::Random;

const TYPES: [&str; 6] = ["Base", "Node", "Item", "Part", "Tool", "View"];
const FUNCTIONS: [&str; 5] = ["build", "check", "load", "merge", "pack"];
const METHODS: [&str; 4] = ["run", "size", "next", "close"];
const PACKAGES: [&str; 3] = ["alpha", "beta", "gamma"];
const MODULES: [&str; 3] = ["one", "two", "three"];

/// The form of a language's workspaces.
pub(crate) struct Dialect {
    pub(crate) name: &'static str,
    /// Paths of a package's files.
    paths: &'static [&'static str],
    /// Files that are the same in every workspace, once for each package if their path names one.
    fixed: &'static [(&'static str, &'static str)],
    /// The beginning of each file.
    head: &'static str,
    imports: &'static [&'static str],
    parts: &'static [&'static str],
}

/// `piece` with names drawn for its placeholders.
fn filled(piece: &str, package: &str, module: &str, random: &mut Random) -> String {
    let mut out = String::new();
    let mut parts = piece.split('$');
    out.push_str(parts.next().unwrap_or(""));
    for part in parts {
        let mut pick = |names: &[&'static str]| random.one_of(names).copied().unwrap_or("");
        out.push_str(match part.chars().next() {
            Some('T') => pick(&TYPES),
            Some('f') => pick(&FUNCTIONS),
            Some('m') => pick(&METHODS),
            Some('p') => pick(&PACKAGES),
            Some('n') => pick(&MODULES),
            Some('P') => package,
            Some('N') => module,
            _ => "$",
        });
        // A word that is not a placeholder keeps its first letter.
        out.push_str(match part.chars().next() {
            Some('T' | 'f' | 'm' | 'p' | 'n' | 'P' | 'N') => &part[1..],
            _ => part,
        });
    }
    out
}

impl Dialect {
    /// The text of one file.
    pub(crate) fn file(&self, path: &str, random: &mut Random) -> String {
        let package = PACKAGES.iter().find(|package| path.contains(**package)).copied().unwrap_or("alpha");
        let module = MODULES.iter().find(|module| path.contains(**module)).copied().unwrap_or("one");
        let mut text = filled(self.head, package, module, random);
        for _ in 0..random.below(5) {
            text += &filled(random.one_of(self.imports).copied().unwrap_or(""), package, module, random);
            text.push('\n');
        }
        for _ in 0..=random.below(4) {
            text.push('\n');
            text += &filled(random.one_of(self.parts).copied().unwrap_or(""), package, module, random);
            text.push('\n');
        }
        text
    }

    /// The paths that files are written to.
    pub(crate) fn paths(&self) -> Vec<String> {
        let mut all = Vec::new();
        for path in self.paths {
            for package in PACKAGES {
                for module in MODULES {
                    let path = path.replace("$p", package).replace("$n", module);
                    if !all.contains(&path) {
                        all.push(path);
                    }
                }
            }
        }
        all
    }

    /// The manifests.
    pub(crate) fn manifests(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        for (path, text) in self.fixed {
            for package in PACKAGES {
                let other = if package == "alpha" { "beta" } else { "alpha" };
                let fill = |text: &str| text.replace("$p", package).replace("$q", other);
                if all.iter().all(|(known, _)| *known != fill(path)) {
                    all.push((fill(path), fill(text)));
                }
            }
        }
        all
    }
}

pub(crate) const BASH: Dialect = Dialect {
    name: "bash",
    paths: &["$p/$n.sh", "$p/lib/$n.sh"],
    fixed: &[],
    head: "#!/usr/bin/env bash\n",
    imports: &[
        "source \"$(dirname \"$0\")/$n.sh\"",
        ". ../$p/$n.sh",
        "source lib/$n.sh",
        ". \"$ROOT/$p/lib/$n.sh\"",
    ],
    parts: &["$f() {\n  $f\n  $m \"$1\"\n}", "function $m {\n  local x=$($f)\n  $f \"$x\"\n}", "$f\n$m"],
};

pub(crate) const C: Dialect = Dialect {
    name: "c",
    paths: &["$p/$n.c", "$p/$n.h", "include/$p.h"],
    fixed: &[],
    head: "",
    imports: &[
        "#include \"$n.h\"",
        "#include \"../$p/$n.h\"",
        "#include <$p.h>",
        "#include \"$p.h\"",
        "#include <string.h>",
    ],
    parts: &[
        "struct $T { struct $T *next; int (*$m)(struct $T *); };",
        "int $f(struct $T *x);",
        "int $f(struct $T *x) {\n    return $f(x->next) + x->$m(x);\n}",
        "static int $f(void) {\n    return $f(0) + strlen(\"x\");\n}",
        "#define $f(x) $f(x)",
        "typedef struct $T $T;\n$T *$m($T *x) { return $m(x); }",
        "struct ops { int (*$m)(void); };\nstatic struct ops table = { .$m = $f };\nvoid $f(void) { table.$m(); }",
    ],
};

pub(crate) const CPP: Dialect = Dialect {
    name: "c++",
    paths: &["$p/$n.cpp", "$p/$n.hpp", "include/$p.hpp"],
    fixed: &[],
    head: "",
    imports: &[
        "#include \"$n.hpp\"",
        "#include \"../$p/$n.hpp\"",
        "#include <$p.hpp>",
        "using namespace $p;",
        "using $p::$T;",
        "namespace $P { using $p::$f; }",
    ],
    parts: &[
        "namespace $P {\nclass $T : public $T {\npublic:\n  int $m() { return $m(); }\n  $T part;\n};\n}",
        "namespace $P {\nint $f($T x) { return x.$m() + $f(x); }\n}",
        "int $p::$T::$m() { return part.$m(); }",
        "template <typename X> class $T : public $p::$T<X> {\n  X $m() { return $T<X>::$m(); }\n};",
        "class $T;\n$T *$f($T *x) { x->$m(); return new $T(); }",
        "using $T = $p::$T;",
    ],
};

pub(crate) const CSHARP: Dialect = Dialect {
    name: "c#",
    paths: &["$p/$n.cs", "src/$p/$n.cs", "$p/Base.cs"],
    fixed: &[],
    head: "",
    imports: &["using $p;", "using $p.$n;", "using $T = $p.$T;", "using static $p.$T;", "using $n;"],
    parts: &[
        "namespace $P.$N {\n  public partial class $T : $T {\n    $T $m() { return this.$m(); }\n    $T Part { get; set; }\n  }\n}",
        "namespace $P {\n  public static class $T {\n    public static int $f(this $T x) { return x.$m() + x.Part.$m(); }\n  }\n}",
        "namespace $p {\n  interface I$T : I$T { int $m(); }\n  class $T : $p.$n.$T, I$T { public int $m() => new $T().$m(); }\n}",
        "class $T : $T {\n  void $m() { base.$m(); $f(); }\n  static void $f() {}\n}",
    ],
};

pub(crate) const GO: Dialect = Dialect {
    name: "go",
    paths: &["$p/$n.go", "$p/$n_linux.go", "internal/$p/$n.go"],
    fixed: &[
        ("go.mod", "module example.com/shop\n"),
        ("$p/go.mod", "module example.com/$p\n\nreplace example.com/$q => ../$q\n"),
    ],
    head: "package $P\n",
    imports: &[
        "import \"example.com/shop/$p\"",
        "import \"example.com/$p\"",
        "import . \"example.com/shop/internal/$p\"",
        "import $n \"example.com/shop/$p\"",
    ],
    parts: &[
        "type $T struct {\n\t$T\n\tpart *$p.$T\n}",
        "type $T interface {\n\t$T\n\t$m() $T\n}",
        "func (x *$T) $m() *$T {\n\treturn x.part.$m()\n}",
        "func $f(x $T) $p.$T {\n\tx.$m().$m()\n\treturn $p.$f(x)\n}",
        "type $T = $p.$T",
        "var $f = $p.$f",
    ],
};

pub(crate) const JAVA: Dialect = Dialect {
    name: "java",
    paths: &[
        "src/main/java/$p/Base.java",
        "src/main/java/$p/$n/Node.java",
        "src/test/java/$p/Item.java",
        "$p/src/main/java/$p/Part.java",
    ],
    fixed: &[],
    head: "package $P;\n",
    imports: &[
        "import $p.$T;",
        "import $p.*;",
        "import $p.$n.*;",
        "import static $p.$T.$m;",
        "import static $p.$T.*;",
    ],
    parts: &[
        "public class $T extends $T {\n  $T part = new $T();\n  $T $m() { return part.$m(); }\n}",
        "interface $T extends $T, $T {\n  default int $m() { return $m(); }\n}",
        "class $T<X extends $T> extends $p.$T<X> implements $T {\n  X $m(X x) { x.$m(); return super.$m(x); }\n  static class $T extends $T {}\n}",
        "enum $T implements $T { ONE; static void $f() { ONE.$m(); $T.$f(); } }",
    ],
};

pub(crate) const JAVASCRIPT: Dialect = Dialect {
    name: "javascript",
    paths: &["$p/src/$n.js", "$p/index.js", "packages/$p/$n.mjs"],
    fixed: &[
        (
            "$p/package.json",
            "{\"name\": \"$p\", \"main\": \"index.js\", \"exports\": {\".\": \"./index.js\", \"./*\": \"./src/*.js\"}}",
        ),
        (
            "jsconfig.json",
            "{\"compilerOptions\": {\"baseUrl\": \".\", \"paths\": {\"@/*\": [\"packages/*\"]}}}",
        ),
    ],
    head: "",
    imports: &[
        "import { $T, $f } from './$n.js';",
        "import { $f as $m } from '$p';",
        "export * from '../$p/src/$n.js';",
        "export * from '$p';",
        "export { $T, $f as $m } from '@/$p/$n.mjs';",
        "import * as $n from '$p/$n';",
        "const $n = require('../$p');",
        "import $T from './$n';",
    ],
    parts: &[
        "export class $T extends $T {\n  $m() { return this.$m().$m(); }\n}",
        "export default class $T extends $n.$T {\n  static $f() { return new $T(); }\n}",
        "export function $f(x) {\n  return new $T().$m($f(x));\n}",
        "const $f = () => $n.$f();\nmodule.exports = { $f, $T, $m: $f };",
        "$T.prototype.$m = function () { return this.$m(); };",
        "exports.$f = $f;",
    ],
};

pub(crate) const KOTLIN: Dialect = Dialect {
    name: "kotlin",
    paths: &[
        "src/main/kotlin/$p/$n.kt",
        "$p/src/commonMain/kotlin/$p/$n.kt",
        "$p/src/jvmMain/kotlin/$p/$n.kt",
    ],
    fixed: &[],
    head: "package $P\n",
    imports: &["import $p.$T", "import $p.*", "import $p.$f", "import $p.$T as $T", "import $p.$T.*"],
    parts: &[
        "open class $T(val part: $T) : $T(part) {\n  fun $m(): $T = part.$m()\n}",
        "interface $T : $T { fun $m(): $T }",
        "fun $T.$m(): $T { return this.$m() }",
        "fun $f(x: $T) = x.$m().$m()",
        "typealias $T = $p.$T",
        "object $T : $T() { val x = $f($T) }",
        "expect fun $f(): $T",
        "class $T { companion object : $T() { fun $f() = $T() } }",
    ],
};

pub(crate) const PHP: Dialect = Dialect {
    name: "php",
    paths: &["src/$p/Base.php", "src/$p/Node.php", "src/$p/$n/Item.php", "lib/$p.php"],
    fixed: &[(
        "composer.json",
        "{\"autoload\": {\"psr-4\": {\"\": \"src/\", \"alpha\\\\\": \"src/alpha\"}}}",
    )],
    head: "<?php\nnamespace $P;\n",
    imports: &[
        "use $p\\$T;",
        "use $p\\$n\\$T as $T;",
        "use function $p\\$f;",
        "require_once __DIR__ . '/../lib/$p.php';",
        "use $p;",
    ],
    parts: &[
        "class $T extends $T {\n  use $T;\n  public function $m(): $T { return $this->$m()->$m(); }\n}",
        "trait $T {\n  use $T;\n  public static function $f() { return new $T(); }\n}",
        "interface $T extends $T { function $m(); }",
        "function $f($T $x) { $x->$m(); return \\$p\\$f($x); }",
        "abstract class $T extends \\$p\\$T implements $T {\n  function $m() { parent::$m(); self::$f(); static::$f(); }\n}",
    ],
};

pub(crate) const PYTHON: Dialect = Dialect {
    name: "python",
    paths: &["$p/$n.py", "$p/__init__.py", "libs/$p/src/$p/$n.py"],
    fixed: &[(
        "libs/$p/pyproject.toml",
        "[project]\nname = \"$p\"\n\n[tool.setuptools.packages.find]\nwhere = [\"src\"]\n",
    )],
    head: "",
    imports: &[
        "from $p.$n import $T, $f",
        "from $p.$n import *",
        "from .$n import *",
        "from . import $n",
        "from $p import $T, $f",
        "from $p import *",
        "import $p.$n",
        "from .. import $p",
        "__all__ = ['$T', '$f']",
    ],
    parts: &[
        "class $T($T):\n    part = $T()\n    def $m(self):\n        return self.$m().$m()",
        "class $T($p.$n.$T, $T):\n    def $m(self):\n        super().$m()\n        return self.part.$m()",
        "def $f(x: $T):\n    return $f(x).$m()",
        "$f = $T\n$m = $n.$f",
        "def $f():\n    x = $T()\n    x.$m()\n    return x",
        "class $T($f()):\n    pass",
        "if True:\n    from $p.$n import $T",
    ],
};

pub(crate) const RUBY: Dialect = Dialect {
    name: "ruby",
    paths: &["$p/lib/$p/$n.rb", "$p/lib/$p.rb", "app/$n.rb"],
    fixed: &[],
    head: "",
    imports: &[
        "require '$p/$n'",
        "require '$p'",
        "require_relative '$n'",
        "require_relative '../../../$p/lib/$p'",
    ],
    parts: &[
        "module $T\n  class $T < $T\n    def $m\n      self.$m.$m\n    end\n  end\nend",
        "class $T < $T::$T\n  include $T\n  extend $T\n  def $m\n    super\n    $f\n  end\nend",
        "module $T\n  include $T\n  def self.$f\n    $T.new.$m\n  end\nend",
        "def $f(x)\n  $T.$f.$m\nend",
        "$T = $T::$T",
    ],
};

pub(crate) const RUST: Dialect = Dialect {
    name: "rust",
    paths: &["$p/src/lib.rs", "$p/src/$n.rs", "$p/src/$n/one.rs", "$p/examples/deep/$n.rs"],
    fixed: &[
        ("Cargo.toml", "[workspace]\nmembers = [\"*\"]\n"),
        ("$p/Cargo.toml", "[package]\nname = \"$p\"\n\n[dependencies]\n$q = { path = \"../$q\" }\n"),
    ],
    head: "pub mod $n;\n",
    imports: &[
        "pub use $p::$T;",
        "pub use crate::$n::*;",
        "pub use $p::*;",
        "use $p::$n::{$T, $f};",
        "use super::*;",
        "pub use self::$n::$f as $m;",
        "use crate::$n::$T as $T;",
        "extern crate $p;",
    ],
    parts: &[
        "pub struct $T { part: $T }",
        "pub trait $T: $T {\n    fn $m(&self) -> $T { self.$m() }\n}",
        "impl $T for $T {\n    fn $m(&self) -> $T { self.part.$m() }\n}",
        "impl $p::$T {\n    pub fn $m(&self) -> Self { $f(self).$m() }\n}",
        "pub fn $f(x: &$T) -> $T { x.$m().$m(); $n::$f(x) }",
        "pub type $T = $p::$T;",
        "macro_rules! $f { () => { $$f() } }",
        "impl std::ops::Deref for $T {\n    type Target = $T;\n    fn deref(&self) -> &$T { &self.part }\n}",
    ],
};

pub(crate) const TYPESCRIPT: Dialect = Dialect {
    name: "typescript",
    paths: &["packages/$p/src/$n.ts", "packages/$p/src/index.ts", "$p/$n.tsx"],
    fixed: &[
        ("packages/$p/package.json", "{\"name\": \"@shop/$p\", \"main\": \"dist/index.js\"}"),
        (
            "tsconfig.json",
            "{\"compilerOptions\": {\"baseUrl\": \".\", \"paths\": {\"~/*\": [\"packages/*\"]}}}",
        ),
    ],
    head: "",
    imports: &[
        "import { $T, $f } from './$n';",
        "import type { $T } from '@shop/$p';",
        "export * from './$n';",
        "export * from '.';",
        "export * from '@shop/$p';",
        "export { $T as $T, $f } from '~/$p/src/$n';",
        "import * as $n from '@shop/$p/src/$n';",
        "import $T from './$n';",
        "export * as $n from './$n';",
    ],
    parts: &[
        "export class $T extends $T implements $T {\n  part: $T;\n  $m(): $T { return this.part.$m(); }\n}",
        "export interface $T extends $T, $T { $m(): $T; part: $n.$T }",
        "export type $T = $T | $T & { $m(): $T };",
        "export function $f(x: $T): $T { return x.$m().part; }",
        "export const $f = (x: $T) => $f(x).$m();",
        "export default class $T<X extends $T> extends $T<X> { $m(x: X) { return x.$m(); } }",
        "export namespace $T { export class $T extends $T {} export function $f() { new $T().$m(); } }",
    ],
};
