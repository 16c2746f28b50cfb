//! The functions and tables of Lua's library.

use crate::words::words;

/// Whether the library of Lua has a function or table called `name`.
pub(super) fn is_library(name: &str) -> bool {
    LIBRARY.contains(name)
}

words! {
    LIBRARY = "\
        _G assert bit bit32 collectgarbage coroutine debug dofile error getfenv getmetatable io ipairs jit load \
        loadfile loadstring math module next newproxy os package pairs pcall print rawequal rawget rawlen rawset \
        require select setfenv setmetatable string table tonumber tostring type unpack utf8 warn xpcall";
}
