use super::*;

fn mask_at(text: &str, level: Level) -> Cow<'_, str> {
    mask_part(text, &find_secrets(text, level), 0..text.len())
}

fn mask_likely(text: &str) -> String {
    mask_at(text, Level::Likely).into_owned()
}

#[test]
fn what_is_named_like_a_secret_is_masked() {
    for (text, wanted) in [
        (r#"password = "hunter2""#, r#"password = "***""#),
        (r#"def connect(user, password="hunter2"):"#, r#"def connect(user, password="***"):"#),
        (r#"password: str = "hunter2""#, r#"password: str = "***""#),
        (r#"const API_KEY: &str = "abcd-1234";"#, r#"const API_KEY: &str = "***";"#),
        (r#"{"client_secret": "abc def", "id": "x y z"}"#, r#"{"client_secret": "***", "id": "x y z"}"#),
        (r#"config.set("password", "hunter2")"#, r#"config.set("password", "***")"#),
        (r#"os.getenv("DB_PASSWORD", 'hunter2')"#, r#"os.getenv("DB_PASSWORD", '***')"#),
        ("if (password === 'letmein') {", "if (password === '***') {"),
        ("if (token === 'letme1n') {", "if (token === '***') {"),
        ("'db.password' => 'hunter2',", "'db.password' => '***',"),
        ("apiKey := `raw string`", "apiKey := `***`"),
        ("export DB_PASSWORD=hunter22x", "export DB_PASSWORD=***"),
        ("# password: hunter2222", "# password: ***"),
        ("secret = (\n    'multi'\n)", "secret = (\n    '***'\n)"),
        ("secret = \"\"\"one\ntwo\"\"\"\nnext", "secret = \"\"\"***\n***\"\"\"\nnext"),
        (r#"password = Secret("abc12345")"#, r#"password = Secret("***")"#),
        (r#"passwd = b"h\"idden""#, r#"passwd = b"***""#),
        ("my_token2 = 'abcdef'", "my_token2 = '***'"),
        ("password = 'never closed", "password = '***"),
        ("#define API_TOKEN \"hunter2\"", "#define API_TOKEN \"***\""),
        ("The password: hunt…", "The password: ***…"),
        ("token:\n    hunter2222", "token:\n    hunter2222"),
    ] {
        assert_eq!(mask_likely(text), wanted);
        assert_eq!(mask_likely(wanted), wanted, "what is masked stays as it is");
    }
}

/// The samples of a list; lines that begin with `#` and a space say what follows.
fn list_samples(list: &str) -> impl Iterator<Item = String> {
    let lines =
        list.lines().filter(|line| !line.is_empty() && !line.starts_with("# ") || line.contains("http"));
    lines.map(|line| line.replace('⏎', "\n").replace('¦', ""))
}

#[test]
fn planted_secrets_are_masked_and_nothing_else() {
    let mut wrong = Vec::new();
    for sample in list_samples(include_str!("samples/planted.txt")) {
        let plain = sample.replace(['«', '»'], "");
        let mut wanted = String::new();
        for (i, piece) in sample.split(['«', '»']).enumerate() {
            wanted.push_str(if i % 2 == 1 { MASK } else { piece });
        }
        let shown = mask_likely(&plain);
        // Where a key ends is not marked.
        if shown != wanted && !plain.contains("-----BEGIN")
            || shown.contains("x8Kd")
            || shown.contains("MIIE")
        {
            wrong.push(format!("{plain}\n  gives {shown}"));
        }
        if mask_likely(&shown) != shown {
            wrong.push(format!("{shown}\n  masked again gives {}", mask_likely(&shown)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn innocent_lines_stay() {
    let samples = list_samples(include_str!("samples/innocent.txt"));
    let wrong: Vec<String> = samples
        .filter(|sample| mask_likely(sample) != *sample)
        .map(|sample| format!("{sample}\n  gives {}", mask_likely(&sample)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn code_about_secrets_stays() {
    for text in [
        "password = get_password()",
        "token = self.next_token()",
        "if token is None: raise TokenError(\"a token is missing\")",
        "let token: &'a str = parser.token();",
        "secret = os.environ[\"SECRET\"]",
        "tokens = text.split(\" \")",
        "def validate(token: str) -> bool:",
        "token_count = \"many of them\"",
        "sha = \"0123456789abcdef0123456789abcdef01234567\"",
        "key = \"name\"",
        "s_0123456789abc h_0123456789abcde v1770600000000",
        "reset_token: s_0123456789abc",
        "reset_token? 0.7\ns_0123456789abc full-0123456789",
        "token=full-0123456789 token=v1770600000000 token=art_0123456789abc",
        "task-fading-circle-circle12 sk-fading-circle-circle12 npm_config_registry_of_2_scopes_and_more",
        "\"\"\"Reads the token: see below.\"\"\"\nx = 1\ndef f():\n    \"\"\"Next.\"\"\"",
        "def compile(parser, token):\n    \"\"\"Makes a node.\"\"\"\n    return 1",
        "class A:\n    \"\"\"Secret! Not shown\"\"\"\n\n    b = 1\n\nclass B:\n    \"\"\"Next.\"\"\"",
        "raise Error(\"an invalid token: %r\" % name + \"rest\")",
        "# a token: don't take it, or 'leave' it",
        "html = \"\"\"<input name=\"password\" value=\"\"></p>\"\"\",\n    )\n    x = \"\"\"y\"\"\"",
        "check_token > make_base36_token > base36_to_int",
        "ASIAN_LANGUAGES_SUPPORTED_HERE2 ASIANLANGUAGESSUPPORTED",
    ] {
        assert_eq!(mask_likely(text), text);
    }
}

#[test]
fn tokens_of_known_makers_are_masked_wherever_they_stand() {
    let body = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
    for token in [
        format!("gh{}_{}", "p", &body[..36]),
        format!("github{}{}", "_pat_", &body[..30]),
        format!("AK{}IOSFODNN7EXAMPLE", "IA"),
        format!("xox{}-1234567890-abcdef", "b"),
        format!("sk{}{}", "_live_", &body[..24]),
        format!("AI{}{}", "za", &body[..35]),
        format!("ey{}.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{}", "JhbGciOiJIUzI1NiJ9", &body[..30]),
    ] {
        for text in [
            format!("x = f(\"{token}\")"),
            format!("# {token}"),
            format!("u={token}&v=1"),
            format!("src/deploy-{token}.py"),
            format!("of the key {}…", &token[..14]),
        ] {
            let out = mask_at(&text, Level::Known);
            assert!(!out.contains(&token[4..12]) && out.contains(MASK), "{text} -> {out}");
        }
    }
    let url = "connect(\"postgres://admin:hunter2@db:5432/x\")";
    assert_eq!(mask_at(url, Level::Known), "connect(\"postgres://admin:***@db:5432/x\")");
    assert_eq!(mask_at("http://host:80/path@x", Level::Known), "http://host:80/path@x");
}

#[test]
fn a_private_key_is_masked_line_by_line_and_in_its_middle() {
    let key = format!("a\n-----BEGIN RSA {} KEY-----\nMIIE\nAbcd\n-----END RSA {0} KEY-----\nb\n", "PRIVATE");
    let secrets = find_secrets(&key, Level::Known);
    let all = mask_part(&key, &secrets, 0..key.len());
    assert_eq!(all.lines().count(), key.lines().count());
    assert!(!all.contains("MIIE") && all.starts_with("a\n") && all.ends_with("\nb\n"), "{all}");
    let body = "A1b2C3d4".repeat(8);
    for cut in [
        format!("-----BEGIN {} KEY-----\n{body}\n{body}\nx = 1\n", "PRIVATE"),
        format!("-----BEGIN {} KEY-----\\n{body}\\n\";\nx = 1\n", "PRIVATE"),
        format!("-----BEGIN EC {} KEY-----\nProc-Type: 4,ENCRYPTED\n\n{body}…\nx = 1\n", "PRIVATE"),
        format!("    // -----BEGIN {} KEY-----\n    // {body}\nx = 1\n", "PRIVATE"),
        format!("Has a -----BEGIN {} KEY----- {body}… \nx = 1\n", "PRIVATE"),
    ] {
        let shown = mask_at(&cut, Level::Known);
        assert!(!shown.contains("A1b2") && shown.ends_with("\nx = 1\n"), "{shown}");
    }
    let code = format!("if line == \"-----BEGIN {} KEY-----\":\n    return parse(line)\n", "PRIVATE");
    assert_eq!(mask_at(&code, Level::Known), code);
    let at = key.find("MIIE").unwrap();
    assert_eq!(mask_part(&key, &secrets, at..at + 9), "***\n***");
}

/// Quadratic, this would take hours: the runner ends a test that hangs.
#[test]
fn time_is_linear_in_the_text() {
    for unit in [
        "password=",
        "token = \"",
        "'''",
        "\"a",
        "://a:",
        "-----BEGIN PRIVATE KEY-----\n",
        "secret:(",
        "ghp_",
        "-----BEGIN PRIVATE KEY-----",
        "password=ab-",
        "token:\n\\`",
        "a,token=\"b\",",
        "<password>",
        "curl -u ",
        "auth=(\"a",
        "mysql -pab ",
        "\\\"token=",
        "a:b@tcp",
    ] {
        let text = unit.repeat(500_000 / unit.len());
        let shown = mask_at(&text, Level::Likely);
        assert!(shown.len() <= text.len(), "{unit}");
    }
}
