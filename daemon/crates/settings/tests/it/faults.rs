//! Texts with the exact place of their fault, and its message.

use sdl_settings::Settings;

/// Asserts the whole error. A `^` in the text is where the error is; it is taken out before reading.
fn assert_fault(marked: &str, path: &str, message: &str) {
    let at = marked.find('^').expect("a mark");
    let before = &marked[..at];
    let text = marked.replacen('^', "", 1);
    let line = before.lines().count().max(1) + usize::from(before.ends_with('\n'));
    let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
    let error = Settings::parse(&text).map(|_| ()).expect_err(&text);
    assert_eq!((error.line, error.column, error.path.as_str()), (line, column, path), "{error}\n{text}");
    assert_eq!(error.message, message, "{text}");
}

/// The same for one entry `a`.
fn assert_entry_fault(entry: &str, path: &str, message: &str) {
    let path = format!("mcpServers.a{path}");
    assert_fault(&format!("{{\"mcpServers\": {{\n  \"a\": {entry}\n}}}}"), &path, message);
}

/// The same for the `sdl` object at the top.
fn assert_top_fault(top: &str, path: &str, message: &str) {
    assert_fault(&format!("{{\"sdl\": {top}}}"), &format!("sdl{path}"), message);
}

#[test]
fn text_that_is_no_strict_json() {
    for (marked, path, message) in [
        ("^", "", "the text is empty; write {\"mcpServers\": {}}"),
        (" \n^", "", "the text is empty; write {\"mcpServers\": {}}"),
        ("^[]", "", "an object is expected, not an array"),
        ("{\n^// fs\n}", "", "comments are not allowed in JSON; remove it"),
        ("{\"mcpServers\": {}, ^}", "", "a comma before the end is not allowed in JSON; remove it"),
        ("{\"a\": [1, ^]}", "a[1]", "a comma before the end is not allowed in JSON; remove it"),
        ("{^'a': 1}", "", "JSON has double quotes only"),
        ("^\u{feff}{}", "", "the text begins with a byte order mark; save it without"),
        ("{\"a\": ^nul}", "a", "a value is expected, not 'n'"),
        ("{\"a\" ^1}", "a", "':' is expected, not '1'"),
        ("{\"a\": 1 ^\"b\": 2}", "", "',' or '}' is expected, not '\"'"),
        ("{} ^x", "", "the end of the text is expected, not 'x'"),
        ("{\"a\": ^01}", "a", "\"01\" is no JSON number"),
        ("{\"a\": ^\"x", "a", "the string has no end; close it with a double quote"),
        ("{\"a\": ^\"\\x\"}", "a", "a wrong escape in a string; a backslash itself is written \\\\"),
        ("{\"a\": \"x^\n\"}", "a", "a line break or tab in a string is written \\n or \\t"),
        ("{\"a\": {^", "a", "the text ends where a key in double quotes is expected"),
        ("{\"é\": 1, ^\"\\u00e9\": 2}", "[\"é\"]", "the key occurs twice in one object; keep one"),
        (
            "{\"s\": {\"b c\": 1,\n ^\"b c\": 2}}",
            "s[\"b c\"]",
            "the key occurs twice in one object; keep one",
        ),
    ] {
        assert_fault(marked, path, message);
    }
}

#[test]
fn nesting_and_size_are_bounded() {
    let deep = "{\"a\": ".to_owned() + &"[".repeat(100_000);
    let error = Settings::parse(&deep).map(|_| ()).unwrap_err();
    assert!(error.message.contains("more than 64"), "{error}");
    let large = " ".repeat(1 << 20) + "{}";
    let error = Settings::parse(&large).map(|_| ()).unwrap_err();
    assert_eq!(error.message, "1048578 bytes are more than the 1048576 that are allowed");
    let entry = |number: usize| format!("\"k{number}\": {{\"command\": \"x\"}}");
    let file = |count: usize| {
        format!("{{\"mcpServers\": {{\n{}}}}}", (0..count).map(entry).collect::<Vec<_>>().join(",\n"))
    };
    assert_eq!(Settings::parse(&file(200)).unwrap().settings.upstreams.len(), 200);
    let error = Settings::parse(&file(201)).map(|_| ()).unwrap_err();
    assert_eq!((error.line, error.column, error.path.as_str()), (202, 1, "mcpServers.k200"));
    assert_eq!(error.message, "201 entries are more than the 200 that are allowed");
}

