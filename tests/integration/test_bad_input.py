"""Bad input gets a precise error and changes nothing: after each case a good call is served."""
import json
import socket
import unittest

from harness import MODERN, PATIENCE_S, TestCase, message, run_toolpost, text_of

# (what, bytes, code of the JSON-RPC error)
BAD_MESSAGES = [
    ("cut off", b'{"jsonrpc":"2.0","id":1,"method":"tools/list"', -32700),
    ("not JSON", b"hello", -32700),
    ("single quotes", b"{'jsonrpc':'2.0','id':1,'method':'tools/list'}", -32700),
    ("trailing comma", b'{"jsonrpc":"2.0","id":1,"method":"tools/list",}', -32700),
    ("two texts", b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}{}', -32700),
    ("bad UTF-8", b'{"jsonrpc":"2.0","id":1,"method":"tools/\xff\xfe"}', -32700),
    ("overlong UTF-8", b'{"jsonrpc":"2.0","id":1,"method":"tools/\xc0\xaf"}', -32700),
    ("lone surrogate", b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', -32700),
    ("a raw NUL", b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\0', -32700),
    ("a duplicate key", b'{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}', -32700),
    ("a hostile number", b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"n":0.11111111111111111111e-2147483639}}', None),
    ("deep nesting", b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"n":' + b"[" * 20000 + b"]" * 20000 + b"}}", -32700),
    ("a number", b"42", -32600),
    ("a text", b'"tools/list"', -32600),
    ("null", b"null", -32600),
    ("an empty object", b"{}", -32600),
    ("an empty batch", b"[]", -32600),
    ("a batch", b'[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]', -32600),
    ("no version", b'{"id":1,"method":"tools/list"}', -32600),
    ("another version", b'{"jsonrpc":"1.0","id":1,"method":"tools/list"}', -32600),
    ("a null id", b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}', -32600),
    ("a fractional id", b'{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}', -32600),
    ("an object as id", b'{"jsonrpc":"2.0","id":{},"method":"tools/list"}', -32600),
    ("an endless id", b'{"jsonrpc":"2.0","id":"' + b"x" * 2000 + b'","method":"tools/list"}', -32600),
    ("a huge id", b'{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/list"}', -32600),
    ("a number as method", b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
    ("an unknown method", b'{"jsonrpc":"2.0","id":1,"method":"tools/destroy"}', -32601),
    ("a list as params", b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}', None),
    ("no tool name", b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', -32602),
    ("a number as tool", b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}', -32602),
    ("a list as arguments", b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":[]}}', None),
    ("an unknown tool", b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope","arguments":{}}}', -32602),
    ("a bad cursor", b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"nowhere"}}', -32602),
]

# (arguments of `greet`, what the error names)
BAD_ARGUMENTS = [
    ({}, "name"),
    ({"name": 7}, "/name"),
    ({"name": ["x"]}, "/name"),
    ({"name": "x", "colour": "red"}, "colour"),
]


class OverHttp(TestCase):
    def setUp(self):
        self.place = self.workspace("hello", config="[limits]\nbody_bytes = 65536")
        self.host = self.http_host(self.place)

    def assert_serves(self):
        self.assertEqual(text_of(self.host.call("echo", {"text": "good"})), "good")

    def test_bad_messages(self):
        for what, data, code in BAD_MESSAGES:
            with self.subTest(what):
                status, _, text = self.host.post(data)
                self.assertLess(status, 500, text)
                if code is not None or status != 202:
                    answer = json.loads(text)
                    self.assertIn("error", answer)
                    self.assertNotEqual(answer["error"]["message"], "")
                    if code is not None:
                        self.assertEqual(answer["error"]["code"], code, text)
                    if code in (-32700, -32600):
                        self.assertEqual(status, 400)
                self.assert_serves()

    def test_bad_arguments_are_results_that_name_the_place(self):
        for era in ("bare", "modern"):
            for arguments, named in BAD_ARGUMENTS:
                with self.subTest(era, arguments=arguments):
                    answer = self.host.call("greet", arguments, era=era)
                    self.assertTrue(answer["result"]["isError"], answer)
                    self.assertIn(named, text_of(answer))
        self.assert_serves()

    def test_modern_envelopes(self):
        good_body, good_headers = message("tools/list", {}, "modern")
        def variant(headers=None, drop=(), meta=None):
            body = json.loads(json.dumps(good_body))
            body["params"]["_meta"].update(meta or {})
            return body, {k: v for k, v in {**good_headers, **(headers or {})}.items() if k not in drop}
        version = "io.modelcontextprotocol/protocolVersion"
        cases = [
            ("no version header", variant(drop=["MCP-Protocol-Version"]), 400, -32020),
            ("no method header", variant(drop=["Mcp-Method"]), 400, -32020),
            ("another method header", variant({"Mcp-Method": "tools/call"}), 400, -32020),
            ("another version header", variant({"MCP-Protocol-Version": "2025-11-25"}), 400, -32020),
            ("header and body differ, both odd", variant(meta={version: "v999.0.0"}), 400, -32020),
            ("an unknown version", variant({"MCP-Protocol-Version": "1900-01-01"}, meta={version: "1900-01-01"}), 400, -32022),
            ("no envelope", ({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, good_headers), 400, -32602),
            ("a removed method", message("ping", {}, "modern"), 404, -32601),
            ("an unknown method", message("tools/destroy", {}, "modern"), 404, -32601),
        ]
        for what, (body, headers), status, code in cases:
            with self.subTest(what):
                got, _, text = self.host.post(body, headers)
                answer = json.loads(text)
                self.assertEqual((got, answer["error"]["code"]), (status, code), text)
                self.assertEqual(answer["id"], 1)
        answer = self.host.call("nope", era="modern")
        self.assertEqual((answer["http_status"], answer["error"]["code"]), (200, -32602))
        status, _, text = self.host.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
                                         {"MCP-Protocol-Version": "1999-01-01"})
        self.assertEqual(status, 400, text)
        error = json.loads(text)["error"]
        for words in ("MCP-Protocol-Version", "1999-01-01", MODERN, "2025-03-26"):
            self.assertIn(words, error["message"])
        self.assertEqual((error["code"], error["data"]["requested"]), (-32022, "1999-01-01"))
        self.assertIn(MODERN, json.dumps(self.host.request("server/discover", {}, era="modern")))
        self.assert_serves()

    def test_who_asks_and_how(self):
        list_tools = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        for headers, status in [
            ({"Origin": "http://evil.example.com"}, 403),
            ({"Origin": "null"}, 403),
            ({"Host": "evil.example.com"}, 403),
            ({"Host": f"localhost:{self.host.port}"}, 200),
            ({"Content-Type": "text/plain"}, 415),
            ({"Content-Type": "application/json; charset=utf-16"}, 415),
            ({"Content-Type": "application/json;x=y; Charset=UTF-8"}, 200),
        ]:
            with self.subTest(headers):
                got, _, text = self.host.post(list_tools, headers)
                self.assertEqual(got, status, text)
        got, _, text = self.host.post(b"x" * 100_000)
        self.assertEqual(got, 413)
        self.assertIn("limits.body_bytes", text)
        self.assert_serves()

    def test_bad_http_is_refused_and_the_connection_closed(self):
        good = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
        length = str(len(good)).encode()
        host = b"Host: localhost\r\nContent-Type: application/json\r\n"
        for what, head in [
            ("not HTTP", b"hello\r\n\r\n"),
            ("two lengths", b"POST /mcp HTTP/1.1\r\n" + host + b"Content-Length: " + length + b"\r\nContent-Length: 1\r\n\r\n"),
            ("length and chunks", b"POST /mcp HTTP/1.1\r\n" + host + b"Content-Length: " + length + b"\r\nTransfer-Encoding: chunked\r\n\r\n"),
            ("a length that is none", b"POST /mcp HTTP/1.1\r\n" + host + b"Content-Length: ten\r\n\r\n"),
            ("a negative length", b"POST /mcp HTTP/1.1\r\n" + host + b"Content-Length: -5\r\n\r\n"),
            ("two hosts", b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + host + b"Content-Length: " + length + b"\r\n\r\n"),
            ("no host", b"POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: " + length + b"\r\n\r\n"),
            ("a space before the colon", b"POST /mcp HTTP/1.1\r\n" + host + b"Content-Length : " + length + b"\r\n\r\n"),
            ("endless headers", b"POST /mcp HTTP/1.1\r\n" + host + b"X: " + b"y" * 60_000 + b"\r\n\r\n"),
        ]:
            with self.subTest(what):
                answer = self.exchange(head + good)
                self.assertRegex(answer.split(b"\r\n", 1)[0], rb"^(HTTP/1.1 4\d\d .*)?$", answer[:200])
                self.assertNotIn(b'"result"', answer)
                self.assert_serves()

    def test_slow_and_half_open_peers_are_let_go(self):
        self.host.stop()
        self.place.write_config(self.place.config.read_text() + "header_timeout_s = 1\nbody_timeout_s = 1\n")
        self.host = self.http_host(self.place)
        for part in (b"", b"POST /mcp HT", b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n123"):
            with self.subTest(part):
                answer = self.exchange(part)  # returns once the host closes
                self.assertNotIn(b'"result"', answer)
        self.assert_serves()

    def exchange(self, data):
        """Sends raw bytes; all that comes back until the host closes."""
        with socket.create_connection(("127.0.0.1", self.host.port), timeout=PATIENCE_S) as peer:
            answer = b""
            try:
                peer.sendall(data)
                while part := peer.recv(65536):
                    answer += part
            except ConnectionResetError:
                pass
            return answer


class TooManyValues(TestCase):
    """A message of more values than the host reads on its only I/O thread."""

    def test_it_is_refused_with_its_id_everywhere_and_one_at_the_limit_is_served(self):
        place = self.workspace("hello")
        many = {"jsonrpc": "2.0", "id": 7, "method": "tools/call",
                "params": {"name": "echo", "arguments": {"text": [0] * 100_000}}}
        host = self.http_host(place)
        status, _, text = host.post(many)
        self.assertEqual((status, json.loads(text)["id"]), (400, 7))
        self.assertIn("more than 100000 values", text)
        many["params"]["arguments"]["text"] = [0] * 99_000
        self.assertIn("expected string", text_of(json.loads(host.post(many)[2])))
        status, _, body = host.fetch("POST", "/v1/sessions", {"context": {"x": [0] * 100_000}})
        self.assertEqual(status, 422)
        self.assertIn("more than 100000 values", str(body))
        self.assertEqual(text_of(host.call("echo", {"text": "good"})), "good")
        host.stop()
        many["params"]["arguments"]["text"] = [0] * 100_000
        stdio = self.stdio_host(place)
        stdio.initialize()
        stdio.send(many)
        answer = stdio.receive()
        self.assertEqual(answer["id"], 7)
        self.assertIn("more than 100000 values", answer["error"]["message"])
        self.assertEqual(text_of(stdio.call("echo", {"text": "good"})), "good")


class OverStdio(TestCase):
    def setUp(self):
        self.place = self.workspace("hello", config="[limits]\nline_bytes = 65536")
        self.host = self.stdio_host(self.place)

    def assert_serves(self):
        self.assertEqual(text_of(self.host.call("echo", {"text": "good"})), "good")

    def test_bad_lines(self):
        self.host.initialize()
        for what, data, code in BAD_MESSAGES:
            if len(data) > 65536:
                continue
            with self.subTest(what):
                self.host.send(data)
                answer = self.host.receive()
                if code is not None:
                    self.assertEqual(answer["error"]["code"], code)
                self.assert_serves()

    def test_an_overlong_line_is_refused_and_the_next_served(self):
        self.host.initialize()
        self.host.send(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"x":"' + b"y" * 300_000 + b'"}}')
        answer = self.host.receive()
        self.assertIn(answer["error"]["code"], (-32600, -32700))
        self.assertIn("65536", answer["error"]["message"])
        self.assert_serves()

    def test_a_line_without_its_end_is_no_message(self):
        self.host.initialize()
        self.host.child.stdin.write(b'{"jsonrpc":"2.0","id":5,"method":"tools/list"')
        self.assertEqual(self.host.close_input(), 0)

    def test_end_of_input_ends_the_host(self):
        self.assertEqual(self.host.close_input(), 0)

    def test_nothing_but_initialize_and_ping_before_initialize_matters_to_no_one_later(self):
        self.host.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.host.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}})
        self.host.initialize()
        self.assert_serves()


class BadConfiguration(TestCase):
    CASES = [
        ('[server]\nlisten = 8808\n', 2, 10, "listen"),
        ('[server]\nlisten = "127.0.0.1"\n', 2, 10, "listen"),
        ('[call]\ntimout_s = 5\n', 2, 1, "timeout_s"),
        ('[call]\ntimeout_s = "soon"\n', 2, 13, "timeout_s"),
        ('[call]\ntimeout_s = -1\n', 2, 13, "timeout_s"),
        ('[permission]\nmode = "careless"\n', 2, 8, "bypass"),
        ('[[rule]]\ntool = "x"\nbehavior = "maybe"\n', 3, 12, "deny"),
        ('[plugin.hello]\nisolation = "cage"\n', 2, 13, "worker"),
        ('[sever]\n', 1, 2, "server"),
        ('[server\n', 1, None, ""),
        ('a = \n', 1, None, ""),
    ]

    def test_each_is_told_by_place_and_ends_with_3(self):
        place = self.workspace()
        for text, line, column, named in self.CASES:
            with self.subTest(text):
                place.write_config(text)
                for verb in (["serve", "--listen", "127.0.0.1:0"], ["serve", "--stdio"], ["config", "check"], ["tools"]):
                    done = run_toolpost(place, *verb, "--config", place.config)
                    self.assertEqual(done.returncode, 3, (verb, done))
                    told = done.stdout + done.stderr
                    where = f"config.toml:{line}:{column}:" if column else f"config.toml:{line}:"
                    self.assertIn(where, told)
                    self.assertIn(named, told)

    def test_a_missing_file_is_told(self):
        place = self.workspace()
        done = run_toolpost(place, "serve", "--config", place.root / "none.toml")
        self.assertEqual(done.returncode, 3)
        self.assertIn("none.toml", done.stderr)


if __name__ == "__main__":
    unittest.main()
