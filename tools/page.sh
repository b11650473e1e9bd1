#!/bin/sh
# Opens hookway's page in a real browser: Chromium, which is installed where that may
# be done. With "fetch" it only installs what the tests need. docs/e2e.md says what
# they prove, and which variables there are.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}
cache=${HOOKWAY_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hookway-e2e}
axe_package=axe-core@4.14.1

# skip REASON: loudly, because the page is what people look at.
skip() {
    echo "SKIPPED: the page is not tested in a browser, because $1"
    exit 0
}

# find_chromium: the path of the browser, if there is one.
find_chromium() {
    for name in chromium chromium-browser google-chrome google-chrome-stable; do
        command -v "$name" && return
    done
}

[ "$(uname -s)" = Linux ] || skip "these tests are for Linux"
if [ -z "${HOOKWAY_E2E_CHROMIUM-}" ]; then
    HOOKWAY_E2E_CHROMIUM=$(find_chromium || :)
fi
if [ -z "$HOOKWAY_E2E_CHROMIUM" ]; then
    command -v apt-get >/dev/null || skip "there is no Chromium, and no apt-get that installs it"
    [ "$(id -u)" = 0 ] || skip "there is no Chromium, and only root may install it: apt-get install chromium"
    echo "page: installing chromium" >&2
    log=$(mktemp)
    if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium fonts-dejavu-core; } >"$log" 2>&1; then
        last=$(tail -n 1 "$log")
        rm -f "$log"
        skip "apt-get cannot install Chromium: $last"
    fi
    rm -f "$log"
    HOOKWAY_E2E_CHROMIUM=$(find_chromium || :)
fi
[ -n "$HOOKWAY_E2E_CHROMIUM" ] || skip "apt-get has installed no Chromium"
version=$("$HOOKWAY_E2E_CHROMIUM" --version 2>/dev/null) || skip "$HOOKWAY_E2E_CHROMIUM does not run on this machine"
export HOOKWAY_E2E_CHROMIUM

# axe-core looks for what people cannot see, hear or reach.
axe=$cache/$(printf %s "$axe_package" | tr -c 'A-Za-z0-9.\n' '-')
if [ -z "${HOOKWAY_E2E_AXE-}" ] && [ ! -d "$axe" ] && command -v npm >/dev/null; then
    mkdir -p "$cache"
    new=$(mktemp -d "$cache/.new-XXXXXX")
    if npm install --prefix "$new" --no-audit --no-fund --no-save --ignore-scripts --fetch-retries=1 --loglevel=error "$axe_package" >"$new/log" 2>&1 && [ ! -d "$axe" ]; then
        mv "$new" "$axe"
    else
        rm -rf "$new"
    fi
fi
[ -n "${HOOKWAY_E2E_AXE-}" ] || [ ! -d "$axe" ] || HOOKWAY_E2E_AXE=$axe/node_modules/axe-core/axe.min.js
export HOOKWAY_E2E_AXE="${HOOKWAY_E2E_AXE-}"
[ -n "$HOOKWAY_E2E_AXE" ] || echo "SKIPPED: axe-core does not look at the page, because npm cannot install it"

# A call of the real Claude Code is allowed in the page.
if [ -z "${HOOKWAY_E2E_CLAUDE-}" ]; then
    HOOKWAY_E2E_CLAUDE=$(HOOKWAY_E2E_AGENTS=claude sh tools/e2e.sh run sh -c 'echo "$HOOKWAY_E2E_CLAUDE"' | tail -n 1)
fi
case $HOOKWAY_E2E_CLAUDE in
/*) ;;
*) HOOKWAY_E2E_CLAUDE= && echo "SKIPPED: no call of the real Claude Code is allowed in the page, because npm is not reachable" ;;
esac
export HOOKWAY_E2E_CLAUDE

[ "${1-}" != fetch ] || exit 0
echo "the page is opened in $version"
"$go" test ./e2e/page -count=1 -vet=off -timeout 30m "$@"
