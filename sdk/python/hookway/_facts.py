"""What a call would do: matchers over the facts that hookway gives with an event.

hookway itself also follows the links of the folder that a pattern names.
"""

from __future__ import annotations

import os
import posixpath

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Fact = dict[str, Any]
    Holds = Callable[[Fact, dict[str, Any]], bool]
    Sign = str | int

_FILES = {"deletes": ("delete", "move", "git"), "writes": ("write",), "reads": ("read",), "moves": ("move",)}
_OPEN = "…"  # what shows only when the call runs


def _programs(f: Fact) -> list[str]:
    name = f.get("program", "")
    return [name, *([f"{name} {f['sub']}"] if f.get("sub") else []), *([" ".join([name, *f["args"]])] if f.get("args") else [])]


def _hosts(f: Fact) -> list[str]:
    host = f.get("host") or _OPEN
    return [host, *([f"{host}:{f['port']}"] if f.get("port") else []), *([f["class"]] if f.get("class") else [])]


def _git(f: Fact) -> list[str]:
    verb = f.get("verb", "")
    special = [word for word in ("force", "deletes", "uncommitted") if f.get(word)]
    return [verb, *special, *(f"{verb} {word}" for word in special)]


def _infra(f: Fact) -> list[str]:
    act = f"{f.get('system', '')} {f.get('verb', '')}"
    return [f.get("system", ""), act, f"{act} {f.get('object', '')}"]


_NAMES: dict[str, tuple[str, Callable[[Fact], list[str]]]] = {
    "runs": ("run", _programs),
    "connects": ("connect", _hosts),
    "git": ("git", _git),
    "sql": ("sql", lambda f: [f.get("verb", ""), f"{f.get('verb', '')} {f.get('object', '')}"]),
    "infra": ("infra", _infra),
    "secret": ("secret", lambda f: [f.get("kind", "")]),
}

def test(name: str, patterns: Sequence[str] | None, careful: bool) -> Callable[[dict[str, Any]], bool]:
    """The test of one key; without patterns it is for any. Careful is of what a guard lets pass: all of it must be listed."""
    if name in _FILES:
        kinds: Sequence[str] = _FILES[name]
        holds, sure = _files(patterns or ["**"])
    elif name == "sends":
        kinds = ("connect",)
        holds, sure = _sends(patterns or ["*"])
    elif name == "unknown":
        kinds = ("unknown",)
        holds = sure = lambda f, event: True
    else:
        kind, forms = _NAMES[name]
        kinds = (kind,)
        holds, sure = _words(patterns or ["*"], forms)

    def about(f: Fact) -> bool:
        return f.get("does") in kinds and (name not in _FILES or f.get("does") != "git" or bool(f.get("path")))

    def any_fact(event: dict[str, Any]) -> bool:
        return any(about(f) and not f.get("dry") and holds(f, event) for f in event.get("facts") or ())

    def each_fact(event: dict[str, Any]) -> bool:
        facts = event.get("facts") or ()
        asked = [f for f in facts if about(f)]
        return bool(asked) and all(f.get("does") != "unknown" for f in facts) and all(sure(f, event) for f in asked)

    return each_fact if careful else any_fact


def _words(patterns: Sequence[str], forms: Callable[[Fact], list[str]]) -> tuple[Holds, Holds]:
    from ._glob import alternatives, names

    lowered = [p.lower() for p in patterns]
    matches = names(lowered)
    signs = [_glob_signs(a, flat=True) for p in lowered for a in alternatives(p, p)]

    def form_holds(form: str) -> bool:
        form = form.lower()
        return matches(form) or _OPEN in form and any(_meet(s, _name_signs(form, flat=True)) for s in signs)

    def holds(f: Fact, event: dict[str, Any]) -> bool:
        return any(map(form_holds, forms(f)))

    def sure(f: Fact, event: dict[str, Any]) -> bool:
        return any(_OPEN not in form and matches(form.lower()) for form in forms(f))

    return holds, sure


def _sends(patterns: Sequence[str]) -> tuple[Holds, Holds]:
    files = [p[5:] for p in patterns if p.startswith("file:") and p != "file:*"]
    others = [p for p in patterns if not p.startswith("file:") or p == "file:*"]
    file_may, file_is = _files(files) if files else (None, None)
    from ._glob import names

    other = names(others) if others else lambda text: False

    def sent(text: str, event: dict[str, Any], test: Holds | None) -> bool:
        return other(text) or test is not None and text.startswith("file:") and test({"path": text[5:]}, event)

    def holds(f: Fact, event: dict[str, Any]) -> bool:
        return any(sent(text, event, file_may) for text in f.get("sends") or ())

    def sure(f: Fact, event: dict[str, Any]) -> bool:
        return all(sent(text, event, file_is) for text in f.get("sends") or ())

    return holds, sure


