//! Shared parts of the end-to-end tests and the benches: an isolated environment for a daemon, and a client that speaks
//! MCP to the real shim.
//!
//! * [`env::TestEnv`]: folders, environment and processes of one test; nothing of it outlives the test.
//! * [`mcp::McpClient`]: line-delimited JSON-RPC over the standard streams of a shim.
//! * [`http::HttpServer`]: a running `sdl-http`.
//! * [`generate`]: calls generated from schemas.
//! * [`schema`]: answers beside what their schemas declare.
//! * [`fixture`]: trees of files written as text.
//! * [`binaries`]: where the built programs are.
//! * [`module_graph`]: which files of a crate use which.
//! * [`workspace`]: the source tree itself, for the tests that hold its shape.

#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a helper that fails fails the test that called it"
)]

pub mod binaries;
pub mod env;
pub mod fixture;
pub mod generate;
pub mod http;
pub mod mcp;
pub mod module_graph;
pub mod schema;
pub mod workspace;

pub use binaries::Program;
pub use env::{Daemon, TestEnv};
pub use http::HttpServer;
pub use mcp::{McpClient, McpError, ToolResult};
