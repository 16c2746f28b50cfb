//! Outlines: finding the file, type or folder, and showing who uses it.

use std::ops::ControlFlow;

use schemars::JsonSchema;
use sdl_navigate::outline::folder::{FolderOutline, MAX_LOOKED_AT, outline_folder};
use sdl_navigate::outline::{Outline, User, outline_symbol};
use sdl_navigate::{Filter, Graph};
use sdl_retrieve::{Source, Sym};
use serde::Serialize;

use super::completeness::unresolved_mentions;
use super::related::RelatedOut;
use super::target::find_target;
use crate::call::answers::begin_line;
use crate::call::context::ReadCx;
use crate::{Code, Explained, ToolError};

/// A file that uses what an outline shows.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserOut {
    /// Its path.
    file: String,
    /// Top rows that it uses.
    uses: usize,
}

impl UserOut {
    pub(crate) fn of(user: &User) -> Self {
        Self { file: user.path.clone(), uses: user.parts }
    }
}

/// Appends the files that use an outline to the text of an answer.
pub(crate) fn user_lines(text: &mut String, users: &[UserOut]) {
    if users.is_empty() {
        return;
    }
    let shown: Vec<String> = users.iter().map(|user| format!("{} ({})", user.file, user.uses)).collect();
    begin_line(text, format_args!("most used by {}", shown.join(", ")));
}

/// The subject of an outline.
pub(crate) enum Outlined {
    /// A folder, by its path; the root's is empty.
    Folder(String),
    /// A file's module, a type, or its overloads.
    Symbols(Vec<Sym>),
}

impl Outlined {
    /// Finds a folder or a symbol. A text without a slash is a symbol's name first.
    pub(crate) fn find(cx: &ReadCx<'_>, source: &Source<'_>, text: &str) -> Result<Self, ToolError> {
        let folder = folder_at(source, text)?;
        match folder {
            Some(folder) if text == "." || text.contains('/') => Ok(Self::Folder(folder)),
            _ => match (find_target(cx, source, text, "symbol"), folder) {
                (Err(error), Some(folder)) if error.refusal.code == Code::UnknownSymbol => {
                    Ok(Self::Folder(folder))
                }
                (found, _) => found.map(Self::Symbols),
            },
        }
    }

    /// The symbols; none of a folder.
    pub(crate) fn symbols(&self) -> &[Sym] {
        match self {
            Self::Folder(_) => &[],
            Self::Symbols(symbols) => symbols,
        }
    }

    /// The folder, if it is one.
    pub(crate) fn folder(&self) -> Option<&str> {
        match self {
            Self::Folder(folder) => Some(folder),
            Self::Symbols(_) => None,
        }
    }

    /// Its outline, to a depth.
    pub(crate) fn outline(
        &self,
        graph: &Graph<'_, '_>,
        depth: u32,
        filter: &Filter,
    ) -> Result<Outline, ToolError> {
        match self {
            Self::Folder(folder) => match outline_folder(graph, folder, depth, filter)? {
                FolderOutline::Outline(outline) => Ok(outline),
                FolderOutline::Unknown => Ok(Outline::default()),
                FolderOutline::TooLarge => {
                    let shown = if folder.is_empty() { "the root" } else { folder };
                    let message = format!(
                        "{shown} has more than {MAX_LOOKED_AT} definitions; ask for a folder in it, as repo.overview lists them"
                    );
                    Err(ToolError::invalid("symbol", message))
                }
            },
            Self::Symbols(symbols) => {
                let mut whole = Outline::default();
                for symbol in symbols {
                    let one = outline_symbol(graph, symbol, depth, filter)?;
                    whole.parts.extend(one.parts);
                    whole.users.extend(one.users);
                }
                Ok(whole)
            }
        }
    }
}

/// Returns the path of the folder that `text` names, if files of this state are below it.
fn folder_at(source: &Source<'_>, text: &str) -> Result<Option<String>, ToolError> {
    let path = text.strip_prefix("./").unwrap_or(text).trim_end_matches('/');
    let path = if path == "." { "" } else { path };
    let mut is_folder = false;
    source.view().files_under(path, &mut |_, file| {
        let rest = file.strip_prefix(path);
        is_folder = path.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'));
        if is_folder { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(is_folder.then(|| path.to_owned()))
}

/// Tells whether a symbol that was not found is a folder, which only has members.
pub(crate) fn explain_folder(
    source: &Source<'_>,
    text: &str,
    error: ToolError,
) -> Result<ToolError, ToolError> {
    Ok(match folder_at(source, text)? {
        Some(_) if error.refusal.code == Code::UnknownSymbol && text.contains('/') => {
            let message = format!("{text} is a folder; ask for its members, or for a symbol in it");
            ToolError::new(Code::UnknownSymbol, message).at("symbol")
        }
        _ => error,
    })
}

/// Tells what the numbers of users may lack, and in which files.
pub(crate) fn says_of_users(
    source: &Source<'_>,
    rows: &[RelatedOut],
) -> Result<(String, Vec<String>), ToolError> {
    let names = rows.iter().map(|row| {
        let name = row.symbol.name.as_str();
        name.rsplit(['.', ':']).next().unwrap_or(name)
    });
    let Some(open) = unresolved_mentions(source, names)? else {
        return Ok(("Not known to be complete: this state does not tell where names are mentioned without a known meaning.".to_owned(), Vec::new()));
    };
    let says = match open.len() {
        0 => "Users are complete as far as static reading goes: no file mentions one of these names without a known meaning.".to_owned(),
        1 => "1 file mentions one of these names without a known meaning, and may be a user.".to_owned(),
        total => format!("{total} files mention one of these names without a known meaning, and may be users."),
    };
    Ok((says, super::completeness::first_paths(source, open)?))
}
