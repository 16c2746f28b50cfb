//! `sdl-ui`, the page of the daemon.

use std::process::ExitCode;

fn main() -> ExitCode {
    sdl_ui::main()
}
