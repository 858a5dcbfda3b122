"""A client that can show URLs sends its person to the page for a one-time code: while the call waits (2025-11-25), and by
a result that the client answers with its next request (2026-07-28). The client's yes is never the person's."""
import concurrent.futures
import json
import queue
import threading
import time
import unittest

from harness import LEGACY, PATIENCE_S, TestCase, last_message, message, problem, run_toolpost, text_of, wait_until
from one_time_codes import first_code_of

TOOL = "priv_approve_order"
ORDER = {"order": "o-1", "item": "bolt-m8", "location": 1, "quantity": 7}
APPROVE = {"order": "o-1"}
URLS = {"elicitation": {"url": {}}}
BOTH = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


class Call:
    """A call of a session whose messages are read as they come. Without a body it is the session's own stream."""

    def __init__(self, host, headers, body=None):
        self.messages = queue.Queue()
        self.connection = host.connect()
        self.connection.request("POST" if body else "GET", "/mcp", json.dumps(body) if body else None, headers)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        answer = self.connection.getresponse()
        if answer.headers["Content-Type"] == "application/json":
            self.messages.put(json.loads(answer.read()))
        else:
            for line in answer:
                if line.startswith(b"data:") and line[5:].strip():
                    self.messages.put(json.loads(line[5:]))
        self.connection.close()

    def next(self):
        return self.messages.get(timeout=PATIENCE_S)

    def ended(self):
        self.reader.join(PATIENCE_S)
        return self.messages.empty()


