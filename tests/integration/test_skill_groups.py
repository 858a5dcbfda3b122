"""Reading a skill activates the tool groups that it needs, in the session that reads it and in no other."""
import json

from harness import TestCase, last_message, message, text_of

CONFIG = """
[[group]]
name = "time"
description = "Clocks of the world."
instructions = "Zones are IANA names."
plugins = ["clock"]
[[group]]
name = "talk"
description = "Greetings."
active = true
tools = ["greet"]
[agent.quiet]
needs_key = false
groups = ["talk"]
"""

SKILL = """---
name: travel
description: Plans a journey
metadata:
  toolpost.groups: "time, no_such"
---
# Travel
Look at the clock first.
"""


class SkillGroups(TestCase):
    def setUp(self):
        self.place = self.workspace("hello", "clock", config=CONFIG)
        self.place.skill("travel", SKILL)
        self.host = self.http_host(self.place)

    def create(self, agent=None):
        given = {"customizations": {"agentId": agent} if agent else {}}
        status, _, made = self.host.fetch("POST", "/v1/sessions", given)
        self.assertEqual(status, 201, made)
        return (f"/{agent}" if agent else "") + f"/mcp/s/{made['id']}", made["id"]

    def ask(self, path, method, params=None):
        body, fields = message(method, params or {}, "modern", 1, None)
        fields = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"} | fields
        connection = self.host.connect()
        connection.request("POST", path, json.dumps(body), fields)
        answer = last_message(connection.getresponse().read().decode())
        connection.close()
        return answer

    def names(self, path):
        return {tool["name"] for tool in self.ask(path, "tools/list")["result"]["tools"]}

    def read(self, endpoint, **arguments):
        return text_of(self.ask(endpoint, "tools/call", {"name": "Skill", "arguments": {"skill": "travel"} | arguments}))

    def groups(self, session):
        return self.host.fetch("GET", f"/v1/sessions/{session}")[2].get("groups")

    def test_reading_a_skill_activates_its_groups(self):  # case 53
        (path, session), (other, _) = self.create(), self.create()
        self.assertNotIn("get_current_time", self.names(path))
        text = self.read(path)
        self.assertIn("Look at the clock first.", text)
        answer = self.ask(path, "tools/call", {"name": "Skill", "arguments": {"skill": "travel"}})
        blocks = [block["text"] for block in answer["result"]["content"]]
        self.assertFalse([block for block in blocks if "tool-instructions" in block])  # it is active already
        self.assertEqual(self.groups(session), ["talk", "time"])
        self.assertLessEqual({"get_current_time", "greet"}, self.names(path))
        self.assertNotIn("get_current_time", self.names(other))
        self.host.stop()
        self.host = self.http_host(self.place)
        self.assertIn("get_current_time", self.names(path))

    def test_the_model_is_told_what_became_active(self):
        path, _ = self.create()
        answer = self.ask(path, "tools/call", {"name": "Skill", "arguments": {"skill": "travel", "path": "SKILL.md"}})
        self.assertEqual(answer["result"]["content"][-1]["text"],
                         "<tool-instructions>\nAbout the groups that were activated now:\n"
                         '<group name="time">Clocks of the world.\nZones are IANA names.</group>\n</tool-instructions>')

    def test_a_read_that_fails_or_reads_another_file_activates_nothing(self):  # case 52
        path, session = self.create()
        (self.place.root / "skills/travel/map.txt").write_text("north")
        self.assertEqual(self.read(path, path="map.txt"), "north")
        self.read(path, path="../x")
        self.read(path, skill="nope")
        self.assertIsNone(self.groups(session))

    def test_without_a_session_and_for_groups_of_other_agents_the_skill_is_only_read(self):
        self.assertIn("Look at the clock first.", self.read("/mcp"))
        self.assertNotIn("get_current_time", self.names("/mcp"))
        path, session = self.create("quiet")  # may switch talk alone
        self.assertIn("Look at the clock first.", self.read(path))
        self.assertIsNone(self.groups(session))
        self.assertNotIn("get_current_time", self.names(path))


class MetaTool(TestCase):
    def test_without_reset_tools_the_session_is_switched_over_rest(self):
        place = self.workspace("hello", "clock", config=CONFIG + "[groups]\nmeta_tool = false")
        host = self.http_host(place)
        session = host.fetch("POST", "/v1/sessions", {"customizations": {}})[2]["id"]

        def call(tool):
            body, fields = message("tools/call", {"name": tool, "arguments": {}}, "bare")
            connection = host.connect()
            connection.request("POST", f"/mcp/s/{session}", json.dumps(body), {"Content-Type": "application/json"} | fields)
            answer = last_message(connection.getresponse().read().decode())
            connection.close()
            return answer

        self.assertIn("error", call("reset_tools"))
        self.assertIn("PATCH /v1/sessions/SESSION", text_of(call("get_current_time")))
        status, _, changed = host.fetch("PATCH", f"/v1/sessions/{session}", {"version": 1, "groups": ["time"]})
        self.assertEqual(status, 200, changed)
        self.assertNotIn("isError", call("get_current_time")["result"])
