//! Questions about the graph, whose answers have most fields.

use serde_json::{Value, json};

use super::Seen;
use crate::common::World;

pub(super) fn ask_all(seen: &mut Seen) {
    let world = World::empty();
    world.repo.write(crate::questions::TREE);
    world.repo.write(&crate::questions::TREE.replace("return 4", "return 5"));
    let related = |seen: &mut Seen, symbol: &str, more: Value| {
        let mut args = json!({"symbol": symbol});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        seen.ok(&world, "symbol.related", args);
    };
    related(seen, "Square.area", json!({"depth": 2, "includeText": true, "limit": 1}));
    related(seen, "Square.area", json!({"depth": 3, "atVersion": "previous"}));
    related(seen, "grow", json!({"want": "references"}));
    related(seen, "grow", json!({}));
    related(seen, "real/linked/shapes.py", json!({"want": "members"}));
    related(seen, "real/linked", json!({"want": "members", "depth": 2}));
    world.install_wire();
    seen.ok(&world, "symbol.getCard", json!({"symbolRef": {"name": "fetch"}}));
    seen.ok(&world, "symbol.related", json!({"symbol": "fetch", "want": "callees"}));
    seen.ok(&world, "symbol.path", json!({"from": "main", "to": "Square.area", "includeText": true}));
    seen.ok(&world, "symbol.path", json!({"from": "grow", "to": "main", "atVersion": "previous"}));
    seen.ok(&world, "change.impact", json!({"symbols": ["Square.area"], "limit": 1}));
    seen.ok(&world, "change.impact", json!({"symbols": ["Square.area"], "want": "tests"}));
    seen.ok(&world, "symbol.rename", json!({"symbol": "Square.area", "newName": "size", "limit": 2}));
    world.repo.write(crate::questions::CIRCLE);
    seen.ok(&world, "symbol.unused", json!({"minConfidence": 0.3, "limit": 1}));
    seen.ok(&world, "symbol.unused", json!({"minConfidence": 0.9}));
    seen.ok(&world, "symbol.unused", json!({"minConfidence": 0, "atVersion": "previous"}));
    world.repo.write(crate::questions::SHORTHAND);
    seen.ok(&world, "symbol.rename", json!({"symbol": "save", "newName": "keep"}));
}
