#!/bin/sh
# Runs this tree's hookway, with its hookway-hook beside it: go run builds only one.
set -eu
cd "$(dirname "$0")/.."
"${GO:-go}" build -trimpath -tags grpcnotrace -ldflags='-s -w' -o bin/ ./cmd/...
exec bin/hookway "$@"
