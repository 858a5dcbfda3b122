"""Detached calls that the host runs: accepted once they are stored, read from anywhere, cancelled, approved, restarted."""
import contextlib
import http.client
import json
import os
import signal
import socket
import sqlite3

from harness import TestCase, plugin_file, problem, run_toolpost, store_of, text_of, wait_until

CONFIG = """
[[rule]]
tool = "until"
behavior = "allow"
[[rule]]
tool = "slow"
behavior = "allow"
[limits]
detached_calls_per_principal = 12
running_per_principal = 4
"""


class Requests(TestCase):
    def setUp(self):
        self.place = self.workspace()
        self.place.drop("zoo", plugin_file("zoo/zoo_one"))
        self.place.write_config(self.place.config.read_text() + CONFIG)
        self.host = self.http_host(self.place)

    def session(self, key=None):
        status, _, made = self.host.fetch("POST", "/v1/sessions", {}, key)
        self.assertEqual(status, 201, made)
        return made["id"]

    def path(self, session, *more):
        return "/".join(["/v1/tools/request", session, *more])

    def begin(self, session, tool, arguments=None, **more):
        body = {"name": tool, "arguments": arguments or {}} | more
        status, headers, record = self.host.fetch("POST", self.path(session), body)
        self.assertEqual(status, 202, record)
        self.assertEqual(headers["Location"], self.path(session, record["id"]))
        return record["id"]

    def with_header(self, session, key, **more):
        """Status and response of a call of `until` whose idempotency key is in the header."""
        body = {"name": "until", "arguments": self.place.gate()} | more
        status, _, said = self.host.fetch("POST", self.path(session), body, headers={"Idempotency-Key": key})
        return status, said

    def read(self, session, request, wait=0):
        status, _, record = self.host.fetch("GET", self.path(session, request) + f"?wait={wait}")
        self.assertEqual(status, 200, record)
        return record

    def end_of(self, session, request):
        return self.read(session, request, wait=30)

    def until_state(self, session, request, state, reason=None):
        def there():
            record = self.read(session, request)
            return record["state"] == state and record.get("reason") == reason and record
        return wait_until(f"{request} is {state}", there)

    def restart(self, kill=True):
        port = self.host.port
        if kill:
            os.kill(self.host.child.pid, signal.SIGKILL)
            self.host.wait()
        else:
            self.host.stop()
        self.host = self.http_host(self.place, port=port)

    def test_a_call_is_stored_runs_without_its_client_and_is_read_later(self):
        session = self.session()
        first = self.begin(session, "until", self.place.gate(), tool_use_id="toolu_1")
        record = self.until_state(session, first, "PROCESSING")
        self.assertEqual((record["name"], record["executes"], record["tool_use_id"], record["sessionId"]),
                         ("until", "host", "toolu_1", session))
        wait_until("the host sends a heartbeat", lambda: self.read(session, first).get("heartbeat"))
        self.place.open_gate()
        record = self.end_of(session, first)
        self.assertEqual((record["state"], record["result"]["isError"]), ("COMPLETE", False))

        failed = self.begin(session, "fail")
        record = self.approve_and_end(session, failed)
        self.assertEqual((record["state"], record["code"], record["result"]["isError"]), ("ERROR", "tool_error", True))

        status, _, listed = self.host.fetch("GET", self.path(session))
        self.assertEqual([one["id"] for one in listed["requests"]], [first, failed])
        status, _, listed = self.host.fetch("GET", self.path(session) + "?state=ERROR&tool=fail")
        self.assertEqual([one["id"] for one in listed["requests"]], [failed])
        status, _, page = self.host.fetch("GET", self.path(session) + "?limit=1")
        self.assertEqual(([one["id"] for one in page["requests"]], page["next"]), ([first], first))
        status, _, page = self.host.fetch("GET", self.path(session) + f"?limit=1&after={first}")
        self.assertEqual(([one["id"] for one in page["requests"]], "next" in page), ([failed], False))

    def verb(self, *words):
        done = run_toolpost(self.place, *words, "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout

    def asked(self):
        return json.loads(self.verb("approvals", "--json"))

    def answer(self, decision):
        self.verb("approvals", decision, wait_until("an approval request", self.asked)[0]["id"])

    def approve_and_end(self, session, request):
        self.until_state(session, request, "PENDING", "approval")
        self.answer("approve")
        return self.end_of(session, request)

    def test_a_yes_runs_the_call_and_a_no_is_an_error_for_the_model(self):
        session = self.session()
        allowed = self.begin(session, "push")
        self.assertEqual(self.approve_and_end(session, allowed)["state"], "COMPLETE")
        denied = self.begin(session, "fail")
        self.until_state(session, denied, "PENDING", "approval")
        self.answer("reject")
        record = self.end_of(session, denied)
        self.assertEqual((record["state"], record["code"]), ("ERROR", "denied"))
        self.assertIn("A person denied", record["result"]["content"][0]["text"])

    def test_bad_input_changes_nothing(self):
        session = self.session()
        for body, pointer in (({"name": "nothing_such"}, "/name"), ({}, "/name"), ({"name": "until", "arguments": []}, "/arguments"),
                              ({"name": "until", "argument": {}}, "/argument"), ({"name": "until", "tool_use_id": 1}, "/tool_use_id"),
                              ({"name": "until", "idempotency_key": ""}, "/idempotency_key"),
                              *(({"name": "until", "idempotency_key": "k", "arguments": self.place.gate() | {"idempotency_key": key}},
                                 "/arguments/idempotency_key") for key in (1, "", "k" * 256, "other"))):
            status, _, said = self.host.fetch("POST", self.path(session), body)
            self.assertEqual((status, said.get("pointer")), (422, pointer), said)
        self.assertEqual(self.host.fetch("GET", self.path(session))[2]["requests"], [])
        self.assertEqual(self.host.fetch("GET", self.path(session) + "?state=DONE")[0], 422)
        self.assertEqual(self.host.fetch("GET", self.path(session, "r_none"))[0], 404)
        self.assertEqual(self.host.fetch("GET", self.path("s_none"))[0], 404)
        request = self.begin(session, "until", self.place.gate())
        self.until_state(session, request, "PROCESSING")
        beat = self.path(session, request, "heartbeat")
        status, _, said = self.host.fetch("POST", beat, {"state": "PROCESSING"})
        self.assertEqual((status, said["type"]), (409, problem("conflict")), "the host runs it")
        key = self.verb("key", "new", "bob").strip()
        wait_until("the key is known", lambda: self.host.fetch("GET", "/v1/sessions", key=key)[0] == 200)
        for method, path in (("GET", self.path(session)), ("GET", self.path(session, request)), ("DELETE", self.path(session, request)),
                             ("POST", beat), ("POST", f"/v1/tools/response/{session}/{request}")):
            body = {"state": "PROCESSING"} if method == "POST" else None
            self.assertEqual(self.host.fetch(method, path, body, key)[0], 404, path)
        self.place.open_gate()
        self.assertEqual(self.end_of(session, request)["state"], "COMPLETE")

    def test_a_cancelled_call_ends_and_so_do_the_calls_of_an_ended_session(self):
        session = self.session()
        request = self.begin(session, "slow", {"ms": 60000})
        self.until_state(session, request, "PROCESSING")
        status, _, record = self.host.fetch("DELETE", self.path(session, request))
        self.assertEqual((status, record["state"], record["code"]), (200, "ERROR", "cancelled"))
        self.assertEqual(self.host.fetch("DELETE", self.path(session, request))[0], 409)
        waits = self.begin(session, "push")
        self.until_state(session, waits, "PENDING", "approval")
        self.host.fetch("DELETE", self.path(session, waits))
        wait_until("its approval request is withdrawn", lambda: not self.asked())
        self.begin(session, "slow", {"ms": 60000})
        self.assertEqual(self.host.fetch("DELETE", f"/v1/sessions/{session}")[0], 204)
        wait_until("no call is left", lambda: len([line for line in self.place.audit_lines() if line["tool"] == "slow"]) == 2)

    def test_the_key_of_a_call_whose_session_has_ended_gives_its_result(self):
        gate = self.place.gate()
        self.place.open_gate()
        results = []
        for number in range(2):
            session = self.session()
            request = self.begin(session, "until", gate, idempotency_key="k1")
            self.until_state(session, request, "COMPLETE")
            results.append(self.read(session, request)["result"])
            self.assertEqual(self.host.fetch("DELETE", f"/v1/sessions/{session}")[0], 204)
        self.assertEqual(results[0]["content"], results[1]["content"])
        self.assertTrue(results[1]["_meta"]["io.toolpost/replayed"])

    def test_a_key_runs_a_call_once_and_more_calls_than_may_run_wait(self):
        session = self.session()
        in_arguments = {"idempotency_key": "k1"}  # as over MCP
        again = [self.begin(session, "until", self.place.gate(), **in_arguments) for _ in range(2)]
        again.append(self.begin(session, "until", self.place.gate() | in_arguments))
        for key, more in (("k1", {}), ('"k1"', in_arguments)):
            again.append(self.with_header(session, key, **more)[1]["id"])
        self.assertEqual(again, again[:1] * 5)
        self.assertEqual(self.read(session, again[0])["arguments"], self.place.gate())
        for body, pointer in (({"arguments": {"file": "/x"}} | in_arguments, "/idempotency_key"),
                              ({"arguments": {"file": "/x"} | in_arguments}, "/arguments/idempotency_key")):
            status, _, said = self.host.fetch("POST", self.path(session), {"name": "until"} | body)
            self.assertEqual((status, said["pointer"]), (422, pointer))
            self.assertIn("with other arguments", said["detail"])
        status, _, said = self.host.fetch("POST", self.path(self.session()),
                                          {"name": "until", "arguments": self.place.gate(), "idempotency_key": "k1"})
        self.assertEqual((status, said["pointer"]), (422, "/idempotency_key"))
        self.assertIn(f"was used in session {session}, for the call {again[0]}", said["detail"])
        self.assertNotIn("other arguments", said["detail"])
        for key, more, status, why in (("k1", {"arguments": {"file": "/x"}}, 422, "with other arguments"),
                                       ("k2", in_arguments, 422, "/idempotency_key: the header Idempotency-Key has another key"),
                                       ('"k', {}, 422, "is not a valid string in quotes"),
                                       ('"a\\b"', {}, 422, "is not a valid string in quotes"),
                                       ("", {}, 422, "must not be empty"), ('""', {}, 422, "must not be empty"),
                                       ("\u00e9", {}, 422, "printable characters of ASCII"),
                                       ("k" * 256, {}, 422, "at most 255 bytes")):
            refused, said = self.with_header(session, key, **more)
            self.assertEqual(refused, status, (key, said))
            self.assertIn(why, said["detail"])
        requests = [self.begin(session, "until", self.place.gate()) for _ in range(11)]
        status, headers, said = self.host.fetch("POST", self.path(session), {"name": "until", "arguments": self.place.gate()})
        self.assertEqual((status, said["type"]), (429, problem("limit-reached")), said)
        self.assertIn("limits.detached_calls_per_principal", said["detail"])
        self.assertTrue(headers["Retry-After"])
        self.place.open_gate()
        ended = {}
        for request in [again[0], *requests]:
            record = self.end_of(session, request)
            self.assertEqual(record["state"], "COMPLETE", request)
            ended[request] = record["updated"]
        self.begin(session, "version")  # the call that ended first made room
        gone = [request for request in ended if self.host.fetch("GET", self.path(session, request))[0] == 404]
        self.assertEqual([ended[request] for request in gone], [min(ended.values())])

    def test_a_list_is_not_read_for_head(self):
        """Its length is not known, because the list is not made. What is wrong with the request is said all the same."""
        session = self.session()
        self.end_of(session, self.begin(session, "version"))
        # Before the wait below, whose requests with a key that is not known yet count as wrong keys.
        self.assertEqual(self.host.fetch("HEAD", "/v1/approvals", key="tpk_wrong")[0], 401)
        made = run_toolpost(self.place, "key", "new", "boss", "--scope", "call", "--scope", "approve", "--scope", "admin", "--json", "--config", self.place.config)
        boss = json.loads(made.stdout)["key"]
        wait_until("the key is known", lambda: self.host.fetch("GET", "/v1/rules", key=boss)[0] == 200)
        owned = ["/v1/approvals", "/v1/sessions", "/v1/files", "/v1/calls", "/v1/audit", "/v1/rules", "/v1/tools", "/v1/plugins",
                 "/v1/skills", "/v1/upstreams", "/v1/mcp/providers", "/v1/tools/external", "/v1/totp/principals"]
        for key, paths in ((None, [self.path(session), f"/v1/sessions/{session}/results"]), (boss, owned)):
            for path in paths:
                with self.subTest(path):
                    status, headers, body = self.host.fetch("GET", path, key=key)
                    self.assertEqual(status, 200, body)
                    self.assertTrue(headers["Content-Length"])
                    status, head, body = self.host.fetch("HEAD", path, key=key)
                    self.assertEqual((status, body, head["Content-Length"]), (200, "", None))
                    self.assertEqual(head["Content-Type"], headers["Content-Type"])
        for path, key, wanted in ((self.path(session) + "?limit=x", None, 422), (self.path("s_unknown"), None, 404),
                                  ("/v1/approvals?limit=x", boss, 422)):
            self.assertEqual(self.host.fetch("HEAD", path, key=key)[0], wanted, path)
        one = self.begin(session, "version")
        self.end_of(session, one)
        self.assertTrue(self.host.fetch("HEAD", self.path(session, one))[1]["Content-Length"], "a single record is read")

    def test_a_killed_host_loses_no_call_and_runs_none_twice(self):
        session = self.session()
        runs = [self.begin(session, "until", self.place.gate()) for _ in range(4)]
        for request in runs:
            self.until_state(session, request, "PROCESSING")
        queued = [self.begin(session, "until", self.place.gate()) for _ in range(3)]
        asked = self.begin(session, "push")
        ended = [self.begin(session, "version")]
        self.restart()
        for request in runs:
            record = self.end_of(session, request)
            self.assertEqual((record["state"], record["code"]), ("ERROR", "interrupted"))
        for request in queued:
            self.until_state(session, request, "PROCESSING")
        self.assertEqual(self.approve_and_end(session, asked)["state"], "COMPLETE")
        self.place.open_gate()
        for request in queued + ended:
            self.assertEqual(self.end_of(session, request)["state"], "COMPLETE")

    def test_a_key_of_call_tool_is_one_of_the_tool_that_it_calls(self):
        self.place.write_config(self.place.config.read_text() + "[groups]\nsearch_above = 3\n")
        self.restart(kill=False)
        session = self.session()
        gate = self.place.gate()
        through = lambda tool, arguments, **key: self.begin(session, "call_tool", {"name": tool, "arguments": arguments}, **key)
        key = {"idempotency_key": "k"}
        version = through("version", {}, **key)
        until = through("until", gate, **key)  # another tool's key is another key
        self.assertEqual(len({version, until}), 2)
        self.assertEqual(through("until", gate, **key), until)
        self.assertEqual(through("until", gate | key), until)
        self.assertEqual(self.begin(session, "until", gate, **key), until)
        self.assertEqual(through("version", None, **key), version)
        direct = self.begin(session, "until", gate, idempotency_key="direct")
        self.assertEqual(through("until", gate, idempotency_key="direct"), direct)
        for arguments, pointer in (({"idempotency_key": "k", "arguments": {"name": "until", "arguments": {"file": "/x"}}}, "/idempotency_key"),
                                   ({"arguments": {"name": "until", "arguments": {"file": "/x"} | key}}, "/arguments/arguments/idempotency_key")):
            status, _, said = self.host.fetch("POST", self.path(session), {"name": "call_tool"} | arguments)
            self.assertEqual((status, said["pointer"]), (422, pointer), said)
            self.assertIn("with other arguments", said["detail"])
        self.place.open_gate()
        for request in (version, until, direct):
            self.assertEqual(self.end_of(session, request)["state"], "COMPLETE")
        again = self.host.call("call_tool", {"name": "until", "arguments": gate | key})["result"]
        self.assertTrue(again["_meta"]["io.toolpost/replayed"])
        # Arguments that are not those of call_tool make a call that fails, as over MCP.
        for arguments in ({}, {"name": 1}, {"name": "call_tool"}, {"name": "no_such"}, {"name": "until", "arguments": []}):
            record = self.end_of(session, self.begin(session, "call_tool", arguments, idempotency_key="other"))
            self.assertEqual(record["state"], "ERROR", record)
        tools = lambda: json.dumps(self.host.fetch("GET", "/v1/tools")[2])
        self.place.drop("conformance")  # other tools, so that there is a call_tool
        wait_until("the other tools are there", lambda: "test_simple_text" in tools())
        (self.place.root / "plugins" / "zoo.so").unlink()
        wait_until("the tool is gone", lambda: '"until"' not in tools())
        self.assertEqual(through("until", gate, **key), until, "its call has run")

    def test_a_killed_host_runs_no_tool_twice_that_was_called_through_call_tool(self):
        """Whoever calls the tool with the same key, by its own name or through call_tool."""
        self.place.write_config(self.place.config.read_text() + "[groups]\nsearch_above = 3\n")
        self.restart(kill=False)
        session = self.session()
        inner = {"name": "until", "arguments": self.place.gate()}
        requests = [self.begin(session, "call_tool", inner, idempotency_key="k1"),
                    self.begin(session, "call_tool", inner | {"arguments": self.place.gate() | {"idempotency_key": "k2"}})]
        for request in requests:
            self.until_state(session, request, "PROCESSING")
        self.restart()
        for request in requests:
            self.assertEqual(self.end_of(session, request)["code"], "interrupted")
        self.place.open_gate()
        for key, request in zip(("k1", "k2"), requests):
            self.assertEqual(self.begin(session, "until", self.place.gate(), idempotency_key=key), request)
            answer = self.host.call("call_tool", inner | {"arguments": self.place.gate() | {"idempotency_key": key}})
            self.assertIn("The host ended while a call with this idempotency key ran", text_of(answer))

    def test_a_call_that_cannot_be_stored_is_not_accepted_and_does_not_run(self):
        session = self.session()
        with contextlib.closing(sqlite3.connect(store_of(self.place), timeout=60)) as database:
            database.execute("CREATE TRIGGER full BEFORE INSERT ON call_record BEGIN SELECT RAISE(ABORT, 'full'); END")
            for tool in ("push", "version"):
                status, headers, said = self.host.fetch("POST", self.path(session), {"name": tool})
                self.assertEqual((status, said["type"]), (503, problem("unavailable")), said)
                self.assertTrue(headers["Retry-After"])
            self.assertEqual(self.host.fetch("GET", self.path(session))[2]["requests"], [])
            self.assertEqual(self.asked(), [], "nobody was asked")
            database.execute("DROP TRIGGER full")
        accepted = self.begin(session, "version")
        self.assertEqual(self.end_of(session, accepted)["state"], "COMPLETE")
        self.assertEqual([line["call"] for line in self.place.audit_lines() if line["outcome"] == "ok"], [accepted])

    def test_a_change_that_cannot_be_stored_does_not_refuse_an_accepted_call(self):
        session = self.session()
        with contextlib.closing(sqlite3.connect(store_of(self.place), timeout=60)) as database:
            database.execute("CREATE TRIGGER full BEFORE UPDATE ON call_record BEGIN SELECT RAISE(ABORT, 'full'); END")
            asked = self.begin(session, "push")  # 202
            wait_until("a person is asked", self.asked)
            database.execute("DROP TRIGGER full")
        self.assertEqual(self.approve_and_end(session, asked)["state"], "COMPLETE")

    def test_a_client_that_is_gone_costs_no_call_and_anybody_of_its_principal_reads_it(self):
        session = self.session()
        body = json.dumps({"name": "until", "arguments": self.place.gate()}).encode()
        client = socket.create_connection(("127.0.0.1", self.host.port))
        client.sendall(f"POST {self.path(session)} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                       f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        client.close()  # before any answer
        [request] = wait_until("it is stored", lambda: self.host.fetch("GET", self.path(session))[2]["requests"])
        self.until_state(session, request["id"], "PROCESSING")
        self.place.open_gate()
        elsewhere = http.client.HTTPConnection("127.0.0.1", self.host.port, timeout=30, source_address=("127.0.0.2", 0))
        elsewhere.request("GET", self.path(session, request["id"]) + "?wait=30")
        record = json.loads(elsewhere.getresponse().read())
        elsewhere.close()
        self.assertEqual((record["state"], record["result"]["isError"]), ("COMPLETE", False))

    def test_who_waits_for_the_end_gets_nothing_once_its_key_is_revoked(self):
        self.verb("key", "new", "eve")  # without any key, the host looks at none
        made = json.loads(self.verb("key", "new", "bob", "--json"))
        key = made["key"]
        wait_until("the key is known", lambda: self.host.fetch("GET", "/v1/sessions", key=key)[0] == 200)
        session = self.session(key)
        status, _, record = self.host.fetch("POST", self.path(session), {"name": "until", "arguments": self.place.gate()}, key)
        self.assertEqual(status, 202, record)
        waiting = self.host.connect()
        waiting.request("GET", self.path(session, record["id"]) + "?wait=60", headers={"Authorization": f"Bearer {key}"})
        self.assertEqual(self.host.fetch("GET", "/v1/sessions", key=key)[0], 200)  # after that request
        self.verb("key", "revoke", made["id"])
        wait_until("the host knows", lambda: self.host.fetch("GET", "/v1/sessions", key=key)[0] != 200)
        self.place.open_gate()
        answer = waiting.getresponse()
        self.assertEqual(answer.status, 401, answer.read())
        waiting.close()

    def test_a_stopped_host_leaves_what_has_not_begun_to_the_next(self):
        session = self.session()
        asked = self.begin(session, "push")
        self.until_state(session, asked, "PENDING", "approval")
        self.restart(kill=False)
        self.assertEqual(self.read(session, asked)["state"], "PENDING")
        self.assertEqual(self.approve_and_end(session, asked)["state"], "COMPLETE")

    def test_a_running_call_survives_a_reload_of_its_plugin(self):
        session = self.session()
        request = self.begin(session, "until", self.place.gate())
        self.until_state(session, request, "PROCESSING")
        data = bytearray(plugin_file("zoo/zoo_one").read_bytes())
        changed = self.place.root / "changed.so"
        changed.write_bytes(data + b"\0")
        self.place.drop("zoo", changed)
        wait_until("the new build serves", lambda: sum("serves" in line for line in self.host.errors) == 2)
        self.place.open_gate()
        self.assertEqual(self.end_of(session, request)["state"], "COMPLETE")
