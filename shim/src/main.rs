//! `sdl-mcp`: what an MCP client starts. See the library for what it does.

use std::process::ExitCode;

fn main() -> ExitCode {
    sdl_mcp::main()
}
