//! Files that hold secrets and little else, by name. They are listed and never read, because a text that is not in a
//! ledger cannot leak from it.

/// Whole names, in lower case.
const NAMES: &[&str] = &[
    ".dockercfg",
    ".git-credentials",
    ".htpasswd",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    ".s3cfg",
    ".vault-token",
    "credentials",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_rsa",
    "kubeconfig",
    "master.key",
    "terraform.tfstate",
];

/// Extensions, in lower case.
const EXTENSIONS: &[&str] = &[
    "asc", "gpg", "jks", "kdb", "kdbx", "key", "keystore", "p12", "p8", "pem", "pfx", "pkcs12", "ppk",
    "tfvars",
];

/// Names before the extension of files of settings.
const STEMS: &[&str] = &["credentials", "secret", "secrets", "service-account", "serviceaccount"];
/// The extensions of those files.
const SETTINGS: &[&str] = &["cfg", "conf", "ini", "json", "properties", "toml", "yaml", "yml"];

/// Endings that mark a file as a template without secrets, as in `.env.example`.
const SAMPLES: &[&str] = &["dist", "example", "sample", "template"];

/// Whether a file (its path below the root) is known to hold secrets.
pub fn is_secret_file(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    if SAMPLES.contains(&extension) {
        return false;
    }
    let env = name == ".env" || name.starts_with(".env.") || extension == "env" || name == ".envrc";
    env || NAMES.contains(&name)
        || EXTENSIONS.contains(&extension)
        || (STEMS.contains(&stem) && SETTINGS.contains(&extension))
        || path.starts_with(".ssh/")
        || path.contains("/.ssh/")
        || path.ends_with(".docker/config.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_secrets_are_known_by_name() {
        for path in [
            ".env",
            "app/.env",
            ".env.production",
            "prod.env",
            "deploy/ID_RSA",
            "certs/server.pem",
            "a/b.KEY",
            ".npmrc",
            "config/secrets.yml",
            ".aws/credentials",
            ".ssh/config",
            "x/.ssh/config",
        ] {
            assert!(is_secret_file(path), "{path}");
        }
        for path in
            [".env.example", "src/env.rs", "src/key.rs", "secrets.py", "src/credentials.ts", "package.json"]
        {
            assert!(!is_secret_file(path), "{path}");
        }
    }
}
