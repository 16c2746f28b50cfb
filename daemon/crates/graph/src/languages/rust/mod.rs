//! Rust.

mod conditions;
mod crates;
mod lookup;

use sdl_model::facts::DefIx;

use crate::modules::Place;
use crate::words::words;
use crate::world::{DefRef, FileIndex, FileIx, Rules, Sym, World};

/// Rust.
pub(super) struct Rust;

impl Rules for Rust {
    fn module(&self, w: &World<'_>, from: FileIx, scope: DefIx, text: &str) -> Place {
        lookup::find_module(w, from, scope, text)
    }

    fn module_scope(&self, scope: DefIx) -> DefIx {
        scope
    }

    fn file_member(&self, w: &World<'_>, at: FileIx, name: Sym) -> Option<Place> {
        Some(lookup::find_member(w, DefRef { file: at, def: DefIx::MODULE }, name))
    }

    fn nested_member(&self, w: &World<'_>, module: DefRef, name: Sym) -> Option<Place> {
        Some(lookup::find_member(w, module, name))
    }

    fn holder(&self, w: &World<'_>, module: DefRef, name: Sym) -> Place {
        lookup::find_holder(w, module, name)
    }

    fn first_holder(&self, w: &World<'_>, from: FileIx, scope: DefIx, name: Sym) -> Place {
        lookup::first_holder(w, from, scope, name)
    }

    fn implicit(&self, w: &World<'_>, from: FileIx, _: DefIx, name: Sym) -> Place {
        lookup::find_implicit(w, from, name)
    }

    fn root(&self, w: &World<'_>, from: FileIx, name: &str) -> Place {
        lookup::find_root_name(w, from, name)
    }

    fn leaves_out(&self, w: &World<'_>, at: FileIx, file: &FileIndex, def: DefIx) -> bool {
        conditions::leaves_out(w, at, file, def)
    }

    fn leaves_out_import(&self, w: &World<'_>, at: FileIx, file: &FileIndex, import: u32) -> bool {
        conditions::leaves_out_import(w, at, file, import)
    }

    fn is_builtin_member(&self, name: &str) -> bool {
        BUILTIN.contains(name)
    }
}

words! {
    BUILTIN = "\
        abs all and and_then any append as_bytes as_deref as_deref_mut as_mut as_ref as_slice as_str borrow \
        borrow_mut bytes capacity chain char_indices chars checked_add checked_sub chunks clear clone cloned \
        cmp collect concat contains contains_key copied copy_from_slice count cycle dedup default display drain drop \
        ends_with entry enumerate env eq eq_ignore_ascii_case err exists expect expect_err extend \
        extend_from_slice extension fetch_add file_name file_type fill filter filter_map find find_map first \
        flat_map flatten flush fmt fold for_each fuse ge get get_mut get_or_insert_with gt hash insert \
        insert_str inspect into into_boxed_slice into_inner into_iter into_iter_mut is_ascii \
        is_char_boundary is_dir is_empty is_err is_file is_none is_ok is_some is_some_and iter iter_mut join \
        keys last le len lines load lock lt map map_err map_or map_or_else max max_by max_by_key metadata \
        min min_by min_by_key ne next next_back nth ok ok_or ok_or_else or or_default or_else or_insert \
        or_insert_with output parent parse partial_cmp partition peek peekable pop pop_back pop_front \
        position product push push_back push_front push_str read read_line read_to_end read_to_string recv \
        remove repeat replace reserve resize retain rev reverse rfind rsplit rsplit_once saturating_add \
        saturating_sub seek send set shrink_to_fit skip skip_while sort sort_by sort_by_key sort_unstable \
        spawn split split_at split_off split_once split_whitespace splitn starts_with status step_by store \
        strip_prefix strip_suffix sum swap take take_while then then_some to_ascii_lowercase \
        to_ascii_uppercase to_bytes to_lowercase to_os_string to_owned to_path_buf to_str to_string \
        to_string_lossy to_uppercase to_vec transpose trim trim_end trim_end_matches trim_start \
        trim_start_matches truncate try_from try_into try_lock unwrap unwrap_err unwrap_or unwrap_or_default \
        unwrap_or_else values values_mut wait windows with wrapping_add write write_all write_fmt write_str \
        zip";
}
