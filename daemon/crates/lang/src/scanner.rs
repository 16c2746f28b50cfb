//! A guard around scanners that save more state than the parser has room for.
//!
//! A grammar's own scanner saves its state into 1024 bytes that the parser hands it. Python's and Ruby's write past
//! them by one byte for a text with hundreds of open indents or heredocs, and Ruby's saves a heredoc with a long name
//! in a way that it can't read back. The parser and the scanner answer both with `abort`, which would end the whole
//! program. Here the scanner gets more room, and a state that does not fit or can't be read back counts as empty: the
//! parser then goes on as it does after any other error.

use std::ffi::{c_char, c_uint, c_void};
use std::sync::OnceLock;

use sdl_model::Lang;
use tree_sitter::Language as Grammar;

/// A grammar as the parser sees it, up to ABI 15; the same as `struct TSLanguage` in every generated `parser.h`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Raw {
    abi_version: u32,
    counts: [u32; 8],
    max_alias_sequence_length: u16,
    tables: [*const c_void; 13],
    lexers: [*const c_void; 2],
    keyword_capture_token: u16,
    states: *const c_void,
    symbol_map: *const c_void,
    create: *const c_void,
    destroy: *const c_void,
    scan: *const c_void,
    serialize: Option<Serialize>,
    deserialize: *const c_void,
    primary_state_ids: *const c_void,
    since_15: Since15,
}

/// The fields that ABI 15 added.
#[repr(C)]
#[derive(Clone, Copy)]
struct Since15 {
    name: *const c_void,
    reserved_words: *const c_void,
    max_reserved_word_set_size: u16,
    supertype_count: u32,
    supertypes: [*const c_void; 3],
    metadata: [u8; 3],
}

type Serialize = unsafe extern "C" fn(*mut c_void, *mut c_char) -> c_uint;

/// The room that the parser has for a state.
const ROOM: usize = 1024;
/// The room that the scanners get, far more than the byte or so that they write too much.
const MORE_ROOM: usize = 2 * ROOM;

static PYTHON: OnceLock<Serialize> = OnceLock::new();
static RUBY: OnceLock<Serialize> = OnceLock::new();

/// `grammar`, with a guard if the scanner of `lang` needs one.
pub(crate) fn guard_grammar(lang: Lang, grammar: Grammar) -> Grammar {
    static COPIES: [OnceLock<Grammar>; 2] = [OnceLock::new(), OnceLock::new()];
    let [python, ruby] = &COPIES;
    match lang {
        Lang::Python => python.get_or_init(|| with_serialize(grammar, &PYTHON, serialize_python)).clone(),
        Lang::Ruby => ruby.get_or_init(|| with_serialize(grammar, &RUBY, serialize_ruby)).clone(),
        _ => grammar,
    }
}

/// A copy of `grammar`, which lives as long as the program, that saves its scanner's state with `guard`; `original` is
/// set to the grammar's own function for that.
fn with_serialize(grammar: Grammar, original: &OnceLock<Serialize>, guard: Serialize) -> Grammar {
    let size = match grammar.abi_version() {
        14 => std::mem::offset_of!(Raw, since_15),
        15 => size_of::<Raw>(),
        _ => return grammar,
    };
    let from = grammar.into_raw();
    let mut raw = Box::new(std::mem::MaybeUninit::<Raw>::zeroed());
    // SAFETY: a grammar of ABI 14 is a static object of the fields before `since_15`, one of ABI 15 of all of them; both
    // are only ever read. All of `Raw` is valid when it is zero.
    let raw: &'static mut Raw = unsafe {
        std::ptr::copy_nonoverlapping(from.cast::<u8>(), raw.as_mut_ptr().cast::<u8>(), size);
        Box::leak(raw).assume_init_mut()
    };
    if let Some(serialize) = raw.serialize {
        original.get_or_init(|| serialize);
        raw.serialize = Some(guard);
    }
    // SAFETY: it is a grammar of the same ABI, and it is never freed.
    unsafe { Grammar::from_raw(std::ptr::from_ref::<Raw>(raw).cast()) }
}

unsafe extern "C" fn serialize_python(scanner: *mut c_void, buffer: *mut c_char) -> c_uint {
    // SAFETY: as the parser calls it.
    unsafe { serialize_state(&PYTHON, scanner, buffer, |_| true) }
}

unsafe extern "C" fn serialize_ruby(scanner: *mut c_void, buffer: *mut c_char) -> c_uint {
    // SAFETY: as the parser calls it.
    unsafe { serialize_state(&RUBY, scanner, buffer, ruby_reads_back) }
}

/// Saves the state of `scanner` in `buffer`, which has [`ROOM`] bytes, and returns how many of them it took.
///
/// # Safety
///
/// `scanner` must belong to the grammar of `original`.
unsafe fn serialize_state(
    original: &OnceLock<Serialize>,
    scanner: *mut c_void,
    buffer: *mut c_char,
    reads_back: fn(&[u8]) -> bool,
) -> c_uint {
    let Some(original) = original.get() else { return 0 };
    let mut state = [0_u8; MORE_ROOM];
    // SAFETY: the scanner writes a byte or so more than `ROOM` at most.
    let len = unsafe { original(scanner, state.as_mut_ptr().cast()) };
    match state.get(..len as usize) {
        Some(state) if state.len() <= ROOM && reads_back(state) => {
            // SAFETY: `buffer` has room for `ROOM` bytes and is the parser's, not ours.
            unsafe { std::ptr::copy_nonoverlapping(state.as_ptr(), buffer.cast::<u8>(), state.len()) };
            len
        }
        _ => 0,
    }
}

/// Whether Ruby's scanner can read back its saved state: open literals of five bytes, then open heredocs of four bytes
/// and a name.
fn ruby_reads_back(state: &[u8]) -> bool {
    let Some(literals) = state.first() else { return true };
    let mut at = 1 + 5 * usize::from(*literals);
    let Some(heredocs) = state.get(at) else { return false };
    at += 1;
    for _ in 0..*heredocs {
        let Some(name) = state.get(at + 3) else { return false };
        at += 4 + usize::from(*name);
    }
    at == state.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guarded_grammar_is_the_same_grammar() {
        for (lang, grammar) in [
            (Lang::Python, Grammar::new(tree_sitter_python::LANGUAGE)),
            (Lang::Ruby, Grammar::new(tree_sitter_ruby::LANGUAGE)),
        ] {
            let guarded = guard_grammar(lang, grammar.clone());
            assert_eq!(guarded.abi_version(), grammar.abi_version());
            assert_eq!(guarded.node_kind_count(), grammar.node_kind_count());
            assert_eq!(guarded.field_count(), grammar.field_count());
            assert_eq!(guarded.parse_state_count(), grammar.parse_state_count());
        }
        assert!(PYTHON.get().is_some() && RUBY.get().is_some());
    }

    #[test]
    fn what_ruby_saves() {
        assert!(ruby_reads_back(b""));
        assert!(ruby_reads_back(b"\0\0"));
        assert!(ruby_reads_back(b"\x01abcde\x01\0\0\0\x02AB"));
        assert!(!ruby_reads_back(b"\x01abcde\x01\0\0\0\x02ABC"), "a name whose length was cut");
        assert!(!ruby_reads_back(b"\x01abcde\x01\0\0\0\x02A"));
        assert!(!ruby_reads_back(b"\x02abcde"));
    }
}
