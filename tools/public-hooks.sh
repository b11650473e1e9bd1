#!/bin/sh
# Runs hooks that others have published, as they are, natively and through hookway, and compares:
# e2e/public/doc.go. They are fetched from package registries into a cache (testdata/packs.txt has
# the list), and run in namespaces of their own: no network but loopback, no process but theirs,
# and a /tmp that is gone afterwards.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}
cache=${HOOKWAY_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hookway-e2e}/public

skip() {
    echo "e2e: skipped: $1"
    exit 0
}

for program in node npm python3 jq git; do
    command -v "$program" >/dev/null || skip "there is no $program, which public hooks need"
done
unshare -mnpf --mount-proc sh -c 'mount -t tmpfs none /tmp && ip link set lo up' 2>/dev/null ||
    skip "public hooks run in namespaces of their own only, and this machine gives none"

# npm_pack PACKAGE VERSION: puts a package into the cache as it is published, without what it depends on.
npm_pack() {
    to=$cache/npm/$1
    [ ! -e "$to/.version-$2" ] || return 0
    new=$(mktemp -d "$cache/.new-XXXXXX")
    if (cd "$new" && npm pack --silent --loglevel=error "$1@$2" >/dev/null && tar xzf ./*.tgz) >"$cache/log" 2>&1; then
        rm -rf "$to"
        mkdir -p "$(dirname "$to")"
        mv "$new/package" "$to"
        : >"$to/.version-$2"
    else
        echo "e2e: $1@$2 cannot be had: $(tail -n 1 "$cache/log")" >&2
    fi
    rm -rf "$new"
}

packs=e2e/public/testdata/packs.txt
mkdir -p "$cache"
grep '^npm ' "$packs" | while read -r _ package version _; do npm_pack "$package" "$version"; done
wanted=$(grep '^pypi ' "$packs" | while read -r _ package version _; do printf '%s==%s ' "$package" "$version"; done)
if [ "$(cat "$cache/venv/.wanted" 2>/dev/null)" != "$wanted" ]; then
    rm -rf "$cache/venv"
    python3 -m venv "$cache/venv"
    for one in $wanted pyyaml; do # one that cannot be had takes no other with it
        "$cache/venv/bin/pip" install -q --no-deps "$one" >"$cache/log" 2>&1 || echo "e2e: $one cannot be had" >&2
    done
    printf '%s' "$wanted" >"$cache/venv/.wanted"
fi

# The real Claude Code is the judge of a sample, if it is here: make e2e installs it.
if [ -z "${HOOKWAY_E2E_CLAUDE-}" ]; then
    for program in "$cache"/../anthropic-ai-claude-code-*/node_modules/.bin/claude; do
        [ -x "$program" ] && export HOOKWAY_E2E_CLAUDE="$program"
    done
fi

programs=$(mktemp -d "$cache/.bin-XXXXXX") # /tmp is another one where they run
trap 'rm -rf "$programs"' EXIT
"$go" build -trimpath -o "$programs/" ./cmd/...
"$go" test -c -o "$programs/public.test" ./e2e/public
cd e2e/public
# The module may lie in /tmp, which is hidden: its place is kept open.
HOOKWAY_PUBLIC_BIN=$programs HOOKWAY_PUBLIC_CACHE=$cache unshare -mnpf --mount-proc sh -c '
    here=$(pwd) programs=$HOOKWAY_PUBLIC_BIN
    mkdir -p /mnt && mount -t tmpfs none /mnt && cp -r testdata "$programs"/. /mnt && mount -t tmpfs none /tmp && ip link set lo up
    cd /mnt && HOOKWAY_PUBLIC_BIN=/mnt exec ./public.test -test.v -test.timeout 55m "$@"' sh "$@"
