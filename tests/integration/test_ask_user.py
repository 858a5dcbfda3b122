"""A model asks a person: the client's user where the client can show a form, and otherwise a reviewer of the host."""
import concurrent.futures
import json
import signal

from harness import LEGACY, TestCase, message, run_toolpost, text_of, wait_until

ASK = {"question": "Which branch?", "options": ["main", "next"]}
TALK = {"question": "What is the customer's name?"}


class AskUser(TestCase):
    def setUp(self):
        self.pool = concurrent.futures.ThreadPoolExecutor(4)
        self.addCleanup(self.pool.shutdown)

    def host(self, wait_s=30, more=""):
        self.place = self.workspace(config=f"[approval]\nwait_s = {wait_s}\n{more}")
        return self.http_host(self.place)

    def verb(self, *words, exit_code=0):
        done = run_toolpost(self.place, "approvals", *words, "--config", self.place.config)
        self.assertEqual(done.returncode, exit_code, done)
        return done.stdout if exit_code == 0 else done.stderr

    def only_one(self):
        listed = lambda: json.loads(self.verb("--json"))
        return wait_until("one waits", lambda: len(listed()) == 1 and listed()[0])

    def key(self, principal, scope):
        made = run_toolpost(self.place, "key", "new", principal, "--scope", scope, "--config", self.place.config, "--json")
        return json.loads(made.stdout)["key"]

    def test_a_client_that_waits_gets_the_answer_of_the_command_line(self):
        host = self.host()
        call = self.pool.submit(host.call, "ask_user", ASK)
        waiting = self.only_one()
        self.assertEqual((waiting["kind"], waiting["state"], waiting["reason"]), ("question", "pending", "Which branch?"))
        self.assertIn('is none of the options: "main", "next"', self.verb("answer", waiting["id"], "trunk", exit_code=2))
        self.assertIn("it is answered with a text, not approved", self.verb("approve", waiting["id"], exit_code=2))
        self.assertIn("the text cannot be empty", self.verb("answer", waiting["id"], "", exit_code=2))
        self.assertIn("answered: ask_user", self.verb("answer", waiting["id"], "next"))
        self.assertEqual(text_of(call.result()), "next")
        self.assertNotIn("isError", call.result()["result"])
        line = self.place.audit_lines()[-1]
        self.assertEqual((line["tool"], line["decision"], line["outcome"]), ("ask_user", "allow", "ok"))
        self.assertIn("used", self.verb("--all"))

    def test_a_client_that_gave_up_calls_again_also_after_a_kill(self):
        host = self.host(wait_s=0.1)
        answer = host.call("ask_user", ASK)
        self.assertTrue(answer["result"]["isError"])
        one = self.only_one()["id"]
        self.assertIn(one, text_of(answer))
        self.assertIn("Call again with the same arguments", text_of(answer))
        self.assertIn(one, text_of(host.call("ask_user", dict(reversed(ASK.items())))))  # the same question
        host.child.send_signal(signal.SIGKILL)
        host.wait()
        self.verb("answer", one, "main")
        host = self.http_host(self.place)
        self.assertEqual(text_of(host.call("ask_user", ASK)), "main")
        self.assertIn("waits for a person's answer", text_of(host.call("ask_user", ASK)))  # one answer, one call

    def test_the_same_question_of_two_sessions_is_two_questions(self):
        host = self.host(wait_s=0.1)
        made = [host.fetch("POST", "/v1/sessions", {"customizations": {}})[2]["id"] for _ in range(2)]
        for session in made:
            body, fields = message("tools/call", {"name": "ask_user", "arguments": ASK}, "bare")
            connection = host.connect()
            connection.request("POST", f"/mcp/s/{session}", json.dumps(body), {"Content-Type": "application/json"} | fields)
            self.assertIn("waits for a person's answer", connection.getresponse().read().decode())
            connection.close()
        self.assertEqual({one["session"] for one in json.loads(self.verb("--json"))}, set(made))

    def test_only_who_may_approve_answers_over_rest(self):
        host = self.host(wait_s=0.1)
        host.call("ask_user", TALK)
        boss, caller = self.key("boss", "approve"), self.key("anna", "call")
        one = self.only_one()
        path, good = f"/v1/approvals/{one['id']}", {"decision": "answer", "answer": "Ada", "digest": one["digest"]}
        for key in (boss, caller):
            wait_until("the host knows the key", lambda: host.fetch("GET", "/v1/tools", key=key)[0] in (200, 403))
        self.assertEqual(host.fetch("POST", path, good)[0], 401)
        self.assertEqual(host.fetch("POST", path, good, key=caller)[0], 403)
        bad = [{"decision": "answer"}, {"decision": "answer", "answer": ""}, {"decision": "answer", "answer": " \n"},
               {"decision": "answer", "answer": "x" * 16385}, {"decision": "approve", "digest": one["digest"]},
               {"decision": "reject", "answer": "Ada"}, good | {"always": True}, good | {"arguments": {}},
               good | {"answer": 7}]
        for body in bad:
            status, _, fault = host.fetch("POST", path, body, key=boss)
            self.assertIn(status, (400, 422), (body, fault))
            if body in (bad[2], bad[3]):
                self.assertEqual(fault["pointer"], "/answer")
        self.assertEqual(host.fetch("POST", path, good | {"digest": "0" * 64}, key=boss)[0], 409)
        status, _, done = host.fetch("POST", path, good, key=boss)
        self.assertEqual((status, done["state"], done["answer"]), (200, "answered", "Ada"))
        self.assertNotIn("warning", done)  # a question is bound to no build
        self.assertEqual(host.fetch("POST", path, good | {"answer": "Eve"}, key=boss)[0], 409)
        self.assertEqual(text_of(host.call("ask_user", TALK)), "Ada")

    def test_a_person_who_declines_is_told_to_the_model(self):
        host = self.host(wait_s=0.1)
        host.call("ask_user", TALK)
        self.verb("reject", self.only_one()["id"], "--note", "ask sales")
        answer = host.call("ask_user", TALK)
        self.assertTrue(answer["result"]["isError"])
        self.assertIn("A person declined to answer: ask sales", text_of(answer))
        self.assertEqual(json.loads(self.verb("--json")), [])

    def test_a_client_that_can_show_a_form_asks_its_user(self):
        self.place = self.workspace()
        host = self.stdio_host(self.place)
        host.initialize(LEGACY, {"elicitation": {}})
        for reply, words, wrong in (({"action": "accept", "content": {"answer": "next"}}, "next", False),
                                    ({"action": "decline"}, "declined to answer", True),
                                    ({"action": "cancel"}, "dismissed the question", True)):
            host.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "ask_user", "arguments": ASK}})
            asked = host.receive()
            self.assertEqual(asked["method"], "elicitation/create")
            self.assertEqual(asked["params"]["message"], "Which branch?")
            self.assertEqual(asked["params"]["requestedSchema"]["properties"]["answer"]["enum"], ["main", "next"])
            host.send({"jsonrpc": "2.0", "id": asked["id"], "result": reply})
            answer = host.receive()
            self.assertIn(words, text_of(answer))
            self.assertEqual(answer["result"].get("isError", False), wrong)

    def test_a_detached_call_waits_for_its_answer_as_long_as_it_takes(self):
        host = self.host(wait_s=0.1)
        session = host.fetch("POST", "/v1/sessions", {"customizations": {}})[2]["id"]
        made = host.fetch("POST", f"/v1/tools/request/{session}", {"name": "ask_user", "arguments": TALK})[2]
        one = self.only_one()
        path = f"/v1/tools/request/{session}/{made['id']}"
        waiting = wait_until("the record says why it waits",
                             lambda: (told := host.fetch("GET", path)[2]).get("reason") == "question" and told)
        self.assertEqual(waiting["state"], "PENDING")
        self.verb("answer", one["id"], "Ada")
        done = host.fetch("GET", path + "?wait=30")[2]
        self.assertEqual((done["state"], done["tool_result"]["content"][0]["text"]), ("COMPLETE", "Ada"))

    def test_without_reviewers_it_says_that_nobody_can_be_asked(self):
        host = self.host(more='ask = ["client"]')
        answer = host.call("ask_user", TALK)
        self.assertTrue(answer["result"]["isError"])
        self.assertIn("cannot ask anybody", text_of(answer))
        for bad in ({}, {"question": ""}, {"question": " "}, {"question": "a", "options": ["one"]},
                    {"question": "a", "options": ["b", "b"]}, {"question": "x" * 4001}):
            self.assertTrue(host.call("ask_user", bad)["result"]["isError"], bad)
        for hidden in (" ", "\u00a0", "\u200b\u202e", "\u2800", "\u3164", "\u00ad", "\ufe0f", "\U000e0020"):
            self.assertIn("/question", text_of(host.call("ask_user", {"question": hidden})))
            self.assertIn("/options/1: a person sees nothing of this text",
                          text_of(host.call("ask_user", {"question": "a", "options": ["b", hidden]})))