def _files(patterns: Sequence[str]) -> tuple[Holds, Holds]:
    from ._glob import places

    home = os.path.expanduser("~").replace("\\", "/") if os.sep == "\\" else os.path.expanduser("~")
    wanted = [place for p in patterns for place in places(p, home)]

    def forms(event: dict[str, Any]) -> list[tuple[list[Any], list[Sign], bool]]:
        import re

        names = _parts(_root(event))
        root = [re.compile(re.escape(part)) for part in names]
        below = [s for part in names for s in ("/", *part)]
        return [(root + parts if relative else parts, below + signs if relative else signs, free) for parts, signs, relative, free in wanted]

    def holds(f: Fact, event: dict[str, Any]) -> bool:
        from ._glob import walk

        whole = f.get("recursive") or f.get("does") == "move"  # a folder goes with all that is in it
        glob = bool(f.get("glob"))
        for name in (f.get("path"), f.get("real")):
            if not name:
                continue
            parts, open_ = _parts(name), glob or _OPEN in name
            for pattern, signs, free in forms(event):
                if not open_ and walk(pattern, parts):
                    return True
                if whole and free and _holds_root(parts, glob, event):
                    return True
                if (open_ or whole and not free) and _meet(signs, _path_signs(parts, glob, bool(whole and not free))):
                    return True
        return False

    def sure(f: Fact, event: dict[str, Any]) -> bool:
        from ._glob import walk

        named = [name for name in (f.get("path"), f.get("real")) if name]
        if not f.get("path") or f.get("glob") or any(_OPEN in name for name in named):
            return False
        return all(any(walk(pattern, _parts(name)) for pattern, _, _ in forms(event)) for name in named)

    return holds, sure


def _root(event: dict[str, Any]) -> str:
    root = os.environ.get("HOOKWAY_PROJECT_DIR") or event.get("cwd") or ""
    return root.replace("\\", "/") if os.sep == "\\" else root


def _parts(name: str) -> list[str]:
    return [part for part in posixpath.normpath("/" + name).split("/") if part]


def _holds_root(parts: list[str], glob: bool, event: dict[str, Any]) -> bool:
    while glob and parts and not parts[-1].strip("*"):
        parts = parts[:-1]
    root = _root(event)
    return root != "" and _parts(root)[: len(parts)] == parts


# A pattern and a path of which a part is open, as signs: a character, or one of these.
_ANY, _RUN, _DEEP, _SKIP = range(4)  # one character; any number; also with slashes; a slash that may be missing with the run after it
_FOLDERS = (_SKIP, _DEEP)
_MOST = 1 << 18


def segment_signs(segments: Sequence[str]) -> list[Sign]:
    """The signs of the segments of a glob."""
    out: list[Sign] = []
    for segment in segments:
        out += _FOLDERS if segment == "**" else ("/", *_glob_signs(segment))
    return out


def _glob_signs(text: str, flat: bool = False) -> list[Sign]:
    out: list[Sign] = []
    i = 0
    while i < len(text):
        c = text[i]
        i += 1
        if c == "*":
            out.append(_DEEP if flat else _RUN)
        elif c == "?":
            out.append(_ANY)
        elif c == "[":
            i = text.find("]", i + 1) + 1
            out.append(_ANY)
        else:
            if c == "\\":
                c = text[i]
                i += 1
            out.append("\0" if flat and c == "/" else c)
    return out


def _name_signs(name: str, flat: bool = False) -> list[Sign]:
    out: list[Sign] = []
    for c in name:
        out.append(_DEEP if c == _OPEN else "\0" if flat and c == "/" else c)
    return out


def _path_signs(parts: list[str], glob: bool, below: bool) -> list[Sign]:
    out: list[Sign] = []
    for i, part in enumerate(parts):
        if glob and part == "**":
            out += _FOLDERS
            continue
        if i or not part.startswith(_OPEN):
            out.append("/")
        odd = [at for at, c in enumerate(part) if c in "*?[]()"] if glob else []
        if not odd:
            out += _name_signs(part)
            continue
        out += _name_signs(part[: odd[0]].rstrip("@!+"))
        out.append(_DEEP if _OPEN in part else _RUN)
        out += _name_signs(part[odd[-1] + 1 :])
    return [*out, *_FOLDERS] if below else out


def _meet(a: list[Sign], b: list[Sign]) -> bool:
    """Whether there is a text that both may be."""
    if len(a) * len(b) > _MOST:
        return True
    todo, seen = [(0, 0)], {(0, 0)}

    def go(i: int, j: int) -> None:
        if (i, j) not in seen:
            seen.add((i, j))
            todo.append((i, j))

    while todo:
        i, j = todo.pop()
        if i == len(a) and j == len(b):
            return True
        x: Sign | None = a[i] if i < len(a) else None
        y: Sign | None = b[j] if j < len(b) else None
        if x in (_RUN, _DEEP):
            go(i + 1, j)
        elif x == _SKIP:
            go(i + 2, j)
        if y in (_RUN, _DEEP):
            go(i, j + 1)
        elif y == _SKIP:
            go(i, j + 2)
        if x is None or y is None or not _may(x, y):
            continue
        if x not in (_RUN, _DEEP) or y not in (_RUN, _DEEP):
            go(i + (x not in (_RUN, _DEEP)), j + (y not in (_RUN, _DEEP)))
    return False


def _may(x: Sign, y: Sign) -> bool:
    x, y = ("/" if s == _SKIP else s for s in (x, y))
    if _DEEP in (x, y):
        return True
    if x in (_RUN, _ANY):
        return y != "/"
    if y in (_RUN, _ANY):
        return x != "/"
    return x == y
