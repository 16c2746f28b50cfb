//! Calls that show side effects.

use sdl_model::facts::EffectKind::{Env, GlobalState, Io, Logging, Network, Process};

use crate::builder::{EffectEntries, EffectTable};

#[rustfmt::skip]
const ENTRIES: EffectEntries = &[
    (
        Io,
        &[
            "access", "chmod", "chown", "close", "closedir", "creat", "dup", "dup2", "fclose", "fcntl", "fdopen",
            "feof", "fflush", "fgetc", "fgets", "flock", "fopen", "fprintf", "fputc", "fputs", "fread", "freopen",
            "fscanf", "fseek", "fsync", "ftell", "ftruncate", "fwrite", "getc", "getchar", "getline", "ioctl", "link",
            "lseek", "mkdir", "mkfifo", "mkstemp", "mmap", "munmap", "open", "openat", "opendir", "pread", "printf",
            "putc", "putchar", "puts", "pwrite", "read", "readdir", "readlink", "readv", "remove", "rename", "rewind",
            "rmdir", "scanf", "setvbuf", "stat", "lstat", "fstat", "symlink", "tmpfile", "truncate", "ungetc", "unlink",
            "vfprintf", "vprintf", "write", "writev", "CreateFile", "CreateFileA", "CreateFileW", "ReadFile",
            "WriteFile", "std::cout", "std::cin", "std::fstream", "std::ifstream", "std::ofstream", "std::filesystem",
            "std::print", "std::println", "std::fopen", "std::printf", "std::remove", "std::rename",
        ],
    ),
    (
        Network,
        &[
            "accept", "accept4", "bind", "connect", "epoll_wait", "freeaddrinfo", "getaddrinfo", "gethostbyname",
            "getpeername", "getsockopt", "listen", "poll", "recv", "recvfrom", "recvmsg", "select", "send", "sendfile",
            "sendmsg", "sendto", "setsockopt", "shutdown", "socket", "curl_easy_perform", "SSL_read", "SSL_write",
            "SSL_connect", "WSAStartup",
        ],
    ),
    (Env, &["getenv", "secure_getenv", "setenv", "putenv", "unsetenv", "clearenv", "environ", "std::getenv"]),
    (
        Process,
        &[
            "abort", "_exit", "_Exit", "exit", "execl", "execle", "execlp", "execv", "execve", "execvp", "fork", "kill",
            "pclose", "popen", "posix_spawn", "posix_spawnp", "pthread_create", "ptrace", "raise", "sigaction", "signal",
            "system", "vfork", "wait", "wait4", "waitpid", "dlopen", "dlsym", "CreateProcess", "CreateProcessW",
            "TerminateProcess", "std::abort", "std::exit", "std::quick_exit", "std::system", "std::thread",
            "std::terminate",
        ],
    ),
    (
        GlobalState,
        &["atexit", "chdir", "fchdir", "setlocale", "srand", "umask", "setuid", "setgid", "setrlimit", "std::atexit", "std::srand"],
    ),
    (
        Logging,
        &["syslog", "openlog", "closelog", "perror", "std::cerr", "std::clog", "spdlog", "LOG", "NSLog", "printk"],
    ),
];

pub(super) static TABLE: EffectTable = EffectTable::new(ENTRIES);
