"""A reviewer changes the arguments of a call whose tool then asks its client a question. The client of 2026-07-28 sends its own
arguments again with its answer. The call goes on with the arguments of the reviewer, whatever the upstream's protocol version.
See upstreams/asking_double.py."""
import concurrent.futures
import json
import pathlib
import sys
import tempfile
import unittest

from harness import SOURCE, TestCase, free_port, last_message, message, plugin_file, run_toolpost, wait_until
from test_url_codes import Session

DOUBLE = SOURCE / "tests/integration/upstreams/asking_double.py"
SENT = {"order": "o-1", "quantity": 1}
EDITED = {"order": "o-1", "quantity": 5157}  # a number that no other text has
ABLE = {"elicitation": {"form": {}, "url": {}}}
TASKS = ABLE | {"extensions": {"io.modelcontextprotocol/tasks": {}}}
BASE = "[groups]\nsearch_above = 1\n[approval]\nwait_s = 0.1\nreject_sticky_s = 0\n[upstreams]\nrestart_pause_s = 0.05\n"


class EditedTest(TestCase):
    base = BASE

    def serve(self, *words, rule="ask"):
        self.place = self.workspace()
        self.log = self.place.root / "log"
        self.log.write_text("")
        self.words = (f"log={self.log}", *words)
        self.head = self.place.config.read_text()
        self.configure(rule)
        self.port = free_port()
        self.start()
        wait_until("its tools are listed", lambda: "mcp__u__move" in json.dumps(self.host.request("tools/list")))

    def start(self):
        self.host = self.http_host(self.place, port=self.port)

    def configure(self, rule, more=""):
        arguments = ", ".join(json.dumps(str(word)) for word in ("-B", DOUBLE, *self.words))
        rules = "".join(f'[[rule]]\ntool = "{tool}"\nbehavior = "{rule}"\n' for tool in ("mcp__u__move", "mcp__u__sign_in"))
        self.place.write_config(f'{self.head}\n{self.base}{rules}\n[[upstream]]\nname = "u"\ncommand = "{sys.executable}"\n'
                                f"args = [{arguments}]\nlazy = false\n{more}")

    def change_rule(self, rule, until):
        self.configure(rule)
        probe = {"order": "probe"}
        wait_until("the host has read it", lambda: until in json.dumps(self.call("move", probe, able={})))

    def call(self, tool="move", arguments=None, able=None, name=None, path="/mcp", method="tools/call", **more):
        """Of a client of 2026-07-28. Its result, or its error."""
        params = {"name": name or f"mcp__u__{tool}", "arguments": SENT if arguments is None else arguments} | more
        if method == "resources/read":
            params = more
        body, headers = message(method, params, "modern", headers={"Mcp-Name": more["uri"]} if "uri" in more else None)
        body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = ABLE if able is None else able
        connection = self.host.connect()
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"} | headers)
        answer = last_message(connection.getresponse().read().decode())
        connection.close()
        return answer.get("result", answer.get("error"))

    def answers_to(self, asked):
        return {"requestState": asked["requestState"],
                "inputResponses": {key: {"action": "accept", "content": {"name": "Ada"}} for key in asked["inputRequests"]}}

    def agrees_to(self, asked):
        return {"requestState": asked["requestState"], "inputResponses": {key: {"action": "accept"} for key in asked["inputRequests"]}}

    def task(self, method, made, **more):
        body, headers = message(f"tasks/{method}", {"taskId": made["taskId"]} | more, "modern", headers={"Mcp-Name": made["taskId"]})
        body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = TASKS
        return last_message(self.host.post(body, headers)[2])["result"]

    def asks(self, made):
        """The task, once it asks."""
        return wait_until("it asks", lambda: self.task("get", made) if "inputRequests" in self.task("get", made) else None)

    def outcome(self, made):
        return wait_until("it is over", lambda: self.task("get", made).get("result"))

    def verb(self, *words):
        done = run_toolpost(self.place, "approvals", *words, "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout

    def pending(self):
        return json.loads(self.verb("--json"))

    def approve(self, edited=None):
        """Returns the arguments that the reviewer has seen."""
        one, = [each for each in self.pending() if each["arguments_text"] and "probe" not in each["arguments_text"]]
        self.verb("approve", one["id"], *(["--arguments", json.dumps(edited)] if edited else []))
        return json.loads(one["arguments_text"])

    def begin_edited(self, tool="move", edited=EDITED, **more):
        """The tool begins with the reviewer's arguments, and asks."""
        self.assertIn("waits for", json.dumps(self.call(tool, **more)))
        self.assertEqual(self.approve(edited), SENT)
        asked = self.call(tool, **more)
        self.assertIn("inputRequests", asked)
        self.assert_hides_values(asked)
        return asked

    def noted(self, what):
        lines = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [arguments for kind, _, arguments in lines if kind == what and arguments["order"] != "probe"]

    def assert_hides_values(self, answer):
        self.assertNotIn(str(EDITED["quantity"]), json.dumps(answer))

    def assert_names_edits(self, result, *names):
        """The result of the double shows the arguments; the host's own parts of it name the members alone."""
        self.assertFalse(result.get("isError"), result)
        self.assertEqual(result["_meta"].get("io.toolpost/edited", []), list(names), result)
        told = [block["text"] for block in result["content"] if "A reviewer changed" in block["text"]]
        self.assertEqual(told, [f"A reviewer changed the arguments of this call: {', '.join(names)}."] if names else [])


class EveryEra:
    """The cases, run once for each protocol version of the upstream."""
    era = None

    def setUp(self):
        self.serve(self.era)

    def test_the_call_goes_on_with_the_arguments_with_which_its_tool_began(self):
        done = self.call(**self.answers_to(self.begin_edited()))
        self.assert_names_edits(done, "quantity")
        self.assertEqual(self.noted("acts"), [EDITED])
        self.assertEqual([one for one in self.noted("call") if one != EDITED], [])
        self.assertEqual(self.pending(), [])  # the approval covers the answer, as for a call that nobody changed
        digests = {line["args_sha256"] for line in self.place.audit_lines() if line.get("outcome") in ("ok", "asked")}
        self.assertEqual(len(digests), 1, digests)

    def test_each_of_several_rounds_keeps_them(self):
        self.host.stop()
        self.serve(self.era, "rounds=3")
        asked = self.begin_edited()
        for _ in range(2):
            asked = self.call(**self.answers_to(asked))
            self.assertIn("inputRequests", asked)
            self.assert_hides_values(asked)
        self.assert_names_edits(self.call(**self.answers_to(asked)), "quantity")
        self.assertEqual(self.noted("acts"), [EDITED])
        self.assertEqual([one for one in self.noted("call") if one != EDITED], [])

    def test_a_request_without_a_valid_answer_gets_the_question_again(self):
        """It needs no second approval, and does not use up the requestState."""
        self.assert_asks_again(self.begin_edited())
        self.assert_names_edits(self.last, "quantity")
        self.assertEqual(self.noted("acts"), [EDITED])

    def test_so_does_one_of_a_call_that_nobody_changed(self):
        self.assert_asks_again(self.begin_edited(edited=None))
        self.assert_names_edits(self.last)
        self.assertEqual(self.noted("acts"), [SENT])

    def assert_asks_again(self, asked):
        begun = self.noted("call")
        key, = asked["inputRequests"]
        for responses in (None, {}, {"other": {"action": "accept"}}, {key: {"action": "accept", "content": {"name": 5}}}):
            with self.subTest(responses=responses):
                again = self.call(requestState=asked["requestState"], **({} if responses is None else {"inputResponses": responses}))
                self.assertEqual(list(again["inputRequests"]), [key], again)
                self.assertEqual(again["requestState"], asked["requestState"])
                self.assert_hides_values(again)
        self.assertEqual(self.pending(), [])
        self.assertEqual(self.noted("call"), begun)
        self.assertEqual(self.noted("acts"), [])
        self.last = self.call(arguments=dict(reversed(SENT.items())), **self.answers_to(asked))
        self.assertEqual(self.call(**self.answers_to(asked)).get("code"), -32602)

    def test_a_deny_rule_stops_it_and_its_reason_stays_here(self):
        asked = self.begin_edited()
        self.change_rule("deny", until="Denied")
        denied = self.call(**self.answers_to(asked))
        self.assertTrue(denied["isError"], denied)
        self.assertIn("did not continue", denied["content"][0]["text"])
        self.assert_hides_values(denied)
        self.assertEqual(self.noted("acts"), [])

    def test_the_idempotency_key_is_of_the_clients_arguments(self):
        keyed = {"arguments": SENT | {"idempotency_key": "k"}}
        done = self.call(**keyed, **self.answers_to(self.begin_edited(**keyed)))
        self.assert_names_edits(done, "quantity")
        again = self.call(**keyed)
        self.assertTrue(again["_meta"].get("io.toolpost/replayed"), again)
        self.assertEqual(again["_meta"]["io.toolpost/edited"], ["quantity"])
        self.assertEqual(self.noted("acts"), [EDITED])
        self.assertIn("with other arguments", json.dumps(self.call(arguments=EDITED | {"idempotency_key": "k"})))

    def test_other_arguments_of_the_client_are_refused(self):
        asked = self.begin_edited()
        refused = self.call(arguments=EDITED, **self.answers_to(asked))
        self.assertEqual(refused.get("code"), -32602, refused)
        self.assertEqual(self.noted("acts"), [])
        done = self.call(**self.answers_to(asked))
        self.assert_names_edits(done, "quantity")
        used = self.call(**self.answers_to(asked))
        self.assertEqual(used.get("code"), -32602, used)
        self.assertEqual(self.noted("acts"), [EDITED])

    def test_a_call_through_call_tool_goes_on_with_its_inner_arguments(self):
        status, _, made = self.host.fetch("POST", "/v1/sessions", {"customizations": {}})
        self.assertEqual(status, 201, made)
        through = {"path": f"/mcp/s/{made['id']}", "name": "call_tool",
                   "arguments": {"name": "mcp__u__move", "arguments": SENT}}
        asked = self.begin_edited(**through)
        self.assert_names_edits(self.call(**through, **self.answers_to(asked)), "quantity")
        self.assertEqual(self.noted("acts"), [EDITED])

    def test_a_client_of_2025_is_asked_during_its_call(self):
        session = Session(self.host, None, ABLE)
        self.assertIn("waits for", json.dumps(session.begin_named("mcp__u__move", SENT).next()))
        self.assertEqual(self.approve(EDITED), SENT)
        call = session.begin_named("mcp__u__move", SENT)
        asked = call.next()
        self.assertEqual(asked["method"], "elicitation/create")
        self.assert_hides_values(asked)
        session.answer(asked, action="accept", content={"name": "Ada"})
        self.assert_names_edits(call.next()["result"], "quantity")
        self.assertEqual(self.noted("acts"), [EDITED])


class LegacyUpstream(EveryEra, EditedTest):
    era = "legacy"


class ModernUpstream(EveryEra, EditedTest):
    era = "modern"

    def test_the_question_comes_again_after_each_change_of_its_upstream(self):
        """The end of the connection ends no question of a server that keeps the call in its own requestState."""
        secret = self.place.root / "secret"
        key = f'env.KEY = {{ file = "{secret}" }}\n'
        secret.write_text("first")
        self.change("allow", key)
        for name, change in (("settings", lambda: self.change("allow", key + "max_inflight = 3\n")),
                             ("secret", lambda: (secret.write_text("second"), self.change("allow", key))),
                             ("questions", lambda: self.change("allow", key + "questions = []\n"))):
            with self.subTest(name):
                requests = [{"arguments": {"order": name}}, {"method": "prompts/get", "name": "mcp__u__ask", "arguments": {}},
                            {"method": "resources/read", "uri": "order:///1"}]
                asked = [wait_until("it asks", lambda one=one: (lambda got: got if "inputRequests" in got else None)(self.call(**one)))
                         for one in requests]
                change()
                acts = len(self.noted("acts"))
                for one, first in zip(requests, asked):
                    for wrong in ({}, {"inputResponses": {"other": {"action": "accept"}}}):
                        again = self.call(**one, requestState=first["requestState"], **wrong)
                        self.assertEqual(again.get("requestState"), first["requestState"], again)
                self.assertEqual(len(self.noted("acts")), acts)
                for one, first in zip(requests, asked):
                    self.assertNotIn("code", self.call(**one, **self.answers_to(first)))
                self.assertEqual(len(self.noted("acts")), acts + 3)

    def change(self, rule, more):
        """Until the changed section's process runs, and the host has read its lists."""
        begun = len(self.noted("begins"))
        self.configure(rule, more)
        wait_until("the changed section's process runs", lambda: len(self.noted("begins")) > begun)
        for method, offer in (("prompts/list", "mcp__u__ask"), ("resources/list", "order:///1")):
            wait_until("its lists are read", lambda method=method, offer=offer: offer in json.dumps(self.host.request(method)))


class Plugins(EditedTest):
    """A plugin's tool that asks is run again with the answers: in a request of its own, or as a task after a restart."""
    NAME = "confirm_delete"
    SENT = {"filename": "sent"}
    EDITED = {"filename": "edited"}
    CONFIG = f'[permission]\nmode = "bypass"\n[[rule]]\ntool = "{NAME}"\nbehavior = "ask"\n[approval]\nwait_s = 0.1\n'

    def setUp(self):
        self.place = self.workspace("conformance", config=self.CONFIG)
        self.port = free_port()
        self.start()

    def ask(self, able, **more):
        return self.call(name=self.NAME, arguments=self.SENT, able=able, **more)

    def confirm(self, asked):
        return {key: {"action": "accept", "content": {"confirm": True}} for key in asked["inputRequests"]}

    def test_a_call_goes_on_with_the_reviewers_arguments(self):
        self.assertIn("waits for", json.dumps(self.ask(ABLE)))
        self.assertEqual(self.approve(self.EDITED), self.SENT)
        asked = self.ask(ABLE)
        done = self.ask(ABLE, requestState=asked["requestState"], inputResponses=self.confirm(asked))
        self.assertEqual(done["content"][0]["text"], "Deleted edited")
        self.assert_names_edits(done, "filename")
        self.assertEqual(self.pending(), [])

    def test_a_task_goes_on_with_them_after_a_restart_and_its_approval_shows_them(self):
        for restarts in (False, True):
            with self.subTest(restarts=restarts):
                self.assertIn("waits for", json.dumps(self.ask(TASKS)))
                self.assertEqual(self.approve(self.EDITED), self.SENT)
                made = self.ask(TASKS)
                asked = self.asks(made)
                if restarts:
                    self.host.stop()
                    self.start()
                self.task("update", made, inputResponses=self.confirm(asked))
                if restarts:
                    wait_until("it needs an approval again", self.pending)
                    self.assertEqual(self.approve(), self.EDITED)
                done = self.outcome(made)
                self.assertEqual(done["content"][0]["text"], "Deleted edited")
                self.assert_names_edits(done, "filename")


class RequiredUrls(EditedTest):
    """The upstream refuses the call until URLs are opened (-32042): it has not begun it."""

    def test_the_call_that_is_sent_again_has_the_reviewers_arguments(self):
        self.serve()
        asked = self.begin_edited("sign_in")
        done = self.call("sign_in", **self.agrees_to(asked))
        self.assert_names_edits(done, "quantity")
        self.assertEqual(self.noted("call"), [EDITED, EDITED])
        self.assertEqual(self.noted("acts"), [EDITED])
        self.assertEqual(self.pending(), [])

    def test_a_reviewer_can_change_them_once_more_and_the_result_names_both_changes(self):
        self.serve()
        asked = self.begin_edited("sign_in")
        state = {"requestState": asked["requestState"]}  # the answers would go on under the first approval
        waits = self.call("sign_in", **state)
        self.assertIn("and with the same requestState", json.dumps(waits))
        self.assert_hides_values(waits)
        self.assertEqual(self.approve(EDITED | {"order": "o-2"}), EDITED)
        refused = self.call("sign_in", **state)
        self.assertIn("did not agree to it", refused["content"][0]["text"])
        self.assertEqual(refused["_meta"]["io.toolpost/edited"], ["quantity", "order"])
        self.assertEqual(self.noted("acts"), [])

    def test_a_client_of_2025_too(self):
        self.serve()
        session = Session(self.host, None, ABLE)
        waits = session.begin_named("mcp__u__sign_in", SENT).next()
        self.assertIn("waits for", json.dumps(waits))
        self.approve(EDITED)
        call = session.begin_named("mcp__u__sign_in", SENT)
        session.answer(call.next(), action="accept")
        wait_until("it has acted", lambda: self.noted("acts"))
        answers = [call.next()]
        while "result" not in answers[-1]:
            answers.append(call.next())
        self.assert_names_edits(answers[-1]["result"], "quantity")
        self.assertEqual(self.noted("acts"), [EDITED])


class WaitingCalls(EditedTest):
    """The rules change while a call waits for others to end."""
    CONFIG = """[limits]
running_per_principal = 1
[approval]
wait_s = 60
[plugin.counter]
enabled = true
fs = ["rw:{folder}"]
[[rule]]
tool = "until"
behavior = "allow"
[[rule]]
tool = "read_file"
behavior = "{behavior}"
[[rule]]
tool = "read_file"
content = "/etc/5157/**"
behavior = "deny"
"""

    def test_a_change_that_a_rule_denies_is_named_once(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = self.workspace("hello", "files")
        self.place.drop("counter", plugin_file("counter/counter_two"))
        head = self.place.config.read_text()
        allows = self.CONFIG.format(folder=folder.name, behavior="allow")
        self.place.write_config(f"{head}\n{allows}")
        self.host = self.http_host(self.place)
        made = run_toolpost(self.place, "key", "new", "boss", "--scope", "admin", "--json", "--config", self.place.config)
        boss = json.loads(made.stdout)["key"]
        pool = concurrent.futures.ThreadPoolExecutor(2)
        self.addCleanup(pool.shutdown)
        self.addCleanup(self.place.open_gate)
        runs = pathlib.Path(folder.name, "runs")
        pool.submit(self.call, name="until", arguments=self.place.gate() | {"runs": str(runs)})
        wait_until("it runs", runs.exists)
        waits = pool.submit(self.call, name="read_file", arguments={"path": "/etc/sent"})
        wait_until("it waits", lambda: {"queued", "running"} == {
            one["state"] for one in (self.host.fetch("GET", "/v1/calls", key=boss)[2] or {}).get("calls", [])})
        asks = self.CONFIG.format(folder=folder.name, behavior="ask")
        self.place.write_config(f"{head}\n{asks}")
        wait_until("the host has read it", lambda: self.place.audit_lines("config"))
        self.place.open_gate()
        wait_until("it needs an approval", self.pending)
        self.approve({"path": "/etc/5157/secret"})
        denied = waits.result()
        self.assertTrue(denied["isError"], denied)
        self.assertEqual(json.dumps(denied).count("A reviewer changed the arguments"), 1, denied)
        self.assertEqual(denied["_meta"]["io.toolpost/edited"], ["path"])
        self.assert_hides_values(denied)


if __name__ == "__main__":
    unittest.main()
