"""What upstreams have in addition to tools: resources, prompts, completions, and questions to the client of a call, in both
eras on both sides. See upstreams/offers_double.py."""
import json
import subprocess
import sys
import threading
import unittest

from harness import MODERN, NPM, SOURCE, TestCase, last_message, message, run_toolpost, text_of, wait_until
from test_url_codes import Call, Session

DOUBLE = SOURCE / "tests/integration/upstreams/offers_double.py"
BASE = '[permission]\nmode = "bypass"\n[upstreams]\nrestart_pause_s = 0.05\n'
MARKER = "marker-5ecret-\u00e4"


def upstream(name, *words, more=""):
    arguments = ", ".join(json.dumps(str(word)) for word in ("-B", DOUBLE, *words))
    return f'[[upstream]]\nname = "{name}"\ncommand = "{sys.executable}"\nargs = [{arguments}]\nlazy = false\n{more}\n'


class OffersTest(TestCase):
    def configure(self, *sections, base=BASE):
        self.place = self.workspace(config=base + "".join(sections))
        return self.place

    def names(self, host, method, member, key, **options):
        return [one[key] for one in host.request(method, **options)["result"][member]]

    def uris(self, host, **options):
        return self.names(host, "resources/list", "resources", "uri", **options)

    def prompts(self, host, **options):
        return self.names(host, "prompts/list", "prompts", "name", **options)

    def status(self, name):
        done = run_toolpost(self.place, "upstream", "list", "--json", "--config", self.place.config)
        return {one["name"]: one for one in json.loads(done.stdout)}[name]


