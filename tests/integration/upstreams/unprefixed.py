"""An HTTP proxy inside a test: it hides the prefix mcp__NAME__ of one upstream's tools and prompts, for clients that know
only the upstream's own names. Everything else passes as it is."""
import http.client
import http.server
import json
import select
import socket
import threading

SKIPPED = ("connection", "content-length", "transfer-encoding", "keep-alive")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def with_prefix(self, body):
        """The request as the host knows it."""
        try:
            message = json.loads(body)
        except ValueError:
            return body
        params = message.get("params") if isinstance(message, dict) else None
        if not isinstance(params, dict):
            return body
        named = {"tools/call": params, "prompts/get": params, "completion/complete": params.get("ref")}.get(message.get("method"))
        if not isinstance(named, dict) or not isinstance(named.get("name"), str):
            return body
        named["name"] = self.of.prefix + named["name"]
        return json.dumps(message).encode()

    def without_prefix(self, text):
        """The response as the upstream would give it."""
        try:
            message = json.loads(text)
        except ValueError:
            return text
        result = message.get("result") if isinstance(message, dict) else None
        if not isinstance(result, dict):
            return text
        for kind in ("tools", "prompts"):
            if kind in result:
                result[kind] = [one | {"name": one["name"].removeprefix(self.of.prefix)} for one in result[kind]
                                if one["name"].startswith(self.of.prefix)]
        return json.dumps(message).encode()

    def forward(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name: value for name, value in self.headers.items() if name.lower() not in SKIPPED}
        body = self.with_prefix(body)
        if headers.get("Mcp-Method") in ("tools/call", "prompts/get") and "Mcp-Name" in headers:
            headers["Mcp-Name"] = self.of.prefix + headers["Mcp-Name"]
        if headers.get("Host", "").endswith(f":{self.of.port}"):
            headers["Host"] = f"localhost:{self.of.to}"
        connection = http.client.HTTPConnection("127.0.0.1", self.of.to, timeout=600)
        connection.request(self.command, self.path, body or None, headers)
        threading.Thread(target=self.watch, args=(connection.sock,), daemon=True).start()
        try:
            self.pass_back(connection.getresponse())
        except (OSError, http.client.HTTPException):
            self.close_connection = True
        finally:
            connection.close()

    def watch(self, onward):
        """A client that closes its connection closes the other one."""
        try:
            select.select([self.connection], [], [])
            if self.connection.recv(1, socket.MSG_PEEK) == b"":
                onward.shutdown(socket.SHUT_RDWR)
        except (OSError, ValueError):
            return

    def pass_back(self, answer):
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in SKIPPED:
                self.send_header(name, value)
        if not answer.getheader("Content-Type", "").startswith("text/event-stream"):
            text = answer.read()
            if text:
                text = self.without_prefix(text)
            if answer.status != 204:
                self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)
            return
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while line := answer.readline():
            if line.startswith(b"data:"):
                line = b"data: " + self.without_prefix(line[5:].strip()) + b"\n"
            self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    do_GET = do_POST = do_DELETE = do_PUT = do_OPTIONS = forward


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Clients of the suite close connections in the middle of a response."""


class Unprefixed:
    def __init__(self, upstream, to):
        self.prefix, self.to = f"mcp__{upstream}__", to
        self.server = Server(("127.0.0.1", 0), type("Own", (Handler,), {"of": self}))
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
