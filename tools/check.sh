#!/bin/sh
# Everything that must hold of the tree: make test. It stops at the first thing
# that does not hold. With "quick", make check: what tells the most in the least
# time, from what is cached, and without the race detector.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}
kind=${1:-all}
export CGO_ENABLED=0 # as make build has it; only the race detector needs C

if ! command -v "$go" >/dev/null; then
    echo "Go is missing: install Go 1.26 or newer, then run make test again." >&2
    exit 1
fi

# What runs beside the steps, its output, and what it is called.
aside=$(mktemp -d)
beside() { # NAME PRIORITY TITLE COMMAND...: 19 takes what tests that wait leave over
    beside=$1 priority=$2
    printf '%s\n' "$3" >"$aside/$beside.title"
    shift 3
    nice -n "$priority" "$@" >"$aside/$beside.log" 2>&1 </dev/null &
    echo $! >"$aside/$beside.pid"
}
join() { # NAME: waits for it, and says what it said
    step "$(cat "$aside/$1.title")"
    code=0
    wait "$(cat "$aside/$1.pid")" || code=$?
    rm "$aside/$1.pid"
    cat "$aside/$1.log"
    [ "$code" = 0 ] || exit "$code"
}

# What took how long is printed at the end, also of what failed.
began=$(date +%s)
steps=
step() {
    close
    printf '\n== %s\n' "$*"
    name=$* since=$(date +%s)
}
close() {
    [ -z "${name-}" ] || steps="$steps$(printf '%5ss  %s' "$(($(date +%s) - since))" "$name")
"
    name=
}
finish() {
    code=$?
    last=${name-}
    close
    for pid in "$aside"/*.pid; do # they are there if something failed
        [ ! -f "$pid" ] || kill "$(cat "$pid")" 2>/dev/null || :
    done
    rm -rf "$aside"
    printf '\n== steps\n%s%5ss  in all\n' "$steps" "$(($(date +%s) - began))"
    if [ "$code" != 0 ]; then
        printf '\n== failed after %ss: %s\n' "$(($(date +%s) - began))" "$last" >&2
    fi
}
trap finish EXIT

step "format"
unformatted=$(find . -name '*.go' -not -path './.git/*' -exec gofmt -l {} +)
if [ -n "$unformatted" ]; then
    printf 'Not formatted; run gofmt -w on:\n%s\n' "$unformatted" >&2
    exit 1
fi

if [ "$kind" = quick ]; then
    step "vet"
    "$go" vet ./...
    step "build"
    "$go" build ./...
    step "tests, without those that take long"
    # More of them than there are processors: many wait. vet was asked, and nobody debugs.
    "$go" test -short -vet=off -ldflags=-w -p "$(($(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2) * 2))" ./...
    exit 0
fi

beside fetch 19 "what is downloaded" sh tools/fetch.sh

step "module files are tidy"
"$go" mod tidy -diff

step "build"
# Linked once, for all that runs them: the SDKs, an example, real agents.
export HOOKWAY_E2E_BIN="$aside/bin"
"$go" build -o "$HOOKWAY_E2E_BIN/" ./cmd/...

step "tests, with the race detector and the fuzz seeds"
command -v node >/dev/null || echo "skipped: the plugin for OpenCode is not run, because node is not installed"
"$go" run ./tools/testall

# vet is asked below, for all.
step "what the race detector's own memory and time would hide"
"$go" test -count=1 -vet=off -ldflags=-w -run 'LeavesNothingBehind|NeedBoundedMemory' ./handler/script
"$go" test -count=1 -vet=off -ldflags=-w ./internal/memory
"$go" test -count=1 -vet=off -ldflags=-w -run OtherWords ./internal/guards
"$go" test -count=1 -vet=off -ldflags=-w -run TestNoOutputIsTooMuch ./internal/terminal

join fetch

# It computes, and what follows mostly waits: for Python, Node, npm and agents.
beside lint 19 "vet, here and on other platforms, and staticcheck" sh tools/lint.sh
beside others 5 "the SDKs for Python and TypeScript; mem0 and Qdrant, if PyPI is reachable" sh tools/others.sh

step "real agents, if npm is reachable"
sh tools/e2e.sh

step "the page in a real browser, if there is one or it can be installed"
sh tools/page.sh -short # make proof opens it for all payloads, and from all origins

join others
join lint
