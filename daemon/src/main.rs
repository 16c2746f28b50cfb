//! `sdld`: see the library of the same name.

fn main() -> std::process::ExitCode {
    sdld::lifecycle::run_daemon()
}
