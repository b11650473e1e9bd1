#!/bin/sh
# Runs the published programs of agents against a scripted model, with hookway's
# hooks in between: Claude Code and Codex, or those that HOOKWAY_E2E_AGENTS names.
# With "fetch" it only puts them into the cache; with "run COMMAND..." it runs that
# instead of the tests, with the variables that name the programs.
# docs/e2e.md says what that proves, and which variables there are.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}
cache=${HOOKWAY_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hookway-e2e}
claude_package=${HOOKWAY_E2E_CLAUDE_PACKAGE:-@anthropic-ai/claude-code@2.1.329}
codex_package=${HOOKWAY_E2E_CODEX_PACKAGE:-@openai/codex@0.169.0}
gemini_package=${HOOKWAY_E2E_GEMINI_PACKAGE:-@google/gemini-cli@0.61.0}
qwen_package=${HOOKWAY_E2E_QWEN_PACKAGE:-@qwen-code/qwen-code@0.24.4}
qwen_node=${HOOKWAY_E2E_QWEN_NODE_PACKAGE:-node-$(uname -s | tr A-Z a-z)-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@22.23.3} # it needs node 22 or newer
copilot_package=${HOOKWAY_E2E_COPILOT_PACKAGE:-@github/copilot@1.0.102}
opencode_package=${HOOKWAY_E2E_OPENCODE_PACKAGE:-opencode-ai@1.18.33}

# place PACKAGE: the folder of the cache that it belongs into.
place() {
    printf '%s/%s' "$cache" "$(printf %s "${1#@}" | tr -c 'A-Za-z0-9.\n' '-')"
}

# reachable PACKAGE: whether it is in the cache, or npm knows a way to it.
reachable() {
    [ -d "$(place "$1")" ] ||
        npm view "$1" version --fetch-retries=0 --fetch-timeout=15000 >/dev/null 2>&1
}

# obtain PACKAGE…: puts it into the cache, with others that it needs, whole or not
# at all.
obtain() {
    to=$(place "$1")
    [ ! -d "$to" ] || return 0
    echo "e2e: installing $1" >&2
    mkdir -p "$cache"
    new=$(mktemp -d "$cache/.new-XXXXXX")
    if ! npm install --prefix "$new" --no-audit --no-fund --no-save --loglevel=error "$@" >"$new/log" 2>&1; then
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

# skip REASON: an agent that cannot be had says nothing about hookway.
skip() {
    echo "e2e: skipped: $1"
    exit 0
}

# have NAME VARIABLE PACKAGE…: sees to it that the variable names the agent's program.
have() {
    name=$1 variable=$2
    shift 2
    eval "agent=\${$variable-}"
    if [ -z "$agent" ]; then
        command -v npm >/dev/null || skip "npm is not reachable"
        reachable "$1" || skip "npm is not reachable"
        obtain "$@" || skip "npm could not install $*"
        agent=$(program "$name" "$1")
    fi
    PATH=$(dirname "$agent"):$PATH HOME=$home "$agent" --version >/dev/null 2>&1 || skip "$agent does not run on this machine"
    export "$variable=$agent"
}

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
for wanted in ${HOOKWAY_E2E_AGENTS:-claude codex}; do
    case $wanted in
    claude) have claude HOOKWAY_E2E_CLAUDE "$claude_package" ;;
    codex) have codex HOOKWAY_E2E_CODEX "$codex_package" ;;
    gemini) have gemini HOOKWAY_E2E_GEMINI "$gemini_package" ;;
    qwen) have qwen HOOKWAY_E2E_QWEN "$qwen_package" "$qwen_node" ;;
    copilot) have copilot HOOKWAY_E2E_COPILOT "$copilot_package" ;;
    opencode) have opencode HOOKWAY_E2E_OPENCODE "$opencode_package" ;;
    *)
        echo "e2e: there is no agent $wanted; HOOKWAY_E2E_AGENTS may name claude, codex, gemini, qwen, copilot and opencode" >&2
        exit 2
        ;;
    esac
done
case ${1-} in
fetch) exit 0 ;; # they are in the cache now
run)
    shift
    "$@"
    exit 0
    ;;
esac
"$go" test -count=1 -vet=off -timeout 30m "$@" ./e2e
