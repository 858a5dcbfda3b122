"""What plugins ask of the host while they serve, through the real binary, in both isolations."""
import os
import signal
import threading
import time

from harness import TestCase, text_of, wait_until

ALLOW = '[permission]\nmode = "bypass"'


class Services(TestCase):
    def hosts(self, *plugins, config=ALLOW, **options):
        for isolation in ("worker", "inline"):
            with self.subTest(isolation=isolation):
                workspace = self.workspace(*(plugins or ("services",)), config=config, isolation=isolation, **options)
                host = self.http_host(workspace)
                host.workspace = workspace
                yield host


class Arguments(Services):
    def test_what_has_an_initial_value_is_not_required(self):
        """An int = 0 and a string = "" are required, unless the author says that the zero is the default."""
        host = self.http_host(self.workspace("services"))
        schema = next(tool["inputSchema"] for tool in host.request("tools/list")["result"]["tools"] if tool["name"] == "window")
        self.assertEqual(sorted(schema["required"]), ["city", "exact"])
        defaults = {name: about["default"] for name, about in schema["properties"].items() if "default" in about}
        self.assertEqual(defaults, {"skip": 0, "most": 3, "unit": ""})
        self.assertIs(schema["additionalProperties"], False)
        self.assertEqual(text_of(host.call("window", {"city": "Oslo", "exact": True})), "Oslo/0/3//exact")
        self.assertEqual(text_of(host.call("window", {"city": "Oslo", "exact": False, "skip": 1, "unit": "K"})), "Oslo/1/3/K/rounded")
        for wrong, why in (({"city": "Oslo"}, '"exact" is missing'),
                           ({"city": "Oslo", "exact": True, "skp": 1}, 'did you mean "skip"?')):
            answer = host.call("window", wrong)
            self.assertTrue(answer["result"]["isError"], answer)
            self.assertIn(why, text_of(answer))


class KeyValue(Services):
    def test_a_killed_host_loses_nothing_that_it_acknowledged(self):
        for isolation in ("worker", "inline"):
            workspace = self.workspace("services", config=ALLOW, isolation=isolation)
            for _ in range(3):
                host = self.http_host(workspace)
                acknowledged = [0]

                def count():
                    while True:
                        try:
                            text = text_of(host.call("kv_count", {"key": "n"}))
                        except (OSError, ValueError, AssertionError):
                            return  # it is dead
                        acknowledged[0] = max(acknowledged[0], int(text))

                callers = [threading.Thread(target=count) for _ in range(4)]
                for caller in callers:
                    caller.start()
                time.sleep(0.5)
                wait_until("some are acknowledged", lambda: acknowledged[0] > 10)
                os.kill(host.child.pid, signal.SIGKILL)
                host.wait()
                for caller in callers:
                    caller.join()
                self.assertGreater(acknowledged[0], 10)
                after = self.http_host(workspace)
                stored = int(text_of(after.call("kv_get", {"key": "n"})).split()[1])
                self.assertGreaterEqual(stored, acknowledged[0])
                after.stop()

    def test_an_idle_host_opens_no_database(self):
        for host in self.hosts():
            database = host.workspace.root / "home/.local/state/toolpost/toolpost.db"
            host.call("kv_list")
            self.assertTrue(database.exists())
        workspace = self.workspace("services", config=ALLOW)
        self.stdio_host(workspace).close_input()
        self.assertFalse((workspace.root / "home/.local/state/toolpost").exists())


