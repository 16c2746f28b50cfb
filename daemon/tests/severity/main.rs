//! Changes of known severity, in each language: a worse one always scores higher.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

mod languages;
mod project;
mod syntax;

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use project::{Param, Project, function};
use sdl_tools::{Cancel, Host, NoProgress, Session, Tools};
use sdld::engine::Engine;
use serde_json::{Value, json};
use syntax::Syntax;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Severity {
    /// Nobody could notice.
    None,
    /// No existing user relies on it.
    Low,
    /// Somebody should look at it.
    Medium,
    /// A user that was not edited with it is broken.
    High,
}

use Severity::{High, Low, Medium, None as Nothing};

/// A change of the project.
type Change = fn(&mut Project);

/// A name, its severity, and its effect.
const CHANGES: &[(&str, Severity, Change)] = &[
    ("comment", Nothing, |p| p.edit("area", |f| f.comment = Some("Both are lengths."))),
    ("layout", Nothing, |p| (p.indent, p.airy) = (2, true)),
    ("documentation", Nothing, |p| p.edit("area", |f| f.doc = Some("The product of two lengths."))),
    ("documentation gone", Nothing, |p| p.edit("area", |f| f.doc = None)),
    ("order", Nothing, |p| p.files.get_mut("users").unwrap().swap(0, 2)),
    ("new hidden function", Low, |p| {
        let mut fresh = function("fresh", &["first"], 51);
        fresh.visible = false;
        p.add("extra", Some(fresh));
    }),
    ("new function", Low, |p| p.add("extra", Some(function("fresh", &["first"], 51)))),
    ("body of what nobody uses", Low, |p| p.edit("idle", |f| f.adds = 15)),
    ("hidden function gone", Low, |p| drop(p.take("idle"))),
    ("hidden function renamed", Low, |p| p.edit("idle", |f| f.name = "resting")),
    ("unused function moved", Low, |p| {
        let spare = p.take("spare");
        p.add("extra", spare);
    }),
    ("optional parameter", Low, |p| {
        p.edit("area", |f| f.params.push(Param { name: "third", optional: true }));
    }),
    ("unused file moved", Low, |p| p.moved = Some(("users", "people"))),
    ("folder moved", Low, |p| p.folder = "inner/"),
    ("body", Medium, |p| p.edit("area", |f| f.adds = 111)),
    ("body of one user", Medium, |p| p.edit("scale", |f| f.adds = 112)),
    ("two bodies", Medium, |p| {
        p.edit("area", |f| f.adds = 111);
        p.edit("scale", |f| f.adds = 112);
    }),
    ("guard gone", Medium, |p| p.edit("scale", |f| f.guard = false)),
    ("side effect", Medium, |p| p.edit("area", |f| f.effect = true)),
    ("unused function gone", Medium, |p| drop(p.take("spare"))),
    ("renamed with its callers", Medium, |p| {
        p.edit("area", |f| f.name = "surface");
        p.callers("area", |call| call.1 = "surface");
    }),
    ("file moved with its users", Low, |p| {
        p.moved = Some(("shapes", "figures"));
        let shapes = p.files.remove("shapes").unwrap();
        p.files.insert("figures", shapes);
        let calls = p.files.values_mut().flatten().flat_map(|function| &mut function.calls);
        calls.for_each(|call| call.0 = "figures");
    }),
    ("parameter and callers", Medium, |p| {
        p.edit("area", |f| f.params.push(Param { name: "third", optional: false }));
        p.callers("area", |call| call.2 = 3);
    }),
    ("function gone", High, |p| drop(p.take("area"))),
    ("function of one user gone", High, |p| drop(p.take("scale"))),
    ("parameter", High, |p| p.edit("area", |f| f.params.push(Param { name: "third", optional: false }))),
    ("parameter gone", High, |p| p.edit("area", |f| f.params.truncate(f.params.len().saturating_sub(1)))),
    ("result", High, |p| p.edit("area", |f| f.returns_text = true)),
    ("hidden", High, |p| p.edit("area", |f| f.visible = false)),
    ("renamed without its callers", High, |p| p.edit("area", |f| f.name = "surface")),
    ("moved without its callers", High, |p| {
        let area = p.take("area");
        p.add("extra", area);
    }),
    ("file moved without its users", High, |p| p.moved = Some(("shapes", "figures"))),
    ("file emptied", High, |p| p.emptied = Some("shapes")),
];

