#!/bin/sh
# Everything that must hold of the tree: make test. It stops at the first thing
# that does not hold. With "quick", make check: what tells the most in the least
# time, from what is cached, and without the race detector.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}
kind=${1:-all}

if ! command -v "$go" >/dev/null; then
    echo "Go is missing: install Go 1.26 or newer, then run make test again." >&2
    exit 1
fi

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
    if [ "$code" = 0 ]; then
        printf '\n== steps\n%s%5ss  in all\n' "$steps" "$(($(date +%s) - began))"
    else
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
    "$go" test -short ./...
    exit 0
fi

step "module files are tidy"
"$go" mod tidy -diff
"$go" mod verify

step "build"
"$go" build ./...

step "vet, on every platform"
"$go" vet ./...
"$go" run ./tools/vet darwin windows

step "staticcheck"
"$go" run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

step "tests, with the race detector and the fuzz seeds"
command -v node >/dev/null || echo "skipped: the plugin for OpenCode is not run, because node is not installed"
"$go" run ./tools/testall

step "what the race detector's own memory and time would hide"
"$go" test -count=1 -run 'LeavesNothingBehind|NeedBoundedMemory' ./handler/script
"$go" test -count=1 ./internal/memory
"$go" test -count=1 -run TestNoOutputIsTooMuch ./internal/terminal

step "the SDK for Python"
sh tools/sdk-python.sh

step "the SDK for TypeScript"
sh tools/sdk-typescript.sh

step "mem0 and Qdrant, if PyPI is reachable"
sh tools/memory-backends.sh

step "real agents, if npm is reachable"
sh tools/e2e.sh
