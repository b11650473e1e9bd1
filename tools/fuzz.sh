#!/bin/sh
# Runs every fuzz target for a while, also after one that failed: tools/fuzz.sh 30s
set -eu
cd "$(dirname "$0")/.."
time=${1:-5s}
# To make an input shorter is worth little here, and would take all of the time.
shorter=20x
failed=
for file in $(grep -rl '^func Fuzz' --include='*_test.go' .); do
    for target in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file"); do
        echo "== $(dirname "$file") $target"
        go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime "$shorter" "$(dirname "$file")" ||
            failed="$failed $(dirname "$file"):$target"
    done
done
[ -z "$failed" ] || {
    echo "failed:$failed" >&2
    exit 1
}
