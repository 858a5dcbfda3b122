"""The host is killed, again and again, while people answer and calls run: what it acknowledged is there after each
start, and no yes runs a call twice.

TOOLPOST_KILLS says how often, 4 times without it; scripts/soak kills it a hundred times.
"""
import http.client
import json
import os
import random
import signal
import sys
import threading
import time
import unittest

from harness import TestCase, processes_of, run_toolpost, text_of, wait_until

KILLS = int(os.environ.get("TOOLPOST_KILLS", "4"))
CALLERS = 8
# What an answer that may be lost can have become, by what was asked last and what was acknowledged.
STATES = {"asked": {"pending"}, "approving": {"pending", "approved"}, "approved": {"approved"},
          "running": {"approved", "used"}, "ran": {"used"}}


class Item:
    """One call on its way: asked, approved, run; `stage` is the last thing that was sent or acknowledged."""

    def __init__(self, text):
        self.text, self.id, self.digest, self.stage = text, None, None, "sent"


class Gone(Exception):
    """The host went away before it answered."""


class Peer:
    """Calls as one principal, and answers as another, on one connection."""

    def __init__(self, port, caller, reviewer):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.caller, self.reviewer = caller, reviewer

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def fetch(self, method, path, body, key):
        try:
            self.connection.request(method, path, body and json.dumps(body),
                                    {"Content-Type": "application/json", "Authorization": f"Bearer {key}"})
            answer = self.connection.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException, json.JSONDecodeError) as fault:
            raise Gone from fault

    def call(self, item):
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "pre_confirmed", "arguments": {"text": item.text}}}
        return self.fetch("POST", "/mcp", body, self.caller)[1]

    def approvals(self, path="", body=None):
        return self.fetch("POST" if body else "GET", "/v1/approvals" + path, body, self.reviewer)

    def go(self, item):
        """From the question to the run; raises Gone where the host does not answer."""
        pending = text_of(self.call(item))
        item.id = next(word for word in pending.replace(";", " ").split() if word.startswith("ap_"))
        item.stage = "asked"
        status, record = self.approvals("/" + item.id)
        assert status == 200, record
        item.digest = record["digest"]
        item.stage = "approving"
        status, record = self.approvals("/" + item.id, {"decision": "approve", "digest": item.digest})
        assert status == 200, record
        item.stage = "approved"
        self.run(item)

    def run(self, item):
        item.stage = "running"
        answer = self.call(item)
        assert not answer["result"].get("isError"), answer
        item.stage = "ran"


class Kills(TestCase):
    def setUp(self):
        # Each kill can leave one request of each caller unanswered.
        self.place = self.workspace("overlap", config="[approval]\nwait_s = 0\n"
                                    f"[limits]\napprovals_per_principal = {CALLERS * (KILLS + 1)}")
        self.caller, self.reviewer = self.key("anna"), self.key("rita", "--scope", "approve")
        self.items, self.faults, self.acknowledged, self.lock = [], [], 0, threading.Lock()

    def key(self, *words):
        done = run_toolpost(self.place, "key", "new", *words, "--config", self.place.config)
        return done.stdout.strip()

    def peer(self):
        return Peer(self.host.port, self.caller, self.reviewer)

    def work(self, number, round_items):
        """Calls without pause until the host is gone."""
        count = 0
        try:
            with self.peer() as peer:
                while True:
                    item = Item(f"{number}.{count}")
                    count += 1
                    with self.lock:
                        round_items.append(item)
                    peer.go(item)
                    with self.lock:
                        self.acknowledged += 3
        except Gone:
            pass
        except BaseException as fault:  # any other end is a find
            self.faults.append(repr(fault))

    def state_of(self, peer, item):
        status, record = peer.approvals("/" + item.id)
        self.assertEqual(status, 200, f"{item.stage} {item.id}: {record}")
        return record["state"]

    def check(self, items):
        with self.peer() as peer:
            for item in items:
                if item.stage != "sent":
                    self.assertIn(self.state_of(peer, item), STATES[item.stage], (item.stage, item.id))

    def test_what_was_acknowledged_is_there_after_each_kill(self):
        busy_s = 0
        for kill in range(KILLS):
            self.host = self.http_host(self.place)
            fresh = []
            threads = [threading.Thread(target=self.work, args=(f"{kill}-{n}", fresh)) for n in range(CALLERS)]
            began = time.monotonic()
            for thread in threads:
                thread.start()
            time.sleep(random.uniform(0.3, 1.2))
            busy_s += time.monotonic() - began
            os.kill(self.host.child.pid, signal.SIGKILL)
            for thread in threads:
                thread.join()
            self.host.wait()
            wait_until("no process of the killed host is left", lambda: not processes_of(self.place))
            self.assertEqual(self.faults, [])
            self.items += fresh
            self.host = self.http_host(self.place)
            self.check(fresh)
            # What hung in the air comes to its end: a yes that was not used runs the call now.
            with self.peer() as peer:
                for item in fresh:
                    if item.stage in ("approved", "running") and self.state_of(peer, item) == "approved":
                        peer.run(item)
            self.host.stop()
        self.host = self.http_host(self.place)
        self.check([item for item in self.items if item.stage == "ran"])
        self.assertGreaterEqual(len(self.items), KILLS * CALLERS)
        runs = {}
        for line in self.place.audit_lines():
            if line["tool"] == "pre_confirmed" and line["outcome"] == "ok":
                runs[line["args_sha256"]] = runs.get(line["args_sha256"], 0) + 1
        self.assertEqual({digest: count for digest, count in runs.items() if count != 1}, {})
        for item in self.items:
            if item.stage == "ran":
                self.assertEqual(runs.get(item.digest), 1, item.id)
        print(f"{KILLS} kills, {len(self.items)} calls, {self.acknowledged} answers acknowledged, "
              f"{self.acknowledged / busy_s:.0f} a second", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
