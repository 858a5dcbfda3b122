"""tp.http/1 and the one way out, against servers of this test: nobody may touch the one that is not meant."""
import gzip
import http.server
import ssl
import subprocess
import threading
import time
import urllib.parse

from harness import TestCase, text_of


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, body=b"", status=200, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.server.hits.append(self.path)
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        path, _, argument = self.path.partition("?")
        if path == "/to":
            self.reply(status=302, Location=urllib.parse.unquote(argument))
        elif path == "/loop":
            self.reply(status=302, Location="/loop")
        elif path == "/large":
            self.reply(b"x" * 200_000)
        elif path == "/bomb":
            self.reply(gzip.compress(b"\0" * 20_000_000), Content_Encoding="gzip")
        elif path == "/zipped":
            self.reply(gzip.compress(b"it was small"), Content_Encoding="gzip")
        elif path == "/slow":
            self.drip()
        elif path == "/many_headers":
            self.reply(**{f"X_{i}": "y" * 900 for i in range(90)})
        elif path == "/echo":
            names = sorted(name.lower() for name in self.headers.keys())
            self.reply(f"{self.command} {','.join(names)} {body.decode()}".encode(), Content_Type="text/plain")
        else:
            self.reply(b"fine", status=404 if path == "/no" else 200, Content_Type="text/plain")

    do_POST = do_PUT = do_GET

    def drip(self):
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        try:
            for _ in range(100):
                self.wfile.write(b"x")
                self.wfile.flush()
                time.sleep(0.1)
        except OSError:
            pass


