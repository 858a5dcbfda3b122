"""A tool that needs its session's state gets it with the call, and is refused in words where there is no session."""
from harness import LEGACY, TestCase, last_message, message, plugin_file, text_of, wait_until

import json

CONFIG = """
[permission]
mode = "accept_edits"
[[group]]
name = "billing"
description = "Invoices."
active = true
[[group]]
name = "time"
description = "Clocks."
active = true
[[group]]
name = "off"
description = "Nothing."
"""


class SessionState(TestCase):
    def setUp(self):
        self.place = self.workspace("mindful", config=CONFIG)
        self.host = self.http_host(self.place)

    def create(self, **members):
        status, _, made = self.host.fetch("POST", "/v1/sessions", {"customizations": {}} | members)
        self.assertEqual(status, 201, made)
        return made["id"]

    def recall(self, session):
        return self.call(session, "recall")["structuredContent"]

    def edit(self, session, key, value, **more):
        return self.call(session, "edit", key=key, value=value, **more)["structuredContent"]

    def call(self, session, tool, **arguments):
        body, fields = message("tools/call", {"name": tool, "arguments": arguments}, "modern", 1, None)
        fields = {"Accept": "application/json, text/event-stream"} | fields
        fields["Content-Type"] = "application/json"
        connection = self.host.connect()
        connection.request("POST", f"/mcp/s/{session}", json.dumps(body), fields)
        answer = last_message(connection.getresponse().read().decode())
        connection.close()
        return answer["result"]

    def test_the_call_gets_the_session_as_it_is_now_and_a_storage_of_its_own(self):
        one, other = self.create(), self.create(groups=["time"], mode="explore")
        self.assertEqual(self.recall(one), {"calls": 1, "session": {
            "version": 1, "mode": "accept_edits", "groups": ["billing", "time"], "working_dirs": [],
            "todos": [], "kv": [], "kv_more": False}})
        again = self.recall(one)
        self.assertEqual((again["calls"], again["session"]["kv"][0]["key"], again["session"]["kv"][0]["value"]), (2, "calls", "1"))
        told = self.recall(other)
        self.assertEqual((told["calls"], told["session"]["mode"], told["session"]["groups"]), (1, "explore", ["time"]))
        status, _, changed = self.host.fetch("PATCH", f"/v1/sessions/{one}", {"groups": [], "version": 1})
        self.assertEqual(status, 200, changed)
        told = self.recall(one)
        self.assertEqual((told["session"]["version"], told["session"]["groups"]), (2, []))

    def test_what_a_plugin_keeps_comes_with_the_state_and_is_written_back_by_compare_and_swap(self):
        one, other = self.create(), self.create()
        self.assertEqual(self.edit(one, "cart", "apples"), {"was": "", "written": True})
        self.assertEqual(self.edit(one, "cart", "pears"), {"was": "apples", "written": True})
        self.assertEqual(self.edit(one, "cart", "plums", before="figs"), {"was": "pears", "written": False},
                         "another call has written since")
        self.assertEqual(self.edit(one, "cart", "plums"), {"was": "figs", "written": True})
        self.assertEqual(self.edit(one, "new", "1", before="0"), {"was": "", "written": False}, "it was absent")
        self.assertEqual(self.recall(other)["session"]["kv"], [], "each session has its own")

    def test_no_other_plugin_gets_what_a_plugin_keeps(self):
        self.place.drop("nosy", plugin_file("nosy"))
        session = self.create()
        def followed():
            return self.call(session, "edit", key="cart", value="apples").get("_meta", {}).get("io.toolpost/post")
        [report] = wait_until("a tool of the other plugin follows", followed)
        self.assertEqual((report["tool"], report["content"][0]["text"]), ("post_edit", "nothing"))

    def test_a_large_storage_comes_in_part(self):
        one = self.create()
        for key in "abc":
            self.edit(one, key, 30_000 * key)
        state = self.recall(one)["session"]
        self.assertEqual(([entry["key"] for entry in state["kv"]], state["kv_more"]), (["a", "b"], True))

    def test_over_rest_and_in_sessions_of_mcp_clients_it_is_the_same(self):
        session = self.create()
        self.edit(session, "cart", "apples")
        path = f"/v1/tools/request/{session}"
        made = self.host.fetch("POST", path, {"name": "edit", "arguments": {"key": "cart", "value": "pears"}})[2]
        ended = self.host.fetch("GET", f"{path}/{made['id']}?wait=30")[2]
        self.assertEqual(ended["result"]["structuredContent"], {"was": "apples", "written": True})
        body = {"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": {
            "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}
        status, headers, text = self.host.post(body)
        self.assertEqual(status, 200, text)
        own = {"Mcp-Session-Id": headers["mcp-session-id"], "Accept": "application/json, text/event-stream"}
        body = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "recall", "arguments": {}}}
        status, _, text = self.host.post(body, own)
        state = last_message(text)["result"]["structuredContent"]["session"]
        self.assertEqual((status, state["kv"], state["mode"]), (200, [], "accept_edits"))

    def test_what_the_client_sends_under_that_name_is_not_the_state(self):
        forged = {"version": 9, "mode": "bypass", "groups": ["off"], "working_dirs": ["/"]}
        for name, value in (("toolpost.session", forged), ("principal", "root"), ("agent", 1), ("traceparent", True)):
            status, _, fault = self.host.fetch("POST", "/v1/sessions", {"customizations": {}, "context": {"entries": {name: value}}})
            self.assertEqual(status, 422, fault)
            self.assertIn("reserved for", fault["detail"])

    def test_an_entry_of_the_context_is_a_parameter_by_its_type(self):
        known = self.create(context={"entries": {"org.example.User": {"id": "anna"}}})
        wrong = self.create(context={"entries": {"org.example.User": {"name": 7}}})
        for tool in ("who", "who_later"):
            self.assertEqual(text_of({"result": self.call(known, tool)}), "anna")
            self.assertEqual(text_of(self.host.call(tool)), "nobody")
            self.assertTrue(self.call(wrong, tool)["isError"])
        listed = self.host.request("tools/list")["result"]["tools"]
        self.assertEqual([tool["inputSchema"].get("properties") for tool in listed if tool["name"] == "who"], [{}])

    def test_an_interceptor_can_set_an_entry_for_one_call(self):
        self.host.stop()
        self.place.drop("meddler")
        self.place.write_config(self.place.config.read_text() + '[[interceptor]]\nplugin = "meddler"\ntools = ["who", "who_later"]\n')
        self.host = self.http_host(self.place)
        known = self.create(context={"entries": {"org.example.User": {"id": "anna"}}})
        told = lambda tool: self.call(known, tool)["content"][-1]["text"]
        # Over the session's, and the session keeps its own.
        self.assertEqual([told(tool) for tool in ("who", "who_later", "who")], ["anna", "meddler's", "anna"])
        self.assertEqual(text_of(self.host.call("who")).splitlines()[-1], "nobody")

    def sent_by(self, session, tool):
        """Everything that the host sends for a call whose client wants progress."""
        body, fields = message("tools/call", {"name": tool, "arguments": {}, "_meta": {"progressToken": "p"}}, "modern", 1, None)
        fields = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"} | fields
        connection = self.host.connect()
        connection.request("POST", f"/mcp/s/{session}", json.dumps(body), fields)
        sent = [json.loads(line.removeprefix("data:")) for line in connection.getresponse().read().decode().splitlines()
                if line.startswith("data:") and line.removeprefix("data:").strip()]
        connection.close()
        return sent

    def test_partial_results_reach_who_listens_and_are_no_part_of_the_result(self):
        session = self.create()
        # Of more than can be sent, the last is what was told last, and the tool's figures stay.
        flood = [one["params"] for one in self.sent_by(session, "flood") if one.get("method") == "notifications/progress"]
        self.assertEqual(flood[-1]["message"], "rest 40")
        self.assertEqual({one["total"] for one in flood if "total" in one}, {80})
        self.assertEqual([one["progress"] for one in flood if one["message"] == "report 1"], [1])
        self.assertAlmostEqual(flood[-1]["progress"], 40, 6)
        sent = self.sent_by(session, "emit")
        told = [one["params"]["message"] for one in sent if one.get("method") == "notifications/progress"]
        self.assertEqual((told[0], json.loads(told[1])), ("half", {"id": "three quarters"}))
        self.assertEqual(sent[-1]["result"]["content"], [{"type": "text", "text": "whole"}])
        # Nobody listens.
        self.assertEqual(self.call(session, "emit")["content"], [{"type": "text", "text": "whole"}])
        # A detached call: the stream of its session.
        connection = self.host.connect()
        connection.request("GET", f"/v1/sessions/{session}/events")
        events = connection.getresponse()
        self.assertEqual(events.status, 200)
        self.host.fetch("POST", f"/v1/tools/request/{session}", {"name": "emit", "arguments": {}})
        heard = []
        while not heard or "tool_result" not in heard[-1]:
            line = events.readline().decode()
            self.assertNotEqual(line, "", heard)
            if line.startswith("data: {"):
                heard.append(json.loads(line.removeprefix("data: ")))
        events.close()
        connection.close()
        self.assertIn("half", [one.get("message") for one in heard if one.get("type") == "progress"])

    def test_without_a_session_the_call_is_refused_in_words(self):
        answer = self.host.call("recall")
        self.assertTrue(answer["result"]["isError"])
        self.assertIn("POST /v1/sessions", text_of(answer))
        self.assertEqual(self.place.audit_lines()[-1]["outcome"], "no_session")
