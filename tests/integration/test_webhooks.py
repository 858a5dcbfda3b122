"""Webhooks: registration, signatures, retries, dead letters, receivers that hang, lie or are down, rights, kills.

TOOLPOST_WEBHOOK_KILLS says how often the host is killed, twice without it; scripts/soak webhooks kills it a hundred times.
"""
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import time
import unittest

from harness import (BUILD, MODERN, NPM, TestCase, environment, free_port, last_message, plugin_file, run_toolpost,
                     store_of, text_of, wait_until)
import test_seeds
from webhook_receiver import Receiver

KILLS = int(os.environ.get("TOOLPOST_WEBHOOK_KILLS", "2"))
NODE = NPM / "node_modules/.bin/node"
VERIFIER = pathlib.Path(__file__).parent / "clients/verify_webhook.mjs"
ALL = ["call.finished", "approval.asked", "call.external_execution_required", "plugin.quarantined",
       "upstream.definition_held"]
CONFIG = """[webhooks]
loopback = [{origins}]
timeout_s = {timeout_s}
retry_first_s = 0.1
retry_most_s = 0.2
retry_for_s = {retry_for_s}
{more}"""


class WebhookCase(TestCase):
    def receiver(self, port=0):
        made = Receiver(port)
        self.addCleanup(made.close)
        return made

    def place_for(self, *origins, timeout_s=10, retry_for_s=3600, more="", plugins=("hello",)):
        listed = ", ".join(json.dumps(origin) for origin in origins)
        return self.workspace(*plugins, config=CONFIG.format(
            origins=listed, timeout_s=timeout_s, retry_for_s=retry_for_s, more=more))

    def key(self, place, name, *options):
        made = run_toolpost(place, "key", "new", name, "--config", place.config, *options)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout.strip()

    def add(self, host, url, events=("call.finished",), key=None, status=201, **more):
        got, _, answer = host.fetch("POST", "/v1/webhooks", {"url": url, "events": list(events)} | more, key)
        self.assertEqual(got, status, answer)
        return answer

    def show(self, host, hook, key=None):
        status, _, answer = host.fetch("GET", f"/v1/webhooks/{hook['id']}", key=key)
        self.assertEqual(status, 200, answer)
        return answer

    def await_deliveries(self, receiver, path, count=1, kind=None):
        return wait_until(f"{count} at {path}", lambda: len(receiver.of(path, kind)) >= count and receiver.of(path, kind))

    def verified(self, secret, one, body):
        """What the standardwebhooks package of npm says of a delivery with this body."""
        headers = {name: one.headers[name] for name in ("webhook-id", "webhook-timestamp", "webhook-signature")}
        return subprocess.run([NODE, VERIFIER], input=json.dumps({"secret": secret, "headers": headers, "body": body}),
                              text=True, capture_output=True, timeout=60, check=False, env=os.environ | {"NPM": str(NPM)})

    def greet(self, host, name="Ada", key=None):
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return text_of(host.call("greet", {"name": name}, headers=headers))


