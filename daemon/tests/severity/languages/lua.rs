//! Lua.

use crate::syntax::{BRACES, NO_DEFAULTS, NO_TYPES, Syntax, from, params};

pub(super) const SYNTAX: Syntax = Syntax {
    name: "lua",
    path: |stem| if stem == "test" { "test/test_shapes.lua".to_owned() } else { format!("shop/{stem}.lua") },
    before: |_, calls| {
        let others: String =
            from(calls).iter().map(|file| format!("local {file} = require(\"shop.{file}\")\n")).collect();
        format!("{others}local M = {{}}\n")
    },
    after: "return M\n",
    head: |function| {
        let params = params(function, |name, _| name.to_owned());
        if function.visible {
            format!("function M.{}({params})", function.name)
        } else {
            format!("local function {}({params})", function.name)
        }
    },
    open: "\n",
    close: "end",
    doc: |doc| format!("--- {doc}"),
    comment: "-- ",
    guard: "if first < 0 then error(\"negative\") end",
    effect: "print(first)",
    start: |adds| format!("local result = first * {adds}"),
    add: |call| format!("result = result + {call}"),
    call: |file, name, args| format!("{file}.{name}({})", args.join(", ")),
    result: "return result",
    without: &[NO_TYPES, NO_DEFAULTS],
    names_file: true,
    ..BRACES
};
