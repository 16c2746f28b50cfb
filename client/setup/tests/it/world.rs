//! A machine below a temporary folder.

use std::fs;
use std::path::{Path, PathBuf};

use sdl_setup::apply::{Applied, apply_change};
use sdl_setup::file::FileProblem;
use sdl_setup::{Action, Client, Machine, Os, Parts, Plan, Records, Request, Scope, Wanted, make_plan};
use tempfile::TempDir;

pub(crate) const SHIM: &str = "/opt/sdl/bin/sdl-mcp";
pub(crate) const CONTROL: &str = "/opt/sdl/bin/sdlctl";

pub(crate) struct World {
    _folder: TempDir,
    pub(crate) machine: Machine,
    pub(crate) records: Records,
    pub(crate) arguments: Option<Vec<String>>,
    pub(crate) program: String,
    pub(crate) force: bool,
    /// What besides the server; nothing at first.
    pub(crate) parts: Parts,
    pub(crate) hook_program: String,
}

impl World {
    pub(crate) fn new(os: Os) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let machine = Machine::new(os, root.join("home"), root.join("project"));
        fs::create_dir_all(&machine.home).unwrap();
        fs::create_dir_all(&machine.project).unwrap();
        let records = Records::default();
        Self {
            _folder: folder,
            machine,
            records,
            arguments: None,
            program: SHIM.into(),
            force: false,
            parts: Parts::default(),
            hook_program: CONTROL.into(),
        }
    }

    /// A system on which the client has a file for its user.
    pub(crate) fn for_client(client: &Client) -> Self {
        let systems = [Os::Linux, Os::Mac, Os::Windows];
        let world =
            systems.into_iter().map(Self::new).find(|world| client.user_file(&world.machine).is_some());
        world.unwrap_or_else(|| Self::new(Os::Linux))
    }

    /// The same, with what besides the server.
    pub(crate) fn with(mut self, parts: Parts) -> Self {
        self.parts = parts;
        self
    }

    pub(crate) fn plan(&self, clients: &[&'static Client], scope: Scope, remove: bool) -> Plan {
        let wanted = Wanted { program: self.program.clone(), arguments: self.arguments.clone() };
        let request = Request {
            clients: clients.to_vec(),
            named: true,
            scope,
            wanted,
            parts: self.parts,
            hook_program: self.hook_program.clone(),
            remove,
            force: self.force,
        };
        make_plan(&self.machine, &request, &self.records)
    }

    /// Plans and writes; the actions, one for each client.
    pub(crate) fn run(&mut self, clients: &[&'static Client], scope: Scope, remove: bool) -> Vec<Action> {
        let plan = self.plan(clients, scope, remove);
        for result in self.apply(&plan) {
            result.unwrap();
        }
        plan.steps.into_iter().map(|step| step.action).collect()
    }

    pub(crate) fn apply(&mut self, plan: &Plan) -> Vec<Result<Applied, FileProblem>> {
        plan.changes.iter().map(|change| apply_change(change, &mut self.records)).collect()
    }
}

/// Writes a file with the folders that lead to it.
pub(crate) fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// All files and folders below a folder, with their content.
pub(crate) fn tree(folder: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.push((path.clone(), None));
            found.extend(tree(&path));
        } else {
            found.push((path.clone(), Some(fs::read(&path).unwrap())));
        }
    }
    found.sort();
    found
}
