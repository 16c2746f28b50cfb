//! A package's archive becomes a folder. An archive can name any path and link: what leaves the folder is refused.

use std::fs::File;
use std::io::{Read, Write as _};
use std::path::{Component, Path, PathBuf};

use flate2::read::GzDecoder;
use tar::{Archive, EntryType};

use crate::Outcome;

/// What one package may become.
const MOST_BYTES: u64 = 256 << 20;
const MOST_FILES: usize = 20_000;

/// Unpacks into `folder`. An older one is replaced.
pub(crate) fn unpack_package(archive: &[u8], folder: &Path) -> Outcome {
    let failed = |error: std::io::Error| error.to_string();
    let parent = folder.parent().ok_or("a folder without a parent")?;
    std::fs::create_dir_all(parent).map_err(failed)?;
    // Aside first, so that a half unpacked package is never taken for a whole one.
    let aside = tempfile::tempdir_in(parent).map_err(failed)?;
    // One byte more than allowed, to notice.
    let bytes = GzDecoder::new(archive).take(MOST_BYTES + 1);
    let mut unpacked = Archive::new(bytes);
    let (mut size, mut count) = (0_u64, 0);
    for entry in unpacked.entries().map_err(failed)? {
        let mut entry = entry.map_err(failed)?;
        count += 1;
        size = size.saturating_add(entry.size());
        if count > MOST_FILES || size > MOST_BYTES {
            return Err(format!("it has more than {MOST_FILES} files or {MOST_BYTES} bytes"));
        }
        let path = entry.path().map_err(failed)?.into_owned();
        match entry.header().entry_type() {
            EntryType::Regular | EntryType::Continuous => {}
            EntryType::Directory | EntryType::XGlobalHeader => continue,
            kind => return Err(format!("{} is no file but {kind:?}", path.display())),
        }
        let to = aside.path().join(inner_path(&path)?);
        if let Some(folder) = to.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let is_program = entry.header().mode().is_ok_and(|mode| mode & 0o111 != 0);
        // A file that occurs twice is refused, because two names can mean one file where case does not count.
        let mut file = File::create_new(&to).map_err(|error| format!("{}: {error}", path.display()))?;
        std::io::copy(&mut entry, &mut file).map_err(failed)?;
        file.flush().map_err(failed)?;
        allow_running(&file, is_program).map_err(failed)?;
    }
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(failed)?;
    }
    std::fs::rename(aside.keep(), folder).map_err(failed)
}

/// A path without its first part, which npm calls `package`.
fn inner_path(path: &Path) -> Outcome<PathBuf> {
    let mut parts = path.components();
    let first = parts.next();
    let rest = parts.as_path();
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    let plain =
        first.is_some_and(is_plain) && rest.components().all(is_plain) && rest.components().next().is_some();
    if plain { Ok(rest.to_owned()) } else { Err(format!("{} leaves the package", path.display())) }
}

#[cfg(unix)]
fn allow_running(file: &File, is_program: bool) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = if is_program { 0o755 } else { 0o644 };
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
fn allow_running(_: &File, _: bool) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use tar::{Builder, Header};

    use super::*;

    /// An archive of entries: kind, path as it is written, content or target.
    fn archive(entries: &[(EntryType, &str, &str)]) -> Vec<u8> {
        let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (kind, path, content) in entries {
            let mut header = Header::new_gnu();
            header.set_entry_type(*kind);
            header.set_mode(0o755);
            let name = &mut header.as_old_mut().name;
            name[..path.len()].copy_from_slice(path.as_bytes());
            let is_link = matches!(kind, EntryType::Symlink | EntryType::Link);
            if is_link {
                header.as_old_mut().linkname[..content.len()].copy_from_slice(content.as_bytes());
            }
            header.set_size(if is_link { 0 } else { content.len() as u64 });
            header.set_cksum();
            builder.append(&header, if is_link { &b""[..] } else { content.as_bytes() }).unwrap();
        }
        builder.into_inner().unwrap().finish().unwrap()
    }

    const FILE: EntryType = EntryType::Regular;

    #[test]
    fn files_are_unpacked_without_their_first_folder() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("@scope/name");
        let bytes = archive(&[
            (EntryType::Directory, "package/", ""),
            (FILE, "package/package.json", "{}"),
            (FILE, "package/bin/run", "x"),
        ]);
        for _ in 0..2 {
            unpack_package(&bytes, &to).unwrap();
            assert_eq!(std::fs::read_to_string(to.join("package.json")).unwrap(), "{}");
            assert!(to.join("bin/run").is_file());
        }
        let left: Vec<_> = std::fs::read_dir(folder.path().join("@scope")).unwrap().collect();
        assert_eq!(left.len(), 1, "nothing is left beside it");
    }

    #[test]
    fn nothing_leaves_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("in/name");
        for entries in [
            &[(FILE, "package/../../evil", "x")][..],
            &[(FILE, "../evil", "x")],
            &[(FILE, "/package/evil", "x")],
            &[(FILE, "package", "x")],
            &[(FILE, "package/./..", "x")],
            &[(EntryType::Symlink, "package/link", "/etc")],
            &[(EntryType::Link, "package/link", "../../evil")],
            &[(EntryType::Fifo, "package/pipe", "")],
            &[(FILE, "package/twice", "x"), (FILE, "package/twice", "y")],
        ] {
            assert!(unpack_package(&archive(entries), &to).is_err(), "{entries:?}");
            assert!(!to.exists(), "{entries:?}");
        }
        let left: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["in"]);
    }

    #[test]
    fn a_broken_archive_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("name");
        let whole = archive(&[(FILE, "package/a", "content")]);
        for bytes in [&whole[..whole.len() / 2], b"no archive"] {
            assert!(unpack_package(bytes, &to).is_err());
        }
    }

    #[test]
    fn a_file_that_grows_without_end_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut header = Header::new_gnu();
        header.set_path("package/huge").unwrap();
        header.set_entry_type(FILE);
        header.set_size(MOST_BYTES + 1);
        header.set_cksum();
        let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
        std::io::Write::write_all(&mut gz, header.as_bytes()).unwrap();
        let bytes = gz.finish().unwrap();
        assert!(unpack_package(&bytes, &folder.path().join("name")).unwrap_err().contains("more than"));
    }
}
