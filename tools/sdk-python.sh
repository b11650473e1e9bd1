#!/bin/sh
# The SDK for Python against the daemon of this tree, and its types as mypy sees them.
# With "fetch" it only installs what it needs for that.
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

# mypy is the user's, or one in a cache of its own, installed once.
packages="mypy==2.4.1"
home=${XDG_CACHE_HOME:-$HOME/.cache}/hookway-mypy
obtain() {
    rm -rf "$home"
    mkdir -p "$home"
    "$python" -m venv "$home/venv" && "$home/venv/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 20 "$packages" &&
        echo "$packages" >"$home/installed"
}
mkdir -p "$(dirname "$home")"
checker=$python
if ! "$python" -c 'import mypy' 2>/dev/null; then
    checker="$home/venv/bin/python"
    [ "$(cat "$home/installed" 2>/dev/null)" = "$packages" ] || obtain >"$home.log" 2>&1 || checker=
fi
[ "${1-}" != fetch ] || exit 0

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bin=${HOOKWAY_E2E_BIN:-$folder} # make test has built it already
[ "$bin" != "$folder" ] || "${GO:-go}" build -o "$bin/hookway" ./cmd/hookway
cd sdk/python
HOOKWAY_BIN="$bin/hookway" PYTHONDONTWRITEBYTECODE=1 "$python" -m unittest discover -t . -s tests

if [ -z "$checker" ]; then
    echo "SKIPPED: the types are not checked, because mypy cannot be installed: $(tail -n 1 "$home.log")"
    exit 0
fi
"$checker" -m mypy --cache-dir "$folder/mypy"
"$checker" -m mypy --cache-dir "$folder/mypy" tests/typed.py