class Delivered(WebhookCase):
    def setUp(self):
        self.to = self.receiver()
        self.place = self.place_for(self.to.origin)
        self.host = self.http_host(self.place)

    def session(self, **body):
        status, _, made = self.host.fetch("POST", "/v1/sessions", body)
        self.assertEqual(status, 201, made)
        return made["id"]

    def detach(self, session, status=202, **more):
        got, _, made = self.host.fetch("POST", f"/v1/tools/request/{session}",
                                       {"name": "greet", "arguments": {"name": "Ada"}} | more)
        self.assertEqual(got, status, made)
        return made

    def test_a_call_over_mcp_is_told_before_its_answer_is_and_signed(self):
        hook = self.add(self.host, self.to.origin + "/a", description="mine")
        self.greet(self.host)
        shown = self.show(self.host, hook)
        self.assertEqual(shown["waiting"] + shown["delivered"], 1)
        [one] = self.await_deliveries(self.to, "/a")
        self.assertTrue(one.is_signed_by(hook["secret"]))
        self.assertEqual(one.type, "call.finished")
        self.assertEqual((one.data["tool"], one.data["state"], one.data["principal"]), ("greet", "COMPLETE", "local"))
        self.assertNotIn("Ada", one.body.decode())
        wait_until("it is counted", lambda: self.show(self.host, hook)["delivered"] == 1)
        self.host.call("greet", {"name": 7})
        failed = self.await_deliveries(self.to, "/a", 2)[1]
        self.assertEqual((failed.data["state"], failed.data["code"]), ("ERROR", "bad_arguments"))
        for _ in range(3):  # the second and the third get the result of the first
            self.host.call("greet", {"name": "Ada", "idempotency_key": "k"})
        self.await_deliveries(self.to, "/a", 3)
        self.host.call("x" * 1000, {})
        told = self.await_deliveries(self.to, "/a", 4)
        self.assertEqual([one.data["state"] for one in told], ["COMPLETE", "ERROR", "COMPLETE", "ERROR"])
        self.assertLess(len(told[3].body), 600)
        self.assertIn("(1000 bytes)", told[3].data["tool"])

    def test_the_standardwebhooks_package_accepts_a_delivery_and_no_other(self):
        hook = self.add(self.host, self.to.origin + "/n")
        self.greet(self.host)
        [one] = self.await_deliveries(self.to, "/n")
        good = self.verified(hook["secret"], one, one.body.decode())
        self.assertEqual((good.returncode, good.stdout.strip()), (0, "call.finished"), good.stderr)
        self.assertIn("No matching signature", self.verified(hook["secret"], one, one.body.decode() + " ").stderr)

    def test_a_kept_connection_that_ends_before_an_answer_is_no_failure(self):
        hook = self.add(self.host, self.to.origin + "/kept")
        closed = []

        def answer(handler):
            handler.requests = getattr(handler, "requests", 0) + 1
            if handler.requests > 1 and not closed:  # the host has sent on the connection before
                closed.append(self.to.of("/kept")[-1].id)
                handler.close_connection = True
                return
            handler.send_response(204)
            handler.end_headers()
        self.to.answers["/kept"] = answer
        for sent in range(1, 21):
            self.greet(self.host)
            wait_until("it is delivered", lambda: self.show(self.host, hook)["delivered"] == sent)
            if closed:
                break
        self.assertTrue(closed, "no connection was used twice")
        shown = self.show(self.host, hook)
        self.assertEqual([one.id for one in self.to.of("/kept")].count(closed[0]), 2)
        self.assertNotIn("failure", shown)
        self.assertEqual(len(self.to.of("/kept")), sent + 1)

    def test_sessions_and_detached_calls_name_webhooks(self):
        named = self.add(self.host, self.to.origin + "/named", ALL[:3], covers="named")
        other = self.add(self.host, self.to.origin + "/other", covers="named")
        session = self.session(webhooks=[named["id"]])
        record = self.detach(session)
        [one] = self.await_deliveries(self.to, "/named")
        self.assertEqual((one.data["call"], one.data["session"]), (record["id"], session))
        self.detach(session, webhooks=[other["id"]], tool_use_id="toolu_1")
        [one] = self.await_deliveries(self.to, "/other")
        self.assertEqual(one.data["tool_use_id"], "toolu_1")
        self.greet(self.host)  # without a session
        self.detach(self.session())
        self.host.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        self.assertEqual(len(self.to.of("/other")), 1)
        self.assertEqual(len({one.id for one in self.await_deliveries(self.to, "/named", 2)}), 2)
        wrong = self.detach(session, status=422, webhooks=["wh_unknown"])
        self.assertIn("/webhooks", json.dumps(wrong))
        status, _, answer = self.host.fetch("POST", "/v1/sessions", {"webhooks": ["wh_unknown"]})
        self.assertEqual(status, 422, answer)

    def test_the_end_of_a_call_is_told_though_its_session_ended_before(self):
        named = self.add(self.host, self.to.origin + "/ends", covers="named")
        tools = {"look": {"name": "look", "description": "Looks", "requestArgs": {"properties": {}},
                          "responseShape": {"properties": {}}}}
        session = self.session(webhooks=[named["id"]], customizations={"extensions": {"tools": tools}})
        record = self.detach(session, name="look", arguments={})
        self.assertEqual(self.host.fetch("DELETE", f"/v1/sessions/{session}")[0], 204)
        [one] = self.await_deliveries(self.to, "/ends")
        self.assertEqual((one.data["call"], one.data["code"]), (record["id"], "session_ended"))

    def test_a_call_for_a_client_and_its_end_are_told(self):
        hook = self.add(self.host, self.to.origin + "/x", ALL[:3])
        tools = {"look": {"name": "look", "description": "Looks", "requestArgs": {"properties": {}},
                          "responseShape": {"properties": {}}}}
        session = self.session(customizations={"extensions": {"tools": tools}})
        record = self.detach(session, name="look", arguments={})
        [one] = self.await_deliveries(self.to, "/x")
        self.assertEqual((one.type, one.data["call"]), ("call.external_execution_required", record["id"]))
        path = f"/v1/tools/{{}}/{session}/{record['id']}"
        self.host.fetch("POST", path.format("request") + "/heartbeat", {"state": "PROCESSING", "heartbeat": 1})
        status, _, answer = self.host.fetch("POST", path.format("response"), {"response": {"state": "COMPLETE"}})
        self.assertEqual(status, 200, answer)
        [end] = self.await_deliveries(self.to, "/x", kind="call.finished")
        self.assertEqual((end.data["call"], end.data["state"]), (record["id"], "COMPLETE"))
        self.assertTrue(end.is_signed_by(hook["secret"]))
        self.assertEqual(len(self.to.of("/x")), 2)

    def test_a_secret_is_replaced_without_a_gap(self):
        hook = self.add(self.host, self.to.origin + "/r")
        status, headers, changed = self.host.fetch("POST", f"/v1/webhooks/{hook['id']}/secret", {"old_secret_lasts_s": 60})
        self.assertEqual((status, headers["Cache-Control"]), (200, "no-store"), changed)
        self.assertNotEqual(changed["secret"], hook["secret"])
        self.greet(self.host)
        [one] = self.await_deliveries(self.to, "/r")
        self.assertTrue(one.is_signed_by(hook["secret"]) and one.is_signed_by(changed["secret"]))
        _, _, again = self.host.fetch("POST", f"/v1/webhooks/{hook['id']}/secret")
        self.assertGreater(again["old_secret_until"], changed["old_secret_until"])
        self.greet(self.host)
        one = self.await_deliveries(self.to, "/r", 2)[1]
        self.assertEqual([one.is_signed_by(old["secret"]) for old in (hook, changed, again)], [True] * 3)
        given = "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        self.host.fetch("POST", f"/v1/webhooks/{hook['id']}/secret", {"secret": given, "old_secret_lasts_s": 0})
        self.greet(self.host)
        one = self.await_deliveries(self.to, "/r", 3)[2]
        self.assertTrue(one.is_signed_by(given))
        self.assertFalse(one.is_signed_by(changed["secret"]) or one.is_signed_by(again["secret"]))
        status, _, refused = self.host.fetch("POST", f"/v1/webhooks/{hook['id']}/secret", {"secret": "canary"})
        self.assertEqual(status, 422)
        self.assertNotIn("canary", json.dumps(refused))

    def test_a_receiver_that_fails_gets_it_again_with_the_same_id(self):
        self.to.answers["/f"] = (500, {}, b"oops")
        hook = self.add(self.host, self.to.origin + "/f")
        self.greet(self.host)
        self.await_deliveries(self.to, "/f", 3)
        self.to.answers["/f"] = (503, {"Retry-After": "0"}, b"")
        self.await_deliveries(self.to, "/f", 5)
        self.assertEqual(self.show(self.host, hook)["failure"][:7], "status ")
        del self.to.answers["/f"]
        wait_until("it is delivered", lambda: self.show(self.host, hook)["delivered"] == 1)
        self.assertEqual(len({one.id for one in self.to.of("/f")}), 1)

    def test_a_redirect_is_not_followed_and_100_mb_are_cut(self):
        self.to.answers["/away"] = (307, {"Location": self.to.origin + "/private"}, b"")
        self.to.answers["/flood"] = self.to.flood
        away = self.add(self.host, self.to.origin + "/away")
        flood = self.add(self.host, self.to.origin + "/flood")
        self.greet(self.host)
        wait_until("it failed", lambda: "307" in self.show(self.host, away).get("failure", ""))
        wait_until("it was accepted", lambda: self.show(self.host, flood)["delivered"] == 1)
        told = self.host.fetch("POST", f"/v1/webhooks/{away['id']}/test")[2]
        self.assertEqual((told["accepted"], told["status"]), (False, 307))
        self.assertIn("does not follow redirects", told["failure"])
        self.assertEqual(self.to.of("/private"), [])
        self.assertLess(self.to.flooded, 50 << 20)

    def test_gone_disables_and_what_waited_can_be_replayed(self):
        self.to.answers["/g"] = (410, {}, b"")
        hook = self.add(self.host, self.to.origin + "/g")
        self.greet(self.host)
        shown = wait_until("it is disabled", lambda: not self.show(self.host, hook)["enabled"] and self.show(self.host, hook))
        self.assertIn("410", shown["reason"])
        wait_until("it is dead", lambda: self.show(self.host, hook)["dead"] == 1)
        self.greet(self.host)  # nobody wants it
        path = f"/v1/webhooks/{hook['id']}"
        self.assertEqual(self.host.fetch("POST", path + "/replay")[0], 422)
        del self.to.answers["/g"]
        self.assertEqual(self.host.fetch("PATCH", path, {"enabled": True})[2]["enabled"], True)
        [dead] = self.host.fetch("GET", path + "/deliveries")[2]["deliveries"]
        self.assertEqual((dead["state"], dead["type"], dead["attempts"]), ("dead", "call.finished", 1))
        self.assertEqual(self.host.fetch("POST", path + "/replay", {"events": [dead["event"]]})[2], {"replayed": 1})
        wait_until("it is delivered", lambda: self.show(self.host, hook)["delivered"] == 1)
        self.assertEqual([one.id for one in self.to.of("/g")], [dead["event"]] * 2)
        self.assertEqual(self.host.fetch("GET", path + "/deliveries?state=waiting")[2], {"deliveries": []})
        self.assertEqual(self.place.audit_lines("webhook")[1]["outcome"], "disabled")

    def test_test_sends_at_once_and_says_what_came_back(self):
        hook = self.add(self.host, self.to.origin + "/t")
        path = f"/v1/webhooks/{hook['id']}/test"
        self.assertEqual(self.host.fetch("POST", path)[2], {"accepted": True, "status": 204})
        [one] = self.to.of("/t")
        self.assertEqual((one.type, one.data), ("webhook.test", {"webhook": hook["id"]}))
        self.assertTrue(one.is_signed_by(hook["secret"]))
        self.to.answers["/t"] = (500, {}, b"")
        self.assertEqual(self.host.fetch("POST", path)[2], {"accepted": False, "status": 500, "failure": "status 500"})

    def test_bad_registrations_are_refused_with_the_place_of_the_fault(self):
        for url in ("https://127.0.0.1:80.evil/", "https://2130706433/", "https://0x7f.1/", "http://hooks.example/", "https://127.0.0.1/", "https://10.0.0.1/", "https://localhost/",
                    "https://[::ffff:169.254.169.254]/", "https://169.254.169.254/", self.to.origin + "/#a", "x", ""):
            self.assertIn("/url", json.dumps(self.add(self.host, url, status=422)), url)
        good = self.to.origin + "/"
        for more, place in (({"events": []}, "/events"), ({"events": ["webhook.test"]}, "/events"), ({"covers": "x"}, "/covers"),
                            ({"covers": "all"}, "/covers"), ({"events": ["plugin.quarantined"]}, "/events"),
                            ({"secret": "whsec_AAAA"}, "/secret"), ({"description": "x" * 2000}, "/description"),
                            ({"color": "red"}, "/color")):
            self.assertIn(place, json.dumps(self.add(self.host, good, status=422, **more)), more)
        self.assertEqual(self.host.fetch("GET", "/v1/webhooks")[2], {"webhooks": []})


