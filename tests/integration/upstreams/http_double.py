"""An MCP server over HTTP inside a test, in each of the three ways. The test changes how it misbehaves while it runs.

    HttpDouble(kind)    kind: "modern" (2026-07-28), "session" (2025-11-25 with sessions) or "sse" (2024-11-05)

Its tools: echo (only reads), act (does not), and what `faults` says for tools/call: "drop" (closes the connection),
"mute" (never answers), "ask" (asks its client, and then waits for ever), "slow" (begins events, and answers when `gate` is set), "flood" (a line without end), "break_off" (ends the events before the answer; resumable where the
kind is "session").
"""
import http.server
import json
import queue
import threading
import uuid

MODERN = "2026-07-28"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def json(self, body, status=200, **headers):
        self.reply(status, json.dumps(body).encode(), Content_Type="application/json", **headers)

    def events(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, data, **fields):
        lines = [f"{name}: {value}\n" for name, value in fields.items()] + [f"data: {data}\n\n"]
        self.wfile.write("".join(lines).encode())
        self.wfile.flush()

    def do_GET(self):
        self.of.note(self)
        if self.of.kind == "modern" or self.path != "/mcp":
            return self.reply(405)
        if self.of.kind == "session":
            return self.get_of_session()
        ident = uuid.uuid4().hex
        box = self.of.boxes.setdefault(ident, queue.Queue())
        self.events()
        self.event(f"/messages?session={ident}", event="endpoint")
        while (message := box.get()) is not None:
            self.event(message, event="message")

    def get_of_session(self):
        if self.headers.get("Mcp-Session-Id") not in self.of.sessions:
            return self.reply(404)
        last = self.headers.get("Last-Event-ID")
        if last in self.of.parked:
            self.events()
            return self.event(json.dumps(self.of.parked.pop(last)), id="done")
        self.reply(405)

    def do_DELETE(self):
        self.of.note(self)
        self.of.sessions.discard(self.headers.get("Mcp-Session-Id"))
        if self.of.endless_farewell:
            self.events()
            self.wfile.flush()
            return self.of.closing.wait()
        self.reply(204)

    def body(self):
        return self.rfile.read(int(self.headers["Content-Length"]))

    def do_POST(self):
        message = json.loads(self.body())
        if self.of.closing.is_set():  # on a connection that outlives the server
            self.close_connection = True
            return None
        self.of.note(self, message)
        if self.of.redirect:
            return self.reply(307, Location=self.of.redirect)
        if self.of.kind == "sse":
            return self.post_of_sse(message)
        method, ident = message.get("method"), message.get("id")
        if self.of.kind == "session" and method == "server/discover":
            return self.reply(self.of.discover_status)
        if self.of.kind == "session" and method != "initialize":
            if self.headers.get("Mcp-Session-Id") not in self.of.sessions:
                return self.json({"jsonrpc": "2.0", "id": ident if self.of.lost_names_request else None,
                                  "error": {"code": self.of.lost_code, "message": "Session not found"}}, self.of.lost_status)
        if ident is None or method is None:
            return self.reply(202)
        if method == "subscriptions/listen":
            self.of.grown = "tools/list" in self.of.methods()
            return self.events()  # it ends at once
        if method == "tools/call" and self.of.faults:
            return getattr(self, self.of.faults.pop(0))(message)
        if method == "initialize":
            session = uuid.uuid4().hex
            self.of.sessions.add(session)
            return self.json(self.of.answer(message), Mcp_Session_Id=session)
        self.json(self.of.answer(message))

    def post_of_sse(self, message):
        if not self.path.startswith("/messages?session="):
            return self.reply(404)
        self.reply(202, b"Accepted")
        if message.get("id") is not None:
            self.of.boxes[self.path.partition("=")[2]].put(json.dumps(self.of.answer(message)))

    def drop(self, message):
        self.of.answer(message)
        self.close_connection = True

    def fail_late(self, message):
        self.of.answer(message)
        error = {"code": -32603, "message": "mail sent; browser session died"}
        self.json({"jsonrpc": "2.0", "id": message["id"], "error": error}, 404)

    def progress_as_missing_events(self, message):
        self.of.answer(message)
        note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "session opened"}}
        self.reply(404, b"data: " + json.dumps(note).encode() + b"\n\n", Content_Type="text/event-stream")

    def cut_late(self, message):
        self.of.answer(message)
        self.send_response(400)
        self.send_header("Content-Length", "200")
        self.end_headers()
        self.wfile.write(b'{"error":{"code":-32603,"message":"mail sent; browser session died"}')
        self.close_connection = True

    def answer_as_missing_events(self, message):
        data = b"data: " + json.dumps(self.of.answer(message)).encode() + b"\n\n"
        self.reply(404, data, Content_Type="text/event-stream")

    def mute(self, _):
        self.of.closing.wait()

    def ask(self, _):
        self.events()
        self.event(json.dumps({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": {
            "message": "Who?", "requestedSchema": {"type": "object", "properties": {}}}}))
        self.of.closing.wait()

    def slow(self, message):
        self.events()
        self.wfile.flush()
        self.of.slow_began.set()
        self.of.gate.wait()
        self.event(json.dumps(self.of.answer(message)))

    def flood(self, _):
        self.events()
        try:
            while not self.of.closing.is_set():
                self.wfile.write(b"data: " + b"x" * 65536)
        except OSError:
            self.of.cut_off.set()

    def break_off(self, message):
        self.events()
        self.of.parked["e1"] = self.of.answer(message)
        self.wfile.write(b"id: e1\nretry: 50\ndata:\n\n")


