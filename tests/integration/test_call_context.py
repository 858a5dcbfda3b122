"""The context of a single call: who may send it, over which ways, and that approvals, keys and restarts go by it."""
import hashlib
import json
import os
import signal

from harness import LEGACY, MODERN, TestCase, last_message, message, problem, run_toolpost, text_of, wait_until

from test_sessions import GET_LOCATIONS

CONFIG = """
[[rule]]
tool = "who_later"
behavior = "ask"
[[rule]]
tool = "confirm_delete"
behavior = "allow"
[approval]
wait_s = 0.2
[limits]
approval_arguments_bytes = 50000
[agent.coder]
needs_key = true
[[interceptor]]
plugin = "meddler"
tools = ["recall"]
"""
META = "io.toolpost/context"
BOTH = "application/json, text/event-stream"


def of(user):
    return {"entries": {"org.example.User": {"id": user}}}


class Case(TestCase):
    def setUp(self):
        self.place = self.workspace("mindful", "conformance", "meddler", config=CONFIG)
        self.keys = {"anna": self.verb("key", "new", "anna", "--scope", "call", "--scope", "context").split()[-1],
                     "plain": self.verb("key", "new", "plain").split()[-1],
                     "rita": self.verb("key", "new", "rita", "--scope", "approve").split()[-1]}
        self.host = self.http_host(self.place)

    def verb(self, *words, exit_code=0):
        done = run_toolpost(self.place, *words, "--config", self.place.config)
        self.assertEqual(done.returncode, exit_code, done)
        return done.stdout or done.stderr

    def fetch(self, method, path, body=None, who="anna", status=200):
        got, _, answer = self.host.fetch(method, path, body, self.keys[who])
        self.assertEqual(got, status, answer)
        return answer

    def session(self, who="anna", **members):
        return self.fetch("POST", "/v1/sessions", members, who, 201)["id"]

    def begin(self, session, tool="who", who="anna", status=202, **members):
        return self.fetch("POST", f"/v1/tools/request/{session}", {"name": tool} | members, who, status)

    def end_of(self, record):
        return self.fetch("GET", f"/v1/tools/request/{record['sessionId']}/{record['id']}?wait=30")

    def said(self, session, tool="who", **members):
        return self.end_of(self.begin(session, tool, **members))["result"]["content"][0]["text"]

    def mcp(self, tool, context=None, who="anna", era="modern", path="/mcp", arguments=None, **members):
        meta = members.pop("meta", {}) | ({META: context} if context is not None else {})
        params = {"name": tool, "arguments": arguments or {}, "_meta": meta} | members
        body, fields = message("tools/call", params, era)
        return self.send(body, fields, who, path)

    def send(self, body, fields, who, path="/mcp"):
        fields = {"Content-Type": "application/json", "Accept": BOTH, "Authorization": f"Bearer {self.keys[who]}"} | fields
        connection = self.host.connect()
        connection.request("POST", path, json.dumps(body), fields)
        answer = last_message(connection.getresponse().read().decode())
        connection.close()
        return answer

    def asked(self):
        return json.loads(self.verb("approvals", "--json"))

    def restart(self):
        port = self.host.port
        os.kill(self.host.child.pid, signal.SIGKILL)
        self.host.wait()
        self.host = self.http_host(self.place, port=port)


