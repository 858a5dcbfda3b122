"""Detached calls: who may see, answer, list and end them, over REST and on the command line; and one-time codes for them."""
import json

from harness import TestCase, plugin_file, problem, run_toolpost, wait_until
from one_time_codes import code_of

from test_sessions import GET_LOCATIONS

CONFIG = """
[plugin.warehouse]
enabled = true
[agent.buyer]
[[rule]]
tool = "until"
behavior = "allow"
"""
ORDER = {"order": "o-77"}  # recognisable in texts that must not have it


class Case(TestCase):
    scopes = {"ada": "call", "bob": "call", "boss": "admin", "eve": "approve"}

    def setUp(self):
        self.place = self.workspace("warehouse", config=CONFIG)
        self.place.drop("zoo", plugin_file("zoo/zoo_one"))
        self.keys = {who: self.json("key", "new", who, "--scope", scope)["key"] for who, scope in self.scopes.items()}
        self.prepare()
        self.host = self.http_host(self.place)

    def prepare(self):
        pass

    def verb(self, *words, exit_code=0):
        done = run_toolpost(self.place, *words, "--config", self.place.config)
        self.assertEqual(done.returncode, exit_code, done)
        return done.stdout + done.stderr

    def json(self, *words):
        return json.loads(self.verb(*words, "--json"))

    def ask(self, who, method, path, body=None, status=200):
        got, _, answer = self.host.fetch(method, path, body, self.keys[who])
        self.assertEqual(got, status, (who, method, path, answer))
        return answer

    def open_session(self, who, **customizations):
        body = {"customizations": {"extensions": {"tools": {"getLocations": GET_LOCATIONS}}} | customizations}
        return self.ask(who, "POST", "/v1/sessions", body, 201)["id"]

    def begin(self, who, session, tool, arguments=None):
        return self.ask(who, "POST", f"/v1/tools/request/{session}", {"name": tool, "arguments": arguments or {}}, 202)["id"]

    def record(self, who, session, request, wait=0):
        return self.ask(who, "GET", f"/v1/tools/request/{session}/{request}?wait={wait}")

    def until(self, session, request, **members):
        return wait_until(f"{request} has {members}", lambda: members.items() <= self.record("ada", session, request).items())


