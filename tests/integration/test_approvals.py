"""Calls that wait for a person: the answer comes by another process, later than the client waits, or after a kill."""
import concurrent.futures
import contextlib
import json
import os
import signal
import sqlite3
import unittest

from harness import LEGACY, TestCase, last_message, message, problem, run_toolpost, text_of, wait_until

MOVE = {"order": "o-1", "item": "bolt-m8", "location": 1, "quantity": 7}


class Approvals(TestCase):
    def setUp(self):
        self.pool = concurrent.futures.ThreadPoolExecutor(8)
        self.addCleanup(self.pool.shutdown)

    def host(self, wait_s=30, expire_s=300, sticky_s=60, limits=()):
        self.place = self.workspace("warehouse", config="\n".join([
            f"[approval]\nwait_s = {wait_s}\nexpire_s = {expire_s}\nreject_sticky_s = {sticky_s}",
            "[plugin.warehouse]\nenabled = true", "[limits]", *limits]))
        return self.http_host(self.place)

    def verb(self, *words, exit_code=0):
        done = run_toolpost(self.place, "approvals", *words, "--config", self.place.config)
        self.assertEqual(done.returncode, exit_code, done)
        return done.stdout if exit_code == 0 else done.stderr

    def waiting(self, *words):
        return json.loads(self.verb("--json", *words))

    def only_one(self):
        return wait_until("one waits", lambda: len(self.waiting()) == 1 and self.waiting()[0])["id"]

    def begin(self, host, arguments=None):
        return self.pool.submit(host.call, "pre_reserve_stock", arguments or MOVE)

    def orders(self, host):
        return json.loads(text_of(host.call("get_orders")))["orders"]

    def ends(self, answer, words):
        self.assertTrue(answer["result"]["isError"], answer)
        self.assertIn(words, text_of(answer))

    def test_the_list_has_no_end_before_the_last(self):
        host = self.host(wait_s=0.1)
        self.ends(host.call("pre_reserve_stock", MOVE), "waits for a person")
        one = self.only_one()
        with contextlib.closing(sqlite3.connect(
                self.place.root / "home/.local/state/toolpost/toolpost.db", timeout=30)) as store, store:
            columns = [row[1] for row in store.execute("PRAGMA table_info(approval)")]
            others = ", ".join(name for name in columns if name != "id")
            store.executemany(f"INSERT INTO approval (id, {others}) SELECT ?, {others} FROM approval WHERE id = ?",
                              [(f"ap_copy{number}", one) for number in range(2100)])
        self.assertEqual(len({record["id"] for record in self.waiting()}), 2101)
        self.assertEqual(len(self.verb().splitlines()), 2102)  # with the heading

    def test_a_call_that_waits_runs_with_the_yes_of_another_process(self):
        host = self.host()
        call = self.begin(host)
        one = self.only_one()
        shown = self.verb("show", one)
        self.assertIn("pre_reserve_stock of warehouse", shown)
        self.assertIn('"quantity":7', shown)
        self.assertNotIn("[[rule]]", shown)  # no rule passes a pre_ tool
        self.assertEqual(self.orders(host), [])
        self.assertIn("approved", self.verb("approve", one))
        self.assertFalse(call.result()["result"].get("isError"), call.result())
        self.assertEqual(len(self.orders(host)), 1)
        line = self.place.audit_lines()[-2]
        self.assertEqual((line["decision"], line["rule"], line["outcome"]), ("ask", "person", "ok"))
        self.assertIn("used", self.verb("--all"))

    def test_a_client_that_gives_up_finds_its_answer_with_the_next_call(self):
        host = self.host(wait_s=0.2)
        self.ends(host.call("pre_reserve_stock", MOVE), "waits for a person's approval")
        one = self.only_one()
        self.ends(host.call("pre_reserve_stock", MOVE), one)  # the same question, not another
        self.ends(host.call("pre_reserve_stock", MOVE | {"quantity": 8}), "waits for")
        self.verb("approve", one)
        self.assertEqual(self.orders(host), [])  # a yes runs nothing by itself
        self.assertFalse(host.call("pre_reserve_stock", MOVE)["result"].get("isError"))
        self.assertEqual([order["quantity"] for order in self.orders(host)], [7])
        again = host.call("pre_reserve_stock", MOVE | {"order": "o-2"})
        self.ends(again, "waits for")  # one run, and of that call alone
        self.assertIn("already; nothing changed", self.verb("approve", one, exit_code=1))
        told = run_toolpost(self.place, "approvals", "approve", one, "--json", "--config", self.place.config)
        self.assertEqual(told.returncode, 1, told)
        self.assertIn("already; nothing changed", json.loads(told.stdout)["error"]["message"])

    def leave(self, host, arguments, headers=None, request_id=1):
        """Sends a call and closes the socket before the answer, once its question is there."""
        connection = host.connect()
        body, fields = message("tools/call", {"name": "pre_reserve_stock", "arguments": arguments}, "bare", request_id)
        connection.request("POST", "/mcp", json.dumps(body), {"Content-Type": "application/json", **fields,
                                                              **(headers or {})})
        one = self.only_one()
        connection.close()
        return one

    def open_session(self, host, version=LEGACY):
        initialize = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        answer = host.post(message("initialize", initialize, "bare")[0])
        return {"Mcp-Session-Id": answer[1]["mcp-session-id"], "MCP-Protocol-Version": version}

    def test_the_yes_to_a_client_that_hung_up_is_kept_for_its_next_call_and_runs_once(self):
        host = self.host()
        plain = {"Accept": "application/json"}
        streamed = {"Accept": "application/json, text/event-stream"}
        ways = [None, self.open_session(host) | plain, self.open_session(host) | streamed,
                self.open_session(host, "2025-03-26") | plain]
        for number, headers in enumerate(ways):
            arguments = MOVE | {"order": f"o-{number}"}
            one = self.leave(host, arguments, headers)
            wait_until("the call has ended", lambda n=number: [
                line["outcome"] for line in self.place.audit_lines()].count("pending") == n + 1)
            self.verb("approve", one)
            self.assertEqual(len(self.orders(host)), number, "a yes runs nothing by itself")
            other_order = dict(reversed(arguments.items()))
            again = host.call("pre_reserve_stock", other_order, headers=headers, request_id=2)
            self.assertFalse(again["result"].get("isError"), again)
            self.assertEqual(len(self.orders(host)), number + 1)
            self.assertEqual(self.waiting(), [])
        states = [one["state"] for one in json.loads(self.verb("--json", "--all"))]
        self.assertEqual(states, ["used"] * len(ways))

    def test_the_retry_of_a_client_that_hung_up_meets_its_question(self):
        host = self.host()
        one = self.leave(host, MOVE)
        again = self.begin(host, dict(reversed(MOVE.items())))  # perhaps before the host saw that the first is gone
        wait_until("one is left, and the retry waits", lambda: [
            line["outcome"] for line in self.place.audit_lines()] == ["pending"] and len(self.waiting()) == 1)
        self.verb("approve", self.only_one())
        self.assertFalse(again.result()["result"].get("isError"), again.result())
        self.assertEqual(len(self.orders(host)), 1)
        self.assertEqual(self.waiting(), [])
        states = {record["id"]: record["state"] for record in json.loads(self.verb("--json", "--all"))}
        self.assertEqual(sorted(states.values()).count("used"), 1, states)
        self.assertIn(states[one], ("used", "withdrawn"))
        third = self.leave(host, MOVE)
        self.assertNotIn(third, states, "each run needs a yes of its own")

    def rebuild(self, host, change):
        """The plugin with other bytes, once it serves; what it had in memory is gone."""
        built = self.place.root / "built.so"
        old = (self.place.root / "plugins/warehouse.so").read_bytes()
        built.write_bytes(change(old))
        self.assertNotEqual(built.read_bytes(), old)
        before = self.builds(host)
        self.place.drop("warehouse", built)
        wait_until("the new build serves", lambda: self.builds(host) > before)

    def builds(self, host):
        return sum(" plugin: serves " in line for line in host.errors)

    def test_a_yes_is_for_one_build_and_its_definition(self):
        host = self.host(wait_s=0)
        for order in ("o-1", "o-2"):
            self.ends(host.call("pre_reserve_stock", MOVE | {"order": order}), "waits for")
        for one in self.waiting():
            self.verb("approve", one["id"])
        self.rebuild(host, lambda library: library + b"\0")  # other bytes, which say the same of themselves
        again = host.call("pre_reserve_stock", MOVE)
        self.ends(again, "waits for")
        self.assertIn("the plugin's build has changed since this was approved", text_of(again))
        self.assertEqual(self.orders(host), [])
        asked = {one["build"] for one in json.loads(self.verb("--json", "--all"))}
        self.assertEqual(len(asked), 2)
        self.assertRegex(" ".join(asked), r"sha256:[0-9a-f]{64}")
        self.assertIn(self.waiting()[0]["build"], self.verb("show", self.only_one()))
        self.rebuild(host, lambda library: library[:-1])  # the bytes that the yes was given for
        self.assertFalse(host.call("pre_reserve_stock", MOVE)["result"].get("isError"))
        self.assertEqual(len(self.orders(host)), 1)
        tools = host.request("tools/list")["result"]["tools"]
        schema = next(tool["inputSchema"] for tool in tools if tool["name"] == "pre_reserve_stock")
        said = max((one.get("description", "") for one in schema["properties"].values()), key=len).encode()
        self.rebuild(host, lambda library: library.replace(said, said.swapcase()))
        self.ends(host.call("pre_reserve_stock", MOVE | {"order": "o-2"}), "waits for")
        self.assertEqual(len(self.orders(host)), 0)

    def test_who_approves_a_call_of_an_earlier_build_is_told_so(self):
        host = self.host(wait_s=0)
        made = run_toolpost(self.place, "key", "new", "boss", "--scope", "approve", "--json", "--config", self.place.config)
        key = json.loads(made.stdout)["key"]
        orders = [f"o-{number}" for number in range(6)]
        for order in orders:
            self.ends(host.call("pre_reserve_stock", MOVE | {"order": order}), "waits for")
        waiting = [one["id"] for one in reversed(self.waiting())]

        def by_rest(one, decision="approve"):
            digest = json.loads(self.verb("show", one, "--json"))["digest"]
            status, _, said = host.fetch("POST", f"/v1/approvals/{one}", {"decision": decision, "digest": digest}, key)
            self.assertEqual(status, 200, said)
            return said
        wait_until("the key is known", lambda: host.fetch("GET", "/v1/approvals", key=key)[0] == 200)
        self.assertNotIn("warning", by_rest(waiting[0]))
        self.assertNotIn("warning", self.verb("approve", waiting[1]))
        self.rebuild(host, lambda library: library + b"\0")
        said = self.verb("approve", waiting[2])
        self.assertIn("approved", said)
        self.assertIn('warning: the plugin "warehouse" has changed', said)
        self.assertIn("asks again", json.loads(self.verb("approve", waiting[3], "--json"))["warning"])
        self.assertIn("asks again", by_rest(waiting[4])["warning"])
        self.assertNotIn("warning", by_rest(waiting[5], "reject"))
        self.ends(host.call("pre_reserve_stock", MOVE | {"order": "o-2"}), "waits for")

    def test_a_call_that_waits_runs_in_the_build_that_was_asked_about(self):
        host = self.host()
        call = self.begin(host)
        one = self.only_one()
        self.rebuild(host, lambda library: library + b"\0")
        self.verb("approve", one)
        self.assertFalse(call.result()["result"].get("isError"), call.result())
        self.assertEqual(self.orders(host), [])  # the new build has not seen it

    def test_a_client_that_says_yes_later_says_it_to_the_build_that_asked(self):
        self.place = self.workspace("warehouse", config="\n".join([
            '[approval]\nask = ["client"]', "[plugin.warehouse]\nenabled = true"]))
        host = self.http_host(self.place)

        def ask(**more):
            body, headers = message("tools/call", {"name": "pre_reserve_stock", "arguments": MOVE} | more, "modern")
            body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = {"elicitation": {}}
            return last_message(host.post(body, headers)[2])["result"]

        def yes(asked):
            key, = asked["inputRequests"]
            return {"requestState": asked["requestState"], "inputResponses": {key: {"action": "accept", "content": {}}}}

        asked = ask()
        self.rebuild(host, lambda library: library + b"\0")
        asked_again = ask(**yes(asked))
        self.assertIn("inputRequests", asked_again, asked_again)
        self.assertEqual(self.orders(host), [])
        self.assertFalse(ask(**yes(asked_again)).get("isError"))
        self.assertEqual(len(self.orders(host)), 1)

    def test_always_is_a_rule_until_somebody_removes_it(self):
        self.place = self.workspace("services", config="[approval]\nwait_s = 0.3\nexpire_s = 300")
        host = self.http_host(self.place)
        probe = lambda: host.call("kv_set", {"key": "k", "value": "v"})
        self.ends(probe(), "waits for")
        one = self.only_one()
        self.assertIn('tool = "kv_set"', self.waiting()[0]["suggestions"][0])
        self.assertIn("approved", self.verb("approve", one, "--always"))
        for _ in range(2):  # the yes serves one run, the rule all others, once the host has seen it
            wait_until("it runs", lambda: not probe()["result"].get("isError"))
        self.assertRegex(self.place.audit_lines()[-1]["rule"], r"^rule rule_\S+ \(always, by cli:")
        self.assertEqual(self.waiting(), [])
        stored = self.rules()
        self.assertEqual((len(stored), stored[0]["rule"]["behavior"]), (1, "allow"))
        self.assertEqual((stored[0]["rule"]["scope"], stored[0]["principal"]), ("principal", "local"))  # and not what it was when it was suggested
        self.assertEqual(stored[0]["rule"]["source"], f"{stored[0]['id']} ({stored[0]['source']})")
        os.kill(host.child.pid, signal.SIGKILL)
        host.wait()
        host = self.http_host(self.place)
        self.assertFalse(probe()["result"].get("isError"))
        host.stop()
        asks_nobody = self.place.config.read_text().replace("[approval]", "[approval]\nask = []")
        self.place.write_config(asks_nobody)  # nobody is asked, and what was said holds
        host = self.http_host(self.place)
        self.assertFalse(probe()["result"].get("isError"))
        explained = run_toolpost(self.place, "explain", "kv_set", "key=k", "value=v", "--config", self.place.config).stdout
        self.assertIn(stored[0]["id"], explained)
        removed = run_toolpost(self.place, "rules", "remove", stored[0]["id"], "--config", self.place.config)
        self.assertEqual(removed.returncode, 0, removed)
        line = self.place.audit_lines("rule")[-1]
        self.assertEqual((line["id"], line["principal"], line["outcome"]), (stored[0]["id"], "local", "removed"))
        wait_until("it would be asked again", lambda: probe()["result"].get("isError"))
        self.assertEqual(self.rules(), [])
        again = run_toolpost(self.place, "rules", "remove", stored[0]["id"], "--config", self.place.config)
        self.assertEqual(again.returncode, 4)

    def test_a_run_by_the_rule_of_an_always_leaves_no_second_run_behind(self):
        host, _, answer = self.reviewer("[approval]\nwait_s = 0\nexpire_s = 300")
        probe = lambda key: host.call("kv_set", {"key": key, "value": "v"})["result"].get("isError", False)
        answers = {"cli": lambda: self.verb("approve", self.only_one(), "--always"),
                   "rest": lambda: self.assertEqual(answer(always=True)[0], 200)}
        for name, approve in answers.items():
            with self.subTest(name):
                self.assertTrue(probe(name))
                asked = self.only_one()
                approve()
                rule, = self.rules()
                wait_until("the rule holds", lambda: not probe("another call"))
                self.assertFalse(probe(name))
                self.assertIn(rule["id"], self.place.audit_lines()[-1]["rule"])
                states = {one["id"]: one["state"] for one in json.loads(self.verb("--json", "--all"))}
                self.assertEqual(states[asked], "used")
                self.toolpost_ok("rules", "remove", rule["id"])
                wait_until("the rule is gone", lambda: probe("a third call"))
                self.assertTrue(probe(name))
                self.verb("reject", "--all")

    def toolpost_ok(self, *words):
        done = run_toolpost(self.place, *words, "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)

    def rules(self):
        return json.loads(run_toolpost(self.place, "rules", "--json", "--config", self.place.config).stdout)["rules"]

    def test_what_is_asked_every_time_has_no_always(self):
        host = self.host(wait_s=0.2)
        self.ends(host.call("pre_reserve_stock", MOVE), "waits for")
        self.assertIn("each call of a pre_ tool needs an approval, unless its auto_approve is true",
                      self.verb("approve", self.only_one(), "--always", exit_code=2))
        self.assertEqual(self.waiting()[0]["state"], "pending")
        self.assertEqual(self.rules(), [])

    def test_a_question_and_a_yes_outlive_a_killed_host(self):
        host = self.host(wait_s=0.2)
        for quantity in (1, 2):
            self.ends(host.call("pre_reserve_stock", MOVE | {"quantity": quantity}), "waits for")
        first, second = [one["id"] for one in reversed(self.waiting())]
        self.verb("approve", first)
        os.kill(host.child.pid, signal.SIGKILL)
        host.wait()
        host = self.http_host(self.place)
        self.assertFalse(host.call("pre_reserve_stock", MOVE | {"quantity": 1})["result"].get("isError"))
        self.ends(host.call("pre_reserve_stock", MOVE | {"quantity": 2}), second)
        self.verb("approve", second)
        answer = host.call("pre_reserve_stock", MOVE | {"quantity": 2})
        self.assertIn("o-1", text_of(answer))
        self.assertNotIn("waits for", text_of(answer))

    def test_a_no_is_told_with_its_reason_and_stands_for_a_while(self):
        host = self.host()
        call = self.begin(host)
        self.verb("reject", self.only_one(), "--note", "not on a Friday")
        self.ends(call.result(), "A person denied")
        self.assertIn("not on a Friday", text_of(call.result()))
        self.ends(host.call("pre_reserve_stock", MOVE), "not on a Friday")  # nobody is asked again
        self.assertEqual(self.waiting(), [])
        self.assertEqual(self.orders(host), [])

    def test_a_question_that_nobody_answers_is_a_no(self):
        host = self.host(wait_s=20, expire_s=1)
        self.ends(host.call("pre_reserve_stock", MOVE), "Nobody answered in time")
        self.assertEqual([one["state"] for one in self.waiting("--all")], ["expired"])

    def test_edited_arguments_run_and_are_held_to_the_schema(self):
        host = self.host()
        call = self.begin(host)
        one = self.only_one()
        self.assertIn("JSON object", self.verb("approve", one, "--arguments", "[1]", exit_code=2))
        self.verb("approve", one, "--arguments", json.dumps(MOVE | {"quantity": 3}))
        self.assertIn('"quantity":3', text_of(call.result()))
        self.is_told_of_edits(call.result(), ["quantity"])
        line = self.place.audit_lines()[-1]
        self.assertEqual((line["tool"], line["rule"], line["outcome"]), ("pre_reserve_stock", "person", "ok"))
        call = self.begin(host, MOVE | {"order": "o-2"})
        one = self.only_one()
        for edited, why in (({"order": "o-2"}, "is missing"), (MOVE | {"quantity": "many"}, "/quantity"),
                            (MOVE | {"attachments": []}, "/attachments")):
            said = self.verb("approve", one, "--arguments", json.dumps(edited), exit_code=2)
            self.assertIn(why, said)
            self.assertIn("pre_reserve_stock", said)
            self.assertEqual(self.waiting()[0]["state"], "pending")
        self.verb("approve", one, "--arguments", json.dumps(MOVE | {"order": "o-2", "quantity": 4, "item": "nut-m8"}))
        self.assertFalse(call.result()["result"].get("isError"), call.result())
        self.is_told_of_edits(call.result(), ["item", "quantity"])
        call = self.begin(host, MOVE | {"order": "o-3"})
        self.verb("approve", self.only_one(), "--arguments", json.dumps(dict(reversed((MOVE | {"order": "o-3"}).items()))))
        self.is_told_of_edits(call.result(), [])
        self.assertEqual(sorted(order["quantity"] for order in self.orders(host)), [3, 4, 7])

    def is_told_of_edits(self, answer, members):
        """The caller reads which members a reviewer changed, and not to what."""
        result = answer["result"]
        self.assertEqual(result.get("_meta", {}).get("io.toolpost/edited", []), members, answer)
        told = [block["text"] for block in result["content"] if "A reviewer changed" in block.get("text", "")]
        self.assertEqual(told, [f"A reviewer changed the arguments of this call: {', '.join(members)}."] if members else [])

    def states(self):
        """Of all requests, by their arguments' key."""
        return {json.loads(one["arguments_text"])["key"]: one["state"] for one in self.waiting("--all")}

    def test_a_call_that_waits_runs_by_a_rule_that_an_always_stored(self):
        self.place = self.workspace("services", config="[approval]\nwait_s = 60\nexpire_s = 300")
        host = self.http_host(self.place)
        calls = {key: self.pool.submit(host.call, "kv_set", {"key": key, "value": "v"}) for key in "abc"}
        wait_until("all wait", lambda: len(self.waiting()) == 3)
        ids = {json.loads(one["arguments_text"])["key"]: one["id"] for one in self.waiting()}
        self.verb("approve", ids["a"], "--always")
        for key, call in calls.items():
            self.assertFalse(call.result()["result"].get("isError"), call.result())
            self.assertEqual(call.result()["result"].get("_meta"), None)
        self.assertEqual(self.waiting(), [])
        self.assertEqual(self.states(), {"a": "used", "b": "withdrawn", "c": "withdrawn"})
        rules = sorted(line["rule"].split()[0] for line in self.place.audit_lines())
        self.assertEqual(rules, ["person", "rule", "rule"])

    def test_a_question_of_a_call_that_a_rule_lets_run_is_withdrawn(self):
        self.place = self.workspace("services", config="[approval]\nwait_s = 0.2\nexpire_s = 300")
        host = self.http_host(self.place)
        for key in "ab":
            self.ends(host.call("kv_set", {"key": key, "value": "v"}), "waits for")
        ids = {json.loads(one["arguments_text"])["key"]: one["id"] for one in self.waiting()}
        self.verb("approve", ids["b"], "--always")
        wait_until("it runs by the rule", lambda: not host.call("kv_set", {"key": "a", "value": "v"})["result"].get("isError"))
        self.assertEqual(self.waiting(), [])
        self.assertEqual(self.states(), {"a": "withdrawn", "b": "approved"})

    def test_a_question_of_a_call_that_an_edited_rule_lets_run_is_withdrawn(self):
        self.place = self.workspace("services", config="[approval]\nwait_s = 0.2\nexpire_s = 300")
        host = self.http_host(self.place)
        for key in "ab":
            self.ends(host.call("kv_set", {"key": key, "value": "v"}), "waits for")
        self.place.write_config(self.place.config.read_text() + '[[rule]]\ntool = "kv_set"\nbehavior = "allow"\n')
        wait_until("the host uses the rule", lambda: self.place.audit_lines("config"))
        done = host.call("kv_set", {"key": "a", "value": "v"})
        self.assertFalse(done["result"].get("isError"), done)
        self.assertEqual(self.states(), {"a": "withdrawn", "b": "pending"})

    def test_a_call_that_waits_is_denied_once_its_session_only_explores(self):
        host = self.host()
        session = host.fetch("POST", "/v1/sessions", {})[2]
        body, fields = message("tools/call", {"name": "pre_reserve_stock", "arguments": MOVE}, "bare")

        def call():
            connection = host.connect()
            connection.request("POST", f"/mcp/s/{session['id']}", json.dumps(body),
                               {"Content-Type": "application/json"} | fields)
            return json.loads(connection.getresponse().read())
        answer = self.pool.submit(call)
        self.only_one()
        path = "/v1/sessions/" + session["id"]
        self.assertEqual(host.fetch("PATCH", path, {"context": {}, "version": 1})[0], 200)  # changes nothing for it
        self.assertEqual(host.fetch("PATCH", path, {"mode": "explore", "version": 2})[0], 200)
        self.ends(answer.result(), "Denied: ")
        self.assertEqual(self.orders(host), [])
        self.assertEqual([one["state"] for one in self.waiting("--all")], ["withdrawn"])
        line = next(line for line in self.place.audit_lines() if line["tool"] == "pre_reserve_stock")
        self.assertEqual((line["decision"], line["outcome"]), ("deny", "denied"))

    def test_who_approves_a_call_that_its_session_cannot_repeat_is_told_so(self):
        host = self.host(wait_s=0)
        made = run_toolpost(self.place, "key", "new", "boss", "--scope", "approve", "--json", "--config", self.place.config)
        key = json.loads(made.stdout)["key"]
        wait_until("the key is known", lambda: host.fetch("GET", "/v1/approvals", key=key)[0] == 200)
        session = host.fetch("POST", "/v1/sessions", {})[2]["id"]
        for order, change in (("o-1", {"context": {}}), ("o-2", {"customizations": {"extensions": {"mcpProviders": []}}})):
            body, fields = message("tools/call", {"name": "pre_reserve_stock", "arguments": MOVE | {"order": order}}, "bare")
            connection = host.connect()
            connection.request("POST", f"/mcp/s/{session}", json.dumps(body), {"Content-Type": "application/json"} | fields)
            self.assertIn("waits for", connection.getresponse().read().decode())
            connection.close()
            version = host.fetch("GET", f"/v1/sessions/{session}")[2]["version"]
            self.assertEqual(host.fetch("PATCH", f"/v1/sessions/{session}", change | {"version": version})[0], 200)
            one = next(one for one in self.waiting() if one["arguments"]["order"] == order)
            status, _, said = host.fetch("POST", f"/v1/approvals/{one['id']}", {"decision": "approve", "digest": one["digest"]}, key)
            self.assertEqual((status, "warning" in said), (200, order == "o-2"), said)

    def test_a_call_that_waits_is_denied_once_its_session_does_not_offer_its_tool(self):
        self.place = self.workspace("warehouse", config="\n".join([
            "[approval]\nwait_s = 30", "[plugin.warehouse]\nenabled = true",
            '[[group]]\nname = "stock"\ndescription = "Stock."\nactive = true\ntools = ["pre_reserve_stock"]']))
        host = self.http_host(self.place)
        for narrowed in ({"customizations": {"extensions": {"mcpProviders": []}}}, {"groups": []}):
            session = "/v1/sessions/" + host.fetch("POST", "/v1/sessions", {})[2]["id"]
            detached = session.replace("/v1/sessions/", "/v1/tools/request/")
            status, _, made = host.fetch("POST", detached, {"name": "pre_reserve_stock", "arguments": MOVE})
            self.assertEqual(status, 202, made)
            self.only_one()
            self.assertEqual(host.fetch("PATCH", session, narrowed | {"version": 1})[0], 200, narrowed)
            record = host.fetch("GET", f"{detached}/{made['id']}?wait=30")[2]
            self.assertEqual((record["state"], record["code"]), ("ERROR", "denied"), narrowed)
            self.assertIn("does not offer this tool", record["result"]["content"][0]["text"])
            self.assertEqual(self.waiting(), [])
        self.assertEqual(self.orders(host), [])

    def reviewer(self, config):
        """A host of the plugin "services", and a function that answers its only request by REST as a reviewer."""
        self.place = self.workspace("services", config=config)
        made = run_toolpost(self.place, "key", "new", "boss", "--scope", "approve", "--json", "--config", self.place.config)
        key = json.loads(made.stdout)["key"]
        host = self.http_host(self.place)

        def answer(**body):
            one = self.waiting()[0]
            status, _, said = host.fetch("POST", f"/v1/approvals/{one['id']}",
                                         {"decision": "approve", "digest": one["digest"]} | body, key)
            return status, said
        return host, key, answer

    def test_always_with_other_arguments_is_refused_whole(self):
        host, _, answer = self.reviewer("[approval]\nwait_s = 0\nexpire_s = 300")
        self.ends(host.call("kv_set", {"key": "k", "value": "v"}), "waits for")
        other = {"key": "k", "value": "harmless"}
        for always in (True, "host"):
            status, said = answer(always=always, arguments=other)
            self.assertEqual((status, said["type"]), (422, problem("invalid-argument")))
            self.assertIn("cannot also store rules", said["detail"])
            self.assertEqual(said["pointer"], "/always")
        status, said = answer(arguments={"key": 1, "value": "v"})
        self.assertEqual((status, said["type"], said["pointer"]), (422, problem("invalid-argument"), "/arguments"))
        for always in (["--always"], ["--always-for", "host"]):
            said = self.verb("approve", self.only_one(), *always, "--arguments", json.dumps(other), exit_code=2)
            self.assertIn("cannot also store rules", said)
        self.assertEqual(self.waiting()[0]["state"], "pending")
        self.assertEqual(self.rules(), [])
        status, said = answer(arguments={"key": 1, "value": "harmless"})
        self.assertEqual((status, said["type"]), (422, problem("invalid-argument")))
        self.assertIn("/key", said["detail"])
        self.assertEqual(self.waiting()[0]["state"], "pending")
        self.assertEqual(answer(arguments=other)[0], 200)
        self.assertFalse(host.call("kv_set", {"key": "k", "value": "v"})["result"].get("isError"))

    def test_who_approves_reads_which_rules_that_stored(self):
        host, _, answer = self.reviewer("[approval]\nwait_s = 0\nexpire_s = 300")
        ask = lambda tool, arguments: self.ends(host.call(tool, arguments), "waits for")
        ask("kv_set", {"key": "k", "value": "v"})
        said = self.verb("approve", self.only_one(), "--always")
        stored, = self.rules()
        self.assertIn(f"stored {stored['id']} for principal local: ", said)
        self.assertIn('"kv_set"', said)
        self.assertIn(f"toolpost rules remove {stored['id']}", said)
        ask("kv_remove", {"key": "k"})
        said = json.loads(self.verb("approve", self.only_one(), "--always", "--json"))
        self.assertEqual((said["state"], said["stored_rules"]), ("approved", self.rules()[1:]))
        ask("kv_count", {"key": "k"})
        status, said = answer(always=True)
        self.assertEqual((status, said["stored_rules"]), (200, self.rules()[2:]))
        ask("kv_later", {"key": "k"})
        self.assertEqual(answer()[1]["stored_rules"], [])
        self.assertEqual([rule["rule"]["tool"] for rule in self.rules()], ["kv_set", "kv_remove", "kv_count"])

    def test_a_stored_rule_is_printed_with_the_reach_that_it_has(self):
        host, _, _ = self.reviewer("[approval]\nwait_s = 0\nexpire_s = 300\n[agent.ann]\nneeds_key = false")
        hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        accept = {"Accept": "application/json, text/event-stream"}
        session = host.post(message("initialize", hello, "bare")[0], accept)[1]["mcp-session-id"]
        for tool, path, options, whose, scope in (
                ("kv_set", "/mcp", ["--always-for", "host"], "all calls", "host"),
                ("kv_remove", "/ann/mcp", ["--always-for", "agent"], "agent ann", "agent"),
                ("kv_later", "/ann/mcp", ["--always"], "principal local as agent ann", "principal"),
                ("kv_count", "/mcp", ["--always-for", "session"], f"session {session}", "session")):
            with self.subTest(scope=scope):
                connection = host.connect()
                self.addCleanup(connection.close)
                arguments = {"key": "k"} | ({"value": "v"} if tool == "kv_set" else {})
                body = message("tools/call", {"name": tool, "arguments": arguments}, "bare")[0]
                fields = {"Content-Type": "application/json", **accept}
                fields |= {"Mcp-Session-Id": session} if scope == "session" else {}
                connection.request("POST", path, json.dumps(body), fields)
                self.assertIn("waits for", connection.getresponse().read().decode())
                said = self.verb("approve", self.only_one(), *options)
                stored = self.rules()[-1]
                line = next(line for line in said.splitlines() if line.startswith("stored "))
                head, _, printed = line.partition(": ")
                self.assertEqual(head, f"stored {stored['id']} for {whose}")
                self.assertEqual(json.loads(printed), stored["rule"])
                self.assertEqual(stored["rule"]["scope"], scope)

    def test_a_list_that_is_not_whole_says_where_it_goes_on(self):
        host, key, _ = self.reviewer("[approval]\nwait_s = 0\nexpire_s = 300")
        for value in ("a", "b", "c" * 20_000):
            self.ends(host.call("kv_set", {"key": "k", "value": value}), "waits for")
        everything = host.fetch("GET", "/v1/approvals", key=key)[2]
        for texts, whole in (("whole", 3), ("short", 2), ("none", 0)):  # which a console asks for after each change
            listed = host.fetch("GET", f"/v1/approvals?texts={texts}", key=key)[2]["approvals"]
            for one, cut in zip(everything["approvals"], listed):
                size = len(one["arguments_text"])
                without = one | {"arguments": None, "arguments_text": "", "arguments_bytes": size}
                self.assertEqual(cut, without if "arguments_bytes" in cut else one)
            self.assertEqual(["arguments_bytes" not in one for one in listed].count(True), whole)
        self.assertEqual(host.fetch("GET", "/v1/approvals?texts=some", key=key)[0], 422)
        self.assertNotIn("older", everything)
        ids, more = [], "/v1/approvals?limit=2"
        while more:
            page = host.fetch("GET", more, key=key)[2]
            ids += [one["id"] for one in page["approvals"]]
            more = "older" in page and f"/v1/approvals?limit=2&before={page['older']}"
        self.assertEqual(ids, [one["id"] for one in everything["approvals"]])
        status, _, said = host.fetch("GET", "/v1/approvals?before=ap_none", key=key)
        self.assertEqual((status, said["type"]), (422, problem("invalid-argument")))

    def test_a_principal_has_so_many_requests_that_wait_and_no_more(self):
        host = self.host(wait_s=0, limits=["approvals_per_principal = 2", "approval_arguments_bytes = 1024"])
        self.ends(host.call("pre_reserve_stock", MOVE | {"item": "x" * 2000}), "limits.approval_arguments_bytes")
        self.assertEqual(self.waiting(), [])
        for quantity in (1, 2):
            self.ends(host.call("pre_reserve_stock", MOVE | {"quantity": quantity}), "waits for")
        third = MOVE | {"quantity": 3}
        refused = host.call("pre_reserve_stock", third)
        self.assertEqual(refused["http_status"], 429)
        self.assertIn('2 requests of "local" wait for an answer already', refused["error"]["message"])
        self.assertIn("limits.approvals_per_principal", refused["error"]["message"])
        line = self.place.audit_lines()[-1]
        self.assertEqual((line["tool"], line["decision"], line["outcome"]), ("pre_reserve_stock", "ask", "unavailable"))
        figures = host.fetch("GET", "/metrics")[2]
        self.assertIn('toolpost_refused_total{limit="limits.approvals_per_principal"} 1', figures)
        self.assertIn('toolpost_refused_total{limit="limits.approval_arguments_bytes"} 1', figures)
        self.ends(host.call("pre_reserve_stock", MOVE | {"quantity": 1}), "waits for")  # what is there is met
        self.assertEqual(len(self.waiting()), 2)
        self.assertIn("--all", self.verb("reject", exit_code=2))
        self.verb("reject", self.waiting()[0]["id"], "--all", exit_code=2)
        self.verb("reject", "--principal", "local", exit_code=2)
        self.assertIn("Nothing waits", self.verb("reject", "--all", "--principal", "anna"))
        self.assertEqual(len(self.waiting()), 2)
        rejected = self.verb("reject", "--all", "--principal", "local", "--note", "a flood").splitlines()
        self.assertEqual([" rejected: pre_reserve_stock " in one for one in rejected], [True, True])
        self.assertEqual(self.waiting(), [])
        self.assertEqual(len([one for one in self.place.audit_lines("approval") if one["outcome"] == "rejected"]), 2)
        self.ends(host.call("pre_reserve_stock", MOVE | {"quantity": 1}), "a flood")
        self.ends(host.call("pre_reserve_stock", third), "waits for")

    def test_what_a_person_answered_is_not_forgotten_for_newer_requests(self):
        host = self.host(wait_s=0, limits=["approvals_kept_per_principal = 2"])
        for quantity in range(1, 6):
            self.ends(host.call("pre_reserve_stock", MOVE | {"quantity": quantity}), "waits for")
            self.verb("reject", "--all")
        kept = [json.loads(one["arguments_text"])["quantity"] for one in self.waiting("--all")]
        self.assertEqual(kept, [5, 4, 3, 2, 1])

    def test_twins_that_wait_at_once_have_a_question_each(self):
        host = self.host()
        calls = [self.begin(host, MOVE | {"order": "o-9"}) for _ in range(2)]
        wait_until("both wait", lambda: len(self.waiting()) == 2)
        self.verb("approve", self.waiting()[0]["id"])
        wait_until("one has run", lambda: any(call.done() for call in calls))
        self.assertEqual(len(self.waiting()), 1)
        self.verb("reject", self.waiting()[0]["id"])
        errors = [bool(call.result()["result"].get("isError")) for call in calls]
        self.assertEqual(sorted(errors), [False, True])

    def test_a_cancelled_call_withdraws_its_question(self):
        self.place = self.workspace("warehouse", config="[plugin.warehouse]\nenabled = true")
        host = self.stdio_host(self.place)
        host.initialize()
        host.send({"jsonrpc": "2.0", "id": "c", "method": "tools/call",
                   "params": {"name": "pre_reserve_stock", "arguments": MOVE}})
        one = self.only_one()
        host.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "c"}})
        wait_until("it is withdrawn", lambda: not self.waiting())
        self.assertIn("withdrawn", self.verb("show", one))
        self.assertIn("withdrawn already", self.verb("approve", one, exit_code=1))

    def test_the_command_line_says_what_its_call_waits_for(self):
        self.host(wait_s=1)
        done = run_toolpost(self.place, "call", "pre_reserve_stock", json.dumps(MOVE), "--config", self.place.config)
        self.assertEqual(done.returncode, 5, done)
        one = self.only_one()
        self.assertEqual(done.stderr.splitlines()[0], f"waits for a person's approval, {one}")
        self.assertEqual(done.stderr.splitlines()[1], f"To see the request: toolpost approvals show {one}")
        self.assertEqual(done.stderr.count("waits for a person's approval, "), 1)
        self.assertIn("waits for a person's approval and did not run yet", done.stderr)

    def test_a_host_that_stops_answers_its_calls_and_the_question_stands(self):
        for kind in ("http", "stdio"):
            with self.subTest(kind):
                host = self.host(wait_s=60)
                if kind == "http":
                    call = self.begin(host)
                else:
                    host.stop()
                    host = self.stdio_host(self.place)
                    host.initialize()
                    call = self.pool.submit(host.call, "pre_reserve_stock", MOVE)
                one = self.only_one()
                host.child.terminate()
                if kind == "http":
                    self.ends(call.result(10), one)
                self.assertEqual(host.wait(), 0)
                self.assertEqual(self.only_one(), one)

    def test_an_unknown_question_and_no_store_are_told(self):
        self.host()
        self.assertIn("there is no approval", self.verb("show", "ap_none", exit_code=4))
        self.assertIn("there is no approval", self.verb("approve", "ap_none", exit_code=4))
        self.place.write_config("[store]\nfile = \"\"")
        self.assertIn("no approvals are kept", self.verb(exit_code=1))


if __name__ == "__main__":
    unittest.main()
