#!/bin/sh
# Installs sdl while an image of a dev container is built, as root. sdl-install.sh is packaging/install.sh; packaging/release/fill.py
# puts it here, because a feature can use files of its own folder alone.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ -f "$here/sdl-install.sh" ] || {
    echo 'sdl: this feature has no sdl-install.sh: make it with packaging/release/fill.py' >&2
    exit 1
}

# The installer needs one of these two.
if ! command -v curl >/dev/null 2>&1 && ! command -v wget >/dev/null 2>&1; then
    if command -v apt-get >/dev/null 2>&1; then
        apt-get update
        apt-get install -y --no-install-recommends ca-certificates curl
        rm -rf /var/lib/apt/lists/*
    elif command -v apk >/dev/null 2>&1; then
        apk add --no-cache curl
    elif command -v dnf >/dev/null 2>&1; then
        dnf install -y curl
    else
        echo 'sdl: install curl or wget in the image first' >&2
        exit 1
    fi
fi

case ${VERSION:-latest} in
    latest) sh "$here/sdl-install.sh" --system ;;
    *) sh "$here/sdl-install.sh" --system --version "$VERSION" ;;
esac