class Rights(Case):
    def setUp(self):
        super().setUp()
        self.session = self.open_session("ada")
        self.runs = self.begin("ada", self.session, "until", self.place.gate())
        self.external = self.begin("ada", self.session, "getLocations")
        self.asked = self.begin("ada", self.session, "pre_reserve_stock", ORDER | {"item": "bolt-m8", "location": 1, "quantity": 7})
        self.until(self.session, self.runs, state="PROCESSING")
        self.until(self.session, self.external, reason="external_execution_required")
        self.until(self.session, self.asked, reason="approval")
        self.all = [self.runs, self.external, self.asked]

    def paths(self):
        yield "GET", f"/v1/tools/request/{self.session}"
        for request in self.all:
            yield "GET", f"/v1/tools/request/{self.session}/{request}"
            yield "DELETE", f"/v1/tools/request/{self.session}/{request}"
        for follow in ("events", "results"):
            yield "GET", f"/v1/sessions/{self.session}/{follow}"

    def test_a_principal_sees_its_own_calls_alone(self):
        listed = self.ask("ada", "GET", f"/v1/tools/request/{self.session}")["requests"]
        self.assertEqual([one["id"] for one in listed], self.all)
        for method, path in self.paths():
            said = self.ask("bob", method, path, status=404)
            nobodys = self.ask("bob", method, path.replace(self.session, "s_none"), status=404)
            self.assertEqual(said, nobodys, "another's looks like none")
        self.ask("bob", "POST", f"/v1/tools/request/{self.session}", {"name": "version"}, 404)
        own = self.open_session("bob")
        mine = self.begin("bob", own, "version")
        self.assertEqual(self.record("bob", own, mine, wait=30)["state"], "COMPLETE")
        self.ask("bob", "GET", f"/v1/tools/request/{own}/{self.runs}", status=404)  # another session's call

    def test_a_key_for_an_agent_sees_the_sessions_of_that_agent_alone(self):
        self.keys["bobs"] = self.json("key", "new", "bob", "--agent", "buyer")["key"]
        self.keys["of buyer"] = self.json("key", "new", "ada", "--agent", "buyer")["key"]
        self.ask("ada", "GET", "/v1/sessions")
        wait_until("the last key is known, so both are", lambda: self.host.fetch("GET", "/v1/sessions", key=self.keys["of buyer"])[0] == 200)
        for method, path in self.paths():
            self.ask("of buyer", method, path, status=404)
        made = self.open_session("of buyer", agentId="buyer")
        call = self.begin("of buyer", made, "version")
        self.assertEqual(self.record("of buyer", made, call, wait=30)["state"], "COMPLETE")
        self.ask("bobs", "GET", f"/v1/tools/request/{made}/{call}", status=404)

    def test_a_reviewer_sees_and_answers_what_callers_execute_and_no_other_call(self):
        [waiting] = self.ask("eve", "GET", "/v1/tools/external")["calls"]
        self.assertEqual((waiting["id"], waiting["principal"]), (self.external, "ada"))
        self.assertEqual(self.record("eve", self.session, self.external)["state"], "PENDING")
        for request in (self.runs, self.asked):
            self.ask("eve", "GET", f"/v1/tools/request/{self.session}/{request}", status=404)
            self.ask("eve", "POST", f"/v1/tools/response/{self.session}/{request}", {"response": {"state": "COMPLETE"}}, 404)
        self.ask("eve", "GET", f"/v1/tools/request/{self.session}", status=403)
        self.ask("eve", "DELETE", f"/v1/tools/request/{self.session}/{self.external}", status=403)
        self.ask("eve", "GET", "/v1/calls", status=403)
        self.ask("eve", "DELETE", f"/v1/sessions/{self.session}", status=403)
        answer = {"response": {"state": "COMPLETE", "locations": []}}
        self.ask("ada", "GET", "/v1/tools/external", status=403)
        self.assertEqual(self.ask("eve", "POST", f"/v1/tools/response/{self.session}/{self.external}", answer)["state"], "COMPLETE")
        again = self.ask("eve", "POST", f"/v1/tools/response/{self.session}/{self.external}", answer, 409)
        self.assertEqual(again["type"], problem("conflict"))

    def test_a_call_names_the_approval_that_it_waits_for(self):
        [waiting] = self.json("approvals")
        self.until(self.session, self.asked, approval=waiting["id"], reason="approval")
        self.assertNotIn("approval", self.record("ada", self.session, self.runs))
        shown = self.verb("calls", "show", self.asked)
        self.assertRegex(shown, f"(?m)^approval +{waiting['id']}$")
        self.assertIn(f"toolpost approvals show {waiting['id']}", shown)
        self.assertEqual(self.json("calls", "show", self.asked)["approval"], waiting["id"])
        whole = self.verb("calls", "show", self.asked, "--whole")
        self.assertRegex(whole, r'(?m)^arguments +\{.*"order":"o-77"')
        self.assertEqual(self.json("calls", "show", self.asked, "--whole")["arguments"]["order"], ORDER["order"])
        self.verb("approvals", "reject", waiting["id"], "--note", "not today")
        record = self.record("ada", self.session, self.asked, wait=30)
        self.assertEqual((record["code"], record["approval"]), ("denied", waiting["id"]))
        self.assertRegex(self.verb("calls", "show", self.asked, "--whole"), "(?m)^result +.*not today")
        self.assertNotIn("To see the request", self.verb("calls", "show", self.asked))

    def test_an_unknown_tool_is_refused_with_the_route_that_lists_the_tools(self):
        said = self.ask("ada", "POST", f"/v1/tools/request/{self.session}", {"name": "nope"}, 422)
        self.assertIn('unknown tool "nope": GET /v1/tools lists the tools', json.dumps(said).replace('\\"', '"'))

    def test_an_administrator_lists_and_ends_all_and_reads_no_arguments(self):
        [listed] = self.ask("boss", "GET", "/v1/sessions")["sessions"]
        self.assertEqual((listed["id"], listed["principal"]), (self.session, "ada"))
        calls = self.ask("boss", "GET", "/v1/calls")["calls"]
        self.assertEqual({one["id"] for one in calls}, set(self.all))
        texts = json.dumps([listed, calls]) + self.verb("calls", "list") + self.verb("calls", "list", "--json")
        texts += "".join(self.verb("calls", "show", one) + self.verb("calls", "show", one, "--json") for one in self.all)
        for secret in (ORDER["order"], self.place.gate()["file"]):
            self.assertNotIn(secret, texts)
        self.assertEqual({one["id"] for one in self.json("calls", "list")}, set(self.all))
        for method, path in self.paths():
            self.ask("boss", method, path, status=403)
        self.ask("boss", "DELETE", f"/v1/calls/{self.runs}", status=204)
        ended = self.record("ada", self.session, self.runs, wait=30)
        self.assertEqual((ended["state"], ended["code"]), ("ERROR", "ended_by_operator"))
        self.verb("calls", "cancel", self.asked)
        self.assertEqual(self.record("ada", self.session, self.asked, wait=30)["code"], "cancelled")
        self.ask("boss", "DELETE", f"/v1/sessions/{self.session}", status=204)
        def ended_with_its_session():
            left = next(one for one in self.json("calls", "list") if one["id"] == self.external)
            return (left["state"], left.get("code")) == ("ERROR", "session_ended")
        wait_until("the call of the ended session has ended in the store", ended_with_its_session)

    def test_what_a_model_can_reach_approves_nothing(self):
        self.ask("ada", "GET", "/v1/approvals", status=403)
        [request] = self.ask("eve", "GET", "/v1/approvals")["approvals"]
        self.ask("ada", "POST", f"/v1/approvals/{request['id']}", {"decision": "approve"}, 403)
        self.assertEqual(self.record("ada", self.session, self.asked)["reason"], "approval")


