//! The cached derived answers.

use std::rc::Rc;
use std::sync::Arc;

use sdl_model::FileId;

use super::closure::Closure;
use super::memo::Memo;
use crate::values::{FileIx, Line, Member, Place, Sym, Typed};

/// Kept answers, by the type of their values.
#[derive(Default)]
pub(crate) struct Memos {
    pub(crate) places: Memo<Place>,
    pub(crate) files: Memo<Rc<[FileIx]>>,
    pub(crate) targets: Memo<Option<FileId>>,
    pub(crate) included: Memo<Rc<[FileId]>>,
    pub(crate) closures: Memo<Arc<Closure>>,
    pub(crate) names: Memo<Rc<[Sym]>>,
    pub(crate) types: Memo<Typed>,
    pub(crate) lines: Memo<Rc<Line>>,
    pub(crate) members: Memo<Option<Member>>,
}
