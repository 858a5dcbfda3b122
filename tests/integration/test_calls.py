"""Calls that wait or run: who sees them, how an operator ends one, and what its caller is told."""
import concurrent.futures
import contextlib
import json
import sqlite3
import time
import unittest

from harness import LEGACY, MODERN, TestCase, last_message, message, run_toolpost, store_of, text_of, wait_until

CONFIG = """[approval]
wait_s = 30
[[rule]]
tool = "slow_compute"
behavior = "allow"
"""
TIMED = {"ms": 25000}
ENDED = "An operator ended this call of"
KEY_IS_OVER = "The key, login or token that allowed this call of"


class Calls(TestCase):
    def setUp(self):
        two = "[plugin.overlap]\nmax_inflight = 2" if "leave_a_unit" in self.id() else ""
        self.place = self.workspace("overlap", "services", config=CONFIG + two)
        self.boss = self.key("boss", "call", "approve", "admin")
        self.rita = self.key("rita", "approve", "call")
        self.host = self.http_host(self.place)
        self.pool = concurrent.futures.ThreadPoolExecutor(8)
        self.addCleanup(self.pool.shutdown)

    def key(self, principal, *scopes):
        words = [word for scope in scopes for word in ("--scope", scope)]
        done = run_toolpost(self.place, "key", "new", principal, *words, "--json", "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        return json.loads(done.stdout)["key"]

    def begin(self, tool, arguments, era="bare", key=None):
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return self.pool.submit(self.host.call, tool, arguments, era, headers=headers)

    def live(self):
        status, headers, answer = self.host.fetch("GET", "/v1/calls", key=self.boss)
        self.assertEqual((status, headers["Cache-Control"]), (200, "no-store"), answer)
        self.assertEqual(answer["all"], len(answer["calls"]))
        return answer["calls"]

    def states(self):
        return sorted((one["tool"], one["state"]) for one in self.live())

    def until(self, *wanted):
        wait_until(f"calls are {wanted}", lambda: self.states() == sorted(wanted))
        return {(one["tool"], one["state"]): one for one in self.live()}

    def end(self, one, status=204, key=None):
        got, _, answer = self.host.fetch("DELETE", f"/v1/calls/{one['id']}", key=key or self.boss)
        self.assertEqual(got, status, answer)
        return answer

    def assert_ended(self, call, tool, words=ENDED):
        answer = call.result(30)
        self.assertTrue(answer["result"]["isError"], answer)
        self.assertIn(f'{words} "{tool}"', text_of(answer))

    def revoke_one(self, principal):
        verb = lambda *words: run_toolpost(self.place, "key", *words, "--config", self.place.config).stdout
        held = [one["id"] for one in json.loads(verb("list", "--json"))
                if one["principal"] == principal and not one["revoked"]]
        self.assertIn("is revoked", verb("revoke", held[0]))

    def sessions(self):
        shown = self.host.fetch("GET", "/metrics", key=self.boss)[2]
        return int(next(line.split()[-1] for line in shown.splitlines() if line.startswith("toolpost_sessions ")))

    def leave(self, tool, arguments, headers=None):
        """Sends a bare call; whoever gets the connection may close it."""
        connection = self.host.connect()
        self.addCleanup(connection.close)
        body, fields = message("tools/call", {"name": tool, "arguments": arguments}, "bare")
        connection.request("POST", "/mcp", json.dumps(body), {"Content-Type": "application/json", **fields,
                                                              **(headers or {})})
        return connection

    def test_a_bare_call_ends_with_its_connection(self):
        first, second = self.leave("serial_probe", TIMED), self.leave("serial_probe", TIMED)
        self.until(("serial_probe", "running"), ("serial_probe", "queued"))
        first.close()
        self.until(("serial_probe", "running"))  # the other has its place
        second.close()
        self.until()
        self.assertEqual([line["outcome"] for line in self.place.audit_lines()], ["cancelled"] * 2)

    def test_one_that_waits_for_an_approval_ends_and_its_question_stands(self):
        gone = self.leave("pre_confirmed", {"text": "one"})
        self.until(("pre_confirmed", "waits_for_approval"))
        gone.close()
        self.until()
        [asked] = self.host.fetch("GET", "/v1/approvals", key=self.boss)[2]["approvals"]
        self.assertEqual(asked["state"], "pending")
        self.assertEqual([line["outcome"] for line in self.place.audit_lines()], ["pending"])

    def test_the_last_key_that_is_revoked_takes_along_what_runs_by_it(self):
        self.key("ada", "approve")  # stays, and lets nobody call
        keys = [self.key("ada", "call") for _ in range(2)]
        for key in keys:
            wait_until("it is known", lambda: time.sleep(0.2) or self.host.fetch("GET", "/v1/tools", key=key)[0] == 200)
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}
        headers = {"Authorization": f"Bearer {keys[0]}"}
        self.assertEqual(self.host.post(hello, headers)[0], 200)
        self.assertEqual(self.sessions(), 1)
        mine = self.begin("serial_probe", TIMED, key=keys[0])
        self.until(("serial_probe", "running"))
        other = self.begin("serial_probe", TIMED, key=self.rita)
        self.until(("serial_probe", "running"), ("serial_probe", "queued"))
        self.revoke_one("ada")  # the other key would do
        time.sleep(1.2)
        self.assertEqual((len(self.live()), self.sessions()), (2, 1))
        self.revoke_one("ada")
        self.assert_ended(mine, "serial_probe", KEY_IS_OVER)
        self.assertEqual(self.place.audit_lines()[-1]["outcome"], "ended_by_credential")
        self.assertEqual(self.sessions(), 0)
        seen = self.until(("serial_probe", "running"))
        self.assertEqual(seen["serial_probe", "running"]["principal"], "rita")
        self.end(seen["serial_probe", "running"])
        self.assert_ended(other, "serial_probe")

    def test_a_key_that_expires_ends_what_runs_by_it_and_the_answer_says_so(self):
        key = self.key("eve", "call")
        wait_until("it is known", lambda: time.sleep(0.2) or self.host.fetch("GET", "/v1/tools", key=key)[0] == 200)
        call = self.begin("serial_probe", TIMED, key=key)
        self.until(("serial_probe", "running"))
        with contextlib.closing(sqlite3.connect(store_of(self.place))) as database:
            database.execute("UPDATE api_key SET expires = 1 WHERE principal = 'eve'")
            database.commit()
        self.assert_ended(call, "serial_probe", KEY_IS_OVER)
        [line] = self.place.audit_lines()
        self.assertEqual((line["principal"], line["outcome"]), ("eve", "ended_by_credential"))

    def test_what_runs_waits_and_is_asked_is_seen_and_ended(self):
        self.assertEqual(self.live(), [])
        running = self.begin("serial_probe", TIMED, key=self.rita)
        self.until(("serial_probe", "running"))
        queued = self.begin("serial_probe", TIMED)
        asked = self.begin("pre_confirmed", {"text": "x"}, era="modern")
        seen = self.until(("serial_probe", "running"), ("serial_probe", "queued"),
                          ("pre_confirmed", "waits_for_approval"))
        one = seen["serial_probe", "running"]
        self.assertEqual((one["principal"], one["plugin"], one["kind"]), ("rita", "overlap", "tool"))
        self.assertEqual(self.live()[0]["id"], one["id"], "the oldest first")
        time.sleep(0.05)
        self.assertGreater(self.live()[0]["ms"], one["ms"])
        self.assertEqual(seen["serial_probe", "queued"]["principal"], "local")
        # Each is ended, and its caller told; what waited behind it comes to its turn or not at all.
        self.end(seen["pre_confirmed", "waits_for_approval"])
        self.assert_ended(asked, "pre_confirmed")
        self.end(seen["serial_probe", "queued"])
        self.assert_ended(queued, "serial_probe")
        self.end(one)
        self.assert_ended(running, "serial_probe")
        self.until()
        self.end(one, status=404)
        outcomes = [(line["tool"], line["outcome"]) for line in self.place.audit_lines()]
        self.assertEqual(outcomes, [("pre_confirmed", "ended_by_operator"), ("serial_probe", "ended_by_operator"),
                                    ("serial_probe", "ended_by_operator")])
        ended = self.place.audit_lines("cancel")
        self.assertEqual([(line["tool"], line["principal"], line["by"]) for line in ended],
                         [("pre_confirmed", "local", "rest:boss"), ("serial_probe", "local", "rest:boss"),
                          ("serial_probe", "rita", "rest:boss")])
        self.assertEqual([line["call"] for line in ended], [line["call"] for line in self.place.audit_lines()])
        question = self.host.fetch("GET", "/v1/approvals?state=all", key=self.boss)[2]["approvals"]
        self.assertEqual([one["state"] for one in question], ["withdrawn"])
        self.assertRegex(self.host.fetch("GET", "/metrics")[2], r"(?m)^toolpost_calls_in_flight 0$")
        self.assertFalse(self.host.call("serial_probe", {"ms": 0})["result"].get("isError"))

    def test_an_inline_tool_that_does_not_listen_is_answered_all_the_same(self):
        place = self.place = self.workspace("overlap", config=CONFIG, isolation="inline")
        self.boss = self.key("boss", "admin")
        self.host = self.http_host(place)
        call = self.begin("stuck", {"ms": 1500})
        self.end(self.until(("stuck", "running"))["stuck", "running"])
        self.assert_ended(call, "stuck")
        self.assertEqual(self.live(), [])

    def test_a_session_is_answered_too_and_its_own_cancel_is_not(self):
        initialize = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        fields = {"Accept": "application/json, text/event-stream"}
        _, headers, _ = self.host.post(*message("initialize", initialize, "bare", 1, fields))
        fields |= {"Mcp-Session-Id": headers["mcp-session-id"], "MCP-Protocol-Version": LEGACY}
        self.host.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, fields)
        params = {"name": "slow", "arguments": TIMED}
        call = self.pool.submit(self.host.post, *message("tools/call", params, "bare", 2, fields))
        one = self.until(("slow", "running"))["slow", "running"]
        self.assertEqual(one["session"], headers["mcp-session-id"])
        self.end(one)
        self.assertIn(ENDED, call.result(10)[2])
        call = self.pool.submit(self.host.post, *message("tools/call", params, "bare", 3, fields))
        self.until(("slow", "running"))
        self.host.post({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}}, fields)
        self.assertNotIn(ENDED, call.result(10)[2])
        self.assertEqual([line["outcome"] for line in self.place.audit_lines()], ["ended_by_operator", "cancelled"])

    def test_a_call_within_a_call_is_one_of_its_own(self):
        call = self.begin("call", {"tool": "slow", "args": TIMED})
        seen = self.until(("call", "running"), ("slow", "running"))
        inner, outer = seen["slow", "running"], seen["call", "running"]
        self.assertEqual(inner["caller_call"], outer["id"])
        self.end(inner)
        self.assertIn(f'isError: {ENDED} "slow"', text_of(call.result(10)))
        call = self.begin("call", {"tool": "slow", "args": TIMED})
        seen = self.until(("call", "running"), ("slow", "running"))
        self.end(seen["call", "running"])
        self.assert_ended(call, "call")
        self.until()

    def test_calls_within_calls_leave_a_unit_to_other_principals(self):
        calls = [self.begin("call", {"tool": "slow", "args": TIMED}) for _ in range(2)]
        outer = [("call", "running")] * 2
        self.until(*outer, ("slow", "running"), ("slow", "queued"))
        own = self.begin("slow", TIMED, key=self.boss)
        self.until(*outer, ("slow", "running"), ("slow", "running"), ("slow", "queued"))
        for _ in range(3):
            running = wait_until("one runs", lambda: [one for one in self.live() if one["state"] == "running"
                                                      and one["tool"] == "slow"])
            self.end(running[0])
            wait_until("it has ended", lambda: running[0]["id"] not in {one["id"] for one in self.live()})
        self.until()
        for call in [*calls, own]:
            call.result(10)

    def test_a_task_that_is_ended_has_that_as_its_result(self):
        self.place.drop("conformance")
        wait_until("its tools are there", lambda: "slow_compute" in json.dumps(self.host.request("tools/list")))
        made = self.modern("tools/call", {"name": "slow_compute", "arguments": {"seconds": 30}}, "slow_compute")
        self.assertEqual(made["resultType"], "task")
        self.end(self.until(("slow_compute", "running"))["slow_compute", "running"])
        task = wait_until("it is over", lambda: self.ended_task(made["taskId"]))
        self.assertEqual(task["status"], "completed")
        self.assertTrue(task["result"]["isError"])
        self.assertIn(f'{ENDED} \\"slow_compute\\"', json.dumps(task["result"]))

    def modern(self, method, params, name):
        meta = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities":
                {"extensions": {"io.modelcontextprotocol/tasks": {}}}}
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params | {"_meta": meta}}
        _, _, text = self.host.post(body, {
            "MCP-Protocol-Version": MODERN, "Mcp-Method": method, "Mcp-Name": name,
            "Accept": "application/json, text/event-stream"})
        return last_message(text)["result"]

    def ended_task(self, task):
        now = self.modern("tasks/get", {"taskId": task}, task)
        return now if now["status"] != "working" else None

    def test_who_is_no_operator_sees_and_ends_nothing(self):
        call = self.begin("slow", TIMED)
        one = self.until(("slow", "running"))["slow", "running"]
        for key, status in ((self.rita, 403), (None, 401)):
            self.assertEqual(self.host.fetch("GET", "/v1/calls", key=key)[0], status)
            self.assertEqual(self.host.fetch("DELETE", f"/v1/calls/{one['id']}", key=key)[0], status)
        self.assertEqual(self.host.fetch("POST", f"/v1/calls/{one['id']}", {}, key=self.boss)[0], 405)
        for wrong in ("none", "x" * 4000):
            self.assertEqual(self.host.fetch("DELETE", f"/v1/calls/{wrong}", key=self.boss)[0], 404)
        self.assertEqual(self.states(), [("slow", "running")])
        self.end(one)
        call.result(10)

    def follow(self, key):
        """The lists of an event stream as they come, with their times."""
        connection = self.host.connect()
        connection.request("GET", "/v1/events", headers={"Authorization": f"Bearer {key}"})
        stream = connection.getresponse()
        heard = []

        def listen():
            try:
                for line in stream:
                    if line.startswith(b"data:"):
                        heard.append((time.monotonic(), json.loads(line[5:])["changed"]))
            except (OSError, ValueError, AttributeError):
                pass
        self.pool.submit(listen)
        self.addCleanup(connection.close)
        return heard

    def test_events_tell_operators_of_calls_a_few_times_a_second(self):
        boss, rita = self.follow(self.boss), self.follow(self.rita)
        begun = time.monotonic()
        while time.monotonic() - begun < 1.5:
            self.host.call("action", {"text": "x"})
        wait_until("the last ones are told", lambda: boss and time.monotonic() - boss[-1][0] > 0.6)
        times = [at for at, changed in boss if "calls" in changed]
        self.assertGreaterEqual(len(times), 3)
        self.assertLessEqual(len(times), 4 * (times[-1] - begun) + 3)  # they come late, and never early
        self.assertFalse([changed for _, changed in rita if "calls" in changed])


if __name__ == "__main__":
    unittest.main()
