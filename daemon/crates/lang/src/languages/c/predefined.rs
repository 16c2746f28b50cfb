//! Which macros are predefined, and the meaning of other names of macros.

use sdl_model::Lang;

/// Whether a macro of that name is defined for Linux, by GCC, on x86-64; none where that depends on settings.
pub(super) fn is_predefined(name: &str, lang: Lang) -> Option<bool> {
    match name {
        "__cplusplus" => return Some(lang == Lang::Cpp),
        "__linux__" | "__linux" | "linux" | "__gnu_linux__" | "__unix__" | "__unix" | "unix" | "__GNUC__"
        | "__x86_64__" | "__x86_64" | "__amd64__" | "__amd64" | "__ELF__" | "__LP64__" | "_LP64"
        | "__STDC__" => return Some(true),
        "sun" | "__sun" | "__sun__" | "_AIX" | "_AIX32" | "__MACH__" | "__BEOS__" | "__QNX__" | "__hpux"
        | "__sgi" | "__osf__" | "__MVS__" | "__PASE__" | "__BORLANDC__" | "__WATCOMC__" | "__TURBOC__"
        | "__SUNPRO_C" | "__SUNPRO_CC" | "__xlC__" | "__DJGPP__" | "__VMS" | "__CYGWIN32__" | "_M_IX86"
        | "_M_X64" | "_M_AMD64" | "_M_ARM" | "_M_ARM64" | "__DragonFly__" | "_WIN32_WCE" | "__i386__"
        | "__i386" | "__arm__" | "__aarch64__" | "__powerpc__" | "__powerpc64__" | "__ppc__" | "__mips__"
        | "__sparc__" | "__sparc" | "__s390__" | "__riscv" | "__ia64__" | "__alpha__" | "__wasm__"
        | "__OBJC__" | "_MSC_VER" | "__CUDACC__" | "__INTEL_COMPILER" => return Some(false),
        _ => {}
    }
    if names_other_system(name) || names_other_processor(name) {
        return Some(false);
    }
    match (says_what_is_there(name), says_what_is_not(name)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

/// `HAVE_POLL`: a feature that the system has, as it has most features that are asked for. Libraries are another
/// matter.
pub(super) fn says_what_is_there(name: &str) -> bool {
    name.split('_').any(|word| word == "HAVE") && !name.split('_').any(|word| word.starts_with("LIB"))
}

/// `NO_THREADS`, `MEM_DEBUG`: a default build leaves nothing out and adds nothing for debugging.
fn says_what_is_not(name: &str) -> bool {
    let is_left_out = |word| {
        matches!(
            word,
            "NO" | "WITHOUT" | "DISABLE" | "DISABLED" | "UNITTEST" | "UNITTESTS" | "FUZZ" | "FUZZING"
        )
    };
    // `X_DEBUG_C` has a module for it; `X_DEBUG` debugs X.
    let debugs = name.ends_with("DEBUG") && !name.ends_with("NDEBUG");
    debugs || name.split('_').any(is_left_out)
}

/// Whether one of the words of a name is that of a system or compiler of elsewhere: `_WIN32`, `HAVE_WINDOWS_H`.
fn names_other_system(name: &str) -> bool {
    name.split('_').any(|word| {
        matches!(
            word.to_ascii_uppercase().as_str(),
            "WIN32"
                | "WIN64"
                | "WINDOWS"
                | "WINNT"
                | "WINCE"
                | "WINRT"
                | "MSVC"
                | "MINGW"
                | "MINGW32"
                | "MINGW64"
                | "CYGWIN"
                | "APPLE"
                | "DARWIN"
                | "MACOS"
                | "MACOSX"
                | "OSX"
                | "FREEBSD"
                | "NETBSD"
                | "OPENBSD"
                | "SOLARIS"
                | "SUNOS"
                | "AIX"
                | "HPUX"
                | "HAIKU"
                | "OS2"
                | "OS390"
                | "VMS"
                | "MSDOS"
                | "AMIGA"
                | "ANDROID"
                | "EMSCRIPTEN"
                | "KQUEUE"
                | "EVPORT"
                | "DEVPOLL"
                | "POLLSET"
                | "IOCP"
                | "SETPROCTITLE"
                | "WINSOCK"
                | "WINSOCK2"
        )
    })
}

/// `ARCH_ARM`, `CONFIG_MIPS`: made for another processor.
fn names_other_processor(name: &str) -> bool {
    let (first, rest) = name.split_once('_').unwrap_or((name, ""));
    matches!(first, "ARCH" | "CONFIG")
        && matches!(
            rest,
            "AARCH64"
                | "ALPHA"
                | "ARC"
                | "ARM"
                | "ARM64"
                | "AVR32"
                | "BFIN"
                | "CSKY"
                | "HEXAGON"
                | "IA64"
                | "LOONGARCH"
                | "LOONGARCH64"
                | "M68K"
                | "MICROBLAZE"
                | "MIPS"
                | "MIPS64"
                | "NIOS2"
                | "OPENRISC"
                | "PARISC"
                | "POWERPC"
                | "PPC"
                | "PPC64"
                | "RISCV"
                | "S390"
                | "SH"
                | "SH4"
                | "SPARC"
                | "SPARC64"
                | "SUPERH"
                | "X86_32"
                | "XTENSA"
        )
}

/// `CONFIG_SMP`, `ENABLE_HISTORY`: a setting that can be switched on, and mostly is.
pub(super) fn is_enabled(name: &str) -> bool {
    let asks = name.starts_with("CONFIG_")
        || name.split('_').any(|word| matches!(word, "ENABLE" | "ENABLED" | "FEATURE" | "FEATURES"));
    asks && !says_what_is_not(name) && !names_other_system(name) && !names_other_processor(name)
}

/// Limits that the headers of C and POSIX state for x86-64, where a long double has 80 bits and bytes go little end first.
pub(super) fn limit_value(name: &str) -> Option<i128> {
    Some(match name {
        "CHAR_BIT" => 8,
        "SCHAR_MAX" => i8::MAX.into(),
        "UCHAR_MAX" => u8::MAX.into(),
        "SHRT_MAX" => i16::MAX.into(),
        "USHRT_MAX" => u16::MAX.into(),
        "INT_MAX" | "__INT_MAX__" | "INT32_MAX" => i32::MAX.into(),
        "UINT_MAX" | "UINT32_MAX" => u32::MAX.into(),
        "LONG_MAX" | "LLONG_MAX" | "SSIZE_MAX" | "INTPTR_MAX" | "PTRDIFF_MAX" | "INT64_MAX"
        | "INTMAX_MAX" | "__LONG_MAX__" => i64::MAX.into(),
        "ULONG_MAX" | "ULLONG_MAX" | "SIZE_MAX" | "UINTPTR_MAX" | "UINT64_MAX" | "UINTMAX_MAX" => {
            u64::MAX.into()
        }
        "WORD_BIT" => 32,
        "LONG_BIT" | "__WORDSIZE" => 64,
        "FLT_RADIX" => 2,
        "FLT_MANT_DIG" => 24,
        "DBL_MANT_DIG" => 53,
        "DBL_MAX_EXP" => 1024,
        "LDBL_MANT_DIG" => 64,
        "LDBL_MAX_EXP" => 16384,
        "__SIZEOF_INT__" => 4,
        "__SIZEOF_LONG__" | "__SIZEOF_POINTER__" | "__SIZEOF_SIZE_T__" | "__SIZEOF_LONG_LONG__" => 8,
        "__LITTLE_ENDIAN"
        | "LITTLE_ENDIAN"
        | "__BYTE_ORDER"
        | "BYTE_ORDER"
        | "__BYTE_ORDER__"
        | "__ORDER_LITTLE_ENDIAN__" => 1234,
        "__BIG_ENDIAN" | "BIG_ENDIAN" | "__ORDER_BIG_ENDIAN__" => 4321,
        _ => return None,
    })
}
