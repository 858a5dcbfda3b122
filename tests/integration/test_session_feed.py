"""The events and results of a session: what a harness reads to go on after a crash, of its own or of the host."""
import json

from harness import MODERN, TestCase, last_message, run_toolpost

TASKS = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities":
         {"extensions": {"io.modelcontextprotocol/tasks": {}}}}


class Stream:
    """One open event stream: its events one after the other, each with its id."""

    def __init__(self, host, path, key, last=None):
        self.connection = host.connect()
        fields = {"Authorization": f"Bearer {key}"} | ({"Last-Event-ID": str(last)} if last is not None else {})
        self.connection.request("GET", path, headers=fields)
        self.answer = self.connection.getresponse()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.answer.close()
        self.connection.close()

    def next(self):
        """(id, event); None at the stream's end."""
        number, data = None, []
        for line in self.answer:
            line = line.decode().rstrip("\n")
            if line.startswith("id: "):
                number = line[4:]
            elif line.startswith("data: ") and line != "data: ":
                data.append(line[6:])
            elif not line and data:
                return number, json.loads("\n".join(data))
        return None

    def until(self, found):
        """All events up to the first one for which found(event) is true."""
        seen = []
        while True:
            number, event = self.next()
            seen.append((number, event))
            if found(event):
                return seen


