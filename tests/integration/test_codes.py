"""Calls of priv_ tools: a person's one-time code, given beside the call or with the yes, never by the model."""
import concurrent.futures
import json
import time
import unittest

from harness import TestCase, problem, run_toolpost, text_of, wait_until
from one_time_codes import code_of

ORDER = {"order": "o-1", "item": "bolt-m8", "location": 1, "quantity": 7}
APPROVE = {"order": "o-1"}


class Codes(TestCase):
    def setUp(self):
        self.place = self.workspace("warehouse", config="\n".join([
            f"[approval]\nwait_s = 30\npriv_grace_s = {2 if 'grace' in self.id() else 0}", "[plugin.warehouse]\nenabled = true",
            *self.more_config()]))
        self.key = json.loads(self.run_verb("key", "new", "anna", "--json"))["key"]
        self.enrolment = json.loads(self.run_verb("totp", "enroll", "anna", "--json"))
        self.run_verb("totp", "confirm", "anna", self.code(-1))
        self.host = self.http_host(self.place)
        self.pool = concurrent.futures.ThreadPoolExecutor(4)
        self.addCleanup(self.pool.shutdown)

    def more_config(self):
        if "ask_rule" not in self.id():
            return ['[[rule]]\ntool = "pre_reserve_stock"\nbehavior = "allow"']
        rule = '[[rule]]\ntool = "priv_approve_order"\nbehavior = "ask"'
        return [rule, "[limits]\napprovals_per_principal = 1"] if "no_room" in self.id() else [rule]

    def run_verb(self, *words, exit_code=0):
        done = run_toolpost(self.place, *words, "--config", self.place.config)
        self.assertEqual(done.returncode, exit_code, done)
        return done.stdout if exit_code == 0 else done.stderr

    def code(self, ahead=0):
        return code_of(self.enrolment["secret"], ahead)

    def call(self, tool, arguments, key=True, **headers):
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        if key:
            fields["Authorization"] = f"Bearer {self.key}"
        return self.host.call(tool, arguments, headers=fields)

    def waiting(self):
        return wait_until("it waits", lambda: json.loads(self.run_verb("approvals", "--json")))[0]

    def place_order(self):
        call = self.pool.submit(self.call, "pre_reserve_stock", ORDER)
        self.run_verb("approvals", "approve", self.waiting()["id"])
        self.assertFalse(call.result()["result"].get("isError"), call.result())

    def orders(self):
        return json.loads(text_of(self.call("get_orders", {})))["orders"]

    def tools(self, **headers):
        answer = self.host.request("tools/list", headers=headers)
        return {tool["name"] for tool in answer["result"]["tools"]}

    def test_who_is_not_known_sees_no_private_tool(self):
        self.assertNotIn("priv_approve_order", self.tools())
        self.assertIn("unknown tool", json.dumps(self.call("priv_approve_order", APPROVE, key=False)))
        self.assertIn("priv_approve_order", self.tools(Authorization=f"Bearer {self.key}"))

    def test_a_code_beside_the_call_runs_it_once(self):
        self.place_order()
        for wrong in ("000000", "abc", self.code(9)):
            answer = self.call("priv_approve_order", APPROVE, X_Toolpost_TOTP=wrong)
            self.assertIn('the one-time code of "anna" is wrong', text_of(answer))
        code = self.code()
        answer = self.call("priv_approve_order", APPROVE, X_Toolpost_TOTP=code)
        self.assertFalse(answer["result"].get("isError"), answer)
        again = self.call("priv_approve_order", APPROVE, X_Toolpost_TOTP=code)
        self.assertIn("was used before", text_of(again))
        lines = [line for line in self.place.audit_lines() if line["tool"] == "priv_approve_order"]
        self.assertEqual([(line["rule"], line["outcome"]) for line in lines],
                         [("totp", "denied")] * 3 + [("totp", "ok"), ("totp", "denied")])
        self.assertNotIn(code, self.place.audit.read_text() + self.host.error_text())
        # One more: locked, whatever is shown, until the operator lifts it.
        self.call("priv_approve_order", APPROVE, X_Toolpost_TOTP="000000")
        for _ in range(5):
            last = self.call("priv_approve_order", APPROVE, X_Toolpost_TOTP="000000")
        self.assertIn("none is taken for 15 minutes", text_of(last))
        self.assertIn("locked", self.run_verb("totp", "list"))
        self.run_verb("totp", "unlock", "anna")
        answer = self.call("priv_approve_order", APPROVE, X_Toolpost_TOTP=self.code(1))
        self.assertNotIn("one-time code", text_of(answer))

    def test_calls_at_once_with_one_code_run_one_and_lock_nobody(self):
        self.place_order()
        code = self.code()
        with concurrent.futures.ThreadPoolExecutor(10) as pool:
            calls = [pool.submit(self.call, "priv_approve_order", APPROVE, X_Toolpost_TOTP=code) for _ in range(10)]
            answers = [text_of(call.result()) for call in calls]
        self.assertEqual(sum("was used before" in answer for answer in answers), 9, answers)
        answer = self.call("priv_approve_order", APPROVE, X_Toolpost_TOTP=self.code(1))
        self.assertNotIn("one-time code", text_of(answer))
        self.assertNotIn("too many", text_of(answer))

    def test_a_grace_spares_the_same_caller_another_code_for_a_while(self):
        self.place_order()
        self.call("priv_approve_order", APPROVE, X_Toolpost_TOTP=self.code())
        began = time.monotonic()
        answer = self.call("priv_approve_order", APPROVE)
        rules = [line["rule"] for line in self.place.audit_lines() if line["tool"] == "priv_approve_order"]
        if time.monotonic() - began < 1.5:  # else the machine slept through it
            self.assertEqual(rules, ["totp", "totp_grace"], answer)
        time.sleep(2.1)
        call = self.pool.submit(self.call, "priv_approve_order", APPROVE)
        self.assertTrue(self.waiting()["needs_code"])
        self.run_verb("approvals", "reject", self.waiting()["id"])
        self.assertTrue(call.result()["result"]["isError"])

    def test_a_code_in_the_arguments_is_no_code(self):
        self.place_order()
        code = self.code()
        refused = self.call("priv_approve_order", APPROVE | {"code": code})["result"]
        self.assertTrue(refused["isError"])
        self.assertIn("code", refused["content"][0]["text"])  # names the argument that the tool does not have
        self.assertEqual(self.orders()[0]["status"], "open")
        given = self.call("priv_approve_order", APPROVE, X_Toolpost_TOTP=code)  # it was not used up
        self.assertNotIn("isError", given["result"], given)

    def test_a_person_gives_the_code_with_the_yes(self):
        self.place_order()
        call = self.pool.submit(self.call, "priv_approve_order", APPROVE)
        one = self.waiting()
        self.assertTrue(one["needs_code"])
        self.assertIn("a one-time code of anna", self.run_verb("approvals", "show", one["id"]))
        self.assertEqual(one["suggestions"], [])  # no rule spares a code
        self.assertIn("needs a one-time code", self.run_verb("approvals", "approve", one["id"], exit_code=5))
        self.assertIn("is wrong", self.run_verb("approvals", "approve", one["id"], "--code", "000000", exit_code=5))
        self.assertEqual(self.waiting()["state"], "pending")
        boss = json.loads(self.run_verb("key", "new", "boss", "--scope", "approve", "--json"))["key"]
        wait_until("the host sees the key", lambda: time.sleep(0.3) or self.decide(one, boss)[0] == 403)
        status, answer = self.decide(one, boss)
        self.assertEqual((status, answer["type"]), (403, problem("denied")))
        status, answer = self.decide(one, boss, code=self.enrolment["recovery"][0])
        self.assertEqual((status, answer["state"]), (200, "approved"), answer)
        self.assertFalse(call.result()["result"].get("isError"), call.result())
        self.assertEqual(self.place.audit_lines()[-1]["rule"], "totp")
        # A no needs none.
        call = self.pool.submit(self.call, "priv_approve_order", {"order": "o-2"})
        self.run_verb("approvals", "reject", self.waiting()["id"])
        self.assertIn("A person denied", text_of(call.result()))

    def recovery_left(self):
        return json.loads(self.run_verb("totp", "list", "--json"))[0]["recovery_codes"]

    def test_an_answer_that_is_refused_costs_no_code(self):
        boss = json.loads(self.run_verb("key", "new", "boss", "--scope", "approve", "--json"))["key"]
        call = self.pool.submit(self.call, "priv_approve_order", APPROVE)
        one = self.waiting()
        spare, other = self.enrolment["recovery"][:2]
        refusals = ((["--always"], "each call of a priv_ tool needs a one-time code"),
                    (["--always-for", "host"], "no stored rule can replace this approval"),
                    (["--arguments", '{"order": 1}'], "/order"),
                    (["--always", "--arguments", '{"order": "o-2"}'], "cannot also store rules"))
        for words, why in refusals:
            for code in (spare, self.code()):
                said = self.run_verb("approvals", "approve", one["id"], "--code", code, *words, exit_code=2)
                self.assertIn(why, said)
        wait_until("the host sees the key", lambda: self.decide(one, boss, digest="0")[0] == 409)
        for more in ({"always": True}, {"always": "host"}, {"arguments": {"order": 1}}, {"digest": "0"}):
            status, said = self.decide(one, boss, code=spare, **more)
            self.assertEqual(status, 409 if "digest" in more else 422, said)
        self.run_verb("approvals", "approve", "ap_none", "--code", spare, exit_code=4)
        self.assertEqual(self.recovery_left(), 8)
        self.run_verb("approvals", "approve", one["id"], "--code", spare)
        self.assertNotIn("one-time code", text_of(call.result()))
        self.assertEqual(self.recovery_left(), 7)
        self.run_verb("approvals", "approve", one["id"], "--code", other, exit_code=1)  # it was answered
        self.assertEqual(self.decide(one, boss, code=other)[0], 409)
        self.assertEqual(self.recovery_left(), 7)

    def test_codes_that_are_valid_are_not_replaced_without_being_removed(self):
        said = self.run_verb("totp", "enroll", "anna", exit_code=2)
        self.assertIn("remove them first: toolpost totp remove anna", said)
        self.assertEqual(self.recovery_left(), 8)
        self.assertFalse(any("enrolled" == line["outcome"] for line in self.place.audit_lines("totp")[2:]))
        self.run_verb("totp", "remove", "anna")
        for _ in range(2):  # what was never confirmed is replaced
            self.run_verb("totp", "enroll", "anna")

    def decide(self, one, key, **more):
        connection = self.host.connect()
        connection.request("POST", f"/v1/approvals/{one['id']}",
                           json.dumps({"decision": "approve", "digest": one["digest"]} | more),
                           {"Content-Type": "application/json", "Authorization": f"Bearer {key}"})
        answer = connection.getresponse()
        body = json.loads(answer.read())
        connection.close()
        return answer.status, body

    def test_who_has_not_enrolled_is_told_so(self):
        self.run_verb("totp", "remove", "anna")
        answer = self.call("priv_approve_order", APPROVE)
        self.assertIn("toolpost totp enroll anna", text_of(answer))
        answer = self.call("priv_approve_order", APPROVE, X_Toolpost_TOTP=self.code())
        self.assertIn("toolpost totp enroll anna", text_of(answer))
        self.assertEqual(json.loads(self.run_verb("approvals", "--json")), [])

    def test_an_ask_rule_wants_a_persons_look_beside_the_code(self):
        self.place_order()
        call = self.pool.submit(self.call, "priv_approve_order", APPROVE, X_Toolpost_TOTP=self.code())
        one = self.waiting()
        self.assertFalse(one["needs_code"])
        self.assertEqual(self.orders()[0]["status"], "open")
        self.run_verb("approvals", "approve", one["id"])
        self.assertFalse(call.result()["result"].get("isError"), call.result())

    def test_with_an_ask_rule_and_no_room_for_a_request_no_code_is_used_up(self):
        self.place_order()
        parked = self.pool.submit(self.call, "pre_reserve_stock", ORDER | {"order": "o-2"})
        only = self.waiting()
        code = self.code()
        refused = self.call("priv_approve_order", APPROVE, X_Toolpost_TOTP=code)
        self.assertIn("limits.approvals_per_principal", json.dumps(refused))
        self.run_verb("approvals", "reject", only["id"])
        parked.result()
        call = self.pool.submit(self.call, "priv_approve_order", APPROVE, X_Toolpost_TOTP=code)
        self.run_verb("approvals", "reject", self.waiting()["id"])
        self.assertIn("A person denied", text_of(call.result()))
        again = self.call("priv_approve_order", APPROVE, X_Toolpost_TOTP=self.code(1))  # the same no, without a question
        self.assertIn("A person denied", text_of(again))
        wrong = self.call("priv_approve_order", APPROVE | {"order": "o-3"}, X_Toolpost_TOTP=code)
        self.assertIn("was used before", text_of(wrong))
        self.assertEqual(json.loads(self.run_verb("approvals", "--json")), [], "a wrong code asks nobody")
        other = self.pool.submit(self.call, "priv_approve_order", APPROVE | {"order": "o-4"}, X_Toolpost_TOTP=self.code(1))
        self.run_verb("approvals", "reject", self.waiting()["id"])
        self.assertIn("A person denied", text_of(other.result()))


if __name__ == "__main__":
    unittest.main()
