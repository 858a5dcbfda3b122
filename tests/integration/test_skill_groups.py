"""Reading a skill activates the tool groups that it needs, in the session that reads it and in no other."""
import json

from harness import TestCase, last_message, message, run_toolpost, text_of, wait_until

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
[agent.hello]
needs_key = false
plugins = ["hello"]
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

    def ask(self, path, method, params=None, **headers):
        body, fields = message(method, params or {}, "modern", 1, None)
        fields |= {name.replace("_", "-"): value for name, value in headers.items()}
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
        for command in (["skills"], ["config", "check"]):
            said = run_toolpost(self.place, *command, "--config", self.place.config).stdout
            self.assertIn('no [[group]] is named "no_such"', said)
            self.assertNotIn('is named "time"', said)

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
        path, session = self.create("hello")  # sees no tool of the group
        answer = self.ask(path, "tools/call", {"name": "Skill", "arguments": {"skill": "travel"}})
        self.assertNotIn("tool-instructions", json.dumps(answer))
        self.assertEqual(self.groups(session), ["talk", "time"])


MORE = """
[[group]]
name = "books"
description = "Bookkeeping."
instructions = "Amounts are in euro."
skills = ["ledger"]
"""


class SkillsInGroups(TestCase):
    """A skill of a group is there where the group is active: in one session, and not in another."""
    SKILL = "---\nname: {0}\ndescription: About {0}.\n---\n# Text of {0}\n"

    def setUp(self):
        self.place = self.workspace("hello", "clock", config=CONFIG + MORE)
        for name in ("ledger", "letters"):
            self.place.skill(name, self.SKILL.format(name))
        self.host = self.http_host(self.place)

    ask, create, names = SkillGroups.ask, SkillGroups.create, SkillGroups.names

    def listed(self, path):
        """Every place in which a client learns which skills there are."""
        skills = {one["frontmatter"]["name"] for one in self.ask(path, "skills/list")["result"]["skills"]}
        resources = {one["name"] for one in self.ask(path, "resources/list")["result"]["resources"]}
        prompts = {one["name"] for one in self.ask(path, "prompts/list")["result"]["prompts"]}
        description = next(one["description"] for one in self.ask(path, "tools/list")["result"]["tools"] if one["name"] == "Skill")
        instructions = self.ask(path, "server/discover")["result"]["instructions"]
        for text in (description, instructions):
            self.assertEqual({name for name in ("ledger", "letters") if f"About {name}." in text}, skills)
        self.assertEqual(skills, resources)
        self.assertEqual(skills, prompts)
        return skills

    def readable(self, path):
        """Every way in which a client reads one."""
        answers = [self.ask(path, "tools/call", {"name": "Skill", "arguments": {"skill": "ledger"}}),
                   self.ask(path, "resources/read", {"uri": "skill://ledger/SKILL.md"}, Mcp_Name="skill://ledger/SKILL.md"),
                   self.ask(path, "prompts/get", {"name": "ledger"}),
                   self.ask(path, "skills/get", {"uri": "skill://ledger/SKILL.md"})]
        found = ["Text of ledger" in json.dumps(one) for one in answers[:3]] + ["result" in answers[3]]
        self.assertEqual(len(set(found)), 1, answers)
        return found[0]

    def test_a_skill_of_a_group_follows_the_group_in_each_session(self):
        (path, session), (other, other_session) = self.create(), self.create()
        for one in (path, other, "/mcp"):
            self.assertEqual(self.listed(one), {"letters"})
            self.assertFalse(self.readable(one))
        answer = self.ask(path, "tools/call", {"name": "reset_tools", "arguments": {"books": True}})
        self.assertIn("Amounts are in euro.", text_of(answer))
        version = self.host.fetch("GET", f"/v1/sessions/{session}")[2]["version"]
        self.ask(path, "tools/call", {"name": "reset_tools", "arguments": {"books": True}})
        self.assertEqual(self.host.fetch("GET", f"/v1/sessions/{session}")[2]["version"], version)  # nothing changed
        self.assertEqual(self.listed(path), {"ledger", "letters"})
        self.assertTrue(self.readable(path))
        self.assertIn("Amounts are in euro.", self.ask(path, "server/discover")["result"]["instructions"])
        self.assertIn("greet", self.names("/mcp"))
        self.assertNotIn("greet", self.names(path))  # the same call switched that group off
        for one in (other, "/mcp"):
            self.assertEqual(self.listed(one), {"letters"})
            self.assertFalse(self.readable(one))
        prompt = lambda id: self.host.fetch("GET", f"/v1/skills/prompt?session={id}")[2]["prompt"]
        self.assertIn("About ledger.", prompt(session))
        self.assertNotIn("About ledger.", prompt(other_session))
        shown = lambda id: {one["name"] for one in self.host.fetch("GET", f"/v1/skills?session={id}")[2]["skills"]}
        self.assertEqual((shown(session), shown(other_session)), ({"ledger", "letters"}, {"letters"}))

        # Edits are live there too, and another session with the same groups sees the same.
        self.place.skill("ledger", self.SKILL.format("ledger").replace("# Text", "# New Text"))
        wait_until("the edit is served", lambda: "New Text of ledger" in json.dumps(
            self.ask(path, "tools/call", {"name": "Skill", "arguments": {"skill": "ledger"}})))
        version = self.host.fetch("GET", f"/v1/sessions/{other_session}")[2]["version"]
        self.assertEqual(self.host.fetch("PATCH", f"/v1/sessions/{other_session}", {"version": version, "groups": ["books"]})[0], 200)
        self.assertTrue(self.readable(other))
        self.host.stop()
        self.host = self.http_host(self.place)
        self.assertTrue(self.readable(path))
        self.ask(path, "tools/call", {"name": "reset_tools", "arguments": {}})
        self.assertEqual(self.listed(path), {"letters"})

    def test_a_skill_that_appears_in_a_session_is_announced_to_its_clients(self):
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        connection = self.host.connect()
        fields = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}), fields)
        response = connection.getresponse()
        response.read()
        fields |= {"Mcp-Session-Id": response.headers["Mcp-Session-Id"], "MCP-Protocol-Version": "2025-11-25"}
        connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}), fields)
        connection.getresponse().read()
        stream = self.host.connect()
        stream.request("GET", "/mcp", headers=fields | {"Accept": "text/event-stream"})
        events = stream.getresponse()
        call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "reset_tools", "arguments": {"books": True}}}
        connection.request("POST", "/mcp", json.dumps(call), fields)
        self.assertIn("books", connection.getresponse().read().decode())
        told = set()
        while "prompts" not in told or "resources" not in told or "tools" not in told:
            line = events.readline().decode()
            self.assertTrue(line, told)
            if line.startswith("data: {"):
                method = json.loads(line[6:])["method"]
                told.add(method.removeprefix("notifications/").removesuffix("/list_changed"))
        stream.close()
        connection.close()

    def test_a_session_of_an_agent_switches_only_what_its_agent_may(self):
        path, session = self.create("quiet")  # may switch talk alone
        answer = self.ask(path, "tools/call", {"name": "reset_tools", "arguments": {"books": True}})
        self.assertTrue(answer["result"]["isError"])
        self.assertEqual(self.listed(path), {"letters"})
        groups = self.host.fetch("GET", f"/v1/sessions/{session}/groups")[2]["groups"]
        self.assertEqual([(one["name"], one["active"], one["switchable"]) for one in groups],
                         [("time", False, False), ("talk", True, True), ("books", False, False)])


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
        status, _, fault = host.fetch("POST", f"/v1/tools/request/{session}", {"name": "get_current_time"})
        self.assertEqual((status, fault["type"]), (409, "/v1/problems/conflict"), fault)
        self.assertIn('is in the tool group "time", which is not active in this session', fault["detail"])
        status, _, changed = host.fetch("PATCH", f"/v1/sessions/{session}", {"version": 1, "groups": ["time"]})
        self.assertEqual(status, 200, changed)
        self.assertNotIn("isError", call("get_current_time")["result"])
        # Case 50: where the model may not switch groups, no call deactivates one.
        self.assertIn("error", call("reset_tools"))
        self.assertNotIn("isError", call("get_current_time")["result"])


