//! Writes the page of every action into a folder: `cargo xtask docs`.

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or_else(|| io::Error::other("usage: pages FOLDER"))?;
    fs::create_dir_all(&folder)?;
    for old in fs::read_dir(&folder)? {
        let old = old?.path();
        if old.extension().is_some_and(|end| end == "md") {
            fs::remove_file(old)?;
        }
    }
    for (name, text) in sdl_tools::documentation_pages() {
        fs::write(folder.join(name), text)?;
    }
    Ok(())
}
