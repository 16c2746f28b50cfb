//! Commands that show side effects.

use sdl_model::facts::EffectKind::{Env, GlobalState, Io, Logging, Network, Process};

use crate::builder::{EffectEntries, EffectTable};

#[rustfmt::skip]
const ENTRIES: EffectEntries = &[
    (Io, &["echo", "printf", "cat", "cp", "mv", "rm", "mkdir", "rmdir", "touch", "tee", "ln", "dd", "chmod", "chown", "find", "tar", "mktemp", "rsync", "install"]),
    (Network, &["curl", "wget", "ssh", "scp", "nc", "ping", "git", "docker", "apt-get", "npm", "pip"]),
    (Env, &["export", "env", "printenv", "unset"]),
    (Process, &["exec", "eval", "kill", "pkill", "nohup", "sudo", "exit", "xargs"]),
    (GlobalState, &["cd", "pushd", "popd", "trap", "ulimit", "umask"]),
    (Logging, &["logger"]),
];

pub(super) static TABLE: EffectTable = EffectTable::new(ENTRIES);
