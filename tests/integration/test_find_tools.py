"""Tools for models with very many tools: find_tools finds them, call_tool calls what was found as if by its name."""
import contextlib
import json
import sys

import large_catalog
from harness import SOURCE, TestCase, last_message, message, run_toolpost, text_of, wait_until

CONFIG = """
[groups]
search_above = 3
[plugin.warehouse]
enabled = true
[approval]
wait_s = 0.1
[[group]]
name = "store"
description = "Parts in the storage room."
instructions = "Locations are numbers."
plugins = ["warehouse"]
[[group]]
name = "time"
description = "Clocks of the world."
active = true
tools = ["get_current_time"]
"""


class FindTools(TestCase):
    def setUp(self):
        self.place = self.workspace("hello", "clock", "warehouse", config=CONFIG)
        self.host = self.http_host(self.place)

    def create(self, **members):
        status, _, made = self.host.fetch("POST", "/v1/sessions", {"customizations": {}} | members)
        self.assertEqual(status, 201, made)
        return f"/mcp/s/{made['id']}"

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

    def call(self, path, tool, arguments):
        return self.ask(path, "tools/call", {"name": tool, "arguments": arguments})

    def find(self, path, query, **more):
        answer = self.call(path, "find_tools", {"query": query} | more)
        self.assertNotIn("isError", answer["result"], answer)
        return answer["result"]["structuredContent"]["tools"]

    def fails(self, answer, words):
        self.assertTrue(answer["result"]["isError"], answer)
        self.assertIn(words, text_of(answer))

    def test_it_is_offered_where_more_tools_can_be_reached_than_the_limit(self):
        # Without a session: echo, greet and get_current_time, which are three. With one: the warehouse's too.
        self.assertFalse({"find_tools", "call_tool"} & self.names("/mcp"))
        self.assertIn("error", self.call("/mcp", "find_tools", {"query": "time"}))
        self.assertLessEqual({"find_tools", "call_tool"}, self.names(self.create()))
        narrow = self.create(customizations={"extensions": {"mcpProviders": ["hello", "clock"]}})
        self.assertFalse({"find_tools", "call_tool"} & self.names(narrow))

    def test_tools_are_found_by_words_of_names_descriptions_and_groups(self):
        session = self.create()
        self.assertEqual(self.find(session, "what time is it in Tokyo?")[0]["name"], "get_current_time")
        found = self.find(session, "storage room")  # words of the group alone
        self.assertEqual({tool["group"] for tool in found}, {"store"})
        self.assertEqual({tool["active"] for tool in found}, {False})
        best = self.find(session, "the order list", limit=1)
        self.assertEqual([tool["name"] for tool in best], ["get_orders"])
        self.assertEqual(best[0]["inputSchema"]["type"], "object")
        names = {tool["name"] for tool in self.find(session, "stock order move time tool skill todo", limit=50)}
        self.assertFalse(names & {"find_tools", "call_tool", "todo_write", "ask_user", "reset_tools"})
        self.assertFalse({name for name in names if name.startswith(("post_", "_", "priv_"))}, names)
        for nothing in ("xyzzy", "!!! ???", "\u0000 \" OR xyzzy:*"):
            answer = self.call(session, "find_tools", {"query": nothing})
            self.assertIn("No tool fits", text_of(answer))
            self.assertEqual(answer["result"]["structuredContent"], {"tools": []})
        self.fails(self.call(session, "find_tools", {"query": ""}), "/query")
        self.fails(self.call(session, "find_tools", {"query": "x", "limit": 51}), "/limit")
        self.fails(self.call(session, "find_tools", {"query": "x" * 501}), "/query")

    def test_found_tools_are_activated_in_addition_to_active_groups(self):
        session = self.create()
        self.fails(self.call(session, "get_orders", {}), 'group "store"')
        self.fails(self.call(session, "call_tool", {"name": "get_orders"}), 'group "store"')
        answer = self.call(session, "find_tools", {"query": "list of orders", "limit": 1, "activate": True})
        self.assertIn('<group name="store">Parts in the storage room.\nLocations are numbers.</group>', text_of(answer))
        self.assertTrue(answer["result"]["structuredContent"]["tools"][0]["active"])
        self.assertLessEqual({"get_orders", "get_current_time"}, self.names(session))
        self.assertNotIn("isError", self.call(session, "get_orders", {})["result"])
        again = self.call(session, "find_tools", {"query": "list of orders", "limit": 1, "activate": True})
        self.assertNotIn("<group", text_of(again))

    def test_a_call_by_call_tool_is_a_call_of_the_tool_itself(self):
        session = self.create(groups=["store", "time"])
        answer = self.call(session, "call_tool", {"name": "echo", "arguments": {"text": "hi"}})
        direct = self.call(session, "echo", {"text": "hi"})
        self.assertEqual(answer["result"], direct["result"])
        by_search, by_name = self.place.audit_lines()[-2:]
        for member in ("tool", "plugin", "provider", "decision", "rule", "outcome", "args_sha256"):
            self.assertEqual(by_search.get(member), by_name.get(member), member)
        self.assertEqual(by_search["tool"], "echo")
        # Also for an operator who asks why.
        place = self.workspace("hello", config="[groups]\nsearch_above = 1")
        by_search, by_name, unknown = (
            run_toolpost(place, "explain", *given, "--config", place.config)
            for given in (["call_tool", '{"name":"echo","arguments":{"text":"hi"}}'], ["echo", "text=hi"],
                          ["call_tool", '{"name":"nosuch"}']))
        self.assertEqual((by_search.returncode, by_search.stdout), (0, by_name.stdout), by_search.stderr)
        self.assertIn('There is no tool "nosuch"', unknown.stderr)

        # The gate and the arguments are the tool's own.
        move = {"order": "o-1", "item": "bolt-m8", "location": 1, "quantity": 7}
        self.fails(self.call(session, "call_tool", {"name": "pre_reserve_stock", "arguments": move}), "waits for a person")
        waiting = self.host.fetch("GET", "/v1/approvals")
        self.assertIn(waiting[0], (200, 401))
        self.assertEqual(self.place.audit_lines()[-1]["tool"], "pre_reserve_stock")
        self.fails(self.call(session, "call_tool", {"name": "pre_reserve_stock", "arguments": {"order": 1}}), "/order")

        for arguments, words in (({}, "name"), ({"name": 1}, "/name"), ({"name": "echo", "arguments": []}, "/arguments"),
                                 ({"name": "call_tool"}, "cannot call itself"), ({"name": "no_such"}, 'no tool "no_such"'),
                                 ({"name": "_internal"}, "no tool"), ({"name": "echo", "more": 1}, "more")):
            self.fails(self.call(session, "call_tool", arguments), words)

    def test_rules_hold_for_the_tool_that_is_called(self):
        self.host.stop()
        denials = "".join(f'[[rule]]\ntool = "{tool}"\nbehavior = "deny"\n' for tool in ("echo", "reset_tools"))
        self.place.write_config(self.place.config.read_text() + denials)
        self.host = self.http_host(self.place)
        session = self.create()
        self.assertNotIn("echo", {tool["name"] for tool in self.find(session, "echo text back", limit=50)})
        self.fails(self.call(session, "call_tool", {"name": "echo", "arguments": {"text": "hi"}}), "denied")
        line = self.place.audit_lines()[-1]
        self.assertEqual((line["tool"], line["decision"], line["outcome"]), ("echo", "deny", "denied"))

        # Who may not call reset_tools switches no groups by a search.
        activate = {"query": "list of orders", "activate": True}
        self.fails(self.call(session, "find_tools", activate), "may not activate groups")
        self.fails(self.call(session, "get_orders", {}), 'group "store"')

    def test_groups_are_activated_only_where_reset_tools_is_allowed_without_an_approval(self):
        self.host.stop()
        rule = '[[agent.{0}.rule]]\ntool = "reset_tools"\nbehavior = "ask"\n'.format
        self.place.write_config(self.place.config.read_text() + "[agent.asked]\nneeds_key = false\n" + rule("asked")
                                + '[agent.strict]\nneeds_key = false\nmode = "dont_ask"\n' + rule("strict"))
        self.host = self.http_host(self.place)
        activate = {"query": "list of orders", "activate": True}
        asked = "/asked" + self.create(customizations={"agentId": "asked"})
        answer = self.call(asked, "find_tools", activate)
        self.assertNotIn("isError", answer["result"], answer)
        self.assertIn("No group was activated", text_of(answer))
        self.assertIn("get_orders", {tool["name"] for tool in answer["result"]["structuredContent"]["tools"]})
        self.assertFalse(answer["result"]["structuredContent"]["tools"][0]["active"])
        strict = "/strict" + self.create(customizations={"agentId": "strict"})
        self.fails(self.call(strict, "find_tools", activate), "may not activate groups")
        for session in (asked, strict):
            self.fails(self.call(session, "get_orders", {}), 'group "store"')
            self.assertNotIn("get_orders", self.names(session))


