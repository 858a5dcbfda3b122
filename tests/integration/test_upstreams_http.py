"""MCP servers behind the host, over HTTP in its three ways: what works, and what each fault costs. See upstreams/http_double.py."""
import concurrent.futures
import json
import os
import socket
import subprocess
import sys
import unittest

from harness import MODERN, NPM, SOURCE, TOOLPOST, TestCase, environment, free_port, is_free, run_toolpost, text_of, wait_until
from upstreams.http_double import HttpDouble

BASE = '[permission]\nmode = "bypass"\n[upstreams]\nrestart_pause_s = 0.05\nrestart_pause_most_s = 0.1\n'


def section(name, url, more=""):
    return f'[[upstream]]\nname = "{name}"\nurl = "{url}"\n{more}\n'


class HttpUpstreams(TestCase):
    def double(self, kind, port=0):
        double = HttpDouble(kind, port)
        self.addCleanup(lambda: double.closing.is_set() or double.close())
        return double

    def serve(self, *sections, base=BASE):
        self.place = self.workspace(config=base + "".join(sections))
        self.host = self.http_host(self.place)
        return self.host

    def listed(self, *names):
        return wait_until(f"{names} are listed", lambda: set(names) <= {
            tool["name"] for tool in self.host.request("tools/list")["result"]["tools"]})

    def echo(self, name, text="hi"):
        return text_of(self.host.call(f"mcp__{name}__echo", {"text": text}))


class Calls(HttpUpstreams):
    def test_each_way_is_found_listed_and_called(self):
        doubles = {kind: self.double(kind) for kind in ("modern", "session", "sse")}
        self.serve(*(section(kind, double.url) for kind, double in doubles.items()))
        for kind, double in doubles.items():
            self.listed(f"mcp__{kind}__echo")
            self.assertEqual(self.echo(kind), "hi")
            self.assertEqual(double.done, ["echo"])
        headers = next(h for _, method, h in doubles["modern"].seen if method == "tools/call")
        names = ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Param-Text")
        self.assertEqual([headers[name] for name in names], ["2026-07-28", "tools/call", "echo", "hi"])

    def test_configured_headers_arrive_and_no_client_s_token_does(self):
        double = self.double("modern")
        self.place = self.workspace(config=BASE)
        secret = self.place.root / "token"
        secret.write_text("upstream-secret\n")
        more = f'headers = {{ Authorization = {{ file = "{secret}", prefix = "Bearer " }}, X-Team = "blue" }}\n'
        self.place.write_config(self.place.config.read_text() + section("one", double.url, more))
        self.host = self.http_host(self.place)
        self.listed("mcp__one__echo")
        connection = self.host.connect()
        connection.request("POST", "/mcp", json.dumps({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "mcp__one__echo", "arguments": {"text": "x"}}}),
            {"Content-Type": "application/json", "X-Client-Token": "clients-own", "Cookie": "clients-own"})
        connection.getresponse().read()
        connection.close()
        self.assertEqual(double.done, ["echo"])
        for _, _, headers in double.seen:
            self.assertEqual((headers["Authorization"], headers["X-Team"]), ("Bearer upstream-secret", "blue"))
            self.assertNotIn("clients-own", json.dumps(headers))

    def test_a_stop_deletes_the_session(self):
        double = self.double("session")
        self.serve(section("one", double.url, "lazy = false\n"))
        self.listed("mcp__one__echo")
        self.host.stop()
        wait_until("the session is deleted", lambda: not double.sessions)
        self.assertIn("DELETE", double.methods())

    def test_a_stop_does_not_wait_for_the_end_of_a_farewell(self):
        double = self.double("session")
        double.endless_farewell = True
        self.serve(section("one", double.url, "lazy = false\n"))
        self.listed("mcp__one__echo")
        self.assertEqual(self.host.stop(), 0)
        self.assertIn("DELETE", double.methods())


