//! The shim over streamable HTTP, for the MCP conformance suite; `cargo xtask conformance` runs both. It is no part of
//! the product: MCP clients start `sdl-mcp`, which speaks over standard input and output only.
//!
//! ```text
//! suite ──HTTP──> rmcp's server transport -> handler -> the shim's own code ──socket──> sdld, or `fixtures`
//! ```
//!
//! With `--fixtures` the daemon is a scripted one; `--surface=NAME` and `--output-schemas` are the shim's own flags.
//! It writes its address as one line and ends when its standard input does.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a program for tests, whose output is its address"
)]

mod fixtures;
mod handler;
mod http;

use std::error::Error;
use std::io::Read as _;
use std::path::PathBuf;

use sdl_client::Paths;
use sdl_mcp::testing::Shown;
use sdl_tests::TestEnv;
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

fn main() -> Result<(), Box<dyn Error>> {
    let mut behind = Behind::Daemon;
    let mut shown = Shown::default();
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            None if argument == "--fixtures" => behind = Behind::Fixtures,
            None if argument == "--output-schemas" => shown.output_schemas = true,
            Some(("--surface", name)) => name.clone_into(&mut shown.surface),
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
            runtime.block_on(serve(paths, root, shown))
        }
        Behind::Fixtures => {
            let _daemon = runtime.block_on(async { fixtures::daemon(paths.socket()) })?;
            runtime.block_on(serve(paths, env.home(), shown))
        }
    }
}

async fn serve(paths: Paths, cwd: PathBuf, shown: Shown) -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("http://{}/mcp", listener.local_addr()?);
    let front = handler::Front::new(paths, cwd, shown);
    let (gone, parent_is_gone) = oneshot::channel::<()>();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        drop(gone);
    });
    tokio::select! {
        served = http::serve(listener, front) => served?,
        _ = parent_is_gone => {}
    }
    Ok(())
}
