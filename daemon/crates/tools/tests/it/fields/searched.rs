//! Calls that search.

use serde_json::json;

use super::{REAL, Seen};
use crate::common::{World, handlers};

pub(super) fn searches(seen: &mut Seen) {
    let world = World::shop();
    world.repo.write(REAL);
    world.repo.write("//- /tests/test_auth.py\ndef test_validate() calls validate : Tests it.\n");
    let validate = world.repo.symbol("src/auth.py", "validate");
    world.ok(
        "memory.store",
        json!({"type": "note", "title": "Tokens", "content": "They expire.", "tags": ["auth"],
        "symbolIds": [validate], "files": ["src/auth.py"]}),
    );
    seen.ok(
        &world,
        "symbol.search",
        json!({"query": "validate", "includeRetrievalEvidence": true, "semantic": true}),
    );
    seen.ok(&world, "symbol.search", json!({"query": "vaildate"}));
    seen.ok(&world, "symbol.search", json!({"query": "e", "limit": 1}));
    let card = seen.ok(
        &world,
        "symbol.getCard",
        json!({"symbolId": validate, "includeMemories": true, "includeResolutionMetadata": true}),
    );
    seen.ok(&world, "symbol.getCard", json!({"symbolId": validate, "ifNoneMatch": card["card"]["etag"]}));
    for name in ["Handler.handle", "first", "Base", "Handler"] {
        seen.ok(&world, "symbol.getCard", json!({"symbolRef": {"name": name}}));
    }
    seen.ok(
        &world,
        "symbol.getCards",
        json!({"symbolIds": [validate, "s_0000000000000"], "includeMemories": true}),
    );
    seen.ok(&world, "symbol.getCards", json!({"symbolRefs": [{"name": "validate"}, {"name": "vaildate"}]}));
    seen.ok(
        &world,
        "symbol.getCards",
        json!({"symbolIds": [validate], "knownEtags": {&validate: card["card"]["etag"]}}),
    );
    world.repo.write("//- /binary/logo.py\n0\n");
    seen.ok(&world, "repo.status", json!({"detail": "full", "surfaceMemories": true}));
    seen.ok(&world, "repo.overview", json!({"level": "full"}));
    seen.ok(&world, "repo.overview", json!({"level": "full", "maxTokens": 300}));
    seen.ok(&world, "context.summary", json!({"query": "validate a token", "format": "json"}));
    seen.ok(&world, "context.summary", json!({"query": "validate a token", "budget": 400}));
    seen.ok(&world, "action.search", json!({"query": "memory zyxomma", "limit": 2}));
    seen.ok(&world, "action.search", json!({"query": "slice.refresh", "limit": 1}));
    seen.ok(
        &world,
        "action.search",
        json!({"query": "symbols slice memory version repository tool", "limit": 40}),
    );
    seen.ok(&world, "action.search", json!({"query": "slice.build agent.orchestrate", "limit": 2}));
    let upstream = World::shop();
    upstream.configure(&json!({"mcpServers": {"fs": {"command": "fs"}}}));
    upstream.lists_all("fs", &json!({
        "instructions": "Paths are absolute.", "announces": {"tools": false, "prompts": false, "resources": false},
        "tools": [{"name": "read_zyxomma", "title": "Read", "annotations": {"readOnlyHint": true},
            "inputSchema": {"type": "object", "required": ["path"], "properties": {"path": {"type": "string"}}}}]
    }));
    seen.ok(&upstream, "action.search", json!({"query": "zyxomma"}));
    upstream.answers("read_zyxomma", r#"{"content":[]}"#);
    upstream.bytes("fs_read_zyxomma", "{}");
    seen.ok(&upstream, "info", json!({}));
    seen.ok(&upstream, "usage.stats", json!({}));
    let both = json!({"mcpServers": {"fs": {"command": "fs"}, "new": {"command": "new"}}});
    upstream.configure(&both);
    for key in ["new", "fs"] {
        upstream.fails(key, "no such program", 1);
        seen.ok(&upstream, "action.search", json!({"query": "zyxomma"}));
    }
    let changed = json!([{"name": "read_zyxomma", "description": "Reads\u{200b} it."}]);
    upstream.configure(&json!({"mcpServers": {"fs": {"command": "fs", "sdl": {"pin": "warn"}}}}));
    upstream.lists("fs", &changed);
    seen.ok(&upstream, "action.search", json!({"query": "zyxomma"}));
    seen.ok(&world, "manual", json!({"query": "memory zyxomma", "detail": "full"}));
    seen.ok(&world, "manual", json!({"detail": "full"}));
    seen.ok(&world, "info", json!({}));
    seen.ok(&world, "usage.stats", json!({"scope": "all", "since": 1}));
    let doc = "Looks at the request and says at some length what is to be done about it. ".repeat(6);
    world.repo.write(&handlers(300, &format!(" : {doc}")));
    seen.ok(&world, "symbol.search", json!({"query": "handler", "limit": 1000}));
    seen.ok(&world, "symbol.search", json!({"query": "handler_number_7", "limit": 1}));
    let ids: Vec<String> =
        (0..100).map(|i| world.repo.symbol("src/handlers.py", &format!("handler_number_{i}"))).collect();
    seen.ok(&world, "symbol.getCards", json!({"symbolIds": ids}));
}
