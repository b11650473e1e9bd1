#!/bin/sh
# hookway's adapters against the parts of mem0 and Qdrant that PyPI has: mem0's
# library, and the engine of Qdrant's client. They are installed into a cache of
# their own, once.
set -eu
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
if ! command -v "$python" >/dev/null; then
    echo "SKIPPED: mem0 and Qdrant are not tested with their own parts, because python3 is not installed"
    exit 0
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
    echo "SKIPPED: mem0 and Qdrant are not tested with their own parts, because they need Python 3.10 and this is $("$python" --version 2>&1)"
    exit 0
fi

packages="mem0ai==2.2.1 qdrant-client==1.20.0"
home=${XDG_CACHE_HOME:-$HOME/.cache}/hookway-memory-backends
if [ "$(cat "$home/installed" 2>/dev/null)" != "$packages" ]; then
    rm -rf "$home"
    mkdir -p "$home"
    # shellcheck disable=SC2086 # several packages
    if ! { "$python" -m venv "$home/venv" && "$home/venv/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 20 $packages; } >"$home/log" 2>&1; then
        echo "SKIPPED: mem0 and Qdrant are not tested with their own parts, because those cannot be installed: $(tail -n 1 "$home/log")"
        exit 0
    fi
    echo "$packages" >"$home/installed"
fi
[ "${1-}" != fetch ] || exit 0
HOOKWAY_TEST_PYTHON="$home/venv/bin/python" PYTHONDONTWRITEBYTECODE=1 "${GO:-go}" test -count=1 -vet=off -timeout 10m -run 'Itself|Mem0s' ./internal/memory/backends
