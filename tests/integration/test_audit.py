"""The audit as a table: filled beside the calls, searched by REST and `toolpost audit`, each acknowledged call once."""
import collections
import fcntl
import http.client
import json
import os
import pathlib
import random
import re
import signal
import sqlite3
import threading
import time
import unittest

import exposition
from harness import SOURCE, TestCase, message, problem, run_toolpost, wait_until

ALLOW = '[permission]\nmode = "bypass"\n'
KILLS = int(os.environ.get("TOOLPOST_KILLS", "3"))
CALLERS = 4


class Audit(TestCase):
    def setUp(self):
        self.place = self.workspace("services", config=ALLOW, isolation="inline")
        self.table = pathlib.Path(f"{self.place.audit}.db")

    def rows(self):
        """What the table has of calls by itself: SQLite's own reader fills nothing."""
        if not self.table.exists():
            return []
        connection = sqlite3.connect(f"file:{self.table}?mode=ro", uri=True)
        try:
            return connection.execute("SELECT name, outcome, line FROM audit WHERE event = 'call' ORDER BY id").fetchall()
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
        self.assertLess(min(waits), 1, waits)  # the others may have waited for a busy machine
        self.assertEqual([row[:2] for row in self.rows()], [("kv_get", "ok")] * 5)
        self.assertEqual([json.loads(row[2]) for row in self.rows()], self.place.audit_lines())

        def behind():
            return exposition.value(exposition.parse(host.fetch("GET", "/metrics")[2]), "toolpost_audit_table_behind_bytes")
        wait_until("nothing is behind", lambda: behind() == 0)

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

    def test_an_unknown_outcome_is_an_error_that_lists_those_of_the_documentation(self):
        text = (SOURCE / "docs/operate/watching.md").read_text()
        rows = text.split("| outcome | meaning |", 1)[1].split("\n\n")[0].splitlines()[2:]
        listed = [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])]
        key = self.key("call", "admin")

        def searched(outcome):
            return run_toolpost(self.place, "audit", "--outcome", outcome, "--config", self.place.config)
        self.assertEqual(searched("x" * 30).stderr.split("there is: ")[1].strip().split(", "), listed)
        self.assertIn('did you mean "denied"?', searched("denyed").stderr)
        self.assertNotEqual(searched("denyed").returncode, 0)
        for known in ("replayed", "withdrawn"):  # of a call, and of an event
            self.assertEqual((searched(known).returncode, searched(known).stderr), (0, ""), known)
        host = self.http_host(self.place)
        status, _, told = host.fetch("GET", "/v1/audit?outcome=denyed", key=key)
        self.assertEqual((status, told["type"]), (422, problem("invalid-argument")), told)
        self.assertEqual(host.fetch("GET", "/v1/audit?outcome=withdrawn", key=key)[0], 200)

    def test_the_table_keeps_as_many_rows_as_it_may(self):
        place = self.workspace("services", config=ALLOW, isolation="inline")
        place.write_config(place.config.read_text().replace("[audit]", "[audit]\ntable_rows = 10"))
        place.audit.write_text("".join(json.dumps({"tool": f"t{n}"}) + "\n" for n in range(50)))
        done = run_toolpost(place, "audit", "--json", "--config", place.config)
        self.assertEqual([line["tool"] for line in json.loads(done.stdout)], [f"t{n}" for n in range(49, 39, -1)])
        self.assertEqual(len(place.audit.read_text().splitlines()), 50)

    def verified(self, code=0, from_line=None):
        words = ("--from", from_line) if from_line else ()
        done = run_toolpost(self.place, "audit", "verify", "--json", *words, "--config", self.place.config)
        self.assertEqual(done.returncode, code, done)
        return json.loads(done.stdout)

    def parts(self):
        return sorted(file for file in self.place.root.iterdir() if file.name.startswith("audit.jsonl.0"))

    def age(self):
        """Makes the file an old one, which whoever writes next rotates away."""
        with open(f"{self.place.audit}.chain", "r+", encoding="ascii") as mark:
            fcntl.flock(mark, fcntl.LOCK_EX)
            words = mark.read().split()
            words[4] = "1"
            mark.seek(0)
            mark.write(" ".join(words).ljust(191) + "\n")

    def test_a_cut_and_an_edit_show(self):
        host = self.http_host(self.place)
        for number in range(5):
            host.call("kv_get", {"key": f"k{number}"})
        self.run_verb("key", "new", "boss")  # another process appends
        host.call("kv_get", {"key": "k"})
        self.assertEqual((self.verified()["last"], self.verified()["without_digest"]), (8, 0))  # the start too
        good = self.place.audit.read_bytes()
        lines = good.splitlines(keepends=True)
        self.place.audit.write_bytes(b"".join(lines[:-1]))
        self.assertIn("its end was cut off", self.verified(3)["fault"])
        self.place.audit.write_bytes(good.replace(b'"outcome":"ok"', b'"outcome":"no"', 1))
        self.assertIn("line 2 of audit.jsonl: does not fit its digest", self.verified(3)["fault"])
        self.place.audit.write_bytes(b"".join(lines[:2] + lines[3:]))
        self.assertIn("lines between them were removed", self.verified(3)["fault"])
        done = run_toolpost(self.place, "audit", "verify", "--config", self.place.config)
        self.assertTrue(done.stdout.startswith("changed: line 3 of audit.jsonl: "), done)
        self.place.audit.write_bytes(good)
        self.assertEqual(self.verified()["fault"], "")

    def test_doctor_reports_what_is_missing_next_to_the_audit(self):
        def doctor(code):
            done = run_toolpost(self.place, "doctor", "--json", "--config", self.place.config)
            self.assertEqual(done.returncode, code, done)
            [found] = [one for one in json.loads(done.stdout) if one["about"] == "audit"]
            return found
        self.run_verb("key", "new", "boss")
        self.assertEqual(doctor(0)["grade"], "ok")
        mark = pathlib.Path(f"{self.place.audit}.chain")
        kept = mark.read_bytes()
        mark.unlink()
        self.assertIn(".chain) is missing", doctor(3)["says"])
        mark.write_bytes(kept)
        self.place.audit.unlink()
        self.assertIn("1 lines were written", doctor(3)["says"])

    def test_a_line_without_a_digest_and_a_missing_audit_show(self):
        self.assertEqual(self.verified(3)["verdict"], "missing")
        host = self.http_host(self.place)
        host.call("kv_get", {"key": "k"})
        host.stop()
        good = self.place.audit.read_text()
        [line] = self.place.audit_lines()
        forged = json.dumps({name: line[name] for name in line if name not in ("seq", "chain")}) + "\n"
        self.place.audit.write_text(good + forged)
        self.assertIn("line 4 of audit.jsonl: has no digest", self.verified(3)["fault"])
        self.place.audit.write_text(good)
        self.assertEqual(self.verified()["verdict"], "ok")
        marks = [pathlib.Path(f"{self.place.audit}{end}") for end in ("", ".chain", ".db", ".db-wal", ".db-shm")]
        for mark in marks:
            mark.unlink(missing_ok=True)
            done = run_toolpost(self.place, "audit", "verify", "--config", self.place.config)
            self.assertEqual((done.returncode, done.stdout.split(":")[0]), (3, "missing"), (mark, done))
            self.assertIn(" but ", done.stdout, "what is left of the host shows that it ran")

    def test_a_file_of_before_there_were_digests_is_neither_ok_nor_changed(self):
        self.place.audit.write_text('{"tool":"old"}\n' * 2)
        told = self.verified(3)
        self.assertEqual((told["ok"], told["verdict"], told["without_digest"]), (False, "no_digests", 2))
        done = run_toolpost(self.place, "audit", "verify", "--config", self.place.config)
        self.assertTrue(done.stdout.startswith("unknown: no line has a digest"), done)
        self.run_verb("key", "new", "boss")
        self.assertEqual((self.verified()["verdict"], self.verified()["last"]), ("ok", 1))

    def test_an_old_file_is_rotated_away_and_compressed_and_its_lines_are_found(self):
        host = self.http_host(self.place)
        for number in range(4):
            host.call("kv_get", {"key": f"k{number}"})
            self.age()
        wait_until("the rotated files are compressed", lambda: [f.suffix for f in self.parts()] == [".gz"] * 3)
        self.assertEqual([file.stat().st_mode & 0o777 for file in self.parts()], [0o600] * 3)
        self.assertEqual(len(self.told("--event", "call")), 4)
        self.assertEqual((self.verified()["files"], self.verified()["last"]), (4, 5))  # the first has the start too
        first, second, _ = self.parts()
        away = self.place.root / "archive"
        away.mkdir()
        first.rename(away / first.name)
        self.assertIn("begins with number 3, but lines from number 1 on must be there", self.verified(3)["fault"])
        self.assertEqual(self.verified(from_line=3)["first"], 3)
        self.assertEqual(self.verified(from_line=4)["first"], 3)
        second.rename(away / second.name)
        self.assertIn("begins with number 4", self.verified(3, from_line=3)["fault"])
        self.assertEqual(self.verified(from_line=4)["first"], 4)
        self.parts()[0].rename(away / "third")  # only the file that is written is left
        self.assertIn("begins with number 5", self.verified(3)["fault"])
        self.assertEqual(self.verified(from_line=5)["files"], 1)
        for wrong in ("0", "-1", "x"):
            self.assertEqual(run_toolpost(self.place, "audit", "verify", "--from", wrong).returncode, 2)
        (away / "third").rename(self.place.root / "audit.jsonl.000003.gz")
        first = (away / first.name).rename(first)
        self.assertIn("were removed", self.verified(3)["fault"])

    def configure(self, line):
        text = self.place.config.read_text().replace("[audit]\n", f"[audit]\n{line}\n")
        self.place.write_config(text)

    def test_its_size_and_age_are_configured(self):
        self.configure("rotate_bytes = 65_536")
        host = self.http_host(self.place)
        connection = host.connect()
        while not self.parts():
            host.call("kv_get", {"key": "k"}, connection=connection)
        connection.close()
        self.assertEqual(self.verified()["files"], 2)

    def test_a_size_or_age_that_would_rotate_for_each_line_is_refused(self):
        before = self.place.config.read_text()
        for line, said in (("rotate_bytes = 1", "rotate_bytes"), ("rotate_s = 0", "rotate_s")):
            with self.subTest(line=line):
                self.place.write_config(before)
                self.configure(line)
                done = run_toolpost(self.place, "config", "check", "--config", self.place.config)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(said, done.stdout + done.stderr)

    def run_verb(self, *words):
        done = run_toolpost(self.place, *words, "--config", self.place.config)
        self.assertEqual(done.returncode, 0, (words, done))

    def rotate_while_it_runs(self, host):
        while host.running():
            if self.place.audit.exists():
                self.age()

    def test_kills_amid_rotations_lose_no_line_and_break_no_chain(self):
        acknowledged = []
        for kill in range(KILLS):
            host = self.http_host(self.place)
            host.call("none_first", {})
            threads = [threading.Thread(target=self.rotate_while_it_runs, args=(host,)),
                       threading.Thread(target=self.call_until_it_is_gone, args=(host, f"r{kill}", acknowledged))]
            for thread in threads:
                thread.start()
            before = len(self.parts())
            wait_until("it rotates", lambda before=before: len(self.parts()) > before + 5)
            os.kill(host.child.pid, signal.SIGKILL)
            for thread in threads:
                thread.join()
            host.wait()
        self.http_host(self.place).call("none_last", {})
        self.assertEqual(self.verified()["fault"], "")
        told = collections.Counter(line["tool"] for line in self.told("--event", "call"))
        self.assertEqual([name for name in acknowledged if told[name] != 1], [])

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
        self.assertEqual(self.verified()["fault"], "")


if __name__ == "__main__":
    unittest.main()
