"""What MCP says beyond what its conformance suite looks at: streams taken up again, requests that are cancelled, refusals
with their ids, answers with reasons, and what callers of each era get."""
import json
import os
import signal

from edge_case import BOTH, CLIENT, META, EdgeCase, Events, methods_of
from harness import LEGACY, MODERN, last_message, message, text_of, wait_until

TASKS = META | {"io.modelcontextprotocol/clientCapabilities": {
    "elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}}
BYPASS = '[permission]\nmode = "bypass"\n'


class TakenUpAgain(EdgeCase):
    """Last-Event-ID."""

    HINTS = ["notifications/tools/list_changed", "notifications/resources/list_changed",
             "notifications/prompts/list_changed"]

    def changed(self, host=None):
        answer = (host or self.host).call("test_trigger_tool_change")
        self.assertIn("result", answer)

    def assert_fresh(self, event):
        """A stream that says what may have changed, then where to come back, then what changes."""
        status, stream = self.open(Last_Event_ID=event)
        self.assertEqual(status, 200)
        got = stream.until(lambda one: one[1] is None)
        self.assertEqual(methods_of(got)[-5:-1], [*self.HINTS, "notifications/resources/updated"])
        self.assertEqual(got[-2][1]["params"]["uri"], "test://watched-resource")
        self.changed()
        stream.until(lambda one: one[1] and one[1]["method"] == "notifications/tools/list_changed")
        return stream

    def begin(self):
        self.serve("conformance", config=BYPASS)
        self.begin_session()
        self.assertEqual(self.say("resources/subscribe", {"uri": "test://watched-resource"})[0], 200)

    def test_an_event_that_nobody_knows(self):
        self.begin()
        for event in ("nonsense", "a.b.c", "AAAAAAAAAAAA.0.7"):
            self.assert_fresh(event).close()

    def test_an_event_of_the_host_before(self):
        self.begin()
        _, stream = self.open()
        seen = stream.next()[0]
        os.kill(self.host.child.pid, signal.SIGKILL)
        self.host.wait()
        self.host = self.http_host(self.place, port=self.host.port)
        self.assert_fresh(seen)

    def test_more_missed_events_than_are_kept(self):
        self.begin()
        _, stream = self.open()
        seen = stream.next()[0]
        stream.close()
        session = self.session
        self.begin_session()
        self.assertEqual(self.say("resources/subscribe", {"uri": "test://watched-resource"})[0], 200)
        _, witness = self.open()
        connection = self.host.connect()

        def touch():
            body, headers = message("tools/call", {"name": "test_touch_watched_resource"}, "bare")
            self.assertEqual(self.host.post(body, headers, connection)[0], 200)
            witness.until(lambda one: one[1] and one[1]["method"] == "notifications/resources/updated")
        touch()
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        for _ in range(130):  # the log of a session keeps what all its streams sent: two events each
            status, headers, text = self.host.post(ping, session | {"Accept": "text/event-stream"}, connection)
            self.assertEqual((status, text.count("\nid: ") + text.startswith("id: ")), (200, 2), text)
        touch()
        connection.close()
        self.session = session
        stream = self.assert_fresh(seen)
        # Of the two that were missed one is forgotten; the other comes before what may have changed.
        self.assertEqual(methods_of(stream.seen)[:5], ["notifications/resources/updated", *self.HINTS,
                                                       "notifications/resources/updated"])

    def test_the_stream_of_an_answer_is_not_replaced_by_the_sessions_own(self):
        self.begin()
        _, own = self.open()
        own.next()
        self.assertEqual(self.open(Last_Event_ID="AAAAAAAAAAAA.3.7")[0], 400)  # of the host before, its call is lost
        self.changed()
        self.assertEqual(methods_of([own.next()]), ["notifications/tools/list_changed"])

    def test_what_was_missed_comes_before_the_place_to_come_back_to(self):
        self.begin()
        _, stream = self.open()
        seen = stream.next()[0]
        stream.close()
        self.changed()
        status, stream = self.open(Last_Event_ID=seen)
        self.assertEqual(status, 200)
        got = stream.until(lambda one: one[1] is None)
        self.assertIn("notifications/tools/list_changed", methods_of(got[:-1]))
        stream.close()
        # Whoever goes on from there misses nothing and hears nothing twice.
        _, stream = self.open(Last_Event_ID=got[-1][0])
        self.assertEqual(methods_of([stream.next()]), [None])


class Cancelled(EdgeCase):
    """A request of a session that its client has cancelled gets no answer."""

    def setUp(self):
        self.serve("overlap")

    def start(self, accept, token=None):
        params = {"name": "slow", "arguments": {"ms": 600_000}}
        if token:  # it tells of each tenth
            params = {"name": "slow", "arguments": {"ms": 40_000}, "_meta": {"progressToken": token}}
        connection = self.host.connect()
        body = {"jsonrpc": "2.0", "id": "long", "method": "tools/call", "params": params}
        connection.request("POST", "/mcp", json.dumps(body),
                           self.session | {"Accept": accept, "Content-Type": "application/json"})
        self.addCleanup(connection.close)
        return connection

    def cancel(self):
        wait_until("it runs", lambda: "\ntoolpost_calls_in_flight 1\n" in self.host.fetch("GET", "/metrics")[2])
        body = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "long"}}
        self.assertEqual(self.host.post(body, self.session)[0], 202)

    def test_before_anything_was_sent(self):
        self.begin_session()
        for accept, status in ((BOTH["Accept"], 200), ("application/json", 202)):
            connection = self.start(accept)
            self.cancel()
            response = connection.getresponse()
            self.assertEqual((response.status, response.read()), (status, b""), accept)
            self.assertEqual(json.loads(self.say("ping")[2])["result"], {})

    def test_after_progress_was_sent(self):
        self.begin_session()
        connection = self.start(BOTH["Accept"], "t")
        response = connection.getresponse()
        stream = Events(response, connection)
        stream.until(lambda one: one[1] and one[1]["method"] == "notifications/progress")
        self.cancel()
        while stream.next():
            pass
        self.assertEqual([data for _, data in stream.seen if data and "method" not in data], [])
        # Nothing more will come: a client that asks for it need not ask again.
        self.assertEqual(self.open(Last_Event_ID=stream.seen[-1][0])[0], 204)

    def test_one_that_its_session_has_ended_gets_an_answer(self):
        """Its client has cancelled nothing, and waits."""
        for end in ("DELETE of the session", "DELETE of the client's"):
            with self.subTest(end):
                status, _, made = self.host.fetch("POST", "/v1/sessions", {})
                self.assertEqual(status, 201, made)
                body, fields = message("tools/call", {"name": "slow", "arguments": {"ms": 600_000}}, "modern", "long")
                if end == "DELETE of the client's":
                    self.begin_session()
                    made["id"] = self.session["Mcp-Session-Id"]
                connection = self.host.connect()
                self.addCleanup(connection.close)
                connection.request("POST", "/mcp/s/" + made["id"], json.dumps(body),
                                   fields | {"Content-Type": "application/json"})
                wait_until("it runs", lambda: "\ntoolpost_calls_in_flight 1\n" in self.host.fetch("GET", "/metrics")[2])
                if end == "DELETE of the client's":
                    own = self.host.connect()
                    own.request("DELETE", "/mcp", headers=self.session)
                    self.assertEqual(own.getresponse().status, 200)
                    own.close()
                else:
                    self.assertEqual(self.host.fetch("DELETE", "/v1/sessions/" + made["id"])[0], 204)
                response = connection.getresponse()
                text = response.read().decode()
                self.assertIn("session of this request has ended", text)
                self.assertEqual((response.status, last_message(text)["id"]), (200, "long"))

    def test_in_an_array(self):
        self.begin_session("2025-03-26")
        connection = self.host.connect()
        params = {"name": "slow", "arguments": {"ms": 600_000}}
        body = [{"jsonrpc": "2.0", "id": "long", "method": "tools/call", "params": params},
                {"jsonrpc": "2.0", "id": 2, "method": "ping"}]
        connection.request("POST", "/mcp", json.dumps(body), self.session | {"Content-Type": "application/json"})
        self.cancel()
        answers = last_message(connection.getresponse().read().decode())
        self.assertEqual([one["id"] for one in answers], [2])
        connection.close()