class LargeCatalog(TestCase):
    """Ten thousand tools of five upstream servers in two hundred groups. One group of each server is active."""
    ACTIVE = ("github_pull_request", "gitlab_pipeline", "jira_issue", "linear_ticket", "asana_task")
    ask, call, create, names = FindTools.ask, FindTools.call, FindTools.create, FindTools.names

    def test_what_models_ask_for_is_among_the_first_five(self):
        place = self.workspace()
        double = SOURCE / "tests/integration/upstreams/double.py"
        place.write_config(place.config.read_text() + "[approval]\nwait_s = 0.1\n"
                           + large_catalog.config(sys.executable, double, place.root, active=self.ACTIVE))
        self.host = self.http_host(place)
        session = self.create()

        def listed():
            names, cursor = [], {}
            while cursor is not None:
                page = self.ask(session, "tools/list", cursor)["result"]
                names += [tool["name"] for tool in page["tools"] if tool["name"].startswith("mcp__")]
                cursor = {"cursor": page["nextCursor"]} if "nextCursor" in page else None
            return names
        groups = large_catalog.groups()
        wait_until("all upstreams were read", lambda: len(listed()) >= 50 * len(self.ACTIVE), timeout_s=300)
        self.assertEqual(listed(), sorted(large_catalog.served(tool["name"])
                                          for group in self.ACTIVE for tool in groups[group][1]))
        def found(query):
            tools = self.call(session, "find_tools", {"query": query})["result"]["structuredContent"]["tools"]
            return [one["name"] for one in tools]
        ranks = {}
        for question, tool in large_catalog.QUESTIONS:
            wanted = large_catalog.served(tool)
            with contextlib.suppress(AssertionError):  # the upstreams of inactive groups may not be read yet
                wait_until("its upstream was read", lambda: wanted in found(question), timeout_s=60)
            names = found(question)
            self.assertEqual(len(names), 5)
            ranks[question] = names.index(wanted) + 1 if wanted in names else names
        self.assertEqual({question: rank for question, rank in ranks.items() if rank not in range(1, 6)}, {})
        # A tool of a group that is not active is found, activated and called.
        wanted = large_catalog.served("workday_approve_vacation_request")
        self.assertNotIn(wanted, listed())
        self.assertIn("is not active", text_of(self.call(session, wanted, {"id": "1"})))
        self.call(session, "find_tools", {"query": "approve a vacation request", "limit": 1, "activate": True})
        self.assertIn("waits for a person", text_of(self.call(session, wanted, {"id": "1"})))
