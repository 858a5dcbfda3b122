"""Agents: what a profile shows and lets run, and whose keys reach it."""
import concurrent.futures
import json
import time

from harness import StdioHost, TestCase, message, problem, run_toolpost, text_of, wait_until

CONFIG = """
[approval]
wait_s = 0.3
[plugin.warehouse]
enabled = true
[agent.coder]
plugins = ["hello", "services"]
skills = ["file-invoices"]
[[agent.coder.rule]]
tool = "greet"
behavior = "deny"
[agent.looker]
mode = "explore"
needs_key = false
errors = "rpc-codes"
running = 1
queued = 1
[plugin.services.tool.hang]
timeout_s = 2
"""
SKILL = """---
name: {0}
description: About {0}.
---
Do {0}.
"""


class Agents(TestCase):
    def setUp(self):
        self.place = self.workspace("hello", "warehouse", "services", config=CONFIG)
        for name in ("file-invoices", "make-tea"):
            self.place.skill(name, SKILL.format(name))
        self.coder = self.key("ada", "--agent", "coder")
        self.boss = self.key("boss", "--scope", "call", "--scope", "approve", "--scope", "admin")
        self.plain = self.key("plain")
        self.hosted = self.http_host(self.place)

    def toolpost(self, *words, exit_code=0):
        done = run_toolpost(self.place, *words, "--config", self.place.config)
        self.assertEqual(done.returncode, exit_code, done)
        return done.stdout if exit_code == 0 else done.stderr

    def key(self, *words):
        return json.loads(self.toolpost("key", "new", *words, "--json"))["key"]

    def post(self, path, method, params=None, key=None, headers=None):
        """(status, headers, answer)"""
        connection = self.hosted.connect()
        fields = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        fields |= {"Authorization": f"Bearer {key}"} if key else {}
        fields |= headers or {}
        body = {"jsonrpc": "2.0", "id": 1, "method": method} | ({"params": params} if params else {})
        connection.request("POST", path, json.dumps(body), fields)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, answer.headers, json.loads(text) if text.startswith("{") else text

    def tools(self, path, key=None):
        status, _, answer = self.post(path, "tools/list", key=key)
        self.assertEqual(status, 200, answer)
        return {tool["name"] for tool in answer["result"]["tools"]}

    def call(self, path, tool, arguments=None, key=None, headers=None):
        return self.post(path, "tools/call", {"name": tool, "arguments": arguments or {}}, key, headers)[2]

    def test_an_agent_sees_what_its_profile_says(self):
        everything = self.tools("/mcp", self.plain)
        self.assertIn("priv_approve_order", everything)
        self.assertLessEqual({"echo", "greet", "get_orders", "kv_set", "Skill"}, everything)
        for path in ("/coder/mcp", "/mcp"):  # its key is its agent, wherever it calls
            seen = self.tools(path, self.coder)
            self.assertLessEqual({"echo", "kv_set", "Skill"}, seen)
            self.assertFalse(seen & {"greet", "get_orders"}, seen)
        self.assertEqual(text_of(self.call("/coder/mcp", "echo", {"text": "hi"}, self.coder)), "hi")
        hidden = self.call("/coder/mcp", "get_orders", key=self.coder)
        missing = self.call("/coder/mcp", "get_ordeals", key=self.coder)
        self.assertEqual(hidden["error"]["code"], -32602)
        self.assertEqual(hidden["error"]["message"].replace("get_orders", "get_ordeals"), missing["error"]["message"])
        self.assertEqual(self.tools("/looker/mcp", self.plain), everything)
        self.assertEqual(self.tools("/looker/mcp"), everything - {"priv_approve_order"})  # needs_key = false
        self.assertEqual(self.tools("/coder/mcp", self.boss), self.tools("/coder/mcp", self.coder))
        line = self.place.audit_lines()[0]
        self.assertEqual((line["principal"], line["agent"], line["tool"]), ("ada", "coder", "echo"))
        told = json.loads(self.toolpost("tools", "--json", "--agent", "coder"))
        self.assertEqual({tool["name"] for tool in told}, self.tools("/coder/mcp", self.coder))

    def test_rest_shows_the_same_to_its_key(self):
        connection = self.hosted.connect()
        names = {}
        for what in ("tools", "skills"):
            connection.request("GET", f"/v1/{what}", headers={"X-Agent-API-Key": self.coder})
            names[what] = {one["name"] for one in json.loads(connection.getresponse().read())[what]}
        self.assertEqual(names["tools"], self.tools("/mcp", self.coder))
        self.assertEqual(names["skills"], {"file-invoices"})
        connection.close()

    def test_an_agent_has_its_skills_and_no_other(self):
        text = text_of(self.call("/coder/mcp", "Skill", {"skill": "file-invoices"}, self.coder))
        self.assertIn("Do file-invoices", text)
        refused = self.call("/coder/mcp", "Skill", {"skill": "make-tea"}, self.coder)
        self.assertTrue(refused["result"]["isError"])
        self.assertNotIn("About make-tea", json.dumps(refused))
        listed = self.post("/coder/mcp", "tools/list", key=self.coder)[2]["result"]["tools"]
        self.assertNotIn("make-tea", json.dumps(listed))
        resources = self.post("/coder/mcp", "resources/list", key=self.coder)[2]
        self.assertIn("skill://file-invoices", json.dumps(resources))
        self.assertNotIn("make-tea", json.dumps(resources))
        read = self.post("/coder/mcp", "resources/read", {"uri": "skill://make-tea/SKILL.md"}, self.coder)[2]
        self.assertIn("error", read)
        self.assertIn("Do make-tea", text_of(self.call("/mcp", "Skill", {"skill": "make-tea"}, self.plain)))
        self.place.skill("file-invoices", SKILL.format("file-invoices").replace("About", "New about"))
        wait_until("the edit shows", lambda: "New about" in json.dumps(
            self.post("/coder/mcp", "tools/list", key=self.coder)[2]))

    def test_neither_figures_nor_faults_name_what_a_profile_hides(self):
        self.post("/mcp", "tools/call", {"name": "kv_get", "arguments": {"key": "k"}}, self.boss)
        status, _, answer = self.hosted.fetch("GET", "/metrics", key=self.coder)
        self.assertEqual((status, answer["type"]), (403, problem("denied")), answer)
        self.assertNotIn("kv_get", json.dumps(answer))
        for key in (self.plain, self.boss):
            status, _, page = self.hosted.fetch("GET", "/metrics", key=key)
            self.assertEqual(status, 200)
            self.assertIn('tool="kv_get"', page)
        self.place.skill("make-tea", "no front matter")
        self.place.skill("secret-plan", "no front matter")
        problems = lambda key: json.dumps(self.hosted.fetch("GET", "/v1/skills", key=key)[2]["problems"])
        wait_until("the host reports them", lambda: "make-tea" in problems(self.plain) and "secret-plan" in problems(self.plain))
        self.assertEqual(problems(self.coder), "[]")
        self.place.skill("file-invoices", "no front matter")
        wait_until("its own it sees", lambda: "file-invoices" in problems(self.coder))

    def test_whose_keys_reach_an_agent(self):
        status = lambda *words, **options: self.post(*words, **options)[0]
        self.assertEqual(status("/coder/mcp", "ping"), 401)  # nobody in particular
        refused, headers, answer = self.post("/coder/mcp", "ping", key=self.plain)
        self.assertEqual(refused, 403)
        self.assertIn("toolpost key new NAME --agent coder", answer["error"]["message"])
        self.assertEqual(status("/coder/mcp", "ping", key=self.coder), 200)
        self.assertEqual(status("/coder/mcp", "ping", key=self.boss), 200)
        self.assertEqual(status("/looker/mcp", "ping", key=self.coder), 403)
        self.assertEqual(status("/looker/mcp", "ping", key=self.plain), 200)
        self.assertEqual(status("/nobody/mcp", "ping", key=self.boss), 404)
        self.assertEqual(status("/coder/x/mcp", "ping", key=self.boss), 404)
        self.assertEqual(status("/coder/mcp", "ping", headers={"X-Agent-API-Key": self.coder}), 200)
        # It is nothing but a caller: it opens no page and has no other right.
        for scope in ("approve", "admin"):
            self.assertIn("scope call alone", self.toolpost("key", "new", "x", "--agent", "coder", "--scope", scope,
                                                            exit_code=2))
        self.assertIn("no [agent.nobody]", self.toolpost("key", "new", "x", "--agent", "nobody", exit_code=4))
        connection = self.hosted.connect()
        connection.request("POST", "/v1/login", json.dumps({"key": self.coder}), {"Content-Type": "application/json"})
        self.assertIn(connection.getresponse().status, (401, 403))
        connection.close()
        self.assertIn("coder", self.toolpost("key", "list"))

    def test_the_key_of_an_agent_that_is_gone_is_for_nothing(self):
        self.hosted.stop()
        self.place.write_config(self.place.config.read_text().replace("agent.coder", "agent.other"))
        self.hosted = self.http_host(self.place)
        for path in ("/mcp", "/other/mcp", "/coder/mcp"):
            status, _, answer = self.post(path, "tools/list", key=self.coder)
            self.assertEqual(status, 403)
            self.assertIn("not configured any more", answer["error"]["message"])

    def test_a_session_is_its_agents(self):
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        _, headers, answer = self.post("/coder/mcp", "initialize", hello, self.boss)
        self.assertNotIn("make-tea", answer["result"].get("instructions", ""))
        session = {"Mcp-Session-Id": headers["Mcp-Session-Id"]}
        self.assertEqual(self.post("/coder/mcp", "ping", key=self.boss, headers=session)[0], 200)
        self.assertEqual(self.post("/mcp", "ping", key=self.boss, headers=session)[0], 404)
        self.assertEqual(self.post("/coder/mcp", "ping", key=self.coder, headers=session)[0], 404)

    def test_its_mode_and_rules_decide(self):
        denied = self.call("/looker/mcp", "kv_set", {"key": "k", "value": "v"})
        self.assertIn("Denied", text_of(denied))
        asked = self.call("/mcp", "kv_set", {"key": "k", "value": "v"}, self.plain)
        self.assertIn("waits for a person", text_of(asked))
        told = self.toolpost("explain", "kv_set", '{"key":"k","value":"v"}', "--agent", "looker")
        self.assertIn("deny", told)
        self.assertIn("greet", self.toolpost("rules"))
        self.assertIn("agent coder", self.toolpost("rules"))

    def test_a_yes_and_an_always_are_its_own(self):
        probe = lambda path, key: text_of(self.call(path, "kv_set", {"key": "k", "value": "v"}, key))
        self.assertIn("waits for a person", probe("/coder/mcp", self.coder))
        one = json.loads(self.toolpost("approvals", "--json"))[0]
        self.assertEqual((one["principal"], one["agent"]), ("ada", "coder"))
        self.toolpost("approvals", "approve", one["id"], "--always")
        rule = json.loads(self.toolpost("rules", "--json"))["rules"][0]
        self.assertEqual((rule["principal"], rule["agent"], rule["rule"]["scope"]), ("ada", "coder", "principal"))
        self.assertIn("principal ada as agent coder", self.toolpost("rules"))
        wait_until("the rule holds", lambda: "waits" not in probe("/coder/mcp", self.coder))
        self.assertIn("waits for a person", probe("/mcp", self.plain))
        # Another principal as the same agent is asked, until a reviewer says it for the agent.
        self.assertIn("waits for a person", probe("/coder/mcp", self.boss))
        self.assertIn("waits for a person", probe("/mcp", self.boss))
        other = next(one for one in json.loads(self.toolpost("approvals", "--json"))
                     if one.get("agent") == "coder" and one["principal"] != "ada")
        self.toolpost("approvals", "approve", other["id"], "--always-for", "agent")
        wide = next(one for one in json.loads(self.toolpost("rules", "--json"))["rules"] if one["id"] != rule["id"])
        self.assertEqual((wide.get("principal"), wide["agent"], wide["rule"]["scope"]), (None, "coder", "agent"))
        for _ in range(2):  # the yes itself serves one run
            wait_until("the wide rule holds", lambda: "waits" not in probe("/coder/mcp", self.boss))
        self.assertIn("waits for a person", probe("/mcp", self.boss))
        self.toolpost("rules", "remove", wide["id"])
        self.toolpost("rules", "remove", rule["id"])
        wait_until("it is asked again", lambda: time.sleep(0.2) or "waits" in probe("/coder/mcp", self.coder))

    def test_an_always_for_a_session_is_for_no_other(self):
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        sessions = [{"Mcp-Session-Id": self.post("/mcp", "initialize", hello, self.plain)[1]["Mcp-Session-Id"]}
                    for _ in range(2)]
        probe = lambda session, key="k": json.dumps(
            self.call("/mcp", "kv_set", {"key": key, "value": "v"}, self.plain, session))
        self.assertIn("waits for a person", probe(sessions[0]))
        one = json.loads(self.toolpost("approvals", "--json"))[0]
        self.assertIn("no agent", self.toolpost("approvals", "approve", one["id"], "--always-for", "agent", exit_code=2))
        self.toolpost("approvals", "approve", one["id"], "--always-for", "session")
        wait_until("the rule holds", lambda: "waits" not in probe(sessions[0], "other"))
        self.assertIn("waits for a person", probe(sessions[1], "another"))  # the yes itself is the principal's
        self.assertIn("session " + sessions[0]["Mcp-Session-Id"], self.toolpost("rules"))
        self.assertNotIn("waits", probe(sessions[0]))  # by the rule, which uses the yes up
        self.assertIn("waits for a person", probe(sessions[1]))

    def test_codes_in_place_of_results_for_who_asked_for_them(self):
        error = lambda *words, **options: self.call(*words, **options)["error"]
        self.assertEqual(error("/looker/mcp", "no_such_tool")["code"], -32601)
        wrong = error("/looker/mcp", "echo", {"text": 1})
        self.assertEqual(wrong["code"], -32602)
        self.assertIn("/text", wrong["message"])
        self.assertTrue(self.call("/mcp", "echo", {"text": 1}, self.plain)["result"]["isError"])
        # What a tool says itself stays a result.
        self.assertTrue(self.call("/looker/mcp", "Skill", {"skill": "nope"})["result"]["isError"])

    def test_a_timeout_is_a_code_in_every_version_for_who_asked_for_codes(self):
        body, headers = message("tools/call", {"name": "hang", "arguments": {}}, "modern")
        answer = self.post("/looker/mcp", "tools/call", body["params"], headers=headers)[2]
        self.assertEqual(answer["error"]["code"], -32003, answer)
        other = self.post("/mcp", "tools/call", body["params"], self.plain, headers)[2]
        self.assertTrue(other["result"]["isError"], other)  # by the protocol

    def test_its_limits_hold_for_all_its_callers_together(self):
        self.hosted.stop()  # one with time for all of this while the first call runs
        self.place.write_config(self.place.config.read_text().replace("timeout_s = 2", "timeout_s = 8"))
        self.hosted = self.http_host(self.place)
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            began = []
            for key in (None, self.plain):  # one runs, one waits
                began.append(pool.submit(self.post, "/looker/mcp", "tools/call", {"name": "hang", "arguments": {}}, key))
                wait_until("it is there", lambda: len(self.hosted.fetch("GET", "/v1/calls", key=self.boss)[2]["calls"])
                           == len(began))
            states = sorted(one["state"] for one in self.hosted.fetch("GET", "/v1/calls", key=self.boss)[2]["calls"])
            self.assertEqual(states, ["queued", "running"])
            status, _, refused = self.post("/looker/mcp", "tools/call", {"name": "hang", "arguments": {}}, self.boss)
            self.assertEqual(status, 429, refused)
            self.assertIn('agent "looker" has 1 calls waiting', refused["error"]["message"])
            self.assertEqual(text_of(self.call("/mcp", "echo", {"text": "hi"}, self.plain)), "hi")
            for one in began:
                self.assertEqual(one.result()[2]["error"]["code"], -32003)

    def test_stdio_serves_one_agent(self):
        host = StdioHost(self.place, "--agent", "coder")
        self.addCleanup(host.stop)
        host.initialize()
        names = {tool["name"] for tool in host.request("tools/list")["result"]["tools"]}
        self.assertLessEqual({"echo", "Skill"}, names)
        self.assertFalse(names & {"greet", "get_orders"}, names)
        self.assertIn("no [agent.nobody]", self.toolpost("serve", "--stdio", "--agent", "nobody", exit_code=4))
        self.toolpost("serve", "--agent", "coder", exit_code=2)
