"""What clients were promised by a host holds when it is started again at the same address: sessions, tasks; and what
a host does that cannot write."""
import concurrent.futures
import json
import os
import resource
import signal
import unittest

from harness import LEGACY, MODERN, TestCase, free_port, last_message, run_toolpost, wait_until

PING = {"jsonrpc": "2.0", "id": 7, "method": "ping"}
CONFIG = """
[permission]
mode = "bypass"
[[rule]]
tool = "multi_input"
behavior = "ask"
[approval]
wait_s = 0
"""
ASKS = {"elicitation": {}}
RULE = '[[rule]]\ntool = "confirm_delete"\nbehavior = "ask"\n'
FOLLOWS_TASKS = ASKS | {"extensions": {"io.modelcontextprotocol/tasks": {}}}


class RestartedHost(TestCase):
    config = CONFIG

    def setUp(self):
        self.place = self.workspace("hello", "conformance", config=self.config)
        self.port = free_port()
        self.start()

    def start(self):
        self.host = self.http_host(self.place, port=self.port)

    def kill(self):
        os.kill(self.host.child.pid, signal.SIGKILL)
        self.host.wait()

    def run_verb(self, *words, exit_code=0):
        done = run_toolpost(self.place, *words, "--config", self.place.config)
        self.assertEqual(done.returncode, exit_code, done)
        return done.stdout if exit_code == 0 else done.stderr

    def modern(self, method, params, name, able=FOLLOWS_TASKS):
        meta = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": able}
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params | {"_meta": meta}}
        _, _, text = self.host.post(body, {"MCP-Protocol-Version": MODERN, "Mcp-Method": method, "Mcp-Name": name,
                                           "Accept": "application/json, text/event-stream"})
        return last_message(text)

    def task(self, made):
        return self.modern("tasks/get", {"taskId": made["taskId"]}, made["taskId"])["result"]

    def assert_keeps_key(self, call):
        """The tool has begun the call of the task: no call runs it again."""
        again = self.modern("tools/call", call, call["name"])["result"]
        self.assertTrue(again["isError"], again)
        self.assertTrue(again["_meta"]["io.toolpost/replayed"], again)
        self.assertIn("use a new key", " ".join(block["text"] for block in again["content"]))