class Offers(OffersTest):
    def setUp(self):
        self.state = self.workspace().root / "state"
        self.keep({"memo:///a": "alpha", "memo:///b": "beta"}, ["greet"])

    def keep(self, resources, prompts):
        self.state.write_text(json.dumps({"resources": resources, "prompts": prompts}))

    def test_they_are_listed_read_and_completed_by_clients_of_both_eras(self):
        self.configure(upstream("old", more='resources_denied = ["memo:///b"]'), upstream("new", "modern", more='prompts = ["x*"]'),
                       upstream("dead", "mute-lists", more='tools = []\nprompts = []\nresources = []'))
        host = self.http_host(self.place)
        wait_until("both are read", lambda: len(self.uris(host)) == 2 and self.prompts(host))
        for era in ("bare", "modern"):
            self.assertEqual(self.uris(host, era=era), ["memo:///a", "memo:///b"])
            self.assertEqual(self.prompts(host, era=era), ["mcp__old__greet"])
            self.assertEqual(self.names(host, "resources/templates/list", "resourceTemplates", "uriTemplate", era=era),
                             ["memo:///{name}"])
            read = host.request("resources/read", {"uri": "memo:///b"}, era, headers={"Mcp-Name": "memo:///b"})
            self.assertEqual(read["result"]["contents"][0]["text"], "beta")
            missing = host.request("resources/read", {"uri": "memo:///c"}, era, headers={"Mcp-Name": "memo:///c"})["error"]
            self.assertEqual((missing["code"], missing["data"]), (-32602 if era == "modern" else -32002, {"uri": "memo:///c"}))
            got = host.request("prompts/get", {"name": "mcp__old__greet", "arguments": {"who": "Ada"}}, era)["result"]
            self.assertEqual(got["messages"][0]["content"]["text"], "Hello Ada, says greet")
            for ref, said in (({"type": "ref/prompt", "name": "mcp__old__greet"}, "x-greet"),
                              ({"type": "ref/resource", "uri": "memo:///{name}"}, "x-memo:///{name}")):
                argument = {"name": "who" if "name" in ref else "name", "value": "x"}
                done = host.request("completion/complete", {"ref": ref, "argument": argument}, era)["result"]
                self.assertEqual(done["completion"]["values"], [said])
        status = self.status("old")
        self.assertEqual((status["resources"], status["prompts"]), (["memo:///a"], ["mcp__old__greet"]))
        reasons = json.dumps(status["refused"])
        self.assertIn("has no scheme", reasons)
        self.assertIn("skills of this host", reasons)
        self.assertEqual(host.request("resources/read", {"uri": "memo:///a"})["result"]["contents"][0]["text"], "alpha")

    def test_no_answer_of_an_upstream_has_the_uri_of_a_skill_of_this_host(self):
        for uri, refused in (("skill://file-invoices/SKILL.md", True), (" S\tkill:x", True), ("memo:///other", False)):
            with self.subTest(uri):
                self.configure(upstream("u", f"claims={uri}"))
                host = self.http_host(self.place)
                wait_until("it is read", lambda: self.uris(host) and self.prompts(host) and "mcp__u__links" in json.dumps(host.request("tools/list")))
                answers = [host.request("resources/read", {"uri": "memo:///a"}), host.call("mcp__u__claims"), host.call("mcp__u__links", era="modern"),
                           host.request("prompts/get", {"name": "mcp__u__greet", "arguments": {"who": "Ada"}})]
                for answer in answers:
                    text = json.dumps(answer)
                    self.assertEqual("memo:///other" in text, not refused, text)
                    self.assertEqual("scheme skill:, which is for skills of this host" in text, refused, text)
                    self.assertEqual('"own/meta": 1' in text, not refused, text)
                    self.assertNotIn("io.toolpost/", text)  # only the host itself writes it
                host.stop()

    def test_only_agents_that_see_the_upstream_see_them(self):
        agents = "[agent.coder]\nneeds_key = false\n[agent.clerk]\nneeds_key = false\n"
        self.configure(agents, upstream("own", more='agents = ["coder"]'))
        host = self.http_host(self.place)

        def ask(agent, method, params):
            connection = host.connect()
            connection.request("POST", f"/{agent}/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}),
                               {"Content-Type": "application/json"})
            answer = json.loads(connection.getresponse().read())
            connection.close()
            return answer

        wait_until("the coder sees them", lambda: len(ask("coder", "resources/list", {})["result"]["resources"]) == 2)
        self.assertEqual(ask("clerk", "resources/list", {})["result"]["resources"], [])
        self.assertEqual(ask("coder", "resources/read", {"uri": "memo:///a"})["result"]["contents"][0]["text"], "alpha")
        for method, params in (("resources/read", {"uri": "memo:///a"}), ("prompts/get", {"name": "mcp__own__greet", "arguments": {"who": "x"}})):
            self.assertIn("unknown", ask("clerk", method, params)["error"]["message"])

    def test_changes_of_a_hidden_upstream_do_not_reach_the_client(self):
        """Neither those of its lists nor updates of a resource that another upstream has too."""
        state, log = self.state.with_name("own-state"), self.state.with_name("log")
        log.write_text("")
        state.write_text(json.dumps({"resources": {"memo:///b": "not yours"}, "prompts": ["greet"]}))
        self.configure("[agent.clerk]\n[agent.coder]\n", upstream("all", f"state={self.state}"),
                       upstream("own", f"state={state}", f"log={log}", "churn", "tell", more='agents = ["coder"]'))
        clerk = self.stdio_host(self.place, "--agent", "clerk")
        clerk.initialize()
        wait_until("it sees the other one", lambda: self.uris(clerk) == ["memo:///a", "memo:///b"] and self.prompts(clerk))
        self.assertEqual(clerk.request("resources/subscribe", {"uri": "memo:///b"})["result"], {})
        while not clerk.lines.empty():
            clerk.receive()
        lists = lambda: log.read_text().splitlines().count("resources/list")
        before = lists()
        wait_until("its list was read and has changed", lambda: lists() >= before + 2)
        clerk.send({"jsonrpc": "2.0", "id": "last", "method": "ping"})
        heard = []
        while (message := clerk.receive()).get("id") != "last":
            heard.append(message["method"])
        self.assertEqual(heard, [])

    def test_changes_are_read_and_notified(self):
        for words in ((), ("modern",)):
            self.keep({"memo:///a": "alpha"}, ["greet"])
            self.configure(upstream("u", f"state={self.state}", *words))
            host = self.stdio_host(self.place)
            host.initialize()
            wait_until("it is read", lambda: self.uris(host) == ["memo:///a"] and self.prompts(host))
            self.keep({"memo:///a": "alpha", "memo:///new": "x"}, ["greet", "part"])
            self.assertEqual(text_of(host.call("mcp__u__changed")), "told")
            wait_until("the resource is there", lambda: self.uris(host) == ["memo:///a", "memo:///new"])
            wait_until("the prompt is there", lambda: self.prompts(host) == ["mcp__u__greet", "mcp__u__part"])
            host.stop()

    def test_a_server_that_changes_its_list_at_each_reading_is_read_seldom(self):
        log = self.state.with_name("log")
        log.write_text("")
        self.configure(upstream("u", f"log={log}", "churn", "tell"))
        host = self.http_host(self.place)
        lists = lambda: log.read_text().splitlines().count("resources/list")
        wait_until("it is served and read again", lambda: lists() > 1 and self.uris(host))
        before = lists()
        for _ in range(100):
            host.call("echo", {"text": "x"})
        self.assertLess(lists() - before, 20)  # without a pause, the host reads once for each call and more

    def test_a_followed_resource_is_followed_at_the_upstream(self):
        for words in ((), ("modern",)):
            log = self.state.with_name("log")
            log.write_text("")
            self.keep({"memo:///a": "alpha", "memo:///b": "beta"}, [])
            self.configure(upstream("u", f"state={self.state}", f"log={log}", *words))
            host = self.stdio_host(self.place)
            host.initialize()
            wait_until("it is read", lambda: self.uris(host))
            self.assertEqual(host.request("resources/subscribe", {"uri": "memo:///b"})["result"], {})
            subscribed = lambda: [line for line in log.read_text().splitlines() if line.startswith(("resources/subscribe", "subscriptions/listen"))]
            wait_until("the upstream was asked", lambda: len(subscribed()) == (2 if words else 1))
            host.send({"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": {"name": "mcp__u__changed", "arguments": {}}})
            updated, ended = [], False
            while not updated or not ended:
                message = host.receive()
                ended = ended or message.get("id") == "call"
                if message.get("method") == "notifications/resources/updated":
                    updated.append(message["params"]["uri"])
            self.assertEqual(updated, ["memo:///b"])
            if not words:
                host.request("resources/unsubscribe", {"uri": "memo:///b"})
                wait_until("the upstream was told", lambda: "resources/unsubscribe memo:///b" in log.read_text())
            host.stop()

    def test_what_was_seen_last_is_listed_while_it_is_down(self):
        self.configure(upstream("u", f"state={self.state}", more="idle_stop_s = 0.1").replace("lazy = false", ""))
        host = self.http_host(self.place)
        wait_until("it was read and is idle", lambda: self.uris(host) and self.status("u")["state"] == "idle")
        self.assertEqual(self.prompts(host), ["mcp__u__greet"])
        self.state.unlink()  # from now on it ends at each list
        error = host.request("resources/read", {"uri": "memo:///a"})["error"]
        self.assertIn("did not answer", error["message"])
        self.assertEqual(self.uris(host), ["memo:///a", "memo:///b"])


    def test_plain_requests_go_on_while_an_upstream_sends_long_results(self):
        """Each is parsed and made into a result on another thread."""
        self.configure(upstream("long", "long", more="resources = []"), upstream("u"))
        host = self.http_host(self.place)
        wait_until("both are ready", lambda: self.uris(host) and "mcp__long__long" in json.dumps(host.request("tools/list")))
        plain, ended = [], threading.Event()

        def ask():
            while not ended.is_set():
                plain.append(host.request("resources/read", {"uri": "memo:///b"})["result"]["contents"][0]["text"])
        asker = threading.Thread(target=ask)
        asker.start()
        try:
            for _ in range(4):
                self.assertEqual(len(host.call("mcp__long__long")["result"]["content"]), 50_000)
        finally:
            ended.set()
            asker.join()
        self.assertGreater(len(plain), 8)
        self.assertEqual(set(plain), {"beta"})


