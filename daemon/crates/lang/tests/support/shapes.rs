//! Control flow of each language as templates, to make sources from: a line of `@` is replaced by statements.

use sdl_model::Lang;

/// The templates for sources of a language.
pub(crate) struct Shapes {
    pub(crate) lang: Lang,
    /// The text around the statements of a function.
    pub(crate) file: &'static str,
    /// A statement that a skeleton leaves out.
    pub(crate) statement: &'static str,
    pub(crate) control: &'static [&'static str],
}

const ECMA: &[&str] = &[
    "if (a) {\n  @\n} else if (b) {\n  @\n} else {\n  @\n}",
    "for (let i = 0; i < 1; i++) {\n  @\n}",
    "for (const a of b) {\n  @\n}",
    "while (a) {\n  @\n}",
    "do {\n  @\n} while (a)",
    "switch (a) {\n  case 1:\n  case 2:\n    @\n    break\n  default:\n    @\n}",
    "try {\n  @\n} catch (e) {\n  @\n} finally {\n  @\n}",
    "outer: while (a) {\n  @\n}",
    "with (a) {\n  @\n}",
    "return (a) => {\n  @\n}",
    "run(first, async function (a) {\n  @\n}, last)",
    "const value = { A, f (a) {\n  @\n}, b: 1 }",
];

const C: &[&str] = &[
    "if (a) {\n  @\n} else if (b) {\n  @\n} else {\n  @\n}",
    "for (int i = 0; i < 1; i++) {\n  @\n}",
    "while (a) {\n  @\n}",
    "do {\n  @\n} while (a);",
    "switch (a) {\n  case 1:\n  case 2:\n    @\n    break;\n  default:\n    @\n}",
    "out:\n  if (a)\n    @",
    "#if defined(A)\n@\n#elif B\n@\n#else\n@\n#endif",
    "#ifdef A\n@\n#elifdef B\n@\n#endif",
    "__try {\n  @\n} __finally {\n  @\n}",
];

