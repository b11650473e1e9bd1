"""The engine of Qdrant's own Python client behind the few paths that hookway asks.

Requests are read by the vendor's own models, which take no unknown members. What
is filtered, scored, fused and put in order is the vendor's work; only the framing
is ours, and the strict mode of the service: a filter by a field without an index
is refused. With an argument, that is the folder in which the memories are. It
prints the address that it listens on, and ends with its stdin.
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

from qdrant_client import QdrantClient
from qdrant_client.http import models as m

client = QdrantClient(path=sys.argv[1], force_disable_check_same_thread=True) if len(sys.argv) > 1 else QdrantClient(":memory:")
lock = threading.Lock()
indexes = {one.name: {} for one in client.get_collections().collections}


class Refused(Exception):
    def __init__(self, status, text):
        self.status, self.text = status, text


def dump(value):
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude_none=True)
    if isinstance(value, list):
        return [dump(one) for one in value]
    return value


def check_filter(name, part):
    if isinstance(part, dict):
        if isinstance(part.get("key"), str) and part["key"] not in indexes[name]:
            raise Refused(400, 'Bad request: Index required but not found for "%s"' % part["key"])
        for one in part.values():
            check_filter(name, one)
    elif isinstance(part, list):
        for one in part:
            check_filter(name, one)


def create(name, body):
    if client.collection_exists(name):
        raise Refused(409, "Wrong input: Collection `%s` already exists!" % name)
    c = m.CreateCollection.model_validate(body)
    client.create_collection(name, vectors_config=c.vectors or {}, sparse_vectors_config=c.sparse_vectors)
    indexes[name] = {}
    return True


def info(name):
    got = dump(client.get_collection(name))
    got["payload_schema"] = {field: {"data_type": kind, "points": 0} for field, kind in indexes[name].items()}
    return got


def index(name, body):
    made = m.CreateFieldIndex.model_validate(body)
    kind = body["field_schema"]
    indexes[name][made.field_name] = kind["type"] if isinstance(kind, dict) else kind
    return done()


def done():
    return {"operation_id": 1, "status": "completed"}


def upsert(name, body):
    client.upsert(name, m.PointsList.model_validate(body).points)
    return done()


def retrieve(name, body):
    r = m.PointRequest.model_validate(body)
    return dump(client.retrieve(name, r.ids, with_payload=r.with_payload, with_vectors=bool(r.with_vector)))


def query(name, body):
    r = m.QueryRequest.model_validate(body)
    got = client.query_points(
        name, query=r.query, using=r.using, prefetch=r.prefetch, query_filter=r.filter, limit=r.limit,
        with_payload=r.with_payload, score_threshold=r.score_threshold,
    )
    return {"points": dump(got.points)}


def scroll(name, body):
    r = m.ScrollRequest.model_validate(body)
    points, after = client.scroll(
        name, scroll_filter=r.filter, limit=r.limit, order_by=r.order_by, offset=r.offset, with_payload=r.with_payload,
    )
    return {"points": dump(points), "next_page_offset": after}


def delete(name, body):
    client.delete(name, m.PointIdsList.model_validate(body))
    return done()


ROUTES = {
    "PUT index": index, "PUT points": upsert, "POST points": retrieve, "POST points/query": query,
    "POST points/scroll": scroll, "POST points/delete": delete,
}


def answer(method, path, body):
    _, name, *rest = [unquote(part) for part in path.strip("/").split("/")]
    what = "/".join(rest)
    if method == "PUT" and not what:
        return create(name, body)
    if not client.collection_exists(name):
        raise Refused(404, "Not found: Collection `%s` doesn't exist!" % name)
    if method == "GET" and not what:
        return info(name)
    if body:
        check_filter(name, body.get("filter"))
        check_filter(name, [part.get("filter") for part in body.get("prefetch") or []])
    return ROUTES[method + " " + what](name, body)


class Front(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def handle_any(self):
        size = int(self.headers.get("Content-Length") or 0)
        text = self.rfile.read(size)
        try:
            with lock:
                result = answer(self.command, urlsplit(self.path).path, json.loads(text) if text else None)
            self.reply(200, {"result": result, "status": "ok", "time": 0.001})
        except Refused as e:
            self.reply(e.status, {"status": {"error": e.text}, "time": 0.001})
        except Exception as e:  # what the engine refuses
            self.reply(400, {"status": {"error": "%s: %s" % (type(e).__name__, e)}, "time": 0.001})

    do_GET = do_PUT = do_POST = handle_any

    def reply(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


server = ThreadingHTTPServer(("127.0.0.1", 0), Front)
threading.Thread(target=server.serve_forever, daemon=True).start()
print("http://127.0.0.1:%d" % server.server_address[1], flush=True)
sys.stdin.read()
client.close()