class Outbound(TestCase):
    def certificate(self, folder, name):
        """A certificate for localhost that is its own authority."""
        key, file = folder / f"{name}.key", folder / f"{name}.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-keyout", key, "-out", file, "-days", "2", "-subj", f"/CN={name}",
                        "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
        return key, file

    def server(self, certificate=None):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        server.handle_error = lambda *_: None  # a client that gives up is what is tested
        server.hits = []
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate[1], certificate[0])
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def start(self, isolation="worker", net=None):
        workspace = self.workspace("services", isolation=isolation)
        trusted = self.certificate(workspace.root, "trusted")
        self.plain, self.secure, self.canary = self.server(), self.server(trusted), self.server(trusted)
        self.stranger = self.server(self.certificate(workspace.root, "stranger"))
        port = lambda server: server.server_address[1]
        self.http = f"http://127.0.0.1:{port(self.plain)}"
        self.https = f"https://localhost:{port(self.secure)}"
        self.strange = f"https://localhost:{port(self.stranger)}"
        self.port = port(self.canary)  # of what must not be reached
        reached = [self.http, self.https, self.strange]
        if net is None:
            net = ["*", self.http, "http://plain.example"]
        elif net == "the plain one":
            net = [self.http]
        text = workspace.config.read_text().replace(
            f'isolation = "{isolation}"', f'isolation = "{isolation}"\nnet = {net!r}')
        workspace.write_config(text + f"""
[permission]
mode = "bypass"
[outbound]
loopback = {reached!r}
ca_file = "{trusted[1]}"
timeout_s = 5
response_bytes = 100000
concurrent = 2
""")
        return self.http_host(workspace)

    def get(self, url, tool="http_get", **arguments):
        return text_of(self.host.call(tool, {"url": url, **arguments}))

    def test_a_response_comes_back_whole_in_both_isolations(self):
        for isolation in ("worker", "inline"):
            self.host = self.start(isolation)
            for tool in ("http_get", "http_get_later"):
                self.assertEqual(self.get(f"{self.http}/x", tool), f"200 {self.http}/x text/plain\nfine")
                self.assertEqual(self.get(f"{self.https}/x", tool), f"200 {self.https}/x text/plain\nfine")
            self.assertIn("404 ", self.get(f"{self.http}/no"))
            self.assertIn("it was small", self.get(f"{self.http}/zipped"))
            echoed = self.get(f"{self.https}/echo", method="POST", body="hello", headers=[["X-Mine", "1"]])
            self.assertIn("POST ", echoed)
            self.assertTrue(echoed.endswith(" hello"), echoed)
            self.assertIn("x-mine", echoed)

    def test_no_address_of_this_machine_or_its_network_is_reached(self):
        self.host = self.start()
        for host in ("127.0.0.1", "localhost", "localhost.", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0",
                     "0.0.0.0", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "LOCALHOST",
                     "%6cocalhost", "10.0.0.1", "169.254.169.254", "[fd00:ec2::254]", "100.100.100.200"):
            answer = self.get(f"https://{host}:{self.port}/")
            self.assertTrue(answer.startswith(("-5: ", "-8: cannot find", "-1: the URL has an address that is not four numbers")), f"{host}: {answer}")
            answer = self.get(f"{self.http}/to?" + urllib.parse.quote(f"https://{host}:{self.port}/"))
            self.assertTrue(answer.startswith(("-5: ", "-8: cannot find", "-1: the URL has an address that is not four numbers")), f"redirect to {host}: {answer}")
        self.assertEqual(self.canary.hits, [])

    def test_only_sound_urls_and_requests_go_out(self):
        self.host = self.start()
        for url in (f"https://user@localhost:{self.port}/", f"https://localhost:{self.port}@127.0.0.1:{self.port}/",
                    "ftp://a.example/", "file:///etc/passwd", "https:///x", "nonsense", f"gopher://127.0.0.1:{self.port}/",
                    f"{self.http}\\@localhost:{self.port}/"):
            self.assertTrue(self.get(url).startswith("-1: "), f"{url}: {self.get(url)}")
        self.assertTrue(self.get(f"{self.http}/to?file:///etc/passwd").startswith("-1: "))
        for header in (["Host", "evil"], ["X", "a\r\nY: b"], ["Content-Length", "3"]):
            self.assertTrue(self.get(f"{self.http}/echo", headers=[header]).startswith("-1: "), header)
        self.assertTrue(self.get("http://plain.example/").startswith("-5: "))  # in `net`, but neither https nor ours
        self.assertEqual(self.canary.hits, [])

    def test_only_origins_of_net_are_reached_by_redirects_too(self):
        self.host = self.start(net=[])
        self.assertIn("has no `net`", self.get(f"{self.http}/x"))
        self.assertEqual(self.plain.hits, [])
        self.host.stop()
        self.host = self.start(net="the plain one")
        self.assertIn("200 ", self.get(f"{self.http}/x"))
        self.assertTrue(self.get(f"{self.https}/x").startswith("-5: "))
        self.assertTrue(self.get(f"{self.http}/to?{self.https}/x").startswith("-5: "))
        self.assertEqual(self.secure.hits, [])

    def test_redirects_are_counted_and_secrets_stay_with_their_origin(self):
        self.host = self.start()
        self.assertTrue(self.get(f"{self.http}/loop").startswith("-5: more than 5 redirects"))
        self.assertEqual(len(self.plain.hits), 6)
        self.assertIn(f"302 {self.http}/to?/x", self.get(f"{self.http}/to?/x", redirects=0))
        secrets = [["Authorization", "Bearer x"], ["X-Api-Key", "x"], ["Accept", "text/plain"]]
        same = self.get(f"{self.http}/to?/echo", headers=secrets)
        self.assertIn("authorization", same)
        other = self.get(f"{self.http}/to?{self.https}/echo", headers=secrets)
        self.assertIn("accept", other)
        self.assertNotIn("authorization", other)
        self.assertNotIn("x-api-key", other)

    def test_what_is_too_large_or_too_slow_is_given_up(self):
        self.host = self.start()
        for path in ("large", "bomb"):
            self.assertTrue(self.get(f"{self.http}/{path}").startswith("-7: "), path)
        self.assertTrue(self.get(f"{self.http}/many_headers").startswith("-7: "))
        self.assertTrue(self.get(f"{self.http}/x", max_bytes=3).startswith("-7: "))
        began = time.monotonic()
        self.assertTrue(self.get(f"{self.http}/slow").startswith("-4: "))
        self.assertLess(time.monotonic() - began, 9)  # what is slow takes ten
        began = time.monotonic()
        self.assertTrue(self.get(f"{self.http}/slow", timeout_ms=200).startswith("-4: "))
        self.assertLess(time.monotonic() - began, 4.5)  # before outbound.timeout_s

    def test_a_certificate_of_nobody_is_refused(self):
        self.host = self.start()
        self.assertTrue(self.get(f"{self.strange}/x").startswith("-8: "))
        self.assertEqual(self.stranger.hits, [])

    def test_only_so_many_go_out_at_once(self):
        self.host = self.start()
        answers = []
        callers = [threading.Thread(target=lambda: answers.append(self.get(f"{self.http}/slow")[:4])) for _ in range(4)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        self.assertEqual(sorted(answers), ["-4: ", "-4: ", "-6: ", "-6: "])
        self.assertIn("200 ", self.get(f"{self.http}/x"))
