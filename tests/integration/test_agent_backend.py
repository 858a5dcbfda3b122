"""Agent backends in JavaScript against the real host: the snippets of a platform's manual as they stand there, and the
example of this tree, which crashes at its worst moments and goes on. Needs `scripts/bootstrap --tests`."""
import http.client
import http.server
import json
import os
import signal
import subprocess
import threading

from harness import NPM, SOURCE, TestCase, environment, problem, run_toolpost

NODE = NPM / "node_modules/.bin/node"
SNIPPETS = SOURCE / "tests/integration/clients/two_phase.mjs"
EXAMPLE = SOURCE / "examples/agent-backend/main.ts"


class LossyProxy(http.server.ThreadingHTTPServer):
    """Passes requests on to the host, and closes the connection of the first response of a worker: before the host has
    it, or after the host has taken it."""

    def __init__(self, port, passes):
        super().__init__(("127.0.0.1", 0), LossyHandler)
        self.port, self.passes, self.lost = port, passes, threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def base(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class LossyHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        loses = self.path.startswith("/v1/tools/response/") and not self.server.lost.is_set()
        if loses:
            self.server.lost.set()
            self.close_connection = True
            if not self.server.passes:
                return
        host = http.client.HTTPConnection("127.0.0.1", self.server.port)
        host.request(self.command, self.path, body, {name: self.headers[name] for name in ("Authorization", "Content-Type")})
        answer = host.getresponse()
        text = answer.read()
        host.close()
        if loses:
            return
        self.send_response(answer.status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_any

    def log_message(self, *words):
        pass


class AgentBackend(TestCase):
    def setUp(self):
        self.assertTrue(NODE.exists(), "no Node here: run scripts/bootstrap --tests")
        self.place = self.workspace("hello", config="[agent.RfsAgent]")
        self.key = self.make_key("ada", "--agent", "RfsAgent")
        self.host = self.http_host(self.place)
        self.base = self.host.url.removesuffix("/mcp")

    def make_key(self, *words):
        done = run_toolpost(self.place, "key", "new", *words, "--json", "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        return json.loads(done.stdout)["key"]

    def node(self, script, *words, exit_code=0, more=None):
        done = subprocess.run([NODE, "--no-warnings", script, *words], cwd=self.place.root, text=True, capture_output=True,
                              env=environment(self.place.root) | (more or {}), timeout=60)
        self.assertEqual(done.returncode, exit_code, done)
        return done.stdout

    def fetch(self, method, path, body=None, status=200):
        code, _, answer = self.host.fetch(method, path, body, self.key)
        self.assertEqual(code, status, answer)
        return answer

    def snippet(self, step, *ids):
        return json.loads(self.node(SNIPPETS, self.base, self.key, step, *ids))

    def request(self, session, tool_use_id):
        made = self.fetch("POST", f"/v1/tools/request/{session}", {
            "name": "getLocations", "arguments": {"sessionId": session}, "tool_use_id": tool_use_id}, 202)
        self.assertEqual(made["state"], "PENDING")
        return made["id"]

    def test_the_manuals_snippets_as_they_stand(self):
        [made] = self.snippet("session")
        self.assertEqual(made["status"], 201, made)
        session = made["body"]["id"]
        self.assertEqual(made["body"]["agent"], "RfsAgent")
        first = self.request(session, "toolu_1")
        beats = self.snippet("heartbeats", session, first)
        self.assertEqual([(one["status"], one["body"]["state"]) for one in beats], [(200, "PROCESSING")] * len(beats))
        self.assertGreaterEqual(len(beats), 3)
        [answered] = self.snippet("success", session, first)
        self.assertEqual((answered["status"], answered["body"]["state"]), (200, "COMPLETE"))
        second = self.request(session, "toolu_2")
        self.snippet("heartbeats", session, second)
        [failed] = self.snippet("failure", session, second)
        self.assertEqual((failed["status"], failed["body"]["state"]), (200, "ERROR"))
        good, bad = [one["tool_result"] for one in self.fetch("GET", f"/v1/sessions/{session}/results")["results"]]
        self.assertEqual((good["tool_use_id"], good["is_error"]), ("toolu_1", False))
        self.assertEqual(json.loads(good["content"][0]["text"]),
                         {"state": "COMPLETE", "locations": [{"id": 1, "name": "Main", "useBins": True}]})
        self.assertEqual((bad["tool_use_id"], bad["is_error"]), ("toolu_2", True))
        self.assertIn("Query timed out after 30 seconds", bad["content"][0]["text"])
        late = self.snippet("success", session, second)[0]
        self.assertEqual((late["status"], late["body"]["type"]), (409, problem("conflict")))

    def run_example(self, *words, exit_code=0, base=None):
        more = {"TOOLPOST_URL": base or self.base, "TOOLPOST_KEY": self.key}
        return self.node(EXAMPLE, *words, exit_code=exit_code, more=more)

    def check_ledger(self):
        ledger = json.loads((self.place.root / "ledger.json").read_text())
        self.assertEqual([(one["transferId"], one["quantity"]) for one in ledger.values()], [("T-1", 20)])

    def test_the_example_runs(self):
        said = self.run_example()
        self.assertIn("The transfer T-1 is ordered.", said)
        self.assertEqual(said.count("ran "), 4)
        self.check_ledger()

    def test_a_result_that_does_not_reach_the_host_is_no_error_of_the_tool(self):
        for passes in (False, True):
            proxy = LossyProxy(self.host.port, passes)
            self.addCleanup(proxy.server_close)
            self.addCleanup(proxy.shutdown)
            said = self.run_example(base=proxy.base)
            self.assertTrue(proxy.lost.is_set())
            self.assertIn("The transfer T-1 is ordered.", said)
            self.assertEqual(said.count("ran "), 4, said)
            self.check_ledger()
            state = json.loads((self.place.root / "conversation.json").read_text())
            self.assertNotIn('"is_error":true', json.dumps(state, separators=(",", ":")))
            for name in ("conversation.json", "ledger.json"):
                (self.place.root / name).unlink()

    def test_the_example_goes_on_after_crashes_of_its_own_and_of_the_host(self):
        killed = -signal.SIGKILL
        self.assertIn("began session", self.run_example("--crash-after", "getLocations", exit_code=killed))
        said = self.run_example("--crash-after", "getBinContents", exit_code=killed)
        self.assertIn("ran getLocations", said)
        os.kill(self.host.child.pid, signal.SIGKILL)
        self.host.wait()
        self.host = self.http_host(self.place, port=self.host.port)
        self.run_example("--crash-after", "createTransfer", exit_code=killed)
        said = self.run_example()
        self.assertEqual(said.count("ran "), 1, said)  # the transfer, which its ledger knows
        self.assertIn("The transfer T-1 is ordered.", said)
        self.check_ledger()
        state = json.loads((self.place.root / "conversation.json").read_text())
        blocks = [block["tool_use_id"] for message in state["messages"] for block in message["content"]
                  if block["type"] == "tool_result"]
        self.assertEqual(blocks, ["toolu_1", "toolu_bins_1", "toolu_bins_2", "toolu_3"])
