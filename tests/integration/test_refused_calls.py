"""A call that is refused uses nothing up: no approval, no one-time code, no first run of an "always", no key, no answer.

One call at a time may run and none may wait, so that each call of the tests is refused as busy while `until` runs: by
then its checks have found what would let it pass.
"""
import json
import threading
import unittest

from harness import TestCase, message, plugin_file, run_toolpost, text_of, wait_until
from one_time_codes import code_of
from test_session_feed import Stream

CONFIG = """
[approval]
wait_s = 0
ask = ["page", "client"]
[limits]
running_per_principal = 1
queued_per_principal = 0
[plugin.warehouse]
enabled = true
[[rule]]
tool = "until"
behavior = "allow"
"""
MOVE = {"order": "o-1", "item": "bolt-m8", "location": 1, "quantity": 7}


class RefusedCalls(TestCase):
    def setUp(self):
        self.place = self.workspace("warehouse", config=CONFIG)
        self.place.drop("zoo", plugin_file("zoo/zoo_one"))
        self.headers = {"Authorization": f"Bearer {self.verb('key', 'new', 'anna')['key']}"}

    def verb(self, *words):
        done = run_toolpost(self.place, *words, "--json", "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        return json.loads(done.stdout)

    def call(self, tool, arguments, **headers):
        return self.host.call(tool, arguments, headers=self.headers | headers)

    def state(self, asked):
        return next(one["state"] for one in self.verb("approvals", "--all") if one["id"] == asked)

    def asked(self, tool, arguments):
        """The id of the request that a call makes."""
        self.assertIn("waits for a person's approval", text_of(self.call(tool, arguments)))
        return self.verb("approvals")[0]["id"]

    def busy(self):
        """Occupies the one place until free()."""
        self.running = threading.Thread(target=self.call, args=("until", self.place.gate()))
        self.running.start()
        wait_until("it runs", lambda: "\ntoolpost_calls_in_flight 1\n" in self.host.fetch("GET", "/metrics")[2])

    def free(self):
        self.place.open_gate()
        self.running.join()
        (self.place.root / "gate").unlink()

    def assert_busy(self, answer):
        self.assertIn("retry after", json.dumps(answer), answer)
        self.assertEqual(self.place.audit_lines()[-1]["outcome"], "busy")

    def test_an_approval(self):
        self.host = self.http_host(self.place)
        asked = self.asked("pre_reserve_stock", MOVE)
        self.verb("approvals", "approve", asked)
        self.busy()
        for _ in range(2):
            self.assert_busy(self.call("pre_reserve_stock", MOVE))
            self.assertEqual(self.state(asked), "approved")
        self.free()
        self.assertFalse(self.call("pre_reserve_stock", MOVE)["result"].get("isError"))
        self.assertEqual(self.state(asked), "used")
        self.assertNotEqual(self.asked("pre_reserve_stock", MOVE), asked)

    def test_a_detached_call_keeps_its_approval_and_the_reviewers_arguments_until_there_is_room(self):
        self.host = self.http_host(self.place)
        key = self.headers["Authorization"].split()[1]
        fetch = lambda method, path, body=None: self.host.fetch(method, path, body, key)
        session = fetch("POST", "/v1/sessions", {})[2]["id"]
        path = f"/v1/tools/request/{session}"
        self.busy()
        call = fetch("POST", path, {"name": "pre_reserve_stock", "arguments": MOVE})[2]["id"]
        asked = wait_until("it waits for approval", lambda: self.verb("approvals"))[0]["id"]
        refusals = lambda: sum(float(line.split()[1]) for line in self.host.fetch("GET", "/metrics")[2].splitlines()
                               if "queued_per_principal" in line and not line.startswith("#"))
        before = refusals()
        self.verb("approvals", "approve", asked, "--arguments", json.dumps(MOVE | {"quantity": 3}))
        wait_until("it is refused for want of room", lambda: refusals() >= before + 3)
        self.assertEqual(fetch("GET", f"{path}/{call}")[2]["state"], "PENDING")
        self.assertNotIn("reason", fetch("GET", f"{path}/{call}")[2])
        self.free()
        ended = fetch("GET", f"{path}/{call}?wait=30")[2]
        self.assertEqual((ended["state"], ended["result"]["isError"]), ("COMPLETE", False), ended)
        self.assertEqual([(one["id"], one["state"]) for one in self.verb("approvals", "--all")], [(asked, "used")])
        orders = json.loads(text_of(self.call("get_orders", {})))["orders"]
        self.assertEqual([one["quantity"] for one in orders], [3])
        with Stream(self.host, f"/v1/sessions/{session}/events", key) as events:
            seen = [event["type"] for _, event in events.until(lambda event: "tool_result" in event)]
        self.assertEqual(seen.count("approval"), 1, "a reviewer was asked once")

    def test_the_first_run_of_an_always(self):
        self.host = self.http_host(self.place)
        asked = self.asked("slow", {"ms": 0})
        self.verb("approvals", "approve", asked, "--always")
        self.busy()
        self.assert_busy(self.call("slow", {"ms": 0}))
        self.assertEqual(self.state(asked), "approved")
        self.free()
        self.call("slow", {"ms": 0})
        self.assertEqual(self.state(asked), "used")

    def test_a_one_time_code(self):
        enrolment = self.verb("totp", "enroll", "anna")
        run_toolpost(self.place, "totp", "confirm", "anna", code_of(enrolment["secret"], -1), "--config", self.place.config)
        self.host = self.http_host(self.place)
        for code in (code_of(enrolment["secret"]), enrolment["recovery"][0]):
            self.busy()
            for _ in range(2):
                self.assert_busy(self.call("priv_approve_order", {"order": "o-1"}, **{"X-Toolpost-TOTP": code}))
            self.free()
            ran = self.call("priv_approve_order", {"order": "o-1"}, **{"X-Toolpost-TOTP": code})
            self.assertNotIn("code", text_of(ran))
            again = self.call("priv_approve_order", {"order": "o-1"}, **{"X-Toolpost-TOTP": code})
            self.assertIn("one-time code", text_of(again))

    def test_an_idempotency_key(self):
        self.host = self.http_host(self.place)
        arguments = self.place.gate("open") | {"idempotency_key": "k"}
        self.place.open_gate("open")
        self.busy()
        self.assert_busy(self.call("until", arguments))
        self.free()
        ran, again = self.call("until", arguments), self.call("until", arguments)
        self.assertNotIn("replayed", json.dumps(ran))
        self.assertIn("replayed", json.dumps(again))

    def test_an_answer_of_the_client(self):
        self.host = self.http_host(self.place)
        params = {"name": "pre_reserve_stock", "arguments": MOVE}
        def ask(**more):
            body, headers = message("tools/call", params | more, "modern")
            body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = {"elicitation": {"form": {}}}
            return json.loads(self.host.post(body, headers | self.headers)[2])
        question = ask()["result"]
        [key] = question["inputRequests"]
        answer = {"requestState": question["requestState"], "inputResponses": {key: {"action": "accept", "content": {}}}}
        self.busy()
        self.assert_busy(ask(**answer))
        self.free()
        self.assertFalse(ask(**answer)["result"].get("isError"))
        self.assertIn("used", json.dumps(ask(**answer)))


if __name__ == "__main__":
    unittest.main()
