//! Recognizes names of secrets.

/// The endings of names of secrets, in lower case without the marks between words.
const ENDINGS: &[&str] = &[
    "accesskey",
    "accountkey",
    "apikey",
    "authkey",
    "authtoken",
    "connectionstring",
    "cookie",
    "credential",
    "credentials",
    "encryptionkey",
    "licensekey",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "pwd",
    "secret",
    "secretkey",
    "sessionid",
    "sharedkey",
    "signingkey",
    "token",
];

/// The last three bytes of names with these endings, with `pass` and with `pin`.
const LAST_LETTERS: &[&[u8; 3]] = &[
    b"kie", b"nid", b"_id", b"-id", b"key", b"ken", b"ing", b"ial", b"als", b"ode", b"ase", b"swd", b"ord",
    b"pwd", b"ret", b"ass", b"pin",
];

/// The words before `pass` in names of passwords, such as `db_pass`. Other words don't count, because a render pass
/// or a compiler's first pass is not a password.
const ACCOUNTS: &[&str] = &[
    "account", "admin", "api", "auth", "client", "cluster", "cert", "database", "db", "email", "ftp", "host",
    "http", "imap", "key", "ldap", "login", "mail", "mongo", "my", "mysql", "pg", "postgres", "proxy",
    "rabbit", "redis", "root", "server", "sftp", "smtp", "sql", "ssh", "sudo", "user", "vault", "vpn",
    "wifi",
];

/// Longer names are not recognized.
pub(super) const LONGEST: usize = 80;

/// The kind of value that a name suggests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// A secret.
    Secret,
    /// A secret, or a token of a grammar. For example, `token`.
    Token,
    /// A secret, or the working directory: `PWD`.
    Folder,
    /// A secret if the value is a few digits, such as `pin = "4821"`.
    Pin,
    /// A secret if part of the value looks random: `cookie`, `session_id`. Most values are names and settings.
    Session,
}

/// The name of each secret, and of each call that takes one, contains one of these pieces.
const PIECES: &[&[u8]] = &[
    b"auth", b"code", b"cookie", b"cre", b"key", b"ken", b"login", b"mysql", b"pass", b"phrase", b"pin",
    b"pwd", b"secr", b"session", b"signin", b"string", b"swd", b"swo",
];

/// The pairs of letters with which these pieces begin, in lower and upper case.
const PAIRS: [bool; 1 << 10] = {
    let mut table = [false; 1 << 10];
    let mut at = 0;
    while at < PIECES.len() {
        table[pair_index(PIECES[at][0], PIECES[at][1])] = true;
        at += 1;
    }
    table
};

const fn pair_index(first: u8, second: u8) -> usize {
    ((first & 31) as usize) << 5 | (second & 31) as usize
}

/// Whether a text may contain the name of a secret, or of a call that takes one. Most texts contain none.
pub(super) fn may_name(bytes: &[u8]) -> bool {
    bytes.windows(2).enumerate().any(|(at, two)| PAIRS[pair_index(two[0], two[1])] && begins_piece(bytes, at))
}

fn begins_piece(bytes: &[u8], at: usize) -> bool {
    let rest = bytes.get(at..).unwrap_or_default();
    let is = |piece: &[u8]| rest.get(..piece.len()).is_some_and(|found| found.eq_ignore_ascii_case(piece));
    PIECES.iter().filter(|piece| is(piece)).any(|piece| match *piece {
        b"pass" | b"pin" => is_word(bytes, at, piece),
        // Not `author`.
        b"auth" => !rest.get(4..6).is_some_and(|more| more.eq_ignore_ascii_case(b"or")),
        _ => true,
    })
}

/// Whether a word begins at `at` that a value may follow. For example, Python's `pass` takes no value.
fn is_word(bytes: &[u8], at: usize, word: &[u8]) -> bool {
    let Some((found, rest)) = bytes.get(at..).and_then(|rest| rest.split_at_checked(word.len())) else {
        return false;
    };
    let begins = at.checked_sub(1).and_then(|at| bytes.get(at)).is_none_or(|before| {
        !before.is_ascii_alphanumeric() || found[0].is_ascii_uppercase() && before.is_ascii_lowercase()
    });
    let mut behind = rest.iter().take(6).skip_while(|b| b.is_ascii_digit() || b" \"'`\\]_".contains(b));
    let more = [&b"code"[..], b"phrase", b"wd", b"word"]
        .iter()
        .any(|more| rest.get(..more.len()).is_some_and(|it| it.eq_ignore_ascii_case(more)));
    found.eq_ignore_ascii_case(word) && more
        || begins && found.eq_ignore_ascii_case(word) && behind.next().is_some_and(|b| b"=:,.(>-".contains(b))
}

