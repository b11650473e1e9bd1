#!/bin/sh
# The SDK for TypeScript against the daemon of this tree; the package as npm would
# publish it; and its types, as TypeScript sees them, if npm is reachable. With
# "fetch" it only puts TypeScript into the cache.
set -eu
cd "$(dirname "$0")/.."
cache=${HOOKWAY_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hookway-e2e}
typescript=typescript@5.9.3
to="$cache/$typescript"

skip() {
    echo "SKIPPED: $1"
    exit 0
}

command -v node >/dev/null || skip "the SDK for TypeScript is not tested, because node is not installed"
node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)' ||
    skip "the SDK for TypeScript is not tested, because it needs Node 20 and this is $(node --version)"

# obtain puts TypeScript into the cache, whole or not at all.
obtain() {
    command -v npm >/dev/null || skip "the package is not packed and its types are not checked, because npm is not installed"
    [ ! -d "$to" ] || return 0
    npm view "$typescript" version --fetch-retries=0 --fetch-timeout=15000 >/dev/null 2>&1 ||
        skip "the types of the SDK for TypeScript are not checked, because npm is not reachable"
    mkdir -p "$cache"
    new=$(mktemp -d "$cache/.new-XXXXXX")
    if ! npm install --prefix "$new" --no-audit --no-fund --no-save --loglevel=error "$typescript" >"$new/log" 2>&1; then
        cat "$new/log" >&2
        rm -rf "$new"
        skip "the types of the SDK for TypeScript are not checked, because npm could not install $typescript"
    fi
    if [ -d "$to" ]; then rm -rf "$new"; else mv "$new" "$to"; fi
}
if [ "${1-}" = fetch ]; then
    obtain
    exit 0
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bin=${HOOKWAY_E2E_BIN:-$folder} # make test has built it already
[ "$bin" != "$folder" ] || "${GO:-go}" build -o "$bin/hookway" ./cmd/hookway
cd sdk/typescript
HOOKWAY_BIN="$bin/hookway" node --test --test-concurrency=1 test/*.test.js >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    exit 1
}
grep -E '^(#|ℹ) (tests|pass|skipped) ' "$folder/log"

! command -v npm >/dev/null || npm pack --dry-run --offline --loglevel=error >/dev/null
obtain
node "$to/node_modules/typescript/bin/tsc" -p .
echo "the types are right"
