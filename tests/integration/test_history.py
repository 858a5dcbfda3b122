"""tp.history/1 through the real binary: what a plugin may read of the earlier calls of a session, in both isolations."""
import json
import os
import signal

from harness import TestCase, run_toolpost, text_of, wait_until

CONFIG = '[permission]\nmode = "bypass"\n[limits]\nhistory_calls = 4\n[groups]\nsearch_above = 1'


class History(TestCase):
    def serve(self, isolation, history="true"):
        self.place = self.workspace("services", "hello")
        text = self.place.config.read_text()
        self.place.write_config(f'{text}\n{CONFIG}\n[plugin.services]\nisolation = "{isolation}"\nhistory = {history}')
        self.keys = {who: self.verb("key", "new", who)["key"] for who in ("ada", "bob")}
        self.host = self.http_host(self.place)

    def verb(self, *words):
        done = run_toolpost(self.place, *words, "--json", "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        return json.loads(done.stdout)

    def session(self, who):
        status, _, made = self.host.fetch("POST", "/v1/sessions", {}, self.keys[who])
        self.assertEqual(status, 201, made)
        return made["id"]

    def call(self, who, session, tool, arguments=None):
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments or {}}}
        return self.host.fetch("POST", f"/mcp/s/{session}", body, self.keys[who])[2]

    def past(self, who, session, **wanted):
        return json.loads(text_of(self.call(who, session, "history", wanted)))

    def test_a_plugin_reads_the_calls_of_its_calls_session_alone(self):
        for isolation in ("worker", "inline"):
            with self.subTest(isolation=isolation):
                self.serve(isolation)
                mine, other, bobs = self.session("ada"), self.session("ada"), self.session("bob")
                self.call("ada", mine, "greet", {"name": "Ada"})
                self.call("ada", mine, "nothing_such")
                self.call("ada", mine, "call_tool", {"name": "nothing_such"})
                self.call("ada", mine, "call_tool", {"name": "greet", "arguments": {"name": "Ada"}})
                self.call("ada", mine, "call", {"tool": "_secret"})
                self.call("ada", other, "greet", {"name": "other"})
                self.call("bob", bobs, "greet", {"name": "Bob"})
                page = self.past("ada", mine)
                self.assertEqual([(one["tool"], one["arguments"], one["outcome"]) for one in page["calls"]],
                                 [("call", {"tool": "_secret"}, "ok")] + [("greet", {"name": "Ada"}, "ok")] * 2)
                through, greeted = page["calls"][1:]
                self.assertEqual(through["result"]["content"], greeted["result"]["content"])
                self.assertIn("Ada", greeted["result"]["content"][0]["text"])
                self.assertFalse(greeted["result"]["isError"])
                self.assertFalse(greeted["left_out"])
                lines = [line["call"] for line in self.place.audit_lines() if line.get("tool") == "greet"]
                self.assertEqual(greeted["call"], lines[0])
                self.assertEqual([one["arguments"]["name"] for one in self.past("bob", bobs)["calls"]], ["Bob"])
                self.assertFalse(page["more"])

    def test_the_oldest_calls_are_forgotten_and_the_others_come_in_pages(self):
        self.serve("worker")
        session = self.session("ada")
        for number in range(6):
            self.call("ada", session, "greet", {"name": str(number)})
        first = self.past("ada", session, most=3)
        self.assertEqual([one["arguments"]["name"] for one in first["calls"]], ["5", "4", "3"])
        self.assertTrue(first["more"])
        rest = self.past("ada", session, most=3, before=first["calls"][-1]["number"])
        self.assertEqual(rest, {"calls": [], "more": False}, "its own call took the place of number 2")
        self.call("ada", session, "greet", {"name": "x" * 70_000})
        large = self.past("ada", session, most=1)["calls"][0]
        self.assertEqual((large["tool"], large["left_out"], large["arguments"], large["result"]), ("greet", True, None, None))

    def test_it_needs_the_grant_of_the_operator_and_a_session(self):
        self.serve("worker", history="false")
        session = self.session("ada")
        self.assertIn("needs history = true", text_of(self.call("ada", session, "history")))
        self.serve("worker")
        answer = self.host.call("history", headers={"Authorization": f"Bearer {self.keys['ada']}"})
        self.assertIn("the call has no session", text_of(answer))

    def test_after_a_restart_the_stored_calls_are_left(self):
        self.serve("worker")
        session = self.session("ada")
        self.call("ada", session, "greet", {"name": "inline"})
        status, _, made = self.host.fetch("POST", f"/v1/tools/request/{session}",
                                          {"name": "greet", "arguments": {"name": "detached"}}, self.keys["ada"])
        self.assertEqual(status, 202, made)
        path = f"/v1/tools/request/{session}/{made['id']}?wait=30"
        self.assertEqual(self.host.fetch("GET", path, key=self.keys["ada"])[2]["state"], "COMPLETE")
        names = lambda: [one["arguments"].get("name") for one in self.past("ada", session)["calls"] if one["tool"] == "greet"]
        wait_until("the detached call has ended", lambda: names() == ["detached", "inline"])
        port = self.host.port
        os.kill(self.host.child.pid, signal.SIGKILL)
        self.host.wait()
        self.host = self.http_host(self.place, port=port)
        wait_until("the plugin serves", lambda: "services" in json.dumps(self.verb("plugins")))
        self.assertEqual(names(), ["detached"])
        [kept] = [one for one in self.past("ada", session)["calls"] if one["tool"] == "greet"]
        self.assertEqual((kept["call"], kept["outcome"]), (made["id"], "ok"))
        self.assertIn("detached", kept["result"]["content"][0]["text"])


if __name__ == "__main__":
    import unittest
    unittest.main()
