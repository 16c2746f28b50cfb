//! The meaning of a store's error for the repository that met it.

use std::path::{Path, PathBuf};

use sdl_tools::Damage;

/// The repair that is possible while the daemon runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ailment {
    /// The repository's ledger is damaged: it is set aside and built again.
    Damaged(String),
    /// The repository's ledger has shut itself and is whole: it is opened again.
    Shut(String),
    /// Facts that a version names are damaged, or not stored: they are made again from the files.
    FactsMissing(String),
    /// The store of all repositories' facts is damaged: the next start sets it aside.
    FactsDamaged(String),
}

impl Ailment {
    /// The meaning of `error` for the ledger in `dir`; none if it passes by itself.
    pub(super) fn of_error(error: &sdl_ledger::Error, dir: &Path) -> Option<Self> {
        if error.needs_reopen() {
            let ours = matches!(error, sdl_ledger::Error::Lmdb { path, .. } if is_in(path, dir));
            return ours.then(|| Self::Shut(error.to_string()));
        }
        Self::of_damage(&Damage::of(error)?, dir)
    }

    /// The same for damage that a reader met.
    pub(super) fn of_damage(damage: &Damage, dir: &Path) -> Option<Self> {
        let why = damage.why.clone();
        Some(match damage.table {
            Some(_) if damage.is_of_facts() => Self::FactsMissing(why),
            Some(_) => Self::Damaged(why),
            None if damage.path.as_ref().is_none_or(|path| is_in(path, dir)) => Self::Damaged(why),
            None => Self::FactsDamaged(why),
        })
    }
}

/// Stores name themselves by their real paths.
fn is_in(path: &PathBuf, dir: &Path) -> bool {
    path == dir || dir.canonicalize().is_ok_and(|dir| *path == dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_paths_tell_what_is_damaged() {
        let of = |table, path: &str| {
            let damage = Damage { why: "why".into(), table, path: Some(path.into()) };
            Ailment::of_damage(&damage, Path::new("/state/repos/app"))
        };
        assert_eq!(of(Some("facts"), ""), Some(Ailment::FactsMissing("why".into())));
        assert_eq!(of(Some("failures"), ""), Some(Ailment::FactsMissing("why".into())));
        assert_eq!(of(Some("out_edges"), ""), Some(Ailment::Damaged("why".into())));
        assert_eq!(of(None, "/state/repos/app"), Some(Ailment::Damaged("why".into())));
        assert_eq!(of(None, "/state/facts"), Some(Ailment::FactsDamaged("why".into())));
        let passing = sdl_ledger::Error::DiskFull { path: "/state/repos/app".into() };
        assert_eq!(Ailment::of_error(&passing, Path::new("/state/repos/app")), None);
    }
}
