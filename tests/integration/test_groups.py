"""Groups of tools that a session switches by reset_tools: each session has its own, and a caller without one has none."""
import json
import sys

from harness import LEGACY, SOURCE, TestCase, last_message, message, run_toolpost, text_of, wait_until

CONFIG = """
[[group]]
name = "time"
description = "Clocks of the world."
instructions = "Zones are IANA names."
tools = ["get_current_time"]
[[group]]
name = "talk"
description = "Greetings."
active = true
tools = ["greet"]
[agent.quiet]
needs_key = false
groups = ["talk"]
[agent.open]
needs_key = false
"""

# The host's own tools, for callers with a session.
OWN = {"ask_user", "reset_tools", "todo_write"}


class Groups(TestCase):
    def setUp(self):
        self.place = self.workspace("hello", "clock", config=CONFIG)
        self.host = self.http_host(self.place)

    def create(self, agent=None):
        made = {"customizations": {"agentId": agent} if agent else {}}
        status, _, made = self.host.fetch("POST", "/v1/sessions", made)
        self.assertEqual(status, 201, made)
        return (f"/{agent}" if agent else "") + "/mcp/s/" + made["id"]

    def ask(self, path, method, params=None):
        body, fields = message(method, params or {}, "modern", 1, None)
        fields = {"Accept": "application/json, text/event-stream"} | fields
        fields["Content-Type"] = "application/json"
        connection = self.host.connect()
        connection.request("POST", path, json.dumps(body), fields)
        answer = last_message(connection.getresponse().read().decode())
        connection.close()
        return answer

    def tools(self, path):
        return {tool["name"]: tool for tool in self.ask(path, "tools/list")["result"]["tools"]}

    def call(self, path, tool, arguments=None):
        return self.ask(path, "tools/call", {"name": tool, "arguments": arguments or {}})

    def reset(self, path, **groups):
        return text_of(self.call(path, "reset_tools", groups))

    def test_each_session_has_its_own_groups(self):  # cases 41 and 42
        one, other = self.create(), self.create()
        self.assertEqual(set(self.tools(one)), {"echo", "greet"} | OWN)
        told = self.tools(one)["reset_tools"]["inputSchema"]
        self.assertEqual(told["properties"]["time"], {"type": "boolean", "default": False, "description": "Clocks of the world."})
        self.assertEqual(list(told["properties"]), ["time", "talk"])
        self.assertNotIn("required", told)

        answer = self.call(one, "get_current_time")
        self.assertTrue(answer["result"]["isError"])
        self.assertIn('group "time", which is not active', text_of(answer))
        self.assertIn("reset_tools", text_of(answer))

        self.assertEqual(self.reset(one, time=True),
                         "The currently activated tool group(s): time.\n<tool-instructions>\n"
                         "About the groups that were activated now:\n"
                         '<group name="time">Clocks of the world.\nZones are IANA names.</group>\n</tool-instructions>')
        self.assertEqual(set(self.tools(one)), {"echo", "get_current_time"} | OWN)
        self.assertEqual(set(self.tools(other)), {"echo", "greet"} | OWN)
        self.assertNotIn("isError", self.call(one, "get_current_time")["result"])

        # What was active before is not told again; the order is the configuration's.
        self.assertIn("activated tool group(s): time, talk.", self.reset(one, talk=True, time=True))
        self.assertEqual(self.reset(one), "All tool groups are currently deactivated.")
        self.assertEqual(set(self.tools(one)), {"echo"} | OWN)

    def test_bad_arguments_change_nothing(self):
        path = self.create()
        answer = self.call(path, "reset_tools", {"time": True, "tim": True})
        self.assertTrue(answer["result"]["isError"])
        self.assertIn("The groups are: time, talk.", text_of(answer))
        answer = self.call(path, "reset_tools", {"time": "yes"})
        self.assertTrue(answer["result"]["isError"])
        self.assertIn("/time", text_of(answer))
        self.assertEqual(set(self.tools(path)), {"echo", "greet"} | OWN)

    def test_without_a_session_there_is_no_reset_tools_and_inactive_tools_are_unknown(self):
        self.assertEqual(set(self.tools("/mcp")), {"ask_user", "echo", "greet"})
        for tool in ("reset_tools", "get_current_time"):
            self.assertIn("error", self.call("/mcp", tool), tool)
        done = run_toolpost(self.place, "explain", "get_current_time", "--config", self.place.config)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('is in the tool group "time", which is not active', done.stderr)

    def test_an_agent_with_groups_switches_only_these(self):
        quiet, free = self.create("quiet"), self.create("open")
        self.assertEqual(list(self.tools(quiet)["reset_tools"]["inputSchema"]["properties"]), ["talk"])
        self.assertIn("The groups are: talk.", text_of(self.call(quiet, "reset_tools", {"time": True})))
        self.assertIn("error", self.call(quiet, "get_current_time"))
        self.assertEqual(set(self.tools(free)), {"echo", "greet"} | OWN)
        status, _, fault = self.host.fetch("POST", "/v1/sessions", {"customizations": {"agentId": "quiet"}, "groups": ["time"]})
        self.assertEqual(status, 422, fault)

    def test_an_older_client_has_a_session_of_its_own(self):
        given = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        accept = {"Accept": "application/json, text/event-stream"}
        _, headers, _ = self.host.post(*message("initialize", given, "bare", 1, accept))
        own = accept | {"Mcp-Session-Id": headers["mcp-session-id"], "MCP-Protocol-Version": LEGACY}

        def ask(method, params):
            return last_message(self.host.post(*message(method, params, "bare", 2, own))[2])["result"]

        self.host.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, own)
        ask("tools/call", {"name": "reset_tools", "arguments": {"time": True}})
        names = {tool["name"] for tool in ask("tools/list", {})["tools"]}
        self.assertEqual(names, {"echo", "get_current_time"} | OWN)

    def test_a_deny_rule_withholds_it_and_groups_survive_a_restart(self):
        path = self.create()
        self.reset(path, time=True)
        self.host.stop()
        self.place.write_config(self.place.config.read_text() + '[[rule]]\ntool = "reset_tools"\nbehavior = "deny"')
        self.host = self.http_host(self.place)
        self.assertEqual(set(self.tools(path)), {"echo", "get_current_time"} | OWN - {"reset_tools"})


