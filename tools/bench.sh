#!/bin/sh
# Measures this tree's hookway: handlers, memory, relay or run. --help says more.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
(cd "$root" && "${GO:-go}" build -trimpath -tags grpcnotrace -ldflags='-s -w' -o bin/ ./cmd/... ./tools/bench)
exec "$root/bin/bench" "$@"
