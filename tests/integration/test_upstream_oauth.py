"""Logins of the host at upstreams, by OAuth 2.1: against a real authorization server (oidc-provider), and against one
that lies. Needs `scripts/bootstrap --tests`."""
import base64
import concurrent.futures
import http.cookiejar
import json
import re
import subprocess
import sys
import unittest
import urllib.error
import urllib.parse
import urllib.request

from harness import (NPM, SOURCE, TOOLPOST, Process, TestCase, environment, files_below, free_port, run_toolpost,
                     text_of, wait_until)
from upstreams.oauth_double import LyingIssuer, ProtectedDouble

NODE = NPM / "node_modules/.bin/node"
CLIENTS = SOURCE / "tests/integration/clients"
BASE = '[permission]\nmode = "bypass"\n[upstreams]\nrestart_pause_s = 0.05\nrestart_pause_most_s = 0.1\n'
LOGIN = "log in with `toolpost upstream login one`"


def browse(url):
    """(status, text) of the page at which a browser with cookies ends."""
    cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
    try:
        with urllib.request.build_opener(cookies).open(url, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def query_of(url):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))


class Logins(TestCase):
    def serve(self, issuer, more="", base=BASE):
        self.double = ProtectedDouble()
        self.addCleanup(self.double.close)
        self.double.describe(issuer)
        self.issuer = issuer
        self.place = self.workspace(config=base + f'[outbound]\nloopback = ["{issuer}"]\n' + self.section(more))
        self.state = self.place.root / "state"
        self.place.write_config(self.place.config.read_text() + f'[store]\nfile = "{self.state}/toolpost.db"\n')
        self.host = self.http_host(self.place)

    def section(self, more=""):
        return f'[[upstream]]\nname = "one"\nurl = "{self.double.url}"\nauth = "oauth"\n{more}\n'

    def begin(self):
        """A login by the command line: what it prints first, and its process."""
        login = Process([TOOLPOST, "upstream", "login", "one", "--json", "--config", self.place.config], self.place.root,
                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.addCleanup(login.stop)
        line = login.child.stdout.readline()
        self.assertNotEqual(line, b"", login.error_text())
        return json.loads(line), login

    def log_in(self):
        begun, login = self.begin()
        page = browse(begun["url"])
        self.assertEqual(page, (200, "Toolpost is logged in at one. You can close this window.\n"))
        self.assertEqual(login.wait(), 0, login.error_text())
        self.listed()
        return begun

    def failed(self, begun, login, query, *words):
        """A browser comes to the callback with that query: the page and the command line say why it is refused."""
        status, page = browse(f"{begun['callback']}?{urllib.parse.urlencode(query)}")
        self.assertEqual(status, 400, page)
        self.assertNotEqual(login.wait(), 0)
        for word in words:
            self.assertIn(word, page)
            self.assertIn(word, login.error_text())

    def refused(self, *words):
        """A login cannot even begin."""
        done = run_toolpost(self.place, "upstream", "login", "one", "--config", self.place.config)
        self.assertNotEqual(done.returncode, 0, done)
        for word in words:
            self.assertIn(word, done.stderr)

    def run_verb(self, *words):
        done = run_toolpost(self.place, "upstream", *words, "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout

    def status(self):
        return json.loads(self.run_verb("list", "--json"))[0]

    def listed(self, host=None):
        wait_until("its tools are listed", lambda: "mcp__one__echo" in [
            tool["name"] for tool in (host or self.host).request("tools/list")["result"]["tools"]])

    def echo(self, text="hi"):
        return text_of(self.host.call("mcp__one__echo", {"text": text}))


class AtARealServer(Logins):
    def setUp(self):
        self.assertTrue((NPM / "node_modules/oidc-provider").exists(),
                        "no authorization server here: run scripts/bootstrap --tests")

    def serve_issuer(self, more=""):
        issuer = f"http://127.0.0.1:{free_port()}"
        self.serve(issuer, more)
        options = {"npm": str(NPM), "issuer": issuer, "resource": self.double.url}
        started = Process([NODE, CLIENTS / "login_issuer.mjs", json.dumps(options)], self.place.root,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.addCleanup(started.stop)
        self.assertEqual(started.child.stdout.readline().strip(), b"ready", started.error_text())
        self.double.admits = self.scopes_of

    def control(self, **query):
        with urllib.request.urlopen(f"{self.issuer}/control?{urllib.parse.urlencode(query)}", timeout=60) as answer:
            return json.load(answer)

    def scopes_of(self, token):
        """As the MCP server asks the authorization server about a token. None: it is not valid."""
        pair = base64.b64encode(b"checker:checker-secret").decode()
        form = urllib.parse.urlencode({"token": token}).encode()
        request = urllib.request.Request(f"{self.issuer}/token/introspection", form, {"Authorization": f"Basic {pair}"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            told = json.load(answer)
        return told["scope"].split() if told["active"] and told["aud"] == self.double.url else None

    def test_a_person_logs_in_and_tokens_are_renewed_until_they_are_revoked(self):
        self.serve_issuer()
        wait_until("it was asked", lambda: "it requires a login" in self.status()["login"]["needed"])
        self.assertIn(LOGIN, self.status()["last_error"])
        self.control(ttl=2)
        begun = self.log_in()
        self.assertEqual({name: query_of(begun["url"])[name] for name in ("code_challenge_method", "resource", "scope")},
                         {"code_challenge_method": "S256", "resource": self.double.url, "scope": "tools:read offline_access"})
        self.assertEqual(self.echo(), "hi")
        self.assertEqual(self.status()["login"]["needed"], "")
        # It expires, and is renewed with a new refresh token each time.
        wait_until("it was renewed twice", lambda: self.echo() == "hi" and self.control()["refreshes"] >= 2)
        # A restart keeps the login.
        self.assertEqual(self.host.stop(), 0)
        self.control(ttl=600)
        self.host = self.http_host(self.place)
        self.assertEqual(self.echo("again"), "again")
        # A renewed token is refused before its time, and renewed.
        self.control(revoke=1)
        wait_until("it needs a login", lambda: LOGIN in self.echo())
        self.assertIn("invalid_grant", self.status()["login"]["needed"])
        self.assertIn("toolpost upstream login one", self.run_verb("list"))
        seen = self.control()
        self.assertEqual([one["error"] for one in seen["wrong"]], ["invalid_grant"])
        self.log_in()
        self.assertEqual(self.echo("once more"), "once more")
        self.no_secret_is_written()

    def no_secret_is_written(self):
        """Of everything that the authorization server gave or that proves a login."""
        secrets = self.control()["secrets"]
        self.assertGreater(len(secrets), 8)
        self.assertEqual(self.host.stop(), 0)
        written = {file: file.read_bytes() for file in files_below(self.place.root) if file.is_file()}
        written["stderr"] = self.host.error_text().encode()
        self.assertIn(self.state / "toolpost.db", written)
        for where, text in written.items():
            for secret in secrets:
                self.assertNotIn(secret.encode(), text, where)
        self.assertEqual((self.state / "toolpost.db.key").stat().st_mode & 0o777, 0o600)

    def test_more_rights_are_a_new_login_for_all_of_them(self):
        self.serve_issuer()
        self.log_in()
        self.assertEqual(self.echo(), "hi")
        told = text_of(self.host.call("mcp__one__act"))
        self.assertIn("it needs more rights (scopes: tools:write)", told)
        self.assertIn(LOGIN, told)
        self.assertEqual(self.double.done, ["echo"])
        self.assertEqual(self.echo(), "hi")  # what it has is still of use
        begun = self.log_in()
        self.assertEqual(set(query_of(begun["url"])["scope"].split()), {"tools:read", "tools:write", "offline_access"})
        self.assertEqual(text_of(self.host.call("mcp__one__act")), "did it")
        self.assertEqual(set(self.status()["login"]["scopes"]), {"tools:read", "tools:write"})
        self.control(revoke=1)  # the login has ended, and the next one has all its rights
        wait_until("it needs a login", lambda: LOGIN in self.echo())
        begun = self.log_in()
        self.assertEqual(set(query_of(begun["url"])["scope"].split()), {"tools:read", "tools:write", "offline_access"})
        # The operator takes rights away.
        self.control(revoke=1)
        wait_until("it needs a login", lambda: LOGIN in self.echo())
        self.assertEqual(self.host.stop(), 0)
        text = self.place.config.read_text().replace('auth = "oauth"', 'auth = "oauth"\nscopes = ["tools:read"]')
        self.place.config.write_text(text)
        self.host = self.http_host(self.place)
        begun = self.log_in()
        self.assertEqual(set(query_of(begun["url"])["scope"].split()), {"tools:read", "offline_access"})
        # A call needs a right after the operator has changed the scopes again: one login is enough.
        self.assertEqual(self.host.stop(), 0)
        self.place.config.write_text(text.replace('scopes = ["tools:read"]', 'scopes = ["tools:read", "offline_access"]'))
        self.host = self.http_host(self.place)
        self.assertIn("it needs more rights (scopes: tools:write)", text_of(self.host.call("mcp__one__act")))
        begun = self.log_in()
        self.assertEqual(set(query_of(begun["url"])["scope"].split()), {"tools:read", "tools:write", "offline_access"})
        self.assertEqual(text_of(self.host.call("mcp__one__act")), "did it")

    def test_a_logout_revokes_and_a_changed_url_gets_no_token(self):
        self.serve_issuer()
        self.log_in()
        self.assertEqual(self.echo(), "hi")
        given = set(self.double.tokens)
        self.host.stop()
        # The same name, a different server: it gets nothing.
        other = ProtectedDouble()
        self.addCleanup(other.close)
        text = self.place.config.read_text()
        self.place.write_config(text.replace(self.double.url, other.url))
        self.host = self.http_host(self.place)
        self.assertIn(LOGIN, self.echo())
        self.assertEqual(set(other.tokens), {""})
        self.host.stop()
        self.place.write_config(text)
        self.host = self.http_host(self.place)
        self.assertEqual(self.echo(), "hi")
        self.assertIn("is logged out", self.run_verb("logout", "one"))
        self.assertEqual(self.control()["revocations"], 2)
        wait_until("it needs a login", lambda: LOGIN in self.echo())
        for token in given - {""}:
            self.assertIsNone(self.scopes_of(token.removeprefix("Bearer ")))
        done = run_toolpost(self.place, "upstream", "logout", "one", "--config", self.place.config)
        self.assertIn("has no login", done.stderr)

    def test_a_client_that_was_registered_beforehand_keeps_its_secret_in_a_file(self):
        port = free_port()
        elsewhere = "https://login.example"
        self.serve_issuer(f'client_id = "known"\nclient_secret = {{ env = "ONE_SECRET", issuer = "{elsewhere}" }}\n')
        self.refused(f"its `issuer` in the configuration is {elsewhere}")  # so the secret is not even read
        self.host.stop()
        self.place.write_config(self.place.config.read_text().replace(elsewhere, self.issuer))
        self.host = self.http_host(self.place)
        self.refused("client_secret", "ONE_SECRET")
        self.host.stop()
        file = self.place.root / "secret"
        file.write_text("known-client-secret\n")
        text = self.place.config.read_text().replace('env = "ONE_SECRET"', f'file = "{file}"')
        self.place.write_config(text.replace("[upstreams]\n", f"[upstreams]\nlogin_port = {port}\n"))
        self.host = self.http_host(self.place)
        begun = self.log_in()
        self.assertEqual(begun["callback"], f"http://127.0.0.1:{port}/callback")
        self.begin()
        self.log_in()  # at the same port again
        self.assertEqual(self.echo(), "hi")
        self.assertEqual(self.control()["registrations"], 0)

    def test_the_person_refuses_and_an_administrator_finishes_by_hand(self):
        self.serve_issuer()
        self.control(refuse=1)
        begun, login = self.begin()
        status, page = browse(begun["url"])
        self.assertEqual(status, 400)
        self.assertIn("refused the login: access_denied", page)
        self.assertNotEqual(login.wait(), 0)
        self.assertIn("access_denied", login.error_text())
        self.control(refuse=0)
        made = run_toolpost(self.place, "key", "new", "boss", "--scope", "admin", "--scope", "call", "--json", "--config",
                            self.place.config)
        key = json.loads(made.stdout)["key"]
        status, _, _ = self.host.fetch("POST", "/v1/upstreams/one/login")
        self.assertEqual(status, 401)
        # The host learns of a new key in a moment.
        wait_until("the key is known", lambda: self.host.fetch("GET", "/v1/upstreams", key=key)[0] == 200)
        status, _, text = self.host.fetch("POST", "/v1/upstreams/one/login", key=key)
        self.assertEqual(status, 200, text)
        begun = text
        address = self.last_address(begun["url"])
        self.assertTrue(address.startswith(begun["callback"]), address)
        answer = "/v1/upstreams/one/login/answer"
        status, _, text = self.host.fetch("POST", answer, {"url": address.replace("state=", "state=x")}, key=key)
        self.assertEqual(status, 422, text)
        status, _, text = self.host.fetch("POST", answer, {"url": address}, key=key)
        self.assertEqual((status, text["login"]["issuer"]), (200, self.issuer))
        self.listed()
        self.assertEqual(self.echo(), "hi")
        # Its state was for once.
        status, _, text = self.host.fetch("POST", answer, {"url": address}, key=key)
        self.assertEqual(status, 422, text)

    @staticmethod
    def last_address(url):
        """Where a browser ends that cannot reach the callback."""
        class Stay(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, request, fp, code, msg, headers, newurl):
                found.append(newurl)
                if "/callback?" in newurl:
                    return None
                return super().redirect_request(request, fp, code, msg, headers, newurl)
        found = []
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        try:
            urllib.request.build_opener(cookies, Stay).open(url, timeout=60).close()
        except urllib.error.HTTPError as error:
            error.close()
        return found[-1]


    def test_two_hosts_with_one_store_are_one_login(self):
        self.serve_issuer()
        other = self.http_host(self.place)
        self.control(ttl=8)
        self.log_in()  # at the older host
        self.run_verb("restart", "one")
        self.listed(other)
        hosts = (self.host, other)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            while self.control()["refreshes"] < 2:
                calls = [pool.submit(host.call, "mcp__one__echo", {"text": "hi"}) for host in hosts * 4]
                self.assertEqual({text_of(call.result(120)) for call in calls}, {"hi"})
        self.control(ttl=600)
        self.assertEqual(self.control()["wrong"], [])
        # What one host lacks, a login at the other one brings.
        self.assertIn("it needs more rights", text_of(other.call("mcp__one__act")))
        begun = self.log_in()
        self.assertIn("tools:write", query_of(begun["url"])["scope"].split())
        self.assertEqual(text_of(other.call("mcp__one__act")), "did it")
        self.assertEqual(self.control()["wrong"], [])


class AtALiar(Logins):
    def setUp(self):
        self.liar = LyingIssuer()
        self.addCleanup(self.liar.close)
        self.serve(self.liar.url)
        self.double.admits = lambda token: ["tools:read"] if token == "an-access-token" else None

    def test_an_answer_is_taken_once_from_the_server_that_was_asked(self):
        begun, login = self.begin()
        state = query_of(begun["url"])["state"]
        good = {"state": state, "code": "c0de", "iss": self.liar.url}
        # Somebody who does not know the state neither finishes the login nor ends it.
        for query in ({**good, "state": "x"}, {"code": "c0de", "iss": self.liar.url}):
            status, page = browse(f"{begun['callback']}?{urllib.parse.urlencode(query)}")
            self.assertEqual(status, 400)
            self.assertIn("belongs to no login in progress", page)
        self.failed(begun, login, {**good, "iss": "https://other.example"}, "a different authorization server")
        self.assertEqual([one for one in self.liar.asked if isinstance(one, dict)], [])
        for query in ({"state": None, "code": "c0de"}, {"state": None, "error": "access_denied"}):
            begun, login = self.begin()
            query["state"] = query_of(begun["url"])["state"]
            self.failed(begun, login, query, "does not say which authorization server")
        begun, login = self.begin()
        good["state"] = query_of(begun["url"])["state"]
        status, page = browse(f"{begun['callback']}?{urllib.parse.urlencode(good)}")
        self.assertEqual((status, login.wait()), (200, 0), page)
        self.listed()
        self.assertEqual(self.echo(), "hi")
        sent = next(one for one in self.liar.asked if isinstance(one, dict))
        self.assertEqual((sent["grant_type"], sent["code"], sent["resource"]),
                         ("authorization_code", "c0de", self.double.url))
        self.assertNotIn("c0de", self.host.error_text() + self.place.audit.read_text())

    def test_a_later_login_takes_the_place_of_an_earlier_one(self):
        begun, login = self.begin()
        self.begin()
        self.assertNotEqual(login.wait(), 0)
        self.assertIn("a later login took its place", login.error_text())
        query = {"state": query_of(begun["url"])["state"], "code": "c", "iss": self.liar.url}
        with self.assertRaises(OSError):
            urllib.request.urlopen(f"{begun['callback']}?{urllib.parse.urlencode(query)}", timeout=60)

    def test_metadata_that_do_not_fit_are_refused(self):
        good = dict(self.liar.metadata)
        for change, words in (
                ({"issuer": f"{self.liar.url}/"}, "another issuer"),
                ({"code_challenge_methods_supported": ["plain"]}, "PKCE"),
                ({"code_challenge_methods_supported": None}, "PKCE"),
                ({"authorization_endpoint": "javascript:alert(1)"}, "authorization_endpoint"),
                ({"authorization_endpoint": "http://login.example/"}, "authorization_endpoint"),
                ({"registration_endpoint": None}, "set `client_id`")):
            self.liar.metadata = {name: value for name, value in {**good, **change}.items() if value is not None}
            self.refused(words)
        self.liar.metadata = good
        document = self.double.documents["/.well-known/oauth-protected-resource/mcp"]
        for resource in ("https://other.example/mcp", f"{self.double.origin}/other", f"{self.double.url}/below"):
            document["resource"] = resource
            self.refused("a different server")
        document["resource"] = self.double.origin  # it covers what is below
        begun, _ = self.begin()
        self.assertEqual(query_of(begun["url"])["resource"], self.double.origin)

    def test_nothing_private_is_asked(self):
        self.liar.redirect = "http://169.254.169.254/latest/meta-data/"
        self.refused("are at none of")
        self.liar.redirect = None
        for server, words in (("http://169.254.169.254", "not an https URL"), ("https://10.0.0.1", "10.0.0.1"),
                              ("http://127.0.0.1:9", "outbound.loopback"), ("https://[fd00::1]", "fd00::1")):
            self.double.describe(server)
            self.refused(words)
        self.double.describe(self.liar.url)
        for place, words in (("http://192.168.1.1/x", "not an https URL"), ("https://192.168.1.1/x", "192.168.1.1"),
                             ("http://127.0.0.1:9/x", "outbound.loopback")):
            self.double.challenge = f'Bearer resource_metadata="{place}"'
            self.host.stop()
            self.host = self.http_host(self.place)  # which has seen no other challenge
            self.refused(words)
        self.double.challenge = None
        for endpoint in ("token_endpoint", "registration_endpoint"):
            self.liar.metadata[endpoint] = "https://192.168.1.1/token"
        self.host.stop()
        self.host = self.http_host(self.place)
        self.refused("192.168.1.1")

    def test_answers_without_a_usable_token_are_no_login(self):
        for answer, status, words in (
                ({"error": "invalid_grant", "error_description": "c0de"}, 400, "gave no token: invalid_grant"),
                ({"error": "bad\n\"thing"}, 400, "HTTP status 400"),
                ({"access_token": "t", "token_type": "mac"}, 200, "not Bearer"),
                ({"access_token": "a b", "token_type": "Bearer"}, 200, "access_token"),
                ({"access_token": "t" * 7000, "token_type": "Bearer"}, 200, "6 KiB"),
                ({"token_type": "Bearer"}, 200, "access_token"),
                ({}, 500, "HTTP status 500")):
            self.liar.tokens, self.liar.status = answer, status
            begun, login = self.begin()
            query = {"state": query_of(begun["url"])["state"], "code": "c0de", "iss": self.liar.url}
            self.failed(begun, login, query, words)
        self.assertNotIn("c0de", self.host.error_text() + self.place.audit.read_text())

    def test_a_server_of_2025_03_26_is_its_own_authorization_server(self):
        self.double.documents.clear()
        self.double.challenge = None
        begun, _ = self.begin()
        self.assertEqual(urllib.parse.urlsplit(begun["url"])._replace(query="").geturl(), f"{self.double.origin}/authorize")


class DuringARenewal(Logins):
    """The authorization server answers a refresh only when the test lets it."""
    def setUp(self):
        self.liar = LyingIssuer()
        self.addCleanup(self.liar.close)
        self.liar.metadata["authorization_response_iss_parameter_supported"] = False
        self.serve(self.liar.url)
        self.good = {"first"}
        self.double.admits = lambda token: ["tools:read"] if token in self.good or token.startswith("renewed") else None
        self.liar.tokens = {"access_token": "first", "refresh_token": "first-refresh", "token_type": "Bearer", "expires_in": 600}
        self.finish_login()
        self.assertEqual(self.echo(), "hi")
        self.pool = concurrent.futures.ThreadPoolExecutor(2)
        self.addCleanup(self.pool.shutdown)

    def finish_login(self):
        begun, login = self.begin()
        query = {"state": query_of(begun["url"])["state"], "code": "c"}
        page = browse(f"{begun['callback']}?{urllib.parse.urlencode(query)}")
        self.assertEqual((page[0], login.wait()), (200, 0), page)
        self.listed()

    def begin_renewal(self):
        self.liar.go_on.clear()
        self.good.clear()  # the server refuses the token, so it is renewed
        call = self.pool.submit(self.echo)
        self.assertTrue(self.liar.refreshing.wait(60))
        return call

    def test_a_logout_wins(self):
        call = self.begin_renewal()
        self.run_verb("logout", "one")
        self.liar.go_on.set()
        self.assertIn(LOGIN, call.result(120))
        self.assertIn(LOGIN, self.echo())
        wait_until("all tokens are revoked", lambda: set(self.liar.revoked()) == {
            "first", "first-refresh", "renewed-access-1", "renewed-refresh-1"})
        self.assertEqual(self.status()["login"]["needed"], "it requires a login")

    def test_a_new_login_wins(self):
        call = self.begin_renewal()
        self.liar.tokens = {**self.liar.tokens, "access_token": "second", "refresh_token": "second-refresh"}
        self.good.add("second")
        self.finish_login()
        self.liar.go_on.set()
        call.result(120)
        self.assertEqual(self.echo(), "hi")
        self.assertEqual(self.double.tokens[-1], "Bearer second")
        wait_until("the tokens of the old login are revoked", lambda: "renewed-refresh-1" in self.liar.revoked())

    def test_a_host_that_stops_keeps_the_new_refresh_token(self):
        self.begin_renewal()
        self.host.child.terminate()
        self.liar.go_on.set()
        self.assertEqual(self.host.wait(), 0)
        self.host = self.http_host(self.place)
        self.assertEqual(self.echo(), "hi")
        self.assertEqual([form["refresh_token"] for form in self.liar.sent_to_token("refresh_token")], ["first-refresh"])

    def test_no_error_of_the_upstream_is_hidden_and_no_wish_grows_without_end(self):
        self.double.refusal = {"code": -32000, "message": "not on Sundays"}
        self.assertIn("not on Sundays", json.dumps(self.host.call("mcp__one__act")))
        self.double.refusal, self.double.invented = None, 1
        for _ in range(4):
            told = text_of(self.host.call("mcp__one__act"))
            self.assertIn("it needs more rights", told)
            self.assertLess(len(told), 1000)
        begun, _ = self.begin()
        self.assertLessEqual(len(query_of(begun["url"])["scope"].split()), 65)
        self.assertEqual(self.host.error_text().count("a person has to log in"), 2)  # at the start, and now


class Conformance(TestCase):
    SCENARIOS = (
        "metadata-default", "metadata-var1", "metadata-var2", "metadata-var3", "basic-cimd", "scope-from-www-authenticate",
        "scope-from-scopes-supported", "scope-omitted-when-undefined", "scope-step-up", "scope-retry-limit",
        "token-endpoint-auth-basic", "token-endpoint-auth-post", "token-endpoint-auth-none", "pre-registration",
        "2025-03-26-oauth-metadata-backcompat", "2025-03-26-oauth-endpoint-fallback", "resource-mismatch",
        "offline-access-scope", "offline-access-not-supported", "authorization-server-migration", "iss-supported",
        "iss-not-advertised", "iss-supported-missing", "iss-wrong-issuer", "iss-unexpected", "iss-normalized",
        "metadata-issuer-mismatch")

    def test_the_official_suite_takes_the_host_for_a_client_that_logs_in(self):
        suite = NPM / "node_modules/.bin/conformance"
        self.assertTrue(suite.exists(), "no conformance suite here: run scripts/bootstrap --tests")
        place = self.workspace()
        driver = SOURCE / "tests/integration/upstreams/conformance_login.py"
        command = f"{sys.executable} -B {driver} {TOOLPOST} {place.root}"
        for scenario in self.SCENARIOS:
            with self.subTest(scenario):
                done = subprocess.run([NODE, suite, "client", "--command", command, "--scenario", f"auth/{scenario}",
                                       "--timeout", "120000"], text=True, capture_output=True, timeout=150,
                                      env=environment(place.root))
                self.assertEqual(done.returncode, 0, f"{scenario}: {done.stdout}{done.stderr}")


class Refused(TestCase):
    def test_configurations_that_contradict_themselves(self):
        place = self.workspace()
        url = '[[upstream]]\nname = "one"\nurl = "https://tools.example/mcp"\n'
        oauth = url + 'auth = "oauth"\n'
        for text, line, words in (
                (url + 'scopes = ["a"]\n', 4, "has no effect without `auth"),
                (url + 'client_id = "a"\n', 4, "has no effect without `auth"),
                (oauth + 'client_secret = { env = "A", issuer = "https://a.example" }\n', 5, "without `client_id`"),
                (oauth + 'client_id = "a"\nclient_secret = "text"\n', 6, 'expected { file = "/path"'),
                (oauth + 'client_id = "a"\nclient_secret = { env = "A" }\n', 6, "issuer"),
                (oauth + 'client_id = "a"\nclient_metadata_url = "https://me.example/c"\n', 6, "remove one of them"),
                (oauth + 'client_metadata_url = "https://me.example"\n', 5, "an https URL with a path"),
                (oauth + 'headers = { Authorization = "Bearer x" }\n', 5, "Authorization"),
                ('[[upstream]]\nname = "one"\ncommand = "true"\nauth = "oauth"\n', 4, "without `url`"),
                (oauth + 'scopes = ["a b"]\n', 5, "one scope")):
            place.write_config(text)
            done = run_toolpost(place, "config", "check", "--config", place.config)
            self.assertNotEqual(done.returncode, 0, text)
            self.assertRegex(done.stdout + done.stderr, re.escape(f"{place.config}:{line}:"))
            self.assertIn(words, done.stdout + done.stderr)

    def test_an_upstream_without_a_login_has_none(self):
        place = self.workspace(config='[[upstream]]\nname = "one"\nurl = "http://127.0.0.1:9/mcp"\n')
        self.http_host(place)
        done = run_toolpost(place, "upstream", "login", "one", "--config", place.config)
        self.assertIn('has no `auth = "oauth"`', done.stderr)


if __name__ == "__main__":
    unittest.main()