class SessionFeed(TestCase):
    def setUp(self):
        self.place = self.workspace("hello", "conformance", config='[permission]\nmode = "bypass"')
        self.ada = self.key("ada")
        self.bob = self.key("bob")
        self.host = self.http_host(self.place)
        status, _, made = self.host.fetch("POST", "/v1/sessions", {}, self.ada["key"])
        self.assertEqual(status, 201, made)
        self.path = "/v1/sessions/" + made["id"]
        self.endpoint = "/mcp/s/" + made["id"]

    def key(self, *words):
        done = run_toolpost(self.place, "key", "new", *words, "--json", "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        return json.loads(done.stdout)

    def call(self, tool, arguments, meta=TASKS):
        connection = self.host.connect()
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": tool, "arguments": arguments, "_meta": meta}}
        connection.request("POST", self.endpoint, json.dumps(body), {
            "Authorization": f"Bearer {self.ada['key']}", "Content-Type": "application/json", "MCP-Protocol-Version": MODERN,
            "Mcp-Method": "tools/call", "Mcp-Name": tool, "Accept": "application/json, text/event-stream"})
        answer = last_message(connection.getresponse().read().decode())
        connection.close()
        return answer["result"]

    def stream(self, last=None, key=None):
        return Stream(self.host, self.path + "/events", (key or self.ada)["key"], last)

    def results(self, query="", key=None, status=200):
        code, _, answer = self.host.fetch("GET", self.path + "/results" + query, key=(key or self.ada)["key"])
        self.assertEqual(code, status, answer)
        return answer

    def run_to_the_end(self):
        """A recorded call; its events."""
        made = self.call("slow_compute", {"seconds": 0})
        with self.stream() as events:
            return made["taskId"], events.until(lambda e: e.get("request") == made["taskId"] and "tool_result" in e)

    def test_a_stream_goes_on_after_its_last_event_and_each_result_comes_once(self):
        first, seen = self.run_to_the_end()
        self.assertEqual([event["state"] for _, event in seen], ["PROCESSING", "COMPLETE"])
        self.assertEqual([number for number, _ in seen], ["1", "2"])
        block = seen[-1][1]["tool_result"]
        self.assertEqual((block["type"], block["tool_use_id"], block["is_error"]), ("tool_result", first, False))
        second, _ = self.run_to_the_end()
        with self.stream(last=2) as events:
            self.assertEqual([(n, e["request"]) for n, e in events.until(lambda e: "tool_result" in e)],
                             [("3", second), ("4", second)])
        page = self.results("?limit=1")
        self.assertEqual([(r["request"], r["seq"], r["tool_result"]) for r in page["results"]], [(first, 2, block)])
        self.assertTrue(page["more"])
        rest = self.results(f"?after={page['next']}")
        self.assertEqual(([r["request"] for r in rest["results"]], rest["more"]), ([second], False))
        self.assertEqual(self.results(f"?after={rest['next']}"), {"results": [], "next": rest["next"], "more": False})
        # They are the same for the next host.
        self.host.child.kill()
        self.host.wait()
        self.host = self.http_host(self.place)
        self.assertEqual([r["request"] for r in self.results()["results"]], [first, second])
        with self.stream(last=3) as events:
            self.assertEqual(events.next()[0], "4")

    def test_progress_and_log_lines_are_sent_while_the_call_runs(self):
        plain = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
        with self.stream() as events:
            self.call("test_tool_with_progress", {}, plain)
            self.call("test_tool_with_logging", {}, plain)
            heard = [event for _, event in events.until(lambda e: e.get("message") == "Tool execution completed")]
        steps = [(e["progress"], e["total"], e["name"]) for e in heard if e["type"] == "progress"]
        self.assertEqual(steps, [(done, 100, "test_tool_with_progress") for done in (0, 50, 100)])
        self.assertEqual([(e["level"], e["message"]) for e in heard if e["type"] == "log"],
                         [("info", f"Tool {words}") for words in ("execution started", "processing data", "execution completed")])

    def test_a_stream_ends_with_its_session(self):
        with self.stream() as events:
            self.assertEqual(self.host.fetch("DELETE", self.path, key=self.ada["key"])[0], 204)
            self.assertEqual(events.next()[1], {"type": "session_ended"})
            self.assertIsNone(events.next())
        self.assertEqual(self.host.fetch("GET", self.path + "/events", key=self.ada["key"])[0], 404)

    def test_a_head_request_takes_no_stream(self):
        for _ in range(40):
            status, headers, _ = self.host.fetch("HEAD", self.path + "/events", key=self.ada["key"])
            self.assertEqual((status, headers["Content-Type"]), (200, "text/event-stream"))
        with self.stream() as events:
            self.assertEqual(events.answer.status, 200)

    def test_a_stream_ends_with_its_key(self):
        with self.stream() as events:
            done = run_toolpost(self.place, "key", "revoke", self.ada["id"], "--config", self.place.config)
            self.assertEqual(done.returncode, 0, done)
            self.assertIsNone(events.next())

    def run_verb(self, *words, exit_code=0):
        done = run_toolpost(self.place, "calls", *words, "--config", self.place.config)
        self.assertEqual(done.returncode, exit_code, done)
        return done.stdout if exit_code == 0 else done.stderr

    def test_an_operator_lists_and_cancels_calls(self):
        ended, _ = self.run_to_the_end()
        runs = self.call("slow_compute", {"seconds": 30})["taskId"]
        listed = json.loads(self.run_verb("list", "--json"))
        self.assertEqual([(one["id"], one["state"], one["principal"]) for one in listed],
                         [(runs, "PROCESSING", "ada"), (ended, "COMPLETE", "ada")])
        self.assertNotIn("arguments", listed[0])
        only = json.loads(self.run_verb("list", "--json", "--state", "COMPLETE", "--session", self.path.rpartition("/")[2]))
        self.assertEqual([one["id"] for one in only], [ended])
        self.assertEqual(json.loads(self.run_verb("list", "--json", "--session", "s_nothing")), [])
        self.assertIn(runs, self.run_verb("list"))
        shown = self.run_verb("show", runs)
        for words in ("slow_compute", "PROCESSING", "the host"):
            self.assertIn(words, shown)
        with self.stream(last=3) as events:
            self.assertIn("is cancelled", self.run_verb("cancel", runs))
            [(_, event)] = events.until(lambda e: e["state"] == "ERROR")
        self.assertEqual((event["code"], event["tool_result"]["is_error"]), ("cancelled", True))
        self.assertEqual(self.place.audit_lines("cancel")[-1]["call"], runs)
        self.assertIn("has ended", self.run_verb("cancel", runs, exit_code=1))
        for verb in ("show", "cancel"):
            self.assertIn("there is no call", self.run_verb(verb, "r_nothing", exit_code=4))
        self.host.stop()
        self.assertEqual(len(json.loads(self.run_verb("list", "--json"))), 2)

    def test_others_and_wrong_requests_get_what_they_get_elsewhere(self):
        for route in ("/events", "/results"):
            for path in (self.path, "/v1/sessions/s_nothing"):
                self.assertEqual(self.host.fetch("GET", path + route, key=self.bob["key"])[0], 404)
            self.assertEqual(self.host.fetch("GET", self.path + route)[0], 404)  # as the principal of this machine
            status, _, answer = self.host.fetch("GET", self.path + route + "?after=x", key=self.ada["key"])
            self.assertEqual(status, 422, answer)
        for query in ("?limit=0", "?limit=1001", "?wait=1"):
            self.results(query, status=422)
        with self.stream(last="1x") as refused:
            self.assertEqual(refused.answer.status, 422)
