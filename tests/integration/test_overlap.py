"""What the scheduler promises, seen by a plugin that counts who is inside; and how calls end early."""
import concurrent.futures
import json
import threading
import time
import unittest

from harness import LEGACY, TestCase, message, plugin_file, text_of, wait_until


def peak_of(answer):
    """What a probe answers. As text: a call that names no version is one of 2025-03-26, without structuredContent."""
    return json.loads(text_of(answer))["peak"]


class Overlap(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pool = concurrent.futures.ThreadPoolExecutor(24)

    @classmethod
    def tearDownClass(cls):
        cls.pool.shutdown()

    def host(self, config="", isolation="worker"):
        self.place = self.workspace("overlap", config=config, isolation=isolation)
        return self.http_host(self.place)

    def together(self, host, tools, milliseconds=30):
        """Calls all tools at once, each over a connection of its own; the highest peak that they saw."""
        calls = [self.pool.submit(host.call, tool, {"ms": milliseconds}) for tool in tools]
        return max(peak_of(call.result()) for call in calls)

    def test_a_serial_tool_never_runs_beside_itself_across_peers(self):
        for isolation in ("worker", "inline"):
            with self.subTest(isolation):
                self.assertEqual(self.together(self.host(isolation=isolation), ["serial_probe"] * 12), 1)

    def test_tools_of_one_exclusive_name_never_run_beside_each_other(self):
        for isolation in ("worker", "inline"):
            with self.subTest(isolation):
                self.assertEqual(self.together(self.host(isolation=isolation), ["exclusive_a", "exclusive_b"] * 6), 1)

    def test_max_inflight_holds_and_is_used(self):
        self.assertEqual(self.together(self.host(), ["inflight_probe"] * 10, 100), 2)

    def test_a_tool_without_bounds_runs_beside_itself(self):
        self.assertGreater(self.together(self.host(), ["free_probe"] * 6, 300), 2)

    def seconds_of_three(self, host, tool):
        begun = time.monotonic()
        self.together(host, [tool] * 3, 800)
        return time.monotonic() - begun

    def test_case_33_three_safe_calls_take_as_long_as_one_and_three_unsafe_ones_as_three(self):
        for isolation in ("worker", "inline"):
            with self.subTest(isolation):
                host = self.host(isolation=isolation)
                self.together(host, ["free_probe"] * 3, 0)  # the connections' threads are there
                self.assertLess(self.seconds_of_three(host, "free_probe"), 2.4)
                self.assertGreaterEqual(self.seconds_of_three(host, "serial_probe"), 2.4)

    def test_case_33_each_answer_goes_to_its_question(self):
        host = self.stdio_host(self.workspace("overlap"))
        host.initialize(LEGACY)
        for name, milliseconds in (("last", 300), ("middle", 150), ("first", 0)):
            host.send({"jsonrpc": "2.0", "id": name, "method": "tools/call",
                       "params": {"name": "slow", "arguments": {"ms": milliseconds}}})
        answers = [host.receive() for _ in range(3)]
        self.assertEqual([answer["id"] for answer in answers], ["first", "middle", "last"])

    def test_a_serial_plugin_with_several_workers_runs_as_many_calls(self):
        place = self.workspace(config="[plugin.zoo]\nworkers = 2\nauto_approve = true")
        place.drop("zoo", plugin_file("zoo/zoo_serial"))
        host = self.stdio_host(place)
        host.initialize()
        for number in range(2):
            host.send({"jsonrpc": "2.0", "id": f"c{number}", "method": "tools/call", "params": {
                "name": "until", "arguments": place.gate(), "_meta": {"progressToken": number}}})
        for _ in range(2):  # both have begun, and neither ends
            self.assertEqual(host.receive()["method"], "notifications/progress")
        place.open_gate()
        for _ in range(2):
            self.assertEqual(text_of(host.receive()), "one")

    def test_config_can_make_a_tool_serial(self):
        host = self.host("[plugin.overlap.tool.free_probe]\nconcurrency_safe = false")
        self.assertEqual(self.together(host, ["free_probe"] * 8), 1)

    def test_a_waiting_serial_call_does_not_hold_up_other_tools(self):
        host = self.host()
        waiting = [self.pool.submit(host.call, "serial_probe", {"ms": 400}) for _ in range(4)]
        begun = time.monotonic()
        host.call("free_probe", {"ms": 0})
        self.assertLess(time.monotonic() - begun, 1.2)
        for call in waiting:
            self.assertEqual(peak_of(call.result()), 1)

    def test_a_full_queue_answers_busy_as_a_result(self):
        host = self.host("[call]\nqueue = 2")
        calls = [self.pool.submit(host.call, "serial_probe", {"ms": 300}) for _ in range(12)]
        answers = [call.result()["result"] for call in calls]
        busy = [answer for answer in answers if answer.get("isError")]
        self.assertGreaterEqual(len(busy), 1)
        self.assertGreaterEqual(len(answers) - len(busy), 3)
        self.assertIn("busy", busy[0]["content"][0]["text"].lower())
        self.assertEqual(peak_of(host.call("serial_probe", {"ms": 0})), 1)

    # -- ends before the end

    def test_a_timed_out_call_answers_by_its_protocol(self):
        host = self.host("[call]\ntimeout_s = 0.3")
        legacy = host.call("slow", {"ms": 20000})
        self.assertEqual(legacy["error"]["code"], -32003, legacy)
        modern = host.call("slow", {"ms": 20000}, era="modern")
        self.assertTrue(modern["result"]["isError"], modern)
        self.assertRegex(text_of(modern), "time|0.3 s")
        served = wait_until("one is in time", lambda: "result" in (a := host.call("slow", {"ms": 0})) and a)
        self.assertEqual(text_of(served), "done")

    def test_a_call_that_ignores_its_time_out_is_killed_with_its_worker_and_the_next_is_served(self):
        host = self.host("[call]\ntimeout_s = 0.3\ngrace_s = 0.2")
        begun = time.monotonic()
        answer = host.call("stuck", {"ms": 60000})
        self.assertLess(time.monotonic() - begun, 10)
        self.assertEqual(answer["error"]["code"], -32003, answer)
        wait_until("the worker is back", lambda: "result" in (a := host.call("slow", {"ms": 0})) and text_of(a) == "done")

    def test_a_call_that_answers_later_is_one_call(self):
        host = self.host()
        self.assertEqual(text_of(host.call("pending", {"ms": 50})), "done later")

    def test_a_failure_of_the_tool_is_a_result(self):
        answer = self.host().call("fails")
        self.assertTrue(answer["result"]["isError"])
        self.assertIn("it failed, as asked", text_of(answer))

    def test_closing_a_modern_stream_cancels_its_call(self):
        host = self.host()
        connection = host.connect()
        body, headers = message("tools/call", {"name": "serial_probe", "arguments": {"ms": 60000}}, "modern")
        connection.request("POST", "/mcp", json.dumps(body), {"Content-Type": "application/json", **headers})
        wait_until("the call holds the tool", lambda: self.is_held(host))
        connection.close()
        # The tool is free again long before its minute is over.
        self.assertEqual(peak_of(host.call("serial_probe", {"ms": 0})), 1)

    def is_held(self, host):
        """Whether serial_probe is taken: a call of no length does not come back at once."""
        done = threading.Event()
        def call():
            host.call("serial_probe", {"ms": 0})
            done.set()
        threading.Thread(target=call, daemon=True).start()
        return not done.wait(0.3)

    def test_a_cancelled_call_on_stdio_gets_no_answer_and_the_next_is_served(self):
        self.place = self.workspace("overlap")
        host = self.stdio_host(self.place)
        host.initialize(LEGACY)
        host.send({"jsonrpc": "2.0", "id": "long", "method": "tools/call",
                   "params": {"name": "slow", "arguments": {"ms": 60000}, "_meta": {"progressToken": "p"}}})
        wait_until("it works", lambda: host.receive().get("method") == "notifications/progress")
        host.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "long"}})
        answer = host.call("slow", {"ms": 0})
        self.assertEqual(text_of(answer), "done")
        self.assertEqual(host.close_input(), 0)

    # -- classes of tools

    def test_internal_post_and_private_tools_do_not_exist_for_peers(self):
        host = self.host()
        listed = {tool["name"] for tool in host.request("tools/list")["result"]["tools"]}
        self.assertIn("pre_confirmed", listed)
        unknown = host.call("no_such_tool")["error"]
        for hidden in ("_internal", "post_confirmed", "priv_secret"):
            self.assertNotIn(hidden, listed)
            error = host.call(hidden)["error"]
            self.assertEqual(error["code"], unknown["code"])
            self.assertEqual(error["message"].replace(hidden, "no_such_tool"), unknown["message"])

    def test_a_pre_tool_is_asked_even_in_bypass_and_runs_with_auto_approve(self):
        host = self.host('[approval]\nask = []\n[permission]\nmode = "bypass"')
        answer = host.call("pre_confirmed", {"text": "x"})
        self.assertTrue(answer["result"]["isError"])
        self.assertIn("auto_approve", text_of(answer))
        host = self.host("[plugin.overlap.tool.pre_confirmed]\nauto_approve = true")
        answer = host.call("pre_confirmed", {"text": "x"})
        self.assertFalse(answer["result"].get("isError", False), answer)

    def test_a_post_tool_runs_after_its_action_and_its_result_is_attached(self):
        host = self.host()
        answer = host.call("action", {"text": "acted"})
        self.assertIn("acted", json.dumps(answer["result"]))
        self.assertIn("post_confirmed", json.dumps(answer["result"]))
        tools = [line.get("tool") for line in self.place.audit_lines()]
        self.assertIn("action", tools)
        self.assertIn("post_confirmed", tools)


if __name__ == "__main__":
    unittest.main()
