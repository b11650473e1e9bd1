#!/bin/sh
# The SDK for Python against the daemon of this tree, and its types as type
# checkers see them, if there is one.
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

if "$python" -c 'import mypy' 2>/dev/null; then
    "$python" -m mypy --cache-dir "$folder/mypy" && "$python" -m mypy --cache-dir "$folder/mypy" tests/typed.py
else
    echo "skipped: the types are not checked, because mypy is not installed"
fi