class Session:
    """A client of 2025-11-25. `key` can be None."""

    def __init__(self, host, key, capabilities):
        self.host = host
        self.headers = BOTH | ({"Authorization": f"Bearer {key}"} if key else {})
        hello = {"protocolVersion": LEGACY, "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}}
        _, headers, _ = self.send({"id": 1, "method": "initialize", "params": hello})
        self.headers["Mcp-Session-Id"] = headers["mcp-session-id"]
        self.send({"method": "notifications/initialized"})
        self.ids = 1

    def send(self, body):
        return self.host.post({"jsonrpc": "2.0"} | body, self.headers)

    def begin(self, arguments=None):
        return self.begin_named(TOOL, arguments or APPROVE)

    def begin_named(self, tool, arguments):
        self.ids += 1
        return Call(self.host, self.headers, {"jsonrpc": "2.0", "id": self.ids, "method": "tools/call", "params": {
            "name": tool, "arguments": arguments}})

    def answer(self, asked, **result):
        self.send({"id": asked["id"], "result": result})


class UrlCodes(TestCase):
    def serve(self, wait_s=30, more=""):
        self.place = self.workspace("warehouse", config=(
            f"[approval]\nwait_s = {wait_s}\nreject_sticky_s = 0\n[plugin.warehouse]\nenabled = true\nauto_approve = true\n{more}"))
        self.anna = self.new_key("anna")
        self.annas_page = self.new_key("anna", "--scope", "approve")
        self.boss = self.new_key("boss", "--scope", "call", "--scope", "approve")
        self.codes = self.enrol("anna")
        self.host = self.http_host(self.place)
        self.pool = concurrent.futures.ThreadPoolExecutor(4)
        self.addCleanup(self.pool.shutdown)
        self.assertFalse(self.host.call("pre_reserve_stock", ORDER)["result"].get("isError"))

    def run_verb(self, *words):
        done = run_toolpost(self.place, *words, "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout

    def new_key(self, name, *words):
        return json.loads(self.run_verb("key", "new", name, *words, "--json"))["key"]

    def enrol(self, name):
        """Its codes: recovery codes, which are good in place of codes of an app."""
        made = json.loads(self.run_verb("totp", "enroll", name, "--json"))
        self.run_verb("totp", "confirm", name, first_code_of(made["secret"]))
        return made["recovery"]

    def records(self):
        return json.loads(self.run_verb("approvals", "--all", "--json"))

    def question_at(self, url):
        """The record that a URL leads to, read as the page does."""
        base, at, name = url.partition("/#/approvals/")
        self.assertEqual((base, at), (f"http://127.0.0.1:{self.host.port}", "/#/approvals/"))
        status, _, record = self.host.fetch("GET", f"/v1/approvals/{name}", key=self.annas_page)
        self.assertEqual((status, record["id"], record["tool"]), (200, name, TOOL))
        return record

    def decide(self, url, code=None, key=None, decision="approve"):
        record = self.question_at(url)
        body = {"decision": decision, "digest": record["digest"]} | ({"code": code} if code else {})
        status, _, answer = self.host.fetch("POST", f"/v1/approvals/{record['id']}", body, key or self.annas_page)
        return status, answer

    def say_yes(self, url):
        status, answer = self.decide(url, self.codes.pop())
        self.assertEqual((status, answer["state"]), (200, "approved"), answer)

    def ran(self, answer):
        self.assertFalse(answer["result"].get("isError"), answer)
        self.assertEqual(self.order_state(), "approved")

    def did_not_run(self, answer, words):
        self.assertTrue(answer["result"]["isError"], answer)
        self.assertIn(words, text_of(answer))
        self.assertEqual(self.order_state(), "open")

    def order_state(self):
        return json.loads(text_of(self.host.call("get_orders")))["orders"][0]["status"]

    def audited(self):
        return [(line["rule"], line["outcome"]) for line in self.place.audit_lines() if line["tool"] == TOOL]

    def holds_no_secret(self, params):
        told = json.dumps(params)
        for secret in (*self.codes, self.anna, self.annas_page, self.boss):
            self.assertNotIn(secret, told)

    # 2025-11-25: while the call waits.

    def test_a_session_is_asked_while_the_call_waits(self):
        self.serve()
        peer = Session(self.host, self.anna, URLS)
        call = peer.begin()
        asked = call.next()
        params = asked["params"]
        self.assertEqual((asked["method"], set(params), params["mode"]),
                         ("elicitation/create", {"mode", "message", "url", "elicitationId"}, "url"))
        self.assertIn(TOOL, params["message"])
        self.holds_no_secret(params)
        self.assertEqual(self.question_at(params["url"])["state"], "pending")
        peer.answer(asked, action="accept")
        time.sleep(0.4)  # the client's yes is none
        self.assertEqual((call.messages.empty(), self.order_state()), (True, "open"))
        self.say_yes(params["url"])
        self.assertEqual(call.next(), {"jsonrpc": "2.0", "method": "notifications/elicitation/complete",
                                       "params": {"elicitationId": params["elicitationId"]}})
        self.ran(call.next())
        self.assertTrue(call.ended())
        self.assertEqual(self.audited(), [("totp", "ok")])

    def test_a_person_may_be_faster_than_their_client(self):
        self.serve()
        peer = Session(self.host, self.anna, URLS)
        call = peer.begin()
        asked = call.next()
        self.say_yes(asked["params"]["url"])
        self.assertEqual(call.next()["method"], "notifications/elicitation/complete")
        taken_back = call.next()
        self.assertEqual((taken_back["method"], taken_back["params"]["requestId"]),
                         ("notifications/cancelled", asked["id"]))
        self.ran(call.next())
        peer.answer(asked, action="decline")  # nobody listens any more
        self.assertEqual(self.records()[0]["state"], "used")

    def test_a_no_of_the_client_takes_the_question_back(self):
        self.serve()
        peer = Session(self.host, self.anna, URLS)
        for action, words in (("decline", "A person denied"), ("cancel", "A person dismissed")):
            call = peer.begin()
            asked = call.next()
            peer.answer(asked, action=action)
            self.did_not_run(call.next(), words)
            self.assertTrue(call.ended())
            self.assertEqual(self.question_at(asked["params"]["url"])["state"], "withdrawn")
            status, answer = self.decide(asked["params"]["url"], self.codes[-1])
            self.assertEqual((status, answer["approval"]["state"]), (409, "withdrawn"))
        self.assertEqual(self.audited(), [("person", "denied")] * 2)

    def test_a_no_on_the_page_ends_the_call(self):
        self.serve()
        call = Session(self.host, self.anna, URLS).begin()
        self.decide(call.next()["params"]["url"], decision="reject")
        self.assertEqual(call.next()["method"], "notifications/elicitation/complete")
        self.assertEqual(call.next()["method"], "notifications/cancelled")
        self.did_not_run(call.next(), "A person denied")

    def test_a_client_that_cannot_after_all_changes_nothing(self):
        self.serve()
        peer = Session(self.host, self.anna, URLS)
        for answer in ({"error": {"code": -32603, "message": "no browser"}}, {"result": {"action": "perhaps"}}):
            call = peer.begin({"order": "none"})
            asked = call.next()
            peer.send({"id": asked["id"]} | answer)
            self.say_yes(asked["params"]["url"])
            self.assertEqual(call.next()["method"], "notifications/elicitation/complete")
            self.assertIn("order none", text_of(call.next()))  # it ran, and there is no such order

    def test_a_client_that_shows_no_urls_sees_none(self):
        self.serve()
        for capabilities in ({}, {"elicitation": {}}, {"elicitation": {"form": {}}}):
            self.only_the_host_asks(lambda shown=capabilities: Session(self.host, self.anna, shown).begin().next())
            self.only_the_host_asks(lambda shown=capabilities: self.stateless(shown))

    def only_the_host_asks(self, call):
        """The first message that the client gets is the call's end."""
        end = self.pool.submit(call)
        one = wait_until("it waits", lambda: json.loads(self.run_verb("approvals", "--json")))[0]
        self.run_verb("approvals", "reject", one["id"])
        self.did_not_run(end.result(), "A person denied")

    def test_a_call_that_waited_long_enough_meets_the_question_again(self):
        self.serve(wait_s=1)
        peer = Session(self.host, self.anna, URLS)
        asked = []
        for _ in range(2):
            call = peer.begin()
            asked.append(call.next()["params"])
            self.assertEqual(call.next()["method"], "notifications/cancelled")
            self.did_not_run(call.next(), "Call again with the same arguments")
        self.assertEqual(asked[0]["url"], asked[1]["url"])
        self.assertNotEqual(asked[0]["elicitationId"], asked[1]["elicitationId"])
        self.say_yes(asked[0]["url"])
        self.ran(peer.begin().next())

    # Whoever opens the URL.

    def test_another_person_at_the_url_cannot_give_the_code(self):
        self.serve()
        theirs = self.enrol("boss")
        call = Session(self.host, self.anna, URLS).begin()
        url = call.next()["params"]["url"]
        for code in (theirs[0], None):
            status, answer = self.decide(url, code, self.boss)
            self.assertEqual((status, answer["type"]), (403, problem("denied")), answer)
        self.assertEqual(self.question_at(url)["state"], "pending")
        name = url.rpartition("/")[2]
        self.assertEqual(self.host.fetch("GET", f"/v1/approvals/{name}")[0], 401)  # who is not logged in
        self.assertEqual(self.host.fetch("GET", f"/v1/approvals/{name}", key=self.anna)[0], 403)  # what a model holds
        self.say_yes(url)
        self.assertEqual(call.next()["method"], "notifications/elicitation/complete")

    # 2026-07-28: by the call's result.

    def stateless(self, capabilities=None, key=None, arguments=None, **more):
        body, headers = message("tools/call", {"name": TOOL, "arguments": arguments or APPROVE} | more, "modern")
        body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = (
            URLS if capabilities is None else capabilities)
        _, _, text = self.host.post(body, headers | {"Authorization": f"Bearer {key or self.anna}"})
        return last_message(text)

    def first(self):
        """What a call without a code is answered: the URL, and how to call again with an answer."""
        result = self.stateless()["result"]
        self.assertEqual(set(result) - {"_meta"}, {"resultType", "inputRequests", "requestState"})
        self.assertEqual(result["resultType"], "input_required")
        (name, request), = result["inputRequests"].items()
        params = request["params"]
        self.assertEqual((request["method"], set(params), params["mode"]),
                         ("elicitation/create", {"mode", "message", "url"}, "url"))
        self.holds_no_secret(result)
        return params["url"], lambda action: {"requestState": result["requestState"],
                                              "inputResponses": {name: {"action": action}}}

    def test_a_stateless_client_calls_again_and_waits(self):
        self.serve()
        url, answered = self.first()
        self.assertEqual(self.question_at(url)["state"], "pending")
        again = self.pool.submit(self.stateless, **answered("accept"))
        time.sleep(0.4)  # the client's yes is none
        self.assertEqual((again.done(), self.order_state()), (False, "open"))
        self.say_yes(url)
        self.ran(again.result())
        self.assertEqual([record["state"] for record in self.records()], ["used"])
        self.assertEqual([outcome for _, outcome in self.audited()], ["asked", "ok"])
        # Both were for once.
        self.assertEqual(self.stateless(**answered("accept"))["error"]["code"], -32602)
        other, _ = self.first()
        self.assertNotEqual(other, url)

    def test_a_code_that_was_given_before_the_client_calls_again_lets_it_run(self):
        self.serve()
        url, answered = self.first()
        self.say_yes(url)
        self.ran(self.stateless(**answered("accept")))

    def test_a_no_of_a_stateless_client_takes_the_question_back(self):
        self.serve()
        for action, words in (("decline", "A person denied"), ("cancel", "A person dismissed")):
            url, answered = self.first()
            self.did_not_run(self.stateless(**answered(action)), words)
            self.assertEqual(self.question_at(url)["state"], "withdrawn")

    def test_the_state_is_good_for_its_call_alone(self):
        self.serve()
        self.enrol("boss")
        url, answered = self.first()
        for wrong in ({"key": self.boss}, {"arguments": {"order": "o-2"}}):
            self.assertEqual(self.stateless(**answered("accept"), **wrong)["error"]["code"], -32602)
        state = answered("accept")["requestState"]
        self.assertEqual(self.stateless(**answered("accept") | {"requestState": state[:-1] + "?"})["error"]["code"],
                         -32602)
        # An answer that nobody asked for, and none at all: it is asked again, at the same place.
        for more in ({"inputResponses": answered("accept")["inputResponses"]}, {"requestState": state}, {}):
            result = self.stateless(**more)["result"]
            self.assertEqual([request["params"]["url"] for request in result["inputRequests"].values()], [url])

    def test_a_stateless_call_that_waited_long_enough_meets_the_question_again(self):
        self.serve(wait_s=1)
        url, answered = self.first()
        self.did_not_run(self.stateless(**answered("accept")), "Call again with the same arguments")
        again, answered = self.first()
        self.assertEqual(again, url)
        self.say_yes(url)
        self.ran(self.stateless(**answered("accept")))

    # The address.

    def test_behind_a_proxy_the_url_is_the_one_that_clients_have(self):
        self.serve(more='[oauth]\nresource = "https://tools.example/mcp"')
        result = self.stateless()["result"]
        (request,) = result["inputRequests"].values()
        self.assertTrue(request["params"]["url"].startswith("https://tools.example/#/approvals/ap_"), request)

    def test_where_the_hosts_people_are_not_asked_nobody_is_sent_to_them(self):
        self.place = self.workspace("warehouse", config=(
            '[approval]\nask = ["client"]\n[plugin.warehouse]\nenabled = true'))
        self.anna = self.new_key("anna")
        self.enrol("anna")
        self.host = self.http_host(self.place)
        self.assertIn("cannot be asked for here", text_of(self.stateless()))


if __name__ == "__main__":
    unittest.main()
