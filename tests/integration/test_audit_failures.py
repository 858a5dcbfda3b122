"""An audit that cannot be written, that must be written, and what it tells of the host itself and of one-time codes."""
import hashlib
import http.client
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import threading
import unittest

import exposition
from harness import BUILD, TestCase, plugin_file, run_toolpost, text_of, wait_until
from one_time_codes import code_of

ALLOW = '[permission]\nmode = "bypass"'
FAULTS = BUILD / "tests/plugins/zoo/zoo_faults.so"
LONG = "x" * 1100  # of a name that is too long, a line has the first 1024 bytes


class AuditCase(TestCase):
    more = ""  # lines of [audit]

    def setUp(self):
        self.place = self.workspace("services", isolation="inline", config=ALLOW)
        self.logs = self.place.root / "logs"
        self.logs.mkdir(0o700)
        self.place.audit = self.logs / "audit.jsonl"
        text = self.place.config.read_text().replace(f"{self.place.root}/audit.jsonl", f"{self.place.audit}")
        self.place.write_config(text.replace("[audit]\n", f"[audit]\n{self.more}\n"))

    def verb(self, *words, exit_code=0):
        done = run_toolpost(self.place, *words, "--config", self.place.config)
        self.assertEqual(done.returncode, exit_code, done)
        return done.stdout if exit_code == 0 else done.stderr

    def ready(self, host):
        status, _, text = host.fetch("GET", "/readyz")
        return status, text

    def metric(self, host, name):
        _, _, text = host.fetch("GET", "/metrics")
        return exposition.value(exposition.parse(text), name)

    def verified(self):
        done = run_toolpost(self.place, "audit", "verify", "--json", "--config", self.place.config)
        return json.loads(done.stdout)["verdict"]

    def set_value(self, host, value):
        return host.call("kv_set", {"key": "k", "value": value})

    def value(self, host):
        return text_of(host.call("kv_get", {"key": "k"}))

    def wait_for_failure(self, host):
        """Calls until a line finds no room: what is allocated already may take some."""
        def fails():
            host.call("none_such")
            return self.metric(host, "toolpost_audit_failing") == 1
        wait_until("the audit fails", fails)

    def wait_for_recovery(self, host):
        wait_until("the audit is written again", lambda: self.metric(host, "toolpost_audit_failing") == 0)
        lines = self.place.audit_lines("audit")
        self.assertEqual({line["outcome"] for line in lines}, {"writable_again"})
        return lines[-1]

    def assert_logged_once(self, host, words):
        """A thread collects the log, so a line may arrive late."""
        wait_until(f"the log says: {words}", lambda: words in host.error_text())
        self.assertEqual(host.error_text().count(words), 1, host.error_text())

    def limit(self, host, most):
        """Files of the host end there, as on a full disk; None: no more."""
        hard = resource.prlimit(host.child.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(host.child.pid, resource.RLIMIT_FSIZE, (hard if most is None else most, hard))

    def full(self, host):
        self.limit(host, self.place.audit.stat().st_size)


class Failing(AuditCase):
    def test_a_full_disk_is_told_and_no_line_that_fits_in_memory_is_lost(self):
        host = self.http_host(self.place)
        self.assertEqual((self.metric(host, "toolpost_audit_failing"), self.ready(host)), (0, (200, "ready\n")))
        self.full(host)
        self.wait_for_failure(host)
        status, text = self.ready(host)
        self.assertEqual((status, text.startswith("ready\nthe audit cannot be written since 20")), (200, True), text)
        for _ in range(5):
            self.assertFalse(host.call("kv_list")["result"].get("isError"))
        self.assert_logged_once(host, "the audit cannot be written")
        self.limit(host, None)
        line = self.wait_for_recovery(host)
        self.assertEqual((line["lost"], self.metric(host, "toolpost_audit_lines_lost_total")), (0, 0))
        self.assertLessEqual(line["since"], line["time"])
        self.assertEqual(len(self.place.audit_lines("audit")), 1)
        self.assertEqual([one["tool"] for one in self.place.audit_lines()].count("kv_list"), 5)
        self.assertEqual((self.ready(host), self.verified()), ((200, "ready\n"), "ok"))
        self.assert_logged_once(host, "the audit can be written again")

    def test_lines_beyond_what_waits_in_memory_are_counted(self):
        host = self.http_host(self.place)
        self.full(host)
        self.wait_for_failure(host)
        calls = 0
        while self.metric(host, "toolpost_audit_lines_lost_total") < 3:
            self.call_unknown_tools(host, range(calls, calls + 500))
            calls += 500
        lost = self.metric(host, "toolpost_audit_lines_lost_total")
        self.assertIn(f", {int(lost)} lines are lost\n", self.ready(host)[1])
        self.limit(host, None)
        self.assertEqual(self.wait_for_recovery(host)["lost"], lost)
        kept = [line["tool"].partition(LONG[:900])[0] for line in self.place.audit_lines() if LONG[:900] in line["tool"]]
        self.assertEqual(kept, [f"none_{n}_" for n in range(calls - int(lost))])
        self.assertEqual(self.verified(), "ok")

    def call_unknown_tools(self, host, numbers):
        """All of them sent ahead on one connection, for speed; each is answered."""
        body = [json.dumps({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": f"none_{n}_{LONG}"}})
                for n in numbers]
        requests = "".join(f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{host.port}\r\nContent-Type: application/json\r\n"
                           f"Content-Length: {len(one)}\r\n\r\n{one}" for one in body)
        with socket.create_connection(("127.0.0.1", host.port)) as peer:
            sender = threading.Thread(target=peer.sendall, args=(requests.encode(),))
            sender.start()
            answers, rest = 0, b""
            while answers < len(numbers):
                piece = peer.recv(1 << 20)
                self.assertNotEqual(piece, b"", "the host closed the connection")
                rest += piece
                answers += rest.count(b"HTTP/1.1 200 OK\r\n")
                rest = rest[-16:]  # one byte less than that line
            sender.join()

    def test_a_host_that_ends_says_how_many_lines_it_could_not_write(self):
        host = self.http_host(self.place)
        self.full(host)
        self.wait_for_failure(host)
        host.stop()
        self.assert_logged_once(host, "audit lines that could not be written are lost")

    def test_a_real_full_disk(self):
        within = ["unshare", "-m", "sh", "-c",
                  f'mount -t tmpfs -o size=256k,mode=0700 tmpfs "{self.logs}" && exec "$@"', "sh"]
        if subprocess.run([*within, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no tmpfs can be mounted here")
        host = self.http_host(self.place, within=within)
        disk = pathlib.Path(f"/proc/{host.child.pid}/root{self.logs}")
        self.place.audit = disk / "audit.jsonl"
        filler = disk / "filler"
        host.call("none_such")

        def fill():
            with open(filler, "ab", buffering=0) as file:
                try:
                    while True:
                        file.write(b"x" * 512)
                except OSError:
                    pass
            host.call("none_such")
            return self.metric(host, "toolpost_audit_failing") == 1
        wait_until("the audit fails", fill)
        self.assertFalse(self.set_value(host, "v")["result"].get("isError"))
        filler.unlink()
        self.wait_for_recovery(host)
        self.assertEqual(self.metric(host, "toolpost_audit_lines_lost_total"), 0)
        self.assertEqual([one["tool"] for one in self.place.audit_lines()].count("kv_set"), 1)

    def test_a_removed_folder_is_told_and_the_chain_shows_what_went_with_it(self):
        host = self.http_host(self.place)
        host.call("kv_list")
        shutil.rmtree(self.logs)
        self.assertEqual(self.ready(host)[0], 200)  # which looks, without a call
        self.assertEqual(self.metric(host, "toolpost_audit_failing"), 1)
        self.set_value(host, "v")
        self.assertFalse(self.logs.exists())
        self.logs.mkdir(0o700)
        self.assertEqual(self.wait_for_recovery(host)["lost"], 0)
        self.assertEqual([line["tool"] for line in self.place.audit_lines()], ["kv_set"])
        self.assertEqual(self.verified(), "changed")  # the lines before it are missing

    def test_a_file_that_is_renamed_is_told_and_a_new_one_is_written(self):
        host = self.http_host(self.place)
        host.call("kv_list")
        kept = self.logs / "kept"
        self.place.audit.rename(kept)
        self.set_value(host, "v")
        self.assertEqual([line["tool"] for line in self.place.audit_lines()], ["kv_set"])
        self.assertEqual(json.loads(kept.read_text().splitlines()[-1])["tool"], "kv_list")
        self.assertEqual(self.metric(host, "toolpost_audit_failing"), 0)
        self.assert_logged_once(host, "the audit file was renamed, removed or replaced")
        self.assertEqual(self.verified(), "changed")  # the lines of the other file are missing
        self.assertEqual(self.place.audit_lines()[0]["seq"], json.loads(kept.read_text().splitlines()[-1])["seq"] + 1)

    def replaced(self, replace, restore):
        """What happens to the audit while a host serves: nothing may be written to what others control."""
        host = self.http_host(self.place)
        host.call("kv_list")
        foreign = replace()
        before = foreign.read_bytes() if foreign.exists() else None
        for _ in range(3):  # each try looks anew
            self.set_value(host, "v")
            self.assertEqual(self.metric(host, "toolpost_audit_failing"), 1)
        self.assertEqual(foreign.read_bytes() if foreign.exists() else None, before)
        restore()
        self.assertEqual(self.wait_for_recovery(host)["lost"], 0)
        self.assertEqual([line["tool"] for line in self.place.audit_lines()].count("kv_set"), 3)
        return host

    def test_a_file_that_others_may_write_gets_no_line(self):
        kept = self.logs / "kept"

        def replace():
            self.place.audit.rename(kept)
            self.place.audit.touch()
            self.place.audit.chmod(0o666)
            return self.place.audit
        host = self.replaced(replace, lambda: kept.rename(self.place.audit))
        self.assert_logged_once(host, "other users may write to the file")
        self.assertEqual(self.verified(), "ok")

    def test_a_file_that_is_opened_to_others_in_place_gets_no_line(self):
        def replace():
            self.place.audit.chmod(0o622)
            return self.place.audit
        self.replaced(replace, lambda: self.place.audit.chmod(0o600))
        self.assertEqual(self.verified(), "ok")

    def test_a_link_in_place_of_the_file_is_not_followed(self):
        kept, target = self.logs / "kept", self.place.root / "target"
        target.write_text("mine\n")

        def replace():
            self.place.audit.rename(kept)
            self.place.audit.symlink_to(target)
            return target
        self.replaced(replace, lambda: kept.replace(self.place.audit))
        self.assertEqual(self.verified(), "ok")

    def test_a_folder_that_others_may_write_gets_no_line(self):
        def replace():
            self.logs.chmod(0o777)
            return self.place.audit
        self.replaced(replace, lambda: self.logs.chmod(0o700))
        self.assertEqual(self.verified(), "ok")

    def test_a_removed_mark_is_made_again_with_where_the_chain_was(self):
        host = self.http_host(self.place)
        host.call("kv_list")
        pathlib.Path(f"{self.place.audit}.chain").unlink()
        host.call("kv_list")
        self.assertEqual(self.verified(), "ok")


class Required(AuditCase):
    more = "required = true"

    def test_a_call_begins_on_the_disk_before_it_runs(self):
        host = self.http_host(self.place)
        self.set_value(host, "v")
        host.call("none_such")  # nothing runs, so nothing begins
        [begin] = self.place.audit_lines("begin")
        call = self.place.audit_lines()[0]
        self.assertLess(begin["seq"], call["seq"])
        for field in ("call", "principal", "tool", "provider", "args_sha256", "decision"):
            self.assertEqual(begin[field], call[field], field)
        self.assertEqual(self.verified(), "ok")
        self.assertIn("begin of kv_set", self.verb("audit", "--event", "begin"))

    def test_a_call_that_a_kill_cut_off_is_there_as_begun(self):
        self.place.drop("faults", FAULTS)
        host = self.http_host(self.place)
        caller = threading.Thread(target=self.call_until_it_is_gone, args=(host, "fault_hang"))
        caller.start()
        wait_until("it has begun", lambda: self.place.audit_lines("begin"))
        os.kill(host.child.pid, signal.SIGKILL)
        host.wait()
        caller.join()
        [begin] = self.place.audit_lines("begin")
        self.assertEqual((begin["tool"], self.place.audit_lines()), ("fault_hang", []))

    def call_until_it_is_gone(self, host, tool):
        try:
            host.call(tool)
        except (OSError, http.client.HTTPException):
            pass

    def test_what_cannot_be_recorded_does_not_run(self):
        host = self.http_host(self.place)
        self.set_value(host, "before")
        self.full(host)
        self.wait_for_failure(host)
        for _ in range(3):
            answer = self.set_value(host, "after")
            self.assertTrue(answer["result"]["isError"], answer)
            self.assertIn("must record each call in its audit before it runs (audit.required)", text_of(answer))
            self.assertNotIn(str(self.place.root), json.dumps(answer))
        status, text = self.ready(host)
        self.assertEqual((status, text.splitlines()[0]), (503, "not ready"))
        self.limit(host, None)
        self.wait_for_recovery(host)
        self.assertEqual(self.ready(host), (200, "ready\n"))
        self.assertIn("before", self.value(host))
        refused = [line for line in self.place.audit_lines() if line["outcome"] == "not_recorded"]
        self.assertEqual([line["tool"] for line in refused], ["kv_set"] * 3)
        begun = {line["call"] for line in self.place.audit_lines("begin")}
        self.assertFalse(begun & {line["call"] for line in refused})
        self.assertEqual(self.verified(), "ok")

    def test_a_removed_folder_refuses_calls_and_resources(self):
        self.place.skill("notes", "---\nname: notes\ndescription: Notes\n---\nThe text of it")
        host = self.http_host(self.place)
        uri = host.request("resources/list")["result"]["resources"][0]["uri"]
        self.assertIn("contents", host.request("resources/read", {"uri": uri})["result"])
        self.assertEqual([line["resource"] for line in self.place.audit_lines("begin")], [uri])
        shutil.rmtree(self.logs)
        self.assertTrue(self.set_value(host, "v")["result"]["isError"])
        answer = host.request("resources/read", {"uri": uri})
        self.assertIn("(audit.required)", answer["error"]["message"], answer)
        self.assertEqual(self.ready(host)[0], 503)
        self.logs.mkdir(0o700)
        self.wait_for_recovery(host)
        self.assertFalse(self.set_value(host, "v")["result"].get("isError"))
        self.assertIn("contents", host.request("resources/read", {"uri": uri})["result"])

    def test_an_approval_is_not_used_by_a_call_that_cannot_be_recorded(self):
        self.place.write_config(self.place.config.read_text() + "\n[approval]\nwait_s = 0\nexpire_s = 300"
                                "\n[plugin.warehouse]\nenabled = true")
        self.place.drop("warehouse", plugin_file("warehouse"))
        host = self.http_host(self.place)
        move = {"order": "o-1", "item": "bolt-m8", "location": 1, "quantity": 7}
        reserve = lambda: host.call("pre_reserve_stock", move)
        self.assertIn("waits for a person's approval", text_of(reserve()))
        [asked] = json.loads(self.verb("approvals", "--json"))
        self.verb("approvals", "approve", asked["id"])
        self.logs.chmod(0o777)
        self.assertIn("(audit.required)", text_of(reserve()))
        [asked] = json.loads(self.verb("approvals", "--all", "--json"))
        self.assertEqual(asked["state"], "approved")
        self.logs.chmod(0o700)
        self.wait_for_recovery(host)
        self.assertFalse(reserve()["result"].get("isError"))

    def test_nor_is_one_that_comes_while_the_call_waits_and_the_audit_fails(self):
        self.place.write_config(self.place.config.read_text() + "\n[approval]\nwait_s = 30\nexpire_s = 300"
                                "\n[plugin.warehouse]\nenabled = true")
        self.place.drop("warehouse", plugin_file("warehouse"))
        host = self.http_host(self.place)
        move = {"order": "o-1", "item": "bolt-m8", "location": 1, "quantity": 7}
        answers = []
        waiting = threading.Thread(target=lambda: answers.append(host.call("pre_reserve_stock", move)))
        waiting.start()
        [asked] = wait_until("it waits", lambda: json.loads(self.verb("approvals", "--json")))
        self.logs.chmod(0o777)
        self.verb("approvals", "approve", asked["id"])
        waiting.join()
        self.assertIn("(audit.required)", text_of(answers[0]))
        [asked] = json.loads(self.verb("approvals", "--all", "--json"))
        self.assertEqual(asked["state"], "approved")
        self.logs.chmod(0o700)
        self.wait_for_recovery(host)
        self.assertFalse(host.call("pre_reserve_stock", move)["result"].get("isError"))

    def test_it_needs_a_file(self):
        text = self.place.config.read_text().replace(f'file = "{self.place.audit}"', 'file = ""')
        self.place.write_config(text)
        done = run_toolpost(self.place, "config", "check", "--config", self.place.config)
        self.assertEqual(done.returncode, 3, done)
        self.assertIn("required in [audit] is true, and file in [audit] is empty", done.stdout + done.stderr)


class NotRequired(AuditCase):
    def test_nothing_begins(self):
        host = self.http_host(self.place)
        self.set_value(host, "v")
        self.assertEqual(self.place.audit_lines("begin"), [])


class Host(AuditCase):
    def test_start_and_stop_have_lines_with_the_configuration_in_force(self):
        self.place.write_config('[server]\nlisten = "127.0.0.1:0"\n' + self.place.config.read_text())
        for _ in range(2):
            self.http_host(self.place).stop()
        starts, stops = self.place.audit_lines("start"), self.place.audit_lines("stop")
        self.assertEqual((len(starts), len(stops)), (2, 2))
        shown = hashlib.sha256(self.verb("config", "show").encode()).hexdigest()
        self.assertEqual({line["config_sha256"] for line in starts}, {shown})
        version = json.loads(run_toolpost(self.place, "version", "--json").stdout)["version"]
        self.assertEqual({line["version"] for line in starts + stops}, {version})
        self.assertEqual(starts[0]["config"], str(self.place.config))
        self.assertTrue(starts[0]["listen"].startswith("127.0.0.1:"), starts)
        self.place.write_config(self.place.config.read_text() + "[call]\ntimeout_s = 77")
        self.stdio_host(self.place).close_input()
        last = self.place.audit_lines("start")[-1]
        self.assertEqual((last["listen"], last["config_sha256"] == shown), ("stdio", False))
        self.assertEqual(len(self.place.audit_lines("stop")), 3)

    def test_an_unknown_event_is_an_error_that_names_the_known_ones(self):
        said = self.verb("audit", "--event", "logn", exit_code=2)
        self.assertIn('unknown event "logn"', said)
        for word in ("call", "begin", "login", "start", "stop", "lockout"):
            self.assertIn(word, said)
            self.verb("audit", "--event", word)
        key = json.loads(self.verb("key", "new", "boss", "--scope", "admin", "--json"))["key"]
        host = self.http_host(self.place)
        status, _, answer = host.fetch("GET", "/v1/audit?event=logn", key=key)
        self.assertEqual((status, 'unknown event "logn"' in answer["detail"]), (422, True), answer)

    def test_a_store_that_is_replaced_beneath_the_host_is_told(self):
        host = self.http_host(self.place)
        self.set_value(host, "v")
        store = self.place.root / "home/.local/state/toolpost/toolpost.db"
        away = store.with_name("away.db")
        self.assertEqual((self.ready(host)[0], self.metric(host, "toolpost_store_lost")), (200, 0))
        store.rename(away)
        for put, word in ((lambda: None, "was removed"), (lambda: shutil.copyfile(away, store), "was replaced")):
            put()
            status, text = self.ready(host)
            self.assertEqual((status, text.splitlines()[0]), (503, "not ready"))
            self.assertIn(f"the store's file {word}", text)
            self.assertNotIn(str(self.place.root), text)  # anybody may read it
            self.assertEqual(self.metric(host, "toolpost_store_lost"), 1)
        self.assert_logged_once(host, "while the host runs")
        self.assertIn(str(store), next(line for line in host.errors if "while the host runs" in line))
        os.replace(away, store)
        wait_until("it is ready again", lambda: self.ready(host) == (200, "ready\n"))

    def test_a_refused_plugin_is_told_and_the_others_serve(self):
        (self.place.root / "plugins/broken.so").write_bytes(b"no library")
        host = self.http_host(self.place)
        status, text = self.ready(host)
        self.assertEqual((status, text), (200, 'ready\nplugin "broken" is rejected: it does not serve\n'))

    def test_a_plugin_that_serves_with_its_previous_build_is_told(self):
        host = self.http_host(self.place)
        garbage = self.place.root / "garbage"
        garbage.write_bytes(b"no library")
        garbage.rename(self.place.root / "plugins/services.so")
        line = 'plugin "services" has a newer build that is rejected: the previous build serves\n'
        wait_until("it is told", lambda: line in self.ready(host)[1])
        self.assertFalse(self.set_value(host, "v")["result"].get("isError"))


class Answers(TestCase):
    def test_a_crash_does_not_tell_what_was_printed_for_other_calls(self):
        place = self.workspace(config=ALLOW)
        place.drop("faults", FAULTS)
        host = self.http_host(place)
        alone = text_of(host.call("fault_segv"))
        self.assertIn("about to poke", alone)  # the worker had no other call
        text_of(host.call("says", {"secret": "of another caller"}))
        after = text_of(host.call("fault_segv"))
        self.assertIn("SIGSEGV", after)
        self.assertNotIn("another caller", after)
        wait_until("the log has it", lambda: any(
            "the worker ended" in line and "another caller" in line for line in list(host.errors)))


class Codes(TestCase):
    def setUp(self):
        self.place = self.workspace("warehouse", config="\n".join([
            "[approval]\nwait_s = 0\npriv_grace_s = 0", "[plugin.warehouse]\nenabled = true"]))
        self.key = json.loads(self.verb("key", "new", "anna", "--scope", "call", "--scope", "approve", "--json"))["key"]
        self.secret = json.loads(self.verb("totp", "enroll", "anna", "--json"))["secret"]

    def verb(self, *words, exit_code=0):
        done = run_toolpost(self.place, *words, "--config", self.place.config)
        self.assertEqual(done.returncode, exit_code, done)
        return done.stdout

    def codes(self):
        return [(line["principal"], line["by"], line.get("address"), line["outcome"])
                for line in self.place.audit_lines("code")]

    def wrong(self):
        """No code of the steps about now, and of their form."""
        near = {code_of(self.secret, ahead) for ahead in range(-3, 4)}
        return next(code for code in (f"{n:06}" for n in range(10)) if code not in near)

    def test_wrong_codes_and_the_lockout_have_lines_wherever_they_are_given(self):
        self.verb("totp", "confirm", "anna", self.wrong(), exit_code=5)
        [(principal, by, address, outcome)] = self.codes()
        self.assertEqual((principal, by.split(":")[0], address, outcome), ("anna", "cli", None, "wrong"))
        host = self.http_host(self.place)
        good = code_of(self.secret, 1)  # stays one for a minute
        self.verb("totp", "confirm", "anna", good)
        headers = {"Authorization": f"Bearer {self.key}", "X-Toolpost-TOTP": self.wrong()}
        for _ in range(3):
            host.call("priv_approve_order", {"order": "o-1"}, headers=headers)
        line = self.place.audit_lines("code")[-1]
        call = self.place.audit_lines()[-1]
        self.assertEqual((line["call"], line["address"].rpartition(":")[0] or line["address"]), (call["call"], "127.0.0.1"))
        host.call("priv_approve_order", {"order": "o-1"}, headers={**headers, "X-Toolpost-TOTP": good})
        self.assertEqual(self.codes()[-1][3], "used")
        status, _, _ = host.fetch("POST", "/v1/totp/recovery", {"code": self.wrong()}, key=self.key)
        self.assertEqual(status, 403)
        self.assertEqual(self.codes()[-1][1::2], ("rest:anna", "wrong"))
        self.assertEqual(self.place.audit_lines("lockout"), [])
        host.call("priv_approve_order", {"order": "o-1"}, headers=headers)
        [lockout] = self.place.audit_lines("lockout")
        self.assertEqual((lockout["principal"], lockout["by"]), ("anna", "anna"))
        self.assertLess(lockout["time"], lockout["until"])
        host.call("priv_approve_order", {"order": "o-1"}, headers=headers)
        self.assertEqual((self.codes()[-1][3], len(self.place.audit_lines("lockout"))), ("locked", 1))
        kept = self.place.audit.read_text()
        for code in (good, self.wrong()):
            self.assertNotIn(f'"{code}"', kept)

    def test_a_wrong_code_with_an_approval_names_the_request(self):
        self.verb("totp", "confirm", "anna", code_of(self.secret))
        host = self.http_host(self.place)
        host.call("priv_approve_order", {"order": "o-1"}, headers={"Authorization": f"Bearer {self.key}"})
        [asked] = json.loads(self.verb("approvals", "--json"))
        self.verb("approvals", "approve", asked["id"], "--code", self.wrong(), exit_code=5)
        verdict = {"decision": "approve", "digest": asked["digest"], "code": self.wrong()}
        status, _, answer = host.fetch("POST", f"/v1/approvals/{asked['id']}", verdict, key=self.key)
        self.assertEqual(status, 403, answer)
        lines = self.place.audit_lines("code")
        self.assertEqual([(line["approval"], line["by"].split(":")[0], line["outcome"]) for line in lines],
                         [(asked["id"], "cli", "wrong"), (asked["id"], "rest", "wrong")])
        self.assertTrue(lines[1]["address"].startswith("127.0.0.1"), lines)


if __name__ == "__main__":
    unittest.main()
