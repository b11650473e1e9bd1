#!/bin/sh
# The SDK for Python against the daemon of this tree, and its types as mypy sees them.
set -eu
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
if ! command -v "$python" >/dev/null; then
    echo "SKIPPED: the SDK for Python is not tested, because python3 is not installed"
    exit 0
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
    echo "SKIPPED: the SDK for Python is not tested, because it needs Python 3.10 and this is $("$python" --version 2>&1)"
    exit 0
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${GO:-go}" build -o "$folder/hookway" ./cmd/hookway
cd sdk/python
HOOKWAY_BIN="$folder/hookway" PYTHONDONTWRITEBYTECODE=1 "$python" -m unittest discover -t . -s tests

# mypy is the user's, or one in a cache of its own, installed once.
if ! "$python" -c 'import mypy' 2>/dev/null; then
    packages="mypy==2.4.1"
    home=${XDG_CACHE_HOME:-$HOME/.cache}/hookway-mypy
    if [ "$(cat "$home/installed" 2>/dev/null)" != "$packages" ]; then
        rm -rf "$home"
        mkdir -p "$home"
        if ! { "$python" -m venv "$home/venv" && "$home/venv/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 20 "$packages"; } >"$home/log" 2>&1; then
            echo "SKIPPED: the types are not checked, because mypy cannot be installed: $(tail -n 1 "$home/log")"
            exit 0
        fi
        echo "$packages" >"$home/installed"
    fi
    python="$home/venv/bin/python"
fi
"$python" -m mypy --cache-dir "$folder/mypy"
"$python" -m mypy --cache-dir "$folder/mypy" tests/typed.py
