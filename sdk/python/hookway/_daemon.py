"""Where hookway's daemon listens, and how it is started when nobody has."""

from __future__ import annotations

import os
import socket
import stat
import time
from typing import NamedTuple

from ._errors import HookwayError, NoDaemon


class Place(NamedTuple):
    """Where hookway is reached."""

    path: str  # of a socket; else host and port
    host: str
    port: int
    tls: bool
    token: str
    own: bool  # the daemon of this user, which may be started

    def __str__(self) -> str:
        return self.path or f"{'https' if self.tls else 'http'}://{self.host}:{self.port}"


def find(url: str | None, token: str | None) -> Place:
    """The place that is given, or that the environment names, or the user's own daemon."""
    url = url or os.environ.get("HOOKWAY_URL", "")
    if not url or url.startswith("unix:"):
        if os.name == "nt" or not hasattr(socket, "AF_UNIX"):
            raise NoDaemon(
                "Python knows no way to the socket of hookway on this system: run hookway serve --listen 127.0.0.1:8787, "
                "and set HOOKWAY_URL=http://127.0.0.1:8787 and HOOKWAY_TOKEN to the token that hookway serve --token names the file of"
            )
    if not url:
        return Place(_socket(), "localhost", 0, False, "", True)
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        scheme, host, port, path = parts.scheme, parts.hostname or "", parts.port, parts.path
    except ValueError as wrong:
        raise HookwayError(f"HOOKWAY_URL is {url!r}: {wrong}") from None
    token = token or os.environ.get("HOOKWAY_TOKEN", "")
    if scheme == "unix" and path.startswith("/") and not host:
        return Place(path, "localhost", 0, False, token, False)
    if scheme not in ("http", "https") or not host or path.strip("/") or parts.query:
        raise HookwayError(f"HOOKWAY_URL is {url!r}; write it like http://127.0.0.1:8787, or unix:///run/user/1000/hookway.sock")
    if not token:
        raise HookwayError(f"{url} wants a token: set HOOKWAY_TOKEN to the one that hookway serve --token names the file of")
    return Place("", host, port or (443 if scheme == "https" else 80), scheme == "https", token, False)


_MAX_SOCKET = 104  # how long the path of a socket may be on every unix, with its zero


def _socket() -> str:
    """The socket of the user's own daemon; docs/daemon.md says where it is."""
    uid = os.getuid()
    home, runtime, temp = (os.environ.get(name, "") for name in ("HOOKWAY_HOME", "XDG_RUNTIME_DIR", "TMPDIR"))
    if home:
        home = (home if home.startswith("/") else os.getcwd() + "/" + home).rstrip("/") or "/"
        folder, name = home + "/run", home
    elif runtime.startswith("/") and _ours(runtime):
        folder, name = runtime + "/hookway", runtime
    else:
        name = temp if temp.startswith("/") else "/tmp"
        folder = f"{name}/hookway-{uid}"
    if len(os.fsencode(folder + "/hookway.sock")) >= _MAX_SOCKET:
        folder = f"/tmp/hookway-{uid}-{_hash(name)}"
    return folder + "/hookway.sock"


def _ours(folder: str) -> bool:
    try:
        info = os.stat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(info.st_mode) and info.st_uid == os.getuid()


def _hash(text: str) -> str:
    """FNV-1a in base 36, as hookway names a folder whose own name is too long for a socket."""
    h = 14695981039346656037
    for b in os.fsencode(text):
        h = (h ^ b) * 1099511628211 % (1 << 64)
    digits = ""
    while h:
        h, digit = divmod(h, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits or "0"


def check(path: str) -> None:
    """Refuse a socket in a folder that others may write: they choose who answers. A missing one is a FileNotFoundError."""
    folder = os.path.dirname(path)
    info = os.lstat(folder)
    if not stat.S_ISDIR(info.st_mode):
        raise NoDaemon(f"{folder} is not a folder; remove it")
    if info.st_uid != os.getuid():
        raise NoDaemon(f"{folder} belongs to another user; set HOOKWAY_HOME to a folder of your own")
    if info.st_mode & 0o077:
        raise NoDaemon(f"{folder} is open to others; close it with chmod 700")


def check_peer(connection: socket.socket) -> None:
    """Refuse a daemon of another user, where the system says whose it is."""
    if not hasattr(socket, "SO_PEERCRED"):
        return
    import struct

    uid = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]
    if uid != os.getuid():
        raise NoDaemon("what listens at hookway's socket belongs to another user; set HOOKWAY_HOME to a folder of your own")


