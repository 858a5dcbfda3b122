"""Requests as they are, and streams of server-sent events as they come: for the tests at the edges of MCP and HTTP."""
import http.client
import json
import socket

from harness import LEGACY, MODERN, PATIENCE_S, TestCase

BOTH = {"Accept": "application/json, text/event-stream"}
CLIENT = {"name": "t", "version": "1"}
META = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}


class Events:
    """A stream of server-sent events, read as they come: (id, data) of each, data None of one that primes."""

    def __init__(self, response, connection):
        self.response = response
        self.connection = connection
        self.seen = []

    def next(self):
        """The next event; None at the end of the stream. Comments are left out."""
        fields = {}
        while True:
            line = self.response.readline()
            if not line:
                return None
            line = line.decode().rstrip("\n")
            if line.startswith(":"):
                continue
            if line:
                name, _, value = line.partition(": ")
                fields[name.rstrip(":")] = value
            elif fields:
                event = fields.get("id"), json.loads(fields["data"]) if fields.get("data") else None
                self.seen.append(event)
                return event

    def until(self, wanted):
        """Events up to the first that `wanted` takes, with it."""
        got = []
        while not got or not wanted(got[-1]):
            event = self.next()
            if event is None:
                raise AssertionError(f"the stream ended after {got}")
            got.append(event)
        return got

    def close(self):
        self.response.close()
        self.connection.close()


def methods_of(events):
    return [data["method"] if data else None for _, data in events]


class EdgeCase(TestCase):
    def serve(self, *plugins, config="", **options):
        self.place = self.workspace(*plugins, config=config)
        self.host = self.http_host(self.place, **options)
        return self.host

    def begin_session(self, version=LEGACY, capabilities=None):
        body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": version, "capabilities": capabilities or {}, "clientInfo": CLIENT}}
        status, headers, text = self.host.post(body, BOTH)
        self.assertEqual(status, 200, text)
        self.session = BOTH | {"Mcp-Session-Id": headers["mcp-session-id"]}

    def say(self, method, params=None, request_id=1, **more):
        body = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}} | more
        return self.host.post({key: value for key, value in body.items() if value is not None}, self.session)

    def open(self, method="GET", body=None, **headers):
        """A request whose answer may be a stream: (status, Events)."""
        connection = self.host.connect()
        fields = self.session | {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            fields["Content-Type"] = "application/json"
        connection.request(method, "/mcp", None if body is None else json.dumps(body), fields)
        response = connection.getresponse()
        events = Events(response, connection)
        self.addCleanup(events.close)
        return response.status, events

    def raw(self, data, method="POST"):
        """Bytes as they are: (status, headers, body)."""
        with socket.create_connection(("127.0.0.1", self.host.port), timeout=PATIENCE_S) as peer:
            peer.sendall(data)
            response = http.client.HTTPResponse(peer, method=method)
            response.begin()
            return response.status, response.headers, response.read().decode()

    def raw_post(self, body, *lines, path="/mcp"):
        data = json.dumps(body).encode()
        head = [f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json",
                "Accept: application/json, text/event-stream", f"Content-Length: {len(data)}", *lines]
        return self.raw("\r\n".join(head).encode() + b"\r\n\r\n" + data)
