//! The repositories whose code is that of the call: the one that is asked, and the other worktrees of it.

use crate::Repo;
use crate::call::context::Call;

/// A repository and the other worktrees of it, with those that were removed. Their symbols have the same ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Family {
    /// The repository that is asked first.
    ids: Vec<String>,
}

impl Family {
    /// The family of a repository.
    pub(crate) fn of(call: &Call<'_>, repo: &dyn Repo) -> Self {
        let kin = call.host.repos().into_iter();
        let kin = kin.filter(|other| other.id() != repo.id() && other.family() == repo.family());
        let kin = kin.map(|other| other.id().to_owned());
        let former = call.host.former_kin(repo.family());
        Self { ids: [repo.id().to_owned()].into_iter().chain(kin).chain(former).collect() }
    }

    /// The ids, that of the repository first.
    pub(crate) fn ids(&self) -> &[String] {
        &self.ids
    }

    /// Whether the code of a repository can be seen in this version.
    pub(crate) fn has(&self, repo: &str) -> bool {
        self.ids.iter().any(|known| known == repo)
    }

    /// Whether versions of that repository are those of the ledger that is asked.
    pub(crate) fn is_own(&self, repo: &str) -> bool {
        self.ids.first().is_some_and(|own| own == repo)
    }
}
