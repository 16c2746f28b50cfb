//! Calls that show side effects.

use sdl_model::facts::EffectKind::{Env, GlobalState, Io, Logging, Network, Process};

use super::kinds::{K, Node};
use crate::builder::{EffectEntries, EffectTable};

/// The longest callee that is looked up.
const LONG_CALLEE: usize = 120;

const ENTRIES: EffectEntries = &[
    (Io, &["print", "io", "dofile", "loadfile", "os.remove", "os.rename", "os.tmpname", "lfs", ".setvbuf"]),
    (Network, &["socket", "ngx.socket", "ssl", "http.request", "https.request"]),
    (Env, &["os.getenv"]),
    (Process, &["os.execute", "os.exit", "io.popen"]),
    (
        GlobalState,
        &[
            "_G",
            "collectgarbage",
            "debug.sethook",
            "debug.setmetatable",
            "math.randomseed",
            "os.setlocale",
            "package.loaded",
            "package.path",
            "setfenv",
        ],
    ),
    (Logging, &["ngx.log", "log", "logger", "logging", "self.log", "self.logger"]),
];

pub(super) static TABLE: EffectTable = EffectTable::new(ENTRIES);

/// The callee as the table spells it: `self.log.info` of `self.log:info`.
pub(super) fn spelled(callee: Node<'_>) -> Option<String> {
    if callee.end() - callee.start() > LONG_CALLEE as u32 {
        return None;
    }
    matches!(callee.kind(), K::Identifier | K::DotIndex | K::MethodIndex)
        .then(|| callee.text().replace(':', "."))
}
