"""Plugins that run around the calls of others: what they change is what every check sees, and what their failures mean."""
import json
import shutil
import threading
import unittest

from harness import PATIENCE_S, TestCase, plugin_file, run_toolpost, text_of, wait_until

MEDDLER = '[[interceptor]]\nplugin = "meddler"\ntools = ["greet"]\n'


class Interceptors:
    """The cases, run once in each mode of isolation."""

    isolation = None
    meddler = "meddler"  # the library

    def serve(self, config=MEDDLER, **options):
        self.place = self.workspace("hello", isolation=self.isolation, config=config, **options)
        self.place.drop("meddler", plugin_file(self.meddler))
        self.host = self.http_host(self.place)
        return self.host

    def greet(self, name, **options):
        return self.host.call("greet", {"name": name}, **options)

    def last_line(self):
        return self.place.audit_lines()[-1]

    def test_each_step_of_a_call_can_be_changed_and_the_audit_says_by_whom(self):
        self.serve()
        self.assertEqual(text_of(self.greet("anna")), "<meddler>\nHello, anna!")
        self.assertEqual(self.last_line()["interceptors"], ["meddler changed the result"])
        plain = self.last_line()["args_sha256"]

        self.assertEqual(text_of(self.greet("rewrite")), "<meddler>\nHello, changed!")
        line = self.last_line()
        self.assertEqual(line["interceptors"], ["meddler changed the arguments", "meddler changed the result"])
        self.assertNotEqual(line["args_sha256"], plain)
        self.assertEqual(line["outcome"], "ok")

        answer = self.greet("answer")
        self.assertEqual(text_of(answer), "meddler answers")
        self.assertEqual(self.last_line()["interceptors"], ["meddler answered the call"])

        answer = self.greet("refuse")
        self.assertEqual((text_of(answer), answer["result"]["isError"]), ("meddler refuses this", True))
        self.assertEqual(self.last_line()["outcome"], "intercepted")

        self.assertEqual(text_of(self.greet("early")), "meddler is early")
        self.assertEqual(self.last_line()["interceptors"], ["meddler answered the call"])
        # Another tool is not covered.
        self.assertEqual(text_of(self.host.call("echo", {"text": "refuse"})), "refuse")
        self.assertNotIn("interceptors", self.last_line())

    def test_a_function_may_answer_after_it_has_returned(self):
        self.serve()
        for _ in range(20):
            self.assertEqual(text_of(self.greet("later")), "<meddler>\nHello, changed later!")
            self.assertEqual(self.last_line()["interceptors"], ["meddler changed the arguments", "meddler changed the result"])

    def test_an_answer_that_comes_late_or_never_is_a_failure(self):
        self.serve(MEDDLER + "timeout_s = 0.3")
        for name in ("never", "late"):
            self.assertIn("did not run", text_of(self.greet(name)), name)
            self.assertEqual((self.last_line()["outcome"], self.last_line()["interceptors"]),
                             ("interceptor_failed", ["meddler failed"]), name)

    def test_bad_answers_refuse_the_call_and_the_log_says_why(self):
        self.serve()
        for name, why in (("no_object", "/arguments must be an object"), ("foreign_tool", "/tool is not known"),
                          ("oversize", "limits.body_bytes"), ("bad_utf8", "UTF-8"), ("bad_error", "its message is not UTF-8"), ("status", "failed by its own fault")):
            answer = self.greet(name)
            self.assertTrue(answer["result"]["isError"], name)
            self.assertIn("did not run", text_of(answer))
            self.assertEqual(self.last_line()["outcome"], "interceptor_failed", name)
            wait_until(f"the log has {why!r}: {self.host.error_text()}", lambda: why in self.host.error_text())
        answer = self.greet("breaks_schema")
        self.assertIn('Interceptor "meddler" of this host changed the arguments', text_of(answer))
        self.assertIn("/name", text_of(answer))
        self.assertEqual(self.last_line()["outcome"], "bad_arguments")
        self.assertIn("result is withheld", text_of(self.greet("leave badly")))

    def test_open_interceptors_that_fail_are_skipped(self):
        self.serve(MEDDLER + 'fail = "open"')
        self.assertEqual(text_of(self.greet("status")), "<meddler>\nHello, status!")
        self.assertEqual(self.last_line()["interceptors"], ["meddler failed and was skipped", "meddler changed the result"])
        self.assertEqual(text_of(self.greet("leave badly")), "Hello, leave badly!")

    def test_the_first_of_several_is_the_outermost_and_a_reload_loses_no_call(self):  # case 47
        entries = "".join(f'[[interceptor]]\nplugin = "m{n}"\ntools = ["greet"]\n' for n in (1, 2, 3))
        settings = "".join(f'[plugin.m{n}]\nisolation = "{self.isolation}"\n[plugin.m{n}.settings]\ntag = "m{n}"\n' for n in (1, 2, 3))
        self.place = self.workspace("hello", isolation=self.isolation, config=entries + settings)
        for n in (1, 2, 3):
            self.place.drop(f"m{n}", plugin_file(self.meddler))
        self.host = self.http_host(self.place)
        stopping, answers, faults = threading.Event(), [[] for _ in range(4)], []

        def run(own):
            connection = self.host.connect()
            try:
                while not stopping.is_set():
                    own.append(text_of(self.greet("anna", connection=connection)))
            except Exception as fault:  # a lost connection is a lost call
                faults.append(repr(fault))
            finally:
                connection.close()

        threads = [threading.Thread(target=run, args=(own,), daemon=True) for own in answers]
        for thread in threads:
            thread.start()
        wait_until("every caller was served", lambda: all(len(own) >= 5 for own in answers))
        seen = len(self.host.errors)
        self.place.drop("m2", plugin_file("meddler_next"))
        wait_until(f"the new build serves: {self.host.error_text()}",
                   lambda: any("m2" in line and "serv" in line for line in self.host.errors[seen:]))
        counts = [len(own) for own in answers]
        wait_until("every caller was served after that, and a thousand calls in all",
                   lambda: (all(len(own) >= count + 20 for own, count in zip(answers, counts))
                            and sum(map(len, answers)) >= 1000) or faults, timeout_s=300)
        stopping.set()
        for thread in threads:
            thread.join(PATIENCE_S)
        self.assertEqual(faults, [])
        self.assertEqual({text for own in answers for text in own}, {"<m1>\n<m2>\n<m3>\nHello, anna!"})


