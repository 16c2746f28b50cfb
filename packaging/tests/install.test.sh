#!/bin/sh
# Tests install.sh against releases made here, over file:// and over HTTP on this machine. Needs python3 and curl.
# Writes below a temporary folder alone. Run: sh packaging/tests/install.test.sh [SHELL]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
shell=${1:-sh}
box=$(mktemp -d)
server=''
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$box"' EXIT
passed=0 failed=0
system=''
[ "$(id -u)" != 0 ] || system=--system

ok() {
    passed=$((passed + 1))
    printf 'ok    %s\n' "$1"
}
bad() {
    failed=$((failed + 1))
    printf 'FAIL  %s\n' "$1"
    sed 's/^/      /' "$box/out"
}
expect() { # NAME COMMAND...
    name=$1
    shift
    if "$@" >>"$box/out" 2>&1; then ok "$name"; else bad "$name"; fi
}
# Runs the installer with $base; $status is its exit code.
install() {
    status=0
    env SDL_BASE_URL="$base" HOME="$box/home" PATH="${path:-$PATH}" \
        "$shell" "$here/../install.sh" "$@" >"$box/out" 2>&1 || status=$?
}
said() { grep -q -- "$1" "$box/out"; }
is_bad() { [ "$status" -ne 0 ] && said "$1"; }
is_good() { [ "$status" -eq 0 ]; }
listing() { (cd "$1" 2>/dev/null && find . | LC_ALL=C sort) || :; }
is_empty() { [ "$(listing "$1" | wc -l)" -le 1 ]; }

arch=$(uname -m)
[ "$arch" != arm64 ] || arch=aarch64
os=linux
[ "$(uname -s)" != Darwin ] || os=macos
make_release() { # FOLDER VERSION
    rm -rf "$box/made" && mkdir -p "$1"
    for platform in "$arch-$os" "$arch-$os-musl"; do
        folder=$(python3 -B "$here/fake_release.py" "$box/made" "$2" "$platform")
        python3 -B "$here/../release/archive.py" "$folder" --out "$1" >/dev/null
    done
    (cd "$1" && for file in *.tar.gz; do printf '%s  %s\n' "$(python3 -c \
        'import hashlib,sys;print(hashlib.sha256(open(sys.argv[1],"rb").read()).hexdigest())' "$file")" "$file"; done) >"$1/SHA256SUMS"
}
mkdir "$box/home"
make_release "$box/one" 0.1.0
make_release "$box/two" 0.2.0
: >"$box/out"

# A good release, in a prefix where somebody has files already.
base=file://$box/one
to=$box/prefix
mkdir -p "$to/bin" "$to/share"
echo mine >"$to/bin/other"
listing "$to" >"$box/before"
install --prefix "$to" $system
expect 'a good release is installed' is_good
expect 'its programs run' sh -c "'$to/bin/sdl-mcp' --version | grep -qx 'sdl-mcp 0.1.0 --version'"
expect 'the next step is named' said 'sdlctl setup'
expect 'man pages and completions are in place' test -f "$to/share/man/man1/sdlctl.1" -a -f "$to/share/zsh/site-functions/_sdlctl"
install --prefix "$to" $system
expect 'it can be installed again' is_good

# An upgrade, and what a person changed.
base=file://$box/two
install --prefix "$to" $system
expect 'an upgrade replaces it' sh -c "'$to/bin/sdlctl' | grep -q 0.2.0"
echo '# changed' >>"$to/share/man/man1/sdlctl.1"
echo mine >"$to/share/man/man1/mine.1"
install --prefix "$to" $system --uninstall
expect 'uninstall succeeds' is_good
expect 'uninstall names the changed file that it keeps' said 'kept, because it was changed'
rm "$to/share/man/man1/sdlctl.1" "$to/share/man/man1/mine.1"
rmdir "$to/share/man/man1" "$to/share/man"
listing "$to" >"$box/after"
expect 'uninstall takes back exactly its own' cmp "$box/before" "$box/after"
install --prefix "$to" $system --uninstall
expect 'nothing is there to uninstall twice' is_bad 'nothing is installed'