class Faults(HttpUpstreams):
    def start(self, kind, *more, base=BASE):
        self.one = self.double(kind)
        self.serve(section("one", self.one.url), *more, base=base)
        self.listed("mcp__one__echo")

    def test_a_forgotten_session_is_begun_again_and_the_call_arrives_once(self):
        for status, names_request in ((404, False), (404, True), (400, False)):
            self.start("session")
            self.one.lost_status, self.one.lost_names_request = status, names_request
            self.assertEqual(self.echo("one"), "hi")
            self.one.sessions.clear()
            self.assertEqual(text_of(self.host.call("mcp__one__act")), "did it")
            self.assertEqual(self.one.done, ["echo", "act"])
            self.host.stop()

    def test_an_answer_with_status_404_is_the_only_answer_of_the_call(self):
        self.start("session")
        self.one.faults = ["fail_late"]
        ended = self.host.call("mcp__one__act")
        self.assertIn("mail sent; browser session died", text_of(ended))
        self.one.faults = ["answer_as_missing_events"]
        self.assertEqual(text_of(self.host.call("mcp__one__act")), "did it")
        self.assertEqual(self.one.done, ["act", "act"])
        self.assertEqual(self.echo("one"), "hi")

    def test_an_error_of_the_call_that_names_a_lost_session_repeats_only_what_may_be_repeated(self):
        for status, code in ((400, -32000), (404, -32600)):
            self.start("session")
            self.one.lost_status, self.one.lost_code, self.one.lost_names_request = status, code, True
            self.one.sessions.clear()
            self.assertEqual(self.echo("one"), "hi")
            self.one.sessions.clear()
            self.assertIn("Session not found", text_of(self.host.call("mcp__one__act")))
            self.assertEqual(text_of(self.host.call("mcp__one__act")), "did it")
            self.assertEqual(self.one.done, ["echo", "act"])
            self.host.stop()

    def test_a_refusal_that_is_no_clear_error_does_not_repeat_the_call(self):
        self.start("session")
        for fault in ("progress_as_missing_events", "cut_late"):
            self.one.faults, self.one.done = [fault], []
            self.assertIn("It may have carried out the call", text_of(self.host.call("mcp__one__act")))
            self.assertEqual(self.one.done, ["act"])
            self.assertEqual(self.echo("one"), "hi")

    def test_a_server_that_forgets_every_session_is_called_without_a_pause(self):
        # After a pause of more than a second, calls would fail immediately.
        self.start("session", base=BASE.replace("restart_pause_s = 0.05", "restart_pause_s = 600"))
        for _ in range(4):
            self.assertEqual(self.echo("one"), "hi")
            self.one.sessions.clear()
            self.assertEqual(text_of(self.host.call("mcp__one__act")), "did it")
            self.one.sessions.clear()
        self.assertEqual(self.one.done, ["echo", "act"] * 4)

    def test_a_call_whose_question_was_asked_in_a_forgotten_session_ends_with_the_answer(self):
        self.start("session")
        self.one.faults = ["ask"]
        params = {"name": "mcp__one__act", "arguments": {}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}}
        headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "mcp__one__act"}
        asked = self.host.request("tools/call", params, headers=headers)["result"]
        self.one.sessions.clear()
        answers = {key: {"action": "accept", "content": {}} for key in asked["inputRequests"]}
        more = {"requestState": asked["requestState"], "inputResponses": answers}
        ended = self.host.request("tools/call", params | more, headers=headers)
        self.assertTrue(ended["result"]["isError"], ended)
        self.assertIn("has forgotten the session. It may have carried out the call", text_of(ended))
        self.assertEqual(self.echo("one"), "hi")

    def test_a_forgotten_session_leaves_the_calls_whose_answers_still_come(self):
        self.start("session")
        self.one.faults = ["slow"]
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            slow = pool.submit(self.host.call, "mcp__one__act")
            try:
                wait_until("it is in flight", self.one.slow_began.is_set)
                self.one.sessions.clear()
                self.assertEqual(self.echo("one"), "hi")
                self.assertFalse(slow.done())
            finally:
                self.one.gate.set()
            self.assertEqual(text_of(slow.result()), "did it")
        self.assertEqual(self.one.done, ["echo", "act"])
        self.assertEqual(self.one.methods().count("initialize"), 2)

    def test_a_server_that_refuses_a_first_request_with_422_is_reached(self):
        self.one = self.double("session")
        self.one.discover_status = 422  # as servers of the Rust SDK do
        self.serve(section("one", self.one.url))
        self.listed("mcp__one__echo")
        self.assertEqual(self.echo("one"), "hi")

    def test_a_call_whose_answer_is_lost_is_not_sent_again(self):
        for kind in ("modern", "session"):
            self.start(kind)
            self.one.faults = ["drop"]
            lost = self.host.call("mcp__one__act")["result"]
            self.assertIn("may have carried out", json.dumps(lost))
            self.assertEqual(self.one.done, ["act"])
            self.assertEqual(self.echo("one"), "hi")
            self.host.stop()

    def test_events_that_break_off_are_continued(self):
        self.start("session")
        self.one.faults = ["break_off"]
        self.assertEqual(text_of(self.host.call("mcp__one__act")), "did it")
        self.assertEqual(self.one.done, ["act"])

    def test_a_flood_and_a_mute_server_cost_only_their_own_calls(self):
        other = self.double("modern")
        limits = BASE + "[limits]\nupstream_message_bytes = 100000\n"
        self.one, mute = self.double("modern"), self.double("modern")
        self.serve(section("one", self.one.url), section("mute", mute.url, "timeout_s = 0.3\n"), section("other", other.url), base=limits)
        self.listed("mcp__one__echo", "mcp__mute__echo", "mcp__other__echo")
        self.one.faults, mute.faults = ["flood"], ["mute"]
        flooded = self.host.call("mcp__one__act")["result"]
        self.assertIn("100000 bytes", json.dumps(flooded))
        self.assertTrue(self.one.cut_off.wait(30))
        self.assertEqual(self.host.call("mcp__mute__act")["error"]["code"], -32003)  # it timed out
        self.assertEqual((self.echo("one"), self.echo("other")), ("hi", "hi"))

    def test_a_stream_of_changes_that_breaks_off_is_opened_again_and_the_tools_are_read(self):
        self.one = self.double("modern")
        self.one.listens = True
        self.serve(section("one", self.one.url, 'pin = "off"\nlazy = false\n'))
        self.listed("mcp__one__later")
        self.assertGreaterEqual(self.one.methods().count("tools/list"), 2)

    def test_a_redirect_leads_nowhere_else(self):
        canary = self.double("modern")
        self.one = self.double("modern")
        for target in (canary.url, "https://169.254.169.254/latest", "https://10.0.0.1/"):
            self.one.redirect = target
            self.serve(section("one", self.one.url, "lazy = false\n"))
            wait_until("it was tried", lambda: self.one.seen)
            self.assertNotIn("mcp__one__echo", json.dumps(self.host.request("tools/list")))
            self.host.stop()
        self.assertEqual(canary.seen, [])

    def test_a_server_that_was_away_is_reached_again(self):
        self.start("session")
        self.assertEqual(self.echo("one"), "hi")
        self.one.close()
        away = self.host.call("mcp__one__act")["result"]
        self.assertTrue(away["isError"], away)
        wait_until("its port is free", lambda: is_free(self.one.port))
        back = self.double("session", self.one.port)
        wait_until("it answers again", lambda: self.echo("one") == "hi")
        self.assertNotIn("act", back.done)