class CallContext(Case):
    def test_over_rest_it_is_for_one_call_and_over_that_of_the_session(self):
        session = self.session(context=of("anna"))
        made = self.begin(session, context=of("berta"))
        self.assertEqual(made["context"], of("berta"))
        ended = self.end_of(made)
        self.assertEqual((ended["result"]["content"][0]["text"], ended["context"]), ("berta", of("berta")))
        self.assertEqual(self.said(session), "anna", "the session keeps its own")
        self.assertEqual(self.said(session, context={"entries": {"org.example.User": None}}), "nobody")
        self.assertEqual(self.said(session, context={"values": {"tenant": "7"}}), "anna", "the rest is the session's")
        listed = self.fetch("GET", f"/v1/tools/request/{session}")["requests"]
        self.assertEqual([one for one in listed if "context" in one], [], "a list leaves it out")
        results = self.fetch("GET", f"/v1/sessions/{session}/results")
        self.assertNotIn("org.example.User", json.dumps(results))

    def test_a_reviewer_sees_it_in_the_list_of_calls_that_clients_execute(self):
        session = self.session(customizations={"extensions": {"tools": {"getLocations": GET_LOCATIONS}}})
        long = {"values": {"note": 20_000 * "n"}}
        made = [self.begin(session, "getLocations", context=context)["id"] for context in (of("berta"), long)]
        listed = lambda: {one["id"]: one for one in self.fetch("GET", "/v1/tools/external", who="rita")["calls"]}
        calls = wait_until("both wait", lambda: len(listed()) == 2 and listed())
        short, without = (calls[each] for each in made)
        self.assertEqual(short.get("context"), of("berta"), short)
        self.assertEqual((without.get("context"), without["context_bytes"]), (None, len(json.dumps(long, separators=(",", ":")))))
        record = self.fetch("GET", f"/v1/tools/request/{session}/{without['id']}", who="rita")
        self.assertEqual(record["context"], long)

    def test_interceptors_see_it(self):
        session = self.session(context={"values": {"tenant": "free"}})
        refused = self.begin(session, "recall", context={"values": {"tenant": "locked"}})
        self.assertIn("meddler refuses a locked tenant", json.dumps(self.end_of(refused)["result"]))
        self.assertEqual(self.end_of(self.begin(session, "recall"))["state"], "COMPLETE")

    def test_over_rest_a_key_without_the_scope_gets_an_error_and_no_call(self):
        session = self.session("plain")
        told = self.begin(session, who="plain", status=403, context=of("berta"))
        self.assertEqual(told["type"], problem("denied"))
        self.assertIn('/context: needs a key with the scope "context"', told["detail"])
        self.assertEqual(self.fetch("GET", f"/v1/tools/request/{session}", who="plain")["requests"], [])

    def test_over_rest_wrong_shapes_are_named_and_make_no_call(self):
        session = self.session()
        for context, pointer, why in (
                ([], "/context", "expected an object"),
                (None, "/context", "expected an object"),
                ({"org.example.User": {}}, "/context", "members"),
                ({"values": {"a": 1}}, "/context/values/a", "expected a string"),
                ({"entries": 7}, "/context/entries", "expected an object"),
                ({"entries": {"toolpost.session": {}}}, "/context/entries/toolpost.session", "reserved for the host"),
                ({"entries": {"principal": "root"}}, "/context/entries/principal", "what the host knows"),
                ({"entries": {"a b": {}}}, "/context/entries/a b", "visible ASCII"),
                ({"values": {"a": 65536 * "x"}}, "/context", "more than the 65536"),
                ({"entries": {f"t{i}": 0 for i in range(65)}}, "/context/entries", "at most 64")):
            told = self.begin(session, status=422, context=context)
            self.assertEqual(told["pointer"], pointer)
            self.assertIn(why, told["detail"])
        self.assertEqual(self.fetch("GET", f"/v1/tools/request/{session}")["requests"], [])
        self.assertEqual([line for line in self.place.audit_lines() if line.get("tool") == "who"], [])

    def legacy(self):
        body = {"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": {
            "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}
        connection = self.host.connect()
        fields = {"Content-Type": "application/json", "Accept": BOTH, "Authorization": f"Bearer {self.keys['anna']}"}
        connection.request("POST", "/mcp", json.dumps(body), fields)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return {"Mcp-Session-Id": answer.headers["Mcp-Session-Id"]}

    def test_over_mcp_each_era_takes_it_from_a_key_with_the_scope(self):
        session = self.session(context=of("anna"))
        for era in ("bare", "modern"):
            self.assertEqual(text_of(self.mcp("who", of("berta"), era=era)), "berta")
            self.assertEqual(text_of(self.mcp("who", of("berta"), era=era, path=f"/mcp/s/{session}")), "berta")
            self.assertEqual(text_of(self.mcp("who", era=era, path=f"/mcp/s/{session}")), "anna")
            refused = self.mcp("who", of("berta"), who="plain", era=era)["error"]
            self.assertEqual(refused["code"], -32602)
            self.assertIn('needs a key with the scope "context"', refused["message"])
            wrong = self.mcp("who", {"entries": []}, era=era)["error"]
            self.assertEqual(wrong["code"], -32602)
            self.assertIn("/_meta/io.toolpost~1context/entries: expected an object", wrong["message"])
        body, _ = message("tools/call", {"name": "who", "arguments": {}, "_meta": {META: of("berta")}}, "legacy")
        self.assertEqual(text_of(self.send(body, self.legacy(), "anna")), "berta")
        refused = self.host.call("who", era="modern")  # the same client without a key
        self.assertEqual(text_of(refused), "nobody")
        refused = self.host.request("tools/call", {"name": "who", "arguments": {}, "_meta": {META: of("x")}})
        self.assertIn('scope "context"', refused["error"]["message"])

    def test_an_approval_covers_the_context_that_the_reviewer_saw(self):
        self.assertIn("waits for a person's approval", text_of(self.mcp("who_later", of("berta"))))
        [request] = self.asked()
        self.assertEqual((request["context"], json.loads(request["context_text"])), (of("berta"), of("berta")))
        self.assertIn('"berta"', self.verb("approvals", "show", request["id"]))
        path = f"/v1/approvals/{request['id']}"
        shown = self.fetch("GET", path, who="rita")
        text = shown["arguments_text"] + "\n" + shown["context_text"]
        self.assertEqual(shown["digest"], hashlib.sha256(text.encode()).hexdigest())
        of_arguments = hashlib.sha256(shown["arguments_text"].encode()).hexdigest()
        self.fetch("POST", path, {"decision": "approve", "digest": of_arguments}, "rita", 409)
        self.fetch("POST", path, {"decision": "approve", "digest": shown["digest"]}, "rita")
        for other in (of("carla"), None):
            self.assertIn("waits for a person's approval", text_of(self.mcp("who_later", other)))
        self.assertEqual(text_of(self.mcp("who_later", of("berta"))), "berta")
        self.assertEqual(sorted(one.get("context_text", "") for one in self.asked()),
                         ["", '{"entries":{"org.example.User":{"id":"carla"}}}'])

    def test_an_answer_of_a_person_is_for_the_context_of_its_question(self):
        question = {"question": "Delete the account?", "options": ["yes", "no"]}
        for user in ("berta", "carla", "berta"):
            self.assertIn("waits for a person's answer", text_of(self.mcp("ask_user", of(user), arguments=question)))
        of_user = {one["context"]["entries"]["org.example.User"]["id"]: one["id"] for one in self.asked()}
        self.assertEqual(sorted(of_user), ["berta", "carla"])
        self.verb("approvals", "answer", of_user["berta"], "yes")
        self.assertIn("waits for a person's answer", text_of(self.mcp("ask_user", of("carla"), arguments=question)))
        self.assertIn("yes", text_of(self.mcp("ask_user", of("berta"), arguments=question)))

    def test_a_reviewer_is_shown_no_more_than_the_limit_allows(self):
        refused = text_of(self.mcp("who_later", {"values": {"a": 50000 * "x"}}))
        self.assertIn("its arguments and context have 50", refused)
        self.assertIn("limits.approval_arguments_bytes", refused)
        self.assertEqual(self.asked(), [])

    def test_hidden_characters_are_shown_in_the_terminal(self):
        self.mcp("who_later", of("ber\u202eta"))
        [request] = self.asked()
        shown = self.verb("approvals", "show", request["id"])
        self.assertNotIn("\u202e", shown)
        self.assertIn("ber", shown)

    def test_what_a_client_answers_is_for_the_context_that_it_was_asked_about(self):
        meta = {"io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}

        def call(context, **more):
            params = {"name": "confirm_delete", "arguments": {"filename": "f"}, "_meta": meta | {META: context}} | more
            fields = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "confirm_delete"}
            return self.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, fields, "anna")

        asked = call(of("berta"))["result"]
        (key, _), = asked["inputRequests"].items()
        answer = {"requestState": asked["requestState"],
                  "inputResponses": {key: {"action": "accept", "content": {"confirm": True}}}}
        self.assertEqual(call(of("carla"), **answer)["error"]["code"], -32602)
        self.assertEqual(text_of(call(of("berta"), **answer)), "Deleted f")

    def test_a_key_is_for_one_context(self):
        session = self.session()
        two = {"values": {"a": "1", "b": "2"}, "entries": of("berta")["entries"]}
        other_order = {"entries": of("berta")["entries"], "values": {"b": "2", "a": "1"}}
        first = self.begin(session, idempotency_key="k", context=two)
        self.end_of(first)
        self.assertEqual(self.begin(session, idempotency_key="k", context=other_order)["id"], first["id"])
        for other in ({"context": of("berta")}, {}):
            told = self.begin(session, status=422, idempotency_key="k", **other)
            self.assertEqual(told["pointer"], "/idempotency_key")
            self.assertIn("another context", told["detail"])
        with_key = {"meta": {"idempotency_key": "m"}}
        self.assertEqual(text_of(self.mcp("who", of("berta"), **with_key)), "berta")
        self.assertEqual(text_of(self.mcp("who", of("berta"), **with_key)), "berta")
        clash = self.mcp("who", of("carla"), **with_key)
        self.assertTrue(clash["result"]["isError"])
        self.assertIn("another context", text_of(clash))

    def test_calls_that_a_client_executes_differ_by_their_context(self):
        session = self.session(customizations={"extensions": {"tools": {"getLocations": GET_LOCATIONS}}})
        for user in ("berta", "carla", "berta"):
            answer = self.mcp("getLocations", of(user), path=f"/mcp/s/{session}")
            self.assertIn("has not ended yet", text_of(answer))
        waiting = self.fetch("GET", f"/v1/tools/request/{session}")["requests"]
        self.assertEqual([self.fetch("GET", f"/v1/tools/request/{session}/{one['id']}")["context"] for one in waiting],
                         [of("berta"), of("carla")])
        self.restart()
        for one in waiting:
            record = self.fetch("GET", f"/v1/tools/request/{session}/{one['id']}")
            user = record["context"]["entries"]["org.example.User"]["id"]
            response = {"response": {"state": "COMPLETE", "said": user}}
            self.fetch("POST", f"/v1/tools/response/{session}/{one['id']}", response)
        for user in ("carla", "berta"):
            answer = self.mcp("getLocations", of(user), path=f"/mcp/s/{session}")
            self.assertEqual(answer["result"]["structuredContent"]["said"], user)

    def test_a_key_that_looks_like_a_context_is_none(self):
        session = self.session(customizations={"extensions": {"tools": {"getLocations": GET_LOCATIONS}}})
        at = {"path": f"/mcp/s/{session}"}
        self.mcp("getLocations", of("berta"), **at)
        self.mcp("getLocations", meta={"idempotency_key": '{"entries":{"org.example.User":{"id":"berta"}}}'}, **at)
        self.assertEqual(len(self.fetch("GET", f"/v1/tools/request/{session}")["requests"]), 2)

    def test_a_call_that_waits_for_approval_keeps_it_over_a_kill(self):
        session = self.session(context=of("anna"))
        made = self.begin(session, "who_later", context=of("berta"))
        wait_until("it is asked about", self.asked)
        self.restart()
        [request] = wait_until("it is asked about", self.asked)
        self.assertEqual(request["context"], of("berta"))
        self.verb("approvals", "approve", request["id"])
        ended = self.end_of(made)
        self.assertEqual((ended["state"], ended["result"]["content"][0]["text"]), ("COMPLETE", "berta"))

    def test_a_task_keeps_it_over_a_kill(self):
        meta = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities":
                {"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}}

        def modern(method, params, name, **more):
            fields = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method, "Mcp-Name": name}
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params | {"_meta": meta | more}}
            return self.send(body, fields, "anna")["result"]

        call = {"name": "confirm_delete", "arguments": {"filename": "f"}}
        task = modern("tools/call", call, "confirm_delete", **{META: of("berta")})["taskId"]
        def now(member):
            return modern("tasks/get", {"taskId": task}, task).get(member)
        (key, _), = wait_until("it asks", lambda: now("inputRequests")).items()
        self.restart()
        answer = {key: {"action": "accept", "content": {"confirm": True}}}
        modern("tasks/update", {"taskId": task, "inputResponses": answer}, task)
        self.assertEqual(wait_until("it is over", lambda: now("result"))["content"][0]["text"], "Deleted f")
        calls = [line for line in self.place.audit_lines() if line.get("tool") == "confirm_delete"]
        self.assertEqual((calls[-1]["outcome"], calls[-1]["context"]), ("ok", ["org.example.User"]))

    def test_audit_and_log_have_its_names_alone(self):
        secret = {"values": {"tenant": "canary-seven"}, "entries": {"org.example.User": {"id": "canary-berta"}}}
        self.assertEqual(text_of(self.mcp("who", secret)), "canary-berta")
        self.mcp("who_later", secret)
        wait_until("it is in the audit", lambda: len(self.place.audit_lines()) >= 2)
        for line in self.place.audit_lines():
            self.assertEqual(line["context"], ["org.example.User", "tenant"])
        self.assertNotIn("canary", self.place.audit.read_text() + self.host.error_text())

    def test_keys_get_the_scope_together_with_call(self):
        self.assertIn("add the scope call", self.verb("key", "new", "x", "--scope", "context", exit_code=2))
        listed = {key["principal"]: key["scopes"] for key in json.loads(self.verb("key", "list", "--json"))}
        self.assertEqual((listed["anna"], listed["plain"]), ("call context", "call"))
        both = ("--scope", "call", "--scope", "context")
        self.verb("key", "new", "bot", "--agent", "coder", *both)
        refused = self.verb("key", "new", "bot", "--agent", "coder", *both, "--scope", "admin", exit_code=2)
        self.assertIn("call and context", refused)