class Manual(WebhookCase):
    def test_the_manuals_flow_by_its_own_lines_ends_with_a_callback_that_its_package_verifies(self):
        """Only host, ids, key and the names of tools are filled in."""
        to = self.receiver()
        place = self.place_for(to.origin, plugins=("services", "hello"), more="[agent.summarizer]\n")
        key = self.key(place, "anna", "--agent", "summarizer")
        host = self.http_host(place)
        base = host.url.removesuffix("/mcp")
        hook = self.add(host, to.origin + "/callback", key=key)

        def curl(line):
            for old, new in (("https://mcp.beeos.ai", base), ("${AGENT_ID}", "summarizer"), ("bak_YOUR_KEY", key)):
                line = line.replace(old, new)
            done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=30, check=True)
            return json.loads(done.stdout)
        listed = [tool["name"] for tool in curl(test_seeds.CURL_LIST)["result"]["tools"]]
        self.assertLessEqual({"echo", "attached_list"}, set(listed))
        plain = test_seeds.CURL_CALL.replace("web_search", "echo").replace('"query"', '"text"')
        self.assertEqual(text_of(curl(plain)), "BeeOS")
        made = curl(f"curl -s -X POST {base}/api/v1/files/presign-upload -H 'X-Agent-API-Key: {key}'")
        curl(f"curl -s -T {VERIFIER} '{made['upload_url']}'")
        body = test_seeds.MANUAL_ATTACHMENT.replace("summarize_pdf", "attached_list").replace("file_abc123", made["file_id"])
        line = test_seeds.CURL_CALL.split(" -d '")[0] + f" -d '{body}'"
        first, again = curl(line), curl(line)
        self.assertTrue(text_of(first).startswith(f"{made['file_id']} q3.pdf "), first)
        self.assertEqual((text_of(again), again["id"]), (text_of(first), 42))
        self.assertTrue(again["result"]["_meta"]["io.toolpost/replayed"])
        wait_until("all are delivered", lambda: self.show(host, hook, key)["delivered"] >= 2 and not self.show(host, hook, key)["waiting"])
        told = to.of("/callback")
        self.assertEqual(sorted(one.data["tool"] for one in told), ["attached_list", "echo"])  # nothing ran for the repeat
        for one in told:
            self.assertEqual((one.data["state"], one.data["agent"]), ("COMPLETE", "summarizer"))
            good = self.verified(hook["secret"], one, one.body.decode())
            self.assertEqual((good.returncode, good.stdout.strip()), (0, "call.finished"), good.stderr)


