#!/bin/sh
# What can be said of the tree without running it. make test has compiled it with the
# race detector, tests and all: vet and staticcheck read that, and compile nothing.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}
programs=$(mktemp -d)
trap 'rm -rf "$programs"' EXIT
flags="$("$go" env GOFLAGS) $("$go" run ./tools/testall -flags)"

"$go" mod verify
"$go" build ./...
CGO_ENABLED=1 GOFLAGS=$flags "$go" vet ./...
echo "vet has nothing to say"
"$go" run ./tools/vet darwin windows
GOBIN=$programs "$go" install honnef.co/go/tools/cmd/staticcheck@v0.8.2
CGO_ENABLED=1 GOFLAGS=$flags "$programs/staticcheck" ./...
echo "staticcheck has nothing to say"
