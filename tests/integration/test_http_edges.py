"""What HTTP asks of a server beside its answers: copies of headers, web apps of other origins, errors in the form of their
path."""
import contextlib
import http.client
import json
import select
import socket

from edge_case import BOTH, CLIENT, META, EdgeCase
from harness import LEGACY, MODERN, PATIENCE_S, PROBLEM_JSON, is_problem, problem, text_of

APP = "https://app.example"


class Headers(EdgeCase):
    LIST = {"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": {"_meta": META}}
    MIRRORED = ("MCP-Protocol-Version: " + MODERN, "Mcp-Method: tools/list")

    def test_two_copies_that_differ(self):
        self.serve("hello")
        self.assertEqual(self.raw_post(self.LIST, *self.MIRRORED)[0], 200)
        self.assertEqual(self.raw_post(self.LIST, *self.MIRRORED, *self.MIRRORED)[0], 200)  # they agree
        for line in ("mcp-protocol-version: 2025-11-25", "MCP-METHOD: tools/call", "Mcp-Name: a\r\nMcp-Name: b",
                     "Mcp-Param-X: 1\r\nMcp-Param-X: 2", "Mcp-Session-Id: a\r\nMcp-Session-Id: b"):
            status, _, text = self.raw_post(self.LIST, *self.MIRRORED, line)
            answer = json.loads(text)
            self.assertEqual((status, answer["error"]["code"], answer["id"]), (400, -32020, 3), text)
            self.assertIn("more than once", answer["error"]["message"])
        for line in ("Content-Type: text/plain", "Authorization: Bearer a\r\nAuthorization: Bearer b",
                     "X-Agent-API-Key: a\r\nX-Agent-API-Key: b", "Last-Event-ID: a\r\nLast-Event-ID: b",
                     "Cookie: a=b\r\nCookie: a=c", "X-Toolpost-TOTP: 111111\r\nX-Toolpost-TOTP: 222222"):
            status, _, text = self.raw_post(self.LIST, *self.MIRRORED, line)
            self.assertEqual(status, 400, line)
            self.assertIn("more than one " + line.split(":")[0], json.loads(text)["error"]["message"])
        for method in ("GET", "DELETE"):
            status, _, text = self.raw(f"{method} /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                                       "Mcp-Session-Id: a\r\nMcp-Session-Id: b\r\n\r\n".encode())
            self.assertEqual((status, json.loads(text)["error"]["code"]), (400, -32020))

    def test_nothing_is_sniffed(self):
        self.serve("hello")
        self.begin_session()
        answers = [self.host.fetch(*one)[1] for one in (
            ("GET", "/"), ("GET", "/healthz"), ("GET", "/metrics"), ("GET", "/v1/tools"), ("GET", "/v1/approvals"),
            ("GET", "/v1/nothing"), ("GET", "/nowhere"), ("DELETE", "/mcp"), ("GET", "/page/nothing"))]
        answers.append(self.open()[1].response.headers)
        answers += [self.raw(b"nonsense\r\n\r\n")[1], self.raw(b"GET /mcp HTTP/1.1\r\nHost: evil\r\n\r\n")[1],
                    self.raw_post(self.LIST, *self.MIRRORED)[1]]
        for headers in answers:
            self.assertEqual(headers.get_all("X-Content-Type-Options"), ["nosniff"], headers.items())

    def test_the_trace_of_a_request(self):
        self.serve("hello")
        parent, other = (f"00-{digit * 32}-{digit * 16}-01" for digit in "12")
        call = {"name": "echo", "arguments": {"text": "x"}}

        def traced(headers, meta=None):
            params = call | ({"_meta": meta} if meta else {})
            answer = self.host.request("tools/call", params, headers=headers)
            self.assertEqual(text_of(answer), "x")
            return self.place.audit_lines()[-1].get("traceparent")
        self.assertEqual(traced({"traceparent": parent}), parent)
        self.assertEqual(traced({"traceparent": parent}, {"traceparent": other}), other)
        self.assertEqual(traced({"traceparent": parent}, {"traceparent": "nonsense"}), parent)
        self.assertIsNone(traced({"traceparent": "nonsense"}))
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "x"}}}
        for lines, taken in (((parent, parent), parent), ((parent, other), None)):
            self.assertEqual(self.raw_post(body, *(f"traceparent: {line}" for line in lines))[0], 200)
            self.assertEqual(self.place.audit_lines()[-1].get("traceparent"), taken)
        self.assertIsNone(traced({}))

    def test_a_chunked_body_that_drips_is_ended(self):
        self.serve("hello", config="[limits]\nrequest_timeout_s = 0.3")
        with socket.create_connection(("127.0.0.1", self.host.port), timeout=PATIENCE_S) as peer:
            peer.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                         b"Transfer-Encoding: chunked\r\n\r\n")
            with contextlib.suppress(ConnectionError):  # it has ended, and its answer is there
                for _ in range(PATIENCE_S * 50):
                    if select.select([peer], [], [], 0.02)[0]:
                        break
                    peer.sendall(b"1\r\n \r\n")
            response = http.client.HTTPResponse(peer)
            response.begin()
            self.assertEqual(response.status, 408)
            self.assertEqual(json.loads(response.read())["error"]["data"], {"type": problem("request-timeout")})


