//! The bearer token that clients must show, where one is configured.

use std::path::PathBuf;

use sdl_proto::{WireError, code};

/// Where the token comes from. It is read again for every request, because a new token must be valid at once.
#[derive(Debug, Clone, Default)]
pub enum TokenSource {
    /// No token: whoever the operating system lets in is let in.
    #[default]
    None,
    /// A file of the service's credentials folder. While it can't be read nobody is let in.
    File(PathBuf),
    /// A fixed token.
    Fixed(String),
}

impl TokenSource {
    /// `$CREDENTIALS_DIRECTORY/sdl-token` where that file exists, else `$SDL_TOKEN`, else none.
    pub fn from_env() -> Self {
        match sdl_client::token::token_file() {
            Some(file) => Self::File(file),
            None => sdl_client::token::from_environment().map_or(Self::None, Self::Fixed),
        }
    }

    pub(super) fn check(&self, shown: Option<&str>) -> Result<(), WireError> {
        let expected = match self {
            Self::None => return Ok(()),
            Self::Fixed(token) => token.clone(),
            Self::File(path) => std::fs::read_to_string(path)
                .map_err(|error| {
                    let text =
                        format!("the daemon can't read its own token file {}: {error}", path.display());
                    WireError::new(code::UNAUTHORIZED, text)
                })?
                .trim()
                .to_owned(),
        };
        match shown {
            Some(shown) if constant_time_eq(shown.as_bytes(), expected.as_bytes()) => Ok(()),
            Some(_) => Err(refused_error("the bearer token is wrong")),
            None => Err(refused_error("this daemon wants a bearer token and none was sent")),
        }
    }
}

fn refused_error(what: &str) -> WireError {
    WireError::new(
        code::UNAUTHORIZED,
        format!("{what}: put it into $CREDENTIALS_DIRECTORY/sdl-token or into SDL_TOKEN of the client"),
    )
}

/// Takes the same time wherever the first difference is, because the time would otherwise reveal how much of a guess
/// is right.
fn constant_time_eq(left: &[u8], right: &[u8]) -> bool {
    left.len() == right.len() && left.iter().zip(right).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}