class CallTool(Services):
    def test_a_call_is_made_for_the_callers_principal_and_audited(self):
        for host in self.hosts():
            trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
            answer = host.request("tools/call", {"name": "call", "arguments": {"tool": "_secret"},
                                                 "_meta": {"traceparent": trace}}, era="modern")
            self.assertTrue(text_of(answer).startswith("local"), answer)
            inner, outer = host.workspace.audit_lines()[-2:]
            self.assertEqual((inner["tool"], inner["origin"], inner["caller"], inner["outcome"]),
                             ("_secret", "plugin", "call", "ok"))
            self.assertEqual(inner["caller_call"], outer["call"])
            self.assertEqual(inner["principal"], outer["principal"])
            self.assertEqual((inner["traceparent"], outer["traceparent"]), (trace, trace))

    def test_an_internal_tool_is_nobodys_to_call_directly(self):
        for host in self.hosts():
            self.assertIn("unknown tool", host.call("_secret")["error"]["message"])
            listed = [tool["name"] for tool in host.request("tools/list")["result"]["tools"]]
            self.assertNotIn("_secret", listed)

    def test_what_is_denied_or_asked_comes_back_as_an_error_that_says_so(self):
        rules = '[[rule]]\ntool = "down"\nbehavior = "deny"'
        for host in self.hosts(config=rules):
            asked = text_of(host.call("call", {"tool": "writes"}))
            self.assertTrue(asked.startswith("-5: ") and "approval" in asked, asked)
            denied = text_of(host.call("call", {"tool": "down"}))
            self.assertTrue(denied.startswith("-5: "), denied)
            self.assertEqual([line["outcome"] for line in host.workspace.audit_lines() if line["origin"] == "plugin"],
                             ["needs_approval", "denied"])
            self.assertTrue(text_of(host.call("call", {"tool": "no_such"})).startswith("-2: "))

    def test_a_tools_own_error_is_a_result(self):
        for host in self.hosts():
            answer = text_of(host.call("call", {"tool": "kv_get", "args": {}}))
            self.assertTrue(answer.startswith("isError: "), answer)
            self.assertIn('0 {"content":[{"type":"text","text":"written"}]', text_of(
                host.call("call_later", {"tool": "writes"})))

    def test_calls_stand_no_more_than_eight_deep(self):
        for host in self.hosts():
            self.assertEqual(text_of(host.call("down", {"left": 7})), "bottom")
            self.assertEqual(text_of(host.call("down", {"left": 20})), "13 left, -5")

    def test_a_circle_through_what_runs_alone_is_refused_at_once(self):
        for host in self.hosts("services", "services_serial"):
            began = time.monotonic()
            circle = {"tool": "call", "args": {"tool": "serial_down"}}
            answer = text_of(host.call("serial_call", circle))
            self.assertTrue(answer.startswith("-5: ") and "wait" in answer, answer)
            own = text_of(host.call("serial_call", {"tool": "serial_writes"}))
            self.assertTrue(own.startswith("-5: "), own)
            alone = text_of(host.call("call_alone", {"tool": "call_alone", "args": {"tool": "writes"}}))
            self.assertTrue(alone.startswith("-5: "), alone)
            self.assertLess(time.monotonic() - began, 10)
            self.assertEqual(text_of(host.call("call", {"tool": "serial_writes"})), "written")

    def test_calls_of_calls_do_not_wait_for_their_own_callers(self):
        # As many outer calls as the principal, the plugin and the threads have room for.
        limits = ALLOW + "\n[limits]\nrunning_per_principal = 4\n[call]\npool_threads = 2\ntimeout_s = 20"
        for host in self.hosts(config=limits):
            answers = []
            callers = [threading.Thread(target=lambda: answers.append(text_of(host.call("down", {"left": 5}))))
                       for _ in range(16)]
            for caller in callers:
                caller.start()
            for caller in callers:
                caller.join()
            self.assertEqual(answers, ["bottom"] * 16)

    def test_the_inner_call_ends_with_the_outer_one(self):
        limits = ALLOW + "\n[call]\ntimeout_s = 60\ngrace_s = 5"
        for host in self.hosts(config=limits + "\n[plugin.services.tool.call]\ntimeout_s = 1"):
            began = time.monotonic()
            host.call("call", {"tool": "hang"})
            self.assertLess(time.monotonic() - began, 20)
            inner = wait_until("the inner call has ended", lambda host=host: [
                line for line in host.workspace.audit_lines() if line["tool"] == "hang"])
            self.assertIn(inner[0]["outcome"], ("deadline_exceeded", "cancelled"), inner)


