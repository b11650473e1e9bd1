"""mem0's library behind the paths of its open-source server.

The server itself is in no package; its handlers do little more than these. The
embedder is any server that speaks like OpenAI's (the first argument: its URL), the
store is the engine of Qdrant's client, in the folder of the third argument. Each request is handed to mem0 as it is. It
prints the address that it listens on, and ends with its stdin.
"""

import json
import os
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

home = tempfile.mkdtemp()
os.environ.update(MEM0_TELEMETRY="false", OPENAI_API_KEY="x", MEM0_DIR=home, HOME=home)

from mem0 import Memory  # noqa: E402: it reads the environment

dims = int(sys.argv[2])
memory = Memory.from_config({
    "vector_store": {"provider": "qdrant", "config": {"collection_name": "mem0", "path": sys.argv[3] if len(sys.argv) > 3 else os.path.join(home, "qdrant"), "embedding_model_dims": dims}},
    "embedder": {"provider": "openai", "config": {"model": "counting", "openai_base_url": sys.argv[1], "embedding_dims": dims}},
    "llm": {"provider": "openai", "config": {"openai_base_url": sys.argv[1]}},
    "history_db_path": os.path.join(home, "history.db"),
})
lock = threading.Lock()


class Refused(Exception):
    def __init__(self, status, text):
        self.status, self.text = status, text


def add(body):
    known = {"messages", "user_id", "agent_id", "run_id", "metadata", "infer", "expiration_date", "memory_type", "prompt"}
    if set(body) - known:
        raise Refused(422, "unknown fields: %s" % sorted(set(body) - known))
    if not any(body.get(name) for name in ("user_id", "agent_id", "run_id")):
        raise Refused(400, "At least one identifier (user_id, agent_id, run_id) is required.")
    rest = {name: value for name, value in body.items() if name != "messages" and value is not None}
    return memory.add(messages=body["messages"], **rest)


def search(body):
    known = {"query", "filters", "top_k", "threshold", "explain", "show_expired"}
    if set(body) - known:
        raise Refused(422, "unknown fields: %s" % sorted(set(body) - known))
    rest = {name: value for name, value in body.items() if name != "query" and value is not None}
    return memory.search(query=body["query"], **rest)


def listing(query):
    filters = {name: query[name][0] for name in ("user_id", "agent_id", "run_id") if name in query}
    if not filters:
        raise Refused(403, "Admin only")
    return memory.get_all(filters=filters, top_k=min(int(query.get("top_k", ["20"])[0]), 1000))


def one(method, name):
    if method == "GET":
        return memory.get(name)
    try:
        memory.delete(memory_id=name)
    except ValueError as e:
        raise Refused(404 if "not found" in str(e) else 400, str(e))
    return {"message": "Memory deleted successfully!"}


def answer(method, path, query, body):
    if (method, path) == ("POST", "/memories"):
        return add(body)
    if (method, path) == ("POST", "/search"):
        return search(body)
    if (method, path) == ("GET", "/memories"):
        return listing(query)
    if method in ("GET", "DELETE") and path.startswith("/memories/") and not path.endswith("/"):
        return one(method, unquote(path[len("/memories/"):]))
    raise Refused(404, "Not Found")


class Front(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def handle_any(self):
        at = urlsplit(self.path)
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            with lock:
                self.reply(200, answer(self.command, at.path, parse_qs(at.query), json.loads(text) if text else None))
        except Refused as e:
            self.reply(e.status, {"detail": e.text})
        except Exception as e:
            self.reply(502, {"detail": "%s: %s" % (type(e).__name__, e)})

    do_GET = do_POST = do_DELETE = handle_any

    def reply(self, status, value):
        data = json.dumps(value, default=str).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


server = ThreadingHTTPServer(("127.0.0.1", 0), Front)
threading.Thread(target=server.serve_forever, daemon=True).start()
print("http://127.0.0.1:%d" % server.server_address[1], flush=True)
sys.stdin.read()
memory.vector_store.client.close()
