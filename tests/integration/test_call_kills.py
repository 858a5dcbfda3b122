"""The host is killed, again and again, while detached calls run: none that was accepted is lost, none runs twice, and
states only move forward. A client that reads `results?after=` all the while gets each end exactly once.

TOOLPOST_CALL_KILLS says how often, twice without it; scripts/soak kills it a hundred times.
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

from harness import TestCase, plugin_file, processes_of, wait_until

KILLS = int(os.environ.get("TOOLPOST_CALL_KILLS", "2"))
CLIENTS = 6
RANK = {"PENDING": 0, "PROCESSING": 1, "COMPLETE": 2, "ERROR": 2}
CONFIG = """
[[rule]]
tool = "slow"
behavior = "allow"
[limits]
running_per_principal = 4
detached_calls = 1000000
detached_calls_per_principal = 1000000
"""


class CallKills(TestCase):
    def setUp(self):
        self.place = self.workspace(config=CONFIG)
        self.place.drop("zoo", plugin_file("zoo/zoo_one"))
        self.results, self.last = [], 0
        self.accepted, self.calls, self.seen, self.faults, self.lock = [], [], {}, [], threading.Lock()

    def fetch(self, connection, method, path, body=None):
        connection.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())

    def known(self, request):
        """The newest state that anybody has read; to be asked before a state is read."""
        with self.lock:
            return self.seen.get(request)

    def look(self, record, before=None):
        """A state is final, and no state comes back that is earlier than `before`."""
        with self.lock:
            newest = self.seen.get(record["id"])
            if not newest or RANK[record["state"]] >= RANK[newest]:
                self.seen[record["id"]] = record["state"]
        if before and (RANK[record["state"]] < RANK[before] or (RANK[before] == 2 and record["state"] != before)):
            self.faults.append(f"{record['id']} was {before} and is {record['state']}")

    def work(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.host.port, timeout=30)
        path = f"/v1/tools/request/{self.session}"
        try:
            while True:
                status, record = self.fetch(connection, "POST", path, {"name": "slow", "arguments": {"ms": random.randint(0, 40)}})
                assert status == 202, record
                with self.lock:
                    self.accepted.append(record["id"])
                request = random.choice(self.accepted)
                before = self.known(request)
                self.look(self.fetch(connection, "GET", f"{path}/{request}")[1], before)
        except (OSError, http.client.HTTPException, json.JSONDecodeError):
            pass  # the host is gone
        except BaseException as fault:  # any other end is a find
            self.faults.append(repr(fault))
        finally:
            connection.close()

    def kill(self):
        os.kill(self.host.child.pid, signal.SIGKILL)
        port = self.host.port
        self.host.wait()
        wait_until("no process of the killed host is left", lambda: not processes_of(self.place))
        self.host = self.http_host(self.place, port=port)

    def check_ends(self):
        """Each call that was accepted since the last kill ends."""
        for request in self.accepted:
            path = f"/v1/tools/request/{self.session}/{request}"
            before = self.known(request)
            record = wait_until(f"{request} ends", lambda: self.ended(path))
            self.look(record, before)
            self.assertIn((record["state"], record.get("code")), (("COMPLETE", None), ("ERROR", "interrupted")), record)
            self.calls.append(request)
        self.accepted = []

    def read_results(self):
        """The ends after the last one that was read."""
        while True:
            status, _, page = self.host.fetch("GET", f"/v1/sessions/{self.session}/results?limit=100&after={self.last}")
            self.assertEqual(status, 200, page)
            self.results += [one["request"] for one in page["results"]]
            self.last = page["next"]
            if not page["more"]:
                return

    def ended(self, path):
        status, _, record = self.host.fetch("GET", path + "?wait=5")
        self.assertEqual(status, 200, path)
        return record["state"] in ("COMPLETE", "ERROR") and record

    def test_each_accepted_call_ends_and_runs_once(self):
        self.host = self.http_host(self.place)
        self.session = self.host.fetch("POST", "/v1/sessions", {})[2]["id"]
        for _ in range(KILLS):
            threads = [threading.Thread(target=self.work) for _ in range(CLIENTS)]
            for thread in threads:
                thread.start()
            wait_until("a call is accepted", lambda: self.accepted)  # also on a busy machine
            time.sleep(random.uniform(0, 0.5))  # the point of the kill
            self.kill()
            for thread in threads:
                thread.join()
            self.read_results()
            self.check_ends()
        self.read_results()
        self.assertEqual(self.faults, [])
        self.assertEqual(len(self.results), len(set(self.results)), "no end comes twice")
        self.assertEqual(set(self.calls) - set(self.results), set(), "and none is left out")
        self.host.stop()
        runs = {}
        for line in self.place.audit_lines():
            if line["tool"] == "slow" and line["outcome"] == "ok":
                runs[line["call"]] = runs.get(line["call"], 0) + 1
        self.assertEqual({call: count for call, count in runs.items() if count > 1}, {})
        complete = [request for request, state in self.seen.items() if state == "COMPLETE"]
        self.assertEqual([request for request in complete if runs.get(request) != 1], [])
        self.assertGreater(len(complete), 0)
        print(f"{KILLS} kills, {len(self.calls)} calls, {len(complete)} complete", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
