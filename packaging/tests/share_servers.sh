#!/bin/sh
# Runs `sdlctl share` against real servers: a folder, an S3-compatible server (moto) and Redis. Prints times, bytes and requests.
#   sh packaging/tests/share_servers.sh BIN TREE [STORE]...
# BIN has the programs of one build, TREE is a git repository with a clean tree, STORE is fs, s3 or redis (default: all). Needs git,
# Python 3, and for the servers MOTO_SERVER and REDIS_SERVER, or moto_server and redis-server in the PATH:
#   pip install 'moto[server]'; apt-get install redis-server
# With SDL_SHARE_VERIFY=1 each pulled ledger is compared with an index from scratch.
set -eu
fail() {
    printf 'share_servers.sh: %s\n' "$*" >&2
    exit 1
}
[ $# -ge 2 ] || fail 'usage: share_servers.sh BIN TREE [STORE]...'
bin=$(cd "$1" && pwd)
tree=$(cd "$2" && pwd)
shift 2
[ $# -gt 0 ] || set -- fs s3 redis
moto=${MOTO_SERVER:-$(command -v moto_server || true)}
redis=${REDIS_SERVER:-$(command -v redis-server || true)}
work=$(mktemp -d)
server=
end_server() {
    [ -z "$server" ] || kill -9 "$server" 2>/dev/null || true
    [ -z "$server" ] || wait "$server" 2>/dev/null || true
    server=
}
end_all() {
    end_server
    for state in "$work"/*/state; do
        [ ! -d "$state" ] || SDL_STATE_DIR=$state "$bin/sdlctl" stop >/dev/null 2>&1 || true
    done
    rm -rf "$work"
}
trap end_all EXIT
trap 'exit 1' INT TERM
export AWS_ACCESS_KEY_ID=team AWS_SECRET_ACCESS_KEY=secret AWS_EC2_METADATA_DISABLED=true SDL_SHARE_REDIS_PASSWORD=secret
s3_port=5611
redis_port=5612

# Starts the server of a store, empty, and sets $url.
start_server() {
    case $1 in
    fs) url=fs://$work/store ;;
    s3)
        [ -n "$moto" ] || fail 'moto_server is not installed'
        "$moto" -p "$s3_port" >"$work/moto.log" 2>&1 &
        server=$!
        url="s3://team/cache?region=us-east-1&endpoint=http://127.0.0.1:$s3_port"
        wait_for_port "$s3_port"
        python3 -c 'import sys, urllib.request as u; u.urlopen(u.Request(sys.argv[1], method="PUT"))' "http://127.0.0.1:$s3_port/team"
        ;;
    redis)
        [ -n "$redis" ] || fail 'redis-server is not installed'
        "$redis" --port "$redis_port" --save '' --requirepass secret >"$work/redis.log" 2>&1 &
        server=$!
        url=redis://127.0.0.1:$redis_port/0
        wait_for_port "$redis_port"
        ;;
    *) fail "there is no store $1; there are fs, s3 and redis" ;;
    esac
}

wait_for_port() {
    python3 -c '
import socket, sys, time
for _ in range(300):
    try:
        socket.create_connection(("127.0.0.1", int(sys.argv[1]))).close()
        sys.exit(0)
    except OSError:
        time.sleep(0.1)
sys.exit("the server does not listen")' "$1"
    # Another server may have had the port before.
    kill -0 "$server" 2>/dev/null || fail "the server did not start; is port $1 in use?"
}

# Runs sdlctl on the machine of that name; its state is its own.
on() {
    machine=$1
    shift
    mkdir -p -m 700 "$work/$machine/state"
    SDL_STATE_DIR=$work/$machine/state "$bin/sdlctl" "$@"
}

# Prints fields of the JSON on the standard input after a name.
show() {
    python3 -c '
import json, sys
data = json.load(sys.stdin)
fields = " ".join(f"{name}={round(value, 2) if isinstance(value, float) else value}" for name, value in data.items()
    if name in sys.argv[2:])
print(f"{sys.argv[1]:<28} {fields or data}")' "$@"
}
figures='packs packsWritten bytesWritten bytesMoved requests seconds pulled distance parsed snapshotsRemoved objectsRemoved'

clone_tree() {
    git -c advice.detachedHead=false clone -q "$1" "$2"
}

commit() {
    git -C "$1" -c user.name=a -c user.email=a@b commit -q -a -m "$2"
}

# Kills the server when the first pack of a pull has arrived. A small tree may be through before.
kill_in_the_middle() {
    python3 -c '
import glob, os, signal, sys, time
for _ in range(6000):
    if any(len(os.path.basename(path)) == 64 for path in glob.glob(sys.argv[1] + "/scratch/share-*/*")):
        break
    time.sleep(0.01)
os.kill(int(sys.argv[2]), signal.SIGKILL)' "$work/$1/state" "$server"
}

printf 'tree: %s files in git, commit %.12s\n' "$(git -C "$tree" ls-files | wc -l)" "$(git -C "$tree" rev-parse HEAD)"
clone_tree "$tree" "$work/ci-tree"
began=$(date +%s.%N)
on ci index "$work/ci-tree" >/dev/null
python3 -c 'import sys, time; print(f"index from scratch           seconds={time.time() - float(sys.argv[1]):.1f}")' "$began"
for store in "$@"; do
    printf '\n%s\n' "$store"
    rm -rf "$work/store"
    start_server "$store"
    # shellcheck disable=SC2086 # the names of fields
    {
        on ci --json share push "$work/ci-tree" --store "$url" | show 'first push' $figures
        on ci --json share push "$work/ci-tree" --store "$url" | show 'push of the same commit' $figures
        git -C "$work/ci-tree" ls-files '*.py' '*.rs' '*.go' '*.ts' '*.java' | head -n 10 | while read -r file; do
            printf '\n' >>"$work/ci-tree/$file"
        done
        commit "$work/ci-tree" "ten files, for $store"
        on ci --json share push "$work/ci-tree" --store "$url" | show 'push after ten edits' $figures
        clone_tree "$work/ci-tree" "$work/$store-clone"
        on "$store-laptop" --json share pull "$work/$store-clone" --store "$url" | show 'pull' $figures
        [ -z "${SDL_SHARE_VERIFY:-}" ] || on "$store-laptop" --json verify --repo "$work/$store-clone" | show 'verify' identical
        on ci --json share gc --store "$url" | show 'gc' $figures
        on "$store-laptop" stop >/dev/null
        if [ -n "$server" ]; then
            clone_tree "$work/ci-tree" "$work/$store-late"
            kill_in_the_middle ci &
            killer=$!
            on ci --json share pull "$work/$store-late" --store "$url" >"$work/late.json" || true
            wait "$killer"
            show 'pull, server killed' pulled seconds error <"$work/late.json"
            on ci --json share push "$work/ci-tree" --store "$url" 2>/dev/null | show 'push, no server' error || true
        fi
    }
    end_server
done
