//! Index files, which show the public interface of their folder.

/// The names of index files, without extension.
const FRONTS: &[&str] = &["__init__", "index", "lib", "mod"];

/// Whether a file shows the public interface of its folder, as `__init__.py` and `index.ts` do.
pub(crate) fn is_front(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    FRONTS.contains(&file.split('.').next().unwrap_or(file))
}
