"""A tool that ignores the cancel of its call keeps the idempotency key of the call until the tool has ended.

Whoever ended the call: no second call with the key runs while the tool of the first one still runs.
"""
import concurrent.futures
import json
import pathlib
import signal
import tempfile

from harness import TestCase, last_message, message, plugin_file, run_toolpost, wait_until

CONFIG = """[server]
stop_timeout_s = 600
[call]
grace_s = 600
[plugin.counter]
enabled = true
isolation = "{isolation}"
fs = ["rw:{folder}"]
[[rule]]
tool = "until"
behavior = "allow"
"""
FOLLOWS_TASKS = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
REPLAYED = "io.toolpost/replayed"


class EndedCalls(TestCase):
    """The first call is made in one way and ended in another. Its tool says in a file that it has begun."""
    ISOLATION = "worker"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.runs = pathlib.Path(folder.name, "runs")
        self.place = self.workspace(config=CONFIG.format(folder=folder.name, isolation=self.ISOLATION))
        self.place.drop("counter", plugin_file("counter/counter_two"))  # which runs several calls at once
        self.boss = self.caller = self.key("boss", "call", "admin")["key"]
        self.pool = concurrent.futures.ThreadPoolExecutor(4)
        self.addCleanup(self.pool.shutdown)
        self.host = self.serve()
        self.arguments = self.place.gate() | {"runs": str(self.runs), "idempotency_key": "k"}

    def serve(self):
        host = self.http_host(self.place)
        self.addCleanup(self.place.open_gate)  # or a failed test would wait for the tool
        return host

    def key(self, principal, *scopes):
        words = [word for scope in scopes for word in ("--scope", scope)]
        made = run_toolpost(self.place, "key", "new", principal, *words, "--json", "--config", self.place.config)
        return json.loads(made.stdout)

    def fetch(self, method, path, body=None, host=None):
        return (host or self.host).fetch(method, path, body, self.boss)[2]

    def calls(self, host=None):
        return self.fetch("GET", "/v1/calls", host=host)["calls"]

    def states(self, host=None):
        return sorted(one["state"] for one in self.calls(host))

    def ran(self):
        return len(self.runs.read_text().splitlines()) if self.runs.exists() else 0

    def session(self):
        return self.fetch("POST", "/v1/sessions", {})["id"]

    # ---- calls

    def detach(self, session):
        made = self.fetch("POST", f"/v1/tools/request/{session}", {"name": "until", "arguments": self.arguments})
        return f"/v1/tools/request/{session}/{made['id']}"

    def begin_detached(self, session):
        path = self.detach(session)
        self.wait_for_begin()
        return path

    def post(self, method, params, abilities=None, host=None, connection=None):
        body, headers = message(method, params, "modern", headers={"Authorization": f"Bearer {self.caller}"})
        body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = abilities or {}
        headers.setdefault("Mcp-Name", params.get("taskId", ""))
        if not connection:
            return last_message((host or self.host).post(body, headers)[2])
        return connection.request("POST", "/mcp", json.dumps(body), {"Content-Type": "application/json"} | headers)

    def call(self, **options):
        return self.post("tools/call", {"name": "until", "arguments": self.arguments}, **options)

    def begin_call(self):
        began = self.pool.submit(self.call)
        self.wait_for_begin()
        return began

    def wait_for_begin(self):
        wait_until("the tool has begun", lambda: self.ran() == 1)

    def use_new_key_of(self, principal):
        made = self.key(principal, "call")
        self.caller = made["key"]
        wait_until("it is known", lambda: "result" in self.post("tools/list", {}))
        return made["id"]

    # ---- the second call

    def assert_waits_for_tool(self, second, host=None):
        """`second` makes the second call, and returns its result when it has ended."""
        wait_until("the first call has ended", lambda: self.states() == [])
        made = self.pool.submit(second)
        wait_until("the second call is there", lambda: self.states(host) in (["queued"], ["running"]))
        self.assertEqual(self.states(host), ["queued"])
        self.assertEqual(self.ran(), 1)
        self.place.open_gate()
        result = made.result()
        self.assertEqual(result["content"][0]["text"], "open", result)
        self.assertNotIn(REPLAYED, result.get("_meta", {}))
        self.assertEqual(self.ran(), 2)
        again = self.call(host=host)["result"]
        self.assertEqual(again["content"], result["content"])
        self.assertTrue(again["_meta"][REPLAYED])
        self.assertEqual(self.ran(), 2)

    def second_over_mcp(self):
        return self.call()["result"]

    def second_detached(self, session=None):
        path = self.detach(session or self.session())
        wait_until("it has ended", lambda: self.fetch("GET", path + "?wait=60")["state"] == "COMPLETE")
        return self.fetch("GET", path)["result"]

    # ---- tests

    def test_a_lost_client(self):
        lost = self.host.connect()
        self.call(connection=lost)
        self.wait_for_begin()
        lost.close()
        self.assert_waits_for_tool(self.second_over_mcp)

    def test_a_cancelled_task(self):
        made = self.call(abilities=FOLLOWS_TASKS)["result"]
        self.assertEqual(made["resultType"], "task", made)
        self.wait_for_begin()
        self.post("tasks/cancel", {"taskId": made["taskId"]}, FOLLOWS_TASKS)
        self.assert_waits_for_tool(self.second_over_mcp)

    def test_a_deleted_detached_call(self):
        session = self.session()
        first = self.begin_detached(session)
        self.assertEqual(self.fetch("DELETE", first)["code"], "cancelled")
        self.assert_waits_for_tool(lambda: self.second_detached(session))
        self.assertNotEqual(self.detach(session), first)

    def test_a_deleted_detached_call_that_is_called_again_over_mcp(self):
        self.fetch("DELETE", self.begin_detached(self.session()))
        self.assert_waits_for_tool(self.second_over_mcp)

    def test_a_call_of_a_deleted_session(self):
        session = self.session()
        self.begin_detached(session)
        self.fetch("DELETE", f"/v1/sessions/{session}")
        self.assert_waits_for_tool(self.second_detached)

    def test_a_call_that_an_operator_ended(self):
        began = self.begin_call()
        self.fetch("DELETE", "/v1/calls/" + self.calls()[0]["id"])
        self.assertIn("operator", began.result()["result"]["content"][0]["text"])
        self.assert_waits_for_tool(self.second_over_mcp)

    def test_a_call_whose_key_was_revoked(self):
        first = self.use_new_key_of("ada")
        began = self.begin_call()
        done = run_toolpost(self.place, "key", "revoke", first, "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("key", began.result()["result"]["content"][0]["text"])
        self.use_new_key_of("ada")
        self.assert_waits_for_tool(self.second_over_mcp)

    def test_a_call_on_a_host_that_stops(self):
        other = self.serve()
        began = self.begin_call()
        for number in range(2):  # the second signal ends the running calls
            self.host.child.send_signal(signal.SIGTERM)
            if number == 0:
                wait_until("it stops", lambda: "stopping" in self.host.error_text())
        began.result()
        made = self.pool.submit(lambda: self.call(host=other)["result"])
        wait_until("the second call waits for its key", lambda: self.states(other) == ["queued"])
        self.assertEqual(self.ran(), 1)
        self.place.open_gate()
        self.assertEqual(made.result()["content"][0]["text"], "open")
        self.assertEqual(self.ran(), 2)


class EndedInlineCalls(EndedCalls):
    ISOLATION = "inline"
