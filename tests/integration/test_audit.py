"""The audit as a table: filled beside the calls, searched by REST and `toolpost audit`, each acknowledged call once."""
import collections
import http.client
import json
import os
import pathlib
import random
import signal
import sqlite3
import threading
import time
import unittest

import exposition
from harness import TestCase, message, run_toolpost, wait_until

ALLOW = '[permission]\nmode = "bypass"\n'
KILLS = int(os.environ.get("TOOLPOST_KILLS", "3"))
CALLERS = 4


class Audit(TestCase):
    def setUp(self):
        self.place = self.workspace("services", config=ALLOW, isolation="inline")
        self.table = pathlib.Path(f"{self.place.audit}.db")

    def rows(self):
        """What the table has by itself: SQLite's own reader fills nothing."""
        if not self.table.exists():
            return []
        connection = sqlite3.connect(f"file:{self.table}?mode=ro", uri=True)
        try:
            return connection.execute("SELECT name, outcome, line FROM audit ORDER BY id").fetchall()
        except sqlite3.OperationalError:  # it is being made
            return []
        finally:
            connection.close()

    def told(self, *words):
        done = run_toolpost(self.place, "audit", "--json", "--limit", "100000", *words, "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def key(self, *scopes):
        words = [word for scope in scopes for word in ("--scope", scope)]
        done = run_toolpost(self.place, "key", "new", "boss", *words, "--config", self.place.config)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_a_call_is_a_row_within_a_second_and_nobody_asked_for_it(self):
        host = self.http_host(self.place)
        waits = []
        for number in range(1, 6):
            host.call("kv_get", {"key": "k"})
            answered = time.monotonic()
            wait_until("its row is there", lambda n=number: len(self.rows()) == n)
            waits.append(time.monotonic() - answered)
        self.assertLess(sorted(waits)[len(waits) // 2], 1, waits)
        self.assertEqual([row[:2] for row in self.rows()], [("kv_get", "ok")] * 5)
        self.assertEqual([json.loads(row[2]) for row in self.rows()], self.place.audit_lines())
        connection = host.connect()
        connection.request("GET", "/metrics")
        families = exposition.parse(connection.getresponse().read().decode())
        connection.close()
        self.assertEqual(exposition.value(families, "toolpost_audit_table_behind_bytes"), 0)

    def test_rest_knows_a_call_when_it_is_answered(self):
        key = self.key("call", "admin")
        host = self.http_host(self.place)
        for name in ("kv_get", "no_such"):
            host.call(name, {"key": "k"})
            status, _, answer = host.fetch("GET", f"/v1/audit?event=call&tool={name}", key=key)
            self.assertEqual((status, len(answer["lines"]), answer["whole"]), (200, 1, True), answer)
        for query, count in (("outcome=not_found", 1), ("event=call&until=2001", 0), ("event=call&since=2001", 2),
                             ("agent=coder", 0)):
            self.assertEqual(len(host.fetch("GET", "/v1/audit?" + query, key=key)[2]["lines"]), count, query)
        self.assertEqual(host.fetch("GET", "/v1/audit?since=yesterday", key=key)[0], 422)

    def test_without_a_host_the_command_line_fills_the_table(self):
        with_lines = [{"time": f"2026-11-21T20:00:0{n}.000Z", "tool": f"t{n}", "outcome": "ok"} for n in range(5)]
        self.place.audit.write_text("".join(json.dumps(line) + "\n" for line in with_lines))
        self.assertEqual(self.told(), with_lines[::-1])
        self.assertEqual(self.told("--since", "2026-11-21T20:00:02", "--until", "2026-11-21T20:00:04"),
                         with_lines[3:1:-1])
        self.assertEqual(self.table.stat().st_mode & 0o777, 0o600)
        self.table.write_bytes(b"no database at all" * 1000)
        self.assertEqual(self.told("--tool", "t3"), with_lines[3:4])

    def test_the_table_keeps_as_many_rows_as_it_may(self):
        place = self.workspace("services", config=ALLOW, isolation="inline")
        place.write_config(place.config.read_text().replace("[audit]", "[audit]\ntable_rows = 10"))
        place.audit.write_text("".join(json.dumps({"tool": f"t{n}"}) + "\n" for n in range(50)))
        done = run_toolpost(place, "audit", "--json", "--config", place.config)
        self.assertEqual([line["tool"] for line in json.loads(done.stdout)], [f"t{n}" for n in range(49, 39, -1)])
        self.assertEqual(len(place.audit.read_text().splitlines()), 50)

    def call_until_it_is_gone(self, host, number, acknowledged):
        connection = host.connect()
        try:
            for count in range(1_000_000):
                name = f"none_{number}_{count}"  # its outcome is audited like any other
                body, headers = message("tools/call", {"name": name, "arguments": {}}, "modern")
                connection.request("POST", "/mcp", json.dumps(body), {"Content-Type": "application/json", **headers})
                if connection.getresponse().read():
                    acknowledged.append(name)
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()

    def test_after_kills_each_acknowledged_call_is_there_once(self):
        acknowledged = []
        for kill in range(KILLS):
            before = len(self.rows())
            host = self.http_host(self.place)
            threads = [threading.Thread(target=self.call_until_it_is_gone, args=(host, f"{kill}_{n}", acknowledged))
                       for n in range(CALLERS)]
            for thread in threads:
                thread.start()
            # It is filled beside the calls; where they take all cores, later.
            wait_until("rows come", lambda before=before: len(self.rows()) > before)
            time.sleep(random.uniform(0, 0.7))
            os.kill(host.child.pid, signal.SIGKILL)
            for thread in threads:
                thread.join()
            host.wait()
        counted = collections.Counter(json.loads(row[2])["tool"] for row in self.rows())
        self.assertEqual([name for name, count in counted.items() if count > 1], [])
        told = collections.Counter(line["tool"] for line in self.told("--event", "call"))
        self.assertGreater(len(acknowledged), KILLS * CALLERS)
        self.assertEqual([name for name in acknowledged if told[name] != 1], [])
        self.assertEqual([name for name, count in told.items() if count > 1], [])
        self.assertEqual(len(told), len(self.place.audit_lines()))


if __name__ == "__main__":
    unittest.main()
