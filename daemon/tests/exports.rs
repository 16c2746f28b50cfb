//! Data that a person exports from the ledger has no secret in it either.
#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]

use std::fs;
use std::sync::Arc;

use sdl_tools::{Cancel, Host, NoProgress, Session, Tools};
use sdld::admin::{self, Admin};
use sdld::engine::Engine;
use serde_json::json;

#[test]
fn names_and_paths_are_masked_in_exports_and_dumps() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap().join("app");
    fs::create_dir_all(&root).unwrap();
    // In pieces, lest somebody takes this file for one with secrets.
    let token = format!("gh{}_{}", "p", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let text = format!("def {token}():\n    return {token}()\n");
    fs::write(root.join(format!("deploy-{token}.py")), text).unwrap();

    let engine = Engine::open(&folder.path().join("state")).unwrap();
    let tools = Tools::new(Arc::clone(&engine) as Arc<dyn Host>);
    let session = Session {
        id: 1,
        cwd: Some(root.clone()),
        client: "test".into(),
        principal: None,
        run: sdl_tools::ClientRun::default(),
    };
    for (action, args) in
        [("repo.register", json!({ "rootPath": root })), ("index.refresh", json!({ "mode": "incremental" }))]
    {
        let args = args.to_string();
        tools.call(&session, action, args.as_bytes(), &NoProgress, &Cancel::new());
    }
    let cancel = Cancel::new();
    let admin = Admin {
        engine: &engine,
        cancel: &cancel,
        progress: &NoProgress,
        kind: sdl_proto::ClientKind::Ctl,
        session: 1,
        client: "test",
    };
    let call = |method: &str, params: serde_json::Value| {
        let run = admin::find_method(method).unwrap();
        String::from_utf8(run(&admin, params.to_string().as_bytes()).unwrap()).unwrap()
    };
    for method in ["export/symbols", "export/edges", "export/calls"] {
        let lines = call(method, json!({}));
        assert!(lines.contains("***") && !lines.contains(&token[4..]), "{method}: {lines}");
    }
    let to = folder.path().join("dump");
    call("ledger/dump", json!({ "to": to, "postings": true }));
    let dump = fs::read_to_string(to).unwrap();
    assert!(dump.contains("***") && dump.lines().count() > 5, "{dump}");
    assert!(!dump.to_lowercase().contains(&token[4..].to_lowercase()), "{dump}");
    engine.close();
}