class Codes(Case):
    def prepare(self):
        self.enrolment = self.json("totp", "enroll", "ada")
        self.verb("totp", "confirm", "ada", code_of(self.enrolment["secret"], -1))

    def request(self):
        return wait_until("an approval request", lambda: self.ask("eve", "GET", "/v1/approvals?state=pending")["approvals"])[0]

    def decide(self, request, status, **more):
        return self.ask("eve", "POST", f"/v1/approvals/{request['id']}", {"decision": "approve", "digest": request["digest"]} | more, status)

    def test_a_detached_call_waits_for_a_code_and_only_a_valid_one_runs_it(self):
        session = self.open_session("ada")
        call = self.begin("ada", session, "priv_approve_order", ORDER)
        self.until(session, call, state="PENDING", reason="code")
        request = self.request()
        self.assertTrue(request["needs_code"])
        self.assertEqual(self.decide(request, 403)["type"], problem("denied"))
        self.assertEqual(self.decide(request, 403, code="000000")["type"], problem("denied"))
        self.assertIn("is wrong", self.verb("approvals", "approve", request["id"], "--code", "000000", exit_code=5))
        self.until(session, call, state="PENDING", reason="code")
        self.assertEqual([line for line in self.place.audit_lines() if line["tool"] == "priv_approve_order"], [])
        self.decide(request, 200, code=code_of(self.enrolment["secret"]))
        ended = self.record("ada", session, call, wait=30)
        self.assertNotIn("denied", ended.get("code", ""))  # it ran: the shop has no such order
        [line] = [line for line in self.place.audit_lines() if line["tool"] == "priv_approve_order"]
        self.assertEqual((line["call"], line["rule"]), (call, "totp"))
        self.assertIn(line["outcome"], ("ok", "tool_error"))

    def test_a_call_that_needs_a_code_and_is_executed_by_a_client_is_handed_over(self):
        self.place.drop("nosy", plugin_file("nosy"))
        session = self.open_session("ada")
        wanted = {"name": "priv_sign", "arguments": ORDER}
        call = wait_until("the tool is served", lambda: self.host.fetch(
            "POST", f"/v1/tools/request/{session}", wanted, self.keys["ada"])[2].get("id"))
        self.until(session, call, state="PENDING", reason="code")
        self.decide(self.request(), 200, code=code_of(self.enrolment["secret"]))
        self.until(session, call, state="PENDING", reason="external_execution_required")
        self.ask("ada", "POST", f"/v1/tools/response/{session}/{call}", {"response": {"state": "COMPLETE", "signed": True}})
        self.assertEqual(self.record("ada", session, call, wait=30)["state"], "COMPLETE")

    def test_a_no_ends_it_and_a_principal_without_codes_is_told(self):
        session = self.open_session("ada")
        call = self.begin("ada", session, "priv_approve_order", ORDER)
        self.until(session, call, reason="code")
        self.verb("approvals", "reject", self.request()["id"])
        ended = self.record("ada", session, call, wait=30)
        self.assertEqual((ended["state"], ended["code"]), ("ERROR", "denied"))
        own = self.open_session("bob")
        ended = self.record("bob", own, self.begin("bob", own, "priv_approve_order", ORDER), wait=30)
        self.assertEqual((ended["state"], ended["code"]), ("ERROR", "denied"))
        self.assertIn("one-time code", ended["result"]["content"][0]["text"])

    def test_a_code_survives_a_restart_of_the_host_only_in_the_persons_hand(self):
        """The wait goes on in the next host, and the same request takes the code."""
        session = self.open_session("ada")
        call = self.begin("ada", session, "priv_approve_order", ORDER)
        self.until(session, call, reason="code")
        first = self.request()["id"]
        port = self.host.port
        self.host.child.kill()
        self.host.wait()
        self.host = self.http_host(self.place, port=port)
        self.until(session, call, state="PENDING", reason="code")
        self.assertEqual(self.request()["id"], first)
        self.verb("approvals", "approve", first, "--code", self.enrolment["recovery"][0])
        self.record("ada", session, call, wait=30)
        [line] = [line for line in self.place.audit_lines() if line["tool"] == "priv_approve_order"]
        self.assertEqual((line["call"], line["rule"]), (call, "totp"))


if __name__ == "__main__":
    import unittest
    unittest.main()