fn git(root: &Path, args: &[&str]) -> Option<String> {
    let done = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"])
        .args(args)
        .current_dir(root)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .ok()?;
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    Some(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}

/// Makes the tree the project's and commits it.
fn commit(root: &Path, files: &[(String, String)]) -> Option<String> {
    git(root, &["rm", "-r", "-q", "--ignore-unmatch", "."])?;
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    git(root, &["add", "-A"])?;
    git(root, &["commit", "-q", "--allow-empty", "-m", "state"])?;
    git(root, &["rev-parse", "HEAD"])
}

fn ask(tools: &Tools, session: &Session, action: &str, args: &Value) -> Value {
    let bytes = tools.call(session, action, args.to_string().as_bytes(), &NoProgress, &Cancel::new());
    let mut answer: Value = serde_json::from_slice(&bytes).unwrap();
    assert_ne!(answer["isError"], true, "{action}: {answer:#}");
    answer["structuredContent"].take()
}

/// A change's name, severity and analysis.
type Row = (&'static str, Severity, Value);

/// The analysis of each change that the language can make; none without git.
fn analyze(syntax: &Syntax) -> Option<Vec<Row>> {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap().join(syntax.name);
    fs::create_dir_all(&root).unwrap();
    git(&root, &["init", "-q", "-b", "main"])?;
    let base = commit(&root, &syntax.files(&Project::new()))?;
    let mut commits = Vec::new();
    for &(name, severity, change) in CHANGES {
        if syntax.without.iter().any(|(without, _)| *without == name) {
            continue;
        }
        let mut project = Project::new();
        change(&mut project);
        let severity = match name {
            // Where files share one space of names, who uses a function finds it in any.
            "moved without its callers" if syntax.one_space => Low,
            "file moved without its users" if syntax.any_path => Low,
            // Its class or module is another one then, and its users are edited.
            "file moved with its users" if syntax.names_file => Medium,
            _ => severity,
        };
        commits.push((name, severity, commit(&root, &syntax.files(&project))?));
        git(&root, &["reset", "-q", "--hard", &base])?;
    }
    let engine = Engine::open(&folder.path().join("state")).unwrap();
    let tools = Tools::new(Arc::clone(&engine) as Arc<dyn Host>);
    let session = Session {
        id: 1,
        cwd: Some(root.clone()),
        client: "test".into(),
        principal: None,
        run: sdl_tools::ClientRun::default(),
    };
    ask(&tools, &session, "repo.register", &json!({ "rootPath": root }));
    ask(&tools, &session, "index.refresh", &json!({ "mode": "incremental" }));
    let rows = commits.into_iter().map(|(name, severity, commit)| {
        let args = json!({ "fromVersion": format!("git:{base}"), "toVersion": format!("git:{commit}") });
        (name, severity, ask(&tools, &session, "pr.risk.analyze", &args))
    });
    let rows = rows.collect();
    engine.close();
    Some(rows)
}

/// The exact sum of the parts, for order.
fn points(found: &Value) -> f64 {
    let parts = found["analysis"]["parts"].as_array().unwrap();
    parts.iter().map(|part| part["points"].as_f64().unwrap()).sum()
}

/// Written directly, because the runner hides the printed output of a test that passes.
fn say_skipped() {
    let _ = writeln!(std::io::stderr(), "SKIPPED: no git, so the severity of no change was looked at");
}

fn check(syntax: &Syntax) {
    let Some(rows) = analyze(syntax) else { return say_skipped() };
    assert_eq!(rows.len() + syntax.without.len(), CHANGES.len(), "each row is there or has a reason");
    assert!(rows.len() >= 20, "{} rows", rows.len());
    let mut table = String::new();
    for (name, severity, found) in &rows {
        let parts: Vec<String> = found["analysis"]["parts"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|part| part["points"] != 0.0)
            .map(|part| format!("{} {}", part["name"], part["points"]))
            .collect();
        let (points, level) = (points(found), &found["analysis"]["riskLevel"]);
        let _ = writeln!(table, "{severity:?} {name}: {points:.1} {level} ({})", parts.join(", "));
    }
    let fails = |why: &str| format!("{}: {why}\n{table}", syntax.name);
    for (name, severity, found) in &rows {
        let level = found["analysis"]["riskLevel"].as_str().unwrap();
        let decision = match level {
            "low" => "approve",
            "medium" => "review",
            _ => "escalate",
        };
        assert_eq!(found["policyDecision"]["decision"], decision, "{}", fails(name));
        assert_eq!(found["escalationRequired"], decision == "escalate", "{}", fails(name));
        let wanted: &[&str] = match severity {
            Nothing | Low => &["low"],
            Medium => &["medium"],
            High => &["high", "critical"],
        };
        assert!(wanted.contains(&level), "{}", fails(name));
        if *severity == Nothing {
            assert!(points(found) == 0.0, "{}", fails(name));
            assert_eq!(found["analysis"]["blastRadiusCount"], 0, "{}", fails(name));
        }
    }
    for (worse, high, found) in &rows {
        for (better, low, other) in rows.iter().filter(|(_, low, _)| low < high) {
            assert!(
                points(found) > points(other),
                "{}",
                fails(&format!("{worse} ({high:?}) is not above {better} ({low:?})"))
            );
        }
    }
}

/// The tests that used what went are those to run.
#[test]
fn tests_of_what_is_gone_are_recommended() {
    let Some(rows) = analyze(languages::ONE) else { return say_skipped() };
    let (_, _, found) = rows.iter().find(|(name, ..)| *name == "function gone").unwrap();
    let tests = found["analysis"]["recommendedTests"].as_array().unwrap();
    let run = tests.iter().find(|test| test["type"] == "run").unwrap();
    assert_eq!(run["description"], "tests/test_shapes.py: test_area");
    assert_eq!(run["targetSymbols"][0]["name"], "area");
    let findings = found["analysis"]["findings"].as_array().unwrap();
    assert_eq!(findings[0]["type"], "removedSymbol", "{found:#}");
    let message = findings[0]["message"].as_str().unwrap();
    assert!(message.starts_with("area is gone; ") && message.contains("were not edited"), "{message}");
    let (_, _, moved) = rows.iter().find(|(name, ..)| *name == "unused function moved").unwrap();
    let finding = &moved["analysis"]["findings"][0];
    let message = "spare moved from shop/shapes.py to shop/extra.py; nothing uses it";
    assert_eq!((&finding["type"], &finding["message"]), (&json!("moved"), &json!(message)));
}
