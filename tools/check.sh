#!/bin/sh
# Everything that must hold of the tree. It stops at the first thing that does not.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}

if ! command -v "$go" >/dev/null; then
    echo "Go is missing: install Go 1.26 or newer, then run make test again." >&2
    exit 1
fi

step() { printf '\n== %s\n' "$*"; }

step "format"
unformatted=$(find . -name '*.go' -not -path './.git/*' -exec gofmt -l {} +)
if [ -n "$unformatted" ]; then
    printf 'Not formatted; run gofmt -w on:\n%s\n' "$unformatted" >&2
    exit 1
fi

step "module files are tidy"
"$go" mod tidy -diff
"$go" mod verify

step "vet, on every platform"
for os in linux darwin windows; do
    echo "$os"
    GOOS=$os "$go" vet ./...
done

step "staticcheck"
"$go" run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

step "build"
"$go" build ./...

step "tests, with the race detector and the fuzz seeds"
command -v node >/dev/null || echo "skipped: the plugin for OpenCode is not run, because node is not installed"
"$go" test -race -shuffle=on -timeout 15m ./...

step "what the race detector's own memory and time would hide"
"$go" test -run 'LeavesNothingBehind|NeedBoundedMemory' ./handler/script
"$go" test ./internal/memory
"$go" test -run TestNoOutputIsTooMuch ./internal/terminal

step "the SDK for Python"
sh tools/sdk-python.sh

step "the SDK for TypeScript"
sh tools/sdk-typescript.sh

step "mem0 and Qdrant, if PyPI is reachable"
sh tools/memory-backends.sh

step "real agents, if npm is reachable"
sh tools/e2e.sh
