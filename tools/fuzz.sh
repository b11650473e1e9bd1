#!/bin/sh
# Runs every fuzz target for a while: tools/fuzz.sh 30s
set -eu
cd "$(dirname "$0")/.."
time=${1:-5s}
# To make an input shorter is worth little here, and would take all of the time.
shorter=20x
for file in $(grep -rl '^func Fuzz' --include='*_test.go' .); do
    for target in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file"); do
        echo "== $(dirname "$file") $target"
        go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime "$shorter" "$(dirname "$file")"
    done
done