class Questions(OffersTest):
    ANSWERS = {"elicitation/create": {"action": "accept", "content": {"name": "Ada"}},
               "sampling/createMessage": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Paris"}},
               "roots/list": {"roots": [{"uri": "file:///srv"}]}}
    ABLE = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}

    def with_session(self, host, tool):
        """(what was asked, the call's answer)"""
        host.send({"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": {"name": tool, "arguments": {}}})
        asked = []
        while True:
            message = host.receive()
            if message.get("id") == "call":
                return asked, json.loads(text_of(message))
            if "method" in message and "id" in message:
                asked.append(message)
                host.send({"jsonrpc": "2.0", "id": message["id"], "result": self.ANSWERS[message["method"]]})

    def stateless(self, host, tool):
        params = {"name": tool, "arguments": {}, "_meta": {"io.modelcontextprotocol/protocolVersion": MODERN,
                                                           "io.modelcontextprotocol/clientCapabilities": self.ABLE}}
        asked = []
        while True:
            answer = host.request("tools/call", params)["result"]
            if answer["resultType"] == "complete":
                return asked, json.loads(text_of({"result": answer}))
            asked += answer["inputRequests"].values()
            params = params | {"requestState": answer["requestState"], "inputResponses": {
                key: self.ANSWERS[one["method"]] for key, one in answer["inputRequests"].items()}}

    def test_they_reach_the_client_of_the_call_in_both_eras(self):
        self.configure(upstream("u"))
        host = self.stdio_host(self.place)
        host.initialize(capabilities=self.ABLE)
        modern = self.stdio_host(self.place)
        wait_until("it is listed", lambda: "mcp__u__ask" in json.dumps(host.request("tools/list")))
        params = {"_meta": {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}}
        wait_until("it is listed", lambda: "mcp__u__ask" in json.dumps(modern.request("tools/list", params)))
        for name, methods in (("ask", ["elicitation/create"]), ("visit", ["elicitation/create"]), ("sample", ["sampling/createMessage"]),
                              ("roots", ["roots/list"]), ("twice", ["elicitation/create", "sampling/createMessage"])):
            for ask, client in ((self.with_session, host), (self.stateless, modern)):
                asked, answers = ask(client, f"mcp__u__{name}")
                self.assertEqual([one["method"] for one in asked], methods)
                self.assertEqual(answers, [self.ANSWERS[method] for method in methods])
                if name == "visit":
                    self.assertEqual(asked[0]["params"]["url"], "https://x.example/go")
                    self.assertNotEqual(asked[0]["params"].get("elicitationId"), "e1")
                    self.assertEqual(asked[0]["params"]["message"], 'The upstream "u" asks: Go')
        asked, (error,) = self.with_session(host, "mcp__u__editor")
        self.assertEqual(asked, [])
        self.assertIn("must begin with https://", error["message"])

    def test_urls_that_an_upstream_requires_are_opened_before_the_call_is_sent_again(self):
        """Error -32042 of 2025-11-25."""
        self.configure(upstream("u", "urls"))
        legacy, modern = self.stdio_host(self.place), self.stdio_host(self.place)
        legacy.initialize(capabilities=self.ABLE)
        params = {"_meta": {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}}
        wait_until("it is listed", lambda: "mcp__u__sign_in" in json.dumps(legacy.request("tools/list")))
        wait_until("it is listed", lambda: "mcp__u__sign_in" in json.dumps(modern.request("tools/list", params)))
        for ask, client in ((self.with_session, legacy), (self.stateless, modern)):
            asked, answer = ask(client, "mcp__u__sign_in")
            self.assertEqual([one["method"] for one in asked], ["elicitation/create"])
            self.assertEqual(asked[0]["params"]["url"], "https://x.example/sign-in")
            self.assertEqual(answer, "signed in")
        unable = modern.request("tools/call", params | {"name": "mcp__u__sign_in", "arguments": {}})
        self.assertIn("it lacks elicitation.url", text_of(unable))

    def test_the_end_of_a_url_question_is_told_to_its_client_alone(self):
        self.configure(upstream("u"))
        host = self.http_host(self.place)
        wait_until("it is listed", lambda: "mcp__u__visit" in json.dumps(host.request("tools/list")))
        wait_until("its resource, too", lambda: "memo:///a" in json.dumps(host.request("resources/list")))
        asked_one, other = (Session(host, None, self.ABLE) for _ in range(2))
        streams = [Call(host, peer.headers) for peer in (asked_one, other)]
        for peer in (asked_one, other):
            peer.send({"id": "follow", "method": "resources/subscribe", "params": {"uri": "memo:///a"}})

        def next_of(stream):  # the lists of the upstream can arrive at any time
            while (said := stream.next())["method"].endswith("/list_changed"):
                pass
            return said

        def begin(peer, tool):
            body = {"jsonrpc": "2.0", "id": tool, "method": "tools/call", "params": {"name": f"mcp__u__{tool}", "arguments": {}}}
            return Call(host, peer.headers, body)
        visit = begin(asked_one, "visit")
        asked = visit.next()
        asked_one.answer(asked, action="accept")
        self.assertEqual(json.loads(text_of(visit.next())), [{"action": "accept"}])
        self.assertEqual(text_of(begin(other, "leave").next()), "told")
        self.assertEqual(next_of(streams[0]), {"jsonrpc": "2.0", "method": "notifications/elicitation/complete",
                                               "params": {"elicitationId": asked["params"]["elicitationId"]}})
        self.assertEqual(text_of(begin(other, "changed").next()), "told")
        for stream in streams:
            self.assertEqual(next_of(stream)["method"], "notifications/resources/updated")

    def test_a_client_that_cannot_be_asked_is_not(self):
        self.configure(upstream("u"), upstream("quiet", more='questions = ["roots"]'))
        host = self.stdio_host(self.place)
        host.initialize(capabilities={"sampling": {}, "roots": {}})
        wait_until("both are listed", lambda: {"mcp__u__ask", "mcp__quiet__ask"} <= {
            tool["name"] for tool in host.request("tools/list")["result"]["tools"]})
        for tool, lacking in (("mcp__u__ask", "elicitation"), ("mcp__u__visit", "elicitation.url"), ("mcp__quiet__sample", "sampling")):
            asked, (error,) = self.with_session(host, tool)
            self.assertEqual(asked, [])
            self.assertIn(f"lacks {lacking}", error["message"])
        self.assertEqual(self.with_session(host, "mcp__quiet__roots")[1], [self.ANSWERS["roots/list"]])

    def test_a_question_whose_client_goes_is_cancelled(self):
        log = self.workspace().root / "log"
        self.configure(upstream("u", f"log={log}"))
        host = self.stdio_host(self.place)
        host.initialize(capabilities=self.ABLE)
        wait_until("it is listed", lambda: "mcp__u__ask" in json.dumps(host.request("tools/list")))
        host.send({"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": {"name": "mcp__u__ask", "arguments": {}}})
        while host.receive().get("method") != "elicitation/create":
            pass
        host.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "call"}})
        wait_until("the upstream was told", lambda: '{"result": {"action": "cancel"}}' in log.read_text()
                   and "notifications/cancelled" in log.read_text())
        self.assertEqual(self.with_session(host, "mcp__u__roots")[1], [self.ANSWERS["roots/list"]])