class Restarts(RestartedHost):
    def begin_session(self):
        body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": LEGACY, "capabilities": {"elicitation": {}}, "clientInfo": {"name": "t", "version": "1"}}}
        status, headers, _ = self.host.post(body, {"Accept": "application/json, text/event-stream"})
        self.assertEqual(status, 200)
        return headers["mcp-session-id"]

    def in_session(self, session, body):
        return self.host.post(body, {"Accept": "application/json, text/event-stream", "Mcp-Session-Id": session})

    def test_a_session_goes_on_after_a_kill_and_after_a_stop(self):
        session = self.begin_session()
        level = {"jsonrpc": "2.0", "id": 2, "method": "logging/setLevel", "params": {"level": "error"}}
        self.assertEqual(self.in_session(session, level)[0], 200)
        for end in (self.kill, lambda: self.host.stop()):
            end()
            self.start()
            status, _, text = self.in_session(session, PING)
            self.assertEqual((status, last_message(text)["result"]), (200, {}))
            call = {"jsonrpc": "2.0", "id": 3, "method": "tools/call",
                    "params": {"name": "echo", "arguments": {"text": "again"}}}
            self.assertIn("again", self.in_session(session, call)[2])

    def test_what_its_client_ended_stays_ended(self):
        session, other = self.begin_session(), self.begin_session()
        connection = self.host.connect()
        connection.request("DELETE", "/mcp", headers={"Mcp-Session-Id": session})
        self.assertEqual(connection.getresponse().status, 200)
        connection.close()
        wait_until("it is out of the store", lambda: [one["id"] for one in self.sessions()] == [other])
        self.kill()
        self.start()
        self.assertEqual(self.in_session(session, PING)[0], 404)
        self.assertEqual(self.in_session(other, PING)[0], 200)

    def sessions(self):
        return json.loads(self.run_verb("sessions", "--json"))

    def test_an_operator_sees_and_ends_sessions(self):
        session, other = self.begin_session(), self.begin_session()
        listed = {one["id"]: one for one in self.sessions()}
        self.assertEqual(set(listed), {session, other})
        self.assertEqual(listed[session]["principal"], "local")
        self.assertEqual(listed[session]["address"], f"127.0.0.1:{self.port}")
        self.assertIn(session, self.run_verb("sessions"))
        self.assertIn("ended", self.run_verb("sessions", "end", session))
        wait_until("the host has ended it", lambda: self.in_session(session, PING)[0] == 404)
        self.assertEqual(self.in_session(other, PING)[0], 200)
        self.assertIn("there is no session", self.run_verb("sessions", "end", session, exit_code=4))
        line = self.place.audit_lines("session")[-1]
        self.assertEqual((line["id"], line["principal"]), (session, "local"))

    def test_another_address_has_other_sessions(self):
        session = self.begin_session()
        beside = self.http_host(self.place)
        status, _, _ = beside.post(PING, {"Accept": "application/json, text/event-stream", "Mcp-Session-Id": session})
        self.assertEqual(status, 404)
        self.assertEqual(self.in_session(session, PING)[0], 200)

    def test_a_task_that_was_told_complete_is_so_after_a_kill_and_one_that_ran_has_failed(self):
        done = self.modern("tools/call", {"name": "slow_compute", "arguments": {"seconds": 0}}, "slow_compute")["result"]
        before = wait_until("it is over", lambda: self.task(done) if self.task(done)["status"] == "completed" else None)
        runs = self.modern("tools/call", {"name": "slow_compute", "arguments": {"seconds": 30}}, "slow_compute")["result"]
        self.assertEqual(self.task(runs)["status"], "working")
        self.kill()
        self.start()
        self.assertEqual(self.task(done), before)
        after = self.task(runs)
        self.assertEqual(after["status"], "failed")
        self.assertIn("may have had effect", json.dumps(after["error"]))
        self.kill()
        self.start()
        self.assertEqual(self.task(runs)["status"], "failed")

    def test_a_question_of_a_task_survives_a_kill_and_a_stop(self):
        call = {"name": "confirm_delete", "arguments": {"filename": "f", "idempotency_key": "k"}}
        made = self.modern("tools/call", call, "confirm_delete")["result"]
        asks = wait_until("it asks", lambda: self.task(made).get("inputRequests"))
        (key, _), = asks.items()
        for end in (None, self.kill, lambda: self.host.stop()):
            if end:
                end()
                self.start()
            now = self.task(made)
            self.assertEqual((now["status"], now["inputRequests"]), ("input_required", asks))
            again = self.modern("tools/call", call, "confirm_delete")["result"]
            self.assertEqual(again["taskId"], made["taskId"])  # nothing else has its key
            other = {"name": "confirm_delete", "arguments": {"filename": "g", "idempotency_key": "k"}}
            self.assertIn("other arguments", json.dumps(self.modern("tools/call", other, "confirm_delete")))
        answer = {"taskId": made["taskId"], "inputResponses": {key: {"action": "accept", "content": {"confirm": True}}}}
        self.assertEqual(self.modern("tasks/update", answer, made["taskId"])["result"]["resultType"], "complete")
        done = wait_until("it is over", lambda: self.task(made).get("result"))
        self.assertEqual(done["content"][0]["text"], "Deleted f")
        calls = [line for line in self.place.audit_lines() if line.get("tool") == "confirm_delete"]
        self.assertEqual(calls[-1]["outcome"], "ok")  # by all checks again
        again = self.modern("tools/call", call, "confirm_delete")["result"]
        self.assertEqual((again["content"], again["_meta"]["io.toolpost/replayed"]), (done["content"], True))

    def test_an_operator_sees_and_ends_a_task_that_waits_since_before_a_kill(self):
        call = {"name": "confirm_delete", "arguments": {"filename": "f", "idempotency_key": "k"}}
        made = self.modern("tools/call", call, "confirm_delete")["result"]
        wait_until("it asks", lambda: self.task(made).get("inputRequests"))
        self.kill()
        self.start()
        boss = json.loads(self.run_verb("key", "new", "boss", "--scope", "admin", "--json"))["key"]
        wait_until("the key is known", lambda: self.host.fetch("GET", "/v1/calls", key=boss)[0] == 200)
        _, _, listed = self.host.fetch("GET", "/v1/calls", key=boss)
        self.assertEqual((listed["all"], [(one["id"], one["tool"], one["state"]) for one in listed["calls"]]),
                         (1, [(made["taskId"], "confirm_delete", "asks_client")]))
        for status in (204, 404):
            self.assertEqual(self.host.fetch("DELETE", f"/v1/calls/{made['taskId']}", key=boss)[0], status)
        ended = self.task(made)
        self.assertEqual(ended["status"], "completed")
        self.assertIn("An operator ended this call", json.dumps(ended["result"]))
        self.assertEqual(self.place.audit_lines()[-1]["outcome"], "ended_by_operator")
        self.assert_keeps_key(call)

    def ask_with_key(self):
        call = {"name": "confirm_delete", "arguments": {"filename": "f", "idempotency_key": "k"}}
        made = self.modern("tools/call", call, "confirm_delete")["result"]
        (key, _), = wait_until("it asks", lambda: self.task(made).get("inputRequests")).items()
        accepted = {key: {"action": "accept", "content": {"confirm": True}}}
        return call, made, {"taskId": made["taskId"], "inputResponses": accepted}

    def test_a_task_with_a_key_goes_on_after_a_stop_while_its_call_waits(self):
        call, made, answer = self.ask_with_key()
        self.host.stop()
        self.start()
        self.modern("tasks/update", answer, made["taskId"])
        done = wait_until("it is over", lambda: self.task(made).get("result"))
        self.assertEqual(done["content"][0]["text"], "Deleted f")
        again = self.modern("tools/call", call, "confirm_delete")["result"]
        self.assertEqual((again["content"], again["_meta"]["io.toolpost/replayed"]), (done["content"], True))

    def test_a_task_that_is_refused_or_cancelled_after_a_restart_keeps_its_key(self):
        config = self.place.config.read_text()
        call, made, answer = self.ask_with_key()
        self.host.stop()
        self.place.write_config(config + '[[rule]]\ntool = "confirm_delete"\nbehavior = "deny"\n')
        self.start()
        self.modern("tasks/update", answer, made["taskId"])
        done = wait_until("it is over", lambda: self.task(made).get("result"))
        self.assertIn("Denied", json.dumps(done))
        self.host.stop()
        self.place.write_config(config)
        self.start()
        self.assert_keeps_key(call)
        call["arguments"]["idempotency_key"] = "other"
        made = self.modern("tools/call", call, "confirm_delete")["result"]
        wait_until("it asks", lambda: self.task(made).get("inputRequests"))
        self.kill()
        self.start()
        self.modern("tasks/cancel", {"taskId": made["taskId"]}, made["taskId"])
        self.assert_keeps_key(call)

    def approve(self):
        one = wait_until("it waits for a person", lambda: json.loads(self.run_verb("approvals", "--json")))[0]
        self.run_verb("approvals", "approve", one["id"])

    def test_a_task_waits_for_a_person_after_a_kill_as_long_as_before(self):
        call = {"name": "multi_input", "arguments": {}}
        self.assertIn("Call again", json.dumps(self.modern("tools/call", call, "multi_input")))  # no task yet
        self.approve()
        made = self.modern("tools/call", call, "multi_input")["result"]
        asks = wait_until("it asks", lambda: self.task(made).get("inputRequests"))
        self.kill()
        self.start()
        said = {"name": "Ada", "confirm": True}
        answers = {key: {"action": "accept", "content": {name: said[name] for name in
                                                         one["params"]["requestedSchema"]["properties"]}}
                   for key, one in asks.items()}
        self.modern("tasks/update", {"taskId": made["taskId"], "inputResponses": answers}, made["taskId"])
        self.approve()  # its approval was for one run
        done = wait_until("it is over", lambda: self.task(made).get("result"))
        self.assertEqual(done["content"][0]["text"], "Ada is sure")

    def failing(self):
        return "\ntoolpost_store_failing 1\n" in self.host.fetch("GET", "/metrics")[2]

    def test_a_host_at_its_file_limit_serves_tells_so_and_recovers(self):
        session = self.begin_session()
        self.assertFalse(self.failing())
        pid = self.host.child.pid
        limits = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (4096, limits[1]))
        fresh = self.begin_session()  # served, though it cannot be kept
        wait_until("it says that it cannot write", self.failing)
        status, _, ready = self.host.fetch("GET", "/readyz")
        self.assertEqual((status, ready.splitlines()[0]), (200, "ready"))
        self.assertIn("the store cannot be written to: the database", ready)
        for one in (session, fresh):
            self.assertEqual(self.in_session(one, PING)[0], 200)
        refused = self.modern("tools/call", {"name": "slow_compute", "arguments": {"seconds": 0}}, "slow_compute")
        self.assertIn("error", refused)  # a task that is not stored is not promised
        resource.prlimit(pid, resource.RLIMIT_FSIZE, limits)
        wait_until("it can write again", lambda: not self.failing())
        self.assertIn("the store can be written to again", self.host.error_text())
        kept = self.begin_session()
        self.kill()
        self.start()
        self.assertEqual(self.in_session(session, PING)[0], 200)
        self.assertEqual(self.in_session(kept, PING)[0], 200)
        self.assertEqual(self.in_session(fresh, PING)[0], 404)


