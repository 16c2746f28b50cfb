//! Measures the costs of the daemon and whether its answers are fresh, on the real programs: daemon, shim, tree on
//! disk. Each run is one command and starts from nothing: `cargo run --release -p sdl-bench -- <run> [options]`.

mod figures;
mod functions;
mod grammars;
mod modules;
mod options;
mod process;
mod random;
mod runs;
mod texts;
mod tree;
mod upstream;
mod world;

use std::env;
use std::error::Error;
use std::process::ExitCode;

use options::Options;

/// The result of a run: an error if an answer was wrong, whatever the figures.
type Outcome<T = ()> = Result<T, Box<dyn Error>>;

const HELP: &str = "\
cargo run --release -p sdl-bench -- <run> [options]

  cold PATH [--rounds 3]               first index of PATH against bare tree-sitter parsing of the same files
  disk PATH                            the room that facts and ledger of PATH take, by table, beside the source
  growth PATH [--sizes 5]              first indexes of parts of PATH, each twice as large as the one before: what a file costs
  freshness [--edits 1000] [--outside 100] [--files 300]
                                       edits in a held slice, each followed at once by slice.refresh
  edits PATH [--edits 1000] [--outside 100] [--held 40] [--pause 0]
                                       the same on a copy of a real tree, beside one of 50 of its files; `pause` is in seconds
  headers PATH [--headers 8]           edits of C headers, from the one that most files include to ones that few do, in a copy of PATH
  switches PATH [--files 3000] [--rounds 6]
                                       `git checkout` of that many files of a copy of PATH, there and back, against its first index
  drift PATH [--edits 100] [--every 25] [--seed 1]
                                       random edits of a copy of PATH, then `sdlctl verify`, also after every so many
  latency [PATH] [--calls 500]         the common calls, through the shim
  searches [PATH] [--calls 100] [--seed 1]
                                       searches, cards and slices of random functions, each twice
  memory [PATH] [--memories 20000] [--triples 100000] [--activity 50000] [--calls 300] [--seconds 30] [--seed 1]
                                       the calls of the modules on a store of that size, memory, and the cost at rest
  anchors PATH [--commits 200] [--symbols 200] [--seed 1]
                                       memories and facts on symbols through the commits of PATH, against an oracle
  feedback [--tasks 40] [--sources 1000] [--rounds 20] [--seed 1] [--shuffled 1]
                                       the useful sources in a context of 2,000 tokens before and after judgements
  questions [PATH] [--calls 100] [--seed 1]
                                       callers, ways and impact of random symbols, and of the one with the most callers
  deltas PATH [--commits 50] [--checkouts 1]
                                       delta.get over a git repository's commits, against git's hunks
  hooks PATH [--calls 200]             the whole process of `sdlctl hook` after each kind of event, and the tokens of what it says
  idle [PATH] [--seconds 60]           CPU, wake-ups and bytes written with nothing to do
  crash [--rounds 200] [--seed 1]      kill -9 at random instants; nothing lost, nothing half done
  burst [--files 300]                  a branch switch that changes that many files, there and back
  reverts PATH... [--commits 20]       risk scores of commits that were reverted or fixed later, beside others
  tokens PATH [--calls 20]             what lists, answers and slices take, as Markdown
  upstream FOLDER [PEERS] [--calls 1000] [--tokens 1] [--cost 1] [--memory 1]
                                       tokens, time and memory of the servers that npm and pip installed below FOLDER,
                                       directly, through the daemon and through the proxies that are below PEERS
  upstream-fidelity FOLDER             whether results, progress, cancelling and changes pass through unharmed
  upstream-hung [PATH] [--rounds 20] [--calls 200] [--hung 64]
                                       symbol.getCard alone and beside calls of upstreams that are never answered
  upstream-kill [--rounds 100] [--seed 1]
                                       kill -9 of the daemon under calls of upstreams; no child left, no call twice
  upstream-live [--rounds 3]           settings that change while eight clients call
  upstream-stale [--rounds 200]        an upstream whose every second list fails, and tools that are new
  upstream-soak FOLDER [--seconds 120] [--clients 8] [--per-minute 60]
                                       healthy and sick upstreams for a long time: memory, processes, tools, codes
  worktrees PATH [--count 100]         git worktrees of a copy of PATH: what each costs, that they stay apart, what is left of them
  clients [--clients 16] [--calls 200] many shims at once
";

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let outcome = words.split_first().map(|(run, rest)| {
        // What the runs start as upstreams.
        match run.as_str() {
            "upstream-server" => return upstream::scripted::serve_scripted(rest),
            "upstream-tee" => return upstream::tee::run_tee(rest),
            _ => {}
        }
        let options = Options::parse(rest)?;
        match run.as_str() {
            "cold" => runs::cold::run_cold(&options),
            "growth" => runs::growth::run_growth(&options),
            "disk" => runs::disk::run_disk(&options),
            "drift" => runs::drift::run_drift(&options),
            "edits" => runs::edits::run_edits(&options),
            "freshness" => runs::freshness::run_freshness(&options),
            "anchors" => runs::anchors::run_anchors(&options),
            "feedback" => runs::feedback::run_feedback(&options),
            "memory" => runs::memory::run_memory(&options),
            "latency" => runs::latency::run_latency(&options),
            "searches" => runs::searches::run_searches(&options),
            "questions" => runs::questions::run_questions(&options),
            "deltas" => runs::deltas::run_deltas(&options),
            "headers" => runs::headers::run_headers(&options),
            "hooks" => runs::hooks::run_hooks(&options),
            "idle" => runs::idle::run_idle(&options),
            "crash" => runs::crash::run_crash(&options),
            "burst" => runs::burst::run_burst(&options),
            "clients" => runs::clients::run_clients(&options),
            "reverts" => runs::reverts::run_reverts(&options),
            "upstream" => runs::upstream::run_upstream(&options),
            "upstream-fidelity" => runs::upstream_fidelity::run_fidelity(&options),
            "upstream-hung" => runs::upstream_hung::run_hung(&options),
            "upstream-kill" => runs::upstream_kill::run_kill(&options),
            "upstream-live" => runs::upstream_live::run_live(&options),
            "upstream-stale" => runs::upstream_stale::run_stale(&options),
            "upstream-soak" => runs::upstream_soak::run_soak(&options),
            "worktrees" => runs::worktrees::run_worktrees(&options),
            "switches" => runs::switches::run_switches(&options),
            "tokens" => runs::tokens::run_tokens(&options),
            other => Err(format!("no run `{other}`\n\n{HELP}").into()),
        }
    });
    match outcome {
        None => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(error)) => {
            eprintln!("sdl-bench: {error}");
            ExitCode::FAILURE
        }
    }
}
