//! `sdl-share`, which moves snapshots of ledgers to a team's store and back.

use std::process::ExitCode;

fn main() -> ExitCode {
    sdl_share::main()
}