#[test]
fn patterns_are_bounded_in_all() {
    let rules =
        |count: usize, rule: &str| format!(r#"{{"sdl": {{"policy": [{}]}}}}"#, vec![rule; count].join(","));
    let expression = r#"{"effect": "deny", "args": {"a": {"matches": "b"}}}"#;
    assert!(Settings::parse(&rules(250, expression)).is_ok());
    let error = Settings::parse(&rules(251, expression)).map(|_| ()).unwrap_err();
    assert_eq!(error.path, "sdl.policy[250].args.a.matches");
    assert_eq!(error.message, "the patterns of the file are more than the 4000 that are allowed");
}

#[test]
fn keys_that_cannot_be() {
    let rule = "letters, digits, '_' and '-' are allowed, and the first is a letter or digit";
    for (key, path, message) in [
        ("a b", "[\"a b\"]", format!("\"a b\" can't be a key: {rule}")),
        ("_a", "._a", format!("\"_a\" can't be a key: {rule}")),
        ("", "[\"\"]", format!("\"\" can't be a key: {rule}")),
        ("é", "[\"é\"]", format!("\"é\" can't be a key: {rule}")),
        ("SDL", ".SDL", "\"SDL\" can't be a key, because it names our own tools; choose another".to_owned()),
    ] {
        let text = format!("{{\"mcpServers\": {{^\"{key}\": {{\"command\": \"x\"}}}}}}");
        assert_fault(&text, &format!("mcpServers{path}"), &message);
    }
    let long = "k".repeat(33);
    let text = format!("{{\"servers\": {{^\"{long}\": {{}}}}}}");
    let message = format!("the key {long:?} has 33 characters; at most 32 are allowed");
    assert_fault(&text, &format!("servers.{long}"), &message);
    assert_fault(
        "{\"mcpServers\": {\"my-fs\": {\"command\": \"x\"}, ^\"My_FS\": {\"command\": \"x\"}}}",
        "mcpServers.My_FS",
        "the keys \"my-fs\" and \"My_FS\" differ only in case or in '-' and '_'; rename one",
    );
    assert_fault(
        "{\"mcpServers\": {}, ^\"servers\": {}}",
        "servers",
        "\"mcpServers\" and \"servers\" mean the same; keep one",
    );
}

#[test]
fn entries_that_cannot_be() {
    for (entry, path, message) in [
        ("^[]", "", "an object is expected, not an array"),
        ("{\"command\": ^3}", ".command", "a string is expected, not a number; put it in double quotes"),
        ("{\"command\": ^\" \"}", ".command", "the command is empty; name a program, such as \"npx\""),
        (
            "{\"command\": ^\"./run.sh\"}",
            ".command",
            "\"./run.sh\" is a relative path, which could lead into any folder; write the absolute path, or a bare \
             name that is in the daemon's PATH",
        ),
        ("{\"command\": \"x\", \"args\": ^\"-y\"}", ".args", "an array is expected, not a string"),
        (
            "{\"command\": \"x\", \"args\": [\"a\", ^1]}",
            ".args[1]",
            "a string is expected, not a number; put it in double quotes",
        ),
        (
            "{\"command\": \"x\", \"env\": {\"PORT\": ^80}}",
            ".env.PORT",
            "a string is expected, not a number; put it in double quotes",
        ),
        (
            "{\"command\": \"x\", \"env\": {^\"A=B\": \"1\"}}",
            ".env[\"A=B\"]",
            "\"A=B\" can't be the name of a variable",
        ),
        ("{\"command\": \"x\", \"disabled\": ^1}", ".disabled", "true or false is expected, not a number"),
        (
            "{\"command\": \"x\", \"disabled\": true, ^\"enabled\": true}",
            ".enabled",
            "\"enabled\" and \"disabled\" contradict each other; keep one",
        ),
        (
            "{\"type\": ^\"htttp\", \"url\": \"https://a\"}",
            ".type",
            "\"htttp\" is not known; did you mean \"http\"? Allowed are stdio, http, streamable-http, streamableHttp, sse",
        ),
        ("{\"url\": ^\"example.com\"}", ".url", "the address has to begin with https:// or http://"),
        ("{\"url\": ^\"https://a b\"}", ".url", "the address has white space in it; write a space as %20"),
        (
            "{\"url\": \"https://a\", \"headers\": {^\"A B\": \"1\"}}",
            ".headers[\"A B\"]",
            "\"A B\" can't be the name of a header",
        ),
        (
            "{\"url\": \"https://a\", ^\"headers\": {\"X-A\": \"1\", \"x-a\": \"2\"}}",
            ".headers",
            "the header \"x-a\" is there twice in different case; keep one",
        ),
        (
            "{\"command\": \"x\", \"args\": [^\"${A\"]}",
            ".args[0]",
            "\"${A\" has no '}'; write ${NAME}, ${NAME:-default} or ${env:NAME}, or $${ for a literal ${",
        ),
        (
            "{\"command\": \"x\", \"env\": {\"A\": ^\"${SESSION_ROOT}\"}}",
            ".env.A",
            "${SESSION_ROOT} is possible in \"sdl\": {\"cwd\": …} only",
        ),
    ] {
        assert_entry_fault(entry, path, message);
    }
    // The mark is at the entry's key.
    for (entry, message) in [
        (
            "{}",
            "neither \"command\" nor \"url\"; give a \"command\" (and \"args\") to start, or the \"url\" of a server \
                that runs",
        ),
        (
            "{\"serverUrl\": \"https://a\"}",
            "neither \"command\" nor \"url\"; did you mean \"url\" for \"serverUrl\"?",
        ),
        ("{\"comand\": \"x\"}", "neither \"command\" nor \"url\"; did you mean \"command\" for \"comand\"?"),
        (
            "{\"command\": \"x\", \"url\": \"https://a\"}",
            "both \"command\" and \"url\"; remove one, or state \"type\": \
                                                          \"stdio\" or \"type\": \"http\"",
        ),
        ("{\"type\": \"http\", \"command\": \"x\"}", "\"type\": \"http\" needs \"url\""),
    ] {
        assert_fault(&format!("{{\"mcpServers\": {{^\"a\": {entry}}}}}"), "mcpServers.a", message);
    }
}

#[test]
fn options_that_cannot_be() {
    for (own, path, message) in [
        ("{^\"moed\": \"auto\"}", ".moed", "unknown key \"moed\"; did you mean \"mode\"?"),
        ("{^\"timeout\": 1}", ".timeout", "unknown key \"timeout\"; did you mean \"timeoutMs\"?"),
        (
            "{\"mode\": ^\"pass\"}",
            ".mode",
            "\"pass\" is not known; did you mean \"passthrough\"? Allowed are passthrough, synthesize, auto",
        ),
        ("{\"refreshSeconds\": ^4}", ".refreshSeconds", "4 is no whole number from 5 to 86400"),
        ("{\"resultTokens\": ^20001}", ".resultTokens", "20001 is no whole number from 100 to 20000"),
        ("{\"maxInFlight\": ^1.5}", ".maxInFlight", "1.5 is no whole number from 1 to 256"),
        ("{\"timeoutMs\": ^-1}", ".timeoutMs", "-1 is no whole number from 100 to 86400000"),
        (
            "{\"about\": ^\"a\\nb\"}",
            ".about",
            "the text has a control character, such as a line break; remove it",
        ),
        (
            "{\"tools\": {\"allow\": [^\"a[\"]}}",
            ".tools.allow[0]",
            "\"a[\" is no glob: unclosed character class; \
                                                                     missing ']'",
        ),
        ("{\"tools\": ^[]}", ".tools", "an object is expected, not an array"),
        (
            "{\"ask\": [^\"tools\"]}",
            ".ask[0]",
            "\"tools\" is not known; allowed are elicitation, sampling, roots",
        ),
        (
            "{\"cwd\": ^\"src\"}",
            ".cwd",
            "\"cwd\" has to be an absolute path; it may begin with ${SESSION_ROOT} or ${HOME}",
        ),
    ] {
        assert_entry_fault(
            &format!("{{\"command\": \"x\", \"sdl\": {own}}}"),
            &format!(".sdl{path}"),
            message,
        );
    }
    let long = "x".repeat(81);
    assert_entry_fault(
        &format!("{{\"command\": \"x\", \"sdl\": {{\"about\": ^\"{long}\"}}}}"),
        ".sdl.about",
        "81 characters are more than the 80 that are allowed",
    );
    assert_entry_fault(
        "{\"command\": \"x\", ^\"sdl\": {\"timeoutMs\": 900000}}",
        ".sdl",
        "\"timeoutMs\" (900000) is above \"maxTotalMs\" (600000); raise \"maxTotalMs\" too",
    );
    assert_fault(
        "{\"mcpServers\": {^\"a\": {\"command\": \"x\", \"sdl\": {\"cwd\": \"${SESSION_ROOT}/x\"}}}}",
        "mcpServers.a",
        "\"cwd\" has ${SESSION_ROOT} or ${SESSION_CWD}, and one connection serves all sessions; set \"lifecycle\" to \
         \"root\" or \"session\"",
    );
}

#[test]
fn policies_that_cannot_be() {
    for (top, path, message) in [
        ("{^\"profile\": []}", ".profile", "unknown key \"profile\"; did you mean \"profiles\"?"),
        (
            "{\"modules\": [^\"memroy\"]}",
            ".modules[0]",
            "\"memroy\" is not known; did you mean \"memory\"? Allowed are memory, kg, work",
        ),
        ("{\"default\": ^\"ask\"}", ".default", "\"ask\" is not known; allowed are allow, deny"),
        (
            "{\"defaults\": {^\"about\": \"x\"}}",
            ".defaults.about",
            "unknown key \"about\"; known are mode, tools, prompts, resources, prefix, lifecycle, ask, pin, redact, cwd, \
             startTimeoutMs, timeoutMs, maxTotalMs, refreshSeconds, idleStopSeconds, maxInFlight, maxPerMinute, \
             memoryMb, resultTokens, autoTokens, protocol, retryReads",
        ),
        ("{\"policy\": [^{}]}", ".policy[0]", "a rule needs an \"effect\": \"deny\", \"ask\" or \"allow\""),
        (
            "{\"policy\": [^{\"effect\": \"deny\"}]}",
            ".policy[0]",
            "the rule names no calls; write \"tools\": [\"*/*\"] if it is for all",
        ),
        (
            "{\"policy\": [{\"effect\": \"deny\", \"tools\": ^[]}]}",
            ".policy[0].tools",
            "the list is empty, so the rule would never hold; name at least one",
        ),
        (
            "{\"policy\": [{\"effect\": \"deny\", \"tools\": [^\"delete_*\"]}]}",
            ".policy[0].tools[0]",
            "\"delete_*\" names no upstream; write KEY/TOOL, for example \"*/delete_*\"",
        ),
        (
            "{\"policy\": [{\"effect\": \"deny\", \"args\": {\"a\": {\"matches\": ^\"(\"}}}]}",
            ".policy[0].args.a.matches",
            "\"(\" is no regular expression: unclosed group",
        ),
        (
            "{\"policy\": [{\"effect\": \"deny\", \"args\": {\"a\": {\"matches\": ^\"(a{1000}){1000}\"}}}]}",
            ".policy[0].args.a.matches",
            "the expression is too large; make it simpler",
        ),
        (
            "{\"policy\": [{\"effect\": \"deny\", \"args\": {^\"a..b\": {\"min\": 1}}}]}",
            ".policy[0].args[\"a..b\"]",
            "\"a..b\" has an empty key; write a path such as \"filter.owner\"",
        ),
        (
            "{\"policy\": [{\"effect\": \"deny\", \"args\": {\"a\": {\"min\": ^\"1\"}}}]}",
            ".policy[0].args.a.min",
            "a number is expected, not a string",
        ),
        (
            "{\"policy\": [^{\"effect\": \"deny\", \"profiles\": [\"co\"]}], \"profiles\": [{\"name\": \"ci\", \"match\": \
             {\"token\": \"ci\"}}]}",
            ".policy[0]",
            "no profile has the name \"co\"",
        ),
        (
            "{\"profiles\": [^{\"name\": \"a\"}]}",
            ".profiles[0]",
            "a profile needs \"match\", such as {\"client\": \"*\"} for everybody",
        ),
        (
            "{\"profiles\": [{\"name\": \"a\", \"match\": {\"token\": ^[]}}]}",
            ".profiles[0].match.token",
            "the list is empty; name at least one",
        ),
        (
            "{\"credentialHelper\": [^\"bin/helper\"]}",
            ".credentialHelper[0]",
            "\"bin/helper\" is a relative path, which could lead into any folder; write the absolute path, or a bare \
             name that is in the daemon's PATH",
        ),
        ("{\"audit\": {\"keep\": ^10}}", ".audit.keep", "10 is no whole number from 1000 to 100000000"),
    ] {
        assert_top_fault(top, path, message);
    }
}
