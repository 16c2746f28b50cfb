//! The file that a path without an extension denotes.

use sdl_model::Lang;

use crate::modules::paths::in_dir;
use crate::modules::{ModRef, Place};
use crate::world::World;

const TYPED: [&str; 9] = [".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];
const PLAIN: [&str; 9] = [".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".d.ts", ".mts", ".cts"];

/// The file that `base` denotes, seen from a file in `lang`: itself, with an extension, or its index.
pub(super) fn probe_file(w: &World<'_>, base: &str, lang: Lang) -> Place {
    let found = |path: &str| w.open_path(path).map(|file| Place::Module(ModRef::File(file)));
    let extension = base.rsplit_once('/').map_or(base, |(_, name)| name).rsplit_once('.').map(|(_, ext)| ext);
    if let Some(
        extension @ ("js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte"),
    ) = extension
    {
        if let Some(place) = found(base) {
            return place;
        }
        // TypeScript imports name the file that the compiler will write: `./cart.js` for `cart.ts`.
        let stem = base.strip_suffix(extension).unwrap_or(base);
        let written: &[&str] = match extension {
            "js" => &["ts", "tsx", "d.ts"],
            "jsx" => &["tsx"],
            "mjs" => &["mts", "d.mts"],
            "cjs" => &["cts", "d.cts"],
            _ => &[],
        };
        if let Some(place) = written.iter().find_map(|ext| found(&format!("{stem}{ext}"))) {
            return place;
        }
    }
    let extensions = if matches!(lang, Lang::JavaScript) { &PLAIN } else { &TYPED };
    if !base.is_empty()
        && let Some(place) = extensions.iter().find_map(|ext| found(&format!("{base}{ext}")))
    {
        return place;
    }
    // One question for the folder instead of one for each possible index, because each question is recorded.
    let inside = w.files_in_dir(base);
    if inside.is_empty() {
        return Place::Missing;
    }
    extensions.iter().find_map(|ext| found(&in_dir(base, &format!("index{ext}")))).unwrap_or(Place::Missing)
}
