"""Sessions over REST: what they keep, what they may set, who sees them, and that they outlive the host."""
import json

from harness import TestCase, run_toolpost, wait_until

# Words for word as agent backends write it, but for the two other tools, which are like the first.
GET_LOCATIONS = {
    "name": "getLocations",
    "description": "Retrieves a list of warehouse locations",
    "requestArgs": {"properties": {"includeInactive": {"type": "boolean", "description": "Include inactive locations"}}},
    "responseShape": {"properties": {
        "locations": {"type": "array", "items": {"type": "object", "properties": {
            "id": {"type": "number"}, "name": {"type": "string"}, "useBins": {"type": "boolean"}}}},
        "error": {"type": "string"},
    }},
}
TOOLS = {name: GET_LOCATIONS | {"name": name} for name in ("getLocations", "getBinContents", "createTransfer")}
CONFIG = """
[permission]
mode = "accept_edits"
working_dirs = ["{work}"]
[limits]
kept_sessions_per_principal = 4
session_tools = 20
session_tool_bytes = 4096
session_bytes = 16384
[agent.RfsAgent]
mode = "default"
[agent.open]
needs_key = false
[[group]]
name = "on"
description = "Active."
active = true
[[group]]
name = "off"
description = "Not active."
"""


def body(agent=None, tools=None, **members):
    extensions = {"tools": tools} if tools is not None else {}
    return {"customizations": ({"agentId": agent} if agent else {}) | {"extensions": extensions}} | members


