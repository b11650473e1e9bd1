#!/bin/sh
# The embedder against a real Ollama, with a tiny model of random weights that the
# test makes itself: no model is downloaded. Ollama is built once, which takes some
# minutes and a C++ compiler, into a cache folder; nothing is installed elsewhere.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}
version=v0.9.6 # later ones do not build from the module alone: files are missing in it
cache=${HOOKWAY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hookway}/ollama-$version

if [ ! -x "$cache/ollama" ]; then
    if ! command -v c++ >/dev/null; then
        echo "skipped: Ollama cannot be built without a C++ compiler"
        exit 0
    fi
    mkdir -p "$cache"
    echo "building Ollama $version into $cache; this takes minutes, once"
    CGO_ENABLED=1 GOBIN=$cache GOFLAGS= "$go" install "github.com/ollama/ollama@$version"
fi
OLLAMA=$cache/ollama "$go" test -tags ollama -count 1 -timeout 10m -run TestOllama -v ./internal/memory
