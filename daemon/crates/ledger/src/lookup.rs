//! Lookup keys: the questions that resolving a file may ask of the rest of the repository.
//!
//! Resolution sees other files through these questions alone, and each one asked is recorded. A batch works out
//! which answers it changes; the files that asked those questions are resolved again, and no others. That makes
//! incremental resolution equal to resolution from scratch, whatever the resolver's rules are.

use sdl_model::FileId;
use sdl_model::facts::Differing;
use sdl_model::ids::stable_hash;

/// More definitions of one name than this are answered with "too many", because then one more definition of a common
/// name such as `new` changes no answer.
pub const NAME_LIMIT: usize = 16;

/// If more files than this asked for one name, [`crate::View::unresolved_files`] does not look through them.
pub const MAX_ASKING_FILES: u64 = 4_096;

/// One question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookupKey<'a> {
    /// Is there an indexed file at this path?
    Path(&'a str),
    /// Which indexed files have this last part, such as `auth.ts`?
    FileName(&'a str),
    /// Which indexed files are directly in this folder?
    Dir(&'a str),
    /// Which files declare this package or namespace, such as `com.shop.cart`?
    Package(&'a str),
    /// Which definitions have this simple name (at most [`NAME_LIMIT`])?
    Name(&'a str),
    /// Which part of this file's outline do others see?
    Interface(FileId),
    /// Which files does this one include as text?
    Inclusions(FileId),
    /// Which of the files that the asking one includes define this name? One question for all of them: its answer changes
    /// with a file only for those that asked that file's [`Self::Inclusions`], too.
    Included(&'a str),
    /// Which member of this name does a type of that name in an opened file have? Asked only of files that others include as text
    /// and whose types have all of their members inside, as in C. Its answer changes with a file only for those that asked that
    /// file's [`Self::Interface`], too.
    Member {
        /// The type's name.
        of: &'a str,
        /// The member's.
        name: &'a str,
    },
}

/// The mark of a name in the list of those that a file's resolution left open. Two names may share one.
pub fn name_mark(name: &str) -> u32 {
    // The other half of the hash, so that both together tell names apart as well as all of it.
    (LookupKey::Name(name).long_hash() >> 32) as u32
}

impl<'a> LookupKey<'a> {
    /// The questions about an opened file that have another answer where the definitions in `differing` do.
    pub fn about_opened(differing: &'a Differing) -> impl Iterator<Item = Self> {
        let alone = differing.names.iter().flat_map(|name| [Self::Name(name), Self::Included(name)]);
        let in_types =
            differing.members.iter().flat_map(|(of, name)| [Self::Name(name), Self::Member { of, name }]);
        alone.chain(in_types)
    }

    /// The stored form: short, because a file of C asks about the six hundred files that it includes, directly or not. If two
    /// questions share a hash, files that asked one of them are resolved again when the answer of the other changes, and come out as
    /// they were.
    pub fn hash(self) -> u32 {
        self.long_hash() as u32
    }

    fn long_hash(self) -> u64 {
        match self {
            Self::Path(text) => stable_hash(&[b"path", text.as_bytes()]),
            Self::FileName(text) => stable_hash(&[b"filename", text.as_bytes()]),
            Self::Dir(text) => stable_hash(&[b"dir", text.as_bytes()]),
            Self::Package(text) => stable_hash(&[b"package", text.as_bytes()]),
            Self::Name(text) => stable_hash(&[b"name", text.as_bytes()]),
            Self::Interface(file) => stable_hash(&[b"interface", &file.0.to_le_bytes()]),
            Self::Inclusions(file) => stable_hash(&[b"inclusions", &file.0.to_le_bytes()]),
            Self::Included(text) => stable_hash(&[b"included", text.as_bytes()]),
            Self::Member { of, name } => stable_hash(&[b"member", of.as_bytes(), name.as_bytes()]),
        }
    }
}