class GroupsOfOthers(TestCase):
    def test_an_administrator_sees_the_groups_of_every_session_and_others_only_of_their_own(self):
        place = self.workspace("hello", "clock", config=CONFIG)
        keys = {name: json.loads(run_toolpost(place, "key", "new", name, *scopes, "--json", "--config", place.config).stdout)["key"]
                for name, scopes in {"ada": (), "eve": (), "boss": ("--scope", "admin")}.items()}
        host = self.http_host(place)
        session = host.fetch("POST", "/v1/sessions", {"groups": ["time"]}, key=keys["ada"])[2]["id"]
        path = f"/v1/sessions/{session}/groups"
        shown = {"version": 1, "groups": [
            {"name": "time", "description": "Clocks of the world.", "active": True, "switchable": True},
            {"name": "talk", "description": "Greetings.", "active": False, "switchable": True}]}
        self.assertEqual(host.fetch("GET", path, key=keys["ada"])[::2], (200, shown))
        self.assertEqual(host.fetch("GET", path, key=keys["boss"])[::2], (200, shown))
        self.assertEqual(host.fetch("GET", path, key=keys["eve"])[0], 404)
        self.assertEqual(host.fetch("PATCH", f"/v1/sessions/{session}", {"version": 1, "groups": []}, key=keys["boss"])[0], 403)
        self.assertEqual(host.fetch("GET", path + "?x=1", key=keys["ada"])[0], 422)


class GroupsOfUpstreams(TestCase):
    """The tools of a server over stdio: a group by the upstream's own key, and by that of the group."""
    UPSTREAM = """[[upstream]]
name = "{0}"
command = "{1}"
args = ["-B", "{2}"]
pin = "off"
lazy = false
{3}
"""
    GROUPS = """[[group]]
name = "far"
description = "A far server."
instructions = "It answers slowly."
[[group]]
name = "near"
description = "A near server."
upstreams = ["near"]
"""
    ask, tools, call, create, reset = Groups.ask, Groups.tools, Groups.call, Groups.create, Groups.reset

    def test_reset_tools_switches_the_tools_of_an_upstream(self):
        double = SOURCE / "tests/integration/upstreams/double.py"
        place = self.workspace("hello", config=self.GROUPS + self.UPSTREAM.format("far", sys.executable, double, 'group = "far"')
                               + self.UPSTREAM.format("near", sys.executable, double, ""))
        self.host = self.http_host(place)
        one, other = self.create(), self.create()
        of = lambda path: sorted({name.split("__")[1] for name in self.tools(path) if name.startswith("mcp__")})
        # Before an upstream is connected its tools are unknown: activate until they are listed.
        wait_until("both are connected", lambda: self.reset(one, far=True, near=True) and of(one) == ["far", "near"])
        self.assertEqual(of(other), [])
        self.assertEqual(self.reset(one), "All tool groups are currently deactivated.")
        self.assertEqual(of(one), [])
        refused = self.call(one, "mcp__far__echo", {"text": "hi"})
        self.assertIn('is in the tool group "far", which is not active', text_of(refused))
        self.assertIn('<group name="far">A far server.\nIt answers slowly.</group>', self.reset(one, far=True))
        self.assertEqual(of(one), ["far"])
        self.assertNotIn("isError", self.call(one, "mcp__far__echo", {"text": "hi"})["result"])
        self.assertIn('is in the tool group "near"', text_of(self.call(one, "mcp__near__echo", {"text": "hi"})))
        self.assertEqual(of(other), [])
        self.assertEqual(of("/mcp"), [])