class Sessions(TestCase):
    def setUp(self):
        self.place = self.workspace("hello")
        self.work = self.place.root / "work"
        self.work.mkdir()
        self.place.write_config(self.place.config.read_text() + CONFIG.format(work=self.work))
        self.ada = self.key("ada", "--agent", "RfsAgent")
        self.bob = self.key("bob")
        self.admin = self.key("boss", "--scope", "admin")
        self.host = self.http_host(self.place)

    def key(self, *words):
        done = run_toolpost(self.place, "key", "new", *words, "--json", "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        return json.loads(done.stdout)["key"]

    def ask(self, method, path, given=None, key=None, status=200, headers=None, host=None):
        connection = (host or self.host).connect()
        fields = {"Authorization": f"Bearer {key or self.ada}"} | (headers or {})
        if given is not None:
            fields["Content-Type"] = "application/json"
        connection.request(method, path, None if given is None else json.dumps(given), fields)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        self.assertEqual(answer.status, status, text)
        return (json.loads(text) if text else None), answer.headers

    def create(self, given=None, key=None):
        return self.ask("POST", "/v1/sessions", body() if given is None else given, key, 201)[0]

    def refusal(self, given, pointer, words, key=None, method="POST", path="/v1/sessions", status=422):
        error = self.ask(method, path, given, key, status)[0]
        self.assertEqual(error.get("pointer", ""), pointer, error)
        self.assertIn(words, error["detail"])

    def test_the_body_of_an_agent_backend_as_it_stands(self):
        made, headers = self.ask("POST", "/v1/sessions", body("RfsAgent", TOOLS), status=201)
        self.assertRegex(made["id"], r"^s_[A-Za-z0-9_-]{22}$")
        self.assertEqual(headers["Location"], "/v1/sessions/" + made["id"])
        self.assertEqual(headers["ETag"], '"1"')
        self.assertEqual((made["principal"], made["agent"], made["version"]), ("ada", "RfsAgent", 1))
        tools = made["customizations"]["extensions"]["tools"]
        self.assertEqual(sorted(tools), sorted(TOOLS))
        shown = tools["getLocations"]
        self.assertEqual(shown["requestArgs"]["required"], ["sessionId"])
        self.assertIn("includeInactive", shown["requestArgs"]["properties"])
        self.assertEqual(shown["responseShape"]["properties"]["state"]["enum"], ["COMPLETE", "FAILED", "PENDING"])
        again, _ = self.ask("GET", "/v1/sessions/" + made["id"])
        for moving in ("used", "expires"):  # a read is a use
            self.assertGreaterEqual(again.pop(moving), made.pop(moving))
        self.assertEqual(again, made)

    def test_a_session_outlives_the_host(self):
        made = self.create(body("RfsAgent", TOOLS, context={"values": {"tenant": "7"}, "entries": {"user": {"id": 1}}},
                                workingDirectories=[str(self.work)], mode="explore", groups=["on"]))
        self.host.child.kill()
        self.host.wait()
        self.host = self.http_host(self.place)
        again, _ = self.ask("GET", "/v1/sessions/" + made["id"])
        self.assertEqual(again["context"], {"values": {"tenant": "7"}, "entries": {"user": {"id": 1}}})
        for member in ("id", "version", "mode", "groups", "workingDirectories", "customizations", "created"):
            self.assertEqual(again[member], made[member])

    def test_an_operator_sees_and_ends_them_on_the_command_line(self):
        made = self.create(body("RfsAgent", TOOLS, mode="explore", groups=["on"]))
        [listed] = json.loads(self.run_verb("sessions", "--json").stdout)
        self.assertEqual((listed["id"], listed["principal"], listed["agent"], listed["made_by"]),
                         (made["id"], "ada", "RfsAgent", "rest"))
        self.assertEqual(sorted(listed["tools"]), sorted(TOOLS))
        self.assertIn(made["id"], self.run_verb("sessions").stdout)
        shown = self.run_verb("sessions", "show", made["id"]).stdout
        for words in (made["id"], "ada", "explore", "getBinContents"):
            self.assertIn(words, shown)
        again = json.loads(self.run_verb("sessions", "show", made["id"], "--json").stdout)
        self.assertEqual(again | {"used": listed["used"]}, listed)  # which the host may have stored in between
        self.assertIn("is ended", self.run_verb("sessions", "end", made["id"]).stdout)
        wait_until("the host has ended it", lambda: self.gone(made["id"]))
        for verb in ("show", "end"):
            self.assertIn("there is no session", self.run_verb("sessions", verb, made["id"], exit_code=4).stderr)

    def gone(self, session):
        connection = self.host.connect()
        connection.request("GET", "/v1/sessions/" + session, headers={"Authorization": f"Bearer {self.ada}"})
        status = connection.getresponse().status
        connection.close()
        return status == 404

    def run_verb(self, *words, exit_code=0):
        done = run_toolpost(self.place, *words, "--config", self.place.config)
        self.assertEqual(done.returncode, exit_code, done.stderr)
        return done

    def test_a_session_is_its_principals_own(self):
        mine, his = self.create()["id"], self.create(key=self.bob)["id"]
        for method, given in (("GET", None), ("PATCH", {"version": 1}), ("DELETE", None)):
            theirs = self.ask(method, "/v1/sessions/" + his, given, status=404)[0]
            nobodys = self.ask(method, "/v1/sessions/s_nothing", given, status=404)[0]
            self.assertEqual(theirs, nobodys)
        self.assertEqual([s["id"] for s in self.ask("GET", "/v1/sessions")[0]["sessions"]], [mine])
        everybodys = self.ask("GET", "/v1/sessions", key=self.admin)[0]["sessions"]
        self.assertEqual({s["id"] for s in everybodys}, {mine, his})
        page = self.ask("GET", "/v1/sessions?limit=1", key=self.admin)[0]
        rest = self.ask("GET", f"/v1/sessions?limit=1&after={page['next']}", key=self.admin)[0]
        self.assertEqual({s["id"] for s in page["sessions"] + rest["sessions"]}, {mine, his})
        self.assertNotIn("next", rest)

    def test_an_administrator_sees_and_ends_each_but_reads_no_context(self):
        made = self.create(body(context={"values": {"secret": "x"}}))
        shown = self.ask("GET", "/v1/sessions/" + made["id"], key=self.admin)[0]
        self.assertNotIn("context", shown)
        self.ask("PATCH", "/v1/sessions/" + made["id"], {"version": 1}, self.admin, 403)
        self.ask("POST", "/v1/sessions", body(), self.admin, 403)
        self.ask("DELETE", "/v1/sessions/" + made["id"], key=self.admin, status=204)
        self.ask("GET", "/v1/sessions/" + made["id"], status=404)
        ended = self.place.audit_lines("session")[-1]
        self.assertEqual((ended["outcome"], ended["by"], ended["principal"]), ("ended", "rest:boss", "ada"))

    def test_a_change_needs_the_version_it_was_made_for(self):
        path = "/v1/sessions/" + self.create(body(tools=TOOLS, context={"values": {"a": "1"}}))["id"]
        self.ask("PATCH", path, {"mode": "explore"}, status=428)
        changed, headers = self.ask("PATCH", path, {"mode": "explore"}, headers={"If-Match": '"1"'})
        self.assertEqual((changed["mode"], changed["version"], headers["ETag"]), ("explore", 2, '"2"'))
        self.assertEqual(sorted(changed["customizations"]["extensions"]["tools"]), sorted(TOOLS))
        _, headers = self.ask("PATCH", path, {"mode": "dont_ask"}, status=412, headers={"If-Match": '"1"'})
        self.assertEqual(headers["ETag"], '"2"')
        for tag in ("2", '"x"', 'W/"2"', '"2", "3"'):
            self.ask("PATCH", path, {"mode": "dont_ask"}, status=412, headers={"If-Match": tag})
        self.ask("PATCH", path, {"mode": "dont_ask", "version": 9}, status=412, headers={"If-Match": '"2"'})
        reset, _ = self.ask("PATCH", path, {"version": 2, "mode": None, "context": None,
                                            "customizations": {"extensions": {"tools": None}}})
        self.assertEqual(reset["version"], 3)
        for member in ("mode", "context"):
            self.assertNotIn(member, reset)
        self.assertEqual(reset["customizations"]["extensions"], {})

        # At another host with the same store, which has perhaps not read the newest version yet.
        hosts = self.http_host(self.place), self.host
        for version in range(3, 9):
            changed, _ = self.ask("PATCH", path, {"context": {"values": {"a": str(version)}}},
                                  headers={"If-Match": f'"{version}"'}, host=hosts[version % 2])
            self.assertEqual(changed["version"], version + 1)

    def test_a_client_gives_itself_no_more_than_its_agent_has(self):
        self.refusal(body(mode="bypass"), "/mode", "stricter")
        self.refusal(body(mode="accept_edits"), "/mode", '"default"')
        self.assertEqual(self.create(body(mode="accept_edits"), self.bob)["mode"], "accept_edits")
        self.refusal(body(mode="bypass"), "/mode", '"accept_edits"', self.bob)
        self.refusal(body(mode="always"), "/mode", "default")
        (self.work / "out").symlink_to("/etc")
        for folder in ("/etc", str(self.work / ".."), str(self.work / "out"), "work", ""):
            self.refusal(body(workingDirectories=[str(self.work), folder]), "/workingDirectories/1", "")
        self.refusal(body(groups=["on", "none"]), "/groups/1", '"none"')
        providers = {"customizations": {"extensions": {"mcpProviders": ["hello", "nobody"]}}}
        self.refusal(providers, "/customizations/extensions/mcpProviders/1", '"nobody"')
        path = "/v1/sessions/" + self.create()["id"]
        self.refusal({"version": 1, "mode": "bypass"}, "/mode", "stricter", method="PATCH", path=path)
        self.assertEqual(self.ask("GET", path)[0]["version"], 1)

    def test_a_key_acts_only_as_its_agent(self):
        self.assertEqual(self.create(body())["agent"], "RfsAgent")
        place = "/customizations/agentId"
        self.refusal(body("open"), place, "cannot act as")
        self.refusal(body("RfsAgent"), place, "cannot act as", self.bob)
        self.refusal(body("nobody"), place, "cannot act as", self.bob)
        self.assertEqual(self.create(body("open"), self.bob)["agent"], "open")

    def test_wrong_bodies_name_the_place(self):
        tools = "/customizations/extensions/tools"
        self.refusal(body(tools=list(TOOLS.values())), tools, "not an array")
        self.refusal(body(tools={"other": GET_LOCATIONS}), tools + "/other/name", "key")
        self.refusal(body(tools={"greet": GET_LOCATIONS | {"name": "greet"}}), tools + "/greet", "already taken")
        for name in ("priv_x", "mcp_x", "_x"):
            self.refusal(body(tools={name: GET_LOCATIONS | {"name": name}}), f"{tools}/{name}/name", "class")
        self.refusal(body(tools={f"t{i}": {} for i in range(300)}), tools, "limits.session_tools")
        big = GET_LOCATIONS | {"description": "x" * 10_000}
        self.refusal(body(tools={"getLocations": big}), tools + "/getLocations", "limits.session_tool_bytes")
        for large in (20_000, 1 << 20):  # before its tools are compiled; before it is parsed
            big = GET_LOCATIONS | {"description": "x" * large}
            self.refusal(body(tools={"getLocations": big}), "", "limits.session_bytes")
        self.refusal(body(context={"values": {"a": "x" * 20_000}}), "", "limits.session_bytes")
        self.refusal(body(context={"values": {"a": 1}}), "/context/values/a", "string")
        self.refusal(body(context={"values": {"toolpost.x": "y"}}), "/context/values/toolpost.x", "reserved")
        self.refusal(body(context={"entries": {"a b": 1}}), "/context/entries/a b", "visible")
        self.refusal(body(context={"values": {f"v{i}": "" for i in range(65)}}), "/context/values", "at most 64")
        self.refusal(body(extra=1), "/extra", "unknown")
        self.refusal([1], "", "object")
        self.assertEqual(self.ask("GET", "/v1/sessions")[0]["sessions"], [])

    def test_a_full_principal_gets_429_and_others_their_place(self):
        for _ in range(4):
            last = self.create()
        self.refusal(body(), "", "limits.kept_sessions_per_principal", status=429)
        self.create(key=self.bob)
        self.ask("DELETE", "/v1/sessions/" + last["id"], status=204)
        self.create()