class InterceptorsInline(Interceptors, TestCase):
    isolation = "inline"


class InterceptorsAtOnce(Interceptors, TestCase):
    """Its functions run on the thread that has the call; those of the build that replaces one of them do not."""
    isolation = "inline"
    meddler = "meddler_at_once"


class InterceptorsInWorkers(Interceptors, TestCase):
    isolation = "worker"

    def test_one_that_hangs_or_crashes_counts_as_its_failure_mode_says(self):
        self.serve(MEDDLER + "timeout_s = 0.3")
        for name in ("crash", "hang"):
            answer = self.greet(name)
            self.assertTrue(answer["result"]["isError"], name)
            self.assertIn("did not run", text_of(answer))
            self.assertEqual(self.last_line()["interceptors"], ["meddler failed"], name)
        self.assertEqual(text_of(self.host.call("echo", {"text": "still here"})), "still here")

    def test_an_open_one_that_crashes_or_hangs_does_not_stop_the_call(self):
        self.serve(MEDDLER + 'timeout_s = 0.3\nfail = "open"')
        for name in ("crash", "hang"):
            answer = self.greet(name)
            self.assertIn(f"Hello, {name}!", text_of(answer))
            self.assertIn("meddler failed and was skipped", self.last_line()["interceptors"])


class InterceptorsAndTheRest(TestCase):
    def test_approval_sees_the_changed_arguments_and_explain_says_who_changed_them(self):
        config = MEDDLER + '[[rule]]\ntool = "greet"\nbehavior = "ask"\n[approval]\nwait_s = 0.2'
        place = self.workspace("hello", "clock", "meddler", config=config)
        host = self.http_host(place)
        self.assertIn("waits for a person", text_of(host.call("greet", {"name": "rewrite"})))
        pending = json.loads(run_toolpost(place, "approvals", "--json", "--config", place.config).stdout)
        text = json.dumps(pending)
        self.assertIn("changed", text)
        self.assertNotIn("rewrite", text)
        done = run_toolpost(place, "explain", "greet", '{"name":"rewrite"}', "--config", place.config)
        self.assertIn('interceptor "meddler"', done.stdout + done.stderr)
        self.assertIn("meddler changed the arguments", done.stdout)
        done = run_toolpost(place, "explain", "greet", '{"name":"refuse"}', "--config", place.config)
        self.assertIn("meddler refused the call", done.stderr)
        done = run_toolpost(place, "explain", "greet", '{"name":"foreign_tool"}', "--config", place.config)
        self.assertIn('The interceptor "meddler" failed: gave a bad answer: /tool is not known', done.stderr)
        self.assertNotIn("host's log", done.stderr)
        done = run_toolpost(place, "explain", "greet", "name=Ada", "--value", "tenant=locked", "--config", place.config)
        self.assertIn("meddler refuses a locked tenant", done.stderr)
        # What the tool gets is what it sees, and a preset is not its to change. An answer must be valid for the tool.
        whole = place.config.read_text()
        place.write_config(whole + '[plugin.hello.tool.greet]\npresets = { name = "rewrite" }')
        done = run_toolpost(place, "explain", "greet", '{"name":"refuse"}', "--config", place.config)
        self.assertIn("meddler changed preset arguments, which does not count: name.", done.stdout)
        place.write_config(whole.replace('tools = ["greet"]', 'tools = ["get_current_time"]'))
        done = run_toolpost(place, "explain", "get_current_time", '{"timezone":"answer"}', "--config", place.config)
        self.assertIn("the host refuses the answer", done.stderr)
        self.assertIn("the result has no structured content", done.stderr)

    def test_the_shipped_ones_redact_and_limit(self):
        config = """
[[interceptor]]
plugin = "rate_limit"
tools = ["greet"]
[[interceptor]]
plugin = "redact"
[plugin.redact]
enabled = true
[plugin.redact.settings]
patterns = ['sk-[a-z0-9]+']
[plugin.rate_limit]
enabled = true
[plugin.rate_limit.settings]
calls = 2
per_s = 3600
"""
        place = self.workspace("hello", "redact", "rate_limit", config=config)
        host = self.http_host(place)
        self.assertEqual(text_of(host.call("echo", {"text": "my key is sk-abc1"})), "my key is [redacted]")
        for _ in range(2):
            self.assertEqual(text_of(host.call("greet", {"name": "sk-1"})), "Hello, [redacted]!")
        answer = host.call("greet", {"name": "anna"})
        self.assertIn("at most 2 in 3600 s", text_of(answer))
        self.assertEqual(place.audit_lines()[-1]["interceptors"], ["rate_limit refused the call"])

    def test_an_interceptor_that_is_not_served_refuses_calls_and_a_bad_entry_is_a_fault_of_the_file(self):
        place = self.workspace("hello", config=MEDDLER)
        host = self.http_host(place)
        answer = host.call("greet", {"name": "anna"})
        self.assertIn("did not run", text_of(answer))
        wait_until("the log names it", lambda: 'the plugin \\"meddler\\" is not served' in host.error_text()
                   or 'plugin "meddler" is not served' in host.error_text())
        place.write_config('[[interceptor]]\ntools = []\nfail = "ajar"\nagents = ["nobody"]')
        said = run_toolpost(place, "config", "check", "--config", place.config)
        text = said.stdout + said.stderr
        for part in ("plugin is missing", "intercept no call", '"closed"', "[agent.nobody]"):
            self.assertIn(part, text)
        place.write_config('[[interceptor]]\nplugin = "hello"\nagents = []')
        said = run_toolpost(place, "config", "check", "--config", place.config)
        self.assertIn("agents in [[interceptor]] is empty: it would intercept no call", said.stdout + said.stderr)
        place.write_config('[[interceptor]]\nplugin = "hello"\ntools = ["call_tool"]')
        for command in (["config", "check"], ["doctor"]):
            said = run_toolpost(place, *command, "--config", place.config).stdout
            self.assertIn('the plugin "hello" is no interceptor', said)
            self.assertIn("no interceptor sees call_tool", said)

    def test_plugin_check_runs_each_function_once(self):
        place = self.workspace("hello")
        file = shutil.copyfile(plugin_file("meddler"), place.root / "meddler.so")
        done = run_toolpost(place, "plugin", "check", file)
        self.assertIn("before, enter, message, leave", done.stdout)
        self.assertNotIn("P008", done.stdout)


if __name__ == "__main__":
    unittest.main()
