"""Calls that a client executes: tools of its session. Leases, heartbeats, responses, timeouts, restarts."""
import json
import os
import signal
import threading

from harness import MODERN, TestCase, last_message, plugin_file, run_toolpost, text_of, wait_until

from test_sessions import GET_LOCATIONS

PRE = GET_LOCATIONS | {"name": "pre_createTransfer", "description": "Creates a transfer",
                       "requestArgs": {"properties": {"from": {"type": "string"}}, "required": ["from"]}}
POST = GET_LOCATIONS | {"name": "post_getLocations", "requestArgs": {"properties": {"tool": {"type": "string"}}}}
CONFIG = """
[call]
heartbeat_timeout_s = 1
pickup_timeout_s = 4
"""
IMPATIENT = """
[approval]
wait_s = 0.2
"""


class Callers(TestCase):
    config = ""
    plugins = ("hello",)

    def setUp(self):
        self.place = self.workspace(*self.plugins)
        self.place.write_config(self.place.config.read_text() + self.config)
        self.host = self.http_host(self.place)
        self.session = self.open_session(getLocations=GET_LOCATIONS, pre_createTransfer=PRE)

    def open_session(self, **tools):
        status, _, made = self.host.fetch("POST", "/v1/sessions", {"customizations": {"extensions": {"tools": tools}}})
        self.assertEqual(status, 201, made)
        return made["id"]

    def fetch(self, method, path, body=None, key=None):
        status, _, answer = self.host.fetch(method, "/v1/tools/" + path, body, key)
        return status, answer

    def begin(self, tool="getLocations", arguments=None, **more):
        status, record = self.fetch("POST", f"request/{self.session}", {"name": tool, "arguments": arguments or {}} | more)
        self.assertEqual(status, 202, record)
        return record["id"]

    def read(self, request, wait=0):
        status, record = self.fetch("GET", f"request/{self.session}/{request}?wait={wait}")
        self.assertEqual(status, 200, record)
        return record

    def announced(self, request):
        def there():
            record = self.read(request)
            return record.get("reason") == "external_execution_required" and record
        return wait_until("the call is announced", there)

    def beat(self, request, key=None, **more):
        return self.fetch("POST", f"request/{self.session}/{request}/heartbeat", {"state": "PROCESSING", "heartbeat": 1700000000000} | more, key)

    def respond(self, request, key=None, caller=(), **response):
        return self.fetch("POST", f"response/{self.session}/{request}", {"response": response} | dict(caller), key)

    def mcp(self, tool, arguments, connection=None):
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        connection = connection or self.host.connect()
        connection.request("POST", f"/mcp/s/{self.session}", json.dumps(body), {"Content-Type": "application/json"})
        return connection

    def call(self, tool, **arguments):
        connection = self.mcp(tool, arguments)
        answer = json.loads(connection.getresponse().read())
        connection.close()
        return answer

    def post_of(self, request, wait=0):
        return self.read(request, wait)["result"]["_meta"]["io.toolpost/post"]

    def open_requests(self):
        return self.fetch("GET", f"request/{self.session}?state=PENDING")[1]["requests"]

    def verb(self, *words):
        done = run_toolpost(self.place, *words, "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout

    def outcomes(self, request, number=1):
        """In the lines of the audit about this call, once there are so many."""
        def lines():
            return [line["outcome"] for line in self.place.audit_lines() if line["call"] == request]
        wait_until("the audit has its lines", lambda: len(lines()) >= number)
        return lines()

    def change_tools(self, version=1, **tools):
        status, _, said = self.host.fetch("PATCH", f"/v1/sessions/{self.session}", {
            "version": version, "customizations": {"extensions": {"tools": tools}}})
        self.assertEqual(status, 200, said)

    def edited(self, result):
        """The members that the result names as changed by a reviewer."""
        told = "A reviewer changed the arguments of this call: "
        self.assertTrue(any(told in block["text"] for block in result["content"]), result)
        return result["_meta"]["io.toolpost/edited"]

    def asked(self):
        return wait_until("an approval request", lambda: json.loads(self.verb("approvals", "--json")))[0]["id"]

    def restart(self):
        port = self.host.port
        os.kill(self.host.child.pid, signal.SIGKILL)
        self.host.wait()
        self.host = self.http_host(self.place, port=port)


class Leases(Callers):
    def test_a_caller_picks_up_beats_and_responds(self):
        request = self.begin(tool_use_id="toolu_7", arguments={"includeInactive": True})
        record = self.announced(request)
        self.assertEqual((record["state"], record["executes"]), ("PENDING", "caller"))
        self.assertEqual(record["arguments"], {"includeInactive": True, "sessionId": self.session})
        status, taken = self.beat(request)
        self.assertEqual((status, taken["state"], taken["lease"] > 0), (200, "PROCESSING", True))
        self.assertEqual(self.beat(request), (200, {"state": "PROCESSING"}), "only the pick-up brings the lease")
        self.assertEqual(self.read(request)["client_heartbeat"], 1700000000000)
        for response, pointer in (({}, "/response/state"), ({"state": "DONE"}, "/response/state"),
                                  ({"state": "COMPLETE", "locations": [{"id": "one"}]}, "/response/locations/0/id")):
            status, said = self.respond(request, **response)
            self.assertEqual((status, said["pointer"]), (422, pointer), said)
        self.assertEqual(self.respond(request, state="PENDING")[1]["state"], "PROCESSING")
        self.assertEqual(self.respond(request, state="COMPLETE", locations=[{"id": 1}]), (200, {"state": "COMPLETE"}))
        record = self.read(request)
        self.assertEqual(record["result"]["structuredContent"], {"state": "COMPLETE", "locations": [{"id": 1}]})
        self.assertEqual(self.respond(request, state="COMPLETE")[0], 409)
        self.assertEqual(self.beat(request)[0], 409)

    def test_failures_are_errors_that_the_model_can_read(self):
        said = self.begin()
        self.announced(said)
        self.assertEqual(self.beat(said)[0], 200)
        self.assertEqual(self.fetch("POST", f"request/{self.session}/{said}/heartbeat", {"state": "ERROR"})[0], 422)
        status, answer = self.fetch("POST", f"request/{self.session}/{said}/heartbeat",
                                    {"state": "ERROR", "error": "Query timed out after 30 seconds"})
        self.assertEqual((status, answer["state"]), (200, "ERROR"))
        record = self.read(said)
        self.assertEqual((record["code"], record["result"]["content"][0]["text"]), ("failed", "Query timed out after 30 seconds"))
        told = self.begin()
        self.announced(told)
        self.assertEqual(self.respond(told, state="FAILED", error="no such bin")[1]["state"], "ERROR")
        self.assertEqual(self.read(told)["result"]["structuredContent"], {"state": "FAILED", "error": "no such bin"})

    def test_two_callers_race_and_one_holds_the_lease(self):
        request = self.begin()
        self.announced(request)
        won = []
        threads = [threading.Thread(target=lambda name=name: won.append((name, *self.beat(request, worker=name)))) for name in "abcdefgh"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(status for _, status, _ in won), [200] + 7 * [409], won)
        holder, lease = next((name, taken["lease"]) for name, status, taken in won if status == 200)
        other = next(name for name, status, _ in won if status == 409)
        self.assertEqual(self.respond(request, caller={"worker": other}, state="COMPLETE")[0], 409)
        self.assertEqual(self.respond(request, caller={"worker": holder, "lease": lease - 1}, state="COMPLETE")[0], 409, "a stale lease")
        self.assertEqual(self.read(request)["state"], "PROCESSING")
        self.assertEqual(self.respond(request, caller={"lease": lease}, state="COMPLETE")[0], 200)

    def test_other_keys_get_404_and_a_reviewer_may_answer(self):
        request = self.begin()
        self.announced(request)
        bob = self.verb("key", "new", "bob").strip()
        reviewer = self.verb("key", "new", "eve", "--scope", "approve").strip()
        wait_until("the keys are known", lambda: self.host.fetch("GET", "/v1/approvals", key=reviewer)[0] == 200)
        self.assertEqual(self.beat(request, bob)[0], 404)
        self.assertEqual(self.respond(request, bob, state="COMPLETE")[0], 404)
        self.assertEqual(self.fetch("GET", f"request/{self.session}/{request}", key=reviewer)[1]["id"], request)
        self.assertEqual(self.beat(request, reviewer)[0], 403)
        self.assertEqual(self.respond(request, reviewer, state="COMPLETE", locations=[])[0], 200)
        self.assertEqual(self.read(request)["state"], "COMPLETE")

    def test_a_pre_tool_is_approved_first_and_the_caller_gets_the_edited_arguments(self):
        request = self.begin("pre_createTransfer", {"from": "A"})
        wait_until("it waits for approval", lambda: self.read(request).get("reason") == "approval")
        self.assertEqual(self.beat(request)[0], 409)
        self.verb("approvals", "approve", self.asked(), "--arguments", json.dumps({"from": "B"}))
        self.assertEqual(self.announced(request)["arguments"], {"from": "B", "sessionId": self.session})
        self.assertEqual(self.respond(request, state="COMPLETE")[0], 200)
        self.assertEqual(self.edited(self.read(request, wait=30)["result"]), ["from"])
        denied = self.begin("pre_createTransfer", {"from": "C"})
        self.verb("approvals", "reject", self.asked())
        self.assertEqual(self.read(denied, wait=30)["code"], "denied")

    def test_the_caller_is_told_of_a_reviewers_edits_after_a_restart(self):
        request = self.begin("pre_createTransfer", {"from": "A"})
        self.verb("approvals", "approve", self.asked(), "--arguments", json.dumps({"from": "B"}))
        self.announced(request)
        self.restart()
        self.assertEqual(self.respond(request, state="COMPLETE")[0], 200)
        record = self.read(request, wait=30)
        self.assertEqual((record["state"], self.edited(record["result"])), ("COMPLETE", ["from"]))

    def test_an_approval_is_for_the_definition_that_was_shown(self):
        request = self.begin("pre_createTransfer", {"from": "A"})
        approval = self.asked()
        self.change_tools(getLocations=GET_LOCATIONS, pre_createTransfer=PRE | {"description": "Destroys a transfer"})
        record = self.read(request, wait=30)
        self.assertEqual((record["state"], record["code"]), ("ERROR", "denied"), record)
        self.assertIn("a different definition", record["result"]["content"][0]["text"])
        self.assertEqual(self.outcomes(request), ["denied"])
        refused = run_toolpost(self.place, "approvals", "approve", approval, "--config", self.place.config)
        self.assertNotEqual(refused.returncode, 0, "its request is withdrawn")
        again = self.begin("pre_createTransfer", {"from": "A"})
        self.assertNotEqual(self.asked(), approval)
        self.change_tools(2, pre_createTransfer=PRE | {"description": "Destroys a transfer"},
                          getLocations=GET_LOCATIONS | {"description": "Another one"})
        self.verb("approvals", "approve", self.asked())
        self.assertEqual(self.announced(again)["executes"], "caller", "its own definition is the same")

    def test_ends_after_a_restart_are_in_the_audit(self):
        cancelled, answered = self.begin(), self.begin()
        for request in (cancelled, answered):
            self.announced(request)
        self.assertEqual(self.beat(answered, worker="w")[0], 200)
        self.restart()
        self.assertEqual(self.fetch("DELETE", f"request/{self.session}/{cancelled}")[0], 200)
        self.assertEqual(self.outcomes(cancelled), ["cancelled"])
        self.assertEqual(self.respond(answered, caller={"worker": "w"}, state="COMPLETE")[0], 200)
        self.assertEqual(self.outcomes(answered), ["ok"])

    def test_the_audit_says_who_answered(self):
        reviewer = self.verb("key", "new", "eve", "--scope", "approve", "--json")
        key = json.loads(reviewer)["key"]
        wait_until("the key is known", lambda: self.host.fetch("GET", "/v1/approvals", key=key)[0] == 200)
        first, second = self.begin(), self.begin()
        for request in (first, second):
            self.announced(request)
        self.assertEqual(self.beat(first, worker="w1")[0], 200)
        self.assertEqual(self.respond(first, caller={"worker": "w1"}, state="FAILED", error="no")[0], 200)
        self.assertEqual(self.respond(second, key, state="COMPLETE", locations=[])[0], 200)
        lines = {line["call"]: line for line in self.place.audit_lines("answer")}
        told = {name: lines[first].get(name) for name in ("by", "as", "worker", "tool", "session", "outcome")}
        self.assertEqual(told, {"by": "rest:local", "as": "caller", "worker": "w1", "tool": "getLocations",
                                "session": self.session, "outcome": "failed"})
        self.assertEqual([lines[second].get(name) for name in ("by", "as", "principal", "outcome")],
                         ["rest:eve", "reviewer", "local", "complete"])
        self.assertTrue(lines[second]["key"])
        self.assertEqual(len(lines), 2)

    def test_a_principals_calls_do_not_hide_those_of_others(self):
        reviewer = json.loads(self.verb("key", "new", "eve", "--scope", "approve", "--json"))["key"]
        bob = json.loads(self.verb("key", "new", "bob", "--json"))["key"]
        wait_until("the keys are known", lambda: self.host.fetch("GET", "/v1/sessions", key=bob)[0] == 200
                   and self.host.fetch("GET", "/v1/approvals", key=reviewer)[0] == 200)
        for request in [self.begin(arguments={"note": 20_000 * "x"}), self.begin(), self.begin()]:
            self.announced(request)
        tools = {"getLocations": GET_LOCATIONS}
        session = self.host.fetch("POST", "/v1/sessions", {"customizations": {"extensions": {"tools": tools}}}, bob)[2]["id"]
        self.host.fetch("POST", f"/v1/tools/request/{session}", {"name": "getLocations"}, bob)
        listed = lambda: self.host.fetch("GET", "/v1/tools/external", key=reviewer)[2]["calls"]
        calls = wait_until("all wait", lambda: len(listed()) == 4 and listed())
        self.assertEqual([call["principal"] for call in calls], ["local", "bob", "local", "local"])
        self.assertEqual(["arguments" in call for call in calls], [False, True, True, True])
        self.assertGreater(calls[0]["arguments_bytes"], 20_000)

    def test_a_tool_of_the_client_that_is_called_through_call_tool_keeps_its_name(self):
        self.host.stop()
        self.place.write_config(self.place.config.read_text() + "[groups]\nsearch_above = 1\n")
        self.host = self.http_host(self.place)
        self.session = self.open_session(**{name: GET_LOCATIONS | {"name": name} for name in ("tool6", "tool7")})
        refused = self.begin("call_tool", {"name": "tool7", "arguments": {}}, idempotency_key="k")
        self.assertEqual(self.read(refused, wait=30)["code"], "bad_arguments", "callers' tools take no key")
        request = self.begin("call_tool", {"name": "tool7", "arguments": {"includeInactive": True}})
        record = self.announced(request)
        self.assertEqual((record["name"], record["arguments"]["includeInactive"]), ("tool7", True))
        self.assertEqual(self.respond(request, state="COMPLETE", locations=[{"id": "one"}])[0], 422, "its own shape")
        self.assertEqual(self.respond(request, state="COMPLETE", locations=[])[0], 200)
        self.assertEqual(self.read(request, wait=30)["state"], "COMPLETE")

    def test_calls_of_a_removed_tool_end_unless_somebody_works_on_them(self):
        waits, works, asked = self.begin(), self.begin(), self.begin("pre_createTransfer", {"from": "A"})
        for request in (waits, works):
            self.announced(request)
        wait_until("it waits for approval", lambda: self.read(asked).get("reason") == "approval")
        self.assertEqual(self.beat(works)[0], 200)
        status, _, said = self.host.fetch("PATCH", f"/v1/sessions/{self.session}", {
            "version": 1, "customizations": {"extensions": {"tools": {"post_getLocations": POST}}}})
        self.assertEqual(status, 200, said)
        for request in (waits, asked):
            record = self.read(request, wait=30)
            self.assertEqual((record["state"], record["code"]), ("ERROR", "tool_removed"))
            self.assertIn("It did not run", record["result"]["content"][0]["text"])
            self.assertEqual(self.outcomes(request), ["tool_removed"])
        self.assertEqual(self.respond(waits, state="COMPLETE", locations=[])[0], 409)
        wait_until("the approval request is withdrawn", lambda: not json.loads(self.verb("approvals", "--json")))
        self.assertEqual(self.respond(works, state="COMPLETE", locations=[])[0], 200)
        self.assertEqual(self.read(works, wait=30)["state"], "COMPLETE")

    def test_calls_survive_a_kill_of_the_host(self):
        pending = [self.begin() for _ in range(50)]
        working = [self.begin() for _ in range(50)]
        for request in pending + working:
            self.announced(request)
        for request in working:
            self.assertEqual(self.beat(request, worker="w")[0], 200)
        self.restart()
        for request in pending:
            self.assertEqual(self.read(request)["reason"], "external_execution_required")
            self.assertEqual(self.respond(request, state="COMPLETE")[0], 200)
        for request in working:
            self.assertEqual(self.beat(request, worker="other")[0], 409)
            self.assertEqual(self.respond(request, caller={"worker": "w"}, state="COMPLETE")[0], 200)
        def ended():
            return sorted(line["call"] for line in self.place.audit_lines() if line["outcome"] == "ok")
        wait_until("the pipeline ends them", lambda: len(ended()) >= 100)
        self.assertEqual(ended(), sorted(pending + working), "each once")

    def answered_with_a_post_tool(self):
        self.session = self.open_session(getLocations=GET_LOCATIONS, post_getLocations=POST)
        request = self.begin()
        self.announced(request)
        self.assertEqual(self.respond(request, state="COMPLETE", locations=[]), (200, {"state": "COMPLETE"}))
        post = wait_until("the post_ tool is announced", self.open_requests)[0]
        self.assertEqual((post["name"], post["arguments"]), ("post_getLocations", {"tool": "getLocations", "sessionId": self.session}))
        self.assertEqual(self.read(request)["state"], "PROCESSING")
        self.assertEqual(self.beat(request)[0], 409, "it was answered")
        return request, post["id"]

    def test_a_post_tool_of_the_client_runs_after_its_action(self):
        request, post = self.answered_with_a_post_tool()
        self.assertEqual(self.respond(post, state="COMPLETE", said="hello")[0], 200)
        report = self.post_of(request, wait=30)
        self.assertEqual((report[0]["tool"], report[0]["structuredContent"]["said"]), ("post_getLocations", "hello"))

    def test_a_post_tool_does_not_run_twice_after_a_kill(self):
        request, post = self.answered_with_a_post_tool()
        self.restart()
        record = self.read(request, wait=30)
        self.assertEqual((record["state"], record["result"]["structuredContent"]["locations"]), ("COMPLETE", []))
        self.assertIn("Whether they had their effect is unknown", json.dumps(self.post_of(request)))
        self.assertEqual([one["id"] for one in self.open_requests()], [post])
        self.assertEqual(self.respond(post, state="COMPLETE")[0], 200)
        self.assertEqual(self.read(post, wait=30)["state"], "COMPLETE")

    def test_each_action_has_its_own_post_tool(self):
        self.session = self.open_session(getLocations=GET_LOCATIONS, post_getLocations=POST)
        for request in [self.begin(), self.begin()]:
            self.announced(request)
            self.assertEqual(self.respond(request, state="COMPLETE")[0], 200)
        posts = wait_until("both are announced", lambda: len(self.open_requests()) == 2 and self.open_requests())
        self.assertEqual({post["name"] for post in posts}, {"post_getLocations"})

    def test_a_client_that_is_gone_does_not_take_its_call_from_a_caller(self):
        connection = self.mcp("getLocations", {"includeInactive": True})
        request = wait_until("the call is announced", self.open_requests)[0]["id"]
        self.assertEqual(self.beat(request)[0], 200)
        connection.close()
        wait_until("the host knows that its client is gone", lambda: any(line["outcome"] == "pending" for line in self.place.audit_lines()))
        self.assertEqual(self.respond(request, state="COMPLETE", locations=[]), (200, {"state": "COMPLETE"}))
        answer = self.call("getLocations", includeInactive=True)
        self.assertEqual(answer["result"]["structuredContent"], {"state": "COMPLETE", "locations": []})
        self.assertEqual(self.open_requests(), [])

    def test_a_call_of_a_tool_that_a_client_executes_has_no_key(self):
        for body, pointer in (({"idempotency_key": "k"}, "/idempotency_key"),
                              ({"arguments": {"idempotency_key": "k"}}, "/arguments/idempotency_key")):
            status, said = self.fetch("POST", f"request/{self.session}", {"name": "getLocations"} | body)
            self.assertEqual((status, said["pointer"]), (422, pointer), said)

    def test_calls_of_one_principal_are_not_limited_by_those_that_may_run(self):
        requests = [self.begin() for _ in range(150)]  # limits.running_per_principal is 64
        for request in requests:
            self.announced(request)
        for request in requests:
            self.assertEqual(self.respond(request, state="COMPLETE")[0], 200)


class Timeouts(Callers):
    config = CONFIG

    def test_silence_ends_a_call(self):
        silent, ignored, ahead = self.begin(), self.begin(), self.begin()
        for request in (silent, ahead):
            self.announced(request)
        self.assertEqual(self.beat(silent)[0], 200)
        self.assertEqual(self.beat(ahead, heartbeat=4102444800000)[0], 200, "by a clock that is decades ahead")
        self.assertEqual(self.read(ahead)["client_heartbeat"], 4102444800000)
        self.assertEqual(self.beat("r_none")[0], 404)
        record = self.read(silent, wait=30)
        self.assertEqual((record["state"], record["code"]), ("ERROR", "abandoned"))
        self.assertIn("abandoned", record["result"]["content"][0]["text"])
        self.assertEqual(self.read(ahead, wait=30)["code"], "abandoned")
        self.assertEqual(self.respond(silent, state="COMPLETE")[0], 409)
        self.assertEqual(self.beat(silent)[0], 409)
        self.assertEqual(self.read(ignored, wait=30)["code"], "not_picked_up")
        for request, outcome in ((silent, "abandoned"), (ignored, "not_picked_up")):
            self.assertEqual(self.outcomes(request), [outcome])

    def test_silence_after_a_restart_ends_a_call_in_the_audit_too(self):
        silent, ignored = self.begin(), self.begin()
        self.announced(silent)
        self.assertEqual(self.beat(silent)[0], 200)
        self.restart()
        for request, outcome in ((silent, "abandoned"), (ignored, "not_picked_up")):
            self.assertEqual(self.read(request, wait=30)["code"], outcome)
            self.assertEqual(self.outcomes(request), [outcome])

    def modern(self, method, params, name):
        meta = {"io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}}
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params | {"_meta": meta}}
        connection = self.host.connect()
        connection.request("POST", f"/mcp/s/{self.session}", json.dumps(body),
                           {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                            "MCP-Protocol-Version": MODERN, "Mcp-Method": method, "Mcp-Name": name})
        text = connection.getresponse().read().decode()
        connection.close()
        return last_message(text)["result"]

    def test_for_a_client_with_tasks_the_call_is_a_task(self):
        made = self.modern("tools/call", {"name": "getLocations", "arguments": {}}, "getLocations")
        request = wait_until("the call is announced", self.open_requests)[0]["id"]
        task = self.modern("tasks/get", {"taskId": made["taskId"]}, made["taskId"])
        self.assertEqual(task["status"], "working")
        self.assertEqual(self.respond(request, state="COMPLETE", locations=[])[0], 200)
        def ended():
            task = self.modern("tasks/get", {"taskId": made["taskId"]}, made["taskId"])
            return task["status"] == "completed" and task
        task = wait_until("the task ends", ended)
        self.assertEqual(task["result"]["structuredContent"], {"state": "COMPLETE", "locations": []})


class Twins(Callers):
    """Calls over MCP that are made again, because their clients did not wait."""
    config = IMPATIENT

    def test_a_call_over_mcp_waits_for_its_caller_and_meets_it_again(self):
        answer = self.call("getLocations", includeInactive=True)
        self.assertTrue(answer["result"]["isError"])
        self.assertIn("has not ended yet", text_of(answer))
        request = self.open_requests()[0]["id"]
        self.assertIn(request, text_of(answer))
        self.assertEqual(self.respond(request, state="COMPLETE", locations=[])[0], 200)
        answer = self.call("getLocations", includeInactive=True)
        self.assertEqual(answer["result"]["structuredContent"], {"state": "COMPLETE", "locations": []})
        self.assertEqual(self.open_requests(), [])

    def test_the_same_call_meets_its_record_after_a_restart_and_with_its_members_in_another_order(self):
        self.call("getLocations", includeInactive=True, note="a")
        self.call("getLocations", includeInactive=False, note="b")
        for request in self.open_requests():
            said = "yes" if request["arguments"]["includeInactive"] else "no"
            self.assertEqual(self.respond(request["id"], state="COMPLETE", said=said)[0], 200)
            self.restart()
        self.assertEqual(self.call("getLocations", note="b", includeInactive=False)["result"]["structuredContent"]["said"], "no")
        self.assertEqual(self.call("getLocations", note="a", includeInactive=True)["result"]["structuredContent"]["said"], "yes")
        self.assertEqual(self.open_requests(), [], "none was made a second time")
        self.assertIn("has not ended yet", text_of(self.call("getLocations", note="a", includeInactive=True)), "that result was delivered")

    def test_an_idempotency_key_is_of_the_tool_of_one_session(self):
        """Another session's client has a tool of its own, which may be another one of the same name."""
        first = self.session
        for session, name in ((first, "a"), (self.open_session(getLocations=GET_LOCATIONS), "b")):
            self.session = session
            self.assertIn("has not ended yet", text_of(self.call("getLocations", idempotency_key="k")))
            request = self.open_requests()[0]["id"]
            self.assertEqual(self.respond(request, state="COMPLETE", said=name)[0], 200)
            for _ in range(2):
                answer = self.call("getLocations", idempotency_key="k")
                self.assertEqual(answer["result"]["structuredContent"]["said"], name, answer)
            self.assertIs(answer["result"]["_meta"]["io.toolpost/replayed"], True)
            self.assertEqual(self.open_requests(), [])
            other = self.call("getLocations", idempotency_key="k", includeInactive=True)
            self.assertIn("with other arguments", text_of(other))

    def test_a_person_is_not_asked_again_for_a_call_that_was_executed(self):
        self.assertIn("waits for a person", text_of(self.call("pre_createTransfer", **{"from": "A"})))
        self.verb("approvals", "approve", self.asked(), "--arguments", json.dumps({"from": "B", "sessionId": self.session}))
        self.assertIn("has not ended yet", text_of(self.call("pre_createTransfer", **{"from": "A"})))
        request = self.open_requests()[0]
        self.assertEqual(request["arguments"]["from"], "B")
        self.assertIn("has not ended yet", text_of(self.call("pre_createTransfer", **{"from": "A"})), "it meets the same record")
        self.assertEqual(self.respond(request["id"], state="COMPLETE", done=1)[0], 200)
        result = self.call("pre_createTransfer", **{"from": "A"})["result"]
        self.assertEqual((result["structuredContent"]["done"], self.edited(result)), (1, ["from"]))
        self.assertEqual((self.open_requests(), json.loads(self.verb("approvals", "--json"))), ([], []))


class Unattended(Callers):
    """Nobody executes the calls."""
    config = CONFIG + IMPATIENT

    def test_a_key_does_not_keep_the_end_of_a_call_that_did_not_run(self):
        self.assertIn("has not ended yet", text_of(self.call("getLocations", idempotency_key="k")))
        request = self.open_requests()[0]["id"]
        self.assertEqual(self.read(request, wait=30)["code"], "not_picked_up")
        self.assertIn("It did not run", text_of(self.call("getLocations", idempotency_key="k")))
        self.assertIn("has not ended yet", text_of(self.call("getLocations", idempotency_key="k")))
        request = self.open_requests()[0]["id"]
        self.assertEqual(self.respond(request, state="COMPLETE", said="yes")[0], 200)
        answer = self.call("getLocations", idempotency_key="k")
        self.assertEqual(answer["result"]["structuredContent"]["said"], "yes", answer)


class Filtered(Callers):
    """An interceptor sees what a caller answers before anybody else does."""
    plugins = ("hello", "meddler")
    config = IMPATIENT + '[[interceptor]]\nplugin = "meddler"\ntools = ["getLocations"]\n'

    def blocks(self, request):
        return [block["text"] for block in self.read(request, wait=30)["result"]["content"]]

    def test_the_record_of_a_detached_call_has_the_filtered_result(self):
        request = self.begin(tool_use_id="toolu_1")
        self.announced(request)
        self.assertEqual(self.respond(request, state="COMPLETE", locations=[])[0], 200)
        self.assertEqual(self.blocks(request)[0], "<meddler>", "when the caller has its answer, the record is filtered")
        status, _, page = self.host.fetch("GET", f"/v1/sessions/{self.session}/results")
        self.assertEqual((status, page["results"][0]["tool_result"]["content"][0]["text"]), (200, "<meddler>"))
        withheld = self.begin()
        self.announced(withheld)
        self.assertEqual(self.respond(withheld, state="COMPLETE", secret="leave badly"), (200, {"state": "ERROR"}))
        record = self.read(withheld, wait=30)
        self.assertEqual(record["code"], "result_withheld")
        self.assertNotIn("leave badly", json.dumps(record["result"]))

    def test_so_has_one_that_is_answered_after_a_restart_or_while_no_call_waits(self):
        request = self.begin()
        self.announced(request)
        self.assertEqual(self.beat(request)[0], 200)
        self.restart()
        self.assertEqual(self.respond(request, state="COMPLETE", locations=[])[0], 200)
        self.assertEqual(self.blocks(request)[0], "<meddler>")
        self.assertIn("has not ended yet", text_of(self.call("getLocations")))
        request = self.open_requests()[0]["id"]
        self.assertEqual(self.respond(request, state="COMPLETE", locations=[])[0], 200)
        self.assertEqual(self.blocks(request)[0], "<meddler>")
        answer = self.call("getLocations")
        self.assertEqual(text_of(answer).count("<meddler>"), 1, answer)


class External(Callers):
    def test_an_external_tool_of_a_plugin_is_executed_by_a_caller_and_never_by_the_plugin(self):
        self.place.drop("zoo", plugin_file("zoo/zoo_external"))
        wait_until("the tool is listed", lambda: any(tool["name"] == "version" for tool in self.host.request("tools/list")["result"]["tools"]))
        request = self.begin("version")
        self.assertEqual(self.announced(request)["executes"], "caller")
        self.assertEqual(self.respond(request, state="COMPLETE", by="hand")[0], 200)
        self.assertEqual(self.read(request)["result"]["structuredContent"], {"by": "hand"}, "it declares no state")
