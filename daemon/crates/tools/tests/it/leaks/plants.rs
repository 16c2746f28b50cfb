//! A repository with secrets in every position of a file: names, documentation, comments, headers, defaults, literals,
//! guards, effects; and files that contain only secrets.

use std::collections::BTreeMap;

/// The planted secrets. Each ends with a mark of its own that is nowhere else.
#[derive(Debug, Default)]
pub(crate) struct Planted {
    /// Secrets that are recognized by their form.
    pub(crate) known: Vec<String>,
    /// Secrets that are recognized by the names they are assigned to.
    pub(crate) likely: Vec<String>,
    /// One of `known`, whole.
    pub(crate) token: String,
    /// The lines of files of secrets.
    pub(crate) sealed: Vec<String>,
    /// The files, in two versions.
    pub(crate) versions: [String; 2],
}

/// `{K}`: a known maker's token. `{L}`: a value assigned to something called a secret. `{P}`: a password in an address.
/// `{S}`: a line of a file of secrets. `{B}`: a line of a private key. `zq_body_` begins names that are only in bodies.
const FILES: &str = r#"//- /real/deploy-{K}.py
"""Deploys. The password: {L} is asked for. Uses {K}."""
import os
import requests

API_KEY = "{L}"
SECRETS = {"db_password": "{L}", "other": "{K}"}
PRIVATE = """-----BEGIN RSA PRIVATE@ KEY-----
{B}
{B}
-----END RSA PRIVATE@ KEY-----"""

def deploy(user, password="{L}", token='{L}', *, url="https://bot:{P}@host/x"):
    """Deploys as a user, by default with token={L} and {K} as it was.

    -----BEGIN PRIVATE@ KEY-----
    {B}
    """
    # the password: {L} and {K}
    zq_body_1 = prepare(user, "{K}")
    if not user:
        raise ValueError("password = '{L}' {K}")
    assert user, "{K} is missing"
    zq_body_2 = requests.get("https://bot:{P}@example.org/{K}")
    os.environ["TOKEN"] = "{L}"
    open("/tmp/{K}")
    zq_body_3 = connect(secret="{L}")
    return zq_body_1

class Config(Base):
    """Settings, with secret={L} in them."""
    secret_key = "{L}"
    def {I}(self, credentials="{L}"):
        """Rotates {K}."""
        zq_body_4 = self.find(auth_token="{L}")
        return zq_body_4

@guarded("{K}")
def guarded_one(items):
    zq_body_5 = [item for item in items if item.ready]
    for item in items:
        if item.late:
            zq_body_6 = item.settle(zq_body_5)
            finish(zq_body_6)
    return zq_body_5
//- /real/src/vault.ts
/** Checks what comes. Its password: {L} is old. See {K} too. */
export const apiKey = "{L}";
export enum Keys { Secret = "{L}", Other = "{K}" }
export const settings = { password: "{L}", nested: { clientSecret: "{L}", url: "redis://x:{P}@cache" } };
export type Literal = "{K}" | "other";
/** Opens it; token: {L} is the default. */
export function check(token = "{L}", url: string = `https://bot:{P}@host`): "{K}" | boolean {
    // token: {L} and {K}
    const zq_body_7 = token + "{K}";
    if (!url) {
        throw new Error("no url for {K}");
    }
    const zq_body_8 = fetch("https://u:{P}@h/{K}");
    return zq_body_7 === zq_body_8;
}
export class Vault {
    private password = "{L}";
    static readonly TOKEN = "{K}";
    open(secret: string = '{L}', items: string[]) {
        const zq_body_9 = items.map((item) => item + secret);
        for (const item of zq_body_9) {
            if (item === "{K}") {
                return check(item);
            }
        }
        return undefined;
    }
}
//- /real/src/lib.rs
//! The library. Its password: {L} is asked for, and {K} is sent.
/// The key, {K} for now.
pub const API_KEY: &str = "{L}";
pub static TOKENS: [&str; 1] = ["{K}"];
/// Connects with secret={L} if none is given; see {K} for more.
pub fn connect(secret: &str, host: Option<&str>) -> Result<(), String> {
    let zq_body_10 = host.unwrap_or("postgres://a:{P}@db");
    if secret.is_empty() {
        panic!("empty secret {K}");
    }
    let zq_body_11 = std::env::var("{K}").unwrap_or_default();
    Err(format!("{zq_body_10}{zq_body_11}"))
}
//- /real/src/main.go
// Package main runs {K} with password: {L} as ever.
package main

// Token is {K} by default.
const Token = "{L}"

var dsn = "mysql://root:{P}@db"

