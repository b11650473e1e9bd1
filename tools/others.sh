#!/bin/sh
# hookway and what is not written in Go: the SDKs, and memory's backends.
set -eu
for script in sdk-python sdk-typescript memory-backends; do
    echo "-- $script"
    sh "$(dirname "$0")/$script.sh"
done
