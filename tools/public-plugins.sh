#!/bin/sh
# Runs OpenClaw plugins that others have published, as they are: e2e/public/plugins_test.go. They are
# installed from npm into a cache (testdata/plugins.txt has the list), with what they depend on but for
# OpenClaw itself, and run in namespaces of their own, as tools/public-hooks.sh has it.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}
cache=${HOOKWAY_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hookway-e2e}/plugins

skip() {
    echo "e2e: skipped: $1"
    exit 0
}

command -v npm >/dev/null || skip "there is no npm, which brings public plugins"
unshare -mnpf --mount-proc sh -c 'mount -t tmpfs none /tmp && ip link set lo up' 2>/dev/null ||
    skip "public plugins run in namespaces of their own only, and this machine gives none"

mkdir -p "$cache/openclaw"
echo '{"name": "openclaw", "version": "2099.1.1"}' >"$cache/openclaw/package.json"
grep -v '^#' e2e/public/testdata/plugins.txt | while read -r package version _; do
    to=$cache/$(echo "$package" | tr / +)
    [ ! -e "$to/.version-$version" ] || continue
    rm -rf "$to"
    mkdir -p "$to"
    echo '{"private": true, "overrides": {"openclaw": "file:../openclaw"}}' >"$to/package.json"
    if (cd "$to" && npm install --ignore-scripts --omit=dev --no-audit --no-fund --loglevel=error "$package@$version") >"$cache/log" 2>&1 </dev/null; then
        : >"$to/.version-$version"
    else
        echo "e2e: $package@$version cannot be had: $(tail -n 1 "$cache/log")" >&2
    fi
done

programs=$(mktemp -d "$cache/.bin-XXXXXX") # /tmp is another one where they run
trap 'rm -rf "$programs"' EXIT
"$go" build -trimpath -o "$programs/hookway" ./cmd/hookway
"$go" test -c -o "$programs/public.test" ./e2e/public
cd e2e/public
HOOKWAY_PLUGINS_BIN=$programs HOOKWAY_PLUGINS_CACHE=$cache unshare -mnpf --mount-proc sh -c '
    mkdir -p /mnt && mount -t tmpfs none /mnt && cp -r testdata "$HOOKWAY_PLUGINS_BIN"/. /mnt && mount -t tmpfs none /tmp && ip link set lo up
    cd /mnt && HOOKWAY_PLUGINS_BIN=/mnt exec ./public.test -test.v -test.run TestPublicPlugins -test.timeout 25m "$@"' sh "$@"