class KeysOfBegunCalls(RestartedHost):
    """A tool asks its client a question. The host ends after the client's answer, before the tool continues: another call
    has the only slot."""
    config = CONFIG + 'ask = ["client"]\n[limits]\nrunning_per_principal = 1\n[server]\nstop_timeout_s = 600\n'

    def setUp(self):
        super().setUp()
        self.boss = json.loads(self.run_verb("key", "new", "boss", "--scope", "admin", "--json"))["key"]
        self.pool = concurrent.futures.ThreadPoolExecutor(1)
        self.addCleanup(self.pool.shutdown)

    def call(self, tool, able=FOLLOWS_TASKS, **more):
        arguments = {"idempotency_key": "k"} | ({"filename": "f"} if tool == "confirm_delete" else {})
        return self.modern("tools/call", {"name": tool, "arguments": arguments} | more, tool, able)["result"]

    def occupy(self):
        """Takes the only slot, and returns a function that frees it."""
        other = self.modern("tools/call", {"name": "slow_compute", "arguments": {"seconds": 100}}, "slow_compute")["result"]
        wait_until("it runs", lambda: "running" in self.states())
        return lambda: self.modern("tasks/cancel", {"taskId": other["taskId"]}, other["taskId"])

    def states(self):
        status, _, listed = self.host.fetch("GET", "/v1/calls", key=self.boss)
        return [one["state"] for one in listed["calls"]] if status == 200 else []

    def answers_to(self, asked, **content):
        return {key: {"action": "accept", "content": content} for key in asked["inputRequests"]}

    def asks(self, made):
        return wait_until("it asks", lambda: self.task(made) if self.task(made).get("inputRequests") else None)

    def assert_is_ended_by_stop(self, result):
        self.assertTrue(result["isError"], result)
        for words in ("This host is stopping", "may have carried out a part", "use a new key"):
            self.assertIn(words, json.dumps(result))
        self.assertNotIn("Call again with the same arguments", json.dumps(result))

    def configure(self, config):
        self.place.write_config(config)
        wait_until("the host has read it", lambda: "the configuration was read again" in self.host.error_text())

    def update(self, made, answers):
        self.modern("tasks/update", {"taskId": made["taskId"], "inputResponses": answers}, made["taskId"])

    def stop_immediately(self):
        for number in range(2):  # the second signal ends the calls
            self.host.child.send_signal(signal.SIGTERM)
            if number == 0:
                wait_until("it stops", lambda: "stopping" in self.host.error_text())
        self.host.wait()

    def test_a_stop_before_an_answered_call_continues_keeps_its_key(self):
        asked = self.call("confirm_delete", ASKS)
        self.occupy()
        answered = self.pool.submit(self.call, "confirm_delete", ASKS, requestState=asked["requestState"],
                                    inputResponses=self.answers_to(asked, confirm=True))
        wait_until("it waits", lambda: "queued" in self.states())
        self.stop_immediately()
        self.assert_is_ended_by_stop(answered.result())
        self.start()
        self.assert_keeps_key({"name": "confirm_delete", "arguments": {"filename": "f", "idempotency_key": "k"}})

    def test_a_stop_while_an_answered_call_waits_for_a_reviewer_keeps_its_key(self):
        head = self.place.config.read_text()
        config = head.replace('wait_s = 0\nask = ["client"]', "wait_s = 600")
        self.kill()
        self.place.write_config(config)
        self.start()
        asked = self.call("confirm_delete", ASKS)
        self.configure(config + RULE)
        answered = self.pool.submit(self.call, "confirm_delete", ASKS, requestState=asked["requestState"],
                                    inputResponses=self.answers_to(asked, confirm=True))
        wait_until("it waits for a person", lambda: json.loads(self.run_verb("approvals", "--json")))
        self.host.stop()
        self.assert_is_ended_by_stop(answered.result())
        self.place.write_config(config)
        self.start()
        self.assert_keeps_key({"name": "confirm_delete", "arguments": {"filename": "f", "idempotency_key": "k"}})

    def test_a_kill_before_the_task_of_an_answered_call_continues_keeps_its_key(self):
        asked = self.call("test_tool_with_task")
        self.occupy()
        made = self.call("test_tool_with_task", requestState=asked["requestState"],
                         inputResponses=self.answers_to(asked, name="Ada"))
        self.assertEqual(self.task(made)["status"], "working")
        self.kill()
        self.start()
        self.assertEqual(self.task(made)["status"], "failed")
        self.assert_keeps_key({"name": "test_tool_with_task", "arguments": {"idempotency_key": "k"}})

    def test_a_task_that_only_the_host_has_asked_about_does_not_keep_its_key(self):
        config = self.place.config.read_text()
        free = self.occupy()
        made = self.call("confirm_delete")
        wait_until("it waits", lambda: "queued" in self.states())
        self.configure(config + RULE)
        free()
        asked = self.asks(made)
        self.assertNotIn("Delete f?", json.dumps(asked))  # it is the host that asks
        self.kill()
        self.start()
        self.update(made, self.answers_to(asked))
        again = self.asks(made)  # its approval was for one run
        self.update(made, {key: {"action": "decline"} for key in again["inputRequests"]})
        done = wait_until("it is over", lambda: self.task(made).get("result"))
        self.assertTrue(done["isError"], done)
        for words in ("began", "new key"):
            self.assertNotIn(words, json.dumps(done))
        self.kill()
        self.place.write_config(config)
        self.start()
        self.assertIn("Delete f?", json.dumps(self.asks(self.call("confirm_delete"))))


if __name__ == "__main__":
    unittest.main()