class HttpDouble:
    def __init__(self, kind, port=0):
        self.kind, self.redirect = kind, None
        self.discover_status, self.lost_status, self.lost_names_request, self.lost_code = 400, 404, False, -32001
        self.faults, self.seen, self.done, self.listens, self.grown = [], [], [], False, False
        self.sessions, self.parked, self.boxes = set(), {}, {}
        self.endless_farewell = False
        self.closing, self.cut_off = threading.Event(), threading.Event()
        self.slow_began, self.gate = threading.Event(), threading.Event()
        handler = type("Of", (Handler,), {"of": self})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.closing.set()
        self.gate.set()
        for box in self.boxes.values():
            box.put(None)
        self.server.shutdown()
        self.server.server_close()

    def note(self, handler, message=None):
        self.seen.append((handler.command, (message or {}).get("method"), dict(handler.headers.items())))

    def methods(self):
        return [method or command for command, method, _ in self.seen]

    def answer(self, message):
        method, params = message["method"], message.get("params", {})
        body = {"tools": [self.tool("echo", True), self.tool("act", False)]}
        if self.grown:
            body["tools"].append(self.tool("later", True))
        info, capabilities = {"name": "double", "version": "1"}, {"tools": {"listChanged": True} if self.listens else {}}
        if method == "initialize":
            version = "2024-11-05" if self.kind == "sse" else "2025-11-25"
            body = {"protocolVersion": version, "capabilities": capabilities, "serverInfo": info}
        elif method == "server/discover":
            body = {"supportedVersions": [MODERN], "capabilities": capabilities, "ttlMs": 0, "cacheScope": "private",
                    "_meta": {"io.modelcontextprotocol/serverInfo": info}}
        elif method == "tools/call":
            self.done.append(params["name"])
            body = {"content": [{"type": "text", "text": params.get("arguments", {}).get("text", "did it")}]}
        if self.kind == "modern":
            body["resultType"] = "complete"
        return {"jsonrpc": "2.0", "id": message["id"], "result": body}

    def tool(self, name, reads):
        schema = {"type": "object", "properties": {"text": {"type": "string", "x-mcp-header": "Text"}}}
        return {"name": name, "description": f"The tool {name}", "inputSchema": schema, "annotations": {"readOnlyHint": reads}}
