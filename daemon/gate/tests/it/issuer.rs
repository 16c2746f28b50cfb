//! A protected MCP server and the issuer of its tokens, in one. It does what the test says, and remembers what it was asked.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Value, json};

use crate::listen::{get_page, header, listen, whole};

/// How the server behaves. A test may change it at any time.
#[derive(Debug)]
pub(crate) struct Ways {
    /// How long tokens last, in seconds.
    pub(crate) lasts: Option<u64>,
    /// Clients are registered.
    pub(crate) registers: bool,
    /// Registered clients get a secret.
    pub(crate) gives_secret: bool,
    /// What the issuer answers to a refresh, instead of tokens.
    pub(crate) refresh_answer: Option<String>,
    /// Tokens that count. All that were given, until a test takes some away.
    pub(crate) valid: Vec<String>,
    /// No token counts.
    pub(crate) refuses_all: bool,
    /// The issuer that is published, if not this server.
    pub(crate) issuer: Option<String>,
    /// The status and headers of the answer to every MCP request, instead of an answer.
    pub(crate) status: Option<(&'static str, &'static str)>,
}

#[derive(Default)]
struct Log {
    /// Tokens given so far.
    given: usize,
    /// The address of the login that a browser visited.
    visited: HashMap<String, String>,
    registered: Vec<Value>,
    /// Forms that came to the token address, each with its header `Authorization`.
    grants: Vec<(HashMap<String, String>, Option<String>)>,
    /// The header `Authorization` of each MCP call that was answered, and of each that was refused.
    answered: Vec<Option<String>>,
    refused: Vec<Option<String>>,
}

/// See the module.
#[derive(Clone)]
pub(crate) struct Issuer {
    pub(crate) base: String,
    ways: Arc<Mutex<Ways>>,
    log: Arc<Mutex<Log>>,
}

impl Issuer {
    pub(crate) async fn start() -> Self {
        let ways = Ways {
            lasts: Some(3_600),
            registers: true,
            gives_secret: false,
            refresh_answer: None,
            valid: Vec::new(),
            refuses_all: false,
            issuer: None,
            status: None,
        };
        let (ways, log) = (Arc::new(Mutex::new(ways)), Arc::<Mutex<Log>>::default());
        let half = Self { base: String::new(), ways: Arc::clone(&ways), log: Arc::clone(&log) };
        let address = listen(move |head, body| {
            let base = format!("http://{}", header(head, "host").unwrap());
            Self { base, ..half.clone() }.respond(head, body)
        });
        Self { base: format!("http://{}", address.await), ways, log }
    }

