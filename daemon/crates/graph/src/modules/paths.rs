//! Paths as text.

/// `rel` seen from folder `dir`, without `.` and `..`; none if it leads out of the repository.
pub fn join_path(dir: &str, rel: &str) -> Option<String> {
    let mut parts: Vec<&str> = dir.split('/').filter(|part| !part.is_empty()).collect();
    for part in rel.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The folder of a path; empty for the root.
pub(crate) fn parent_dir(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}

/// `name` in folder `dir`.
pub fn in_dir(dir: &str, name: &str) -> String {
    let mut path = String::with_capacity(dir.len() + 1 + name.len());
    push_part(&mut path, dir);
    push_part(&mut path, name);
    path
}

/// Adds `part` to a path. Candidates for paths are made by the hundred thousand, so this formats nothing.
pub(crate) fn push_part(path: &mut String, part: &str) {
    if !path.is_empty() {
        path.push('/');
    }
    path.push_str(part);
}

/// `dir` and the folders around it, innermost first, the root (empty) last.
pub(crate) fn folder_ancestors(dir: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(dir), |at| (!at.is_empty()).then(|| self::parent_dir(at)))
}

/// How many leading parts two folders share.
pub(crate) fn shared_depth(a: &str, b: &str) -> usize {
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins() {
        assert_eq!(join_path("a/b", "../c/./d").as_deref(), Some("a/c/d"));
        assert_eq!(join_path("", "x").as_deref(), Some("x"));
        assert_eq!(join_path("a", "../../x"), None);
        assert_eq!(folder_ancestors("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
    }
}
