//! Stdio MCP server that forwards to the daemon.
fn main() {}
