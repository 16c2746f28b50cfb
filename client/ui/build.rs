//! Finds the page that `cargo xtask page` has made. Without one the program still builds, with a page that says so.

use std::path::Path;
use std::{env, fs};

/// Where the page is.
const MADE: &str = "page/dist/index.html";

/// The page in its place.
const MISSING: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>sdl</title></head><body>\
<p>This build has no page. Make it with: cargo xtask page, then build sdl-ui again.</p></body></html>\n";

fn main() {
    // The folder, because the page may not be there yet.
    println!("cargo::rerun-if-changed=page/dist");
    println!("cargo::rerun-if-changed=build.rs");
    let page = fs::read(MADE).unwrap_or_else(|_| MISSING.as_bytes().to_vec());
    let folder = env::var_os("OUT_DIR").unwrap_or_default();
    if let Err(error) = fs::write(Path::new(&folder).join("page.html"), page) {
        println!("cargo::error=the page can't be written: {error}");
    }
}
