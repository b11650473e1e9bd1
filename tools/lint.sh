#!/bin/sh
# What can be said of the tree without running it, besides go vet for this system.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}
"$go" run ./tools/vet darwin windows
"$go" run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
echo "staticcheck has nothing to say"
