//! Commands: off, allowed, jailed, limited, and what they wrote.

use crate::common::World;
use sdl_tools::{Cancel, NoProgress, Repo as _};
use serde_json::{Value, json};

/// A world in which shells may be run.
fn world(more: &str) -> World {
    let world = World::shop();
    world.allow(&format!(r#"{{"enabled": true, "executables": ["sh", "env"]{more}}}"#));
    world
}

fn sh(world: &World, script: &str, mut more: Value) -> Value {
    more["executable"] = json!("sh");
    more["args"] = json!(["-c", script]);
    world.ok("sdl_runtime_execute", more)
}

fn refused(world: &World, args: Value) -> (String, String) {
    let error = world.err("sdl_runtime_execute", args);
    let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
    (text("code"), text("field"))
}

#[test]
fn nothing_runs_unless_a_person_allowed_it() {
    let world = World::shop();
    let call = || json!({"executable": "env"});
    let error = world.err("sdl_runtime_execute", call());
    assert_eq!(error["code"], "denied");
    assert!(error["message"].as_str().unwrap().contains("runtime.json"), "it says how: {error}");
    for settings in ["{}", r#"{"executables": ["env"]}"#, "no json", r#"{"enabled": true, "unknown": 1}"#] {
        world.allow(settings);
        assert_eq!(refused(&world, call()).0, "denied", "{settings}");
    }
    world.allow(r#"{"enabled": true, "executables": ["sh"]}"#);
    assert_eq!(refused(&world, call()), ("denied".into(), "executable".into()));
    for executable in ["/bin/sh", "../sh", "./sh", "sh "] {
        assert_eq!(refused(&world, json!({"executable": executable})).0, "denied", "{executable}");
    }
    let file = world.host.dir.path().join("daemon/runtime.json");
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o666)).unwrap();
    let error = world.err("sdl_runtime_execute", json!({"executable": "sh"}));
    assert!(error["message"].as_str().unwrap().contains("written by others"), "{error}");
}

#[test]
fn a_command_runs_in_the_repository_and_its_output_is_kept() {
    let world = world("");
    let ran = sh(&world, "pwd; echo trouble >&2; exit 3", json!({"relativeCwd": "src"}));
    assert_eq!((&ran["exitCode"], &ran["timedOut"]), (&json!(3), &json!(false)));
    assert_eq!((&ran["stdoutLines"], &ran["stderrLines"]), (&json!(1), &json!(1)));
    let inside = world.repo.root().join("src");
    assert_eq!(ran["digest"], format!("stdout:\n{}\nstderr:\ntrouble", inside.display()));
    let found =
        world.ok("sdl_runtime_queryOutput", json!({"artifactHandle": ran["artifactHandle"], "regex": "^tr"}));
    assert_eq!(found["excerpts"], json!([{"stream": "stderr", "from": 1, "to": 1, "text": "trouble"}]));
}

#[test]
fn through_a_gateway_its_args_stand_inside_or_beside() {
    let world = world("");
    let wanted = json!(["-c", "echo $0", "x"]);
    for call in [
        json!({"action": "runtime.execute", "executable": "sh", "args": wanted}),
        json!({"action": "runtime.execute", "executable": "sh", "args": wanted.to_string()}),
        json!({"action": "runtime.execute", "args": {"executable": "sh", "args": wanted}}),
        json!({"action": "runtime.execute", "executable": "sh", "args": {"args": wanted}}),
    ] {
        assert_eq!(world.ok("sdl_agent", call.clone())["digest"], "stdout:\nx", "{call}");
    }
}

#[test]
fn no_folder_outside_is_reached() {
    let world = world("");
    std::os::unix::fs::symlink("/", world.repo.root().join("out")).unwrap();
    for folder in ["..", "../shop.state", "/", "/tmp", "src/../..", "out", "out/tmp", "nowhere", "a\0b"] {
        let (code, field) = refused(&world, json!({"executable": "env", "relativeCwd": folder}));
        assert_eq!((code.as_str(), field.as_str()), ("unknownPath", "relativeCwd"), "{folder}");
    }
}

#[test]
fn the_environment_is_scrubbed() {
    let world = world(r#", "allowEnv": ["MODE"]"#);
    let ran = world.ok(
        "sdl_runtime_execute",
        json!({"executable": "env", "env": {"MODE": "fast"}, "outputMode": "full"}),
    );
    let text = ran["digest"].as_str().unwrap();
    assert!(text.contains("MODE=fast") && text.contains("PATH="), "{text}");
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some(), "the tests' own variables");
    assert!(!text.contains("CARGO_"), "{text}");
    let (code, field) = refused(&world, json!({"executable": "env", "env": {"LD_PRELOAD": "x"}}));
    assert_eq!((code.as_str(), field.as_str()), ("denied", "env.LD_PRELOAD"));
}

#[test]
fn whatever_a_command_started_ends_with_it() {
    let world = world(r#", "maxTimeoutMs": 200"#);
    let late = sh(&world, "echo begun; sleep 600 & sleep 600", json!({"timeoutMs": 500_000}));
    assert_eq!((&late["timedOut"], &late["signal"]), (&json!(true), &json!(9)));
    assert!(late.get("exitCode").is_none() && late.get("outputHeld").is_none(), "{late}");
    assert_eq!(late["digest"], "stdout:\nbegun");
    let left = sh(&world, "sleep 600 & echo gone", json!({}));
    assert_eq!((&left["exitCode"], &left["timedOut"]), (&json!(0), &json!(false)));
    assert!(left.get("outputHeld").is_none(), "what stayed behind was killed: {left}");
}

#[test]
fn a_cancelled_call_kills_its_command() {
    let world = world("");
    sh(&world, "mkfifo begun", json!({}));
    let fifo = world.repo.root().join("begun");
    let args =
        json!({"executable": "sh", "args": ["-c", "echo yes > begun; sleep 600"], "timeoutMs": 600_000});
    let cancel = Cancel::new();
    let answer = std::thread::scope(|scope| {
        let begun = cancel.clone();
        scope.spawn(move || {
            // Reading from the pipe waits for the command to write to it.
            assert_eq!(std::fs::read_to_string(fifo).unwrap(), "yes\n");
            begun.cancel();
        });
        let args = args.to_string();
        world.tools.call(&world.session, "sdl_runtime_execute", args.as_bytes(), &NoProgress, &cancel)
    });
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(answer["structuredContent"]["code"], "cancelled", "{answer}");
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_limited_from_the_first_instruction() {
    let world = world(r#", "memoryMb": 64"#);
    assert_eq!(sh(&world, "ulimit -v", json!({}))["digest"], "stdout:\n65536");
}

#[test]
fn long_output_is_cut_and_can_be_read_on() {
    let world = world("");
    let script = "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo line number $i; done; echo error: broken";
    for (mode, most) in [("digest", 1_200), ("tail", 2_500), ("full", 8_000)] {
        let ran = sh(&world, script, json!({"outputMode": mode}));
        assert_eq!(ran["stdoutLines"], 3_001);
        assert!(sdl_tokens::count_tokens(&ran.to_string()) <= most, "{mode}");
        let shown = ran["digest"].as_str().unwrap();
        assert!(
            shown.contains("… ") && (mode == "full" || shown.ends_with("error: broken")),
            "{mode}: {shown}"
        );
    }
    let handle = sh(&world, script, json!({}))["artifactHandle"].clone();
    let query = |mut args: Value| {
        args["artifactHandle"] = handle.clone();
        world.ok("sdl_runtime_queryOutput", args)
    };
    let part = query(json!({"lines": {"from": 2_000, "to": 2_001}}))["excerpts"][0].clone();
    assert_eq!(part["text"], "line number 2000\nline number 2001");
    let found = query(json!({"queryTerms": ["ERROR"]}))["excerpts"][0].clone();
    assert_eq!((&found["from"], &found["to"]), (&json!(2_999), &json!(3_001)), "with two lines around");
    let (mut next, mut pages) = (1, 0);
    loop {
        let page = query(json!({"lines": {"from": next}}));
        assert!(sdl_tokens::count_tokens(&page.to_string()) <= 8_000);
        next = page["excerpts"][0]["to"].as_u64().unwrap() + 1;
        pages += 1;
        if page["truncated"].is_null() {
            break;
        }
        assert!(page["howToResume"].as_str().unwrap().contains(&format!("lines.from: {next}")));
    }
    assert!(pages > 2 && next == 3_002, "{pages} pages to {next}");
}

#[test]
fn secrets_are_masked_before_they_are_kept() {
    let world = world("");
    let key = format!("AKIA{}", "IOSFODNN7EXAMPLQ");
    let ran = sh(&world, &format!("echo key {key}"), json!({"outputMode": "full"}));
    assert!(!ran.to_string().contains(&key), "{ran}");
    let all = world.ok("sdl_runtime_queryOutput", json!({"artifactHandle": ran["artifactHandle"]}));
    assert!(!all.to_string().contains(&key) && all.to_string().contains("key "), "{all}");
}

#[test]
fn a_handle_names_its_repository_and_old_ones_make_room() {
    let world = world("");
    world.add("other");
    let first = sh(&world, "echo 1", json!({}))["artifactHandle"].clone();
    let error = world.err("sdl_runtime_queryOutput", json!({"artifactHandle": first, "repoId": "other"}));
    assert_eq!(error["field"], "repoId");
    for _ in 0..20 {
        sh(&world, "echo 2", json!({}));
    }
    let error = world.err("sdl_runtime_queryOutput", json!({"artifactHandle": first}));
    assert_eq!((&error["code"], &error["field"]), (&json!("unknownHandle"), &json!("artifactHandle")));
    let next = &error["nextBestAction"];
    world.ok(next["tool"].as_str().unwrap(), next["args"].clone());
}

#[test]
fn an_entry_may_allow_some_arguments_only() {
    let world = World::shop();
    world.allow(
        r#"{"enabled": true, "executables": [
            {"program": "echo", "args": [["log"], ["show", "this"]], "options": ["--oneline", "-n*"]}]}"#,
    );
    let run = |args: Value| {
        world.raw("sdl_runtime_execute", &json!({"executable": "echo", "args": args}).to_string())
    };
    for args in [
        json!(["log"]),
        json!(["log", "--oneline", "-n", "3", "-n5", "--", "path"]),
        json!(["show", "this", "one"]),
    ] {
        assert_eq!(run(args.clone())["isError"], false, "{args}");
    }
    for (args, says) in [
        (json!([]), "begin with one of: log, show this"),
        (json!(["-c", "alias.log=!sh", "log"]), "begin with one of"),
        (json!(["show", "that"]), "begin with one of"),
        (json!(["log", "--output=/tmp/x"]), "--output=/tmp/x"),
        (json!(["log", "--oneline=x"]), "is not allowed after"),
    ] {
        let error = run(args.clone())["structuredContent"].clone();
        assert_eq!((&error["code"], &error["field"]), (&json!("denied"), &json!("args")), "{args}");
        assert!(error["message"].as_str().unwrap().contains(says), "{error}");
        assert_eq!(world.shown(1)[0].decision, "denied");
    }
}

#[test]
fn every_command_is_a_row() {
    let world = world("");
    let key = format!("AKIA{}", "IOSFODNN7EXAMPLQ");
    let before = world.rows();
    sh(&world, &format!("exit 3 # {key}"), json!({"relativeCwd": "src"}));
    refused(&world, json!({"executable": "env", "relativeCwd": ".."}));
    refused(&world, json!({"executable": "nowhere"}));
    assert_eq!(world.rows(), before + 2, "one ran, one was denied; a wrong folder decides nothing");
    let rows = world.shown(2);
    let ran = &rows[0];
    assert_eq!((ran.action.as_str(), ran.decision.as_str()), ("runtime.execute", "ran"));
    assert_eq!((&ran.details["exitCode"], &ran.details["cwd"]), (&json!(3), &json!("src")));
    let command = ran.details["command"].as_str().unwrap();
    assert!(command.starts_with("sh -c exit 3 # ***") && !command.contains(&key), "{command}");
    assert_eq!(rows[1].decision, "denied");
}

#[cfg(target_os = "linux")]
#[test]
fn limits_hold_whatever_number_is_given() {
    let memory = |more: &str| sh(&world(more), "ulimit -v", json!({}))["digest"].clone();
    assert_eq!(memory(r#", "memoryMb": 1152921504606846976"#), format!("stdout:\n{}", 1u64 << 40));
    assert_eq!(memory(r#", "memoryMb": 0"#), "stdout:\nunlimited");
    let processes = |more: &str| {
        let shown = sh(&world(more), "ulimit -p 2>/dev/null || ulimit -u", json!({}))["digest"].clone();
        shown.as_str().unwrap().trim_start_matches("stdout:\n").to_owned()
    };
    let (few, more): (u64, u64) = (
        processes(r#", "maxProcesses": 10"#).parse().unwrap(),
        processes(r#", "maxProcesses": 1000"#).parse().unwrap(),
    );
    assert!(few > 10 && more > few + 500, "{few} {more}: beside those that are there");
    // Without a limit of ours, that of this machine holds.
    let own = std::process::Command::new("sh").args(["-c", "ulimit -p 2>/dev/null || ulimit -u"]).output();
    let own = String::from_utf8(own.unwrap().stdout).unwrap();
    assert_eq!(processes(r#", "maxProcesses": 0, "memoryMb": 0"#), own.trim());
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_leaves_the_group_keeps_no_thread_and_no_pipe_here() {
    let world = world("");
    let threads = || {
        let names = std::fs::read_dir("/proc/self/task").unwrap().flatten();
        let names = names.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
        names.filter(|name| name.trim() == "sdl-command").count()
    };
    let fifo = world.repo.root().join("done");
    // It leaves the group before the command ends, and holds the output until somebody reads from the pipe.
    let script = "mkfifo done left; setsid sh -c 'echo yes > left; : > done; echo late' & read answer < left";
    let ran = sh(&world, script, json!({}));
    assert_eq!(ran["outputHeld"], true, "{ran}");
    // The reader lets go without waiting for the other end.
    while threads() > 0 {
        std::thread::yield_now();
    }
    std::fs::read(fifo).unwrap();
}

#[cfg(unix)]
#[test]
fn settings_that_are_no_file_allow_nothing_and_block_nobody() {
    let world = world("");
    let file = world.host.dir.path().join("daemon/runtime.json");
    std::fs::remove_file(&file).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&file).status().unwrap();
    assert!(made.success());
    let error = world.err("sdl_runtime_execute", json!({"executable": "sh"}));
    assert!(error["message"].as_str().unwrap().contains("not a regular file"), "{error}");
}