class SkillsOfGroups(TestCase):
    def test_a_skill_of_an_inactive_group_is_not_there(self):  # case 57
        place = self.workspace(config='[[group]]\nname = "law"\ndescription = "Contracts."\nskills = ["contract"]\n'
                                      '[agent.lawyer]\nneeds_key = false\ngroups = ["law"]\n')
        for name in ("contract", "letter"):
            place.skill(name, f"---\nname: {name}\ndescription: About the {name}.\n---\nText of the {name}.\n")
        host = self.http_host(place)
        prompt = host.fetch("GET", "/v1/skills/prompt")[2]["prompt"]
        self.assertIn("- letter: ", prompt)
        self.assertNotIn("contract", prompt)
        unknown, hidden = (text_of(host.call("Skill", {"skill": name})) for name in ("nothing", "contract"))
        self.assertEqual(hidden, unknown.replace("nothing", "contract"))
        self.assertNotIn("Text of the contract", hidden)
        body, fields = message("tools/call", {"name": "Skill", "arguments": {"skill": "contract"}}, "bare")
        connection = host.connect()
        connection.request("POST", "/lawyer/mcp", json.dumps(body), fields | {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"})
        self.assertIn("Text of the contract", text_of(last_message(connection.getresponse().read().decode())))
        connection.close()