class Configuration(HttpUpstreams):
    def test_what_is_wrong_is_said_with_its_place(self):
        for text, said in ((section("a", "http://10.0.0.1/mcp"), "an https URL"), (section("a", "file:///etc"), "an https URL"),
                           (section("a", "https://user:pw@a.example/"), "an https URL"),
                           ('[[upstream]]\nname = "a"\n', "neither command, url nor openapi"),
                           (section("a", "https://a.example/", 'command = "x"'), "a command and a url"),
                           (section("a", "https://a.example/", 'cwd = "/"'), "has no effect"),
                           (section("a", "https://a.example/", 'headers = { Mcp-Session-Id = "x" }'), "sets itself"),
                           (section("a", "https://a.example/", 'headers = { X = "a\\nb" }'), "expected a text"),
                           (section("a", "https://a.example/", 'transport = "pigeon"'), "auto")):
            place = self.workspace(config=text)
            done = run_toolpost(place, "config", "check", "--config", place.config)
            self.assertEqual(done.returncode, 3, text)
            self.assertIn(said, done.stdout + done.stderr)


class Official(HttpUpstreams):
    """Servers of the protocol's own project."""
    SERVER = NPM / "node_modules/@modelcontextprotocol/server-everything/dist/index.js"

    def start_server(self, transport):
        port = free_port()
        child = subprocess.Popen([NPM / "node_modules/.bin/node", self.SERVER, transport], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, env={**os.environ, "PORT": str(port)})
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        wait_until("it listens", lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0)
        return port

    def test_the_typescript_sdk_in_2026_07_28(self):
        child = subprocess.Popen([NPM / "node_modules/.bin/node", SOURCE / "tests/integration/upstreams/modern_server.mjs"],
                                 stdout=subprocess.PIPE, env={**os.environ, "TP_NPM": str(NPM)}, text=True)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        port = child.stdout.readline().strip()
        self.serve(section("v2", f"http://127.0.0.1:{port}/mcp", 'pin = "off"\n'))
        self.listed("mcp__v2__add", "mcp__v2__gr____")
        self.assertEqual(text_of(self.host.call("mcp__v2__add", {"a": 2, "b": 3})), "5")
        self.assertEqual(text_of(self.host.call("mcp__v2__gr____")), "hello")
        self.assertEqual(text_of(self.host.call("mcp__v2__grow")), "grown")
        self.listed("mcp__v2__later")  # told by subscriptions/listen
        self.assertEqual(text_of(self.host.call("mcp__v2__later")), "later")

    def test_server_everything_over_http_and_sse(self):
        self.assertTrue(self.SERVER.exists(), "no server-everything here: run scripts/bootstrap --tests")
        http, sse = self.start_server("streamableHttp"), self.start_server("sse")
        self.serve(section("http", f"http://127.0.0.1:{http}/mcp"), section("sse", f"http://127.0.0.1:{sse}/sse"))
        for name in ("http", "sse"):
            self.listed(f"mcp__{name}__echo")
            self.assertIn("hi", text_of(self.host.call(f"mcp__{name}__echo", {"message": "hi"})))
            self.assertIn("5", text_of(self.host.call(f"mcp__{name}__get-sum", {"a": 2, "b": 3})))
            image = self.host.call(f"mcp__{name}__get-tiny-image")["result"]["content"]
            self.assertIn("image", [block["type"] for block in image])
        with concurrent.futures.ThreadPoolExecutor() as pool:  # it runs as a task, for some seconds
            for answer in pool.map(lambda name: self.host.call(f"mcp__{name}__simulate-research-query", {"topic": "bridges"}),
                                   ("http", "sse")):
                self.assertIn("Research Report: bridges", text_of(answer))

    def test_the_conformance_suite_takes_the_host_for_a_client(self):
        suite = NPM / "node_modules/.bin/conformance"
        self.assertTrue(suite.exists(), "no conformance suite here: run scripts/bootstrap --tests")
        place = self.workspace()
        command = f"{sys.executable} -B {SOURCE}/tests/integration/upstreams/conformance_client.py {TOOLPOST} {place.root}"
        for scenario in ("initialize", "tools_call", "sse-retry"):
            done = subprocess.run([NPM / "node_modules/.bin/node", suite, "client", "--command", command, "--scenario", scenario],
                                  text=True, capture_output=True, timeout=120, env=environment(place.root))
            self.assertEqual(done.returncode, 0, f"{scenario}: {done.stdout}{done.stderr}")


if __name__ == "__main__":
    unittest.main()