    pub(crate) fn ways(&self) -> MutexGuard<'_, Ways> {
        self.ways.lock().unwrap()
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap()
    }

    pub(crate) fn url(&self) -> String {
        format!("{}/mcp", self.base)
    }

    pub(crate) fn entry(&self) -> Value {
        json!({ "type": "http", "url": self.url() })
    }

    /// The kinds of the grants that were asked for.
    pub(crate) fn grants(&self) -> Vec<String> {
        self.log().grants.iter().map(|(form, _)| form["grant_type"].clone()).collect()
    }

    /// A form that came to the token address, with its header `Authorization`.
    pub(crate) fn grant(&self, at: usize) -> (HashMap<String, String>, Option<String>) {
        self.log().grants[at].clone()
    }

    /// What a client said when it was registered.
    pub(crate) fn registered(&self) -> Vec<Value> {
        self.log().registered.clone()
    }

    /// The parameters with which the login was opened in a browser.
    pub(crate) fn visited(&self) -> HashMap<String, String> {
        self.log().visited.clone()
    }

    /// The header `Authorization` of the calls of tools that were answered.
    pub(crate) fn answered(&self) -> Vec<Option<String>> {
        self.log().answered.clone()
    }

    /// The same of the requests that were refused.
    pub(crate) fn refused(&self) -> Vec<Option<String>> {
        self.log().refused.clone()
    }

    /// Opens the login as a browser does, and says where it leads to.
    pub(crate) async fn visit(&self, url: &str) -> String {
        assert!(url.starts_with(&self.base), "{url}");
        header(&get_page(url).await, "location").unwrap().to_owned()
    }

    fn respond(&self, head: &str, body: &str) -> String {
        let target = head.split(' ').nth(1).unwrap();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let page = |value: Value| whole("200 OK", "Content-Type: application/json\r\n", &value.to_string());
        match path {
            "/mcp" => self.serve_tools(head, body),
            "/.well-known/oauth-protected-resource/mcp" => page(json!({
                "resource": self.url(), "authorization_servers": [self.issuer()], "scopes_supported": ["tools"],
            })),
            "/.well-known/oauth-authorization-server" => page(self.metadata()),
            "/register" if self.ways().registers => {
                let mut client: Value = serde_json::from_str(body).unwrap();
                self.log().registered.push(client.clone());
                client["client_id"] = "client-1".into();
                if self.ways().gives_secret {
                    client["client_secret"] = "registered-secret".into();
                }
                page(client)
            }
            "/authorize" => {
                let form = read_form(query);
                let back = format!("{}?code=code-1&state={}", form["redirect_uri"], form["state"]);
                self.log().visited = form;
                whole("302 Found", &format!("Location: {back}\r\n"), "")
            }
            "/token" => self.give_tokens(head, body),
            _ => whole("404 Not Found", "", ""),
        }
    }

    fn issuer(&self) -> String {
        self.ways().issuer.clone().unwrap_or_else(|| self.base.clone())
    }

    fn metadata(&self) -> Value {
        let base = &self.base;
        let mut metadata = json!({
            "issuer": base,
            "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}/token"),
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
        });
        if self.ways().registers {
            metadata["registration_endpoint"] = format!("{base}/register").into();
        }
        metadata
    }

    fn give_tokens(&self, head: &str, body: &str) -> String {
        let form = read_form(body);
        let is_refresh = form["grant_type"] == "refresh_token";
        let mut log = self.log();
        log.grants.push((form.clone(), header(head, "authorization").map(str::to_owned)));
        let mut ways = self.ways();
        if let Some(answer) = ways.refresh_answer.clone().filter(|_| is_refresh) {
            return answer;
        }
        let is_known = if is_refresh {
            form["refresh_token"] == format!("refresh-{:04}", log.given)
        } else {
            form["code"] == "code-1" && form["redirect_uri"] == log.visited["redirect_uri"]
        };
        if !is_known {
            return whole(
                "400 Bad Request",
                "Content-Type: application/json\r\n",
                r#"{"error":"invalid_grant"}"#,
            );
        }
        log.given += 1;
        let access = format!("access-{:04}", log.given);
        ways.valid.push(access.clone());
        let refresh = format!("refresh-{:04}", log.given);
        let tokens = json!({
            "access_token": access, "token_type": "Bearer", "refresh_token": refresh, "expires_in": ways.lasts,
        });
        whole("200 OK", "Content-Type: application/json\r\n", &tokens.to_string())
    }

    fn serve_tools(&self, head: &str, body: &str) -> String {
        let given = header(head, "authorization").map(str::to_owned);
        let ways = self.ways();
        let is_valid = ways.valid.iter().any(|token| given.as_deref() == Some(&format!("Bearer {token}")));
        if !is_valid || ways.refuses_all {
            self.log().refused.push(given);
            let metadata = format!("{}/.well-known/oauth-protected-resource/mcp", self.base);
            let challenge = format!(
                "WWW-Authenticate: Bearer resource_metadata=\"{metadata}\", scope=\"tools:read\"\r\n"
            );
            return whole("401 Unauthorized", &challenge, "");
        }
        if let Some((status, headers)) = ways.status {
            return whole(status, headers, "");
        }
        if !head.starts_with("POST") {
            return whole("405 Method Not Allowed", "", "");
        }
        let message: Value = serde_json::from_str(body).unwrap();
        let result = match message["method"].as_str().unwrap_or_default() {
            "server/discover" => return whole("400 Bad Request", "", "what?"),
            "initialize" => json!({
                "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
                "serverInfo": { "name": "protected", "version": "1" },
            }),
            "tools/list" => json!({ "tools": [{ "name": "echo", "inputSchema": { "type": "object" } }] }),
            "tools/call" => {
                self.log().answered.push(given.clone());
                json!({ "content": [{ "type": "text", "text": message["params"]["arguments"]["text"] }] })
            }
            _ => return whole("202 Accepted", "", ""),
        };
        let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
        whole("200 OK", "Content-Type: application/json\r\n", &answer.to_string())
    }
}

fn read_form(text: &str) -> HashMap<String, String> {
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), decode(value))).collect()
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            other => other,
        });
    }
    String::from_utf8(bytes).unwrap()
}
