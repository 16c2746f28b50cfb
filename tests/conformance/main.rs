//! `sdl-http` for the MCP conformance suite; `cargo xtask conformance` runs both.
//!
//! ```text
//! suite ──HTTP──> proxy, which adds a token ──HTTP──> sdl-http ──socket──> sdld ──> sdl-gate ──stdio──> `upstream`
//! ```
//!
//! With `--fixtures` the daemon has an upstream with the suite's own tools, which is this program with the word `upstream`;
//! `--era=REVISION` has it speak that revision. `--surface=NAME` and `--output-schemas` go to `sdl-http`. It writes its address as one line and
//! ends when its standard input does.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a program for tests, whose output is its address"
)]

mod asks;
mod fixtures;
mod proxy;
mod upstream;

use std::error::Error;
use std::io::Read as _;

use hyper::header::HeaderValue;
use sdl_tests::{HttpServer, TestEnv};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

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
    let mut flags: Vec<String> = PAGES.iter().map(|&flag| flag.to_owned()).collect();
    let (mut has_fixtures, mut era) = (false, "auto".to_owned());
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            None if argument == "upstream" => return Ok(upstream::serve()?),
            None if argument == "--fixtures" => has_fixtures = true,
            None if argument == "--output-schemas" => flags.push(argument),
            Some(("--era", revision)) => revision.clone_into(&mut era),
            Some(("--surface", _)) => flags.push(argument),
            _ => return Err(format!("unknown argument `{argument}`").into()),
        }
    }
    let env = TestEnv::new();
    if has_fixtures {
        configure_fixtures(&env, &era)?;
    }
    let root = env.repo("shop", SOURCES);
    let _daemon = env.daemon();
    env.ctl_ok(&["index", &root.to_string_lossy()]);
    flags.push(format!("--repo={}", root.display()));
    tokio::runtime::Runtime::new()?.block_on(serve(&env, &flags))
}

/// Makes the suite's fixtures an upstream of the daemon, under their own names.
fn configure_fixtures(env: &TestEnv, era: &str) -> Result<(), Box<dyn Error>> {
    let sdl = json!({
        "prefix": false, "mode": "passthrough", "ask": ["elicitation", "sampling", "roots"], "protocol": era,
    });
    let entry = json!({"command": std::env::current_exe()?, "args": ["upstream"], "sdl": sdl});
    let profile = json!({"name": "suite", "match": {"token": "suite"}, "upstreams": ["suite"]});
    let settings = json!({"mcpServers": {"suite": entry}, "sdl": {"profiles": [profile]}});
    let file = env.state_dir().join("mcp.json");
    std::fs::write(&file, settings.to_string())?;
    Ok(())
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
