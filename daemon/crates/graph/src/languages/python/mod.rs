//! Python.

mod files;
mod lookup;
mod projects;

use sdl_model::facts::{DefIx, Import};

use crate::modules::{self, ModRef, Place};
use crate::words::words;
use crate::world::{FileIx, Rules, Sym, World};

/// Python.
pub(super) struct Python;

impl Rules for Python {
    fn module(&self, w: &World<'_>, from: FileIx, _: DefIx, text: &str) -> Place {
        lookup::find_module(w, &w.file(from), text)
    }

    fn import_name(&self, w: &World<'_>, from: FileIx, import: &Import, name: &str) -> Option<Place> {
        Some(lookup::import_name(w, from, modules::imported_module(w, from, import), name))
    }

    fn import_module(&self, w: &World<'_>, from: FileIx, import: &Import) -> Option<Place> {
        let file = w.file(from);
        let local = file.outline.str(import.local?);
        Some(lookup::import_module(w, from, file.outline.str(import.module), local))
    }

    fn wildcard(&self, w: &World<'_>, _: FileIx, target: ModRef, name: Sym) -> Option<Place> {
        Some(lookup::public_member(w, target, name))
    }

    fn file_member(&self, w: &World<'_>, at: FileIx, name: Sym) -> Option<Place> {
        Some(lookup::find_member(w, at, &w.file(at), name))
    }

    fn folder_member(&self, w: &World<'_>, dir: &str, name: Sym) -> Place {
        lookup::dir_member(w, dir, name)
    }

    fn is_builtin_member(&self, name: &str) -> bool {
        BUILTIN.contains(name)
    }
}

words! {
    BUILTIN = "\
        absolute accept add addFilter addHandler anchor append appendleft as_integer_ratio as_posix as_uri \
        astimezone bind bit_count bit_length buffer c_contiguous callHandlers capitalize casefold cast \
        center chmod clear close closed combine communicate conjugate connect connect_ex contiguous copy \
        count critical ctime cwd daemon date day days debug decode deleter denominator detach difference \
        difference_update discard drive dst dup elements encode encoding end endpos endswith error errors \
        exception exists expand expandtabs expanduser extend extendleft f_contiguous family fatal fdel fget \
        fileno filter find findCaller findall finditer flags flush fold format format_map from_bytes fromhex \
        fromisocalendar fromisoformat fromkeys fromordinal fromtimestamp fset fullmatch get getChild \
        getEffectiveLevel getName get_inheritable getblocking getbuffer getpeername getsockname getsockopt \
        getter gettimeout getvalue glob group groupdict groupindex groups handle hardlink_to hasHandlers hex \
        home hour ident imag index info insert intersection intersection_update isDaemon isEnabledFor isSet \
        is_absolute is_alive is_block_device is_char_device is_dir is_fifo is_file is_integer is_mount \
        is_relative_to is_reserved is_set is_socket is_symlink isalnum isalpha isascii isatty isdecimal \
        isdigit isdisjoint isidentifier islower isnumeric isocalendar isoformat isoweekday isprintable \
        isspace issubset issuperset istitle isupper items itemsize iterdir join joinpath keys kill lastgroup \
        lastindex lchmod line_buffering link_to listen ljust log lower lstat lstrip makeRecord makefile \
        maketrans manager match max maxlen microsecond microseconds min minute mkdir month most_common \
        move_to_end name native_id nbytes ndim newlines now numerator obj open owner parent parents \
        partition parts pattern poll pop popitem popleft pos proto re read read1 read_bytes read_text \
        readable readinto readinto1 readline readlines readlink readonly real reconfigure recv recv_into \
        recvfrom recvfrom_into recvmsg recvmsg_into regs relative_to release remove removeFilter \
        removeHandler removeprefix removesuffix rename replace resolution resolve reverse rfind rglob rindex \
        rjust rmdir root rotate rpartition rsplit rstrip run samefile scanner search second seconds seek \
        seekable send send_signal sendall sendfile sendmsg sendmsg_afalg sendto set setDaemon setLevel \
        setName set_inheritable setblocking setdefault setsockopt setter settimeout shape shutdown sort span \
        split splitlines start startswith stat stem strftime strides string strip strptime sub subn \
        suboffsets subtract suffix suffixes swapcase symlink_to symmetric_difference \
        symmetric_difference_update tell terminate time timeout timestamp timetuple timetz title to_bytes \
        tobytes today tolist toordinal toreadonly total total_seconds touch translate truncate type tzinfo \
        tzname union universal_newlines unlink update upper utcfromtimestamp utcnow utcoffset utctimetuple \
        values wait warn warning weekday with_name with_stem with_suffix writable write write_bytes \
        write_text write_through writelines year zfill";
}
