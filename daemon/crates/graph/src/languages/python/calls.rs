//! Python: calls of names that hold functions and classes.

use sdl_model::Lang;
use sdl_model::facts::{Binding, BindingKind, Def, DefFlags, Ref, RefForm};

use super::{Python, fixtures};
use crate::resolve::{CallRules, Implied, Outcome, Resolver};
use crate::words::words;
use crate::world::DefRef;

impl CallRules for Python {
    fn is_builtin_member(&self, _: Lang, name: &str) -> bool {
        BUILTIN.contains(name)
    }

    /// A class used as a decorator, as in `@Cached`, is only named. The decorated definition's name denotes the value
    /// constructed from it.
    fn runs_constructor(&self, _: &Resolver<'_, '_>, one: &Ref, _: &Def, _: DefRef) -> bool {
        one.form != RefForm::Decorator || one.args > 0
    }

    /// An alias of a type from outside the repository leads there.
    fn names_outside(&self, resolver: &Resolver<'_, '_>, _: &Ref, def: DefRef) -> bool {
        resolver.infer.class_behind(def).is_none_or(|class| class == def)
    }

    fn held_local(&self, resolver: &Resolver<'_, '_>, one: &Ref, local: u32) -> Outcome {
        match called_local(resolver, local) {
            // A function that calls its own name calls the earlier definition of that name, as in `def open(p):
            // return open(p, "rb")`.
            Outcome::Found(found, _) if resolver.is_around(one, &found) => Outcome::Unresolved,
            held => held,
        }
    }

    fn implied(&self, resolver: &Resolver<'_, '_>) -> Vec<Implied> {
        fixtures::named_fixtures(resolver)
    }

    fn follows_values(&self) -> bool {
        true
    }

    fn is_protocol(&self, resolver: &Resolver<'_, '_>, class: DefRef) -> bool {
        let file = resolver.infer.file(class.file);
        file.outline.def(class.def).is_some_and(|def| def.flags.has(DefFlags::ABSTRACT))
    }
}

/// A call of a local. It leads to the functions or classes that the text sets the local to. A value passed by a caller,
/// also `cls`, may be another.
fn called_local(resolver: &Resolver<'_, '_>, local: u32) -> Outcome {
    let value = resolver.infer.local_type(local);
    let binding = resolver.infer.own.binding(resolver.infer.w, local);
    if binding.is_none_or(|binding| may_be_passed(resolver, binding)) {
        return resolver.passed_call(local).unwrap_or_else(|| resolver.held(&value, false));
    }
    resolver.called_value_from(&value, resolver.infer.local_origin(local))
}

/// Whether a name is a parameter with a stated type, or is declared outside. The value set by the code is then only one
/// of those it may have.
fn may_be_passed(resolver: &Resolver<'_, '_>, one: &Binding) -> bool {
    let own = resolver.infer.own;
    let file = resolver.infer.file(own.file);
    let name = own.arena().str(one.name);
    let states_type = || {
        let def = file.outline.def(one.scope);
        let param = def.and_then(|def| def.params.iter().find(|param| file.outline.str(param.name) == name));
        param.is_some_and(|param| param.ty.is_some())
    };
    let all = own.bindings(resolver.infer.w, one.scope, one.name).iter();
    all.filter_map(|ix| own.binding(resolver.infer.w, *ix)).any(|other| match other.kind {
        BindingKind::Outer => true,
        BindingKind::Param => other.ty.is_some() || other.from == one.from || states_type(),
        _ => false,
    })
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
