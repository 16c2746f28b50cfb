//! C: which files are for which system, and what a system's own library has.

use std::collections::HashSet;
use std::sync::LazyLock;

use sdl_model::RelPath;

type Words = LazyLock<HashSet<&'static str>>;

/// Whether a folder on the way to a file says that it is for another processor than x86-64: `arch/arm64/entry.c`.
pub(super) fn is_of_other_processor(path: &RelPath) -> bool {
    let mut folders = path.dir().split('/');
    // Below `arch` each folder is named for one, or for what they share.
    let below_arch = path.dir().split('/').skip_while(|part| *part != "arch").nth(1);
    let shared = ["x86", "x86_64", "amd64", "generic", "common", "include"];
    below_arch.is_some_and(|part| !shared.contains(&part))
        || folders.any(|part| {
            matches!(
                part.to_ascii_lowercase().as_str(),
                "aarch64"
                    | "alpha"
                    | "arc"
                    | "arm"
                    | "arm32"
                    | "arm64"
                    | "armeb"
                    | "armel"
                    | "armhf"
                    | "avr32"
                    | "csky"
                    | "hexagon"
                    | "i386"
                    | "i486"
                    | "i686"
                    | "ia64"
                    | "loongarch"
                    | "loongarch64"
                    | "m68k"
                    | "microblaze"
                    | "mips"
                    | "mips64"
                    | "mipsel"
                    | "mipsn32"
                    | "nios2"
                    | "openrisc"
                    | "or1k"
                    | "parisc"
                    | "powerpc"
                    | "powerpc64"
                    | "ppc"
                    | "ppc64"
                    | "riscv"
                    | "riscv32"
                    | "riscv64"
                    | "s390"
                    | "s390x"
                    | "sparc"
                    | "sparc64"
                    | "x32"
                    | "x86_32"
                    | "xtensa"
            )
        })
}

/// Whether a folder on the way to a file, or the end of its name, says that it is for another system than Linux:
/// `win32/poll.c`, `poll_win.c`.
pub(super) fn is_of_other_system(path: &RelPath) -> bool {
    let folders = path.dir().split('/');
    let last = path.stem().rsplit(['_', '-']).next().unwrap_or("");
    folders.chain([last]).any(|part| {
        matches!(
            part.to_ascii_lowercase().as_str(),
            "win"
                | "win32"
                | "win64"
                | "windows"
                | "w32"
                | "msvc"
                | "mingw"
                | "mingw32"
                | "wince"
                | "vms"
                | "os2"
                | "amiga"
                | "dos"
                | "msdos"
                | "macos"
                | "macosx"
                | "osx"
                | "darwin"
                | "freebsd"
                | "openbsd"
                | "netbsd"
                | "solaris"
                | "sunos"
                | "aix"
                | "haiku"
                | "os390"
                | "hpux"
        )
    })
}

/// Whether a path says that a file is not for Linux on x86-64.
pub(super) fn is_elsewhere(path: &RelPath) -> bool {
    is_of_other_system(path) || is_of_other_processor(path)
}

/// Whether a file is a header of the system's own library: the repository is that library.
pub(super) fn is_own_library(path: &RelPath) -> bool {
    let text = path.as_str();
    let name = text.rfind("include/").map(|at| &text[at + "include/".len()..]);
    name.is_some_and(is_system_header)
}

/// Whether `#include <text>` names a header of the system's own library.
pub(super) fn is_system_header(text: &str) -> bool {
    match text.split_once('/') {
        Some((folder, _)) => matches!(folder, "sys" | "netinet" | "arpa" | "net" | "linux" | "asm" | "bits"),
        None => HEADERS.contains(text),
    }
}

/// Whether the system's own library, that of GNU, has a function or a macro with parameters called `name`. A call
/// without a declaration means that one, and not another program's of the repository. Names such as `error` and
/// `index` are not included, because programs often use them for functions of their own.
pub(super) fn is_of_libc(name: &str) -> bool {
    LIBC.contains(name)
}

static HEADERS: Words = LazyLock::new(|| {
    "assert.h complex.h ctype.h dirent.h dlfcn.h errno.h fcntl.h fenv.h float.h fnmatch.h ftw.h getopt.h glob.h grp.h \
     iconv.h inttypes.h iso646.h langinfo.h libgen.h limits.h locale.h math.h memory.h netdb.h poll.h pthread.h pwd.h \
     regex.h sched.h search.h semaphore.h setjmp.h signal.h spawn.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h \
     stdint.h stdio.h stdlib.h stdnoreturn.h string.h strings.h sysexits.h syslog.h tar.h termios.h tgmath.h threads.h \
     time.h uchar.h ucontext.h unistd.h utime.h utmpx.h wchar.h wctype.h wordexp.h"
        .split_ascii_whitespace()
        .collect()
});

static LIBC: Words = LazyLock::new(|| include_str!("libc_names.txt").split_ascii_whitespace().collect());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_by_path() {
        for (path, other) in [
            ("src/util/win32/posix.c", true),
            ("src/unix/fs.c", false),
            ("src/port_win.c", true),
            ("lib/darwin/sys.c", true),
            ("src/window.c", false),
        ] {
            assert_eq!(RelPath::new(path).map(|path| is_of_other_system(&path)), Some(other), "{path}");
        }
        for (path, elsewhere) in [
            ("arch/x86/entry.c", false),
            ("arch/arm64/entry.c", true),
            ("src/arm.c", false),
            ("win/a.c", true),
        ] {
            assert_eq!(RelPath::new(path).map(|path| is_elsewhere(&path)), Some(elsewhere), "{path}");
        }
    }
}