class CallContext(Services):
    def test_a_call_knows_its_trace(self):
        trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        meta = {"traceparent": trace, "tracestate": "vendor=1", "baggage": "shop=north"}
        for host in self.hosts():
            params = {"name": "whose", "arguments": {"name": ""}, "_meta": meta}
            told = text_of(host.request("tools/call", params)).split("|")
            self.assertEqual(told[0], "local")
            self.assertEqual(told[2], host.workspace.audit_lines()[-1]["call"])
            self.assertEqual(told[3:], [trace, "vendor=1", "shop=north", "", "(none)", "null"])


class Timers(Services):
    """What becomes of timers, and of callbacks under way, when a build is replaced."""

    LOG = "\n[log]\nlevel = \"debug\""

    def timer_hosts(self):
        for host in self.hosts("timers", config=ALLOW + self.LOG):
            host.library = (host.workspace.root / "plugins/timers.so").read_bytes()
            host.builds = 0
            yield host

    def replace(self, host):
        host.builds += 1
        newer = host.workspace.root / "newer.so"
        newer.write_bytes(host.library + b"build %d" % host.builds)
        host.workspace.drop("timers", newer)

    def said(self, host, words, times=1):
        """The number of the line that says it for the `times`-th time, once it is there."""
        def find():
            found = [i for i, line in enumerate(list(host.errors)) if words in line]
            return len(found) >= times and found[times - 1] + 1
        return wait_until(words, find) - 1

    def test_a_callback_under_way_ends_before_its_instance_does(self):
        for host in self.timer_hosts():
            host.call("slow", {"ms": 600})
            began = self.said(host, "sleeps")
            self.replace(host)
            destroyed = self.said(host, "destroyed")
            ended, quiescing = self.said(host, "slept"), self.said(host, "quiescing")
            self.assertEqual(sorted((began, ended, quiescing, destroyed)), [began, ended, quiescing, destroyed])
            self.assertEqual(text_of(host.call("arm", {"timers": 1, "delay_ms": 10000})), "1")

    def test_timers_that_are_armed_neither_hold_a_generation_nor_turn_after_it(self):
        for host in self.timer_hosts():
            self.assertEqual(text_of(host.call("arm", {"timers": 100, "delay_ms": 3_600_000})), "100")
            self.assertEqual(text_of(host.call("arm", {"timers": 50, "delay_ms": 1, "period_ms": 1})), "50")
            began = time.monotonic()
            self.replace(host)
            destroyed = self.said(host, "destroyed")
            self.assertLess(time.monotonic() - began, 10)
            self.said(host, "151 timers that were left are dropped")  # and the one that asks
            quiescing = self.said(host, "quiescing")
            turns = [line.split(" turns")[0].split()[-1] for line in (host.errors[quiescing], host.errors[destroyed])]
            self.assertEqual(turns[0], turns[1])
            self.assertGreater(int(turns[0]), 0)
            time.sleep(0.2)
            self.assertNotIn("after the end", host.error_text())

    def test_many_reloads_under_timers_that_turn_and_ask_harm_nobody(self):
        for host in self.timer_hosts():
            for build in range(1, 11):
                host.call("arm", {"timers": 32, "period_ms": 1})
                self.replace(host)
                self.said(host, "destroyed", build)
            taken, sound = text_of(host.call("asked")).split()
            wait_until("the newest asks too", lambda: int(text_of(host.call("asked")).split()[0]) > int(taken))
            self.assertEqual(sound, "1")
            for harm in ("after the end", "the worker ended", "broken frame", "did not end in time"):
                self.assertNotIn(harm, host.error_text())
