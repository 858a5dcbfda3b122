"""Fixed arguments: of the configuration, an agent and a session. The model neither sees nor changes them."""
import json
import unittest

from harness import TestCase, is_problem, last_message, message, run_toolpost, text_of, wait_until

CONFIG = """
[plugin.hello.tool.greet.extend]
required = ["why"]
[plugin.hello.tool.greet.extend.properties.why]
type = "string"
[plugin.hello.tool.echo]
presets = { text = "of all" }
[agent.one]
needs_key = false
presets = { greet = { name = "Ada" }, echo = { text = "of one" } }
[agent.two]
needs_key = false
presets = { greet = { name = 7 } }
"""


class Presets(TestCase):
    def setUp(self):
        self.place = self.workspace("hello", config=CONFIG)
        self.host = self.http_host(self.place)

    def ask(self, path, method, params=None):
        body, fields = message(method, params or {}, "modern", 1, None)
        fields = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"} | fields
        connection = self.host.connect()
        connection.request("POST", path, json.dumps(body), fields)
        answer = last_message(connection.getresponse().read().decode())
        connection.close()
        return answer

    def schema(self, path, tool):
        listed = {one["name"]: one for one in self.ask(path, "tools/list")["result"]["tools"]}
        return listed[tool]["inputSchema"] if tool in listed else None

    def call(self, path, tool, arguments):
        return self.ask(path, "tools/call", {"name": tool, "arguments": arguments})

    def session(self, presets, agent=None):
        status, headers, made = self.host.fetch(
            "POST", "/v1/sessions", {"presets": presets, "customizations": {"agentId": agent} if agent else {}})
        return status, made

    def refused(self, presets, place, words, agent=None):
        status, told = self.session(presets, agent)
        self.assertEqual(status, 422, told)
        self.assertIn(words, json.dumps(told))
        self.assertIn(place, json.dumps(told))

    def test_of_an_agent_win_over_those_of_the_configuration(self):  # case 36
        self.assertEqual(text_of(self.call("/mcp", "echo", {"text": "mine"})), "of all")
        self.assertEqual(text_of(self.call("/one/mcp", "echo", {"text": "mine"})), "of one")
        self.assertEqual(set(self.schema("/one/mcp", "greet")["properties"]), {"why"})
        self.assertEqual(self.schema("/one/mcp", "greet")["required"], ["why"])
        self.assertEqual(set(self.schema("/mcp", "greet")["properties"]), {"name", "why"})
        for arguments in ({"why": "x"}, {"why": "x", "name": "Eve"}):
            self.assertEqual(text_of(self.call("/one/mcp", "greet", arguments)), "Hello, Ada!")
        # Without its presets the tool would do more than was allowed.
        self.assertIsNone(self.schema("/two/mcp", "greet"))
        self.assertIn("error", self.call("/two/mcp", "greet", {"name": "Eve", "why": "x"}))
        self.assertIsNotNone(self.schema("/two/mcp", "echo"))
        check = run_toolpost(self.place, "config", "check", "--json", "--config", self.place.config)
        (found,) = json.loads(check.stdout)
        self.assertEqual((found["code"], found["severity"]), ("C020", "error"))
        self.assertEqual(self.place.config.read_text().splitlines()[found["line"] - 1], "presets = { greet = { name = 7 } }")
        self.assertIn("/name: expected string", found["message"])
        doctor = run_toolpost(self.place, "doctor", "--config", self.place.config)
        self.assertEqual(doctor.returncode, 3, doctor)
        self.assertIn('presets of [agent.two] for "greet" do not fit', doctor.stdout)

    def test_of_an_agent_that_do_not_fit_are_reported_at_the_start(self):
        said = [line for line in self.host.errors if "presets of [agent.two]" in line]
        self.assertEqual(len(said), 1, said)
        self.assertIn("C020", said[0])

    def test_of_a_session_only_fix_what_is_free(self):
        status, made = self.session({"greet": {"name": "Bob"}})
        self.assertEqual(status, 201, made)
        self.assertEqual(made["presets"], {"greet": {"name": "Bob"}})
        path = "/mcp/s/" + made["id"]
        self.assertEqual(set(self.schema(path, "greet")["properties"]), {"why"})
        self.assertEqual(text_of(self.call(path, "greet", {"why": "x", "name": "Eve"})), "Hello, Bob!")
        self.assertEqual(text_of(self.call("/mcp", "greet", {"why": "x", "name": "Eve"})), "Hello, Eve!")

        change = {"version": made["version"], "presets": {"greet": {"why": "known", "name": "Cy"}}}
        status, _, made = self.host.fetch("PATCH", "/v1/sessions/" + made["id"], change)
        self.assertEqual(status, 200, made)
        self.assertEqual(text_of(self.call(path, "greet", {})), "Hello, Cy!")
        status, _, made = self.host.fetch("PATCH", "/v1/sessions/" + made["id"],
                                          {"version": made["version"], "mode": "explore"})
        self.assertEqual(text_of(self.call(path, "greet", {})), "Hello, Cy!")
        status, _, made = self.host.fetch("PATCH", "/v1/sessions/" + made["id"],
                                          {"version": made["version"], "presets": None})
        self.assertNotIn("presets", made)
        self.assertEqual(set(self.schema(path, "greet")["properties"]), {"name", "why"})

        self.refused({"greet": {"name": "Bob"}}, "/presets/greet", "is fixed already", "one")
        self.refused({"echo": {"text": "x"}}, "/presets/echo", "is fixed already")
        self.refused({"greet": {"nobody": 1}}, "/presets/greet", "does not declare")
        self.refused({"greet": {"name": 7}}, "/presets/greet", "/name: expected string")
        self.refused({"gret": {"name": "x"}}, "/presets/gret", "no plugin's or upstream's tool")
        self.refused({"todo_write": {"todos": []}}, "/presets/todo_write", "a tool of the host itself")
        self.refused({"greet": 7}, "/presets", "expected objects of arguments by tool")
        self.refused({f"t{i}": {} for i in range(33)}, "/presets", "more than the 32 allowed")

    def test_of_a_session_give_way_to_those_of_a_side_file(self):
        status, made = self.session({"greet": {"name": "Bob"}})
        path = "/mcp/s/" + made["id"]
        self.assertEqual(text_of(self.call(path, "greet", {"why": "x"})), "Hello, Bob!")
        side = self.place.root / "plugins" / "hello.toml"
        side.write_text('[tool.greet]\npresets = { name = "Side" }\n')
        wait_until("the side file applies",
                   lambda: text_of(self.call("/mcp", "greet", {"why": "x"})) == "Hello, Side!")
        self.assertEqual(text_of(self.call(path, "greet", {"why": "x"})), "Hello, Side!")
        self.assertEqual(set(self.schema(path, "greet")["properties"]), {"why"})
        self.refused({"greet": {"name": "Bob"}}, "/presets/greet", "is fixed already")
        side.unlink()
        wait_until("the side file is gone",
                   lambda: text_of(self.call(path, "greet", {"why": "x"})) == "Hello, Bob!")

    def test_that_do_not_fit_any_more_let_the_session_become_stricter(self):
        status, made = self.session({"greet": {"name": "Bob"}})
        path = "/v1/sessions/" + made["id"]
        (self.place.root / "plugins" / "hello.toml").write_text("[tool.greet]\nenabled = false\n")
        wait_until("the side file applies", lambda: self.schema("/mcp", "greet") is None)
        status, _, made = self.host.fetch("PATCH", path, {"version": made["version"], "mode": "explore"})
        self.assertEqual((status, made["presets"]), (200, {"greet": {"name": "Bob"}}), made)
        for change in ({"presets": {"greet": {"name": "Cy"}}}, {"customizations": {"extensions": {"mcpProviders": ["hello"]}}}):
            status, _, fault = self.host.fetch("PATCH", path, {"version": made["version"]} | change)
            self.assertEqual((status, fault["pointer"]), (422, "/presets/greet"), fault)

    def test_of_a_tool_that_is_not_there_are_an_error_of_the_configuration(self):
        self.place.write_config(self.place.config.read_text() + "[agent.three]\npresets = { gret = { name = 'Ada' } }\n")
        check = run_toolpost(self.place, "config", "check", "--json", "--config", self.place.config)
        found = [one for one in json.loads(check.stdout) if one["code"] == "C019"]
        lines = self.place.config.read_text().splitlines()
        self.assertEqual([(one["severity"], lines[one["line"] - 1]) for one in found],
                         [("error", "presets = { gret = { name = 'Ada' } }")])

    def test_of_a_session_survive_a_restart_and_bind_a_call_that_waits(self):
        status, made = self.session({"greet": {"name": "Bob"}})
        self.assertEqual(self.host.stop(), 0)
        self.host = self.http_host(self.place)
        path = "/mcp/s/" + made["id"]
        self.assertEqual(text_of(self.call(path, "greet", {"why": "x"})), "Hello, Bob!")
        status, _, shown = self.host.fetch("GET", "/v1/sessions/" + made["id"])
        self.assertEqual(shown["presets"], {"greet": {"name": "Bob"}})


if __name__ == "__main__":
    unittest.main()
