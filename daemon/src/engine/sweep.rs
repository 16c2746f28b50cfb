//! Removes facts that nobody names any more.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sdl_tools::{Damage, Repo as _};

use super::{Engine, Work, memory, read_lock};
use crate::repo::Repo;

/// How long the sweep may read one ledger.
const SWEEP_DEADLINE: Duration = Duration::from_secs(60);

impl Engine {
    /// Removes the facts that no kept version of any repository names. Once per start is enough, because a day's edits
    /// leave few unused facts.
    pub(super) fn sweep_facts(&self) {
        // No sweep while a repository is not served, because its ledger names facts too and is not open to ask. And none before a
        // first index, which finds most facts here if the ledger is a new one: it was damaged, or a new build starts it over.
        let is_unread = |repo: &Arc<Repo>| repo.ledger().head().is_none();
        if !read_lock(&self.absent).is_empty() || self.all_repos().iter().any(is_unread) {
            return;
        }
        let swept = self.facts.sweep(|| {
            let mut live = HashSet::new();
            for repo in self.all_repos() {
                let deadline = Instant::now() + SWEEP_DEADLINE;
                let named = repo.ledger().read(deadline, |view| {
                    view.facts_keys(&mut |key, _| {
                        live.insert(key);
                    })
                });
                named.inspect_err(|error| {
                    if let Some(damage) = Damage::of(error) {
                        repo.damaged(&damage);
                    }
                })?;
            }
            Ok(live)
        });
        match swept {
            Ok(swept) => tracing::debug!(kept = swept.kept, removed = swept.removed, "swept the facts"),
            Err(error) => tracing::warn!(%error, "the facts were not swept"),
        }
        memory::give_back(Work::Sweep);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, channel};

    use sdl_ledger::{Fault, FaultPoint, Faults, Options, View as _};
    use sdl_model::{FactsKey, FileId, RelPath};
    use sdl_tools::{Cancel, ClientRun, Host, NoProgress, Session, Tools};
    use serde_json::json;

    use super::*;

    /// Holds the commits of the repository's worker until the other end is dropped.
    struct Gate(Mutex<Receiver<()>>);

    impl Faults for Gate {
        fn at(&self, point: FaultPoint) -> Option<Fault> {
            if point == FaultPoint::BeforeCommit && std::thread::current().name() == Some("repo app") {
                let _ = self.0.lock().unwrap().recv();
            }
            None
        }
    }

    fn call(engine: &Arc<Engine>, action: &str, arguments: &serde_json::Value) {
        let tools = Tools::new(Arc::clone(engine) as Arc<dyn Host>);
        let client = "test".into();
        let session = Session { id: 1, cwd: None, client, principal: None, run: ClientRun::default() };
        let arguments = arguments.to_string();
        let answer = tools.call(&session, action, arguments.as_bytes(), &NoProgress, &Cancel::new());
        let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
        assert_ne!(answer["isError"], true, "{answer}");
    }

    fn key_of(engine: &Engine, file: &Path) -> FactsKey {
        let file = FileId::of(&RelPath::new(file.to_str().unwrap()).unwrap());
        let [repo] = &engine.all_repos()[..] else { panic!("one repository") };
        let deadline = Instant::now() + SWEEP_DEADLINE;
        let row = repo.ledger().read(deadline, |view| view.file(file)).unwrap().unwrap();
        row.state.facts().unwrap()
    }

    #[test]
    fn what_a_first_index_can_use_is_not_swept() {
        let folder = tempfile::tempdir().unwrap();
        let (state, root) = (folder.path().join("state"), folder.path().join("app"));
        fs::create_dir(&root).unwrap();
        fs::write(root.join("a.py"), "def kept():\n    return 1\n").unwrap();
        fs::write(root.join("b.py"), "def gone():\n    return 2\n").unwrap();
        let engine = Engine::open(&state).unwrap();
        call(&engine, "repo.register", &json!({"rootPath": root}));
        let refresh = json!({"repoId": "app", "mode": "incremental"});
        call(&engine, "index.refresh", &refresh);
        let [kept, gone] = ["a.py", "b.py"].map(|file| key_of(&engine, Path::new(file)));
        engine.close();
        drop(engine);

        fs::remove_file(root.join("b.py")).unwrap();
        fs::remove_dir_all(state.join("repos/app")).unwrap();
        let (open, gate) = channel();
        let faults = Some(Arc::new(Gate(Mutex::new(gate))) as Arc<dyn Faults>);
        let engine = Engine::open_with(&state, Options { faults, ..Options::default() }).unwrap();
        engine.sweep_facts();
        let has = |key| engine.facts.has(&key).unwrap();
        assert!(has(kept) && has(gone), "the ledger names nothing yet");
        drop(open);
        call(&engine, "index.refresh", &refresh);
        engine.sweep_facts();
        assert!(has(kept) && !has(gone));
        engine.close();
    }
}
