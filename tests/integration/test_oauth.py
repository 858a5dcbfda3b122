"""Tokens of a real authorization server (oidc-provider), and what the host does with those that no good one signs."""
import base64
import concurrent.futures
import json
import re
import socket
import subprocess
import time
import unittest
import urllib.parse
import urllib.request

from harness import (LEGACY, NPM, SOURCE, TOOLPOST, Process, TestCase, environment, files_below, free_port,
                     last_message, message, plugin_file, run_toolpost, text_of, wait_until)

NODE = NPM / "node_modules/.bin/node"
CLIENTS = SOURCE / "tests/integration/clients"
ALGORITHMS = ("rs256", "ps256", "es256", "eddsa")
RESOURCE = "https://tools.example/mcp"
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}


class OAuth(TestCase):
    def setUp(self):
        self.assertTrue((NPM / "node_modules/oidc-provider").exists(),
                        "no authorization server here: run scripts/bootstrap --tests")
        self.port = free_port()
        self.issuer = f"http://127.0.0.1:{self.port}"
        self.resource = RESOURCE
        self.place = self.workspace("hello")
        self.plain_config = self.place.config.read_text()
        self.keys = self.make_keys("first")

    def node(self, script, *arguments):
        done = subprocess.run([str(NODE), str(CLIENTS / script), *map(str, arguments)], text=True, capture_output=True,
                              timeout=90, check=False, stdin=subprocess.DEVNULL, env=environment(self.place.root))
        self.assertEqual(done.returncode, 0, f"{script} {arguments}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def make_keys(self, name):
        file = self.place.root / f"{name}.json"
        self.node("tokens.mjs", NPM, "keys", file, name)
        return file

    def configure(self, anonymous="nobody", authority="", **more):
        extra = "".join(f"\n{name} = {json.dumps(value)}" for name, value in more.items())
        self.place.write_config(self.plain_config + f"""
[auth]
anonymous = "{anonymous}"
[outbound]
loopback = ["{self.issuer}"]
ca_file = "{authority}"
[oauth]
issuer = "{self.issuer}"
resource = "{self.resource}"
leeway_s = 1{extra}
""")

    def serve(self, **options):
        self.configure(**options)
        self.host = self.http_host(self.place)
        return self.host

    def serve_issuer(self, keys=None, tls=None):
        options = {"npm": str(NPM), "issuer": self.issuer, "keys": str(keys or self.keys), "tls": tls}
        started = Process([NODE, CLIENTS / "issuer.mjs", json.dumps(options)], self.place.root,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.addCleanup(started.stop)
        line = started.child.stdout.readline()
        self.assertEqual(line.strip(), b"ready", started.error_text())
        return started

    def token(self, algorithm="es256", scope="toolpost:call", resource=None):
        """As a client of the issuer gets one."""
        client = f"agent-{algorithm}"
        secret = urllib.parse.quote(f"secret of {client}")
        form = {"grant_type": "client_credentials", "resource": resource or self.resource, "scope": scope}
        request = urllib.request.Request(f"{self.issuer}/token", urllib.parse.urlencode(form).encode(), {
            "Authorization": "Basic " + base64.b64encode(f"{client}:{secret}".encode()).decode()})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)["access_token"]

    def signed(self, *tokens, keys=None):
        """Of jose: each is (kid, changes to the claims, members of the header)."""
        now = int(time.time())
        good = {"iss": self.issuer, "aud": self.resource, "sub": "anna", "exp": now + 300, "iat": now,
                "scope": "toolpost:call"}
        asked = [{"by": by, "header": header,
                  "claims": {name: value for name, value in {**good, **claims}.items() if value is not None}}
                 for by, claims, header in tokens]
        return json.loads(self.node("tokens.mjs", NPM, "sign", keys or self.keys, json.dumps(asked)))

    def ask(self, token=None, body=None, **headers):
        """(status, headers, body) of a tools/list."""
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            fields["Authorization"] = f"Bearer {token}"
        return self.host.post(body or {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, fields)

    def get(self, path, method="GET"):
        connection = self.host.connect()
        connection.request(method, path)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def becomes(self, token, status, pause_s=1):
        """The token meets that answer in the end; asked slowly, for who guesses is slowed."""
        def asked():
            if self.ask(token)[0] == status:
                return True
            time.sleep(pause_s)
            return False
        wait_until(f"the token gives {status}", asked, timeout_s=60)

    def test_a_token_of_each_algorithm_is_a_principal_of_its_own(self):
        self.serve_issuer()
        self.serve()
        tokens = {one: self.token(one) for one in ALGORITHMS}
        for one, token in tokens.items():
            header = json.loads(base64.urlsafe_b64decode(token.split(".")[0] + "=="))
            self.assertEqual(header["alg"].lower(), one)
            for _ in range(2):  # the second time it is known
                answer = self.host.call("echo", {"text": one}, headers={"Authorization": f"Bearer {token}"})
                self.assertEqual(text_of(answer), one)
        self.assertEqual([line["principal"] for line in self.place.audit_lines()],
                         [f"oauth:agent-{one}" for one in ALGORITHMS for _ in range(2)])
        # No token stands anywhere that the host writes.
        self.host.stop()
        written = self.host.error_text() + self.place.audit.read_text()
        for file in files_below(self.place.root):
            if ".db" in file.name:
                written += file.read_bytes().decode("latin-1")
        for token in tokens.values():
            self.assertNotIn(token.split(".")[2], written)

    def short_lived(self, life_s):
        """One that allows everything, of anna."""
        scope = "toolpost:call toolpost:approve"
        return self.signed(("first-es256", {"exp": int(time.time()) + life_s, "scope": scope}, {}))[0]

    def serve_slow_tool(self):
        self.plain_config += '\n[permission]\nmode = "bypass"\n[call]\ntimeout_s = 900\n'
        self.place.drop("zoo", plugin_file("zoo/zoo_one"))
        self.serve_issuer()
        self.serve(scope_approve="toolpost:approve")
        self.pool = concurrent.futures.ThreadPoolExecutor(4)
        self.addCleanup(self.pool.shutdown)

    def begin(self, token, milliseconds):
        return self.pool.submit(self.host.call, "slow", {"ms": milliseconds},
                                headers={"Authorization": f"Bearer {token}"})

    def stream(self, token, method, path, body=None, headers=None):
        """The whole text of a stream of events, once it has ended."""
        connection = self.host.connect()
        connection.timeout = 120
        connection.request(method, path, body and json.dumps(body), {
            "Authorization": f"Bearer {token}", "Content-Type": "application/json", **(headers or {})})
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "text/event-stream"))
        return self.pool.submit(lambda: (answer.read().decode(), connection.close())[0])

    def test_what_a_token_began_ends_with_it(self):
        self.serve_slow_tool()
        token = self.short_lived(20)
        call = self.begin(token, 600_000)
        events = self.stream(token, "GET", "/v1/events")
        body, headers = message("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, "modern")
        listening = self.stream(token, "POST", "/mcp", body, headers)
        status, shown, _ = self.host.post(INITIALIZE, {"Authorization": f"Bearer {token}"})
        self.assertEqual(status, 200)
        session = self.stream(token, "GET", "/mcp", None, {
            "Mcp-Session-Id": shown["mcp-session-id"], "Accept": "text/event-stream"})
        self.assertIn("is not valid any more, so the host ended it", text_of(call.result(120)))
        self.assertIn('"resultType":"complete"', listening.result(120))
        events.result(120)
        session.result(120)
        self.assertEqual(self.ask(token)[0], 401)
        self.assertEqual([line["outcome"] for line in self.place.audit_lines()], ["ended_by_credential"])
        # The session is its principal's, and goes on by another token.
        status, _, _ = self.host.post({"jsonrpc": "2.0", "id": 2, "method": "ping"}, {
            "Authorization": f"Bearer {self.short_lived(300)}", "Mcp-Session-Id": shown["mcp-session-id"]})
        self.assertEqual(status, 200)

    def test_a_token_that_is_renewed_keeps_what_runs(self):
        self.serve_slow_tool()
        token = self.short_lived(15)
        call = self.pool.submit(self.host.call, "until", self.place.gate(), headers={"Authorization": f"Bearer {token}"})
        wait_until("it runs", lambda: "\ntoolpost_calls_in_flight 1\n" in self.host.fetch(
            "GET", "/metrics", key=token)[2])
        self.assertEqual(self.ask(self.short_lived(300))[0], 200)
        self.becomes(token, 401)
        self.assertFalse(call.done())
        self.place.open_gate()
        self.assertNotIn("is not valid any more", text_of(call.result(120)))

    def test_what_holds_not_is_refused_and_told_why(self):
        self.serve_issuer()
        self.serve()
        others = self.make_keys("others")
        now = int(time.time())
        cases = [
            (("first-es256", {"exp": now - 60}, {}), "has expired"),
            (("first-es256", {"exp": None}, {}), "no exp"),
            (("first-es256", {"nbf": now + 600}, {}), "not hold yet"),
            (("first-es256", {"aud": "https://other.example/mcp"}, {}), "another audience"),
            (("first-es256", {"iss": "https://other.example"}, {}), "another issuer"),
            (("first-es256", {"sub": "an na"}, {}), "sub is missing"),
            (("first-es256", {}, {"typ": "logout+jwt"}), "another type"),
            (("first-es256", {}, {"crit": ["urn:unknown"], "urn:unknown": 1}), "an extension"),
            (("none", {}, {}), "no algorithm"),
            (("public of first-rs256", {}, {}), "no algorithm"),
        ]
        for (_, words), token in zip(cases, self.signed(*(case for case, _ in cases))):
            with self.subTest(words=words):
                self.expect_refused(token, words)
        forged = self.signed(("others-es256", {}, {"kid": "first-es256"}), keys=others)[0]
        self.expect_refused(forged, "signature is wrong")
        head, claims, signature = self.token().split(".")
        wider = json.loads(base64.urlsafe_b64decode(claims + "==")) | {"scope": "toolpost:call", "sub": "boss"}
        wider = base64.urlsafe_b64encode(json.dumps(wider).encode()).decode().rstrip("=")
        self.expect_refused(f"{head}.{wider}.{signature}", "signature is wrong")
        # One that the issuer made for another host is of no use here.
        self.expect_refused(self.token(resource="https://other.example/mcp"), "another audience")
        # A token counts in the one header, and a good one still does.
        good = self.token()
        self.assertEqual(self.ask(X_Agent_API_Key=good)[0], 401)
        self.assertEqual(self.ask(good)[0], 200)

    def expect_refused(self, token, words):
        status, headers, text = self.ask(token)
        self.assertEqual(status, 401, text)
        self.assertIn('error="invalid_token"', headers["www-authenticate"])
        self.assertIn(words, headers["www-authenticate"])
        self.assertIn(words, text)
        self.assertNotIn(token, text + str(headers))

    def test_scopes_are_those_that_the_issuer_gave(self):
        self.serve_issuer()
        self.serve()
        status, headers, _ = self.ask(self.token(scope="toolpost:approve"))
        self.assertEqual(status, 403)
        challenge = headers["www-authenticate"]
        self.assertIn('error="insufficient_scope", scope="toolpost:call", resource_metadata="', challenge)
        # By default no token approves, whatever its issuer says.
        both = {"Authorization": f"Bearer {self.token(scope='toolpost:call toolpost:approve')}"}
        self.assertEqual(self.rest("/v1/approvals", both), 403)
        self.assertEqual(self.rest("/v1/tools", both), 200)
        self.host.stop()
        self.serve(scope_approve="toolpost:approve")
        both = {"Authorization": f"Bearer {self.token(scope='toolpost:call toolpost:approve')}"}
        self.assertEqual(self.rest("/v1/approvals", both), 200)
        self.assertEqual(self.rest("/v1/plugins", both), 403)

    def rest(self, path, headers):
        connection = self.host.connect()
        connection.request("GET", path, headers=headers)
        status = connection.getresponse().status
        connection.close()
        return status

    def test_an_agent_takes_a_token_where_it_needs_no_key(self):
        self.serve_issuer()
        self.configure()
        self.place.write_config(self.place.config.read_text() + "[agent.open]\nneeds_key = false\n[agent.closed]\n")
        self.host = self.http_host(self.place)
        for path, status in (("/mcp", 200), ("/open/mcp", 200), ("/closed/mcp", 403)):
            connection = self.host.connect()
            connection.request("POST", path, json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
                               {"Content-Type": "application/json", "Authorization": f"Bearer {self.token()}"})
            answer = connection.getresponse()
            self.assertEqual(answer.status, status, (path, answer.read()))
            connection.close()

    def test_who_has_no_token_is_told_where_to_get_one(self):
        self.serve_issuer()
        self.serve()
        status, headers, _ = self.ask()
        where = "https://tools.example/.well-known/oauth-protected-resource/mcp"
        self.assertEqual((status, headers["www-authenticate"]), (
            401, f'Bearer realm="toolpost", scope="toolpost:call", resource_metadata="{where}"'))
        for path in ("", "/mcp"):
            status, text = self.get("/.well-known/oauth-protected-resource" + path)
            self.assertEqual((status, json.loads(text)), (200, {
                "resource": RESOURCE, "authorization_servers": [self.issuer], "scopes_supported": ["toolpost:call"],
                "bearer_methods_supported": ["header"]}))
        self.assertEqual(self.get("/.well-known/oauth-protected-resource/other")[0], 404)
        self.assertEqual(self.get("/.well-known/oauth-protected-resource", "POST")[0], 405)
        self.host.stop()
        self.place.write_config(self.plain_config + '\n[auth]\nanonymous = "nobody"')
        self.host = self.http_host(self.place)
        self.assertEqual(self.get("/.well-known/oauth-protected-resource/mcp")[0], 404)
        self.assertEqual(self.ask()[1]["www-authenticate"], 'Bearer realm="toolpost"')

    def test_official_clients_find_the_issuer_by_themselves(self):
        self.serve_issuer()
        # They hold the resource against the URL that they reach, so this host has to know its own.
        port = free_port()
        self.resource = f"http://127.0.0.1:{port}/mcp"
        self.configure()
        self.place.write_config(self.place.config.read_text() + f'[server]\nlisten = "127.0.0.1:{port}"\n')
        self.host = Process([TOOLPOST, "serve", "--config", self.place.config], self.place.root,
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.addCleanup(self.host.stop)
        wait_until("the host listens", lambda: "listening on" in self.host.error_text())
        for sdk, era in (("v1", "legacy"), ("v2", "legacy"), ("v2", "modern")):
            with self.subTest(sdk=sdk, era=era):
                options = {"sdk": sdk, "era": era, "npm": str(NPM), "url": self.resource, "issuer": self.issuer}
                self.assertIn("held", self.node("find_issuer.mjs", json.dumps(options)))
        self.assertEqual({line["principal"] for line in self.place.audit_lines()}, {"oauth:agent-es256"})

    def test_a_new_key_of_the_issuer_is_found_and_an_old_one_ends(self):
        issuer = self.serve_issuer()
        self.serve()
        old = self.token()
        self.assertEqual(self.ask(old)[0], 200)
        issuer.stop()
        self.serve_issuer(self.make_keys("second"))
        fresh = self.token()
        self.assertEqual(self.ask(old)[0], 200)  # nobody has looked again
        self.becomes(fresh, 200)
        self.expect_refused(old, "by no key of its issuer")

    def test_keys_are_looked_at_again_without_being_asked_for(self):
        issuer = self.serve_issuer()
        self.serve(refresh_s=10)
        old = self.token()
        self.assertEqual(self.ask(old)[0], 200)
        issuer.stop()
        self.serve_issuer(self.make_keys("second"))
        self.becomes(old, 401)
        self.assertEqual(self.ask(self.token())[0], 200)

    def test_starts_without_its_issuer_and_finds_it_later(self):
        self.serve()
        self.assertIn("the issuer's keys could not be had", self.host.error_text())
        token = self.signed(("first-rs256", {}, {}))[0]
        status, headers, _ = self.ask(token)
        self.assertEqual(status, 503)
        self.assertTrue(1 <= int(headers["retry-after"]) <= 10, headers)
        self.assertEqual(self.ask()[0], 401)
        key = run_toolpost(self.place, "key", "new", "bert", "--json", "--config", self.place.config)
        self.becomes(json.loads(key.stdout)["key"], 200)
        self.serve_issuer()
        self.becomes(token, 200)

    def test_an_issuer_that_never_answers_holds_up_neither_start_nor_end(self):
        with socket.socket() as mute:
            mute.bind(("127.0.0.1", self.port))
            mute.listen()
            begun = time.monotonic()
            self.serve()
            self.assertLess(time.monotonic() - begun, 20)
            status, headers, _ = self.ask(self.signed(("first-rs256", {}, {}))[0])
            self.assertEqual((status, headers["retry-after"]), (503, "1"))
            begun = time.monotonic()
            self.assertEqual(self.host.stop(), 0)
            self.assertLess(time.monotonic() - begun, 8)

    def test_goes_on_without_its_issuer(self):
        issuer = self.serve_issuer()
        self.serve(refresh_s=10)
        first = self.token()
        self.assertEqual(self.ask(first)[0], 200)
        issuer.stop()
        wait_until("the host has missed it", lambda: "could not be had" in self.host.error_text())
        self.assertEqual(self.ask(first)[0], 200)
        never_seen, unknown = self.signed(("first-eddsa", {"sub": "bert"}, {}), ("first-eddsa", {}, {"kid": "x"}))
        self.assertEqual(self.ask(never_seen)[0], 200)
        status, headers, _ = self.ask(unknown)  # nobody can tell
        self.assertEqual(status, 503)
        self.assertIn("retry-after", headers)

    def test_a_session_is_of_the_subject_that_began_it(self):
        self.serve_issuer()
        self.serve()
        mine, hers = self.token("es256"), self.token("eddsa")
        _, headers, text = self.ask(mine, INITIALIZE, Accept="application/json, text/event-stream")
        self.assertIn("result", last_message(text))
        session = {"Mcp_Session_Id": headers["mcp-session-id"], "MCP_Protocol_Version": LEGACY,
                   "Accept": "application/json, text/event-stream"}
        self.assertEqual(self.ask(mine, **session)[0], 200)
        self.assertEqual(self.ask(hers, **session)[0], 404)
        self.assertEqual(self.ask(**session)[0], 401)

    def test_who_shows_nothing_is_served_where_that_is_so_and_who_shows_a_bad_token_is_not(self):
        self.serve_issuer()
        self.serve(anonymous="loopback")
        self.assertEqual(self.ask()[0], 200)
        self.assertEqual(self.ask(self.token())[0], 200)
        self.assertEqual(self.ask(self.signed(("first-es256", {"exp": 1}, {}))[0])[0], 401)
        self.assertEqual(self.ask("a key that was never one")[0], 401)

    def test_an_issuer_is_enough_to_listen_beyond_loopback(self):
        self.configure()
        host = Process([TOOLPOST, "serve", "--config", self.place.config, "--listen", "0.0.0.0:0"], self.place.root,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.addCleanup(host.stop)
        wait_until("it listens", lambda: re.search(r"listening on http://0\.0\.0\.0:\d+/mcp", host.error_text()))
        self.assertEqual(host.stop(), 0)

    def test_the_way_out_is_the_one_gate(self):
        self.serve_issuer()
        self.configure()
        self.place.write_config(self.place.config.read_text().replace(f'loopback = ["{self.issuer}"]', "loopback = []"))
        self.host = self.http_host(self.place)
        self.assertIn("only https goes out", self.host.error_text())
        self.assertEqual(self.ask(self.token())[0], 503)

    def test_an_issuer_by_https_is_who_its_certificate_says(self):
        self.issuer = f"https://localhost:{self.port}"
        key, certificate = self.place.root / "tls.key", self.place.root / "tls.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
        self.serve_issuer(tls={"key": str(key), "cert": str(certificate)})
        token = self.signed(("first-ps256", {}, {}))[0]
        self.serve()
        self.assertRegex(self.host.error_text(), "could not be had.*certificate")
        self.assertEqual(self.ask(token)[0], 503)
        self.host.stop()
        self.serve(authority=certificate)
        self.assertEqual(self.ask(token)[0], 200)

    def test_doctor_says_whether_tokens_can_be_checked(self):
        self.configure()
        done = run_toolpost(self.place, "doctor", "--config", self.place.config)
        self.assertRegex(done.stdout, r"fault +issuer: .*no token can be checked")
        self.assertNotEqual(done.returncode, 0)
        self.serve_issuer()
        done = run_toolpost(self.place, "doctor", "--config", self.place.config)
        self.assertRegex(done.stdout, rf"ok +issuer: {re.escape(self.issuer)}, 4 keys")

    def test_what_the_documentation_shows_is_a_configuration(self):
        blocks = re.findall(r"^```toml\n(.*?)^```$", (SOURCE / "docs/operate/oauth.md").read_text(), re.M | re.S)
        self.assertEqual(len(blocks), 1)
        self.place.write_config(blocks[0])
        done = run_toolpost(self.place, "config", "show", "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('issuer = "https://login.example"', done.stdout)
        self.assertIn('anonymous = "nobody"', done.stdout)

    def test_codes_can_be_of_a_subject(self):
        self.configure()
        done = run_toolpost(self.place, "totp", "enroll", "oauth:anna", "--json", "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run_toolpost(self.place, "key", "new", "oauth:anna", "--config", self.place.config)
        self.assertEqual(done.returncode, 2, done.stdout)


if __name__ == "__main__":
    unittest.main()