class RefusedLines(EdgeCase):
    """A refused request is answered with its id wherever that can be read."""

    REFUSED = [
        (7, b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x":"\\ud800"}}'),
        ("a", b'{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"x":123456789012345678901234567890}}'),
        (8, b'{"jsonrpc":"2.0","method":"x","params":{"n":' + b"[" * 300 + b"]" * 300 + b'},"id":8}'),
        (9, b'{"params":{"id":1,"method":"y","text":"\\"id\\":2,}{"},"method":"x","id" : 9 , "more":tru}'),
        ("\u00e9\n", b'{"id":"\\u00e9\\n","method":"x","params":{"x":1e999}}'),
        (None, b'{"jsonrpc":"2.0","id":7,"result":{"x":"\\ud800"}}'),  # an answer: 7 is an id of the host's
        (None, b'{"id":1,"method":"x","id":2}'),
        (None, b'{"id":"\\ud800","method":"x"}'),
        (None, b'{"id":{"a":1},"method":"x","params":tru}'),
        (None, b'[{"id":1,"method":"x"}'),
        (None, b'{"method":"x","id":12'),
        (None, b'nonsense "id":1,"method":"x"'),
    ]

    def test_over_stdio(self):
        place = self.workspace("hello", config="[limits]\nline_bytes = 4096")
        host = self.stdio_host(place)
        long = b'"x":"' + b"y" * 200_000 + b'"'
        overlong = [
            ("first", b'{"jsonrpc":"2.0","id":"first","method":"x","params":{' + long + b"}}"),
            (5, b'{"jsonrpc":"2.0","method":"x","params":{' + long + b'},"id":5}'),
            (None, b'{"jsonrpc":"2.0","id":5,"result":{' + long + b"}}"),
            (None, b'{"id":"' + b"i" * 5000 + b'","method":"x"}'),
        ]
        for wanted, line in [(wanted, line) for wanted, line in self.REFUSED if len(line) < 4096] + overlong:
            host.send(line)
            answer = host.receive()
            self.assertEqual(answer.get("id"), wanted, (line[:80], answer))
            self.assertIn(answer["error"]["code"], (-32700, -32600), answer)
            self.assertEqual(text_of(host.call("echo", {"text": "good"})), "good")

    def test_over_http(self):
        self.serve("hello")
        for wanted, line in self.REFUSED:
            status, _, text = self.host.post(line)
            self.assertEqual((status, json.loads(text).get("id")), (400, wanted), line[:80])

    def test_ids_are_bounded(self):
        self.serve("hello", config="[limits]\nid_bytes = 20")
        for request_id in ("i" * 20, "\u00e9" * 10, -(2**53), 2**53):
            self.assertIn("result", self.host.request("tools/list", request_id=request_id), request_id)
        for request_id, says in (("i" * 21, "21 bytes: limits.id_bytes allows 20"), (2**53 + 1, "within 2^53"),
                                 (1.5, "within 2^53"), (None, "within 2^53"), ([], "within 2^53")):
            answer = self.host.request("tools/list", request_id=request_id)
            self.assertEqual((answer["http_status"], answer["error"]["code"], "id" in answer), (400, -32600, False))
            self.assertIn(says, answer["error"]["message"])
        host = self.stdio_host(self.place)
        host.send({"jsonrpc": "2.0", "id": "i" * 21, "method": "ping"})
        self.assertIn("limits.id_bytes allows 20", host.receive()["error"]["message"])

    def test_members_of_the_wrong_kind(self):
        self.serve("hello")
        modern = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/list"} | BOTH
        list_tools = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        self.assertEqual(self.host.post(list_tools | {"params": {"_meta": None}})[0], 200)  # as if it were absent
        for meta in (7, "x", []):
            for headers in ({}, modern):
                status, _, text = self.host.post(list_tools | {"params": {"_meta": meta}}, headers)
                error = json.loads(text)
                self.assertEqual((status, error["error"]["code"], error["id"]), (400, -32602, 1), text)
                self.assertIn("_meta", error["error"]["message"])
        key = "io.modelcontextprotocol/clientInfo"
        for info, says in ((7, "object"), ({}, "name"), ({"name": "x"}, "version"), ({"name": 1, "version": "1"}, "name"),
                           (None, "object")):
            status, _, text = self.host.post(list_tools | {"params": {"_meta": META | {key: info}}}, modern)
            error = json.loads(text)["error"]
            self.assertEqual((status, error["code"]), (400, -32602), text)
            self.assertIn("clientInfo", error["message"])
            self.assertIn(says, error["message"])
            params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": info}
            answer = self.host.request("initialize", params)
            self.assertEqual(answer["error"]["code"], -32602, answer)
            self.assertIn(says, answer["error"]["message"])
        for meta in (META, META | {key: CLIENT | {"title": "T"}}):
            self.assertEqual(self.host.post(list_tools | {"params": {"_meta": meta}}, modern)[0], 200)


class Modern(EdgeCase):
    def modern(self, method, params, meta=TASKS, name=None):
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params | {"_meta": meta}}
        headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method} | BOTH
        name = name or params.get("name") or params.get("taskId")
        return self.host.post(body, headers | ({"Mcp-Name": name} if name else {}))

    def result(self, *arguments, **options):
        return last_message(self.modern(*arguments, **options)[2])["result"]

    def test_a_form_that_breaks_its_schema_comes_back_with_the_reason(self):
        self.serve("conformance", config=BYPASS)
        forms = META | {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
        call = {"name": "test_elicitation", "arguments": {"message": "Who?"}}
        wrong = {"action": "accept", "content": {"username": 7, "email": "e@example.org"}}
        right = {"action": "accept", "content": {"username": "ada", "email": "e@example.org"}}
        first = self.result("tools/call", call, meta=forms)
        self.assertNotIn("io.toolpost/refused_answers", first["_meta"])
        again = first
        for _ in range(2):  # the reason is told once each time
            retry = call | {"requestState": again["requestState"], "inputResponses": {"user": wrong}}
            again = self.result("tools/call", retry, meta=forms)
            self.assertEqual(again["resultType"], "input_required")
            self.assertIn("/username", again["_meta"]["io.toolpost/refused_answers"]["user"])
            asked = again["inputRequests"]["user"]["params"]
            self.assertRegex(asked["message"], r"^The last answer was not accepted: .*/username[^\n]*\n\nWho\?$")
            self.assertEqual(asked | {"message": "Who?"}, first["inputRequests"]["user"]["params"])
        retry = call | {"requestState": again["requestState"], "inputResponses": {"user": right}}
        self.assertIn("ada", text_of({"result": self.result("tools/call", retry, meta=forms)}))
        brought = self.result("tools/call", call | {"inputResponses": {"user": wrong}}, meta=forms)
        self.assertIn("/username", brought["_meta"]["io.toolpost/refused_answers"]["user"])

    def test_so_does_the_form_of_a_task(self):
        self.serve("conformance", config=BYPASS)
        made = self.result("tools/call", {"name": "confirm_delete", "arguments": {"filename": "f"}})
        task = {"taskId": made["taskId"]}
        asks = wait_until("it asks", lambda: self.result("tasks/get", task).get("inputRequests"))
        (key, request), = asks.items()
        answer = {"action": "accept", "content": {"confirm": "perhaps"}}
        self.assertEqual(self.modern("tasks/update", task | {"inputResponses": {key: answer}})[0], 200)
        now = self.result("tasks/get", task)
        self.assertEqual(now["status"], "input_required")
        self.assertRegex(now["inputRequests"][key]["params"]["message"],
                         r"^The last answer was not accepted: .*/confirm[^\n]*\n\n" + request["params"]["message"])
        answer["content"]["confirm"] = True
        self.modern("tasks/update", task | {"inputResponses": {key: answer}})
        done = wait_until("it is over", lambda: self.result("tasks/get", task).get("result"))
        self.assertEqual(text_of({"result": done}), "Deleted f")

    def listen(self, wanted, meta=TASKS):
        body = {"jsonrpc": "2.0", "id": 41, "method": "subscriptions/listen",
                "params": {"notifications": wanted, "_meta": meta}}
        self.session = BOTH
        return self.open("POST", body, MCP_Protocol_Version=MODERN, Mcp_Method="subscriptions/listen")

    def test_a_stream_tells_what_tasks_do(self):
        self.serve("conformance", config=BYPASS)
        made = self.result("tools/call", {"name": "confirm_delete", "arguments": {"filename": "f"}})
        wait_until("it asks", lambda: self.result("tasks/get", {"taskId": made["taskId"]}).get("inputRequests"))
        status, stream = self.listen({"taskIds": [made["taskId"], "nosuch"]})
        self.assertEqual(status, 200)
        accepted = stream.next()[1]
        self.assertEqual(accepted["method"], "notifications/subscriptions/acknowledged")
        self.assertEqual(accepted["params"]["notifications"], {"taskIds": [made["taskId"]]})
        now = stream.next()[1]
        self.assertEqual((now["method"], now["params"]["status"]), ("notifications/tasks", "input_required"))
        (key, _), = now["params"]["inputRequests"].items()
        answer = {"action": "accept", "content": {"confirm": True}}
        self.modern("tasks/update", {"taskId": made["taskId"], "inputResponses": {key: answer}})
        told = stream.until(lambda one: one[1]["params"]["status"] == "completed")
        for _, one in told:
            self.assertEqual(one["params"]["_meta"], {"io.modelcontextprotocol/subscriptionId": 41})
            self.assertEqual(one["params"]["taskId"], made["taskId"])
        last = dict(told[-1][1]["params"])
        last.pop("_meta")
        shown = self.result("tasks/get", {"taskId": made["taskId"]})
        self.assertEqual(last, {k: v for k, v in shown.items() if k not in ("_meta", "resultType")})

    def test_large_results_are_for_whoever_fetches_them(self):
        self.serve("conformance", config=BYPASS)
        big, small = (self.result("tools/call", {"name": "slow_compute", "arguments": {"seconds": 0, "label": "x" * size}})
                      for size in (100_000, 10))
        asks = self.result("tools/call", {"name": "confirm_delete", "arguments": {"filename": "f"}})
        ids = [one["taskId"] for one in (big, small, asks)]
        for one in (big, small):
            wait_until("it is over", lambda task=one: self.result("tasks/get", {"taskId": task["taskId"]}).get("result"))
        wait_until("it asks", lambda: self.result("tasks/get", {"taskId": ids[2]}).get("inputRequests"))
        _, stream = self.listen({"taskIds": ids})
        self.assertEqual(set(stream.next()[1]["params"]["notifications"]["taskIds"]), set(ids))
        now = {one["params"]["taskId"]: one["params"] for one in (stream.next()[1], stream.next()[1])}
        self.assertEqual(set(now), set(ids[1:]))
        (key, _), = now[ids[2]]["inputRequests"].items()
        self.modern("tasks/update", {"taskId": ids[2], "inputResponses": {key: {"action": "decline"}}})
        told = stream.until(lambda one: one[1]["params"]["status"] == "completed")
        self.assertEqual({one["params"]["taskId"] for _, one in told}, {ids[2]})

    def test_a_wish_that_cannot_be_kept_is_refused(self):
        self.serve("conformance", config=BYPASS + "[limits]\ntasks_per_principal = 2")
        for ids, meta, code in ((["x"], META, -32021), ("x", TASKS, -32602), ([7], TASKS, -32602),
                                (["a", "b", "c"], TASKS, -32602)):
            _, stream = self.listen({"taskIds": ids}, meta)
            self.assertEqual(json.loads(stream.response.read())["error"]["code"], code, ids)
        _, stream = self.listen({"taskIds": ["nosuch"]})
        self.assertEqual(stream.next()[1]["params"]["notifications"], {})


class Bare(EdgeCase):
    def test_structured_results_reach_a_caller_that_names_no_version(self):
        self.serve("overlap")
        host = self.stdio_host(self.place)
        for call in (self.host.call, host.call):
            result = call("serial_probe", {"ms": 0})["result"]
            self.assertEqual(result["structuredContent"]["peak"], 1)
            self.assertEqual(json.loads(result["content"][0]["text"]), result["structuredContent"])
        self.begin_session("2025-03-26")  # its schema has no such member
        _, _, text = self.say("tools/call", {"name": "serial_probe", "arguments": {"ms": 0}})
        self.assertNotIn("structuredContent", last_message(text)["result"])

    def test_skills_for_sessions(self):
        self.serve("hello")
        folder = self.place.skill("trip", "---\nname: trip\ndescription: Plan a trip.\n---\nGo.\n")
        (folder / "notes.md").write_text("Notes.\n")
        for version in ("2025-03-26", "2025-06-18", LEGACY):
            body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT}}
            status, headers, text = self.host.post(body, BOTH)
            offered = last_message(text)["result"]["capabilities"]
            self.assertNotIn("extensions", offered)
            self.assertEqual(offered["experimental"], {"io.modelcontextprotocol/skills": {"directoryRead": True}})
            self.session = BOTH | {"Mcp-Session-Id": headers["mcp-session-id"]}

            def answer(method, params=None):
                return last_message(self.say(method, params)[2])["result"]
            skills = wait_until("the skill is read", lambda: answer("skills/list")["skills"])
            self.assertEqual([skill["frontmatter"]["name"] for skill in skills], ["trip"])
            one = answer("skills/get", {"uri": skills[0]["uri"]})
            self.assertEqual(one, {"skill": skills[0]})  # and no member that this version does not know
            files = answer("resources/directory/read", {"uri": "skill://trip"})["resources"]
            self.assertEqual([file["name"] for file in files], ["SKILL.md", "notes.md"])
