//! Makes the page of `sdl-ui` without node: reads `package-lock.json`, fetches what it names from the npm registry, runs esbuild
//! as `build.steps` says, and writes one document.

mod build;
mod fetch;
mod lock;
mod unpack;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The reason why there is no page, for people.
pub(crate) type Outcome<T = ()> = Result<T, String>;

const HELP: &str = "\
cargo xtask page [--offline] [--page FOLDER] [--to FILE]

Makes the page of sdl-ui: one HTML document in client/ui/page/dist/index.html. Build sdl-ui again afterwards.

  --offline        Use only what was fetched before
  --page FOLDER    The sources (default: client/ui/page)
  --to FILE        The document (default: dist/index.html beside the sources)
";

struct Args {
    page: PathBuf,
    to: PathBuf,
    offline: bool,
}

fn main() -> ExitCode {
    let made = match read_args(std::env::args().skip(1)) {
        Ok(Some(args)) => make_page(&args),
        Ok(None) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(why) => Err(why),
    };
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}

fn read_args(mut words: impl Iterator<Item = String>) -> Outcome<Option<Args>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."));
    let (mut page, mut to, mut offline) = (root.join("client/ui/page"), None, false);
    while let Some(word) = words.next() {
        let mut value = || words.next().map(PathBuf::from).ok_or_else(|| format!("{word} needs a path"));
        match word.as_str() {
            "--offline" => offline = true,
            "--page" => page = value()?,
            "--to" => to = Some(value()?),
            "-h" | "--help" => return Ok(None),
            other => return Err(format!("no option `{other}`\n\n{HELP}")),
        }
    }
    let to = to.unwrap_or_else(|| page.join("dist").join("index.html"));
    Ok(Some(Args { page, to, offline }))
}

fn make_page(args: &Args) -> Outcome {
    let cache = cache_folder()?;
    let wanted = lock::read_lock(&args.page.join("package-lock.json"), lock::own_platform()?)?;
    let modules = cache.join(&wanted.mark);
    let mut fetcher = fetch::Fetcher::new(cache.join("packages"), args.offline)?;
    for package in &wanted.packages {
        let folder = modules.join("node_modules").join(&package.name);
        let stamp = modules.join("unpacked").join(format!("{}.txt", package.file_name()));
        if stamp.is_file() && folder.is_dir() {
            continue;
        }
        let archive = fetcher.fetch(package)?;
        unpack::unpack_package(&archive, &folder).map_err(|why| format!("{}: {why}", package.name))?;
        write_file(&stamp, b"")?;
    }
    let document = build::build_document(&args.page, &modules, &wanted.esbuild)?;
    write_file(&args.to, document.as_bytes())?;
    println!("{}: {} bytes", args.to.display(), document.len());
    Ok(())
}

/// A folder below the target folder: this program is in `<target>/<profile>/`.
fn cache_folder() -> Outcome<PathBuf> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let target = own.ancestors().nth(2).ok_or("this program is not in a target folder")?;
    Ok(target.join("page"))
}

/// Writes a file in one step: it is whole or not there.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Outcome {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let folder = path.parent().ok_or_else(|| format!("{} has no folder", path.display()))?;
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    std::io::Write::write_all(&mut file, bytes).map_err(failed)?;
    file.persist(path).map(|_| ()).map_err(|error| failed(error.error))
}
