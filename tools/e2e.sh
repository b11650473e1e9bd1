#!/bin/sh
# Runs the published Claude Code and Codex against a scripted model, with hookway's
# hooks in between. docs/e2e.md says what that proves, and which variables there are.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}
cache=${HOOKWAY_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hookway-e2e}
claude_package=${HOOKWAY_E2E_CLAUDE_PACKAGE:-@anthropic-ai/claude-code@2.1.329}
codex_package=${HOOKWAY_E2E_CODEX_PACKAGE:-@openai/codex@0.169.0}

# place PACKAGE: the folder of the cache that it belongs into.
place() {
    printf '%s/%s' "$cache" "$(printf %s "${1#@}" | tr -c 'A-Za-z0-9.\n' '-')"
}

# reachable PACKAGE: whether it is in the cache, or npm knows a way to it.
reachable() {
    [ -d "$(place "$1")" ] ||
        npm view "$1" version --fetch-retries=0 --fetch-timeout=15000 >/dev/null 2>&1
}

# obtain PACKAGE: puts it into the cache, whole or not at all.
obtain() {
    to=$(place "$1")
    [ ! -d "$to" ] || return 0
    echo "e2e: installing $1" >&2
    mkdir -p "$cache"
    new=$(mktemp -d "$cache/.new-XXXXXX")
    if ! npm install --prefix "$new" --no-audit --no-fund --no-save --loglevel=error "$1" >"$new/log" 2>&1; then
        cat "$new/log" >&2
        rm -rf "$new"
        echo "e2e: npm could not install $1" >&2
        return 1
    fi
    if [ -d "$to" ]; then # another run was faster
        rm -rf "$new"
    else
        mv "$new" "$to"
    fi
}

# program NAME PACKAGE: the path of a program of an installed package.
program() {
    printf '%s/node_modules/.bin/%s' "$(place "$2")" "$1"
}

if [ -z "${HOOKWAY_E2E_CLAUDE-}" ] || [ -z "${HOOKWAY_E2E_CODEX-}" ]; then
    if ! command -v npm >/dev/null || ! reachable "$claude_package" || ! reachable "$codex_package"; then
        echo "e2e: skipped: npm is not reachable"
        exit 0
    fi
fi
# skip REASON: an agent that cannot be had says nothing about hookway.
skip() {
    echo "e2e: skipped: $1"
    exit 0
}

if [ -z "${HOOKWAY_E2E_CLAUDE-}" ]; then
    obtain "$claude_package" || skip "npm could not install $claude_package"
    HOOKWAY_E2E_CLAUDE=$(program claude "$claude_package")
fi
if [ -z "${HOOKWAY_E2E_CODEX-}" ]; then
    obtain "$codex_package" || skip "npm could not install $codex_package"
    HOOKWAY_E2E_CODEX=$(program codex "$codex_package")
fi
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
for agent in "$HOOKWAY_E2E_CLAUDE" "$HOOKWAY_E2E_CODEX"; do
    HOME=$home "$agent" --version >/dev/null 2>&1 || skip "$agent does not run on this machine"
done
export HOOKWAY_E2E_CLAUDE HOOKWAY_E2E_CODEX
"$go" test -count=1 -timeout 4m "$@" ./e2e
