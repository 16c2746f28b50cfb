//! A formatter's run over held files resends nothing.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use sdl_tools::{Cancel, Host, NoProgress, Session, Tools};
use sdld::engine::Engine;
use serde_json::{Value, json};

const PRICES: &str = "package shop\n\n// Unit is the price of one.\nfunc Unit(sku string) int {\n\tif sku == \"\" {\n\t\tpanic(\"empty sku\")\n\t}\n\treturn len(sku)\n}\n\n// Total adds prices up.\nfunc Total(skus []string) int {\n\tsum := 0\n\tfor _, sku := range skus {\n\t\tsum += Unit(sku)\n\t}\n\treturn sum\n}\n";

struct World {
    engine: Arc<Engine>,
    tools: Tools,
    session: Session,
}

impl World {
    fn new(state: &Path, root: &Path) -> Self {
        let engine = Engine::open(state).unwrap();
        let tools = Tools::new(Arc::clone(&engine) as Arc<dyn Host>);
        let session = Session {
            id: 1,
            cwd: Some(root.to_owned()),
            client: "test".into(),
            principal: None,
            run: sdl_tools::ClientRun::default(),
        };
        let world = Self { engine, tools, session };
        world.ok("repo.register", &json!({ "rootPath": root }));
        world.ok("index.refresh", &json!({ "mode": "incremental" }));
        world
    }

    #[track_caller]
    fn ok(&self, action: &str, args: &Value) -> Value {
        let (args, cancel) = (args.to_string(), Cancel::new());
        let bytes = self.tools.call(&self.session, action, args.as_bytes(), &NoProgress, &cancel);
        let mut answer: Value = serde_json::from_slice(&bytes).unwrap();
        assert_ne!(answer["isError"], true, "{action}: {answer:#}");
        answer["structuredContent"].take()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.engine.close();
    }
}

#[test]
fn a_formatter_and_comments_resend_no_cards() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap().join("shop");
    fs::create_dir_all(&root).unwrap();
    fs::write(root.join("go.mod"), "module example.com/shop\n\ngo 1.22\n").unwrap();
    fs::write(root.join("prices.go"), PRICES).unwrap();
    let world = World::new(&folder.path().join("state"), &root);
    let card =
        |name: &str| world.ok("symbol.getCard", &json!({"symbolRef": {"name": name}, "sync": "require"}));
    let etag = |name: &str| card(name)["card"]["etag"].clone();
    let unit = etag("Unit");
    let slice = world.ok("slice.build", &json!({"taskText": "the total of prices", "sync": "require"}));
    let mut known = slice["ledgerVersion"].clone();
    let refresh = |known: &Value| {
        let args = json!({"sliceHandle": slice["sliceHandle"], "knownVersion": known});
        world.ok("slice.refresh", &args)
    };
    let body =
        PRICES.replace('\t', "    ").replace("    sum := 0", "    // Nothing yet.\n\n    sum := 0 // so far");
    fs::write(root.join("prices.go"), &body).unwrap();
    let refreshed = refresh(&known);
    // Cards that moved to other lines are listed, and not sent again.
    let sent = &refreshed["delta"]["changedSymbols"];
    assert!(sent.is_null() || sent == &json!([]), "{refreshed:#}");
    assert_eq!(etag("Unit"), unit, "the etag is of tokens");
    known = refreshed["currentVersion"].clone();
    // Documentation is on the card.
    fs::write(root.join("prices.go"), body.replace("is the price of one", "is what one costs")).unwrap();
    assert_ne!(etag("Unit"), unit);
    let refreshed = refresh(&known);
    let told = refreshed["delta"]["changedSymbols"].as_array().unwrap();
    let names: Vec<_> = told.iter().map(|change| (&change["name"], &change["docChanged"])).collect();
    assert_eq!(names, [(&json!("Unit"), &json!(true))], "{refreshed:#}");
}