// Run runs with token={L} and so on.
func Run(name string) error {
	zqBody := name + "{K}"
	return fail(zqBody)
}
//- /real/src/App.java
/** The application. It knows {K} and password: {L} from before. */
public class App {
    static final String PASSWORD = "{L}";
    private String token = "{K}";
    /** Starts with secret={L} and {K} unless told. */
    public String start(String name) {
        String zqBody = name + "{K}";
        if (name == null) { throw new IllegalStateException("no name for {K}"); }
        return zqBody;
    }
}
//- /real/src/conn.c
/* Connects. password: {L} is built in, {K} too. */
#define API_TOKEN "{L}"
static const char *password = "{L}";
/* Sends token={L} over, or {K} later. */
int conn_open(const char *host) { return send_it(host, "{K}"); }
//- /real/src/page.php
<?php
/** The page; secret: {L} and {K} stand here. */
const SECRET = '{L}';
define('DB_PASSWORD', '{L}');
function page($token = '{L}', $other = "{K}") { return show($token); }
//- /real/src/tool.rb
# The tool. password: {L} and {K} in a comment.
PASSWORD = '{L}'
def tool(token = '{L}', url = "https://u:{P}@h")
  zq_body = run("{K}")
  zq_body
end
//- /real/src/Store.kt
/** The store: secret={L} and {K} as well. */
const val API_KEY = "{L}"
class Store(private val password: String = "{L}") {
    fun open(token: String = "{K}"): String { val zqBody = token; return zqBody }
}
//- /real/src/Work.cs
/// <summary>Works with password: {L} and {K} all day.</summary>
public class Work {
    const string Secret = "{L}";
    public string Token { get; set; } = "{K}";
    public void Do(string password = "{L}") { var zqBody = Call("{K}"); }
}
//- /real/run.sh
#!/bin/bash
# runs with password: {L} and {K} set
export DB_PASSWORD={L}
API_TOKEN="{L}"
start() { curl -H "Authorization: {K}" "https://u:{P}@h"; }
//- /real/package.json
{"name": "app", "description": "Sends {K}", "scripts": {"deploy": "send --password={L} {K}"}, "config": {"password": "{L}"}}
//- /real/.env.sh
export WORD={S}
//- /real/config/secrets.json
{"word": "{S}"}
//- /real/id_rsa
{S}
//- /src/.env
WORD={S}
//- /src/shop.py
def checkout(cart: Cart) calls total, charge raises Refused({K}) : Pays with {K} and password: {L} if asked.
def total(cart: Cart) : Adds up.
def charge(amount: int) calls total : Takes the money with token={L} alone.
"#;

impl Planted {
    pub(crate) fn new() -> Self {
        let mut planted = Self::default();
        let first = planted.fill(FILES);
        // The second version has different secrets, so that every line with a secret differs.
        let second = planted.fill(FILES);
        let second = second.replacen(&path(&second), &path(&first), 1);
        planted.versions = [first, second];
        planted.token = planted.known();
        planted
    }

    fn fill(&mut self, template: &str) -> String {
        let mut out = String::new();
        let mut rest = template.replace("PRIVATE@", "PRIVATE");
        while let Some(at) = rest.find('{') {
            let (before, behind) = rest.split_at(at);
            out.push_str(before);
            let made = match behind.get(1..3) {
                Some("K}") => self.known(),
                Some("I}") => format!("ghp_{}", self.mark('K', 36)),
                Some("P}") => self.mark('K', 14),
                Some("B}") => self.mark('K', 64),
                Some("L}") => {
                    let mark = format!("Lk{:03}orchid9w", self.likely.len());
                    self.likely.push(mark.clone());
                    mark
                }
                Some("S}") => {
                    let mark = format!("sealed{:03}violet", self.sealed.len());
                    self.sealed.push(mark.clone());
                    mark
                }
                _ => {
                    out.push('{');
                    rest = behind[1..].to_owned();
                    continue;
                }
            };
            out.push_str(&made);
            rest = behind[3..].to_owned();
        }
        out + &rest
    }

    /// Returns a token of one of the known makers, in turn. Written in pieces, so that scanners don't take this file
    /// for one with secrets.
    fn known(&mut self) -> String {
        match self.known.len() % 5 {
            0 => format!("AK{}{}", "IA", self.mark('K', 16)),
            1 => format!("gh{}{}", "p_", self.mark('K', 36)),
            2 => format!("xox{}1234567890-{}", "b-", self.mark('K', 20)),
            3 => format!("sk{}{}", "_live_", self.mark('K', 24)),
            _ => format!("gl{}{}", "pat-", self.mark('K', 20)),
        }
    }

    /// Returns `length` capitals and digits; the last twelve are the mark.
    fn mark(&mut self, begin: char, length: usize) -> String {
        let mark = format!("Q{:04}ZX7WVJ2", self.known.len());
        self.known.push(mark.clone());
        let filler: String = "7X2JQ9ZW4V".chars().cycle().take(length - mark.len() - 1).collect();
        format!("{begin}{filler}{mark}")
    }

    /// Returns the files of a version, by path.
    pub(crate) fn files(&self, version: usize) -> BTreeMap<String, String> {
        let parts = self.versions[version].split("//- /").skip(1);
        parts
            .filter_map(|part| part.split_once('\n'))
            .map(|(p, t)| (p.trim().to_owned(), t.to_owned()))
            .collect()
    }
}

fn path(fixture: &str) -> String {
    fixture.lines().next().unwrap_or_default().to_owned()
}
