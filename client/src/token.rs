//! The bearer token, for where a daemon wants one.

use std::path::PathBuf;

/// Name of the token's file in a service's credentials folder.
const FILE: &str = "sdl-token";

/// The environment variable that holds the token where there is no file.
pub const VARIABLE: &str = "SDL_TOKEN";

/// The token's file, `$CREDENTIALS_DIRECTORY/sdl-token`, if it exists.
pub fn token_file() -> Option<PathBuf> {
    let folder = std::env::var_os("CREDENTIALS_DIRECTORY")?;
    Some(PathBuf::from(folder).join(FILE)).filter(|file| file.is_file())
}

/// The token of the environment, `$SDL_TOKEN`.
pub fn from_environment() -> Option<String> {
    std::env::var(VARIABLE).ok().map(|token| token.trim().to_owned()).filter(|token| !token.is_empty())
}

/// The token that holds now: the file's, else the environment's. Read again at each call, because credentials are
/// replaced while programs run.
pub fn current_token() -> Option<String> {
    token_file()
        .and_then(|file| std::fs::read_to_string(file).ok())
        .map(|token| token.trim().to_owned())
        .filter(|token| !token.is_empty())
        .or_else(from_environment)
}