class Once(WebhookCase):
    def test_a_call_that_a_client_executes_is_told_once_over_mcp_too(self):
        to = self.receiver()
        host = self.http_host(self.place_for(to.origin))
        hook = self.add(host, to.origin + "/o", ALL[:3])
        tools = {"look": {"name": "look", "description": "Looks", "requestArgs": {"properties": {}},
                          "responseShape": {"properties": {"seen": {"type": "string"}}}}}
        session = host.fetch("POST", "/v1/sessions", {"customizations": {"extensions": {"tools": tools}}})[2]["id"]
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "look", "arguments": {}}}
        connection = host.connect()
        connection.request("POST", f"/mcp/s/{session}", json.dumps(body), {"Content-Type": "application/json"})
        [asked] = self.await_deliveries(to, "/o")
        self.assertEqual(asked.type, "call.external_execution_required")
        path = f"/v1/tools/{{}}/{session}/{asked.data['call']}"
        host.fetch("POST", path.format("request") + "/heartbeat", {"state": "PROCESSING", "heartbeat": 1})
        status, _, answer = host.fetch("POST", path.format("response"), {"response": {"state": "COMPLETE", "seen": "it"}})
        self.assertEqual(status, 200, answer)
        self.assertIn("it", connection.getresponse().read().decode())
        connection.close()
        wait_until("all are delivered", lambda: self.show(host, hook)["delivered"] >= 2 and not self.show(host, hook)["waiting"])
        self.assertEqual([one.type for one in to.of("/o")], ["call.external_execution_required", "call.finished"])


    def test_a_task_is_told_once_by_its_id(self):
        to = self.receiver()
        host = self.http_host(self.place_for(to.origin, plugins=("conformance",),
                                             more='[permission]\nmode = "bypass"'))
        hook = self.add(host, to.origin + "/o")
        wait_until("its tools are there", lambda: "slow_compute" in json.dumps(host.request("tools/list")))
        meta = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities":
                {"extensions": {"io.modelcontextprotocol/tasks": {}}}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "slow_compute", "arguments": {"seconds": 1}, "_meta": meta}}
        made = last_message(host.post(body, {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "slow_compute",
                                             "Accept": "application/json, text/event-stream"})[2])["result"]
        self.assertEqual(made["resultType"], "task")
        [one] = self.await_deliveries(to, "/o")
        self.assertEqual((one.data["call"], one.data["state"]), (made["taskId"], "COMPLETE"))
        self.greet(host)
        self.assertEqual([one.data["tool"] for one in self.await_deliveries(to, "/o", 2)], ["slow_compute", "greet"])
        self.assertEqual(self.show(host, hook)["dropped"], 0)