/// Every language that has skeletons.
pub(crate) const ALL: &[Shapes] = &[
    Shapes {
        lang: Lang::Bash,
        file: "f() {\n  @\n}\n",
        statement: "call_something --with arguments",
        control: &[
            "if a; then\n  @\nelif b; then\n  @\nelse\n  @\nfi",
            "case \"$a\" in\n  a | b)\n    @\n    ;;\n  *)\n    @\n    ;;\nesac",
            "for a in 1 2; do\n  @\ndone",
            "for ((i = 0; i < 1; i++)); do\n  @\ndone",
            "while read -r a; do\n  @\ndone < file",
            "until a; do\n  @\ndone",
            "select a in 1 2; do\n  @\ndone",
            "a=$(\n  @\n)",
        ],
    },
    Shapes {
        lang: Lang::C,
        file: "void f(int a) {\n  @\n}\n",
        statement: "call_something(with, arguments);",
        control: C,
    },
    Shapes {
        lang: Lang::Cpp,
        file: "class A : B {\npublic:\n  void f(int a) {\n  @\n  }\nprivate:\n  int field;\n};\n",
        statement: "call_something(with, arguments);",
        control: &[
            "for (auto& a : b) {\n  @\n}",
            "try {\n  @\n} catch (const E& e) {\n  @\n} catch (...) {\n  @\n}",
            "auto value = [&](int a) -> int {\n  @\n};",
            "if (auto a = b(); a) {\n  @\n} else {\n  @\n}",
            "switch (a) {\n  case A: {\n    @\n  }\n  default:\n    @\n}",
            "while (a) {\n  @\n}",
            "for (int i = 0; i < 1; i++) {\n  @\n}",
            "do {\n  @\n} while (a);",
            "out:\n  if (a)\n    @",
            "#if defined(A)\n@\n#elif B\n@\n#else\n@\n#endif",
            "#ifdef A\n@\n#elifdef B\n@\n#endif",
            "__try {\n  @\n} __finally {\n  @\n}",
        ],
    },
    Shapes {
        lang: Lang::CSharp,
        file: "namespace N {\n  class A : B {\n    int F(int a) {\n      @\n    }\n  }\n}\n",
        statement: "CallSomething(with, arguments);",
        control: &[
            "if (a) {\n  @\n} else if (b) {\n  @\n} else {\n  @\n}",
            "switch (a) {\n  case 1:\n  case int n when n > 2:\n    @\n    break;\n  default:\n    @\n    break;\n}",
            "foreach (var a in b) {\n  @\n}",
            "do {\n  @\n} while (a);",
            "try {\n  @\n} catch (E e) when (e.X) {\n  @\n} finally {\n  @\n}",
            "using (var a = b()) {\n  @\n}",
            "lock (a) {\n  @\n}",
            "checked {\n  @\n}",
            "unsafe {\n  fixed (int* a = b) {\n    @\n  }\n}",
            "for (int i = 0; i < 1; i++) {\n  @\n}",
            "var value = items.Select(a => {\n  @\n});",
            "var value = a switch {\n  1 => 2,\n  int n when n > 1 => Something(with, arguments),\n  _ => throw e,\n};",
            "label:\n  while (a)\n    @",
            "#if A\n@\n#elif B\n@\n#else\n@\n#endif",
        ],
    },
    Shapes {
        lang: Lang::Go,
        file: "package a\n\ntype T interface {\n\t// c\n\tM(a int) error\n}\n\nfunc f(a int) {\n\t@\n}\n",
        statement: "callSomething(with, arguments)",
        control: &[
            "if a := b(); a {\n\t@\n} else if c {\n\t@\n} else {\n\t@\n}",
            "for i := 0; i < 1; i++ {\n\t@\n}",
            "for range a {\n\t@\n}",
            "switch a {\ncase 1, 2:\n\t@\ndefault:\n\t@\n}",
            "switch a := b.(type) {\ncase int:\n\t@\n}",
            "select {\ncase a := <-b:\n\t@\ncase b <- 1:\n\t@\ndefault:\n\t@\n}",
            "defer func() {\n\t@\n}()",
            "go func(a int) {\n\t@\n}(1)",
            "outer:\n\tfor {\n\t\t@\n\t}",
            "run(first, func(a int) error {\n\t@\n}, last)",
        ],
    },
    Shapes {
        lang: Lang::Java,
        file: "class A extends B {\n  int f(int a) {\n    @\n  }\n}\n",
        statement: "callSomething(with, arguments);",
        control: &[
            "if (a) {\n  @\n} else if (b) {\n  @\n} else {\n  @\n}",
            "for (int i = 0; i < 1; i++) {\n  @\n}",
            "for (A a : b) {\n  @\n}",
            "do {\n  @\n} while (a);",
            "switch (a) {\n  case 1:\n  case 2:\n    @\n    break;\n  default:\n    @\n}",
            "int value = switch (a) {\n  case A -> 1;\n  case B b when b.c() -> {\n    @\n  }\n  default -> something(with, arguments);\n};",
            "try (R r = a()) {\n  @\n} catch (E | F e) {\n  @\n} finally {\n  @\n}",
            "try {\n  @\n} finally {\n  @\n}",
            "synchronized (this) {\n  @\n}",
            "outer: while (a) {\n  @\n}",
            "items.forEach(a -> {\n  @\n});",
            "run(new Runnable() {\n  public void run() {\n    @\n  }\n});",
        ],
    },
    Shapes {
        lang: Lang::JavaScript,
        file: "export function f(a) {\n  @\n}\n",
        statement: "callSomething(with_, arguments_)",
        control: ECMA,
    },
    Shapes {
        lang: Lang::Kotlin,
        file: "class A : B() {\n  fun f(a: Int): Int {\n    @\n  }\n}\n",
        statement: "callSomething(with, arguments)",
        control: &[
            "if (a) {\n  @\n} else if (b) {\n  @\n} else {\n  @\n}",
            "when (a) {\n  1, 2 -> something(with, arguments)\n  is A -> {\n    @\n  }\n  else -> {\n    @\n  }\n}",
            "for (a in b) {\n  @\n}",
            "do {\n  @\n} while (a)",
            "outer@ while (a) {\n  @\n}",
            "try {\n  @\n} catch (e: E) {\n  @\n} finally {\n  @\n}",
            "items.map { a ->\n  @\n}",
        ],
    },
    Shapes {
        lang: Lang::Php,
        file: "<?php\nclass A extends B {\n  public function f(int $a): int {\n    @\n  }\n}\n",
        statement: "call_something($with, $arguments);",
        control: &[
            "if ($a) {\n  @\n} elseif ($b) {\n  @\n} else {\n  @\n}",
            "if ($a):\n  @\nelse:\n  @\nendif;",
            "foreach ($a as $b => $c) {\n  @\n}",
            "for ($i = 0; $i < 1; $i++) {\n  @\n}",
            "do {\n  @\n} while ($a);",
            "while ($a) {\n  @\n}",
            "label:\n@",
            "switch ($a) {\n  case 1:\n  case 2:\n    @\n    break;\n  default:\n    @\n}",
            "$value = match (true) {\n  $a, $b => something($with, $arguments),\n  default => 2,\n};",
            "try {\n  @\n} catch (E | F $e) {\n  @\n} finally {\n  @\n}",
            "$value = function ($a) use ($b) {\n  @\n};",
        ],
    },
    Shapes {
        lang: Lang::Python,
        file: "class A(B):\n    def f(self, a):\n        @\n",
        statement: "call_something(with_, arguments)",
        control: &[
            "if a:\n    @\nelif b:\n    @\nelse:\n    @",
            "for a in b:\n    @\nelse:\n    @",
            "while a:\n    @",
            "match a:\n    case 1 if b:\n        @\n    case _:\n        @",
            "try:\n    @\nexcept E as e:\n    @\nelse:\n    @\nfinally:\n    @",
            "async with a as b, c:\n    @",
            "def inner(a):\n    @",
        ],
    },
    Shapes {
        lang: Lang::Ruby,
        file: "class A < B\n  private\n\n  def f(a)\n    @\n  end\nend\n",
        statement: "call_something(with, arguments)",
        control: &[
            "if a\n  @\nelsif b\n  @\nelse\n  @\nend",
            "unless a\n  @\nend",
            "case a\nwhen 1, 2\n  @\nelse\n  @\nend",
            "case a\nin {b:} if c\n  @\nelse\n  @\nend",
            "begin\n  @\nrescue E => e\n  @\nelse\n  @\nensure\n  @\nend",
            "while a\n  @\nend",
            "for a in b\n  @\nend",
            "items.each do |a|\n  @\nend",
            "items.map { |a|\n  @\n}",
            "until a\n  @\nend",
            "call_something(with, arguments) if a",
            "call_something(with, arguments) unless a",
            "call_something(with, arguments) while a",
            "call_something(with, arguments) until a",
            "call_something(with, arguments) rescue other_thing(with, arguments)",
        ],
    },
    Shapes {
        lang: Lang::Rust,
        file: "mod inner { pub fn q() { call_something(with, arguments); } }\n\nimpl A {\n    fn f(&self) {\n        @\n    }\n}\n",
        statement: "call_something(with, arguments);",
        control: &[
            "if a {\n    @\n} else if let Some(b) = c {\n    @\n} else {\n    @\n}",
            "let Some(a) = b else {\n    @\n};",
            "match a {\n    A | B if c => something(with, arguments),\n    D { .. } => {\n        @\n    }\n    _ => {}\n}",
            "'a: loop {\n    @\n}",
            "while let Some(a) = b {\n    @\n}",
            "for a in b {\n    @\n}",
            "let value = items.map(|a| {\n    @\n});",
            "unsafe {\n    @\n}",
        ],
    },
    Shapes {
        lang: Lang::Tsx,
        file: "export const f = (a: number): string => {\n  @\n}\n",
        statement: "callSomething(with_, arguments_)",
        control: ECMA,
    },
    Shapes {
        lang: Lang::TypeScript,
        file: "export class A extends B {\n  private f(a: number): string {\n    @\n  }\n}\n",
        statement: "callSomething(with_, arguments_)",
        control: ECMA,
    },
];