class Forms(EdgeCase):
    """Errors that no handler answers have the form of their path."""

    def assert_form(self, path, status, headers, text):
        error = json.loads(text)
        if path.startswith("/v1") and not path.endswith("/mcp"):
            self.assertEqual(set(error), {"type", "title", "status", "detail"}, text)
            self.assertTrue(is_problem(error, status), text)
            self.assertEqual(headers["content-type"], PROBLEM_JSON)
        else:
            self.assertEqual(error["jsonrpc"], "2.0", text)
            self.assertIsInstance(error["error"]["code"], int)
            self.assertEqual(headers["content-type"], "application/json")

    def test_of_the_transport(self):
        self.serve("hello")
        rest = ("/v1/tools", "/v1/tools?x=1", "http://localhost/v1/tools", "/%761/tools")
        for path in ("/mcp", *rest, "/v1/mcp", "/nowhere", "http://localhost/mcp"):
            for line, status in (("Host: evil", 403), ("Host: localhost\r\nOrigin: http://evil", 403),
                                 ("Host: localhost\r\nContent-Length: x", 400), ("Host: a\r\nHost: b", 400),
                                 ("Host: localhost\r\nX: " + "y" * 40_000, 431),
                                 ("Host: localhost\r\nExpect: everything", 417)):
                got, headers, text = self.raw(f"POST {path} HTTP/1.1\r\n{line}\r\n\r\n".encode())
                self.assertEqual(got, status, (path, line[:40]))
                self.assert_form("/v1" if path in rest else path, got, headers, text)

    def test_of_whoever_lets_in(self):
        self.serve("hello", config='[auth]\nanonymous = "nobody"')
        for path in ("/mcp", "/v1/tools"):
            for line in ("X: y", "Authorization: Bearer nonsense"):
                status, headers, text = self.raw_post({}, line, path=path)
                self.assertEqual(status, 401)
                self.assertIn("Bearer", headers["WWW-Authenticate"])
                self.assert_form(path, status, headers, text)
                self.assertIn("unauthorized", text)


class WebApps(EdgeCase):
    """Cross-origin requests of the origins in server.allowed_origins."""

    def setUp(self):
        self.serve("hello", config=f'[server]\nallowed_origins = ["{APP}"]')

    def ask(self, method, path, origin, body=None, **headers):
        connection = self.host.connect()
        fields = {"Origin": origin, "Content-Type": "application/json"}
        fields |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, fields)
        response = connection.getresponse()
        text = response.read()
        connection.close()
        return response.status, response.headers, text

    def preflight(self, path, origin, fields="content-type"):
        return self.ask("OPTIONS", path, origin, Access_Control_Request_Method="POST",
                        Access_Control_Request_Headers=fields)

    def test_are_told_before_what_they_may_send(self):
        for path in ("/mcp", "/v1/approvals/x", "/v1/tools"):
            status, headers, text = self.preflight(path, APP, "content-type, mcp-param-region, x-evil, bad name")
            self.assertEqual((status, text), (204, b""), path)
            self.assertEqual(headers["Access-Control-Allow-Origin"], APP)
            allowed = {name.strip().lower() for name in headers["Access-Control-Allow-Headers"].split(",")}
            self.assertLessEqual({"authorization", "content-type", "mcp-session-id", "mcp-protocol-version", "mcp-method",
                                  "mcp-name", "last-event-id", "if-match", "mcp-param-region"}, allowed)
            self.assertFalse({"x-evil", "bad name", "x-toolpost-login"} & allowed)
            self.assertLessEqual({"GET", "POST", "DELETE"}, set(headers["Access-Control-Allow-Methods"].split(", ")))
            self.assertGreater(int(headers["Access-Control-Max-Age"]), 0)
            self.assertIn("Origin", headers["Vary"])
            self.assertNotIn("Access-Control-Allow-Credentials", headers)

    def test_may_read_every_answer(self):
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": CLIENT}}
        status, headers, _ = self.ask("POST", "/mcp", APP, json.dumps(hello), **BOTH)
        self.assertEqual(status, 200)
        for name in ("Mcp-Session-Id", "ETag", "Location"):
            self.assertIn(name, headers["Access-Control-Expose-Headers"])
        session = headers["Mcp-Session-Id"]
        connection = self.host.connect()
        connection.request("GET", "/mcp", headers={"Origin": APP, "Mcp-Session-Id": session} | BOTH)
        stream = connection.getresponse()
        seen = [headers, stream.headers]
        stream.close()
        connection.close()
        for method, path, body, status in (("GET", "/v1/tools", None, 200), ("GET", "/v1/approvals", None, 401),
                                           ("GET", "/v1/nothing", None, 404), ("POST", "/mcp", "{", 400),
                                           ("POST", "/mcp", "x" * 5_000_000, 413)):
            got, headers, _ = self.ask(method, path, APP, body)
            self.assertEqual(got, status, path)
            seen.append(headers)
        for headers in seen:
            self.assertEqual(headers.get_all("Access-Control-Allow-Origin"), [APP], headers.items())
            self.assertEqual(headers.get_all("Vary"), ["Origin"])

    def test_others_are_told_nothing(self):
        for origin, status in (("https://evil.example", 403), ("http://localhost:3000", 405), (APP + ".evil", 403)):
            got, headers, _ = self.preflight("/mcp", origin)
            self.assertEqual(got, status)
            got, more, _ = self.ask("GET", "/v1/tools", origin)
            for one in (headers, more):
                self.assertFalse([name for name in one if name.lower().startswith("access-control")], one.items())
                self.assertEqual(one["Vary"], "Origin")
        self.assertEqual(self.host.fetch("GET", "/v1/tools")[1]["Vary"], "Origin")  # for caches

    def test_no_list_no_permission(self):
        self.serve("hello")
        self.assertEqual(self.preflight("/mcp", APP)[0], 403)
        self.assertNotIn("Vary", self.host.fetch("GET", "/v1/tools")[1])