class Rights(WebhookCase):
    def test_each_principal_has_its_own_and_administrators_all(self):
        to = self.receiver()
        place = self.place_for(to.origin, more="[limits]\nwebhooks_per_principal = 2")
        anna, ben = self.key(place, "anna"), self.key(place, "ben")
        root = self.key(place, "root", "--scope", "call", "--scope", "approve", "--scope", "admin")
        host = self.http_host(place)
        hook = self.add(host, to.origin + "/anna", key=anna)
        path = f"/v1/webhooks/{hook['id']}"
        for method, where, body in (("GET", "", None), ("PATCH", "", {"enabled": False}), ("DELETE", "", None), ("POST", "/secret", None),
                                    ("POST", "/test", None), ("GET", "/deliveries", None), ("POST", "/replay", None)):
            self.assertEqual(host.fetch(method, path + where, body, ben)[0], 404, (method, where))
            self.assertEqual(host.fetch(method, path + where, body)[0], 404, (method, where))
        self.assertEqual(host.fetch("GET", "/v1/webhooks", key=ben)[2], {"webhooks": []})
        [seen] = host.fetch("GET", "/v1/webhooks", key=root)[2]["webhooks"]
        self.assertEqual((seen["id"], seen["principal"], seen["made_by"]), (hook["id"], "anna", "rest:anna"))
        self.assertNotIn("secret", seen)
        self.add(host, to.origin + "/2", key=anna)
        self.assertIn("limits.webhooks_per_principal", json.dumps(self.add(host, to.origin + "/3", key=anna, status=429)))
        of_all = self.add(host, to.origin + "/all", ALL, key=root, covers="all")
        self.greet(host, key=ben)
        [one] = self.await_deliveries(to, "/all")
        self.assertEqual(one.data["principal"], "ben")
        self.assertEqual(to.of("/anna"), [])
        self.assertEqual(host.fetch("DELETE", path, key=anna)[0], 204)
        self.assertEqual(host.fetch("GET", path, key=root)[0], 404)
        self.assertEqual([(line["id"], line["outcome"]) for line in place.audit_lines("webhook")][-2:],
                         [(of_all["id"], "added"), (hook["id"], "removed")])

    def test_a_key_without_the_scopes_of_a_webhook_does_not_reach_it(self):
        to = self.receiver()
        place = self.place_for(to.origin, more="[agent.coder]\n[agent.writer]")
        person = self.key(place, "anna", "--scope", "call", "--scope", "approve", "--scope", "admin")
        weak = self.key(place, "anna")
        coder, writer = (self.key(place, "anna", "--agent", name) for name in ("coder", "writer"))
        host = self.http_host(place)
        wide = self.add(host, to.origin + "/wide", ALL, key=person, covers="all")
        path = f"/v1/webhooks/{wide['id']}"
        for key in (weak, coder):
            for method, where, body in (("GET", "", None), ("PATCH", "", {"url": to.origin + "/evil"}), ("POST", "/secret", None)):
                self.assertEqual(host.fetch(method, path + where, body, key)[0], 404, (method, where))
        own = self.add(host, to.origin + "/coder", key=coder)
        self.assertEqual(own["agent"], "coder")
        self.assertEqual(host.fetch("GET", f"/v1/webhooks/{own['id']}", key=writer)[0], 404)
        for key, agent in ((coder, "coder"), (writer, "writer")):
            text_of(host.call("greet", {"name": "Ada"}, headers={"X-Agent-API-Key": key}))
            self.await_deliveries(to, "/wide", 1 if agent == "coder" else 2)
        self.assertEqual([one.data["agent"] for one in self.await_deliveries(to, "/coder")], ["coder"])

    def test_events_end_with_the_last_key_of_the_owner(self):
        to = self.receiver()
        place = self.place_for(to.origin)
        roots = [self.key(place, "root", "--scope", "call", "--scope", "approve") for _ in range(2)]
        ben = self.key(place, "ben")
        host = self.http_host(place)
        self.add(host, to.origin + "/root", key=roots[0], covers="all")
        self.add(host, to.origin + "/ben", key=ben)
        self.greet(host, key=ben)
        self.await_deliveries(to, "/root")
        for line in json.loads(run_toolpost(place, "key", "list", "--json", "--config", place.config).stdout):
            if line["principal"] == "root":
                run_toolpost(place, "key", "revoke", line["id"], "--config", place.config)
        wait_until("both keys are revoked",  # who asks for it too often with one of them is told 429
                   lambda: all(host.fetch("GET", "/v1/webhooks", key=key)[0] in (401, 429) for key in roots))
        self.greet(host, key=ben)
        self.await_deliveries(to, "/ben", 2)
        self.assertEqual(len(to.of("/root")), 1)


