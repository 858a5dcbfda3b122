"""MCP endpoints of one session, in both eras, and the session behind an older client."""
import json
import threading
import time

from harness import LEGACY, TestCase, last_message, message, run_toolpost, text_of, wait_until

CONFIG = """
[approval]
wait_s = 0.2
[permission]
mode = "bypass"
[agent.coder]
[agent.open]
needs_key = false
plugins = ["hello", "clock"]
[[group]]
name = "time"
description = "Clocks."
active = true
tools = ["get_current_time"]
"""


class SessionEndpoints(TestCase):
    def setUp(self):
        self.place = self.workspace("hello", "clock", "services", config=CONFIG)
        self.ada = self.key("ada")
        self.bob = self.key("bob")
        self.coder = self.key("ada", "--agent", "coder")
        self.host = self.http_host(self.place)

    def key(self, *words):
        done = run_toolpost(self.place, "key", "new", *words, "--json", "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        return json.loads(done.stdout)["key"]

    def create(self, key=None, providers=None, **members):
        extensions = {"mcpProviders": providers} if providers is not None else {}
        given = {"customizations": {"extensions": extensions}} | members
        status, _, made = self.host.fetch("POST", "/v1/sessions", given, key or self.ada)
        self.assertEqual(status, 201, made)
        return made["id"]

    def mcp(self, path, method, params=None, key=None, era="modern", headers=None):
        """(status, headers, answer)"""
        body, fields = message(method, params, era, 1, headers)
        fields = {"Accept": "application/json, text/event-stream"} | fields
        fields |= {"Content-Type": "application/json", "Authorization": f"Bearer {key or self.ada}"}
        connection = self.host.connect()
        connection.request("POST", path, json.dumps(body), fields)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, answer.headers, last_message(text) if text.strip() else None

    def tools(self, path, **options):
        status, _, answer = self.mcp(path, "tools/list", **options)
        self.assertEqual(status, 200, answer)
        return {tool["name"] for tool in answer["result"]["tools"]}

    def initialize(self, path, key=None):
        """The fields of what follows in this client's context."""
        params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        status, headers, answer = self.mcp(path, "initialize", params, key, era="bare")
        self.assertEqual(status, 200, answer)
        return {"Mcp-Session-Id": headers["Mcp-Session-Id"], "MCP-Protocol-Version": LEGACY}

    def test_a_session_narrows_what_both_eras_see_and_call(self):
        path = "/mcp/s/" + self.create(providers=["hello"])
        everything = self.tools("/mcp")
        self.assertTrue({"greet", "get_current_time"} <= everything)
        self.assertIn("greet", self.tools(path))
        self.assertNotIn("get_current_time", self.tools(path))
        older = self.initialize(path)
        self.assertEqual(self.tools(path, era="bare", headers=older), self.tools(path))
        for era, headers in (("modern", None), ("bare", older)):
            _, _, hidden = self.mcp(path, "tools/call", {"name": "get_current_time", "arguments": {}}, era=era, headers=headers)
            _, _, unknown = self.mcp(path, "tools/call", {"name": "nowhere", "arguments": {}}, era=era, headers=headers)
            self.assertEqual(hidden["error"]["message"].replace("get_current_time", "nowhere"), unknown["error"]["message"])
            _, _, seen = self.mcp(path, "tools/call", {"name": "greet", "arguments": {"name": "Ada"}}, era=era,
                                  headers=headers)
            self.assertIn("Ada", text_of(seen))
        self.assertEqual(self.tools("/mcp"), everything)

    def test_a_session_may_be_stricter_than_its_agent(self):
        path = "/mcp/s/" + self.create(mode="explore", groups=[])
        self.assertNotIn("get_current_time", self.tools(path))
        _, _, denied = self.mcp(path, "tools/call", {"name": "writes", "arguments": {}})
        self.assertTrue(denied.get("result", {}).get("isError"), denied)
        self.assertIn("explore", text_of(denied))
        _, _, allowed = self.mcp("/mcp", "tools/call", {"name": "writes", "arguments": {}})
        self.assertFalse(allowed["result"].get("isError"), allowed)

    def test_the_session_id_of_a_call_is_the_hosts_word(self):
        session = self.create()
        path = "/mcp/s/" + session
        for given, fine in ((session, True), ("s_other", False)):
            arguments = {"name": "Ada", "sessionId": given}
            _, _, answer = self.mcp(path, "tools/call", {"name": "greet", "arguments": arguments})
            self.assertEqual(not answer["result"].get("isError"), fine, answer)
        self.assertIn("/sessionId: must be", text_of(answer))

    def test_only_its_principal_as_its_agent_finds_it(self):
        mine, coders = self.create(), self.create(key=self.coder)
        status, _, nothing = self.mcp("/mcp/s/s_nothing", "tools/list")
        self.assertEqual(status, 404)
        for path, key in ((f"/mcp/s/{mine}", self.bob), (f"/open/mcp/s/{mine}", self.ada),
                          (f"/mcp/s/{mine}", self.coder)):
            for era in ("modern", "bare"):
                status, _, answer = self.mcp(path, "tools/list", key=key, era=era)
                self.assertEqual((status, answer["error"]), (404, nothing["error"]), path)
        self.assertEqual(self.mcp(f"/coder/mcp/s/{coders}", "tools/list", key=self.coder)[0], 200)
        self.assertEqual(self.mcp(f"/mcp/s/{coders}", "tools/list", key=self.coder)[0], 200)
        self.assertIn(self.mcp(f"/mcp/s/{coders}", "tools/list")[0], (403, 404))  # it needs the agent's key

    def test_a_client_of_older_versions_has_a_session_of_its_own(self):
        fields = self.initialize("/mcp")
        path = "/v1/sessions/" + fields["Mcp-Session-Id"]
        status, _, shown = self.host.fetch("GET", path, key=self.ada)
        self.assertEqual((status, shown["made_by"], shown["version"]), (200, "mcp", 1), shown)
        self.assertNotIn("expires", shown)
        self.assertEqual(self.host.fetch("GET", path, key=self.bob)[0], 404)
        extensions = {"extensions": {"mcpProviders": ["clock"]}}
        status, _, changed = self.host.fetch("PATCH", path, {"version": 1, "customizations": extensions}, self.ada)
        self.assertEqual(status, 200, changed)
        self.assertNotIn("greet", self.tools("/mcp", era="bare", headers=fields))
        self.host.child.kill()
        self.host.wait()
        self.host = self.http_host(self.place, port=self.host.port)
        self.assertNotIn("greet", self.tools("/mcp", era="bare", headers=fields))
        self.assertEqual(self.host.fetch("GET", path, key=self.ada)[2]["version"], 2)
        self.assertEqual(self.host.fetch("DELETE", path, key=self.ada)[0], 204)
        self.assertEqual(self.mcp("/mcp", "tools/list", era="bare", headers=fields)[0], 404)

    def test_a_session_of_a_client_that_is_used_over_rest_is_not_idle(self):
        self.host.stop()
        self.place.config.write_text(self.place.config.read_text() + "[limits]\nsession_idle_s = 1\n")
        self.host = self.http_host(self.place)

        def is_there_after_uses():
            longest, began = 0, time.monotonic()
            before = began
            path = "/v1/sessions/" + self.initialize("/mcp")["Mcp-Session-Id"]
            while before - began < 1.2:
                begins = time.monotonic()
                status, _, shown = self.host.fetch("GET", path, key=self.ada)
                longest, before = max(longest, time.monotonic() - before), begins
                self.assertTrue(status == 200 or longest > 1, shown)
            self.initialize("/mcp")  # ends what is idle
            status, _, shown = self.host.fetch("GET", path, key=self.ada)
            longest = max(longest, time.monotonic() - before)
            self.assertTrue(status == 200 or longest > 1, shown)
            return longest < 1  # or this machine was too busy to use it in time

        wait_until("it is used in time", is_there_after_uses)

    def test_the_end_of_a_session_ends_its_clients_and_a_clients_end_not_the_session(self):
        session = self.create()
        path = "/mcp/s/" + session
        first, second = self.initialize(path), self.initialize(path)
        connection = self.host.connect()
        connection.request("DELETE", path, headers=first | {"Authorization": f"Bearer {self.ada}"})
        self.assertEqual(connection.getresponse().status, 200)
        connection.close()
        self.assertEqual(self.host.fetch("GET", "/v1/sessions/" + session, key=self.ada)[0], 200)
        self.assertEqual(self.mcp(path, "tools/list", era="bare", headers=first)[0], 404)
        # Another endpoint does not know the client.
        self.assertEqual(self.mcp("/mcp", "tools/list", era="bare", headers=second)[0], 404)
        self.assertEqual(self.mcp(path, "tools/list", era="bare", headers=second)[0], 200)
        self.assertEqual(self.host.fetch("DELETE", "/v1/sessions/" + session, key=self.ada)[0], 204)
        self.assertEqual(self.mcp(path, "tools/list", era="bare", headers=second)[0], 404)

    def test_the_end_of_a_key_ends_clients_of_clients_sessions(self):
        first = self.initialize("/mcp")
        second = self.initialize("/mcp/s/" + first["Mcp-Session-Id"])
        keys = json.loads(run_toolpost(self.place, "key", "list", "--json", "--config", self.place.config).stdout)
        (one,) = [key["id"] for key in keys if key["principal"] == "ada" and not key.get("agent")]
        done = run_toolpost(self.place, "key", "revoke", one, "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        wait_until("the key is not valid", lambda: self.mcp("/mcp", "tools/list")[0] == 401)
        self.ada = self.key("ada")
        wait_until("the new key is valid", lambda: self.mcp("/mcp", "tools/list")[0] == 200)
        for path, fields in (("/mcp", first), ("/mcp/s/" + first["Mcp-Session-Id"], second)):
            self.assertEqual(self.mcp(path, "tools/list", era="bare", headers=fields)[0], 404, path)

    def test_a_change_tells_the_clients_of_the_session_to_read_again(self):
        session = self.create()
        path = "/mcp/s/" + session
        fields = self.initialize(path)
        stream = self.host.connect()
        stream.request("GET", path, headers=fields | {"Accept": "text/event-stream",
                                                      "Authorization": f"Bearer {self.ada}"})
        answer = stream.getresponse()
        self.assertEqual(answer.status, 200)
        told = threading.Event()

        def listen():
            for line in answer:
                if b"notifications/tools/list_changed" in line:
                    told.set()
                    return

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        changed = {"version": 1, "customizations": {"extensions": {"mcpProviders": ["hello"]}}}
        self.assertEqual(self.host.fetch("PATCH", "/v1/sessions/" + session, changed, self.ada)[0], 200)
        self.assertTrue(told.wait(30))
        stream.close()