class OnTheCommandLine(TestCase):
    def test_it_has_the_limits_of_a_client(self):
        place = self.workspace("mindful")
        done = run_toolpost(place, "call", "who", "{}", "--entry", 'org.example.User={"id": "anna"}', "--config", place.config)
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "anna"), done)
        done = run_toolpost(place, "call", "who", "{}", "--entry", "toolpost.session={}", "--config", place.config)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("reserved for the host", done.stderr)


class OverStdio(TestCase):
    def test_the_client_that_started_the_host_may_send_it(self):
        place = self.workspace("mindful")
        modern = self.stdio_host(place)
        meta = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
        call = {"name": "who", "arguments": {}}
        self.assertEqual(text_of(modern.request("tools/call", call | {"_meta": meta | {META: of("berta")}})), "berta")
        self.assertEqual(text_of(modern.request("tools/call", call | {"_meta": meta})), "nobody")
        wrong = modern.request("tools/call", call | {"_meta": meta | {META: 7}})["error"]
        self.assertEqual(wrong["code"], -32602)
        legacy = self.stdio_host(place)
        legacy.initialize()
        self.assertEqual(text_of(legacy.request("tools/call", call | {"_meta": {META: of("berta")}})), "berta")
        self.assertEqual(text_of(legacy.call("who")), "nobody")
