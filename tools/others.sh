#!/bin/sh
# hookway and what is not written in Go: the SDKs, and memory's backends.
set -eu
child=
trap '[ -z "$child" ] || kill "$child" 2>/dev/null; exit 143' TERM INT
for script in sdk-python sdk-typescript memory-backends; do
    echo "-- $script"
    sh "$(dirname "$0")/$script.sh" &
    child=$!
    wait "$child"
    child=
done