# Into a folder that does not exist, which uninstall then removes too.
install --prefix "$box/fresh/deep" $system
expect 'a new prefix is made' test -x "$box/fresh/deep/bin/sdlctl"
install --prefix "$box/fresh/deep" $system --uninstall
expect 'a new prefix is removed again' test ! -e "$box/fresh/deep"

# Damage.
mkdir "$box/bad" && cp "$box/one/"* "$box/bad/"
for file in "$box"/bad/*.tar.gz; do printf x >>"$file"; done
base=file://$box/bad
install --prefix "$box/none" $system
expect 'a wrong checksum is refused' is_bad 'damaged or was changed'
expect 'and nothing is written' is_empty "$box/none"
mkdir "$box/nosums" && cp "$box"/one/*.tar.gz "$box/nosums/"
base=file://$box/nosums
install --prefix "$box/none" $system
expect 'a release without checksums is refused' is_bad "can't read"
sed 's/sdl-0/sdl-..\/0/' "$box/one/SHA256SUMS" >"$box/nosums/SHA256SUMS"
install --prefix "$box/none" $system
expect 'a name that leads elsewhere is not taken' is_bad 'has no archive'
base=file://$box/one
install --prefix "$box/none" $system --version 9.9.9
expect 'a version that is not there is named' is_bad '9.9.9'
base=http://example.invalid/x
install --prefix "$box/none" $system
expect 'plain HTTP to elsewhere is refused' is_bad 'must be https'
base=''
install --prefix "$box/none" $system
expect 'a copy without a repository says so' is_bad 'SDL_BASE_URL'

# Files of others.
base=file://$box/one
mkdir -p "$box/taken/bin" && echo theirs >"$box/taken/bin/sdlctl"
install --prefix "$box/taken" $system
expect 'a file of somebody else is not replaced' is_bad 'is not ours'
expect 'and it is as it was' grep -qx theirs "$box/taken/bin/sdlctl"
install --prefix "$box/taken" $system --force
expect '--force replaces it' test -x "$box/taken/bin/sdl-mcp"

# Tools that are missing.
mkdir "$box/tools"
for tool in "$shell" sh env uname id getconf mktemp rm grep sed cut wc cp mkdir tar gzip find sort mv chmod dirname cat sha256sum; do
    found=$(command -v "$tool" || :)
    [ -z "$found" ] || ln -sf "$found" "$box/tools/$(basename "$tool")"
done
path=$box/tools
install --prefix "$box/none" $system
expect 'without curl and wget it says what to install' is_bad 'neither curl nor wget'
ln -s "$(command -v curl)" "$box/tools/curl"
rm "$box/tools/sha256sum"
install --prefix "$box/none" $system
expect 'without a program for SHA-256 too' is_bad 'sha256sum'
path=''
expect 'still nothing is written' is_empty "$box/none"

# Over HTTP, on this machine.
mkfifo "$box/port"
python3 -u -c '
import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.HTTPServer(("127.0.0.1", 0), handler)
print(server.server_address[1])
server.serve_forever()' "$box/one" >"$box/port" 2>/dev/null &
server=$!
read -r port <"$box/port"
base=http://127.0.0.1:$port
install --prefix "$box/http-prefix" $system --libc musl
expect 'a release is downloaded over HTTP' is_good
expect 'and --libc chooses the build' said 'musl.tar.gz'
base=http://127.0.0.1:$port/nowhere
install --prefix "$box/none" $system
expect 'a missing file is named' is_bad "can't download"

# Root and users.
base=file://$box/one
if [ "$(id -u)" = 0 ]; then
    install --prefix "$box/none"
    expect 'root needs --system' is_bad 'this is root'
else
    install
    expect 'the default prefix is ~/.local' test -x "$box/home/.local/bin/sdlctl"
fi
install --sytem
expect 'an unknown argument is named' is_bad sytem

printf '\n%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