def start(path: str, deadline: float) -> None:
    """Start the daemon, unless somebody else does: of all that try at once, one starts it and the others wait."""
    import fcntl

    folder = os.path.dirname(path)
    os.makedirs(folder, 0o700, exist_ok=True)
    check(path)
    pause = 0.001
    while True:
        lock = os.open(folder + "/start.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _locked(path, lock, deadline)
            return
        except BlockingIOError:
            pass
        finally:
            os.close(lock)
        if time.monotonic() + pause > deadline:
            raise NoDaemon("hookway's daemon did not start in time; hookway serve says why")
        time.sleep(pause)
        if _up(path):
            return
        pause = min(2 * pause, 0.008)


def _up(path: str) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(5)
            s.connect(path)
            return True
    except OSError:
        return False


def _locked(path: str, lock: int, deadline: float) -> None:
    """Start it; nobody else does meanwhile. A failure is marked in the lock's file, so that not every event pays for it."""
    if _up(path):  # somebody was faster
        return
    info = os.fstat(lock)
    if info.st_size and abs(time.time() - info.st_mtime) < 2:
        raise NoDaemon("hookway's daemon failed to start a moment ago; hookway serve says why")
    try:
        _spawn(path, deadline)
    except NoDaemon:
        os.pwrite(lock, b"failed\n", 0)
        raise
    if info.st_size:
        os.ftruncate(lock, 0)


def _installed() -> str:
    """hookway on PATH, or nothing. Folders of PATH that are relative lead into whatever folder we are in: what lies there is not trusted."""
    for folder in os.get_exec_path():
        file = os.path.join(folder, "hookway")
        if os.path.isabs(folder) and os.path.isfile(file) and os.access(file, os.X_OK):
            return file
    return ""


def _spawn(path: str, deadline: float) -> None:
    import select
    import subprocess

    program = os.environ.get("HOOKWAY_BIN") or _installed()
    if not program:
        raise NoDaemon("hookway's daemon does not run, and hookway is not on PATH to start it: install it, or set HOOKWAY_BIN to its place, or HOOKWAY_URL to a daemon elsewhere")
    env = {k: v for k, v in os.environ.items() if k not in ("HOOKWAY_SESSION", "HOOKWAY_TOKEN", "HOOK_ACTION", "HOOKWAY_WORKER")}
    if env.get("HOOKWAY_HOME"):
        env["HOOKWAY_HOME"] = os.path.abspath(env["HOOKWAY_HOME"])
    ready, theirs = os.pipe()
    try:
        env["HOOKWAY_READY_FD"] = str(theirs)
        try:
            process = subprocess.Popen(
                [os.path.abspath(program), "serve", "--on-demand"], cwd="/", env=env, pass_fds=[theirs], start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
        except OSError as wrong:
            raise NoDaemon(f"hookway's daemon cannot be started: {wrong}; set HOOKWAY_BIN to the place of hookway") from None
        finally:
            os.close(theirs)
        _reap(process)
        while True:  # until it takes calls, or ends: either closes the pipe
            if not select.select([ready], [], [], max(0, deadline - time.monotonic()))[0]:
                raise NoDaemon("hookway's daemon did not start in time; hookway serve says why")
            if not os.read(ready, 64):
                break
    finally:
        os.close(ready)
    if not _up(path):
        raise NoDaemon("hookway's daemon ended before it took calls; hookway serve says why")


def _reap(process: object) -> None:
    """Keep no zombie of a daemon that ends before this program."""
    import threading

    threading.Thread(target=process.wait, daemon=True).start()  # type: ignore[attr-defined]
