#!/bin/sh
# Installs a release of sdl, or takes an installation back. Needs a POSIX shell, tar, and curl or wget.
# Everything is checked before the first file is written, and a list of what was written makes `--uninstall` exact.
set -eu

# Filled in by packaging/release/fill.py. A copy from the source tree has no default repository: set SDL_BASE_URL.
REPOSITORY='@REPOSITORY@'
# The oldest glibc that the glibc builds run with, as 2.MINOR. Others get the musl build, which is linked statically.
GLIBC_MINOR=35

HELP='Installs sdl from a release: programs, man pages, completions.

Usage: install.sh [OPTIONS]

Options:
      --version X.Y.Z   This version, not the newest
      --prefix DIR      Where to install (default: ~/.local, with --system /usr/local)
      --system          Install for all users; needed to run as root
      --libc NAME       On Linux: gnu or musl (default: the one that runs here)
      --force           Replace files that this installer did not write
      --uninstall       Remove exactly the files that were installed below the prefix
      --help            Print this

SDL_BASE_URL names the folder with the release: an https:// URL, a file:// URL, or http:// on this machine.'

say() { printf '%s\n' "$*"; }
fail() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

version='' prefix='' system=no libc='' force=no uninstall=no

parse_arguments() {
    while [ $# -gt 0 ]; do
        case $1 in
            --version | --prefix | --libc)
                [ -n "${2:-}" ] || fail "$1 wants a value; see --help"
                case $1 in
                    --version) version=${2#v} ;;
                    --prefix) prefix=$2 ;;
                    --libc) libc=$2 ;;
                esac
                shift
                ;;
            --system) system=yes ;;
            --force) force=yes ;;
            --uninstall) uninstall=yes ;;
            --help | -h)
                say "$HELP"
                exit 0
                ;;
            *) fail "unknown argument \`$1\`; see --help" ;;
        esac
        shift
    done
    case $version in *[!0-9A-Za-z.+-]*) fail "\`$version\` is no version; write one such as 0.1.0" ;; esac
    case $libc in '' | gnu | musl) ;; *) fail "--libc is gnu or musl, not \`$libc\`" ;; esac
}

