//! Arguments of `hook`.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

#[derive(Args)]
pub(crate) struct HookArgs {
    /// The client
    #[arg(long, value_enum)]
    pub(crate) client: HookClient,
}

/// A client that runs hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HookClient {
    ClaudeCode,
    Codex,
    GeminiCli,
    QwenCode,
}

impl HookClient {
    /// Its name, as clients say it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::QwenCode => "qwen-code",
        }
    }
}

/// The client of a plain `sdlctl hook --client NAME`. Read without the rest of the command line's definition, because a client waits for
/// each hook.
pub(crate) fn plain_hook(arguments: impl Iterator<Item = OsString>) -> Option<HookClient> {
    let words: Vec<OsString> = arguments.skip(1).take(4).collect();
    let words: Option<Vec<&str>> = words.iter().map(|word| word.to_str()).collect();
    match words?.as_slice() {
        ["hook", "--client", name] => {
            HookClient::value_variants().iter().find(|one| one.name() == *name).copied()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::{Cli, Command};

    #[test]
    fn a_plain_hook_is_read_as_the_whole_definition_reads_it() {
        for client in HookClient::value_variants() {
            let words = ["sdlctl", "hook", "--client", client.name()];
            assert_eq!(plain_hook(words.iter().map(OsString::from)), Some(*client));
            let whole = Cli::try_parse_from(words).unwrap().command;
            assert!(matches!(whole, Command::Hook(HookArgs { client: read }) if read == *client));
        }
        for words in [
            &["sdlctl", "hook"][..],
            &["sdlctl", "hook", "--client", "x"],
            &["sdlctl", "hook", "--client", "codex", "-v"],
        ] {
            assert_eq!(plain_hook(words.iter().map(OsString::from)), None);
        }
    }
}
