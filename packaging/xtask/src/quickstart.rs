//! `cargo xtask quickstart [PATH]`: from a clone to a served repository, with each command shown as one would type it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::command::{self, Fault, Outcome, Run, in_root};
use crate::package;

/// The programs of this workspace.
pub(crate) const PROGRAMS: [&str; 7] =
    ["sdld", "sdl-gate", "sdl-mcp", "sdl-http", "sdl-ui", "sdl-share", "sdlctl"];

pub(crate) fn run_quickstart(path: Option<&str>) -> Outcome {
    let path = fs::canonicalize(path.map_or_else(|| command::workspace_root().to_owned(), PathBuf::from))
        .map_err(|error| Fault::new(format!("{}: {error}", path.unwrap_or("."))))?;
    print_title("Build the programs (release)");
    package::build_programs()?;
    let ctl = Ctl { program: command::program_path("release", "sdlctl")? };

    print_title("Start the daemon; it serves every repository and client of this user");
    ctl.show(&["start"])?;

    print_title("Register the repository and index it");
    ctl.show(&["index", &path.to_string_lossy()])?;
    // Registering again changes nothing and tells the name that it goes by.
    let repo = ctl.call("repo.register", &json!({"rootPath": path}))?;
    let repo = text_field(&repo, "repoId")?;
    ctl.show(&["status"])?;

    let overview = ctl.call("repo.overview", &json!({"repoId": repo, "level": "full"}))?;
    let name = find_hotspot(&overview).unwrap_or_else(|| "main".to_owned());
    print_title(&format!("Search, here for `{name}`, which much of the code depends on"));
    ctl.show(&["search", &name, "--limit", "5", "--repo", &repo])?;

    print_title("A slice: the symbols that one task needs, within a budget of tokens");
    let task = format!("fix {name}");
    ctl.show(&["slice", "--task", &task, "--tokens", "1500", "--cards", "12", "--repo", &repo])?;

    show_delta(&ctl)?;

    print_title("Connect a client");
    ctl.show(&["mcp", "config"])?;
    println!(
        "\nThe programs are in {}. The daemon goes on running; `sdlctl stop` ends it.",
        ctl.program.parent().unwrap_or(Path::new(".")).display()
    );
    Ok(())
}

/// An edit that arrives as a delta, shown on a small repository of our own: nobody's tree is touched.
fn show_delta(ctl: &Ctl) -> Outcome {
    print_title("A live delta, on a small demo repository in the temporary folder");
    let folder = tempfile::Builder::new().prefix("sdl-demo-").tempdir()?;
    let root = fs::canonicalize(folder.path())?;
    fs::write(root.join("prices.py"), PRICES)?;
    fs::write(root.join("orders.py"), ORDERS)?;
    ctl.show(&["index", &root.to_string_lossy()])?;
    let repo = text_field(&ctl.call("repo.register", &json!({"rootPath": root}))?, "repoId")?;
    let shown = delta_steps(ctl, &repo, &root);
    // The demo repository is removed, even if the demo failed.
    let removed = ctl.show(&["repo", "rm", &repo]);
    shown.and(removed)
}

fn delta_steps(ctl: &Ctl, repo: &str, root: &Path) -> Outcome {
    let request = json!({"repoId": repo, "taskText": "how is the total of an order worked out", "wireFormat": "standard"});
    let slice = ctl.call("slice.build", &request)?;
    let handle = text_field(&slice, "sliceHandle")?;
    let version = text_field(&slice, "ledgerVersion")?;
    let held: Vec<&str> = slice["slice"]["cards"]
        .as_array()
        .map(|cards| cards.iter().filter_map(|card| card["name"].as_str()).collect())
        .unwrap_or_default();
    println!("slice {handle} at {version} holds: {}", held.join(", "));

    println!("\nNothing changed yet:");
    ctl.show(&["refresh", &handle, "--known", &version])?;
    println!("\nNow prices.py is saved with another rate of tax:");
    fs::write(root.join("prices.py"), PRICES.replace("0.19", "0.07"))?;
    ctl.show(&["refresh", &handle, "--known", &version])
}

const PRICES: &str = "\
def tax(amount: float) -> float:
    \"\"\"The tax on an amount.\"\"\"
    return amount * 0.19


def gross(amount: float) -> float:
    \"\"\"An amount with its tax.\"\"\"
    return amount + tax(amount)
";

const ORDERS: &str = "\
from prices import gross


class Order:
    \"\"\"Items that one customer buys together.\"\"\"

    def __init__(self) -> None:
        self.items: list[float] = []

    def add(self, price: float) -> None:
        \"\"\"Adds an item.\"\"\"
        if price < 0:
            raise ValueError(\"a price is never negative\")
        self.items.append(price)

    def total(self) -> float:
        \"\"\"What the customer pays, with tax.\"\"\"
        return sum(gross(item) for item in self.items)
";

/// The name that most of a repository depends on, of those that tell something by themselves.
fn find_hotspot(overview: &Value) -> Option<String> {
    let names: Vec<&str> =
        overview["hotspots"].as_array()?.iter().filter_map(|spot| spot["name"].as_str()).collect();
    let last = |name: &&str| name.rsplit([':', '.', '#']).next().map_or(0, str::len);
    names.iter().find(|name| last(name) > 4).or(names.first()).map(|name| (*name).to_owned())
}

fn text_field(answer: &Value, field: &str) -> Outcome<String> {
    let found = answer[field].as_str().map(str::to_owned);
    found.ok_or_else(|| Fault::new(format!("the answer has no `{field}`: {answer}")))
}

fn print_title(text: &str) {
    println!("\n== {text}");
}

struct Ctl {
    program: PathBuf,
}

impl Ctl {
    fn run(&self, arguments: &[&str]) -> Run {
        in_root(&self.program).args(arguments)
    }

    /// Shows a command and its output.
    fn show(&self, arguments: &[&str]) -> Outcome {
        let run = self.run(arguments);
        println!("$ {}", run.shown());
        run.run()
    }

    /// Calls an action and gives its answer.
    fn call(&self, action: &str, arguments: &Value) -> Outcome<Value> {
        let answer = self.run(&["--json", "tool", action, "--args", &arguments.to_string()]).read()?;
        serde_json::from_str(&answer)
            .map_err(|error| Fault::new(format!("sdlctl tool {action}: {error}\n{answer}")))
    }
}
