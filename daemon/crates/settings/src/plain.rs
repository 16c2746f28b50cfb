//! Recognizes names of secrets, and values that are secrets though they are written out.

/// The endings of names of secrets, without the marks between words.
const ENDINGS: &[&str] = &[
    "accesskey",
    "accesskeyid",
    "accountkey",
    "apikey",
    "authorization",
    "authkey",
    "authtoken",
    "bearer",
    "connectionstring",
    "cookie",
    "credential",
    "credentials",
    "encryptionkey",
    "jwt",
    "key",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "pwd",
    "secret",
    "token",
    "webhookurl",
];
/// Names with such an ending that are none.
const HARMLESS: &[&str] = &["cachekey", "hotkey", "publickey", "sortkey"];
/// The beginnings of values that makers of tokens use.
const BEGINNINGS: &[&str] = &[
    "AKIA",
    "AIza",
    "SG.",
    "dop_v1_",
    "eyJ",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "hf_",
    "lin_api_",
    "npm_",
    "ntn_",
    "pat-",
    "secret_",
    "shpat_",
    "sk-",
    "sk_live_",
    "sk_test_",
    "xoxb-",
    "xoxp-",
    "xapp-",
];
/// Shorter values are not recognized, and refused as credentials.
pub(crate) const MIN_SECRET_CHARS: usize = 6;

/// Whether a variable or header of this name is a secret as a rule, such as `GITHUB_TOKEN` or `X-Api-Key`.
pub fn names_secret(name: &str) -> bool {
    let folded: String =
        name.chars().filter(|c| c.is_ascii_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect();
    // The working directory is called so too.
    let is_harmless = matches!(folded.as_str(), "pwd" | "oldpwd")
        || HARMLESS.iter().any(|harmless| folded.ends_with(harmless));
    let is_personal_token = folded == "pat" || name.ends_with("_PAT");
    !is_harmless && (is_personal_token || ENDINGS.iter().any(|ending| folded.ends_with(ending)))
}

/// Whether a value that is written out looks like a secret, by the name of its variable or header or by itself.
pub fn looks_secret(name: &str, value: &str) -> bool {
    let bare = value.rsplit(' ').next().unwrap_or(value);
    if bare.chars().count() < MIN_SECRET_CHARS || value.contains("${") {
        return false;
    }
    if BEGINNINGS.iter().any(|beginning| bare.starts_with(beginning)) || has_password(value) {
        return true;
    }
    let is_setting = value.starts_with(['/', '~', '.'])
        || matches!(value, "false" | "always" | "optional" | "required" | "disabled" | "enabled");
    names_secret(name) && !is_setting
}

/// Whether a text is an address with a password: `https://user:password@host`.
pub(crate) fn has_password(text: &str) -> bool {
    let Some((_, rest)) = text.split_once("://") else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    host.rsplit_once('@')
        .is_some_and(|(user, _)| user.split_once(':').is_some_and(|(_, word)| !word.is_empty()))
}

/// Splits the scheme from a header's value, as in `Bearer abc`. Other values are whole.
pub(crate) fn split_scheme(is_header: bool, value: &str) -> (&str, &str) {
    match value.split_once(' ') {
        Some((scheme, rest))
            if is_header && !rest.contains(' ') && scheme.chars().all(|c| c.is_ascii_alphabetic()) =>
        {
            value.split_at(scheme.len() + 1)
        }
        _ => ("", value),
    }
}
