//! C: which files are for which system, and what a system's own library has.

use std::collections::HashSet;
use std::sync::LazyLock;

use sdl_model::RelPath;

type Words = LazyLock<HashSet<&'static str>>;

/// Whether a folder on the way to a file, or the end of its name, says that it is for another system than Linux.
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

/// Whether `#include <text>` names a header of the system's own library.
pub(super) fn is_system_header(text: &str) -> bool {
    match text.split_once('/') {
        Some((folder, _)) => matches!(folder, "sys" | "netinet" | "arpa" | "net" | "linux" | "asm" | "bits"),
        None => HEADERS.contains(text),
    }
}

/// Whether the system's own library, of C and of POSIX, has a function called `name`. Who calls one without declaring it
/// has it from there, and not from another program of the repository.
pub(crate) fn is_of_libc(name: &str) -> bool {
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

static LIBC: Words = LazyLock::new(|| {
    "_Exit abort abs accept access acos acosh aio_read aio_write alarm aligned_alloc alloca asctime asctime_r asin asinh \
     asprintf atan atan2 atanh atexit atof atoi atol atoll basename bcmp bcopy bind bsearch bzero cabs calloc cbrt ceil \
     ceilf cfmakeraw chdir chmod chown chroot clearerr clock clock_getres clock_gettime clock_nanosleep close closedir closefrom closelog \
     confstr connect copysign cos cosf cosh creat crypt ctime ctime_r daemon difftime dirfd dirname div dlclose dlerror dlopen \
     dlsym dprintf drand48 dup dup2 dup3 endgrent endpwent environ epoll_create epoll_create1 epoll_ctl epoll_wait erand48 \
     erf erfc err errx eventfd execl execle execlp execv execve execvp exit exp exp2 explicit_bzero expm1 fabs fabsf faccessat fchdir \
     fchmod fchmodat fchown fchownat fclose fcntl fdatasync fdim fdopen fdopendir feof ferror fflush ffs fgetc fgetpos \
     fgets fgetwc fileno flock flockfile floor floorf fma fmax fmemopen fmin fmod fnmatch fopen fork forkpty fpathconf fprintf \
     fputc fputs fputwc fread free freeaddrinfo freopen frexp fscanf fseek fseeko fsetpos fstat fstatat fstatvfs fsync ftell \
     ftello ftruncate ftw funlockfile futimens fwide fwprintf fwrite gai_strerror getaddrinfo getc getc_unlocked getchar \
     getcwd getdelim getdtablesize getegid getenv geteuid getgid getgrgid getgrnam getgroups gethostbyaddr gethostbyname gethostname \
     getifaddrs getitimer getline getlogin getnameinfo getopt getopt_long getpagesize getpeername getpgid getpgrp getpid \
     getppid getpriority getprotobyname getpwnam getpwnam_r getpwuid getpwuid_r getrlimit getrusage gets getservbyname \
     getsid getsockname getsockopt gettimeofday getuid getwc glob globfree gmtime gmtime_r grantpt htonl htons hypot iconv \
     iconv_close iconv_open if_indextoname if_nametoindex inet_addr inet_aton inet_ntoa inet_ntop inet_pton ioctl isalnum \
     isalpha isascii isatty isblank iscntrl isdigit isfinite isgraph isinf islower isnan isprint ispunct isspace isupper \
     iswalnum iswalpha iswdigit iswspace isxdigit kill killpg labs ldexp ldiv lgamma link linkat listen llabs llrint \
     localeconv localtime localtime_r lockf log log10 log1p log2 longjmp lrand48 lrint lround lseek lstat malloc mblen mbrlen \
     mbrtowc mbsrtowcs mbstowcs mbtowc memccpy memchr memcmp memcpy memmem memmove mempcpy memrchr memset mkdir mkdirat \
     mkdtemp mkfifo mknod mkostemp mkstemp mktemp mktime mlock mlockall mmap modf mprotect mrand48 msync munlock munmap \
     nan nanosleep nearbyint nftw nice nl_langinfo nrand48 ntohl ntohs open openat opendir openlog openpty pathconf pause pclose \
     perror pipe pipe2 poll popen posix_fadvise posix_fallocate posix_memalign posix_spawn posix_spawnp pow powf pread printf \
     pselect psignal pthread_atfork pthread_attr_destroy pthread_attr_init pthread_attr_setdetachstate \
     pthread_attr_setstacksize pthread_cancel pthread_cond_broadcast pthread_cond_destroy pthread_cond_init \
     pthread_cond_signal pthread_cond_timedwait pthread_cond_wait pthread_create pthread_detach pthread_equal pthread_exit \
     pthread_getspecific pthread_join pthread_key_create pthread_key_delete pthread_kill pthread_mutex_destroy \
     pthread_mutex_init pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock pthread_mutexattr_init \
     pthread_mutexattr_settype pthread_once pthread_rwlock_destroy pthread_rwlock_init pthread_rwlock_rdlock \
     pthread_rwlock_unlock pthread_rwlock_wrlock pthread_self pthread_setspecific pthread_sigmask ptsname putc putchar \
     putenv puts pwrite qsort qsort_r raise rand rand_r random read readdir readdir_r readlink readlinkat readv realloc \
     reallocarray realpath recv recvfrom recvmsg regcomp regerror regexec regfree remainder remove rename renameat rewind \
     rewinddir rint rmdir round roundf sbrk scandir scanf sched_yield seekdir select sem_destroy sem_init sem_post sem_wait \
     send sendfile sendmsg sendto setbuf setegid setenv seteuid setgid setgroups setitimer setjmp setlocale setlogmask \
     setpgid setpriority setregid setreuid setrlimit setsid setsockopt setuid setvbuf shm_open shm_unlink shutdown \
     sigaction sigaddset sigdelset sigemptyset sigfillset sigismember siglongjmp signal signbit sigpending sigprocmask \
     sigsetjmp sigsuspend sigwait sin sinf sinh sleep snprintf socket socketpair sprintf sqrt sqrtf srand srand48 srandom \
     sscanf stat statvfs stpcpy stpncpy strcasecmp strcasestr strcat strchr strchrnul strcmp strcoll strcpy strcspn strdup \
     strerror strerror_r strftime strlen strncasecmp strncat strncmp strncpy strndup strnlen strpbrk strptime \
     strrchr strsep strsignal strspn strstr strtod strtof strtoimax strtok strtok_r strtol strtold strtoll strtoul strtoull \
     strtoumax strxfrm symlink symlinkat sync sysconf syscall syslog system tan tanf tanh tcdrain tcflush tcgetattr \
     tcgetpgrp tcsetattr tcsetpgrp telldir tempnam tgamma time timegm times tmpfile tmpnam toascii tolower toupper towlower \
     towupper trunc truncate tsearch ttyname tzset ulimit umask uname ungetc unlink unlinkat unlockpt unsetenv usleep utime \
     utimensat utimes vasprintf vdprintf verr verrx vfork vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf \
     vsyslog vwarn vwarnx vwprintf wait wait3 wait4 waitpid warn warnx wcrtomb wcscat wcschr wcscmp wcscpy wcslen wcsncmp \
     wcsncpy wcsrchr wcsstr wcstombs wctomb wmemcpy wmemset wprintf write writev"
        .split_ascii_whitespace()
        .collect()
});

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
    }
}
