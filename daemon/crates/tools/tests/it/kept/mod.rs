//! What agents keep, by the actions of the modules: memories, scratch, facts, work.

mod context;
mod memory;
mod parity;
mod schemas;

use serde_json::{Value, json};

use crate::common::World;

/// The shop with every module on.
fn world() -> World {
    World::shop().with_modules()
}

/// The arguments of a memory about `validate`.
fn about_validate(world: &World) -> Value {
    json!({"type": "decision", "title": "Tokens are checked twice", "content": "The gateway caches.",
        "rationale": "it is fast", "symbolIds": [world.repo.symbol("src/auth.py", "validate")]})
}

/// The shop after an edit of `validate`.
fn edit_validate(world: &World) {
    world.repo.write(&crate::common::SHOP.replace("def validate(", "def validate(strict, "));
}