impl Shapes {
    /// A source. `choices` decides its structure, and it ends where they end.
    pub(crate) fn source(&self, choices: &[u8]) -> String {
        let mut choices = choices.iter().copied();
        let body = self.statements(&mut choices, 0);
        expanded(self.file, &mut |indent| indented(&body, indent))
    }

    fn statements(&self, choices: &mut impl Iterator<Item = u8>, depth: usize) -> String {
        let count = usize::from(choices.next().unwrap_or(0) % 3) + 1;
        let mut out = Vec::new();
        for _ in 0..count {
            let choice = usize::from(choices.next().unwrap_or(0));
            // A statement on both sides keeps control flow from being first or last, where some kinds are not allowed.
            out.push(self.statement.to_owned());
            if choice % 4 != 0
                && depth < 4
                && let Some(control) = self.control.get(choice / 4 % self.control.len())
            {
                out.push(expanded(control, &mut |indent| {
                    indented(&self.statements(choices, depth + 1), indent)
                }));
            }
        }
        out.join("\n")
    }
}

/// `template` with the result of `fill` in place of each line of `@`. `fill` gets the line's indentation.
fn expanded(template: &str, fill: &mut impl FnMut(&str) -> String) -> String {
    let lines = template.split('\n').map(|line| match line.strip_suffix('@') {
        Some(indent) if indent.trim().is_empty() => fill(indent),
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn indented(text: &str, indent: &str) -> String {
    text.split('\n').map(|line| format!("{indent}{line}")).collect::<Vec<_>>().join("\n")
}
