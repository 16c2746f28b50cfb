//! `sdl-http` for the MCP conformance suite; `cargo xtask conformance` runs both.
//!
//! ```text
//! suite ──HTTP──> proxy, which adds a token ──HTTP──> sdl-http ──socket──> sdld, or `fixtures`
//! ```
//!
//! With `--fixtures` the daemon is a scripted one; `--surface=NAME` and `--output-schemas` go to `sdl-http`. It writes its
//! address as one line and ends when its standard input does.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a program for tests, whose output is its address"
)]

mod fixtures;
mod proxy;

use std::error::Error;
use std::io::Read as _;

use hyper::header::HeaderValue;
use sdl_client::Paths;
use sdl_tests::{HttpServer, TestEnv};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// The daemon that the shim talks to.
enum Behind {
    /// The product's daemon and one indexed repository.
    Daemon,
    /// A scripted daemon with the tools, resources and prompts that the suite asks for.
    Fixtures,
}

/// Small, but with an example of everything that tools, resources and completions cover.
const SOURCES: &str = "\
//- /shop/prices.py
RATE = 0.19

def tax(amount):
    \"\"\"The tax on an amount.\"\"\"
    return amount * RATE

def gross(amount):
    \"\"\"An amount with its tax.\"\"\"
    return amount + tax(amount)
//- /shop/orders.py
from shop.prices import gross

class Order:
    \"\"\"Items that one customer buys together.\"\"\"

    def total(self):
        return sum(gross(item) for item in self.items)
";

/// Pages of this machine may call, which the suite tries.
const PAGES: [&str; 3] = [
    "--allow-origin=http://localhost:*",
    "--allow-origin=http://127.0.0.1:*",
    "--allow-origin=http://[::1]:*",
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut behind = Behind::Daemon;
    let mut flags: Vec<String> = PAGES.iter().map(|&flag| flag.to_owned()).collect();
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            None if argument == "--fixtures" => behind = Behind::Fixtures,
            None if argument == "--output-schemas" => flags.push(argument),
            Some(("--surface", _)) => flags.push(argument),
            _ => return Err(format!("unknown argument `{argument}`").into()),
        }
    }
    let env = TestEnv::new();
    let paths = Paths::new(env.state_dir(), Some(env.runtime_dir()));
    let runtime = tokio::runtime::Runtime::new()?;
    match behind {
        Behind::Daemon => {
            let root = env.repo("shop", SOURCES);
            let _daemon = env.daemon();
            env.ctl_ok(&["index", &root.to_string_lossy()]);
            flags.push(format!("--repo={}", root.display()));
            runtime.block_on(serve(&env, &flags))
        }
        Behind::Fixtures => {
            let _daemon = runtime.block_on(async { fixtures::daemon(paths.socket()) })?;
            runtime.block_on(serve(&env, &flags))
        }
    }
}

async fn serve(env: &TestEnv, flags: &[String]) -> Result<(), Box<dyn Error>> {
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let server: HttpServer = env.http(&[("suite", &[])], &flags);
    let token = HeaderValue::from_str(&format!("Bearer {}", HttpServer::token("suite")))?;
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("http://{}/mcp", listener.local_addr()?);
    let (gone, parent_is_gone) = oneshot::channel::<()>();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        drop(gone);
    });
    tokio::select! {
        served = proxy::serve(listener, server.address(), token) => served?,
        _ = parent_is_gone => {}
    }
    Ok(())
}