choose_prefix() {
    if [ "$(id -u)" = 0 ] && [ "$system" = no ]; then
        fail 'this is root: run it as the user who will use sdl, or add --system to install for all users'
    fi
    if [ -z "$prefix" ]; then
        if [ "$system" = yes ]; then
            prefix=/usr/local
        else
            [ -n "${HOME:-}" ] || fail 'HOME is not set: give --prefix DIR'
            prefix=$HOME/.local
        fi
    fi
    case $prefix in /*) ;; *) prefix=$(pwd)/$prefix ;; esac
    prefix=${prefix%/}
    manifest=$prefix/share/sdl-ledger/manifest
}

# The part of an archive's name that says where it runs, such as x86_64-linux.
find_platform() {
    case $(uname -m) in
        x86_64 | amd64) arch=x86_64 ;;
        aarch64 | arm64) arch=aarch64 ;;
        *) fail "there is no build for the processor $(uname -m); build from source, see README.md" ;;
    esac
    case $(uname -s) in
        Linux) platform=$arch-linux ;;
        Darwin)
            # A shell that is translated by Rosetta reports the wrong processor.
            [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" != 1 ] || arch=aarch64
            platform=$arch-macos
            ;;
        *) fail "there is no build for $(uname -s) here; on Windows, unpack the .zip of the release or use Scoop" ;;
    esac
    [ "$platform" = "$arch-linux" ] || return 0
    [ -n "$libc" ] || libc=$(find_libc)
    [ "$libc" = gnu ] || platform=$platform-musl
}

# Systems without `getconf`, or whose C library is another one or too old, get the static build.
find_libc() {
    found=$(getconf GNU_LIBC_VERSION 2>/dev/null || true)
    minor=${found#glibc 2.}
    minor=${minor%%.*}
    case $minor in '' | *[!0-9]*) minor=0 ;; esac
    if [ "$minor" -ge "$GLIBC_MINOR" ]; then say gnu; else say musl; fi
}

find_release() {
    if [ -n "${SDL_BASE_URL:-}" ]; then
        base=${SDL_BASE_URL%/}
    else
        case $REPOSITORY in @*) fail 'this copy names no repository: set SDL_BASE_URL to the folder of a release' ;; esac
        base=https://github.com/$REPOSITORY/releases/latest/download
        [ -z "$version" ] || base=https://github.com/$REPOSITORY/releases/download/v$version
    fi
    case $base in
        https://* | file:///*) ;;
        http://127.0.0.1[:/]* | http://localhost[:/]* | "http://[::1]"*) ;;
        *) fail "SDL_BASE_URL is \`$base\`: it must be https://, file:///, or http:// on this machine" ;;
    esac
    if has curl; then downloader=curl; elif has wget; then downloader=wget; else
        fail 'neither curl nor wget is installed; install one of them'
    fi
    if has sha256sum; then hasher=sha256sum; elif has shasum; then hasher='shasum -a 256'; elif has openssl; then
        hasher=openssl
    else
        fail 'none of sha256sum, shasum and openssl is installed; install one of them'
    fi
    has tar || fail 'tar is not installed; install it'
}

download() {
    case $1 in
        file://*) cp "${1#file://}" "$2" 2>/dev/null || fail "can't read $1" ;;
        *)
            if [ "$downloader" = curl ]; then
                curl -fsSL --proto-redir '=https' -o "$2" "$1" || fail "can't download $1"
            else
                wget -q -O "$2" "$1" || fail "can't download $1"
            fi
            ;;
    esac
}

hash_of() {
    if [ "$hasher" = openssl ]; then
        openssl dgst -sha256 -r "$1" | cut -d' ' -f1
    else
        $hasher "$1" | cut -d' ' -f1
    fi
}

# Downloads the archive for this platform into $work and unpacks it there, if it is the one that SHA256SUMS names.
fetch_release() {
    download "$base/SHA256SUMS" "$work/SHA256SUMS"
    pattern="^[0-9a-f]\{64\}  sdl-[0-9][0-9A-Za-z.+-]*-$platform\.tar\.gz\$"
    [ -z "$version" ] || pattern="^[0-9a-f]\{64\}  sdl-$(printf %s "$version" | sed 's/[.]/\\./g')-$platform\.tar\.gz\$"
    grep "$pattern" "$work/SHA256SUMS" >"$work/line" ||
        fail "$base has no archive of ${version:-any version} for $platform"
    [ "$(wc -l <"$work/line")" -eq 1 ] || fail "$base has several archives for $platform; choose one with --version"
    read -r wanted archive <"$work/line"
    download "$base/$archive" "$work/archive"
    found=$(hash_of "$work/archive")
    [ "$found" = "$wanted" ] || fail "$archive is damaged or was changed: its SHA-256 is $found, SHA256SUMS says $wanted"
    mkdir "$work/tree"
    # -o, so that files belong to whoever installs them, also if that is root.
    tar -xzof "$work/archive" -C "$work/tree" || fail "can't unpack $archive"
    tree=$work/tree/${archive%.tar.gz}
    [ -x "$tree/bin/sdl-mcp" ] || fail "$archive has no bin/sdl-mcp; it is no release of sdl"
}

# Copies the archive's files to where they go, below $work/new.
arrange_files() {
    new=$work/new
    share=$new/share
    doc=$share/doc/sdl-ledger
    mkdir -p "$new/bin" "$doc" "$share/man/man1" "$share/bash-completion/completions" \
        "$share/zsh/site-functions" "$share/fish/vendor_completions.d"
    for program in sdld sdl-gate sdl-mcp sdl-http sdl-ui sdl-share sdlctl; do
        [ -f "$tree/bin/$program" ] || fail "$archive has no bin/$program"
        cp "$tree/bin/$program" "$new/bin/$program"
    done
    chmod 755 "$new"/bin/*
    cp "$tree"/man/man1/*.1 "$share/man/man1/"
    cp "$tree/completions/sdlctl.bash" "$share/bash-completion/completions/sdlctl"
    cp "$tree/completions/_sdlctl" "$share/zsh/site-functions/_sdlctl"
    cp "$tree/completions/sdlctl.fish" "$share/fish/vendor_completions.d/sdlctl.fish"
    cp "$tree/LICENSE-MIT" "$tree/LICENSE-APACHE" "$tree/README.md" "$doc/"
    cp -R "$tree/service" "$doc/service"
    (cd "$new" && find . -type f | sed 's|^\./||' | LC_ALL=C sort) >"$work/files"
    (cd "$new" && find . -type d ! -name . | sed 's|^\./||' | LC_ALL=C sort) >"$work/folders"
}

owns() { [ -f "$manifest" ] && grep -q "^file [0-9a-f]\{64\} $1\$" "$manifest"; }

check_targets() {
    if [ "$force" = no ]; then
        while IFS= read -r path; do
            if [ -e "$prefix/$path" ] || [ -L "$prefix/$path" ]; then
                owns "$path" || fail "$prefix/$path is there already and is not ours; move it, or add --force"
            fi
        done <"$work/files"
    fi
    place=$prefix
    while [ ! -d "$place" ]; do place=$(dirname "$place"); done
    [ -w "$place" ] || fail "$place can't be written to by this user"
}

# A file is replaced in one step, because a program that runs can't be overwritten.
install_files() {
    : >"$work/manifest"
    { printf '%s\n' . share share/sdl-ledger; cat "$work/folders"; } | LC_ALL=C sort -u >"$work/all-folders"
    while IFS= read -r folder; do
        if [ ! -d "$prefix/$folder" ]; then
            mkdir -p "$prefix/$folder"
            printf 'folder %s\n' "$folder" >>"$work/manifest"
        elif [ -f "$manifest" ] && grep -qxF "folder $folder" "$manifest"; then
            printf 'folder %s\n' "$folder" >>"$work/manifest"
        fi
    done <"$work/all-folders"
    while IFS= read -r path; do
        printf 'file %s %s\n' "$(hash_of "$new/$path")" "$path" >>"$work/manifest"
    done <"$work/files"
    # The list is there before the files, so that an installation that was cut off can be taken back.
    [ ! -f "$manifest" ] || cp "$manifest" "$work/old-manifest"
    cp "$work/manifest" "$manifest.part" && mv -f "$manifest.part" "$manifest"
    while IFS= read -r path; do
        cp "$new/$path" "$prefix/$path.part" && mv -f "$prefix/$path.part" "$prefix/$path"
    done <"$work/files"
    [ ! -f "$work/old-manifest" ] || remove_listed "$work/old-manifest" "$work/files"
}

# Removes the files of the list $1 that are as they were installed, except those of $2.
remove_listed() {
    while read -r kind hash path; do
        [ "$kind" = file ] || continue
        [ -z "$2" ] || ! grep -qxF "$path" "$2" || continue
        [ -e "$prefix/$path" ] || continue
        if [ "$(hash_of "$prefix/$path")" = "$hash" ]; then
            rm -f "$prefix/$path"
        else
            say "kept, because it was changed: $prefix/$path"
        fi
    done <"$1"
}

remove_installation() {
    [ -f "$manifest" ] || fail "nothing is installed below $prefix: there is no $manifest"
    if grep -qE '^(file|folder) .*(\.\./|/\.\.$)' "$manifest"; then fail "$manifest was changed; remove the files by hand"; fi
    if has sha256sum; then hasher=sha256sum; elif has shasum; then hasher='shasum -a 256'; else hasher=openssl; fi
    cp "$manifest" "$work/old-manifest"
    remove_listed "$work/old-manifest" ''
    rm -f "$manifest"
    # The deepest first. A folder that holds anything else stays.
    LC_ALL=C sort -r "$work/old-manifest" | while read -r kind folder; do
        [ "$kind" = folder ] || continue
        [ "$folder" != . ] || folder=''
        rmdir "$prefix/$folder" 2>/dev/null || :
    done
    say "removed from $prefix"
    say 'What the daemon and agents stored is still there; README.md, section Uninstall, names the folder.'
}

print_next() {
    say "installed: $archive in $prefix"
    case :$PATH: in
        *":$prefix/bin:"*) ;;
        *) say "add it to your PATH:  export PATH=\"$prefix/bin:\$PATH\"" ;;
    esac
    say 'next:'
    say '  sdlctl setup           # add sdl to the MCP clients that you have'
    say '  sdlctl index PATH      # index a repository'
    say 'To take it back: sdlctl setup --remove; sdlctl service uninstall; sdlctl stop; then this script with --uninstall.'
}

main() {
    parse_arguments "$@"
    choose_prefix
    work=$(mktemp -d) || fail 'no temporary folder can be made; set TMPDIR'
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' HUP INT TERM
    if [ "$uninstall" = yes ]; then
        remove_installation
        return
    fi
    find_platform
    find_release
    fetch_release
    arrange_files
    check_targets
    install_files
    print_next
}

# Nothing runs before the last line has arrived.
main "$@"
