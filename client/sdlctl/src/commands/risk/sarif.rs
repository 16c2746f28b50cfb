//! SARIF 2.1.0, which code review tools read.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::output::text_at;

/// The findings as one run.
pub(super) fn sarif_report(answer: &Value) -> Value {
    let findings = answer.pointer("/analysis/findings").and_then(Value::as_array);
    let findings: Vec<&Value> = findings.into_iter().flatten().collect();
    let rules: BTreeSet<&str> = findings.iter().map(|finding| text_at(finding, "/type")).collect();
    let rules: Vec<Value> = rules.into_iter().map(|id| json!({ "id": id })).collect();
    let results: Vec<Value> = findings.into_iter().map(sarif_result).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "sdlctl risk", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "properties": {
                "riskScore": answer.pointer("/analysis/riskScore"),
                "riskLevel": answer.pointer("/analysis/riskLevel"),
                "decision": answer.pointer("/policyDecision/decision"),
            },
            "results": results,
        }],
    })
}

fn sarif_result(finding: &Value) -> Value {
    let level = match text_at(finding, "/severity") {
        "critical" | "high" => "error",
        "medium" => "warning",
        _ => "note",
    };
    let symbols = finding["affectedSymbols"].as_array();
    let locations: Vec<Value> = symbols.into_iter().flatten().map(sarif_location).collect();
    json!({
        "ruleId": text_at(finding, "/type"),
        "level": level,
        "message": {"text": text_at(finding, "/message")},
        "locations": locations,
        "properties": {"score": finding["score"]},
    })
}

fn sarif_location(symbol: &Value) -> Value {
    let mut place = json!({"artifactLocation": {"uri": relative_uri(text_at(symbol, "/file"))}});
    // A removed symbol has a file, but no line, because the line is gone.
    if let Some(line) = symbol["line"].as_u64() {
        place["region"] = json!({ "startLine": line.max(1) });
    }
    json!({
        "physicalLocation": place,
        "logicalLocations": [{"fullyQualifiedName": text_at(symbol, "/name")}],
    })
}

/// A path as a relative reference.
fn relative_uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                uri.push(char::from(byte))
            }
            // Writing to a string cannot fail.
            _ => drop(write!(uri, "%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_become_results() {
        let sarif = sarif_report(&super::super::sample_answer());
        assert_eq!(sarif["version"], "2.1.0");
        let run = &sarif["runs"][0];
        assert_eq!(
            run["tool"]["driver"]["rules"],
            json!([{"id": "signatureChange"}, {"id": "wideBlastRadius"}])
        );
        assert_eq!(run["results"][0]["level"], "warning");
        let place = &run["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "src/a%20b.rs");
        assert_eq!(place["region"]["startLine"], 3);
        assert_eq!(
            (&run["results"][1]["level"], &run["results"][1]["locations"]),
            (&json!("error"), &json!([]))
        );
    }
}
