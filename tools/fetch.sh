#!/bin/sh
# What later steps of make test would wait for is downloaded while others run. What
# cannot be had now is tried again there, which says so: nothing fails here.
set -u
cd "$(dirname "$0")/.."
for script in e2e page sdk-typescript sdk-python memory-backends; do
    sh "tools/$script.sh" fetch || :
done