/// Returns the sort of a name, by its ending; digits at its end don't count. None if it is not the name of a secret.
pub(super) fn sort_of(name: &[u8]) -> Option<Sort> {
    let length = name.iter().rposition(u8::is_ascii_alphabetic).map_or(0, |last| last + 1);
    let name = name.get(..length).unwrap_or_default();
    // Checked first because it is cheap: the last three letters rule out nearly every name.
    let last = name.last_chunk::<3>()?.map(|b| b.to_ascii_lowercase());
    if name.len() > LONGEST || !LAST_LETTERS.contains(&&last) {
        return None;
    }
    // The last 40 bytes hold the longest ending and the marks within it.
    let tail = name.get(name.len().saturating_sub(40)..).unwrap_or_default();
    let folded = fold_name(tail);
    if let Some(ending) = ENDINGS.iter().find(|ending| folded.ends_with(ending.as_bytes())) {
        return Some(match *ending {
            "token" | "credential" | "credentials" if is_marked(&folded) => Sort::Token,
            "cookie" | "sessionid" => Sort::Session,
            "pwd" if matches!(&*folded, b"pwd" | b"oldpwd") => Sort::Folder,
            _ => Sort::Secret,
        });
    }
    let last = last_word(tail);
    let before = tail.get(..tail.len() - last.len()).unwrap_or_default();
    match (last.to_ascii_lowercase().as_slice(), before) {
        (b"pass", []) => Some(Sort::Token),
        (b"pass", before) => {
            let whose = last_word(strip_marks(before)).to_ascii_lowercase();
            ACCOUNTS.iter().any(|account| account.as_bytes() == whose).then_some(Sort::Secret)
        }
        (b"pin", _) => Some(Sort::Pin),
        _ => None,
    }
}

/// Whether a name that ends with `token` may belong to a parser's token and not to an access token.
fn is_marked(folded: &[u8]) -> bool {
    const OPENS: &[&str] =
        &["access", "api", "auth", "bearer", "bot", "deploy", "id", "oauth", "refresh", "secret"];
    let rest = folded.strip_suffix(b"token").unwrap_or_default();
    !OPENS.iter().any(|word| rest.ends_with(word.as_bytes()))
}

/// Returns a name in lower case without the marks between its words: `apikey` for `API_KEY` and `apiKey`.
pub(super) fn fold_name(name: &[u8]) -> Folded {
    let mut folded = Folded { bytes: [0; LONGEST], length: 0 };
    let letters = name.iter().filter(|b| b.is_ascii_alphanumeric()).rev();
    for (to, from) in folded.bytes.iter_mut().rev().zip(letters) {
        *to = from.to_ascii_lowercase();
        folded.length += 1;
    }
    folded
}

/// A folded name, or the end of one that is too long.
pub(super) struct Folded {
    bytes: [u8; LONGEST],
    length: usize,
}

impl std::ops::Deref for Folded {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(LONGEST - self.length..).unwrap_or_default()
    }
}

/// Returns the last word of a name: after its last mark, or from its last capital that follows a small letter.
fn last_word(name: &[u8]) -> &[u8] {
    let mut at = name.len();
    while at > 0 {
        let (byte, before) = (name[at - 1], at.checked_sub(2).and_then(|at| name.get(at)));
        if !byte.is_ascii_alphanumeric() {
            break;
        }
        at -= 1;
        if byte.is_ascii_uppercase() && before.is_some_and(u8::is_ascii_lowercase) {
            break;
        }
    }
    name.get(at..).unwrap_or_default()
}

/// Returns a name without the marks at its end.
fn strip_marks(name: &[u8]) -> &[u8] {
    let end = name.iter().rposition(u8::is_ascii_alphanumeric).map_or(0, |at| at + 1);
    name.get(..end).unwrap_or_default()
}

/// Whether a call of this name sets the secret that its name ends with: `set_password(…)`, `withToken(…)`.
pub(super) fn is_setter(name: &[u8]) -> bool {
    // The first argument of credentials is a name: see [`password_argument`].
    if name.ends_with(b"redentials") {
        return false;
    }
    ["set", "with", "use", "update", "change"].iter().any(|verb| {
        let rest = name.get(..verb.len()).filter(|head| head.eq_ignore_ascii_case(verb.as_bytes()));
        let next = rest.and_then(|_| name.get(verb.len()));
        next.is_some_and(|next| *next == b'_' || next.is_ascii_uppercase() || name[0].is_ascii_uppercase())
    })
}

/// Whether the whole name is the name of a secret: `password`, `ApiKey`.
pub(super) fn is_whole(name: &[u8]) -> bool {
    ENDINGS.iter().any(|ending| ending.as_bytes() == &*fold_name(name))
}

/// Returns which argument of a call of this name is a password, counted from 0. For example, 1 for `login("u", "V")`.
pub(super) fn password_argument(name: &[u8]) -> Option<usize> {
    let last = name.last_chunk::<3>()?.map(|b| b.to_ascii_lowercase());
    if name.len() > LONGEST || !matches!(&last, b"uth" | b"gin" | b"nin" | b"ate" | b"als" | b"ion" | b"ect")
    {
        return None;
    }
    match &*fold_name(name) {
        b"login"
        | b"signin"
        | b"authenticate"
        | b"auth"
        | b"basicauth"
        | b"setbasicauth"
        | b"httpbasicauth"
        | b"httpdigestauth"
        | b"passwordauthentication"
        | b"setcredentials"
        | b"usernamepasswordcredentials"
        | b"withcredentials" => Some(1),
        b"mysqliconnect" | b"mysqlconnect" => Some(2),
        _ => None,
    }
}
