//! `sdl-mcp`: the program that an MCP client starts. The library's documentation describes it.

use std::process::ExitCode;

fn main() -> ExitCode {
    sdl_mcp::main()
}
