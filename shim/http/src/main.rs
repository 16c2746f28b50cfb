//! The program; the library has everything.

use std::process::ExitCode;

fn main() -> ExitCode {
    sdl_http::main()
}
