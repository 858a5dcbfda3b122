"""An HTTP API inside a test. It keeps what arrived in `seen`; `answers` says what a path answers."""
import gzip
import http.server
import json
import threading

BIG = 3 << 20


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body=b"", kind="application/json", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if kind:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        if self.path == "/openapi.json":
            return self.reply(200, json.dumps(self.of.document).encode())
        self.of.seen.append((self.command, self.path, dict(self.headers), body))
        kind = self.path.rsplit("/", 1)[-1].split("?")[0]
        if kind == "big":
            return self.reply(200, b"x" * BIG, "text/plain")
        if kind == "coded":
            return self.reply(200, gzip.compress(b'{"pets": []}'), Content_Encoding="gzip")
        if kind == "escaped":
            key = self.headers["X-Key"]
            return self.reply(200, f'{{"key": "\\u{ord(key[0]):04x}{key[1:]}"}}'.encode())
        if kind == "broken":
            return self.reply(500, b'{"error": "out of pets"}')
        if kind == "endless":
            self.send_response(500)
            self.send_header("Content-Type", "text/event-stream" if self.of.endless_events else "application/json")
            self.end_headers()
            self.wfile.write(b"data: out of pets\n\n" * 10000 if self.of.endless_events else b'{"error": "out of pets' + b" " * 100000)
            self.close_connection = True
            return self.of.slow.wait()
        if kind == "garbage":
            self.close_connection = True
            return self.wfile.write(b"no HTTP at all\r\n\r\n")
        if kind == "drop":
            self.close_connection = True
            return None
        if kind == "away":
            return self.reply(302, Location=self.of.elsewhere + "/stolen")
        if kind == "slow":
            self.of.slow.wait(60)
            try:
                self.connection.setblocking(False)
                gone = self.connection.recv(1) == b""
            except BlockingIOError:
                gone = False
            self.of.cut_off.append(gone)
            self.close_connection = True
            return None
        echo = {"method": self.command, "path": self.path, "body": body, "headers": dict(self.headers)}
        return self.reply(200, json.dumps(echo).encode())

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = answer


class ApiDouble:
    def __init__(self, port=0):
        self.seen, self.cut_off = [], []
        self.slow = threading.Event()
        self.elsewhere, self.endless_events = "", False
        self.document = {}
        handler = type("Own", (Handler,), {"of": self})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
        self.server.daemon_threads = True
        self.origin = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.slow.set()
        self.server.shutdown()
        self.server.server_close()
