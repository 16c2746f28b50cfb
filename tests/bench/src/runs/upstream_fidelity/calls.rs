//! A harmless call of each tool of the reference servers, in an order in which each finds what it needs.

use std::path::Path;

/// A call: the server, the tool, and the text of its arguments.
pub(super) struct Call {
    pub(super) key: &'static str,
    pub(super) tool: &'static str,
    pub(super) args: String,
}

/// `FILES` and `REPO` are replaced by the folders that the servers work on.
const CALLS: &[(&str, &str, &str)] = &[
    ("everything", "echo", r#"{"message":"h\u00e9llo \ud83d\ude00 \"q\"\n"}"#),
    ("everything", "get-annotated-message", r#"{"messageType":"error","includeImage":true}"#),
    ("everything", "get-env", "{}"),
    ("everything", "get-resource-links", r#"{"count":3}"#),
    ("everything", "get-resource-reference", r#"{"resourceType":"Text","resourceId":1}"#),
    ("everything", "get-structured-content", r#"{"location":"Chicago"}"#),
    ("everything", "get-sum", r#"{"b":1.50,"a":12345678901234567890}"#),
    ("everything", "get-sum", r#"{"a":1e400,"b":0}"#),
    ("everything", "get-tiny-image", "{}"),
    (
        "everything",
        "gzip-file-as-resource",
        r#"{"name":"a.gz","data":"data:text/plain;base64,aGVsbG8=","outputType":"resource"}"#,
    ),
    ("everything", "toggle-simulated-logging", "{}"),
    ("everything", "toggle-simulated-logging", "{}"),
    ("everything", "toggle-subscriber-updates", "{}"),
    ("everything", "toggle-subscriber-updates", "{}"),
    ("everything", "trigger-long-running-operation", r#"{"duration":0.2,"steps":2}"#),
    ("everything", "simulate-research-query", r#"{"topic":"tea","ambiguous":false}"#),
    ("fs", "read_file", r#"{"path":"FILES/a.txt"}"#),
    ("fs", "read_text_file", r#"{"path":"FILES/a.txt","head":2}"#),
    ("fs", "read_media_file", r#"{"path":"FILES/inner/b.md"}"#),
    ("fs", "read_multiple_files", r#"{"paths":["FILES/a.txt","FILES/none"]}"#),
    ("fs", "write_file", r#"{"path":"FILES/new.txt","content":"x\ny\n"}"#),
    ("fs", "edit_file", r#"{"path":"FILES/new.txt","edits":[{"oldText":"x","newText":"z"}],"dryRun":true}"#),
    ("fs", "create_directory", r#"{"path":"FILES/made"}"#),
    ("fs", "list_directory", r#"{"path":"FILES"}"#),
    ("fs", "list_directory_with_sizes", r#"{"path":"FILES","sortBy":"size"}"#),
    ("fs", "directory_tree", r#"{"path":"FILES"}"#),
    ("fs", "move_file", r#"{"source":"FILES/new.txt","destination":"FILES/made/moved.txt"}"#),
    ("fs", "search_files", r#"{"path":"FILES","pattern":"**/*.txt"}"#),
    ("fs", "get_file_info", r#"{"path":"FILES/a.txt"}"#),
    ("fs", "list_allowed_directories", "{}"),
    ("fs", "read_text_file", r#"{"path":"/etc/hostname"}"#),
    (
        "memory",
        "create_entities",
        r#"{"entities":[{"name":"Ann","entityType":"person","observations":["likes tea"]},{"entityType":"drink","name":"tea","observations":[]}]}"#,
    ),
    ("memory", "create_relations", r#"{"relations":[{"from":"Ann","to":"tea","relationType":"likes"}]}"#),
    ("memory", "add_observations", r#"{"observations":[{"entityName":"Ann","contents":["drives"]}]}"#),
    ("memory", "read_graph", "{}"),
    ("memory", "search_nodes", r#"{"query":"tea"}"#),
    ("memory", "open_nodes", r#"{"names":["Ann"]}"#),
    ("memory", "delete_observations", r#"{"deletions":[{"entityName":"Ann","observations":["drives"]}]}"#),
    ("memory", "delete_relations", r#"{"relations":[{"from":"Ann","to":"tea","relationType":"likes"}]}"#),
    ("memory", "delete_entities", r#"{"entityNames":["tea"]}"#),
    (
        "thinking",
        "sequentialthinking",
        r#"{"thought":"first","nextThoughtNeeded":true,"thoughtNumber":1,"totalThoughts":2}"#,
    ),
    // Nothing listens there: the server's own failure is forwarded too.
    ("fetch", "fetch", r#"{"url":"http://127.0.0.1:9/"}"#),
    ("git", "git_status", r#"{"repo_path":"REPO"}"#),
    ("git", "git_diff_unstaged", r#"{"repo_path":"REPO"}"#),
    ("git", "git_diff_staged", r#"{"repo_path":"REPO","context_lines":1}"#),
    ("git", "git_diff", r#"{"repo_path":"REPO","target":"other"}"#),
    ("git", "git_add", r#"{"repo_path":"REPO","files":["a.txt"]}"#),
    ("git", "git_reset", r#"{"repo_path":"REPO"}"#),
    ("git", "git_commit", r#"{"repo_path":"REPO","message":"Nothing"}"#),
    ("git", "git_log", r#"{"repo_path":"REPO","max_count":1}"#),
    ("git", "git_create_branch", r#"{"repo_path":"REPO","branch_name":"third"}"#),
    ("git", "git_checkout", r#"{"repo_path":"REPO","branch_name":"third"}"#),
    ("git", "git_show", r#"{"repo_path":"REPO","revision":"v1"}"#),
    ("git", "git_branch", r#"{"repo_path":"REPO","branch_type":"local"}"#),
    ("time", "get_current_time", r#"{"timezone":"Asia/Tokyo"}"#),
    ("time", "convert_time", r#"{"source_timezone":"UTC","time":"12:30","target_timezone":"Europe/Paris"}"#),
    ("time", "convert_time", r#"{"source_timezone":"UTC","time":"25:30","target_timezone":"Nowhere"}"#),
];

/// All calls on these folders.
pub(super) fn reference_calls(files: &Path, repo: &Path) -> Vec<Call> {
    let place =
        |text: &str| text.replace("FILES", &files.to_string_lossy()).replace("REPO", &repo.to_string_lossy());
    CALLS.iter().map(|(key, tool, args)| Call { key, tool, args: place(args) }).collect()
}

/// Results that only a reader and writer of JSON who keeps every byte passes on.
pub(super) const ODD_RESULTS: [&str; 8] = [
    r#"{"content":[],"n":1e400,"m":1.50,"z":1,"a":-0.0,"big":123456789012345678901234567890}"#,
    r#"{"content":[{"type":"hologram","x":[1.0e5,{"b":1,"a":2}]}],"_meta":{"k":1E-7}}"#,
    r#"{ "content" : [ { "type":"text" , "text":"a" } ] , "isError" : false }"#,
    r#"{"content":[{"type":"text","text":"\u00e9\ud83d\ude00 é \/ \u2028"}]}"#,
    r#"{"content":[],"structuredContent":{"zeta":1.10,"alpha":[1,2.0,3e0]}}"#,
    r#"{"content":[{"type":"text","text":"x","annotations":{"priority":1.0,"audience":["user"]}}],"isError":true}"#,
    r#"{"content":[{"type":"resource_link","uri":"a://b","name":"b"},{"type":"audio","data":"AAAA","mimeType":"audio/wav"}]}"#,
    r#"{"structuredContent":[1,2,3],"content":[]}"#,
];
