"""GET /v1/mcp/providers: which providers a caller sees, and their tools in both forms."""
import json
import sys
import unittest

from harness import SOURCE, TestCase, wait_until

NARROW = """
[agent.narrow]
needs_key = false
plugins = ["hello"]
"""


class Providers(TestCase):
    def setUp(self):
        self.place = self.workspace("hello", "clock", config=NARROW)
        self.host = self.http_host(self.place)

    def fetch(self, path, status=200):
        got, _, answer = self.host.fetch("GET", path)
        self.assertEqual(got, status, answer)
        return answer

    def session(self, agent=None, **extensions):
        customizations = {"extensions": extensions} | ({"agentId": agent} if agent else {})
        status, _, made = self.host.fetch("POST", "/v1/sessions", {"customizations": customizations})
        self.assertEqual(status, 201, made)
        return made["id"]

    def names(self, query=""):
        return [one["name"] for one in self.fetch("/v1/mcp/providers" + query)["providers"]]

    def test_each_provider_has_its_tools_as_backends_and_as_mcp_define_them(self):
        listed = {one["name"]: one for one in self.fetch("/v1/mcp/providers")["providers"]}
        self.assertEqual(sorted(listed), ["clock", "hello"])
        self.assertEqual({one["kind"] for one in listed.values()}, {"plugin"})
        hello = self.fetch("/v1/mcp/providers/hello")
        self.assertEqual((hello["name"], len(hello["tools"])), ("hello", listed["hello"]["tools"]))
        self.assertEqual(hello["build"], listed["hello"]["build"])
        tools = self.host.request("tools/list")["result"]["tools"]
        by_name = {tool["name"]: tool for tool in tools}
        for defined, shown in zip(hello["tools"], hello["mcp"]["tools"]):
            self.assertEqual(defined["name"], shown["name"])
            self.assertEqual(set(defined), {"name", "description", "requestArgs", "responseShape"})
            self.assertIn("sessionId", defined["requestArgs"]["properties"])
            self.assertIn("sessionId", defined["requestArgs"]["required"])
            self.assertEqual(defined["responseShape"]["properties"]["state"]["enum"], ["COMPLETE", "FAILED", "PENDING"])
            self.assertEqual(shown["inputSchema"], by_name[shown["name"]]["inputSchema"])

    def test_a_session_narrows_them_and_never_widens_them(self):
        narrowed = self.session(mcpProviders=["clock"])
        self.assertEqual(self.names(f"?session={narrowed}"), ["clock"])
        self.fetch(f"/v1/mcp/providers/hello?session={narrowed}", status=404)
        agent = self.session(agent="narrow")
        self.assertEqual(self.names(f"?session={agent}"), ["hello"])
        self.fetch(f"/v1/mcp/providers/clock?session={agent}", status=404)

    def test_what_does_not_exist_and_what_is_wrong_is_told(self):
        self.assertIn("GET /v1/mcp/providers", self.fetch("/v1/mcp/providers/nothing", status=404)["detail"])
        self.fetch("/v1/mcp/providers/builtin", status=404)  # the host's own tools
        self.assertIn("no such session", self.fetch("/v1/mcp/providers?session=s_x", status=404)["detail"])
        self.assertIn("unknown parameter", self.fetch("/v1/mcp/providers?sesion=x", status=422)["detail"])
        self.assertEqual(self.host.fetch("POST", "/v1/mcp/providers", {})[0], 405)


class Clash(Providers):
    def setUp(self):
        words = json.dumps(["-B", str(SOURCE / "tests/integration/upstreams/double.py")])
        self.place = self.workspace("hello", "clock", config=NARROW + (
            f'[[upstream]]\nname = "hello"\ncommand = "{sys.executable}"\nargs = {words}\nagents = ["narrow"]\n'))
        self.host = self.http_host(self.place)

    test_each_provider_has_its_tools_as_backends_and_as_mcp_define_them = None
    test_a_session_narrows_them_and_never_widens_them = None
    test_what_does_not_exist_and_what_is_wrong_is_told = None

    def test_a_plugin_and_an_upstream_of_the_same_name_are_told_apart(self):
        narrow = self.session(agent="narrow")
        path = f"/v1/mcp/providers/hello?session={narrow}"
        wait_until("both are seen", lambda: len(self.names(f"?session={narrow}")) == 2)
        self.assertIn("kind=plugin", self.fetch(path, status=409)["detail"])
        tools = {kind: {tool["name"] for tool in self.fetch(f"{path}&kind={kind}")["tools"]} for kind in ("plugin", "upstream")}
        self.assertIn("mcp__hello__echo", tools["upstream"])
        self.assertTrue(all(not name.startswith("mcp__") for name in tools["plugin"]) and tools["plugin"])
        self.assertEqual(self.fetch("/v1/mcp/providers/hello")["kind"], "plugin")  # this sender sees no upstream
        self.fetch(f"{path}&kind=neither", status=422)


if __name__ == "__main__":
    unittest.main()
