//! Progress, cancelling and changed lists, from a scripted server to a client and back.

use sdl_tests::TestEnv;
use serde_json::{Value, json};

use super::log_of;
use crate::Outcome;
use crate::runs::idle::pass_time;

/// The steps of a call that reports progress.
const STEPS: u64 = 5;

/// Checks both eras. Returns what went wrong.
pub(super) fn check_signals(env: &TestEnv) -> Outcome<Vec<String>> {
    let mut faults = Vec::new();
    for key in ["odd", "oddmodern"] {
        for (what, check) in [
            ("progress", check_progress as fn(&TestEnv, &str) -> Outcome),
            ("cancelling", check_cancelling),
            ("changed lists", check_changes),
        ] {
            match check(env, key) {
                Ok(()) => println!("{key}: {what} gets through"),
                Err(error) => faults.push(format!("{key}: {what}: {error}")),
            }
        }
    }
    Ok(faults)
}

fn check_progress(env: &TestEnv, key: &str) -> Outcome {
    let mut client = env.mcp(&env.home(), &[]);
    let params = json!({
        "name": format!("{key}/steps"), "arguments": {"count": STEPS}, "_meta": {"progressToken": "token-1"},
    });
    client.request("tools/call", params)?;
    let heard = client.take_notifications();
    let steps: Vec<&Value> = heard.iter().filter(|one| one["method"] == "notifications/progress").collect();
    let mut last = 0.0;
    for step in &steps {
        let progress = step["params"]["progress"].as_f64().unwrap_or(0.0);
        if step["params"]["progressToken"] != "token-1" || progress <= last {
            return Err(format!("not as the server reported it: {steps:?}").into());
        }
        last = progress;
    }
    // Twenty reports a second are passed on; the last of a burst may come too late.
    if steps.is_empty() { Err("no progress was reported".into()) } else { Ok(()) }
}

fn check_cancelling(env: &TestEnv, key: &str) -> Outcome {
    let mut client = env.mcp(&env.home(), &[]);
    let id = client.send_call(&format!("{key}/hang"), json!({}))?;
    let log = log_of(&env.path("logs"), key);
    let count = |what: &str| -> Outcome<usize> {
        let text = std::fs::read_to_string(&log)?;
        Ok(text.lines().filter(|line| line.starts_with("> ") && line.contains(what)).count())
    };
    wait_for(|| Ok(count(r#""name":"hang""#)? > 0), "the call did not arrive")?;
    let before = count("notifications/cancelled")?;
    client.notify("notifications/cancelled", json!({"requestId": id, "reason": "enough"}))?;
    wait_for(|| Ok(count("notifications/cancelled")? > before), "the server does not hear of it")?;
    // The connection goes on.
    client.call(&format!("{key}/echo"), json!({"text": "x"}))?.ok();
    Ok(())
}

fn check_changes(env: &TestEnv, key: &str) -> Outcome {
    if !env.ctl(&["upstream", "mode", key, "passthrough"]).status.success() {
        return Err("its mode can't be set".into());
    }
    let mut client = env.mcp(&env.home(), &[]);
    let extra = format!("{key}_extra");
    let has_extra = |tools: &[Value]| tools.iter().any(|tool| tool["name"] == extra.as_str());
    wait_for(|| Ok(client.list_tools()?.len() > 15), "its tools are not listed")?;
    client.take_notifications();
    client.call(&format!("{key}/change"), json!({}))?.ok();
    client.notification("notifications/tools/list_changed")?;
    if !has_extra(&client.list_tools()?) {
        return Err("told of a change, but the list is the former".into());
    }
    client.call(&format!("{key}/change"), json!({}))?.ok();
    client.notification("notifications/tools/list_changed")?;
    if has_extra(&client.list_tools()?) {
        return Err("a tool that is gone is listed".into());
    }
    env.ctl(&["upstream", "mode", key, "synthesize"]);
    Ok(())
}

/// Waits for up to ten seconds until something holds.
fn wait_for(mut holds: impl FnMut() -> Outcome<bool>, otherwise: &str) -> Outcome {
    for _ in 0..500 {
        if holds()? {
            return Ok(());
        }
        pass_time(std::time::Duration::from_millis(20));
    }
    Err(otherwise.into())
}
