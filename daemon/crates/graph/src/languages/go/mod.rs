//! Go.

mod lookup;

use sdl_model::facts::DefIx;

use crate::modules::Place;
use crate::words::words;
use crate::world::{FileIx, Rules, Sym, World};

/// Go.
pub(super) struct Go;

impl Rules for Go {
    fn module(&self, w: &World<'_>, _: FileIx, _: DefIx, text: &str) -> Place {
        lookup::find_module(w, text)
    }

    fn folder_member(&self, w: &World<'_>, dir: &str, name: Sym) -> Place {
        lookup::dir_member(w, dir, name)
    }

    fn implicit(&self, w: &World<'_>, from: FileIx, _: DefIx, name: Sym) -> Place {
        lookup::find_implicit(w, &w.file(from), name)
    }

    fn package_files(&self, w: &World<'_>, at: FileIx) -> Vec<FileIx> {
        lookup::sibling_files(w, at)
    }

    fn is_builtin_member(&self, name: &str) -> bool {
        BUILTIN.contains(name)
    }
}

words! {
    BUILTIN = "\
        Add Bytes Close Done Err Error Errorf Fatal Fatalf Flush Len Load Lock Name Print Printf Println \
        RLock RUnlock Read ReadAll Reset Seek Size Store String Swap Sync Unlock Wait Write WriteByte \
        WriteString";
}
