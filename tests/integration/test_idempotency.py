"""Calls with an idempotency key run once: again, at the same time, on two hosts, after a restart and after a kill.

TOOLPOST_KEY_KILLS says how often the host is killed, once without it; scripts/soak keys kills it a hundred times.
"""
import collections
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import random
import resource
import signal
import sqlite3
import tempfile
import time
import unittest

from harness import TestCase, run_toolpost, text_of, wait_until

CONFIG = """[permission]
mode = "bypass"
[plugin.shell]
enabled = true
exec = true
fs = ["rw:{folder}"]
[plugin.shell.settings]
roots = ["{folder}"]
{more}
"""
REPLAYED = "io.toolpost/replayed"
NOT_KEPT = "io.toolpost/not_kept"
KILLS = int(os.environ.get("TOOLPOST_KEY_KILLS", "1"))
CALLERS = 4


class IdempotencyCase(TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        self.runs = self.folder / "runs"
        self.pool = concurrent.futures.ThreadPoolExecutor(16)
        self.addCleanup(self.pool.shutdown)

    def place(self, more=""):
        return self.workspace("shell", "hello", config=CONFIG.format(folder=self.folder, more=more))

    def host(self, **options):
        return self.http_host(self.place(**options))

    # One run is one line in the file.
    def command(self, then="echo done"):
        return f"echo run >> {self.runs}; {then}"

    # One that runs until `gate` is there.
    def waiting_command(self, gate):
        script = self.folder / "wait.sh"
        script.write_text(f"echo run >> {self.runs}\nwhile [ ! -e {gate} ]; do sleep 0.05; done\necho done\n")
        return f"sh {script}"

    def call(self, host, key, command=None, tool="run_command", headers=None, **options):
        arguments = {"command": command or self.command(), "cwd": str(self.folder), "idempotency_key": key}
        return host.call(tool, arguments, headers=headers, **options)

    def key(self, place, principal, *scopes):
        words = [word for scope in scopes for word in ("--scope", scope)]
        done = run_toolpost(place, "key", "new", principal, *words, "--json", "--config", place.config)
        return json.loads(done.stdout)["key"]

    def ran(self):
        return len(self.runs.read_text().splitlines()) if self.runs.exists() else 0

    def result_of(self, answer):
        self.assertIn("result", answer, answer)
        return answer["result"]

    def assert_replayed(self, answer, first):
        result = self.result_of(answer)
        self.assertTrue(result["_meta"][REPLAYED], answer)
        self.assertEqual(result["content"], self.result_of(first)["content"])
        self.assertEqual(result.get("isError", False), first["result"].get("isError", False))


class Idempotency(IdempotencyCase):
    def test_a_call_that_comes_again_gets_the_answer_and_does_not_run(self):
        host = self.host()
        for command in (self.command(), self.command("exit 3")):  # what the tool says of a failure is kept too
            self.runs.unlink(missing_ok=True)
            first = self.call(host, command, command)
            self.assertNotIn(REPLAYED, first["result"].get("_meta", {}))
            self.assert_replayed(self.call(host, command, command), first)
            self.assertEqual(self.ran(), 1)
        self.call(host, "another", self.command())
        self.assertEqual(self.ran(), 2)

    def test_the_key_comes_in_meta_too_and_the_order_of_members_is_nothing(self):
        host = self.host()
        first = host.request("tools/call", {"name": "run_command", "_meta": {"idempotency_key": "k"}, "arguments": {
            "command": self.command(), "cwd": str(self.folder)}})
        again = host.request("tools/call", {"name": "run_command", "arguments": {
            "idempotency_key": "k", "cwd": str(self.folder), "command": self.command()}}, "modern")
        self.assert_replayed(again, first)
        self.assertEqual(self.ran(), 1)

    def test_other_arguments_are_an_error_and_nothing_runs(self):
        host = self.host()
        self.call(host, "k")
        answer = self.call(host, "k", self.command("echo other"))
        self.assertTrue(answer["result"]["isError"])
        self.assertIn('"k" was used for a call of "run_command" with other arguments', text_of(answer))
        self.assertEqual(self.ran(), 1)
        # Another tool's key is another key.
        self.assertEqual(text_of(host.call("greet", {"name": "you", "idempotency_key": "k"})), "Hello, you!")

    def test_keys_that_cannot_be_used_are_refused(self):
        host = self.host()
        for key, words in (("", "must not be empty"), (7, "must be a string"), ("x" * 256, "at most 255 bytes")):
            answer = self.call(host, key)
            self.assertTrue(answer["result"]["isError"])
            self.assertIn(words, text_of(answer))
        for key in ("", 7, "x" * 256):
            for tool, arguments in (("greet", {"name": "you"}), ("call_tool", {"name": "greet", "arguments": {}})):
                answer = host.request("tools/call", {"name": tool, "_meta": {"idempotency_key": key}, "arguments": arguments})
                self.assertEqual(answer["error"]["code"], -32602)
                self.assertIn("/_meta/idempotency_key: must be a string of 1 to 255 bytes", answer["error"]["message"])
        answer = host.request("tools/call", {"name": "greet", "_meta": {"idempotency_key": "a"}, "arguments": {
            "name": "you", "idempotency_key": "b"}})
        self.assertIn("the call already has another key", text_of(answer))
        self.assertEqual(self.ran(), 0)

    def test_a_null_key_is_no_key(self):
        host = self.host()
        calls = (("greet", {"name": "you", "idempotency_key": None}, {}),
                 ("greet", {"name": "you"}, {"idempotency_key": None}),
                 ("greet", {"name": "you", "idempotency_key": None}, {"idempotency_key": "k"}))
        for tool, arguments, meta in calls:
            answer = host.request("tools/call", {"name": tool, "arguments": arguments, "_meta": meta})
            self.assertEqual(text_of(answer), "Hello, you!")
        self.assertTrue(self.result_of(host.call("greet", {"name": "you", "idempotency_key": "k"}))["_meta"][REPLAYED])
        session = "/v1/tools/request/" + host.fetch("POST", "/v1/sessions", {})[2]["id"]
        request = {"name": "greet", "arguments": {"name": "you", "idempotency_key": None}}
        made = [host.fetch("POST", session, request)[2] for _ in range(2)]
        self.assertNotEqual(made[0]["id"], made[1]["id"])
        self.assertEqual(made[0]["arguments"], {"name": "you"})
        record = host.fetch("GET", f"{session}/{made[0]['id']}?wait=30")[2]
        self.assertEqual(text_of(record), "Hello, you!")

    def test_twins_at_the_same_time_run_once(self):
        place = self.place()
        hosts = [self.http_host(place), self.http_host(place)]
        gate = self.folder / "gate"
        command = self.waiting_command(gate)
        calls = [self.pool.submit(self.call, host, "k", command) for host in hosts for _ in range(4)]
        wait_until("one runs", lambda: self.ran() == 1)
        gate.touch()
        answers = [call.result() for call in calls]
        self.assertEqual(self.ran(), 1)
        self.assertEqual(sum(REPLAYED in self.result_of(a).get("_meta", {}) for a in answers), len(calls) - 1)
        self.assertEqual({text_of(answer) for answer in answers}, {text_of(answers[0])})

    def test_each_principal_has_its_own_keys(self):
        place = self.place()
        keys = [self.key(place, who, "call") for who in ("anna", "bert")]
        host = self.http_host(place)
        for key in keys:
            answer = self.call(host, "k", headers={"Authorization": f"Bearer {key}"})
            self.assertNotIn(REPLAYED, self.result_of(answer).get("_meta", {}))
        self.assertEqual(self.ran(), 2)

    def test_what_took_too_long_may_be_made_again(self):
        host = self.http_host(self.workspace("overlap", config="[call]\ntimeout_s = 0.2"))
        late = lambda: host.call("slow", {"ms": 30000, "idempotency_key": "k"}).get("error", {}).get("code") == -32003
        self.assertTrue(late())
        wait_until("it takes too long again", late)  # when the tool of the first call has ended
        again = lambda: host.call("slow", {"ms": 1, "idempotency_key": "k"}).get("result", {"isError": True})
        made = wait_until("it is made in time", lambda: not (a := again()).get("isError") and a)
        self.assertEqual(made.get("_meta", {}), {})

    def test_what_waits_for_a_person_is_not_an_answer(self):
        place = self.place('[[rule]]\ntool = "run_command"\nbehavior = "ask"\n[approval]\nwait_s = 0\n')
        host = self.http_host(place)
        self.assertIn("approval", text_of(self.call(host, "k")))
        self.assertEqual(self.ran(), 0)
        asked = run_toolpost(place, "approvals", "--json", "--config", place.config)
        identity = json.loads(asked.stdout)[0]["id"]
        done = run_toolpost(place, "approvals", "approve", identity, "--config", place.config)
        self.assertEqual(done.returncode, 0, done)
        first = self.call(host, "k")
        self.assertEqual(self.ran(), 1)
        self.assertIn("done", text_of(first))
        self.assert_replayed(self.call(host, "k"), first)  # and asks nobody
        self.assertEqual(self.ran(), 1)

    def test_the_answer_is_there_after_a_kill_and_a_call_cut_off_by_one_runs_again(self):
        place = self.place()
        host = self.http_host(place)
        first = self.call(host, "whole")
        gate = self.folder / "gate"
        cut_off = self.waiting_command(gate)
        cut = self.pool.submit(self.call, host, "cut", cut_off)
        wait_until("it runs", lambda: self.ran() == 2)
        os.kill(host.child.pid, signal.SIGKILL)
        self.assertIsNotNone(cut.exception())
        host.wait()
        gate.touch()
        host = self.http_host(place)
        self.assert_replayed(self.call(host, "whole"), first)
        self.assertEqual(self.ran(), 2)
        again = self.call(host, "cut", cut_off)  # the claim of the killed host has ended with it
        self.assertIn("done", text_of(again))
        self.assertEqual(self.ran(), 3)
        self.assert_replayed(self.call(host, "cut", cut_off), again)

    def test_hosts_of_one_store_know_the_keys_of_each_other_while_they_run_and_after(self):
        place = self.place()
        first = self.http_host(place)
        answers = {key: self.call(first, key) for key in ("a1", "a2", "a3")}  # the first host is alone, and reads no more
        second = self.http_host(place)
        for key, answer in answers.items():
            self.assert_replayed(self.call(second, key), answer)
        for host, keys in ((second, ("b1", "b2")), (first, ("a4",))):
            answers |= {key: self.call(host, key) for key in keys}
        self.assertEqual(self.ran(), len(answers))
        for key, answer in answers.items():
            for host in (first, second):
                self.assert_replayed(self.call(host, key), answer)
        answers["b3"] = self.call(second, "b3")
        self.assertEqual(second.stop(), 0)
        answers |= {key: self.call(first, key) for key in ("a5", "a6")}
        for key, answer in answers.items():
            self.assert_replayed(self.call(first, key), answer)
        self.assertEqual(self.ran(), len(answers))

    def test_hosts_meet_although_the_file_of_claims_was_removed_or_replaced(self):
        place = self.place()
        state = place.root / "home/.local/state/toolpost"
        claims = state / "toolpost.db.claims"
        boss = self.key(place, "boss", "admin")
        first, second = self.http_host(place), self.http_host(place)
        for number, change in enumerate((claims.unlink, lambda: (state / "new").replace(claims))):
            for host in (first, second):  # has the file open
                self.call(host, f"{host.port} {number}")
            (state / "new").touch(0o600)
            change()
            self.assertEqual(first.stop(), 0)
            first = self.http_host(place)
            before = self.ran()
            for key, hosts in ((f"to second {number}", (first, second)), (f"to first {number}", (second, first))):
                gate = self.folder / key.replace(" ", "-")
                command = self.waiting_command(gate)
                calls = [self.pool.submit(self.call, hosts[0], key, command)]
                before += 1
                wait_until("it runs", lambda before=before: self.ran() == before)
                calls.append(self.pool.submit(self.call, hosts[1], key, command))
                wait_until("it waits", lambda host=hosts[1]: "queued" in [
                    one["state"] for one in host.fetch("GET", "/v1/calls", key=boss)[2]["calls"]])
                gate.touch()
                answers = [call.result() for call in calls]
                self.assert_replayed(answers[1], answers[0])
                self.assertEqual(self.ran(), before)

    def test_a_principal_has_room_for_so_many_keys(self):
        host = self.host(more="[limits]\nidempotency_keys_per_principal = 2\n")
        for key in ("a", "b"):
            self.call(host, key)
        answer = self.call(host, "c")
        self.assertTrue(answer["result"]["isError"])
        self.assertIn("limits.idempotency_keys_per_principal", text_of(answer))
        self.assertEqual(self.ran(), 2)
        self.assertTrue(self.result_of(self.call(host, "a"))["_meta"][REPLAYED])
        self.assertNotIn("isError", self.result_of(host.call("greet", {"name": "you"})))

    @contextlib.contextmanager
    def full_disk(self, host):
        limits = resource.prlimit(host.child.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(host.child.pid, resource.RLIMIT_FSIZE, (4096, limits[1]))
        yield
        resource.prlimit(host.child.pid, resource.RLIMIT_FSIZE, limits)

    @contextlib.contextmanager
    def locked_store(self, place):
        store = place.root / "home/.local/state/toolpost/toolpost.db"
        with contextlib.closing(sqlite3.connect(store, timeout=60)) as opened:
            opened.execute("BEGIN IMMEDIATE")
            yield
            opened.rollback()

    def check_new_keys_are_refused(self, host, unwritable):
        kept = self.call(host, "kept")
        failing = lambda: "\ntoolpost_store_failing 1\n" in host.fetch("GET", "/metrics")[2]
        with unwritable:
            self.call(host, "lost")  # runs, because no write has failed yet
            wait_until("it says that it cannot write", failing)
            before = self.ran()
            for key in ("lost", "new"):
                answer = self.call(host, key)
                self.assertTrue(answer["result"]["isError"], answer)
                self.assertIn("could not be kept", text_of(answer))
            self.assert_replayed(self.call(host, "kept"), kept)
            self.assertEqual(self.ran(), before)
        wait_until("it can write again", lambda: not failing())
        first = self.call(host, "new")
        self.assertEqual(self.ran(), before + 1)
        self.assert_replayed(self.call(host, "new"), first)

    def test_a_new_key_is_refused_while_the_disk_is_full(self):
        host = self.host()
        self.check_new_keys_are_refused(host, self.full_disk(host))

    def test_a_new_key_is_refused_while_another_program_locks_the_store(self):
        place = self.place()
        self.check_new_keys_are_refused(self.http_host(place), self.locked_store(place))

    def test_a_host_whose_store_is_gone_says_what_it_does_not_keep_and_refuses_the_rest(self):
        place = self.place()
        host = self.http_host(place)
        kept = self.call(host, "kept")
        self.assertNotIn(NOT_KEPT, self.result_of(kept).get("_meta", {}))
        store = place.root / "home/.local/state/toolpost/toolpost.db"
        away = store.with_name("away.db")
        session = "/v1/tools/request/" + host.fetch("POST", "/v1/sessions", {})[2]["id"]
        request = {"name": "run_command", "arguments": {"command": self.command(), "cwd": str(self.folder), "idempotency_key": "x"}}
        running = self.pool.submit(self.call, host, "lost", self.waiting_command(self.folder / "gate"))
        wait_until("it runs", lambda: self.ran() == 2)
        store.rename(away)
        (self.folder / "gate").touch()
        lost = running.result(60)
        self.assertIs(self.result_of(lost)["_meta"][NOT_KEPT], True)
        self.assertEqual(text_of(lost).strip(), "done")  # it is the result all the same
        answer = self.call(host, "new")
        self.assertTrue(answer["result"]["isError"], answer)
        self.assertIn("the store's file was removed or replaced", text_of(answer))
        for path, body in (("/v1/sessions", {}), (session, request)):
            status, _, refused = host.fetch("POST", path, body)
            self.assertEqual(status, 503, refused)
            self.assertIn("the store's file was removed or replaced", refused["detail"])
        self.assertEqual(self.ran(), 2)
        self.assert_replayed(self.call(host, "kept"), kept)  # what it has can be read
        self.assertNotIn("isError", self.result_of(host.call("greet", {"name": "you"})))
        away.rename(store)
        wait_until("it can keep results again", lambda: "\ntoolpost_store_failing 0\n" in host.fetch("GET", "/metrics")[2])
        first = self.call(host, "new")
        self.assertNotIn(NOT_KEPT, self.result_of(first).get("_meta", {}))
        self.assert_replayed(self.call(host, "new"), first)

    def test_a_detached_call_says_that_its_result_is_not_kept_for_its_key(self):
        place = self.place()
        host = self.http_host(place)
        store = place.root / "home/.local/state/toolpost/toolpost.db"
        session = "/v1/tools/request/" + host.fetch("POST", "/v1/sessions", {})[2]["id"]
        gate = self.folder / "gate"
        made = host.fetch("POST", session, {"name": "run_command", "arguments": {
            "command": self.waiting_command(gate), "cwd": str(self.folder), "idempotency_key": "k"}})[2]
        wait_until("it runs", lambda: self.ran() == 1)
        store.rename(store.with_name("away.db"))
        gate.touch()
        wait_until("the result is not kept", lambda: "with an idempotency key is not kept" in host.error_text())
        store.with_name("away.db").rename(store)
        record = host.fetch("GET", f"{session}/{made['id']}?wait=30")[2]
        self.assertIs(record["result"]["_meta"][NOT_KEPT], True, record)

    def test_a_host_that_keeps_nothing_says_so(self):
        host = self.host(more='[store]\nfile = ""\n')
        answer = self.call(host, "k")
        self.assertTrue(answer["result"]["isError"])
        self.assertIn("store.file", text_of(answer))
        self.assertEqual(self.ran(), 0)

    def test_the_audit_tells_a_replay(self):
        place = self.place()
        host = self.http_host(place)
        self.call(host, "k")
        self.call(host, "k")
        wait_until("both are recorded", lambda: [
            line["outcome"] for line in place.audit_lines() if line.get("tool") == "run_command"] == ["ok", "replayed"])


class Kills(IdempotencyCase):
    """Callers that repeat each call until it is answered, while the host is killed again and again."""

    def setUp(self):
        super().setUp()
        self.answers, self.cut, self.stopped = {}, collections.Counter(), False

    def work(self, caller):
        number = 0
        while not self.stopped:
            key = f"{caller}.{number}"
            try:
                answer = self.call(self.host_now, key, f"echo {key} >> {self.runs}; echo done {key}")
            except (OSError, http.client.HTTPException, ValueError, IndexError):
                self.cut[key] += 1
                time.sleep(0.02)  # until the next host listens
                continue
            self.assertEqual(text_of(answer).split()[-2:], ["done", key], answer)
            self.answers[key] = answer
            number += 1

    def test_no_acknowledged_call_is_lost_or_runs_again_in_kills_of_the_host(self):
        place = self.place()
        self.host_now = self.http_host(place)
        port = self.host_now.port
        workers = [self.pool.submit(self.work, caller) for caller in range(CALLERS)]
        for _ in range(KILLS):
            goal = len(self.answers) + random.randint(1, 20)
            wait_until("some are answered", lambda goal=goal: len(self.answers) >= goal or any(one.done() for one in workers))
            time.sleep(random.uniform(0, 0.05))  # the point of the kill
            os.kill(self.host_now.child.pid, signal.SIGKILL)
            self.host_now.wait()
            self.host_now = self.http_host(place, port=port)
        self.stopped = True
        for worker in workers:
            worker.result()
        ran = collections.Counter(self.runs.read_text().split())
        for key, answer in self.answers.items():
            # One that was cut off by a kill may have run in each host's life; see docs/agents/mcp.md.
            self.assertLessEqual(ran[key], 1 + min(self.cut[key], KILLS), key)
            self.assertGreaterEqual(ran[key], 1, key)
            self.assert_replayed(self.call(self.host_now, key, f"echo {key} >> {self.runs}; echo done {key}"), answer)
        self.assertEqual(collections.Counter(self.runs.read_text().split()), ran, "nothing runs again")


if __name__ == "__main__":
    unittest.main()