class ChangedBetweenRounds(OffersTest):
    """The rules change while the client answers a question of the upstream, which has begun the call."""
    BASE = "[approval]\nwait_s = 0.1\n[upstreams]\nrestart_pause_s = 0.05\n"

    def setUp(self):
        super().setUp()
        self.log = self.workspace().root / "log"
        self.configure(upstream("u", f"log={self.log}", more="trust_read_only = false"), base=self.rules("allow") + self.BASE)
        self.host = self.http_host(self.place)
        wait_until("it is listed", lambda: "mcp__u__ask" in json.dumps(self.host.request("tools/list")))

    def ask(self, **more):
        body, headers = message("tools/call", {"name": "mcp__u__ask", "arguments": {}} | more, "modern")
        body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = {"elicitation": {"form": {}}}
        return last_message(self.host.post(body, headers)[2])["result"]

    def answers_to(self, asked):
        return {"requestState": asked["requestState"],
                "inputResponses": {key: {"action": "accept", "content": {"name": "Ada"}} for key in asked["inputRequests"]}}

    def change(self, old, new, until):
        """Edits the configuration, and waits until calls of another tool of the upstream end otherwise."""
        self.place.write_config(self.place.config.read_text().replace(old, new))
        wait_until("the host has read it", lambda: until in text_of(self.host.call("mcp__u__changed")))

    def rules(self, behavior):
        rules = (f'[[rule]]\ntool = "mcp__u__{tool}"\nbehavior = "{behavior}"\n' for tool in ("ask", "changed"))
        return "".join(rules)

    def approve(self, *more):
        waiting = json.loads(run_toolpost(self.place, "approvals", "--json", "--config", self.place.config).stdout)
        one, = [each["id"] for each in waiting if each["tool"] == "mcp__u__ask"]
        done = run_toolpost(self.place, "approvals", "approve", one, *more, "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)

    def begun(self):
        return self.log.read_text().splitlines().count("tools/call ask")

    def test_a_call_that_needs_an_approval_now_continues_after_it_with_its_state(self):
        answers = self.answers_to(self.ask())
        self.change(self.rules("allow"), self.rules("ask"), until="waits for")
        for _ in range(2):
            waits = self.ask(**answers)
            self.assertTrue(waits["isError"], waits)
            self.assertIn("did not continue yet", json.dumps(waits))
            self.assertNotIn("\" did not run", waits["content"][0]["text"])
            self.assertIn("may have carried out a part of the call", json.dumps(waits))
            self.assertIn("Call again with the same arguments, and with the same requestState and inputResponses", json.dumps(waits))
        self.approve()
        done = self.ask(**answers)
        self.assertFalse(done.get("isError"), done)
        self.assertEqual(json.loads(done["content"][0]["text"]), [{"action": "accept", "content": {"name": "Ada"}}])
        self.assertEqual(self.begun(), 1)

    def test_a_call_whose_upstream_was_changed_too_is_not_sent_twice(self):
        answers = self.answers_to(self.ask())
        self.change("trust_read_only = false", "trust_read_only = false\nauto_approve = false", until="waits for")
        self.assertIn("may have carried out a part of the call", json.dumps(self.ask(**answers)))
        self.approve()
        ended = self.ask(**answers)
        self.assertTrue(ended["isError"], ended)
        self.assertIn("the call that asked has ended", ended["content"][0]["text"])
        self.assertIn("find out before you call again", ended["content"][0]["text"])
        self.assertEqual(self.begun(), 1)

    def test_arguments_of_a_reviewer_are_for_a_new_call(self):
        answers = self.answers_to(self.ask())
        self.change(self.rules("allow"), self.rules("ask"), until="waits for")
        self.ask(**answers)
        self.approve("--arguments", '{"more":1}')
        ended = self.ask(**answers)
        self.assertTrue(ended["isError"], ended)
        self.assertIn("had begun the call with the arguments of before", ended["content"][0]["text"])
        self.assertEqual(self.begun(), 1)
        self.assertIn("inputRequests", self.ask())
        self.assertEqual(self.begun(), 2)

    def test_a_call_that_is_denied_now_says_that_it_has_begun(self):
        answers = self.answers_to(self.ask())
        self.change(self.rules("allow"), self.rules("deny"), until="Denied")
        denied = self.ask(**answers)
        self.assertTrue(denied["isError"], denied)
        self.assertIn("did not continue", denied["content"][0]["text"])
        self.assertIn("may have carried out a part of the call", json.dumps(denied))
        self.assertEqual(self.begun(), 1)


class Secrets(OffersTest):
    def test_no_secret_is_in_logs_errors_or_the_status(self):
        self.place = self.workspace()
        file = self.place.root / "token"
        file.write_text(MARKER + "\n", encoding="utf-8")
        self.place.write_config(self.place.config.read_text() + BASE
                                + upstream("u", more=f'env = {{ API_TOKEN = {{ file = "{file}" }} }}'))
        host = self.http_host(self.place)
        wait_until("it is listed", lambda: "mcp__u__secret" in json.dumps(host.request("tools/list")))
        refused = text_of(host.call("mcp__u__secret"))
        self.assertIn("[secret] is not valid", refused)
        malformed = text_of(host.call("mcp__u__echo"))
        self.assertIn('x[secret]"', malformed)
        self.assertIn("memo:///[secret]", json.dumps(self.status("u")))
        wait_until("its line is there", lambda: self.status("u")["last_lines"])
        shown = [host.error_text(), json.dumps(self.status("u"), ensure_ascii=False), self.place.audit.read_text(encoding="utf-8"),
                 json.dumps(host.fetch("GET", "/metrics")[2])]
        for text in shown:
            self.assertNotIn(MARKER, text)
        self.assertIn("the token is [secret]", shown[0])
        self.assertIn("the token is [secret]", shown[1])


class Everything(OffersTest):
    """The official test server offers the same through the host as without it."""
    SERVER = NPM / "node_modules/@modelcontextprotocol/server-everything/dist/index.js"

    def test_the_same_as_without_the_host(self):
        self.assertTrue(self.SERVER.exists(), "no server-everything here: run scripts/bootstrap --tests")
        node = NPM / "node_modules/.bin/node"
        section = f'[[upstream]]\nname = "e"\ncommand = "{node}"\nargs = ["{self.SERVER}", "stdio"]\nlazy = false\n'
        self.configure(section)
        host = self.stdio_host(self.place)
        host.initialize(capabilities=Questions.ABLE)
        direct = DirectClient(self, [node, self.SERVER, "stdio"], Questions.ABLE)
        wait_until("it was read", lambda: self.prompts(host) and self.uris(host))
        for method, member in (("resources/list", "resources"), ("resources/templates/list", "resourceTemplates")):
            self.assertEqual(sorted(host.request(method)["result"][member], key=json.dumps),
                             sorted(direct.request(method, {})[member], key=json.dumps))
        prompts = direct.request("prompts/list", {})["prompts"]
        arguments = lambda prompt: [{"required": False, **one} for one in prompt.get("arguments", [])]
        self.assertEqual({f"mcp__e__{one['name']}": arguments(one) for one in prompts},
                         {one["name"]: arguments(one) for one in host.request("prompts/list")["result"]["prompts"]})
        for uri in self.uris(host):
            self.assertEqual(host.request("resources/read", {"uri": uri})["result"]["contents"],
                             direct.request("resources/read", {"uri": uri})["contents"])
        for prompt in prompts:
            given = {one["name"]: "1" for one in prompt.get("arguments", [])}
            mine = host.request("prompts/get", {"name": f"mcp__e__{prompt['name']}", "arguments": given})
            self.assertEqual(mine.get("result", {}).get("messages"),
                             direct.request("prompts/get", {"name": prompt["name"], "arguments": given}).get("messages"), prompt)


class DirectClient:
    """A server without the host: a client of a few lines."""

    def __init__(self, test, command, capabilities):
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        test.addCleanup(self.child.wait)
        test.addCleanup(self.child.kill)
        test.addCleanup(self.child.stdout.close)
        test.addCleanup(self.child.stdin.close)
        self.ident = 0
        self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}})
        self.send(method="notifications/initialized")

    def send(self, **message):
        self.child.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.child.stdin.flush()

    def request(self, method, params):
        self.ident += 1
        self.send(id=self.ident, method=method, params=params)
        while True:
            answer = json.loads(self.child.stdout.readline())
            if "method" in answer and "id" in answer:
                self.send(id=answer["id"], error={"code": -32601, "message": "no"})
            elif answer.get("id") == self.ident:
                return answer.get("result", {})


if __name__ == "__main__":
    unittest.main()
