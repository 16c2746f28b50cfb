//! The tokens that a person made: lines of a file that is read again for each request, so that a token that was taken out is
//! refused from then on.

use std::env;
use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

use sdl_proto::{Principal, PrincipalKind};

use crate::args::checked_scope;

/// Its name among the credentials of a service.
const CREDENTIAL: &str = "sdl-http-tokens";
/// The variable with a path, for everybody else.
const VARIABLE: &str = "SDL_HTTP_TOKENS";

const MAX_BYTES: u64 = 64 << 10;
const MAX_NAME: usize = 64;
/// A token that can be guessed protects nothing.
const MIN_TOKEN: usize = 16;

/// Where the tokens are.
#[derive(Debug)]
pub(crate) struct TokenFile {
    path: PathBuf,
    /// Whether others must not be able to read it. A credential's folder is private, whatever its files are.
    is_own: bool,
}

/// The tokens that hold now.
#[derive(Debug)]
pub(crate) struct Tokens(Vec<Token>);

#[derive(Debug)]
struct Token {
    hash: blake3::Hash,
    principal: Principal,
}

impl TokenFile {
    /// The file that the environment names.
    pub(crate) fn from_env() -> Option<Self> {
        let credential = env::var_os("CREDENTIALS_DIRECTORY")
            .map(|folder| PathBuf::from(folder).join(CREDENTIAL))
            .filter(|path| path.exists());
        match credential {
            Some(path) => Some(Self { path, is_own: false }),
            None => env::var_os(VARIABLE)
                .filter(|path| !path.is_empty())
                .map(|path| Self { path: path.into(), is_own: true }),
        }
    }

    /// Reads it. The error is for the person who wrote it.
    pub(crate) fn read(&self) -> Result<Tokens, String> {
        let fault = |what: String| format!("{}: {what}", self.path.display());
        let text = self.read_text().map_err(fault)?;
        parse_tokens(&text).map_err(fault)
    }

    fn read_text(&self) -> Result<String, String> {
        let look = |error: std::io::Error| error.to_string();
        // A pipe would hang, and is looked at before it is opened.
        if !std::fs::metadata(&self.path).map_err(look)?.is_file() {
            return Err("it is no regular file".to_owned());
        }
        let file = File::open(&self.path).map_err(look)?;
        if self.is_own {
            check_private(&file)?;
        }
        let mut text = String::new();
        file.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(look)?;
        if text.len() as u64 > MAX_BYTES {
            return Err(format!("it is longer than {MAX_BYTES} bytes"));
        }
        Ok(text)
    }
}

#[cfg(unix)]
fn check_private(file: &File) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt as _;

    let metadata = file.metadata().map_err(|error| error.to_string())?;
    let own = rustix::process::geteuid().as_raw();
    if metadata.uid() != own && metadata.uid() != 0 {
        return Err(format!("it belongs to user {}, not to you", metadata.uid()));
    }
    if metadata.mode() & 0o077 != 0 {
        return Err("others can read or write it: chmod 600".to_owned());
    }
    Ok(())
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
fn check_private(_: &File) -> Result<(), String> {
    Ok(())
}

impl Tokens {
    /// Without any.
    pub(crate) fn none() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The principal of a token. The time does not depend on the tokens: each is compared, by hashes, which compare in constant
    /// time.
    pub(crate) fn find(&self, presented: &str) -> Option<&Principal> {
        let presented = blake3::hash(presented.as_bytes());
        let mut found = None;
        for token in &self.0 {
            if token.hash == presented {
                found = Some(&token.principal);
            }
        }
        found
    }
}

fn parse_tokens(text: &str) -> Result<Tokens, String> {
    let mut tokens: Vec<Token> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let token = parse_line(line).map_err(|what| format!("line {}: {what}", at + 1))?;
        if tokens.iter().any(|known| known.hash == token.hash) {
            return Err(format!("line {}: another line has the same token", at + 1));
        }
        tokens.push(token);
    }
    Ok(Tokens(tokens))
}

/// Reads `NAME:TOKEN[:scope,scope]`. No error shows a token.
fn parse_line(line: &str) -> Result<Token, String> {
    let mut parts = line.splitn(3, ':');
    let name = parts.next().unwrap_or_default();
    let Some(token) = parts.next() else {
        return Err("write NAME:TOKEN or NAME:TOKEN:SCOPE,SCOPE".to_owned());
    };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    if name.is_empty() || name.len() > MAX_NAME || !name.bytes().all(is_name) {
        return Err("the name has to be of letters, digits, `_`, `.` and `-`, at most 64".to_owned());
    }
    if token.len() < MIN_TOKEN {
        return Err(format!(
            "the token of {name} has less than {MIN_TOKEN} characters; make a long random one"
        ));
    }
    let is_of_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    if !token.bytes().all(is_of_token) {
        return Err(format!("the token of {name} has other characters than letters, digits and -._~+/="));
    }
    let mut scopes = Vec::new();
    for scope in parts.next().unwrap_or_default().split(',').filter(|scope| !scope.is_empty()) {
        scopes.push(checked_scope(scope.to_owned())?);
    }
    scopes.sort();
    scopes.dedup();
    let principal = Principal { kind: PrincipalKind::Token, name: name.to_owned(), scopes };
    Ok(Token { hash: blake3::hash(token.as_bytes()), principal })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CI: &str = "0123456789abcdef";

    #[test]
    fn lines_are_read_and_tokens_found() {
        let text = format!("# who may call\n\nci:{CI}:web,read,web\r\n  dev:{CI}x\n");
        let tokens = parse_tokens(&text).unwrap_or_else(|error| panic!("{error}"));
        let found = tokens.find(CI).map(|principal| (principal.to_string(), principal.scopes.join(" ")));
        assert_eq!(found, Some(("token:ci".to_owned(), "read web".to_owned())));
        assert_eq!(tokens.find(&format!("{CI}x")).map(|found| found.scopes.len()), Some(0));
        for wrong in ["", "0123456789abcde", "0123456789abcdeF", "0123456789abcdefx ", "ci"] {
            assert!(tokens.find(wrong).is_none(), "{wrong:?}");
        }
        assert!(parse_tokens("# none\n").is_ok_and(|tokens| tokens.is_empty()));
    }

    #[test]
    fn faults_name_their_line_and_no_token() {
        for (text, said) in [
            (format!("ci {CI}"), "line 1"),
            (format!("\nci:{CI}\nc i:{CI}"), "line 3"),
            (format!(":{CI}"), "name"),
            ("ci:short".to_owned(), "16 characters"),
            (format!("ci:{CI} {CI}"), "characters"),
            (format!("ci:{CI}:a b"), "scope"),
            (format!("ci:{CI}\ndev:{CI}"), "same token"),
        ] {
            let error = parse_tokens(&text).err().unwrap_or_default();
            assert!(error.contains(said) && !error.contains(CI), "{text:?}: {error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let path = folder.path().join("tokens");
        let file = TokenFile { path: path.clone(), is_own: true };
        assert!(file.read().is_err(), "there is none");
        let with_mode = |mode| {
            std::fs::write(&path, format!("ci:{CI}"))?;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode))
        };
        with_mode(0o640).unwrap_or_else(|error| panic!("{error}"));
        assert!(file.read().is_err_and(|error| error.contains("chmod")));
        with_mode(0o600).unwrap_or_else(|error| panic!("{error}"));
        assert!(file.read().is_ok_and(|tokens| tokens.find(CI).is_some()));
        let folder = TokenFile { path: folder.path().to_owned(), is_own: true };
        assert!(folder.read().is_err_and(|error| error.contains("regular")));
    }
}
