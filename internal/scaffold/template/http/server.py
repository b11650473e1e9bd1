#!/usr/bin/env python3
"""HOOKNAME: npm publish is refused, unless it says --dry-run. That is decided by the
text of the command, which is no wall: a script that publishes passes.

A server that hookway asks about events. It takes only what is signed with its
secret, as Standard Webhooks do (https://www.standardwebhooks.com), and signs its
answers. It needs no package.

The hook HOOKNAME-server in hookway.yaml has hookway start it when it is needed,
and end it. By hand, python3 FILE serves until it is stopped. If it runs on
another machine, take HOOKNAME-server and allow_private out of hookway.yaml, and
change the url there.
"""
import base64
import hashlib
import hmac
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOST, PORT = "127.0.0.1", HOOKPORT
SECRET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".hookway", "HOOKNAME.secret")
MAX = 16 << 20  # bytes of an event


def decide(event):
    """The decision about one event; {} is no opinion."""
    command = event.get("tool_input", {}).get("command", "")
    if isinstance(command, list):
        command = " ".join(map(str, command))
    if "--dry-run" not in str(command).split():
        return {"action": "block", "reason": "A person publishes. Try it with --dry-run."}
    return {}


def key():
    with open(SECRET, encoding="ascii") as f:
        text = f.read().strip().removeprefix("whsec_")
    return base64.b64decode(text + "=" * (-len(text) % 4))


def signature(msg_id, timestamp, body):
    text = f"{msg_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key(), text, hashlib.sha256).digest()).decode()


class Hook(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps connections
    wbufsize = -1  # an answer is one packet
    timeout = 300  # seconds without a request

    def do_POST(self):
        size = self.headers.get("Content-Length", "")
        if not size.isdecimal() or int(size) > MAX:
            self.close_connection = True
            return self.reply(413, b"the event is too long, or does not say how long it is")
        body = self.rfile.read(int(size))
        if not self.signed(body):
            return self.reply(401, b"the signature is wrong")
        self.reply(200, json.dumps(decide(json.loads(body))).encode())

    def signed(self, body):
        msg_id, sent = self.headers.get("Webhook-Id", ""), self.headers.get("Webhook-Timestamp", "")
        if not sent.isdecimal() or abs(time.time() - int(sent)) > 300:
            return False
        wanted = signature(msg_id, sent, body).encode()
        given = self.headers.get("Webhook-Signature", "").encode().split()
        return any(hmac.compare_digest(wanted, one) for one in given)

    def reply(self, status, body):
        msg_id, now = self.headers.get("Webhook-Id", ""), str(int(time.time()))
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Webhook-Id", msg_id)
        self.send_header("Webhook-Timestamp", now)
        self.send_header("Webhook-Signature", signature(msg_id, now, body))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True  # open connections do not keep it from ending
    allow_reuse_address = os.name != "nt"


def listen():
    """Serves in the background; None if another process has the port already."""
    try:
        server = Server((HOST, PORT), Hook)
    except OSError:
        return None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def worker():
    """Serves while hookway keeps stdin open. Before each event it sees to it that
    somebody listens: another process may have had the port, and ended."""
    server = None
    for line in sys.stdin:
        call = json.loads(line)
        if call.get("method") == "hook":
            server = server or listen()
            print(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": {}}), flush=True)


if __name__ == "__main__":
    if os.environ.get("HOOKWAY_WORKER"):
        worker()
    else:
        print(f"listening on http://{HOST}:{PORT}", file=sys.stderr)
        Server((HOST, PORT), Hook).serve_forever()