class OfTheHost(WebhookCase):
    def test_configured_webhooks_learn_of_quarantines_held_definitions_and_approvals(self):
        to = self.receiver()
        secret = "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        place = self.place_for(to.origin, plugins=("hello", "warehouse"), more=f"""
[[webhook]]
id = "ops"
principal = "nobody"
url = "{to.origin}/ops"
events = {json.dumps(ALL[1:])}
covers = "all"
secret = {{ file = "{{root}}/secret" }}
[plugin.warehouse]
enabled = true
[approval]
wait_s = 0.1
[[rule]]
tool = "fault_segv"
behavior = "allow"
""")
        (place.root / "secret").write_text(secret + "\n")
        text = place.config.read_text().replace("{root}", str(place.root))
        place.write_config(text.replace("retire_grace_s = 0.2", "retire_grace_s = 0.2\nquarantine_crashes = 1\nrollback_window_s = 0\n"
                                        "restart_pause_s = 0.01\npoison_crashes = 0"))
        place.drop("zoo", plugin_file("zoo/zoo_faults"))
        host = self.http_host(place)
        self.assertIn("SIGSEGV", text_of(host.call("fault_segv")))
        [one] = self.await_deliveries(to, "/ops")
        self.assertEqual((one.type, one.data["plugin"]), ("plugin.quarantined", "zoo"))
        self.assertTrue(one.is_signed_by(secret))
        host.call("pre_reserve_stock", {"order": "o-1", "item": "bolt-m8", "location": 1, "quantity": 7})
        [asked] = self.await_deliveries(to, "/ops", kind="approval.asked")
        listed = json.loads(run_toolpost(place, "approvals", "--json", "--config", place.config).stdout)
        self.assertEqual(asked.data["approval"], listed[0]["id"])
        self.assertNotIn("bolt-m8", asked.body.decode())
        done = run_toolpost(place, "webhooks", "remove", "ops", "--config", place.config)
        self.assertEqual(done.returncode, 5, done)
        self.assertIn("config.toml", done.stderr)
        host.stop()
        place.write_config(text.split("[[webhook]]")[0])
        host = self.http_host(place)
        [left] = json.loads(run_toolpost(place, "webhooks", "--json", "--config", place.config).stdout)
        self.assertEqual((left["enabled"], left["reason"]), (False, "it is not in config.toml any more"))
        self.assertEqual(run_toolpost(place, "webhooks", "remove", "ops", "--config", place.config).returncode, 0)

    def test_hosts_with_other_files_leave_each_others_webhooks_alone(self):
        to = self.receiver()
        secret = "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        place = self.place_for(to.origin)
        plain = place.config.read_text()
        of = lambda *ids: plain + "".join(f'[[webhook]]\nid = "{id}"\nprincipal = "local"\nurl = "{to.origin}/{id}"\n'
                                          f'events = ["call.finished"]\nsecret = {{ file = "{place.root}/secret" }}\n' for id in ids)
        (place.root / "secret").write_text(secret + "\n")
        other = place.root / "other.toml"

        def run_once(file):
            done = subprocess.Popen([BUILD / "toolpost", "serve", "--config", file, "--listen", "127.0.0.1:0"], env=environment(place.root),
                                    stderr=subprocess.PIPE, text=True)
            self.addCleanup(done.stderr.close)
            self.assertTrue(any("listening on" in line for line in done.stderr))
            done.terminate()
            done.stderr.read()
            self.assertEqual(done.wait(60), 0)

        def enabled():
            listed = json.loads(run_toolpost(place, "webhooks", "--json", "--config", place.config).stdout)
            self.assertLessEqual({one["made_by"] for one in listed}, {"config"})
            return {one["id"] for one in listed if one["enabled"]}
        place.write_config(of("mine", "both"))
        other.write_text(of("theirs", "both"))
        for file in (place.config, other):
            run_once(file)
        self.assertEqual(enabled(), {"mine", "theirs", "both"})
        place.write_config(of())
        run_once(place.config)
        self.assertEqual(enabled(), {"theirs", "both"})
        done = run_toolpost(place, "webhooks", "remove", "both", "--config", place.config)
        self.assertEqual((done.returncode, "config.toml" in done.stderr), (5, True), done)
        other.unlink()  # then nobody has it any more
        done = run_toolpost(place, "webhooks", "remove", "both", "--config", place.config)
        self.assertEqual(done.returncode, 0, done)

    def test_what_was_held_while_the_host_started_is_told(self):
        to = self.receiver()
        from test_upstreams import upstream
        place = self.place_for(to.origin)
        tools = place.root / "tools.json"

        def write(text):
            tools.write_text(json.dumps([{"name": "a", "description": text, "inputSchema": {"type": "object"}}]))
        write("It reads")
        place.write_config(place.config.read_text() + upstream("u", f"file={tools}", more="lazy = false"))
        root = self.key(place, "root", "--scope", "call", "--scope", "admin")
        host = self.http_host(place)
        self.add(host, to.origin + "/u", ["upstream.definition_held"], key=root)
        listed = lambda: host.request("tools/list", headers={"Authorization": f"Bearer {root}"})["result"]["tools"]
        wait_until("it was read", lambda: any(tool["name"] == "mcp__u__a" for tool in listed()))
        host.stop()
        write("It lies")
        self.http_host(place)
        [one] = self.await_deliveries(to, "/u")
        self.assertEqual(one.data, {"upstream": "u", "tools": ["a"]})

    def test_events_that_find_no_room_are_counted(self):
        port = free_port()
        place = self.place_for(f"http://127.0.0.1:{port}", more="[limits]\nwebhook_waiting = 2")
        host = self.http_host(place)
        hook = self.add(host, f"http://127.0.0.1:{port}/x")
        for _ in range(5):
            self.greet(host)
        self.assertEqual((self.show(host, hook)["waiting"], self.show(host, hook)["dropped"]), (2, 3))
        count = 'toolpost_refused_total{limit="limits.webhook_waiting"} 3'
        wait_until("it is counted", lambda: count in host.fetch("GET", "/metrics")[2])

    def test_a_bad_entry_keeps_the_host_from_starting_and_names_it(self):
        place = self.place_for(more='[[webhook]]\nid = "ops"\nurl = "https://hooks.example/"\nsecret = { env = "NO_SUCH" }')
        done = run_toolpost(place, "serve", "--config", place.config)
        self.assertEqual(done.returncode, 3, done)
        self.assertRegex(done.stderr, r'config\.toml:\d+:1: error\[C016\]: secret in \[\[webhook\]\] "ops": the host\'s environment has no NO_SUCH')

    def test_held_definitions_are_told(self):
        to = self.receiver()
        from test_upstreams import upstream
        place = self.place_for(to.origin)
        tools = place.root / "tools.json"

        def write(text):
            tools.write_text(json.dumps([{"name": "a", "description": text, "inputSchema": {"type": "object"}}]))
        write("It reads")
        place.write_config(place.config.read_text() + upstream("u", f"file={tools}"))
        root = self.key(place, "root", "--scope", "call", "--scope", "admin")
        host = self.http_host(place)
        self.add(host, to.origin + "/u", ["upstream.definition_held"], key=root)
        wait_until("it was read", lambda: any(
            tool["name"] == "mcp__u__a" for tool in host.request(
                "tools/list", headers={"Authorization": f"Bearer {root}"})["result"]["tools"]))
        write("It lies")
        run_toolpost(place, "upstream", "refresh", "u", "--config", place.config)
        [one] = self.await_deliveries(to, "/u")
        self.assertEqual(one.data, {"upstream": "u", "tools": ["a"]})


class Bad(WebhookCase):
    def test_a_receiver_that_hangs_delays_no_other_and_no_call(self):
        to = self.receiver()
        to.answers["/hangs"] = to.hang
        host = self.http_host(self.place_for(to.origin, timeout_s=600))
        for _ in range(4):
            self.add(host, to.origin + "/hangs")
        works = self.add(host, to.origin + "/works")
        for _ in range(50):
            self.greet(host)
        self.await_deliveries(to, "/works", 50)
        self.assertLessEqual(len(to.of("/hangs")), 4 * 8)
        wait_until("all are counted", lambda: self.show(host, works)["delivered"] == 50)

    def test_one_that_hangs_is_given_up_and_its_events_die_and_live_again(self):
        to = self.receiver()
        to.answers["/h"] = to.hang
        place = self.place_for(to.origin, timeout_s=0.1, retry_for_s=1)
        host = self.http_host(place)
        hook = self.add(host, to.origin + "/h")
        self.greet(host)
        wait_until("it is dead", lambda: self.show(host, hook)["dead"] == 1)
        shown = wait_until("it is disabled", lambda: not self.show(host, hook)["enabled"] and self.show(host, hook))
        self.assertIn("webhooks.retry_for_s", shown["reason"])

        def verb(*words):
            return run_toolpost(place, "webhooks", *words, "--config", place.config)
        [dead] = json.loads(verb("dead", hook["id"], "--json").stdout)
        self.assertIn("no answer within its time", dead["failure"])
        with contextlib.closing(sqlite3.connect(store_of(place), timeout=60)) as database:
            with database:  # more than one page of the store
                database.executemany("INSERT INTO webhook_delivery SELECT webhook, ?, type, body, at, state, attempts, since, "
                                     "due, failure, taker FROM webhook_delivery WHERE webhook = ? AND event = ?",
                                     [(f"copy_{n}", hook["id"], dead["event"]) for n in range(1000)])
            listed = json.loads(verb("dead", hook["id"], "--json").stdout)
            with database:
                database.execute("DELETE FROM webhook_delivery WHERE event LIKE 'copy_%'")
        self.assertEqual(len({one["event"] for one in listed}), 1001)
        self.assertIn("is disabled", verb("replay", hook["id"]).stderr)
        self.assertIn("did not accept the event", verb("test", hook["id"]).stderr)
        del to.answers["/h"]
        host.fetch("PATCH", f"/v1/webhooks/{hook['id']}", {"enabled": True})
        # On a busy machine the receiver may need longer than timeout_s for an attempt.
        wait_until("it accepts a test", lambda: "status 204" in verb("test", hook["id"]).stdout)
        self.assertEqual(verb("replay", hook["id"], dead["event"]).stdout, "1 dead letter waits again\n")

        def delivered():
            shown = self.show(host, hook)
            if shown["dead"]:
                host.fetch("PATCH", f"/v1/webhooks/{hook['id']}", {"enabled": True})
                verb("replay", hook["id"])
            return shown["delivered"] == 1
        wait_until("it is delivered", delivered)

    def test_one_that_is_down_gets_what_it_missed_in_another_hosts_life(self):
        port = free_port()
        place = self.place_for(f"http://127.0.0.1:{port}")
        host = self.http_host(place)
        hook = self.add(host, f"http://127.0.0.1:{port}/d")
        for _ in range(5):
            self.greet(host)
        wait_until("it failed", lambda: self.show(host, hook).get("failure"))
        host.stop()
        host = self.http_host(place)
        to = self.receiver(port)
        wait_until("all are delivered", lambda: self.show(host, hook)["delivered"] == 5)
        self.assertEqual(len({one.id for one in to.of("/d")}), 5)

    def test_the_command_line_registers_for_a_host_that_runs(self):
        to = self.receiver()
        place = self.place_for(to.origin)
        host = self.http_host(place)

        def verb(*words, exit_code=0):
            done = run_toolpost(place, "webhooks", *words, "--config", place.config)
            self.assertEqual(done.returncode, exit_code, done)
            return done
        self.assertEqual(verb().stdout, "There are no webhooks.\n")
        made = json.loads(verb("add", to.origin + "/c", "--events", "call.finished,approval.asked", "--json").stdout)
        for url, words in (("http://hooks.example/", "must begin with https://\n"), ("http://127.0.0.1:1/", "webhooks.loopback"),
                           ("http://localhost:1/", "webhooks.loopback"), ("https://127.0.0.1/", "webhooks.loopback")):
            self.assertIn(words, verb("add", url, "--events", "call.finished", exit_code=2).stderr)
        self.assertIn("unknown event", verb("add", to.origin + "/c", "--events", "call.begun", exit_code=2).stderr)
        self.assertRegex(verb("list").stdout, rf"{made['id']} +local +{to.origin}/c +call.finished,approval.asked +0 +0 +enabled")

        self.greet(host)  # no event after the registration is missed
        self.assertTrue(wait_until("it is told", lambda: to.of("/c"))[0].is_signed_by(made["secret"]))
        for number in range(5):
            path = f"/c{number}"
            self.assertEqual(verb("add", to.origin + path, "--events", "call.finished").stderr, "")  # the host has read it
            self.greet(host)
            wait_until(f"{path} is told", lambda: to.of(path))
            self.assertEqual(len(to.of(path)), 1)
        verb("remove", made["id"])
        self.assertIn("there is no webhook", verb("remove", made["id"], exit_code=4).stderr)
        self.assertEqual([line["by"][:4] for line in place.audit_lines("webhook")], ["cli:"] * 7)
        table = run_toolpost(place, "audit", "--event", "webhook", "--config", place.config).stdout
        self.assertRegex(table, rf"webhook of {made['id']} \({to.origin}\) .*removed")


class Kills(WebhookCase):
    def setUp(self):
        self.to = self.receiver()
        self.place = self.place_for(self.to.origin, more="[limits]\ndetached_calls = 1000000\ndetached_calls_per_principal = 1000000")
        self.host, self.accepted = self.http_host(self.place), []

    def work(self):
        connection = self.host.connect()
        try:
            while True:
                connection.request("POST", f"/v1/tools/request/{self.session}", json.dumps({"name": "greet", "arguments": {"name": "Ada"}}),
                                   {"Content-Type": "application/json"})
                answer = connection.getresponse()
                made = json.loads(answer.read())
                if answer.status == 202:
                    self.accepted.append(made["id"])
        except (OSError, http.client.HTTPException, ValueError):
            pass  # the host is gone
        finally:
            connection.close()

    def test_no_event_of_an_acknowledged_call_is_lost_in_kills_of_the_host(self):
        hook = self.add(self.host, self.to.origin + "/k")
        self.session = self.host.fetch("POST", "/v1/sessions", {})[2]["id"]
        port = self.host.port
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for _ in range(KILLS):
                before = len(self.accepted)
                workers = [pool.submit(self.work) for _ in range(4)]
                wait_until("a call is accepted", lambda: len(self.accepted) > before)  # also on a busy machine
                time.sleep(random.uniform(0, 0.5))  # the point of the kill
                os.kill(self.host.child.pid, signal.SIGKILL)
                for worker in workers:
                    worker.result()
                self.host.wait()
                self.host = self.http_host(self.place, port=port)
        self.assertGreater(len(self.accepted), 0)
        ids = set(self.accepted)
        wait_until("each call's end is told", lambda: ids <= {one.data["call"] for one in self.to.of("/k")})
        wait_until("nothing waits", lambda: self.show(self.host, hook)["waiting"] == 0)
        bodies = {}
        for one in self.to.of("/k"):
            self.assertEqual(bodies.setdefault(one.id, one.body), one.body)


if __name__ == "__main__":
    unittest.main()
